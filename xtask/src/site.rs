//! Builds the site from sources into `dist/`: Trunk compiles and assembles, wasm-opt optimizes the
//! modules, a service worker caches all files, and each file gets a compressed copy.

use anyhow::{Context as _, Result, bail};
use brotli::BrotliCompress;
use brotli::enc::BrotliEncoderParams;
use std::hash::{DefaultHasher, Hasher as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use crate::install::{self, WASM_TARGET, wasm_target};
use crate::programs::{MDBOOK, TRUNK, WASM_BINDGEN};
use crate::shell::{below, cargo, name, of_kind, program, read, root, run, step, write};

/// Port of `cargo xtask serve`.
pub const PORT: u16 = 8080;

/// Wasm features that rustc uses and current browsers support; with `--all-features`, Chrome
/// rejects the modules.
const WASM_FEATURES: [&str; 6] = [
    "--enable-bulk-memory",
    "--enable-nontrapping-float-to-int",
    "--enable-sign-ext",
    "--enable-mutable-globals",
    "--enable-reference-types",
    "--enable-multivalue",
];

/// Options of wasm-opt. -O3 takes half as long again, and neither -O3 nor -Os is smaller after
/// brotli. Functions with similar names have similar code and compress best next to each other;
/// alignment hints, which no processor needs, disturb the compression.
const OPTIMISATIONS: [&str; 3] = ["-O2", "--dealign", "--reorder-functions-by-name"];

/// Build profile of the site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// The shipped build.
    Release,
    /// A quick build that runs slowly.
    Dev,
}

/// Returns the folder of the built site.
pub fn folder() -> PathBuf {
    root().join("dist")
}

/// Builds the site into `dist/`.
///
/// # Errors
/// When a tool is missing or fails.
pub fn build() -> Result<()> {
    let mut trunk = trunk("build", Profile::Release)?;
    if let Err(failure) = MDBOOK.ensure() {
        step(&format!("{failure:#}"));
    }
    step("Building the site into dist/ (Trunk, release)");
    run(&mut trunk)?;
    finish(&folder())?;
    write_address(&folder())?;
    write_worker(&folder())?;
    step("Compressing a copy of every file, for servers that send those");
    compress(&folder())?;
    println!("dist/ is ready: put it on any static file server, under any path.");
    Ok(())
}

/// Builds and serves the site, and rebuilds it on every change, until interrupted.
///
/// # Errors
/// When a tool is missing, the first build fails, or the port is taken.
pub fn serve(profile: Profile, port: u16) -> Result<()> {
    if std::net::TcpListener::bind(("127.0.0.1", port)).is_err() {
        let next = port.wrapping_add(1);
        bail!("Port {port} is taken: cargo xtask serve --port {next}");
    }
    let mut trunk = trunk("serve", profile)?;
    step(&format!("Building the site and serving it on http://127.0.0.1:{port} (Ctrl-C stops; reload after a change)"));
    if has_display() {
        trunk.arg("--open");
    }
    // A separate folder, as a concurrent build or test must not remove files that the browser
    // needs.
    trunk.args(["--port", &port.to_string(), "--dist"]).arg(root().join("target").join("serve"));
    run(&mut trunk)
}

/// Returns whether a browser window can be opened.
fn has_display() -> bool {
    cfg!(any(target_os = "macos", target_os = "windows"))
        || ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some())
}

fn trunk(command: &str, profile: Profile) -> Result<Command> {
    wasm_target()?;
    prepare(profile)?;
    let mut trunk = program(TRUNK.ensure()?);
    // Offline, so that Trunk uses the given tools and downloads none.
    trunk.args([command, "--offline", "--config", "Trunk.toml"]).env("PATH", install::path()?);
    // Trunk's error sentences are enough.
    trunk.env("RUST_BACKTRACE", "0");
    // Trunk reads NO_COLOR as a boolean and rejects the usual `NO_COLOR=1`.
    trunk.env_remove("NO_COLOR");
    if profile == Profile::Release {
        trunk.args(["--release", "--cargo-profile", "site"]);
    }
    Ok(trunk)
}

/// Compiles both Wasm modules of the site like [`build`].
///
/// # Errors
/// When the target is missing, or one does not compile.
pub fn compile() -> Result<()> {
    wasm_target()?;
    [&["--bin", "page"], &["--package", "files-worker"]]
        .into_iter()
        .try_for_each(|what| run(cargo(&["build", "--quiet", "--target", WASM_TARGET, "--profile", "site"]).args(what)))
}

/// Installs Trunk and wasm-bindgen if they are missing, and compiles the page at the same time, as
/// both leave cores idle.
fn prepare(profile: Profile) -> Result<()> {
    if TRUNK.find().and_then(|_| WASM_BINDGEN.find()).is_ok() {
        return Ok(());
    }
    let mut page = cargo(&["build", "--quiet", "--bin", "page", "--target", WASM_TARGET]);
    page.args(if profile == Profile::Release { &["--profile", "site"][..] } else { &[] });
    let page = page.spawn();
    let installed = install::ensure(&[&TRUNK, &WASM_BINDGEN]);
    // Trunk reports compile errors later.
    let _ = page.and_then(|mut page| page.wait());
    installed
}

