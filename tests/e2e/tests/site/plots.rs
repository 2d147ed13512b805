//! The plots respond to the pointer, and fit on a phone.

use anyhow::Result;
use e2e::wait_for;
use serde_json::json;

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
fn a_drag_zooms_and_a_double_click_shows_the_whole_again() -> Result<()> {
    let page = Page::first_visit()?;
    let map = page.in_view("canvas#map")?;
    let (address, before) = (page.address()?, page.settled()?);

    page.session.drag(&map, (-60, -60), (60, 40))?;
    page.session.release()?;
    let zoomed = page.wait_for("a drag over the map shows no part of it", |now| now.map != before.map)?;
    assert_eq!(zoomed.outputs, before.outputs, "the drag has set the scenario");
    let query = page.address_after(&address)?;
    assert!(query.contains("?x=") && query.contains("&y="), "{query}");
    page.session.element("figure .reset")?;

    page.session.double_click_at(&map, (-30, 20))?;
    page.wait_for("a double-click does not show the whole map", |now| now.map == before.map)?;
    assert_eq!(page.settled()?.outputs, before.outputs, "the double-click has set the scenario");
    page.leave_quietly()
}

#[test]
fn the_ring_of_the_run_is_dragged_and_the_drag_is_one_step_of_undo() -> Result<()> {
    let page = Page::with_fragment("#v=1&cluster=dgx-h100&model=llama-3.1-8b&gpus=64&seq=8192")?;
    let map = page.in_view("canvas#map")?;
    let (address, before) = (page.address()?, page.settled()?);
    // The ring is where the crosshair begins that the arrow keys move.
    page.session.focus(&map)?;
    page.session.press(e2e::Key::Left, 1)?;
    page.session.press(e2e::Key::Right, 1)?;
    let cross = "const circle = document.querySelector('.cross circle'), box = document.querySelector('#map').getBoundingClientRect();
        return [Math.round(circle.cx.baseVal.value - box.width / 2), Math.round(circle.cy.baseVal.value - box.height / 2)]";
    let place = wait_for("no crosshair", PATIENCE, || Ok(page.session.script(cross, &[]).ok()))?;
    let at = |index: usize| place.get(index).and_then(serde_json::Value::as_i64).unwrap_or_default();
    page.session.drag(&map, (at(0), at(1)), (at(0) - 120, at(1) + 20))?;
    let during = page.wait_for("the run does not follow the pointer", |now| now.outputs != before.outputs)?;
    page.session.release()?;
    let link = page.address_after(&address)?;
    assert!(!link.contains("?x="), "the drag has zoomed: {link}");
    assert_eq!(page.settled()?.outputs, during.outputs, "letting go changed the run");
    page.session.control('z')?;
    page.wait_for("one undo does not bring the run back", |now| now.outputs == before.outputs)?;
    page.leave_quietly()
}

/// Records the files that the page saves, by name: every blob that gets an address.
const KEEP: &str = "window.saved = {};
    const blobs = {}, make = URL.createObjectURL.bind(URL);
    URL.createObjectURL = (blob) => { const url = make(blob); blobs[url] = blob; return url; };
    HTMLAnchorElement.prototype.click = function () {
        const name = this.download; blobs[this.href].text().then((text) => { window.saved[name] = text; });
    };";

#[test]
fn figures_are_saved_with_what_they_show() -> Result<()> {
    let page = Page::first_visit()?;
    page.session.script(KEEP, &[])?;
    for (tab, figure, kind, holds) in [
        ("How fast", "map", "svg", "does not fit"),
        ("How fast", "curve", "svg", "FULL_SHARD"),
        ("Memory", "memory", "csv", "Capacity,42412802048"),
        ("How fast", "curve", "csv", "series,fits,"),
        ("How fast", "curve", "png", "PNG"),
    ] {
        page.tab(tab)?;
        let button = page.in_view(&format!("button[aria-label='Save {figure} as {}']", kind.to_uppercase()))?;
        page.session.click(&button)?;
        let script = "const [name, text] = Object.entries(window.saved).find(([name]) => name.startsWith(arguments[0])
            && name.endsWith(arguments[1])) ?? []; return name ? `${name} ${text}` : ''";
        let (start, end) = (format!("shardwise-{figure}-13b-64x-"), format!(".{kind}"));
        let text = wait_for("nothing is saved", PATIENCE, || {
            Ok(Some(page.session.text(script, &[json!(start), json!(end)])?).filter(|text| !text.is_empty()))
        })?;
        assert!(text.contains(holds), "{text}");
        if kind != "png" {
            assert!(text.contains("/some/sub/path/") && text.contains("#v=1"), "{text}");
        }
    }
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

#[test]
fn a_closer_look_is_drawn_when_it_is_near_and_puts_a_number_on_the_curves() -> Result<()> {
    let page = Page::first_visit()?;
    let drawn =
        "return [...document.querySelectorAll('#roofline, #scaling')].filter(it => it.width > 300).length === 2";
    page.tab("Scaling")?;
    wait_for("roofline and scaling are not drawn", PATIENCE, || {
        Ok((page.session.script(drawn, &[])? == json!(true)).then_some(()))
    })?;
    let knob = page.in_view("#sensitivity tbody tr:nth-child(3) button")?;
    let name = page.ask(&knob, "it.textContent")?;
    page.ask(&knob, "it.click()")?;
    page.tab("How fast")?;
    let axis = format!("return document.querySelector('#curve-x').selectedOptions[0].textContent === {}", json!(name));
    wait_for("a click on a number does not put it on the curves", PATIENCE, || {
        Ok((page.session.script(&axis, &[])? == json!(true)).then_some(()))
    })?;
    page.leave_quietly()
}

#[test]
fn memory_over_one_step_is_played_when_it_is_near_and_for_the_step_that_is_chosen() -> Result<()> {
    let page = Page::with_fragment("?view=step-memory")?;
    let figure = page.in_view("canvas#step-memory")?;
    let said = |otherwise: &str, before: &str| {
        wait_for(otherwise, PATIENCE, || {
            let label = page.ask(&figure, "it.getAttribute('aria-label')")?;
            Ok(Some(label).filter(|label| label.contains("peaks at ") && label != before))
        })
    };
    let later = said("memory over a step is not played", "")?;
    let choose = "const select = document.querySelector('#step-of'); select.selectedIndex = 0;
        select.dispatchEvent(new Event('change', { bubbles: true }))";
    page.session.script(choose, &[])?;
    said("the first step is not shown", &later)?;
    page.leave_quietly()
}
