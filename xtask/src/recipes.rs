//! `cargo xtask recipes`: builds the small sites of `docs/recipes`, each with its own tool, with
//! the calculator at `/shardwise/`. The tests of the built site open them.

use anyhow::{Result, anyhow, bail};
use std::path::{Path, PathBuf};

use crate::install::{self, npm_ci};
use crate::programs::{MDBOOK, NODE, NPM, RECIPES};
use crate::shell::{copy, dist, fresh, make, program, read_text, root, run, step, target, write};

/// Names of the sites and of their folders.
pub const NAMES: [&str; 5] = ["html", "mdbook", "sphinx", "mkdocs", "vitepress"];

/// Names of the sites that need no tool of their own: they are tested with every change, the others
/// each night.
pub const OFTEN: [&str; 2] = ["html", "mdbook"];

/// Returns the root of a server with all sites.
pub fn folder() -> PathBuf {
    target().join("recipes")
}

fn sources(name: &str) -> PathBuf {
    root().join("docs").join("recipes").join(name)
}

/// Returns the folder in which the tools are installed.
fn workshop() -> PathBuf {
    install::folder().join("recipes")
}

/// Builds the sites of these names; a failed one does not stop the others.
///
/// # Errors
/// When the calculator is not built, or a tool is missing or fails; all sentences together.
pub fn build(names: &[&str]) -> Result<()> {
    if !dist().join("index.html").is_file() {
        bail!("dist/ has no built site: run cargo xtask build");
    }
    fresh(&folder())?;
    copy(&dist(), &folder().join("shardwise"), &[])?;
    let builders = [html, mdbook, sphinx, mkdocs, vitepress];
    let mut failures = Vec::new();
    for (name, build) in NAMES.into_iter().zip(builders).filter(|(name, _)| names.contains(name)) {
        step(&format!("Building the recipe for {name}"));
        if let Err(failure) = build(&sources(name), &folder().join(name)) {
            failures.push(format!("{failure:#}"));
        }
    }
    if failures.is_empty() { Ok(()) } else { Err(anyhow!(failures.join("\n    "))) }
}

/// Copies the site, which needs no tool.
fn html(sources: &Path, site: &Path) -> Result<()> {
    copy(sources, site, &["README.md"])
}

fn mdbook(sources: &Path, site: &Path) -> Result<()> {
    run(program(MDBOOK.ensure()?).env("MDBOOK_LOG", "warn").arg("build").arg(sources).arg("--dest-dir").arg(site))
}

fn sphinx(sources: &Path, site: &Path) -> Result<()> {
    let doctrees = workshop().join("doctrees");
    let mut build = program(RECIPES.ensure()?);
    build.args(["-m", "sphinx", "--quiet", "--fail-on-warning", "-E", "-d"]).arg(doctrees).arg(sources).arg(site);
    run(&mut build)
}

fn mkdocs(sources: &Path, site: &Path) -> Result<()> {
    let mut build = program(RECIPES.ensure()?);
    build.args(["-m", "mkdocs", "build", "--quiet", "--strict", "--config-file"]).arg(sources.join("mkdocs.yml"));
    run(build.arg("--site-dir").arg(site))
}

/// VitePress reads sources next to its packages, so the sources are copied there.
fn vitepress(sources: &Path, site: &Path) -> Result<()> {
    let (npm, node) = (NPM.find()?, NODE.find()?);
    let place = workshop().join("vitepress");
    make(&place)?;
    copy(sources, &place, &["README.md", "node_modules"])?;
    let lock = read_text(&sources.join("package-lock.json"))?;
    once(&place.join("node_modules"), &lock, || {
        step("Installing VitePress into target/tools/recipes");
        run(npm_ci(&npm).current_dir(&place))
    })?;
    let script = place.join("node_modules").join("vitepress").join("bin").join("vitepress.js");
    run(program(node).current_dir(&place).arg(script).args(["build", "--outDir"]).arg(site))
}

/// Runs `install` in a folder unless it has already run with the same list.
fn once(place: &Path, list: &str, install: impl FnOnce() -> Result<()>) -> Result<()> {
    let note = place.join("made-to.txt");
    if std::fs::read_to_string(&note).is_ok_and(|have| have == list) {
        return Ok(());
    }
    install()?;
    write(&note, list)
}
