//! The teacher's part of the logits of a distillation (docs/book/model/rollout.md).

use super::logits_tile_share;
use crate::model::objective::Divergence;
use crate::model::setup::Setup;
use crate::model::software::Loss;

/// Bytes of a logit in 16 bits.
const HALF: f64 = 2.0;
/// Bytes of a number in 32 bits.
const SINGLE: f64 = 4.0;
/// Bytes of an index (PyTorch's `topk` returns int64).
const INDEX: f64 = 8.0;

/// Returns the bytes per logit of a loss, alive at the loss and kept for the backward pass of other
/// micro-batches, with the teacher's: those of the student alone for other objectives.
///
/// Over all logits by PyTorch's operators, counted by the allocations of PyTorch 2.15: the loss of
/// torchtune (`ForwardKLLoss` of torchtune/modules/loss/kd_losses.py beside the cross-entropy,
/// whole or in eight chunks of which autograd keeps all), and the divergences of TRL
/// (`generalized_jsd_loss` of trl/experimental/gkd/gkd_trainer.py), which are 9, 10 or 17 tensors
/// as large as the logits and keep 4, 5 or 9; ms-swift's in chunks has 23 bytes of the last 34. A
/// loss fused with the head needs as much for the teacher as for the student. The k largest logits:
/// values, indices, and the student's log-probabilities at them.
pub(super) fn loss_bytes(setup: &Setup, student: (f64, f64)) -> (f64, f64) {
    if !setup.objective.task.distills() {
        return student;
    }
    let teacher = &setup.objective.teacher;
    let here = f64::from(setup.architecture.vocab_size.max(1)) / f64::from(setup.loss_parallel());
    let top = f64::from(teacher.top_k.min(setup.architecture.vocab_size));
    if top > 0.0 {
        let kept = top * (SINGLE + INDEX) / here;
        return (student.0 + kept + top * SINGLE / here, student.1 + kept);
    }
    let whole = match teacher.divergence {
        Divergence::Forward => (9.0, 4.0),
        Divergence::Reverse => (10.0, 5.0),
        Divergence::JensenShannon => (17.0, 9.0),
    };
    let by_operators = |bytes: f64| (whole.0 * bytes, whole.1 * bytes);
    let is_mixed = teacher.divergence == Divergence::JensenShannon;
    match setup.kernels.loss {
        Loss::Bf16 | Loss::Bf16Kept => by_operators(HALF),
        Loss::Fp32Logits => by_operators(SINGLE),
        Loss::Standard | Loss::KeptLogits if is_mixed => by_operators(SINGLE),
        Loss::Standard | Loss::KeptLogits => (student.0 + 9.0, student.1 + 9.0),
        Loss::Chunked if is_mixed => (23.0, 18.0),
        Loss::Chunked => (18.0, 13.0),
        Loss::Fused => (student.0 + HALF, student.1),
        Loss::FusedLinear => (student.0 + FUSED, student.1),
        Loss::Tiled => (student.0 + (HALF + 2.0 * SINGLE) * logits_tile_share(setup), student.1),
    }
}

/// Bytes per logit of the teacher in a loss that is fused with both heads, as for the student.
const FUSED: f64 = 0.5;
