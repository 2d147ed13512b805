//! Symbols of formulas about time and speed.

use super::ValueFormat::{
    Bytes, BytesPerSecond, Count, Flops, FlopsPerSecond, Params, Percent, Seconds, Tokens, TokensPerSecond,
};
use super::{Symbol, new_symbol};
use crate::Context;
use catalog::accuracy;
use engine::model::adapters;
use engine::model::collectives::nccl::PAT_RATE;
use engine::model::collectives::{Group, Ring, bus_bandwidth};
use engine::model::comm::beside_compute;
use engine::model::compute;
use engine::model::flops::tower;
use engine::model::flops::{
    Backward, beside_model_per_token, counted_keys, further_tokens, head_flops_per_token, layer_attention,
    layer_matmul_params, layer_mixing, model_flops_per_token,
};
use engine::model::report::Work;
use engine::model::step::playback::Playback;
use engine::model::step::waterfall::{StepPart, waterfall};
use engine::model::step::work_times::time_by_work;
use engine::units;

/// Time, throughput, utilisation.
pub(super) const STEP: &[Symbol] = &[
    new_symbol("MFU", "model FLOPs utilisation", Percent, |c| c.report.update.mfu),
    new_symbol("HFU", "hardware FLOPs utilisation", Percent, |c| c.report.update.hfu),
    new_symbol("MFU_all", "model FLOPs utilisation of the whole step", Percent, |c| c.report.whole().mfu),
    new_symbol("R_all", "throughput of one GPU over the whole step", TokensPerSecond, |c| {
        c.report.whole().tokens_per_s_per_gpu
    }),
    new_symbol("R", "throughput of one GPU", TokensPerSecond, |c| c.report.update.tokens_per_s_per_gpu),
    new_symbol("F_token", "model FLOPs of a token, forward and backward", Flops, |c| {
        model_flops_per_token(&c.setup).get()
    }),
    new_symbol("p_pass", "share of the layers that gradients cross", Percent, |c| Backward::new(&c.setup).passed),
    new_symbol("p_train", "share of the layers whose own weights get gradients", Percent, |c| {
        Backward::new(&c.setup).trained
    }),
    new_symbol("F_head", "FLOPs of the output head, with gradients of its weights if it trains", Flops, |c| {
        head_flops_per_token(&c.setup).get()
    }),
    new_symbol("P_adapt", "adapter weights that multiply a token", Params, |c| adapters::per_token(&c.setup)),
    new_symbol(
        "F_again",
        "FLOPs of a token added by [activation checkpointing] and by models without gradients",
        Flops,
        |c| beside_model_per_token(&c.setup, keys(c)).get(),
    ),
    new_symbol("n_step", "tokens that all GPUs process in one step", Tokens, |c| c.report.tokens_per_step),
    new_symbol("T_step", "[step time]", Seconds, |c| c.report.update.time.step.get()),
    new_symbol("N", "GPUs", Count, |c| f64::from(c.setup.mesh.gpus())),
    new_symbol("S_peak", "dense peak of one GPU in the format of the layers’ products", FlopsPerSecond, |c| {
        compute::peak(&c.setup).get()
    }),
    new_symbol("L", "layers", Count, |c| f64::from(c.setup.architecture.num_hidden_layers)),
    new_symbol("P_mat", "weights of one layer that multiply a token", Params, |c| {
        layer_matmul_params(&c.setup.architecture)
    }),
    new_symbol("w", "width of all query heads together", Count, |c| layer_attention(&c.setup.architecture, 0.25).get()),
    new_symbol(
        "F_mix",
        "forward FLOPs of a token in one layer in addition to its products, mean over the layers: attention scores and the recurrence of state mixers",
        Flops,
        |c| layer_mixing(&c.setup.architecture, keys(c)).get(),
    ),
    new_symbol("F_next", "model FLOPs of the modules that predict further tokens", Flops, |c| {
        further_tokens(&c.setup).get()
    }),
    new_symbol("F_image", "model FLOPs of the [encoder of images|tower-memory], per token of the text", Flops, |c| {
        tower::per_token(&c.setup).get()
    }),
    new_symbol("k", "keys counted per query in the [FLOPs convention|mfu-convention]", Count, keys),
    new_symbol("V", "vocabulary", Count, |c| f64::from(c.setup.architecture.vocab_size)),
    new_symbol("H", "width of the hidden state", Count, |c| f64::from(c.setup.architecture.hidden_size)),
    new_symbol("D", "data-parallel replicas", Count, |c| f64::from(c.setup.mesh.replicas())),
    new_symbol("m", "[micro-batch]es in one step", Count, |c| f64::from(c.setup.batch.grad_accum_steps)),
    new_symbol("b", "sequences in one micro-batch, both of a pair", Count, |c| {
        f64::from(c.setup.batch.micro_batch_size)
    }),
    new_symbol("s", "tokens in one sequence, including padding", Tokens, seq_len),
    new_symbol("f_text", "share of the tokens that is not padding", Percent, |c| c.setup.useful()),
    new_symbol("T_compute", "compute kernels, slowed while collectives run", Seconds, |c| {
        c.report.update.time.compute.get()
    }),
    new_symbol("T_exposed", "[exposed communication]: collectives during which nothing is computed", Seconds, |c| {
        c.report.update.time.exposed_comm.get()
    }),
    new_symbol("T_bubble", "[pipeline bubble|bubble]", Seconds, |c| c.report.update.time.bubble.get()),
    new_symbol("T_forward", "forward passes with exposed communication", Seconds, |c| {
        c.report.update.time.forward.get()
    }),
    new_symbol("T_backward", "backward passes with recomputation and exposed communication", Seconds, |c| {
        c.report.update.time.backward.get()
    }),
    new_symbol("T_update", "the optimizer’s update, and the gather of weights after it, if any", Seconds, |c| {
        c.report.update.time.optimizer.get()
    }),
    new_symbol("T_lane", "the busier lane of collectives", Seconds, |c| c.report.update.time.longest_lane.get()),
    new_symbol("T_launch", "compute limited by [host launches|host-launches]", Seconds, |c| {
        c.report.update.time.launch_bound.get()
    }),
    new_symbol("T_data", "waiting for data: time of loaders beyond the rest of the step", Seconds, |c| {
        c.report.update.time.loading.get()
    }),
    new_symbol("r_data", "sequences per second from [data loaders|loader] to a replica", Count, |c| {
        c.setup.network.host.loader
    }),
    new_symbol("f_fast", "measured over predicted step time, 10th percentile", Count, |c| {
        accuracy::step_time(&c.scenario).low
    }),
    new_symbol("f_slow", "measured over predicted step time, 90th percentile", Count, |c| {
        accuracy::step_time(&c.scenario).high
    }),
    new_symbol("T_low", "lower end of the range of the step time", Seconds, |c| {
        accuracy::step_time(&c.scenario).low * c.report.update.time.step.get()
    }),
    new_symbol("T_high", "upper end of the range", Seconds, |c| {
        accuracy::step_time(&c.scenario).high * c.report.update.time.step.get()
    }),
    new_symbol("l", "layers of the slowest stage", Count, layers),
    new_symbol("t_fwd", "kernels of one layer in a forward pass, without exchanges and routed experts", Seconds, |c| {
        let (times, experts) = (c.plan.compute, c.plan.compute.experts);
        (times.layer_forward - times.exchange.layer_forward - experts.forward.products).get()
    }),
    new_symbol("t_bwd", "kernels of one layer in a backward pass, with recomputation", Seconds, |c| {
        let (times, experts) = (c.plan.compute, c.plan.compute.experts);
        (times.layer_backward - times.exchange.layer_backward - experts.backward.products).get()
    }),
    new_symbol("T_fwd", "forward passes over the step, simulated", Seconds, |c| played(c, &[Work::LayerForward])),
    new_symbol("T_bwd", "backward passes over the step, simulated", Seconds, |c| played(c, &[Work::LayerBackward])),
    new_symbol(
        "t_head",
        "output head and loss of one micro-batch, forward and backward, with the host’s waits",
        Seconds,
        |c| {
            let waits = c.plan.waits_for_host() * (1.0 / f64::from(c.setup.batch.grad_accum_steps));
            (c.plan.compute.head - c.plan.compute.exchange.head + waits).get()
        },
    ),
    new_symbol("T_head", "output head and loss over the step", Seconds, |c| played(c, &[Work::Head])),
    new_symbol("t_gather", "all-gather of one layer’s weights", Seconds, |c| {
        c.plan.comm(true, true).gather_layer.get()
    }),
    new_symbol("S_gather", "one layer’s weights as gathered", Bytes, |c| c.peak.gathered.units[1]),
    new_symbol("t_scatter", "reduction of one layer’s gradients in the shard group", Seconds, |c| {
        c.plan.comm(true, true).reduce_layer.get()
    }),
    new_symbol("S_scatter", "one layer’s gradients as reduced", Bytes, scattered),
    new_symbol("Z", "GPUs in the shard group", Count, |c| f64::from(c.setup.mesh.shard_group())),
    new_symbol("B_bus", "[bus bandwidth] of a ring over the shard group, during compute", BytesPerSecond, |c| {
        bus_bandwidth(&beside_compute(&c.setup), shard_group(c)).get()
    }),
    new_symbol("t_hops", "exposed latency of the ring’s hops for these bytes", Seconds, |c| {
        ring(c).latency(units::Bytes::new(c.peak.gathered.units[1])).get()
    }),
    new_symbol("t_hops_back", "exposed latency of the ring’s hops for the gradients’ bytes", Seconds, |c| {
        ring(c).latency(units::Bytes::new(scattered(c))).get()
    }),
    new_symbol("t_tree", "latency of the hops of a tree", Seconds, |c| ring(c).tree_latency().get()),
    new_symbol("e_tree", "rate of a tree over that of a ring", Percent, |_| PAT_RATE),
    new_symbol("T_across", "time of all reductions across replicas over the step", Seconds, |c| {
        c.plan.replicate_lane().get()
    }),
    new_symbol("m_reduce", "micro-batches that reduce gradients", Count, |c| c.plan.reductions()),
    new_symbol("t_across", "reduction of one layer’s gradient shards across replicas", Seconds, |c| {
        c.plan.comm(true, true).replicate_layer.get()
    }),
    new_symbol("t_root", "reduction of embedding and head across replicas", Seconds, |c| {
        c.plan.comm(true, true).replicate_root.get()
    }),
    new_symbol("T_comm", "collectives, including hidden ones", Seconds, |c| c.report.update.time.comm.get()),
    new_symbol("T_hidden", "collectives hidden behind compute", Seconds, |c| {
        c.report.update.time.overlapped_comm().get()
    }),
    new_symbol("T_exchange", "exposed exchanges of tensor, context, expert and pipeline parallelism", Seconds, |c| {
        c.report.update.time.exchange.get()
    }),
    new_symbol("t_exchange", "exposed exchanges of one micro-batch", Seconds, |c| c.plan.compute.exchanged().get()),
    new_symbol("t_update", "the optimizer’s update", Seconds, |c| c.plan.optimizer.get()),
    new_symbol(
        "T_after",
        "gather of the updated weights, if it does not overlap with the next forward pass",
        Seconds,
        |c| c.plan.data_parallel.after_update.get(),
    ),
    new_symbol("t_emb", "embedding of one micro-batch, forward and backward", Seconds, |c| {
        let times = c.plan.compute;
        (times.embedding_forward - times.exchange.embedding_forward + times.embedding_backward).get()
    }),
    new_symbol("T_emb", "embedding over the step, simulated", Seconds, |c| {
        played(c, &[Work::EmbeddingForward, Work::EmbeddingBackward])
    }),
    new_symbol("t_expert", "routed experts of one layer in both passes, mean over the layers", Seconds, |c| {
        let experts = c.plan.compute.experts;
        (experts.forward.products + experts.backward.products).get()
    }),
    new_symbol("T_expert", "routed experts over the step", Seconds, |c| played(c, &[Work::Experts])),
    new_symbol("t_a2a", "[all-to-all]s of one layer in both passes", Seconds, |c| {
        let experts = c.plan.compute.experts;
        (experts.forward.all_to_all + experts.backward.all_to_all).get()
    }),
    new_symbol("F_count", "model FLOPs of a token, at most those computed", Flops, |c| {
        let split = waterfall(&c.setup, &c.report);
        let mfu = c.report.update.mfu;
        let counted = if mfu > 0.0 { (split.share(StepPart::Useful) / mfu).min(1.0) } else { 1.0 };
        counted * model_flops_per_token(&c.setup).get()
    }),
    new_symbol("T_useful", "the model’s FLOPs at the peak rate", Seconds, |c| lost(c, &[StepPart::Useful])),
    new_symbol("T_below", "products below the peak rate, and padding", Seconds, |c| {
        lost(c, &[StepPart::Kernels, StepPart::Padding])
    }),
    new_symbol("T_stream", "memory-bound work: element-wise, loss, optimizer", Seconds, |c| {
        lost(c, &[StepPart::MemoryBound, StepPart::Optimizer])
    }),
    new_symbol("T_again", "recomputation and passes without gradients", Seconds, |c| {
        lost(c, &[StepPart::Recomputation, StepPart::Passes])
    }),
    new_symbol("T_slow", "compute slowed by collectives and host launches", Seconds, |c| {
        lost(c, &[StepPart::Contention, StepPart::Launches])
    }),
    new_symbol("T_idle", "waiting for other pipeline stages, and uneven stages", Seconds, |c| {
        lost(c, &[StepPart::Bubble, StepPart::UnevenStages])
    }),
    new_symbol("T_a2a", "all-to-alls over the step, hidden or not", Seconds, |c| {
        played(c, &[Work::Dispatch, Work::Combine])
    }),
];

