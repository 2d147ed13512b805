//! What a span of a timeline does: FLOPs and their rate, or bytes, bandwidth and the formula of the collective.

use crate::timeline::{Lanes, Mark};
use engine::format;
use engine::model::plan::moved::Moved;
use engine::model::report::Work;
use engine::model::step::meter::Done;
use engine::units::{Flops, Seconds};

/// Of a mark of one kind of work; `None` where it has several, or nothing to say of.
pub(super) fn done(lanes: &Lanes, mark: &Mark) -> Option<String> {
    let parts = mark.parts();
    let [(work, time)] = *parts.as_slice() else { return None };
    let is_layer = mark.layers.is_some();
    if mark.spans > 1 && !is_layer {
        return None;
    }
    let spans = f64::from(mark.spans.max(1));
    let each = time / spans;
    let done = lanes.meter.of_span(work, is_layer, each)?;
    let formula = formula(work, &done, lanes.meter.is_flat);
    Some(match done {
        Done::Computed(flops) => {
            let rate = flops / each;
            let share = format::percent(rate / lanes.meter.peak);
            format!("{} at {}, {share} of the peak; {formula}", count(spans * flops), format::tflops(rate))
        }
        Done::Streamed(bytes) => {
            let (rate, bytes) = (format::gb_per_s(bytes / each), format::bytes(spans * bytes));
            format!("{bytes} of GPU memory read and written at {rate}; {formula}")
        }
        Done::Moved(moved) => format!("{}; {formula}", bandwidth(&moved, spans, each)),
    })
}

/// `634 MiB among 64 GPUs, algorithmic bandwidth 22.1 GB/s, bus 21.8 GB/s`: as nccl-tests name them.
fn bandwidth(moved: &Moved, spans: f64, each: Seconds) -> String {
    let among = format!("among {} GPUs", format::count(moved.ranks));
    let bus = format::gb_per_s(moved.bus / each);
    match moved.size {
        Some(size) => {
            let (bytes, algorithm) = (format::bytes(spans * size), format::gb_per_s(size / each));
            format!("{bytes} {among}, algorithmic bandwidth {algorithm}, bus {bus}")
        }
        None => format!("{} through each GPU’s links, bus bandwidth {bus}", format::bytes(spans * moved.bus)),
    }
}

fn count(flops: Flops) -> String {
    format::rising(flops.get() / 1e9, 1e3, &["GFLOP", "TFLOP", "PFLOP", "EFLOP"])
}

/// What its time, or its FLOPs, come from. S is the whole buffer, n the GPUs, B the bandwidth of the slowest link.
fn formula(work: Work, done: &Done, is_flat: bool) -> &'static str {
    if matches!(done, Done::Streamed(_)) {
        return "time = bytes / memory bandwidth";
    }
    let two_kinds = matches!(done, Done::Moved(Moved { size: None, .. }));
    match work {
        Work::ReduceScatter if two_kinds => "reduce-scatter, then all-reduce of the shards across replicas",
        Work::AllReduce if is_flat => "time = 2 S/B + 2 n · latency",
        Work::AllGather | Work::ReduceScatter | Work::Dispatch | Work::Combine if is_flat => "time = S/B + n · latency",
        Work::AllGather | Work::ReduceScatter => "time = (n − 1)/n · S/B + latency",
        Work::AllReduce => "time = 2 (n − 1)/n · S/B + latency",
        Work::Dispatch | Work::Combine => "time = (n − 1)/n · S/B + n messages",
        Work::LayerForward => "2 · tokens · weights, and the scores of attention",
        Work::LayerBackward => "twice the forward products, and what is recomputed",
        Work::Head => "6 · tokens · hidden size · vocabulary",
        Work::Experts => "2 · received tokens · weights of an expert, backward twice",
        Work::OptimizerStep => "Newton–Schulz products",
        Work::EmbeddingForward | Work::EmbeddingBackward | Work::Exchange | Work::Bubble => "",
    }
}
