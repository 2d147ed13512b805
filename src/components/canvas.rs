//! A canvas that repaints when what it shows, its size or the theme changes.

use std::rc::Rc;

use web_sys::HtmlCanvasElement;
use yew::prelude::*;

use crate::browser::{self, Size};
use crate::derived::Plot;
use charts::paint::{self, Style};
use charts::palette::Theme;

/// Paints what it is given; the function pointer keeps the component out of what a chart is.
pub type Painter<T> = fn(&T, &HtmlCanvasElement, &Style);

/// Keeps a canvas painted, again once the browser has restored it, and gives its size: a painting
/// follows each render within the same frame.
#[hook]
pub fn use_painted<T: PartialEq + 'static>(canvas: &NodeRef, what: &Rc<T>, theme: Theme, painter: Painter<T>) -> Size {
    use_painted_by(None, canvas, what, theme, painter)
}

/// The same of a canvas that the worker paints, where that is one of its plots.
#[hook]
pub fn use_painted_by<T: PartialEq + 'static>(
    plot: Option<Plot>,
    canvas: &NodeRef,
    what: &Rc<T>,
    theme: Theme,
    painter: Painter<T>,
) -> Size {
    let size = browser::use_size(canvas);
    browser::use_given_away(canvas, plot, size);
    let restorations = browser::use_restorations(canvas, paint::forget_image);
    let deps = (what.clone(), theme, size, restorations);
    let node = canvas.clone();
    use_effect_with(deps, move |(what, theme, size, _)| {
        let style =
            Style { theme: *theme, css_width: size.width, css_height: size.height, device_pixel_ratio: size.ratio };
        if let Some(canvas) = node.cast::<HtmlCanvasElement>()
            && plot.is_none()
            && size.width > 0.0
        {
            painter(what, &canvas, &style);
        }
    });
    size
}
