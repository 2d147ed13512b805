//! Choices of a setup that the trace does not model.

use core::fmt::{self, Display, Formatter};
use engine::model::framework::Layers;
use engine::model::parallel::ContextExchange;
use engine::model::setup::Setup;
use engine::model::software::AttentionKernel;
use engine::model::states::{recipe_bytes, shard_degrees};
use engine::model::trained::{BaseFormat, Method, ProductsKeep, Trained};
use engine::model::training::{Optimizer, PrecisionPolicy, Recompute, Sharding, UpdatePlace};
use engine::model::transformer::QkNorm;

/// Something that the trace does not model, or models as another program does it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Gap {
    /// Layers that are neither torchtitan's nor Hugging Face's.
    Layers,
    /// Units that are not FSDP's: modules of DeepSpeed's stage 3, gathers by XLA.
    Units,
    /// Gradients and buckets of weights that are not sharded.
    Replicas,
    /// Stages of a pipeline.
    Pipeline,
    /// Context parallelism other than a ring of flash attention.
    Context,
    /// Expert parallelism.
    Experts,
    /// Recomputation of parts of a layer.
    PartsRecomputed,
    /// Tokens that pass an MLP in tiles.
    TiledMlp,
    /// An update other than AdamW's after the backward pass.
    Update,
    /// Dropout.
    Dropout,
    /// Objectives with other models or with more than one pass.
    Objective,
    /// States in host memory.
    States,
    /// Activations in host memory.
    Activations,
    /// Layers of several kinds.
    Pattern,
    /// An encoder of images or sound.
    Tower,
    /// Keys and values from a latent vector.
    Latent,
    /// Gated attention.
    Gates,
    /// Shared experts.
    SharedExperts,
    /// Modules that predict further tokens.
    FurtherTokens,
    /// Blocks of a layer that share a norm.
    ParallelBlocks,
    /// Norms that torchtitan's layers lack: after blocks, or over all heads.
    Norms,
    /// These frozen weights or adapters.
    Frozen,
}

impl Gap {
    /// Every gap, in order of display.
    pub const ALL: [Self; 22] = [
        Self::Layers,
        Self::Units,
        Self::Replicas,
        Self::Pipeline,
        Self::Context,
        Self::Experts,
        Self::PartsRecomputed,
        Self::TiledMlp,
        Self::Update,
        Self::Dropout,
        Self::Objective,
        Self::States,
        Self::Activations,
        Self::Pattern,
        Self::Tower,
        Self::Latent,
        Self::Gates,
        Self::SharedExperts,
        Self::FurtherTokens,
        Self::ParallelBlocks,
        Self::Norms,
        Self::Frozen,
    ];

