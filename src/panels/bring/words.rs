//! Texts of the box and the sheet; the texts about the input are in [`files::brought::words`].

use engine::params::quantity::shorten;

/// Name of the box.
pub const SAY: &str = "Say it or bring it";
/// Placeholder of the box.
pub const SAY_EXAMPLE: &str = "llama 3.1 8b qlora on 2x4090, 8k";
/// Name of the region under the box.
pub const BROUGHT: &str = "What was said or brought";
/// Label of the button that takes the meaning of the words.
pub const SAY_TAKE: &str = "Take it";
/// Text before the meaning of the words, once it is on screen.
pub const TAKEN: &str = "On screen.";
/// Name of the line of chips.
pub const CHIPS: &str = "What was understood, assumed and not understood";
/// Text before the name of an assumed value, for screen readers.
pub const ASSUMED: &str = "Assumed:";
/// Label of the fold with the reasons of the assumed values.
pub const WHY_ASSUMED: &str = "Why these";
/// Name of the button that clears the box, so that the line of chips gives way to the run's own
/// sentence.
pub const CLEAR: &str = "Clear what was said";
/// Text in place of the verdict while files wait for their GPUs.
pub const NOT_JUDGED: &str = "Nothing is judged yet: which GPUs, and how many?";

/// Returns the tooltip of an understood part.
pub fn said(text: &str) -> String {
    format!("Said: “{}”.", shorten(text))
}

/// Returns the tooltip of an assumed value.
pub fn assumed(label: &str, why: &str) -> String {
    format!("{label}: assumed, as {why}. Click to change it.")
}

/// Name of the sheet.
pub const TITLE: &str = "Bring a file, a log or an error";
/// Label of the button that closes the sheet.
pub const CLOSE: &str = "Close";
/// Caption of a text that has no name.
pub const PASTED: &str = "Pasted text";
/// Accessible name of the lines of a file.
pub const LINES: &str = "Lines, with the codes of the findings that would change them";
/// Label of the fold with the field for a text.
pub const ANOTHER: &str = "Paste a text";
/// Label of the field for a text.
pub const PASTE: &str = "Paste a model's config.json, the configuration of a run (Axolotl, LLaMA-Factory, torchtune, TRL, Accelerate, DeepSpeed, torchtitan, Megatron, NeMo, verl, OpenRLHF, ms-swift, Unsloth, LitGPT, GPT-NeoX and more), an out-of-memory message, lines of a training log, the output of nccl-tests, what measure.py measured on your own GPUs, lengths of texts, or a link; or drop files, memory snapshots of PyTorch too, anywhere on the page";
/// Label of the choice of a file.
pub const FILE: &str = "Or choose files";
/// Note under the choice of a file.
pub const LOCAL: &str = "It is read in this browser and sent nowhere.";
/// Text before the link to the script that measures.
pub const MEASURE: &str = "Your own GPUs' rates take five minutes and PyTorch:";
/// Path of the script.
pub const SCRIPT: &str = "static/measure.py";
/// Name of the script.
pub const SCRIPT_NAME: &str = "measure.py";
/// Label of the button that takes an offered change.
pub const TAKE: &str = "Try it";

/// Question before the findings about a run or an error.
pub const WHICH_GPUS: &str = "Which GPUs, and how many? Nobody said, so nothing is judged yet.";
/// First option of the select of clusters.
pub const A_CLUSTER: &str = "Choose a cluster";

/// Returns the label of the button that sets a number of GPUs.
pub fn so_many(gpus: u32) -> String {
    engine::format::gpus(gpus)
}

/// Returns the label of the button that confirms the GPUs on screen.
pub fn keep_gpus(gpus: u32, name: &str) -> String {
    format!("These: {gpus} × {name}")
}

/// Address of the page about the codes of findings.
pub const CODES: &str = "docs/lint.html";
/// Tooltip of the link to the page about the codes.
pub const EXPLAINED: &str = "What this finding means";

/// Returns the label of the button that saves a file with an offered change.
pub fn save(file: &str) -> String {
    format!("Save {}", shorten(file))
}

/// Returns the heading of folded lines, with their number.
pub fn counted(title: &str, lines: usize) -> String {
    format!("{title} ({lines})")
}

/// Error if the module that reads files could not be loaded.
pub const NOT_LOADED: &str =
    "The file reader could not be loaded. Check the connection, reload the page and try again.";
/// Status while the module is loaded and reads.
pub const READING: &str = "Reading …";
