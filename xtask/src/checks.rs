//! `cargo xtask test`: all checks, as a table of steps ordered from cheapest to most expensive.
//! Counts the results, and compares the time of each step with its budget.

use anyhow::{Result, anyhow, bail};
use std::process::{Command, ExitCode};
use std::str::FromStr;
use std::time::{Duration, Instant};

use crate::engine::{
    ANALYSIS, CATALOG, CHARTS, CLI, DIAGNOSE, ENGINE, EXPORT, FILES, HUGGINGFACE, LINKS, SCORE, SENTENCE, TRACE,
};
use crate::install::{Browser, Kind, ensure, linters, wasm_target, wasm_tests};
use crate::programs::{CADDY, GECKODRIVER, MDBOOK, NGINX, TRUNK, WASM_BINDGEN};
use crate::shell::{cargo, entries, name, output, read, root, run as run_program, step, watch, write};
use crate::{book, graph, packages, random, recipes, site};

/// A group of steps that can be run alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The compiler and the linters.
    Lint,
    /// The documentation of the code, and the book.
    Docs,
    /// Tests without a browser.
    Native,
    /// The packages for npm and Python.
    Packages,
    /// Tests in browsers: of the engine, and of the built site.
    Browser,
    /// The most effective checks within a minute, once built; not part of the full run.
    Fast,
    /// The tests that update their recorded values; not part of the full run.
    Record,
}

impl Part {
    const ALL: [Self; 5] = [Self::Lint, Self::Docs, Self::Native, Self::Packages, Self::Browser];
}

impl FromStr for Part {
    type Err = anyhow::Error;

    fn from_str(name: &str) -> Result<Self> {
        Ok(match name {
            "lint" => Self::Lint,
            "docs" => Self::Docs,
            "native" => Self::Native,
            "packages" => Self::Packages,
            "browser" => Self::Browser,
            _ => bail!("whose names are lint, docs, native, packages and browser"),
        })
    }
}

