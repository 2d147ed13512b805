//! Explanations of the headline figures, their range, the bound, and hardware FLOPs utilisation.

use super::super::{Context, Explanation};
use super::{ahead, always, generates, in_turns, is_next_token, number, waits_for_data, when};
use engine::model::lengths::Lengths;
use engine::model::report::Limiter;

const SCORED: &str = "docs/book/accuracy.md: every published run that the engine is compared with, by source.";

const fn limited(limiter: Limiter) -> fn(&Context) -> bool {
    match limiter {
        Limiter::Memory => |c| c.report.limiter == Limiter::Memory,
        Limiter::InterNode | Limiter::IntraNode => {
            |c| matches!(c.report.limiter, Limiter::InterNode | Limiter::IntraNode)
        }
        Limiter::Compute => |c| c.report.limiter == Limiter::Compute,
        Limiter::Launch => |c| c.report.limiter == Limiter::Launch,
        Limiter::Bubble => |c| c.report.limiter == Limiter::Bubble,
        Limiter::Data => |c| c.report.limiter == Limiter::Data,
        Limiter::Rollout => |c| c.report.limiter == Limiter::Rollout,
    }
}

const fn reads_images(c: &Context) -> bool {
    c.setup.architecture.tower.is_used()
}

/// Whether generation needs more than the GPU has.
fn lacks_room(c: &Context) -> bool {
    c.report.rollout.as_ref().is_some_and(|rollout| rollout.memory.total() > rollout.memory.capacity)
}

/// Whether every layer has attention as its only mixer of tokens, and only the next token is
/// predicted.
fn are_alike(c: &Context) -> bool {
    c.setup.architecture.layers().have_attention_alone() && c.setup.mtp == 0 && !c.setup.reads_images()
}

fn trains_all_of_alike(c: &Context) -> bool {
    c.setup.trained.is_all() && are_alike(c)
}

