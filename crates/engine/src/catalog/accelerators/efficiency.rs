//! Fractions of the peaks that kernels reach: one set per generation, as the fractions belong to
//! the silicon and its libraries.

use crate::fitted;
use crate::model::compute::REFERENCE_WIDTH;
use crate::model::hardware::{Efficiency, Generation};
use crate::units::Seconds;

/// Outputs of a tile of a matrix product.
const TILE: f64 = 128.0 * 128.0;
/// The unit in which hosts' times for a layer are given ([`fitted::LAUNCH_MEGATRON`] and the others).
const LAUNCH_PER_LAYER: Seconds = Seconds::from_ms(0.2);

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
        matmul: rounded(matmul),
        matmul_8bit: rounded(matmul_8bit),
        matmul_4bit: rounded(matmul_8bit),
        attention: rounded(attention),
        attention_tuned: rounded(attention_tuned),
        memory: rounded(fitted::MEMORY),
        half_saturation_tokens: last_wave(multiprocessors(generation)),
        launch_per_layer: LAUNCH_PER_LAYER,
    };
    Silicon { generation, efficiency }
}

/// Tokens at which products of 4,096 columns reach half of their rate: the last wave of tiles costs a GPU of so many multiprocessors
/// [`fitted::LAST_WAVE`] tiles for each, whatever the product.
const fn last_wave(multiprocessors: f64) -> f64 {
    (fitted::LAST_WAVE * multiprocessors * TILE / REFERENCE_WIDTH + 0.5) as u32 as f64
}

/// Multiprocessors of the GPUs of a generation in data centres, by the makers' papers on their architecture; of what has none, as many as
/// fit its steps.
const fn multiprocessors(generation: Generation) -> f64 {
    match generation {
        Generation::Volta => 80.0,
        Generation::Turing => 40.0,
        Generation::Ampere => 108.0,
        Generation::AmpereGddr => 84.0,
        Generation::Ada => 142.0,
        Generation::Hopper => 132.0,
        Generation::Blackwell | Generation::BlackwellUltra => 148.0,
        Generation::BlackwellGddr => 188.0,
        Generation::Cdna2
        | Generation::Cdna3
        | Generation::Cdna4
        | Generation::Gaudi
        | Generation::Tpu
        | Generation::Trainium => 104.0,
    }
}

/// The same silicon with the share of its 4-bit peak that products reach: in it are what NVFP4's recipe leaves in 16 bits and its
/// transforms of the operands. Megatron-Bridge's steps ask for 0.42 on B200 and on B300, MLPerf's for 0.53 on B200.
const fn with_nvfp4(silicon: Silicon, matmul_4bit: f64) -> Silicon {
    Silicon { efficiency: Efficiency { matmul_4bit, ..silicon.efficiency }, ..silicon }
}

/// V100: products fitted. It has no flash attention of its own; the A100's fractions are used.
pub const VOLTA: Silicon = of(
    Generation::Volta,
    fitted::MATMUL_VOLTA,
    fitted::MATMUL_VOLTA,
    fitted::ATTENTION_AMPERE,
    fitted::ATTENTION_AMPERE,
);
/// A100 and workstation GPUs of its generation: fitted. Large products alone reach 250 to 270 of
/// 312 TFLOP/s, FlashAttention-2 alone up to 190-230 (arXiv 2307.08691).
pub const AMPERE: Silicon = of(
    Generation::Ampere,
    fitted::MATMUL_AMPERE,
    fitted::MATMUL_AMPERE,
    fitted::ATTENTION_AMPERE,
    fitted::ATTENTION_AMPERE,
);
/// Leonardo's A100 has 124 multiprocessors where the A100 has 108 (arXiv 2307.16885), so that kernels reach 124/108 of the A100's shares
/// of its peaks, which published MFUs of it count.
pub const AMPERE_124: Silicon = of(
    Generation::Ampere,
    MORE * fitted::MATMUL_AMPERE,
    MORE * fitted::MATMUL_AMPERE,
    MORE * fitted::ATTENTION_AMPERE,
    MORE * fitted::ATTENTION_AMPERE,
);
/// Multiprocessors of Leonardo's A100 over the A100's.
const MORE: f64 = 124.0 / 108.0;
/// FlashAttention-2 on Blackwell: not fitted; about the rate that it has on an H100.
const ATTENTION_BLACKWELL: f64 = 0.19;

