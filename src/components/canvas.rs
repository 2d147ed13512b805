//! A canvas that is repainted when its content, its size or the theme changes.

use std::rc::Rc;

use web_sys::HtmlCanvasElement;
use yew::prelude::*;

use crate::browser::{self, Size};
use charts::paint::Style;
use charts::palette::Theme;
use charts_canvas::forget_image;

/// Paints a value on a canvas. A function pointer keeps this module independent of charts.
pub type Painter<T> = fn(&T, &HtmlCanvasElement, &Style);

/// Keeps a canvas painted, also after the browser has restored it, and returns its size: a painting
/// follows each render within one frame. Without a painter, only returns the size.
#[hook]
pub fn use_painted<T: PartialEq + 'static>(
    canvas: &NodeRef,
    what: &Rc<T>,
    theme: Theme,
    painter: Option<Painter<T>>,
) -> Size {
    let size = browser::use_size(canvas);
    let restorations = browser::use_restorations(canvas, forget_image);
    let deps = (what.clone(), theme, size, restorations, painter.is_some());
    let node = canvas.clone();
    use_effect_with(deps, move |(what, theme, size, ..)| {
        let style =
            Style { theme: *theme, css_width: size.width, css_height: size.height, device_pixel_ratio: size.ratio };
        if let Some(painter) = painter
            && let Some(canvas) = node.cast::<HtmlCanvasElement>()
            && size.width > 0.0
        {
            painter(what, &canvas, &style);
        }
    });
    size
}
