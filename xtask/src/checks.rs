//! `cargo xtask test`: everything that has to hold, from the cheapest to the dearest, and a count.

use std::process::{Command, ExitCode};
use std::time::Instant;

use crate::book;
use crate::caddy;
use crate::chromium;
use crate::failure::{Failure, Result};
use crate::firefox;
use crate::nginx;
use crate::npm;
use crate::recipes;
use crate::shell::{cargo, output, run as run_program, step, watch};
use crate::site;
use crate::tally::Tally;
use crate::tools::{self, WASM_TARGET};
use crate::wasm_tests;
use crate::webkit;

/// Runs everything; what fails does not keep the rest from running. The last line is the count.
///
/// # Errors
/// Never for a failed check, which is counted.
pub fn run() -> Result<ExitCode> {
    let mut suite = Suite::default();
    suite.sources();
    suite.documentation();
    suite.native();
    suite.npm_package();
    suite.browser();
    println!("{}", suite.tally);
    Ok(if suite.tally.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// How the names of crates begin that only the page may use.
const WEB: [&str; 6] = ["gloo", "js-sys", "plotters", "wasm-bindgen", "web-sys", "yew"];

#[derive(Default)]
struct Suite {
    tally: Tally,
}

impl Suite {
    /// What the compiler and the linters say.
    fn sources(&mut self) {
        self.check("Rust's formatter and linter", tools::linters);
        self.check("Formatting", || run_program(&mut cargo(&["fmt", "--all", "--check"])));
        self.check("Wall between engine and page", wall);
        self.cargo_check("Engine alone", &["check", "--quiet", "--lib", "--no-default-features"]);
        self.clippy("Lints, native", &["--workspace", "--all-targets"]);
        self.clippy("Lints, tests of the built site", &["--package", "e2e", "--test", "site"]);
        self.clippy("Lints, engine alone", &["--lib", "--examples", "--no-default-features"]);
        if self.check("Rust target for Wasm", tools::wasm_target) {
            let words = ["--lib", "--bins", "--test", "browser", "--test", "bits", "--target", WASM_TARGET];
            self.clippy("Lints, Wasm", &words);
        }
    }

    /// Whether every link in the documentation leads somewhere.
    fn documentation(&mut self) {
        let mut doc = cargo(&["doc", "--quiet", "--workspace", "--lib", "--no-deps", "--document-private-items"]);
        doc.env("RUSTDOCFLAGS", "-D warnings");
        self.check("Documentation", || run_program(&mut doc));
    }

    /// Tests that need no browser.
    fn native(&mut self) {
        self.tests("Tests, native", &mut cargo(&["test", "--quiet", "--workspace", "--no-fail-fast"]));
        self.cargo_check("Examples, engine alone", &["build", "--quiet", "--examples", "--no-default-features"]);
    }

    /// The engine as an npm package, in Node; its notebook is one of the browser's tests.
    fn npm_package(&mut self) {
        self.clippy("Lints, npm package", &["--package", "shardwise-js", "--target", WASM_TARGET]);
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
            let Some(chromium) = &chromium else { return Err(Failure::new("It has no browser to run tests in.")) };
            tests = Some(wasm_tests::command(chromium, &["--test", "browser", "--test", "bits"])?);
            Ok(())
        });
        if let Some(mut tests) = tests {
            self.tests("Tests in Chromium", &mut tests);
        }
        self.check("Firefox and geckodriver", || firefox::ensure().map(drop));
        self.check("WebKitGTK and its driver", || webkit::ensure().map(drop));
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
            println!("    {failure}");
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
            println!("    {failure}");
            false
        });
        self.tally.add(tests, succeeded);
        report(what, succeeded, start);
    }
}

/// The engine depends on nothing that knows a browser.
fn wall() -> Result<()> {
    let tree = ["tree", "--quiet", "--no-default-features", "--edges", "normal", "--prefix", "none"];
    let tree = output(&mut cargo(&tree)).ok_or_else(|| Failure::new("`cargo tree` failed."))?;
    let names = tree.lines().filter_map(|line| line.split(' ').next());
    let web: Vec<&str> = names.filter(|name| WEB.iter().any(|web| name.starts_with(web))).collect();
    if web.is_empty() {
        return Ok(());
    }
    Err(Failure::new(format!("Without the feature `web`, the library still depends on {}.", web.join(", "))))
}

fn report(what: &str, passed: bool, start: Instant) {
    let verdict = if passed { "passed" } else { "FAILED" };
    println!("    {what}: {verdict} in {:.0} s", start.elapsed().as_secs_f64());
}
