//! Wasm modules: compiled by cargo, bound to JavaScript by wasm-bindgen, optimized by wasm-opt.

use anyhow::{Context as _, Result};
use std::hash::{DefaultHasher, Hasher as _};
use std::path::{Path, PathBuf};

use super::{Profile, split};
use crate::install::{self, WASM_TARGET};
use crate::programs::WASM_BINDGEN;
use crate::shell::{cargo, copy, files_with_extension, fresh, name, program, run, staging, step, target};

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

/// The packages that are compiled for Wasm. Always selected together in the dev profile: cargo
/// unites the features of the packages that it builds, and compiles everything anew for others.
pub const PACKAGES: [&str; 4] = ["shardwise", "charts-canvas", "files-worker", "shardwise-js"];

/// Returns the packages for Wasm as arguments of cargo.
pub fn packages() -> Vec<&'static str> {
    PACKAGES.iter().flat_map(|name| ["--package", name]).collect()
}

/// The module of the page.
pub(super) const PAGE: &str = "page";
/// The module that reads files and writes settings, which the page loads on demand.
const FILES: &str = "files_worker";

impl Profile {
    /// Returns the folder of cargo's outputs, and the arguments that choose it.
    const fn cargo_output(self) -> (&'static str, &'static [&'static str]) {
        match self {
            Self::Shipped => ("site", &["--profile", "site"]),
            Self::Quick => ("debug", &[]),
        }
    }
}

/// Compiles the modules of the page, and for [`Profile::Quick`] that of the npm package.
///
/// # Errors
/// When one does not compile.
pub fn compile(profile: Profile) -> Result<()> {
    let (_, arguments) = profile.cargo_output();
    let mut build = cargo(&["build", "--quiet", "--target", WASM_TARGET, "--bin", PAGE, "--lib"]);
    // Linking the npm package with all optimizations takes long, and the site has no use for it.
    let packages = match profile {
        Profile::Shipped => vec!["--package", "shardwise", "--package", "files-worker"],
        Profile::Quick => packages(),
    };
    if profile == Profile::Shipped {
        build.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", SPLITTABLE.join(" "));
    }
    run(build.args(packages).args(arguments))
}

/// Options of the compiler for a module that is split: relocations, and names of functions with the
/// types that a function is made for.
const SPLITTABLE: [&str; 2] = ["-Clink-arg=--emit-relocs", "-Csymbol-mangling-version=v0"];

/// Returns the path of a compiled module.
pub fn compiled(profile: Profile, module: &str) -> PathBuf {
    let (folder, _) = profile.cargo_output();
    target().join(WASM_TARGET).join(folder).join(format!("{module}.wasm"))
}

/// Returns the hash of a file, as hexadecimal digits.
///
/// # Errors
/// When it cannot be read.
pub(super) fn hash(file: &Path) -> Result<String> {
    hash_with(file, "")
}

/// Returns the hash of a file and of what else its outputs depend on, as hexadecimal digits.
///
/// # Errors
/// When it cannot be read.
pub(super) fn hash_with(file: &Path, other: &str) -> Result<String> {
    let bytes = std::fs::read(file).with_context(|| format!("{} could not be read", file.display()))?;
    let mut hasher = DefaultHasher::new();
    hasher.write(&bytes);
    hasher.write(other.as_bytes());
    Ok(format!("{:016x}", hasher.finish()))
}

/// Writes a module and its JavaScript into a folder, under a name. The outputs of wasm-bindgen are
/// kept until the module changes.
///
/// # Errors
/// When wasm-bindgen is missing or fails.
pub(super) fn bind(module: &Path, name: &str, folder: &Path) -> Result<()> {
    let kept = target().join("bindgen").join(name);
    let current = kept.join(hash(module)?);
    if !current.is_dir() {
        // Outputs of earlier modules.
        fresh(&kept)?;
        let made = kept.join("made");
        let mut bindgen = program(WASM_BINDGEN.ensure()?);
        bindgen
            .args(["--target", "web", "--no-typescript", "--no-demangle", "--out-name", name, "--out-dir"])
            .arg(&made);
        run(bindgen.arg(module))?;
        std::fs::rename(&made, &current).with_context(|| format!("{} could not be moved", made.display()))?;
    }
    copy(&current, folder, &[])
}

/// Binds the module that reads files and writes settings (`crates/files-worker`), which the page
/// fetches on demand, into the folder in which the site is assembled. A hook of `Trunk.toml`.
///
/// # Errors
/// When it does not compile, or wasm-bindgen is missing.
pub fn files() -> Result<()> {
    let is_quick = std::env::var_os("TRUNK_PROFILE").is_some_and(|profile| profile == "debug");
    let profile = if is_quick { Profile::Quick } else { Profile::Shipped };
    compile(profile)?;
    bind_files(profile, &staging())
}

/// Binds the compiled module of files into a folder.
///
/// # Errors
/// When wasm-bindgen is missing or fails.
pub(super) fn bind_files(profile: Profile, site: &Path) -> Result<()> {
    bind(&compiled(profile, FILES), "files", site).context("The module of files could not be made")?;
    match profile {
        Profile::Shipped => split::remove_relocations(&site.join("files_bg.wasm")),
        Profile::Quick => Ok(()),
    }
}

/// Runs wasm-opt on the modules of a site, or prints the reason for skipping it.
///
/// A module keeps its name, including the hash from before: modules from different versions of
/// wasm-opt behave equally.
///
/// # Errors
/// When wasm-opt fails.
pub(super) fn optimise_all(folder: &Path) -> Result<()> {
    let wasm_opt = install::wasm_opt().unwrap_or_else(|failure| {
        step(&format!("Leaving the module as the compiler made it, about a tenth larger. {failure:#}"));
        Vec::new()
    });
    for module in files_with_extension(folder, "wasm")? {
        let before = size(&module)?;
        step(&format!("Optimising {} (wasm-opt {})", name(&module), OPTIMISATIONS.join(" ")));
        optimise(&wasm_opt, &module)?;
        println!("    {}: {} of {before} bytes", name(&module), size(&module)?);
    }
    Ok(())
}

/// Runs wasm-opt on a module; an empty `wasm_opt` command leaves the module as it is.
///
/// # Errors
/// When wasm-opt fails.
pub fn optimise(wasm_opt: &[PathBuf], module: &Path) -> Result<()> {
    let Some((first, rest)) = wasm_opt.split_first() else { return Ok(()) };
    let mut optimise = program(first);
    optimise.args(rest).args(WASM_FEATURES).args(OPTIMISATIONS).arg("--output").arg(module).arg(module);
    run(&mut optimise)
}

/// Returns the size of a file in bytes.
///
/// # Errors
/// When it is missing.
pub fn size(file: &Path) -> Result<u64> {
    std::fs::metadata(file).map(|data| data.len()).with_context(|| format!("{} is gone", name(file)))
}