/// H100, H200, GH200: fitted, of 989 TFLOP/s at 700 W, which limit it: products alone run at 650 to 700 (`tests/one_gpu/matmul.csv`),
/// FlashAttention-2's at 330, cuDNN's at 590 (`attention.csv`). See [`hopper`] for other boards.
pub const HOPPER: Silicon = of(
    Generation::Hopper,
    fitted::MATMUL_HOPPER,
    fitted::MATMUL_8BIT_HOPPER,
    fitted::ATTENTION_HOPPER,
    fitted::ATTENTION_TUNED_HOPPER,
);
/// What its kernels reach of the peak where power does not limit them, as on the H20 of 148 TFLOP/s at 400 W: `FlashAttention`-2 0.45 to
/// 0.57 forward, `FlashAttention`-3 0.70 to 0.85 and cuDNN 0.73 to 0.87, with a causal mask and without
/// (Dao-AILab/flash-attention #1310); `FlashMLA`'s products 0.81 to 0.88 (deepseek-ai/FlashMLA #30).
const COOL_HOPPER: Silicon = of(Generation::Hopper, 0.88, 0.88, 0.51, 0.80);
/// Peak and power of the H100 SXM, at which [`HOPPER`] holds.
const HOPPER_PEAK: f64 = 989.4;
const HOPPER_POWER: f64 = 700.0;

/// A Hopper of another peak in TFLOP/s and power in watts. The clock goes as the square root of the power, as the voltage falls with it:
/// a kernel runs at `r sqrt(P / 700 W)`, r its rate on the SXM, and no faster than it does where power is no limit.
pub const fn hopper(peak: f64, power: f64) -> Silicon {
    let slower = HOPPER_PEAK / peak * square_root(power / HOPPER_POWER);
    let (sxm, cool) = (HOPPER.efficiency, COOL_HOPPER.efficiency);
    of(
        Generation::Hopper,
        least(sxm.matmul * slower, cool.matmul),
        least(sxm.matmul_8bit * slower, cool.matmul_8bit),
        least(sxm.attention * slower, cool.attention),
        least(sxm.attention_tuned * slower, cool.attention_tuned),
    )
}

/// To a tenth of a percent, as links say shares.
const fn rounded(share: f64) -> f64 {
    (share * 1e3 + 0.5) as u32 as f64 / 10.0 / 100.0
}

const fn least(one: f64, other: f64) -> f64 {
    if one < other { one } else { other }
}

/// By Newton's method, from above; for ratios near 1.
const fn square_root(square: f64) -> f64 {
    let mut root = 0.5 * (1.0 + square);
    let mut step = 0;
    while step < 8 {
        root = 0.5 * (root + square / root);
        step += 1;
    }
    root
}

/// B200 and GB200: fitted, except for flash kernels that are not tuned, whose fraction is Hopper's.
/// Transformer Engine's attention keeps 934 to 949 TFLOP/s of the causal half from 128K to 1M tokens
/// (`NeMo` 25.04's table of long sequences).
pub const BLACKWELL: Silicon = with_nvfp4(
    of(
        Generation::Blackwell,
        fitted::MATMUL_BLACKWELL,
        fitted::MATMUL_8BIT_BLACKWELL,
        ATTENTION_BLACKWELL,
        fitted::ATTENTION_TUNED_BLACKWELL,
    ),
    fitted::MATMUL_4BIT_BLACKWELL,
);
/// What products reach where a whole step of llm.q reaches a share of the peak: on an H100, whose products are fitted, it is 0.61
/// (IST-DASLab/llmq b77d969, benchmarks, Qwen2.5 in bf16).
const fn by_llm_q(share: f64) -> f64 {
    share / 0.61 * fitted::MATMUL_HOPPER
}

/// L4, L40S, RTX 6000 Ada: held by power at half of the peak. Products of 16 bits are scaled from one program (`by_llm_q`), as are those
/// of the next three. The rest is not calibrated by itself.
pub const ADA: Silicon = of(Generation::Ada, by_llm_q(0.46), 0.72, fitted::ATTENTION_AMPERE, fitted::ATTENTION_AMPERE);
/// RTX 4080 and RTX 4090: with fp32 accumulation their tensor cores run at half of their rate, which power allows nearly in full.
pub const ADA_GEFORCE: Silicon =
    of(Generation::Ada, by_llm_q(0.81), 0.72, fitted::ATTENTION_AMPERE, fitted::ATTENTION_AMPERE);
