//! A figure or poster that is ready to be painted, for both SVG and canvas.

use super::backend::Backend;
use super::chart::draw_chart;
use super::poster::{self, Layout, Poster};
use super::saved::Saved;
use super::{PaintError, Pen, Style, bar};
use crate::layout::{PlotArea, bar_area, plot_area};
use crate::spec::{BarSpec, ChartSpec, Field};
use std::rc::Rc;

/// A figure or poster with its size and the place of its field.
pub struct Picture<'a> {
    /// Theme and size of the whole picture.
    pub style: Style,
    /// The field, whose image is under everything else, and its place.
    pub field: Option<(&'a Rc<Field>, PlotArea)>,
    content: Content<'a>,
}

/// Content of a picture.
enum Content<'a> {
    /// A chart with its crosshair, and its legend in a saved one.
    Chart(&'a ChartSpec, Option<(f64, f64)>, Option<Saved>, Style),
    /// A memory bar with its highlighted part, and its legend in a saved one.
    Bar(&'a BarSpec, Option<usize>, Option<Saved>, Style),
    Poster(&'a Poster<'a>, Box<Layout>),
}

impl<'a> Picture<'a> {
    /// Creates the picture of a chart; `crosshair` is in data units.
    pub fn chart(spec: &'a ChartSpec, style: &Style, crosshair: Option<(f64, f64)>) -> Self {
        Self { style: *style, field: field(spec, style), content: Content::Chart(spec, crosshair, None, *style) }
    }

    /// Creates the picture of a memory bar, with an outline around the highlighted part.
    pub fn bar(spec: &'a BarSpec, style: &Style, highlighted: Option<usize>) -> Self {
        Self { style: *style, field: None, content: Content::Bar(spec, highlighted, None, *style) }
    }

    /// Creates the picture of a chart with its legend, which adds to the height.
    pub fn saved_chart(spec: &'a ChartSpec, style: &Style) -> Self {
        let saved = Saved::from_chart(spec, style);
        let whole = Style { css_height: saved.height, ..*style };
        Self { style: whole, field: field(spec, style), content: Content::Chart(spec, None, Some(saved), *style) }
    }

    /// Creates the picture of a memory bar with its legend, which adds to the height.
    pub fn saved_bar(spec: &'a BarSpec, style: &Style) -> Self {
        let saved = Saved::from_bar(spec, style);
        let whole = Style { css_height: saved.height, ..*style };
        Self { style: whole, field: None, content: Content::Bar(spec, None, Some(saved), *style) }
    }

    /// Creates the picture of a poster.
    pub fn poster(poster: &'a Poster<'a>, device_pixel_ratio: f64) -> Self {
        let layout = Layout::new(poster);
        Self {
            style: Style { css_height: layout.height, device_pixel_ratio, ..poster::STYLE },
            field: poster.map.field.as_ref().map(|field| (field, layout.area_of_map(poster.map))),
            content: Content::Poster(poster, Box::new(layout)),
        }
    }

    /// Draws everything except the image of the field, on a backend with `units` coordinates per
    /// CSS pixel. A hairline is as wide as a CSS pixel over `ratio`.
    ///
    /// # Errors
    ///
    /// Fails if the backend fails.
    pub fn draw(&self, backend: &mut dyn Backend, units: f64, ratio: f64) -> Result<(), PaintError> {
        let mut pen = Pen::new(backend, units, ratio);
        let pen = &mut pen;
        let (saved, style) = match &self.content {
            Content::Chart(spec, crosshair, saved, style) => {
                let area = plot_area(spec, style.css_width, style.css_height);
                draw_chart(pen, spec, &area, style.theme, *crosshair)?;
                (saved, style)
            }
            Content::Bar(spec, highlighted, saved, style) => {
                let area = bar_area(spec, style.css_width, style.css_height);
                bar::draw_bar(pen, spec, &area, style.theme, *highlighted)?;
                (saved, style)
            }
            Content::Poster(poster, layout) => return poster::draw(pen, poster, layout),
        };
        saved.as_ref().map_or(Ok(()), |saved| saved.draw(pen, style))
    }
}

fn field<'a>(spec: &'a ChartSpec, style: &Style) -> Option<(&'a Rc<Field>, PlotArea)> {
    spec.field.as_ref().map(|field| (field, plot_area(spec, style.css_width, style.css_height)))
}
