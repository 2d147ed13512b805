//! What kernels reach of the peaks: one set a generation, as the fractions belong to the silicon and its libraries.

use crate::model::hardware::Efficiency;
use crate::units::Seconds;

/// Tokens at which matrix products reach half of their efficiency. This, the fractions of A100 and H100, the
/// element-wise traffic, the contention and the network's efficiency were fitted together, by coordinate descent on
/// the mean of each source's median and mean error, to 489 published data-parallel steps (tests/measured/fsdp.csv).
const HALF_SATURATION_TOKENS: f64 = 330.0;
/// Host time to launch one layer's kernels in one pass: the floor under small models in a fit over 1,035 steps.
const LAUNCH_PER_LAYER: Seconds = Seconds::from_ms(0.2);
/// Fraction of the memory bandwidth that streaming kernels reach: 80 % on every generation in `STREAM`-like copies.
const MEMORY: f64 = 0.80;

const fn of(matmul: f64, attention: f64) -> Efficiency {
    Efficiency {
        matmul,
        matmul_8bit: matmul,
        attention,
        attention_tuned: attention,
        memory: MEMORY,
        half_saturation_tokens: HALF_SATURATION_TOKENS,
        launch_per_layer: LAUNCH_PER_LAYER,
    }
}

/// V100: 16-bit products reach 85-90 of 125 TFLOP/s; attention as on A100. Calibrated on none of the project's rows
/// yet.
pub const VOLTA: Efficiency = of(0.70, 0.31);
/// A100 and its workstation kin: large products reach 250 of 312 TFLOP/s; attention as the fitted rows ran it,
/// forward and backward, mostly with Triton kernels of 2023. FlashAttention-2 alone reaches up to 190-230 (arXiv
/// 2307.08691).
pub const AMPERE: Efficiency = of(0.80, 0.31);
/// H100, H200, GH200: products are held by power at 600 of 989 TFLOP/s; attention as the fitted rows ran it.
/// FlashAttention-2 alone reaches 350-550 forward, FlashAttention-3 up to 740 (arXiv 2407.08608, Figure 5).
pub const HOPPER: Efficiency = of(0.61, 0.19);
/// B200 and its kin: Hopper's fractions, as training rows show the same MFU on them; not calibrated by itself.
pub const BLACKWELL: Efficiency = of(0.61, 0.19);
/// RTX 4090, L4, L40S: large products run near the 16-bit peak with fp32 accumulation, which is lower than the
/// fp16-accumulate one; not calibrated by itself.
pub const ADA: Efficiency = of(0.80, 0.31);
/// MI250X: not calibrated by itself.
pub const CDNA2: Efficiency = of(0.50, 0.19);
/// MI300X and MI325X: large products reach 650-750 of 1,307 TFLOP/s; not calibrated by itself.
pub const CDNA3: Efficiency = of(0.50, 0.19);
/// MI350X and MI355X: CDNA 3's fractions; not calibrated by itself.
pub const CDNA4: Efficiency = CDNA3;
/// B300 and GB300: Blackwell's fractions; not calibrated by itself.
pub const BLACKWELL_ULTRA: Efficiency = BLACKWELL;
/// Gaudi 2 and 3: the A100's fractions; not calibrated by itself. Large products alone reach 97 and 74 % of the peak
/// (stas00/ml-engineering, maximum achievable FLOPS).
pub const GAUDI: Efficiency = AMPERE;
/// TPUs: the A100's fractions; not calibrated by itself.
pub const TPU: Efficiency = AMPERE;
