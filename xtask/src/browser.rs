//! A browser and its WebDriver program.

use std::path::{Path, PathBuf};

/// The browsers that the tests can drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Chromium or Chrome, by ChromeDriver.
    Chromium,
    /// Firefox, by geckodriver.
    Firefox,
    /// WebKitGTK's MiniBrowser, by WebKitWebDriver: Safari's engine on Linux.
    Webkit,
}

impl Kind {
    /// Returns the driver's name, for sentences.
    pub fn driver(self) -> &'static str {
        match self {
            Kind::Chromium => "ChromeDriver",
            Kind::Firefox => "geckodriver",
            Kind::Webkit => "WebKitWebDriver",
        }
    }
}

/// A browser on this machine.
#[derive(Clone, Debug)]
pub struct Browser {
    /// The kind of browser.
    pub kind: Kind,
    /// The path of the browser.
    pub browser: PathBuf,
    /// The path of the driver.
    pub driver: PathBuf,
}

/// Returns the file that an environment variable names, if it exists.
pub(crate) fn named(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).map(PathBuf::from).filter(|file| file.is_file())
}

/// Returns the path if a file is there.
pub(crate) fn at(place: &str) -> Option<PathBuf> {
    Some(Path::new(place).to_path_buf()).filter(|file| file.is_file())
}
