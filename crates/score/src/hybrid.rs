//! Rows of training steps of models with state mixers, traced tensor by tensor (`tests/hybrid/trace.py`): Hugging Face's own
//! code on fake tensors, with the bytes alive at the peak.

use super::LeftOut;
use super::text;
use engine::catalog;
use engine::model::report::MemoryReport;
use engine::model::software::{AttentionKernel, Framework, Kernels, Loss, NormKernel, StateKernel};
use engine::model::training::{OptimizerKernel, PrecisionPolicy, Recompute};
use engine::model::transformer::recurrent::{Recurrent, RecurrentKind};
use engine::model::transformer::{Architecture, Experts, ExtraParams, LatentAttention, QkNorm};
use engine::scenario::layers::read_layers;
use engine::scenario::{Model, Scenario, Strategy};

/// A traced step.
#[derive(Clone, Debug, PartialEq)]
pub struct Hybrid {
    /// The row.
    pub id: String,
    /// The model's family, as its class in the library is called.
    pub model: String,
    /// The scenario of the step.
    pub scenario: Scenario,
    /// Parameters of the model as the library builds it.
    pub params: f64,
    /// Bytes alive at the peak.
    pub allocated: f64,
}

impl Hybrid {
    /// What the engine says.
    pub fn predicted(&self) -> MemoryReport {
        self.scenario.report().memory
    }

    /// Error of the bytes alive at the peak: predicted over traced, less one.
    pub fn error(&self) -> f64 {
        self.predicted().allocated.get() / self.allocated - 1.0
    }
}

/// Reads a row from its named columns.
///
/// # Errors
///
/// The name of the missing column, or what is not followed.
pub fn read<'a>(column: impl Fn(&str) -> Option<&'a str>) -> Result<Hybrid, LeftOut> {
    let raw = |name: &str| column(name).unwrap_or_default().trim();
    let need = |name: &str| text::count(raw(name)).ok_or_else(|| LeftOut::missing(name));
    let bytes = |name: &str| text::number(raw(name)).ok_or_else(|| LeftOut::missing(name));
    let params = bytes("params")?;
    let (recompute, keep_fraction) = match raw("activation_checkpointing") {
        "none" => (Recompute::None, 1.0),
        "full" => (Recompute::Full, 0.0),
        other => return Err(LeftOut::because("a kind of recomputation that is not modelled").about(other)),
    };
    let start = catalog::default_scenario();
    let scenario = Scenario {
        model: Model::Custom { architecture: architecture(&raw, &need, params)? },
        gpus: need("gpus")?,
        seq_len: need("seq")?,
        micro_batch_size: need("micro_batch")?,
        strategy: Strategy::FullShard,
        recompute,
        keep_fraction,
        recipe: if raw("param_storage") == "fp32" {
            PrecisionPolicy::Fsdp2MixedBf16
        } else {
            PrecisionPolicy::PureBf16
        },
        optimizer_kernel: OptimizerKernel::ForEach,
        framework: Framework::Transformers,
        kernels: Kernels {
            attention: AttentionKernel::Flash,
            loss: Loss::Standard,
            norms: NormKernel::Upcast,
            state: if raw("state_kernel") == "eager" { StateKernel::Eager } else { StateKernel::Fused },
            ..start.kernels
        },
        ..start
    };
    Ok(Hybrid {
        id: raw("row_id").to_owned(),
        model: raw("model").to_owned(),
        scenario,
        params,
        allocated: bytes("peak_allocated_bytes")?,
    })
}

/// The kinds of mixers, by the names that they have in links.
fn kind(name: &str) -> Result<RecurrentKind, LeftOut> {
    Ok(match name {
        "mamba" => RecurrentKind::Mamba,
        "mamba2" => RecurrentKind::Mamba2,
        "gated-delta" => RecurrentKind::GatedDelta,
        "kimi-delta" => RecurrentKind::KimiDelta,
        "lightning" => RecurrentKind::Lightning,
        "rg-lru" => RecurrentKind::RgLru,
        "short-conv" => RecurrentKind::ShortConv,
        other => return Err(LeftOut::because("a mixer that is not modelled").about(other)),
    })
}

/// The shape of a row; parameters that its columns do not name (biases of routers, norms of ranks) are what `params` has more.
fn architecture<'a>(
    raw: &impl Fn(&str) -> &'a str,
    need: &impl Fn(&str) -> Result<u32, LeftOut>,
    params: f64,
) -> Result<Architecture, LeftOut> {
    let style = catalog::model("llama-2-7b").ok_or_else(|| LeftOut::because("the catalog lacks Llama 2"))?;
    let count = |name: &str| text::count(raw(name)).unwrap_or(0);
    let yes = |name: &str| raw(name) == "1";
    let recurrent = Recurrent {
        kind: kind(raw("mixer"))?,
        heads: count("mixer_heads"),
        head_dim: count("mixer_head_dim"),
        key_heads: count("mixer_key_heads"),
        key_dim: count("mixer_key_dim"),
        conv_kernel: count("conv_kernel"),
        rank: count("mixer_rank"),
        chunk: count("chunk"),
        ..Recurrent::NONE
    };
    let experts = Experts {
        num_experts: count("experts"),
        num_experts_per_tok: count("top_k").max(1),
        moe_intermediate_size: count("moe_ffn"),
        shared_intermediate_size: count("shared_ffn"),
        ..Experts::NONE
    };
    let latent = LatentAttention {
        kv_lora_rank: count("kv_lora_rank"),
        qk_nope_head_dim: count("head_dim"),
        qk_rope_head_dim: count("qk_rope_head_dim"),
        v_head_dim: count("v_head_dim"),
        ..LatentAttention::NONE
    };
    let pattern =
        read_layers(raw("pattern")).map_err(|sentence| LeftOut::because("a list of layers").about(sentence))?;
    let counted = Architecture {
        num_hidden_layers: need("layers")?,
        hidden_size: need("hidden")?,
        num_attention_heads: need("heads")?,
        num_key_value_heads: need("kv_heads")?,
        head_dim: need("head_dim")?,
        intermediate_size: count("ffn"),
        vocab_size: need("vocab")?,
        tie_word_embeddings: yes("tied_embeddings"),
        gated_mlp: yes("mlp_gated"),
        // Layers of Nemotron-H are one block each.
        norms_per_layer: if raw("model") == "NemotronH" { 1 } else { 2 },
        qk_norm: if yes("qk_norm") { QkNorm::PerHead } else { QkNorm::None },
        gated_attention: yes("gated_attention"),
        latent: if latent.kv_lora_rank > 0 { latent } else { LatentAttention::NONE },
        sliding_window: count("window"),
        experts,
        recurrent,
        pattern,
        ..style.architecture
    };
    let more = params - counted.params() as f64;
    Ok(Architecture { extra: ExtraParams { layers: more as i64, ..ExtraParams::NONE }, ..counted })
}
