//! A whole task with the keyboard only: no pointer, and no focus set by script.

use anyhow::{Result, bail};
use e2e::Key;
use serde_json::json;

use crate::page::Page;

/// More presses of Tab than the page has tab stops.
const STOPS: usize = 400;

#[test]
fn a_run_is_planned_changed_undone_and_shared_by_keyboard() -> Result<()> {
    let page = Page::first_visit()?;
    let first = page.settled()?;

    // Another model: letters filter the list, Enter takes what fits best.
    tab_to(&page, "#change")?;
    page.session.press(Key::Enter, 1)?;
    tab_to(&page, "#fold-model > summary")?;
    page.session.press(Key::Enter, 1)?;
    tab_to(&page, "#model")?;
    page.session.type_text("llama3.1 8b")?;
    page.session.press(Key::Enter, 1)?;
    let named = page.wait_for("no letter chooses a model", |now| now.headline.starts_with("Llama 3.1 8B"))?;

    // A longer sequence with the slider's arrow keys, more memory as text.
    tab_to(&page, "input[type=range][aria-label='Sequence length']")?;
    page.session.press(Key::Right, 4)?;
    let longer = page.wait_for("arrows do not move the slider", |now| now.outputs[3] != named.outputs[3])?;
    tab_to(&page, "input[aria-label='GPU memory, typed']")?;
    page.session.control('a')?;
    page.session.type_text("80 GiB")?;
    page.session.press(Key::Enter, 1)?;
    page.wait_for("what is typed does not count", |now| now.outputs[3] != longer.outputs[3])?;

    // A place on the map.
    let before = page.settled()?;
    tab_to(&page, "canvas#map, #map canvas")?;
    page.session.press(Key::Left, 12)?;
    page.session.press(Key::Down, 6)?;
    page.session.press(Key::Enter, 1)?;
    page.wait_for("Enter on the map sets nothing", |now| now.outputs != before.outputs)?;
    page.settled()?;

    // Undone, and shared.
    page.session.control('z')?;
    page.wait_for("Control+Z does not undo", |now| now.outputs == before.outputs)?;
    tab_to(&page, "#copy-link")?;
    page.session.press(Key::Enter, 1)?;
    let address = page.address()?;
    let again = page.elsewhere(&address)?;
    let opened = again.settled()?;
    if opened.outputs != before.outputs || opened.outputs == first.outputs {
        bail!("The link {address} opens {opened:#?}, not {before:#?}.");
    }
    again.leave_quietly()
}

/// Presses Tab until the focus is on an element of this selector, and checks that a focus ring is
/// visible.
fn tab_to(page: &Page, selector: &str) -> Result<()> {
    let here = "const it = document.activeElement;
        return it?.matches(arguments[0]) ? getComputedStyle(it).outlineStyle : '';";
    for _ in 0..STOPS {
        page.session.press(Key::Tab, 1)?;
        match page.session.text(here, &[json!(selector)])?.as_str() {
            "" => {}
            "none" => bail!("The focus on `{selector}` does not show."),
            _ => return Ok(()),
        }
    }
    bail!("No Tab leads to `{selector}`.")
}
