//! The first screen: both plots whole with the five sliders under them, on a phone one plot, also
//! with a sentence in the box and with pins; a plain frame is as high as its content.

use anyhow::{Result, ensure};
use e2e::{BrowserKind, Key, Session, wait_for};
use serde_json::json;
use shardwise::view::View;

use crate::page::{PATIENCE, Page, address};

/// Two pinned runs.
const PINS: &str = "#v=1&cluster=dgx-h100&model=llama-3.1-8b&gpus=64&seq=8k&pin=1&gpus=32&pin=2&cluster=dgx-b200";

/// Lists the plots and sliders that are not whole in the window, of those named.
const CUT: &str = "return arguments[0].filter((name) => {
        const box = document.querySelector(name)?.getBoundingClientRect();
        return !box || box.width < 40 || box.top < 0 || box.left < 0 || box.bottom > innerHeight || box.right > innerWidth;
    })";

fn sized(page: &Page, width: u32, height: u32) -> Result<()> {
    let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
    page.session.devtools("Emulation.setDeviceMetricsOverride", &size)?;
    page.settled().map(drop)
}

fn is_whole(page: &Page, parts: &[&str], when: &str) -> Result<()> {
    let cut = page.session.script(CUT, &[json!(parts)])?;
    ensure!(cut == json!([]), "{when}: {cut} are not whole on the first screen");
    let wide = "return document.documentElement.scrollWidth - innerWidth";
    ensure!(page.session.script(wide, &[])?.as_i64() <= Some(0), "{when}: the page is wider than its window");
    Ok(())
}

#[test]
fn both_plots_and_their_sliders_are_whole_on_the_first_screen() -> Result<()> {
    const WHOLE: [&str; 7] = ["canvas#map", "canvas#curve", "#seq", "#size", "#link", "#mem", "#gpus"];
    for fragment in ["", PINS] {
        let page = Page::with_fragment(fragment)?;
        for (width, height) in [(1280, 800), (1440, 900), (1920, 1080)] {
            sized(&page, width, height)?;
            is_whole(&page, &WHOLE, &format!("{width} x {height} `{fragment}`"))?;
        }
        sized(&page, 375, 812)?;
        is_whole(&page, &["canvas#map", "#seq", "#size"], &format!("on a phone `{fragment}`"))?;
        sized(&page, 1280, 800)?;
        page.session.focus(&page.session.element("#say")?)?;
        page.session.type_text("llama 3.1 70b on 64 h100, 8k")?;
        wait_for("nothing is understood", PATIENCE, || {
            let chips = page.session.script("return document.querySelectorAll('.chip').length", &[])?;
            Ok((chips.as_u64() > Some(2)).then_some(()))
        })?;
        is_whole(&page, &WHOLE, "while a sentence is typed")?;
        page.session.press(Key::Enter, 1)?;
        page.wait_for("the sentence is not taken", |now| now.headline.starts_with("Llama 3.1 70B on 64 H100"))?;
        is_whole(&page, &WHOLE, "with a sentence on screen")?;
        page.leave_quietly()?;
    }
    Ok(())
}

#[test]
fn a_tab_exchanges_the_right_plot_and_leaves_the_map_where_it_is() -> Result<()> {
    let page = Page::first_visit()?;
    let place = "const box = document.querySelector('canvas#map').getBoundingClientRect();
        return [box.left, box.top, box.width, box.height].map(Math.round)";
    let before = page.session.script(place, &[])?;
    for tab in ["Memory × bandwidth", "Memory", "Step", "Layouts", "Scaling", "Cost", "Settings", "Accuracy"] {
        page.tab(tab)?;
        page.settled()?;
        ensure!(page.session.script(place, &[])? == before, "{tab} moves the map");
        is_whole(&page, &["canvas#map", "#seq", "#size", "#link", "#mem", "#gpus"], tab)?;
    }
    page.leave_quietly()
}

#[test]
fn a_plain_frame_is_as_high_as_its_content() -> Result<()> {
    for view in ["map", "curve", "best", "verdict.map.curve", "memory", "timeline", "run", "scaling"] {
        let session = Session::fresh(BrowserKind::Chromium)?;
        let size = json!({ "width": 680, "height": 900, "deviceScaleFactor": 1, "mobile": false });
        session.devtools("Emulation.setDeviceMetricsOverride", &size)?;
        session.open(&format!("{}?embed=1&view={view}#v=1&cluster=dgx-h100&model=llama-3.1-8b", address()?))?;
        let given = f64::from(View::from_query(&format!("?view={view}")).panels.frame_height());
        let high = "return document.querySelector('main.bare')?.getBoundingClientRect().height ?? 0";
        wait_for(&format!("a frame of {given} px is not that of {view}"), PATIENCE, || {
            let high = session.script(high, &[])?.as_f64().unwrap_or_default();
            Ok((high <= given && given < high + SPARE).then_some(()))
        })?;
    }
    Ok(())
}

/// Height in pixels that a plain frame may have to spare: captions of other runs take more lines.
const SPARE: f64 = 300.0;
