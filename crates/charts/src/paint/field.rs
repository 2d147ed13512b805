//! Draws a field as an image: bilinear between nodes, with the infeasible part cut out at the
//! interpolated frontier.

use crate::palette::{Rgb, Theme, ramp, tokens};
use crate::spec::{Cell, Field};

/// Least pixels of the image along each axis: about half of a plot's, so that the edge of what fits
/// stays under the frontier's line when the image is stretched smoothly over the plot.
const PIXELS: (usize, usize) = (252, 172);
/// Number of precomputed colours of the scale.
const SHADES: usize = 256;

/// An image of the field, row 0 at the top.
#[derive(Clone, Debug, Default)]
pub struct Image {
    /// Width in pixels.
    pub width: usize,
    /// Height in pixels.
    pub height: usize,
    /// Red, green, blue and opacity of each pixel.
    pub bytes: Vec<u8>,
    /// A row of nodes interpolated between two rows of the field: value and margin of memory.
    row: Vec<(f64, f64)>,
    shades: Vec<[u8; 4]>,
}

impl Image {
    /// Draws the field into the image.
    pub fn draw(&mut self, field: &Field, theme: Theme) {
        let columns = field.columns.max(2) - 1;
        let rows = field.rows.max(2) - 1;
        // Pixels between two nodes.
        let (across, along) = (PIXELS.0.div_ceil(columns), PIXELS.1.div_ceil(rows));
        (self.width, self.height) = (columns * across, rows * along);
        let opaque = |Rgb(red, green, blue): Rgb| [red, green, blue, u8::MAX];
        self.shades.clear();
        self.shades.extend((0..SHADES).map(|shade| opaque(ramp(theme, shade as f64 / (SHADES - 1) as f64))));
        self.bytes.clear();
        self.bytes.reserve(4 * self.width * self.height);
        let unfit = opaque(tokens(theme).unfit);
        let per_value = (SHADES - 1) as f64 / (field.high - field.low);
        for y in 0..self.height {
            let up = rows as f64 - (y as f64 + 0.5) / along as f64;
            self.mix_rows(field, up);
            for pair in self.row.windows(2) {
                let [left, right] = *pair else { continue };
                for step in 0..across {
                    let share = (step as f64 + 0.5) / across as f64;
                    let (value, margin) = (left.0 + share * (right.0 - left.0), left.1 + share * (right.1 - left.1));
                    // A cast maps NaN to 0 and saturates at the ends.
                    let shade = ((value - field.low) * per_value) as usize;
                    let fit = self.shades.get(shade.min(SHADES - 1)).unwrap_or(&unfit);
                    self.bytes.extend_from_slice(if margin < 0.0 { &unfit } else { fit });
                }
            }
        }
    }

    /// Interpolates the row of nodes at a height in grid units.
    fn mix_rows(&mut self, field: &Field, up: f64) {
        let low = (up as usize).min(field.rows.saturating_sub(2));
        let share = up - low as f64;
        let row = |row: usize| field.cells.get(row * field.columns..(row + 1) * field.columns).unwrap_or_default();
        let mix = |(below, above): (&Cell, &Cell)| {
            (below.value + share * (above.value - below.value), below.margin + share * (above.margin - below.margin))
        };
        self.row.clear();
        self.row.extend(row(low).iter().zip(row(low + 1)).map(mix));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::model::report::Limiter;

    #[test]
    fn what_does_not_fit_is_cut_out_where_free_memory_is_zero() {
        let cells = (0..6)
            .map(|at| Cell {
                value: 50.0,
                limiter: Limiter::Compute,
                free: 0.0,
                margin: if at % 3 == 2 { -1.0 } else { 1.0 },
            })
            .collect();
        let field = Field { label: String::new(), columns: 3, rows: 2, cells, low: 0.0, high: 100.0 };
        let mut image = Image::default();
        image.draw(&field, Theme::Light);
        assert_eq!((image.width, image.height), PIXELS);
        assert_eq!(image.bytes.len(), 4 * PIXELS.0 * PIXELS.1);
        let unfit = tokens(Theme::Light).unfit;
        let is_unfit = |x: usize| image.bytes[4 * x..4 * x + 3] == [unfit.0, unfit.1, unfit.2];
        let edge = 3 * PIXELS.0 / 4;
        assert!((0..PIXELS.0).all(|x| is_unfit(x) == (x >= edge)));
    }
}
