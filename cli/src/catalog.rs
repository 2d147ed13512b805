//! Prints the entries of the catalog and the keys of a scenario.

use catalog::default_scenario;
use export::catalog_json::catalog_json;
use export::params_json::params_json;

use crate::Answer;

/// Prints the catalog.
pub(crate) fn catalog() -> Result<Answer, String> {
    pretty(&catalog_json())
}

/// Prints the keys of a scenario.
pub(crate) fn parameters() -> Result<Answer, String> {
    pretty(&params_json(&default_scenario()))
}

fn pretty(value: &impl serde::Serialize) -> Result<Answer, String> {
    let text = serde_json::to_string_pretty(value).map_err(|cause| format!("It could not be written: {cause}."))?;
    Ok(Answer::new(text + "\n"))
}
