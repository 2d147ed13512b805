//! Marks of pinned scenarios: each exactly at its data, with its letter there or next to it.

use super::PaintError;
use super::geometry::{EDGE, HERE, Spot, distance};
use super::pen::{Align, Pen, Stroke};
use crate::layout::PlotArea;
use crate::palette::{self, Theme, tokens};
use crate::spec::{ChartSpec, PinMark};
use engine::scenario::pins::pin_letter;

/// Radius of the space around a pinned scenario's mark.
pub(super) const BADGE: f64 = 10.5;
/// Distance between two rings around a place with several marks.
const RING: f64 = 3.5;
/// Width of a ring, and of the line from the ring to its letter.
const STROKE: f64 = 2.0;

/// Mark of a pinned scenario.
pub(super) struct Badge<'a> {
    /// The pinned scenario.
    pub(super) pin: &'a PinMark,
    /// The place given by data, which never moves.
    at: Spot,
    /// Position of the letter: at the place, or next to the place if that is occupied.
    pub(super) letter: Spot,
    /// Radius of the ring around the place, outside of earlier marks.
    ring: f64,
}

/// Returns the marks of pinned scenarios: letters are next to their places where letters would
/// overlap.
pub(super) fn badges<'a>(spec: &'a ChartSpec, area: &PlotArea, here: Option<Spot>) -> Vec<Badge<'a>> {
    let mut taken: Vec<Spot> = here.into_iter().collect();
    let mut marks: Vec<Badge> = Vec::with_capacity(spec.pins.len());
    for pin in &spec.pins {
        let at = area.to_pixel(pin.at.0, pin.at.1);
        let (mut x, y) = at;
        // Letters move to the left near the right edge.
        let step = if x + 6.0 * BADGE > area.right() { -2.0 * BADGE } else { 2.0 * BADGE };
        while taken.iter().any(|other| (other.0 - x).abs() < 2.0 * BADGE && (other.1 - y).abs() < 2.0 * BADGE) {
            x += step;
        }
        taken.push((x, y));
        let near = |other: Spot| distance(other, at) < BADGE;
        let within = if marks.iter().any(|other| other.letter == other.at && near(other.at)) {
            BADGE
        } else if here.is_some_and(near) {
            HERE + EDGE
        } else {
            0.0
        };
        let rings = marks.iter().filter(|other| other.letter != other.at && near(other.at)).count();
        marks.push(Badge { pin, at, letter: (x, y), ring: within + RING * (1.0 + rings as f64) });
    }
    marks
}

/// Draws the place of a pinned scenario whose letter is next to the place: a ring, under earlier
/// marks, and a line to the letter.
pub(super) fn place_of(pen: &mut Pen, badge: &Badge, theme: Theme) -> Result<(), PaintError> {
    let &Badge { pin, at, letter, ring } = badge;
    if at == letter {
        return Ok(());
    }
    let colour = palette::pin(theme, pin.place);
    pen.line(&[at, letter], Stroke::solid(colour, STROKE))?;
    pen.disc(at, ring, colour)?;
    pen.disc(at, ring - STROKE, tokens(theme).surface)
}

/// Draws a pinned scenario's letter on its colour; hollow if the figure does not hold for that
/// scenario.
pub(super) fn letter(pen: &mut Pen, pin: &PinMark, at: Spot, theme: Theme) -> Result<(), PaintError> {
    let colour = palette::pin(theme, pin.place);
    pen.disc(at, BADGE - 0.5, tokens(theme).surface)?;
    pen.disc(at, BADGE - 2.0, colour)?;
    if !pin.own {
        pen.disc(at, BADGE - 4.0, tokens(theme).surface)?;
    }
    let text = if pin.own { palette::readable(colour) } else { colour };
    pen.text(pin_letter(pin.place), at, Align::Centre, text, true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::plot_area;

    fn marked(places: &[(f64, f64)], here: Option<(f64, f64)>) -> Vec<(Spot, Spot, f64)> {
        let pins = places.iter().enumerate().map(|(place, &at)| PinMark { place, at, own: true }).collect();
        let spec = ChartSpec { here, pins, ..ChartSpec::empty() };
        let area = plot_area(&spec, 800.0, 400.0);
        let found = badges(&spec, &area, here.map(|(x, y)| area.to_pixel(x, y)));
        for (badge, pin) in found.iter().zip(&spec.pins) {
            assert_eq!(badge.at, area.to_pixel(pin.at.0, pin.at.1));
        }
        found.into_iter().map(|badge| (badge.at, badge.letter, badge.ring)).collect()
    }

    #[test]
    fn a_pin_alone_has_its_letter_where_it_is() {
        let found = marked(&[(0.2, 0.5), (0.7, 0.5)], Some((0.45, 0.5)));
        assert!(found.iter().all(|(at, letter, _)| at == letter), "{found:?}");
    }

    /// Places never move, and rings show the number of scenarios at a place.
    #[test]
    fn pins_in_one_place_stay_there_and_their_letters_stand_side_by_side() {
        let found = marked(&[(0.5, 0.5); 3], Some((0.5, 0.5)));
        let [a, b, c] = found[..] else { panic!("{found:?}") };
        assert!(a.0 == b.0 && b.0 == c.0);
        assert!(a.2 > HERE + EDGE && b.2 > a.2 && c.2 > b.2, "{found:?}");
        let apart = |one: Spot, other: Spot| distance(one, other) >= 2.0 * BADGE;
        assert!(apart(a.1, b.1) && apart(b.1, c.1) && apart(a.1, c.1) && apart(a.1, a.0), "{found:?}");
        // Without the scenario's own mark the first letter is at the place, and the rings are
        // around it.
        let found = marked(&[(0.5, 0.5); 2], None);
        assert!(found[0].0 == found[0].1 && found[1].2 > BADGE, "{found:?}");
    }
}
