//! The colour scale of a field: even steps of lightness with a changing hue (in OKLab), so that it
//! is readable in grey and with every common colour blindness. It starts near the surface colour
//! and moves away from it.

use super::{Rgb, Theme};

/// Lightness 0.965 to 0.345, hue 105 (yellow) over 200 (teal) to 272 (blue).
const LIGHT: [u32; 9] = [0xf7f6d3, 0xcce4ad, 0x8cd59b, 0x4ebfa4, 0x0aa4ab, 0x0088a8, 0x006aa0, 0x154d90, 0x242e7b];

/// Lightness 0.27 to 0.91, hue 285 (violet) over 215 (teal) to 112 (yellow).
const DARK: [u32; 9] = [0x242142, 0x2a3764, 0x265085, 0x186e97, 0x158ca2, 0x06aba5, 0x4bc899, 0x98dd82, 0xe4eb6c];

/// Returns the colour at a position from 0 to 1 on the scale.
pub fn ramp(theme: Theme, share: f64) -> Rgb {
    let stops = match theme {
        Theme::Light => &LIGHT,
        Theme::Dark => &DARK,
    };
    let last = stops.len() - 1;
    // NaN takes the first colour, as a cast from NaN is zero.
    let at = share.clamp(0.0, 1.0) * last as f64;
    let first = (at as usize).min(last - 1);
    match stops.get(first..) {
        Some([from, to, ..]) => Rgb::hex(*from).mix(Rgb::hex(*to), at - first as f64),
        _ => Rgb::hex(0),
    }
}
