//! Difficult screens: a canvas that has lost its pixels, and a zoom of 400 %.

use anyhow::Result;
use e2e::session::{PICTURE, QUIET};
use e2e::wait_for;
use serde_json::json;

use crate::page::{PATIENCE, Page, STILL};

#[test]
fn a_canvas_that_is_restored_is_painted_again() -> Result<()> {
    for tab in ["How fast", "Memory × bandwidth", "Memory"] {
        restored(&Page::first_visit()?, tab)?;
    }
    Ok(())
}

fn restored(page: &Page, tab: &str) -> Result<()> {
    wait_for("no worker paints", PATIENCE, || Ok(page.is_the_workers()?.then_some(())))?;
    page.tab(tab)?;
    let before = page.settled()?;
    // The effect of a crash of the graphics process: the canvases are empty, then the event
    // follows.
    let lose = "const all = [...document.querySelectorAll('canvas')];
        for (const canvas of all) {
            canvas.getContext('2d').reset();
            canvas.dispatchEvent(new Event(arguments[0]));
        }
        return all.length";
    let painted = format!("{PICTURE} return ['memory', 'map', 'curve', 'best'].map((id) => picture(id) ?? '').join()");
    let memory = page.session.text(&painted, &[])?;
    assert!(memory.contains("drawn"), "{memory}");
    page.session.script(lose, &[json!("contextlost")])?;
    assert_ne!(page.session.text(&painted, &[])?, memory);
    page.session.script(lose, &[json!("contextrestored")])?;
    wait_for("the figures are not painted again", PATIENCE, || {
        Ok((page.session.text(&painted, &[])? == memory).then_some(()))
    })?;
    let after = page.settled()?;
    assert_eq!((after.map, after.curve), (before.map, before.curve));
    page.leave_quietly()
}

#[test]
fn at_400_percent_no_range_lies_under_its_button_and_nothing_stays_at_the_top_or_the_foot() -> Result<()> {
    let page = Page::first_visit()?;
    let screen = json!({ "width": 320, "height": 256, "deviceScaleFactor": 4, "mobile": false });
    page.session.devtools("Emulation.setDeviceMetricsOverride", &screen)?;
    page.settled()?;
    let overlapping = "const box = (element) => {
            const range = document.createRange();
            range.selectNodeContents(element);
            return range.getBoundingClientRect();
        };
        return [...document.querySelectorAll('.tile:has(.tile-band)')].filter((tile) => {
            const [band, why] = ['.tile-band', '.ask'].map((part) => box(tile.querySelector(part)));
            return band.right > why.left && band.bottom > why.top && band.top < why.bottom;
        }).map((tile) => tile.textContent);";
    assert_eq!(page.session.script(overlapping, &[])?, json!([]));
    // From the lowest line up, next to the button that opens the controls.
    let at_the_foot = "return [...Array(9).keys()].some((line) =>
        document.elementFromPoint(16, innerHeight - 1 - 8 * line)?.closest('.dock, .controls'))";
    assert_eq!(page.session.script(at_the_foot, &[])?, json!(false));
    page.session.click(&page.session.element(".change")?)?;
    page.in_view("input[type=range][aria-label='GPUs']")?;
    page.session.click(&page.session.element(".change")?)?;
    let at_the_top = "scrollTo({ top: 900, behavior: 'instant' });
        return still().then(() => document.querySelector('.slim')?.checkVisibility() ?? false)";
    assert_eq!(page.session.script(&format!("{QUIET} {STILL} {at_the_top}"), &[])?, json!(false));
    page.leave_quietly()
}
