//! Node, and the packages of `xtask/package.json`, whose hashes are in `xtask/package-lock.json`. None of their install scripts
//! runs.

use anyhow::{Context as _, Result, anyhow};
use std::path::PathBuf;

use serde_json::Value;

use super::{at_version, folder};
use crate::shell::{find, program, run, step};

/// The packages and their versions.
const LIST: &str = include_str!("../../package.json");
/// Everything that they bring, each with its hash.
const LOCK: &str = include_str!("../../package-lock.json");

/// How to call wasm-opt: the program and the words before its own, or the sentence that says why there is none.
///
/// # Errors
/// When there is no Node, or npm cannot install binaryen. A site can be built without.
pub fn wasm_opt() -> Result<Vec<PathBuf>> {
    let version = version("binaryen");
    // Binaryen numbers its releases "132", its npm package "132.0.0".
    let release = version.split('.').next().unwrap_or_default();
    if let Some(own) = find(&["wasm-opt"]).filter(|own| at_version(own, release)) {
        return Ok(vec![own]);
    }
    Ok(vec![node()?, package("binaryen")?.join("bin").join("wasm-opt")])
}

/// The script of axe-core, which looks for what keeps people out of a page.
///
/// # Errors
/// When there is no Node, or npm cannot install it.
pub fn axe() -> Result<PathBuf> {
    Ok(package("axe-core")?.join("axe.min.js"))
}

/// The TypeScript compiler, a script for Node.
///
/// # Errors
/// When there is no Node, or npm cannot install it.
pub fn typescript() -> Result<PathBuf> {
    Ok(package("typescript")?.join("bin").join("tsc"))
}

/// Node.
///
/// # Errors
/// When there is none.
pub fn node() -> Result<PathBuf> {
    find(&["node"]).ok_or_else(missing)
}

/// Node's package manager.
///
/// # Errors
/// When there is none.
pub fn npm() -> Result<PathBuf> {
    node()?;
    find(&["npm", "npm.cmd"]).ok_or_else(missing)
}

fn missing() -> anyhow::Error {
    anyhow!("Node and npm are missing: install them from nodejs.org.")
}

/// The folder of a package; all of the list are installed where the list or its lock has changed.
fn package(name: &str) -> Result<PathBuf> {
    let npm = npm()?;
    let place = folder().join("npm");
    let lock = place.join("package-lock.json");
    let modules = place.join("node_modules");
    // npm writes this file last.
    let installed = modules.join(".package-lock.json").is_file();
    if !(installed && std::fs::read_to_string(&lock).is_ok_and(|text| text == LOCK)) {
        step("Installing binaryen, axe-core and TypeScript into target/tools");
        std::fs::create_dir_all(&place).context("target/tools/npm could not be made")?;
        let _ = std::fs::remove_dir_all(&modules);
        for (file, text) in [(place.join("package.json"), LIST), (lock, LOCK)] {
            std::fs::write(&file, text).with_context(|| format!("{} could not be written", file.display()))?;
        }
        let words = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel", "error"];
        run(program(npm).current_dir(&place).args(words))?;
    }
    Ok(modules.join(name))
}

/// The version of a package of the list.
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
        // Where they come from is npm's setting.
        assert!(!LOCK.contains("\"resolved\""));
    }
}
