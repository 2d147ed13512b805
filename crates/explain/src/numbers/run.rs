//! Explanations of the figures of the whole run.

use super::super::{Context, Explanation};
use super::{always, generates, number, when};
use engine::model::objective::LeavesGpu;
use engine::model::run::host::loaded_once;
use engine::model::software::Offload;
use engine::units::Seconds;

const SECTION: &str = "docs/book/model/run.md.";
const YOUNG: &str = "docs/book/model/run.md; Young (CACM 17, 1974) and Daly (FGCS 22, 2006), first order.";

/// Whether training state leaves the GPUs for generation.
fn leaves(c: &Context) -> bool {
    generates(c) && c.setup.objective.engine.leaves != LeavesGpu::Nothing
}

fn is_chosen(c: &Context) -> bool {
    c.scenario.run.checkpoint_interval > Seconds::ZERO
}

fn unified(c: &Context) -> bool {
    c.setup.accelerator.unified
}

fn by_unit(c: &Context) -> bool {
    c.setup.mesh.pp == 1 && c.scenario.run.deferred_init
}

fn fails(c: &Context) -> bool {
    c.run.run_mtbf.get() < f64::INFINITY
}

fn finishes(c: &Context) -> bool {
    c.run.finishes()
}

pub(super) const RUN: &[Explanation] = &[
    number(
        "time",
        "Time to train",
        &[
            when(|c| finishes(c) && !generates(c), "t_run = K · T_step / g"),
            when(|c| finishes(c) && generates(c), "t_run = K · T_all / (n_upd · g)"),
        ],
        [
            "All steps at the [step time], over the [goodput].",
            SECTION,
            "Queueing, debugging, evaluation, warm-up of the batch size and restarts with another plan.",
        ],
    ),
    number(
        "steps",
        "Steps",
        &[always("K = ceil(D_train / B)")],
        [
            "Optimizer steps until all tokens are seen, rounded up.",
            SECTION,
            "A batch that grows during training makes more steps.",
        ],
    ),
    number(
        "efficiency",
        "Batch efficiency",
        &[always("e = 1 / (1 + B / B_crit)")],
        [
            "The value of a token in a batch of this size relative to a small one. At the [critical batch] it is a half: the run needs twice the tokens. The time above does not count it.",
            "docs/book/model/run.md; arXiv 1812.06162, section 2.3.",
            "The critical batch grows as the loss falls; here it is constant.",
        ],
    ),
    number(
        "gpu-hours",
        "GPU-hours",
        &[
            when(|c| finishes(c) && !generates(c), "h = N · h_run"),
            when(|c| finishes(c) && generates(c), "h = (N + N_own) · h_run"),
        ],
        [
            "All GPUs from start to end, including the cost of failures.",
            SECTION,
            "Spare nodes that wait for a failure.",
        ],
    ),
    number(
        "cost",
        "Cost",
        &[when(finishes, "C = h · p")],
        ["GPU-hours at the price of one.", SECTION, "Storage, network traffic and people."],
    ),
    number(
        "energy",
        "Energy",
        &[when(finishes, "E = h · W · PUE")],
        [
            "The boards’ power for the whole time, and the data centre’s cooling and conversion.",
            "docs/book/model/run.md; BLOOM’s account (arXiv 2211.02001).",
            "Hosts, switches and storage; a board that draws less than its limit.",
        ],
    ),
    number(
        "emissions",
        "CO₂ equivalent",
        &[when(finishes, "m_CO₂ = E_kWh · i")],
        [
            "The grid’s emissions for that energy, by place.",
            "docs/book/model/run.md; BLOOM’s account (arXiv 2211.02001).",
            "The making of the machines, and certificates of origin.",
        ],
    ),
    number(
        "goodput",
        "Goodput",
        &[
            when(fails, "g = max(0, 1 − t_write / τ − (τ / 2 + t_restart) / t_fail)"),
            when(|c| !fails(c), "g = 1 − t_write / τ"),
        ],
        [
            "The share of the time spent on training: without checkpoints and, for each failure, half an interval of lost work and the restart.",
            YOUNG,
            "Failures while a checkpoint is written or a restart runs; slow nodes that do not fail.",
        ],
    ),
    number(
        "failures",
        "Failures",
        &[
            when(|c| finishes(c) && fails(c), "x = t_run / t_fail"),
            when(|c| fails(c) && !generates(c), "t_fail = t_one / N"),
            when(|c| fails(c) && generates(c), "t_fail = t_one / (N + N_own)"),
        ],
        [
            "Expected failures from start to end: a failure of any GPU, with its share of the other hardware, stops all GPUs.",
            "docs/book/model/run.md; Llama 3’s 419 interruptions in 54 days (arXiv 2407.21783, section 3.3.4).",
            "Failures that come together, and more of them in a cluster’s first weeks.",
        ],
    ),
    number(
        "checkpoint",
        "Checkpoint",
        &[
            when(|c| c.setup.trained.is_all(), "S_ckpt = b_w · P_model + b_m · P_2D + b_o · (P_model − P_2D)"),
            when(|c| !c.setup.trained.is_all(), "S_ckpt = b_w · P_saved + b_m · W_model + b_o · (P_updated − W_model)"),
            always("t_write = t_collect + S_ckpt / (n_write · B_host) + S_ckpt / min(B_disk, n_write · B_card)"),
        ],
        [
            "Weights and [optimizer state], stored once for all replicas; and the time to copy them to the hosts and to write them.",
            SECTION,
            "Asynchronous checkpoints, during which training goes on; state of the data loader.",
        ],
    ),
    number(
        "interval",
        "Checkpoint every",
        &[
            when(|c| fails(c) && !is_chosen(c), "τ = max(t_write, sqrt(2 · t_write · t_fail))"),
            when(is_chosen, "τ = max(t_write, τ_chosen)"),
        ],
        [
            "The interval that loses least: longer ones lose more work in a failure, shorter ones spend more time on writing. At the best one, both cost the same.",
            YOUNG,
            "It holds while writing is much shorter than the time between failures.",
        ],
    ),
    number(
        "host-init",
        "Host memory, initialising",
        &[
            when(|c| c.setup.mesh.pp == 1 && !c.scenario.run.deferred_init, "M_init = 4 · r · (P + P_expert)"),
            when(|c| by_unit(c) && loaded_once(&c.setup).is_none(), "M_init = 4 · r · max(P_root, P_unit)"),
            when(|c| by_unit(c) && loaded_once(&c.setup).is_some(), "M_init = b_load · (P + P_expert)"),
        ],
        [
            "The weights in fp32 on the host before sharding, 4 bytes per parameter: for each GPU of a host, its whole part of the model, or one layer at a time with deferred initialisation. If one rank of a host loads what FSDP broadcasts, one copy.",
            SECTION,
            "Pages of the checkpoint’s file in the system’s cache.",
        ],
    ),
    number(
        "host-checkpoint",
        "Host memory, checkpointing",
        &[
            when(|c| !unified(c) && c.scenario.run.sharded_checkpoint, "M_ckpt = S_ckpt · a_gpu · r / N"),
            when(|c| !unified(c) && !c.scenario.run.sharded_checkpoint, "M_ckpt = S_ckpt"),
            when(unified, "M_ckpt = 0"),
        ],
        [
            "The [checkpoint] in host memory while it is written: each host’s part of the state that is not offloaded, or all of it on one host if one rank gathers it.",
            SECTION,
            "A second copy that some libraries make to serialise it.",
        ],
    ),
    number(
        "host-offload",
        "Host memory, offloaded",
        &[when(|c| c.setup.offload == Offload::NONE && !leaves(c), "M_offload = 0")],
        [
            "Offloaded [optimizer state], weights and gradients, and [activations] in host memory, for every GPU of the host; and training state that leaves the GPUs during a [rollout].",
            SECTION,
            "Offloading to disks.",
        ],
    ),
    number(
        "host-need",
        "Host memory, in all",
        &[
            when(|c| !unified(c), "M_host = M_proc + b_pin · M_offload + max(M_init, M_ckpt)"),
            when(unified, "M_host = M_proc + b_pin · M_offload + max(M_init, M_gpus)"),
        ],
        [
            "The memory that the busiest host needs at once: the processes of its ranks, offloaded state with its pinned buffers, and the larger of initialisation and checkpoint. Where CPU and GPU share one memory, what the GPU holds counts, and a checkpoint is written from where it lies. If hosts have less, the run fails even if its GPUs have enough memory.",
            SECTION,
            "The data loader’s workers, shared memory, and the operating system.",
        ],
    ),
];
