//! Text to scenario, and what could not be read.

use super::pairs::{self, Pairs};
use super::{json, v1};
use crate::catalog;
use crate::params::quantity::shorten;
use crate::scenario::Scenario;
use crate::scenario::issue::{Issue, Severity};

/// A banner with more sentences than this is not read; the rest is counted.
const MOST_ISSUES: usize = 12;

/// A scenario and what could not be read of the text it came from.
#[derive(Clone, Debug, PartialEq)]
pub struct Decoded {
    /// The scenario; every parameter is within its bounds.
    pub scenario: Scenario,
    /// One issue for each thing that could not be read: what, which value, what was used instead. What is wrong with the
    /// scenario itself is [`crate::params::issues`]'s.
    pub issues: Vec<Issue>,
}

/// Reads a whole address, a fragment with or without `#`, or a JSON object with the same keys; nothing gives the first
/// visit's scenario. Whatever the text, there is a scenario.
///
/// ```
/// use shardwise::share::decode;
///
/// let decoded = decode("https://example.org/#v=1&rev=2&cluster=dgx-h100&gpus=256&mem=abc");
/// assert_eq!(decoded.scenario.gpus, 256);
/// assert_eq!(decoded.scenario.accelerator.values.memory.gib(), 80.0);
/// assert_eq!(decoded.issues.len(), 1);
/// ```
pub fn decode(text: &str) -> Decoded {
    if text.trim_start().starts_with('{') { decode_pairs(json::read(text)) } else { decode_link(text) }
}

/// Reads a whole address or a fragment with or without `#`; nothing gives the first visit's scenario. The page reads its own
/// address with it, and so downloads no JSON parser.
pub fn decode_link(text: &str) -> Decoded {
    match pairs::read(text) {
        Some(pairs) => decode_pairs(pairs),
        None => Decoded { scenario: catalog::default_scenario(), issues: Vec::new() },
    }
}

fn decode_pairs(pairs: Pairs) -> Decoded {
    let mut issues = Vec::new();
    let unknown = |key: &str, newest: u32| {
        let typed = pairs.value(key)?;
        let known = typed.parse().is_ok_and(|number: u32| (1..=newest).contains(&number));
        (!known).then(|| shorten(typed))
    };
    if let Some(version) = unknown(v1::VERSION_KEY, v1::VERSION) {
        let message = format!(
            "The link is of version “{version}”, which this page does not know. What version {} has in common with it was read.",
            v1::VERSION
        );
        issues.push(pairs::stray(Severity::Error, message));
    }
    if let Some(revision) = unknown(v1::REVISION_KEY, catalog::REVISION) {
        let message = format!(
            "The link was made with revision “{revision}” of the catalog. Revision {} was used, whose values may differ.",
            catalog::REVISION
        );
        issues.push(pairs::stray(Severity::Error, message));
    }
    let scenario = v1::read(&pairs, &mut issues);
    issues.extend(pairs.issues);
    let more = issues.len().saturating_sub(MOST_ISSUES);
    if more > 1 {
        issues.truncate(MOST_ISSUES);
        issues.push(pairs::stray(Severity::Error, format!("{more} more parts of the link could not be read either.")));
    }
    Decoded { scenario, issues }
}
