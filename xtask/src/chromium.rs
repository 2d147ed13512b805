//! Chromium and ChromeDriver: finds them, or installs them with the system's package manager, which
//! keeps their versions equal.

use crate::browser::{Browser, Kind, at, named};
use crate::packages::{self, Recipe};
use crate::shell::find;
use anyhow::{Result, anyhow};

/// Settings of every headless Chromium.
pub const SETTINGS: &str = include_str!("../../webdriver.json");

const BROWSERS: [&str; 5] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
const MAC_BROWSER: &str = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";

/// Finds both on this machine: the programs that `CHROME` and `CHROMEDRIVER` name, else those on
/// `PATH`.
///
/// # Errors
/// When one is missing.
pub fn on_this_machine() -> Result<Browser> {
    let browser = named("CHROME").or_else(|| find(&BROWSERS)).or_else(|| at(MAC_BROWSER));
    let driver = named("CHROMEDRIVER").or_else(|| find(&["chromedriver"]));
    match (browser, driver) {
        (Some(browser), Some(driver)) => Ok(Browser { kind: Kind::Chromium, browser, driver }),
        (Some(_), None) => Err(anyhow!("ChromeDriver is missing; CHROMEDRIVER can name it.")),
        (None, _) => Err(anyhow!("Chromium is missing; CHROME can name it.")),
    }
}

/// Returns both, and installs them first if one is missing.
///
/// # Errors
/// When one is missing and the installation needs a person; the sentence has the command.
pub fn ensure() -> Result<Browser> {
    let Err(missing) = on_this_machine() else { return on_this_machine() };
    let what = "Chromium and ChromeDriver of the same version";
    if packages::is_ubuntu() {
        packages::install(what, &missing, &[UBUNTU])?;
    } else {
        packages::install(what, &missing, &RECIPES)?;
    }
    on_this_machine()
}

const RECIPES: [Recipe; 4] = [
    Recipe {
        manager: "apt-get",
        commands: &[&["apt-get", "update", "-qq"], &["apt-get", "install", "-y", "-qq", "chromium", "chromium-driver"]],
        as_root: true,
    },
    Recipe { manager: "dnf", commands: &[&["dnf", "install", "-y", "-q", "chromium", "chromedriver"]], as_root: true },
    // Arch has both in one package.
    Recipe { manager: "pacman", commands: &[&["pacman", "-Sy", "--noconfirm", "--needed", "chromium"]], as_root: true },
    Recipe {
        manager: "brew",
        commands: &[&["brew", "install", "--quiet", "--cask", "google-chrome", "chromedriver"]],
        as_root: false,
    },
];

/// Ubuntu's names of Debian's two packages.
const UBUNTU: Recipe = Recipe {
    manager: "apt-get",
    commands: &[
        &["apt-get", "update", "-qq"],
        &["apt-get", "install", "-y", "-qq", "chromium-browser", "chromium-chromedriver"],
    ],
    as_root: true,
};
