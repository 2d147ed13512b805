//! Cost of the network in a step, and the link bandwidth from which something else limits: one
//! definition for maps, curves and sentences.

use super::boundary::change_between;
use super::sweep::Sample;
use engine::format;
use engine::model::report::{Limiter, NetworkCost, Report};
use engine::names;
use engine::params::{Number, ParamId, Unit};
use engine::rounding;
use engine::scenario::Scenario;
use engine::units::BytesPerSecond;

/// MFU over the MFU at infinite bandwidth from which the links between nodes do not limit: less
/// than 1 % is left to gain.
pub const NEARLY_ALL: f64 = 0.99;
/// [`NEARLY_ALL`] in words, after a link bandwidth.
pub const DEFINITION: &str = "within 1\u{2009}% of the MFU at infinite bandwidth";
/// Share of the step from which the network's cost is named.
const NAMED: f64 = 0.01;
/// Rate of a link that never limits. It is finite, so that no rate divides another to NaN.
const INFINITE: BytesPerSecond = BytesPerSecond::new(1e30);

/// Returns the scenario with another bandwidth of its links between nodes.
#[must_use]
pub fn with_link(scenario: &Scenario, link: BytesPerSecond) -> Scenario {
    let mut moved = *scenario;
    moved.network.values.inter_node = link;
    moved
}

/// Returns the scenario with infinite bandwidth between nodes; latencies and the links inside nodes
/// stay.
#[must_use]
pub fn unlimited(scenario: &Scenario) -> Scenario {
    with_link(scenario, INFINITE)
}

/// Returns a sample with the limiter that the link's bandwidth decides, as [`Enough`] does: the
/// network between nodes if infinite bandwidth, whose sample is `unlimited`, would gain more than
/// 1 %, otherwise what limits then. The pressure is positive in the first case and smooth across
/// the boundary.
#[must_use]
pub fn limited_by_link(sample: Sample, unlimited: &Sample) -> Sample {
    let pressure = NEARLY_ALL * unlimited.mfu / sample.mfu - 1.0;
    let time_limiter = if pressure > 0.0 {
        Limiter::InterNode
    } else if unlimited.network_bound() {
        // Neither latency nor the links inside a node depend on this bandwidth.
        Limiter::IntraNode
    } else {
        unlimited.time_limiter
    };
    Sample { time_limiter, pressure, ..sample }
}

/// Link bandwidths at which the links between nodes do not limit: the MFU is within 1 % of that at
/// infinite bandwidth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Enough {
    /// Every bandwidth that a scenario can have.
    Always,
    /// This bandwidth in Gbit/s, and more.
    From(f64),
    /// None that a scenario can have.
    Never,
}

/// Finds the bandwidth from which the links between nodes do not limit, by bisection. `mfu` returns
/// the MFU at a bandwidth; it must not fall as that rises.
pub fn enough(mut mfu: impl FnMut(BytesPerSecond) -> f64) -> Enough {
    let Some(Number { min, max, .. }) = ParamId::LinkBandwidth.number() else { return Enough::Always };
    let least = NEARLY_ALL * mfu(INFINITE);
    let mut falls_short = |gbit: f64| mfu(BytesPerSecond::from_gbit_per_s(gbit)) < least;
    if !falls_short(*min) {
        return Enough::Always;
    }
    if falls_short(*max) {
        return Enough::Never;
    }
    // Halvings of the ratio, as bandwidths differ by factors.
    let at = |share: f64| min * (max / min).powf(share);
    let (_, from) = change_between(true, |share| falls_short(at(share)));
    Enough::From(at(from))
}

/// Returns [`enough`] of a scenario's own run, whether or not it fits.
pub fn enough_for(scenario: &Scenario) -> Enough {
    enough(|link| with_link(scenario, link).report().whole().mfu)
}

/// Writes the bandwidth from which the network between nodes does not limit, and what does then:
/// `compute limits from 577 Gbit/s on, within 1 % of the MFU at infinite bandwidth`.
pub fn write_enough(enough: Enough, then: Limiter) -> String {
    let limiter = names::limiter(then).phrase;
    let is_one = matches!(then, Limiter::Compute | Limiter::Memory | Limiter::InterNode);
    let limits = if is_one { "limits" } else { "limit" };
    match enough {
        Enough::Always => format!("{limiter} {limits} at every bandwidth, {DEFINITION}"),
        Enough::From(gbit) => {
            let from = format::value(Unit::GbitPerS, rounding::up(gbit));
            format!("{limiter} {limits} from {from} on, {DEFINITION}")
        }
        Enough::Never => "a faster link gains more than 1\u{2009}% at every bandwidth".to_owned(),
    }
}

