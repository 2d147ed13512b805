//! `cargo xtask python`: the engine as a Python package, a wheel in `target/python/`.
//!
//! maturin, in an environment of its own, compiles `python/src` and packs `python/shardwise`. [`check`] installs the wheel into a
//! fresh environment and runs `python/tests` there.

use anyhow::{Context as _, Result, anyhow};
use std::path::PathBuf;

use crate::engine::CLI;
use crate::shell::{cargo, program, root, run, step};
use crate::tools::{
    self,
    python::{Environment, pip},
};

/// The oldest minor version of Python 3 that the package supports.
const OLDEST: u32 = 9;
/// What builds the wheel.
const MATURIN: &str = "python/build-requirements.txt";
/// What the tests of the widget need, at the versions that they were written with.
const REQUIREMENTS: &str = "python/tests/requirements.txt";

/// Returns the folder of everything that is built here.
fn folder() -> PathBuf {
    root().join("target").join("python")
}

/// Builds the wheel; returns it.
///
/// # Errors
/// When Python or maturin is missing, or a tool fails.
pub fn build() -> Result<PathBuf> {
    let maturin = Environment { what: "maturin", oldest: OLDEST, lists: &[MATURIN], alone: &[] };
    let python = maturin.ensure(&tools::folder().join("maturin"))?;
    step("Building the wheel");
    let wheels = folder().join("wheels");
    let _ = std::fs::remove_dir_all(&wheels);
    let mut maturin = program(&python);
    maturin
        .args(["-m", "maturin", "build", "--quiet", "--profile", "wheel", "--out"])
        .arg(&wheels)
        .arg("--manifest-path");
    run(maturin.arg(root().join("python").join("Cargo.toml")))?;
    let wheel = std::fs::read_dir(&wheels).context("There is no wheel")?.flatten().map(|entry| entry.path()).next();
    let wheel = wheel.ok_or_else(|| anyhow!("maturin has made no wheel."))?;
    println!("{} is ready. pip install {}", wheel.file_name().unwrap_or_default().to_string_lossy(), wheel.display());
    Ok(wheel)
}

/// Builds the wheel, installs it into a fresh environment and runs its tests there.
///
/// # Errors
/// When the wheel cannot be built or installed, or a test fails.
pub fn check() -> Result<()> {
    let wheel = build()?;
    // The tests compare the package's reports with those of the command line.
    run(&mut cargo(&["build", "--quiet", "--package", CLI]))?;
    let fresh = folder().join("installed");
    let _ = std::fs::remove_dir_all(&fresh);
    let widget = Environment { what: "the packages of the tests", oldest: OLDEST, lists: &[REQUIREMENTS], alone: &[] };
    let python = widget.ensure(&fresh)?;
    step("Installing the wheel");
    run(pip(&python).arg(wheel))?;
    step("Testing the installed package");
    let shell = root().join("target").join("debug").join(format!("shardwise{}", std::env::consts::EXE_SUFFIX));
    let mut tests = program(python);
    // From a folder without the sources, which would stand for the package.
    tests.current_dir(&fresh).args(["-m", "unittest", "discover", "--start-directory"]);
    tests.arg(root().join("python").join("tests")).env("SHARDWISE_CLI", shell);
    run(tests.env("SHARDWISE_TESTS", root().join("tests")))
}
