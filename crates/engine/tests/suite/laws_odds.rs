//! Laws of the odds that a run fits.

use crate::any::any_scenario;
use crate::laws::{as_asked, laws};
use catalog::accuracy::Fit;
use engine::model::odds::{CEILING, FLOOR, Verdict};
use engine::model::report::Report;
use engine::scenario::Scenario;
use proptest::prelude::*;

/// Returns the scenario on a GPU with a multiple of the memory.
fn on(scenario: &Scenario, times: f64) -> Scenario {
    let mut larger = as_asked(scenario);
    larger.accelerator.values.memory = times * larger.accelerator.values.memory;
    larger
}

/// Whether the engine that generates takes more than there is, whatever the training needs.
fn is_impossible(report: &Report) -> bool {
    report.rollout.as_ref().is_some_and(|rollout| !rollout.fits())
}

proptest! {
    #![proptest_config(laws())]

    /// Whatever a run needs, it may fail of something else, and what was assumed of it may be
    /// wrong.
    #[test]
    fn odds_lie_between_floor_and_ceiling_and_are_none_where_a_run_is_impossible(scenario in any_scenario()) {
        let report = scenario.report();
        let odds = report.odds();
        if is_impossible(&report) {
            prop_assert_eq!((odds, report.verdict()), (0.0, Verdict::DoesNotFit));
        } else {
            prop_assert!((FLOOR..=CEILING).contains(&odds), "{odds}");
        }
    }

    /// Equal needs on a larger GPU.
    #[test]
    fn more_memory_never_lowers_the_odds_of_the_same_needs(scenario in any_scenario(), times in 1.0..20.0_f64) {
        let report = scenario.report();
        let mut larger = report;
        larger.memory.capacity = times * report.memory.capacity;
        prop_assert!(report.odds() <= larger.odds(), "{} {}", report.odds(), larger.odds());
    }

    /// The whole run on a larger GPU, where the allocator's cache may be another and the run may
    /// take less than a fifth.
    #[test]
    fn a_larger_gpu_never_lowers_the_odds(scenario in any_scenario(), times in 1.0..20.0_f64) {
        let (small, large) = (on(&scenario, 1.0).report(), on(&scenario, times).report());
        prop_assert_eq!(small.stack_kind(), large.stack_kind());
        // Pinned buffers and pools may be cut otherwise: what is needed, not what the odds make of
        // it.
        prop_assume!(large.memory.needed <= small.memory.needed);
        prop_assert!(small.odds() <= large.odds(), "{} {}", small.odds(), large.odds());
    }

    /// Hosts change no odds, and the verdict only where the GPUs have room: a host that holds what
    /// is needed leaves the GPUs' verdict, and one that holds half is short.
    #[test]
    fn a_host_that_is_short_is_the_verdict_where_the_gpus_have_room(mut scenario in any_scenario()) {
        scenario.accelerator.values.unified = false;
        let report = scenario.report();
        let of_gpus = report.verdict();
        let needed = scenario.host_memory().needed();
        let with = |times: f64| {
            let mut other = scenario;
            other.network.values.host.memory = times * needed;
            Fit::check(&other, &report)
        };
        let (enough, short) = (with(1.001), with(0.5));
        prop_assert_eq!((enough.odds, short.odds), (report.odds(), report.odds()));
        prop_assert_eq!((enough.verdict, enough.fits, enough.short()), (of_gpus, report.fits(), None));
        let is_short = of_gpus != Verdict::DoesNotFit;
        prop_assert_eq!(short.verdict, if is_short { Verdict::HostDoesNotFit } else { of_gpus });
        prop_assert!(!short.fits && short.short().is_some());
    }

    /// Where CPU and GPU share one memory, both are held against the whole of it, and what is
    /// offloaded stays there.
    #[test]
    fn unified_memory_is_one_pool(mut scenario in any_scenario()) {
        scenario.accelerator.values.unified = true;
        let host = scenario.host_memory();
        let gpus = f64::from(scenario.gpus.min(scenario.network.values.gpus_per_host()));
        let held = scenario.report().memory.needed * gpus;
        prop_assert!(host.capacity > scenario.network.values.host.memory);
        prop_assert!(host.needed() >= held + host.offload, "{host:?} {held:?}");
    }

    /// A run that needs twice what there is does not fit, and one that needs a third does.
    #[test]
    fn far_from_the_limit_the_verdict_is_the_memory_s(scenario in any_scenario()) {
        let report = scenario.report();
        prop_assume!(!is_impossible(&report) && report.memory.needed.get() > 0.0);
        let room = |room: f64| {
            let mut report = report;
            report.memory.capacity = room * report.memory.needed;
            report.verdict()
        };
        prop_assert_eq!((room(0.5), room(3.0)), (Verdict::DoesNotFit, Verdict::Fits));
    }
}
