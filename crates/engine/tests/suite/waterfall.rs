//! The parts of a step add up to it, for every model, accelerator and scenario, and for random
//! ones.

use catalog::{ACCELERATORS, CLUSTERS, MODELS, SCENARIOS, default_scenario, pick};
use engine::model::hardware::Network;
use engine::model::report::NetworkCost;
use engine::model::setup::Setup;
use engine::model::software::Offload;
use engine::model::step::evaluate;
use engine::model::step::waterfall::{StepPart, waterfall};
use engine::scenario::Scenario;
use engine::units::{BytesPerSecond, Seconds};
use links::decode;
use proptest::prelude::*;

use crate::any::any_scenario;
use crate::cases::cases;

/// Checks the sum and the signs; gives the shares.
fn shares(scenario: &Scenario, name: &str) -> Vec<(StepPart, f64)> {
    let report = scenario.report();
    let split = waterfall(&scenario.setup(), &report);
    let shares: Vec<(StepPart, f64)> = StepPart::ALL.map(|part| (part, split.share(part))).into();
    let sum: f64 = shares.iter().map(|share| share.1).sum();
    assert!((sum - 1.0).abs() < 1e-9, "{name}: {sum} {shares:?}");
    assert!(shares.iter().all(|share| share.1 >= 0.0), "{name}: {shares:?}");
    let useful = split.share(StepPart::Useful);
    assert!(useful <= report.update.mfu + 1e-12, "{name}: {useful} {}", report.update.mfu);
    shares
}

fn of(shares: &[(StepPart, f64)], part: StepPart) -> f64 {
    shares.iter().find(|share| share.0 == part).map_or(0.0, |share| share.1)
}

#[test]
fn the_parts_of_every_entry_of_the_catalog_are_the_step() {
    for model in MODELS {
        let mut scenario = default_scenario();
        pick::pick_model(&mut scenario, model.id);
        let shares = shares(&scenario, model.id);
        assert!((of(&shares, StepPart::Useful) - scenario.report().update.mfu).abs() < 1e-12, "{}", model.id);
    }
    for entry in ACCELERATORS {
        let mut scenario = default_scenario();
        pick::pick_accelerator(&mut scenario, entry.id);
        shares(&scenario, entry.id);
    }
    for cluster in CLUSTERS {
        let mut scenario = default_scenario();
        pick::pick_cluster(&mut scenario, cluster.id);
        shares(&scenario, cluster.id);
    }
    for entry in SCENARIOS {
        shares(&decode(entry.link).scenario, entry.id);
    }
}

#[test]
fn each_part_is_there_where_it_is_asked_for() {
    let base = "cluster=dgx-h100&model=llama-3-8b&gpus=64&seq=8192";
    let parts = |more: &str| shares(&decode(&format!("{base}{more}")).scenario, more);
    let has = |more: &str, part: StepPart| {
        let share = of(&parts(more), part);
        assert!(share > 1e-6 && share < 0.9, "{more}: {part:?} {share}");
    };
    let lacks = |more: &str, part: StepPart| {
        let share = of(&parts(more), part);
        assert!(share < 1e-9, "{more}: {part:?} {share}");
    };
    has("", StepPart::MemoryBound);
    has("", StepPart::Kernels);
    has("&recompute=full", StepPart::Recomputation);
    has("&tp=8", StepPart::Tensor);
    has("&tp=8&cp=2&cpx=gather", StepPart::Tensor);
    has("&pp=4&accum=8", StepPart::Bubble);
    has("&pp=4&accum=8", StepPart::Stages);
    has("&link=20", StepPart::AllGather);
    has("&link=20", StepPart::ReduceScatter);
    has("&strategy=ddp&link=10", StepPart::AllReduce);
    has("&objective=dpo", StepPart::Passes);
    for part in [StepPart::Recomputation, StepPart::Tensor, StepPart::Context, StepPart::Stages, StepPart::Bubble] {
        lacks("&recompute=none", part);
    }
    for part in [StepPart::Experts, StepPart::HostLink, StepPart::Passes, StepPart::Padding] {
        lacks("&recompute=none", part);
    }
    let experts = SCENARIOS.iter().find(|entry| entry.id == "moe-slow-links").unwrap();
    assert!(of(&shares(&decode(experts.link).scenario, experts.id), StepPart::Experts) > 0.5);
}