/// Returns the finding of [`write_enough`] for a scenario's own run; `None` on one node, whose run
/// does not use the network.
pub fn limits_from(scenario: &Scenario) -> Option<String> {
    if scenario.gpus <= scenario.network.values.gpus_per_node {
        return None;
    }
    let fast = Sample::from_report(&unlimited(scenario).report());
    let then = limited_by_link(fast, &fast).time_limiter;
    Some(write_enough(enough_for(scenario), then))
}

/// Writes the network's cost in a whole step and its two parts, `15.6 %: 2.44 % waiting, 13.1 %
/// slowed kernels`; `None` below 1 % of the step.
pub fn write_cost(report: &Report) -> Option<String> {
    let NetworkCost { waiting, slowed } = report.network();
    let whole = cost_share(report)?;
    let percent = |part| format::percent(part / report.whole().time);
    Some(format!("{whole}: {} waiting, {} slowed kernels", percent(waiting), percent(slowed)))
}

/// Writes the share of the network's cost in a whole step; `None` below 1 %.
pub fn cost_share(report: &Report) -> Option<String> {
    let share = report.network().total() / report.whole().time;
    (share >= NAMED).then(|| format::percent(share))
}

/// Writes the limit of a run and the network's cost, as the end of “limited by …”: `compute; the
/// network costs 15.6 %`.
pub fn write_limiter(report: &Report) -> String {
    let limiter = names::limiter(report.limiter).phrase;
    match (report.limiter, cost_share(report)) {
        (Limiter::InterNode | Limiter::IntraNode, Some(share)) => format!("{limiter}, which costs {share}"),
        (Limiter::Memory, _) | (_, None) => limiter.to_owned(),
        (_, Some(share)) => format!("{limiter}; the network costs {share}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use catalog::{SCENARIOS, default_scenario};
    use links::decode;

    fn mfu(scenario: &Scenario, gbit: f64) -> f64 {
        with_link(scenario, BytesPerSecond::from_gbit_per_s(gbit)).report().whole().mfu
    }

    #[test]
    fn at_the_threshold_one_percent_is_left_and_below_it_more() {
        let mut found = 0;
        for entry in SCENARIOS {
            let scenario = decode(entry.link).scenario;
            let most = unlimited(&scenario).report().whole().mfu;
            assert!(most.is_finite() && most >= mfu(&scenario, 3200.0) * (1.0 - 1e-9), "{}: {most}", entry.id);
            match enough_for(&scenario) {
                Enough::Always => assert!(mfu(&scenario, 1.0) >= NEARLY_ALL * most, "{}", entry.id),
                Enough::Never => assert!(mfu(&scenario, 3200.0) < NEARLY_ALL * most, "{}", entry.id),
                Enough::From(from) => {
                    assert!(mfu(&scenario, from) >= NEARLY_ALL * most, "{}: {from}", entry.id);
                    assert!(mfu(&scenario, 0.999 * from) < NEARLY_ALL * most, "{}: {from}", entry.id);
                    found += 1;
                }
            }
        }
        assert!(found > 20, "{found}");
    }

    #[test]
    fn a_sample_is_limited_by_the_link_below_the_threshold() {
        let scenario = default_scenario();
        let Enough::From(from) = enough_for(&scenario) else { panic!() };
        let fast = Sample::from_report(&unlimited(&scenario).report());
        let at = |gbit| {
            let moved = with_link(&scenario, BytesPerSecond::from_gbit_per_s(gbit));
            limited_by_link(Sample::from_report(&moved.report()), &fast)
        };
        let (below, above) = (at(0.99 * from), at(1.01 * from));
        assert_eq!((below.time_limiter, above.time_limiter), (Limiter::InterNode, Limiter::Compute));
        assert!(below.pressure > 0.0 && above.pressure < 0.0);
    }

    #[test]
    fn the_account_of_the_default_is_in_its_words() {
        let scenario = default_scenario();
        let report = scenario.report();
        let NetworkCost { waiting, slowed } = report.update.time.network();
        assert!(slowed > 3.0 * waiting, "{waiting:?} {slowed:?}");
        let words = write_cost(&report).unwrap();
        assert!(words.ends_with(" slowed kernels") && words.contains(" waiting, "), "{words}");
        assert!(write_limiter(&report).starts_with("compute; the network costs "));
        let threshold = limits_from(&scenario).unwrap();
        assert!(threshold.starts_with("compute limits from ") && threshold.ends_with(DEFINITION), "{threshold}");
        assert_eq!(limits_from(&decode("cluster=dgx-h100&model=llama-3-8b&gpus=8").scenario), None);
        let slow = with_link(&scenario, BytesPerSecond::from_gbit_per_s(50.0)).report();
        assert!(write_limiter(&slow).starts_with("the network between nodes, which costs "));
    }
}
