//! Getting around: by name, by section, past the controls; by keyboard alone.

use anyhow::{Context as _, Result, bail, ensure};
use e2e::{Key, wait_for};
use serde_json::Value;
use xtask::programs;

use crate::care::{AXE, sized};
use crate::page::{PATIENCE, Page};

/// The identifier, or the text, of the element with the focus.
const FOCUS: &str = "const it = document.activeElement; return it.id || it.textContent;";

fn focus_is(page: &Page, wanted: &str) -> Result<()> {
    let mut last = String::new();
    let outcome = wait_for("the focus goes elsewhere", PATIENCE, || {
        last = page.session.text(FOCUS, &[])?;
        Ok((last == wanted).then_some(()))
    });
    outcome.with_context(|| format!("It is on `{last}` rather than on `{wanted}`."))
}

fn find(page: &Page, name: &str) -> Result<()> {
    page.session.control('k')?;
    focus_is(page, "finder-field")?;
    page.session.type_text(name)?;
    page.session.press(Key::Enter, 1)
}

#[test]
fn control_k_takes_a_model_and_leads_to_controls_figures_and_explanations() -> Result<()> {
    let page = Page::first_visit()?;
    find(&page, "llama-3.1 8b")?;
    page.wait_for("no model is taken", |now| now.headline.starts_with("Llama 3.1 8B"))?;
    // In a fold that was closed, as are constants that are made once it is open.
    for (name, focused) in [("micro-batch size", "mbs"), ("all-reduce passes", "arpasses"), ("roofline of", "roofline")]
    {
        find(&page, name)?;
        focus_is(&page, focused)?;
    }
    find(&page, "hfu")?;
    focus_is(&page, "why")?;
    // Escape closes the dialog alone, and the focus goes back.
    page.session.control('k')?;
    focus_is(&page, "finder-field")?;
    page.session.press(Key::Escape, 1)?;
    focus_is(&page, "why")?;
    page.leave_quietly()
}

#[test]
fn the_skip_link_tabs_and_doors_move_the_focus_and_the_open_one_is_marked() -> Result<()> {
    let page = Page::first_visit()?;
    page.session.press(Key::Tab, 1)?;
    focus_is(&page, "Skip to the figures")?;
    page.session.press(Key::Enter, 1)?;
    focus_is(&page, "figure")?;
    // Arrow keys go from tab to tab, around both ends; the address follows.
    page.session.focus(&page.session.element("[role=tab][aria-selected=true]")?)?;
    for (key, tab, view) in [
        (Key::Right, "tab-best", "view=best"),
        (Key::Left, "tab-curve", ""),
        (Key::Left, "tab-agreement", "view=agreement"),
    ] {
        page.session.press(key, 1)?;
        focus_is(&page, tab)?;
        let marked = page.session.text("return document.querySelector('[aria-selected=true]').id", &[])?;
        ensure!(marked == tab, "{marked} is marked, not {tab}");
        wait_for("the address does not follow", PATIENCE, || {
            let address = page.address()?;
            Ok((if view.is_empty() { !address.contains("view=") } else { address.contains(view) }).then_some(()))
        })?;
    }
    for (door, shown) in [("Plan", "#plan"), ("My run", "#map")] {
        let press = format!(
            "[...document.querySelectorAll('.doors button')].find((it) => it.textContent === '{door}').click()"
        );
        page.session.script(&press, &[])?;
        page.in_view(shown)?;
        let marked = page.session.text("return document.querySelector('[aria-current=page]').textContent", &[])?;
        ensure!(marked == door, "{marked} is marked, not {door}");
    }
    page.leave_quietly()
}

#[test]
fn axe_finds_nothing_in_an_open_list_and_an_open_dialog() -> Result<()> {
    let axe = std::fs::read_to_string(programs::AXE.ensure()?).context("axe-core could not be read")?;
    let page = Page::first_visit()?;
    let mut complaints = Vec::new();
    page.session.script(&axe, &[])?;
    // The list of models is in the drawer.
    page.session.click(&page.in_view("#change")?)?;
    page.in_view("#fold-model > summary")?;
    page.session.script("document.getElementById('fold-model').open = true", &[])?;
    for open in ["document.getElementById('model').click()", "document.getElementById('find').click()"] {
        page.session.script(open, &[])?;
        page.still()?;
        let found = page.session.script(AXE, &[])?;
        complaints.extend(found.as_array().into_iter().flatten().map(Value::to_string));
    }
    if !complaints.is_empty() {
        bail!("axe finds {complaints:#?}");
    }
    page.leave_quietly()
}

#[test]
fn on_phones_controls_are_a_sheet_that_keeps_the_focus_and_gives_it_back() -> Result<()> {
    let axe = std::fs::read_to_string(programs::AXE.ensure()?).context("axe-core could not be read")?;
    let page = Page::first_visit()?;
    sized(&page, 375)?;
    page.settled()?;
    let change = page.in_view("#change")?;
    page.session.focus(&change)?;
    page.session.press(Key::Enter, 1)?;
    focus_is(&page, "controls")?;
    page.session.script(&axe, &[])?;
    let found = page.session.script(AXE, &[])?;
    ensure!(found.as_array().is_some_and(Vec::is_empty), "axe finds {found:#?}");
    let inside = "const it = document.activeElement; return String(it.id === 'change' || !!it.closest('#controls') || it.tagName === 'BODY')";
    for _ in 0..60 {
        page.session.press(Key::Tab, 1)?;
        ensure!(page.session.text(inside, &[])? == "true", "the focus leaves the sheet");
    }
    page.session.press(Key::Escape, 1)?;
    focus_is(&page, "change")?;
    // A control is found in the sheet.
    find(&page, "micro-batch size")?;
    focus_is(&page, "mbs")?;
    page.leave_quietly()
}