/// Exposed communication, the bubble and the host's launches equal those of the report.
#[test]
fn the_parts_are_the_report_s() {
    for entry in SCENARIOS {
        let scenario = decode(entry.link).scenario;
        let report = scenario.report();
        let split = waterfall(&scenario.setup(), &report);
        let exposed = [
            StepPart::AllGather,
            StepPart::ReduceScatter,
            StepPart::AllReduce,
            StepPart::Tensor,
            StepPart::Context,
            StepPart::Stages,
            StepPart::Experts,
            StepPart::HostLink,
        ];
        let exposed: f64 = exposed.into_iter().map(|part| split.get(part).get()).sum();
        let close = |one: f64, other: f64| (one - other).abs() <= 1e-9 * report.update.time.step.get();
        assert!(close(exposed, report.update.time.exposed_comm.get()), "{}: {exposed}", entry.id);
        assert!(close(split.get(StepPart::Launches).get(), report.update.time.launch_bound.get()), "{}", entry.id);
        assert!(close(split.get(StepPart::Bubble).get(), report.update.time.bubble.get()), "{}", entry.id);
        if scenario.pp == 1 {
            for part in [StepPart::Bubble, StepPart::UnevenStages] {
                assert!(split.share(part) < 1e-9, "{}: {part:?} {}", entry.id, split.share(part));
            }
        }
    }
}

/// The network's account is the waterfall's parts, and what free collectives save.
#[test]
fn the_network_costs_what_free_collectives_save() {
    let mut said = 0;
    for entry in SCENARIOS {
        let scenario = decode(entry.link).scenario;
        let (setup, report) = (scenario.setup(), scenario.report());
        let NetworkCost { waiting, slowed } = report.update.time.network();
        let split = waterfall(&setup, &report);
        let close = |one: Seconds, other: Seconds| (one - other).get().abs() <= 1e-6 * report.update.time.step.get();
        assert!(close(slowed, split.get(StepPart::Contention)), "{}: {slowed:?}", entry.id);
        let exposed = report.update.time.exposed_comm - split.get(StepPart::HostLink);
        assert!(close(waiting, exposed), "{}: {waiting:?} {exposed:?}", entry.id);
        let free = evaluate(&without_network(&setup)).update.time;
        let saved = report.update.time.step - free.step;
        let host_keeps_up = free.launch_bound <= 1e-9 * free.step && free.loading <= Seconds::ZERO;
        // Chunks of tokens are packed and launched also where sending them takes no time.
        let is_dense = !setup.architecture.has_experts();
        // Copies to the host slow gathers, which then take time of their own.
        let is_on_gpus = setup.offload == Offload::NONE;
        if scenario.pp == 1 && host_keeps_up && is_dense && is_on_gpus && setup.objective.passes() == 0 {
            assert!(free.network().total() <= 1e-9 * free.step, "{}: {:?}", entry.id, free.network());
            assert!(close(saved, waiting + slowed), "{}: {saved:?} {waiting:?} {slowed:?}", entry.id);
            said += 1;
        }
    }
    assert!(said > 20, "{said}");
}

/// Returns the setup with collectives that take no time.
fn without_network(setup: &Setup) -> Setup {
    let fast = BytesPerSecond::new(1e30);
    let network = Network {
        intra_node: fast,
        inter_node: fast,
        intra_node_latency: Seconds::ZERO,
        inter_node_latency: Seconds::ZERO,
        ..setup.network
    };
    Setup { network, ..*setup }
}

proptest! {
    #![proptest_config(cases(512))]
    #[test]
    fn the_parts_of_any_step_are_the_step(scenario in any_scenario()) {
        let shares = shares(&scenario, "any");
        // One bubble in waterfall, timeline and bar.
        let time = scenario.report().update.time;
        prop_assert!((of(&shares, StepPart::Bubble) - time.bubble / time.step).abs() < 1e-9);
    }
}
