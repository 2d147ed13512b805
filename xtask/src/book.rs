//! `cargo xtask book`: builds the documentation from `docs/` into the folder `docs` of the site.
//! Its figures are embeds of the calculator, so the book is served together with the calculator.
//! A hook of `Trunk.toml`.
//!
//! The pages of training programs are generated from their folders (`crates/programs/tables`) into
//! a copy of the sources, so that they are always current: `programs` reads the folders, `page`
//! writes the pages, with the helpers of `words`. `search` lists all sections for the search,
//! `markdown` copies the chapters as text and writes `llms.txt`.

mod markdown;
mod page;
mod programs;
mod search;
mod words;

use anyhow::{Result, anyhow, bail};
use std::path::{Component, Path, PathBuf};

use crate::programs::MDBOOK;
use crate::shell::{
    STAGING, copy, dist, entries, files_with_extension, fresh, make, program, read_text, root, run, step, target, write,
};

/// Folder with `book.toml`.
const SOURCES: &str = "docs";
/// Folders in `docs` that do not belong to the book.
const OTHERS: [&str; 1] = ["recipes"];
/// Files outside of `docs` that pages include.
const INCLUDED: [&str; 1] = ["npm/README.md"];

/// Files of mdBook's default theme, which `docs/theme` replaces with one style sheet and no
/// scripts.
const UNUSED: [&str; 16] = [
    "FontAwesome",
    "ayu-highlight.css",
    "book.js",
    "book.toml",
    "clipboard.min.js",
    "css",
    "favicon.png",
    "favicon.svg",
    "fonts",
    "highlight.css",
    "highlight.js",
    ".nojekyll",
    "toc.html",
    "toc.js",
    "tomorrow-night.css",
    "SUMMARY.html",
];

/// Builds the book into the folder in which the site is assembled, or else into
/// `target/book/docs`, for which mdBook is installed.
///
/// # Errors
/// When mdBook is missing or rejects the sources.
pub fn run_command() -> Result<()> {
    if let Some(site) = std::env::var_os(STAGING) {
        return into(Path::new(&site));
    }
    build(&target().join("book"), &MDBOOK.ensure()?)?;
    println!("target/book/docs is ready. Its figures need the calculator in the folder above: cargo xtask build");
    Ok(())
}

/// Builds the book into a site. Without mdBook the book is left out: `cargo xtask build` installs
/// mdBook beforehand, and `cargo xtask serve` does not wait for it.
///
/// # Errors
/// When mdBook rejects the sources.
pub fn into(site: &Path) -> Result<()> {
    let Ok(mdbook) = MDBOOK.find() else {
        step("Leaving the documentation out of the site: mdBook is missing, and `cargo xtask book` installs it.");
        return Ok(());
    };
    build(site, &mdbook)
}

/// Checks that the site contains the book.
///
/// # Errors
/// When the site was built without the book.
pub fn built() -> Result<()> {
    pages(&dist().join("docs"))
        .map(drop)
        .map_err(|failure| anyhow!("{failure:#} The site was built without its documentation: see `cargo xtask book`."))
}

/// Builds the book into the folder `docs` of a site.
fn build(site: &Path, mdbook: &Path) -> Result<()> {
    let folder = site.join("docs");
    let copied = target().join("book").join("sources");
    let sources = copied.join(SOURCES);
    fresh(&copied)?;
    copy(&root().join(SOURCES), &sources, &OTHERS)?;
    for name in INCLUDED {
        let file = copied.join(name);
        file.parent().map_or(Ok(()), make)?;
        write(&file, &read_text(&root().join(name))?)?;
    }
    page::write_pages(&sources.join("book"))?;
    let mut command = program(mdbook);
    command.arg("build").arg(&sources).arg("--dest-dir").arg(&folder).env("MDBOOK_LOG", "warn");
    run(&mut command)?;
    for name in UNUSED {
        let path = folder.join(name);
        // Another version of mdBook may not create these files.
        let _ = if path.is_dir() { std::fs::remove_dir_all(&path) } else { std::fs::remove_file(&path) };
    }
    for page in pages(&folder)? {
        let name = page.strip_prefix(&folder)?.to_string_lossy();
        let text = read_text(&page)?;
        // If mdBook cannot include a file, it keeps the directive unchanged and succeeds.
        if text.contains("{{#include") {
            bail!("{name} includes a missing file.");
        }
        write(&page, finished(&text, &name))?;
    }
    check_links(&folder)?;
    markdown::write_chapters(&sources.join("book"), &folder, site)?;
    search::write_sections(&folder)
}

