//! The texts of the box and the sheet; what came of it is said where it is read
//! ([`files::brought::words`]).

use engine::params::quantity::shorten;

/// The name of the box.
pub const SAY: &str = "Say it or bring it";
/// In the box while it is empty.
pub const SAY_EXAMPLE: &str = "llama 3.1 8b qlora on 2x4090, 8k, or a link, an error, a log";
/// The name of what stands under the box.
pub const BROUGHT: &str = "What was said or brought";
/// On the button that takes what the words mean.
pub const SAY_TAKE: &str = "Take it";
/// Before what words mean, once they are on screen.
pub const TAKEN: &str = "On screen.";
/// The name of the sheet.
pub const TITLE: &str = "Bring a file, a log or an error";
/// On the button that closes it.
pub const CLOSE: &str = "Close";
/// Over a text that has no name.
pub const PASTED: &str = "Pasted text";
/// The accessible name of the lines of a file.
pub const LINES: &str = "Lines, with the codes of the findings that would change them";
/// On the fold with the field for a text.
pub const ANOTHER: &str = "Paste a text";
/// Over the field for a text.
pub const PASTE: &str = "Paste a model's config.json, the configuration of a run (Axolotl, LLaMA-Factory, torchtune, TRL, Accelerate, DeepSpeed, torchtitan, Megatron, NeMo, verl, OpenRLHF, ms-swift, Unsloth, LitGPT, GPT-NeoX and more), an out-of-memory message, lines of a training log, the output of nccl-tests, what measure.py measured on your own GPUs, lengths of texts, or a link; or drop files, memory snapshots of PyTorch too, anywhere on the page";
/// Over the choice of a file.
pub const FILE: &str = "Or choose files";
/// Under the choice of a file.
pub const LOCAL: &str = "It is read in this browser and sent nowhere.";
/// Before the script that measures.
pub const MEASURE: &str = "Your own GPUs' rates take five minutes and PyTorch:";
/// The script, beside the page.
pub const SCRIPT: &str = "static/measure.py";
/// Its name.
pub const SCRIPT_NAME: &str = "measure.py";
/// On the button that takes an offered change.
pub const TAKE: &str = "Try it";

/// Asked before a run or an error is judged.
pub const WHICH_GPUS: &str = "Which GPUs? Nobody said, so nothing is judged yet.";
/// The choice of them.
pub const A_CLUSTER: &str = "Choose a cluster";

/// On the button that takes the GPUs on screen.
pub fn keep_gpus(gpus: u32, name: &str) -> String {
    format!("These: {gpus} × {name}")
}

/// The page about the codes of findings.
pub const CODES: &str = "docs/lint.html";
/// What it tells.
pub const EXPLAINED: &str = "What this finding means";

/// On the button that saves a file with an offered change.
pub fn save(file: &str) -> String {
    format!("Save {}", shorten(file))
}

/// Over folded lines: how many.
pub fn counted(title: &str, lines: usize) -> String {
    format!("{title} ({lines})")
}

/// Where the module that reads is missing.
pub const NOT_LOADED: &str =
    "What reads files could not be loaded. Check the connection, reload the page and try again.";
/// While it is loaded and reads.
pub const READING: &str = "Reading …";
