//! The teacher's part of the logits of a distillation (docs/book/model/rollout.md).

use super::logits_tile_share;
use crate::model::setup::Setup;
use crate::model::software::Loss;

/// Bytes of a logit in 16 bits.
const HALF: f64 = 2.0;
/// Bytes of a number in 32 bits.
const SINGLE: f64 = 4.0;
/// Bytes of an index (PyTorch's `topk` returns int64).
const INDEX: f64 = 8.0;

/// Returns the bytes that the loss of a distillation adds for each logit of the student: at the
/// loss, and kept for the backward pass of other micro-batches; 0 for other objectives.
///
/// All logits: the teacher's in 16 bits, their softmax in fp32, and its product with the student's
/// log-probabilities (`ForwardKLLoss` of torchtune/modules/loss/kd_losses.py), or half of it in 16
/// bits; the softmax is kept. A loss in eight chunks has two of these three in one chunk, a loss
/// fused with the head as much for the teacher as for the student. The k largest logits: values,
/// indices, and the student's log-probabilities at them.
pub(super) fn bytes_per_logit(setup: &Setup) -> (f64, f64) {
    const CHUNKS: f64 = 8.0;
    if !setup.objective.task.distills() {
        return (0.0, 0.0);
    }
    let here = f64::from(setup.architecture.vocab_size.max(1)) / f64::from(setup.loss_parallel());
    let top = f64::from(setup.objective.teacher.top_k.min(setup.architecture.vocab_size));
    if top > 0.0 {
        let kept = top * (SINGLE + INDEX) / here;
        return (kept + top * SINGLE / here, kept);
    }
    match setup.kernels.loss {
        Loss::Bf16 | Loss::Bf16Kept => (3.0 * HALF, HALF),
        Loss::Standard | Loss::KeptLogits => (HALF + 2.0 * SINGLE, SINGLE),
        Loss::Fp32Logits => (3.0 * SINGLE, SINGLE),
        Loss::Fused => (HALF, 0.0),
        Loss::Chunked => (HALF + 2.0 * SINGLE / CHUNKS, 0.0),
        Loss::FusedLinear => (FUSED, 0.0),
        Loss::Tiled => ((HALF + 2.0 * SINGLE) * logits_tile_share(setup), 0.0),
    }
}

/// Bytes per logit of the teacher in a loss that is fused with both heads, as for the student.
const FUSED: f64 = 0.5;
