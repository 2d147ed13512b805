//! The tools we use and do not write: one place for their versions, and how to get them.
//!
//! A tool on `PATH` at the right version is used as it is; otherwise it goes into `target/tools`, once.

use std::path::{Path, PathBuf};

use crate::failure::{Explain as _, Failure, Result};
use crate::shell::{cargo, find, output, path_with, program, root, run, step};

/// Trunk turns the crate and `index.html` into a site. (0.22 wants a newer Rust than ours.)
pub const TRUNK: &str = "0.21.14";
/// mdBook turns `docs/` into the documentation.
pub const MDBOOK: &str = "0.5.4";
/// Binaryen, the npm package, brings wasm-opt.
pub const BINARYEN: &str = "132";
/// axe-core, the npm package, looks for what keeps people out of a page.
pub const AXE: &str = "4.14.1";
/// geckodriver drives Firefox.
pub const GECKODRIVER: &str = "0.37.1";
/// The TypeScript compiler, the npm package, holds the npm package's declarations against its answers.
pub const TYPESCRIPT: &str = "5.9.3";
/// What the page is compiled for.
pub const WASM_TARGET: &str = "wasm32-unknown-unknown";

/// Where the tools are that are not the system's.
pub fn folder() -> PathBuf {
    root().join("target").join("tools")
}

/// Trunk, and a `PATH` on which it finds wasm-bindgen instead of downloading it.
///
/// # Errors
/// When one of them is neither there nor can be installed.
pub fn trunk() -> Result<PathBuf> {
    installed("trunk", "trunk", TRUNK, &["--locked"], "0")
}

/// mdBook, without its server and its search.
///
/// # Errors
/// When it is neither there nor can be installed.
pub fn mdbook() -> Result<PathBuf> {
    installed("mdbook", "mdbook", MDBOOK, &["--locked", "--no-default-features"], "0")
}

/// The wasm-bindgen command of the very version that the page is built with.
///
/// # Errors
/// When it is neither there nor can be installed.
pub fn wasm_bindgen() -> Result<PathBuf> {
    // Its own lock file is out of date, so no `--locked`; unoptimised it takes long over a debug build.
    installed("wasm-bindgen", "wasm-bindgen-cli", &wasm_bindgen_version()?, &[], "1")
}

/// What runs a Wasm test binary in a browser; it comes with [`wasm_bindgen`].
///
/// # Errors
/// When that cannot be had.
pub fn wasm_test_runner() -> Result<PathBuf> {
    let name = format!("wasm-bindgen-test-runner{}", std::env::consts::EXE_SUFFIX);
    let runner = wasm_bindgen()?.with_file_name(name);
    if runner.is_file() {
        return Ok(runner);
    }
    Err(Failure::new(format!("{} is missing: install wasm-bindgen-cli again.", runner.display())))
}

/// The `PATH` for Trunk.
///
/// # Errors
/// When wasm-bindgen cannot be had.
pub fn path() -> Result<std::ffi::OsString> {
    let bindgen = wasm_bindgen()?;
    Ok(path_with(&bindgen.parent().map(Path::to_path_buf).into_iter().collect::<Vec<_>>()))
}

/// How to call wasm-opt: the program and the words before its own, or the sentence that says why there is none.
///
/// # Errors
/// When there is no Node, or npm cannot install binaryen. A site can be built without.
pub fn wasm_opt() -> Result<Vec<PathBuf>> {
    if let Some(own) = find(&["wasm-opt"])
        && at_version(&own, BINARYEN)
    {
        return Ok(vec![own]);
    }
    let Some(node) = find(&["node"]) else { return Err(no_node()) };
    let package = npm_package("binaryen", BINARYEN)?;
    Ok(vec![node, package.join("bin").join("wasm-opt")])
}

/// The script of axe-core.
///
/// # Errors
/// When there is no Node, or npm cannot install it.
pub fn axe() -> Result<PathBuf> {
    Ok(npm_package("axe-core", AXE)?.join("axe.min.js"))
}

/// The geckodriver of this machine at our version, if it is there.
pub fn geckodriver_here() -> Option<PathBuf> {
    present("geckodriver", GECKODRIVER)
}

/// geckodriver.
///
/// # Errors
/// When it is neither there nor can be installed.
pub fn geckodriver() -> Result<PathBuf> {
    installed("geckodriver", "geckodriver", GECKODRIVER, &["--locked"], "0")
}

/// The TypeScript compiler, a script for Node.
///
/// # Errors
/// When there is no Node, or npm cannot install it.
pub fn typescript() -> Result<PathBuf> {
    Ok(npm_package("typescript", TYPESCRIPT)?.join("bin").join("tsc"))
}

/// Node.
///
/// # Errors
/// When there is none.
pub fn node() -> Result<PathBuf> {
    find(&["node"]).ok_or_else(no_node)
}

/// Node's package manager.
///
/// # Errors
/// When there is none.
pub fn npm() -> Result<PathBuf> {
    node()?;
    find(&["npm", "npm.cmd"]).ok_or_else(no_node)
}

fn no_node() -> Failure {
    Failure::new("Node and npm are missing: install them from nodejs.org.")
}

