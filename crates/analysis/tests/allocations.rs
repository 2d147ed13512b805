//! An evaluation allocates nothing, whatever the scenario: every number of a report lies on the
//! stack.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::indexing_slicing, reason = "a test stops where its data is wrong")]

#[path = "../../engine/tests/suite/any.rs"]
mod any;

use analysis::plan::{Hardware, Plan, SearchKind, Terms};
use any::any_scenario;
use links::decode;
use proptest::prelude::*;
use std::hint::black_box;

proptest! {
    #[test]
    fn an_evaluation_allocates_nothing(scenario in any_scenario()) {
        let counted = allocation_counter::measure(|| {
            black_box(scenario.report());
            black_box(scenario.run_report());
        });
        prop_assert_eq!(counted.count_total, 0);
    }
}

/// Only what would be a new best is validated, which allocates: a few of thousands.
#[test]
fn a_plan_hardly_allocates_while_it_searches() {
    let scenario = decode("v=1&cluster=dgx-h100&model=llama-3.1-8b&gpus=64&accum=8").scenario;
    let mut plan = Plan::over(&scenario, SearchKind::Runs, Terms::usual(&scenario), vec![Hardware::own(&scenario)]);
    let counted = allocation_counter::measure(|| while !plan.advance(1000) {});
    let evaluated = plan.progress().evaluated as u64;
    assert!(evaluated > 5_000 && counted.count_total < evaluated / 4, "{} {evaluated}", counted.count_total);
}

#[test]
fn the_counter_counts() {
    let counted = allocation_counter::measure(|| drop(black_box(vec![0_u8; 64])));
    assert_eq!((counted.count_total, counted.bytes_total), (1, 64));
}
