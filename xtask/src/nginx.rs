//! nginx with the configuration we ship: found, or installed by the system's package manager. A test compares it with Caddy.

use std::path::{Path, PathBuf};

use crate::browser::{at, named};
use crate::failure::{Explain as _, Failure, Result};
use crate::packages::{self, Recipe};
use crate::server::{Server, guarded, started};
use crate::shell::{find, root};

/// Where Debian and Fedora put the module that serves `.br` files.
const BROTLI: [&str; 2] = [
    "/usr/lib/nginx/modules/ngx_http_brotli_static_module.so",
    "/usr/lib64/nginx/modules/ngx_http_brotli_static_module.so",
];

/// The nginx of this machine: the one that `NGINX` names, else the one on `PATH` or among the programs of the system.
///
/// # Errors
/// When there is none.
pub fn on_this_machine() -> Result<PathBuf> {
    let missing = || {
        Failure::new(
            "nginx, whose configuration is tested, is missing; `cargo xtask test` installs it, NGINX can name it.",
        )
    };
    named("NGINX").or_else(|| find(&["nginx"])).or_else(|| at("/usr/sbin/nginx")).ok_or_else(missing)
}

/// nginx, installed first where it is missing.
///
/// # Errors
/// When it is missing and cannot be installed without a person: the sentence has the command.
pub fn ensure() -> Result<PathBuf> {
    if let Err(missing) = on_this_machine() {
        packages::install("nginx", &missing, &RECIPES)?;
    }
    on_this_machine()
}

/// Whether this machine's nginx can serve `.br` files.
pub fn knows_brotli() -> bool {
    brotli().is_some()
}

fn brotli() -> Option<PathBuf> {
    BROTLI.into_iter().find_map(at)
}

/// Serves a built site under a path ("/" or "/some/where/") on a free port, by `deploy/nginx.conf`.
///
/// # Errors
/// When there is no nginx, it does not accept the configuration, or that has no longer what is replaced here.
pub fn serve(folder: &Path, path: &str) -> Result<Server> {
    started(|port| serve_at(port, folder, path))
}

fn serve_at(port: u16, folder: &Path, path: &str) -> Result<Server> {
    let own = root().join("target").join("servers").join(format!("nginx-{port}"));
    std::fs::create_dir_all(&own).explain(|| "target/servers could not be made".into())?;
    let shipped = std::fs::read_to_string(root().join("deploy").join("nginx.conf"))
        .explain(|| "deploy/nginx.conf could not be read".into())?;
    let folder_there = format!("{}/", folder.display());
    let mut changes = vec![
        ("listen 80;", format!("listen 127.0.0.1:{port};")),
        ("alias /srv/shardwise/;", format!("alias {folder_there};")),
        ("location / {", format!("location {path} {{")),
    ];
    let module = brotli();
    if module.is_none() {
        changes.push(("brotli_static on;", String::new()));
    }
    let site = adapted(&shipped, &changes)?;
    let load = module.map(|file| format!("load_module {};\n", file.display())).unwrap_or_default();
    let temporary: String =
        ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(|kind| format!("{kind}_temp_path temp; ")).concat();
    let main = format!(
        "{load}daemon off;\nmaster_process off;\npid nginx.pid;\nevents {{}}\nhttp {{ access_log off; {temporary}include \
         site.conf; }}\n"
    );
    for (name, text) in [("site.conf", site), ("nginx.conf", main)] {
        std::fs::write(own.join(name), text).explain(|| format!("{name} could not be written"))?;
    }
    let mut nginx = guarded(&on_this_machine()?);
    nginx.arg("-p").arg(&own).args(["-c", "nginx.conf", "-e", "stderr"]);
    Server::start("nginx", nginx, port, path, folder)
}

/// The shipped configuration with each of these in place of what it has once.
fn adapted(shipped: &str, changes: &[(&str, String)]) -> Result<String> {
    changes.iter().try_fold(shipped.to_owned(), |text, (old, new)| {
        if text.lines().filter(|line| line.trim() == *old).count() != 1 {
            return Err(Failure::new(format!("deploy/nginx.conf has not one line `{old}`.")));
        }
        let lines = text.lines().map(|line| if line.trim() == *old { new } else { line });
        Ok(lines.flat_map(|line| [line, "\n"]).collect())
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_replaced_where_it_stands_once() {
        let shipped = "a {\n    listen 80;\n    # listen 80; is the default\n}\n";
        let change = |old: &'static str| adapted(shipped, &[(old, "listen 1;".to_owned())]);
        assert_eq!(change("listen 80;"), Ok("a {\nlisten 1;\n    # listen 80; is the default\n}\n".to_owned()));
        assert!(change("listen 443;").is_err());
    }
}