/// The folder of an npm package at a version, installed where it is missing.
fn npm_package(name: &str, version: &str) -> Result<PathBuf> {
    let package = folder().join("node_modules").join(name);
    let wanted = format!("\"version\": \"{version}");
    let present = || std::fs::read_to_string(package.join("package.json")).is_ok_and(|text| text.contains(&wanted));
    if !present() {
        let npm = find(&["npm", "npm.cmd"]).ok_or_else(no_node)?;
        step(&format!("Installing {name} {version} into target/tools"));
        std::fs::create_dir_all(folder()).explain(|| "target/tools could not be made".into())?;
        let mut install = program(npm);
        install.args(["install", "--no-save", "--no-audit", "--no-fund", "--loglevel", "error", "--prefix"]);
        run(install.arg(folder()).arg(format!("{name}@{version}")))?;
    }
    Ok(package)
}

/// Adds the Wasm target to the Rust installation where it is missing.
///
/// # Errors
/// When it is missing and rustup cannot add it.
pub fn wasm_target() -> Result<()> {
    let library = output(program("rustc").args(["--print", "target-libdir", "--target", WASM_TARGET]));
    if library.is_some_and(|folder| Path::new(folder.trim()).is_dir()) {
        return Ok(());
    }
    step(&format!("Adding the Rust target {WASM_TARGET}"));
    run(program("rustup").args(["target", "add", WASM_TARGET])).map_err(|failure| {
        Failure::new(format!("{failure} Add the Rust target yourself: rustup target add {WASM_TARGET}"))
    })
}

/// Adds rustfmt and clippy where a minimal Rust installation lacks them.
///
/// # Errors
/// When one is missing and rustup cannot add it.
pub fn linters() -> Result<()> {
    if ["fmt", "clippy"].iter().all(|tool| output(&mut cargo(&[tool, "--version"])).is_some()) {
        return Ok(());
    }
    step("Adding rustfmt and clippy");
    run(program("rustup").args(["component", "add", "rustfmt", "clippy"]))
        .map_err(|failure| Failure::new(format!("{failure} Add them yourself: rustup component add rustfmt clippy")))
}

/// The version of the library.
///
/// # Errors
/// When `Cargo.lock` cannot be read.
pub fn own_version() -> Result<String> {
    let lock = lock_file()?;
    let version = locked_version(&lock, "shardwise").map(str::to_owned);
    version.ok_or_else(|| Failure::new("Cargo.lock has no shardwise: write it with `cargo generate-lockfile`."))
}

fn lock_file() -> Result<String> {
    std::fs::read_to_string(root().join("Cargo.lock"))
        .explain(|| "Cargo.lock could not be read; write it with `cargo generate-lockfile`".into())
}

/// The wasm-bindgen in `Cargo.lock`.
fn wasm_bindgen_version() -> Result<String> {
    let lock = lock_file()?;
    locked_version(&lock, "wasm-bindgen")
        .map(str::to_owned)
        .ok_or_else(|| Failure::new("Cargo.lock has no wasm-bindgen: is the feature `web` still in Cargo.toml?"))
}

fn locked_version<'a>(lock: &'a str, package: &str) -> Option<&'a str> {
    let name = format!("name = \"{package}\"");
    let line = lock.lines().skip_while(|line| *line != name).nth(1)?;
    line.strip_prefix("version = \"")?.strip_suffix('"')
}

/// Whether a word of `--version` is this: "trunk 0.21.14", "mdbook v0.5.4", "wasm-opt version 132 (version_132)".
fn at_version(tool: &Path, version: &str) -> bool {
    let is_it = |word: &str| word.strip_prefix('v').unwrap_or(word) == version;
    output(program(tool).arg("--version")).is_some_and(|text| text.split_whitespace().any(is_it))
}

/// Where a tool of ours goes.
fn place(command: &str) -> PathBuf {
    folder().join("bin").join(format!("{command}{}", std::env::consts::EXE_SUFFIX))
}

/// A tool at this version, on `PATH` or ours.
fn present(command: &str, version: &str) -> Option<PathBuf> {
    let candidates = find(&[command]).into_iter().chain([place(command)]);
    candidates.into_iter().find(|candidate| candidate.is_file() && at_version(candidate, version))
}

fn installed(command: &str, package: &str, version: &str, options: &[&str], opt_level: &str) -> Result<PathBuf> {
    if let Some(tool) = present(command, version) {
        return Ok(tool);
    }
    step(&format!("Installing {package} {version} into target/tools (once, a few minutes)"));
    let build = folder().join("build");
    let mut install = cargo(&["install", package, "--version", version, "--quiet", "--force"]);
    install.args(options).arg("--root").arg(folder()).arg("--target-dir").arg(&build);
    // These tools run for a second: compiling them fast is worth more than running them fast.
    install.env("CARGO_PROFILE_RELEASE_OPT_LEVEL", opt_level).env("CARGO_PROFILE_RELEASE_DEBUG", "false");
    install.env("CARGO_PROFILE_RELEASE_LTO", "off").env_remove("RUSTFLAGS").env_remove("CARGO_BUILD_TARGET");
    run(&mut install).map_err(|failure| {
        let flags = options.join(" ");
        Failure::new(format!("{failure} Install it yourself: cargo install {package} --version {version} {flags}"))
    })?;
    // A tool that is there does not need its hundreds of megabytes of build output.
    let _ = std::fs::remove_dir_all(build);
    Ok(place(command))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_read_from_the_lock_file() {
        let lock = "[[package]]\nname = \"wasm-bindgen-shared\"\nversion = \"0.1.0\"\n\n[[package]]\nname = \"wasm-bindgen\"\nversion = \"0.2.130\"\n";
        assert_eq!(locked_version(lock, "wasm-bindgen"), Some("0.2.130"));
        assert_eq!(locked_version(lock, "yew"), None);
    }

    #[test]
    fn a_missing_tool_has_no_version() {
        assert!(!at_version(Path::new("no-such-tool"), "1"));
    }
}
