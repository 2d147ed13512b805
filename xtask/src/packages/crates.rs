//! The crates for crates.io: the command, and each crate of the workspace that it is built from.
//!
//! In the repository a crate has a short name (`engine`), which on the registry is another's, and
//! its build reads files of other folders (`data/`). `target/crates` is a workspace with copies
//! under names of their own (`shardwise-engine`), each with the files that its build reads, so
//! that it is built alone.

mod manifests;

use anyhow::{Context as _, Result, anyhow, bail};
use build::workspace::{FOLDER, Workspace};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::install::locked_version;
use crate::shell::{cargo, copy, fresh, make, name, output, program, read_text, root, run, step, target, write};

use super::{LICENCES, include};
use manifests::{published, staged, unpacked, workspace};

/// The package that is installed.
const COMMAND: &str = "shardwise-cli";

/// Folders of a crate that are not published: they read files of the whole repository.
const LEFT_OUT: [&str; 3] = ["tests", "benches", "examples"];

/// The use of the packages, once they are packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// Leave them in `target/crates`.
    Nothing,
    /// Compile them where no file of the repository can be read.
    Check,
    /// Publish on crates.io those that it lacks, with the token of cargo.
    Publish,
}

/// Packs the command and each crate that it needs for crates.io.
///
/// # Errors
/// When a file is missing, or cargo refuses a package, cannot compile it, or cannot publish it.
pub fn crates(then: Then) -> Result<()> {
    let version = locked_version(COMMAND)?;
    let folders = needed(&metadata()?, COMMAND)?;
    step("Staging the crates");
    let stage = target().join("crates");
    fresh(&stage)?;
    let own_workspace = read_text(&root().join("Cargo.toml"))?;
    for (own, folder) in &folders {
        stage_crate(own, folder, &stage.join(own), &own_workspace)?;
    }
    write(&stage.join("Cargo.toml"), workspace(&own_workspace, &folders, &version)?)?;
    // The versions that are tested, for `cargo install --locked`.
    include(&["Cargo.lock"], &stage)?;
    step("Packing the crates");
    run(of_workspace(&stage, "package").args(["--no-verify", "--quiet"]))?;
    let files: Vec<PathBuf> =
        folders.keys().map(|own| package_file(&stage, own, &version)).collect::<Result<Vec<_>>>()?;
    let bytes = files.iter().map(|file| Ok(file.metadata()?.len())).sum::<Result<u64>>()?;
    println!("{} packages are ready in {}: {bytes} bytes.", files.len(), stage.display());
    match then {
        Then::Nothing => Ok(()),
        Then::Check => check(&files, &stage),
        Then::Publish => publish(folders.keys(), &stage, &version),
    }
}

/// Returns what cargo says of the packages of the workspace.
fn metadata() -> Result<Value> {
    let text = output(&mut cargo(&["metadata", "--format-version", "1", "--no-deps"]));
    serde_json::from_str(&text.context("`cargo metadata` failed.")?).context("`cargo metadata` wrote no JSON.")
}

/// Returns the packages of the workspace that a package needs to be built, itself too, each with
/// its folder. What only its tests need is none of them.
fn needed(metadata: &Value, first: &str) -> Result<BTreeMap<String, PathBuf>> {
    let list = |value: &Value, field: &str| value.get(field).and_then(Value::as_array).cloned().unwrap_or_default();
    let text = |value: &Value, field: &str| value.get(field).and_then(Value::as_str).map(str::to_owned);
    let packages = list(metadata, "packages");
    let (mut folders, mut open) = (BTreeMap::new(), vec![first.to_owned()]);
    while let Some(own) = open.pop() {
        let package = packages.iter().find(|package| text(package, "name").as_ref() == Some(&own));
        let package = package.ok_or_else(|| anyhow!("The workspace has no package {own}."))?;
        let manifest = text(package, "manifest_path").map(PathBuf::from).unwrap_or_default();
        for dependency in list(package, "dependencies") {
            let is_built = text(&dependency, "kind").as_deref() != Some("dev");
            if let Some(name) = text(&dependency, "name").filter(|_| is_built && dependency.get("path").is_some())
                && !folders.contains_key(&name)
            {
                open.push(name);
            }
        }
        folders.insert(own, manifest.parent().map(Path::to_path_buf).unwrap_or_default());
    }
    Ok(folders)
}

