//! Measures the engine and the built site: the numbers of docs/book/speed.md, with the same work
//! native and in Chromium (`examples/throughput/work.rs`), and the page during visits. The package
//! `e2e` opens the pages.

use anyhow::{Context as _, Result, anyhow};
use std::path::PathBuf;

use crate::engine::TRACE;
use crate::install::{Browser, BrowserKind, ensure_browsers, wasm_target, wasm_tests};
use crate::programs::{CADDY, NODE};
use crate::shell::{cargo, dist, output, program, run as run_program, step, watch};
use crate::{packages, site};

/// Visits the site in `dist/` `number` times in each browser, and prints a line of counts for each
/// browser: figures that are missing, outdated or late.
///
/// # Errors
/// When a browser cannot be installed, there is no site, or a visit went wrong.
pub fn visits(number: u32) -> Result<()> {
    ensure_browsers()?;
    let number = number.to_string();
    run_program(&mut cargo(&["run", "--quiet", "--package", "e2e", "--bin", "visits", "--", &number]))
}

/// Format of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Aligned columns, for a terminal.
    Text,
    /// Markdown for docs/book/speed.md.
    Markdown,
}

/// Builds the site, measures it, and prints the table last. If a measurement fails, its reason is
/// printed and the others continue. With `sites`, folders of built sites, only the page is
/// measured, on each site in turn.
///
/// # Errors
/// When the site cannot be built, there is no browser, or an evaluation allocates.
pub fn run(format: Format, sites: &[PathBuf]) -> Result<()> {
    let chromium = Browser::ensure(BrowserKind::Chromium)?;
    let mut table = Table::default();
    if sites.is_empty() {
        site::build(site::Profile::Shipped)?;
        step("Counting evaluations of the engine, native");
        table.extend("speed, native", native());
        step("Counting evaluations of the engine, in Chromium");
        table.extend("speed, Chromium", in_chromium());
        step("Weighing the npm package and counting its evaluations");
        table.extend("npm package", npm_package());
        table.extend("page", page(&[dist()]));
    } else {
        table.columns = sites.iter().map(|site| site.display().to_string()).collect();
        table.extend("page", page(sites));
    }
    let browser = output(program(&chromium.browser).arg("--version")).unwrap_or_default();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    println!("\nMeasured on {cores} cores with {}:\n", browser.split(" built").next().unwrap_or_default().trim());
    print!("{}", table.print(format));
    allocates(&table).map_or(Ok(()), Err)
}

/// Prefix of the lines that `tests/throughput.rs` writes to the console.
const MARK: &str = "throughput: ";

/// Name of the npm package in the rows of its measurements.
const PACKAGE: &str = "npm package in Node";

/// Name of the allocation count in the output of the example.
const ALLOCATIONS: &str = "allocations";

/// Returns an error if an evaluation allocates.
fn allocates(table: &Table) -> Option<anyhow::Error> {
    let counted = table.value(&format!("{ALLOCATIONS}, native")).filter(|counted| !counted.starts_with("0 "))?;
    Some(anyhow!("An evaluation must not allocate: it makes {counted} allocations."))
}

fn native() -> Result<Vec<Row>> {
    let mut example = cargo(&["run", "--quiet", "--release", "--package", TRACE, "--example", "throughput"]);
    let text = output(&mut example).ok_or_else(|| {
        anyhow!("The engine's speed is unknown: cargo run --release --package trace --example throughput")
    })?;
    Ok(text.lines().filter_map(|line| row(line, "native")).collect())
}

fn in_chromium() -> Result<Vec<Row>> {
    wasm_target()?;
    let mut test = wasm_tests(&["--release", "--test", "throughput", "--", "--nocapture"])?;
    let mut rows = Vec::new();
    let succeeded = watch(&mut test, |line| {
        rows.extend(line.split_once(MARK).and_then(|(_, figures)| row(figures, "Chromium")));
    })?;
    if succeeded { Ok(rows) } else { Err(anyhow!("The engine's speed in Chromium is unknown: its test failed.")) }
}

