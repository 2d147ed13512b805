//! Draws a timeline: bars on lanes, with their names where they fit.

use super::PaintError;
use super::geometry::Rect;
use super::pen::{Align, Pen, Stroke, text_width};
use crate::layout::PlotArea;
use crate::layout::lanes::{BAR, bar};
use crate::names;
use crate::palette::{self, Pattern, Theme, readable, tokens};
use crate::timeline::{Lanes, Mark};
use engine::model::report::Work;

/// Smallest width of a bar, so that it is visible.
const NARROWEST: f64 = 0.5;
/// Width from which bars are separated from their neighbours.
const APART: f64 = 4.0;
/// Room at each side of a bar's name.
const BESIDE: f64 = 4.0;
/// Smallest width of a bar that may have a name.
const SHORTEST: f64 = 32.0;
/// Height of the plate under a name.
const PLATE: f64 = 18.0;
/// Distance between the lines of a pattern.
const GAP: f64 = 6.0;
/// Opacity of pattern lines.
const OVER: f64 = 0.4;

/// Draws the lanes with their bars.
pub(super) fn draw(pen: &mut Pen, lanes: &Lanes, area: &PlotArea, theme: Theme) -> Result<(), PaintError> {
    let colours = tokens(theme);
    for (place, &lane) in lanes.shown.iter().enumerate() {
        let (top, bottom) = bar(area, place, lanes.shown.len());
        pen.text(names::lane(lane), (area.left, top - 9.0), Align::Left, colours.muted, false)?;
        let mut named: Vec<(&Mark, Work, Rect)> = Vec::new();
        let mut last: Option<(Work, Rect)> = None;
        for mark in lanes.on(lane) {
            let x = |time| area.to_pixel(lanes.x(time), 0.0).0;
            let (left, right) = (x(mark.start).max(area.left), x(mark.end).min(area.right()));
            let per_second = BAR / mark.length().get();
            let mut low = bottom;
            for (work, time) in mark.parts() {
                // A mark of several kinds of work is split by height, in proportion to their times.
                let rect = Rect { left, top: (low - per_second * time.get()).max(top), right, bottom: low };
                low = rect.top;
                // Bars too narrow to be separated are drawn as one.
                if let Some((own, open)) = &mut last
                    && *own == work
                    && right - left < APART
                    && (left - open.right).abs() < 0.5
                    && (rect.top - open.top).abs() < 0.5
                    && rect.bottom == open.bottom
                {
                    open.right = right;
                } else if let Some(done) = last.replace((work, rect)) {
                    fill(pen, done, theme)?;
                }
                if right - left > SHORTEST && rect.bottom - low > PLATE {
                    named.push((mark, work, rect));
                }
            }
        }
        if let Some(done) = last {
            fill(pen, done, theme)?;
        }
        for (mark, work, rect) in named {
            name(pen, mark, work, rect, theme)?;
        }
        pen.hairline((area.left, bottom), (area.right(), bottom), colours.axis, 1.0)?;
    }
    Ok(())
}

/// Draws one bar with its pattern, separated from the next if it is wide enough.
pub(super) fn fill(pen: &mut Pen, (work, rect): (Work, Rect), theme: Theme) -> Result<(), PaintError> {
    let surface = tokens(theme).surface;
    let right = rect.right.max(rect.left + NARROWEST);
    pen.fill((rect.left, rect.top), (right, rect.bottom), palette::work(theme, work), 1.0)?;
    let stroke = Stroke { opacity: OVER, ..Stroke::solid(surface, 1.0) };
    match palette::pattern(work) {
        Pattern::Plain => {}
        // Pattern lines start at the same origin everywhere, so that they continue from bar to bar.
        Pattern::Hatched => {
            let mut sum = ((rect.left + rect.top) / GAP).ceil() * GAP;
            while sum < rect.right + rect.bottom {
                let (from, to) = ((sum - rect.bottom).max(rect.left), (sum - rect.top).min(rect.right));
                pen.line(&[(from, sum - from), (to, sum - to)], stroke)?;
                sum += GAP;
            }
        }
        Pattern::Ruled => {
            let mut y = (rect.top / GAP).ceil() * GAP;
            while y < rect.bottom {
                pen.line(&[(rect.left, y), (rect.right, y)], stroke)?;
                y += GAP;
            }
        }
    }
    if rect.right - rect.left >= APART {
        pen.hairline((rect.right, rect.top), (rect.right, rect.bottom), surface, 1.0)?;
    }
    Ok(())
}

/// Draws a bar's name if it fits: its work with the layer, else the layer alone.
fn name(pen: &mut Pen, mark: &Mark, work: Work, rect: Rect, theme: Theme) -> Result<(), PaintError> {
    let fits = |text: &str| text_width(text) + 2.0 * BESIDE < rect.right - rect.left;
    let whole = mark.name();
    let alone = names::work(work);
    let text = if fits(&whole) { &whole } else { alone };
    if !fits(text) {
        return Ok(());
    }
    let fill = palette::work(theme, work);
    let (half, (x, y)) = (text_width(text) / 2.0 + BESIDE, rect.middle());
    // Over a pattern, the name has a plate as background.
    pen.fill((x - half, y - PLATE / 2.0), (x + half, y + PLATE / 2.0), fill, 1.0)?;
    pen.text(text, (x, y), Align::Centre, readable(fill), false)
}
