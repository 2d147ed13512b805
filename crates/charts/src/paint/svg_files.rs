//! Figures as SVG files: with their legend and link to be saved, or as a picture alone.

use super::backend::Backend;
use super::poster::{self, Layout, Poster};
use super::saved::{self, Saved};
use super::svg::{Svg, UNITS};
use super::{PaintError, Pen, Style};
use crate::describe;
use crate::layout::plot_area;
use crate::spec::{BarSpec, ChartSpec};
use base64::prelude::{BASE64_STANDARD, Engine as _};

/// Writes a chart as SVG. With a `link` it has the legend and the link back to the scenario;
/// without, it is the picture alone.
///
/// # Errors
///
/// Only fails if a canvas painter would.
pub fn chart_svg(spec: &ChartSpec, style: &Style, link: Option<&str>) -> Result<String, PaintError> {
    let saved = if link.is_some() { Saved::of_chart(spec, style) } else { Saved::without_legend(style) };
    let mut svg = Svg::begin((style.css_width, saved.height), style, [&spec.title, &describe::chart(spec)], link);
    if let Some(field) = &spec.field {
        svg.image(field, &plot_area(spec, style.css_width, style.css_height), style);
    }
    let mut backend = Backend::Svg(svg);
    saved::draw_chart(&mut Pen::new(&mut backend, UNITS, 1.0), spec, &saved, style)?;
    Ok(backend.into_svg())
}

/// Writes a memory bar as SVG, as [`chart_svg`] does.
///
/// # Errors
///
/// Only fails if a canvas painter would.
pub fn bar_svg(spec: &BarSpec, style: &Style, link: Option<&str>) -> Result<String, PaintError> {
    let saved = if link.is_some() { Saved::of_bar(spec, style) } else { Saved::without_legend(style) };
    let svg = Svg::begin((style.css_width, saved.height), style, [&spec.title, &describe::bar(spec)], link);
    let mut backend = Backend::Svg(svg);
    saved::draw_bar(&mut Pen::new(&mut backend, UNITS, 1.0), spec, &saved, style)?;
    Ok(backend.into_svg())
}

/// Writes a poster as SVG, with the link in it.
///
/// # Errors
///
/// Only fails if a canvas painter would.
pub fn poster_svg(poster: &Poster) -> Result<String, PaintError> {
    let (layout, style) = (Layout::of(poster), poster::STYLE);
    let summary = [describe::chart(poster.map), describe::chart(poster.curve), describe::bar(poster.memory)].join(" ");
    let size = (style.css_width, layout.height);
    let mut svg = Svg::begin(size, &style, [&poster.sentence(), &summary], Some(poster.link));
    if let Some(field) = &poster.map.field {
        svg.image(field, &layout.area_of_map(poster.map), &style);
    }
    let mut backend = Backend::Svg(svg);
    poster::draw(&mut Pen::new(&mut backend, UNITS, 1.0), poster, &layout)?;
    Ok(backend.into_svg())
}

/// Returns an SVG as a data URL.
pub fn data_url(svg: &str) -> String {
    let mut url = String::from("data:image/svg+xml;base64,");
    BASE64_STANDARD.encode_string(svg, &mut url);
    url
}
