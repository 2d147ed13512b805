//! Plans are searched in workers: the page answers meanwhile, a search ends where it is stopped,
//! and a row becomes the scenario.

use std::time::{Duration, Instant};

use anyhow::Result;
use e2e::wait_for;

use crate::page::Page;

/// The longest that a search of plans may take on a loaded machine: 8 s on two idle cores.
const SEARCH: Duration = Duration::from_secs(60);

const DENSE: &str = "#v=1&cluster=dgx-h100&model=llama-3.1-8b&gpus=64&accum=8&tokens=1T";
const MIXTURE: &str = "#v=1&cluster=dgx-h100&model=deepseek-v3&gpus=2048&accum=8&tokens=1T";

/// Returns the text above the table.
const CAPTION: &str = "return document.querySelector('#plan .caption').textContent";

/// Opens the door of plans.
const DOOR: &str = "[...document.querySelectorAll('.doors button')].find((it) => it.textContent === 'Plan').click()";

/// Asks the second question, the cheapest by a deadline.
const ASK: &str = "const ask = document.getElementById('plan-question'); ask.selectedIndex = 1; \
    ask.dispatchEvent(new Event('change', { bubbles: true }));";

fn caption(page: &Page, until: &str) -> Result<String> {
    wait_for("the search does not get there", SEARCH, || {
        let caption = page.session.text(CAPTION, &[])?;
        Ok(caption.contains(until).then_some(caption))
    })
}

#[test]
fn the_cheapest_cluster_is_found_and_can_be_taken() -> Result<()> {
    let page = Page::with_fragment(DENSE)?;
    let before = page.settled()?;
    let start = Instant::now();
    page.session.script(DOOR, &[])?;
    page.in_view("#plan")?;
    caption(&page, "were evaluated")?;
    println!("The first plan took {:.2} s.", start.elapsed().as_secs_f64());
    page.session.script(ASK, &[])?;
    let said = caption(&page, "Within 30 days the cheapest is ")?;
    assert!(said.contains(" GPUs: $"), "{said}");
    page.session.script("document.querySelector('#plan tbody button').click()", &[])?;
    page.wait_for("taking an answer leaves the headline as it was", |now| now.headline != before.headline)?;
    page.leave_quietly()
}

#[test]
fn a_search_can_be_stopped_and_begun_again() -> Result<()> {
    let page = Page::with_fragment(MIXTURE)?;
    page.settled()?;
    page.session.script(DOOR, &[])?;
    page.in_view("#plan")?;
    caption(&page, "Searching: ")?;
    let press = "document.querySelector('#plan .under-way button').click()";
    page.session.script(press, &[])?;
    caption(&page, "The search was stopped.")?;
    page.session.script(press, &[])?;
    caption(&page, "Searching: ")?;
    page.leave_quietly()
}
