//! Every slider updates the whole picture while it moves, by keyboard and by pointer.

use std::time::{Duration, Instant};

use anyhow::Result;
use e2e::{BrowserKind, Element, Key, wait_for};
use serde_json::json;

use crate::page::{PATIENCE, Page, SLIDERS, Sight};

/// Half the width of the thumb: a click on the track closer to its end lands on the edge of the
/// thumb.
const THUMB: f64 = 10.0;
/// Number of key presses: enough that another strategy starts or stops to fit.
const STROKES: usize = 40;

#[test]
fn the_first_visit_has_every_control_figure_and_plot() -> Result<()> {
    let page = Page::first_visit()?;
    for name in SLIDERS {
        page.slider(name)?;
        page.field(name)?;
    }
    for (tab, figure) in [("How fast", "canvas#curve"), ("Memory", "canvas#memory"), ("How fast", "canvas#map")] {
        page.tab(tab)?;
        page.in_view(figure)?;
    }
    let sight = page.look()?;
    assert!(!sight.headline.is_empty(), "the headline is empty: {sight:?}");
    page.leave_quietly()
}

#[test]
fn arrow_keys_on_every_slider_redraw_everything() -> Result<()> {
    for tab in ["How fast", "Memory"] {
        let page = Page::first_visit()?;
        page.tab(tab)?;
        arrow_keys(&page)?;
    }
    Ok(())
}

fn arrow_keys(page: &Page) -> Result<()> {
    for name in SLIDERS {
        let before = page.settled()?;
        let slider = page.slider(name)?;
        page.session.focus(&slider)?;
        // Of sequences so long that nothing fits, not every figure tells one from another.
        let longer = name == "Sequence length";
        let key = if fraction(page, &slider)? < 0.5 && !longer { Key::Right } else { Key::Left };
        page.session.press(key, STROKES)?;
        changed(page, name, &before)?;
    }
    page.leave_quietly()
}

#[test]
fn dragging_every_slider_redraws_everything_before_it_is_let_go() -> Result<()> {
    let page = Page::first_visit()?;
    for name in SLIDERS {
        let before = page.settled()?;
        let slider = page.slider(name)?;
        let width = page.number(&slider, "it.getBoundingClientRect().width")? - 2.0 * THUMB;
        let start = fraction(&page, &slider)?;
        let end = if start < 0.5 { start + 0.3 } else { start - 0.3 };
        let place = |fraction: f64| (((fraction - 0.5) * width).round() as i64, 0);
        page.session.drag(&slider, place(start), place(end))?;
        let during = changed(&page, name, &before)?;
        page.session.release()?;
        let after = page.settled()?;
        assert_eq!(during.outputs, after.outputs, "{name}: letting go changed the numbers");
    }
    page.leave_quietly()
}

/// Returns the position of the thumb, from 0 at the left to 1 at the right.
fn fraction(page: &Page, slider: &Element) -> Result<f64> {
    page.number(slider, "(it.value - it.min) / (it.max - it.min)")
}

/// Waits until text and the plot of the open tab have changed.
fn changed(page: &Page, name: &str, before: &Sight) -> Result<Sight> {
    let otherwise = format!("moving `{name}` did not change figures or headline, and the plot");
    page.wait_for(&otherwise, |now| {
        let words = now.outputs != before.outputs || now.headline != before.headline;
        words && (&now.map, &now.curve) != (&before.map, &before.curve) && now.is_drawn()
    })?;
    page.settled()
}

/// Moves a slider through its whole range, several times a frame, and ends at this position.
const RUSH: &str = "const slider = document.querySelector(`input[type=range][aria-label='${arguments[0]}']`);
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    return (async () => {
        for (let at = Number(slider.min); at < Number(slider.max); at += 1) {
            slider.value = at;
            slider.dispatchEvent(new InputEvent('input', { bubbles: true }));
            if (at % 3 === 0) await frame();
        }
        slider.value = arguments[1];
        slider.dispatchEvent(new InputEvent('input', { bubbles: true }));
        slider.dispatchEvent(new Event('change', { bubbles: true }));
        return true;
    })()";

#[test]
fn after_a_rush_of_events_the_figures_are_those_of_the_last() -> Result<()> {
    for kind in [BrowserKind::Chromium, BrowserKind::Firefox] {
        let page = Page::first_visit_in(kind)?;
        let before = page.settled()?;
        // The worker paints what the page has painted, to the pixel.
        wait_for("no worker paints", PATIENCE, || Ok(page.is_the_workers()?.then_some(())))?;
        assert_eq!(page.settled()?, before, "{kind:?}");
        let slider = page.slider("Sequence length")?;
        let here = page.ask(&slider, "it.value")?;
        let rush = |to: &str| page.session.script(RUSH, &[json!("Sequence length"), json!(to)]);
        rush("4")?;
        let there = page.wait_for("the figures do not follow", |now| now.headline != before.headline)?;
        assert!(there.is_drawn());
        assert_ne!(page.settled()?.map, before.map, "{kind:?}");
        rush(&here)?;
        page.wait_for("the figures are not those of the last value", |now| *now == before)?;
        assert_eq!(page.settled()?, before, "{kind:?}");
        page.leave_quietly()?;
    }
    Ok(())
}

#[test]
fn figures_are_read_and_captured_at_once_after_keys() -> Result<()> {
    // Firefox let who read a canvas of its worker wait for ten seconds.
    const AT_ONCE: Duration = Duration::from_secs(6);
    for kind in [BrowserKind::Chromium, BrowserKind::Firefox] {
        let page = Page::first_visit_in(kind)?;
        wait_for("no worker paints", PATIENCE, || Ok(page.is_the_workers()?.then_some(())))?;
        let slider = page.slider("Sequence length")?;
        page.session.focus(&slider)?;
        for key in [Key::Left, Key::Right].into_iter().cycle().take(20) {
            page.session.press(key, 10)?;
            let start = Instant::now();
            let sight = page.look()?;
            page.session.screenshot()?;
            let took = start.elapsed();
            assert!(sight.is_drawn() && took < AT_ONCE, "{kind:?}: {took:?}, {sight:?}");
        }
        page.leave_quietly()?;
    }
    Ok(())
}