/// Copies a crate, with the files of the repository that its build reads.
fn stage_crate(own: &str, from: &Path, to: &Path, workspace: &str) -> Result<()> {
    copy(from, to, &LEFT_OUT)?;
    let reads = Workspace::of(from).map_err(|error| anyhow!("{own}: {error}"))?;
    for file in reads.files().map_err(|error| anyhow!("{own}: {error}"))? {
        let copied = to.join(FOLDER).join(&file);
        make(copied.parent().unwrap_or(to))?;
        std::fs::copy(root().join(&file), &copied).with_context(|| format!("{} is missing", file.display()))?;
    }
    include(&LICENCES, to)?;
    let manifest = read_text(&from.join("Cargo.toml"))?;
    let readme = to.join("README.md");
    if !readme.is_file() {
        write(&readme, manifests::readme(&manifest)?)?;
    }
    write(&to.join("Cargo.toml"), staged(&manifest, workspace).with_context(|| format!("{own} cannot be published"))?)
}

/// Returns a command of cargo for all packages of a workspace, whose outputs are below it.
fn of_workspace(folder: &Path, what: &str) -> Command {
    let mut command = cargo(&[what, "--workspace"]);
    command.current_dir(folder).env("CARGO_TARGET_DIR", target().join("crates").join("target"));
    command
}

/// Returns the file of a package, which `cargo package` names so.
fn package_file(stage: &Path, own: &str, version: &str) -> Result<PathBuf> {
    let file = stage.join("target").join("package").join(format!("{}-{version}.crate", published(own)));
    if file.is_file() { Ok(file) } else { Err(anyhow!("cargo has not packed {}.", name(&file))) }
}

/// Unpacks the packages outside the repository and compiles them there: a file that a build reads
/// and that its package lacks is an error.
fn check(files: &[PathBuf], stage: &Path) -> Result<()> {
    step("Compiling the packages outside the repository");
    let place = std::env::temp_dir().join(format!("shardwise-crates-{}", std::process::id()));
    if place.starts_with(root()) {
        bail!("{} is in the repository, which packages must not read: set TMPDIR.", place.display());
    }
    fresh(&place)?;
    for file in files {
        run(program("tar").arg("-xzf").arg(file).arg("-C").arg(&place))?;
    }
    let names: Vec<String> = files.iter().map(|file| name(&file.with_extension(""))).collect();
    write(&place.join("Cargo.toml"), unpacked(&names))?;
    std::fs::copy(stage.join("Cargo.lock"), place.join("Cargo.lock")).context("The workspace has no Cargo.lock")?;
    let checked = run(of_workspace(&place, "check").arg("--quiet"));
    // A folder that stays is no failure of the packages.
    let _ = std::fs::remove_dir_all(&place);
    checked
}

/// Publishes the packages that the registry lacks in this version, each after those it needs. So
/// a run that ended early, as at the registry's limit of new crates, is continued by another.
fn publish<'a>(all: impl Iterator<Item = &'a String>, stage: &Path, version: &str) -> Result<()> {
    step("Publishing the crates");
    let (has, lacks): (Vec<&str>, Vec<&str>) =
        all.map(String::as_str).partition(|own| is_on_registry(&published(own), version));
    if lacks.is_empty() {
        println!("crates.io has all packages of {version}.");
        return Ok(());
    }
    println!("crates.io has {} packages of {version}, and lacks {}.", has.len(), lacks.len());
    let mut publish = of_workspace(stage, "publish");
    publish.args(has.iter().flat_map(|own| ["--exclude".to_owned(), published(own)]));
    run(publish.arg("--no-verify"))
}

/// Returns whether crates.io has a version of a package.
fn is_on_registry(package: &str, version: &str) -> bool {
    let mut info = cargo(&["info", "--quiet", "--registry", "crates-io"]);
    // Outside of the workspace, whose own package it would describe.
    output(info.current_dir(std::env::temp_dir()).arg(format!("{package}@{version}"))).is_some()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops where its data is wrong")]
mod tests {
    use super::*;

    #[test]
    fn what_the_command_is_built_from_is_published_and_nothing_else() {
        let folders = needed(&metadata().unwrap(), COMMAND).unwrap();
        for own in [COMMAND, "engine", "catalog", "build", "mcp"] {
            assert!(folders.contains_key(own), "{own} is missing: {:?}", folders.keys());
        }
        // The page, the tests and what only they need.
        for own in ["shardwise", "charts", "score", "xtask", "shardwise-fuzz"] {
            assert!(!folders.contains_key(own), "{own} is published");
        }
        assert!(needed(&metadata().unwrap(), "other").unwrap_err().to_string().contains("other"));
    }

    #[test]
    fn every_build_lists_files_of_the_repository() {
        let folders = needed(&metadata().unwrap(), COMMAND).unwrap();
        let files: Vec<_> =
            folders.values().flat_map(|folder| Workspace::of(folder).unwrap().files().unwrap()).collect();
        assert!(files.len() > 60, "{}", files.len());
        assert!(files.contains(&PathBuf::from("crates/programs/tables/trl/releases.toml")));
    }
}
