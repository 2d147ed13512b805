//! The plots answer to the pointer, and fit a phone.

use serde_json::json;
use xtask::failure::Result;
use xtask::webdriver::wait_for;

use crate::page::{PATIENCE, Page};

#[test]
fn a_click_on_the_map_sets_the_scenario_there() -> Result<()> {
    let page = Page::first_visit()?;
    let map = page.in_view("canvas#map, #map canvas")?;
    let width = page.number(&map, "it.getBoundingClientRect().width")?;
    let height = page.number(&map, "it.getBoundingClientRect().height")?;
    let address = page.address()?;
    let before = page.settled()?;
    let place = |x: f64, y: f64| ((x * width).round() as i64, (y * height).round() as i64);

    page.session.click_at(&map, place(-0.2, 0.25))?;
    page.wait_for("a click on the map changes no figure", |now| now.outputs != before.outputs)?;
    let one = page.settled()?;
    page.address_after(&address)?;

    page.session.click_at(&map, place(0.15, 0.0))?;
    page.wait_for("a second click elsewhere changes no figure", |now| now.outputs != one.outputs)?;
    page.leave_quietly()
}

#[test]
fn nothing_sticks_out_of_a_phone() -> Result<()> {
    let page = Page::first_visit()?;
    let phone = json!({ "width": 375, "height": 800, "deviceScaleFactor": 2, "mobile": true });
    page.session.devtools("Emulation.setDeviceMetricsOverride", &phone)?;
    let script = "return document.documentElement.scrollWidth <= 375 && innerWidth <= 375";
    wait_for("the page is wider than a phone of 375 px", PATIENCE, || {
        Ok((page.session.script(script, &[])? == json!(true)).then_some(()))
    })?;
    page.wait_for("the plots are gone on a phone", crate::page::Sight::is_drawn)?;
    page.leave_quietly()
}
