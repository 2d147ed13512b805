//! Findings of papers and of the engine, for the claims that have a number.

use super::experts::{Policy, time};
use catalog::ScenarioEntry;
use catalog::published::{Comparison, PUBLISHED, Published};
use engine::format;
use engine::model::experts::layer::{Choice, MoeLayer};
use engine::model::states::{shard_degrees, states};
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

impl ClaimResult {
    /// Returns the number in the unit of [`Comparison`].
    pub fn value(self) -> f64 {
        match self {
            Self::Points(value) | Self::Change(value) | Self::Times(value) => value,
            Self::Time(time) => time.get(),
            Self::Bytes(bytes) => bytes.gb(),
        }
    }

    /// Writes the number with its unit.
    pub fn words(self) -> String {
        match self {
            Self::Points(points) => format::delta_points(points),
            Self::Change(change) => format::delta(change, format::percent),
            Self::Times(times) => format!("{times:.1} times"),
            Self::Time(time) => format::seconds(time),
            Self::Bytes(bytes) => format!("{:.0} GB", bytes.gb()),
        }
    }
}

/// A paper's finding, and the engine's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Compared {
    /// The source's finding.
    pub published: &'static Published,
    /// The engine's finding.
    pub here: ClaimResult,
}

impl Compared {
    /// Whether the engine's finding is within the tolerance of the source's.
    pub fn agrees(&self) -> bool {
        self.published.agrees(self.here.value())
    }

    /// Writes both, `Source: 20.8 s a step on 1,536 GPUs (A) (table 2) · here: 20.2 s`, and
    /// `differs` with the reason if the engine is outside the tolerance.
    pub fn words(&self) -> String {
        let Published { found, at, differs, .. } = self.published;
        let both = format!("Source: {found} ({at}) · here: {}", self.here.words());
        if differs.is_empty() { both } else { format!("{both}, differs: {differs}") }
    }
}

/// Compares a claim with its paper; `None` if the source gives no number.
pub fn compared(entry: &ScenarioEntry) -> Option<Compared> {
    let published = PUBLISHED.iter().find(|published| published.id == entry.id)?;
    let decoded = decode(entry.link);
    let here = found(published.here, &decoded.scenario, &decoded.pins)?;
    Some(Compared { published, here })
}

/// Returns the engine's finding for a claim's scenario and the scenarios pinned with it.
fn found(comparison: Comparison, now: &Scenario, pins: &[Scenario]) -> Option<ClaimResult> {
    let pinned = pins.first()?;
    let step = |scenario: &Scenario| scenario.report().whole().time;
    let throughput = |scenario: &Scenario| scenario.report().whole().tokens_per_s_per_gpu;
    Some(match comparison {
        Comparison::MfuGain => ClaimResult::Points(now.report().whole().mfu - pinned.report().whole().mfu),
        Comparison::Longer => ClaimResult::Change(step(pinned) / step(now) - 1.0),
        Comparison::SizeRatio => {
            let smaller = pins.get(1)?;
            let both_fit = now.report().fits() && smaller.report().fits();
            ClaimResult::Times(if both_fit { now.model.size() / smaller.model.size() } else { 0.0 })
        }
        Comparison::Slower => ClaimResult::Change(step(now) / step(pinned) - 1.0),
        Comparison::Throughput => ClaimResult::Change(throughput(now) / throughput(pinned) - 1.0),
        Comparison::PinnedStates => {
            let setup = pinned.setup();
            let params = setup.architecture.params() as f64;
            ClaimResult::Bytes(states(params, setup.recipe, shard_degrees(&setup)).total())
        }
        Comparison::PinnedStep => ClaimResult::Time(step(pinned)),
        Comparison::LayerFaster => {
            let layer = MoeLayer::from_setup(&now.setup());
            let baseline = time(&layer, Policy::DenseKernels(Choice::PLAIN));
            ClaimResult::Times(baseline / time(&layer, Policy::AdaptivePipelining { r: 1 }))
        }
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
    fn a_claim_says_why_it_differs_exactly_where_it_is_outside_the_tolerance() {
        let mut differ = 0;
        for published in PUBLISHED {
            let compared = of(published.id);
            let here = compared.here.value();
            assert!(here.is_finite() && published.tolerance >= 0.0, "{}: {here}", published.id);
            assert_eq!(compared.agrees(), published.differs.is_empty(), "{}: {here}", published.id);
            differ += u32::from(!compared.agrees());
        }
        assert!(differ > 0 && CLAIMS.iter().any(|entry| compared(entry).is_none()), "follow-up questions have none");
    }

    #[test]
    fn both_numbers_are_in_the_words() {
        let gain = of("compare-bandwidth-13b");
        let words = gain.words();
        assert!(words.starts_with("Source: up to about +9 points (in its summaries) · here: +"), "{words}");
        assert!(words.contains(", differs: ") && words.ends_with('.'), "{words}");
        assert!(!of("compare-175b-3d").words().contains("differs"));
    }

    /// The source's numbers, where a row has them as text too.
    #[test]
    fn the_values_are_the_source_s() {
        let value = |id: &str| PUBLISHED.iter().find(|published| published.id == id).unwrap().value;
        // Table 2 of arXiv 2104.04473; ZeRO's section 3 for 7B: 2, 2 and 4 bytes a parameter.
        assert_eq!((value("compare-175b-3d"), value("compare-pure-bf16")), (20.8, 7.0 * (2.0 + 2.0 + 4.0)));
        // Measured on 128 GPUs: 1.5679 s against 1.1846 s.
        assert!((value("compare-sharding-factor") - (1.5679 / 1.1846 - 1.0)).abs() < 0.005);
        // T5-11B where DDP ends at 2.28B.
        assert!((value("compare-fsdp-ddp") - 11.0 / 2.28).abs() < 0.2);
    }
}
