//! The browsers of this machine, by their kind.

use anyhow::Result;

use crate::browser::{Browser, Kind};
use crate::{chromium, firefox, webkit};

/// Finds the browser of a kind on this machine.
///
/// # Errors
/// When the browser or its driver is missing.
pub fn on_this_machine(kind: Kind) -> Result<Browser> {
    match kind {
        Kind::Chromium => chromium::on_this_machine(),
        Kind::Firefox => firefox::on_this_machine(),
        Kind::Webkit => webkit::on_this_machine(),
    }
}
