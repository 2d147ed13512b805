//! `cargo xtask serve`: serves the site and builds it again on every change.

use anyhow::{Context as _, Result, anyhow};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};
use tiny_http::{Header, Request, Response, Server};

use super::{Profile, assemble, modules};
use crate::install::{self, wasm_target};
use crate::programs::WASM_BINDGEN;
use crate::shell::{below, find, program, root, step, target};

/// Port of `cargo xtask serve`.
pub const PORT: u16 = 8080;

/// Time between two looks at the sources.
const PAUSE: Duration = Duration::from_millis(300);

/// Types of the site's files, by extension.
const TYPES: [(&str, &str); 11] = [
    ("css", "text/css"),
    ("html", "text/html; charset=utf-8"),
    ("jpg", "image/jpeg"),
    ("js", "text/javascript"),
    ("json", "application/json"),
    ("png", "image/png"),
    ("py", "text/plain; charset=utf-8"),
    ("svg", "image/svg+xml"),
    ("txt", "text/plain; charset=utf-8"),
    ("wasm", "application/wasm"),
    ("woff2", "font/woff2"),
];

/// Builds and serves the site, and builds it again on every change, until interrupted.
///
/// # Errors
/// When the port is taken, a tool is missing, or the first build fails.
pub fn serve(profile: Profile, port: u16) -> Result<()> {
    let next = port.wrapping_add(1);
    let server = Server::http(("127.0.0.1", port))
        .map_err(|_| anyhow!("Port {port} is taken: cargo xtask serve --port {next}"))?;
    wasm_target()?;
    let site = target().join("serve");
    if !site.is_dir() {
        step("The first build compiles everything: about three minutes on two cores. Later ones take seconds.");
        prepare(profile)?;
    }
    install::ensure(&[&WASM_BINDGEN])?;
    let watched: Vec<PathBuf> = assemble::settings()?.watched.iter().map(|path| root().join(path)).collect();
    let mut seen = changed(&watched);
    build(profile, &site)?;
    let address = format!("http://127.0.0.1:{port}");
    step(&format!("Serving the calculator on {address} (Ctrl-C stops; reload after a change)"));
    show(&address);
    let served = site.clone();
    std::thread::spawn(move || server.incoming_requests().for_each(|request| answer(request, &served)));
    loop {
        std::thread::sleep(PAUSE);
        let now = changed(&watched);
        if now != seen {
            seen = now;
            // An error of the compiler: the last site is served on.
            if let Err(failure) = build(profile, &site) {
                step(&format!("{failure:#}"));
            }
        }
    }
}

/// Installs wasm-bindgen and compiles both halves of the site at the same time, as each leaves
/// cores idle. Errors of the compiler are said when the site is built.
fn prepare(profile: Profile) -> Result<()> {
    std::thread::scope(|scope| {
        scope.spawn(|| modules::compile(profile));
        scope.spawn(super::build_rows);
        install::ensure(&[&WASM_BINDGEN])
    })
}

/// Assembles the site beside the one that is served, and then puts it in its place.
fn build(profile: Profile, site: &Path) -> Result<()> {
    let start = Instant::now();
    step("Building the site");
    let new = site.with_extension("new");
    assemble::assemble(profile, &new)?;
    // There may be none yet.
    let _ = std::fs::remove_dir_all(site);
    std::fs::rename(&new, site).with_context(|| format!("{} could not be moved", new.display()))?;
    println!("    built in {:.1} s", start.elapsed().as_secs_f64());
    Ok(())
}

/// Returns the time of the newest change of a source. A file that an editor is replacing has none.
fn changed(watched: &[PathBuf]) -> Option<SystemTime> {
    let all = |path: &PathBuf| if path.is_dir() { below(path).unwrap_or_default() } else { vec![path.clone()] };
    let files = watched.iter().flat_map(all);
    files.filter_map(|file| std::fs::metadata(file).and_then(|data| data.modified()).ok()).max()
}

/// Opens the address in the browser of a desktop; without one the address was printed.
fn show(address: &str) {
    let opener = if cfg!(target_os = "macos") {
        find(&["open"])
    } else if cfg!(target_os = "windows") {
        find(&["explorer"])
    } else {
        let has_display = ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some());
        find(&["xdg-open"]).filter(|_| has_display)
    };
    if let Some(opener) = opener {
        let _ = program(opener).arg(address).spawn();
    }
}

/// Answers a request with a file of the site. A browser that went away is no error.
fn answer(request: Request, site: &Path) {
    let _ = match found(request.url(), site) {
        Some((bytes, kind)) => {
            let headers = [("Content-Type", kind), ("Cache-Control", "no-cache"), ("Access-Control-Allow-Origin", "*")];
            let mut response = Response::from_data(bytes);
            for (name, value) in headers {
                if let Ok(header) = Header::from_bytes(name, value) {
                    response.add_header(header);
                }
            }
            request.respond(response)
        }
        None => request.respond(Response::from_string("There is no such file.").with_status_code(404)),
    };
}

/// Returns the bytes and the type of the file at an address; `None` without one in the site.
fn found(url: &str, site: &Path) -> Option<(Vec<u8>, &'static str)> {
    let path = url.split(['?', '#']).next()?.trim_start_matches('/');
    let is_inside = path.split('/').all(|part| part != ".." && !part.contains('\\') && !part.contains(':'));
    let file = Some(site.join(path)).filter(|_| is_inside)?;
    let file: PathBuf = if file.is_dir() { file.join("index.html") } else { file };
    let kind = file.extension().and_then(|own| TYPES.iter().find(|(known, _)| own == *known));
    Some((std::fs::read(&file).ok()?, kind.map_or("application/octet-stream", |(_, kind)| kind)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_the_site_are_found_and_no_others() {
        let site = root();
        assert_eq!(found("/static/boot.js?again=1", &site).unwrap().1, "text/javascript");
        assert_eq!(found("/", &site).unwrap().1, "text/html; charset=utf-8");
        for outside in ["/../etc/passwd", "/static/../../x", "/no-such-file", "/c:/x", "/a\\..\\b"] {
            assert!(found(outside, &site).is_none(), "{outside}");
        }
    }
}
