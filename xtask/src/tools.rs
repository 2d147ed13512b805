//! The external tools of the project: their versions, and their installation.
//!
//! A tool on `PATH` at the right version is used; otherwise it is installed once into
//! `target/tools`.
//!
//! - this module: programs that `cargo install` compiles.
//! - [`mod@node`]: Node and the packages of `xtask/package.json`.
//! - [`python`]: virtual environments with pinned packages.
//! - [`rustup`]: components that a minimal Rust installation lacks.

pub mod node;
pub mod python;
pub mod rustup;

use anyhow::{Context as _, Result, anyhow};
use std::path::{Path, PathBuf};

use crate::shell::{cargo, find, output, path_with, program, root, run, step};

pub use node::{axe, node, npm, typescript, wasm_opt};
pub use rustup::{WASM_TARGET, linters, wasm_target};

/// A program that `cargo install` compiles.
#[derive(Clone, Copy, Debug)]
pub struct Tool {
    command: &'static str,
    package: &'static str,
    /// `None` takes the version of the package with this name in `Cargo.lock`.
    version: Option<&'static str>,
    options: &'static [&'static str],
}

/// Builds the site from the crate and `index.html`. Without TLS, as it downloads nothing. (0.22
/// needs a newer Rust than ours.)
pub const TRUNK: Tool = Tool {
    command: "trunk",
    package: "trunk",
    version: Some("0.21.14"),
    options: &["--locked", "--no-default-features"],
};

/// Generates the JavaScript of a Wasm module, at exactly the version that the page is built with,
/// and runs tests in browsers.
pub const WASM_BINDGEN: Tool = Tool {
    command: "wasm-bindgen",
    package: "wasm-bindgen-cli",
    version: None,
    // Its own lock file is outdated, so `--locked` is left out.
    options: &["--no-default-features", "--bin", "wasm-bindgen", "--bin", "wasm-bindgen-test-runner"],
};

/// Builds the documentation from `docs/`; without its server and its search.
pub const MDBOOK: Tool = Tool {
    command: "mdbook",
    package: "mdbook",
    version: Some("0.5.4"),
    options: &["--locked", "--no-default-features"],
};

/// The WebDriver program of Firefox.
pub const GECKODRIVER: Tool =
    Tool { command: "geckodriver", package: "geckodriver", version: Some("0.37.1"), options: &["--locked"] };

/// Returns the folder of tools that are not the system's.
pub fn folder() -> PathBuf {
    root().join("target").join("tools")
}

impl Tool {
    /// Returns the tool, and installs it first if it is missing.
    ///
    /// # Errors
    /// When the tool is missing and cannot be installed.
    pub fn ensure(self) -> Result<PathBuf> {
        install(&[self])?;
        Ok(self.present()?.unwrap_or_else(|| self.place()))
    }

    /// Returns the tool at its version, from `PATH` or `target/tools`; `None` if it is missing.
    ///
    /// # Errors
    /// When the version is unknown.
    pub fn present(self) -> Result<Option<PathBuf>> {
        let version = self.version()?;
        let mut candidates = find(&[self.command]).into_iter().chain([self.place()]);
        Ok(candidates.find(|candidate| candidate.is_file() && at_version(candidate, &version)))
    }

    fn version(self) -> Result<String> {
        self.version.map_or_else(|| locked_version(self.command), |version| Ok(version.to_owned()))
    }

    /// Returns the tool's path in `target/tools`.
    fn place(self) -> PathBuf {
        folder().join("bin").join(format!("{}{}", self.command, std::env::consts::EXE_SUFFIX))
    }

