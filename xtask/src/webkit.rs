//! WebKitGTK's browser and driver, and the virtual screen that they need: finds them, or installs
//! them with the system's package manager.

use anyhow::{Result, anyhow};
use std::path::PathBuf;

use crate::browser::{Browser, Kind, at, named};
use crate::packages::{self, Recipe};
use crate::shell::find;

/// Paths of the browser on Debian, Fedora and Arch, which is not on `PATH`.
const BROWSERS: [&str; 6] = [
    "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser",
    "/usr/lib/aarch64-linux-gnu/webkit2gtk-4.1/MiniBrowser",
    "/usr/lib/x86_64-linux-gnu/webkitgtk-6.0/MiniBrowser",
    "/usr/lib/aarch64-linux-gnu/webkitgtk-6.0/MiniBrowser",
    "/usr/libexec/webkitgtk-6.0/MiniBrowser",
    "/usr/lib/webkitgtk-6.0/MiniBrowser",
];

/// Finds the browser and its driver: the programs that `MINIBROWSER` and `WEBKITWEBDRIVER` name,
/// else the system's.
///
/// # Errors
/// When one is missing.
pub fn on_this_machine() -> Result<Browser> {
    let browser = named("MINIBROWSER").or_else(|| BROWSERS.into_iter().find_map(at));
    let driver = named("WEBKITWEBDRIVER").or_else(|| find(&["WebKitWebDriver"]));
    match (browser, driver) {
        (Some(browser), Some(driver)) => Ok(Browser { kind: Kind::Webkit, browser, driver }),
        (None, _) => Err(anyhow!("WebKitGTK's MiniBrowser is missing; MINIBROWSER can name it.")),
        (_, None) => Err(anyhow!("WebKitWebDriver is missing; WEBKITWEBDRIVER can name it.")),
    }
}

/// Finds Xvfb, a screen in memory: WebKitGTK has no headless mode.
///
/// # Errors
/// When Xvfb is missing.
pub fn screen() -> Result<PathBuf> {
    named("XVFB").or_else(|| find(&["Xvfb"])).ok_or_else(|| anyhow!("Xvfb is missing; XVFB can name it."))
}

/// Returns browser and driver, and installs them and Xvfb first if one is missing.
///
/// # Errors
/// When one is missing and the installation needs a person; the sentence has the command.
pub fn ensure() -> Result<Browser> {
    let missing = on_this_machine().err().or_else(|| screen().err());
    if let Some(missing) = missing {
        packages::install("WebKitGTK's browser and driver, and Xvfb", &missing, &RECIPES)?;
    }
    screen()?;
    on_this_machine()
}

const RECIPES: [Recipe; 3] = [
    Recipe {
        manager: "apt-get",
        commands: &[
            &["apt-get", "update", "-qq"],
            &["apt-get", "install", "-y", "-qq", "--no-install-recommends", "webkit2gtk-driver", "xvfb"],
        ],
        as_root: true,
    },
    // Fedora has both in the library's package.
    Recipe {
        manager: "dnf",
        commands: &[&["dnf", "install", "-y", "-q", "webkitgtk6.0", "xorg-x11-server-Xvfb"]],
        as_root: true,
    },
    Recipe {
        manager: "pacman",
        commands: &[&["pacman", "-Sy", "--noconfirm", "--needed", "webkitgtk-6.0", "xorg-server-xvfb"]],
        as_root: true,
    },
];