/// MI250 and MI250X: not calibrated by itself; llm-foundry's two steps on it (tests/measured/silicon/rocm.csv) agree.
pub const CDNA2: Silicon = of(Generation::Cdna2, 0.50, 0.50, 0.19, 0.19);
/// MI300X: fitted to torchtitan's steps and MLPerf's with adapters; large products alone reach 650-750 of 1,307 TFLOP/s. The first of
/// the attention kernels is `AOTriton`'s, which PyTorch runs; the tuned ones are Transformer Engine's on ROCm.
pub const CDNA3: Silicon = of(
    Generation::Cdna3,
    fitted::MATMUL_CDNA3,
    fitted::MATMUL_8BIT_CDNA3,
    fitted::ATTENTION_CDNA3,
    fitted::ATTENTION_TUNED_CDNA3,
);
/// MI325X, whose board may take 1,000 W where an MI300X's takes 750: fitted to Primus' steps and MLPerf's with adapters.
pub const CDNA3_1000W: Silicon = of(
    Generation::Cdna3,
    MORE_POWER * fitted::MATMUL_CDNA3,
    MORE_POWER * fitted::MATMUL_8BIT_CDNA3,
    MORE_POWER * fitted::ATTENTION_CDNA3,
    MORE_POWER * fitted::ATTENTION_TUNED_CDNA3,
);
/// By the square root of the power, as on [`hopper`].
const MORE_POWER: f64 = square_root(1000.0 / 750.0);
/// MI350X and MI355X: fitted to MLPerf's and Primus' steps.
pub const CDNA4: Silicon = of(
    Generation::Cdna4,
    fitted::MATMUL_CDNA4,
    fitted::MATMUL_8BIT_CDNA4,
    fitted::ATTENTION_CDNA3,
    fitted::ATTENTION_TUNED_CDNA3,
);
/// B300 and GB300: fitted, as B200.
pub const BLACKWELL_ULTRA: Silicon = with_nvfp4(
    of(
        Generation::BlackwellUltra,
        fitted::MATMUL_BLACKWELL,
        fitted::MATMUL_8BIT_BLACKWELL_ULTRA,
        ATTENTION_BLACKWELL,
        fitted::ATTENTION_TUNED_BLACKWELL,
    ),
    fitted::MATMUL_4BIT_BLACKWELL_ULTRA,
);
/// Gaudi 2: fitted to Intel's table and Optimum Habana's tests. Large products alone reach 97 and, on a Gaudi 3, 74 % of the peak
/// (stas00/ml-engineering, maximum achievable FLOPS).
pub const GAUDI: Silicon = of(
    Generation::Gaudi,
    fitted::MATMUL_GAUDI_2,
    fitted::MATMUL_8BIT_GAUDI_2,
    fitted::ATTENTION_GAUDI,
    fitted::ATTENTION_GAUDI,
);
/// Gaudi 3: fitted to the same tests, all of them small.
pub const GAUDI_3: Silicon = of(
    Generation::Gaudi,
    fitted::MATMUL_GAUDI_3,
    fitted::MATMUL_GAUDI_3,
    fitted::ATTENTION_GAUDI,
    fitted::ATTENTION_GAUDI,
);
const fn tpu(matmul: f64, matmul_8bit: f64) -> Silicon {
    of(Generation::Tpu, matmul, matmul_8bit, fitted::ATTENTION_TPU, fitted::ATTENTION_TPU)
}

