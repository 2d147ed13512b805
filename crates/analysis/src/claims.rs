//! Findings of papers and of the engine, for the claims that have a number.

use catalog::ScenarioEntry;
use catalog::published::{Comparison, PUBLISHED};
use engine::model::memory::{shard_degrees, states};
use engine::scenario::Scenario;
use engine::units::{Bytes, Seconds};
use links::decode;

/// A finding of the engine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ClaimResult {
    /// A difference of MFU, as a fraction.
    Points(f64),
    /// A relative change.
    Change(f64),
    /// A ratio.
    Times(f64),
    /// A time.
    Time(Seconds),
    /// Decimal bytes.
    Bytes(Bytes),
}

/// A paper's finding with its place, and the engine's finding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Compared {
    /// The source's finding.
    pub found: &'static str,
    /// Place in the source.
    pub at: &'static str,
    /// The engine's finding.
    pub here: ClaimResult,
}

/// Compares a claim with its paper; `None` if the source gives no number.
pub fn compared(entry: &ScenarioEntry) -> Option<Compared> {
    let published = PUBLISHED.iter().find(|published| published.id == entry.id)?;
    let decoded = decode(entry.link);
    let here = found(published.here, &decoded.scenario, &decoded.pins)?;
    Some(Compared { found: published.found, at: published.at, here })
}

/// Returns the engine's finding for a claim's scenario and the scenarios pinned with it.
fn found(comparison: Comparison, now: &Scenario, pins: &[Scenario]) -> Option<ClaimResult> {
    let pinned = pins.first()?;
    let step = |scenario: &Scenario| scenario.report().time.step;
    let throughput = |scenario: &Scenario| scenario.report().tokens_per_s_per_gpu;
    Some(match comparison {
        Comparison::MfuGain => ClaimResult::Points(now.report().mfu - pinned.report().mfu),
        Comparison::Longer => ClaimResult::Change(step(pinned) / step(now) - 1.0),
        Comparison::SizeRatio => ClaimResult::Times(now.model.size() / pins.get(1)?.model.size()),
        Comparison::Slower => ClaimResult::Change(step(now) / step(pinned) - 1.0),
        Comparison::Throughput => ClaimResult::Change(throughput(now) / throughput(pinned) - 1.0),
        Comparison::PinnedStates => {
            let setup = pinned.setup();
            let params = setup.architecture.params() as f64;
            ClaimResult::Bytes(states(params, setup.recipe, shard_degrees(&setup)).total())
        }
        Comparison::PinnedStep => ClaimResult::Time(step(pinned)),
        Comparison::Faster => ClaimResult::Times(step(pinned) / step(now)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use catalog::CLAIMS;

    fn of(id: &str) -> Compared {
        compared(CLAIMS.iter().find(|entry| entry.id == id).unwrap()).unwrap()
    }

    #[test]
    fn every_published_number_stands_beside_a_claim_and_one_of_the_engine() {
        for published in PUBLISHED {
            let Compared { here, .. } = of(published.id);
            let (ClaimResult::Points(value) | ClaimResult::Change(value) | ClaimResult::Times(value)) = here else {
                continue;
            };
            assert!(value.is_finite(), "{}: {here:?}", published.id);
        }
        assert!(CLAIMS.iter().any(|entry| compared(entry).is_none()), "follow-up questions have none");
    }

    #[test]
    fn what_is_found_is_near_what_was_published_where_that_is_a_number() {
        let ClaimResult::Points(gain) = of("compare-bandwidth-7b").here else { panic!() };
        assert!((0.07..0.11).contains(&gain), "{gain}");
        let ClaimResult::Times(ratio) = of("compare-fsdp-ddp").here else { panic!() };
        assert!((ratio - 5.0).abs() < 0.1, "{ratio}");
        let ClaimResult::Bytes(bytes) = of("compare-pure-bf16").here else { panic!() };
        assert!((bytes.gb() / 56.0 - 1.0).abs() < 0.05, "{}", bytes.gb());
        let ClaimResult::Time(step) = of("compare-175b-3d").here else { panic!() };
        assert!((step.get() / 20.8286 - 1.0).abs() < 0.1, "{}", step.get());
        let ClaimResult::Change(slower) = of("compare-sharding-factor").here else { panic!() };
        // Measured: 1.5679 s against 1.1846 s.
        assert!((1.5679_f64 / 1.1846 - 1.32).abs() < 0.005 && slower > 0.0, "{slower}");
    }
}