/// Measures size and speed of the npm package, in Node.
fn npm_package() -> Result<Vec<Row>> {
    let installed = packages::npm_install(site::Profile::Shipped)?;
    let small = site::compress::brotli(&packages::npm_package().join("shardwise_bg.wasm"))?.len();
    let text = output(program(NODE.find()?).current_dir(&installed).arg("speed.mjs"));
    let text = text.ok_or_else(|| anyhow!("The speed of the npm package is unknown: cargo xtask npm --test"))?;
    let size = Row::new("Wasm of the npm package, brotli 11", format!("{:.1} KB", small as f64 / 1000.0), "");
    Ok(std::iter::once(size).chain(text.lines().filter_map(|line| row(line, PACKAGE))).collect())
}

/// Measures the page in Chromium: its size, the time to its first result, and its latency when a
/// slider moves. The package `e2e` does the measuring.
fn page(sites: &[PathBuf]) -> Result<Vec<Row>> {
    CADDY.ensure()?;
    step("Opening the page over slow networks, then moving every slider (some minutes)");
    let mut bench = cargo(&["run", "--quiet", "--package", "e2e", "--bin", "bench", "--"]);
    for site in sites {
        bench.arg(site.canonicalize().with_context(|| format!("{} is not a folder", site.display()))?);
    }
    let text = output(&mut bench)
        .ok_or_else(|| anyhow!("The page could not be measured: cargo run -p e2e --bin bench dist"))?;
    Ok(text.lines().filter_map(row_of_page).collect())
}

/// Parses a line of name, budget and values, separated by tabs.
fn row_of_page(line: &str) -> Option<Row> {
    let mut fields = line.split('\t');
    let (what, budget) = (fields.next()?, fields.next()?);
    Some(Row::with_values(what, fields.map(str::to_owned).collect(), budget))
}

/// Parses a line such as "evaluate_dense 412.5 ns".
fn row(line: &str, place: &str) -> Option<Row> {
    let mut words = line.split_whitespace();
    let (name, value) = (words.next()?, words.next()?.parse::<f64>().ok()?);
    let unit = words.collect::<Vec<_>>().join(" ");
    let figure = if value >= 10_000.0 { grouped(value.round() as u64) } else { significant(value) };
    Some(Row::new(format!("{}, {place}", name.replace('_', " ")), format!("{figure} {unit}"), budget(name, place)))
}

/// Formats a number below 10,000 with three significant digits.
fn significant(value: f64) -> String {
    match value {
        100.0.. => format!("{value:.0}"),
        10.0.. => format!("{value:.1}"),
        1.0.. => format!("{value:.2}"),
        _ if value == 0.0 => "0".to_owned(),
        _ => format!("{value:.3}"),
    }
}

fn budget(name: &str, place: &str) -> &'static str {
    match (name, place) {
        (ALLOCATIONS, _) => "0",
        ("evaluate_dense" | "evaluate_moe", "native") => "under 1 µs",
        ("evaluate_dense" | "evaluate_moe", _) => "under 2 µs",
        ("simulate_step_of_80_layers", _) => "under 2 ms",
        ("sweep_dense", "Chromium") => "over 1,000,000 /s",
        ("sweep_moe", "Chromium") | ("sweep_dense" | "sweep_moe", PACKAGE) => "over 300,000 /s",
        _ => "",
    }
}

/// A row of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    what: String,
    values: Vec<String>,
    budget: String,
}

impl Row {
    /// Creates a row with its budget, which may be empty.
    fn new(what: impl Into<String>, value: impl Into<String>, budget: impl Into<String>) -> Self {
        Self::with_values(what, vec![value.into()], budget)
    }

    /// Creates a row with values of several sites.
    fn with_values(what: impl Into<String>, values: Vec<String>, budget: impl Into<String>) -> Self {
        Self { what: what.into(), values, budget: budget.into() }
    }
}

/// All rows, in order.
#[derive(Debug, Default)]
struct Table {
    /// Column names, if there are several sites.
    columns: Vec<String>,
    rows: Vec<Row>,
}

impl Table {
    /// Adds rows, or prints the reason for a failed measurement.
    fn extend(&mut self, group: &str, rows: Result<Vec<Row>>) {
        match rows {
            Ok(rows) => self.rows.extend(rows),
            Err(failure) => {
                eprintln!("{failure:#}");
                self.rows.push(Row::new(group, "not measured", ""));
            }
        }
    }

    /// Returns the value of a row, if it was measured.
    fn value(&self, what: &str) -> Option<&str> {
        self.rows.iter().find(|row| row.what == what).and_then(|row| row.values.first()).map(String::as_str)
    }

