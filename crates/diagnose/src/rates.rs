//! Rates of one's own GPUs: what `static/measure.py` wrote, as parameters of the scenario at hand.
//!
//! `file` reads its JSON, `found` turns its rows into parameters, `taken` puts them into the
//! scenario and says what each changes.

mod file;
mod found;
mod taken;
mod words;

use engine::scenario::Scenario;

pub use taken::Taken;

/// The script that measures: one file of Python, which needs PyTorch alone.
pub const SCRIPT: &str = include_str!("../../../static/measure.py");

/// In place of the script itself.
pub const IS_SCRIPT: &str = "This is the script that measures, not what it measured: run it on a node with GPUs (torchrun \
     --nproc-per-node=8 measure.py --out rates.json) and bring rates.json.";

/// Whether a text is the script, of any version.
pub fn is_script(text: &str) -> bool {
    text.contains("dict(shardwise_measure=")
}

/// Reads what the script wrote, for a scenario; nothing where a text is not its.
///
/// # Errors
///
/// A sentence where the file is wrong or cut off, or the catalog does not know its GPU.
pub fn read(text: &str, scenario: &Scenario) -> Option<Result<Taken, String>> {
    let json = file::json(text)?;
    Some(json.and_then(|json| file::File::of(&json)).and_then(|file| taken::take(&file, scenario)))
}
