//! Writes the first screen of a first visit as HTML: the page's own components, rendered without a
//! browser, with both plots as pictures, so that numbers and plots stand on the screen before the
//! module is loaded. `cargo xtask build` puts it into `index.html`; the page takes its place.
//!
//! The page's canvases become `<picture>`s of the same size. Everything is inert until the page is
//! there.

#![allow(clippy::print_stdout, reason = "the HTML is this program's output")]

use std::rc::Rc;

use charts::paint::{PaintError, Style, chart_svg};
use charts::palette::Theme;
use charts::views::Scratch;
use shardwise::plots::Plot;
use shardwise::snapshot::Snapshot;
use shardwise::view::View;
use shardwise::{App, Start};
use yew::LocalServerRenderer;

/// Size of a plot in CSS pixels in a window of 1280 x 800; elsewhere the picture is scaled.
const SIZE: (f64, f64) = (592.0, 338.0);

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), PaintError> {
    let scenario = catalog::default_scenario();
    let view = View::default();
    let start = Start { scenario, pins: Vec::new(), issues: Vec::new(), view, drawer: false };
    let render = LocalServerRenderer::<App>::with_props(start).hydratable(false).render();
    let mut html = tokio::task::LocalSet::new().run_until(render).await;
    let snapshot = Rc::new(Snapshot { scenario, pins: Vec::new(), view });
    for (plot, id) in [(Plot::Map, "map"), (Plot::Curve, "curve")] {
        let spec = plot.derive(&snapshot, &[], false, &mut Scratch::default());
        let [light, dark] = [Theme::Light, Theme::Dark].map(|theme| {
            let (css_width, css_height) = SIZE;
            chart_svg(&spec, &Style { theme, css_width, css_height, device_pixel_ratio: 1.0 }, None)
        });
        let [light, dark] = [data_url(&light?), data_url(&dark?)];
        let picture = format!(
            "<picture id=\"{id}\"><source media=\"(prefers-color-scheme: dark)\" srcset=\"{dark}\">\
             <img src=\"{light}\" alt=\"\"></picture>"
        );
        html = with_picture(&html, id, &picture);
    }
    println!("<div class=\"first\" inert aria-hidden=\"true\">{html}</div>");
    Ok(())
}

/// Returns the address of a picture, as text: what compresses the page then compresses the picture,
/// and its dark twin to almost nothing.
fn data_url(svg: &str) -> String {
    let mut url = "data:image/svg+xml,".to_owned();
    for letter in svg.chars() {
        match letter {
            // Of addresses, of attributes of HTML, and between the addresses of a list.
            '%' | '#' | '"' | '&' | '<' | '>' | ' ' | ',' | '\n' => {
                url.extend(["%", &format!("{:02X}", u32::from(letter))]);
            }
            _ => url.push(letter),
        }
    }
    url
}

/// Exchanges the canvas with an identifier for a picture.
fn with_picture(html: &str, id: &str, picture: &str) -> String {
    const CLOSED: &str = "</canvas>";
    let named = format!("id=\"{id}\"");
    let place = html.match_indices("<canvas").map(|(start, _)| start).find(|start| {
        html.get(*start..).and_then(|rest| rest.split('>').next()).is_some_and(|tag| tag.contains(&named))
    });
    let end = place.and_then(|start| Some(start + html.get(start..)?.find(CLOSED)? + CLOSED.len()));
    match (place, end) {
        (Some(start), Some(end)) => [html.get(..start).unwrap_or(""), picture, html.get(end..).unwrap_or("")].concat(),
        _ => html.to_owned(),
    }
}
