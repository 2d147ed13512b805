//! The page without a network: visited pages work, a new version is announced and waits, and an
//! embedded page caches nothing.

use std::path::Path;

use anyhow::{Context as _, Result, bail};
use e2e::BrowserKind;
use e2e::server::{Server, fetch};
use e2e::{Key, wait_for};
use serde_json::json;
use tempfile::tempdir;

use crate::page::{HURRY, PATIENCE, Page, address, built, copy_of_the_site};

/// Path under which the site is served; the build does not depend on this path.
const UNDER: &str = "/some/path/";

/// Returns "activated" once the service worker has cached the page.
const KEPT: &str = "return navigator.serviceWorker.getRegistration().then((it) => it?.active?.state ?? '')";

fn kept(page: &Page) -> Result<()> {
    wait_for("no worker keeps the page", PATIENCE, || Ok((page.session.text(KEPT, &[])? == "activated").then_some(())))
}

fn works_without_a_server(kind: BrowserKind) -> Result<()> {
    let server = Server::caddy(&built()?, UNDER)?;
    let address = server.url().to_owned();
    let page = Page::open(kind, &address, "")?;
    kept(&page)?;
    page.leave_quietly()?;
    drop(server);
    assert!(fetch(&address).is_err(), "somebody still serves {address}");

    // A link that was never opened before: it is read, and every part of the page loads from the
    // cache.
    let link = format!("{address}?theme=dark#v=1&gpus=512");
    page.session.open(&link)?;
    let before = page.stands()?;
    let slider = page.slider("Link bandwidth")?;
    page.session.focus(&slider)?;
    page.session.press(Key::Left, 20)?;
    page.wait_for("the slider changes nothing", |now| now.outputs != before.outputs && now.map != before.map)?;
    page.tab("Accuracy")?;
    wait_for("no published rows appear", PATIENCE, || Ok(page.session.element("#agreement").ok().map(drop)))?;
    let rows = "return fetch('rows.txt').then((answer) => answer.text()).then((text) => text.length > 1000)";
    assert_eq!(page.session.script(rows, &[])?, json!(true));
    // A window with another build gets none of this build's data files.
    let other = "return fetch('rows.txt?v=shardwise-0_bg.wasm').then(() => false, () => true)";
    assert_eq!(page.session.script(other, &[])?, json!(true));
    Ok(())
}

#[test]
fn a_page_that_was_visited_works_without_a_server() -> Result<()> {
    works_without_a_server(BrowserKind::Chromium)
}

#[test]
fn a_page_that_was_visited_works_without_a_server_in_firefox() -> Result<()> {
    works_without_a_server(BrowserKind::Firefox)
}

#[test]
fn what_a_browser_has_thrown_away_is_kept_again() -> Result<()> {
    let server = Server::caddy(&built()?, UNDER)?;
    let page = Page::open(BrowserKind::Chromium, server.url(), "")?;
    kept(&page)?;
    let count =
        "return Promise.all((await caches.keys()).map(async (name) => (await (await caches.open(name)).keys()).length))
        .then((counts) => counts.reduce((sum, count) => sum + count, 0))";
    let count = |page: &Page| page.session.script(&format!("return (async () => {{ {count} }})()"), &[]);
    let files = count(&page)?;
    assert!(files.as_u64() > Some(5), "{files}");
    page.session
        .script("return caches.keys().then((names) => Promise.all(names.map((name) => caches.delete(name))))", &[])?;
    assert_eq!(count(&page)?, json!(0));
    // The next visit comes from the network.
    page.session.open(&format!("{}?theme=dark", server.url()))?;
    page.stands()?;
    wait_for("the files are not kept again", PATIENCE, || Ok((count(&page)? == files).then_some(())))?;
    page.leave_quietly()?;
    let address = server.url().to_owned();
    drop(server);
    page.session.open(&format!("{address}?theme=light"))?;
    page.stands().map(drop)
}

