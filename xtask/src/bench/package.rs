//! Measures size and speed of the npm package, in Node.

use super::table::{Row, kilobytes};
use super::throughput::{PACKAGE, row};
use crate::brotli;
use crate::shell::{output, program};
use crate::{npm, tools};
use anyhow::{Result, anyhow};

pub(super) fn measure() -> Result<Vec<Row>> {
    let installed = npm::install()?;
    let small = brotli::sizes(&[npm::package().join("shardwise_bg.wasm")])?.first().copied().unwrap_or_default();
    let text = output(program(tools::node()?).current_dir(&installed).arg("speed.mjs"));
    let text = text.ok_or_else(|| anyhow!("The speed of the npm package is not known: cargo xtask npm --test"))?;
    let size = Row::new("Wasm of the npm package, brotli 11", kilobytes(small), "");
    Ok(std::iter::once(size).chain(text.lines().filter_map(|line| row(line, PACKAGE))).collect())
}
