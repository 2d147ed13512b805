//! Painting on the canvas: size, scale, and the image of a field. The painter of `charts` does the
//! rest.
//!
//! A canvas belongs to the page or to a worker ([`OffscreenCanvas`]): both have equal members, and
//! every function called here exists on either.

use crate::brush::Brush;
use crate::error::refused;
use charts::layout::PlotArea;
use charts::paint::{Image, PaintError, Picture, Poster, Style};
use charts::palette::{Theme, tokens};
use charts::spec::{BarSpec, ChartSpec, Field};
use core::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::{Clamped, JsCast};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, ImageBitmap, ImageData, OffscreenCanvas};

/// Backend units per device pixel: plotters only has whole coordinates, and curves need finer ones.
const SUBPIXELS: f64 = 8.0;

/// The last image of a field with the hidden canvas that stretches the image, reused from frame to
/// frame.
#[derive(Default)]
struct Stretcher {
    image: Image,
    /// The field and the theme of the image.
    drawn: Option<(Rc<Field>, Theme)>,
    hidden: Option<(OffscreenCanvas, Sheet)>,
}

/// A canvas with its context.
#[derive(Debug)]
pub struct Sheet {
    canvas: HtmlCanvasElement,
    context: CanvasRenderingContext2d,
}

impl Sheet {
    /// Creates a sheet from a canvas of the page.
    ///
    /// # Errors
    ///
    /// Fails if the canvas has no 2D context.
    pub fn from_page_canvas(canvas: &HtmlCanvasElement) -> Result<Self, PaintError> {
        let context = canvas.get_context("2d").map_err(refused)?.ok_or_else(|| PaintError(NO_CONTEXT.to_string()))?;
        // The context of a worker has another class with equal members.
        Ok(Self { canvas: canvas.clone(), context: context.unchecked_into() })
    }

    /// Creates a sheet from a canvas that is not on the page.
    ///
    /// # Errors
    ///
    /// Fails if the canvas has no 2D context.
    pub fn from_worker_canvas(canvas: &OffscreenCanvas) -> Result<Self, PaintError> {
        Self::from_page_canvas(canvas.unchecked_ref())
    }

    /// Shows a picture that was painted elsewhere, and resizes the canvas to the picture.
    ///
    /// # Errors
    ///
    /// Fails if the canvas refuses to draw.
    pub fn show(&self, picture: &ImageBitmap) -> Result<(), PaintError> {
        let Self { canvas, context } = self;
        resize(canvas, picture.width(), picture.height());
        context.set_transform(1.0, 0.0, 0.0, 1.0, 0.0, 0.0).map_err(refused)?;
        context.draw_image_with_image_bitmap(picture, 0.0, 0.0).map_err(refused)
    }
}

const NO_CONTEXT: &str = "the canvas has no 2D context.";

thread_local! {
    static STRETCHER: RefCell<Stretcher> = RefCell::default();
}

/// Drops the reused image: a browser that loses the pixels of one canvas also loses the pixels of
/// the hidden canvas.
pub fn forget_image() {
    STRETCHER.take();
}

/// Paints a chart; `crosshair` is in data units. Sets the size of the canvas in device pixels; CSS
/// sizes the element.
///
/// # Errors
///
/// Fails if the canvas refuses to draw.
pub fn paint_chart(
    spec: &ChartSpec,
    sheet: &Sheet,
    style: &Style,
    crosshair: Option<(f64, f64)>,
) -> Result<(), PaintError> {
    paint(&Picture::chart(spec, style, crosshair), sheet)
}

/// Paints a memory bar, with an outline around the highlighted part.
///
/// # Errors
///
/// Fails if the canvas refuses to draw.
pub fn paint_bar(spec: &BarSpec, sheet: &Sheet, style: &Style, highlighted: Option<usize>) -> Result<(), PaintError> {
    paint(&Picture::bar(spec, style, highlighted), sheet)
}

/// Paints a chart with its legend on a new canvas, to be saved.
///
/// # Errors
///
/// Fails if the browser creates no canvas or refuses to draw.
pub fn picture_of_chart(spec: &ChartSpec, style: &Style) -> Result<HtmlCanvasElement, PaintError> {
    on_new_canvas(&Picture::saved_chart(spec, style))
}

/// Paints a memory bar with its legend on a new canvas, to be saved.
///
/// # Errors
///
/// Fails if the browser creates no canvas or refuses to draw.
pub fn picture_of_bar(spec: &BarSpec, style: &Style) -> Result<HtmlCanvasElement, PaintError> {
    on_new_canvas(&Picture::saved_bar(spec, style))
}

/// Paints a poster on a new canvas with `pixel_ratio` device pixels per CSS pixel, to be saved.
///
/// # Errors
///
/// Fails if the browser creates no canvas or refuses to draw.
pub fn picture_of_poster(poster: &Poster, pixel_ratio: f64) -> Result<HtmlCanvasElement, PaintError> {
    on_new_canvas(&Picture::poster(poster, pixel_ratio))
}

