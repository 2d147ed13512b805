//! Caddy: finds it, or installs it with the system's package manager. The tests of the built site
//! run against it.

use anyhow::{Result, anyhow};
use std::path::PathBuf;

use crate::browser::named;
use crate::packages::{self, Recipe};
use crate::shell::find;

/// Finds Caddy on this machine: the program that `CADDY` names, else the one on `PATH`.
///
/// # Errors
/// When there is no Caddy.
pub fn on_this_machine() -> Result<PathBuf> {
    let missing = || {
        anyhow!(
            "Caddy, which serves the site to the tests, is missing; `cargo xtask test` installs it, CADDY can name it."
        )
    };
    named("CADDY").or_else(|| find(&["caddy"])).ok_or_else(missing)
}

/// Returns Caddy, and installs it first if it is missing.
///
/// # Errors
/// When it is missing and its installation needs a person; the sentence has the command.
pub fn ensure() -> Result<PathBuf> {
    if let Err(missing) = on_this_machine() {
        packages::install("Caddy", &missing, &RECIPES)?;
    }
    on_this_machine()
}

const RECIPES: [Recipe; 4] = [
    Recipe {
        manager: "apt-get",
        commands: &[
            &["apt-get", "update", "-qq"],
            &["apt-get", "install", "-y", "-qq", "--no-install-recommends", "caddy"],
        ],
        as_root: true,
    },
    Recipe { manager: "dnf", commands: &[&["dnf", "install", "-y", "-q", "caddy"]], as_root: true },
    Recipe { manager: "pacman", commands: &[&["pacman", "-Sy", "--noconfirm", "--needed", "caddy"]], as_root: true },
    Recipe { manager: "brew", commands: &[&["brew", "install", "--quiet", "caddy"]], as_root: false },
];
