//! A published measurement with typed columns, all optional.

use super::linked::{End, Linked};
use super::text;

/// Columns of every training table.
const COLUMNS: [&str; 4] = ["gpu", "num_gpus", "model", "seq_len"];
/// Measurement columns; every table has at least one.
const MEASURED: [&str; 5] = ["step_time_s", "tokens_per_s_per_gpu", "tflops_per_gpu", "mfu_pct", "peak_mem_gib"];

/// Returns whether a table with this header holds training runs.
pub fn is_training(header: &[&str]) -> bool {
    let has = |column: &&str| header.contains(column);
    COLUMNS.iter().all(has) && (MEASURED.iter().any(has) || header.contains(&"link") || header.contains(&"notes"))
}

/// A published measurement. Blank text cells are empty strings, blank numbers `None`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// Identifier of the row in its file.
    pub row_id: String,
    /// Publisher of the measurement.
    pub source: String,
    /// GPU, as named by the source.
    pub gpu: String,
    /// Memory of the GPU in GB.
    pub gpu_mem_gb: Option<f64>,
    /// GPUs in a node.
    pub gpus_per_node: Option<u32>,
    /// Intra-node link, as named by the source.
    pub intra_node_link: String,
    /// Inter-node network, as named by the source.
    pub inter_node_bw: String,
    /// GPUs of the run.
    pub num_gpus: Option<u32>,
    /// Nodes of the run.
    pub num_nodes: Option<u32>,
    /// Name of the framework.
    pub framework: String,
    /// Release of the framework or of its container.
    pub release: String,
    /// State sharded by data parallelism.
    pub sharding: String,
    /// Data-parallel degree.
    pub dp: Option<u32>,
    /// Data-parallel GPUs per shard group.
    pub dp_shard: Option<u32>,
    /// Number of replicas of the sharded state.
    pub dp_replicate: Option<u32>,
    /// Tensor parallelism.
    pub tp: Option<u32>,
    /// Sequence parallelism: yes, no, or a description.
    pub sp: String,
    /// Pipeline stages.
    pub pp: Option<u32>,
    /// Model chunks on each pipeline stage.
    pub vpp: Option<u32>,
    /// Context parallelism.
    pub cp: Option<u32>,
    /// Expert parallelism.
    pub ep: Option<u32>,
    /// Expert tensor parallelism.
    pub etp: Option<u32>,
    /// Name of the model.
    pub model: String,
    /// Number of parameters.
    pub params: Option<f64>,
    /// Layers.
    pub layers: Option<u32>,
    /// Width of the residual stream.
    pub hidden: Option<u32>,
    /// Query heads.
    pub heads: Option<u32>,
    /// Key and value heads.
    pub kv_heads: Option<u32>,
    /// Width of the MLP.
    pub ffn_hidden: Option<u32>,
    /// Entries of the vocabulary.
    pub vocab: Option<u32>,
    /// Experts of a mixture.
    pub n_experts: Option<u32>,
    /// Experts that a token is sent to.
    pub top_k: Option<u32>,
    /// Width of one expert's MLP.
    pub moe_ffn_hidden: Option<u32>,
    /// Tokens in a sequence.
    pub seq_len: Option<u32>,
    /// Sequences in a micro-batch.
    pub micro_batch: Option<u32>,
    /// Micro-batches in a step.
    pub grad_accum: Option<u32>,
    /// Sequences in a step.
    pub global_batch: Option<u32>,
    /// Tokens in a step.
    pub global_batch_tokens: Option<f64>,
    /// Number formats.
    pub precision: String,
    /// Activation checkpointing.
    pub act_ckpt: String,
    /// The attention kernel.
    pub attention: String,
    /// Whether `torch.compile` ran.
    pub compile: String,
    /// The optimizer.
    pub optimizer: String,
    /// Tokens per second of all GPUs.
    pub tokens_per_s: Option<f64>,
    /// Tokens per second of one GPU.
    pub tokens_per_s_per_gpu: Option<f64>,
    /// Seconds of a step.
    pub step_time_s: Option<f64>,
    /// TFLOP/s of one GPU, in the convention of `tflops_kind`.
    pub tflops_per_gpu: Option<f64>,
    /// The FLOP convention.
    pub tflops_kind: String,
    /// Model FLOPs utilisation in percent.
    pub mfu_pct: Option<f64>,
    /// Hardware FLOPs utilisation in percent.
    pub hfu_pct: Option<f64>,
    /// Peak memory in GiB.
    pub peak_mem_gib: Option<f64>,
    /// Kind of memory peak.
    pub mem_kind: String,
    /// Trained part in tables of fine-tuning: full, lora, qlora, or another kind of adapter.
    pub trainable: String,
    /// Rank of the adapters.
    pub lora_rank: Option<u32>,
    /// Matrices with adapters, as named by the source.
    pub lora_targets: String,
    /// Format of a quantized base.
    pub quantized_base: String,
    /// State offloaded to host memory, in words.
    pub offload: String,
    /// Outcome of a user's run, in tables of such runs: `oom`, or a success.
    pub outcome: String,
    /// The row as a link, in converted tables.
    pub linked: Option<Linked>,
}

