//! Figures as SVG files: with their legend and link to be saved, or as a picture alone.

use super::picture::Picture;
use super::poster::Poster;
use super::svg::{Svg, UNITS};
use super::{PaintError, Style};
use crate::describe;
use crate::spec::{BarSpec, ChartSpec};
use base64::prelude::{BASE64_STANDARD, Engine as _};

/// Writes a chart as SVG. With a `link` it has the legend and the link back to the scenario;
/// without, it is the picture alone.
///
/// # Errors
///
/// Only fails if a canvas painter would.
pub fn chart_svg(spec: &ChartSpec, style: &Style, link: Option<&str>) -> Result<String, PaintError> {
    let saved = link.is_some();
    let picture = if saved { Picture::saved_chart(spec, style) } else { Picture::chart(spec, style, None) };
    svg(&picture, [&spec.title, &describe::chart(spec)], link)
}

/// Writes a memory bar as SVG, as [`chart_svg`] does.
///
/// # Errors
///
/// Only fails if a canvas painter would.
pub fn bar_svg(spec: &BarSpec, style: &Style, link: Option<&str>) -> Result<String, PaintError> {
    let saved = link.is_some();
    let picture = if saved { Picture::saved_bar(spec, style) } else { Picture::bar(spec, style, None) };
    svg(&picture, [&spec.title, &describe::bar(spec)], link)
}

/// Writes a poster as SVG, with the link in it.
///
/// # Errors
///
/// Only fails if a canvas painter would.
pub fn poster_svg(poster: &Poster) -> Result<String, PaintError> {
    let summary = [describe::chart(poster.map), describe::chart(poster.curve), describe::bar(poster.memory)].join(" ");
    svg(&Picture::poster(poster, 1.0), [&poster.sentence(), &summary], Some(poster.link))
}

/// Writes a picture with its title and summary.
fn svg(picture: &Picture, names: [&str; 2], link: Option<&str>) -> Result<String, PaintError> {
    let style = &picture.style;
    let mut svg = Svg::begin((style.css_width, style.css_height), style, names, link);
    if let Some((field, area)) = &picture.field {
        svg.image(field, area, style);
    }
    picture.draw(&mut svg, UNITS, 1.0)?;
    Ok(svg.into_text())
}

/// Returns an SVG as a data URL.
pub fn data_url(svg: &str) -> String {
    let mut url = String::from("data:image/svg+xml;base64,");
    BASE64_STANDARD.encode_string(svg, &mut url);
    url
}
