//! Shared content leads back to its scenario: the menu by keyboard, code for a documentation page,
//! files dropped on the page again.

use anyhow::Result;
use e2e::{Key, wait_for};
use engine::json::pretty;
use export::report_json::report_json;
use links::decode;
use serde_json::json;

use crate::page::{PATIENCE, Page};

/// Records the files that the page saves, with their names, instead of saving them.
const KEEP: &str = "window.files = [];
    const make = URL.createObjectURL.bind(URL);
    let last;
    URL.createObjectURL = (blob) => make(last = blob);
    HTMLAnchorElement.prototype.click = function () { window.files.push(new File([last], this.download)); };";
/// Drops a recorded file, by index.
const DROP: &str = "const transfer = new DataTransfer();
    transfer.items.add(window.files[arguments[0]]);
    document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }));";
/// Returns the menu's text, or an empty text.
const MENU: &str = "return document.getElementById('share-menu')?.textContent ?? ''";

fn open_menu(page: &Page) -> Result<()> {
    let button = page.in_view("#share")?;
    page.session.focus(&button)?;
    page.session.press(Key::Enter, 1)?;
    wait_for("no menu appears", PATIENCE, || Ok((!page.session.text(MENU, &[])?.is_empty()).then_some(())))
}

fn closed(page: &Page, what: &str) -> Result<()> {
    wait_for(what, PATIENCE, || Ok(page.session.text(MENU, &[])?.is_empty().then_some(())))
}

/// Clicks a button of the open menu, by name.
fn press(page: &Page, name: &str) -> Result<()> {
    let mark = "[...document.querySelectorAll('#share-menu button')].forEach((button) =>
        button.toggleAttribute('data-test', button.textContent === arguments[0]))";
    page.session.script(mark, &[json!(name)])?;
    page.session.click(&page.session.element("#share-menu button[data-test]")?)
}

#[test]
fn the_menu_works_by_keyboard_and_copies_code_for_a_page_of_documentation() -> Result<()> {
    let page = Page::first_visit()?;
    let origin = page.session.text("return location.origin", &[])?;
    let permissions = json!({ "origin": origin, "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"] });
    page.session.devtools("Browser.grantPermissions", &permissions)?;
    page.session.devtools("Emulation.setFocusEmulationEnabled", &json!({ "enabled": true }))?;

    open_menu(&page)?;
    let focused = "return document.activeElement.id || document.activeElement.textContent";
    page.session.press(Key::Tab, 1)?;
    assert_eq!(page.session.text(focused, &[])?, "Markdown link");
    page.session.press(Key::Escape, 1)?;
    closed(&page, "Escape closes nothing")?;
    assert_eq!(page.session.text(focused, &[])?, "share");

    open_menu(&page)?;
    let choose = "const view = document.getElementById('share-view');
        view.value = 'map';
        view.dispatchEvent(new Event('change', { bubbles: true }));";
    page.session.script(choose, &[])?;
    press(&page, "Embed code")?;
    let code = wait_for("the clipboard holds no code", PATIENCE, || {
        let text = page.session.text("return navigator.clipboard.readText()", &[])?;
        Ok(Some(text).filter(|text| text.starts_with("<a href")))
    })?;
    let folder = page.session.text("return new URL('.', location.href).href", &[])?;
    assert!(code.starts_with(&format!("<a href=\"{folder}?view=map#v=1")), "{code}");
    assert!(code.ends_with(&format!("<script src=\"{folder}static/embed.js\" defer></script>\n")), "{code}");
    wait_for("the menu does not say so", PATIENCE, || {
        Ok(page.session.text(MENU, &[])?.contains("Embed code copied.").then_some(()))
    })?;

    // A click elsewhere closes the menu.
    page.session.click(&page.session.element("#headline")?)?;
    closed(&page, "a press elsewhere closes nothing")?;
    page.leave_quietly()
}

#[test]
fn a_saved_file_that_is_dropped_brings_the_scenario_and_its_pins_back() -> Result<()> {
    let page = Page::with_script(KEEP)?;
    page.session.script("location.hash = 'v=1&seq=8192&gpus=128&pin=1&gpus=64'", &[])?;
    let link = wait_for("the link is not followed", PATIENCE, || {
        Ok(Some(page.session.text("return location.hash", &[])?).filter(|hash| hash.contains("pin=1")))
    })?;
    let shared = page.settled()?;

    open_menu(&page)?;
    for (place, name) in
        ["SVG picture", "PNG picture (2×)", "CSV of all numbers", "JSON report"].into_iter().enumerate()
    {
        press(&page, name)?;
        wait_for("no file is made", PATIENCE, || {
            Ok((page.session.script("return window.files.length", &[])? == json!(place + 1)).then_some(()))
        })?;
    }
    let names = page.session.text("return window.files.map((file) => file.name).join(' ')", &[])?;
    let stem = "shardwise-summary-13b-128x-a100-40gb";
    assert_eq!(names, format!("{stem}.svg {stem}.png {stem}.csv {stem}.json"));
    // The report that the example prints in a terminal, which has no pins.
    let scenario = decode(&link).scenario;
    let report = pretty(&report_json(&scenario, &scenario.report(), &[]));
    page.session.script("window.files.push(new File([arguments[0]], 'estimate.json'))", &[json!(report)])?;
    page.session.press(Key::Escape, 1)?;

    for place in 0..5 {
        page.session.script("location.hash = 'v=1&gpus=8'", &[])?;
        let before = page.wait_for("another link shows the same", |now| now.outputs != shared.outputs)?;
        page.session.script(DROP, &[json!(place)])?;
        page.wait_for("a dropped file brings nothing back", |now| now.outputs == shared.outputs)?;
        let whole = if place < 4 { link.as_str() } else { "#v=1&seq=8192&gpus=128" };
        wait_for("the link is not the one that was saved", PATIENCE, || {
            Ok((page.session.text("return location.hash", &[])? == whole).then_some(()))
        })?;
        if place == 0 {
            page.session.control('z')?;
            page.wait_for("undo keeps what was dropped", |now| now.outputs == before.outputs)?;
        }
    }

    // A picture from elsewhere is recognised as such, and changes nothing.
    page.session.script("window.files.push(new File(['<svg/>'], 'other.svg'))", &[])?;
    page.session.script(DROP, &[json!(5)])?;
    let said = wait_for("nothing is said of a picture without a link", PATIENCE, || {
        let text = page.session.text("return document.querySelector('.bring [role=alert]')?.textContent ?? ''", &[])?;
        Ok(Some(text).filter(|text| !text.is_empty()))
    })?;
    assert!(said.starts_with("“other.svg”: This picture holds no link"), "{said}");
    assert_eq!(page.settled()?.outputs, shared.outputs);
    page.leave_quietly()
}
