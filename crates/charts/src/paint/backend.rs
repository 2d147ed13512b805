//! The target of drawing: a backend of plotters, such as SVG text. It is passed as a trait
//! object, so that the painter is compiled only once.

use super::PaintError;
use plotters::style::{ShapeStyle, TextStyle};
use plotters_backend::{BackendCoord, DrawingBackend};

/// The shapes of figures on a backend of plotters, whose own trait makes no objects.
pub trait Backend {
    /// Draws a rectangle, filled or as an outline.
    ///
    /// # Errors
    ///
    /// Fails if the backend fails, as each of these does.
    fn rect(&mut self, from: BackendCoord, to: BackendCoord, style: ShapeStyle, fill: bool) -> Result<(), PaintError>;

    /// Draws a line through points.
    ///
    /// # Errors
    ///
    /// Fails if the backend fails.
    fn path(&mut self, points: &[BackendCoord], style: ShapeStyle) -> Result<(), PaintError>;

    /// Draws a filled disc.
    ///
    /// # Errors
    ///
    /// Fails if the backend fails.
    fn disc(&mut self, at: BackendCoord, radius: u32, style: ShapeStyle) -> Result<(), PaintError>;

    /// Draws a filled polygon.
    ///
    /// # Errors
    ///
    /// Fails if the backend fails.
    fn polygon(&mut self, corners: &[BackendCoord], style: ShapeStyle) -> Result<(), PaintError>;

    /// Draws one line of text.
    ///
    /// # Errors
    ///
    /// Fails if the backend fails.
    fn text(&mut self, text: &str, style: &TextStyle, at: BackendCoord) -> Result<(), PaintError>;
}

impl<B: DrawingBackend> Backend for B {
    fn rect(&mut self, from: BackendCoord, to: BackendCoord, style: ShapeStyle, fill: bool) -> Result<(), PaintError> {
        self.draw_rect(from, to, &style, fill).map_err(failed)
    }

    fn path(&mut self, points: &[BackendCoord], style: ShapeStyle) -> Result<(), PaintError> {
        self.draw_path(points.iter().copied(), &style).map_err(failed)
    }

    fn disc(&mut self, at: BackendCoord, radius: u32, style: ShapeStyle) -> Result<(), PaintError> {
        self.draw_circle(at, radius, &style, true).map_err(failed)
    }

    fn polygon(&mut self, corners: &[BackendCoord], style: ShapeStyle) -> Result<(), PaintError> {
        self.fill_polygon(corners.iter().copied(), &style).map_err(failed)
    }

    fn text(&mut self, text: &str, style: &TextStyle, at: BackendCoord) -> Result<(), PaintError> {
        self.draw_text(text, style, at).map_err(failed)
    }
}

fn failed<E: core::fmt::Display>(error: E) -> PaintError {
    PaintError(error.to_string())
}
