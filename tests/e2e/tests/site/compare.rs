//! A pinned scenario stays for comparison and is in the link; an example opens beside the scenario
//! it is compared with.

use anyhow::Result;
use e2e::{Key, wait_for};
use serde_json::json;

use crate::page::{PATIENCE, Page};

/// Returns the differences shown next to the headline figures.
const DELTAS: &str = "return [...document.querySelectorAll('.tile-delta')].map((it) => it.textContent).join('; ')";
/// Returns the columns of the pinned scenarios.
const PINS: &str = "return document.querySelector('.pins table')?.innerText.replace(/\\s+/g, ' ') ?? ''";

#[test]
fn a_pinned_scenario_is_compared_with_and_survives_its_link() -> Result<()> {
    let page = Page::first_visit()?;
    let address = page.address()?;
    page.session.click(&page.in_view("#pin")?)?;
    let pinned = page.address_after(&address)?;
    assert!(pinned.ends_with("&pin=1"), "{pinned}");
    let slider = page.slider("Link bandwidth")?;
    page.session.focus(&slider)?;
    page.session.press(Key::Left, 6)?;
    page.address_after(&pinned)?;
    let before = page.settled()?;
    let deltas = page.session.text(DELTAS, &[])?;
    assert!(deltas.contains("vs A") && deltas.contains('+') && deltas.contains('−'), "{deltas}");
    page.session.click(&page.in_view(".pin-chips > button")?)?;
    let pins = wait_for("nothing is compared", PATIENCE, || {
        Ok(Some(page.session.text(PINS, &[])?).filter(|pins| !pins.is_empty()))
    })?;
    assert!(pins.contains("200 Gbit/s") && pins.contains("This run"), "{pins}");
    let link = page.address()?;
    page.leave_quietly()?;

    let page = page.elsewhere(&link)?;
    assert_eq!(page.settled()?.outputs, before.outputs, "{link}");
    assert_eq!(page.session.text(DELTAS, &[])?, deltas, "{link}");
    assert_eq!(page.session.text(PINS, &[])?, pins, "{link}");

    page.session.click(&page.in_view("button[aria-label='Swap pinned scenario A']")?)?;
    page.wait_for("swapping changes no figure", |now| now.outputs != before.outputs)?;
    page.session.click(&page.in_view("button[aria-label='Remove pinned scenario A']")?)?;
    wait_for("the pin is still there", PATIENCE, || Ok(page.session.text(PINS, &[])?.is_empty().then_some(())))?;
    assert_eq!(page.session.text("return document.activeElement.id", &[])?, "pin");
    page.leave_quietly()
}

#[test]
fn an_example_opens_with_its_sentence_and_what_it_is_compared_to() -> Result<()> {
    let page = Page::first_visit()?;
    let address = page.address()?;
    let open = "return String(document.querySelectorAll('#gallery li').length)";
    page.session.click(&page.in_view("#examples")?)?;
    wait_for("no examples appear", PATIENCE, || Ok((page.session.text(open, &[])? != "0").then_some(())))?;
    page.session.press(Key::Escape, 1)?;
    wait_for("Escape closes nothing", PATIENCE, || Ok((page.session.text(open, &[])? == "0").then_some(())))?;

    page.session.click(&page.in_view("#examples")?)?;
    let close = wait_for("no button closes the examples", PATIENCE, || {
        Ok((page.session.text(open, &[])? != "0").then_some("#gallery .close"))
    })?;
    let cited = "return document.querySelector(\"#gallery .source a[href='https://arxiv.org/abs/2304.11277']\")?.textContent ?? ''";
    assert_eq!(page.session.text(cited, &[])?, "arXiv 2304.11277");
    let beside = "return document.querySelector('#gallery .beside')?.textContent ?? ''";
    assert!(page.session.text(beside, &[])?.contains(" · here: "));
    page.session.click(&page.in_view(close)?)?;
    wait_for("Close closes nothing", PATIENCE, || Ok((page.session.text(open, &[])? == "0").then_some(())))?;

    page.session.click(&page.in_view("#examples")?)?;
    let card = wait_for("no examples appear", PATIENCE, || {
        Ok((page.session.text(open, &[])? != "0").then_some("#gallery a[href*='curve=gpus']"))
    })?;
    page.session.click(&page.in_view(card)?)?;
    let link = page.address_after(&address)?;
    assert!(link.contains("&pin=1&gpus=64"), "{link}");
    let sentence = "return document.querySelector('.example')?.textContent ?? ''";
    assert!(page.session.text(sentence, &[])?.contains("Near-linear"));
    wait_for("the link holds no view", PATIENCE, || Ok(page.address()?.contains("curve=gpus").then_some(())))?;
    assert_eq!(page.session.script("return document.activeElement.id", &[])?, json!("examples"));
    page.leave_quietly()
}
