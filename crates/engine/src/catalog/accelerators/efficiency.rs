//! Fractions of the peaks that kernels reach: one set per generation, as the fractions belong to
//! the silicon and its libraries.

use crate::model::hardware::{Efficiency, Generation};
use crate::units::Seconds;

/// Tokens at which products of 4,096 columns reach half of their efficiency. This constant and the
/// fractions marked as fitted below were fitted together with the element-wise traffic, the
/// contention and the network's constants, by `examples/calibrate`, to 1,097 published steps
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
        matmul_4bit: matmul_8bit,
        attention,
        attention_tuned,
        memory: MEMORY,
        half_saturation_tokens: HALF_SATURATION_TOKENS,
        launch_per_layer: LAUNCH_PER_LAYER,
    };
    Silicon { generation, efficiency }
}

/// The same silicon with the share of its 4-bit peak that products reach: in it are what NVFP4's recipe leaves in 16 bits and its
/// transforms of the operands. Megatron-Bridge's steps ask for 0.42 on B200 and on B300, MLPerf's for 0.53 on B200.
const fn with_nvfp4(silicon: Silicon, matmul_4bit: f64) -> Silicon {
    Silicon { efficiency: Efficiency { matmul_4bit, ..silicon.efficiency }, ..silicon }
}

/// V100: products fitted. It has no flash attention of its own; the A100's fractions are used.
pub const VOLTA: Silicon = of(Generation::Volta, 0.72, 0.72, 0.33, 0.44);
/// A100 and workstation GPUs of its generation: fitted. Large products alone reach 250 to 270 of
/// 312 TFLOP/s, FlashAttention-2 alone up to 190-230 (arXiv 2307.08691).
pub const AMPERE: Silicon = of(Generation::Ampere, 0.72, 0.72, 0.33, 0.44);
/// Leonardo's A100 has 124 multiprocessors where the A100 has 108 (arXiv 2307.16885), so that kernels reach 124/108 of the A100's shares
/// of its peaks, which published MFUs of it count.
pub const AMPERE_124: Silicon = of(Generation::Ampere, 0.83, 0.83, 0.38, 0.51);
/// H100, H200, GH200: fitted; products are held by power at 600 of 989 TFLOP/s. FlashAttention-2
/// alone reaches 350-550 forward, FlashAttention-3 up to 740 (arXiv 2407.08608, Figure 5); steps of
/// SDPA, FlashAttention-1 and 2 up to 64K tokens ran it at much less. Transformer Engine's keeps 311
/// to 317 TFLOP/s of the causal half from 256K to 1M tokens (`NeMo`'s table of long sequences).
pub const HOPPER: Silicon = of(Generation::Hopper, 0.62, 0.75, 0.19, 0.32);
/// H20: a Hopper with 148 TFLOP/s, which its power of 400 W never limits, so that kernels reach in a step what they reach alone. Of the
/// peak, `FlashAttention`-2 reaches 0.45 to 0.57 forward, `FlashAttention`-3 0.70 to 0.85 and cuDNN 0.73 to 0.87, with a causal mask and
/// without (Dao-AILab/flash-attention #1310); `FlashMLA`'s products 0.81 to 0.88 (deepseek-ai/FlashMLA #30).
pub const HOPPER_148: Silicon = of(Generation::Hopper, 0.88, 0.88, 0.46, 0.73);
/// B200 and GB200: fitted, except for flash kernels that are not tuned, whose fraction is Hopper's.
/// Transformer Engine's attention keeps 934 to 949 TFLOP/s of the causal half from 128K to 1M tokens
/// (`NeMo` 25.04's table of long sequences).
pub const BLACKWELL: Silicon = with_nvfp4(of(Generation::Blackwell, 0.55, 0.54, 0.19, 0.42), 0.50);
/// L4, L40S, RTX 6000 Ada: held by power at half of the peak. Products of 16 bits are scaled from one program, as are those of the
/// next three: llm.q (IST-DASLab/llmq b77d969, benchmarks) trains Qwen2.5 in bf16 at 0.61 of an H100's peak, whose products reach
/// [`HOPPER`]'s 0.62, and at 0.46 of an L40S's, 0.81 of an RTX 4090's and an RTX 5090's, 0.69 of an RTX PRO 6000's. The rest is not
/// calibrated by itself.
pub const ADA: Silicon = of(Generation::Ada, 0.47, 0.72, 0.33, 0.44);
/// RTX 4080 and RTX 4090: with fp32 accumulation their tensor cores run at half of their rate, which power allows nearly in full.
pub const ADA_GEFORCE: Silicon = of(Generation::Ada, 0.82, 0.72, 0.33, 0.44);
/// MI250 and MI250X: not calibrated by itself; llm-foundry's two steps on it (tests/measured/silicon/rocm.csv) agree.
pub const CDNA2: Silicon = of(Generation::Cdna2, 0.50, 0.50, 0.19, 0.19);
/// MI300X: fitted to torchtitan's steps and MLPerf's with adapters; large products alone reach 650-750 of 1,307 TFLOP/s. The first of
/// the attention kernels is `AOTriton`'s, which PyTorch runs; the tuned ones are Transformer Engine's on ROCm.
pub const CDNA3: Silicon = of(Generation::Cdna3, 0.45, 0.48, 0.075, 0.19);
/// MI325X, whose board may take 1,000 W where an MI300X's takes 750: fitted to Primus' steps and MLPerf's with adapters.
pub const CDNA3_1000W: Silicon = of(Generation::Cdna3, 0.50, 0.56, 0.075, 0.25);
/// MI350X and MI355X: fitted to MLPerf's and Primus' steps.
pub const CDNA4: Silicon = of(Generation::Cdna4, 0.52, 0.60, 0.075, 0.27);
/// B300 and GB300: fitted, as B200.
pub const BLACKWELL_ULTRA: Silicon = with_nvfp4(of(Generation::BlackwellUltra, 0.55, 0.75, 0.19, 0.40), 0.43);
/// Gaudi 2: fitted to Intel's table and Optimum Habana's tests. Large products alone reach 97 and, on a Gaudi 3, 74 % of the peak
/// (stas00/ml-engineering, maximum achievable FLOPS).
pub const GAUDI: Silicon = of(Generation::Gaudi, 0.62, 0.76, 0.20, 0.20);
/// Gaudi 3: fitted to the same tests, all of them small.
pub const GAUDI_3: Silicon = of(Generation::Gaudi, 0.38, 0.38, 0.20, 0.20);
/// TPU v5e: fitted, as those below, to MaxText's runs (docs/accuracy.md); a v4's are taken to be the same. Its matrix units are filled
/// by any large product, at a fifth of the H100's bandwidth for each FLOP.
pub const TPU: Silicon = of(Generation::Tpu, 0.88, 0.88, 0.36, 0.36);
/// TPU v5p.
pub const TPU_V5P: Silicon = of(Generation::Tpu, 0.77, 0.77, 0.36, 0.36);
/// TPU v6e: its units of 256 x 256 have half of a v5e's bandwidth for each FLOP; large products alone reach up to 0.79.
pub const TPU_V6E: Silicon = of(Generation::Tpu, 0.66, 0.62, 0.36, 0.36);
/// TPU7x.
pub const TPU_7X: Silicon = of(Generation::Tpu, 0.72, 0.69, 0.36, 0.36);
/// Trainium 1: fitted to AWS's tables.
pub const TRAINIUM: Silicon = of(Generation::Trainium, 0.50, 0.50, 0.165, 0.165);
/// T4 and RTX 2080 Ti: the V100's fractions; not calibrated by themselves.
pub const TURING: Silicon = Silicon { generation: Generation::Turing, ..VOLTA };
/// A40, A10, RTX 3090, RTX A5000 and RTX A6000: the A100's fractions; not calibrated by themselves.
pub const AMPERE_GDDR: Silicon = Silicon { generation: Generation::AmpereGddr, ..AMPERE };
/// RTX PRO 6000: products as [`ADA`] says, else the B200's fractions.
pub const BLACKWELL_GDDR: Silicon = of(Generation::BlackwellGddr, 0.70, 0.60, 0.19, 0.235);
/// RTX 5090: likewise, at half of its tensor cores' rate.
pub const BLACKWELL_GEFORCE: Silicon = of(Generation::BlackwellGddr, 0.82, 0.60, 0.19, 0.235);

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