/// Checks that every link between pages leads to an existing page and heading.
fn check_links(folder: &Path) -> Result<()> {
    for page in pages(folder)? {
        let text = std::fs::read_to_string(&page).unwrap_or_default();
        for link in text.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            if file.contains([':', '?']) || (file.is_empty() && heading.is_empty()) {
                continue;
            }
            let target = if file.is_empty() { page.clone() } else { page.with_file_name("").join(file) };
            // Files of the calculator are outside of the book.
            let Some(target) = inside(folder, &target).filter(|target| target != folder) else { continue };
            let there = std::fs::read_to_string(target).unwrap_or_default();
            if there.is_empty() || !(heading.is_empty() || there.contains(&format!("id=\"{heading}\""))) {
                bail!("{} links to {link}, which does not exist.", page.display());
            }
        }
    }
    Ok(())
}

/// Returns the path without parent components, if the path stays inside the folder.
fn inside(folder: &Path, path: &Path) -> Option<PathBuf> {
    let mut plain = folder.to_owned();
    for part in path.strip_prefix(folder).ok()?.components() {
        match part {
            Component::ParentDir if plain == folder => return None,
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    Some(plain)
}

/// Returns the pages of the built book.
///
/// # Errors
/// When the folder does not exist.
pub fn pages(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut pages = files_with_extension(folder, "html")?;
    for below in entries(folder)?.into_iter().filter(|entry| entry.is_dir()) {
        pages.extend(files_with_extension(&below, "html")?);
    }
    if pages.is_empty() {
        bail!("{} has no pages.", folder.display());
    }
    Ok(pages)
}

/// Adapts a page to a strict Content-Security-Policy, and marks the page in the table of contents.
fn finished(page: &str, name: &str) -> String {
    let (text, contents) = page.split_once("<nav id=\"contents\"").unwrap_or((page, ""));
    let text = ["left", "center", "right"].into_iter().fold(text.to_owned(), |text, side| {
        // A strict policy forbids style attributes.
        text.replace(&format!("style=\"text-align: {side}\""), &format!("class=\"{side}\""))
    });
    if contents.is_empty() {
        return text;
    }
    // mdBook writes the links of the table of contents relative to the top folder.
    let up = "../".repeat(name.matches('/').count());
    let contents = contents.replace("<a href=\"", &format!("<a href=\"{up}"));
    let link = format!("href=\"{up}{name}\"");
    let contents = contents.replace(&format!("<a {link}"), &format!("<a aria-current=\"page\" {link}"));
    format!("{text}<nav id=\"contents\"{contents}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_no_styles_in_attributes_and_marks_its_place() {
        let page = "<td style=\"text-align: right\">1</td><a href=\"memory.html\">m</a><nav id=\"contents\">\
            <a href=\"memory.html\">Memory</a><a href=\"run.html\">Run</a></nav>";
        let expected = "<td class=\"right\">1</td><a href=\"memory.html\">m</a><nav id=\"contents\">\
            <a aria-current=\"page\" href=\"memory.html\">Memory</a><a href=\"run.html\">Run</a></nav>";
        assert_eq!(finished(page, "memory.html"), expected);
        assert_eq!(finished("<p>plain</p>", "a.html"), "<p>plain</p>");
        let below = "<nav id=\"contents\"><a href=\"model/run.html\">Run</a><a href=\"run.html\">Run</a></nav>";
        let expected = "<nav id=\"contents\"><a aria-current=\"page\" href=\"../model/run.html\">Run</a>\
            <a href=\"../run.html\">Run</a></nav>";
        assert_eq!(finished(below, "model/run.html"), expected);
    }

    #[test]
    fn links_are_followed_inside_of_the_book() {
        let follow = |path: &str| inside(Path::new("docs"), &Path::new("docs").join(path));
        assert_eq!(follow("model/../accuracy.html"), Some(PathBuf::from("docs/accuracy.html")));
        assert_eq!(follow("model/../../static/icon.svg"), None);
    }
}
