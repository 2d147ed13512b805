//! Symbols of formulas about other models and generation.

use super::ValueFormat::{Bytes, Count, Percent, Seconds, Tokens, TokensPerSecond};
use super::{Symbol, new_symbol};
use crate::Context;
use engine::model::report::MemoryPart;
use engine::model::rollout::RolloutReport;

/// Other models, generation, the step around it.
pub(super) const OBJECTIVE: &[Symbol] = &[
    new_symbol("M_models", "[other models|other-models] on this GPU", Bytes, |c| {
        c.report.memory.parts.get(MemoryPart::Models).get()
    }),
    new_symbol("M_engine", "memory of the [rollout engine|rollout-engine] while the policy trains", Bytes, |c| {
        c.report.memory.parts.get(MemoryPart::Engine).get()
    }),
    new_symbol("M_tower", "the [encoder of images|tower-memory] on this GPU", Bytes, |c| {
        c.report.memory.parts.get(MemoryPart::Tower).get()
    }),
    new_symbol("S_tower", "its weights, gradients and optimizer state at rest", Bytes, |c| c.peak.tower[0].get()),
    new_symbol("S_gathered", "its gathered weights at the peak", Bytes, |c| c.peak.tower[1].get()),
    new_symbol("A_tower", "its activations at the peak", Bytes, |c| c.peak.tower[2].get()),
    new_symbol("M_ref", "weights of the frozen [reference model]", Bytes, |c| c.peak.models.reference.get()),
    new_symbol("M_reward", "weights of the reward model", Bytes, |c| c.peak.models.reward.get()),
    new_symbol("M_critic", "the critic’s weights, gradients and optimizer state", Bytes, |c| {
        c.peak.models.critic.get()
    }),
    new_symbol("M_teacher", "weights of the teacher of a distillation", Bytes, |c| c.peak.models.teacher.get()),
    new_symbol("M_pass", "the teacher’s pass beyond the memory of the loss", Bytes, |c| c.peak.teacher_pass.get()),
    new_symbol("n_scored", "forward passes without gradients over each micro-batch", Count, |c| {
        f64::from(c.setup.objective.passes())
    }),
    new_symbol("u_gen", "share of the GPU’s memory for the engine", Percent, |c| {
        c.setup.objective.engine.memory_share
    }),
    new_symbol("M_gen", "memory of one GPU during generation", Bytes, |c| rollout(c, |r| r.memory.total().get())),
    new_symbol("M_rest", "training state that stays on the GPU", Bytes, |c| rollout(c, |r| r.memory.training.get())),
    new_symbol("M_copy", "the engine’s copy of the policy", Bytes, |c| rollout(c, |r| r.memory.weights.get())),
    new_symbol("M_buffers", "the engine’s buffers, context and libraries", Bytes, |c| {
        rollout(c, |r| r.memory.overhead.get())
    }),
    new_symbol("M_cache", "[KV cache]", Bytes, |c| rollout(c, |r| r.memory.cache.get())),
    new_symbol("M_seq", "KV cache of a running sequence on average", Bytes, |c| rollout(c, |r| r.memory.held.get())),
    new_symbol("n_each", "sequences for each engine", Count, |c| rollout(c, |r| r.each)),
    new_symbol("k_ahead", "rollouts that are generated ahead of training", Count, |c| {
        rollout(c, |r| f64::from(r.staleness))
    }),
    new_symbol("n_run", "[sequences at once|concurrent]", Count, |c| rollout(c, |r| r.concurrent)),
    new_symbol("n_new", "mean tokens of a completion", Tokens, |c| rollout(c, |r| r.tokens / r.sequences)),
    new_symbol("n_longest", "tokens of the longest completion", Tokens, |c| rollout(c, |r| r.longest)),
    new_symbol("n_pass", "passes, each of which generates one token per running sequence", Count, |c| {
        rollout(c, |r| r.decode_steps)
    }),
    new_symbol("t_token", "one such pass", Seconds, |c| rollout(c, |r| r.decode_step.get())),
    new_symbol("n_gen", "tokens generated in a rollout", Tokens, |c| rollout(c, |r| r.tokens)),
    new_symbol("R_gen", "tokens per second of all engines", TokensPerSecond, |c| {
        rollout(c, RolloutReport::tokens_per_s)
    }),
    new_symbol("T_sync", "transfer of the updated weights to the engine", Seconds, |c| rollout(c, |r| r.sync.get())),
    new_symbol("T_move", "training state to the host and back", Seconds, |c| rollout(c, |r| r.moving.get())),
    new_symbol("T_prefill", "reading the prompts", Seconds, |c| rollout(c, |r| r.prefill.get())),
    new_symbol("T_roll", "[rollout time|rollout]", Seconds, |c| rollout(c, |r| r.time().get())),
    new_symbol("T_score", "forward passes that score completions", Seconds, |c| rollout(c, |r| r.scoring.get())),
    new_symbol("T_updates", "all updates of the policy", Seconds, |c| rollout(c, |r| r.update.get())),
    new_symbol("T_critic", "updates of the critic", Seconds, |c| rollout(c, |r| r.critic.get())),
    new_symbol("T_all", "[step with its rollout|whole-step]", Seconds, |c| rollout(c, |r| r.step().get())),
    new_symbol("n_upd", "updates for each rollout", Count, |c| f64::from(c.setup.objective.updates)),
    new_symbol("N_own", "GPUs that only generate", Count, |c| rollout(c, |r| f64::from(r.own_gpus))),
    new_symbol("t_exchange_fwd", "exchanges of a forward pass without gradients", Seconds, |c| {
        c.plan.compute.exchanged_forward().get()
    }),
    new_symbol("t_expert_fwd", "routed experts of one layer in a forward pass", Seconds, |c| {
        c.plan.compute.experts.forward.products.get()
    }),
    new_symbol("t_a2a_fwd", "[all-to-all]s of one layer in a forward pass", Seconds, |c| {
        c.plan.compute.experts.forward.all_to_all.get()
    }),
];

/// Returns a figure of the rollout; NaN if nothing is generated.
fn rollout(c: &Context, of: fn(&RolloutReport) -> f64) -> f64 {
    c.report.rollout.as_ref().map_or(f64::NAN, of)
}
