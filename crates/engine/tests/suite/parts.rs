//! The parts of a step's compute add up to its units.

use catalog::{MODELS, default_scenario};
use engine::model::choices::Choices;
use engine::model::compute::copies::Copies;
use engine::model::compute::roofline::Operator;
use engine::model::compute::{self, recipe_peak, unit_times};
use engine::model::flops::layer as flops;
use engine::model::per_rank;
use engine::model::software::AttentionKernel;
use engine::model::stages::stages;
use engine::model::step::parts;
use engine::model::sync::GradientSyncPlan;
use engine::model::training::{ComputeFormat, Optimizer as Update, Recompute, RecomputeModules};
use engine::scenario::Scenario;
use engine::units::{BytesPerSecond, Seconds};

fn several() -> Vec<Scenario> {
    let mut all = Vec::new();
    // An encoder has its own units.
    for model in MODELS.iter().filter(|model| !model.architecture.tower.is_used()) {
        let mut scenario = default_scenario();
        catalog::pick::pick_model(&mut scenario, model.id);
        scenario.ep = 8;
        let unfused = engine::model::software::Kernels { attention: AttentionKernel::Unfused, ..scenario.kernels };
        all.push(scenario);
        all.push(Scenario {
            micro_batch_size: 4,
            tp: 2,
            choices: Choices { recompute: Recompute::Full, ..scenario.choices },
            ..scenario
        });
        all.push(Scenario {
            grad_accum_steps: 8,
            choices: Choices { kernels: unfused, recompute: Recompute::Selective, ..scenario.choices },
            ..scenario
        });
        let every = RecomputeModules {
            mlp: true,
            moe_act: true,
            layernorm: true,
            mla_up_proj: true,
            ..RecomputeModules::USUAL
        };
        let modules = Scenario {
            choices: Choices { recompute: Recompute::Modules, recompute_modules: every, ..scenario.choices },
            ..scenario
        };
        all.push(Scenario {
            tp: 2,
            choices: Choices { recompute_modules: RecomputeModules { moe: true, ..every }, ..modules.choices },
            ..modules
        });
        all.push(Scenario {
            choices: Choices {
                recompute_modules: RecomputeModules { shared_experts: true, ..every },
                ..modules.choices
            },
            ..modules
        });
        all.push(Scenario {
            cp: 4,
            seq_len: 32_768,
            choices: Choices { optimizer: Update::Muon, ..scenario.choices },
            ..scenario
        });
    }
    all
}

#[test]
fn kinds_of_work_are_found_where_they_stand() {
    for (place, operator) in Operator::ALL.into_iter().enumerate() {
        assert_eq!(operator as usize, place, "{operator:?}");
    }
}

#[test]
fn the_parts_take_the_time_of_the_units() {
    for scenario in several() {
        let setup = scenario.setup();
        let stage = stages(&setup).first;
        let units = unit_times(&setup, &stage.blocks);
        let layers = f64::from(stage.layers);
        let copies = Copies::<Seconds>::new(&setup, &stage, GradientSyncPlan::new(&setup)).all(&stage);
        let micro_batch =
            layers * (units.layer_forward + units.layer_backward) + units.head + 2.0 * units.embedding + copies;
        let step = f64::from(setup.batch.grad_accum_steps) * micro_batch + compute::optimizer(&setup, &stage);
        let sum: Seconds = parts(&setup).iter().map(|part| part.time).sum();
        // A small product on its own (a router) may be memory-bound, and is not among the other
        // products of its layer.
        assert!((sum / step - 1.0).abs() < 1e-9, "{sum:?} {step:?} {scenario:?}");
    }
}

#[test]
fn stages_share_the_parts_of_the_whole_model() {
    let whole = default_scenario();
    let split = Scenario { pp: 4, grad_accum_steps: 4, ..whole };
    let (whole, split) = (parts(&whole.setup()), parts(&split.setup()));
    for (operator, (one, other)) in Operator::ALL.into_iter().zip(whole.iter().zip(&split)) {
        // States are split unequally over stages, and a stage gathers its weights once.
        if !matches!(operator, Operator::Optimizer | Operator::Copies) {
            assert_eq!(one.time, other.time, "four times the micro-batches on a quarter of the layers: {operator:?}");
        }
    }
}

#[test]
fn nothing_is_above_the_roof() {
    for scenario in several() {
        let setup = scenario.setup();
        let peak = recipe_peak(&setup.accelerator, setup.recipe);
        for (operator, part) in
            Operator::ALL.into_iter().zip(parts(&setup)).filter(|(_, part)| part.time > Seconds::ZERO)
        {
            assert!(part.rate() <= peak, "{operator:?}: {:?} of {peak:?}, {scenario:?}", part.rate());
            let streams = BytesPerSecond::new(part.amount.bytes.get() / part.time.get());
            let memory = setup.accelerator.memory_bandwidth;
            assert!(streams <= memory, "{operator:?}: {streams:?} of {memory:?}, {scenario:?}");
        }
    }
}

#[test]
fn executed_flops_are_those_that_utilisation_counts() {
    // Without recomputation, and with the products that flash attention executes in its backward
    // pass.
    let scenario =
        Scenario { choices: Choices { recompute: Recompute::None, ..Choices::DEFAULT }, ..default_scenario() };
    let setup = scenario.setup();
    let of = |wanted: Operator| {
        Operator::ALL
            .into_iter()
            .zip(parts(&setup))
            .find(|(operator, _)| *operator == wanted)
            .map(|(_, part)| part.amount.flops)
    };
    let matmul = of(Operator::Projections).unwrap() + of(Operator::Mlp).unwrap();
    let arch = &setup.architecture;
    let counted = 3.0 * flops::layer_matmul(arch) * f64::from(arch.num_hidden_layers) * per_rank::tokens(&setup);
    assert!((matmul / counted - 1.0).abs() < 1e-9);
    let head = of(Operator::Head).unwrap() / (3.0 * flops::head(arch) * per_rank::tokens(&setup));
    assert!((head - 1.0).abs() < 1e-9, "{head}");
}

#[test]
fn eight_bits_lift_products_alone() {
    let plain = catalog::model("llama-3-8b").map(|model| default_scenario().with_model(model.pick())).unwrap();
    let mut scenario = plain;
    catalog::pick::pick_accelerator(&mut scenario, "h100-sxm");
    let fp8 = Scenario { choices: Choices { compute_format: ComputeFormat::Fp8, ..scenario.choices }, ..scenario };
    let (bf16, fp8) = (parts(&scenario.setup()), parts(&fp8.setup()));
    let faster: Vec<Operator> = Operator::ALL
        .into_iter()
        .zip(bf16.iter().zip(&fp8))
        .filter(|(_, (bf16, fp8))| fp8.time < bf16.time)
        .map(|(operator, _)| operator)
        .collect();
    assert_eq!(faster, [Operator::Projections, Operator::Mlp]);
}
