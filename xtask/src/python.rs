//! `cargo xtask python`: the engine as a Python package, a wheel in `target/python/`.
//!
//! maturin, in an environment of its own, compiles `python/src` and packs `python/shardwise`. [`check`] installs the wheel into a
//! fresh environment and runs `python/tests` there.

use anyhow::{Context as _, Result, anyhow};
use std::path::{Path, PathBuf};

use crate::engine::CLI;
use crate::shell::{cargo, find, program, root, run, step};
use crate::tools;

/// What builds the wheel.
const MATURIN: &str = "maturin==1.9.6";
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
    let tools = tools::folder().join("maturin");
    let python = environment(&tools)?;
    if !run_quietly(program(&python).args(["-m", "maturin", "--version"])) {
        step("Installing maturin into target/tools/maturin");
        run(pip(&python).arg(MATURIN))?;
    }
    step("Building the wheel");
    let wheels = folder().join("wheels");
    let _ = std::fs::remove_dir_all(&wheels);
    let mut maturin = program(&python);
    maturin.args(["-m", "maturin", "build", "--quiet", "--release", "--out"]).arg(&wheels).arg("--manifest-path");
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
    step("Installing the wheel into a fresh environment");
    let python = environment(&fresh)?;
    run(pip(&python).arg(wheel).arg("--requirement").arg(root().join(REQUIREMENTS)))?;
    step("Testing the installed package");
    let shell = root().join("target").join("debug").join(format!("shardwise{}", std::env::consts::EXE_SUFFIX));
    let mut tests = program(python);
    // From a folder without the sources, which would stand for the package.
    tests.current_dir(&fresh).args(["-m", "unittest", "discover", "--start-directory"]);
    tests.arg(root().join("python").join("tests")).env("SHARDWISE_CLI", shell);
    run(tests.env("SHARDWISE_TESTS", root().join("tests")))
}

/// Returns the interpreter of a virtual environment, made where it is missing.
fn environment(place: &Path) -> Result<PathBuf> {
    let windows = cfg!(windows);
    let python =
        place.join(if windows { "Scripts" } else { "bin" }).join(if windows { "python.exe" } else { "python" });
    if !python.exists() {
        let missing = "Python 3.9 or later is missing: install it from python.org.";
        let system = find(&["python3", "python"]).ok_or_else(|| anyhow!(missing))?;
        run(program(system).args(["-m", "venv"]).arg(place)).map_err(|failure| {
            anyhow!("{failure:#} Python's venv may be a package of its own: apt-get install python3-venv")
        })?;
    }
    Ok(python)
}

fn pip(python: &Path) -> std::process::Command {
    let mut pip = program(python);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
    pip
}

/// Whether a program runs; what it prints does not matter.
fn run_quietly(command: &mut std::process::Command) -> bool {
    crate::shell::output(command).is_some()
}
