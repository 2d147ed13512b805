//! The sites of `docs/recipes`, each built with its own tool: `cargo xtask recipes`.

use anyhow::{Context as _, Result, bail};
use e2e::files::FileServer;
use e2e::wait_for;
use serde_json::json;
use xtask::recipes;

use crate::figures::Reader;
use crate::page::PATIENCE;

/// Serves the recipes of these names and, at `/shardwise/`, the calculator.
fn served(names: &[&str]) -> Result<FileServer> {
    for name in names {
        if !recipes::folder().join(name).join("index.html").is_file() {
            bail!("The recipe for {name} is not built: cargo xtask recipes");
        }
    }
    FileServer::start(&recipes::folder(), "/")
}

/// Returns the page with the second figure: MkDocs makes a folder for every page.
fn second_page(name: &str) -> &'static str {
    match name {
        "html" => "",
        "mkdocs" => "memory/",
        _ => "memory.html",
    }
}

#[test]
fn recipes_without_a_tool_show_their_figures_and_have_links_without_script() -> Result<()> {
    shows_figures(&recipes::OFTEN)?;
    has_links(&recipes::OFTEN)
}

#[test]
#[ignore = "nightly: needs Sphinx, MkDocs and VitePress"]
fn every_recipe_shows_its_figures_and_has_links_without_script() -> Result<()> {
    shows_figures(&recipes::NAMES)?;
    has_links(&recipes::NAMES)
}

fn shows_figures(names: &[&str]) -> Result<()> {
    let server = served(names)?;
    for name in names {
        let site = format!("{}{name}/", server.url());
        let first = Reader::open(&site)?;
        first.sees_figure("curve").with_context(|| (*name).to_owned())?;
        first.leaves_quietly().with_context(|| (*name).to_owned())?;
        first.session.open(&format!("{site}{}", second_page(name)))?;
        first.sees_figure("memory").with_context(|| (*name).to_owned())?;
        first.leaves_quietly().with_context(|| (*name).to_owned())?;
    }
    Ok(())
}

fn has_links(names: &[&str]) -> Result<()> {
    let server = served(names)?;
    for name in names {
        let reader = Reader::without_script(&format!("{}{name}/", server.url()))?;
        let link = "const link = document.querySelector(\"a[href*='view=curve']\");
            return `${link?.checkVisibility()} ${link?.textContent} ${document.querySelectorAll('iframe[src*=shardwise]').length}`;";
        let seen = reader.session.text(link, &[])?;
        assert_eq!(seen, "true MFU over link bandwidth for 13B on 64 A100 0", "{name}");
    }
    Ok(())
}

#[test]
#[ignore = "nightly: needs VitePress"]
fn figures_come_and_go_where_pages_change_without_loading() -> Result<()> {
    let server = served(&["vitepress"])?;
    let reader = Reader::open(&format!("{}vitepress/", server.url()))?;
    reader.sees_figure("curve")?;
    reader
        .session
        .script("window.same = true; document.querySelector(\"main a[href$='memory.html']\").click();", &[])?;
    reader.sees_figure("memory")?;
    wait_for("the first page's figure stays", PATIENCE, || {
        let left = reader.session.script("return document.querySelectorAll('iframe').length", &[])?;
        Ok((left == json!(1)).then_some(()))
    })?;
    assert_eq!(reader.session.script("return window.same", &[])?, json!(true), "the page was loaded anew");
    reader.leaves_quietly()
}
