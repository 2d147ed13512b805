//! Interface of shardwise for programs, with texts and numbers. The packages for JavaScript (`npm`)
//! and Python (`python`) and the command line (`cli`) share this interface, so their answers agree.
//!
//! A scenario is the text of a link, a fragment, or a JSON object with the keys of links or other
//! common names ([`links::spelling`]). Reading is strict ([`given`]): a typo is refused
//! instead of describing another run, and missing values that decide the answer are requested
//! ([`open`]), unless the program requests the lenient mode that the page uses for links.

pub mod axis;
pub mod files;
pub mod given;
pub mod mixed;
pub mod open;
pub mod plan;
pub mod rank;
pub mod sentence;
pub mod settings;
pub mod sweep;

use engine::json::compact;
use engine::scenario::issue::Cause;
use export::catalog_json::catalog_json;
use export::params_json::params_json;
use export::report_json::{issues_json, report_json};
use links::effect::may_have_effect;
use links::spelling;

pub use given::{Given, Read, Reading, Refusal};
pub use mixed::mixed;
pub use open::Open;
pub use plan::plan;
pub use rank::rank;
pub use settings::export;

/// Returns the whole report of a scenario as JSON.
///
/// # Errors
///
/// Returns a refusal for invalid input or missing values.
pub fn estimate(given: &Given) -> Result<String, Refusal> {
    let Read { scenario, issues, .. } = given.answerable(&Open::ALL)?;
    Ok(compact(&report_json(&scenario, &scenario.report(), &issues)))
}

/// Returns the issues of a scenario whose axes are varied, as in its report.
///
/// # Errors
///
/// Returns a refusal for invalid input or missing values, except values of axes.
pub fn issues(given: &Given, axes: &[String]) -> Result<String, Refusal> {
    let mut read = given.read_scenario()?;
    for axis in axes {
        for (key, _) in &spelling::spell(axis, "").pairs {
            read.stated.add(key);
        }
    }
    // Each point has its own verdict, so values that decide only some points are not requested, and
    // a value that has an effect at some points is none without.
    let Read { scenario, issues, .. } = &mut read;
    let has_effect = |key: &str| axes.iter().any(|axis| may_have_effect(scenario, key, axis));
    issues.retain(|issue| issue.cause != Cause::NoEffect || !issue.key.is_some_and(has_effect));
    read.open(&[Open::Model, Open::Gpus, Open::Hardware, Open::Node], given.reading)?;
    Ok(issues_json(&read.issues).to_string())
}

/// Returns the fragment of a scenario's link, without `#`.
///
/// # Errors
///
/// Returns a refusal for invalid input.
pub fn link(given: &Given) -> Result<String, Refusal> {
    Ok(links::encode(&given.read_scenario()?.scenario))
}

/// Returns the catalog as JSON.
pub fn catalog() -> String {
    json(&catalog_json())
}

/// Returns the table of parameters as JSON, with the values of a scenario.
///
/// # Errors
///
/// Returns a refusal for invalid input.
pub fn parameters(given: &Given) -> Result<String, Refusal> {
    Ok(json(&params_json(&given.read_scenario()?.scenario)))
}

/// Serializes a value. Values here have text keys and finite numbers, so serialization cannot fail.
fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
