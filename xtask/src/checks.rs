//! `cargo xtask test`: all checks, as a table of steps ordered from cheapest to most expensive.
//! Counts the results, and compares the time of each step with its budget.

use anyhow::{Result, anyhow, bail};
use std::process::{Command, ExitCode};
use std::str::FromStr;
use std::time::{Duration, Instant};

use crate::engine::{
    ANALYSIS, CATALOG, CHARTS, CLI, DIAGNOSE, ENGINE, EXPORT, FILES, HUGGINGFACE, LINKS, SCORE, SENTENCE, TRACE,
};
use crate::install::{Browser, BrowserKind, WASM_TARGET, ensure, linters, wasm_target, wasm_tests};
use crate::packages::Then;
use crate::programs::{CADDY, GECKODRIVER, MDBOOK, NGINX, WASM_BINDGEN};
use crate::shell::{cargo, output, read_text, run as run_program, step, target, watch, write};
use crate::site::Profile;
use crate::{arguments, book, comments, graph, packages, places, prose, random, recipes, site};

/// A group of steps that can be run alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestPart {
    /// The compiler and the linters.
    Lint,
    /// The documentation of the code, and the book.
    Docs,
    /// Tests without a browser.
    Native,
    /// The packages for npm, Python and crates.io.
    Packages,
    /// Tests in browsers: of the engine, and of the built site.
    Browser,
    /// The most effective checks within a minute, once built; not part of the full run.
    Fast,
    /// The tests that update their recorded values; not part of the full run.
    Record,
    /// The shipped builds, in every browser and behind every server, and random inputs; not part of
    /// the full run.
    Nightly,
}

impl TestPart {
    const ALL: [Self; 5] = [Self::Lint, Self::Docs, Self::Native, Self::Packages, Self::Browser];
}

impl FromStr for TestPart {
    type Err = anyhow::Error;

    fn from_str(name: &str) -> Result<Self> {
        Ok(match name {
            "lint" => Self::Lint,
            "docs" => Self::Docs,
            "native" => Self::Native,
            "packages" => Self::Packages,
            "browser" => Self::Browser,
            "nightly" => Self::Nightly,
            _ => bail!("whose names are lint, docs, native, packages, browser and nightly"),
        })
    }
}

