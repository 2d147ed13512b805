//! `cargo xtask test --exports`: the frameworks' settings against the frameworks' own parsers. It downloads some gigabytes of
//! Python packages the first time, and so is no part of `cargo xtask test`.

use anyhow::{Context as _, Result, anyhow};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::engine::ENGINE;
use crate::shell::{cargo, find, output, program, root, run as run_program, step};

/// The packages, pinned.
const REQUIREMENTS: &str = "tests/exports/requirements.txt";
/// What reads the settings.
const CHECK: &str = "tests/exports/check.py";
/// The page that holds the result.
const DOCUMENT: &str = "docs/book/settings.md";
/// The settings.
const FOLDER: &str = "target/exports";
/// The interpreters that Megatron-Core runs on, the first found is taken.
const PYTHONS: [&str; 4] = ["python3.12", "python3.13", "python3.14", "python3"];

/// Installs what is missing, writes the settings, and runs the check, which writes the table of the documentation.
///
/// # Errors
/// When Python, a package or the settings cannot be had. Refused settings are the exit code's.
pub fn run() -> Result<ExitCode> {
    let python = environment()?;
    step("Settings of many scenarios");
    run_program(&mut cargo(&["run", "--quiet", "--package", ENGINE, "--example", "settings", "--", FOLDER]))?;
    step("Settings against the frameworks' parsers (some minutes)");
    let mut check = program(python);
    check.args(["-P", CHECK, FOLDER, "--document", DOCUMENT]);
    let status = check.status().context("The check could not be started")?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The interpreter of an environment with the packages, made where it is not there or not of this list.
fn environment() -> Result<PathBuf> {
    let folder = root().join("target/tools/exports");
    let (venv, stamp) = (folder.join("venv"), folder.join("requirements.txt"));
    let python = venv.join("bin/python");
    let wanted = std::fs::read_to_string(root().join(REQUIREMENTS))
        .with_context(|| format!("`{REQUIREMENTS}` could not be read"))?;
    if python.exists() && std::fs::read_to_string(&stamp).is_ok_and(|have| have == wanted) {
        return Ok(python);
    }
    step("Python packages of the frameworks (about 3 GB, once)");
    if !python.exists() {
        run_program(program(interpreter()?).args(["-m", "venv"]).arg(&venv))?;
    }
    let pip = ["-m", "pip", "install", "--quiet", "--no-cache-dir", "--requirement", REQUIREMENTS];
    run_program(program(&python).args(pip))?;
    std::fs::write(&stamp, wanted).with_context(|| format!("`{}` could not be written", stamp.display()))?;
    Ok(python)
}

/// A Python of 3.12 or newer.
fn interpreter() -> Result<PathBuf> {
    let new = |path: &Path| {
        let version = "import sys; sys.exit(sys.version_info < (3, 12))";
        output(program(path).args(["-c", version])).is_some()
    };
    let found = PYTHONS.iter().filter_map(|name| find(&[name])).find(|path| new(path));
    found.ok_or_else(|| anyhow!("It needs Python 3.12 or newer, with its module venv: install python3.12."))
}