    /// Compiles the tool with little optimisation, as it runs only for a second.
    fn compile(self, build: &Path) -> Result<()> {
        let version = self.version()?;
        step(&format!("Installing {} {version} into target/tools (once, about a minute)", self.package));
        let mut install = cargo(&["install", self.package, "--version", &version, "--quiet", "--force"]);
        install.args(self.options).arg("--root").arg(folder()).arg("--target-dir").arg(build);
        for (name, value) in [("OPT_LEVEL", "0"), ("DEBUG", "false"), ("LTO", "off"), ("CODEGEN_UNITS", "16")] {
            install.env(format!("CARGO_PROFILE_RELEASE_{name}"), value);
        }
        install.env_remove("RUSTFLAGS").env_remove("CARGO_BUILD_TARGET");
        run(&mut install).map_err(|failure| {
            let (package, flags) = (self.package, self.options.join(" "));
            anyhow!("{failure:#} Install it yourself: cargo install {package} --version {version} {flags}")
        })
    }
}

/// Installs the missing ones of these tools, with a shared build folder.
///
/// # Errors
/// When one cannot be installed.
pub fn install(tools: &[Tool]) -> Result<()> {
    let build = folder().join("build");
    for tool in tools {
        if tool.present()?.is_none() {
            tool.compile(&build)?;
        }
    }
    // The build folder takes gigabytes and is no longer needed.
    let _ = std::fs::remove_dir_all(build);
    Ok(())
}

/// Returns the runner of Wasm tests in a browser, which comes with [`WASM_BINDGEN`].
///
/// # Errors
/// When wasm-bindgen cannot be installed.
pub fn wasm_test_runner() -> Result<PathBuf> {
    let name = format!("wasm-bindgen-test-runner{}", std::env::consts::EXE_SUFFIX);
    let runner = WASM_BINDGEN.ensure()?.with_file_name(name);
    if runner.is_file() {
        return Ok(runner);
    }
    Err(anyhow!("{} is missing: install wasm-bindgen-cli again.", runner.display()))
}

/// Returns the `PATH` on which Trunk finds wasm-bindgen, so that it downloads none.
///
/// # Errors
/// When wasm-bindgen cannot be installed.
pub fn path() -> Result<std::ffi::OsString> {
    let bindgen = WASM_BINDGEN.ensure()?;
    Ok(path_with(&bindgen.parent().map(Path::to_path_buf).into_iter().collect::<Vec<_>>()))
}

/// Returns the version of a package in `Cargo.lock`.
///
/// # Errors
/// When `Cargo.lock` cannot be read or lacks the package.
pub fn locked_version(package: &str) -> Result<String> {
    let lock = std::fs::read_to_string(root().join("Cargo.lock"))
        .context("Cargo.lock could not be read; write it with `cargo generate-lockfile`")?;
    let version = version_in(&lock, package).map(str::to_owned);
    version.ok_or_else(|| anyhow!("Cargo.lock has no {package}: write it with `cargo generate-lockfile`."))
}

fn version_in<'a>(lock: &'a str, package: &str) -> Option<&'a str> {
    let name = format!("name = \"{package}\"");
    let line = lock.lines().skip_while(|line| *line != name).nth(1)?;
    line.strip_prefix("version = \"")?.strip_suffix('"')
}

/// Whether `--version` prints this version: "trunk 0.21.14", "mdbook v0.5.4", "wasm-opt version 132
/// (version_132)".
fn at_version(tool: &Path, version: &str) -> bool {
    let is_it = |word: &str| word.strip_prefix('v').unwrap_or(word) == version;
    output(program(tool).arg("--version")).is_some_and(|text| text.split_whitespace().any(is_it))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_read_from_the_lock_file() {
        let lock = "[[package]]\nname = \"wasm-bindgen-shared\"\nversion = \"0.1.0\"\n\n[[package]]\nname = \"wasm-bindgen\"\nversion = \"0.2.130\"\n";
        assert_eq!(version_in(lock, "wasm-bindgen"), Some("0.2.130"));
        assert_eq!(version_in(lock, "yew"), None);
    }

    #[test]
    fn a_missing_tool_has_no_version() {
        assert!(!at_version(Path::new("no-such-tool"), "1"));
    }
}
