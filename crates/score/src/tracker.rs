//! Rows of PyTorch's FSDP2 memory tracker: Hugging Face's Llama, forward and backward without the
//! optimizer step.

use super::LeftOut;
use super::cells::Cells;
use engine::model::choices::Choices;
use engine::model::parallel::{ContextExchange, Pipeline, TensorParallel};
use engine::model::report::{MemoryPart, MemoryReport, PeakMoment};
use engine::model::software::{
    AttentionKernel, Communication, Framework, Graphs, Kernels, Loss, NormKernel, Offload, RepeatedHeads, RootUnit,
    StateKernel,
};
use engine::model::states::recipe_bytes;
use engine::model::training::{ComputeFormat, MfuConvention, Optimizer, PrecisionPolicy, Recompute};
use engine::model::transformer::Architecture;
use engine::scenario::{Model, Scenario, Strategy};

/// Bytes by the tracker's categories, named after its columns.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Categories {
    /// Sharded parameters.
    pub sharded_param: f64,
    /// Parameters gathered for compute.
    pub unsharded_param: f64,
    /// Sharded gradients.
    pub sharded_grad: f64,
    /// Gradients not yet reduced.
    pub unsharded_grad: f64,
    /// Activations.
    pub act: f64,
    /// Temporaries.
    pub temp: f64,
    /// Buffers of the all-gather.
    pub all_gather: f64,
    /// Buffers of the reduce-scatter.
    pub reduce_scatter: f64,
    /// Sum of all categories.
    pub total: f64,
}

impl Categories {
    /// Iterates over the categories with the names of their columns.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, f64)> {
        [
            ("sharded_param_bytes", self.sharded_param),
            ("unsharded_param_bytes", self.unsharded_param),
            ("sharded_grad_bytes", self.sharded_grad),
            ("unsharded_grad_bytes", self.unsharded_grad),
            ("act_bytes", self.act),
            ("temp_bytes", self.temp),
            ("all_gather_bytes", self.all_gather),
            ("reduce_scatter_bytes", self.reduce_scatter),
            ("total_bytes", self.total),
        ]
        .into_iter()
    }
}

/// Fraction of the loss's bytes per logit that counts as activations: the fp32 logits. The
/// log-softmax and its gradient are temporaries.
const KEPT_OF_LOGITS: f64 = 4.0 / 12.0;

/// Maps the parts of a scenario's peak to the tracker's categories. The run has no optimizer step,
/// so there is no optimizer state.
///
/// Gathered weights of the prefetched layer still count as an all-gather buffer. Unreduced
/// gradients of one layer in the reduction format count as a reduce-scatter buffer, the others as
/// temporaries. At the loss, the working set of one layer counts as saved for the backward pass;
/// during the backward pass it is temporary.
pub fn categories(scenario: &Scenario, memory: &MemoryReport) -> Categories {
    let part = |part: MemoryPart| memory.parts.get(part).get();
    let bytes = recipe_bytes(scenario.recipe);
    let shape = scenario.model.architecture();
    let layer = shape.dense_layer_params() as f64;
    let root = shape.params() as f64 - f64::from(shape.num_hidden_layers) * layer;
    let backward = memory.moment == PeakMoment::Backward;
    let (gathered, unreduced) = (part(MemoryPart::GatheredWeights), part(MemoryPart::UnreducedGradients));
    let resharded = backward && scenario.strategy == Strategy::FullShard;
    let current = bytes.gathered * (root + layer);
    let all_gather = if resharded { (gathered - current).clamp(0.0, bytes.gathered * layer) } else { 0.0 };
    let reduce_scatter = unreduced.min(bytes.reduced * layer);
    let (working_set, logits) = (part(MemoryPart::WorkingSet), part(MemoryPart::Logits));
    Categories {
        sharded_param: part(MemoryPart::Weights),
        unsharded_param: gathered - all_gather,
        sharded_grad: part(MemoryPart::Gradients),
        // The tracker counts a gradient only after accumulation.
        unsharded_grad: 0.0,
        act: part(MemoryPart::Activations) + KEPT_OF_LOGITS * logits + if backward { 0.0 } else { working_set },
        temp: unreduced - reduce_scatter + (1.0 - KEPT_OF_LOGITS) * logits + if backward { working_set } else { 0.0 },
        all_gather,
        reduce_scatter,
        total: (memory.allocated - memory.parts.get(MemoryPart::Optimizer)).get(),
    }
}

