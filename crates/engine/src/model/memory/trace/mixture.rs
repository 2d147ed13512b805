//! Routed experts as Hugging Face's `grouped_mm` implementation runs them.

use super::tape::{Tape, Value, WeightId};
use super::weights::Matrix;

/// The experts of one layer (not yet followed operator by operator).
pub(super) fn experts(tape: &mut Tape, x: &Value, router: Matrix, _up: WeightId, _down: WeightId) -> Value {
    let scores = tape.linear(x, router.weight, router.bias);
    tape.drop(scores);
    tape.scale("mul", x)
}
