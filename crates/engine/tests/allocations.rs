//! An evaluation allocates nothing, whatever the scenario: every number of a report lies on the stack.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::indexing_slicing, reason = "a test stops where its data is wrong")]

#[path = "suite/any.rs"]
mod any;

use any::any_scenario;
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

#[test]
fn the_counter_counts() {
    let counted = allocation_counter::measure(|| drop(black_box(vec![0_u8; 64])));
    assert_eq!((counted.count_total, counted.bytes_total), (1, 64));
}
