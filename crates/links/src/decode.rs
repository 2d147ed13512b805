//! Decodes text into a scenario and a list of issues.

use serde_json::Value;

use super::keys::{CLUSTER_KEY, GPU_KEY, GPUS_KEY, VERSION_KEY};
use super::pairs::{self, Link, MOST_ISSUES, Pairs};
use super::{json, v1};
use catalog::names::usual_node;
use catalog::pick::fill_hosts;
use catalog::{AcceleratorEntry, ClusterEntry, accelerator};
use engine::params::ParamId;
use engine::scenario::Scenario;
use engine::scenario::issue::{Cause, Issue, Severity};
use engine::scenario::pins::MOST_PINS;

/// Longest text that is read as a link, in bytes. The longest links of the page have some thousand
/// characters; reading takes time and memory in proportion.
pub const LONGEST_LINK: usize = 64_000;

/// A decoded scenario, with the issues of its text.
#[derive(Clone, Debug, PartialEq)]
pub struct Decoded {
    /// The scenario; every parameter is within its bounds.
    pub scenario: Scenario,
    /// The scenarios pinned in the link, at most [`MOST_PINS`]; only those that could be read
    /// completely.
    pub pins: Vec<Scenario>,
    /// One issue for each part that could not be read: the part, the value, and the value used
    /// instead. Problems of the scenario itself come from [`engine::validate::issues`].
    pub issues: Vec<Issue>,
    /// The keys of links that the text sets, for the scenario on screen.
    pub keys: Vec<String>,
    /// Whether the usual node of the GPU was taken, as the text names no cluster.
    pub assumes_node: bool,
}

/// Decodes an address, a fragment with or without `#`, or a JSON object with the same keys. An
/// empty text gives the first visit's scenario; every text gives some scenario.
///
/// ```
/// use links::decode;
///
/// let decoded = decode("https://example.org/#v=1&cluster=dgx-h100&gpus=256&mem=abc");
/// assert_eq!(decoded.scenario.gpus, 256);
/// assert_eq!(decoded.scenario.accelerator.values.memory.gib(), 80.0);
/// assert_eq!(decoded.issues.len(), 1);
/// ```
pub fn decode(text: &str) -> Decoded {
    decode_text_with(text, decode_pairs)
}

/// Decodes a text like [`decode`], but in the usual node of the GPU if the text was written by hand
/// and names a GPU without a cluster. A note says so.
///
/// ```
/// let decoded = links::decode_in_node("gpu=b200&gpus=8");
/// assert_eq!(decoded.scenario.network.id, "dgx-b200");
/// assert_eq!(decoded.issues.len(), 1);
/// // Eight cards of a machine with two stand in one host.
/// let decoded = links::decode_in_node("gpu=rtx-3090&gpus=8");
/// assert_eq!(decoded.scenario.network.id, "workstation-2x-3090");
/// assert_eq!(decoded.scenario.network.values.gpus_per_node, 8);
/// ```
pub fn decode_in_node(text: &str) -> Decoded {
    decode_text_with(text, pairs_in_node)
}

/// Decodes an address or a fragment like [`decode_link`], but in the usual node of the GPU if it
/// was written by hand, like [`decode_in_node`].
///
/// ```
/// let decoded = links::decode::decode_link_in_node("#gpu=rtx-6000-ada&gpus=8");
/// assert_eq!(decoded.scenario.network.id, "server-8x-6000-ada");
/// ```
pub fn decode_link_in_node(text: &str) -> Decoded {
    decode_link_with(text, pairs_in_node)
}

fn pairs_in_node(mut link: Link) -> Decoded {
    link.screen.spell();
    let node = usual_node_of(&link.screen);
    link.screen.pairs.extend(node.map(|(_, node)| (CLUSTER_KEY.to_owned(), node.id.to_owned())));
    let mut decoded = decode_pairs(link);
    decoded.assumes_node = node.is_some();
    if let Some((gpu, node)) = node {
        decoded.issues.push(in_usual_node(gpu, node));
        decoded.issues.extend(in_one_host(&mut decoded.scenario, &decoded.keys));
    }
    decoded
}

/// Puts the GPUs of a run into one host if `keys` say their number and their usual node is a
/// smaller single machine, unless one of them says the size of a node; returns the note on it.
pub fn in_one_host(scenario: &mut Scenario, keys: &[String]) -> Option<Issue> {
    let says = |own: &str| keys.iter().any(|key| key == own);
    let is_open = says(GPUS_KEY) && !says(ParamId::GpusPerNode.key());
    let cards = is_open.then(|| fill_hosts(scenario)).flatten()?;
    let message = format!("Assumed, as not given: hosts with {cards} of these cards each.");
    Some(Issue::note(ParamId::GpusPerNode, message).because(Cause::Assumed))
}