pub(super) const HEADLINE: &[Explanation] = &[
    number(
        "mfu",
        "MFU",
        &[
            when(generates, "MFU_all = MFU · T_updates · N / (T_all · (N + N_own))"),
            always("MFU = F_token · n_step / (T_step · N · S_peak)"),
            when(
                |c| trains_all_of_alike(c) && !c.setup.objective.has_scalar_head(),
                "F_token = 6 · (L · P_mat + V · H) + 12 · L · w · k",
            ),
            when(
                |c| trains_all_of_alike(c) && c.setup.objective.has_scalar_head(),
                "F_token = 6 · L · P_mat + 12 · L · w · k",
            ),
            when(
                |c| c.setup.trained.is_all() && !are_alike(c) && !c.setup.objective.has_scalar_head(),
                "F_token = 6 · (L · P_mat + V · H) + 3 · L · F_mix + F_next + F_image",
            ),
            when(
                |c| c.setup.trained.is_all() && !are_alike(c) && c.setup.objective.has_scalar_head(),
                "F_token = 6 · L · P_mat + 3 · L · F_mix + F_image",
            ),
            when(
                |c| !c.setup.trained.is_all() && !are_alike(c),
                "F_token = 2 · (1 + p_pass + p_train) · L · P_mat + (1 + 2 · p_pass) · L · F_mix + F_head + 6 · P_adapt",
            ),
            when(
                |c| !c.setup.trained.is_all() && are_alike(c),
                "F_token = 2 · (1 + p_pass + p_train) · L · P_mat + 4 · (1 + 2 · p_pass) · L · w · k + F_head + 6 · P_adapt",
            ),
        ],
        [
            "FLOPs that training needs, over FLOPs that the GPUs could do at their peak in the [step time|step]; over the whole step, where it generates its training data. A backward pass counts as two forward passes; recomputation under [activation checkpointing] counts only in [HFU]. The [range of measurements] is below.",
            "docs/book/model/parameters.md; PaLM (arXiv 2204.02311, appendix B) for the convention with full attention.",
            "Norms, activations and the optimizer count no FLOPs. Full attention counts score pairs that a causal mask skips.",
        ],
    ),
    number(
        "tokens",
        "Tokens per second per GPU",
        &[
            when(generates, "R_all = R · T_updates · N / (T_all · (N + N_own))"),
            always("R = n_step / (T_step · N)"),
            when(|c| c.setup.lengths == Lengths::Equal, "n_step = D · b · m · s"),
            when(|c| c.setup.lengths != Lengths::Equal, "n_step = D · b · m · s · f_text"),
        ],
        [
            "Training throughput of one GPU: the tokens of one step, over its time and all GPUs; over the whole step with its rollout, where it generates its training data. GPUs that share a sequence, a layer or a pipeline count like all others.",
            "docs/book/model/overlap.md.",
            "Failures, restarts and checkpoints, which the [goodput] counts. Padding counts as tokens.",
        ],
    ),
    number(
        "step",
        "Step time",
        &[
            when(in_turns, "T_all = T_roll + T_move + T_score + T_updates + T_critic"),
            when(ahead, "T_all = max(T_roll − T_sync, T_score + T_updates + T_critic) + T_sync"),
            when(generates, "T_updates = n_upd · T_step"),
            when(|c| !waits_for_data(c), "T_step = T_compute + T_exposed + T_bubble"),
            when(|c| !waits_for_data(c), "T_step = T_forward + T_backward + T_bubble + T_update"),
            when(waits_for_data, "T_step = T_compute + T_exposed + T_bubble + T_data"),
            when(waits_for_data, "T_step = T_forward + T_backward + T_bubble + T_update + T_data"),
            when(|c| waits_for_data(c) && c.setup.teacher.is_none(), "T_step = b · m / r_data"),
            when(|c| c.report.update.time.overlapped_comm().get() > 0.0, "T_comm = T_exposed + T_hidden"),
        ],
        [
            "One optimizer step (where a step generates its training data, one of the whole step’s updates), with all of its micro-batches, on the pipeline stage that ends last. It is simulated layer by layer: gathers and reductions overlap with compute and slow it a little; the rest of them is exposed. Two sums give the time: by kind of work, and by phase. If [data loaders|loader] are slower, the step waits for them. The [range of measurements] is below.",
            "docs/book/model/collectives.md, docs/book/model/compute.md and docs/book/model/overlap.md; the schedule is FSDP2’s, after PyTorch’s code and arXiv 2304.11277.",
            "The rate of data loaders, unless you enter it; stragglers, evaluation, logging, power limits and other jobs on the same network.",
        ],
    ),
    number(
        "needed",
        "Memory needed",
        &[
            when(
                |c| is_next_token(c) && !reads_images(c),
                "M_need = M_weights + M_grad + M_opt + M_gathered + M_unreduced + M_act + M_work + M_logits + M_context + M_frag",
            ),
            when(
                |c| is_next_token(c) && reads_images(c),
                "M_need = M_weights + M_grad + M_opt + M_gathered + M_unreduced + M_act + M_work + M_logits + M_context + M_frag + M_tower",
            ),
            when(
                |c| !is_next_token(c),
                "M_need = M_weights + M_grad + M_opt + M_gathered + M_unreduced + M_act + M_work + M_logits + M_context + M_frag + M_models + M_engine + M_tower",
            ),
            when(|c| c.report.memory.is_within(), "M_GPU = M_need + M_kept + M_free"),
            when(|c| !c.report.memory.is_within(), "M_missing = M_need − M_GPU"),
            always("M_shown = M_need + M_kept"),
        ],
        [
            "The memory that one GPU needs at the worst of eleven moments of a step, on the pipeline stage that needs most: the parts alive at that moment, not the sum of each part’s own peak. Needed, [cache] and free add up to what the driver leaves of the GPU. nvidia-smi shows needed and cache; PyTorch’s max_memory_reserved excludes the [CUDA context|context]. The verdict gives odds: the share of published runs whose error, applied to this prediction, would stay within this GPU’s memory.",
            "docs/book/model/peak.md; checked against PyTorch’s memory tracker (tests/measured/fsdp2_memory.csv).",
            "Memory of the data loader, evaluation or other processes, and a first step that allocates in another order.",
        ],
    ),
    number(
        "limiter",
        "Limited by",
        &[
            when(|c| limited(Limiter::Memory)(c) && !c.report.memory.fits(), "0.5 > P_fit"),
            when(|c| limited(Limiter::Memory)(c) && lacks_room(c), "M_gen > M_GPU"),
            when(limited(Limiter::Data), "T_data > 0"),
            when(limited(Limiter::InterNode), "T_lane > T_compute"),
            when(limited(Limiter::Bubble), "T_bubble > 0.5 · T_compute"),
            when(limited(Limiter::Bubble), "T_bubble > T_exposed"),
            when(limited(Limiter::Launch), "T_launch > 0.5 · T_compute"),
            when(limited(Limiter::Compute), "T_lane ≤ T_compute"),
            when(|c| limited(Limiter::Rollout)(c) && in_turns(c), "T_roll > 0.5 · T_all"),
            when(|c| limited(Limiter::Rollout)(c) && ahead(c), "T_roll − T_sync > T_score + T_updates + T_critic"),
        ],
        [
            "What to change first. Memory, if the run does not fit. Data, if the step waits for its loaders: only more workers, faster storage or texts tokenized in advance help. The pipeline, if its [bubble] exceeds half of compute and all exposed communication. The network, between nodes or inside them, if its busier lane takes longer than the compute that could hide it. Kernel launches, if the host needs half of compute’s time. The rollout, if a step generates its data and generation takes most of it. Otherwise compute. Next to it is the time that the limiter takes, of the whole step, and what the network costs, whatever limits: [exposed communication], and kernels that are slower during collectives ([contention]).",
            "docs/book/model/overlap.md.",
            "Two close limits: near a border of the map, both changes help. The advice under the headline tries each change.",
        ],
    ),
    number(
        "time-and-cost",
        "Time and cost",
        &[
            when(|c| c.run.finishes() && !generates(c), "t_run = K · T_step / g"),
            when(|c| c.run.finishes() && generates(c), "t_run = K · T_all / (n_upd · g)"),
            when(|c| c.run.finishes() && !generates(c), "h = N · h_run"),
            when(|c| c.run.finishes() && generates(c), "h = (N + N_own) · h_run"),
            when(|c| c.run.finishes(), "C = h · p"),
        ],
        [
            "The whole run: all steps at the [step time|step], over the [goodput], and its GPU-hours at the price of one. The price is the accelerator’s on-demand list price until you set one. The range below follows from the step’s [range of measurements|range].",
            "docs/book/model/run.md; prices with their source and date: data/prices.toml.",
            "Discounts for commitments, spot prices, storage, network traffic and people; queueing, evaluation and restarts with another plan.",
        ],
    ),
    number(
        "range",
        "Range of measurements",
        &[
            when(|c| !generates(c), "T_low = f_fast · T_step"),
            when(|c| !generates(c), "T_high = f_slow · T_step"),
            always("M_high = f_most · M_need"),
        ],
        [
            "80 % of published measurements are in it: from the 10th to the 90th percentile of measured over predicted, over sources on which no constant was fitted. MFU and throughput use the inverse of the step time’s range. It is wider below 20 % MFU, where host and framework limit, and on accelerators on which no constant was fitted, by the error of efficiencies borrowed from other silicon.",
            SCORED,
            "The range depends on neither your model nor your cluster, and no row has a faulty cluster.",
        ],
    ),
    number(
        "bound",
        "FSDP bound",
        &[always("MFU_max = min((3 + s / (2 · H)) · M_left · S_vol / (L · H · Q^2 · S_peak), 3 · α / (4 − γ))")],
        [
            "The highest MFU of full sharding, in closed form: the first argument is the limit of network and memory, the second that of compute. Free memory holds the tokens that hide a transfer, so the bound is proportional to memory times bandwidth over compute: a faster GPU with the same memory and links lowers it.",
            "docs/book/model/bounds.md, after Wang et al. 2025 (arXiv 2504.03655): a derivation, not a quotation.",
            "Latencies, embedding and head (φ = 12 L H²), overlap that fails, and everything but data parallelism.",
        ],
    ),
    number(
        "hfu",
        "HFU",
        &[always("HFU = (F_token + F_again) · n_step / (T_step · N · S_peak)")],
        [
            "[MFU] plus the FLOPs recomputed under [activation checkpointing]. It shows how busy the kernels are, not how fast training is.",
            "docs/book/model/parameters.md; PaLM (arXiv 2204.02311, appendix B).",
            "The same as MFU.",
        ],
    ),
];
