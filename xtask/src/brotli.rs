//! How large files are on their way to a browser.

use std::path::PathBuf;

use crate::failure::{Failure, Result};
use crate::shell::{find, output, program};

/// Prints the size of each file after brotli at its best, which is Node's default.
const SCRIPT: &str = "for (const file of process.argv.slice(1))
    console.log(require('zlib').brotliCompressSync(require('fs').readFileSync(file)).length)";

/// The size of each of these files after brotli, in bytes.
///
/// # Errors
/// When there is no Node, or a file cannot be read.
pub fn sizes(files: &[PathBuf]) -> Result<Vec<u64>> {
    let node = find(&["node"]).ok_or_else(|| Failure::new("Brotli needs Node: install it from nodejs.org."))?;
    let sizes = output(program(node).args(["-e", SCRIPT]).args(files));
    let sizes = sizes.ok_or_else(|| Failure::new("Node could not compress the files of dist/."))?;
    Ok(sizes.lines().filter_map(|line| line.trim().parse::<u64>().ok()).collect())
}
