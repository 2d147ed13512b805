//! From sources to `dist/`: Trunk compiles and assembles, `split` cuts the module in two, wasm-opt shrinks both;
//! a worker keeps it all, and every file has a compressed copy.

mod names;
mod profile;
mod public;
mod split;
mod worker;

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::brotli;
use crate::failure::{Explain as _, Failure, Result};
use crate::shell::{program, root, run, step};
use crate::tools;

/// The port of `cargo xtask serve`.
pub const PORT: u16 = 8080;

/// The features that current browsers have and rustc uses; `--all-features` makes modules that Chrome refuses.
const WASM_FEATURES: [&str; 6] = [
    "--enable-bulk-memory",
    "--enable-nontrapping-float-to-int",
    "--enable-sign-ext",
    "--enable-mutable-globals",
    "--enable-reference-types",
    "--enable-multivalue",
];

/// What wasm-opt does, weighed after brotli. Functions that are alike have names that are alike, and compress best side by
/// side; hints of alignment, which no processor of today needs, are in the way of that. Nothing lies in the first kilobyte,
/// which is the far end of the stack.
const OPTIMISATIONS: [&str; 8] = [
    "-O2",
    "--converge",
    "--low-memory-unused",
    "--one-caller-inline-max-function-size=30",
    "--dealign",
    "--reorder-functions-by-name",
    "--strip-producers",
    "--strip-target-features",
];

/// In the messages of the standard library's writers of numbers, which the page does without: `format!` of an `f64`, or
/// `f64::clamp` between bounds that are no constants, would bring them back.
const WRITERS: &[u8] = b"num/flt2dec/";

/// How much the compiler optimises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// As shipped.
    Release,
    /// Quick to build, slow to run.
    Dev,
}

/// The folder with the built site.
pub fn folder() -> PathBuf {
    root().join("dist")
}

/// Builds the site into `dist/`.
///
/// # Errors
/// When a tool is missing or fails.
pub fn build() -> Result<()> {
    let mut trunk = trunk("build", Profile::Release)?;
    step("Building the site into dist/ (Trunk, release)");
    run(&mut trunk)?;
    finish(&folder())?;
    public::address(&folder())?;
    worker::install(&folder())?;
    step("Compressing a copy of every file, for servers that send those");
    if let Err(failure) = brotli::beside(&folder()) {
        step(&format!("Leaving compression to the server. {failure}"));
    }
    println!("dist/ is ready: put it on any static file server, under any path.");
    Ok(())
}

/// Builds the site, serves it, and builds it again on every change, until interrupted.
///
/// # Errors
/// When a tool is missing, the first build fails, or the port is taken.
pub fn serve(profile: Profile, port: u16) -> Result<()> {
    if std::net::TcpListener::bind(("127.0.0.1", port)).is_err() {
        let next = port.wrapping_add(1);
        return Err(Failure::new(format!("Port {port} is taken: cargo xtask serve --port {next}")));
    }
    let mut trunk = trunk("serve", profile)?;
    step(&format!("Building the site and serving it on http://127.0.0.1:{port} (Ctrl-C stops; reload after a change)"));
    if has_display() {
        trunk.arg("--open");
    }
    // Its own folder: a build or a test at the same time must not pull the files from under the browser.
    trunk.args(["--port", &port.to_string(), "--dist"]).arg(root().join("target").join("serve"));
    run(&mut trunk)
}

/// Whether a browser could open here.
fn has_display() -> bool {
    cfg!(any(target_os = "macos", target_os = "windows"))
        || ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some())
}

fn trunk(command: &str, profile: Profile) -> Result<Command> {
    tools::wasm_target()?;
    let mut trunk = program(tools::trunk()?);
    // Offline: it has to take the tools we give it, and none of its own choice.
    trunk.args([command, "--offline", "--config", "Trunk.toml"]).env("PATH", tools::path()?);
    // Its errors are sentences enough.
    trunk.env("RUST_BACKTRACE", "0");
    // Trunk reads NO_COLOR as a boolean and dies of the usual `NO_COLOR=1`.
    trunk.env_remove("NO_COLOR");
    if profile == Profile::Release {
        trunk.args(["--release", "--cargo-profile", "site"]);
    }
    Ok(trunk)
}

