//! Laws of mixtures of experts over random scenarios.

use crate::cases::cases;
use engine::model::choices::Choices;
use engine::model::expert_choice::{self, with_fastest_chunks, with_fastest_degrees};
use engine::model::experts::exchange::in_chunks;
use engine::model::experts::layer::choice::{ALGORITHMS, CHUNKS};
use engine::model::experts::{self, ExpertParallel};
use engine::model::flops;
use engine::model::parallel::Mesh;
use engine::model::report::{MemoryPart, Report};
use engine::model::setup::Setup;
use engine::model::step::evaluate;
use engine::model::training::{PrecisionPolicy, Reshard, Sharding};
use engine::model::transformer::{Architecture, Experts};
use engine::units::Seconds;
use proptest::prelude::*;

/// Returns a shape with experts, none of which is shared.
fn any_mixture() -> impl Strategy<Value = Architecture> {
    let sizes = (1_u32..=24, 2_u32..=32, 0_u32..=6, 0_u32..=6, 1_u32..=16);
    (sizes, 0_u32..4, 1_u32..=2).prop_map(|((layers, heads, experts, top_k, width), dense, step)| {
        let experts = 1 << experts;
        Architecture {
            num_hidden_layers: layers + dense + step,
            hidden_size: 128 * heads,
            num_attention_heads: heads,
            num_key_value_heads: heads,
            intermediate_size: 512 * heads,
            experts: Experts {
                num_experts: experts,
                num_experts_per_tok: (1 << top_k).min(experts),
                moe_intermediate_size: 256 * width,
                first_k_dense_replace: dense,
                moe_layer_step: step,
                ..Experts::NONE
            },
            ..catalog::model("llama-2-7b").unwrap().architecture
        }
    })
}

/// A step of FSDP over `gpus` GPUs whose experts lie on `ep` groups of `etp`.
fn setup(architecture: Architecture, gpus: u32, ep: u32, etp: u32) -> Setup {
    Setup {
        architecture,
        mesh: Mesh { ep, etp, ..Mesh::data_parallel(1, gpus) },
        sharding: Sharding::Fsdp(Reshard::Always),
        ..catalog::default_scenario().setup()
    }
}

/// Degrees of expert parallelism of a shape on `gpus` GPUs, as far as both are powers of two.
fn degrees(architecture: &Architecture, gpus: u32, ep: u32, etp: u32) -> (u32, u32) {
    let ep = ep.min(architecture.experts.num_experts).min(gpus);
    (ep, etp.min(gpus / ep))
}

prop_compose! {
    /// A shape on 1 to 256 GPUs with degrees that go together.
    fn any_setup()(architecture in any_mixture(), gpus in 0_u32..=8, ep in 0_u32..=6, etp in 0_u32..=3) -> Setup {
        let (ep, etp) = degrees(&architecture, 1 << gpus, 1 << ep, 1 << etp);
        setup(architecture, 1 << gpus, ep, etp)
    }
}

fn with_experts(setup: &Setup, change: impl FnOnce(&mut Experts)) -> Setup {
    let mut changed = *setup;
    change(&mut changed.architecture.experts);
    changed
}

/// Whether a step needs no less time and no less memory than another. Where launches take longer
/// than the work, both times are the launches' and differ by rounding.
fn no_less(than: &Report, report: &Report) -> (bool, bool) {
    let time = report.update.time.step >= than.update.time.step * (1.0 - 1e-12);
    (time, report.memory.allocated >= than.memory.allocated * (1.0 - 1e-12))
}

