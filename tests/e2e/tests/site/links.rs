//! A link reproduces what is on screen. A damaged link is explained, and its readable parts apply.

use anyhow::{Context as _, Result};
use e2e::{Key, wait_for};
use serde_json::json;

use crate::page::{PATIENCE, Page, SLIDERS, Sight};

#[test]
fn a_copied_link_opens_with_the_same_figures() -> Result<()> {
    let page = Page::first_visit()?;
    let sight = move_sliders(&page, &SLIDERS)?;
    let origin = page.session.text("return location.origin", &[])?;
    let permissions = json!({ "origin": origin, "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"] });
    page.session.devtools("Browser.grantPermissions", &permissions)?;
    page.session.devtools("Emulation.setFocusEmulationEnabled", &json!({ "enabled": true }))?;

    let find = "[...document.querySelectorAll('button')]
        .findIndex((button) => (button.getAttribute('aria-label') ?? button.textContent).trim() === 'Copy link')";
    let mark = format!("document.querySelectorAll('button')[{find}]?.setAttribute('data-test', 'copy')");
    page.session.script(&mark, &[])?;
    let button = page.in_view("button[data-test=copy]")?;
    page.session.click(&button)?;
    let link = wait_for("the clipboard holds no link", PATIENCE, || {
        let text = page.session.text("return navigator.clipboard.readText()", &[])?;
        Ok(Some(text).filter(|text| text.contains('#')))
    })?;
    assert!(link.starts_with(&origin), "`{link}` does not lead here");
    page.leave_quietly()?;

    let page = page.elsewhere(&link)?;
    let opened = page.settled()?;
    assert_eq!(opened.outputs, sight.outputs, "`{link}` has other figures");
    assert_eq!(opened.headline, sight.headline, "`{link}` has another headline");
    page.leave_quietly()
}

#[test]
fn back_and_forward_restore_the_figures() -> Result<()> {
    let page = Page::first_visit()?;
    let first = move_sliders(&page, &["GPU memory"])?;
    let fragment = page.session.text("return location.hash", &[])?;
    let second = move_sliders(&page, &["GPU memory", "Sequence length"])?;
    assert_ne!(first.outputs, second.outputs, "the sliders changed nothing");

    page.session.script("location.hash = arguments[0]", &[json!(fragment)])?;
    page.wait_for("a link followed on the page shows other figures", |now| now.outputs == first.outputs)?;
    page.session.back()?;
    page.wait_for("back does not restore the figures", |now| now.outputs == second.outputs)?;
    page.session.forward()?;
    page.wait_for("forward does not restore the figures", |now| now.outputs == first.outputs)?;
    page.leave_quietly()
}

#[test]
fn a_link_cut_in_half_still_opens() -> Result<()> {
    let fragment = rich_fragment()?;
    let half = fragment.get(..fragment.len() / 2).context("The fragment is not ASCII")?;
    let page = Page::with_fragment(half)?;
    move_sliders(&page, &["Link bandwidth"])?;
    page.leave_quietly()?;

    // A link cut inside a key cannot be read, and the page shows this.
    let (whole, _) = fragment.rsplit_once('=').context("The fragment has no pairs")?;
    let page = Page::with_fragment(whole)?;
    banner(&page, 1)?;
    page.leave_quietly()
}

#[test]
fn a_link_with_three_broken_keys_names_each() -> Result<()> {
    let fragment = rich_fragment()?;
    let mut pairs: Vec<String> = fragment.split('&').map(str::to_owned).collect();
    for pair in pairs.iter_mut().rev().take(3) {
        let key = pair.split('=').next().unwrap_or_default();
        *pair = format!("{key}=zzz");
    }
    let page = Page::with_fragment(&pairs.join("&"))?;
    let text = banner(&page, 3)?;
    assert_eq!(text.matches("zzz").count(), 3, "the banner does not quote what is broken: {text}");
    move_sliders(&page, &["GPU memory"])?;
    page.leave_quietly()
}

/// Returns the fragment after all five sliders have moved: `#v=1&...`, at least five pairs.
fn rich_fragment() -> Result<String> {
    let page = Page::first_visit()?;
    move_sliders(&page, &SLIDERS)?;
    page.session.text("return location.hash", &[])
}

/// Moves each of these sliders a little, and waits for the link and the figures to follow.
fn move_sliders(page: &Page, names: &[&str]) -> Result<Sight> {
    for name in names {
        let before = page.address()?;
        let slider = page.slider(name)?;
        page.session.focus(&slider)?;
        let low = page.number(&slider, "(it.value - it.min) / (it.max - it.min)")? < 0.5;
        page.session.press(if low { Key::Right } else { Key::Left }, 4)?;
        page.address_after(&before)?;
    }
    page.settled()
}

/// Waits until the banner lists at least this many problems, and returns its text.
fn banner(page: &Page, problems: usize) -> Result<String> {
    let script = "const banner = document.querySelector('#banner[role=alert]');
        return banner && banner.querySelectorAll('li').length >= arguments[0] ? banner.textContent : ''";
    wait_for(&format!("the banner does not list {problems} problem(s)"), PATIENCE, || {
        Ok(Some(page.session.text(script, &[json!(problems)])?).filter(|text| !text.is_empty()))
    })
}

#[test]
fn a_pasted_config_is_named_and_its_link_opens_it() -> Result<()> {
    let config = include_str!("../../../configs/mixtral-8x7b.json");
    let page = Page::first_visit()?;
    let before = page.settled()?;
    let address = page.address()?;
    let button = page.in_view("#bring-door")?;
    page.session.click(&button)?;
    // A truncated config is explained and changes nothing.
    let paste = "const area = document.getElementById('config');
        area.value = arguments[0];
        area.dispatchEvent(new InputEvent('input', { bubbles: true, inputType: 'insertFromPaste' }));";
    page.session.script(paste, &[json!(config.get(..100))])?;
    wait_for("half a config gets no sentence", PATIENCE, || {
        let said = page.session.text("return document.querySelector('.bring [role=alert]')?.textContent ?? ''", &[])?;
        Ok(said.contains("not JSON").then_some(()))
    })?;
    assert_eq!(page.settled()?.outputs, before.outputs, "half a config changed the figures");
    page.session.script(paste, &[json!(config)])?;
    // Nobody chose the GPUs on screen: they are asked for, and kept.
    let keep =
        "const all = [...document.querySelectorAll('.question button')]; all.at(-1)?.click(); return all.length > 0";
    wait_for("no GPUs are asked for", PATIENCE, || Ok((page.session.script(keep, &[])? == json!(true)).then_some(())))?;
    page.wait_for("the headline does not name the import", |now| now.headline.starts_with("Mixtral 8x7B on "))?;
    let said =
        page.session.text("return document.querySelector('.bring-said [role=status]')?.textContent ?? ''", &[])?;
    assert_eq!(said, "MixtralForCausalLM is Mixtral 8x7B of the catalog: 32 layers, 46.7B parameters, 12.9B active.");
    let sight = page.settled()?;
    let link = page.address_after(&address)?;
    page.leave_quietly()?;

    let page = page.elsewhere(&link)?;
    let opened = page.settled()?;
    assert_eq!((opened.outputs, opened.headline), (sight.outputs, sight.headline), "`{link}` is another model");
    page.leave_quietly()
}
