//! Invalid input is explained, keeps the last valid picture, and loses no typed text.

use anyhow::Result;
use e2e::{Element, Key, wait_for};

use crate::page::{PATIENCE, Page};

/// Returns the texts of the elements that describe a field and hold its error.
const ERROR: &str = "(it.getAttribute('aria-describedby') ?? '').split(/\\s+/).filter((id) => id.endsWith('-error'))\
    .map((id) => document.getElementById(id)?.textContent.trim() ?? '').join(' ').trim()";

#[test]
fn abc_as_gpu_memory() -> Result<()> {
    refused("abc")
}

#[test]
fn minus_one_as_gpu_memory() -> Result<()> {
    refused("-1")
}

#[test]
fn far_too_much_gpu_memory() -> Result<()> {
    refused("1e99")
}

#[test]
fn zero_gpus() -> Result<()> {
    let page = Page::first_visit()?;
    let before = page.settled()?;
    let field = enter(&page, "GPUs", "0")?;
    error(&page, &field)?;
    assert_eq!(page.settled()?.outputs, before.outputs, "the last good figures are gone");
    page.leave_quietly()
}

#[test]
fn a_good_value_with_a_unit_is_understood() -> Result<()> {
    let page = Page::first_visit()?;
    let before = page.settled()?;
    let field = enter(&page, "GPU memory", "73 GiB")?;
    page.wait_for("73 GiB changes no figure", |now| now.outputs != before.outputs)?;
    assert_eq!(page.ask(&field, ERROR)?, "", "73 GiB is a good value");
    page.leave_quietly()
}

fn refused(typed: &str) -> Result<()> {
    let page = Page::first_visit()?;
    let before = page.settled()?;
    let field = enter(&page, "GPU memory", typed)?;
    let sentence = error(&page, &field)?;
    assert!(sentence.len() > 10, "`{sentence}` is no sentence");
    assert_eq!(page.ask(&field, "it.value")?, typed, "what was typed is gone");
    let after = page.settled()?;
    assert_eq!(after.outputs, before.outputs, "the last good figures are gone");
    assert_eq!(after.headline, before.headline, "the last good headline is gone");

    // The field is left without losing the text; then a valid value clears the error.
    page.session.press(Key::Tab, 1)?;
    assert_eq!(page.ask(&field, "it.value")?, typed, "what was typed is gone when the field is left");
    enter(&page, "GPU memory", "60 GiB")?;
    wait_for("the error stays after a good value", PATIENCE, || Ok(page.ask(&field, ERROR)?.is_empty().then_some(())))?;
    page.leave_quietly()
}

/// Replaces the text of the field with this name and presses Enter.
fn enter(page: &Page, name: &str, text: &str) -> Result<Element> {
    let field = page.field(name)?;
    page.session.focus(&field)?;
    page.session.type_text(text)?;
    page.session.press(Key::Enter, 1)?;
    Ok(field)
}

/// Waits for the error next to a field, and returns it.
fn error(page: &Page, field: &Element) -> Result<String> {
    wait_for("no error is shown beside the field", PATIENCE, || {
        Ok(Some(page.ask(field, ERROR)?).filter(|sentence| !sentence.is_empty()))
    })
}
