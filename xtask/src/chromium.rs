//! Chromium and ChromeDriver: found, or installed by the system's package manager, which keeps the two in step.

use std::path::PathBuf;

use crate::failure::{Failure, Result};
use crate::shell::{find, output, program, run, step};

const BROWSERS: [&str; 5] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
const MAC_BROWSER: &str = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";

/// A browser and the program that drives it.
#[derive(Clone, Debug)]
pub struct Chromium {
    /// Chromium or Chrome.
    pub browser: PathBuf,
    /// The ChromeDriver of the same version.
    pub driver: PathBuf,
}

/// The two on this machine: those that `CHROME` and `CHROMEDRIVER` name, else those on `PATH`.
///
/// # Errors
/// When one is missing.
pub fn on_this_machine() -> Result<Chromium> {
    let browser = named("CHROME").or_else(|| find(&BROWSERS)).or_else(mac_browser);
    let driver = named("CHROMEDRIVER").or_else(|| find(&["chromedriver"]));
    match (browser, driver) {
        (Some(browser), Some(driver)) => Ok(Chromium { browser, driver }),
        (Some(_), None) => Err(Failure::new("ChromeDriver is missing; CHROMEDRIVER can name it.")),
        (None, _) => Err(Failure::new("Chromium is missing; CHROME can name it.")),
    }
}

/// The two, installed first where one is missing.
///
/// # Errors
/// When they are missing and cannot be installed without a person: the sentence has the command.
pub fn ensure() -> Result<Chromium> {
    let Err(missing) = on_this_machine() else { return on_this_machine() };
    let Some(recipe) = recipe() else {
        return Err(Failure::new(format!("{missing} Install Chromium and ChromeDriver of the same version.")));
    };
    let by_hand = format!("{missing} Install both: {}", recipe.spelled("sudo "));
    let Some(prefix) = recipe.privilege() else { return Err(Failure::new(by_hand)) };
    step(&format!("Installing Chromium and ChromeDriver: {}", recipe.spelled("")));
    for words in recipe.commands {
        let all: Vec<&str> = prefix.iter().chain(words.iter()).copied().collect();
        let Some((first, rest)) = all.split_first() else { continue };
        let mut command = program(first);
        run(command.args(rest).env("DEBIAN_FRONTEND", "noninteractive"))
            .map_err(|failure| Failure::new(format!("{failure} {by_hand}")))?;
    }
    on_this_machine()
}

fn named(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).map(PathBuf::from).filter(|file| file.is_file())
}

fn mac_browser() -> Option<PathBuf> {
    Some(PathBuf::from(MAC_BROWSER)).filter(|file| file.is_file())
}

/// How one package manager installs the two.
struct Recipe {
    manager: &'static str,
    commands: &'static [&'static [&'static str]],
    as_root: bool,
}

const RECIPES: [Recipe; 4] = [
    Recipe {
        manager: "apt-get",
        commands: &[&["apt-get", "update", "-qq"], &["apt-get", "install", "-y", "-qq", "chromium", "chromium-driver"]],
        as_root: true,
    },
    Recipe { manager: "dnf", commands: &[&["dnf", "install", "-y", "-q", "chromium", "chromedriver"]], as_root: true },
    // Arch's package has both.
    Recipe { manager: "pacman", commands: &[&["pacman", "-Sy", "--noconfirm", "--needed", "chromium"]], as_root: true },
    Recipe {
        manager: "brew",
        commands: &[&["brew", "install", "--quiet", "--cask", "google-chrome", "chromedriver"]],
        as_root: false,
    },
];

/// Ubuntu calls Debian's two packages by other names.
const UBUNTU: Recipe = Recipe {
    manager: "apt-get",
    commands: &[
        &["apt-get", "update", "-qq"],
        &["apt-get", "install", "-y", "-qq", "chromium-browser", "chromium-chromedriver"],
    ],
    as_root: true,
};

fn recipe() -> Option<Recipe> {
    let system = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    if system.lines().any(|line| line == "ID=ubuntu") && find(&["apt-get"]).is_some() {
        return Some(UBUNTU);
    }
    RECIPES.into_iter().find(|recipe| find(&[recipe.manager]).is_some())
}

impl Recipe {
    /// The commands on one line; `sudo` goes before each that only root may run.
    fn spelled(&self, sudo: &str) -> String {
        let sudo = if self.as_root { sudo } else { "" };
        self.commands.iter().map(|words| format!("{sudo}{}", words.join(" "))).collect::<Vec<_>>().join(" && ")
    }

    /// The words that go before a command so that it may install: none for root, `sudo -n` where it asks no password.
    fn privilege(&self) -> Option<&'static [&'static str]> {
        let root = output(program("id").arg("-u")).is_some_and(|id| id.trim() == "0");
        if !self.as_root || root {
            return Some(&[]);
        }
        output(program("sudo").args(["-n", "true"])).map(|_| ["sudo", "-n"].as_slice())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recipe_is_spelled_as_one_would_type_it() {
        assert_eq!(
            UBUNTU.spelled("sudo "),
            "sudo apt-get update -qq && sudo apt-get install -y -qq chromium-browser chromium-chromedriver"
        );
    }
}
