//! The published rows are loaded when their figure comes into view, and each row opens as a
//! scenario.

use anyhow::Result;
use e2e::{Key, wait_for};

use crate::page::{PATIENCE, Page};

/// Returns the number of rows in the figure's caption; empty before they are loaded.
const COUNTED: &str = "
    const caption = document.querySelector('#agreement').closest('figure').querySelector('.caption').textContent;
    return caption.match(/^([0-9,]+) published step times: median error/)?.[1].replace(',', '') ?? ''";

#[test]
fn rows_come_when_their_figure_does_and_enter_loads_one_as_the_scenario() -> Result<()> {
    let page = Page::first_visit()?;
    page.tab("Accuracy")?;
    let before = page.settled()?;
    let figure = page.in_view("canvas#agreement")?;
    let rows = wait_for("the published rows do not come", PATIENCE, || {
        Ok(page.session.text(COUNTED, &[])?.parse::<u32>().ok())
    })?;
    assert!(rows > 2000, "{rows} rows");

    page.session.focus(&figure)?;
    page.session.press(Key::Right, 1)?;
    page.session.press(Key::Enter, 1)?;
    page.wait_for("Enter on a row leaves the headline as it was", |now| now.headline != before.headline)?;
    page.leave_quietly()
}
