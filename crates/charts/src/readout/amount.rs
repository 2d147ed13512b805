//! The amount of work of a timeline's spans: FLOPs and their rate, or bytes, bandwidth and the
//! formula of the collective.

use crate::timeline::{Lanes, Mark};
use engine::format;
use engine::model::cost::{Amount, CollectiveKind, Operations, Traffic};
use engine::model::report::Work;
use engine::units::{Flops, Seconds};

/// Describes a mark of a single kind of work; `None` if the mark has several kinds, or no amount.
pub(super) fn describe(lanes: &Lanes, mark: &Mark) -> Option<String> {
    let parts = mark.parts();
    let [(work, time)] = *parts.as_slice() else { return None };
    let is_layer = mark.layers.is_some();
    if mark.spans > 1 && !is_layer {
        return None;
    }
    let amount = mark.amount?;
    let formula = formula(work, &amount, lanes.is_flat);
    Some(match amount {
        Amount::Operations(Operations { flops, .. }) if flops > Flops::ZERO => {
            let rate = flops / time;
            let share = format::percent(rate / lanes.peak);
            format!("{} at {}, {share} of the peak; {formula}", count(flops), format::tflops(rate))
        }
        Amount::Operations(Operations { bytes, .. }) => {
            let rate = format::gb_per_s(bytes / time);
            format!("{} of GPU memory read and written at {rate}; {formula}", format::bytes(bytes))
        }
        Amount::Traffic(traffic) => format!("{}; {formula}", bandwidth(&traffic, time)),
    })
}

/// Formats collective bandwidth as nccl-tests does: `634 MiB among 64 GPUs, algorithmic bandwidth
/// 22.1 GB/s, bus 21.8 GB/s`.
fn bandwidth(traffic: &Traffic, time: Seconds) -> String {
    let bus = format::gb_per_s(traffic.bus / time);
    if traffic.kind == CollectiveKind::Several {
        return format!("{} through each GPU’s links, bus bandwidth {bus}", format::bytes(traffic.bus));
    }
    let among = format!("among {} GPUs", format::count(traffic.ranks));
    let (bytes, algorithm) = (format::bytes(traffic.size), format::gb_per_s(traffic.size / time));
    format!("{bytes} {among}, algorithmic bandwidth {algorithm}, bus {bus}")
}

fn count(flops: Flops) -> String {
    format::rising(flops.get() / 1e9, 1e3, &["GFLOP", "TFLOP", "PFLOP", "EFLOP"])
}

/// Returns the formula of the time or the FLOPs. S is the whole buffer, n the GPUs, B the bandwidth
/// of the slowest link.
fn formula(work: Work, amount: &Amount, is_flat: bool) -> &'static str {
    match amount {
        Amount::Operations(Operations { flops, .. }) if *flops <= Flops::ZERO => "time = bytes / memory bandwidth",
        Amount::Operations(_) => compute_formula(work),
        Amount::Traffic(traffic) => match traffic.kind {
            CollectiveKind::Nothing => "",
            CollectiveKind::Several => "reduce-scatter, then all-reduce of the shards across replicas",
            CollectiveKind::AllReduce if is_flat => "time = 2 S/B + 2 n · latency",
            CollectiveKind::Gather | CollectiveKind::AllToAll if is_flat => "time = S/B + n · latency",
            CollectiveKind::Gather => "time = (n − 1)/n · S/B + latency",
            CollectiveKind::AllReduce => "time = 2 (n − 1)/n · S/B + latency",
            CollectiveKind::AllToAll => "time = (n − 1)/n · S/B + n messages",
        },
    }
}

/// Returns the formula of the FLOPs of compute.
fn compute_formula(work: Work) -> &'static str {
    match work {
        Work::LayerForward => "2 · tokens · weights, and the scores of attention",
        Work::LayerBackward => "twice the forward products, and recomputation",
        Work::Head => "6 · tokens · hidden size · vocabulary",
        Work::Experts => "2 · received tokens · weights of an expert, backward twice",
        Work::OptimizerStep => "Newton–Schulz products",
        _ => "",
    }
}
