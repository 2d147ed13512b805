//! Brotli: the compressed sizes of files, and compressed copies for web servers.

use anyhow::{Context as _, Result, anyhow};
use std::path::{Path, PathBuf};

use crate::shell::{output, program, run};
use crate::tools::node;

/// Prints the size of each file after brotli at its highest quality, which is Node's default.
const SCRIPT: &str = "for (const file of process.argv.slice(1))
    console.log(require('zlib').brotliCompressSync(require('fs').readFileSync(file)).length)";

/// Returns the size of each file after brotli, in bytes.
///
/// # Errors
/// When there is no Node, or a file cannot be read.
pub fn sizes(files: &[PathBuf]) -> Result<Vec<u64>> {
    let sizes = output(program(node()?).args(["-e", SCRIPT]).args(files));
    let sizes = sizes.ok_or_else(|| anyhow!("Node could not compress the files of dist/."))?;
    Ok(sizes.lines().filter_map(|line| line.trim().parse::<u64>().ok()).collect())
}

/// Writes `FILE.br` beside each given file that brotli makes smaller.
const BESIDE: &str = "const { readFileSync, writeFileSync } = require('fs');
    for (const file of process.argv.slice(1)) {
        const bytes = readFileSync(file);
        const small = require('zlib').brotliCompressSync(bytes);
        if (small.length < bytes.length) writeFileSync(`${file}.br`, small);
    }";

/// Extensions of text and code; pictures and fonts are compressed already.
const KINDS: [&str; 8] = ["css", "html", "js", "json", "py", "svg", "txt", "wasm"];

/// Number of files given to one Node process.
const BATCH: usize = 100;

/// Writes a compressed copy beside every file below a folder that brotli makes smaller, for servers
/// that send such copies.
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

/// Returns every file below a folder, sorted by name.
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
