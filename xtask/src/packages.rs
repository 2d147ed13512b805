//! Builds the engine as packages, without the page.
//!
//! For npm, in `target/npm/`: `npm/src` is compiled to Wasm, `npm/js` is the API for users, and
//! `npm/examples` and the licenses are included. For Python, a wheel in `target/python/`: maturin
//! compiles `python/src` and packs `python/shardwise`. The checks install the packages into new
//! folders and run the tests there.

use anyhow::{Context as _, Result, anyhow, bail};
use std::path::{Path, PathBuf};

use crate::install::{WASM_TARGET, locked_version, pip, wasm_opt, wasm_target};
use crate::programs::{MATURIN, NODE, NPM, PYRIGHT, TYPESCRIPT, WASM_BINDGEN, WHEEL_TESTS};
use crate::shell::{
    cargo, copy, entries, exe, files_with_extension, fresh, make, name, program, read_text, root, run, step, target,
    write,
};
use crate::site::Profile;
use crate::site::compress::brotli;
use crate::site::modules::{compile, compiled, optimise, size};

/// Name of the npm package's module.
const NPM_MODULE: &str = "shardwise_js";
/// Placeholder for the crate's version in `npm/js/package.json`.
const VERSION: &str = "\"version\": \"0.0.0\"";

fn npm_folder() -> PathBuf {
    target().join("npm")
}

/// Returns the folder that is packed for npm.
pub fn npm_package() -> PathBuf {
    npm_folder().join("shardwise")
}

/// Builds and packs the npm package; returns the tarball.
///
/// # Errors
/// When Node, a tool or a file is missing, or a tool fails.
pub fn npm_build(profile: Profile) -> Result<PathBuf> {
    // Checked first: nothing can be packed without Node.
    let npm = NPM.find()?;
    wasm_target()?;
    step("Compiling the engine for JavaScript");
    let compiled = npm_module(profile)?;
    let (package, sources) = (npm_package(), root().join("npm"));
    // Files of an earlier build must not be packed.
    fresh(&npm_folder())?;
    make(&package)?;
    let mut bindgen = program(WASM_BINDGEN.ensure()?);
    bindgen.args(["--target", "web", "--no-typescript", "--out-name", "shardwise", "--out-dir"]).arg(&package);
    run(bindgen.arg(compiled))?;
    let module = package.join("shardwise_bg.wasm");
    if profile == Profile::Shipped {
        optimise(&wasm_opt()?, &module)?;
    }
    copy(&sources.join("js"), &package, &[])?;
    copy(&sources.join("examples"), &package.join("examples"), &[])?;
    for from in ["npm/README.md", "LICENSE-MIT", "LICENSE-APACHE"] {
        let from = root().join(from);
        std::fs::copy(&from, package.join(name(&from))).with_context(|| format!("{} is missing", name(&from)))?;
    }
    let version = stamp(&package.join("package.json"))?;
    step("Packing");
    let mut pack = program(npm);
    run(pack.current_dir(&package).args(["pack", "--silent", "--pack-destination"]).arg(npm_folder()))?;
    let tarball = npm_folder().join(format!("shardwise-{version}.tgz"));
    if profile == Profile::Shipped {
        println!("    shardwise_bg.wasm: {} bytes, {} after brotli", size(&module)?, brotli(&module)?.len());
    }
    println!("{} is ready: {} bytes. npm install {}", name(&tarball), size(&tarball)?, tarball.display());
    Ok(tarball)
}

/// Compiles the module of the npm package, which is shipped faster and larger than that of the
/// page; returns its path.
fn npm_module(profile: Profile) -> Result<PathBuf> {
    if profile == Profile::Quick {
        compile(profile)?;
        return Ok(compiled(profile, NPM_MODULE));
    }
    run(&mut cargo(&["build", "--quiet", "--release", "--package", "shardwise-js", "--target", WASM_TARGET]))?;
    Ok(target().join(WASM_TARGET).join("release").join(format!("{NPM_MODULE}.wasm")))
}

/// Writes the crate's version into the package; returns the version.
fn stamp(file: &Path) -> Result<String> {
    let version = locked_version("shardwise")?;
    let text = read_text(file)?;
    if !text.contains(VERSION) {
        bail!("npm/js/package.json should have {VERSION}, which is replaced.");
    }
    write(file, text.replace(VERSION, &format!("\"version\": \"{version}\"")))?;
    Ok(version)
}

