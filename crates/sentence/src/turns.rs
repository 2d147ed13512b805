//! The values at which the verdict on a run turns, of what the text leaves open.

use catalog::accuracy::Fit;
use engine::model::training::Recompute;
use engine::params::labels;
use engine::params::quantity::group_thousands;
use engine::scenario::Scenario;

use crate::said::StatedValues;

/// Longest sequence that is tried, in tokens.
const LONGEST: u32 = 1 << 20;
/// Shortest sequence that is tried, in tokens.
const SHORTEST: u32 = 256;
/// Largest micro-batch that is tried.
const LARGEST: u32 = 64;

/// Returns the open values with those at which the verdict turns: `micro-batch 1, with 2 it does
/// not fit`. Empty if nothing open turns it.
pub(crate) fn turns(said: &StatedValues, scenario: &Scenario) -> String {
    let fits = |scenario: &Scenario| Fit::check(scenario, &scenario.report()).fits;
    let now = fits(scenario);
    let turned = |changed: &Scenario| fits(changed) != now;
    let doubled = |from: u32, most: u32| {
        core::iter::successors(Some(from), |value| value.checked_mul(2)).skip(1).take_while(move |value| *value <= most)
    };
    let halved = |from: u32, least: u32| {
        core::iter::successors(Some(from), |value| Some(value / 2)).skip(1).take_while(move |value| *value >= least)
    };
    let verb = if now { "it does not fit" } else { "it fits" };
    let mut parts: Vec<String> = Vec::new();
    if !said.has(&["mbs", "batchword"]) {
        let of = |size: u32| {
            let mut changed = *scenario;
            changed.micro_batch_size = size;
            changed
        };
        let own = scenario.micro_batch_size;
        let found = if now { doubled(own, LARGEST).map(of).find(turned) } else { halved(own, 1).map(of).find(turned) };
        parts.extend(found.map(|other| format!("micro-batch {own}, with {} {verb}", other.micro_batch_size)));
    }
    if !said.has(&["seq"]) {
        let of = |seq_len: u32| Scenario { seq_len, ..*scenario };
        let own = scenario.seq_len;
        let found =
            if now { doubled(own, LONGEST).map(of).find(turned) } else { halved(own, SHORTEST).map(of).find(turned) };
        let tokens = |length: u32| group_thousands(&length.to_string());
        parts.extend(found.map(|other| format!("{} tokens, with {} {verb}", tokens(own), tokens(other.seq_len))));
    }
    if !said.has(&["recompute"]) && now && scenario.recompute != Recompute::None {
        let mut none = *scenario;
        none.recompute = Recompute::None;
        let name = labels::recompute(scenario).to_lowercase();
        parts.extend((!fits(&none)).then(|| format!("checkpointing {name}, with none {verb}")));
    }
    parts.join("; ")
}
