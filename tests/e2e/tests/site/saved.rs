//! Saved figures link back to the scenario on screen, and a file that cannot be made is explained.

use anyhow::Result;
use e2e::{BrowserKind, wait_for};
use links::{carried, decode};
use serde_json::json;

use crate::page::{PATIENCE, Page, address};

/// Records the files that the page saves, with their names, instead of saving them.
const KEEP: &str = "window.files = [];
    const make = URL.createObjectURL.bind(URL);
    let last;
    URL.createObjectURL = (blob) => make(last = blob);
    HTMLAnchorElement.prototype.click = function () { window.files.push(new File([last], this.download)); };";
/// Moves the slider of the GPUs and waits for the next picture; returns the number of GPUs.
const MOVE: &str = "const slider = document.querySelector(\"input[type=range][aria-label='GPUs']\");
    slider.value = Number(slider.value) + 3;
    slider.dispatchEvent(new Event('input', { bubbles: true }));
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    return (async () => {
        await frame();
        await frame();
        for (const save of arguments) document.querySelector(`button[aria-label='${save}']`).click();
        return document.querySelector(\"input[aria-label='GPUs, typed']\").value;
    })();";
/// Returns the text of a recorded file, by index.
const TEXT: &str = "return window.files[arguments[0]].text()";
const NAMES: &str = "return window.files.map((file) => file.name).join(' ')";

/// Waits for this many files, and returns their names.
fn names(page: &Page, count: usize) -> Result<String> {
    wait_for("a file is not made", PATIENCE, || {
        Ok((page.session.script("return window.files.length", &[])? == json!(count)).then_some(()))
    })?;
    page.session.text(NAMES, &[])
}

#[test]
fn a_figure_saved_in_an_embed_leads_to_the_scenario_on_screen() -> Result<()> {
    let site = format!("{}?embed=1&view=verdict.map.curve#v=1&gpus=64", address()?);
    let page = Page::open(BrowserKind::Chromium, &site, KEEP)?;
    let before = page.settled()?;
    let gpus = page.session.text(MOVE, &[])?;
    page.wait_for("the slider changes nothing", |now| now.outputs != before.outputs)?;
    page.settled()?;
    // An embed has no room for the buttons, but a script can still click them.
    for save in ["Save map as SVG", "Save map as CSV", "Save curve as SVG"] {
        page.session
            .script("document.querySelector(`button[aria-label='${arguments[0]}']`).click()", &[json!(save)])?;
    }
    let stem = |figure: &str| format!("shardwise-{figure}-13b-{gpus}x-a100-40gb");
    assert_eq!(names(&page, 3)?, format!("{0}.svg {0}.csv {1}.svg", stem("map"), stem("curve")));
    // The link equals the embed's own link to the page.
    let own = page.session.text("return document.querySelector('.away a').href", &[])?;
    let svg = page.session.text(TEXT, &[json!(0)])?;
    assert_eq!(carried::link_in_svg(&svg).as_deref(), Some(own.as_str()));
    let csv = page.session.text(TEXT, &[json!(1)])?;
    assert_eq!(carried::link_in_text(&csv), Some(own.as_str()));
    let fragment = own.split_once('#').map_or("", |(_, fragment)| fragment);
    assert_eq!(decode(fragment).scenario.gpus.to_string(), gpus);
    assert!(own.contains("?view=verdict.map.curve#") && !own.contains("embed=1"), "{own}");
    page.leave_quietly()
}

#[test]
fn a_figure_saved_in_the_middle_of_a_gesture_leads_to_the_scenario_that_it_shows() -> Result<()> {
    let page = Page::with_script(KEEP)?;
    let gpus = page.session.text(MOVE, &[json!("Save map as CSV")])?;
    assert_eq!(names(&page, 1)?, format!("shardwise-map-13b-{gpus}x-a100-40gb.csv"));
    let csv = page.session.text(TEXT, &[json!(0)])?;
    let link = carried::link_in_text(&csv).unwrap_or_default();
    let fragment = link.split_once('#').map_or("", |(_, fragment)| fragment);
    assert_eq!(decode(fragment).scenario.gpus.to_string(), gpus, "{link}");
    page.leave_quietly()
}

#[test]
fn a_picture_that_the_browser_does_not_make_is_told_of() -> Result<()> {
    let none = "HTMLCanvasElement.prototype.toBlob = (then) => setTimeout(() => then(null))";
    let page = Page::with_script(&format!("{KEEP}\n{none}"))?;
    let alert = "return document.querySelector('.save [role=alert]')?.textContent ?? ''";
    assert_eq!(page.session.text(alert, &[])?, "");
    page.session.click(&page.in_view("button[aria-label='Save map as PNG']")?)?;
    let said = wait_for("nothing is said of the picture", PATIENCE, || {
        Ok(Some(page.session.text(alert, &[])?).filter(|said| !said.is_empty()))
    })?;
    assert_eq!(said, "The browser could not make this PNG. SVG and CSV hold the same figure.");
    // Another kind of file can be made, and the sentence disappears.
    page.session.click(&page.in_view("button[aria-label='Save map as SVG']")?)?;
    names(&page, 1)?;
    assert_eq!(page.session.text(alert, &[])?, "");

    page.session.click(&page.in_view("#share")?)?;
    let press = "[...document.querySelectorAll('#share-menu button')]
        .find((button) => button.textContent.startsWith('PNG')).click()";
    page.session.script(press, &[])?;
    let in_menu = "return document.querySelector('.share-said')?.textContent ?? ''";
    wait_for("the menu says nothing of the picture", PATIENCE, || {
        Ok((page.session.text(in_menu, &[])? == said).then_some(()))
    })?;
    page.leave_quietly()
}
