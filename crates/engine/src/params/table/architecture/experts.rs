//! The shape of a mixture of experts.

use super::super::{AxisUse, with_experts};
use super::{
    Choice, Group, Kind, NO_YES, NO_YES_OPTIONS, Number, Param, Scale, Unit, custom, is_custom, position, whole,
};
use crate::model::transformer::Architecture;
use crate::scenario::{Model, Scenario};

/// Returns the shape that a row may change; a mixture of experts of the catalog becomes a custom
/// model.
fn mixture(scenario: &mut Scenario) -> Option<&mut Architecture> {
    if let Model::Preset { architecture, .. } | Model::Scaled { architecture, .. } = scenario.model
        && architecture.has_experts()
    {
        scenario.model = Model::Custom { architecture };
    }
    custom(scenario)
}

/// For rows that only apply to models with experts.
fn has_routed_experts(scenario: &Scenario) -> bool {
    scenario.model.architecture().experts.num_experts > 0
}

count!(
    /// Routed experts.
    EXPERTS, experts.num_experts, mixture, "experts", "Experts", 0.0..=10_000.0, [window(2.0, 512.0), axis(AxisUse::Where(with_experts))],
    "Routed experts of one layer (num_experts, num_local_experts or n_routed_experts in config.json); 0 in a dense model."
);
count!(
    /// Experts of a token.
    TOP_K, experts.num_experts_per_tok, mixture, "topk", "Experts per token", 1.0..=256.0, [window(1.0, 16.0), axis(AxisUse::Where(with_experts)), relevant(has_routed_experts)],
    "Routed experts that each token is sent to (num_experts_per_tok in config.json)."
);
count!(
    /// Width of an expert.
    EXPERT_WIDTH, experts.moe_intermediate_size, "effn", "Expert width", 0.0..=2_000_000.0, [relevant(has_routed_experts)],
    "Width of one expert's MLP (moe_intermediate_size in config.json)."
);
count!(
    /// Width of the shared experts.
    SHARED_WIDTH, experts.shared_intermediate_size, "sharedffn", "Shared expert width", 0.0..=2_000_000.0, [relevant(has_routed_experts)],
    "Width of the MLP of all shared experts together, which every token passes (n_shared_experts times \
     moe_intermediate_size); 0 where there is none."
);
named!(
    /// The shared experts' gate.
    SHARED_GATE, experts.shared_expert_gate, "sharedgate", "Shared expert gate", NO_YES, NO_YES_OPTIONS, [relevant(has_routed_experts)],
    "Whether a gate scales the shared experts (shared_expert_gate, Qwen 2)."
);
count!(
    /// Leading dense layers.
    FIRST_DENSE, experts.first_k_dense_replace, "firstdense", "Dense layers first", 0.0..=2000.0, [relevant(has_routed_experts)],
    "Dense layers before the first layer with experts (first_k_dense_replace in config.json)."
);
count!(
    /// Distance between expert layers.
    MOE_STEP, experts.moe_layer_step, "moestep", "Layers with experts, one in", 1.0..=2048.0, [relevant(has_routed_experts)],
    "Of how many layers one has experts after those: 1 for all, 2 for every second (interleave_moe_layer_step in config.json)."
);
named!(
    /// Biases of the router.
    ROUTER_BIAS, experts.router_bias, "routerbias", "Router bias", NO_YES, NO_YES_OPTIONS, [relevant(has_routed_experts)],
    "Whether the router has a bias or a correction for each expert (e_score_correction_bias, DeepSeek V3)."
);
named!(
    /// Biases of the experts.
    EXPERT_BIAS, experts.expert_bias, "expertbias", "Expert bias", NO_YES, NO_YES_OPTIONS, [relevant(has_routed_experts)],
    "Whether the experts' matrices carry biases (gpt-oss)."
);
count!(
    /// Groups of experts.
    N_GROUP, experts.n_group, "ngroup", "Expert groups", 0.0..=1000.0, [relevant(has_routed_experts)],
    "Groups of experts of which a token uses a few (n_group in config.json); 0 for none."
);
count!(
    /// Groups of a token.
    TOPK_GROUP, experts.topk_group, "topkgroup", "Expert groups per token", 0.0..=1000.0, [relevant(has_routed_experts)],
    "Groups of experts that a token is sent to at most (topk_group in config.json)."
);
count!(
    /// Latent width of the experts.
    LATENT_SIZE, experts.latent_size, "expertlatent", "Latent width of experts", 0.0..=200_000.0, [relevant(has_routed_experts)],
    "Width at which routed experts read and write tokens (moe_latent_size in config.json, Nemotron 3); 0 for the hidden size."
);
