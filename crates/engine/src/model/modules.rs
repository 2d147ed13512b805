//! The modules of a layer that are recomputed individually (Megatron-Core's `recompute_modules`),
//! as far as a model has them.
//!
//! Source: Megatron-Core, `transformer_config.py`, `transformer_layer.py`,
//! `multi_latent_attention.py` and `moe/` of 0.19.

use super::setup::Setup;
use super::training::{Recompute, RecomputeModules};

/// Share of a layer's norms before (or around) attention; the others are before (or around) the
/// MLP.
const NORMS_OF_ATTENTION: f64 = 0.5;

/// Number of norms of a layer whose outputs are recomputed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NormsAgain {
    /// Norms of attention.
    pub attention: f64,
    /// Norms of a dense MLP.
    pub mlp: f64,
    /// Norms of experts.
    pub experts: f64,
}

impl Setup {
    /// Returns the modules that are recomputed individually: none under another recomputation mode,
    /// and no modules that the model lacks or that are part of another one.
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

    /// Returns the norms whose outputs are recomputed. Transformer Engine fuses a norm with the
    /// product after it: there `layernorm` only covers norms before latent attention and before
    /// experts, and `mlp` also recomputes its norm. In other frameworks every norm is a module.
    pub fn recomputed_norms(&self) -> NormsAgain {
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
