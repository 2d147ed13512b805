//! The target of drawing: the canvas or SVG text. One type, so that the painter is compiled only
//! once.

use super::PaintError;
use super::brush::Brush;
use super::svg::Svg;
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind as Kind,
};

/// The canvas or the SVG text.
pub(super) enum Backend<'a> {
    Canvas(Brush<'a>),
    Svg(Svg),
}

impl Backend<'_> {
    /// Returns the SVG text; empty for a canvas.
    pub(super) fn into_svg(self) -> String {
        match self {
            Self::Svg(svg) => svg.into_text(),
            Self::Canvas(_) => String::new(),
        }
    }
}

type Drawn = Result<(), Kind<PaintError>>;

impl DrawingBackend for Backend<'_> {
    type ErrorType = PaintError;

    fn get_size(&self) -> (u32, u32) {
        match self {
            Self::Canvas(canvas) => canvas.get_size(),
            Self::Svg(_) => (0, 0),
        }
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        match self {
            Self::Canvas(canvas) => canvas.present(),
            Self::Svg(_) => Ok(()),
        }
    }

    fn draw_pixel(&mut self, point: BackendCoord, colour: BackendColor) -> Drawn {
        self.draw_rect(point, (point.0 + 1, point.1 + 1), &colour, true)
    }

    fn draw_line<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S) -> Drawn {
        self.draw_path([from, to], style)
    }

    fn draw_rect<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S, fill: bool) -> Drawn {
        match self {
            Self::Canvas(canvas) => canvas.draw_rect(from, to, style, fill),
            Self::Svg(svg) => {
                svg.rect(from, to, style, fill);
                Ok(())
            }
        }
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, path: I, style: &S) -> Drawn {
        match self {
            Self::Canvas(canvas) => canvas.draw_path(path, style),
            Self::Svg(svg) => {
                svg.path(&mut path.into_iter(), style);
                Ok(())
            }
        }
    }

    fn draw_circle<S: BackendStyle>(&mut self, at: BackendCoord, radius: u32, style: &S, fill: bool) -> Drawn {
        match self {
            Self::Canvas(canvas) => canvas.draw_circle(at, radius, style, fill),
            Self::Svg(svg) => {
                svg.circle(at, radius, style, fill);
                Ok(())
            }
        }
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, corners: I, style: &S) -> Drawn {
        match self {
            Self::Canvas(canvas) => canvas.fill_polygon(corners, style),
            Self::Svg(svg) => {
                svg.polygon(&mut corners.into_iter(), style);
                Ok(())
            }
        }
    }

    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, at: BackendCoord) -> Drawn {
        match self {
            Self::Canvas(canvas) => canvas.draw_text(text, style, at),
            Self::Svg(svg) => {
                svg.text(text, style, at);
                Ok(())
            }
        }
    }
}
