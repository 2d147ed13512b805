//! The card of a number opens by keyboard, follows the sliders, and returns the focus.

use anyhow::{Result, bail};
use e2e::{Key, wait_for};
use serde_json::json;

use crate::page::{PATIENCE, Page};

/// Returns the result of the card's first formula.
const RESULT: &str = "return (document.querySelector('#why .formula strong')?.textContent ?? '').replace('= ', '')";

/// Waits until the card's result equals the headline figure.
fn agrees(page: &Page) -> Result<String> {
    wait_for("the card does not say the tile's number", PATIENCE, || {
        let result = page.session.text(RESULT, &[])?;
        let tile = page.look()?.outputs[0].clone();
        Ok((!result.is_empty() && result == tile).then_some(result))
    })
}

#[test]
fn a_number_is_explained_by_keyboard_while_a_slider_moves() -> Result<()> {
    let page = Page::first_visit()?;
    let ask = page.in_view("#ask-mfu")?;
    page.session.focus(&ask)?;
    page.session.press(Key::Enter, 1)?;
    let before = agrees(&page)?;
    if !page.address()?.contains("why=mfu") {
        bail!("The link does not hold the card: {}", page.address()?);
    }
    let drawn = "return String(document.querySelector('#why math mfrac').getBoundingClientRect().height > 20
        && document.querySelector('#why math').namespaceURI.endsWith('MathML'))";
    if page.session.text(drawn, &[])? != "true" {
        bail!("The formula is not drawn as MathML.".to_owned());
    }

    let slider = page.slider("Sequence length")?;
    page.session.focus(&slider)?;
    page.session.press(Key::Left, 12)?;
    page.wait_for("the slider does not move the tile", |now| now.outputs[0] != before)?;
    page.settled()?;
    agrees(&page)?;

    // A term, and back to the number.
    let term = page.in_view("#why .term")?;
    page.session.focus(&term)?;
    page.session.press(Key::Enter, 1)?;
    let back = page.in_view("#why .back-to button")?;
    page.session.focus(&back)?;
    page.session.press(Key::Enter, 1)?;
    agrees(&page)?;
    page.session.press(Key::Escape, 1)?;
    wait_for("Escape does not close the card, or the focus is lost", PATIENCE, || {
        let focus = "return document.querySelector(arguments[0]) ? 'open' : document.activeElement.id";
        Ok((page.session.text(focus, &[json!("#why")])? == "ask-mfu").then_some(()))
    })?;
    page.leave_quietly()
}
