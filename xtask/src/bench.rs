//! `cargo xtask bench`: the figures of the README, measured on the built site and on the engine alone.

mod latency;
mod package;
mod table;
mod throughput;
mod weight;

use crate::chromium;
use crate::failure::Result;
use crate::shell::{output, program, step};
use crate::site;
use table::Table;

/// How the table is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Aligned columns, for a terminal.
    Text,
    /// For the README.
    Markdown,
}

/// Builds the site, measures, prints the table last. What cannot be measured says why, and the rest is measured all the same.
///
/// # Errors
/// When the site cannot be built, there is no browser, or an evaluation allocates.
pub fn run(format: Format) -> Result<()> {
    let chromium = chromium::ensure()?;
    site::build()?;
    let mut table = Table::default();
    step("Weighing the site");
    table.extend("size", weight::measure(&chromium));
    step("Counting evaluations of the engine, native");
    table.extend("speed, native", throughput::native());
    step("Counting evaluations of the engine, in Chromium");
    table.extend("speed, Chromium", throughput::in_chromium(&chromium));
    step("Weighing the npm package and counting its evaluations");
    table.extend("npm package", package::measure());
    for throttle in latency::THROTTLES {
        step(&format!("Moving every slider in Chromium, processor slowed {throttle} times"));
        table.extend("latency", latency::measure(&chromium, throttle));
    }
    let browser = output(program(&chromium.browser).arg("--version")).unwrap_or_default();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    println!("\nMeasured on {cores} cores with {}:\n", browser.split(" built").next().unwrap_or_default().trim());
    print!("{}", table.print(format));
    throughput::allocates(&table).map_or(Ok(()), Err)
}
