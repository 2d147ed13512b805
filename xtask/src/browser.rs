//! A browser and the program that drives it.

use anyhow::Result;
use std::path::{Path, PathBuf};

use crate::{chromium, firefox, webkit};

/// Those that the tests know to drive.
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
    /// The browser of this kind that is on this machine.
    ///
    /// # Errors
    /// When it or its driver is missing.
    pub fn on_this_machine(self) -> Result<Browser> {
        match self {
            Kind::Chromium => chromium::on_this_machine(),
            Kind::Firefox => firefox::on_this_machine(),
            Kind::Webkit => webkit::on_this_machine(),
        }
    }

    /// The driver's name, for sentences.
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
    /// Which one.
    pub kind: Kind,
    /// Its program.
    pub browser: PathBuf,
    /// The program that drives it.
    pub driver: PathBuf,
}

/// The file that an environment variable names, if it is one.
pub(crate) fn named(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).map(PathBuf::from).filter(|file| file.is_file())
}

/// This place, if a file is there.
pub(crate) fn at(place: &str) -> Option<PathBuf> {
    Some(Path::new(place).to_path_buf()).filter(|file| file.is_file())
}
