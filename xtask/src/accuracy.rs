//! `cargo xtask accuracy`: rewrites the tables of docs/accuracy.md, and what the engine records of them by accelerator.

use anyhow::{Context as _, Result, anyhow, bail};
use std::path::PathBuf;

use crate::engine::SCORE;
use crate::shell::{cargo, output, root, step};

/// Marks the start and the end of the tables.
const MARKER: &str = "<!-- accuracy -->";
/// The document.
const DOCUMENT: &str = "docs/accuracy.md";
/// What the engine records.
const RECORDED: &str = "crates/engine/src/catalog/accuracy/recorded.rs";

/// Scores the rows under tests/measured and writes the tables between the document's markers. What the engine records comes first:
/// the ranges that the tables count by are read from it.
///
/// # Errors
/// When the score cannot be run or the document cannot be read or written.
pub fn run() -> Result<()> {
    step("Score of the published measurements");
    let recorded = scored("--recorded")?;
    std::fs::write(root().join(RECORDED), recorded.trim().to_owned() + "\n")
        .with_context(|| format!("`{RECORDED}` could not be written"))?;
    let tables = scored("--markdown")?;
    let path = root().join(DOCUMENT);
    let document = std::fs::read_to_string(&path).with_context(|| format!("`{DOCUMENT}` could not be read"))?;
    let parts: Vec<&str> = document.split(MARKER).collect();
    let [before, _, after] = parts.as_slice() else {
        bail!("`{DOCUMENT}` should have `{MARKER}` twice, before and after the tables.");
    };
    let written = format!("{before}{MARKER}\n\n{}\n\n{MARKER}{after}", tables.trim());
    std::fs::write(&path, written).with_context(|| format!("`{DOCUMENT}` could not be written"))?;
    println!("{DOCUMENT} is current.");
    Ok(())
}

/// What the score of all tables prints in a format.
fn scored(format: &str) -> Result<String> {
    let mut command = cargo(&["run", "--quiet", "--release", "--package", SCORE, "--example", "score", "--"]);
    command.arg(format).args(tables()?);
    output(&mut command).ok_or_else(|| anyhow!("The score could not be computed."))
}

/// The folders of the tables: dense models, mixtures of experts, fine-tuning, and other silicon.
const FOLDERS: [&str; 4] =
    ["tests/measured", "tests/measured/mixtures", "tests/measured/finetuned", "tests/measured/silicon"];

/// Returns the tables of measurements, sorted by folder and name.
fn tables() -> Result<Vec<PathBuf>> {
    let mut tables = Vec::new();
    for folder in FOLDERS {
        let entries =
            std::fs::read_dir(root().join(folder)).with_context(|| format!("`{folder}` could not be read"))?;
        let files = entries.filter_map(std::result::Result::ok).map(|entry| entry.path());
        let mut of_folder: Vec<PathBuf> =
            files.filter(|path| path.extension().is_some_and(|kind| kind == "csv")).collect();
        of_folder.sort();
        tables.append(&mut of_folder);
    }
    Ok(tables)
}