proptest! {
    #![proptest_config(cases(1_000))]

    #[test]
    fn the_shards_of_all_gpus_are_the_model_once(setup in any_setup()) {
        let gpus = f64::from(setup.mesh.gpus());
        let at_rest = evaluate(&setup).memory.parts.get(MemoryPart::Weights).get() * gpus;
        // fp32 at rest.
        let model = 4.0 * setup.architecture.params() as f64;
        prop_assert!(setup.recipe == PrecisionPolicy::Fsdp2MixedBf16 && (at_rest / model - 1.0).abs() < 1e-9, "{at_rest} {model}");
    }

    #[test]
    fn one_expert_is_a_dense_mlp_and_a_router(mixture in any_mixture(), gpus in 0_u32..=8) {
        let experts = Experts {
            num_experts: 1,
            num_experts_per_tok: 1,
            moe_intermediate_size: mixture.intermediate_size,
            ..mixture.experts
        };
        let one = Architecture { experts, ..mixture };
        let dense = Architecture { experts: Experts::NONE, ..mixture };
        let router = u64::from(one.moe_layers()) * u64::from(one.hidden_size);
        prop_assert_eq!(one.params(), dense.params() + router);
        prop_assert_eq!(one.active_params(), one.params());
        let forward = |shape: &Architecture| flops::forward_per_token(shape, 1024.0).get();
        prop_assert!((forward(&one) / (forward(&dense) + 2.0 * router as f64) - 1.0).abs() < 1e-12);
        // Sharded as the dense weights are, on one and the same group.
        let (of_one, of_dense) = (setup(one, 1 << gpus, 1, 1), setup(dense, 1 << gpus, 1, 1));
        let states = |setup: &Setup| {
            let parts = evaluate(setup).memory.parts;
            [MemoryPart::Weights, MemoryPart::Optimizer].map(|part| parts.get(part).get())
        };
        let share = f64::from(1_u32 << gpus);
        for ((one, dense), bytes) in states(&of_one).into_iter().zip(states(&of_dense)).zip([4.0, 8.0]) {
            prop_assert!((one / (dense + bytes * router as f64 / share) - 1.0).abs() < 1e-9, "{one} {dense}");
        }
        prop_assert_eq!(evaluate(&of_one).update.time.exchange, evaluate(&of_dense).update.time.exchange);
    }

    #[test]
    fn experts_that_all_take_every_token_compute_what_a_wide_mlp_does(mixture in any_mixture()) {
        let Experts { num_experts, moe_intermediate_size, .. } = mixture.experts;
        let all = Architecture { experts: Experts { num_experts_per_tok: num_experts, ..mixture.experts }, ..mixture };
        let wide = Architecture {
            num_hidden_layers: mixture.moe_layers(),
            intermediate_size: num_experts * moe_intermediate_size,
            experts: Experts::NONE,
            ..mixture
        };
        let dense = Architecture {
            num_hidden_layers: mixture.num_hidden_layers - mixture.moe_layers(),
            vocab_size: 0,
            experts: Experts::NONE,
            ..mixture
        };
        let router = 2.0 * f64::from(mixture.moe_layers()) * f64::from(mixture.hidden_size) * f64::from(num_experts);
        let forward = |shape: &Architecture| flops::forward_per_token(shape, 1024.0).get();
        let parts = forward(&wide) + forward(&dense) + router;
        prop_assert!((forward(&all) / parts - 1.0).abs() < 1e-12, "{} {parts}", forward(&all));
        prop_assert_eq!(all.active_params(), all.params());
    }

    #[test]
    fn without_expert_parallelism_nothing_is_sent(setup in any_setup()) {
        let alone = Setup { mesh: Mesh { ep: 1, etp: 1, ..setup.mesh }, ..setup };
        prop_assert_eq!(experts::exchange::dispatch_time(&alone), Seconds::ZERO);
        prop_assert_eq!(evaluate(&alone).update.time.exchange, Seconds::ZERO);
    }

    #[test]
    fn experts_that_are_on_one_gpu_alone_are_not_gathered(mixture in any_mixture(), gpus in 0_u32..=8, ep in 0_u32..=6) {
        let gpus = 1 << gpus;
        let (ep, etp) = degrees(&mixture, gpus, 1 << ep, gpus);
        let setup = setup(mixture, gpus, ep, etp);
        prop_assert_eq!(setup.mesh.expert_shard_group(), 1);
        let data_parallel = |setup: &Setup| {
            let time = evaluate(setup).update.time;
            (time.comm - time.exchange).get()
        };
        let wider = with_experts(&setup, |experts| experts.moe_intermediate_size *= 4);
        let (narrow, wide) = (data_parallel(&setup), data_parallel(&wider));
        prop_assert!((wide - narrow).abs() <= 1e-9 * narrow, "{narrow} {wide}");
    }

    #[test]
    fn one_chunk_hides_nothing(exchange in 0.0..1.0, compute in 0.0..1.0) {
        let (exchange, compute) = (Seconds::new(exchange), Seconds::new(compute));
        let shows = in_chunks(exchange, compute, 1);
        prop_assert!((shows - exchange).get().abs() < 1e-15);
        let mut before = shows;
        for chunks in [2, 4, 8] {
            let shows = in_chunks(exchange, compute, chunks);
            prop_assert!(shows <= before + Seconds::new(1e-15) && shows >= Seconds::ZERO, "{chunks} {shows:?}");
            before = shows;
        }
    }

    #[test]
    fn the_adaptive_choice_is_no_slower_than_any_static_one(setup in any_setup()) {
        let chosen = evaluate(&with_fastest_chunks(&setup)).update.time.step;
        for algorithm in ALGORITHMS {
            for chunks in CHUNKS {
                let experts = ExpertParallel { algorithm, chunks, ..setup.experts };
                let fixed = evaluate(&Setup { choices: Choices { experts, ..setup.choices },
..setup }).update.time.step;
                prop_assert!(chosen <= fixed * (1.0 + 1e-12), "{chunks} {algorithm:?}: {fixed:?} under {chosen:?}");
            }
        }
        let chosen = evaluate(&with_fastest_degrees(&setup));
        for (ep, etp) in expert_choice::degrees(&setup) {
            let fixed = evaluate(&Setup { mesh: Mesh { ep, etp, ..setup.mesh }, ..setup });
            prop_assert!(chosen.fits() || !fixed.fits());
            let slower = chosen.update.time.step > fixed.update.time.step * (1.0 + 1e-12);
            prop_assert!(!slower || chosen.fits() != fixed.fits() || !chosen.fits(), "{ep} {etp}");
        }
    }

    #[test]
    fn full_experts_and_busy_gpus_never_make_it_faster(setup in any_setup(), factor in 1.0..4.0) {
        let with = |capacity_factor: f64, imbalance: f64| {
            let experts = ExpertParallel { capacity_factor, imbalance, ..setup.experts };
            evaluate(&Setup { choices: Choices { experts, ..setup.choices },
..setup })
        };
        let (even, fuller, busier) = (with(1.0, 1.0), with(factor, 1.0), with(1.0, factor));
        for more in [fuller, busier] {
            let (time, memory) = no_less(&even, &more);
            prop_assert!(time && memory, "{:?} {:?}, {:?} {:?}", even.update.time, even.memory, more.update.time, more.memory);
        }
    }

    #[test]
    fn more_experts_a_token_are_more_work(setup in any_setup()) {
        let more = with_experts(&setup, |experts| experts.num_experts_per_tok = experts.num_experts);
        let (some, all) = (evaluate(&setup), evaluate(&more));
        let (time, memory) = no_less(&some, &all);
        prop_assert!(time && memory, "{:?} {:?}, {:?} {:?}", some.update.time, some.memory, all.update.time, all.memory);
        prop_assert!(more.architecture.active_params() >= setup.architecture.active_params());
        prop_assert!(setup.architecture.params() >= more.architecture.active_params());
    }
}