/// Cuts the module of `dist/` in two and runs wasm-opt over both halves, or says why not.
fn finish(folder: &Path) -> Result<()> {
    let words = tools::wasm_opt().unwrap_or_else(|failure| {
        step(&format!("Leaving the module as the compiler made it, about a tenth larger. {failure}"));
        Vec::new()
    });
    let list = split::cold::read()?;
    for module in modules(folder)? {
        let unread = || format!("{} could not be read", name(&module));
        let before = std::fs::read(&module).explain(unread)?;
        let halves = split::halves(&before, &list)?;
        let script = names::glue(&module)?;
        if let Some(halves) = &halves {
            write(&module, &halves.hot)?;
            let text = std::fs::read_to_string(&script).explain(unread)?;
            write(&script, split::files::bridged(&text)?.as_bytes())?;
        }
        step(&format!("Optimising {} (wasm-opt {})", name(&module), tools::BINARYEN));
        optimise(&words, &module)?;
        let names = names::shorten(&words, &WASM_FEATURES, &module)?;
        let mut done = vec![module.clone()];
        if let Some(halves) = &halves {
            let rest = split::files::rest_of(&module);
            write(&rest, &split::renamed(&halves.rest, &names)?)?;
            optimise(&words, &rest)?;
            println!("    {} functions are not part of the first load", halves.moved);
            done = split::files::named(&module, &script)?;
        }
        let small = brotli::sizes(&done).unwrap_or_default();
        for (place, file) in done.iter().enumerate() {
            let bytes = std::fs::read(file).explain(unread)?;
            // A broken half is not shipped.
            split::parse(&bytes)?;
            let small = small.get(place).map_or(String::new(), |small| format!(", {small} after brotli"));
            println!("    {}: {} of {} bytes{small}", name(file), bytes.len(), before.len());
            if bytes.windows(WRITERS.len()).any(|window| window == WRITERS) {
                step(
                    "The standard library's writers of f64 are in the module, a thirtieth of it: see src/decimal/write.rs",
                );
            }
        }
    }
    Ok(())
}

/// Runs wasm-opt over a module; without `words`, which call it, leaves it as it is.
pub(crate) fn optimise(words: &[PathBuf], module: &Path) -> Result<()> {
    let Some((first, rest)) = words.split_first() else { return Ok(()) };
    let mut optimise = program(first);
    optimise.args(rest).args(WASM_FEATURES).args(OPTIMISATIONS).arg("--output").arg(module).arg(module);
    run(&mut optimise)
}

fn write(file: &Path, bytes: &[u8]) -> Result<()> {
    std::fs::write(file, bytes).explain(|| format!("{} could not be written", name(file)))
}

/// Plays the first screen of a fresh build and writes the list of what it does without to `xtask/cold.txt`.
///
/// # Errors
/// When the site cannot be built, or does not work.
pub fn profile() -> Result<()> {
    let site = root().join("target").join("profile");
    let mut trunk = trunk("build", Profile::Release)?;
    step("Building the site into target/profile (Trunk, release)");
    run(trunk.arg("--dist").arg(&site))?;
    let module = modules(&site)?.into_iter().next().ok_or_else(|| Failure::new("The build has no module."))?;
    let cold = profile::cold(&site, &module)?;
    write(&split::cold::file(), split::cold::written(&cold).as_bytes())?;
    println!("xtask/cold.txt has {} functions: `cargo xtask build` moves them out of the first load.", cold.len());
    Ok(())
}

/// The Wasm modules in a folder.
///
/// # Errors
/// When it cannot be read: there is no site yet.
pub fn modules(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder)
        .explain(|| format!("{} could not be read; make it with `cargo xtask build`", name(folder)))?;
    let files = entries.flatten().map(|entry| entry.path());
    Ok(files.filter(|file| file.extension().is_some_and(|extension| extension == "wasm")).collect())
}

fn name(file: &Path) -> String {
    file.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
