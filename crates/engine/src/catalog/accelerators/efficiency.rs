//! Fractions of the peaks that kernels reach: one set per generation, as the fractions belong to
//! the silicon and its libraries.

use crate::model::hardware::{Efficiency, Generation};
use crate::units::Seconds;

/// Tokens at which products of 4,096 columns reach half of their efficiency. This constant and the
/// fractions marked as fitted below were fitted together with the element-wise traffic, the
/// contention and the network's constants, by `examples/calibrate`, to 1,076 published steps
/// (docs/accuracy.md).
const HALF_SATURATION_TOKENS: f64 = 600.0;
/// Host time to launch one layer's kernels in one pass from compiled code: the floor under small
/// models in a fit over 1,035 steps. Frameworks multiply it.
const LAUNCH_PER_LAYER: Seconds = Seconds::from_ms(0.2);
/// Fraction of the memory bandwidth that streaming kernels reach: 80 % on every generation in
/// `STREAM`-like copies.
const MEMORY: f64 = 0.80;

/// A generation of accelerators, with the fractions that kernels reach on it.
#[derive(Clone, Copy, Debug)]
pub struct Silicon {
    /// The generation.
    pub generation: Generation,
    /// Fractions of the peaks.
    pub efficiency: Efficiency,
}

/// Creates the fractions for matrix products in 16 and 8 bits, and for attention with the first
/// flash kernels and with tuned ones.
const fn of(generation: Generation, matmul: f64, matmul_8bit: f64, attention: f64, attention_tuned: f64) -> Silicon {
    let efficiency = Efficiency {
        matmul,
        matmul_8bit,
        attention,
        attention_tuned,
        memory: MEMORY,
        half_saturation_tokens: HALF_SATURATION_TOKENS,
        launch_per_layer: LAUNCH_PER_LAYER,
    };
    Silicon { generation, efficiency }
}

/// V100: products fitted. It has no flash attention of its own; the A100's fractions are used.
pub const VOLTA: Silicon = of(Generation::Volta, 0.72, 0.72, 0.33, 0.44);
/// A100 and workstation GPUs of its generation: fitted. Large products alone reach 250 to 270 of
/// 312 TFLOP/s, FlashAttention-2 alone up to 190-230 (arXiv 2307.08691).
pub const AMPERE: Silicon = of(Generation::Ampere, 0.72, 0.72, 0.33, 0.44);
/// H100, H200, GH200: fitted; products are held by power at 600 of 989 TFLOP/s. FlashAttention-2
/// alone reaches 350-550 forward, FlashAttention-3 up to 740 (arXiv 2407.08608, Figure 5); both
/// kinds of rows ran attention at much less.
pub const HOPPER: Silicon = of(Generation::Hopper, 0.62, 0.75, 0.19, 0.19);
/// B200 and GB200: fitted, except for the first flash kernels' fraction, which is Hopper's.
pub const BLACKWELL: Silicon = of(Generation::Blackwell, 0.55, 0.60, 0.19, 0.235);
/// RTX 4080, RTX 4090, L4, L40S: large products run near the 16-bit peak with fp32 accumulation, which is
/// lower than the fp16-accumulate one; not calibrated by itself.
pub const ADA: Silicon = of(Generation::Ada, 0.72, 0.72, 0.33, 0.44);
/// MI250X: not calibrated by itself.
pub const CDNA2: Silicon = of(Generation::Cdna2, 0.50, 0.50, 0.19, 0.19);
/// MI300X and MI325X: large products reach 650-750 of 1,307 TFLOP/s; not calibrated by itself.
pub const CDNA3: Silicon = of(Generation::Cdna3, 0.50, 0.50, 0.19, 0.19);
/// MI350X and MI355X: CDNA 3's fractions; not calibrated by itself.
pub const CDNA4: Silicon = Silicon { generation: Generation::Cdna4, ..CDNA3 };
/// B300 and GB300: fitted, as B200.
pub const BLACKWELL_ULTRA: Silicon = of(Generation::BlackwellUltra, 0.55, 0.80, 0.19, 0.21);
/// Gaudi 2 and 3: the A100's fractions; not calibrated by itself. Large products alone reach 97 and
/// 74 % of the peak (stas00/ml-engineering, maximum achievable FLOPS).
pub const GAUDI: Silicon = Silicon { generation: Generation::Gaudi, ..AMPERE };
/// TPUs: the A100's fractions; not calibrated by itself.
pub const TPU: Silicon = Silicon { generation: Generation::Tpu, ..AMPERE };
/// T4 and RTX 2080 Ti: the V100's fractions; not calibrated by themselves.
pub const TURING: Silicon = Silicon { generation: Generation::Turing, ..VOLTA };
/// A40, A10, RTX 3090, RTX A5000 and RTX A6000: the A100's fractions; not calibrated by themselves.
pub const AMPERE_GDDR: Silicon = Silicon { generation: Generation::AmpereGddr, ..AMPERE };
/// RTX 5090 and RTX PRO 6000: the B200's fractions; not calibrated by themselves.
pub const BLACKWELL_GDDR: Silicon = Silicon { generation: Generation::BlackwellGddr, ..BLACKWELL };
