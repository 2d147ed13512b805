//! Explanations of models other than the trained one, and of generation.

use super::super::{Context, Explanation};
use super::{ahead, generates, in_turns, number, when};
use engine::model::memory;
use engine::units::Bytes;

const SECTION: &str = "docs/book/model/rollout.md.";
const PAGED: &str = "docs/book/model/rollout.md; vLLM (arXiv 2309.06180).";

fn has_copy(c: &Context) -> bool {
    c.peak.models.reference > Bytes::ZERO && c.setup.trained.is_all()
}

fn dense_copy(c: &Context) -> bool {
    has_copy(c) && c.peak.stage.params.held.expert <= 0.0
}

fn routed_copy(c: &Context) -> bool {
    has_copy(c) && c.peak.stage.params.held.expert > 0.0
}

fn reserves(c: &Context) -> bool {
    memory::engine_beside_training(&c.setup, memory::context(&c.setup)) > Bytes::ZERO
}

const fn has_tower(c: &Context) -> bool {
    c.setup.architecture.tower.is_used() && c.peak.stage.embedding
}

pub(super) const OBJECTIVE: &[Explanation] = &[
    number(
        "other-models",
        "Other models",
        &[
            when(|c| !c.setup.objective.task.distills(), "M_models = M_ref + M_reward + M_critic"),
            when(|c| c.setup.objective.task.distills(), "M_models = M_teacher + M_pass"),
            when(dense_copy, "M_ref = 2 · P / Z_w"),
            when(routed_copy, "M_ref = 2 · (P / Z_w + P_expert / E_w)"),
        ],
        [
            "Models in addition to the policy: the frozen [reference model] and the reward model in 16 bits, sharded like the policy’s weights, [PPO]’s critic with gradients and optimizer state, and the teacher of a [distillation], in 16 bits, with the weights that its pass gathers. With LoRA, the reference is the base without its adapters and needs no copy.",
            SECTION,
            "Reward models and critics of another size than the policy, and frozen models that are offloaded separately.",
        ],
    ),
    number(
        "rollout-engine",
        "Rollout engine",
        &[when(reserves, "M_engine = u_gen · M_GPU"), when(|c| !reserves(c), "M_engine = 0")],
        [
            "Memory that the engine that generates completions keeps while the policy trains. Zero if it [sleeps|sleep-mode] or has its own GPUs.",
            PAGED,
            "CUDA graphs and context, which a sleeping engine keeps.",
        ],
    ),
    number(
        "tower-memory",
        "Encoder of images",
        &[when(has_tower, "M_tower = S_tower + S_gathered + A_tower"), when(|c| !has_tower(c), "M_tower = 0")],
        [
            "The [encoder of images|encoder] or sound before the language model, with its projection, on the first pipeline stage: weights, sharded like the language model’s; gradients and optimizer state if they train; weights gathered by FSDP’s root unit; and activations. A frozen encoder keeps none; a trained one keeps as many for each patch as a language model for each token, under the same [activation checkpointing].",
            "docs/book/model/images.md; the layers of CLIP (arXiv 2103.00020), SigLIP (arXiv 2303.15343) and Qwen2-VL (arXiv 2409.12191).",
            "Adapters inside the encoder, a second encoder’s activations, and the pixels.",
        ],
    ),
    number(
        "generation-memory",
        "Memory while generating",
        &[
            when(generates, "M_gen = M_rest + M_copy + M_buffers + M_cache"),
            when(generates, "M_cache = u_gen · M_GPU − M_copy − M_buffers"),
        ],
        [
            "One GPU during the [rollout]: the engine’s copy of the policy, its buffers and the [KV cache], which takes the rest of the engine’s share; and the weights, optimizer state and other models of training that stay on the GPU. It is never added to the [memory of training|needed], as the two alternate.",
            PAGED,
            "CUDA graphs, and buckets of weights on their way to the engine.",
        ],
    ),
    number(
        "concurrent",
        "Sequences at once",
        &[
            when(in_turns, "n_run = min(n_each, max(1, M_cache / M_seq), 1024)"),
            when(ahead, "n_run = min(k_ahead · n_each, max(1, M_cache / M_seq), 1024)"),
        ],
        [
            "Sequences that one engine generates concurrently while some are left to begin: all of its sequences, up to the number that its [KV cache] holds at their mean length, at most 1,024. A pass reads the weights once for all of them, so more sequences cost little time.",
            PAGED,
            "Sequences that the engine evicts and computes again when its cache is full.",
        ],
    ),
    number(
        "rollout",
        "Rollout time",
        &[
            when(generates, "T_roll = T_sync + T_prefill + n_pass · t_token"),
            when(in_turns, "n_pass = (n_each / n_run − 1) · n_new + n_longest"),
            when(ahead, "n_pass = ((k_ahead · n_each / n_run − 1) · n_new + n_longest) / k_ahead"),
            when(generates, "R_gen = n_gen / T_roll"),
        ],
        [
            "The transfer of the updated weights to the engine, the prompts at the rate of compute, and passes that generate a token for each running sequence until the longest ends; as one ends, the next begins. A pass reads weights and [KV cache] at 80 % of the memory bandwidth and takes another 0.1 ms per layer.",
            "docs/book/model/rollout.md; vLLM’s speeds of Qwen2.5 on A100 (Qwen’s documentation); the bound of list scheduling (Graham 1969).",
            "Tools and sandboxes; sampling and scheduling between passes; speculative decoding.",
        ],
    ),
    number(
        "whole-step",
        "Step with its rollout",
        &[
            when(in_turns, "T_all = T_roll + T_move + T_score + T_updates + T_critic"),
            when(ahead, "T_all = max(T_roll − T_sync, T_score + T_updates + T_critic) + T_sync"),
        ],
        [
            "One [rollout] and the training on it, one phase after the other: training state that leaves the GPU and returns, forward passes that score completions (old log-probabilities, [reference model], reward model, critic), and the updates. [Step time|step] is one update of the policy. If separate GPUs generate ahead, generation and training run at the same time, and both pause for the weights.",
            "docs/book/model/rollout.md; the phases are verl’s (gen, old_log_prob, ref, values, update_actor, update_critic).",
            "Evaluation, checkpoints and the work of the driver between phases.",
        ],
    ),
];
