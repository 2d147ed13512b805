//! Times of a generation engine: prompts at the rate of compute, tokens at the rate of memory.

use super::{HALF, cache_bytes};
use crate::fitted;
use crate::model::choices::Choices;
use crate::model::collectives::{self, Group};
use crate::model::compute::{matmul_rate, memory_rate};
use crate::model::flops;
use crate::model::setup::Setup;
use crate::model::stages::Stage;
use crate::model::training::{AttentionMask, ComputeFormat};
use crate::units::{Bytes, Flops, Seconds};

/// Latency of a layer's kernels in addition to their traffic in a pass over few tokens, in sequence
/// in a CUDA graph.
pub const LAYER_LATENCY: Seconds = Seconds::from_ms(fitted::DECODE_LAYER_MS);

/// Returns the time of a pass that generates one token for each of `sequences` sequences of
/// `tokens` tokens, on one engine: `max((W + b K)/B, F/S) + L t_layer + t_tp`.
///
/// W are the weights on a GPU that the pass reads, all but the embedding, and only experts that
/// receive a token; b the sequences, K their cache of keys and values; B 80 % of the memory
/// bandwidth; F the forward FLOPs of b tokens, S the rate of matrix products; L the layers. With
/// tensor parallelism there are two all-reduces of the hidden states per layer. Not counted:
/// sampling, and scheduling between passes.
///
/// ```
/// # use links::decode;
/// # use engine::model::{rollout::decode_step, stages::stages};
/// let tokens_per_s = |model: &str, tokens: f64| {
///     let setup = decode(&format!("cluster=dgx-a100-80&gpus=1&model={model}&seq=32k")).scenario.setup();
///     1.0 / decode_step(&setup, &stages(&setup).first, 1.0, tokens).get()
/// };
/// // Qwen2.5 on one A100 80GB under vLLM 0.6.3, 2,048 tokens after a prompt of one, tokens a second (its documentation).
/// for (model, measured) in
///     [("qwen-2.5-0.5b", 311.55), ("qwen-2.5-1.5b", 183.33), ("qwen-2.5-7b", 84.28), ("qwen-2.5-32b", 22.13)]
/// {
///     let speed = tokens_per_s(model, 1024.0);
///     assert!((speed / measured - 1.0).abs() < 0.17, "{model}: {speed} for {measured}");
/// }
/// // After a prompt of 14,336 tokens its cache is read too: 19.91 in place of 22.13.
/// let slower = tokens_per_s("qwen-2.5-32b", 14_336.0 + 1024.0);
/// assert!((slower / 19.91 - 1.0).abs() < 0.1, "{slower}");
/// ```
pub fn decode_step(engine: &Setup, stage: &Stage, sequences: f64, tokens: f64) -> Seconds {
    let arch = &engine.architecture;
    let read = weights_read(engine, stage, sequences) + cache_bytes(engine, tokens) * sequences;
    let compute = sequences * forward(engine, tokens) / rate_of(engine);
    let layers = f64::from(arch.num_hidden_layers);
    (read / memory_rate(engine)).max(compute) + layers * LAYER_LATENCY + exchanged(engine, sequences)
}

/// Returns the time in which an engine processes `prompts` prompts of `tokens` tokens: their
/// forward passes, at the rate of matrix products.
pub fn prefill(engine: &Setup, prompts: f64, tokens: f64) -> Seconds {
    let keys = flops::mean_keys(&engine.architecture, tokens, AttentionMask::Causal);
    let tokens = prompts * tokens;
    tokens * forward(engine, keys) / rate_of(engine) + exchanged(engine, tokens)
}

/// Returns the forward FLOPs of a token on one GPU of an engine.
fn forward(engine: &Setup, keys: f64) -> Flops {
    flops::forward_per_token(&engine.architecture, keys) / f64::from(engine.mesh.tp.max(1))
}

/// Returns the rate of the engine's products, which are in 16 bits.
fn rate_of(engine: &Setup) -> crate::units::FlopsPerSecond {
    matmul_rate(&Setup { choices: Choices { compute_format: ComputeFormat::AsPolicy, ..engine.choices }, ..*engine })
}

/// Returns the weights that a pass over `tokens` tokens reads.
fn weights_read(engine: &Setup, stage: &Stage, tokens: f64) -> Bytes {
    let held = &stage.params.held;
    let experts = f64::from(engine.architecture.experts.num_experts);
    let sent = tokens * f64::from(engine.architecture.experts.top_k());
    let share = if sent < experts { sent / experts } else { 1.0 };
    // The head is read and the embedding looked up; a tied table is read completely.
    let table = if engine.architecture.tie_word_embeddings { 0.0 } else { held.root - held.head };
    Bytes::new(HALF * (held.dense() - table + share * held.experts()))
}

/// Returns the time of all-reduces of the hidden states of `tokens` tokens, two per layer.
fn exchanged(engine: &Setup, tokens: f64) -> Seconds {
    let tp = engine.mesh.tp.max(1);
    let size = Bytes::new(HALF * tokens * f64::from(engine.architecture.hidden_size));
    let group = Group::consecutive(tp, tp, &engine.network);
    2.0 * f64::from(engine.architecture.num_hidden_layers) * collectives::all_reduce(&engine.network, group, size)
}