fn seq_len(c: &Context) -> f64 {
    f64::from(c.setup.batch.seq_len)
}

/// Returns the time of these kinds of work in the step, as in the timeline.
fn played(c: &Context, works: &[Work]) -> f64 {
    let (times, _) = time_by_work(&Playback::new(&c.setup));
    works.iter().filter_map(|work| times.get(*work as usize)).map(|time| time.get()).sum()
}

/// Returns the time of these parts of the step.
fn lost(c: &Context, parts: &[StepPart]) -> f64 {
    let split = waterfall(&c.setup, &c.report);
    parts.iter().map(|part| split.get(*part).get()).sum()
}

fn layers(c: &Context) -> f64 {
    f64::from(c.plan.compute.layers)
}

fn keys(c: &Context) -> f64 {
    counted_keys(&c.setup.architecture, c.setup.attended(), c.setup.mfu_convention)
}

fn scattered(c: &Context) -> f64 {
    c.peak.bytes.reduced * c.peak.stage.params.trained.layer
}

/// Returns the ring over the shard group.
fn ring(c: &Context) -> Ring {
    Ring::new(&beside_compute(&c.setup), shard_group(c))
}

/// Whether one layer's weights are gathered over trees.
pub(crate) fn gathers_by_tree(c: &Context) -> bool {
    ring(c).is_tree(units::Bytes::new(c.peak.gathered.units[1]))
}

/// Whether one layer's gradients are reduced over trees.
pub(crate) fn scatters_by_tree(c: &Context) -> bool {
    ring(c).is_tree(units::Bytes::new(scattered(c)))
}

/// Returns the shard group of the stage's plan.
fn shard_group(c: &Context) -> Group {
    let mesh = &c.setup.mesh;
    Group::strided(mesh.shard_group(), mesh.tp, mesh.gpus(), &c.setup.network)
}
