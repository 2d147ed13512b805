//! The target of drawing: SVG text, or any other backend of plotters. It is passed as a trait
//! object, so that the painter is compiled only once.

use super::PaintError;
use super::svg::Svg;
use plotters::style::{ShapeStyle, TextStyle};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind as Kind,
};

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

type Drawn = Result<(), Kind<PaintError>>;

impl DrawingBackend for Svg {
    type ErrorType = PaintError;

    fn get_size(&self) -> (u32, u32) {
        (0, 0)
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        Ok(())
    }

    fn draw_pixel(&mut self, point: BackendCoord, colour: BackendColor) -> Drawn {
        self.draw_rect(point, (point.0 + 1, point.1 + 1), &colour, true)
    }

    fn draw_line<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S) -> Drawn {
        self.draw_path([from, to], style)
    }

    fn draw_rect<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S, fill: bool) -> Drawn {
        self.add_rect(from, to, style, fill);
        Ok(())
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, path: I, style: &S) -> Drawn {
        self.add_path(&mut path.into_iter(), style);
        Ok(())
    }

    fn draw_circle<S: BackendStyle>(&mut self, at: BackendCoord, radius: u32, style: &S, fill: bool) -> Drawn {
        self.add_circle(at, radius, style, fill);
        Ok(())
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, corners: I, style: &S) -> Drawn {
        self.add_polygon(&mut corners.into_iter(), style);
        Ok(())
    }

    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, at: BackendCoord) -> Drawn {
        self.add_text(text, style, at);
        Ok(())
    }
}