fn on_new_canvas(picture: &Picture) -> Result<HtmlCanvasElement, PaintError> {
    let sheet = Sheet::from_page_canvas(&hidden_canvas(1, 1)?)?;
    paint(picture, &sheet)?;
    Ok(sheet.canvas)
}

fn paint(picture: &Picture, sheet: &Sheet) -> Result<(), PaintError> {
    let style = &picture.style;
    let context = prepare(sheet, style)?;
    if let Some((field, area)) = &picture.field {
        stretch(context, field, area, style)?;
    }
    let ratio = style.device_pixel_ratio;
    context.set_transform(1.0 / SUBPIXELS, 0.0, 0.0, 1.0 / SUBPIXELS, 0.0, 0.0).map_err(refused)?;
    context.set_line_join("round");
    let mut brush = Brush::new(context).ok_or_else(|| PaintError(NO_CONTEXT.to_string()))?;
    picture.draw(&mut brush, SUBPIXELS * ratio, ratio)?;
    brush.flush();
    Ok(())
}

/// Sizes the canvas, only on a change, which clears it and is slow.
fn resize(canvas: &HtmlCanvasElement, width: u32, height: u32) {
    if canvas.width() != width {
        canvas.set_width(width);
    }
    if canvas.height() != height {
        canvas.set_height(height);
    }
}

/// Sizes the canvas and fills it with the surface colour.
pub(crate) fn prepare<'a>(sheet: &'a Sheet, style: &Style) -> Result<&'a CanvasRenderingContext2d, PaintError> {
    let Sheet { canvas, context } = sheet;
    let ratio = style.device_pixel_ratio;
    let (width, height) = ((style.css_width * ratio).round() as u32, (style.css_height * ratio).round() as u32);
    resize(canvas, width, height);
    context.set_transform(1.0, 0.0, 0.0, 1.0, 0.0, 0.0).map_err(refused)?;
    context.set_fill_style_str(&tokens(style.theme).surface.css());
    context.fill_rect(0.0, 0.0, f64::from(width), f64::from(height));
    Ok(context)
}

/// Draws the field's image on a hidden canvas and stretches it over the plot.
fn stretch(
    context: &CanvasRenderingContext2d,
    field: &Rc<Field>,
    area: &PlotArea,
    style: &Style,
) -> Result<(), PaintError> {
    STRETCHER.with_borrow_mut(|stretcher| {
        let same = |drawn: &(Rc<Field>, Theme)| Rc::ptr_eq(&drawn.0, field) && drawn.1 == style.theme;
        let hidden = match &stretcher.hidden {
            Some((hidden, _)) if stretcher.drawn.as_ref().is_some_and(same) => hidden.clone(),
            _ => stretcher.draw(field, style.theme)?,
        };
        let ratio = style.device_pixel_ratio;
        let drawn = context.draw_image_with_offscreen_canvas_and_dw_and_dh(
            &hidden,
            area.left * ratio,
            area.top * ratio,
            area.width * ratio,
            area.height * ratio,
        );
        drawn.map_err(refused)
    })
}

impl Stretcher {
    /// Draws a field on the hidden canvas.
    fn draw(&mut self, field: &Rc<Field>, theme: Theme) -> Result<OffscreenCanvas, PaintError> {
        self.image.draw(field, theme);
        let (width, height) = (self.image.width as u32, self.image.height as u32);
        let (hidden, sheet) = match self.hidden.take() {
            Some(kept) if kept.0.width() == width && kept.0.height() == height => kept,
            _ => {
                let hidden = OffscreenCanvas::new(width, height).map_err(refused)?;
                let sheet = Sheet::from_worker_canvas(&hidden)?;
                (hidden, sheet)
            }
        };
        let pixels = Clamped(self.image.bytes.as_slice());
        let data = ImageData::new_with_u8_clamped_array_and_sh(pixels, width, height).map_err(refused)?;
        sheet.context.put_image_data(&data, 0.0, 0.0).map_err(refused)?;
        self.drawn = Some((field.clone(), theme));
        self.hidden = Some((hidden.clone(), sheet));
        Ok(hidden)
    }
}

fn hidden_canvas(width: u32, height: u32) -> Result<HtmlCanvasElement, PaintError> {
    let document = web_sys::window().and_then(|window| window.document());
    let document = document.ok_or_else(|| PaintError("there is no document.".to_string()))?;
    let element = document.create_element("canvas").map_err(refused)?;
    let canvas: HtmlCanvasElement =
        element.dyn_into().map_err(|_| PaintError("the browser made no canvas.".to_string()))?;
    canvas.set_width(width);
    canvas.set_height(height);
    Ok(canvas)
}
