//! `cargo xtask visits`: visits the built site over and over, and counts figures that are missing,
//! old or late. The package `e2e` does the visiting.

use anyhow::Result;

use crate::shell::{cargo, run as run_program};
use crate::{caddy, chromium, firefox, webkit};

/// Visits in each browser, if nobody says otherwise.
pub const USUAL: u32 = 100;

/// Visits the site in `dist/` this often in each browser, and prints a line of counts for each.
///
/// # Errors
/// When a browser cannot be installed, there is no site, or a visit went wrong.
pub fn run(visits: u32) -> Result<()> {
    chromium::ensure()?;
    firefox::ensure()?;
    if cfg!(target_os = "linux") {
        webkit::ensure()?;
    }
    caddy::ensure()?;
    let visits = visits.to_string();
    run_program(&mut cargo(&["run", "--quiet", "--package", "e2e", "--bin", "visits", "--", &visits]))
}