#[test]
fn without_a_network_the_documentation_says_that_it_is_not_kept() -> Result<()> {
    for kind in [BrowserKind::Chromium, BrowserKind::Firefox] {
        let server = Server::caddy(&built()?, UNDER)?;
        let page = Page::open(kind, server.url(), "")?;
        kept(&page)?;
        let address = server.url().to_owned();
        page.session.open(&format!("{address}docs/memory.html"))?;
        assert_ne!(page.session.text("return document.title", &[])?, "shardwise", "{kind:?}");
        drop(server);
        page.session.open(&format!("{address}docs/communication.html"))?;
        let said = page.session.text("return document.body.textContent.trim()", &[])?;
        assert_eq!(
            said, "There is no network, and the documentation is not kept for that. The calculator is.",
            "{kind:?}"
        );
        page.session.click(&page.session.element("a")?)?;
        page.stands()?;
    }
    Ok(())
}

/// Returns the notice of a new version.
const NOTICE: &str = "return document.querySelector('.update')?.textContent ?? ''";

#[test]
fn a_new_version_is_told_of_and_taken_by_a_reload() -> Result<()> {
    let folder = tempdir()?;
    let site = folder.path();
    copy_of_the_site(site)?;
    let server = Server::caddy(site, UNDER)?;
    let page = Page::open(BrowserKind::Chromium, server.url(), "")?;
    kept(&page)?;
    assert_eq!(page.session.text(NOTICE, &[])?, "");
    changed(&site.join("sw.js"), "const BUILD = \"", "const BUILD = \"f")?;
    changed(&site.join("index.html"), "<html ", "<html data-next ")?;

    // The cached version is shown completely; the notice appears when the new version is ready.
    let link = format!("{}#v=1&gpus=512", server.url());
    page.session.open(&link)?;
    page.session.script("location.reload()", &[])?;
    let before = page.stands()?;
    // The page names itself after the scenario: the version is told by something else.
    let is_next = || page.session.script("return document.documentElement.hasAttribute('data-next')", &[]);
    assert_eq!(is_next()?, json!(false));
    let notice = wait_for("nothing tells of the new version", PATIENCE, || {
        Ok(Some(page.session.text(NOTICE, &[])?).filter(|text| !text.is_empty()))
    })?;
    assert!(notice.starts_with("A new version is ready."), "{notice}");

    page.session.click(&page.session.element(".update button")?)?;
    wait_for("the new version is not taken", PATIENCE, || {
        Ok(is_next().is_ok_and(|now| now == json!(true)).then_some(()))
    })?;
    assert_eq!(page.stands()?.outputs, before.outputs, "a reload loses the scenario");
    assert_eq!(page.session.text(NOTICE, &[])?, "");
    let caches = "return caches.keys().then((names) => names.length)";
    wait_for("the old version is still kept", PATIENCE, || {
        Ok((page.session.script(caches, &[])? == json!(1)).then_some(()))
    })?;
    page.leave_quietly()
}

#[test]
fn an_embedded_page_keeps_nothing() -> Result<()> {
    // The page waits two seconds before it is cached; this script removes the delay.
    let address = address()?;
    let page = Page::open(BrowserKind::Chromium, &format!("{address}?embed=1"), HURRY)?;
    page.still()?;
    let found = "return navigator.serviceWorker.getRegistrations().then((all) => [all.length, localStorage.length,
        sessionStorage.length, performance.getEntriesByType('resource').filter(({ name }) => name.includes('worker.js')).length])";
    assert_eq!(page.session.script(found, &[])?, json!([0, 0, 0, 0]));
    page.leave_quietly()?;
    // The same page outside a frame is cached within that time.
    let page = Page::open(BrowserKind::Chromium, address, HURRY)?;
    page.still()?;
    wait_for("no worker keeps the page", PATIENCE, || Ok((page.session.text(KEPT, &[])? == "activated").then_some(())))
}

fn changed(file: &Path, old: &str, new: &str) -> Result<()> {
    let text = std::fs::read_to_string(file).with_context(|| format!("{} could not be read", file.display()))?;
    if text.matches(old).count() != 1 {
        bail!("{} has not one `{old}`.", file.display());
    }
    std::fs::write(file, text.replace(old, new)).with_context(|| format!("{} could not be written", file.display()))
}
