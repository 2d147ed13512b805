//! A layer of experts, alone and as part of a step.

use catalog::expert_layers::headline;
use engine::model::choices::Choices;
use engine::model::collectives::AllToAll;
use engine::model::compute::unit_times;
use engine::model::experts::ExpertParallel;
use engine::model::experts::exchange::dispatch_time;
use engine::model::experts::layer::MoeLayer;
use engine::model::experts::layer::choice::CHUNKS;
use engine::model::experts::layer::{Choice, best, experts, layer_time, one_way};
use engine::model::layer::Layers;
use engine::model::parallel::Mesh;
use engine::model::setup::Setup;
use engine::model::training::PrecisionPolicy;
use engine::model::transformer::Experts;
use engine::scenario::{Model, Scenario};
use engine::units::{BytesPerSecond, FlopsPerSecond, Seconds};

/// Tutel's headline layer as a scenario: a model of one layer on the paper's cluster, in fp32
/// with TF32 products.
fn spelled_out(gpus: u32) -> Scenario {
    let mut scenario = catalog::default_scenario();
    scenario.model = Model::Custom {
        architecture: engine::model::transformer::Architecture {
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
        let (ours, published) = (best(&MoeLayer::from_setup(&spelled_out(gpus).setup())), best(&headline(gpus)));
        let ratio = ours.time.total() / published.time.total();
        assert!((ratio - 1.0).abs() < 0.02, "{gpus} GPUs: {ratio}");
        assert_eq!(ours.choice, published.choice);
    }
}

/// Of one layer's two accounts, the layer's own over the step's: a dispatch, and the experts'
/// products forward.
fn ratios(scenario: &Scenario) -> (f64, f64) {
    let setup = scenario.setup();
    let layer = MoeLayer::from_setup(&setup);
    let choice = Choice { algorithm: setup.experts.algorithm, ..Choice::PLAIN };
    let products = unit_times(&setup, &Layers::mixture(1.0)).experts_forward;
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
            // The layer's exchange has its launch on top, the step's products the sorting of
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
        let layer = MoeLayer::from_setup(&setup);
        for r in [0, 1, 4] {
            for chunks in CHUNKS {
                let choice = Choice { r, chunks, algorithm: AllToAll::TwoDimensional };
                assert!(layer_time(&layer, choice).total().get().is_finite());
            }
        }
    }
}
