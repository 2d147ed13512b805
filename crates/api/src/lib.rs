//! What programs ask of shardwise, as texts and numbers. The packages for JavaScript (`npm`) and
//! Python (`python`) and the command line (`cli`) share it, so that all answer alike.
//!
//! A scenario is the text of a link, a fragment, or a JSON object with the same keys or the names that
//! people know ([`engine::share::spelling`]). It is read strictly ([`given`]): a typo is refused and
//! never another run, and what decides the answer and nobody stated is asked for ([`open`]), unless the
//! program asks for the forgiveness that the page has for links.

pub mod axis;
pub mod files;
pub mod given;
pub mod open;
pub mod plan;
pub mod rank;
pub mod sweep;

use engine::catalog::pick::{pick_accelerator, pick_cluster, pick_model};
use engine::export::catalog_json::catalog_json;
use engine::export::params_json::params_json;
use engine::export::report_json::report_json;
use engine::json::compact;
use engine::nearest::did_you_mean;
use engine::params::quantity::shorten;
use engine::params::{self, ParamId};
use engine::scenario::Scenario;
use engine::scenario::issue::{Cause, Issue};
use engine::share::{self, spelling, v1};

pub use given::{Given, Read, Reading, Refusal};
pub use open::Open;
pub use plan::plan;
pub use rank::rank;

/// Returns the whole report of a scenario as JSON.
///
/// # Errors
///
/// What cannot be read, or is missing.
pub fn estimate(given: &Given) -> Result<String, Refusal> {
    let Read { scenario, issues, .. } = given.answerable(&Open::ALL)?;
    Ok(compact(&report_json(&scenario, &scenario.report(), &issues)))
}

/// Returns what there is to say of a scenario whose axes are varied, as in its report.
///
/// # Errors
///
/// What cannot be read, or is missing and is no axis.
pub fn issues(given: &Given, axes: &[String]) -> Result<String, Refusal> {
    let mut read = given.read()?;
    for axis in axes {
        for (key, _) in &spelling::spell(axis, "").pairs {
            read.stated.add(key);
        }
    }
    // Every point has its own verdict: what decides one of them is no question for all.
    read.open(&[Open::Model], given.reading)?;
    Ok(axis::said(&read.issues).to_string())
}

/// Returns the fragment of a scenario's link, without `#`.
///
/// # Errors
///
/// What cannot be read.
pub fn link(given: &Given) -> Result<String, Refusal> {
    Ok(share::encode(&given.read()?.scenario))
}

/// Returns the catalog as JSON.
pub fn catalog() -> String {
    json(&catalog_json())
}

/// Returns the table of parameters as JSON, with their values in a scenario.
///
/// # Errors
///
/// What cannot be read.
pub fn parameters(given: &Given) -> Result<String, Refusal> {
    Ok(json(&params_json(&given.read()?.scenario)))
}

/// Sets a value of a scenario under a key of links. Gives what is wrong with it.
fn set(scenario: &mut Scenario, key: &str, typed: &str) -> Option<Issue> {
    let is_known = match key {
        v1::CLUSTER_KEY => pick_cluster(scenario, typed),
        v1::GPU_KEY => pick_accelerator(scenario, typed),
        v1::MODEL_KEY => pick_model(scenario, typed),
        v1::NODES_KEY | v1::BATCH_KEY => return v1::set_following(scenario, key, typed, None),
        // The page's versions: they say how a link is read, and set nothing.
        v1::VERSION_KEY | v1::REVISION_KEY => return None,
        _ => {
            return match params::find(key) {
                Some(param) if !params::is_held(param, scenario) && param.id != ParamId::ModelSize => {
                    let message = format!(
                        "“{}” describes a custom model, which a link marks with model=custom. It was left out.",
                        shorten(&format!("{key}={typed}"))
                    );
                    Some(Issue::note(param.id, message).because(Cause::LeftOut))
                }
                Some(param) => share::set_typed(param, typed, scenario),
                None => Some(v1::unknown_key(key, typed)),
            };
        }
    };
    let near = did_you_mean(&spelling::values_near(key, typed));
    let message = || format!("The catalog has no {key} “{}”.{near}", shorten(typed));
    (!is_known).then(|| Issue::error(known_key(key), message()).because(Cause::UnknownName))
}

/// One of the keys of what is picked of the catalog.
fn known_key(key: &str) -> &'static str {
    [v1::CLUSTER_KEY, v1::GPU_KEY].into_iter().find(|own| *own == key).unwrap_or(v1::MODEL_KEY)
}

/// Serialises a value. Our values have text keys and finite numbers, so this cannot fail.
fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
