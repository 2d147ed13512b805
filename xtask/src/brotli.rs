//! How large files are on their way to a browser, and the files that a server sends there as they are.

use anyhow::{Context as _, Result, anyhow};
use std::path::{Path, PathBuf};

use crate::shell::{output, program, run};
use crate::tools::node;

/// Prints the size of each file after brotli at its best, which is Node's default.
const SCRIPT: &str = "for (const file of process.argv.slice(1))
    console.log(require('zlib').brotliCompressSync(require('fs').readFileSync(file)).length)";

/// The size of each of these files after brotli, in bytes.
///
/// # Errors
/// When there is no Node, or a file cannot be read.
pub fn sizes(files: &[PathBuf]) -> Result<Vec<u64>> {
    let sizes = output(program(node()?).args(["-e", SCRIPT]).args(files));
    let sizes = sizes.ok_or_else(|| anyhow!("Node could not compress the files of dist/."))?;
    Ok(sizes.lines().filter_map(|line| line.trim().parse::<u64>().ok()).collect())
}

/// Writes `FILE.br` beside each file that it is given and that gets smaller by it.
const BESIDE: &str = "const { readFileSync, writeFileSync } = require('fs');
    for (const file of process.argv.slice(1)) {
        const bytes = readFileSync(file);
        const small = require('zlib').brotliCompressSync(bytes);
        if (small.length < bytes.length) writeFileSync(`${file}.br`, small);
    }";

/// What is text, or code; pictures and fonts are compressed already.
const KINDS: [&str; 7] = ["css", "html", "js", "json", "svg", "txt", "wasm"];

/// How many files one Node is given.
const BATCH: usize = 100;

/// Puts a compressed copy beside every file in a folder and below that gets smaller by it, for servers that send those.
///
/// # Errors
/// When there is no Node, or a file cannot be read or written.
pub fn beside(folder: &Path) -> Result<()> {
    let node = node()?;
    let files = below(folder)?;
    let kind = |file: &PathBuf| file.extension().is_some_and(|kind| KINDS.iter().any(|known| kind == *known));
    let files: Vec<PathBuf> = files.into_iter().filter(kind).collect();
    files.chunks(BATCH).try_for_each(|files| run(program(&node).args(["-e", BESIDE]).args(files)))
}

/// Every file in a folder and below, by name.
///
/// # Errors
/// When one of the folders cannot be read.
pub fn below(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("{} could not be read", folder.display()))?;
    let mut files = Vec::new();
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() { files.extend(below(&path)?) } else { files.push(path) }
    }
    files.sort();
    Ok(files)
}
