//! The page in Chromium, Firefox and WebKit: it starts, follows a slider and a typed value, and
//! explains a number without errors. The tests also check that a violation would be noticed.

use anyhow::{Context as _, Result};
use e2e::files::FileServer;
use e2e::{BrowserKind, Key, wait_for};
use tempfile::tempdir;

use crate::page::{PATIENCE, Page, WITNESS, copy_of_the_site};

#[test]
fn the_page_works_in_chromium() -> Result<()> {
    works(&Page::first_visit_in(BrowserKind::Chromium)?)
}

#[test]
fn the_page_works_in_firefox() -> Result<()> {
    works(&Page::first_visit_in(BrowserKind::Firefox)?)
}

#[test]
#[cfg(target_os = "linux")]
#[ignore = "nightly: needs WebKitGTK"]
fn the_page_works_in_webkit() -> Result<()> {
    // WebKit's driver cannot inject a script, so a copy of the page loads it.
    let folder = tempdir()?;
    copy_of_the_site(folder.path())?;
    let index = folder.path().join("index.html");
    let page = std::fs::read_to_string(&index)?;
    let (head, rest) = page.split_once("<script").context("The page has no script")?;
    std::fs::write(&index, format!("{head}<script src=\"witness.js\"></script><script{rest}"))?;
    std::fs::write(folder.path().join("witness.js"), WITNESS)?;
    let server = FileServer::start(folder.path(), "/some/sub/path/")?;
    works(&Page::open(BrowserKind::Webkit, server.url(), "")?)
}

fn works(page: &Page) -> Result<()> {
    let before = page.settled()?;
    let slider = page.slider("Link bandwidth")?;
    page.session.focus(&slider)?;
    page.session.press(Key::Left, 20)?;
    page.wait_for("the slider does not change headline, figures and plots", |now| {
        now.headline != before.headline && now.outputs != before.outputs && now.map != before.map && now.is_drawn()
    })?;
    let moved = page.settled()?;
    let field = page.field("GPU memory")?;
    page.session.focus(&field)?;
    page.session.type_text("80 GiB")?;
    page.session.press(Key::Enter, 1)?;
    page.wait_for("a typed value does not change the memory needed", |now| now.outputs[3] != moved.outputs[3])?;
    let ask = page.in_view("#ask-mfu")?;
    page.session.focus(&ask)?;
    page.session.press(Key::Enter, 1)?;
    let card = "return document.querySelector('#why .formula strong')?.textContent ?? ''";
    wait_for("no card explains the MFU", PATIENCE, || {
        let result = page.session.text(card, &[])?.replace("= ", "");
        Ok((result == page.look()?.outputs[0]).then_some(()))
    })?;
    page.leave_quietly()
}

#[test]
fn firefox_tells_of_a_breach_of_the_content_policy_and_of_an_error() -> Result<()> {
    let page = Page::first_visit_in(BrowserKind::Firefox)?;
    page.leave_quietly()?;
    let breach = "const script = document.createElement('script');
        script.textContent = 'window.breached = true';
        document.body.append(script);
        setTimeout(() => { throw new Error('nobody expects this'); });
        return String(window.breached)";
    assert_eq!(page.session.text(breach, &[])?, "undefined");
    let mut said = Vec::new();
    wait_for("the console says nothing of a breach and an error", PATIENCE, || {
        said.extend(page.session.console()?.into_iter().filter(|(level, _)| level == "SEVERE"));
        let told = |words: &str| said.iter().any(|(_, message)| message.contains(words));
        Ok((told("Content-Security-Policy") && told("nobody expects this")).then_some(()))
    })?;
    let witnessed = page.session.text("return window.witness.join('; ')", &[])?;
    assert!(witnessed.contains("the policy forbids script-src"), "{witnessed}");
    Ok(())
}
