//! Modules that Megatron-LM recomputes individually, by its names.

use crate::settings::context::ExportContext;
use crate::settings::notes;
use engine::model::training::{ComputeFormat, RecomputeModules};

/// Returns the names for `--recompute-modules`.
pub(super) fn names(context: &ExportContext) -> Vec<&'static str> {
    let modules = accepted(context);
    let all = [
        (modules.core_attn, "core_attn"),
        (modules.mlp, "mlp"),
        (modules.moe, "moe"),
        (modules.moe_act, "moe_act"),
        (modules.layernorm, "layernorm"),
        (modules.mla_up_proj, "mla_up_proj"),
        (modules.shared_experts, "shared_experts"),
    ];
    all.into_iter().filter_map(|(asked, name)| asked.then_some(name)).collect()
}

/// Adds notes about modules that Megatron-LM refuses to recompute here.
pub(super) fn add_notes(context: &mut ExportContext) {
    let (asked, accepted) = (context.setup.modules(), accepted(context));
    let grouped = context.setup.experts.grouped;
    context.note_if(asked.moe_act && !grouped, notes::MEGATRON_MODULE_GROUPED);
    let casts = (asked.moe_act && grouped && !accepted.moe_act) || (asked.layernorm && !accepted.layernorm);
    context.note_if(casts, notes::MEGATRON_MODULE_DELAYED);
}

/// Returns the scenario's recomputed modules without those that Megatron-LM refuses: the experts'
/// activation outside grouped products, and modules that would be recomputed in 8 bits under
/// delayed scaling.
fn accepted(context: &ExportContext) -> RecomputeModules {
    let (setup, asked) = (&context.setup, context.setup.modules());
    let fp8 = matches!(setup.compute_format, ComputeFormat::Fp8 | ComputeFormat::Fp8Gather);
    let delayed = fp8 && setup.offload.optimizer;
    RecomputeModules {
        moe_act: asked.moe_act && setup.experts.grouped && !delayed,
        layernorm: asked.layernorm && !delayed,
        ..asked
    }
}
