//! The expert layer of a setup as a single layer.

use super::{Layout, MoeLayer, SLOWDOWN_PER_KERNEL};
use crate::model::compute::{REFERENCE_WIDTH, TILE_PADDING, matmul_rate, memory_rate};
use crate::model::experts::routing::Encode;
use crate::model::layer::{Block, products};
use crate::model::routing::local_tokens;
use crate::model::setup::Setup;
use crate::model::states::recipe_bytes;

impl MoeLayer {
    /// Returns one layer of a setup's experts as Tutel would run it, over all GPUs of a stage:
    /// `replicas cp tp` GPUs with `T/tp` tokens each. The setup's own degrees, chunks and algorithm
    /// are one of the choices for the layer and not part of it. Load imbalance is not counted; the
    /// host time is that of one pass's launches.
    ///
    /// ```
    /// # use engine::{model::experts::layer::MoeLayer, scenario::Scenario};
    /// // Mixtral 8x7B: each token to two of eight experts of three matrices of 4,096 by 14,336 (arXiv 2401.04088, table 1).
    /// let model = catalog::model("mixtral-8x7b").unwrap().pick();
    /// let scenario = Scenario { model, gpus: 64, tp: 2, pp: 4, ..catalog::default_scenario() };
    /// let layer = MoeLayer::from_setup(&scenario.setup());
    /// assert_eq!((layer.gpus, layer.experts, layer.tokens), (16, 8, 2048.0));
    /// assert_eq!(layer.expert_weights().get(), 2.0 * 3.0 * 4096.0 * 14_336.0);
    /// ```
    pub fn from_setup(setup: &Setup) -> Self {
        let (arch, mesh) = (&setup.architecture, &setup.mesh);
        let gpus = mesh.replicas().saturating_mul(mesh.cp).saturating_mul(mesh.tp).max(1);
        let mut layer = Self {
            tokens: local_tokens(setup),
            top_k: f64::from(arch.experts.top_k()),
            capacity_factor: setup.experts.capacity_factor,
            experts: arch.experts.num_experts.max(1),
            hidden_size: f64::from(arch.expert_hidden_size()),
            expert: products(arch, Block::Routed, 1.0),
            element: recipe_bytes(setup.recipe).activation,
            gpus,
            network: setup.network,
            matmul_rate: matmul_rate(setup),
            half_saturation_rows: 0.0,
            memory_rate: memory_rate(setup),
            slowdown_per_kernel: SLOWDOWN_PER_KERNEL,
            host: setup.accelerator.efficiency.launch_per_layer * setup.overheads.launch_experts,
            encode: Encode::Sparse,
            layout: Layout::Flexible,
        };
        layer.half_saturation_rows = half_saturation_rows(setup, &layer);
        layer
    }
}

/// Returns the rows of one expert's products at which they reach half of their rate: `A (M + F) /
/// P` of an expert's P weights for the last wave of tiles of its two products, with A the output
/// size at which a product reaches half of its rate. Grouped products share the last wave among a
/// GPU's experts and pad each expert to whole tiles.
fn half_saturation_rows(setup: &Setup, layer: &MoeLayer) -> f64 {
    let weights = layer.expert_weights().get() / layer.element;
    if weights <= 0.0 {
        return 0.0;
    }
    let output = setup.accelerator.efficiency.half_saturation_tokens * REFERENCE_WIDTH;
    let last_wave = output * (layer.hidden_size + layer.width()) / weights;
    if setup.experts.grouped { TILE_PADDING + last_wave / layer.local_experts() } else { last_wave }
}
