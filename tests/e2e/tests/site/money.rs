//! Days and dollars on the first screen: the tile follows the sliders, leads to its controls, and
//! compares with what is pinned.

use anyhow::Result;
use e2e::{Key, wait_for};

use crate::page::{PATIENCE, Page};

/// Returns the figure of the tile.
const TILE: &str = "return document.querySelector(\"output[aria-label='Time and cost']\").textContent";
/// Returns the text under the price.
const PRICE: &str = "return [...document.querySelectorAll('.control:has(#price) .control-help')].at(-1).textContent";
/// Returns the differences in the tile.
const DELTAS: &str =
    "return [...document.querySelectorAll('.of-run .tile-delta')].map((it) => it.textContent).join('; ')";

#[test]
fn time_and_cost_follow_the_gpu_and_their_controls_are_one_button_away() -> Result<()> {
    let page = Page::with_fragment("#v=1&cluster=dgx-h100&model=llama-3.1-8b&gpus=64")?;
    page.settled()?;
    let before = page.session.text(TILE, &[])?;
    assert!(before.contains("days, $"), "{before}");
    page.session.click(&page.in_view(".word[title='Training tokens']")?)?;
    wait_for("the tokens have no focus", PATIENCE, || {
        Ok((page.session.text("return document.activeElement.id", &[])? == "tokens").then_some(()))
    })?;
    let price = page.session.text(PRICE, &[])?;
    // An old price has its age between date and end.
    assert!(
        price.starts_with("List price: Lambda, 8x H100 SXM, 2026-09-20") && price.ends_with(". Edit it."),
        "{price}"
    );

    page.session.click(&page.in_view("#pin")?)?;
    let slider = page.slider("GPUs")?;
    page.session.focus(&slider)?;
    page.session.press(Key::Right, 1)?;
    let deltas = wait_for("the tile does not compare", PATIENCE, || {
        let deltas = page.session.text(DELTAS, &[])?;
        Ok(deltas.contains("% cost vs A").then_some(deltas))
    })?;
    assert!(deltas.starts_with('−') && deltas.contains("% time, better"), "{deltas}");
    assert_ne!(page.session.text(TILE, &[])?, before);
    page.leave_quietly()
}
