//! The batch of a step, and its efficiency relative to the critical batch.

use crate::model::setup::Setup;

/// Returns the tokens in one step over all GPUs without padding, `B = dp_replicate dp_shard b s m`.
///
/// b sequences in a micro-batch, s tokens in a sequence, m micro-batches in a step. Context, tensor
/// and pipeline parallelism do not increase B.
///
/// ```
/// # use engine::model::{parallel::Mesh, run::batch::global_batch_tokens, training::Batch};
/// // Llama 3 405B: 16M tokens on 16,384 GPUs, tp 8, pp 16, dp 128, sequences of 8,192 (arXiv 2407.21783, Table 4).
/// let mut setup = catalog::default_scenario().setup();
/// setup.mesh = Mesh { dp_replicate: 1, dp_shard: 128, cp: 1, tp: 8, pp: 16, ep: 1, etp: 1 };
/// setup.batch = Batch { seq_len: 8192, micro_batch_size: 1, grad_accum_steps: 16 };
/// assert_eq!(setup.mesh.gpus(), 16_384);
/// assert_eq!(global_batch_tokens(&setup), 16.0 * 1024.0 * 1024.0);
/// ```
pub fn global_batch_tokens(setup: &Setup) -> f64 {
    let batch = &setup.batch;
    f64::from(setup.mesh.replicas())
        * f64::from(batch.micro_batch_size)
        * f64::from(batch.seq_len)
        * f64::from(batch.grad_accum_steps)
        * setup.useful()
}

/// Returns the efficiency of a token in a batch of B tokens relative to a small batch, `1 / (1 + B
/// / B_crit)`.
///
/// At the critical batch `B_crit` a run needs twice the minimum number of tokens (and twice that of
/// steps); far below it no token is wasted. `B_crit` grows as the loss falls, so the single number
/// is for the end of training. Source: arXiv 1812.06162, section 2.3 (examples needed over the
/// fewest possible, `E/E_min = 1 + B/B_crit`).
///
/// ```
/// # use engine::model::run::batch::token_efficiency;
/// assert_eq!(token_efficiency(4e6, 4e6), 0.5);
/// assert_eq!(token_efficiency(4e6, f64::INFINITY), 1.0);
/// ```
pub fn token_efficiency(batch_tokens: f64, critical_batch_tokens: f64) -> f64 {
    1.0 / (1.0 + super::share(batch_tokens, critical_batch_tokens))
}
