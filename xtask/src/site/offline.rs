//! The service worker, which keeps the site's files for when there is no network.

use anyhow::{Context as _, Result, bail};
use std::hash::{DefaultHasher, Hasher as _};
use std::path::{Path, PathBuf};

use crate::shell::{below, read_text, write};

/// Name of the service worker in the site; its scope is its folder and everything below.
const WORKER: &str = "sw.js";

/// Path of the worker's template in Trunk's output.
const TEMPLATE: &str = "static/sw.js";

/// Extensions of files that the page may request. Pictures are excluded, as they only serve
/// visitors without scripts.
const KEPT: [&str; 6] = ["css", "html", "js", "svg", "txt", "wasm"];

/// Files with these extensions that the page does not request: the first is loaded by other sites,
/// and the second was copied under a hashed name.
const OTHERS: [&str; 2] = ["static/embed.js", "static/page.css"];

/// Writes the service worker into the site, and the worker's name into the page for
/// `static/boot.js`. The worker is the template with the list of cached files and a hash of these
/// files, so that every changed build has a changed worker.
pub(super) fn write_worker(site: &Path) -> Result<()> {
    const PLACE: &str = " data-wasm=\"";
    let template = read_text(&site.join(TEMPLATE))?;
    std::fs::remove_file(site.join(TEMPLATE)).with_context(|| format!("{TEMPLATE} could not be removed"))?;
    let page = site.join("index.html");
    let html = read_text(&page)?;
    if html.matches(PLACE).count() != 1 {
        bail!("index.html does not start its module as in Trunk.toml: see xtask/src/site/offline.rs.");
    }
    write(&page, html.replace(PLACE, &format!(" data-worker=\"{WORKER}\"{PLACE}")))?;
    let kept = kept(site)?;
    let mut hasher = DefaultHasher::new();
    for (name, file) in &kept {
        hasher.write(name.as_bytes());
        hasher.write(&std::fs::read(file).with_context(|| format!("{} could not be read", file.display()))?);
    }
    let names: Vec<&str> = kept.iter().map(|(name, _)| name.as_str()).collect();
    write(&site.join(WORKER), filled(&template, &names, hasher.finish())?)
}

/// Returns the files that the page may request, with their names in the site. The name of the page
/// is `./`.
fn kept(site: &Path) -> Result<Vec<(String, PathBuf)>> {
    let mut kept = Vec::new();
    for file in below(site)? {
        let Ok(relative) = file.strip_prefix(site) else { continue };
        let name = relative.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/");
        if is_kept(&name) {
            kept.push((if name == "index.html" { "./".to_owned() } else { name }, file));
        }
    }
    Ok(kept)
}

/// Returns whether the page may request a file: the file is in the root folder or in `static/`.
fn is_kept(name: &str) -> bool {
    let near = !name.strip_prefix("static/").unwrap_or(name).contains('/');
    let kind = name.rsplit_once('.').is_some_and(|(_, kind)| KEPT.contains(&kind));
    near && kind && name != WORKER && !OTHERS.contains(&name)
}

fn filled(template: &str, names: &[&str], hash: u64) -> Result<String> {
    let places = ["\"{build}\"", "{files}"];
    if places.iter().any(|place| template.matches(place).count() != 1) {
        bail!("static/sw.js needs exactly one place for the build and one for its files.");
    }
    let names: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    let [build, files] = places;
    Ok(template.replace(build, &format!("\"{hash:016x}\"")).replace(files, &format!("[{}]", names.join(", "))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worker_keeps_what_the_page_asks_for() {
        for name in ["index.html", "page-1_bg.wasm", "rows.txt", "static/boot.js", "static/icon.svg"] {
            assert!(is_kept(name), "{name}");
        }
        let others = [
            "sw.js",
            "static/embed.js",
            "static/page.css",
            "static/og.png",
            "static/measure.py",
            "docs/index.html",
            "index.html.br",
        ];
        for name in others {
            assert!(!is_kept(name), "{name}");
        }
    }

    #[test]
    fn another_build_has_another_worker() -> Result<()> {
        let template = include_str!("../../../static/sw.js");
        let first = filled(template, &["./", "rows.txt"], 1)?;
        assert!(first.contains("const FILES = [\"./\", \"rows.txt\"];"), "{first}");
        assert!(first.contains("const BUILD = \"0000000000000001\";"), "{first}");
        assert_ne!(first, filled(template, &["./", "rows.txt"], 2)?);
        assert!(filled("const FILES = {files};", &[], 1).is_err());
        Ok(())
    }
}
