//! Paints a strip: parts side by side without words, and a mark at a limit.

use crate::canvas::{Sheet, prepare};
use charts::paint::{PaintError, Style};
use charts::palette::{Rgb, limiter, tokens};
use engine::model::report::Limiter;

/// Parts with their colours, and the limit; all as fractions of the strip.
#[derive(Clone, Debug, PartialEq)]
pub struct Strip {
    /// The parts from the left.
    pub parts: Vec<(Rgb, f64)>,
    /// Index of the hatched part.
    pub hatched: Option<usize>,
    /// The limit; 1 or more is off the strip.
    pub limit: f64,
}

/// Distance between the lines over the hatched part, in CSS pixels.
const GAP: f64 = 4.0;
/// Half the width of the mark at the limit, in CSS pixels.
const MARK: f64 = 1.0;

/// Paints a strip over the whole canvas.
///
/// # Errors
///
/// Fails if the canvas has no 2D context.
pub fn paint_strip(strip: &Strip, sheet: &Sheet, style: &Style) -> Result<(), PaintError> {
    let context = prepare(sheet, style)?;
    let Style { theme, css_width, css_height, device_pixel_ratio: ratio } = *style;
    let (width, height) = (css_width * ratio, css_height * ratio);
    let fill = |colour: Rgb, left: f64, right: f64| {
        context.set_fill_style_str(&colour.css());
        context.fill_rect(left, 0.0, right - left, height);
    };
    let colours = tokens(theme);
    fill(colours.unfit, 0.0, width);
    let mut from = 0.0;
    for (place, &(colour, share)) in strip.parts.iter().enumerate().filter(|(_, (_, share))| *share > 0.0) {
        // A gap of one pixel, omitted for a narrower part.
        let to = from + share * width;
        fill(colours.surface, from, to);
        fill(colour, from, (to - ratio).max(from));
        if strip.hatched == Some(place) {
            let mut at = from + GAP * ratio;
            while at < to {
                fill(colours.surface, at - ratio, at);
                at += GAP * ratio;
            }
        }
        from = to;
    }
    if strip.limit < 1.0 {
        let at = strip.limit * width;
        fill(limiter(theme, Limiter::Memory), at - MARK * ratio, at + MARK * ratio);
    }
    Ok(())
}
