//! A measurement corrects what is predicted: times and memory by its ratios, all views alike.

use catalog::SCENARIOS;
use engine::model::anchor::Anchor;
use engine::scenario::Scenario;
use links::{decode, encode};

/// Every time is about as many times longer, and every part of memory: but for latencies that are
/// constants, and shares of rates that end at 1.
#[test]
fn what_is_predicted_is_multiplied() {
    for entry in SCENARIOS {
        let plain = decode(entry.link).scenario;
        let before = plain.report();
        for (time, memory) in [(1.18, 0.94), (2.0, 1.2)] {
            let anchored = Scenario { anchor: Anchor { time, memory }, ..plain };
            let after = anchored.report();
            let ratio = after.update.time.step / before.update.time.step;
            assert!((ratio / time - 1.0).abs() < 0.04, "{}: {ratio} for {time}", entry.id);
            assert!((before.update.mfu / after.update.mfu / ratio - 1.0).abs() < 1e-9, "{}", entry.id);
            let needed = after.memory.needed / before.memory.needed;
            assert!((needed / memory - 1.0).abs() < 1e-9, "{}: {needed} for {memory}", entry.id);
            let total = after.memory.parts.total();
            assert!((total / after.memory.peak - 1.0).abs() < 1e-9, "{}", entry.id);
            // The whole run follows; generation has other rates, and constants of its own.
            let (run, then) = (plain.run_report(), anchored.run_report());
            let grown = then.ideal_time / run.ideal_time;
            let follows = if before.rollout.is_some() { 0.3 } else { 0.01 };
            assert!((grown / ratio - 1.0).abs() < follows && grown > 1.0, "{}: {grown} for {ratio}", entry.id);
            assert_eq!(decode(&encode(&anchored)).scenario, anchored, "{}", entry.id);
        }
    }
}

#[test]
fn without_a_measurement_links_say_nothing_of_it() {
    let plain = decode("").scenario;
    assert_eq!(plain.anchor, Anchor::NONE);
    assert!(!encode(&plain).contains("anchor"));
}
