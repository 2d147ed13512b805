//! The scenario's sentence, the steppers of the layout, corrections at their fields, and the
//! verdict that stays in sight.

use anyhow::{Context as _, Result, ensure};
use e2e::{Key, wait_for};
use serde_json::{Value, json};

use crate::page::{PATIENCE, Page};

/// Returns the identifier of the element with the focus.
const FOCUS: &str = "return document.activeElement.id";

#[test]
fn a_word_of_the_sentence_leads_to_its_control_and_opens_its_fold() -> Result<()> {
    let page = Page::with_fragment("#strategy=hybrid-shard&tp=2")?;
    let shown = "return document.querySelector('#shard') !== null";
    assert_eq!(page.session.script(shown, &[])?, json!(false));
    for (word, control) in
        [("Shard group size", "shard"), ("Activation checkpointing", "recompute"), ("Tensor parallel", "tp-more")]
    {
        page.session.click(&page.in_view(&format!("#scenario button[title='{word}']"))?)?;
        let there = format!("the word {word} does not lead to {control}");
        wait_for(&there, PATIENCE, || Ok((page.session.text(FOCUS, &[])? == control).then_some(()))).with_context(|| {
            let state = "return `${document.activeElement.tagName} ${document.activeElement.id}, open ${document.querySelector('#change').ariaExpanded}, there ${!!document.getElementById('shard')}`";
            page.session.text(state, &[]).unwrap_or_default()
        })?;
        let seen = "const box = document.activeElement.getBoundingClientRect();
            return document.activeElement.checkVisibility() && box.top >= 48 && box.bottom <= innerHeight";
        page.still()?;
        assert_eq!(page.session.script(seen, &[])?, json!(true), "{control} is out of sight");
    }
    page.leave_quietly()
}

#[test]
fn a_step_by_keyboard_keeps_the_batch_and_the_focus() -> Result<()> {
    let page = Page::with_fragment("#accum=2")?;
    page.session.click(&page.in_view("#change")?)?;
    page.in_view(".product")?;
    let product = "return document.querySelector('.product').textContent";
    let tokens = |said: &str| said.split('=').nth(1).unwrap_or_default().trim().to_owned();
    let before = tokens(&page.session.text(product, &[])?);
    let address = page.address()?;
    page.session.focus(&page.in_view("#tp-more")?)?;
    page.session.press(Key::Enter, 1)?;
    let link = page.address_after(&address)?;
    ensure!(link.contains("tp=2") && link.contains("accum=4"), "{link}");
    assert_eq!(tokens(&page.session.text(product, &[])?), before);
    assert_eq!(page.session.text(FOCUS, &[])?, "tp-more");
    // Where there is no higher value the button stays, and does nothing.
    let state = "return document.querySelector('#tp-more').getAttribute('aria-disabled')";
    wait_for("the steps never end", PATIENCE, || {
        page.session.press(Key::Enter, 1)?;
        Ok((page.session.script(state, &[])? == json!("true")).then_some(()))
    })?;
    assert_eq!(page.session.text(FOCUS, &[])?, "tp-more");
    page.leave_quietly()
}

#[test]
fn a_correction_stands_at_its_field_with_the_values_that_are_valid() -> Result<()> {
    let page = Page::with_fragment("#pp=5")?;
    page.session.click(&page.in_view("#change")?)?;
    page.in_view("#pp")?;
    page.session.script("document.querySelector('#pp').closest('details').open = true", &[])?;
    let field = page.field("Pipeline stages")?;
    let said = "document.getElementById(`${it.id.replace('-typed', '')}-error`).textContent";
    wait_for("no correction at the field", PATIENCE, || {
        Ok(page.ask(&field, said)?.contains("4 is used instead").then_some(()))
    })?;
    let address = page.address()?;
    let offers = "[...document.querySelectorAll('#pp-error button')].map((it) => it.textContent).join()";
    assert_eq!(page.ask(&field, offers)?, "Use 4,Use 8");
    page.session.click(&page.in_view("#pp-error button:last-of-type")?)?;
    let link = page.address_after(&address)?;
    ensure!(link.contains("pp=8"), "{link}");
    assert_eq!(page.ask(&field, said)?, "");
    assert_eq!(page.ask(&field, "it.value")?, "8");
    page.leave_quietly()
}