/// A row of the table of steps: part, name, and budget in seconds on two cores, with everything
/// installed and only changes to compile.
struct Step(Part, &'static str, u64, Run);

/// Kind of a step.
enum Run {
    /// A function that counts as one check.
    Check(fn() -> Result<()>),
    /// A command that prints test results.
    Tests(fn() -> Result<Command>),
}

use Part::{Browser as InBrowsers, Docs, Fast, Lint, Native, Packages, Record};
use Run::{Check, Tests};

/// Name of the step that later steps of its part depend on.
const SITE: &str = "Site";

/// All steps, in order.
const STEPS: [Step; 32] = [
    Step(Lint, "Rust's formatter and linter", 2, Check(linters)),
    Step(Lint, "Formatting", 3, Check(|| run_program(&mut cargo(&["fmt", "--all", "--check"])))),
    Step(Lint, "Comments", 1, Check(comments)),
    // Reads the code of every file.
    Step(Lint, "What depends on what", 2, Check(graph::check)),
    Step(Lint, "Wall between engine and page", 2, Check(wall)),
    Step(Lint, "Lints, native", 60, Check(|| clippy("--workspace --all-targets"))),
    Step(Lint, "Lints, tests of the built site", 10, Check(|| clippy("--package e2e --test site"))),
    Step(Lint, "Rust target for Wasm", 2, Check(wasm_target)),
    Step(Lint, "Lints, Wasm", 30, Check(|| clippy(WASM_LINTS))),
    Step(Docs, "mdBook", 2, Check(|| ensure(&[&MDBOOK]))),
    Step(Docs, "Documentation", 30, Check(documentation)),
    Step(Docs, "Book", 10, Check(book::run_command)),
    Step(Native, "wasm-bindgen", 2, Check(|| ensure(&[&WASM_BINDGEN]))),
    Step(Native, "Tests, native", 180, Tests(|| Ok(cargo(&["test", "--quiet", "--workspace", "--no-fail-fast"])))),
    Step(Native, "Fuzz targets", 35, Check(|| random::fuzz(None, FUZZ))),
    Step(Packages, "npm package", 45, Check(packages::npm_check)),
    Step(Packages, "Python package", 45, Check(packages::wheel_check)),
    // Installed together, as these tools share many dependencies.
    Step(InBrowsers, "Tools", 2, Check(|| ensure(&[&TRUNK, &WASM_BINDGEN, &MDBOOK, &GECKODRIVER]))),
    Step(InBrowsers, "Chromium and ChromeDriver", 2, Check(|| Browser::ensure(Kind::Chromium).map(drop))),
    Step(InBrowsers, "Tests in Chromium", 35, Tests(in_chromium)),
    Step(InBrowsers, "Firefox and geckodriver", 2, Check(|| Browser::ensure(Kind::Firefox).map(drop))),
    Step(InBrowsers, "WebKitGTK and its driver", 2, Check(webkit)),
    Step(InBrowsers, "Caddy and nginx", 2, Check(|| ensure(&[&CADDY, &NGINX]))),
    Step(InBrowsers, SITE, 200, Check(site::build)),
    Step(InBrowsers, "Documentation of the site", 2, Check(book::built)),
    Step(InBrowsers, "Recipes", 20, Check(recipes::build)),
    Step(
        InBrowsers,
        "Tests of the built site",
        170,
        Tests(|| Ok(cargo(&["test", "--quiet", "--package", "e2e", "--test", "site"]))),
    ),
    Step(Fast, "Unit tests", 40, Tests(|| Ok(units()))),
    Step(Fast, "Engine", 15, Tests(|| Ok(few_cases(&[ENGINE], &[])))),
    Step(Fast, "Laws and links", 15, Tests(|| Ok(few_cases(&[LINKS, ANALYSIS], &["laws", "links::"])))),
    Step(Fast, "Numbers of the documentation", 10, Tests(|| Ok(cargo(&["test", "--quiet", "--test", "book"])))),
    Step(Record, "Tests, which record", 400, Tests(|| Ok(recording()))),
];

/// Number of cases per law in the fast part.
const FAST_CASES: &str = "100";

/// Time per fuzz target among the checks.
const FUZZ: Duration = Duration::from_secs(3);

/// Prefixes of crates that only the page may use.
const WEB: [&str; 6] = ["gloo", "js-sys", "plotters-canvas", "wasm-bindgen", "web-sys", "yew"];

/// Packages that must not depend on these crates.
const WALLED: [&str; 13] =
    [ENGINE, CATALOG, LINKS, TRACE, ANALYSIS, "explain", EXPORT, CHARTS, DIAGNOSE, FILES, HUGGINGFACE, SCORE, SENTENCE];

/// Arguments for linting the packages that are compiled for Wasm.
const WASM_LINTS: &str = "--package shardwise --package charts-canvas --package files-worker --package \
    shardwise-js --lib --bins --test browser --test bits --target wasm32-unknown-unknown";

/// Packages with recording tests: libraries, the command line, and the page.
const RECORDING: [&str; 11] =
    [ENGINE, CATALOG, ANALYSIS, DIAGNOSE, FILES, SCORE, CHARTS, SENTENCE, "api", CLI, "shardwise"];

/// File with the times of the last run.
const TIMES: &str = "target/test-seconds.csv";

/// Runs the steps of the given parts, or of all parts if there are none. A failed step does not
/// stop the others. The last line is the count.
///
/// # Errors
/// When the times cannot be written.
pub fn run(parts: &[Part]) -> Result<ExitCode> {
    let parts = if parts.is_empty() { &Part::ALL[..] } else { parts };
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
    write(&root().join(TIMES), times.join("\n") + "\n")?;
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
            Tests(command) => command().and_then(|mut command| watch(&mut command, |line| tests.read(line))),
        };
        tally.add(tests, matches!(passed, Ok(true)));
        passed
    }
}

fn clippy(arguments: &str) -> Result<()> {
    run_program(cargo(&["clippy", "--quiet"]).args(arguments.split_whitespace()).args(["--", "-D", "warnings"]))
}

/// Checks every link in the documentation of the code.
fn documentation() -> Result<()> {
    let mut doc = cargo(&["doc", "--quiet", "--workspace", "--lib", "--no-deps", "--document-private-items"]);
    run_program(doc.env("RUSTDOCFLAGS", "-D warnings"))
}

fn webkit() -> Result<()> {
    if cfg!(target_os = "linux") { Browser::ensure(Kind::Webkit).map(drop) } else { Ok(()) }
}

fn units() -> Command {
    cargo(&["test", "--quiet", "--workspace", "--exclude", "e2e", "--lib", "--bins", "--no-fail-fast"])
}

/// The suites of packages with few cases of each law: the tests whose names hold one of these, or
/// all of them.
fn few_cases(packages: &[&str], names: &[&str]) -> Command {
    let mut tests = cargo(&["test", "--quiet"]);
    tests.args(packages.iter().flat_map(|name| ["--package", name]));
    tests.args(["--test", "suite", "--"]).args(names).env("PROPTEST_CASES", FAST_CASES);
    tests
}

