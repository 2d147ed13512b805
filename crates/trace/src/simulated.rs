//! Memory from a simulated step, for setups that the trace models completely.

use crate::{Category, Peak, Phase, Trace, reserved_over};
use engine::model::framework::Layers;
use engine::model::lengths;
use engine::model::memory::states::{base, recipe_bytes, shard_degrees};
use engine::model::memory::{Alive, report};
use engine::model::parallel::ContextExchange;
use engine::model::report::{MemoryPart, MemoryParts, MemoryReport, PeakMoment};
use engine::model::setup::Setup;
use engine::model::software::{AttentionKernel, Cache, Offload};
use engine::model::stages::Stage;
use engine::model::trained::{BaseFormat, Method, ProductsKeep, Trained};
use engine::model::training::{Batch, Optimizer, PrecisionPolicy, Recompute, Sharding};
use engine::model::transformer::QkNorm;
use engine::units::Bytes;

/// Returns whether the trace models all allocations of a step: PyTorch modules with FSDP or DDP,
/// eager or compiled; no pipeline, expert parallelism or offloading; context parallelism only as a
/// ring.
pub fn is_followed(setup: &Setup) -> bool {
    let mesh = &setup.mesh;
    // The sequence is split before the model. Only flash attention avoids scores for keys of other
    // GPUs.
    let cut =
        mesh.cp <= 1 || setup.context == ContextExchange::Ring && setup.kernels.attention != AttentionKernel::Unfused;
    let sharded = matches!(setup.sharding, Sharding::Fsdp(_)) && mesh.pp <= 1 && mesh.ep <= 1 && cut;
    let by_layers = !matches!(setup.recompute, Recompute::AttentionCore | Recompute::Modules);
    // DeepSpeed's stage 3 has other units, and XLA gathers weights per matmul.
    let by_units = setup.traits().shards_by_fsdp;
    let plain = setup.optimizer == Optimizer::AdamW && !setup.kernels.dropout;
    let alone = setup.objective.is_next_token() && setup.offload == Offload::NONE;
    let by_itself = by_units && sharded && by_layers && plain && alone;
    // Layers of several kinds, and image encoders, are not modeled.
    let alike = !setup.architecture.pattern.is_used() && !setup.architecture.tower.is_used();
    // Parallel blocks that share one norm are not modeled.
    let sequential = setup.architecture.norms_per_layer > 1;
    // torchtitan's layers are modeled with two norms, one before each block.
    let norms = setup.architecture.norms_per_layer;
    let plain_norms = norms == 2 && setup.architecture.qk_norm == QkNorm::None;
    let is_transformers = setup.traits().layers == Layers::Transformers && !setup.kernels.compile;
    alike && sequential && by_itself && (is_transformers || plain_norms) && follows_frozen(setup)
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

/// Number of simulated steps with different lengths; more steps do not change reserved memory.
const LENGTHS: u32 = 9;

/// Returns steps with micro-batches of typical lengths, the longest last.
fn typical(setup: &Setup, stage: &Stage, spread: f64) -> Vec<Trace> {
    let longest = f64::from(setup.batch.seq_len);
    let of = |fraction: f64| Batch { seq_len: (fraction * longest).max(1.0) as u32, ..setup.batch };
    let steps = lengths::typical(spread, LENGTHS).map(|fraction| Setup { batch: of(fraction), ..*setup });
    steps.map(|setup| Trace::record(&setup, stage)).collect()
}

/// Returns the simulated memory of one GPU of a stage; `None` if the trace does not model the step
/// completely.
pub fn simulated(setup: &Setup, stage: &Stage) -> Option<MemoryReport> {
    if !is_followed(setup) {
        return None;
    }
    let setup = &setup.at_longest();
    let trace = Trace::record(setup, stage);
    let Peak { allocated, by, moment, .. } = trace.peak();
    let reserved = match setup.lengths.spread() {
        0.0 => trace.reserved(setup.segments),
        spread => reserved_over(setup.segments, &typical(setup, stage, spread)),
    };
    let of = |categories: &[Category]| Bytes::new(categories.iter().map(|one| by[*one]).sum::<u64>() as f64);
    let parts = MemoryParts::default()
        .with(MemoryPart::Weights, of(&[Category::Parameter]))
        .with(MemoryPart::Gradients, of(&[Category::Gradient]))
        .with(MemoryPart::Optimizer, of(&[Category::Optimizer]))
        .with(MemoryPart::GatheredWeights, of(&[Category::UnshardedParameter]))
        .with(MemoryPart::UnreducedGradients, of(&[Category::UnshardedGradient, Category::Communication]))
        .with(MemoryPart::Activations, of(&[Category::Activation, Category::Input, Category::Buffer]))
        .with(MemoryPart::WorkingSet, of(&[Category::Temporary, Category::OptimizerTemporary]))
        .with(MemoryPart::Logits, of(&[Category::Logits]))
        .with(MemoryPart::Models, of(&[Category::OtherModel]));
    let moment = match moment.phase {
        Phase::Forward | Phase::Loss => PeakMoment::Loss,
        Phase::Backward => PeakMoment::Backward,
        Phase::Rest | Phase::Optimizer => PeakMoment::Optimizer,
    };
    let allocated = Bytes::new(allocated as f64);
    let alive = Alive {
        allocated,
        compute: allocated,
        pools: Bytes::ZERO,
        base: base(setup, &stage.params),
        outgrown: Bytes::ZERO,
    };
    Some(report(setup, parts, moment, &alive, (Cache::new(setup), Bytes::new(reserved as f64))))
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
