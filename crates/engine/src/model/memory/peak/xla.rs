//! What XLA's program holds of gathered weights and of gradients, product by product: `MaxText`'s
//! layers are one loop (`jax.lax.scan`), in which the compiler gathers each weight where it is used
//! and scatters each gradient where it is made, and plans all buffers ahead (its memory-bounded
//! latency-hiding scheduler).

use super::ledger::Ledger;
use super::point::Point;
use super::waiting::{Gathered, Unreduced};

/// Weights that are gathered at once: that of the product in work and the next one's.
const AHEAD: f64 = 2.0;

impl Ledger {
    /// What is gathered at a point: the embedding is looked up in its shards.
    pub(super) fn gathered_by_xla(&self, point: Point) -> Gathered {
        match point {
            Point::Loss => Gathered::Live(self.params.held.head),
            Point::InLayer(_) | Point::AfterLayer(_) => Gathered::Live(AHEAD * self.largest),
            Point::Start | Point::Gather | Point::Embedding | Point::Tower | Point::Root | Point::Update => {
                Gathered::Nothing
            }
        }
    }

    /// Gradients that are not reduced yet.
    pub(super) fn unreduced_by_xla(&self, point: Point) -> Unreduced {
        let computed = match point {
            Point::InLayer(_) | Point::AfterLayer(_) => self.largest,
            Point::Root => self.params.trained.head,
            Point::Start | Point::Gather | Point::Embedding | Point::Loss | Point::Tower | Point::Update => 0.0,
        };
        Unreduced { computed, ..Unreduced::default() }
    }
}
