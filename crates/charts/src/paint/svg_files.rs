//! Figures as SVG files: to be saved with their legend and the link back, or as a picture alone.

use super::backend::Backend;
use super::poster::{self, Layout, Poster};
use super::saved::{self, Saved};
use super::svg::{Svg, UNITS};
use super::{PaintError, Pen, Style};
use crate::describe;
use crate::layout::plot_area;
use crate::spec::{BarSpec, ChartSpec};
use base64::prelude::{BASE64_STANDARD, Engine as _};

/// A chart as SVG: to be saved, with its legend and a link back to the scenario, or the picture alone.
///
/// # Errors
///
/// Never, but for what a painter of a canvas might say.
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

/// A memory bar as SVG, as [`chart_svg`].
///
/// # Errors
///
/// Never, but for what a painter of a canvas might say.
pub fn bar_svg(spec: &BarSpec, style: &Style, link: Option<&str>) -> Result<String, PaintError> {
    let saved = if link.is_some() { Saved::of_bar(spec, style) } else { Saved::without_legend(style) };
    let svg = Svg::begin((style.css_width, saved.height), style, [&spec.title, &describe::bar(spec)], link);
    let mut backend = Backend::Svg(svg);
    saved::draw_bar(&mut Pen::new(&mut backend, UNITS, 1.0), spec, &saved, style)?;
    Ok(backend.into_svg())
}

/// A poster as SVG, with the link back in it.
///
/// # Errors
///
/// Never, but for what a painter of a canvas might say.
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

/// An SVG as the address of an image.
pub fn data_url(svg: &str) -> String {
    let mut url = String::from("data:image/svg+xml;base64,");
    BASE64_STANDARD.encode_string(svg, &mut url);
    url
}
