//! `cargo xtask test --exports`: checks the exported settings with the frameworks' own parsers, and the record of the
//! parameters of every family of models with transformers itself. It downloads some gigabytes of Python packages on
//! first use, so `cargo xtask test` does not include it.

use anyhow::{Context as _, Result};
use std::process::ExitCode;

use crate::engine::FILES;
use crate::shell::{cargo, program, run as run_program, step};
use crate::tools::{self, python::Environment};

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
/// The oldest minor version of Python 3 that Megatron-Core supports.
const OLDEST: u32 = 12;

/// Installs what is missing, writes the settings, and runs the check, which writes the table of the
/// documentation.
///
/// # Errors
/// When Python, a package or the settings are missing. Settings that a framework refuses set the
/// exit code instead.
pub fn run() -> Result<ExitCode> {
    let frameworks =
        Environment { what: "the frameworks (up to 3 GB)", oldest: OLDEST, lists: &[REQUIREMENTS], alone: &[ALONE] };
    let python = frameworks.ensure(&tools::folder().join("exports"))?;
    step("Settings of many scenarios");
    run_program(&mut cargo(&["run", "--quiet", "--package", FILES, "--example", "settings", "--", FOLDER]))?;
    step("Settings against the frameworks' parsers (some minutes)");
    let mut check = program(python);
    check.args(["-P", CHECK, FOLDER, "--document", DOCUMENT]);
    let accepted = check.status().context("The check could not be started")?;
    let transformers =
        Environment { what: "transformers (up to 1 GB)", oldest: OLDEST, lists: &[FAMILIES_REQUIREMENTS], alone: &[] };
    let python = transformers.ensure(&tools::folder().join("families"))?;
    step("Parameters of every family, as transformers counts them (some minutes)");
    let counted = program(python).args(["-P", FAMILIES]).status().context("The count could not be started")?;
    Ok(if accepted.success() && counted.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
