use super::*;
use crate::model::experts::exchange::in_chunks;
use crate::model::schedule::{Exchanges, phases};
use proptest::prelude::*;

fn ms() -> impl Strategy<Value = Seconds> {
    prop_oneof![Just(0.0), 0.0..20.0].prop_map(Seconds::from_ms)
}

prop_compose! {
    /// Experts of a layer with kernels of these durations in each pass.
    fn any_experts(forward: Seconds, backward: Seconds)
        (chunks in 1_u32..9, across_micro_batches: bool, share in prop_oneof![Just(0.0), 0.0..1.0], f in ms(), b in ms())
        -> ExpertTimes {
        let pass = |kernels: Seconds, all_to_all: Seconds| {
            let products = share * kernels;
            let all_to_all = if products > Seconds::ZERO { all_to_all } else { Seconds::ZERO };
            let exposed = if across_micro_batches {
                (all_to_all - kernels).max(Seconds::ZERO)
            } else {
                in_chunks(all_to_all, products, chunks)
            };
            ExpertPass { products, all_to_all, exposed }
        };
        ExpertTimes { forward: pass(forward, f), backward: pass(backward, b), chunks, across_micro_batches, crosses: false }
    }
}

prop_compose! {
    fn any_compute()(layers in 0_u32..40, e in ms(), f in ms(), h in ms(), b in ms(), d in ms(), contention in 1.0..1.5)
        (experts in any_experts(0.75 * f, 0.25 * b), layers in Just(layers), e in Just(e), f in Just(f), h in Just(h),
         b in Just(b), d in Just(d), contention in Just(contention)) -> ComputeTimes {
        let (forward, backward) = (experts.forward.exposed, experts.backward.exposed);
        ComputeTimes {
            layers, embedding_forward: e, layer_forward: f + forward, head: h, layer_backward: b + backward,
            embedding_backward: d, contention, experts,
            exchange: Exchanges {
                embedding_forward: 0.5 * e, layer_forward: 0.25 * f + forward, head: 0.1 * h,
                layer_backward: 0.75 * b + backward,
            },
        }
    }
}

prop_compose! {
    fn any_comm()(a in ms(), b in ms(), c in ms(), d in ms(), e in ms(), f in ms(), g in ms()) -> CommTimes {
        CommTimes {
            gather_root: a, gather_layer: b, regather_layer: c, reduce_layer: d, reduce_root: e,
            replicate_layer: f, replicate_root: g,
        }
    }
}

fn played(compute: &ComputeTimes, comm: &CommTimes) -> (Seconds, Vec<Span>) {
    let mut spans = Vec::new();
    let timed = |time| CollectiveCost { time, ..CollectiveCost::default() };
    let comm = CommTimes {
        gather_root: timed(comm.gather_root),
        gather_layer: timed(comm.gather_layer),
        regather_layer: timed(comm.regather_layer),
        reduce_layer: timed(comm.reduce_layer),
        reduce_root: timed(comm.reduce_root),
        replicate_layer: timed(comm.replicate_layer),
        replicate_root: timed(comm.replicate_root),
    };
    let amounts = BlockAmounts::default();
    let micro_batch = MicroBatch {
        index: 0,
        start: Seconds::ZERO,
        compute,
        amounts: &amounts,
        comm: &comm,
        reduction: Work::ReduceScatter,
        passes: &PassesBefore { count: 0, compute: *compute, amounts, gathers: CommTimes::default() },
    };
    let end = play(&micro_batch, &mut |span| spans.push(span));
    (end, spans)
}

/// Returns the time in which at least one of the spans runs.
fn covered(mut spans: Vec<Span>) -> Seconds {
    spans.sort_by(|one, other| one.start.get().total_cmp(&other.start.get()));
    let (mut end, mut sum) = (Seconds::ZERO, Seconds::ZERO);
    for span in spans {
        sum += (span.end - span.start.max(end)).max(Seconds::ZERO);
        end = end.max(span.end);
    }
    sum
}

proptest! {
    #![proptest_config(crate::cases::cases(256))]

    #[test]
    fn the_closed_form_is_the_played_schedule(compute in any_compute(), comm in any_comm()) {
        let (end, spans) = played(&compute, &comm);
        let phases = phases(&compute, &comm);
        let closed = phases.forward + phases.backward;
        let close = |one: Seconds, other: Seconds| (one - other).get().abs() <= 1e-9 * closed.get();
        prop_assert!(close(end, closed), "{end:?} {closed:?}");
        let in_blocks = spans.iter().filter(|span| !matches!(span.lane, Lane::Shard | Lane::Replicate));
        let busy = covered(in_blocks.copied().collect());
        prop_assert!(close(busy, phases.busy), "{busy:?} {phases:?}");
        let total = |lane: Lane| -> Seconds {
            spans.iter().filter(|span| span.lane == lane).map(|span| span.end - span.start).sum()
        };
        let exposed = total(Lane::Exchange) + total(Lane::AllToAll) - compute.hidden();
        prop_assert!(close(exposed, compute.exchanged()), "{exposed:?} {compute:?}");
        prop_assert!(close(total(Lane::Compute), phases.busy - compute.exchanged()), "{compute:?}");
    }

    #[test]
    fn spans_of_one_lane_never_overlap(compute in any_compute(), comm in any_comm()) {
        let mut ends = [Seconds::ZERO; Lane::ALL.len()];
        for span in played(&compute, &comm).1 {
            let end = &mut ends[span.lane as usize];
            prop_assert!(span.start >= *end - Seconds::from_us(1e-6), "{span:?} starts before {end:?}");
            *end = span.end;
        }
    }

    #[test]
    fn a_chunk_is_sent_then_computed_then_combined(chunks in 1_u32..9, products in 0.1..20.0, all_to_all in 0.1..20.0) {
        let (products, all_to_all) = (Seconds::from_ms(products), Seconds::from_ms(all_to_all));
        let pass = ExpertPass { products, all_to_all, exposed: in_chunks(all_to_all, products, chunks) };
        let experts = ExpertTimes { forward: pass, backward: pass, chunks, ..ExpertTimes::default() };
        let block = products + pass.exposed;
        let compute = ComputeTimes {
            layers: 3, embedding_forward: Seconds::ZERO, layer_forward: block, head: Seconds::ZERO,
            layer_backward: block, embedding_backward: Seconds::ZERO, contention: 1.0, experts,
            exchange: Exchanges { layer_forward: pass.exposed, layer_backward: pass.exposed, ..Exchanges::default() },
        };
        let spans = played(&compute, &CommTimes::default()).1;
        let of = |work: Work| spans.iter().filter(move |span| span.work == work);
        let slack = Seconds::from_us(1e-6);
        prop_assert_eq!(of(Work::Dispatch).count(), 6 * chunks as usize);
        for ((sent, computed), combined) in of(Work::Dispatch).zip(of(Work::Experts)).zip(of(Work::Combine)) {
            prop_assert!(sent.end <= computed.start + slack && computed.end <= combined.start + slack, "{sent:?}");
        }
    }
}
