//! `cargo xtask test`: runs every check, from the cheapest to the most expensive, and counts the
//! results.

use anyhow::{Result, anyhow};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use crate::book;
use crate::caddy;
use crate::chromium;
use crate::engine::{ENGINE, FILES, SCORE};
use crate::firefox;
use crate::fuzz;
use crate::nginx;
use crate::npm;
use crate::python;
use crate::recipes;
use crate::shell::{cargo, output, run as run_program, step, watch};
use crate::site;
use crate::tally::Tally;
use crate::tools::{self, GECKODRIVER, MDBOOK, TRUNK, Tool, WASM_BINDGEN, WASM_TARGET};
use crate::wasm_tests;
use crate::webkit;

/// A group of checks that can be run alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The compiler and the linters.
    Lint,
    /// The documentation: of the code, and the book.
    Docs,
    /// Tests without a browser, including those of the npm package.
    Native,
    /// Tests in browsers: of the engine, and of the built site.
    Browser,
}

impl Part {
    const ALL: [Self; 4] = [Self::Lint, Self::Docs, Self::Native, Self::Browser];

    /// Returns the part with this name.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "lint" => Some(Self::Lint),
            "docs" => Some(Self::Docs),
            "native" => Some(Self::Native),
            "browser" => Some(Self::Browser),
            _ => None,
        }
    }

    /// Returns the tools that the part needs compiled.
    fn tools(self) -> &'static [Tool] {
        match self {
            Self::Lint => &[],
            Self::Docs => &[MDBOOK],
            Self::Native => &[WASM_BINDGEN],
            Self::Browser => &[TRUNK, WASM_BINDGEN, MDBOOK, GECKODRIVER],
        }
    }
}

/// Runs these parts, or all if none is named. A failed check does not stop the others. The last
/// line is the count.
pub fn run(parts: &[Part]) -> ExitCode {
    let parts = if parts.is_empty() { &Part::ALL } else { parts };
    let mut suite = Suite::default();
    // Installed together, as they share many dependencies.
    let tools: Vec<Tool> = parts.iter().flat_map(|part| part.tools()).copied().collect();
    if !tools.is_empty() {
        suite.check("Tools", || tools::install(&tools));
    }
    for part in parts {
        match part {
            Part::Lint => suite.sources(),
            Part::Docs => suite.documentation(),
            Part::Native => {
                suite.native();
                suite.npm_package();
                suite.python_package();
            }
            Part::Browser => suite.browser(),
        }
    }
    suite.end()
}

/// Runs the checks that find most within a minute: unit tests, the laws with fewer cases, the
/// links, the numbers of the documentation.
pub fn run_fast() -> ExitCode {
    let mut suite = Suite::default();
    let units = ["test", "--quiet", "--workspace", "--exclude", "e2e", "--lib", "--bins", "--no-fail-fast"];
    suite.tests("Unit tests", &mut cargo(&units));
    let laws = ["test", "--quiet", "--package", ENGINE, "--test", "suite", "--", "laws", "links::"];
    suite.tests("Laws and links", cargo(&laws).env("PROPTEST_CASES", FAST_CASES));
    suite.tests("Numbers of the documentation", &mut cargo(&["test", "--quiet", "--test", "book"]));
    suite.end()
}

/// Number of cases of each law.
const FAST_CASES: &str = "100";

/// Time for each fuzz target among the checks.
const FUZZ: Duration = Duration::from_secs(5);

/// Prefixes of the crates that only the page may use.
const WEB: [&str; 6] = ["gloo", "js-sys", "plotters", "wasm-bindgen", "web-sys", "yew"];

#[derive(Default)]
struct Suite {
    tally: Tally,
}

impl Suite {
    /// Prints the count.
    fn end(self) -> ExitCode {
        println!("{}", self.tally);
        if self.tally.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }

    /// Runs the compiler and the linters.
    fn sources(&mut self) {
        self.check("Rust's formatter and linter", tools::linters);
        self.check("Formatting", || run_program(&mut cargo(&["fmt", "--all", "--check"])));
        self.check("Wall between engine and page", wall);
        self.clippy("Lints, native", &["--workspace", "--all-targets"]);
        self.clippy("Lints, tests of the built site", &["--package", "e2e", "--test", "site"]);
        if self.check("Rust target for Wasm", tools::wasm_target) {
            let packages = [
                "--package",
                "shardwise",
                "--package",
                "shardwise-charts",
                "--package",
                "shardwise-files-worker",
                "--package",
                "shardwise-js",
            ];
            let targets = ["--lib", "--bins", "--test", "browser", "--test", "bits", "--target", WASM_TARGET];
            self.clippy("Lints, Wasm", &[&packages[..], &targets].concat());
        }
    }

    /// Checks every link in the documentation of the code and in the book.
    fn documentation(&mut self) {
        let mut doc = cargo(&["doc", "--quiet", "--workspace", "--lib", "--no-deps", "--document-private-items"]);
        doc.env("RUSTDOCFLAGS", "-D warnings");
        self.check("Documentation", || run_program(&mut doc));
        self.check("Book", book::run_command);
    }

