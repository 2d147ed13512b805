//! The HTML canvas of plotters-canvas with fewer calls to the browser, which take most of a redraw:
//! lines of the same style are stroked together, and fill and font are only set when they change.
//! Other shapes are drawn by plotters-canvas.

use plotters::style::FontStyle;
use plotters::style::text_anchor::{HPos, VPos};
use plotters_backend::{BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind};
use plotters_canvas::CanvasBackend;
use wasm_bindgen::JsValue;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

use crate::error::refused;
use charts::paint::PaintError;
use charts::palette::Rgb;

type Result = core::result::Result<(), DrawingErrorKind<PaintError>>;
type Drawn = core::result::Result<(), DrawingErrorKind<<CanvasBackend as DrawingBackend>::ErrorType>>;

/// A canvas with the state that was last set on it.
pub(crate) struct Brush<'a> {
    context: &'a CanvasRenderingContext2d,
    canvas: HtmlCanvasElement,
    fill: Option<BackendColor>,
    stroke: Option<(BackendColor, u32)>,
    /// Font size in backend units, and whether the font is bold.
    font: Option<(f64, bool)>,
    align: Option<&'static str>,
    /// Whether the path holds lines that are not stroked yet.
    pending: bool,
}

impl<'a> Brush<'a> {
    /// Creates a brush for a context of unknown state; `None` if the context has no canvas.
    pub(crate) fn new(context: &'a CanvasRenderingContext2d) -> Option<Self> {
        context.set_text_baseline("middle");
        Some(Self {
            context,
            canvas: context.canvas()?,
            fill: None,
            stroke: None,
            font: None,
            align: None,
            pending: false,
        })
    }

    /// Draws a shape with plotters-canvas, which sets colours without the brush.
    fn own(&mut self, draw: impl FnOnce(&mut CanvasBackend) -> Drawn) -> Result {
        self.flush();
        (self.fill, self.stroke) = (None, None);
        let Some(mut canvas) = CanvasBackend::with_canvas_object(self.canvas.clone()) else { return Ok(()) };
        draw(&mut canvas).map_err(|error| DrawingErrorKind::DrawingError(PaintError(error.to_string())))
    }

    /// Strokes the pending lines.
    pub(crate) fn flush(&mut self) {
        if core::mem::take(&mut self.pending) {
            self.context.stroke();
        }
    }

    /// Strokes pending lines, and sets the fill colour.
    fn fill_in(&mut self, colour: BackendColor) {
        self.flush();
        if !self.fill.is_some_and(|last| same(last, colour)) {
            self.context.set_fill_style_str(&css(colour));
            self.fill = Some(colour);
        }
    }

    /// Sets colour and width of strokes; pending lines of another style are stroked first.
    fn stroke_in(&mut self, colour: BackendColor, width: u32) {
        if self.stroke.is_some_and(|(last, last_width)| same(last, colour) && last_width == width) {
            return;
        }
        self.flush();
        self.context.set_stroke_style_str(&css(colour));
        self.context.set_line_width(f64::from(width));
        self.stroke = Some((colour, width));
    }

    /// Adds lines to the path.
    fn trace(&self, path: impl IntoIterator<Item = BackendCoord>) {
        let mut path = path.into_iter().map(|(x, y)| (f64::from(x), f64::from(y)));
        if let Some((x, y)) = path.next() {
            self.context.move_to(x, y);
        }
        path.for_each(|(x, y)| self.context.line_to(x, y));
    }
}

fn same(one: BackendColor, other: BackendColor) -> bool {
    one.rgb == other.rgb && one.alpha == other.alpha
}

/// Formats a colour as `#rrggbbaa`.
fn css(BackendColor { rgb: (red, green, blue), alpha }: BackendColor) -> String {
    let alpha = (alpha * f64::from(u8::MAX)).round() as u8;
    format!("{}{alpha:02x}", Rgb(red, green, blue).css())
}

fn failed(error: JsValue) -> DrawingErrorKind<PaintError> {
    DrawingErrorKind::DrawingError(refused(error))
}

impl DrawingBackend for Brush<'_> {
    type ErrorType = PaintError;

    fn get_size(&self) -> (u32, u32) {
        (self.canvas.width(), self.canvas.height())
    }

    fn ensure_prepared(&mut self) -> Result {
        Ok(())
    }

    fn present(&mut self) -> Result {
        self.flush();
        Ok(())
    }

    fn draw_pixel(&mut self, point: BackendCoord, colour: BackendColor) -> Result {
        self.own(|canvas| canvas.draw_pixel(point, colour))
    }

    fn draw_rect<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S, fill: bool) -> Result {
        let (left, top) = (f64::from(from.0), f64::from(from.1));
        let (width, height) = (f64::from(to.0) - left, f64::from(to.1) - top);
        if fill {
            self.fill_in(style.color());
            self.context.fill_rect(left, top, width, height);
        } else {
            self.flush();
            self.stroke_in(style.color(), style.stroke_width());
            self.context.stroke_rect(left, top, width, height);
        }
        Ok(())
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, path: I, style: &S) -> Result {
        self.stroke_in(style.color(), style.stroke_width());
        if !self.pending {
            self.context.begin_path();
            self.pending = true;
        }
        self.trace(path);
        Ok(())
    }

    fn draw_line<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S) -> Result {
        self.draw_path([from, to], style)
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, path: I, style: &S) -> Result {
        self.fill_in(style.color());
        self.context.begin_path();
        self.trace(path);
        self.context.close_path();
        self.context.fill();
        Ok(())
    }

    fn draw_circle<S: BackendStyle>(&mut self, centre: BackendCoord, radius: u32, style: &S, fill: bool) -> Result {
        if !fill {
            return self.own(|canvas| canvas.draw_circle(centre, radius, style, false));
        }
        self.fill_in(style.color());
        self.context.begin_path();
        let (x, y) = (f64::from(centre.0), f64::from(centre.1));
        self.context.arc(x, y, f64::from(radius), 0.0, core::f64::consts::TAU).map_err(failed)?;
        self.context.fill();
        Ok(())
    }

    /// Draws horizontal text, centred vertically on its position: figures use no other.
    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, (x, y): BackendCoord) -> Result {
        self.fill_in(style.color());
        let (size, bold) = (style.size(), matches!(style.style(), FontStyle::Bold));
        if self.font != Some((size, bold)) {
            let font = format!("{}{size}px ", if bold { "bold " } else { "" });
            // A canvas keeps its font between pictures, and setting a font is slow.
            if self.font.is_some() || !self.context.font().starts_with(&font) {
                self.context.set_font(&(font + style.family().as_str()));
            }
            self.font = Some((size, bold));
        }
        let anchor = style.anchor();
        debug_assert!(matches!(anchor.v_pos, VPos::Center), "text at another height than its middle");
        let align = match anchor.h_pos {
            HPos::Left => "start",
            HPos::Right => "end",
            HPos::Center => "center",
        };
        if self.align != Some(align) {
            self.context.set_text_align(align);
            self.align = Some(align);
        }
        self.context.fill_text(text, f64::from(x), f64::from(y)).map_err(failed)
    }
}