fn recording() -> Command {
    let mut tests = cargo(&["test", "--quiet", "--no-fail-fast"]);
    tests.args(RECORDING.iter().flat_map(|name| ["--package", name])).env("UPDATE_EXPECT", "1");
    tests
}

/// Returns the command that runs the tests of page and engine in Chromium, compiled with the bits
/// that the native build computes.
fn in_chromium() -> Result<Command> {
    let file = root().join("target").join("native-bits.txt");
    run_program(cargo(&["test", "--quiet", "--test", "bits"]).env("SHARDWISE_BITS", &file))?;
    let mut tests = wasm_tests(&["--test", "browser", "--test", "bits"])?;
    tests.env("SHARDWISE_NATIVE_BITS", read(&file)?);
    Ok(tests)
}

/// Maximum width of a comment line, in characters.
const COMMENT: usize = 100;

/// Folders without code of the project.
const NO_CODE: [&str; 5] = [".git", ".venv", "dist", "node_modules", "target"];

/// Beginnings of doc comments that make a riddle of the item.
const RIDDLES: [&str; 4] = ["What ", "Whose ", "Who ", "The same "];

/// Checks the width of comments and how doc comments begin.
fn comments() -> Result<()> {
    let mut faults = Vec::new();
    let mut folders = vec![root()];
    while let Some(folder) = folders.pop() {
        for entry in entries(&folder)? {
            if entry.is_dir() && !NO_CODE.contains(&name(&entry).as_str()) {
                folders.push(entry);
            } else if entry.extension().is_some_and(|kind| kind == "rs") && entry.is_file() {
                let lines = comment_faults(&read(&entry)?);
                faults.extend(lines.into_iter().map(|line| format!("{}:{line}", entry.display())));
            }
        }
    }
    if faults.is_empty() {
        return Ok(());
    }
    bail!(
        "Comments wider than {COMMENT} characters, or that begin with {} in place of a verb or the thing: {}.",
        RIDDLES.map(str::trim_end).join(", "),
        faults.join(", ")
    )
}

/// Returns the numbers of lines with a comment that is too wide or begins with a riddle. Code of
/// examples, tables and long addresses may be wide.
fn comment_faults(text: &str) -> Vec<usize> {
    let mut is_code = false;
    let mut faults = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let Some(comment) = line.trim_start().strip_prefix("//") else {
            is_code = false;
            continue;
        };
        let is_doc = comment.starts_with(['/', '!']);
        let comment = comment.trim_start_matches(['/', '!']).trim_start();
        is_code ^= comment.starts_with("```");
        let is_whole =
            is_code || comment.starts_with('|') || comment.split_whitespace().any(|word| word.len() > COMMENT / 2);
        let is_wide = !is_whole && line.chars().count() > COMMENT;
        if is_wide || is_doc && RIDDLES.iter().any(|riddle| comment.starts_with(riddle)) {
            faults.push(number);
        }
    }
    faults
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
    fn read(&mut self, line: &str) {
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
    use crate::shell::{of_kind, read};

    #[test]
    fn riddles_and_wide_comments_are_found_and_what_must_stay_whole_is_not() {
        let long = "word ".repeat(21);
        let text =
            format!("// {long}\nlet a = 1; // {long}\n/// ```\n/// {long}\n/// ```\n//! | {long}|\n    /// {long}\n");
        assert_eq!(comment_faults(&text), [1, 7]);
        assert_eq!(
            comment_faults("/// What it has.\n// What follows is why.\n//! The same.\n/// Returns what it has.\n"),
            [1]
        );
    }

    #[test]
    fn all_parts_fit_into_their_budget() {
        let steps = STEPS.iter().filter(|Step(part, ..)| Part::ALL.contains(part));
        assert!(steps.map(|Step(_, _, budget, _)| budget).sum::<u64>() <= 15 * 60);
    }

    #[test]
    fn results_of_several_harnesses_add_up() {
        let mut tally = Tally::default();
        tally.read("test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s");
        tally.read("test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 filtered out; finished in 1.20s");
        tally.read("test formulas::test_result ... ok");
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
            let program = read(&folder.join("main.rs")).unwrap();
            let files = of_kind(&folder, "rs").unwrap();
            let names: Vec<_> = files.iter().map(|file| file.file_stem().unwrap().to_string_lossy()).collect();
            assert!(names.len() > 1, "{suite} has no tests");
            for name in names.iter().filter(|name| *name != "main") {
                assert!(program.contains(&format!("mod {name};")), "no test of {suite}/{name}.rs is run");
            }
        }
    }
}