/// A tracked run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tracked {
    /// Scenario of the run.
    pub scenario: Scenario,
    /// Tracked bytes; 0 for blank columns.
    pub measured: Categories,
}

impl Tracked {
    /// Returns the predicted bytes.
    pub fn predicted(&self) -> Categories {
        categories(&self.scenario, &self.scenario.report().memory)
    }

    /// Returns the relative error of the total: predicted over tracked, less one.
    pub fn error(&self) -> Option<f64> {
        (self.measured.total > 0.0).then(|| self.predicted().total / self.measured.total - 1.0)
    }
}

/// Reads a row from its cells.
///
/// # Errors
///
/// Returns the name of the missing column.
pub fn read_tracked_run(cells: &Cells<'_>) -> Result<Tracked, LeftOut> {
    let need = |name: &str| cells.need(name);
    let bytes = |name: &str| cells.number(name).unwrap_or(0.0);
    let (hidden, heads) = (need("hidden")?, need("heads")?);
    let style = catalog::model("llama-2-7b").ok_or_else(|| LeftOut::because("the catalog lacks Llama 2"))?;
    let shape = Architecture {
        num_hidden_layers: need("layers")?,
        hidden_size: hidden,
        num_attention_heads: heads,
        num_key_value_heads: need("kv_heads").unwrap_or(heads),
        head_dim: hidden / heads.max(1),
        intermediate_size: need("ffn")?,
        vocab_size: need("vocab")?,
        ..style.architecture
    };
    let tied = Architecture { tie_word_embeddings: true, ..shape };
    let is_tied = cells.number("params") == Ok(tied.params() as f64);
    let architecture = if is_tied { tied } else { shape };
    let reshards = !cells.get("reshard").eq_ignore_ascii_case("false");
    let gpus = need("gpus")?;
    let mut scenario = Scenario {
        model: Model::Custom { architecture },
        gpus,
        seq_len: need("seq")?,
        micro_batch_size: need("micro_batch")?,
        grad_accum_steps: 1,
        strategy: if reshards { Strategy::FullShard } else { Strategy::ShardGradOp },
        ..tracked_setting()
    };
    scenario.recompute = if cells.get("checkpoint") == "full" { Recompute::Full } else { Recompute::None };
    let measured = Categories {
        sharded_param: bytes("sharded_param_bytes"),
        unsharded_param: bytes("unsharded_param_bytes"),
        sharded_grad: bytes("sharded_grad_bytes"),
        unsharded_grad: bytes("unsharded_grad_bytes"),
        act: bytes("act_bytes"),
        temp: bytes("temp_bytes"),
        all_gather: bytes("all_gather_bytes"),
        reduce_scatter: bytes("reduce_scatter_bytes"),
        total: bytes("total_bytes"),
    };
    Ok(Tracked { scenario, measured })
}

/// Returns the setting of all tracked runs: bf16 parameters reduced in fp32, SDPA, norms in fp32,
/// PyTorch's loss. Tensors are fake, so the GPU model is irrelevant.
fn tracked_setting() -> Scenario {
    Scenario {
        tp: 1,
        cp: 1,
        pp: 1,
        choices: Choices {
            tensor: TensorParallel::USUAL,
            context: ContextExchange::Ring,
            sequence_heads: 8,
            pipeline: Pipeline::USUAL,
            recipe: PrecisionPolicy::Fsdp2MixedBf16,
            compute_format: ComputeFormat::AsPolicy,
            optimizer: Optimizer::AdamW,
            communication: Communication { root_unit: RootUnit::Freed, ..Communication::USUAL },
            offload: Offload::NONE,
            framework: Framework::Transformers,
            kernels: Kernels {
                attention: AttentionKernel::FlashTuned,
                loss: Loss::Standard,
                norms: NormKernel::Upcast,
                compile: false,
                graphs: Graphs::None,
                dropout: false,
                tiled_mlp: false,
                activation_input_8: false,
                state: StateKernel::Fused,
                // transformers before 4.48 repeated the heads for SDPA.
                repeated_heads: RepeatedHeads::Yes,
            },
            mfu_convention: MfuConvention::FullAttention,
            ..Choices::DEFAULT
        },
        ..catalog::default_scenario()
    }
}
