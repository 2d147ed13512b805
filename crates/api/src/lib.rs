//! What programs ask of shardwise, as texts and numbers. The packages for JavaScript (`npm`) and
//! Python (`python`) and the command line (`cli`) share it, so that all answer alike.
//!
//! A scenario is the text of a link, a fragment, or a JSON object with the same keys
//! ([`engine::share::decode()`]). Nothing here fails: what cannot be read is returned as issues.

pub mod axis;
pub mod files;
pub mod plan;
pub mod rank;
pub mod sweep;

use engine::catalog::pick::{pick_accelerator, pick_cluster, pick_model};
use engine::export::catalog_json::catalog_json;
use engine::export::params_json::params_json;
use engine::export::report_json::report_json;
use engine::json::compact;
use engine::params::quantity::shorten;
use engine::scenario::Scenario;
use engine::scenario::issue::{Issue, Severity};
use engine::share::v1;
use engine::{params, share};

pub use plan::plan;
pub use rank::rank;

/// Returns the whole report of a scenario as JSON.
pub fn estimate(scenario: &str) -> String {
    let (scenario, issues) = read(scenario);
    compact(&report_json(&scenario, &scenario.report(), &issues))
}

/// Returns what is wrong with a scenario, as in its report.
pub fn issues(scenario: &str) -> String {
    axis::said(&read(scenario).1).to_string()
}

/// Returns the fragment of a scenario's link, without `#`.
pub fn link(scenario: &str) -> String {
    share::encode(&share::decode(scenario).scenario)
}

/// Returns the catalog as JSON.
pub fn catalog() -> String {
    json(&catalog_json())
}

/// Returns the table of parameters as JSON, with their values in a scenario.
pub fn parameters(scenario: &str) -> String {
    json(&params_json(&share::decode(scenario).scenario))
}

/// Reads a scenario and everything that is wrong with it.
pub fn read(text: &str) -> (Scenario, Vec<Issue>) {
    let decoded = share::decode(text);
    let mut issues = decoded.issues;
    issues.extend(params::issues(&decoded.scenario));
    (decoded.scenario, issues)
}

/// Sets a value of a scenario as a link's pair does: of a parameter, or an entry of the catalog. Gives what is wrong with it.
pub fn set(scenario: &mut Scenario, key: &str, typed: &str) -> Option<Issue> {
    let is_known = match key {
        v1::CLUSTER_KEY => pick_cluster(scenario, typed),
        v1::GPU_KEY => pick_accelerator(scenario, typed),
        v1::MODEL_KEY => pick_model(scenario, typed),
        _ => {
            let Some(param) = params::find(key) else {
                let message = format!("“{}” is no key of a scenario: `shardwise parameters` lists them.", shorten(key));
                return Some(Issue { severity: Severity::Error, key: None, message });
            };
            return share::set_typed(param, typed, scenario);
        }
    };
    let message = || format!("The catalog has no {key} “{}”: `shardwise catalog` lists them.", shorten(typed));
    (!is_known).then(|| Issue { severity: Severity::Error, key: None, message: message() })
}

/// Returns the fragment of a scenario's link with values set, entries of the catalog first.
///
/// # Errors
/// The sentences about values that are none.
pub fn with(scenario: &str, pairs: &[(String, String)]) -> Result<String, String> {
    let mut scenario = share::decode(scenario).scenario;
    let mut pairs: Vec<&(String, String)> = pairs.iter().collect();
    pairs.sort_by_key(|(key, _)| rank_of(key));
    let issues = pairs.into_iter().filter_map(|(key, typed)| set(&mut scenario, key, typed));
    let wrong: Vec<String> =
        issues.filter(|issue| issue.severity == Severity::Error).map(|issue| issue.message).collect();
    if wrong.is_empty() { Ok(share::encode(&scenario)) } else { Err(wrong.join(" ")) }
}

/// The place of a key among those that are set: what is picked of the catalog before what changes in it.
pub fn rank_of(key: &str) -> usize {
    [v1::CLUSTER_KEY, v1::GPU_KEY, v1::MODEL_KEY].iter().position(|first| *first == key).unwrap_or(3)
}

/// Serialises a value. Our values have text keys and finite numbers, so this cannot fail.
fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