    /// Returns the name within a sentence, a plural.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Layers => "this framework's own layers and buffers",
            Self::Units => "units of weights that this framework gathers otherwise than FSDP",
            Self::Replicas => "gradients and buckets of weights that are not sharded",
            Self::Pipeline => "warm-up and end of the pipeline",
            Self::Context => "exchanged keys and values of other parts of a sequence",
            Self::Experts => "exchanges of tokens between the GPUs of an expert group",
            Self::PartsRecomputed => "recomputed parts of a layer",
            Self::TiledMlp => "tiles of an MLP",
            Self::Update => "updates other than AdamW's after the backward pass",
            Self::Dropout => "masks of dropout",
            Self::Objective => "passes of other models",
            Self::States => "transfers of states to and from host memory",
            Self::Activations => "activations in host memory",
            Self::Pattern => "layers of several kinds",
            Self::Tower => "encoders of images or sound",
            Self::Latent => "keys and values from latent vectors",
            Self::Gates => "gates of attention",
            Self::SharedExperts => "shared experts",
            Self::FurtherTokens => "modules that predict further tokens",
            Self::ParallelBlocks => "blocks that share a norm",
            Self::Norms => "norms after blocks",
            Self::Frozen => "these frozen weights or adapters",
        }
    }

    /// Whether a setup has the gap.
    pub fn is_in(self, setup: &Setup) -> bool {
        let (mesh, arch) = (&setup.mesh, &setup.architecture);
        match self {
            Self::Layers => setup.traits().layers == Layers::Own,
            Self::Units => !setup.traits().shards_by_fsdp,
            Self::Replicas => !matches!(setup.sharding, Sharding::Fsdp(_)),
            Self::Pipeline => mesh.pp > 1,
            // The sequence is split before the model. Only flash attention avoids scores for keys
            // of other GPUs.
            Self::Context => {
                let ring = setup.context == ContextExchange::Ring;
                mesh.cp > 1 && !(ring && setup.kernels.attention != AttentionKernel::Unfused)
            }
            Self::Experts => mesh.ep > 1,
            Self::PartsRecomputed => matches!(setup.recompute, Recompute::AttentionCore | Recompute::Modules),
            Self::TiledMlp => setup.kernels.tiled_mlp,
            Self::Update => setup.optimizer != Optimizer::AdamW || setup.update_place != UpdatePlace::AfterBackward,
            Self::Dropout => setup.kernels.dropout,
            Self::Objective => !setup.objective.is_next_token(),
            Self::States => setup.offload.optimizer || setup.offload.parameters || setup.offload.paged,
            Self::Activations => setup.offload.activations,
            Self::Pattern => arch.pattern.is_used(),
            Self::Tower => arch.tower.is_used(),
            Self::Latent => arch.latent.is_used(),
            Self::Gates => arch.gated_attention,
            Self::SharedExperts => arch.has_experts() && arch.experts.shared_intermediate_size > 0,
            Self::FurtherTokens => setup.mtp > 0,
            Self::ParallelBlocks => arch.norms_per_layer <= 1,
            // torchtitan's layers are modeled with two norms, one before each block, and norms of
            // each head's queries and keys.
            Self::Norms => !runs_transformers(setup) && (arch.norms_per_layer > 2 || arch.qk_norm == QkNorm::Full),
            Self::Frozen => !follows_frozen(setup),
        }
    }

    /// Returns the gaps of a setup.
    pub fn of(setup: &Setup) -> impl Iterator<Item = Self> + '_ {
        Self::ALL.into_iter().filter(|gap| gap.is_in(setup))
    }
}

/// Whether the layers are Hugging Face's, eager.
fn runs_transformers(setup: &Setup) -> bool {
    setup.traits().layers == Layers::Transformers && !setup.kernels.compile
}

/// The gaps of a setup; none if the trace models everything.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NotSimulated(pub Vec<Gap>);

impl Display for NotSimulated {
    /// Writes a sentence, or nothing: `Not simulated: dropout and shared experts.`
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.0.iter().map(|gap| gap.name()).collect();
        if names.is_empty() { Ok(()) } else { write!(f, "Not simulated: {}.", engine::format::listed(&names)) }
    }
}

/// Returns whether the trace models all allocations of a step: PyTorch modules with FSDP, eager or
/// compiled; no pipeline, expert parallelism or offloading; context parallelism only as a ring.
pub fn is_followed(setup: &Setup) -> bool {
    // No step of real code was traced with norms of queries and keys in torchtitan's layers.
    let is_compared = runs_transformers(setup) || setup.architecture.qk_norm == QkNorm::None;
    // Layers of other programs that shard by FSDP are near torchtitan's.
    is_compared && Gap::of(setup).all(|gap| gap == Gap::Layers)
}

