//! What programs ask of shardwise, as texts and numbers. The packages for JavaScript (`npm`) and
//! Python (`python`) and the command line (`cli`) share it, so that all answer alike.
//!
//! A scenario is the text of a link, a fragment, or a JSON object with the same keys or the names
//! that people know ([`links::spelling`]). It is read strictly ([`given`]): a typo is
//! refused and never another run, and what decides the answer and nobody stated is asked for
//! ([`open`]), unless the program asks for the forgiveness that the page has for links.

pub mod axis;
pub mod files;
pub mod given;
pub mod open;
pub mod plan;
pub mod rank;
pub mod sentence;
pub mod sweep;

use engine::json::compact;
use export::catalog_json::catalog_json;
use export::params_json::params_json;
use export::report_json::report_json;
use links::spelling;

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
    Ok(links::encode(&given.read()?.scenario))
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

/// Serialises a value. Our values have text keys and finite numbers, so this cannot fail.
fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
