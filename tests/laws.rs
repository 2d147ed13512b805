//! Laws of the engine over random scenarios.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test stops where its data is wrong")]

#[path = "common/any.rs"]
mod any;

use any::any_scenario;
use proptest::prelude::*;
use shardwise::model::bounds::{Bounds, simplified};
use shardwise::model::ladder;
use shardwise::model::report::{Lane, Report};
use shardwise::model::setup::Setup;
use shardwise::model::step::{evaluate, spans};
use shardwise::model::training::{Mesh, MfuConvention, Reshard, Sharding};
use shardwise::scenario::{Model, RecomputeMode, Scenario};
use shardwise::units::{Bytes, BytesPerSecond, Seconds};

fn with_recompute(scenario: &Scenario, recompute: RecomputeMode) -> Report {
    Scenario { recompute, ..*scenario }.report()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_number_is_finite_and_positive(scenario in any_scenario()) {
        let report = scenario.report();
        for number in [
            report.time.step.get(), report.time.forward.get(), report.time.backward.get(), report.time.optimizer.get(),
            report.time.compute.get(), report.tokens_per_s_per_gpu, report.mfu, report.hfu, report.memory.peak.get(),
        ] {
            prop_assert!(number.is_finite() && number > 0.0, "{number} in {report:?}");
        }
        for (part, bytes) in report.memory.parts.iter() {
            prop_assert!(bytes.get().is_finite() && bytes >= Bytes::ZERO, "{part:?} {bytes:?}");
        }
    }

    #[test]
    fn more_recomputation_never_needs_more_memory(scenario in any_scenario()) {
        let none = with_recompute(&scenario, RecomputeMode::None).memory.allocated;
        let selective = with_recompute(&scenario, RecomputeMode::Selective).memory.allocated;
        let full = with_recompute(&scenario, RecomputeMode::Full).memory.allocated;
        prop_assert!(full <= selective * (1.0 + 1e-12) && selective <= none * (1.0 + 1e-12), "{full:?} {selective:?} {none:?}");
    }

    #[test]
    fn memory_falls_with_the_shard_degree(scenario in any_scenario(), degree in 0_u32..12) {
        let sharded = |dp_shard| {
            let setup = Setup {
                mesh: Mesh { dp_replicate: 1, dp_shard },
                sharding: Sharding::Fsdp(Reshard::Always),
                ..scenario.setup()
            };
            evaluate(&setup).memory.allocated
        };
        prop_assert!(sharded(2 << degree) <= sharded(1 << degree));
    }

    #[test]
    fn a_faster_network_never_slows_the_step(scenario in any_scenario(), factor in 1.0..8.0) {
        let mut faster = scenario;
        faster.network.values.inter_node = factor * scenario.network.values.inter_node;
        faster.network.values.intra_node = factor * scenario.network.values.intra_node;
        prop_assert!(faster.report().time.step <= scenario.report().time.step * (1.0 + 1e-12));
    }

    #[test]
    fn a_faster_gpu_never_slows_the_step(scenario in any_scenario(), factor in 1.0..8.0) {
        let mut faster = scenario;
        faster.accelerator.values.peak_16bit = factor * scenario.accelerator.values.peak_16bit;
        faster.accelerator.values.peak_32bit = factor * scenario.accelerator.values.peak_32bit;
        prop_assert!(faster.report().time.step <= scenario.report().time.step * (1.0 + 1e-12));
    }

    #[test]
    fn utilisation_stays_below_one(scenario in any_scenario()) {
        // The full-attention convention counts score pairs that a causal mask never computes, so the law is stated
        // for the convention that counts what runs.
        let counted = Scenario { mfu_convention: MfuConvention::CausalAttention, ..scenario };
        let report = counted.report();
        prop_assert!(report.mfu <= report.hfu && report.hfu <= 1.0, "{} {}", report.mfu, report.hfu);
    }

    #[test]
    fn one_gpu_communicates_nothing(scenario in any_scenario()) {
        let report = Scenario { gpus: 1, ..scenario }.report();
        prop_assert_eq!(report.time.comm, Seconds::ZERO);
        prop_assert!(report.time.exposed_comm <= report.time.step * 1e-12);
    }

    #[test]
    fn the_timeline_adds_up_to_the_step(scenario in any_scenario(), steps in 1_u32..4) {
        let setup = Scenario { grad_accum_steps: steps, ..scenario }.setup();
        let report = evaluate(&setup);
        let (mut end, mut compute, mut comm) = (Seconds::ZERO, Seconds::ZERO, Seconds::ZERO);
        spans(&setup, &mut |span| {
            end = end.max(span.end);
            *if span.lane == Lane::Compute { &mut compute } else { &mut comm } += span.end - span.start;
        });
        let close = |a: Seconds, b: Seconds| (a - b).get().abs() <= 1e-9 * report.time.step.get();
        prop_assert!(close(end, report.time.step), "ends at {end:?}, step {:?}", report.time);
        prop_assert!(close(compute, report.time.compute), "{compute:?} {:?}", report.time);
        prop_assert!(close(comm, report.time.comm), "{comm:?} {:?}", report.time);
    }

    #[test]
    fn phases_add_up_to_the_step(scenario in any_scenario()) {
        let time = scenario.report().time;
        let phases = time.forward + time.backward + time.optimizer;
        prop_assert!((phases - time.step).get().abs() <= 1e-12 * time.step.get());
        prop_assert!(((time.compute + time.exposed_comm) - time.step).get().abs() <= 1e-9 * time.step.get());
    }
}

/// Over a grid of models, sequences, clusters and shares of activations kept: wherever the simplified step fits, it stays
/// under every bound, and it comes close to the bound on memory somewhere.
#[test]
fn no_step_exceeds_the_fsdp_bounds() {
    let start = shardwise::catalog::default_scenario();
    let (mut fitting, mut fullest) = (0, 0.0_f64);
    for (size, _, _) in ladder::ANCHORS {
        for seq_len in [512, 4096, 32_768, 262_144] {
            for gpus in [4, 64, 1024] {
                for gbit in [25.0, 100.0, 200.0, 1600.0] {
                    for kept in [0.0, 0.4, 1.0] {
                        for sequences in [1, 4, 16, 64, 256] {
                            let mut scenario = Scenario { model: Model::Ladder { size }, seq_len, gpus, ..start };
                            scenario.micro_batch_size = sequences;
                            scenario.network.values.inter_node = BytesPerSecond::from_gbit_per_s(gbit);
                            scenario.keep_fraction = kept;
                            scenario.recompute = RecomputeMode::Fraction;
                            let setup = simplified(&scenario.setup());
                            let report = evaluate(&setup);
                            if !report.fits() {
                                continue;
                            }
                            fitting += 1;
                            let bounds = Bounds::of(&setup);
                            let tokens = f64::from(sequences) * f64::from(seq_len);
                            fullest = fullest.max(tokens / bounds.tokens_max());
                            assert!(tokens <= bounds.tokens_max());
                            assert!(report.tokens_per_s_per_gpu <= bounds.throughput_max() * (1.0 + 1e-9));
                            assert!(
                                report.mfu <= bounds.mfu_max() * (1.0 + 1e-9),
                                "{} {}",
                                report.mfu,
                                bounds.mfu_max()
                            );
                        }
                    }
                }
            }
        }
    }
    assert!(fitting > 500, "{fitting} of the grid fit");
    assert!(fullest > 0.5, "the fullest reaches {fullest} of the bound on tokens");
}