/// A row of the table of steps: part, name, budget in seconds on two idle cores with nothing
/// compiled, and what it runs.
struct Step(TestPart, &'static str, u64, Run);

/// Kind of a step.
enum Run {
    /// A function that counts as one check.
    Check(fn() -> Result<()>),
    /// A command that prints test results.
    Tests(fn() -> Result<Command>),
}

use Run::{Check, Tests};
use TestPart::{Browser as InBrowsers, Docs, Fast, Lint, Native, Nightly, Packages, Record};

/// Name of the step that later steps of its part depend on.
const SITE: &str = "Site";

/// All steps, in order. All that compiles natively selects the whole workspace, and all that
/// compiles for Wasm the same packages: cargo unites the features of the packages that it builds,
/// and compiles everything above serde anew for other features.
const STEPS: &[Step] = &[
    Step(Lint, "Rust's formatter and linter", 5, Check(linters)),
    Step(Lint, "Formatting", 5, Check(|| run_program(&mut cargo(&["fmt", "--all", "--check"])))),
    Step(Lint, "Comments", 2, Check(comments::check)),
    Step(Lint, "Plain English", 3, Check(prose::check)),
    Step(Lint, "Dependencies", 3, Check(graph::check)),
    Step(Lint, "Places that documents name", 3, Check(places::check)),
    Step(Lint, "Wall between engine and page", 2, Check(wall)),
    Step(Lint, "Lints, native", 130, Check(|| clippy(&["--workspace", "--all-targets", "--test", "site"]))),
    Step(Lint, "Rust target for Wasm", 10, Check(wasm_target)),
    Step(Lint, "Lints, Wasm", 45, Check(wasm_lints)),
    Step(Docs, "mdBook", 40, Check(|| ensure(&[&MDBOOK]))),
    Step(Docs, "Documentation", 30, Check(documentation)),
    Step(Docs, "Book", 25, Check(book::run_command)),
    Step(Native, "Tests, native", 370, Tests(|| Ok(cargo(&["test", "--quiet", "--workspace", "--no-fail-fast"])))),
    Step(Native, "Laws under other seeds", 100, Check(|| random::laws(FEW_SEEDS, SECOND, &random::OFTEN))),
    Step(Packages, "wasm-bindgen", 60, Check(|| ensure(&[&WASM_BINDGEN]))),
    Step(Packages, "Crates", 20, Check(|| packages::crates(Then::Nothing))),
    Step(Packages, "npm package", 160, Check(|| packages::npm_check(Profile::Quick))),
    Step(Packages, "Python package", 110, Check(|| packages::wheel_check(Profile::Quick))),
    // Installed together, as these tools share many dependencies.
    Step(InBrowsers, "Tools", 60, Check(|| ensure(&[&WASM_BINDGEN, &MDBOOK, &GECKODRIVER]))),
    Step(InBrowsers, "Chromium and ChromeDriver", 60, Check(|| Browser::ensure(BrowserKind::Chromium).map(drop))),
    Step(InBrowsers, "Tests in Chromium", 100, Tests(in_chromium)),
    Step(InBrowsers, "Firefox and geckodriver", 60, Check(|| Browser::ensure(BrowserKind::Firefox).map(drop))),
    Step(InBrowsers, "Caddy", 30, Check(|| ensure(&[&CADDY]))),
    Step(InBrowsers, SITE, 60, Check(|| site::build(Profile::Quick))),
    Step(InBrowsers, "npm package for its notebook", 30, Check(npm_package)),
    Step(InBrowsers, "Documentation of the site", 2, Check(book::built)),
    Step(InBrowsers, "Recipes", 5, Check(|| recipes::build(&recipes::OFTEN))),
    Step(InBrowsers, "Tests of the built site", 330, Tests(|| Ok(built_site(&[])))),
    Step(Fast, "Unit tests", 60, Tests(|| Ok(units()))),
    Step(Fast, "Laws", 60, Tests(|| Ok(few_cases()))),
    Step(
        Fast,
        "Numbers of the documentation",
        10,
        Tests(|| Ok(cargo(&["test", "--quiet", "--workspace", "--test", "book"]))),
    ),
    // The figures of links follow the links.
    Step(Record, "Links, which record", 60, Tests(|| Ok(recording(&[LINKS])))),
    Step(Record, "Tests, which record", 400, Tests(|| Ok(recording(&RECORDING)))),
    Step(Nightly, "Tools", 300, Check(|| ensure(&[&WASM_BINDGEN, &MDBOOK, &GECKODRIVER]))),
    Step(Nightly, "Chromium and ChromeDriver", 60, Check(|| Browser::ensure(BrowserKind::Chromium).map(drop))),
    Step(Nightly, "Firefox and geckodriver", 60, Check(|| Browser::ensure(BrowserKind::Firefox).map(drop))),
    Step(Nightly, "WebKitGTK and its driver", 60, Check(webkit)),
    Step(Nightly, "Caddy and nginx", 60, Check(|| ensure(&[&CADDY, &NGINX]))),
    Step(Nightly, "Arguments of programs on PyPI", 300, Check(arguments::check)),
    Step(Nightly, "Fuzz targets", 1500, Check(|| random::fuzz(None, FUZZ, false))),
    Step(Nightly, "Laws under other seeds", 1800, Check(|| random::laws(SEEDS, random::first_seed(), &random::ALL))),
    Step(Nightly, "Crates, compiled", 300, Check(|| packages::crates(Then::Check))),
    Step(Nightly, "Shipped npm package", 300, Check(|| packages::npm_check(Profile::Shipped))),
    Step(Nightly, "Shipped Python package", 300, Check(|| packages::wheel_check(Profile::Shipped))),
    Step(Nightly, SITE, 600, Check(|| site::build(Profile::Shipped))),
    Step(Nightly, "Documentation of the site", 2, Check(book::built)),
    Step(Nightly, "Recipes", 120, Check(|| recipes::build(&recipes::NAMES))),
    Step(Nightly, "Tests of the built site, all", 400, Tests(|| Ok(built_site(&["--include-ignored"])))),
];

/// Number of cases per law in the fast part.
const FAST_CASES: &str = "100";

/// Time per fuzz target each night.
const FUZZ: Duration = Duration::from_secs(60);

/// Number of other seeds of the laws each night, which are others every day.
const SEEDS: u64 = 20;

/// Other seeds of the laws with each change: the same ones, from this one on, so that a failure is
/// the change's. The tests themselves run under the first.
const SECOND: u64 = 2;
const FEW_SEEDS: u64 = 5;

/// Prefixes of crates that only the page may use.
const WEB: [&str; 6] = ["gloo", "js-sys", "plotters-canvas", "wasm-bindgen", "web-sys", "yew"];

/// Packages that must not depend on these crates.
const WALLED: [&str; 13] =
    [ENGINE, CATALOG, LINKS, TRACE, ANALYSIS, "explain", EXPORT, CHARTS, DIAGNOSE, FILES, HUGGINGFACE, SCORE, SENTENCE];

/// Packages with recording tests: libraries, the command line, and the page.
const RECORDING: [&str; 11] =
    [ENGINE, CATALOG, ANALYSIS, DIAGNOSE, FILES, SCORE, CHARTS, SENTENCE, "api", CLI, "shardwise"];

/// File with the times of the last run, in the target folder.
const TIMES: &str = "test-seconds.csv";

/// Runs the steps of the given parts, or of all parts if there are none. A failed step does not
/// stop the others. A step over its budget is a warning and never a failure: machines differ, and
/// nothing tells a slow step from a slow machine. The last line is the count.
///
/// # Errors
/// When the times cannot be written.
pub fn run(parts: &[TestPart]) -> Result<ExitCode> {
    let parts = if parts.is_empty() { &TestPart::ALL[..] } else { parts };
    let (mut tally, mut has_site) = (Tally::default(), true);
    let (mut times, mut over) = (vec!["step,seconds,budget".to_owned()], Vec::new());
    for Step(_, name, budget, how) in STEPS.iter().filter(|Step(part, ..)| parts.contains(part)) {
        step(name);
        if !has_site {
            println!("    {name}: left out, as the site could not be built");
            continue;
        }
        let start = Instant::now();
        let passed = how.run(&mut tally).unwrap_or_else(|failure| {
            println!("    {failure:#}");
            false
        });
        has_site = passed || *name != SITE;
        let seconds = start.elapsed().as_secs_f64();
        println!("    {name}: {} in {seconds:.0} s of {budget} s", if passed { "passed" } else { "FAILED" });
        times.push(format!("\"{name}\",{seconds:.1},{budget}"));
        if seconds > *budget as f64 {
            over.push(format!("{name} took {seconds:.0} s of {budget} s"));
        }
    }
    write(&target().join(TIMES), times.join("\n") + "\n")?;
    if !over.is_empty() {
        println!("Warning: over the budget of xtask/src/checks.rs: {}.", over.join(", "));
    }
    println!("{tally}");
    Ok(if tally.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

impl Run {
    /// Runs a step, and counts its results.
    fn run(&self, tally: &mut Tally) -> Result<bool> {
        let mut tests = Tally::default();
        let passed = match self {
            Check(check) => check().map(|()| {
                tests.passed = 1;
                true
            }),
            Tests(command) => command().and_then(|mut command| watch(&mut command, |line| tests.add_counts(line))),
        };
        tally.add(tests, matches!(passed, Ok(true)));
        passed
    }
}

fn clippy(arguments: &[&str]) -> Result<()> {
    run_program(cargo(&["clippy", "--quiet"]).args(arguments).args(["--", "-D", "warnings"]))
}

fn wasm_lints() -> Result<()> {
    let targets = ["--lib", "--bins", "--test", "browser", "--test", "bits", "--target", WASM_TARGET];
    clippy(&[&site::modules::packages()[..], &targets].concat())
}

/// Checks every link in the documentation of the code.
fn documentation() -> Result<()> {
    let mut doc = cargo(&["doc", "--quiet", "--workspace", "--lib", "--no-deps", "--document-private-items"]);
    run_program(doc.env("RUSTDOCFLAGS", "-D warnings"))
}

fn webkit() -> Result<()> {
    if cfg!(target_os = "linux") { Browser::ensure(BrowserKind::Webkit).map(drop) } else { Ok(()) }
}

fn units() -> Command {
    cargo(&["test", "--quiet", "--workspace", "--lib", "--bins", "--no-fail-fast"])
}

/// The suites of all packages, with few cases of each law.
fn few_cases() -> Command {
    let mut tests = cargo(&["test", "--quiet", "--workspace", "--test", "suite"]);
    tests.env("PROPTEST_CASES", FAST_CASES);
    tests
}

/// The tests of the built site, with these arguments of the harness. Those that only run each
/// night are ignored by default.
fn built_site(arguments: &[&str]) -> Command {
    let mut tests = cargo(&["test", "--quiet", "--workspace", "--test", "site", "--"]);
    tests.args(arguments);
    tests
}

fn recording(packages: &[&str]) -> Command {
    let mut tests = cargo(&["test", "--quiet", "--no-fail-fast"]);
    tests.args(packages.iter().flat_map(|name| ["--package", name])).env("UPDATE_EXPECT", "1");
    tests
}

/// Returns the command that runs the tests of page and engine in Chromium, compiled with the bits
/// that the native build computes.
fn in_chromium() -> Result<Command> {
    let file = target().join("native-bits.txt");
    run_program(cargo(&["test", "--quiet", "--workspace", "--test", "bits"]).env("SHARDWISE_BITS", &file))?;
    let mut tests = wasm_tests(&[&site::modules::packages()[..], &["--test", "browser", "--test", "bits"]].concat())?;
    tests.env("SHARDWISE_NATIVE_BITS", read_text(&file)?);
    Ok(tests)
}

/// Builds the npm package, unless a step before has.
fn npm_package() -> Result<()> {
    if packages::npm_package().is_dir() { Ok(()) } else { packages::npm_packages(Profile::Quick).map(drop) }
}

/// Checks that packages outside the page depend on no browser crate.
fn wall() -> Result<()> {
    let mut tree = cargo(&["tree", "--quiet", "--edges", "normal", "--prefix", "none"]);
    let tree = output(tree.args(WALLED.iter().flat_map(|name| ["--package", name])));
    let tree = tree.ok_or_else(|| anyhow!("`cargo tree` failed."))?;
    let names = tree.lines().filter_map(|line| line.split(' ').next());
    let web: Vec<&str> = names.filter(|name| WEB.iter().any(|web| name.starts_with(web))).collect();
    if web.is_empty() { Ok(()) } else { Err(anyhow!("Crates without a page depend on {}.", web.join(", "))) }
}

/// The number of passed and failed tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tally {
    /// Number of passed tests.
    passed: u64,
    /// Number of failed tests.
    failed: u64,
}

impl Tally {
    /// Adds the counts in a line of libtest's or wasm-bindgen-test's output; other lines add
    /// nothing.
    fn add_counts(&mut self, line: &str) {
        // "test result: ok. 12 passed; 0 failed; 1 ignored; ..."
        let Some((_, counts)) = line.split_once("test result: ") else { return };
        for part in counts.split([';', '.']) {
            match part.trim().split_once(' ') {
                Some((number, "passed")) => self.passed += number.parse::<u64>().unwrap_or(0),
                Some((number, "failed")) => self.failed += number.parse::<u64>().unwrap_or(0),
                _ => {}
            }
        }
    }

    /// Adds the tests of one run. A run that failed without a failed test (a compile error or a
    /// crash) counts as one failure.
    fn add(&mut self, run: Tally, succeeded: bool) {
        self.passed += run.passed;
        self.failed += if succeeded { run.failed } else { run.failed.max(1) };
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops where its data is wrong")]
mod tests {
    use super::*;
    use crate::shell::{files_with_extension, read_text, root};

    #[test]
    fn all_parts_fit_into_their_budget() {
        let steps = STEPS.iter().filter(|Step(part, ..)| TestPart::ALL.contains(part));
        assert!(steps.map(|Step(_, _, budget, _)| budget).sum::<u64>() <= 31 * 60);
    }

    #[test]
    fn results_of_several_harnesses_add_up() {
        let mut tally = Tally::default();
        tally.add_counts(
            "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s",
        );
        tally.add_counts("test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 filtered out; finished in 1.20s");
        tally.add_counts("test formulas::test_result ... ok");
        assert_eq!(tally, Tally { passed: 15, failed: 2 });
        assert_eq!(tally.to_string(), "15 passed, 2 failed");
    }

    #[test]
    fn a_run_that_does_not_compile_is_one_failure() {
        let mut tally = Tally::default();
        tally.add(Tally::default(), false);
        tally.add(Tally { passed: 4, failed: 0 }, true);
        assert_eq!(tally, Tally { passed: 4, failed: 1 });
    }

    /// Test folders that are one program each.
    const SUITES: [&str; 10] = [
        "crates/analysis/tests/suite",
        "crates/catalog/tests/suite",
        "crates/diagnose/tests/suite",
        "crates/engine/tests/suite",
        "crates/files/tests/suite",
        "crates/huggingface/tests/suite",
        "crates/links/tests/suite",
        "crates/score/tests/suite",
        "crates/trace/tests/suite",
        "tests/e2e/tests/site",
    ];

    #[test]
    fn every_file_of_a_suite_is_in_its_program() {
        for suite in SUITES {
            let folder = root().join(suite);
            let program = read_text(&folder.join("main.rs")).unwrap();
            let files = files_with_extension(&folder, "rs").unwrap();
            let names: Vec<_> = files.iter().map(|file| file.file_stem().unwrap().to_string_lossy()).collect();
            assert!(names.len() > 1, "{suite} has no tests");
            for name in names.iter().filter(|name| *name != "main") {
                assert!(program.contains(&format!("mod {name};")), "no test of {suite}/{name}.rs is run");
            }
        }
    }
}
