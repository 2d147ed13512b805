//! Measures the page in Chromium: its size, the time to its first result, and its latency when a
//! slider moves. The package `e2e` does the measuring.

use anyhow::{Context as _, Result, anyhow};
use std::path::PathBuf;

use super::table::Row;
use crate::caddy;
use crate::shell::{cargo, output, step};

pub(super) fn measure(sites: &[PathBuf]) -> Result<Vec<Row>> {
    caddy::ensure()?;
    step("Opening the page over slow networks, then moving every slider (some minutes)");
    let mut bench = cargo(&["run", "--quiet", "--package", "e2e", "--bin", "bench", "--"]);
    for site in sites {
        bench.arg(site.canonicalize().with_context(|| format!("There is no folder {}", site.display()))?);
    }
    let text = output(&mut bench)
        .ok_or_else(|| anyhow!("The page could not be measured: cargo run -p e2e --bin bench dist"))?;
    Ok(text.lines().filter_map(row).collect())
}

/// Parses a line of name, budget and values, separated by tabs.
fn row(line: &str) -> Option<Row> {
    let mut fields = line.split('\t');
    let (what, budget) = (fields.next()?, fields.next()?);
    Some(Row::of_many(what, fields.map(str::to_owned).collect(), budget))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_with_tabs_is_a_row() {
        let values = vec!["0.49 s".to_owned(), "0.61 s".to_owned()];
        assert_eq!(
            row("first result\tunder 0.9 s\t0.49 s\t0.61 s"),
            Some(Row::of_many("first result", values, "under 0.9 s"))
        );
        assert_eq!(row("Compiling"), None);
    }
}
