//! SVG output: shapes and text, without scripts or styles. Coordinates are whole tenths of a CSS
//! pixel, so that every number is written exactly.

use super::field::Image;
use super::pen::{FONT, TEXT};
use super::{PaintError, Style};
use crate::layout::PlotArea;
use crate::palette::{Rgb, tokens};
use crate::spec::Field;
use base64::prelude::{BASE64_STANDARD, Engine as _};
use core::fmt::Write;
use plotters::style::text_anchor::HPos;
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind, FontStyle,
};

/// Backend units per CSS pixel.
pub(super) const UNITS: f64 = 10.0;
/// Backend units per CSS pixel, as an integer.
const WHOLE: i32 = 10;
/// Distance from the middle of a line of text down to its baseline, over the font size.
const BASELINE: f64 = 0.35;

/// The SVG text written so far.
#[derive(Debug, Default)]
pub(super) struct Svg {
    text: String,
    /// The attributes of the open path: lines of the same style become one element.
    open: Option<String>,
}

impl Svg {
    /// Starts the file: size, names, the link, and the surface under everything.
    pub(super) fn begin(
        (width, height): (f64, f64),
        style: &Style,
        [title, summary]: [&str; 2],
        link: Option<&str>,
    ) -> Self {
        let mut svg = Self::default();
        let (width, height) = (width.round() as u32, height.round() as u32);
        let size = TEXT as u32;
        // Writing to a string cannot fail.
        let _ = write!(
            svg.text,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
             role=\"img\" font-family=\"{FONT}\" font-size=\"{size}\" fill=\"none\" stroke-linejoin=\"round\">\n<title>"
        );
        svg.escaped(title);
        svg.text += "</title>\n<desc>";
        svg.escaped(summary);
        svg.text += "</desc>\n";
        if let Some(link) = link {
            svg.text += "<metadata>";
            svg.escaped(link);
            svg.text += "</metadata>\n";
        }
        let surface = tokens(style.theme).surface.css();
        let _ = writeln!(svg.text, "<rect width=\"{width}\" height=\"{height}\" fill=\"{surface}\"/>");
        svg
    }

    /// Adds the colours of a field as an image stretched over the plot.
    pub(super) fn image(&mut self, field: &Field, area: &PlotArea, style: &Style) {
        let mut image = Image::default();
        image.draw(field, style.theme);
        let [x, y, width, height] = [area.left, area.top, area.width, area.height].map(units);
        self.text += "<image";
        self.attributes(&[("x", x), ("y", y), ("width", width), ("height", height)]);
        self.text += " preserveAspectRatio=\"none\" href=\"data:image/png;base64,";
        BASE64_STANDARD.encode_string(super::png::png(&image), &mut self.text);
        self.text += "\"/>\n";
    }

    /// Finishes and returns the text.
    pub(super) fn into_text(mut self) -> String {
        self.close();
        self.text + "</svg>\n"
    }

    /// Closes the open path.
    fn close(&mut self) {
        if self.open.take().is_some() {
            self.text += "\"/>\n";
        }
    }

    fn attributes(&mut self, pairs: &[(&str, i32)]) {
        for &(name, value) in pairs {
            let _ = write!(self.text, " {name}=\"");
            number(&mut self.text, value);
            self.text.push('"');
        }
    }

    /// Writes text escaped for an element.
    fn escaped(&mut self, text: &str) {
        for letter in text.chars() {
            match letter {
                '&' => self.text += "&amp;",
                '<' => self.text += "&lt;",
                '>' => self.text += "&gt;",
                letter if letter.is_control() => {}
                letter => self.text.push(letter),
            }
        }
    }

