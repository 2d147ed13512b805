//! Serves the site with Caddy and nginx and the configurations under `deploy/`, and sends single
//! requests to it.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use ureq::Agent;
use xtask::programs::{CADDY, NGINX, NGINX_BROTLI};
use xtask::shell::root;

use crate::process::{self, Process};

/// Timeout of a request.
const PATIENCE: Duration = Duration::from_secs(20);

/// A running web server, which ends when this is dropped.
#[derive(Debug)]
pub struct Server {
    _process: Process,
    url: String,
}

impl Server {
    /// Serves a folder under a path ("/" or "/some/where/") with `deploy/Caddyfile`.
    ///
    /// # Errors
    /// When Caddy is missing or does not start.
    pub fn caddy(folder: &Path, path: &str) -> Result<Self> {
        let own = process::folder()?;
        let configure = |port: u16, caddy: &mut Command| {
            caddy.args(["run", "--adapter", "caddyfile", "--config", "deploy/Caddyfile"]);
            caddy.env("SHARDWISE_ADMIN", "off").env("SHARDWISE_ADDRESS", format!("http://127.0.0.1:{port}"));
            caddy.env("SHARDWISE_ROOT", folder).env("SHARDWISE_PATH", path.trim_end_matches('/'));
            // Caddy keeps its last configuration in these folders.
            caddy.env("XDG_CONFIG_HOME", &own).env("XDG_DATA_HOME", &own);
            Ok(())
        };
        Self::start("Caddy", &CADDY.find()?, configure, folder, path)
    }

    /// Serves a folder under a path ("/" or "/some/where/") with `deploy/nginx.conf`.
    ///
    /// # Errors
    /// When nginx is missing or rejects the configuration, or a line to be replaced is no longer in
    /// it.
    pub fn nginx(folder: &Path, path: &str) -> Result<Self> {
        let configure = |port: u16, command: &mut Command| {
            let own = process::folder()?.join(format!("nginx-{port}"));
            std::fs::create_dir_all(&own).context("target/servers cannot be made")?;
            for (name, text) in nginx_configuration(port, folder, path)? {
                std::fs::write(own.join(name), text).with_context(|| format!("{name} cannot be written"))?;
            }
            command.arg("-p").arg(&own).args(["-c", "nginx.conf", "-e", "stderr"]);
            Ok(())
        };
        Self::start("nginx", &NGINX.find()?, configure, folder, path)
    }

    /// Waits until the server answers with the folder's `index.html`.
    fn start(
        name: &str,
        program: &Path,
        configure: impl Fn(u16, &mut Command) -> Result<()>,
        folder: &Path,
        path: &str,
    ) -> Result<Self> {
        let index = std::fs::read_to_string(folder.join("index.html"))
            .with_context(|| format!("{} has no index.html", folder.display()))?;
        let url = |port: u16| format!("http://127.0.0.1:{port}{path}");
        let ready = |port: u16| fetch(&url(port)).is_ok_and(|answer| answer.body == index);
        let process = Process::start(name, program, configure, ready)?;
        Ok(Self { url: url(process.port()), _process: process })
    }

    /// Returns the address of the folder, with a slash at the end.
    pub fn url(&self) -> &str {
        &self.url
    }
}

/// Returns the shipped configuration for this folder, path and port, and nginx's main
/// configuration: (name, text).
fn nginx_configuration(port: u16, folder: &Path, path: &str) -> Result<[(&'static str, String); 2]> {
    let shipped = std::fs::read_to_string(root().join("deploy").join("nginx.conf"))
        .context("deploy/nginx.conf cannot be read")?;
    let mut changes = vec![
        ("listen 80;", format!("listen 127.0.0.1:{port};")),
        ("alias /srv/shardwise/;", format!("alias {}/;", folder.display())),
        ("location / {", format!("location {path} {{")),
    ];
    let module = NGINX_BROTLI.find().ok();
    if module.is_none() {
        changes.push(("brotli_static on;", String::new()));
    }
    let load = module.map(|file| format!("load_module {};\n", file.display())).unwrap_or_default();
    let temporary: String =
        ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(|kind| format!("{kind}_temp_path temp; ")).concat();
    let main = format!(
        "{load}daemon off;\nmaster_process off;\npid nginx.pid;\nevents {{}}\nhttp {{ access_log off; {temporary}include \
         site.conf; }}\n"
    );
    Ok([("site.conf", adapted(&shipped, &changes)?), ("nginx.conf", main)])
}

/// Returns the shipped configuration with replacements, each of which must apply exactly once.
fn adapted(shipped: &str, changes: &[(&str, String)]) -> Result<String> {
    changes.iter().try_fold(shipped.to_owned(), |text, (old, new)| {
        if text.lines().filter(|line| line.trim() == *old).count() != 1 {
            bail!("deploy/nginx.conf has not one line `{old}`.");
        }
        let lines = text.lines().map(|line| if line.trim() == *old { new } else { line });
        Ok(lines.flat_map(|line| [line, "\n"]).collect())
    })
}

/// The response of a server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The status code.
    pub status: u16,
    /// Header names in lower case with their values, in the order of the response.
    pub headers: Vec<(String, String)>,
    /// The body as text; bytes that are not text are replaced.
    pub body: String,
}

impl Answer {
    /// Returns the value of a header by its lower-case name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }
}

/// Fetches an address without compression and without following redirects.
///
/// # Errors
/// When there is no response.
pub fn fetch(url: &str) -> Result<Answer> {
    fetch_with(url, &[])
}

/// Fetches an address as [`fetch`] does, with these headers: (name, value).
///
/// # Errors
/// When there is no response.
pub fn fetch_with(url: &str, headers: &[(&str, &str)]) -> Result<Answer> {
    let agent = Agent::config_builder().http_status_as_error(false).max_redirects(0).timeout_global(Some(PATIENCE));
    let agent = agent.build().new_agent();
    let request = headers.iter().fold(agent.get(url), |request, (name, value)| request.header(*name, *value));
    let mut answer = request.call().with_context(|| format!("Nobody answers at {url}"))?;
    let body = answer.body_mut().read_to_vec().with_context(|| format!("The answer of {url} is cut"))?;
    let headers = answer.headers().iter();
    let headers =
        headers.map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned()));
    Ok(Answer {
        status: answer.status().as_u16(),
        headers: headers.collect(),
        body: String::from_utf8_lossy(&body).into_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_replaced_where_it_stands_once() {
        let shipped = "a {\n    listen 80;\n    # listen 80; is the default\n}\n";
        let change = |old: &'static str| adapted(shipped, &[(old, "listen 1;".to_owned())]);
        assert_eq!(change("listen 80;").unwrap(), "a {\nlisten 1;\n    # listen 80; is the default\n}\n");
        assert!(change("listen 443;").is_err());
    }
}