    /// Runs the tests without a browser.
    fn native(&mut self) {
        self.tests("Tests, native", &mut cargo(&["test", "--quiet", "--workspace", "--no-fail-fast"]));
        self.check("Fuzz targets", || fuzz::run(None, FUZZ));
    }

    /// Tests the npm package in Node; its notebook is tested in a browser.
    fn npm_package(&mut self) {
        self.check("npm package", npm::check);
    }

    /// Tests the Python package in a fresh environment.
    fn python_package(&mut self) {
        self.check("Python package", python::check);
    }

    /// Runs the tests in headless browsers.
    fn browser(&mut self) {
        let mut chromium = None;
        self.check("Chromium and ChromeDriver", || {
            chromium = Some(chromium::ensure()?);
            Ok(())
        });
        let mut tests = None;
        self.check("Test runner for Wasm", || {
            let Some(chromium) = &chromium else { return Err(anyhow!("It has no browser to run tests in.")) };
            tests = Some(wasm_tests::command(chromium, &["--test", "browser", "--test", "bits"])?);
            Ok(())
        });
        if let Some(mut tests) = tests {
            self.tests("Tests in Chromium", &mut tests);
        }
        self.check("Firefox and geckodriver", || firefox::ensure().map(drop));
        if cfg!(target_os = "linux") {
            self.check("WebKitGTK and its driver", || webkit::ensure().map(drop));
        }
        self.check("Caddy and nginx", || caddy::ensure().and_then(|_| nginx::ensure()).map(drop));
        let built = self.check("Site", site::build);
        if built {
            self.recipes();
            self.site();
        }
    }

    /// Runs the tests of the built site. Those in a missing browser fail.
    fn site(&mut self) {
        self.tests("Tests of the built site", &mut cargo(&["test", "--quiet", "--package", "e2e", "--test", "site"]));
    }

    /// Builds the documentation, which the site may lack, and the recipe sites; the tests of the
    /// built site open both.
    fn recipes(&mut self) {
        self.check("Documentation of the site", book::built);
        self.check("Recipes", recipes::build);
    }

    fn clippy(&mut self, what: &str, arguments: &[&str]) {
        let all: Vec<&str> =
            ["clippy", "--quiet"].iter().chain(arguments).chain(&["--", "-D", "warnings"]).copied().collect();
        self.cargo_check(what, &all);
    }

    fn cargo_check(&mut self, what: &str, arguments: &[&str]) {
        let mut command = cargo(arguments);
        self.check(what, || run_program(&mut command));
    }

    /// Runs one check.
    fn check(&mut self, what: &str, holds: impl FnOnce() -> Result<()>) -> bool {
        step(what);
        let start = Instant::now();
        let outcome = holds();
        if let Err(failure) = &outcome {
            println!("    {failure:#}");
        }
        self.tally.check(outcome.is_ok());
        report(what, outcome.is_ok(), start);
        outcome.is_ok()
    }

    /// Runs a command that prints test results.
    fn tests(&mut self, what: &str, command: &mut Command) {
        step(what);
        let start = Instant::now();
        let mut tests = Tally::default();
        let succeeded = watch(command, |line| tests.read(line)).unwrap_or_else(|failure| {
            println!("    {failure:#}");
            false
        });
        self.tally.add(tests, succeeded);
        report(what, succeeded, start);
    }
}

/// Checks that the engine and its score depend on no browser crate.
fn wall() -> Result<()> {
    let tree = [
        "tree",
        "--quiet",
        "--package",
        ENGINE,
        "--package",
        FILES,
        "--package",
        SCORE,
        "--edges",
        "normal",
        "--prefix",
        "none",
    ];
    let tree = output(&mut cargo(&tree)).ok_or_else(|| anyhow!("`cargo tree` failed."))?;
    let names = tree.lines().filter_map(|line| line.split(' ').next());
    let web: Vec<&str> = names.filter(|name| WEB.iter().any(|web| name.starts_with(web))).collect();
    if web.is_empty() {
        return Ok(());
    }
    Err(anyhow!("The engine depends on {}.", web.join(", ")))
}

fn report(what: &str, passed: bool, start: Instant) {
    let verdict = if passed { "passed" } else { "FAILED" };
    println!("    {what}: {verdict} in {:.0} s", start.elapsed().as_secs_f64());
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops where its data is wrong")]
mod tests {
    use crate::folders::{entries, read};
    use crate::shell::root;

    /// Folders of tests that are one program each.
    const SUITES: [&str; 4] =
        ["crates/engine/tests/suite", "crates/files/tests/suite", "crates/score/tests/suite", "tests/e2e/tests/site"];

    #[test]
    fn every_file_of_a_suite_is_in_its_program() {
        for suite in SUITES {
            let folder = root().join(suite);
            let program = read(&folder.join("main.rs")).unwrap();
            let files = entries(&folder).unwrap();
            let names = files.iter().filter(|file| file.extension().is_some_and(|kind| kind == "rs"));
            let names: Vec<_> = names.map(|file| file.file_stem().unwrap().to_string_lossy()).collect();
            assert!(names.len() > 1, "{suite} has no tests");
            for name in names.iter().filter(|name| *name != "main") {
                assert!(program.contains(&format!("mod {name};")), "no test of {suite}/{name}.rs is run");
            }
        }
    }
}
