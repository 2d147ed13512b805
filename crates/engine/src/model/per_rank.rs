//! What one GPU holds and computes of the model: the split of weights and tokens by tensor, context and pipeline parallelism.

use super::setup::Setup;
use super::transformer::Architecture;

/// The parameters of one GPU before data parallelism shards them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LocalParams {
    /// Layers on the GPU.
    pub layers: f64,
    /// One layer without its routed experts, the mean over them.
    pub layer: f64,
    /// Of that, the matrices.
    pub layer_matrices: f64,
    /// Routed experts of one layer, the mean over layers with experts and without: all of them matrices.
    pub expert: f64,
    /// Routed experts of one layer that has some.
    pub expert_unit: f64,
    /// What is outside the layers: the embedding, the head, the norms beside them. FSDP's root unit.
    pub root: f64,
    /// Of the root unit, the head.
    pub head: f64,
}

impl LocalParams {
    /// Parameters of all units.
    pub fn all(&self) -> f64 {
        self.dense() + self.layers * self.expert
    }

    /// All but the routed experts: what the shard group of the dense parts shares.
    pub fn dense(&self) -> f64 {
        self.layers * self.layer + self.root
    }

    /// All routed experts on the GPU.
    pub fn experts(&self) -> f64 {
        self.layers * self.expert
    }
}

/// The parameters on each GPU of a stage of so many layers, `moe_layers` of them with experts, perhaps with embedding and head:
/// matrices divided by tp, routed experts by ep and etp, norms and routers whole. A tied head on another stage than the embedding is a copy of it.
///
/// ```
/// # use engine::{catalog, model::stages::stages};
/// let setup = catalog::default_scenario().setup();
/// // On one stage without tensor parallelism: the model.
/// assert_eq!(stages(&setup).first.params.all(), setup.architecture.params() as f64);
/// ```
pub fn params(setup: &Setup, layers: u32, moe_layers: f64, embedding: bool, head: bool) -> LocalParams {
    let arch = &setup.architecture;
    let tp = f64::from(setup.mesh.tp.max(1));
    let norms = arch.norm_params_per_layer() as f64;
    // Key and value heads that tp does not divide are on several GPUs.
    let repeated = key_value_width(arch, tp) - arch.key_value_width() / tp;
    let mut matrices = (arch.dense_layer_params() as f64 - norms) / tp + 2.0 * f64::from(arch.hidden_size) * repeated;
    // The projections to latent ranks are on every GPU.
    matrices += (1.0 - 1.0 / tp) * latent_down(arch);
    let (mut expert, mut expert_unit) = (0.0, 0.0);
    if moe_layers > 0.0 && layers > 0 {
        let share = moe_layers / f64::from(layers);
        let router = f64::from(arch.hidden_size) * f64::from(arch.experts.num_experts);
        let moe = (arch.router_and_shared_params_per_layer() as f64 - router) / tp + router;
        matrices += share * (moe - arch.mlp_params_per_layer() as f64 / tp);
        expert_unit = arch.routed_params_per_layer() as f64 / f64::from(setup.mesh.expert_group());
        expert = share * expert_unit;
    }
    let table = arch.embedding_params() as f64 / tp;
    let outer_norms = arch.outer_norm_params() as f64;
    let final_norm = arch.norm_params() as f64;
    let own_head = !(arch.tie_word_embeddings && embedding);
    let before = if embedding { table + arch.position_params() as f64 + (outer_norms - final_norm) } else { 0.0 };
    let head_biases = arch.head_bias_params() as f64 / tp;
    let after = if head { final_norm + head_biases + if own_head { table } else { 0.0 } } else { 0.0 };
    LocalParams {
        layers: f64::from(layers),
        layer: matrices + norms,
        layer_matrices: matrices,
        expert,
        expert_unit,
        root: before + after,
        head: if head { table } else { 0.0 },
    }
}

/// Tokens that one GPU processes in one micro-batch, T = `micro_batch_size seq_len / cp`.
pub fn tokens(setup: &Setup) -> f64 {
    f64::from(setup.batch.micro_batch_size) * f64::from(setup.batch.seq_len) / f64::from(setup.mesh.cp.max(1))
}

/// The part of norms and residuals on one GPU: 1/tp with sequence parallelism, all of them without.
pub fn sequence_share(setup: &Setup) -> f64 {
    if setup.tensor.sequence_parallel { 1.0 / f64::from(setup.mesh.tp.max(1)) } else { 1.0 }
}

/// Weights of the projections from the residual stream to latent ranks: `H (r_q + r_kv + d_rope)`; none without latent attention.
pub fn latent_down(arch: &Architecture) -> f64 {
    let latent = arch.latent;
    let ranks = f64::from(latent.q_lora_rank) + f64::from(latent.kv_lora_rank) + f64::from(latent.qk_rope_head_dim);
    if latent.is_used() { f64::from(arch.hidden_size) * ranks } else { 0.0 }
}

/// Width of keys (and of values) on one GPU: whole heads, one at least.
pub fn key_value_width(arch: &Architecture, tp: f64) -> f64 {
    let width = arch.key_value_width() / tp;
    let head = 0.5 * (arch.query_head_width() + arch.value_head_width());
    if width > head { width } else { head }
}
