//! The packages for npm: the library, and the command of a platform.

use anyhow::{Context as _, Result, anyhow, bail};
use serde_json::json;
use std::path::{Path, PathBuf};

use crate::install::{WASM_TARGET, compiler_target, locked_version, wasm_opt, wasm_target};
use crate::programs::{NODE, NPM, TYPESCRIPT, WASM_BINDGEN};
use crate::shell::{
    cargo, copy, files_with_extension, fresh, make, name, output, program, read_text, root, run, step, target, write,
};
use crate::site::Profile;
use crate::site::compress::brotli;
use crate::site::modules::{compile, compiled, optimise, size};

use super::{LICENCES, command_line, include, platforms};

/// Name of the npm package's module.
const NPM_MODULE: &str = "shardwise_js";
/// Placeholder for the crate's version in `npm/js/package.json`.
const VERSION: &str = "\"0.0.0\"";

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
fn npm_build(profile: Profile) -> Result<PathBuf> {
    // Checked first: nothing can be packed without Node.
    NPM.find()?;
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
    include(&[&["npm/README.md"], &LICENCES[..]].concat(), &package)?;
    let version = stamp(&package.join("package.json"))?;
    let tarball = pack(&package, &format!("shardwise-{version}.tgz"))?;
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

/// Builds and packs the library, and the command of this platform; returns both tarballs.
///
/// # Errors
/// When Node, a tool or a file is missing, or a tool fails.
pub fn npm_packages(profile: Profile) -> Result<[PathBuf; 2]> {
    let library = npm_build(profile)?;
    let platform = this_platform()?;
    let command = match profile {
        Profile::Shipped => npm_command(&platform)?,
        Profile::Quick => pack_command(&command_line()?, &platform)?,
    };
    Ok([library, command])
}

/// Packs a folder; returns the tarball, which npm names so.
fn pack(package: &Path, tarball: &str) -> Result<PathBuf> {
    step("Packing");
    let mut pack = program(NPM.find()?);
    run(pack.current_dir(package).args(["pack", "--silent", "--pack-destination"]).arg(npm_folder()))?;
    Ok(npm_folder().join(tarball))
}

/// Builds the command of a platform as it is shipped, and packs it; returns the tarball.
///
/// # Errors
/// When no release is for the platform, or a tool is missing or fails.
pub fn npm_command(name: &str) -> Result<PathBuf> {
    let platform = platforms::platform(name)?;
    compiler_target(platform.command)?;
    step(&format!("Compiling the command for {}", platform.command));
    run(cargo(&["build", "--quiet", "--release", "--package", "shardwise-cli", "--target"]).arg(platform.command))?;
    let file = if name.starts_with("win32") { "shardwise.exe" } else { "shardwise" };
    pack_command(&target().join(platform.command).join("release").join(file), name)
}

/// Packs the command of a platform for npm, as Node names it (`linux-x64`); returns the tarball.
/// The package of the library depends on it where the platform is the user's.
fn pack_command(command: &Path, platform: &str) -> Result<PathBuf> {
    let package = npm_folder().join(format!("cli-{platform}"));
    fresh(&package)?;
    include(&LICENCES, &package)?;
    let file = if platform.starts_with("win32") { "shardwise.exe" } else { "shardwise" };
    std::fs::copy(command, package.join(file)).with_context(|| format!("{} is missing", command.display()))?;
    let (system, processor) = platform.split_once('-').ok_or_else(|| anyhow!("{platform} is no platform of Node."))?;
    let version = locked_version("shardwise")?;
    let manifest = json!({
        "name": format!("@shardwise/cli-{platform}"),
        "version": version,
        "description": format!("The command of shardwise for {platform}; install shardwise."),
        "license": "MIT OR Apache-2.0",
        "os": [system],
        "cpu": [processor],
        "files": [file, "LICENSE-*"],
        "preferUnplugged": true,
    });
    write(&package.join("package.json"), format!("{manifest:#}\n"))?;
    write(&package.join("README.md"), format!("The command of shardwise for {platform}: `npm install shardwise`.\n"))?;
    pack(&package, &format!("shardwise-cli-{platform}-{version}.tgz"))
}

/// Returns the platform of this machine, as Node names it.
fn this_platform() -> Result<String> {
    let said = output(program(NODE.find()?).args(["-p", "`${process.platform}-${process.arch}`"]));
    said.map(|said| said.trim().to_owned()).ok_or_else(|| anyhow!("Node does not say its platform."))
}

/// Writes the crate's version into the package, and into its dependencies on the command; returns
/// the version.
fn stamp(file: &Path) -> Result<String> {
    let version = locked_version("shardwise")?;
    let text = read_text(file)?;
    if !text.contains(VERSION) {
        bail!("npm/js/package.json should have the version {VERSION}, which is replaced.");
    }
    write(file, text.replace(VERSION, &format!("\"{version}\"")))?;
    Ok(version)
}

/// Builds the npm package and installs its tarball into a new folder with the tests; returns that
/// folder.
///
/// # Errors
/// When the package cannot be built or installed.
pub fn npm_install(profile: Profile) -> Result<PathBuf> {
    let [tarball, program_of_platform] = npm_packages(profile)?;
    let installed = npm_folder().join("installed");
    copy(&root().join("npm").join("tests"), &installed, &[])?;
    write(&installed.join("package.json"), "{ \"private\": true, \"type\": \"module\" }\n")?;
    step("Installing the tarball into a fresh folder");
    let mut install = program(NPM.find()?);
    install.current_dir(&installed).args(["install", "--offline", "--no-audit", "--no-fund", "--loglevel", "error"]);
    run(install.arg(tarball).arg(program_of_platform))?;
    Ok(installed)
}

/// Builds the npm package, installs it into a new folder and runs its tests there.
///
/// # Errors
/// When the package cannot be built, or a test fails.
pub fn npm_check(profile: Profile) -> Result<()> {
    let command_line = command_line()?;
    let installed = npm_install(profile)?;
    step("Testing the installed package");
    let mut files = files_with_extension(&installed, "mjs")?;
    files.retain(|file| name(file).ends_with(".test.mjs"));
    let mut tests = program(NODE.find()?);
    tests.current_dir(&installed).args(["--test", "--test-reporter", "spec"]).args(files);
    tests.env("SHARDWISE_CLI", command_line);
    tests.env("SHARDWISE_LINKS", root().join("tests").join("links").join("v1.txt"));
    run(tests.env("SHARDWISE_TSC", TYPESCRIPT.ensure()?))
}