/// Returns the note on the node that was taken for a GPU.
pub fn in_usual_node(gpu: &AcceleratorEntry, node: &ClusterEntry) -> Issue {
    let message = format!("Assumed, as not given: the usual node of the {}, {}.", gpu.name, node.name);
    Issue::note(CLUSTER_KEY, message).because(Cause::Assumed)
}

/// Returns the GPU of a text without a version and a cluster, with its usual node.
fn usual_node_of(pairs: &Pairs) -> Option<(&'static AcceleratorEntry, &'static ClusterEntry)> {
    let is_open = pairs.value(VERSION_KEY).is_none() && pairs.value(CLUSTER_KEY).is_none();
    let gpu = accelerator(pairs.value(GPU_KEY).filter(|_| is_open)?)?;
    Some((gpu, usual_node(gpu.id)?))
}

fn decode_text_with(text: &str, decoded: impl Fn(Link) -> Decoded) -> Decoded {
    if text.trim_start().starts_with('{') {
        decoded(Link::from_screen(json::parse_json_pairs(text)))
    } else {
        decode_link_with(text, decoded)
    }
}

/// Decodes an address or a fragment with or without `#`; an empty text gives the first visit's
/// scenario.
pub fn decode_link(text: &str) -> Decoded {
    decode_link_with(text, decode_pairs)
}

fn decode_link_with(text: &str, decoded: impl Fn(Link) -> Decoded) -> Decoded {
    let without = |issues| Decoded {
        scenario: catalog::default_scenario(),
        pins: Vec::new(),
        issues,
        keys: Vec::new(),
        assumes_node: false,
    };
    if text.len() > LONGEST_LINK {
        let issue = pairs::stray(Severity::Error, "The link could not be read: it is longer than 64 kB.");
        return without(vec![issue.uses(pairs::FIRST_SCENARIO)]);
    }
    pairs::parse_link(text).map_or_else(|| without(Vec::new()), decoded)
}

/// Decodes parsed JSON: a scenario, or a whole report that holds one.
pub fn decode_json(json: &Value) -> Decoded {
    decode_pairs(Link::from_screen(json::pairs(json)))
}

fn decode_pairs(link: Link) -> Decoded {
    let Link { mut screen, pins: mut sections, pinned } = link;
    screen.spell();
    sections.iter_mut().for_each(Pairs::spell);
    let keys = screen.pairs.iter().map(|(key, _)| key.clone()).collect();
    let mut issues = Vec::new();
    let mut pins = Vec::with_capacity(sections.len());
    for (section, place) in sections.into_iter().zip(PLACES) {
        let mut wrong = Vec::new();
        pins.extend(v1::read_pin(&screen, section, &mut wrong));
        issues.extend(wrong.into_iter().map(|issue| reword_for_pin(place, issue)));
    }
    if pinned > MOST_PINS {
        let issue = pairs::stray(Severity::Error, format!("The link pins {pinned} scenarios, more than {MOST_PINS}."));
        issues.push(issue.instead(format!("The first {MOST_PINS} were read.")));
    }
    // Issues of the scenario on screen come first.
    let mut of_screen = Vec::new();
    v1::check_versions(&screen, &mut of_screen);
    let scenario = v1::read_scenario(&screen, &mut of_screen);
    of_screen.extend(screen.issues);
    of_screen.append(&mut issues);
    let mut issues = of_screen;
    let more = issues.len().saturating_sub(MOST_ISSUES);
    if more > 1 {
        issues.truncate(MOST_ISSUES);
        issues.push(pairs::stray(Severity::Error, format!("{more} more parts of the link could not be read.")));
    }
    Decoded { scenario, pins, issues, keys, assumes_node: false }
}

/// Ordinals of the pinned scenarios.
const PLACES: [&str; MOST_PINS] = ["first", "second", "third"];

/// Rewords an issue of a pinned scenario. An error leaves the pin out, so the value used instead
/// does not matter.
fn reword_for_pin(place: &str, issue: Issue) -> Issue {
    match issue.severity {
        Severity::Error => {
            let message = format!("The {place} pinned scenario was left out. {}", issue.message);
            Issue { message, instead: String::new(), ..issue }
        }
        Severity::Note => Issue { message: format!("In the {place} pinned scenario: {}", issue.message), ..issue },
    }
}
