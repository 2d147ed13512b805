//! Node and the packages of `xtask/package.json`, with hashes in `xtask/package-lock.json`. None of
//! their install scripts is run.

use anyhow::{Context as _, Result, anyhow};
use std::path::PathBuf;

use serde_json::Value;

use super::{at_version, folder};
use crate::shell::{find, program, run, step};

/// The packages and their versions.
const LIST: &str = include_str!("../../package.json");
/// All transitive packages, each with its hash.
const LOCK: &str = include_str!("../../package-lock.json");

/// Returns the command of wasm-opt: the program and its leading arguments.
///
/// # Errors
/// When Node is missing, or npm cannot install binaryen. The site can be built without it.
pub fn wasm_opt() -> Result<Vec<PathBuf>> {
    let version = version("binaryen");
    // Binaryen's releases are numbered "132", its npm package "132.0.0".
    let release = version.split('.').next().unwrap_or_default();
    if let Some(own) = find(&["wasm-opt"]).filter(|own| at_version(own, release)) {
        return Ok(vec![own]);
    }
    Ok(vec![node()?, package("binaryen")?.join("bin").join("wasm-opt")])
}

/// Returns the script of axe-core, which checks the accessibility of a page.
///
/// # Errors
/// When Node is missing, or npm cannot install it.
pub fn axe() -> Result<PathBuf> {
    Ok(package("axe-core")?.join("axe.min.js"))
}

/// Returns the TypeScript compiler, a script for Node.
///
/// # Errors
/// When Node is missing, or npm cannot install it.
pub fn typescript() -> Result<PathBuf> {
    Ok(package("typescript")?.join("bin").join("tsc"))
}

/// Finds Node.
///
/// # Errors
/// When Node is missing.
pub fn node() -> Result<PathBuf> {
    find(&["node"]).ok_or_else(missing)
}

/// Finds npm, Node's package manager.
///
/// # Errors
/// When npm is missing.
pub fn npm() -> Result<PathBuf> {
    node()?;
    find(&["npm", "npm.cmd"]).ok_or_else(missing)
}

fn missing() -> anyhow::Error {
    anyhow!("Node and npm are missing: install them from nodejs.org.")
}

/// Returns the folder of a package; installs all packages if the list or the lock file has changed.
fn package(name: &str) -> Result<PathBuf> {
    let npm = npm()?;
    let place = folder().join("npm");
    let lock = place.join("package-lock.json");
    let modules = place.join("node_modules");
    // npm writes this file last, so it marks a complete installation.
    let installed = modules.join(".package-lock.json").is_file();
    if !(installed && std::fs::read_to_string(&lock).is_ok_and(|text| text == LOCK)) {
        step("Installing binaryen, axe-core and TypeScript into target/tools");
        std::fs::create_dir_all(&place).context("target/tools/npm could not be made")?;
        let _ = std::fs::remove_dir_all(&modules);
        for (file, text) in [(place.join("package.json"), LIST), (lock, LOCK)] {
            std::fs::write(&file, text).with_context(|| format!("{} could not be written", file.display()))?;
        }
        let arguments = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel", "error"];
        run(program(npm).current_dir(&place).args(arguments))?;
    }
    Ok(modules.join(name))
}

/// Returns the version of a package in the list.
fn version(name: &str) -> String {
    let list: Value = serde_json::from_str(LIST).unwrap_or_default();
    list.pointer(&format!("/dependencies/{name}")).and_then(Value::as_str).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_package_has_an_exact_version_and_a_hash() {
        let lock: Value = serde_json::from_str(LOCK).unwrap();
        for name in ["axe-core", "binaryen", "typescript"] {
            let locked = &lock["packages"][format!("node_modules/{name}")];
            assert_eq!(locked["version"], version(name), "{name}");
            assert!(locked["integrity"].as_str().unwrap().starts_with("sha512-"), "{name}");
        }
        // The registry is npm's setting, not the lock file's.
        assert!(!LOCK.contains("\"resolved\""));
    }
}