/// Builds the npm package and installs its tarball into a new folder with the tests; returns that
/// folder.
///
/// # Errors
/// When the package cannot be built or installed.
pub fn npm_install(profile: Profile) -> Result<PathBuf> {
    let tarball = npm_build(profile)?;
    let installed = npm_folder().join("installed");
    copy(&root().join("npm").join("tests"), &installed, &[])?;
    write(&installed.join("package.json"), "{ \"private\": true, \"type\": \"module\" }\n")?;
    step("Installing the tarball into a fresh folder");
    let mut install = program(NPM.find()?);
    install.current_dir(&installed).args(["install", "--offline", "--no-audit", "--no-fund", "--loglevel", "error"]);
    run(install.arg(tarball))?;
    Ok(installed)
}

/// Builds the npm package, installs it into a new folder and runs its tests there.
///
/// # Errors
/// When the package cannot be built, or a test fails.
pub fn npm_check(profile: Profile) -> Result<()> {
    let installed = npm_install(profile)?;
    let command_line = command_line()?;
    step("Testing the installed package");
    let mut files = files_with_extension(&installed, "mjs")?;
    files.retain(|file| name(file).ends_with(".test.mjs"));
    let mut tests = program(NODE.find()?);
    tests.current_dir(&installed).args(["--test", "--test-reporter", "spec"]).args(files);
    tests.env("SHARDWISE_CLI", command_line);
    tests.env("SHARDWISE_LINKS", root().join("tests").join("links").join("v1.txt"));
    run(tests.env("SHARDWISE_TSC", TYPESCRIPT.ensure()?))
}

/// Builds the command line; the tests compare its reports with those of a package.
fn command_line() -> Result<PathBuf> {
    // With an example, as cargo then unites the features of dev-dependencies too, as for tests.
    run(&mut cargo(&["build", "--quiet", "--workspace", "--bin", "shardwise", "--example", "site_data"]))?;
    Ok(target().join("debug").join(exe("shardwise")))
}

/// Builds the wheel; returns it.
///
/// # Errors
/// When Python or maturin is missing, or a tool fails.
pub fn wheel(profile: Profile) -> Result<PathBuf> {
    let mut maturin = program(MATURIN.ensure()?);
    step("Building the wheel");
    let wheels = target().join("python").join("wheels");
    fresh(&wheels)?;
    let profile = if profile == Profile::Shipped { "wheel" } else { "dev" };
    maturin.args(["-m", "maturin", "build", "--quiet", "--profile", profile, "--out"]).arg(&wheels);
    run(maturin.arg("--manifest-path").arg(root().join("python").join("Cargo.toml")))?;
    let wheel = entries(&wheels)?.into_iter().next().ok_or_else(|| anyhow!("maturin has made no wheel."))?;
    println!("{} is ready. pip install {}", name(&wheel), wheel.display());
    Ok(wheel)
}

/// Builds the wheel, installs it into a fresh environment and runs its tests there.
///
/// # Errors
/// When the wheel cannot be built or installed, or a test fails.
pub fn wheel_check(profile: Profile) -> Result<()> {
    let wheel = wheel(profile)?;
    let command_line = command_line()?;
    let (node, pyright) = (NODE.find()?, PYRIGHT.ensure()?);
    let folder = WHEEL_TESTS.folder();
    // Only the shipped wheel is worth the time of another environment.
    if profile == Profile::Shipped {
        fresh(&folder)?;
    }
    let python = WHEEL_TESTS.ensure()?;
    step("Installing the wheel");
    run(pip(&python).args(["--force-reinstall", "--no-deps"]).arg(wheel))?;
    step("Testing the installed package");
    let mut tests = program(python);
    // Run in a folder without the sources, which would be imported in place of the package.
    tests.current_dir(&folder).args(["-m", "unittest", "discover", "--start-directory"]);
    tests.arg(root().join("python").join("tests")).env("SHARDWISE_CLI", command_line);
    tests.env("SHARDWISE_NODE", node).env("SHARDWISE_PYRIGHT", pyright);
    run(tests.env("SHARDWISE_TESTS", root().join("tests")))
}
