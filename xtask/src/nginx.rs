//! nginx: finds it, or installs it with the system's package manager. A test compares its shipped
//! configuration with Caddy's.

use anyhow::{Result, anyhow};
use std::path::PathBuf;

use crate::browser::{at, named};
use crate::packages::{self, Recipe};
use crate::shell::find;

/// Paths of the module that serves `.br` files on Debian and Fedora.
const BROTLI: [&str; 2] = [
    "/usr/lib/nginx/modules/ngx_http_brotli_static_module.so",
    "/usr/lib64/nginx/modules/ngx_http_brotli_static_module.so",
];

/// Finds nginx on this machine: the program that `NGINX` names, else the one on `PATH` or among the
/// system's programs.
///
/// # Errors
/// When there is no nginx.
pub fn on_this_machine() -> Result<PathBuf> {
    let missing = || {
        anyhow!("nginx, whose configuration is tested, is missing; `cargo xtask test` installs it, NGINX can name it.")
    };
    named("NGINX").or_else(|| find(&["nginx"])).or_else(|| at("/usr/sbin/nginx")).ok_or_else(missing)
}

/// Returns nginx, and installs it first if it is missing.
///
/// # Errors
/// When it is missing and its installation needs a person; the sentence has the command.
pub fn ensure() -> Result<PathBuf> {
    if let Err(missing) = on_this_machine() {
        packages::install("nginx", &missing, &RECIPES)?;
    }
    on_this_machine()
}

/// Returns nginx's module that serves `.br` files, if it is installed.
pub fn brotli() -> Option<PathBuf> {
    BROTLI.into_iter().find_map(at)
}

const RECIPES: [Recipe; 4] = [
    Recipe {
        manager: "apt-get",
        commands: &[
            &["apt-get", "update", "-qq"],
            &["apt-get", "install", "-y", "-qq", "nginx-light", "libnginx-mod-http-brotli-static"],
        ],
        as_root: true,
    },
    Recipe { manager: "dnf", commands: &[&["dnf", "install", "-y", "-q", "nginx"]], as_root: true },
    Recipe { manager: "pacman", commands: &[&["pacman", "-Sy", "--noconfirm", "--needed", "nginx"]], as_root: true },
    Recipe { manager: "brew", commands: &[&["brew", "install", "--quiet", "nginx"]], as_root: false },
];
