//! Imports rates of the user's own GPUs, measured by `static/measure.py`, as parameters of a
//! scenario.
//!
//! `file` reads the script's JSON, `found` converts its rows to parameters, and `taken` sets the
//! parameters in the scenario and describes each change.

mod file;
mod found;
mod taken;
mod words;

use engine::scenario::Scenario;

pub use taken::AppliedRates;

/// The measuring script: one Python file that only needs PyTorch.
pub const SCRIPT: &str = include_str!(concat!(env!("OUT_DIR"), "/measure.py"));

/// Message for users who upload the script in place of its output.
pub const IS_SCRIPT: &str = "This is the measuring script, not its result: run it on a node with GPUs (torchrun \
     --nproc-per-node=8 measure.py --out rates.json) and bring rates.json.";

/// Returns whether a text is the measuring script, of any version.
pub fn is_script(text: &str) -> bool {
    text.contains("dict(shardwise_measure=")
}

/// Reads the output of the script for a scenario; `None` if the text is not such an output.
///
/// # Errors
///
/// Returns a sentence if the file is invalid or truncated, or if its GPU is not in the catalog.
pub fn read_rates(text: &str, scenario: &Scenario) -> Option<Result<AppliedRates, String>> {
    let json = file::json(text)?;
    Some(json.and_then(|json| file::File::from_json(&json)).and_then(|file| taken::take(&file, scenario)))
}
