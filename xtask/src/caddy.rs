//! Caddy with the configuration we ship: found, or installed by the system's package manager. The tests of the built site run
//! against it.

use std::path::{Path, PathBuf};

use crate::browser::named;
use crate::failure::{Failure, Result};
use crate::packages::{self, Recipe};
use crate::server::{Server, guarded, started};
use crate::shell::{find, root};

/// The Caddy of this machine: the one that `CADDY` names, else the one on `PATH`.
///
/// # Errors
/// When there is none.
pub fn on_this_machine() -> Result<PathBuf> {
    let missing = || {
        Failure::new(
            "Caddy, which serves the site to the tests, is missing; `cargo xtask test` installs it, CADDY can name it.",
        )
    };
    named("CADDY").or_else(|| find(&["caddy"])).ok_or_else(missing)
}

/// Caddy, installed first where it is missing.
///
/// # Errors
/// When it is missing and cannot be installed without a person: the sentence has the command.
pub fn ensure() -> Result<PathBuf> {
    if let Err(missing) = on_this_machine() {
        packages::install("Caddy", &missing, &RECIPES)?;
    }
    on_this_machine()
}

/// Serves a built site under a path ("/" or "/some/where/") on a free port, by `deploy/Caddyfile`.
///
/// # Errors
/// When there is no Caddy, or it does not start.
pub fn serve(folder: &Path, path: &str) -> Result<Server> {
    started(|port| serve_at(port, folder, path))
}

fn serve_at(port: u16, folder: &Path, path: &str) -> Result<Server> {
    let own = root().join("target").join("servers");
    let mut caddy = guarded(&on_this_machine()?);
    caddy.args(["run", "--adapter", "caddyfile", "--config", "deploy/Caddyfile"]);
    caddy.env("SHARDWISE_ADMIN", "off").env("SHARDWISE_ADDRESS", format!("http://127.0.0.1:{port}"));
    caddy.env("SHARDWISE_ROOT", folder).env("SHARDWISE_PATH", path.trim_end_matches('/'));
    // It keeps its last configuration there.
    caddy.env("XDG_CONFIG_HOME", &own).env("XDG_DATA_HOME", &own);
    Server::start("Caddy", caddy, port, path, folder)
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
