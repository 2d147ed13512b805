//! What the papers found beside what the engine finds, for the claims that have a number.

use crate::catalog::ScenarioEntry;
use crate::model::memory::{shard_degrees, states};
use crate::scenario::{Id, Scenario};
use crate::share::decode;
use crate::units::{Bytes, Seconds};

/// A published number, and what is compared with it.
#[derive(Clone, Copy, Debug)]
struct Published {
    /// The claim.
    id: Id,
    /// What the source found.
    found: &'static str,
    /// Where it says so.
    at: &'static str,
    /// What the engine finds, of the claim's scenario and those pinned beside it.
    here: fn(&Scenario, &[Scenario]) -> Option<Found>,
}

/// What the engine finds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Found {
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

/// What a paper found, where, and what the engine finds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Compared {
    /// What the source found.
    pub found: &'static str,
    /// Where it says so.
    pub at: &'static str,
    /// What the engine finds.
    pub here: Found,
}

/// Compares a claim with its paper; `None` where the source gives no number.
pub fn compared(entry: &ScenarioEntry) -> Option<Compared> {
    let published = PUBLISHED.iter().find(|published| published.id == entry.id)?;
    let decoded = decode(entry.link);
    let here = (published.here)(&decoded.scenario, &decoded.pins)?;
    Some(Compared { found: published.found, at: published.at, here })
}

/// MFU over that of the first pinned scenario.
fn points(now: &Scenario, pins: &[Scenario]) -> Option<Found> {
    Some(Found::Points(now.report().mfu - pins.first()?.report().mfu))
}

/// The step of the first pinned scenario over this one.
fn longer(now: &Scenario, pins: &[Scenario]) -> Option<Found> {
    Some(Found::Change(pins.first()?.report().time.step / now.report().time.step - 1.0))
}

/// The size of the model over that of the second pinned scenario.
fn size_ratio(now: &Scenario, pins: &[Scenario]) -> Option<Found> {
    Some(Found::Times(now.model.size() / pins.get(1)?.model.size()))
}

/// The step over that of the first pinned scenario.
fn slower(now: &Scenario, pins: &[Scenario]) -> Option<Found> {
    Some(Found::Change(now.report().time.step / pins.first()?.report().time.step - 1.0))
}

/// Tokens a second and GPU over those of the first pinned scenario.
fn throughput(now: &Scenario, pins: &[Scenario]) -> Option<Found> {
    Some(Found::Change(now.report().tokens_per_s_per_gpu / pins.first()?.report().tokens_per_s_per_gpu - 1.0))
}

/// The states of the first pinned scenario on one GPU.
fn states_of_pinned(_: &Scenario, pins: &[Scenario]) -> Option<Found> {
    let setup = pins.first()?.setup();
    let params = setup.architecture.params() as f64;
    Some(Found::Bytes(states(params, setup.recipe, shard_degrees(&setup)).total()))
}

/// The step of the first pinned scenario.
fn pinned_step(_: &Scenario, pins: &[Scenario]) -> Option<Found> {
    Some(Found::Time(pins.first()?.report().time.step))
}

/// How many times as fast as the first pinned scenario it is.
fn faster(now: &Scenario, pins: &[Scenario]) -> Option<Found> {
    Some(Found::Times(pins.first()?.report().time.step / now.report().time.step))
}

/// Rows of `data/examples.toml`.
const PUBLISHED: &[Published] = include!(concat!(env!("OUT_DIR"), "/published.rs"));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::CLAIMS;

    fn of(id: &str) -> Compared {
        compared(CLAIMS.iter().find(|entry| entry.id == id).unwrap()).unwrap()
    }

    #[test]
    fn every_published_number_stands_beside_a_claim_and_one_of_the_engine() {
        for published in PUBLISHED {
            let Compared { here, .. } = of(published.id);
            let (Found::Points(value) | Found::Change(value) | Found::Times(value)) = here else { continue };
            assert!(value.is_finite(), "{}: {here:?}", published.id);
        }
        assert!(CLAIMS.iter().any(|entry| compared(entry).is_none()), "follow-up questions have none");
    }

    #[test]
    fn what_is_found_is_near_what_was_published_where_that_is_a_number() {
        let Found::Points(gain) = of("compare-bandwidth-7b").here else { panic!() };
        assert!((0.07..0.11).contains(&gain), "{gain}");
        let Found::Times(ratio) = of("compare-fsdp-ddp").here else { panic!() };
        assert!((ratio - 5.0).abs() < 0.1, "{ratio}");
        let Found::Bytes(bytes) = of("compare-pure-bf16").here else { panic!() };
        assert!((bytes.gb() / 56.0 - 1.0).abs() < 0.05, "{}", bytes.gb());
        let Found::Time(step) = of("compare-175b-3d").here else { panic!() };
        assert!((step.get() / 20.8286 - 1.0).abs() < 0.1, "{}", step.get());
        let Found::Change(slower) = of("compare-sharding-factor").here else { panic!() };
        // Measured: 1.5679 s against 1.1846 s.
        assert!((1.5679_f64 / 1.1846 - 1.32).abs() < 0.005 && slower > 0.0, "{slower}");
    }
}
