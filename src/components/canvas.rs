//! A canvas that repaints when what it shows, its size or the theme changes.

use std::rc::Rc;

use web_sys::HtmlCanvasElement;
use yew::prelude::*;

use crate::effects;
use charts::paint::{self, Style};
use charts::palette::Theme;

/// The size of a canvas on the page, in CSS pixels, and the pixels of the screen in one of them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Size {
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
    /// Device pixels in a CSS pixel.
    pub ratio: f64,
}

/// Paints what it is given; the function pointer keeps the component out of what a chart is.
pub type Painter<T> = fn(&T, &HtmlCanvasElement, &Style);

/// Keeps a canvas painted, again once the browser has restored it, and gives its size: a painting follows each render within the
/// same frame.
#[hook]
pub fn use_painted<T: PartialEq + 'static>(canvas: &NodeRef, what: &Rc<T>, theme: Theme, painter: Painter<T>) -> Size {
    let size = effects::use_size(canvas);
    let restorations = effects::use_restorations(canvas, paint::forget_image);
    let deps = (what.clone(), theme, size, restorations);
    let node = canvas.clone();
    use_effect_with(deps, move |(what, theme, size, _)| {
        let style =
            Style { theme: *theme, css_width: size.width, css_height: size.height, device_pixel_ratio: size.ratio };
        if let Some(canvas) = node.cast::<HtmlCanvasElement>()
            && size.width > 0.0
        {
            painter(what, &canvas, &style);
        }
    });
    size
}
