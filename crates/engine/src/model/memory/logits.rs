//! Logits: their number on a GPU, and the bytes of each under a loss.

mod teacher;

use crate::model::framework::UnfusedLoss;
use crate::model::per_rank;
use crate::model::setup::Setup;
use crate::model::software::Loss;
use crate::model::stages::Stage;

/// Returns the logits of one micro-batch on one GPU of a stage.
pub fn logits(setup: &Setup, stage: &Stage) -> f64 {
    let here = f64::from(u8::from(stage.head && !setup.objective.has_scalar_head()));
    here * per_rank::tokens(setup) * f64::from(setup.architecture.vocab_size) / f64::from(setup.loss_parallel())
}

/// Returns the bytes per logit alive at the loss.
///
/// Standard: fp32 logits that the training loop still references, their log-softmax and its
/// gradient: PyTorch's tracker reports 4 kept and 8 temporary for Llama with a 128,256 vocabulary.
/// Megatron's loss works in place on one fp32 copy (`tensor_parallel/cross_entropy.py`): 6 with the
/// 16-bit logits, then with their 16-bit gradient, which Megatron-Core's continuous integration
/// confirms to a percent; runs of its predecessor show about 8. Logits that the trainer or the
/// model keeps are added: 2 in 16 bits, 4 in fp32. In 16 bits everything is halved. Fused: the
/// 16-bit logits and their gradient. Chunked: eight chunks, one at a time; fused with the head,
/// smaller ones. If a tensor-parallel group shares the vocabulary, PyTorch's loss holds four fp32
/// tensors of its part: 16 bytes.
pub fn live_bytes_per_logit(setup: &Setup) -> f64 {
    let capped = if setup.architecture.logit_softcap { SOFTCAP } else { 0.0 };
    let of = setup.traits().loss;
    let in_place = of == UnfusedLoss::InPlace;
    let uncapped = match setup.kernels.loss {
        loss if setup.loss_parallel() > 1 && of == UnfusedLoss::Apart && loss.is_unfused() => VOCABULARY_PARALLEL,
        Loss::Standard if in_place => 6.0,
        Loss::KeptLogits if in_place => 8.0,
        Loss::Fp32Logits if in_place => 10.0,
        Loss::Standard if of == UnfusedLoss::InPlaceEarly => 8.0,
        Loss::Standard => 12.0,
        Loss::KeptLogits => 14.0,
        Loss::Fp32Logits => 16.0,
        Loss::Bf16 => 6.0,
        Loss::Bf16Kept => 8.0,
        Loss::Fused => 4.0,
        Loss::Chunked => 1.5,
        Loss::FusedLinear => 0.5,
        Loss::Tiled => 12.0 * logits_tile_share(setup),
    };
    teacher::loss_bytes(setup, (uncapped, 0.0)).0 + capped
}

/// Returns the share of a GPU's logits in one tile of a tiled loss: 1 GiB of logits in fp32, or all
/// (arXiv 2506.13996, section 3.1).
pub fn logits_tile_share(setup: &Setup) -> f64 {
    const TILE: f64 = 1_073_741_824.0 / 4.0;
    let logits = per_rank::tokens(setup) * f64::from(setup.architecture.vocab_size) / f64::from(setup.loss_parallel());
    if logits > TILE { TILE / logits } else { 1.0 }
}

/// Bytes per logit that a tanh cap keeps: its output in 16 bits.
const SOFTCAP: f64 = 2.0;
/// Bytes per logit of a loss over a vocabulary that GPUs share: log-softmax, its gradient, and two
/// intermediate tensors.
const VOCABULARY_PARALLEL: f64 = 16.0;

/// Returns the bytes per logit that a loss keeps for its backward pass: the softmax in fp32 or 16
/// bits, with the logits if they are kept; the 16-bit gradient of a fused loss.
/// A distillation adds the teacher's.
pub(super) fn bytes_kept_per_logit(setup: &Setup) -> f64 {
    let of_student = match setup.kernels.loss {
        Loss::Standard | Loss::Bf16Kept => 4.0,
        Loss::KeptLogits => 6.0,
        Loss::Fp32Logits => 8.0,
        Loss::Fused | Loss::Bf16 => 2.0,
        Loss::Chunked | Loss::FusedLinear | Loss::Tiled => 0.0,
    };
    teacher::loss_bytes(setup, (0.0, of_student)).1
}
