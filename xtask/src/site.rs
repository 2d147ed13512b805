//! Builds the site from sources into `dist/`: Trunk compiles and assembles, wasm-opt optimises the
//! module, a service worker caches all files, and each file gets a compressed copy.

mod public;
mod worker;

use anyhow::{Context as _, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::brotli;
use crate::shell::{cargo, program, root, run, step};
use crate::tools;

/// The port of `cargo xtask serve`.
pub const PORT: u16 = 8080;

/// Wasm features that rustc uses and current browsers support; `--all-features` makes modules that
/// Chrome refuses.
const WASM_FEATURES: [&str; 6] = [
    "--enable-bulk-memory",
    "--enable-nontrapping-float-to-int",
    "--enable-sign-ext",
    "--enable-mutable-globals",
    "--enable-reference-types",
    "--enable-multivalue",
];

/// What wasm-opt does. -O3 takes half as long again, and its output is as large after brotli; so is
/// that of -Os. Functions that are alike have names that are alike, and compress best side by side;
/// alignment hints, which no processor needs, are in the way of that.
const OPTIMISATIONS: [&str; 3] = ["-O2", "--dealign", "--reorder-functions-by-name"];

/// The build profile.
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
    if let Err(failure) = tools::install(&[tools::MDBOOK]) {
        step(&format!("{failure:#}"));
    }
    step("Building the site into dist/ (Trunk, release)");
    run(&mut trunk)?;
    finish(&folder())?;
    public::address(&folder())?;
    worker::install(&folder())?;
    step("Compressing a copy of every file, for servers that send those");
    if let Err(failure) = brotli::beside(&folder()) {
        step(&format!("Leaving compression to the server. {failure:#}"));
    }
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
    // A separate folder: a concurrent build or test must not remove files that the browser needs.
    trunk.args(["--port", &port.to_string(), "--dist"]).arg(root().join("target").join("serve"));
    run(&mut trunk)
}

/// Whether a browser window can be opened.
fn has_display() -> bool {
    cfg!(any(target_os = "macos", target_os = "windows"))
        || ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some())
}

fn trunk(command: &str, profile: Profile) -> Result<Command> {
    tools::wasm_target()?;
    install(profile)?;
    let mut trunk = program(tools::TRUNK.ensure()?);
    // Offline, so that Trunk uses the tools it is given and downloads none.
    trunk.args([command, "--offline", "--config", "Trunk.toml"]).env("PATH", tools::path()?);
    // Trunk's error sentences are enough.
    trunk.env("RUST_BACKTRACE", "0");
    // Trunk reads NO_COLOR as a boolean and rejects the usual `NO_COLOR=1`.
    trunk.env_remove("NO_COLOR");
    if profile == Profile::Release {
        trunk.args(["--release", "--cargo-profile", "site"]);
    }
    Ok(trunk)
}

/// Installs Trunk and wasm-bindgen if they are missing, and compiles the page at the same time, as
/// either leaves cores idle.
fn install(profile: Profile) -> Result<()> {
    let wanted = [tools::TRUNK, tools::WASM_BINDGEN];
    if wanted.iter().all(|tool| matches!(tool.present(), Ok(Some(_)))) {
        return Ok(());
    }
    let mut page = cargo(&["build", "--quiet", "--bin", "page", "--target", tools::WASM_TARGET]);
    page.args(if profile == Profile::Release { &["--profile", "site"][..] } else { &[] });
    let page = page.spawn();
    let installed = tools::install(&wanted);
    // Trunk reports compile errors later.
    let _ = page.and_then(|mut page| page.wait());
    installed
}

/// Runs wasm-opt on the module of `dist/`, or prints why not.
///
/// The module keeps its name with the hash that Trunk computed before: a module from another
/// wasm-opt behaves the same.
fn finish(folder: &Path) -> Result<()> {
    let wasm_opt = tools::wasm_opt().unwrap_or_else(|failure| {
        step(&format!("Leaving the module as the compiler made it, about a tenth larger. {failure:#}"));
        Vec::new()
    });
    for module in modules(folder)? {
        let size =
            || std::fs::metadata(&module).map(|data| data.len()).with_context(|| format!("{} is gone", name(&module)));
        let before = size()?;
        step(&format!("Optimising {} (wasm-opt {})", name(&module), OPTIMISATIONS.join(" ")));
        optimise(&wasm_opt, &module)?;
        let small = brotli::sizes(std::slice::from_ref(&module)).unwrap_or_default();
        let small = small.first().map_or(String::new(), |small| format!(", {small} after brotli"));
        println!("    {}: {} of {before} bytes{small}", name(&module), size()?);
    }
    Ok(())
}

/// Runs wasm-opt on a module; an empty `wasm_opt` command leaves the module as it is.
pub(crate) fn optimise(wasm_opt: &[PathBuf], module: &Path) -> Result<()> {
    let Some((first, rest)) = wasm_opt.split_first() else { return Ok(()) };
    let mut optimise = program(first);
    optimise.args(rest).args(WASM_FEATURES).args(OPTIMISATIONS).arg("--output").arg(module).arg(module);
    run(&mut optimise)
}

/// Returns the Wasm modules in a folder.
///
/// # Errors
/// When the folder cannot be read: the site is not built yet.
pub fn modules(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder)
        .with_context(|| format!("{} could not be read; make it with `cargo xtask build`", name(folder)))?;
    let files = entries.flatten().map(|entry| entry.path());
    Ok(files.filter(|file| file.extension().is_some_and(|extension| extension == "wasm")).collect())
}

fn name(file: &Path) -> String {
    file.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
