//! Paints a spec as SVG, or as shapes on any plotters backend: the canvas of a browser is one, in
//! the crate `charts_canvas`. Text is never measured, as that would need a styled element, which a
//! strict content security policy forbids; estimates also let figures be drawn anywhere.

mod axes;
mod backend;
mod bar;
mod chart;
mod falls;
mod field;
mod geometry;
mod hatch;
mod labels;
mod lanes;
mod lines;
mod marks;
mod path;
mod pen;
mod picture;
mod pins;
mod png;
mod poster;
mod saved;
mod stack;
mod strips;
mod svg;
mod svg_files;

use super::palette::Theme;
pub use backend::Backend;
pub use field::Image;
use pen::Pen;
pub use picture::Picture;
pub use poster::{FIGURES, Poster, Tile};
pub use svg_files::{bar_svg, chart_svg, data_url, poster_svg};

/// The theme and size of a figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Style {
    /// Light or dark.
    pub theme: Theme,
    /// Width of the canvas element.
    pub css_width: f64,
    /// Height of the canvas element.
    pub css_height: f64,
    /// Device pixels in a CSS pixel.
    pub device_pixel_ratio: f64,
}

/// The reason why a figure could not be drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaintError(
    /// The message of the backend or the browser.
    pub String,
);

impl core::fmt::Display for PaintError {
    fn fmt(&self, out: &mut core::fmt::Formatter) -> core::fmt::Result {
        write!(out, "The figure could not be drawn: {}", self.0)
    }
}

impl core::error::Error for PaintError {}