/// Returns whether the trace models frozen weights and adapters of a setup.
fn follows_frozen(setup: &Setup) -> bool {
    let Trained { method, targets, dropout, base, embeddings, .. } = setup.trained;
    if setup.trained.is_all() {
        return true;
    }
    let (arch, bytes) = (&setup.architecture, recipe_bytes(setup.recipe));
    let base_is = match base {
        BaseFormat::Fp32 | BaseFormat::Bf16 => true,
        // bitsandbytes' matmul, as single operators; it does not quantize stacks of experts.
        BaseFormat::Nf4 | BaseFormat::Nf4Double => {
            let keeps_nothing = setup.trained.kept_by_products() == ProductsKeep::Nothing;
            keeps_nothing && !arch.has_experts() && !setup.kernels.compile
        }
        // LLM.int8() saves inputs in another format, and the other formats have their own kernels.
        BaseFormat::Fp8 | BaseFormat::Int8 | BaseFormat::Int4 | BaseFormat::Mxfp4 => false,
    };
    // If FSDP casts no weights, operators mix formats, which only PEFT's adapters handle with
    // casts.
    let casts = shard_degrees(setup).weights > 1.0 || base.bytes() == bytes.weights;
    if !setup.trained.has_adapters() {
        return base_is && casts;
    }
    let autocast = setup.recipe == PrecisionPolicy::AutocastBf16;
    // PEFT's `lora.Linear` wraps matrices, but not stacks of experts; latent attention is not
    // modeled.
    let beside = !(arch.latent.is_used() || arch.has_experts() && targets.modules().mlp);
    // DoRA is modeled in one format and without fusion; with dropout, DoRA keeps 16-bit copies of
    // quantized matrices.
    let keeps_copies = dropout && base.is_quantized();
    let dora = method != Method::Dora || (!autocast && casts && !setup.kernels.compile && !keeps_copies);
    base_is && beside && dora && (casts || autocast || !embeddings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::model::choices::Choices;
    use engine::model::software::Framework;
    use engine::model::trained::Targets;
    use engine::scenario::{Scenario, Strategy};

    fn follows(model: &str, recipe: PrecisionPolicy, trained: Trained) -> bool {
        let model = catalog::model(model).unwrap().pick();
        let start = catalog::default_scenario();
        let scenario = Scenario {
            model,
            gpus: 8,
            strategy: Strategy::FullShard,
            choices: Choices { recipe, trained, recompute: Recompute::Full, ..start.choices },
            ..start
        };
        is_followed(
            &Scenario { choices: Choices { framework: Framework::Transformers, ..scenario.choices }, ..scenario }
                .setup(),
        )
    }

    #[test]
    fn bases_and_adapters_that_are_not_written_out_are_not_followed() {
        let (mixed, autocast) = (PrecisionPolicy::Fsdp2MixedBf16, PrecisionPolicy::AutocastBf16);
        let lora = Trained { method: Method::Lora, ..Trained::ALL };
        let llama = |recipe, trained| follows("llama-2-7b", recipe, trained);
        assert!(llama(mixed, Trained::ALL) && llama(mixed, lora) && llama(autocast, lora));
        for base in [BaseFormat::Fp32, BaseFormat::Bf16, BaseFormat::Nf4, BaseFormat::Nf4Double] {
            assert!(llama(mixed, Trained { base, ..lora }), "{base:?}");
        }
        for base in [BaseFormat::Fp8, BaseFormat::Int8, BaseFormat::Int4, BaseFormat::Mxfp4] {
            assert!(!llama(mixed, Trained { base, ..lora }), "{base:?}");
        }
        let dora = Trained { method: Method::Dora, ..lora };
        assert!(llama(mixed, dora) && !llama(autocast, dora));
        let attention = Trained { targets: Targets::Attention, ..lora };
        assert!(follows("mixtral-8x7b", mixed, attention) && !follows("mixtral-8x7b", mixed, lora));
        assert!(!follows("mixtral-8x7b", mixed, Trained { base: BaseFormat::Nf4, ..attention }));
        let early = Trained { base: BaseFormat::Nf4, products_keep: ProductsKeep::Inputs, ..lora };
        assert!(!llama(mixed, early), "bitsandbytes before 0.43.2");
    }
}
