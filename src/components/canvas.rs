//! A canvas that repaints when what it shows, its size or the theme changes.

use std::rc::Rc;

use web_sys::HtmlCanvasElement;
use yew::prelude::*;

use crate::browser::{self, Size};
use charts::paint::{self, Style};
use charts::palette::Theme;

/// Paints what it is given; the function pointer keeps the component out of what a chart is.
pub type Painter<T> = fn(&T, &HtmlCanvasElement, &Style);

/// Keeps a canvas painted, again once the browser has restored it, and gives its size: a painting
/// follows each render within the same frame. One that is far from the screen keeps its picture until it comes near.
#[hook]
pub fn use_painted<T: PartialEq + 'static>(canvas: &NodeRef, what: &Rc<T>, theme: Theme, painter: Painter<T>) -> Size {
    let size = browser::use_size(canvas);
    let restorations = browser::use_restorations(canvas, paint::forget_image);
    let far = browser::use_far(canvas);
    let painted = use_mut_ref(|| None);
    // The same again is no change.
    let wanted = (what.clone(), theme, size, restorations);
    if !far || painted.borrow().is_none() {
        painted.replace(Some(wanted));
    }
    let deps = painted.borrow().clone();
    let node = canvas.clone();
    use_effect_with(deps, move |deps| {
        let Some((what, theme, size, _)) = deps else { return };
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
