//! The modules that are recomputed under recomputation by module.

use super::{Group, Param, switched, with_experts};
use crate::model::training::Recompute;
use crate::scenario::Scenario;

fn by_module(scenario: &Scenario) -> bool {
    scenario.recompute == Recompute::Modules
}

fn of_experts(scenario: &Scenario) -> bool {
    by_module(scenario) && with_experts(scenario)
}

/// For rows about modules inside the experts, if the experts are not recomputed as a whole.
fn inside_experts(scenario: &Scenario) -> bool {
    of_experts(scenario) && !scenario.recompute_modules.moe
}

fn of_shared_experts(scenario: &Scenario) -> bool {
    inside_experts(scenario) && scenario.model.architecture().experts.shared_intermediate_size > 0
}

fn of_latent_attention(scenario: &Scenario) -> bool {
    by_module(scenario) && scenario.model.architecture().latent.is_used()
}

switched!(
    /// Attention's core.
    CORE_ATTN, Training, recompute_modules.core_attn, "rcattn", "Recompute attention core", "recompute_core_attn",
    [when(by_module), relevant(by_module)],
    "Whether scores and softmax are recomputed (core_attn): nothing where attention is fused."
);
switched!(
    /// Dense MLPs.
    MLP, Training, recompute_modules.mlp, "rcmlp", "Recompute dense MLPs", "recompute_mlp",
    [when(by_module), relevant(by_module)],
    "Whether the MLPs of dense layers run again (mlp): their hidden tensors are most of what a dense layer keeps."
);
switched!(
    /// Experts as a whole.
    MOE, Training, recompute_modules.moe, "rcmoe", "Recompute experts", "recompute_moe",
    [when(of_experts), relevant(by_module)],
    "Whether router, exchanges, routed and shared experts run again as a whole (moe): most memory, and most time."
);
switched!(
    /// The activation of routed experts.
    MOE_ACT, Training, recompute_modules.moe_act, "rcmoeact", "Recompute experts' activation", "recompute_moe_act",
    [when(inside_experts), relevant(by_module)],
    "Whether the output of the routed experts' activation is computed again (moe_act): cheap."
);
switched!(
    /// Norms.
    LAYERNORM, Training, recompute_modules.layernorm, "rcnorm", "Recompute norms", "recompute_layernorm",
    [when(by_module), relevant(by_module)],
    "Whether the outputs of norms are computed again (layernorm): cheap. Megatron-Core fuses norms with the products after them, but \
     for those before latent attention and experts."
);
switched!(
    /// Latent attention's up-projections.
    MLA_UP_PROJ, Training, recompute_modules.mla_up_proj, "rcmla", "Recompute up-projections", "recompute_mla_up_proj",
    [when(of_latent_attention), relevant(by_module)],
    "Whether latent attention's queries, keys and values are computed again from their ranks (mla_up_proj)."
);
switched!(
    /// Shared experts.
    SHARED_EXPERTS, Training, recompute_modules.shared_experts, "rcshared", "Recompute shared experts",
    "recompute_shared_experts", [when(of_shared_experts), relevant(by_module)],
    "Whether the shared experts run again (shared_experts)."
);