    fn print(&self, format: Format) -> String {
        let columns = if self.columns.is_empty() { vec!["measured".to_owned()] } else { self.columns.clone() };
        let count = columns.len();
        let header = Row::with_values("what", columns, "target");
        let cell = |row: &Row, at: usize| row.values.get(at).cloned().unwrap_or_default();
        let all = || std::iter::once(&header).chain(&self.rows);
        let width = |text: &dyn Fn(&Row) -> String| all().map(|row| text(row).chars().count()).max().unwrap_or(0);
        let what = width(&|row| row.what.clone());
        let values: Vec<usize> = (0..count).map(|at| width(&|row| cell(row, at))).collect();
        let budget = width(&|row| row.budget.clone());
        let mut text = String::new();
        for (index, row) in all().enumerate() {
            let cells: Vec<String> =
                values.iter().enumerate().map(|(at, &width)| format!("{:>width$}", cell(row, at))).collect();
            let line = match format {
                Format::Text => format!("{:what$}  {}  {}", row.what, cells.join("  "), row.budget),
                Format::Markdown => format!("| {:what$} | {} | {:budget$} |", row.what, cells.join(" | "), row.budget),
            };
            text.push_str(line.trim_end());
            text.push('\n');
            if index == 0 && format == Format::Markdown {
                let rules: Vec<String> =
                    values.iter().map(|&width| format!("{}:", "-".repeat(width.saturating_sub(1)))).collect();
                text.extend(["| ", &"-".repeat(what), " | ", &rules.join(" | "), " | ", &"-".repeat(budget), " |\n"]);
            }
        }
        text
    }
}

/// Formats 1234567 as "1,234,567".
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_allocation_is_a_failure() {
        for (line, fails) in [("allocations 0 an evaluation", false), ("allocations 3 an evaluation", true)] {
            let mut table = Table::default();
            table.extend("speed", Ok(row(line, "native").into_iter().collect()));
            assert_eq!(allocates(&table).is_some(), fails, "{line}");
        }
    }

    #[test]
    fn a_line_of_figures_is_a_row() {
        let expected = Row::new("evaluate dense, native", "412 ns", "under 1 µs");
        assert_eq!(row("evaluate_dense 412.34 ns", "native"), Some(expected));
        let expected = Row::new("sweep dense, Chromium", "1,234,568 configurations/s", "over 1,000,000 /s");
        assert_eq!(row("sweep_dense 1234567.8 configurations/s", "Chromium"), Some(expected));
        let expected = Row::new("allocations, native", "0 an evaluation", "0");
        assert_eq!(row("allocations 0 an evaluation", "native"), Some(expected));
        assert_eq!(row("Compiling shardwise v0.1.0", "native"), None);
    }

    #[test]
    fn a_line_with_tabs_is_a_row() {
        let values = vec!["0.49 s".to_owned(), "0.61 s".to_owned()];
        assert_eq!(
            row_of_page("first result\tunder 0.9 s\t0.49 s\t0.61 s"),
            Some(Row::with_values("first result", values, "under 0.9 s"))
        );
        assert_eq!(row_of_page("Compiling"), None);
    }

    fn table() -> Table {
        Table {
            columns: Vec::new(),
            rows: vec![Row::new("size", "12.5 KB", "under 200 KB"), Row::new("requests", "7", "")],
        }
    }

    #[test]
    fn text_is_aligned() {
        let expected = "what      measured  target\nsize       12.5 KB  under 200 KB\nrequests         7\n";
        assert_eq!(table().print(Format::Text), expected);
    }

    #[test]
    fn markdown_is_a_table() {
        let expected = "\
| what     | measured | target       |
| -------- | -------: | ------------ |
| size     |  12.5 KB | under 200 KB |
| requests |        7 |              |
";
        assert_eq!(table().print(Format::Markdown), expected);
    }

    #[test]
    fn several_sites_have_a_column_each() {
        let rows =
            vec![Row::with_values("size", vec!["12.5 KB".into(), "9 KB".into()], ""), Row::new("requests", "7", "")];
        let table = Table { columns: vec!["old".into(), "new".into()], rows };
        assert_eq!(
            table.print(Format::Text),
            "what          old   new  target\nsize      12.5 KB  9 KB\nrequests        7\n"
        );
    }

    #[test]
    fn thousands_are_grouped() {
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"].map(str::to_owned));
    }
}
