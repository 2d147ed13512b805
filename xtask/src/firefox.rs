//! Firefox and geckodriver: finds the browser or installs it with the system's package manager, and
//! finds the driver or compiles it with cargo.

use crate::browser::{Browser, Kind, at, named};
use crate::packages::{self, Recipe};
use crate::shell::find;
use crate::tools;
use anyhow::{Result, anyhow, bail};

const BROWSERS: [&str; 2] = ["firefox-esr", "firefox"];
const MAC_BROWSER: &str = "/Applications/Firefox.app/Contents/MacOS/firefox";

/// Finds both on this machine: the programs that `FIREFOX` and `GECKODRIVER` name, else those on
/// `PATH`; the driver also in `target/tools`.
///
/// # Errors
/// When one is missing.
pub fn on_this_machine() -> Result<Browser> {
    let browser = named("FIREFOX").or_else(|| find(&BROWSERS)).or_else(|| at(MAC_BROWSER));
    let browser = browser.ok_or_else(|| anyhow!("Firefox is missing; FIREFOX can name it."))?;
    let driver = named("GECKODRIVER").or_else(|| tools::GECKODRIVER.present().ok().flatten());
    let driver = driver.ok_or_else(|| anyhow!("geckodriver is missing; GECKODRIVER can name it."))?;
    Ok(Browser { kind: Kind::Firefox, browser, driver })
}

/// Returns both, and installs them first if one is missing.
///
/// # Errors
/// When one is missing and the installation needs a person; the sentence has the command.
pub fn ensure() -> Result<Browser> {
    if let Ok(both) = on_this_machine() {
        return Ok(both);
    }
    if named("FIREFOX").is_none() && find(&BROWSERS).is_none() && at(MAC_BROWSER).is_none() {
        let missing = anyhow!("Firefox is missing; FIREFOX can name it.");
        // Ubuntu's package is a stub for a snap, which geckodriver cannot start with a separate
        // profile.
        if packages::is_ubuntu() {
            bail!("{missing} Install it from packages.mozilla.org (not the snap).");
        }
        packages::install("Firefox", &missing, &RECIPES)?;
    }
    if named("GECKODRIVER").is_none() {
        tools::GECKODRIVER.ensure()?;
    }
    on_this_machine()
}

const RECIPES: [Recipe; 4] = [
    Recipe {
        manager: "apt-get",
        commands: &[
            &["apt-get", "update", "-qq"],
            &["apt-get", "install", "-y", "-qq", "--no-install-recommends", "firefox-esr"],
        ],
        as_root: true,
    },
    Recipe { manager: "dnf", commands: &[&["dnf", "install", "-y", "-q", "firefox"]], as_root: true },
    Recipe { manager: "pacman", commands: &[&["pacman", "-Sy", "--noconfirm", "--needed", "firefox"]], as_root: true },
    Recipe { manager: "brew", commands: &[&["brew", "install", "--quiet", "--cask", "firefox"]], as_root: false },
];