/// Runs wasm-opt on the modules of a site, or prints the reason for skipping it.
///
/// A module keeps its name, including the hash that Trunk computed before: modules from different
/// versions of wasm-opt behave equally.
fn finish(folder: &Path) -> Result<()> {
    let wasm_opt = install::wasm_opt().unwrap_or_else(|failure| {
        step(&format!("Leaving the module as the compiler made it, about a tenth larger. {failure:#}"));
        Vec::new()
    });
    for module in of_kind(folder, "wasm")? {
        let before = size(&module)?;
        step(&format!("Optimising {} (wasm-opt {})", name(&module), OPTIMISATIONS.join(" ")));
        optimise(&wasm_opt, &module)?;
        println!("    {}: {} of {before} bytes", name(&module), size(&module)?);
    }
    Ok(())
}

/// Returns the size of a file in bytes.
pub(crate) fn size(file: &Path) -> Result<u64> {
    std::fs::metadata(file).map(|data| data.len()).with_context(|| format!("{} is gone", name(file)))
}

/// Runs wasm-opt on a module; an empty `wasm_opt` command leaves the module as it is.
pub(crate) fn optimise(wasm_opt: &[PathBuf], module: &Path) -> Result<()> {
    let Some((first, rest)) = wasm_opt.split_first() else { return Ok(()) };
    let mut optimise = program(first);
    optimise.args(rest).args(WASM_FEATURES).args(OPTIMISATIONS).arg("--output").arg(module).arg(module);
    run(&mut optimise)
}

/// Extensions of text and code; pictures and fonts are already compressed.
const COMPRESSED: [&str; 8] = ["css", "html", "js", "json", "py", "svg", "txt", "wasm"];

/// Compresses a file with brotli, at the highest quality and with the default window of servers.
///
/// # Errors
/// When the file cannot be read.
pub fn brotli(file: &Path) -> Result<Vec<u8>> {
    let bytes = std::fs::read(file).with_context(|| format!("{} could not be read", file.display()))?;
    let params = BrotliEncoderParams { quality: 11, lgwin: 22, ..Default::default() };
    let mut small = Vec::new();
    BrotliCompress(&mut bytes.as_slice(), &mut small, &params).context("brotli failed")?;
    Ok(small)
}

/// Writes a compressed copy `FILE.br` of every file below a folder that brotli makes smaller, for
/// servers that send such copies; uses all cores.
fn compress(folder: &Path) -> Result<()> {
    let is_text = |file: &PathBuf| file.extension().is_some_and(|kind| COMPRESSED.iter().any(|known| kind == *known));
    let files = Mutex::new(below(folder)?.into_iter().filter(is_text));
    let next = || files.lock().unwrap_or_else(PoisonError::into_inner).next();
    let work = || -> Result<()> {
        while let Some(file) = next() {
            let (small, whole) = (brotli(&file)?, size(&file)?);
            if file.extension().is_some_and(|kind| kind == "wasm") {
                println!("    {}: {whole} bytes, {} after brotli", name(&file), small.len());
            }
            if (small.len() as u64) < whole {
                write(&PathBuf::from(format!("{}.br", file.display())), small)?;
            }
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| worker.join().unwrap_or_else(|_| bail!("brotli failed")))
    })
}

/// Compiles the module that reads files and writes settings (`crates/files-worker`), which the page
/// fetches on demand, into Trunk's folder, or else into `dist/`. Trunk calls this as a hook
/// (`Trunk.toml`).
///
/// # Errors
/// When it does not compile, or wasm-bindgen is missing.
pub fn files() -> Result<()> {
    let site = std::env::var_os("TRUNK_STAGING_DIR").map_or_else(folder, PathBuf::from);
    let is_quick = std::env::var_os("TRUNK_PROFILE").is_some_and(|profile| profile == "debug");
    let (profile, folder) = if is_quick { ("dev", "debug") } else { ("site", "site") };
    let package = ["--package", "files-worker", "--target", WASM_TARGET, "--profile", profile];
    run(cargo(&["build", "--quiet"]).args(package))?;
    let compiled = root().join("target").join(WASM_TARGET).join(folder).join("files_worker.wasm");
    let mut bindgen = program(WASM_BINDGEN.ensure()?);
    bindgen.args(["--target", "web", "--no-typescript", "--out-name", "files", "--out-dir"]).arg(site);
    run(bindgen.arg(compiled)).context("The module of files could not be made")
}

/// Name of the service worker in the site; its scope is its folder and everything below.
const WORKER: &str = "sw.js";

/// Path of the worker's template in Trunk's output.
const TEMPLATE: &str = "static/sw.js";

/// Extensions of files that the page may request. Pictures are excluded, as they only serve
/// visitors without scripts.
const KEPT: [&str; 6] = ["css", "html", "js", "svg", "txt", "wasm"];

/// Files with these extensions that the page does not request: the first is loaded by other sites,
/// and Trunk has copied the second under a hashed name.
const OTHERS: [&str; 2] = ["static/embed.js", "static/page.css"];

