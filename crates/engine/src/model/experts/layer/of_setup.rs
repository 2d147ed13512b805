//! The expert layer of a setup as a single layer.

use super::{Layout, MoeLayer, SLOWDOWN_PER_KERNEL};
use crate::model::compute::{REFERENCE_WIDTH, TILE_PADDING, matmul_rate, memory_rate};
use crate::model::experts::local_tokens;
use crate::model::experts::routing::Encode;
use crate::model::memory::states::recipe_bytes;
use crate::model::setup::Setup;

impl MoeLayer {
    /// Returns one layer of a setup's experts as Tutel would run it, over all GPUs of a stage:
    /// `replicas cp tp` GPUs with `T/tp` tokens each. The setup's own degrees, chunks and algorithm
    /// are one of the choices for the layer and not part of it. Load imbalance is not counted; the
    /// host time is that of one pass's launches.
    ///
    /// ```
    /// # use engine::{catalog, model::experts::layer::MoeLayer, scenario::Scenario};
    /// // Mixtral 8x7B: each token to two of eight experts of three matrices of 4,096 by 14,336 (arXiv 2401.04088, table 1).
    /// let model = catalog::model("mixtral-8x7b").unwrap().pick();
    /// let scenario = Scenario { model, gpus: 64, tp: 2, pp: 4, ..catalog::default_scenario() };
    /// let layer = MoeLayer::of(&scenario.setup());
    /// assert_eq!((layer.gpus, layer.experts, layer.tokens), (16, 8, 2048.0));
    /// assert_eq!(layer.expert_weights().get(), 2.0 * 3.0 * 4096.0 * 14_336.0);
    /// ```
    pub fn of(setup: &Setup) -> Self {
        let (arch, mesh) = (&setup.architecture, &setup.mesh);
        let gpus = mesh.replicas().saturating_mul(mesh.cp).saturating_mul(mesh.tp).max(1);
        let mut layer = Self {
            tokens: local_tokens(setup),
            top_k: f64::from(arch.experts.top_k()),
            capacity_factor: setup.experts.capacity_factor,
            experts: arch.experts.num_experts.max(1),
            hidden_size: f64::from(arch.expert_hidden_size()),
            intermediate_size: f64::from(arch.experts.moe_intermediate_size),
            gated: arch.gated_mlp,
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
    let last_wave = output * (layer.hidden_size + layer.intermediate_size) / weights;
    if setup.experts.grouped { TILE_PADDING + last_wave / layer.local_experts() } else { last_wave }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::{self, expert_layers::headline};
    use crate::model::choices::Choices;
    use crate::model::collectives::AllToAll;
    use crate::model::compute::unit_times;
    use crate::model::experts::exchange::dispatch_time;
    use crate::model::experts::layer::{Choice, best, experts, layer_time, one_way};
    use crate::model::experts::{ExpertParallel, choice};
    use crate::model::parallel::Mesh;
    use crate::model::training::PrecisionPolicy;
    use crate::model::transformer::{Experts, LayerShares};
    use crate::scenario::{Model, Scenario};
    use crate::units::{BytesPerSecond, FlopsPerSecond, Seconds};

    /// Returns Tutel's headline layer as a scenario: a model of one layer on the paper's cluster,
    /// in fp32 with TF32 products.
    fn spelled_out(gpus: u32) -> Scenario {
        let mut scenario = catalog::default_scenario();
        scenario.model = Model::Custom {
            architecture: crate::model::transformer::Architecture {
                num_hidden_layers: 1,
                hidden_size: 2048,
                intermediate_size: 2048,
                gated_mlp: false,
                experts: Experts {
                    num_experts: 2 * gpus,
                    num_experts_per_tok: 2,
                    moe_intermediate_size: 2048,
                    ..Experts::NONE
                },
                ..scenario.model.architecture()
            },
        };
        scenario.accelerator = catalog::accelerator("a100-80gb").unwrap().pick();
        scenario.network = catalog::cluster("azure-ndm-a100-v4").unwrap().network().unwrap();
        scenario.network.values.inter_node_efficiency = 0.93;
        scenario.network.values.node_decay = 0.0088;
        let gpu = &mut scenario.accelerator.values;
        gpu.peak_32bit = FlopsPerSecond::from_tflops(156.0);
        gpu.memory_bandwidth = BytesPerSecond::from_gb_per_s(2039.0);
        gpu.efficiency.matmul = 0.5;
        gpu.efficiency.memory = 0.75;
        gpu.efficiency.half_saturation_tokens = 8.0;
        gpu.efficiency.launch_per_layer = Seconds::from_us(250.0);
        scenario.recipe = PrecisionPolicy::Fp32;
        scenario.experts = ExpertParallel { grouped: false, ..ExpertParallel::USUAL };
        Scenario { gpus, ep: gpus, seq_len: 16_384, ..scenario }
    }

    #[test]
    fn a_scenario_that_spells_out_tutels_headline_takes_its_time() {
        for gpus in [16, 128, 2048] {
            let (ours, published) = (best(&MoeLayer::of(&spelled_out(gpus).setup())), best(&headline(gpus)));
            let ratio = ours.time.total() / published.time.total();
            assert!((ratio - 1.0).abs() < 0.02, "{gpus} GPUs: {ratio}");
            assert_eq!(ours.choice, published.choice);
        }
    }

    /// Returns the single layer's times over those of the step model: a dispatch, and the experts'
    /// products forward.
    fn ratios(scenario: &Scenario) -> (f64, f64) {
        let setup = scenario.setup();
        let layer = MoeLayer::of(&setup);
        let choice = Choice { algorithm: setup.experts.algorithm, ..Choice::PLAIN };
        let products = unit_times(&setup, &LayerShares::mixture(1.0)).experts_forward;
        (one_way(&layer, choice) / dispatch_time(&setup), experts(&layer, choice) / products)
    }

    #[test]
    fn the_layer_and_the_step_agree_on_what_both_time() {
        let v3 = Scenario {
            model: catalog::model("deepseek-v3").unwrap().pick(),
            accelerator: catalog::accelerator("h800").unwrap().pick(),
            network: catalog::cluster("h800-400g").unwrap().network().unwrap(),
            gpus: 64,
            ep: 64,
            ..catalog::default_scenario()
        };
        for algorithm in [AllToAll::Linear, AllToAll::TwoDimensional] {
            for scenario in [spelled_out(64), v3] {
                let experts = ExpertParallel { algorithm, ..scenario.experts };
                let (exchange, products) =
                    ratios(&Scenario { choices: Choices { experts, ..scenario.choices }, ..scenario });
                // The single layer's exchange includes a launch, the step's products the sorting of
                // tokens.
                assert!((exchange - 1.0).abs() < 0.02, "{algorithm:?}: {exchange}");
                assert!((products - 1.0).abs() < 0.15, "{algorithm:?}: {products}");
            }
        }
    }

    #[test]
    fn no_shape_makes_a_time_that_is_no_number() {
        let start = spelled_out(16).setup();
        let mut nothing = start;
        nothing.architecture.experts.moe_intermediate_size = 0;
        nothing.architecture.experts.num_experts = 0;
        let alone = Setup { mesh: Mesh::data_parallel(1, 1), ..start };
        for setup in [nothing, alone] {
            let layer = MoeLayer::of(&setup);
            for r in [0, 1, 4] {
                for chunks in choice::CHUNKS {
                    let choice = Choice { r, chunks, algorithm: AllToAll::TwoDimensional };
                    assert!(layer_time(&layer, choice).total().get().is_finite());
                }
            }
        }
    }
}