impl Row {
    /// Reads a row from its named columns; a missing column is blank.
    pub fn read<'a>(column: impl Fn(&str) -> Option<&'a str>) -> Self {
        let raw = |name: &str| column(name).unwrap_or_default();
        let word = |name: &str| text::cell(raw(name)).to_owned();
        let number = |name: &str| text::number(raw(name)).filter(|number| *number > 0.0);
        let count = |name: &str| text::count(raw(name));
        // Tables of users' runs have shorter names for some columns.
        let either = |name: &str, other: &str| if raw(name).is_empty() { word(other) } else { word(name) };
        let outcome = word("outcome");
        let is_out_of_memory = outcome.eq_ignore_ascii_case("oom");
        Self {
            row_id: either("row_id", "case_id"),
            source: either("source_key", "source"),
            gpu: word("gpu"),
            gpu_mem_gb: text::amount(raw("gpu_mem_gb")).map(|memory| if memory >= 1e9 { memory / 1e9 } else { memory }),
            gpus_per_node: count("gpus_per_node"),
            intra_node_link: word("intra_node_link"),
            inter_node_bw: word("inter_node_bw"),
            num_gpus: count("num_gpus"),
            num_nodes: count("num_nodes"),
            framework: word("framework"),
            release: either("release", "container"),
            sharding: word("sharding"),
            dp: count("dp"),
            dp_shard: count("dp_shard"),
            dp_replicate: count("dp_replicate"),
            tp: count("tp"),
            sp: word("sp"),
            pp: count("pp"),
            vpp: count("vpp"),
            cp: count("cp"),
            ep: count("ep"),
            etp: count("etp"),
            model: word("model"),
            params: text::amount(raw("params")).filter(|params| *params > 0.0),
            layers: count("layers"),
            hidden: count("hidden"),
            heads: count("heads"),
            kv_heads: count("kv_heads"),
            ffn_hidden: count("ffn_hidden"),
            vocab: count("vocab"),
            n_experts: count("n_experts"),
            top_k: count("top_k"),
            moe_ffn_hidden: count("moe_ffn_hidden"),
            seq_len: text::length(raw("seq_len")),
            micro_batch: count("micro_batch_seqs").or_else(|| count("micro_batch")),
            grad_accum: count("grad_accum"),
            global_batch: count("global_batch_seqs"),
            global_batch_tokens: text::amount(raw("global_batch_tokens")).filter(|tokens| *tokens > 0.0),
            precision: word("precision"),
            act_ckpt: word("act_ckpt"),
            attention: word("attention"),
            compile: word("compile"),
            optimizer: word("optimizer"),
            tokens_per_s: number("tokens_per_s"),
            tokens_per_s_per_gpu: number("tokens_per_s_per_gpu"),
            step_time_s: number("step_time_s"),
            tflops_per_gpu: number("tflops_per_gpu"),
            tflops_kind: word("tflops_kind"),
            mfu_pct: number("mfu_pct"),
            hfu_pct: number("hfu_pct"),
            // Memory of a run at its failure is not a peak.
            peak_mem_gib: number("peak_mem_gib").filter(|_| !is_out_of_memory),
            mem_kind: word("mem_kind"),
            trainable: word("trainable"),
            lora_rank: count("lora_rank"),
            lora_targets: word("lora_targets"),
            quantized_base: word("quantized_base"),
            offload: word("offload"),
            outcome,
            linked: Linked::read(&column),
        }
    }

    /// Returns the tokens per step of all GPUs, if the row states them.
    pub fn tokens_per_step(&self) -> Option<f64> {
        let sequences = || Some(f64::from(self.global_batch?) * f64::from(self.seq_len?));
        self.global_batch_tokens.or_else(sequences)
    }

    /// Returns the outcome of the run, if the row has one.
    pub fn end(&self) -> Option<End> {
        if let Some(linked) = &self.linked {
            return linked.end;
        }
        if self.mem_kind.eq_ignore_ascii_case("oom") || self.outcome.eq_ignore_ascii_case("oom") {
            return Some(End::OutOfMemory);
        }
        let measured = [self.step_time_s, self.tokens_per_s, self.tokens_per_s_per_gpu, self.peak_mem_gib];
        (self.is_case() || measured.iter().any(Option::is_some)).then_some(End::Ran)
    }

    /// Returns whether the run failed or ran out of memory.
    pub fn failed(&self) -> bool {
        matches!(self.end(), Some(End::OutOfMemory | End::FailedUntold))
    }

    /// Returns whether the row is a user's run with a stated outcome.
    pub const fn is_case(&self) -> bool {
        !self.outcome.is_empty()
    }

    /// Returns whether the run succeeded.
    pub fn succeeded(&self) -> bool {
        matches!(self.end(), Some(End::Ran | End::RanAtItsLimit))
    }
}