    pub(super) fn add_rect<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S, fill: bool) {
        self.close();
        self.text += "<rect";
        self.attributes(&[("x", from.0), ("y", from.1), ("width", to.0 - from.0), ("height", to.1 - from.1)]);
        self.text += &look(style, fill);
        self.text += "/>\n";
    }

    pub(super) fn add_circle<S: BackendStyle>(&mut self, at: BackendCoord, radius: u32, style: &S, fill: bool) {
        self.close();
        self.text += "<circle";
        self.attributes(&[("cx", at.0), ("cy", at.1), ("r", radius.cast_signed())]);
        self.text += &look(style, fill);
        self.text += "/>\n";
    }

    pub(super) fn add_path<S: BackendStyle>(&mut self, points: &mut dyn Iterator<Item = BackendCoord>, style: &S) {
        let look = look(style, false);
        if self.open.as_ref() != Some(&look) {
            self.close();
            self.text += "<path";
            self.text += &look;
            self.text += " d=\"";
            self.open = Some(look);
        }
        self.points(points);
    }

    pub(super) fn add_polygon<S: BackendStyle>(&mut self, corners: &mut dyn Iterator<Item = BackendCoord>, style: &S) {
        self.close();
        self.text += "<path";
        self.text += &look(style, true);
        self.text += " d=\"";
        self.points(corners);
        self.text += "z\"/>\n";
    }

    /// Adds a line through points: the first absolute, the others relative to the previous point.
    fn points(&mut self, points: &mut dyn Iterator<Item = BackendCoord>) {
        let mut last: Option<BackendCoord> = None;
        for point in points {
            let (x, y) = last.map_or(point, |last| (point.0 - last.0, point.1 - last.1));
            self.text.push(if last.is_some() { 'l' } else { 'M' });
            number(&mut self.text, x);
            if y >= 0 {
                self.text.push(' ');
            }
            number(&mut self.text, y);
            last = Some(point);
        }
    }

    pub(super) fn add_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, at: BackendCoord) {
        self.close();
        self.text += "<text";
        self.attributes(&[("x", at.0), ("y", at.1 + (BASELINE * style.size()).round() as i32)]);
        let size = style.size().round() as i32;
        if size != units(TEXT) {
            self.attributes(&[("font-size", size)]);
        }
        self.text += match style.anchor().h_pos {
            HPos::Left => "",
            HPos::Center => " text-anchor=\"middle\"",
            HPos::Right => " text-anchor=\"end\"",
        };
        if matches!(style.style(), FontStyle::Bold) {
            self.text += " font-weight=\"bold\"";
        }
        self.text += &paint("fill", style.color());
        self.text.push('>');
        self.escaped(text);
        self.text += "</text>\n";
    }
}

/// Converts a length to backend units.
fn units(length: f64) -> i32 {
    (length * UNITS).round() as i32
}

/// Writes backend units as pixels: `12`, `-0.5`.
fn number(text: &mut String, value: i32) {
    let size = value.unsigned_abs();
    let (whole, rest) = (size / WHOLE.unsigned_abs(), size % WHOLE.unsigned_abs());
    let sign = if value < 0 { "-" } else { "" };
    let _ = if rest == 0 { write!(text, "{sign}{whole}") } else { write!(text, "{sign}{whole}.{rest}") };
}

/// Writes colour, width and opacity as attributes.
fn look<S: BackendStyle>(style: &S, fill: bool) -> String {
    if fill {
        return paint("fill", style.color());
    }
    let mut text = paint("stroke", style.color());
    if style.stroke_width() != WHOLE.unsigned_abs() {
        text += " stroke-width=\"";
        number(&mut text, style.stroke_width().cast_signed());
        text.push('"');
    }
    text
}

/// Writes a colour with its opacity.
fn paint(what: &str, BackendColor { alpha, rgb: (red, green, blue) }: BackendColor) -> String {
    let colour = Rgb(red, green, blue).css();
    let percent = (alpha * 100.0).round() as u32;
    if percent < 100 {
        format!(" {what}=\"{colour}\" {what}-opacity=\"{percent}%\"")
    } else {
        format!(" {what}=\"{colour}\"")
    }
}

type Drawn = Result<(), DrawingErrorKind<PaintError>>;

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

#[cfg(test)]
mod tests;
