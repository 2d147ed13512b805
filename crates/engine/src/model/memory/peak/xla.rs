//! Gathered weights and gradients in XLA's program, product by product: `MaxText`'s layers are one
//! loop (`jax.lax.scan`), in which the compiler gathers each weight at its use, scatters each
//! gradient where it is computed, and plans all buffers ahead (its memory-bounded latency-hiding
//! scheduler).

use super::gradients_and_gathers::{Gathered, Unreduced};
use super::inputs::PeakInputs;
use super::point::Point;

/// Weights that are gathered at once: those of the current product and of the next.
const AHEAD: f64 = 2.0;

impl PeakInputs {
    /// Returns the gathered weights at a point: the embedding is looked up in its shards.
    pub(super) fn gathered_by_xla(&self, point: Point) -> Gathered {
        match point {
            Point::Loss => Gathered::Live(self.params.held.head),
            Point::InLayer(_) | Point::AfterLayer(_) => Gathered::Live(AHEAD * self.largest),
            Point::Start | Point::Gather | Point::Embedding | Point::Tower | Point::Root | Point::Update => {
                Gathered::Nothing
            }
        }
    }

    /// Returns the gradients that are not reduced yet.
    pub(super) fn unreduced_by_xla(&self, point: Point) -> Unreduced {
        let computed = match point {
            Point::InLayer(_) | Point::AfterLayer(_) => self.largest,
            Point::Root => self.params.trained.head,
            Point::Start | Point::Gather | Point::Embedding | Point::Loss | Point::Tower | Point::Update => 0.0,
        };
        Unreduced { computed, ..Unreduced::default() }
    }
}
