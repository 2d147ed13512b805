//! Sentences about imports.

use catalog::ModelEntry;
use engine::format;
use engine::names;
use engine::params::quantity::shorten;

use diagnose::log;
use huggingface::{Adapter, Imported, TextLengths};

/// Error: no input.
pub const NOTHING: &str = "The input is empty: paste a text or choose a file.";
/// Error: a picture without a link.
pub const NO_LINK: &str = "This picture holds no link to a scenario: it was not saved by this page, or another program left the \
     link out. Drop one that was saved here, or open its link.";
/// Error: neither text nor a picture saved by this page.
pub const NO_TEXT: &str =
    "This is neither text nor a PNG. Drop a config.json, or an SVG, PNG, CSV or JSON that was saved here.";
/// Error: a notebook without a known trainer.
pub const NOTEBOOK: &str = "This is a notebook whose code has no settings of a trainer that is known. Give those that it passes to the trainer: as a file of the \
     program, or by hand (model, seq, mbs, accum, gpus).";

/// Whether a text is a Jupyter notebook.
pub fn is_notebook(text: &str, file: Option<&str>) -> bool {
    let is_one = |end: &str| file.is_some_and(|file| file.to_ascii_lowercase().ends_with(end));
    is_one(".ipynb")
        || text.trim_start().starts_with('{') && text.contains("\"nbformat\"") && text.contains("\"cells\"")
}

/// Whether a file is a script or a configuration by its name, which no log has.
pub fn is_script(file: &str) -> bool {
    let file = file.to_ascii_lowercase();
    [".py", ".sh", ".bash", ".slurm", ".sbatch", ".yaml", ".yml", ".toml"].iter().any(|end| file.ends_with(end))
}

/// Whether a text is a log: lines with a step and figures.
pub fn is_log(text: &str) -> bool {
    let words = ["step", "iter", "epoch", "loss", "tok/s", "it/s", "lr"];
    let is_line = |line: &&str| {
        let lower = line.to_ascii_lowercase();
        let figures = lower.split(|letter: char| !letter.is_ascii_digit()).filter(|figure| !figure.is_empty()).count();
        figures >= 3 && words.iter().filter(|word| lower.contains(**word)).count() >= 2
    };
    // A text that begins with a brace is a log only if each line is an object.
    let is_json = |line: &str| line.trim_start().starts_with('{') && line.trim_end().ends_with('}');
    if text.trim_start().starts_with('{') && !text.lines().next().is_some_and(is_json) {
        return false;
    }
    let lines = text.lines().take(1000).filter(|line| !line.trim().is_empty());
    let (all, of_log) = (lines.clone().count(), lines.filter(is_line).count());
    of_log > 0 && of_log * 2 >= all
}

/// Returns the error for a log of an unknown program.
pub fn no_known_log(text: &str) -> String {
    if let Some(said) = log::untimed(text) {
        return said.to_owned();
    }
    format!("This is no log that is known here: those of {} are read. Give the time of a step by hand.", log::writers())
}

/// Returns the error for a text that is too long for a configuration and is no known log.
pub fn too_long() -> String {
    format!(
        "This text is longer than a million characters and no log that is known here (those of {} are), and a configuration has a few \
         thousand.",
        log::writers()
    )
}

/// Confirms that a scenario was restored.
pub fn restored(file: Option<&str>, pins: usize) -> String {
    let from = file.map_or_else(|| "the link".to_owned(), |file| format!("“{}”", shorten(file)));
    let with = match pins {
        0 => "",
        1 => " and the scenario pinned beside it",
        _ => " and the scenarios pinned beside it",
    };
    format!("Restored the scenario of {from}{with}. Undo to go back.")
}

/// Adds the name of a file to a problem.
pub fn prefix_file_name(file: &str, problem: &str) -> String {
    format!("“{}”: {problem}", shorten(file))
}

/// Prefix of the addresses of models.
const HUB: &str = "https://huggingface.co/";

/// Whether a text is the address of something.
pub fn is_address(text: &str) -> bool {
    let text = text.trim();
    ["https://", "http://"].iter().any(|start| text.starts_with(start)) && !text.contains(char::is_whitespace)
}

/// Returns the error for an address, which the page does not fetch.
pub fn not_fetched(address: &str) -> String {
    let mut parts = address.trim().strip_prefix(HUB).unwrap_or_default().split('/').filter(|part| !part.is_empty());
    let place = match (parts.next(), parts.next()) {
        (Some(owner), Some(model)) => format!("{HUB}{owner}/{model}/raw/main/config.json"),
        _ => "it".to_owned(),
    };
    format!("This page fetches nothing from other sites. Open {place} in another tab and paste the text that it shows.")
}

/// Summarises an imported model: name, catalog entry, size, and keys that were not understood.
pub fn imported(imported: &Imported, entry: Option<&ModelEntry>) -> String {
    let shape = &imported.architecture;
    let params = format::params(shape.params() as f64);
    let layers = shape.num_hidden_layers;
    let known = entry.map_or_else(String::new, |entry| format!(" is {} of the catalog", entry.name));
    let listed = names::layers(shape).map_or_else(String::new, |list| format!(" ({list})"));
    let mut text = format!("{}{known}: {layers} layers{listed}, {params} parameters", imported.name);
    if shape.has_experts() {
        text = text + ", " + &format::params(shape.active_params() as f64) + " active";
    }
    text.push('.');
    if shape.tower.is_used() {
        let tower = &shape.tower;
        let what = if tower.fixed_positions > 0 { "clip of sound" } else { "image" };
        text = text
            + " Of them "
            + &format::params(tower.all_params() as f64)
            + " are an encoder’s and its projection’s: "
            + &format::count(f64::from(tower.tokens(0)))
            + " tokens for each usual "
            + what
            + ".";
    }
    if let Some(stored) = imported.stored {
        text = text + " " + &stored.says();
    }
    if !imported.not_understood.is_empty() {
        text = text + " Not understood: " + &imported.not_understood.join(", ") + ".";
    }
    text
}

/// Lists the keys that were read.
pub fn list_read_keys<T: AsRef<str>>(keys: &[T]) -> String {
    let keys: Vec<&str> = keys.iter().map(AsRef::as_ref).collect();
    format!("Read: {}.", keys.join(", "))
}

/// Summarises an imported adapter: rank, model, and remarks about inexact values.
pub fn adapted(adapter: &Adapter) -> String {
    let model = adapter.model().map_or_else(String::new, |entry| format!(" for {}", entry.name));
    let mut text = format!("An adapter of rank {}{model}.", adapter.trained().rank);
    for remark in &adapter.remarks {
        text = text + " " + remark;
    }
    text
}

/// Summarises imported lengths.
pub fn describe_lengths(lengths: &TextLengths) -> String {
    let [count, mean, longest] =
        [lengths.count as f64, lengths.mean, lengths.longest].map(|value| format::count(value.round()));
    format!("{count} texts of {mean} tokens on average, the longest of {longest}: sequences are now made of texts.")
}
