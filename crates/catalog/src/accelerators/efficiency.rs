//! Fractions of the peaks that kernels reach. Each generation of silicon has one set, as the
//! fractions depend on the silicon and its libraries.

use engine::fitted;
use engine::model::compute::REFERENCE_WIDTH;
use engine::model::hardware::{Efficiency, Generation};
use engine::units::Seconds;

/// Outputs in one tile of a matrix product.
const TILE: f64 = 128.0 * 128.0;
/// Unit of the host time per layer ([`fitted::LAUNCH_MEGATRON`] and the others).
const LAUNCH_PER_LAYER: Seconds = Seconds::from_ms(0.2);

/// A generation of accelerators, with the fractions that kernels reach on it.
#[derive(Clone, Copy, Debug)]
pub struct Silicon {
    /// The generation.
    pub generation: Generation,
    /// Fractions of the peaks.
    pub efficiency: Efficiency,
}

impl Silicon {
    /// Returns the fractions of a board: by its multiprocessors, and the share of its 16-bit peak
    /// that emulated bf16 reaches (0 with units of its own).
    pub const fn on(self, multiprocessors: f64, emulated_bf16: f64) -> Efficiency {
        let half_saturation_tokens = last_wave(multiprocessors);
        Efficiency { half_saturation_tokens, emulated_bf16: rounded(emulated_bf16), ..self.efficiency }
    }
}

/// Creates the fractions of silicon for matrix products in 16 and 8 bits, and for attention with
/// the first flash kernels and with tuned ones.
const fn silicon_fractions(
    generation: Generation,
    matmul: f64,
    matmul_8bit: f64,
    attention: f64,
    attention_tuned: f64,
) -> Silicon {
    let efficiency = Efficiency {
        matmul: rounded(matmul),
        matmul_8bit: rounded(matmul_8bit),
        matmul_4bit: rounded(matmul_8bit),
        attention: rounded(attention),
        attention_tuned: rounded(attention_tuned),
        memory: rounded(fitted::MEMORY),
        emulated_bf16: 0.0,
        half_saturation_tokens: 0.0,
        launch_per_layer: LAUNCH_PER_LAYER,
    };
    Silicon { generation, efficiency }
}

/// Returns the tokens at which products of 4,096 columns reach half of their rate: the last wave of
/// tiles costs [`fitted::LAST_WAVE`] tiles per multiprocessor, whatever the product.
const fn last_wave(multiprocessors: f64) -> f64 {
    (fitted::LAST_WAVE * multiprocessors * TILE / REFERENCE_WIDTH + 0.5) as u32 as f64
}

/// Returns the silicon with a fraction of its own for 4-bit products.
const fn with_nvfp4(silicon: Silicon, matmul_4bit: f64) -> Silicon {
    Silicon { efficiency: Efficiency { matmul_4bit, ..silicon.efficiency }, ..silicon }
}

include!(concat!(env!("OUT_DIR"), "/silicon.rs"));

/// Peak and power of the H100 SXM, at which [`HOPPER`] holds.
const HOPPER_PEAK: f64 = 989.4;
const HOPPER_POWER: f64 = 700.0;

/// Returns a Hopper with another peak in TFLOP/s and power in watts. The clock goes as the square
/// root of the power, as the voltage falls with it: a kernel runs at `r sqrt(P / 700 W)`, r being
/// its rate on the SXM, but no faster than on a Hopper whose power is no limit.
pub const fn hopper(peak: f64, power: f64) -> Silicon {
    let slower = HOPPER_PEAK / peak * square_root(power / HOPPER_POWER);
    let (sxm, cool) = (HOPPER.efficiency, COOL_HOPPER.efficiency);
    let matmul_8bit = rounded(least(sxm.matmul_8bit * slower, cool.matmul_8bit));
    let efficiency = Efficiency {
        matmul: rounded(least(sxm.matmul * slower, cool.matmul)),
        matmul_8bit,
        matmul_4bit: matmul_8bit,
        attention: rounded(least(sxm.attention * slower, cool.attention)),
        attention_tuned: rounded(least(sxm.attention_tuned * slower, cool.attention_tuned)),
        ..sxm
    };
    Silicon { efficiency, ..HOPPER }
}

/// Rounds a fraction to a tenth of a percent, the precision of shares in links.
const fn rounded(share: f64) -> f64 {
    (share * 1e3 + 0.5) as u32 as f64 / 10.0 / 100.0
}

const fn least(one: f64, other: f64) -> f64 {
    if one < other { one } else { other }
}

/// Computes a square root by Newton's method, from above; for ratios near 1.
const fn square_root(square: f64) -> f64 {
    let mut root = 0.5 * (1.0 + square);
    let mut step = 0;
    while step < 8 {
        root = 0.5 * (root + square / root);
        step += 1;
    }
    root
}

/// Returns the fraction of the peak that products reach on a GPU where a whole step of llm.q
/// reaches `share`. The H100 is the reference, whose products are fitted and whose step reaches
/// 0.61 (IST-DASLab/llmq b77d969, benchmarks, Qwen2.5 in bf16).
const fn by_llm_q(share: f64) -> f64 {
    share / 0.61 * fitted::MATMUL_HOPPER
}

/// Share of its peak that an A100's products reach alone: 0.848 and 0.854 of an A100 80 GB and an
/// A800 (`tests/one_gpu/boards.csv`).
const A100_ALONE: f64 = 0.85;

/// Returns the fraction of the peak that products reach in a step on a GPU where they reach `share`
/// alone. The A100 is the reference, whose share in a step is fitted.
const fn by_products(share: f64) -> f64 {
    least(share / A100_ALONE * fitted::MATMUL_AMPERE, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{accelerator, model};

    /// Leonardo was announced with 10 exaFLOPS in FP16, sparse, and has 13,824 GPUs: 362 TFLOP/s
    /// dense, 1.16 times the A100's.
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

    /// flash-attn forward on an RTX 5090 reaches 190.58 of 209.5 TFLOP/s (gau-nernst, Writing
    /// Speed-of-Light Flash Attention for 5090) and on an A100 up to 0.73 of the peak (arXiv
    /// 2307.08691): what is not the tensor cores' weighs less where they run at half of their rate.
    #[test]
    fn attention_beside_slower_tensor_cores_comes_nearer_to_their_peak() {
        let rest = |share: f64| 1.0 / share - 1.0;
        let less = rest(190.58 / 209.5) / rest(0.73);
        assert!((less - 0.27).abs() < 0.01, "{less}");
        let step = 1.0 / (1.0 + less * rest(AMPERE.efficiency.attention));
        for own in [AMPERE_GEFORCE, ADA_GEFORCE, BLACKWELL_GEFORCE] {
            assert!((own.efficiency.attention - step).abs() < 0.02, "{step}");
        }
    }

    /// llm.q's throughput in tokens/s per GPU, bf16, 1,024 tokens (IST-DASLab/llmq b77d969,
    /// benchmarks): the ratio of the products' fraction to the step's MFU is the H100's within 5 %.
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
        for (gpu, name, tokens_per_s, silicon) in
            [("rtx-pro-6000", "qwen-2.5-14b", 4_064.2, BLACKWELL_GDDR), ("l40s", "qwen-2.5-7b", 3_900.0, ADA)]
        {
            let scaled = mfu(gpu, name, tokens_per_s) / h100 * HOPPER.efficiency.matmul;
            assert!((silicon.efficiency.matmul / scaled - 1.0).abs() < 0.05, "{gpu}: {scaled}");
            assert_eq!(accelerator(gpu).unwrap().values.efficiency.matmul, silicon.efficiency.matmul);
        }
    }
}
