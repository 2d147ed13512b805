//! The search for the best layout starts when its table comes into view and finishes; a click
//! applies a row.

use anyhow::Result;
use e2e::wait_for;
use serde_json::json;

use crate::page::{PATIENCE, Page};

/// Returns the caption.
const CAPTION: &str = "return document.querySelector('#ranking .caption').textContent";

/// Returns the step times of the rows, as shown.
const TIMES: &str = "return [...document.querySelectorAll('#ranking tbody tr')].map((row) => row.cells[4].textContent)";

/// Clicks the first row.
const TAKE: &str = "document.querySelector('#ranking tbody button').click()";

#[test]
fn layouts_are_ranked_and_the_first_can_be_taken() -> Result<()> {
    let page = Page::with_fragment("?view=ranking#v=1&recompute=full")?;
    let before = page.settled()?;
    page.in_view("#ranking")?;
    let ranked = || -> Result<String> {
        wait_for("the search does not end", PATIENCE, || {
            let caption = page.session.text(CAPTION, &[])?;
            Ok(caption.contains(") are valid and fit").then_some(caption))
        })
    };
    let caption = ranked()?;
    assert!(caption.contains(" faster than yours ("), "{caption}");
    let times = page.session.script(TIMES, &[])?;
    assert!(times.as_array().is_some_and(|times| times.len() > 3), "{times}");

    page.session.script(TAKE, &[])?;
    page.wait_for("taking a layout leaves the headline as it was", |now| now.headline != before.headline)?;
    wait_for("the ranking does not follow", PATIENCE, || {
        Ok(page.session.text(CAPTION, &[])?.contains("none is more than 1").then_some(()))
    })?;
    let pressed = "return document.querySelector('#ranking tbody button').getAttribute('aria-pressed')";
    assert_eq!(page.session.script(pressed, &[])?, json!("true"));
    page.leave_quietly()
}
