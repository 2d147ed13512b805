//! The key-value cache of generation.

use super::HALF;
use crate::model::setup::Setup;
use crate::units::Bytes;

/// Returns the bytes of keys and values of one token in all layers on one GPU of an engine, `2 L
/// w_kv / t` elements in 16 bits; for latent attention the compressed ones, `L (r_kv + d_rope)`, on
/// every GPU (`DeepSeek-V2`, arXiv 2405.04434, section 2.1.2).
///
/// ```
/// # use links::decode;
/// # use engine::model::rollout::cache_bytes_per_token;
/// let of = |link: &str| cache_bytes_per_token(&decode(link).scenario.setup()).get();
/// // OPT 13B: 2 x 5,120 x 40 x 2 bytes are 800 KB a token (vLLM, arXiv 2309.06180, section 3).
/// assert_eq!(of("model=opt-13b&gpus=1") / 1024.0, 800.0);
/// // DeepSeek-V3: 70.272 KB a token, Llama 3.1 405B 516.096 (arXiv 2505.09343, table 1).
/// assert_eq!([of("model=deepseek-v3&gpus=1"), of("model=llama-3.1-405b&gpus=1")], [70_272.0, 516_096.0]);
/// ```
pub fn cache_bytes_per_token(engine: &Setup) -> Bytes {
    Bytes::new(f64::from(engine.architecture.num_hidden_layers) * per_layer(engine))
}

/// Returns the cache bytes of one layer for a token.
fn per_layer(engine: &Setup) -> f64 {
    let width = engine.architecture.core().cached_over(f64::from(engine.mesh.tp.max(1)));
    HALF * width
}

/// Returns the cache bytes of one sequence of `tokens` tokens: sliding layers keep their window.
pub fn cache_bytes(engine: &Setup, tokens: f64) -> Bytes {
    let arch = &engine.architecture;
    let window = f64::from(arch.sliding_window);
    let whole = cache_bytes_per_token(engine) * tokens;
    if arch.sliding_window == 0 || tokens <= window {
        return whole;
    }
    let global = if arch.global_every > 0 { 1.0 / f64::from(arch.global_every) } else { 0.0 };
    whole * global + cache_bytes_per_token(engine) * window * (1.0 - global)
}
