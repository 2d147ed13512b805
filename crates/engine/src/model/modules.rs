//! The modules of a layer that are recomputed alone (Megatron-Core's `recompute_modules`), as far
//! as a model has them.
//!
//! Source: Megatron-Core, `transformer_config.py`, `transformer_layer.py`,
//! `multi_latent_attention.py` and `moe/` of 0.19.

use super::setup::Setup;
use super::training::{Recompute, RecomputeModules};

/// Share of a layer's norms that stand before (or around) attention; the others stand before (or
/// around) the MLP.
const NORMS_OF_ATTENTION: f64 = 0.5;

/// Norms of a layer whose outputs are computed again, by number.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NormsAgain {
    /// Those of attention.
    pub attention: f64,
    /// Those of a dense MLP.
    pub mlp: f64,
    /// Those of experts.
    pub experts: f64,
}

impl Setup {
    /// The modules that are recomputed alone: none under another mode, nor of what the model lacks,
    /// nor inside another one.
    pub fn modules(&self) -> RecomputeModules {
        if self.recompute != Recompute::Modules {
            return RecomputeModules::NONE;
        }
        let (arch, wanted) = (&self.architecture, self.recompute_modules);
        let experts = arch.has_experts();
        let moe = wanted.moe && experts;
        RecomputeModules {
            mlp: wanted.mlp && arch.moe_layers() < arch.num_hidden_layers,
            moe,
            moe_act: wanted.moe_act && experts && !moe,
            mla_up_proj: wanted.mla_up_proj && arch.latent.is_used(),
            shared_experts: wanted.shared_experts && arch.experts.shared_intermediate_size > 0 && experts && !moe,
            ..wanted
        }
    }

    /// The norms whose outputs are computed again. Transformer Engine fuses a norm with the product
    /// after it: there `layernorm` finds those before latent attention and before experts alone,
    /// and `mlp` runs its norm again too. Elsewhere every norm is a module.
    pub fn norms_again(&self) -> NormsAgain {
        let modules = self.modules();
        let norms = f64::from(self.architecture.norms_per_layer);
        let (of_attention, of_mlp) = (NORMS_OF_ATTENTION * norms, (1.0 - NORMS_OF_ATTENTION) * norms);
        let fused = self.traits().fused_norms;
        let count = |number: f64, again: bool| if again { number } else { 0.0 };
        NormsAgain {
            attention: count(of_attention, modules.layernorm && (!fused || self.architecture.latent.is_used())),
            mlp: count(of_mlp, if fused { modules.mlp } else { modules.layernorm }),
            experts: count(of_mlp, modules.layernorm),
        }
    }
}