/// Says what the line at the top of the screen is: nothing, or its place, its text and what it
/// covers of the focus.
const SLIM: &str = "const line = document.querySelector('.slim'), box = line?.getBoundingClientRect();
    return line ? [box.top, box.height, line.innerText.replace(/\\s+/g, ' ')] : []";

#[test]
fn the_verdict_stays_in_sight_and_covers_no_focus() -> Result<()> {
    let page = Page::first_visit()?;
    for width in [1280, 375] {
        let size = json!({ "width": width, "height": 800, "deviceScaleFactor": 1, "mobile": false });
        page.session.devtools("Emulation.setDeviceMetricsOverride", &size)?;
        page.session.script("scrollTo({ top: 0, behavior: 'instant' })", &[])?;
        page.settled()?;
        assert_eq!(page.session.script(SLIM, &[])?, json!([]), "{width} px: the headline is in sight");
        let place = "return Math.round(document.querySelector('.desk').getBoundingClientRect().top + scrollY)";
        let before = page.session.script(place, &[])?;
        page.session.script("scrollTo({ top: 900, behavior: 'instant' })", &[])?;
        let line = wait_for("no verdict at the top", PATIENCE, || {
            Ok(Some(page.session.script(SLIM, &[])?).filter(|line| line != &json!([])))
        })?;
        assert_eq!(page.session.script(place, &[])?, before, "{width} px: the page jumps");
        ensure!(
            line.get(0) == Some(&json!(0)) && line.get(1).and_then(Value::as_f64) <= Some(48.0),
            "{width} px: {line}"
        );
        let text = line.get(2).and_then(Value::as_str).unwrap_or_default();
        for part in ["tight fit", "MFU", "Tokens/s/GPU", "Memory needed", "GiB", "Pin"] {
            ensure!(text.to_lowercase().contains(&part.to_lowercase()), "{width} px: no {part} in {text}");
        }
        // The keyboard goes up through what has scrolled away: nothing with the focus lies under
        // the line.
        page.session.focus(&page.in_view("#map-x")?)?;
        for _ in 0..12 {
            page.session.script("scrollBy({ top: 80, behavior: 'instant' })", &[])?;
            page.session.back_tab()?;
            page.still()?;
            let covered = "const line = document.querySelector('.slim'), it = document.activeElement;
                const box = it.getBoundingClientRect(), inside = line?.contains(it);
                return line && !inside && it !== document.body && box.top < 47 ? `${it.id} ${it.className} ${box.top}` : ''";
            assert_eq!(page.session.text(covered, &[])?, "", "{width} px");
        }
    }
    page.session.script("scrollTo({ top: 900, behavior: 'instant' })", &[])?;
    let address = page.address()?;
    let pin = wait_for("no verdict at the top", PATIENCE, || Ok(page.session.element(".slim button").ok()))?;
    page.session.click(&pin)?;
    ensure!(page.address_after(&address)?.contains("pin=1"));
    page.leave_quietly()
}

#[test]
fn escape_takes_back_what_was_typed_and_the_tab_names_the_scenario() -> Result<()> {
    let page = Page::first_visit()?;
    let field = page.field("GPUs")?;
    let before = page.settled()?;
    page.session.focus(&field)?;
    page.session.type_text("1e99")?;
    assert_eq!(page.settled()?.outputs, before.outputs, "a half of the text was taken for a value");
    page.session.press(Key::Escape, 1)?;
    page.settled()?;
    assert_eq!(page.ask(&field, "it.value")?, "64");
    let title = page.session.text("return document.title", &[])?;
    ensure!(title.starts_with("13B on 64 A100 40 GB at ") && title.ends_with(" is a tight fit · shardwise"), "{title}");
    page.leave_quietly()
}
