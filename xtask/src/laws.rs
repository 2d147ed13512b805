//! `cargo xtask laws`: the laws of the engine and of what reads files, under many seeds.
//!
//! The tests have one seed, so that none fails by chance. Here each run draws other scenarios.

use anyhow::{Context as _, Result, bail};
use std::process::Command;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use crate::engine::{ENGINE, FILES};
use crate::shell::{cargo, run as run_program, step};

/// The usual number of seeds.
pub const USUAL: u64 = 20;

/// What proptest reads a seed from.
const SEED: &str = "PROPTEST_RNG_SEED";
/// Seeds of a day, so that those of one day are not those of the next.
const OF_A_DAY: u64 = 1_000;
/// What the names of tests with random cases hold: their modules.
const MODULES: [&str; 13] = [
    "laws",
    "pins",
    "experts",
    "waterfall",
    "links",
    "relevance",
    "plan",
    "run::bytes",
    "snapshots",
    "errors",
    "config",
    "families",
    "logs",
];

/// Returns the first seed of today.
pub fn first() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    since.as_secs() / (24 * 60 * 60) * OF_A_DAY
}

/// Runs the laws under `number` seeds from `first` on. `PROPTEST_CASES` says how many cases each
/// law is tried with.
///
/// # Errors
/// When a test does not compile, or fails: the seeds with which it does are said last.
pub fn run(number: u64, first: u64) -> Result<()> {
    // What does not compile is no failure of a seed.
    run_program(&mut tests(&["--no-run"]))?;
    let mut failed = Vec::new();
    for seed in (first..).take(usize::try_from(number)?) {
        let start = Instant::now();
        let arguments = [&["--no-fail-fast", "--"][..], &MODULES].concat();
        let mut command = tests(&arguments);
        let output = command.env(SEED, seed.to_string()).output().context("The tests could not be started")?;
        let time = start.elapsed().as_secs();
        if output.status.success() {
            step(&format!("Seed {seed}: nothing fails ({time} s)"));
            continue;
        }
        let said = String::from_utf8_lossy(&output.stdout);
        println!("{said}{}", String::from_utf8_lossy(&output.stderr));
        let names = failures(&said).join(", ");
        step(&format!("Seed {seed}: {names} ({time} s)"));
        failed.push(format!("{seed} ({names})"));
    }
    if !failed.is_empty() {
        bail!(
            "{} of {number} seeds fail: {}. One of them again: `{SEED}={} cargo test --package {ENGINE} --package \
             {FILES} --test suite`.",
            failed.len(),
            failed.join(", "),
            failed.first().and_then(|seed| seed.split(' ').next()).unwrap_or_default(),
        );
    }
    println!("{number} seeds from {first} on: nothing fails.");
    Ok(())
}

fn tests(arguments: &[&str]) -> Command {
    let suite = ["test", "--quiet", "--package", ENGINE, "--package", FILES, "--test", "suite"];
    cargo(&[&suite[..], arguments].concat())
}

/// Returns the names of the tests that failed, from what libtest prints.
fn failures(said: &str) -> Vec<&str> {
    // "failures:" stands before what they printed, and once more before their names.
    let lists = said.split("\nfailures:\n").filter_map(|part| {
        let names: Vec<&str> = part.lines().take_while(|line| !line.is_empty()).collect();
        names.iter().all(|name| name.starts_with("    ")).then_some(names)
    });
    lists.flatten().map(str::trim).collect()
}

#[cfg(test)]
mod tests {
    use super::failures;

    #[test]
    fn failed_tests_are_named() {
        let said = "running 2 tests\n\nfailures:\n\n---- laws::a stdout ----\npanicked\n\n\nfailures:\n    laws::a\n    \
                    plan::b\n\ntest result: FAILED. 1 passed; 2 failed\n\nrunning 1 test\n\nfailures:\n\n---- logs::c \
                    stdout ----\n\n\nfailures:\n    logs::c\n\ntest result: FAILED.\n";
        assert_eq!(failures(said), ["laws::a", "plan::b", "logs::c"]);
    }
}
