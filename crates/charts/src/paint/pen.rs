//! Draws in CSS pixels on a plotters backend with finer units, so that curves stay smooth.

use crate::paint::geometry::Spot;
use crate::paint::{Backend, PaintError, path};
use crate::palette::Rgb;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontDesc, FontFamily, FontStyle, RGBAColor, RGBColor, ShapeStyle};

/// Coordinates of a backend.
type BackendCoord = (i32, i32);

/// Font families of every figure.
pub(super) const FONT: &str = "system-ui, -apple-system, 'Segoe UI', sans-serif";
/// Width of an average character over the font size, slightly generous, so that estimated boxes
/// hold their text.
const CHARACTER: f64 = 0.56;
/// Font size in CSS pixels.
pub(super) const TEXT: f64 = 12.0;

/// The style of a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stroke {
    pub(super) colour: Rgb,
    pub(super) opacity: f64,
    pub(super) width: f64,
    pub(super) dashes: &'static [f64],
}

impl Stroke {
    /// Creates a solid line style.
    pub(super) const fn solid(colour: Rgb, width: f64) -> Self {
        Self { colour, opacity: 1.0, width, dashes: &[] }
    }
}

/// The horizontal alignment of text at its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Align {
    Left,
    Centre,
    Right,
}

/// A plotters backend with its units per CSS pixel.
pub(super) struct Pen<'a> {
    backend: &'a mut dyn Backend,
    units: f64,
    /// Device pixels per CSS pixel: a hairline is one device pixel wide.
    ratio: f64,
    /// Top left corner of the figure, in whole CSS pixels.
    pub(super) origin: Spot,
    /// Font size in CSS pixels.
    pub(super) size: f64,
}

impl<'a> Pen<'a> {
    /// Creates a pen for a backend with `units` coordinates and `ratio` device pixels per CSS
    /// pixel.
    pub(super) fn new(backend: &'a mut dyn Backend, units: f64, ratio: f64) -> Self {
        Self { backend, units, ratio, origin: (0.0, 0.0), size: TEXT }
    }

    fn at(&self, (x, y): Spot) -> BackendCoord {
        let (left, top) = self.origin;
        (((left + x) * self.units).round() as i32, ((top + y) * self.units).round() as i32)
    }

    fn shape(&self, stroke: Stroke) -> ShapeStyle {
        let stroke_width = (stroke.width * self.units).round().max(1.0) as u32;
        ShapeStyle { color: paint(stroke.colour, stroke.opacity), filled: false, stroke_width }
    }

    /// Returns the centre of the device pixel at a position, where a one-pixel line is crisp.
    fn crisp(&self, position: f64) -> f64 {
        ((position * self.ratio).floor() + 0.5) / self.ratio
    }

    /// Draws a line through points.
    pub(super) fn line(&mut self, points: &[Spot], stroke: Stroke) -> Result<(), PaintError> {
        let style = self.shape(stroke);
        let dashed = path::dashed(points, stroke.dashes);
        for piece in &dashed {
            let path: Vec<BackendCoord> = piece.iter().map(|&point| self.at(point)).collect();
            self.backend.path(&path, style)?;
        }
        Ok(())
    }

    /// Draws a horizontal or vertical line, one device pixel wide and crisp.
    pub(super) fn hairline(&mut self, from: Spot, to: Spot, colour: Rgb, opacity: f64) -> Result<(), PaintError> {
        let crisp = |pen: &Self, (x, y): Spot| {
            let x = if from.0 == to.0 { pen.crisp(x) } else { x };
            let y = if from.1 == to.1 { pen.crisp(y) } else { y };
            pen.at((x, y))
        };
        let path = [crisp(self, from), crisp(self, to)];
        let style = self.shape(Stroke { colour, opacity, width: 1.0 / self.ratio, dashes: &[] });
        self.backend.path(&path, style)
    }

    /// Draws a filled rectangle.
    pub(super) fn fill(&mut self, from: Spot, to: Spot, colour: Rgb, opacity: f64) -> Result<(), PaintError> {
        let style = ShapeStyle { color: paint(colour, opacity), filled: true, stroke_width: 0 };
        self.backend.rect(self.at(from), self.at(to), style, true)
    }

    /// Draws a filled polygon.
    pub(super) fn area(&mut self, corners: &[Spot], colour: Rgb, opacity: f64) -> Result<(), PaintError> {
        let style = ShapeStyle { color: paint(colour, opacity), filled: true, stroke_width: 0 };
        let corners: Vec<BackendCoord> = corners.iter().map(|&corner| self.at(corner)).collect();
        self.backend.polygon(&corners, style)
    }

    /// Draws the outline of a rectangle.
    pub(super) fn outline(&mut self, from: Spot, to: Spot, stroke: Stroke) -> Result<(), PaintError> {
        let style = self.shape(stroke);
        self.backend.rect(self.at(from), self.at(to), style, false)
    }

    /// Draws a filled disc.
    pub(super) fn disc(&mut self, at: Spot, radius: f64, colour: Rgb) -> Result<(), PaintError> {
        let style = ShapeStyle { color: paint(colour, 1.0), filled: true, stroke_width: 0 };
        let radius = (radius * self.units).round() as u32;
        self.backend.disc(self.at(at), radius, style)
    }

    /// Draws one line of text, vertically centred on `at`.
    pub(super) fn text(
        &mut self,
        text: &str,
        at: Spot,
        align: Align,
        colour: Rgb,
        bold: bool,
    ) -> Result<(), PaintError> {
        let style = if bold { FontStyle::Bold } else { FontStyle::Normal };
        let font = FontDesc::new(FontFamily::Name(FONT), self.size * self.units, style);
        let side = match align {
            Align::Left => HPos::Left,
            Align::Centre => HPos::Center,
            Align::Right => HPos::Right,
        };
        let style = font.color(&paint(colour, 1.0)).pos(Pos::new(side, VPos::Center));
        self.backend.text(text, &style, self.at(at))
    }
}

/// Estimates the width of a text.
pub(super) fn text_width(text: &str) -> f64 {
    text.chars().count() as f64 * CHARACTER * TEXT
}

fn paint(Rgb(red, green, blue): Rgb, opacity: f64) -> RGBAColor {
    RGBColor(red, green, blue).mix(opacity)
}
