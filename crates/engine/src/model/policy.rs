//! Recomputation: what a layer keeps from its forward to its backward pass, and what the backward
//! pass computes again.
//!
//! [`Setup::policy`] alone reads the mode. Single modules are Megatron-Core's `recompute_modules`
//! (`transformer_config.py`, `transformer_layer.py`, `multi_latent_attention.py` and `moe/` of
//! 0.19).

use super::layer::{self, Block, Layers, Role, Split};
use super::setup::Setup;
use super::software::AttentionKernel;
use super::training::{Recompute, RecomputeModules};

/// The activations that a layer keeps and recomputes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Policy {
    /// This share of whole layers keeps everything, the others their input.
    Layers(f64),
    /// Attention's scores are recomputed.
    Scores,
    /// These modules are recomputed.
    Modules(RecomputeModules),
    /// The outputs of attention and of every second product are kept (torchtitan, per operator).
    EverySecond,
    /// The outputs of all products but the last are kept (`MaxText`'s `minimal`).
    Products,
}

impl Policy {
    /// Whether the backward pass repeats a product as part of a module.
    pub const fn repeats(&self, block: Block, role: Role) -> bool {
        let Self::Modules(modules) = self else { return false };
        match block {
            Block::Attention => {
                modules.mla_up_proj && matches!(role, Role::Query | Role::QueryFromRank | Role::KeyValueFromRank)
            }
            Block::State => false,
            Block::Mlp => modules.mlp,
            Block::Shared => {
                modules.moe || modules.shared_experts && matches!(role, Role::Gate | Role::Up | Role::Down)
            }
            Block::Routed => modules.moe,
        }
    }

    /// Returns the modules that are recomputed individually.
    pub const fn modules(&self) -> RecomputeModules {
        if let Self::Modules(modules) = self { *modules } else { RecomputeModules::NONE }
    }

    /// Returns the share of whole layers whose activations are kept; the forward pass of the others
    /// is recomputed, including its communication.
    pub const fn kept_layers(&self) -> f64 {
        if let Self::Layers(kept) = self { *kept } else { 1.0 }
    }
}

impl Setup {
    /// Returns the policy of the setup's mode of recomputation.
    pub fn policy(&self) -> Policy {
        match self.recompute {
            Recompute::None => Policy::Layers(1.0),
            Recompute::Full => Policy::Layers(0.0),
            Recompute::Fraction => Policy::Layers(self.keep_fraction),
            Recompute::AttentionCore => Policy::Scores,
            Recompute::Modules => Policy::Modules(self.existing_modules()),
            Recompute::Selective if self.traits().selective_keeps_products => Policy::Products,
            Recompute::Selective => Policy::EverySecond,
        }
    }

    /// Returns the modules to recompute without those that the model lacks or that are part of
    /// another one.
    fn existing_modules(&self) -> RecomputeModules {
        let (arch, wanted) = (&self.architecture, self.recompute_modules);
        let experts = arch.has_experts();
        let moe = wanted.moe && experts;
        RecomputeModules {
            mlp: wanted.mlp && arch.moe_layers() < arch.num_hidden_layers,
            moe,
            moe_act: wanted.moe_act && experts && !moe,
            mla_up_proj: wanted.mla_up_proj && arch.core().has_ranks(),
            shared_experts: wanted.shared_experts && arch.experts.shared_intermediate_size > 0 && experts && !moe,
            ..wanted
        }
    }

    /// Returns the share of whole layers whose activations are kept, 0 to 1.
    pub fn kept_layers(&self) -> f64 {
        self.policy().kept_layers()
    }

    /// Returns the modules that are recomputed individually: none under another mode.
    pub fn modules(&self) -> RecomputeModules {
        self.policy().modules()
    }

    /// Whether the backward pass repeats single products.
    pub const fn repeats_products(&self, policy: &Policy) -> bool {
        matches!(policy, Policy::Modules(_)) || self.choices.kernels.tiled_mlp
    }

    /// Whether the backward pass repeats a product as part of a module, or tile by tile.
    pub fn repeats(&self, policy: &Policy, block: Block, role: Role) -> bool {
        policy.repeats(block, role) || self.is_tiled(block)
    }

    /// Whether a block runs over tiles of the sequence, which the backward pass repeats: dense MLPs
    /// and, unless tokens go to other GPUs, the whole block of experts, as Axolotl and Unsloth tile
    /// it (axolotl/monkeypatch/tiled_mlp/patch.py, `unsloth_zoo/tiled_mlp.py`).
    pub fn is_tiled(&self, block: Block) -> bool {
        self.kernels.tiled_mlp
            && match block {
                Block::Mlp => true,
                Block::Shared | Block::Routed => self.mesh.ep <= 1,
                _ => false,
            }
    }

    /// Returns 1 if attention writes its scores to memory, which recomputation then drops and
    /// computes again; otherwise 0.
    pub fn writes_scores(&self) -> f64 {
        f64::from(u8::from(self.kernels.attention == AttentionKernel::Unfused))
    }

    /// Returns the norms of a block whose outputs are recomputed as a module. Transformer Engine
    /// fuses a norm with the product after it: there `layernorm` only covers norms before latent
    /// attention and before experts, and `mlp` also recomputes its norm. In other frameworks every
    /// norm is a module.
    pub fn recomputed_norms(&self, modules: RecomputeModules, block: Block) -> f64 {
        let fused = self.traits().fused_norms;
        let again = match block {
            Block::Attention => modules.layernorm && (!fused || self.architecture.core().has_ranks()),
            Block::Mlp if fused => modules.mlp,
            Block::Mlp | Block::Shared => modules.layernorm,
            Block::State | Block::Routed => false,
        };
        if again { self.architecture.norms_per_block() } else { 0.0 }
    }
}

/// Returns the collectives of tensor parallelism in one layer and pass, one after each block with a
/// product whose rows are split, and those that the backward pass repeats: of modules that are
/// recomputed as a whole. Routed experts have exchanges of their own.
pub fn split_blocks(setup: &Setup, layers: &Layers, policy: &Policy) -> [f64; 2] {
    let mut pairs = [0.0; 2];
    for block in Block::ALL.into_iter().filter(|&block| block != Block::Routed && layers.blocks(block) > 0.0) {
        let products = layer::products(&setup.architecture, block, 1.0);
        if products.iter().any(|product| product.split == Split::Rows) {
            let [all, again] = &mut pairs;
            *all += layers.blocks(block);
            *again += if policy.repeats(block, Role::Down) { layers.blocks(block) } else { 0.0 };
        }
    }
    pairs
}
