//! `cargo xtask bench`: the figures of the README, measured on the built site and on the engine
//! alone.

mod package;
mod page;
mod table;
mod throughput;

use anyhow::Result;
use std::path::PathBuf;

use crate::chromium;
use crate::shell::{output, program, step};
use crate::site;
use table::Table;

/// The format of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Aligned columns, for a terminal.
    Text,
    /// For the README.
    Markdown,
}

/// Builds the site, measures it, and prints the table last. A measurement that fails gives its
/// reason, and the others continue. With `sites`, folders of built sites, only the page is
/// measured, on each site in turn.
///
/// # Errors
/// When the site cannot be built, there is no browser, or an evaluation allocates.
pub fn run(format: Format, sites: &[PathBuf]) -> Result<()> {
    let chromium = chromium::ensure()?;
    let mut table = Table::default();
    if sites.is_empty() {
        site::build()?;
        step("Counting evaluations of the engine, native");
        table.extend("speed, native", throughput::native());
        step("Counting evaluations of the engine, in Chromium");
        table.extend("speed, Chromium", throughput::in_chromium(&chromium));
        step("Weighing the npm package and counting its evaluations");
        table.extend("npm package", package::measure());
        table.extend("page", page::measure(&[site::folder()]));
    } else {
        table.columns = sites.iter().map(|site| site.display().to_string()).collect();
        table.extend("page", page::measure(sites));
    }
    let browser = output(program(&chromium.browser).arg("--version")).unwrap_or_default();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    println!("\nMeasured on {cores} cores with {}:\n", browser.split(" built").next().unwrap_or_default().trim());
    print!("{}", table.print(format));
    throughput::allocates(&table).map_or(Ok(()), Err)
}
