//! `cargo xtask test --exports`: checks the exported settings with the frameworks' own parsers, and the record of the
//! parameters of every family of models with transformers itself. It downloads some gigabytes of Python packages on
//! first use, so `cargo xtask test` does not include it.

use anyhow::{Context as _, Result, anyhow};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::engine::FILES;
use crate::shell::{cargo, find, output, program, root, run as run_program, step};

/// The pinned packages.
const REQUIREMENTS: &str = "tests/exports/requirements.txt";
/// Packages that are installed without their dependencies, whose versions would exclude each other's.
const ALONE: &str = "tests/exports/requirements-alone.txt";
/// The script that parses the settings.
const CHECK: &str = "tests/exports/check.py";
/// The pinned packages of the record of families, in an environment of their own.
const FAMILIES_REQUIREMENTS: &str = "tests/families/requirements.txt";
/// The script that asks transformers for the parameters of every family.
const FAMILIES: &str = "tests/families/ask.py";
/// The page with the table of results.
const DOCUMENT: &str = "docs/book/settings.md";
/// The folder of the settings.
const FOLDER: &str = "target/exports";
/// Python interpreters that support Megatron-Core, in order of preference.
const PYTHONS: [&str; 4] = ["python3.12", "python3.13", "python3.14", "python3"];

/// Installs what is missing, writes the settings, and runs the check, which writes the table of the
/// documentation.
///
/// # Errors
/// When Python, a package or the settings are missing. Settings that a framework refuses set the
/// exit code instead.
pub fn run() -> Result<ExitCode> {
    let python = environment("exports", &[REQUIREMENTS], &[ALONE])?;
    step("Settings of many scenarios");
    run_program(&mut cargo(&["run", "--quiet", "--package", FILES, "--example", "settings", "--", FOLDER]))?;
    step("Settings against the frameworks' parsers (some minutes)");
    let mut check = program(python);
    check.args(["-P", CHECK, FOLDER, "--document", DOCUMENT]);
    let accepted = check.status().context("The check could not be started")?;
    let python = environment("families", &[FAMILIES_REQUIREMENTS], &[])?;
    step("Parameters of every family, as transformers counts them (some minutes)");
    let counted = program(python).args(["-P", FAMILIES]).status().context("The count could not be started")?;
    Ok(if accepted.success() && counted.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Returns the interpreter of a virtual environment with the packages of these lists, `alone` without what they depend on.
/// It is created if it is missing or has another list.
fn environment(name: &str, lists: &[&str], alone: &[&str]) -> Result<PathBuf> {
    let folder = root().join("target/tools").join(name);
    let (venv, stamp) = (folder.join("venv"), folder.join("requirements.txt"));
    let python = venv.join("bin/python");
    let read =
        |list: &str| std::fs::read_to_string(root().join(list)).with_context(|| format!("`{list}` could not be read"));
    let wanted = lists.iter().chain(alone).map(|list| read(list)).collect::<Result<String>>()?;
    if python.exists() && std::fs::read_to_string(&stamp).is_ok_and(|have| have == wanted) {
        return Ok(python);
    }
    step("Python packages (up to 3 GB, once)");
    if !python.exists() {
        run_program(program(interpreter()?).args(["-m", "venv"]).arg(&venv))?;
    }
    let pip = ["-m", "pip", "install", "--quiet", "--no-cache-dir"];
    for list in lists {
        run_program(program(&python).args(pip).args(["--requirement", list]))?;
    }
    for list in alone {
        run_program(program(&python).args(pip).args(["--no-deps", "--requirement", list]))?;
    }
    std::fs::write(&stamp, wanted).with_context(|| format!("`{}` could not be written", stamp.display()))?;
    Ok(python)
}

/// Returns a Python interpreter of version 3.12 or newer.
fn interpreter() -> Result<PathBuf> {
    let new = |path: &Path| {
        let version = "import sys; sys.exit(sys.version_info < (3, 12))";
        output(program(path).args(["-c", version])).is_some()
    };
    let found = PYTHONS.iter().filter_map(|name| find(&[name])).find(|path| new(path));
    found.ok_or_else(|| anyhow!("It needs Python 3.12 or newer, with its module venv: install python3.12."))
}
