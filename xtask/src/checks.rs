//! `cargo xtask test`: everything that has to hold, from the cheapest to the dearest, and a count.

use anyhow::{Result, anyhow};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use crate::book;
use crate::caddy;
use crate::chromium;
use crate::engine::{ENGINE, SCORE};
use crate::firefox;
use crate::fuzz;
use crate::nginx;
use crate::npm;
use crate::recipes;
use crate::shell::{cargo, output, run as run_program, step, watch};
use crate::site;
use crate::tally::Tally;
use crate::tools::{self, GECKODRIVER, MDBOOK, TRUNK, Tool, WASM_BINDGEN, WASM_TARGET};
use crate::wasm_tests;
use crate::webkit;

/// A part of the checks, which can be had by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// What the compiler and the linters say of the sources.
    Lint,
    /// The documentation: of the code, and the book.
    Docs,
    /// Tests that need no browser, those of the npm package among them.
    Native,
    /// Tests in browsers: of the engine, and of the built site.
    Browser,
}

impl Part {
    const ALL: [Self; 4] = [Self::Lint, Self::Docs, Self::Native, Self::Browser];

    /// The part of this name.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "lint" => Some(Self::Lint),
            "docs" => Some(Self::Docs),
            "native" => Some(Self::Native),
            "browser" => Some(Self::Browser),
            _ => None,
        }
    }

    /// The tools that it needs compiled.
    fn tools(self) -> &'static [Tool] {
        match self {
            Self::Lint => &[],
            Self::Docs => &[MDBOOK],
            Self::Native => &[WASM_BINDGEN],
            Self::Browser => &[TRUNK, WASM_BINDGEN, MDBOOK, GECKODRIVER],
        }
    }
}

/// Runs these parts, or all where none is named; what fails does not keep the rest from running. The last line is the count.
pub fn run(parts: &[Part]) -> ExitCode {
    let parts = if parts.is_empty() { &Part::ALL } else { parts };
    let mut suite = Suite::default();
    // All at once: they have much in common.
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
            }
            Part::Browser => suite.browser(),
        }
    }
    suite.end()
}

/// Runs what finds most in a minute: unit tests, the laws in fewer cases, the links, the numbers of the documentation.
pub fn run_fast() -> ExitCode {
    let mut suite = Suite::default();
    let units = ["test", "--quiet", "--workspace", "--exclude", "e2e", "--lib", "--bins", "--no-fail-fast"];
    suite.tests("Unit tests", &mut cargo(&units));
    let laws = ["test", "--quiet", "--package", ENGINE, "--test", "suite", "--", "laws::", "links::"];
    suite.tests("Laws and links", cargo(&laws).env("PROPTEST_CASES", FAST_CASES));
    suite.tests("Numbers of the documentation", &mut cargo(&["test", "--quiet", "--test", "book"]));
    suite.end()
}

/// Of each law.
const FAST_CASES: &str = "100";

/// How long each fuzz target runs among the checks.
const FUZZ: Duration = Duration::from_secs(5);

/// How the names of crates begin that only the page may use.
const WEB: [&str; 6] = ["gloo", "js-sys", "plotters", "wasm-bindgen", "web-sys", "yew"];

#[derive(Default)]
struct Suite {
    tally: Tally,
}

impl Suite {
    /// Says the count.
    fn end(self) -> ExitCode {
        println!("{}", self.tally);
        if self.tally.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }

    /// What the compiler and the linters say.
    fn sources(&mut self) {
        self.check("Rust's formatter and linter", tools::linters);
        self.check("Formatting", || run_program(&mut cargo(&["fmt", "--all", "--check"])));
        self.check("Wall between engine and page", wall);
        self.clippy("Lints, native", &["--workspace", "--all-targets"]);
        self.clippy("Lints, tests of the built site", &["--package", "e2e", "--test", "site"]);
        if self.check("Rust target for Wasm", tools::wasm_target) {
            let packages = ["--package", "shardwise", "--package", "shardwise-charts", "--package", "shardwise-js"];
            let targets = ["--lib", "--bins", "--test", "browser", "--test", "bits", "--target", WASM_TARGET];
            self.clippy("Lints, Wasm", &[&packages[..], &targets].concat());
        }
    }

    /// Whether every link in the documentation leads somewhere, of the code and of the book.
    fn documentation(&mut self) {
        let mut doc = cargo(&["doc", "--quiet", "--workspace", "--lib", "--no-deps", "--document-private-items"]);
        doc.env("RUSTDOCFLAGS", "-D warnings");
        self.check("Documentation", || run_program(&mut doc));
        self.check("Book", book::run_command);
    }

    /// Tests that need no browser.
    fn native(&mut self) {
        self.tests("Tests, native", &mut cargo(&["test", "--quiet", "--workspace", "--no-fail-fast"]));
        if fuzz::targets().is_ok() {
            self.check("Fuzz targets", || fuzz::run(None, FUZZ));
        }
    }

    /// The engine as an npm package, in Node; its notebook is one of the browser's tests.
    fn npm_package(&mut self) {
        self.check("npm package", npm::check);
    }

    /// Tests in headless browsers.
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

    /// Tests of the built site; those in a browser that is missing fail.
    fn site(&mut self) {
        self.tests("Tests of the built site", &mut cargo(&["test", "--quiet", "--package", "e2e", "--test", "site"]));
    }

    /// The documentation, which a site is built without where it must be, and the sites that show figures; the tests of the built
    /// site open both.
    fn recipes(&mut self) {
        self.check("Documentation of the site", book::built);
        self.check("Recipes", recipes::build);
    }

    fn clippy(&mut self, what: &str, words: &[&str]) {
        let all: Vec<&str> =
            ["clippy", "--quiet"].iter().chain(words).chain(&["--", "-D", "warnings"]).copied().collect();
        self.cargo_check(what, &all);
    }

    fn cargo_check(&mut self, what: &str, words: &[&str]) {
        let mut command = cargo(words);
        self.check(what, || run_program(&mut command));
    }

    /// One thing that holds or not.
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

    /// A command that runs tests and prints their results.
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

/// The engine, and the score by it, depend on nothing that knows a browser.
fn wall() -> Result<()> {
    let tree = ["tree", "--quiet", "--package", ENGINE, "--package", SCORE, "--edges", "normal", "--prefix", "none"];
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
