//! The style of lines by role: colour, dashes, width.

use super::{Rgb, Theme, choice, limiter, part, pin, set, stack_colour, strategy, tokens};
use crate::spec::LineRole;
use engine::model::report::{Limiter, MemoryPart};

/// Returns the colour of a line.
pub fn line(theme: Theme, role: LineRole) -> Rgb {
    match role {
        LineRole::Current(place) => strategy(theme, place),
        LineRole::MemoryFrontier | LineRole::Enough => limiter(theme, Limiter::Memory),
        LineRole::Bound
        | LineRole::NetworkBoundary
        | LineRole::Adaptive
        | LineRole::Roof
        | LineRole::Equal
        | LineRole::Reserved => tokens(theme).text,
        LineRole::Choice(place) => choice(theme, place),
        LineRole::Pin(place) => pin(theme, place),
        LineRole::Baseline | LineRole::Ideal | LineRole::Reached | LineRole::Margin => tokens(theme).muted,
        LineRole::Weak => tokens(theme).accent,
        LineRole::Strong | LineRole::Best => part(theme, MemoryPart::Activations),
        LineRole::Network => limiter(theme, Limiter::InterNode),
        LineRole::Set(place) => set(theme, place),
        LineRole::Held(of) => stack_colour(theme, of),
    }
}

/// Returns the dash pattern of a line in CSS pixels (drawn, skipped, ...); empty for a solid line.
/// No two roles in one figure have both pattern and colour in common, and the choices differ
/// by pattern alone.
pub const fn dashes(role: LineRole) -> &'static [f64] {
    match role {
        LineRole::Choice(place) => match place {
            0 => &[2.0, 3.0],
            1 => &[10.0, 3.0],
            2 => &[3.0, 6.0],
            3 => &[6.0, 3.0],
            4 => &[8.0, 3.0, 2.0, 3.0],
            5 => &[4.0, 2.0],
            6 => &[],
            _ => &[12.0, 3.0, 2.0, 3.0, 2.0, 3.0],
        },
        LineRole::Pin(place) => match place {
            0 => &[5.0, 1.5],
            1 => &[5.0, 1.5, 1.0, 1.5],
            _ => &[1.5, 1.5],
        },
        LineRole::Bound => &[7.0, 5.0],
        LineRole::Enough => &[3.0, 3.0],
        LineRole::Current(_)
        | LineRole::Best
        | LineRole::MemoryFrontier
        | LineRole::Adaptive
        | LineRole::Weak
        | LineRole::Roof
        | LineRole::Equal
        | LineRole::Set(_)
        | LineRole::Held(_)
        | LineRole::Reserved => &[],
        LineRole::Strong => &[9.0, 4.0],
        LineRole::Ideal => &[2.0, 4.0],
        LineRole::Reached => &[5.0, 4.0],
        LineRole::Network => &[10.0, 3.0, 2.0, 3.0],
        LineRole::Margin => &[4.0, 3.0],
        LineRole::NetworkBoundary => &[1.5, 3.5],
        LineRole::Baseline => &[16.0, 5.0],
    }
}

/// Returns the width of a line in CSS pixels.
pub const fn width(role: LineRole) -> f64 {
    match role {
        LineRole::Margin | LineRole::Held(_) => 1.0,
        LineRole::Choice(_) | LineRole::Bound | LineRole::Ideal | LineRole::Reached | LineRole::Equal => 1.5,
        LineRole::Current(_) | LineRole::Adaptive => 3.0,
        LineRole::Weak | LineRole::Strong => 2.5,
        LineRole::Best
        | LineRole::Pin(_)
        | LineRole::Baseline
        | LineRole::MemoryFrontier
        | LineRole::Enough
        | LineRole::NetworkBoundary
        | LineRole::Roof
        | LineRole::Network
        | LineRole::Set(_)
        | LineRole::Reserved => 2.0,
    }
}
