//! FLOPs of a decoder-only transformer (docs/book/model/parameters.md). A multiply-add counts as
//! two.

pub mod backward;
pub mod layer;
pub mod recurrent;
pub mod tower;

use super::adapters;
use super::setup::Setup;
use super::teacher;
use super::transformer::pattern::{LayerKind, Mixer, Mlp, Pattern};
use super::transformer::{Architecture, ExtraParams};
use crate::units::Flops;
pub use backward::{Backward, Recomputed, recomputed, recomputed_per_token};
use layer::{BACKWARD_OVER_FORWARD, MULTIPLY_ADD};
pub use layer::{
    counted_keys, executed_keys, forward_per_token, head, layer_attention, layer_matmul, layer_matmul_params,
    layer_mixing, mean_executed_attention, mean_keys, model_per_token, unfused_keys,
};

/// Returns the model FLOPs per token of one step of a setup. Weight gradients count only for
/// trained weights, input gradients only for layers that gradients pass, and adapters count both.
/// Equals [`model_per_token`] if everything is trained.
///
/// ```
/// # use links::decode;
/// # use engine::model::flops::{model_per_token, model_flops_per_token};
/// // LoRA spares the gradients of the base's weights, a third of all but attention.
/// let of = |link: &str| model_flops_per_token(&decode(link).scenario.setup()).get();
/// let (all, lora) = (of("model=llama-2-7b"), of("model=llama-2-7b&train=lora&rank=16"));
/// assert!((0.66..0.73).contains(&(lora / all)), "{}", lora / all);
/// ```
pub fn model_flops_per_token(setup: &Setup) -> Flops {
    let (arch, share) = (&setup.architecture, Backward::new(setup));
    let mixing = layer_mixing(arch, counted_keys(arch, setup.attended(), setup.mfu_convention));
    let of_layer = (1.0 + share.passed + share.trained) * layer_matmul(arch)
        + (1.0 + BACKWARD_OVER_FORWARD * share.passed) * mixing;
    let adapters = (1.0 + BACKWARD_OVER_FORWARD) * MULTIPLY_ADD * adapters::per_token(setup);
    let further = if setup.trained.is_all() { further_tokens(setup) } else { Flops::ZERO };
    f64::from(arch.num_hidden_layers) * of_layer
        + head_flops_per_token(setup)
        + further
        + Flops::new(adapters)
        + tower::per_token(setup)
}

/// Returns the FLOPs per token of one step in the modules that predict further tokens: each has the
/// projection of hidden state and embedding, attention, experts or an MLP, and the output head.
pub fn further_tokens(setup: &Setup) -> Flops {
    if setup.mtp == 0 {
        return Flops::ZERO;
    }
    let arch = &setup.architecture;
    let keys = counted_keys(arch, setup.attended(), setup.mfu_convention);
    // A model of one layer, like that of the module.
    let mlp = if arch.has_experts() { Mlp::Experts } else { Mlp::Dense };
    let kind = LayerKind { mixer: Mixer::Attention, mlp };
    let module =
        Architecture { num_hidden_layers: 1, pattern: Pattern::NONE.then(kind), extra: ExtraParams::NONE, ..*arch };
    let hidden = f64::from(arch.hidden_size);
    let projection = Flops::new(MULTIPLY_ADD * 2.0 * hidden * hidden);
    let forward = layer_matmul(&module) + layer_mixing(&module, keys) + projection + head(arch);
    (1.0 + BACKWARD_OVER_FORWARD) * f64::from(setup.mtp) * forward
}

/// Returns the FLOPs per token of the output head in all passes, with weight gradients if the head
/// is trained; zero for a scalar head.
pub fn head_flops_per_token(setup: &Setup) -> Flops {
    if setup.objective.has_scalar_head() {
        return Flops::ZERO;
    }
    (1.0 + 1.0 + Backward::new(setup).head) * head(&setup.architecture)
}

/// Returns the FLOPs per token that a step executes beyond [`model_flops_per_token`], with
/// attention over `keys`: recomputation, and forward passes without gradients.
pub fn beside_model_per_token(setup: &Setup, keys: f64) -> Flops {
    let again = recomputed_per_token(setup, keys) + tower::again_per_token(setup);
    if let Some(teacher) = teacher::on_training_gpus(setup) {
        return again + forward_per_token(&teacher.architecture, keys);
    }
    let passes = setup.objective.passes();
    if passes == 0 {
        return again;
    }
    again + f64::from(passes) * (forward_per_token(&setup.architecture, keys) + tower::forward_per_token(setup))
}
