//! Symbols of formulas about other models and generation.

use super::How::{Bytes, Count, Percent, Seconds, Tokens, TokensPerSecond};
use super::{Symbol, of};
use crate::Context;
use engine::model::report::MemoryPart;
use engine::model::rollout::RolloutReport;

/// Other models, generation, the step around it.
pub(super) const OBJECTIVE: &[Symbol] = &[
    of("M_models", "[other models|other-models] on this GPU", Bytes, |c| {
        c.report.memory.parts.get(MemoryPart::Models).get()
    }),
    of("M_engine", "memory of the [rollout engine|rollout-engine] while the policy trains", Bytes, |c| {
        c.report.memory.parts.get(MemoryPart::Engine).get()
    }),
    of("M_tower", "the [encoder of images|tower-memory] on this GPU", Bytes, |c| {
        c.report.memory.parts.get(MemoryPart::Tower).get()
    }),
    of("S_tower", "its weights, gradients and optimizer state at rest", Bytes, |c| c.peak.tower[0].get()),
    of("S_gathered", "its gathered weights at the peak", Bytes, |c| c.peak.tower[1].get()),
    of("A_tower", "its activations at the peak", Bytes, |c| c.peak.tower[2].get()),
    of("M_ref", "weights of the frozen [reference model]", Bytes, |c| c.peak.models.reference.get()),
    of("M_reward", "weights of the reward model", Bytes, |c| c.peak.models.reward.get()),
    of("M_critic", "the critic’s weights, gradients and optimizer state", Bytes, |c| c.peak.models.critic.get()),
    of("n_scored", "forward passes without gradients over each micro-batch", Count, |c| {
        f64::from(c.setup.objective.passes())
    }),
    of("u_gen", "share of the GPU’s memory for the engine", Percent, |c| c.setup.objective.engine.memory_share),
    of("M_gen", "memory of one GPU during generation", Bytes, |c| rollout(c, |r| r.memory.total().get())),
    of("M_rest", "training state that stays on the GPU", Bytes, |c| rollout(c, |r| r.memory.training.get())),
    of("M_copy", "the engine’s copy of the policy", Bytes, |c| rollout(c, |r| r.memory.weights.get())),
    of("M_buffers", "the engine’s buffers, context and libraries", Bytes, |c| {
        rollout(c, |r| r.memory.overhead.get())
    }),
    of("M_cache", "[KV cache]", Bytes, |c| rollout(c, |r| r.memory.cache.get())),
    of("M_seq", "KV cache of a sequence of full length", Bytes, |c| rollout(c, |r| r.memory.per_sequence.get())),
    of("n_each", "sequences for each engine", Count, |c| rollout(c, |r| r.each)),
    of("n_run", "[sequences at once|concurrent]", Count, |c| rollout(c, |r| r.concurrent)),
    of("n_new", "tokens of a completion", Tokens, |c| rollout(c, |r| r.tokens / r.sequences)),
    of("n_pass", "passes, each of which generates one token per sequence", Count, |c| rollout(c, |r| r.decode_steps)),
    of("t_token", "one such pass", Seconds, |c| rollout(c, |r| r.decode_step.get())),
    of("n_gen", "tokens generated in a rollout", Tokens, |c| rollout(c, |r| r.tokens)),
    of("R_gen", "tokens per second of all engines", TokensPerSecond, |c| rollout(c, RolloutReport::tokens_per_s)),
    of("T_sync", "transfer of the updated weights to the engine", Seconds, |c| rollout(c, |r| r.sync.get())),
    of("T_prefill", "reading the prompts", Seconds, |c| rollout(c, |r| r.prefill.get())),
    of("T_roll", "[rollout time|rollout]", Seconds, |c| rollout(c, |r| r.time().get())),
    of("T_score", "forward passes that score completions", Seconds, |c| rollout(c, |r| r.scoring.get())),
    of("T_updates", "all updates of the policy", Seconds, |c| rollout(c, |r| r.update.get())),
    of("T_critic", "updates of the critic", Seconds, |c| rollout(c, |r| r.critic.get())),
    of("T_all", "[step with its rollout|whole-step]", Seconds, |c| rollout(c, |r| r.step().get())),
    of("n_upd", "updates for each rollout", Count, |c| f64::from(c.setup.objective.updates)),
    of("N_own", "GPUs that only generate", Count, |c| rollout(c, |r| f64::from(r.own_gpus))),
    of("t_exchange_fwd", "exchanges of a forward pass without gradients", Seconds, |c| {
        c.plan.compute.exchanged_forward().get()
    }),
    of("t_expert_fwd", "routed experts of one layer in a forward pass", Seconds, |c| {
        c.plan.compute.experts.forward.products.get()
    }),
    of("t_a2a_fwd", "[all-to-all]s of one layer in a forward pass", Seconds, |c| {
        c.plan.compute.experts.forward.all_to_all.get()
    }),
];

/// Returns a figure of the rollout; NaN if nothing is generated.
fn rollout(c: &Context, of: fn(&RolloutReport) -> f64) -> f64 {
    c.report.rollout.as_ref().map_or(f64::NAN, of)
}
