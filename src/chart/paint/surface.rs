//! The plotters backend of a canvas. What plotters-canvas does, without setting again what is set already, and with one
//! stroke for all lines of one style that follow each other: dashes, hatching.

use core::f64::consts::TAU;

use super::PaintError;
use super::canvas::refused;
use crate::chart::palette::Rgb;
use plotters_backend::text_anchor::HPos;
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind, FontStyle,
};
use wasm_bindgen::JsValue;
use web_sys::CanvasRenderingContext2d;

type Result = core::result::Result<(), DrawingErrorKind<PaintError>>;

/// A colour with its opacity in 255ths, as the canvas has it.
type Paint = (Rgb, u8);

/// A canvas with the styles that are set in it.
pub(super) struct Surface<'a> {
    context: &'a CanvasRenderingContext2d,
    size: (u32, u32),
    fill: Option<Paint>,
    stroke: Option<(Paint, u32)>,
    font: Option<(u32, bool)>,
    align: Option<&'static str>,
    /// Whether lines wait to be stroked.
    waiting: bool,
}

impl<'a> Surface<'a> {
    /// A canvas of this size.
    pub(super) fn new(context: &'a CanvasRenderingContext2d, size: (u32, u32)) -> Self {
        context.set_text_baseline("middle");
        Self { context, size, fill: None, stroke: None, font: None, align: None, waiting: false }
    }

    fn stroke_waiting(&mut self) {
        if core::mem::take(&mut self.waiting) {
            self.context.stroke();
        }
    }

    fn set_fill(&mut self, colour: BackendColor) {
        self.stroke_waiting();
        let paint = paint(colour);
        if self.fill.replace(paint) != Some(paint) {
            self.context.set_fill_style_str(&css(paint));
        }
    }

    /// Sets the style of lines; whether it is another than before.
    fn set_stroke(&mut self, style: &impl BackendStyle) -> bool {
        let (paint, width) = (paint(style.color()), style.stroke_width());
        let changed = self.stroke != Some((paint, width));
        if changed {
            self.stroke_waiting();
            self.stroke = Some((paint, width));
            self.context.set_stroke_style_str(&css(paint));
            self.context.set_line_width(f64::from(width));
        }
        changed
    }

    fn trace(&self, path: impl IntoIterator<Item = BackendCoord>) {
        for (at, (x, y)) in path.into_iter().enumerate() {
            let (x, y) = (f64::from(x), f64::from(y));
            if at == 0 {
                self.context.move_to(x, y);
            } else {
                self.context.line_to(x, y);
            }
        }
    }
}

fn paint(colour: BackendColor) -> Paint {
    let (red, green, blue) = colour.rgb;
    (Rgb(red, green, blue), (colour.alpha * f64::from(u8::MAX)).round() as u8)
}

fn css((colour, opacity): Paint) -> String {
    if opacity == u8::MAX { colour.css() } else { format!("{}{opacity:02x}", colour.css()) }
}

fn failed(error: &JsValue) -> DrawingErrorKind<PaintError> {
    DrawingErrorKind::DrawingError(refused(error))
}

impl DrawingBackend for Surface<'_> {
    type ErrorType = PaintError;

    fn get_size(&self) -> (u32, u32) {
        self.size
    }

    fn ensure_prepared(&mut self) -> Result {
        Ok(())
    }

    fn present(&mut self) -> Result {
        self.stroke_waiting();
        Ok(())
    }

    fn draw_pixel(&mut self, (x, y): BackendCoord, colour: BackendColor) -> Result {
        self.set_fill(colour);
        self.context.fill_rect(f64::from(x), f64::from(y), 1.0, 1.0);
        Ok(())
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, path: I, style: &S) -> Result {
        let changed = self.set_stroke(style);
        if changed || !self.waiting {
            self.context.begin_path();
        }
        self.trace(path);
        self.waiting = true;
        Ok(())
    }

    fn draw_rect<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S, fill: bool) -> Result {
        let (x, y) = (f64::from(from.0), f64::from(from.1));
        let (width, height) = (f64::from(to.0 - from.0), f64::from(to.1 - from.1));
        if fill {
            self.set_fill(style.color());
            self.context.fill_rect(x, y, width, height);
        } else {
            self.stroke_waiting();
            self.set_stroke(style);
            self.context.stroke_rect(x, y, width, height);
        }
        Ok(())
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, path: I, style: &S) -> Result {
        self.set_fill(style.color());
        self.context.begin_path();
        self.trace(path);
        self.context.fill();
        Ok(())
    }

    fn draw_circle<S: BackendStyle>(&mut self, (x, y): BackendCoord, radius: u32, style: &S, fill: bool) -> Result {
        self.stroke_waiting();
        self.context.begin_path();
        self.context.arc(f64::from(x), f64::from(y), f64::from(radius), 0.0, TAU).map_err(|error| failed(&error))?;
        if fill {
            self.set_fill(style.color());
            self.context.fill();
        } else {
            self.set_stroke(style);
            self.context.stroke();
        }
        Ok(())
    }

    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, (x, y): BackendCoord) -> Result {
        self.set_fill(style.color());
        let align = match style.anchor().h_pos {
            HPos::Left => "left",
            HPos::Center => "center",
            HPos::Right => "right",
        };
        if self.align.replace(align) != Some(align) {
            self.context.set_text_align(align);
        }
        let font = (style.size().round() as u32, matches!(style.style(), FontStyle::Bold));
        // Setting a font makes the browser settle the styles of the whole page.
        if self.font.replace(font) != Some(font) {
            let weight = if font.1 { "bold " } else { "" };
            self.context.set_font(&format!("{weight}{}px {}", font.0, style.family().as_str()));
        }
        self.context.fill_text(text, f64::from(x), f64::from(y)).map_err(|error| failed(&error))
    }
}