/// TPU v5e: fitted, as those below, to MaxText's runs (docs/accuracy.md); a v4's are taken to be the same. Its matrix units are filled
/// by any large product, at a fifth of the H100's bandwidth for each FLOP.
pub const TPU: Silicon = tpu(fitted::MATMUL_TPU_V5E, fitted::MATMUL_TPU_V5E);
/// TPU v5p.
pub const TPU_V5P: Silicon = tpu(fitted::MATMUL_TPU_V5P, fitted::MATMUL_TPU_V5P);
/// TPU v6e: its units of 256 x 256 have half of a v5e's bandwidth for each FLOP; large products alone reach up to 0.79.
pub const TPU_V6E: Silicon = tpu(fitted::MATMUL_TPU_V6E, fitted::MATMUL_TPU_V6E);
/// TPU7x.
pub const TPU_7X: Silicon = tpu(fitted::MATMUL_TPU_7X, fitted::MATMUL_8BIT_TPU_7X);
/// Trainium 1: fitted to AWS's tables.
pub const TRAINIUM: Silicon = of(
    Generation::Trainium,
    fitted::MATMUL_TRAINIUM,
    fitted::MATMUL_TRAINIUM,
    fitted::ATTENTION_TRAINIUM,
    fitted::ATTENTION_TRAINIUM,
);
/// T4 and RTX 2080 Ti: the V100's fractions; not calibrated by themselves.
pub const TURING: Silicon = Silicon { generation: Generation::Turing, ..VOLTA };
/// A40, A10, RTX 3090, RTX A5000 and RTX A6000: the A100's fractions; not calibrated by themselves.
pub const AMPERE_GDDR: Silicon = Silicon { generation: Generation::AmpereGddr, ..AMPERE };
/// RTX PRO 6000: products as [`ADA`] says, else the B200's fractions.
pub const BLACKWELL_GDDR: Silicon = of(Generation::BlackwellGddr, by_llm_q(0.69), 0.60, 0.19, 0.235);
/// RTX 5090: likewise, at half of its tensor cores' rate.
pub const BLACKWELL_GEFORCE: Silicon = of(Generation::BlackwellGddr, by_llm_q(0.81), 0.60, 0.19, 0.235);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::{accelerator, model};

    /// Leonardo was announced with 10 exaFLOPS in FP16, sparse, and has 13,824 GPUs: 362 TFLOP/s dense, 1.16 times an A100's.
    #[test]
    fn kernels_on_leonardo_are_faster_by_its_multiprocessors() {
        let announced = 10e18 / 2.0 / 13_824.0 / 312e12;
        for (own, usual) in [
            (AMPERE_124.efficiency.matmul, AMPERE.efficiency.matmul),
            (AMPERE_124.efficiency.attention, AMPERE.efficiency.attention),
            (AMPERE_124.efficiency.attention_tuned, AMPERE.efficiency.attention_tuned),
        ] {
            assert!((own / usual / (124.0 / 108.0) - 1.0).abs() < 0.01);
            assert!((own / usual / announced - 1.0).abs() < 0.02);
        }
    }

    /// llm.q's throughput in tokens/s for each GPU, bf16, 1,024 tokens (IST-DASLab/llmq b77d969, benchmarks): products reach the same
    /// share of what the whole step does as on an H100, within 5 %.
    #[test]
    fn products_of_cards_with_gddr_memory_stand_to_the_h100s_as_llm_q_measured() {
        let mfu = |gpu: &str, name: &str, tokens_per_s: f64| {
            let shape = &model(name).unwrap().architecture;
            let embedding = f64::from(shape.vocab_size) * f64::from(shape.hidden_size);
            let outside = if shape.tie_word_embeddings { 0.0 } else { embedding };
            // Causal attention does half of the square.
            let attention = 6.0 * f64::from(shape.num_hidden_layers) * f64::from(shape.hidden_size) * 1024.0;
            let per_token = 6.0 * (shape.params() as f64 - outside) + attention;
            tokens_per_s * per_token / accelerator(gpu).unwrap().values.peak_16bit.get()
        };
        let h100 = mfu("h100-sxm", "qwen-2.5-7b", 14_024.4);
        assert!((h100 - 0.61).abs() < 0.01, "{h100}");
        for (gpu, name, tokens_per_s, silicon) in [
            ("rtx-4090", "qwen-2.5-1.5b", 14_072.2, ADA_GEFORCE),
            ("rtx-5090", "qwen-2.5-1.5b", 17_800.0, BLACKWELL_GEFORCE),
            ("rtx-pro-6000", "qwen-2.5-14b", 4_064.2, BLACKWELL_GDDR),
            ("l40s", "qwen-2.5-7b", 3_900.0, ADA),
        ] {
            let scaled = mfu(gpu, name, tokens_per_s) / h100 * HOPPER.efficiency.matmul;
            assert!((silicon.efficiency.matmul / scaled - 1.0).abs() < 0.05, "{gpu}: {scaled}");
            assert_eq!(accelerator(gpu).unwrap().values.efficiency.matmul, silicon.efficiency.matmul);
        }
    }
}