/// Writes the service worker into the site, and the worker's name into the page for
/// `static/boot.js`. The worker is the template with the list of cached files and a hash of these
/// files, so that every changed build has a changed worker.
fn write_worker(site: &Path) -> Result<()> {
    const PLACE: &str = " data-wasm=\"";
    let template = read(&site.join(TEMPLATE))?;
    std::fs::remove_file(site.join(TEMPLATE)).with_context(|| format!("{TEMPLATE} could not be removed"))?;
    let page = site.join("index.html");
    let html = read(&page)?;
    if html.matches(PLACE).count() != 1 {
        bail!("index.html does not start its module as Trunk.toml says: xtask/src/site.rs.");
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
        bail!("static/sw.js has not one place for the build and one for its files.");
    }
    let names: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    let [build, files] = places;
    Ok(template.replace(build, &format!("\"{hash:016x}\"")).replace(files, &format!("[{}]", names.join(", "))))
}

/// Environment variable with the address.
const VARIABLE: &str = "SHARDWISE_URL";
/// Attribute with the page's picture.
const PICTURE: &str = "content=\"static/";
/// Line of the page before which the lines with the address are inserted.
const BEFORE: &str = "<meta property=\"og:type\"";

/// Writes the address into the built page, if it is set: link previews require absolute addresses
/// of pictures. Without an address, all paths stay relative and work under any path.
fn write_address(folder: &Path) -> Result<()> {
    let Some(url) = std::env::var(VARIABLE).ok().filter(|url| !url.trim().is_empty()) else { return Ok(()) };
    let page = folder.join("index.html");
    write(&page, with_address(&read(&page)?, url.trim())?)
}

/// Returns the page with absolute addresses.
fn with_address(html: &str, url: &str) -> Result<String> {
    let is_plain = !url.contains(['"', '<', '>', '&', '#', '?', ' ']);
    if !(is_plain && (url.starts_with("https://") || url.starts_with("http://"))) {
        let example = "https://example.org/shardwise/";
        bail!("{VARIABLE} is `{url}`, which is no address of a site, as `{example}` is.");
    }
    let url = format!("{}/", url.trim_end_matches('/'));
    let own =
        format!("<link rel=\"canonical\" href=\"{url}\">\n<meta property=\"og:url\" content=\"{url}\">\n{BEFORE}");
    Ok(html.replace(PICTURE, &format!("content=\"{url}static/")).replacen(BEFORE, &own, 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = include_str!("../../index.html");

    #[test]
    fn the_picture_and_the_page_get_whole_addresses() {
        let html = with_address(PAGE, "https://example.org/calc").unwrap();
        assert_eq!(html.matches("https://example.org/calc/").count(), 4);
        for line in [
            "<meta property=\"og:image\" content=\"https://example.org/calc/static/og.png\">",
            "<meta name=\"twitter:image\" content=\"https://example.org/calc/static/og.png\">",
            "<link rel=\"canonical\" href=\"https://example.org/calc/\">",
        ] {
            assert!(html.contains(line), "{line}");
        }
        // Files that the page loads stay relative.
        assert!(html.contains("src=\"static/theme.js\""));
    }

    #[test]
    fn the_picture_is_as_large_as_the_page_says_and_light() {
        let picture = include_bytes!("../../static/og.png");
        let size = |at: usize| u32::from_be_bytes([0, 1, 2, 3].map(|byte| picture[at + byte]));
        assert!(PAGE.contains(&format!("og:image:width\" content=\"{}\"", size(16))));
        assert!(PAGE.contains(&format!("og:image:height\" content=\"{}\"", size(20))));
        assert!(picture.len() < 80_000);
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for url in ["example.org", "https://example.org/?a=1", "https://exa\"mple.org", "ftp://example.org"] {
            assert!(with_address(PAGE, url).unwrap_err().to_string().contains(url));
        }
    }

    #[test]
    fn a_compressed_copy_has_the_same_text() -> Result<()> {
        let file = root().join("docs/book/accuracy/dense.md");
        let (small, mut text) = (brotli(&file)?, Vec::new());
        brotli::BrotliDecompress(&mut small.as_slice(), &mut text)?;
        assert!(text == std::fs::read(&file)? && small.len() * 3 < text.len(), "{} bytes", small.len());
        Ok(())
    }

    #[test]
    fn the_worker_keeps_what_the_page_asks_for() {
        for name in ["index.html", "page-1_bg.wasm", "rows.txt", "static/boot.js", "static/icon.svg"] {
            assert!(is_kept(name), "{name}");
        }
        let others = [
            "sw.js",
            "static/embed.js",
            "static/page.css",
            "static/preview.jpg",
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
        let template = include_str!("../../static/sw.js");
        let first = filled(template, &["./", "rows.txt"], 1)?;
        assert!(first.contains("const FILES = [\"./\", \"rows.txt\"];"), "{first}");
        assert!(first.contains("const BUILD = \"0000000000000001\";"), "{first}");
        assert_ne!(first, filled(template, &["./", "rows.txt"], 2)?);
        assert!(filled("const FILES = {files};", &[], 1).is_err());
        Ok(())
    }
}
