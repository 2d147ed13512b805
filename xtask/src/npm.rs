//! `cargo xtask npm`: the engine as an npm package, without the page, in `target/npm/`.
//!
//! `npm/src` is compiled to Wasm, `npm/js` is imported by users, and `npm/examples` and the
//! licences are included. [`check`] installs the tarball into a new folder and runs `npm/tests`
//! there, in Node.

use anyhow::{Context as _, Result, bail};
use std::path::{Path, PathBuf};

use crate::brotli;
use crate::engine::CLI;
use crate::shell::{cargo, program, root, run, step};
use crate::{site, tools};

/// The name of the package's crate.
const CRATE: &str = "shardwise-js";
/// The test files in `npm/tests`.
const TESTS: [&str; 5] =
    ["documentation.test.mjs", "estimate.test.mjs", "plan.test.mjs", "sweep.test.mjs", "types.test.mjs"];
/// The placeholder of the crate's version in `npm/js/package.json`.
const VERSION: &str = "\"version\": \"0.0.0\"";

/// Returns the folder of everything that is built here.
fn folder() -> PathBuf {
    root().join("target").join("npm")
}

/// Returns the folder that is packed.
pub fn package() -> PathBuf {
    folder().join("shardwise")
}

/// Builds and packs the package; returns the tarball.
///
/// # Errors
/// When Node, a tool or a file is missing, or a tool fails.
pub fn build() -> Result<PathBuf> {
    // Checked first: nothing can be packed without Node.
    let npm = tools::npm()?;
    let wasm_opt = tools::wasm_opt()?;
    tools::wasm_target()?;
    step("Compiling the engine for JavaScript");
    run(&mut cargo(&["build", "--quiet", "--release", "--package", CRATE, "--target", tools::WASM_TARGET]))?;
    let package = package();
    // Files of an earlier build must not be packed.
    let _ = std::fs::remove_dir_all(folder());
    std::fs::create_dir_all(&package).context("target/npm could not be made")?;
    let compiled = root().join("target").join(tools::WASM_TARGET).join("release").join("shardwise_js.wasm");
    let mut bindgen = program(tools::WASM_BINDGEN.ensure()?);
    bindgen.args(["--target", "web", "--no-typescript", "--out-name", "shardwise", "--out-dir"]).arg(&package);
    run(bindgen.arg(compiled))?;
    let module = package.join("shardwise_bg.wasm");
    site::optimise(&wasm_opt, &module)?;
    copy_folder(&root().join("npm").join("js"), &package)?;
    copy_folder(&root().join("npm").join("examples"), &package.join("examples"))?;
    for (from, to) in
        [("npm/README.md", "README.md"), ("LICENSE-MIT", "LICENSE-MIT"), ("LICENSE-APACHE", "LICENSE-APACHE")]
    {
        copy(&root().join(from), &package.join(to))?;
    }
    let version = stamp(&package.join("package.json"))?;
    step("Packing");
    let mut pack = program(npm);
    pack.current_dir(&package).args(["pack", "--silent", "--pack-destination"]).arg(folder());
    run(&mut pack)?;
    let tarball = folder().join(format!("shardwise-{version}.tgz"));
    weigh(&module, &tarball)?;
    Ok(tarball)
}

/// Builds the package and installs its tarball, with the tests beside it, into a new folder;
/// returns that folder.
///
/// # Errors
/// When the package cannot be built or installed.
pub fn install() -> Result<PathBuf> {
    let tarball = build()?;
    let installed = folder().join("installed");
    copy_folder(&root().join("npm").join("tests"), &installed)?;
    write(&installed.join("package.json"), "{ \"private\": true, \"type\": \"module\" }\n")?;
    step("Installing the tarball into a fresh folder");
    let mut install = program(tools::npm()?);
    install.current_dir(&installed).args(["install", "--offline", "--no-audit", "--no-fund", "--loglevel", "error"]);
    run(install.arg(tarball))?;
    Ok(installed)
}

/// Builds the package, installs it into a new folder and runs its tests there.
///
/// # Errors
/// When the package cannot be built, or a test fails.
pub fn check() -> Result<()> {
    let installed = install()?;
    // The tests compare the package's reports with those of the command line.
    run(&mut cargo(&["build", "--quiet", "--package", CLI]))?;
    step("Testing the installed package");
    let shell = root().join("target").join("debug").join(format!("shardwise{}", std::env::consts::EXE_SUFFIX));
    let mut tests = program(tools::node()?);
    tests.current_dir(&installed).args(["--test", "--test-reporter", "spec"]).args(TESTS);
    tests.env("SHARDWISE_CLI", shell);
    tests.env("SHARDWISE_LINKS", root().join("tests").join("links").join("v1.txt"));
    run(tests.env("SHARDWISE_TSC", tools::typescript()?))
}

/// Prints the size of the package.
fn weigh(module: &Path, tarball: &Path) -> Result<()> {
    let size = |file: &Path| std::fs::metadata(file).map(|data| data.len()).context("There is no tarball");
    let small = brotli::sizes(&[module.to_path_buf()])?.first().copied().unwrap_or_default();
    println!("    shardwise_bg.wasm: {} bytes, {small} after brotli", size(module)?);
    println!("{} is ready: {} bytes. npm install {}", name(tarball), size(tarball)?, tarball.display());
    Ok(())
}

/// Writes the crate's version into the package; returns the version.
fn stamp(file: &Path) -> Result<String> {
    let version = tools::locked_version("shardwise")?;
    let text = std::fs::read_to_string(file).context("npm/js/package.json could not be read")?;
    if !text.contains(VERSION) {
        bail!("npm/js/package.json should have {VERSION}, which is replaced.");
    }
    write(file, &text.replace(VERSION, &format!("\"version\": \"{version}\"")))?;
    Ok(version)
}

/// Copies the files of a folder without subfolders.
fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to).with_context(|| format!("{} could not be made", name(to)))?;
    let entries = std::fs::read_dir(from).with_context(|| format!("{} could not be read", name(from)))?;
    entries.flatten().map(|entry| entry.path()).try_for_each(|file| copy(&file, &to.join(name(&file))))
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    std::fs::copy(from, to).map(drop).with_context(|| format!("{} could not be copied", name(from)))
}

fn write(file: &Path, text: &str) -> Result<()> {
    std::fs::write(file, text).with_context(|| format!("{} could not be written", name(file)))
}

fn name(file: &Path) -> String {
    file.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
