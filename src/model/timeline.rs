//! The schedule of `schedule.rs` played span by span: what the timeline plot draws, and the proof of the closed form.

use super::report::{Lane, Span, Work};
use super::schedule::{CommTimes, ComputeTimes, beside};
use crate::units::Seconds;

/// Plays one micro-batch from `start` and returns when it ends; `reduction` names what reduces on the shard lane. Spans of no length are not reported.
pub fn play(
    compute: &ComputeTimes,
    comm: &CommTimes,
    reduction: Work,
    micro_batch: u32,
    start: Seconds,
    sink: &mut impl FnMut(Span),
) -> Seconds {
    let mut player =
        Player { reduction, micro_batch, contention: compute.contention, now: start, replicate: start, sink };
    player.forward(compute, comm);
    player.backward(compute, comm);
    player.now.max(player.replicate)
}

struct Player<'a, S> {
    reduction: Work,
    micro_batch: u32,
    contention: f64,
    /// The end of the last block on the compute and shard lanes.
    now: Seconds,
    /// The end of the last span on the replicate lane.
    replicate: Seconds,
    sink: &'a mut S,
}

/// One transfer on the shard lane.
type Transfer = (Work, Option<u32>, Seconds);

impl<S: FnMut(Span)> Player<'_, S> {
    fn forward(&mut self, compute: &ComputeTimes, comm: &CommTimes) {
        let layers = compute.layers;
        self.alone((Work::AllGather, None, comm.gather_root));
        let gather = |layer: u32| (layer < layers).then_some((Work::AllGather, Some(layer), comm.gather_layer));
        let inside = compute.exchange;
        let embedding = (Work::EmbeddingForward, None, compute.embedding_forward);
        self.block(embedding, inside.embedding_forward, [gather(0), None]);
        for layer in 0..layers {
            let forward = (Work::LayerForward, Some(layer), compute.layer_forward);
            self.block(forward, inside.layer_forward, [gather(layer + 1), None]);
        }
        self.block((Work::Head, None, compute.head), inside.head, [None, None]);
    }

    fn backward(&mut self, compute: &ComputeTimes, comm: &CommTimes) {
        let layers = compute.layers;
        for layer in (0..layers).rev() {
            let reduce = (layer + 1 < layers).then_some((self.reduction, Some(layer + 1), comm.reduce_layer));
            let gather = layer.checked_sub(1).map(|next| (Work::AllGather, Some(next), comm.regather_layer));
            let start = self.now;
            let backward = (Work::LayerBackward, Some(layer), compute.layer_backward);
            self.block(backward, compute.exchange.layer_backward, [reduce, gather]);
            if reduce.is_some() {
                self.across(start + comm.reduce_layer, Some(layer + 1), comm.replicate_layer);
            }
        }
        let reduce = (layers > 0).then_some((self.reduction, Some(0), comm.reduce_layer));
        let start = self.now;
        self.block((Work::EmbeddingBackward, None, compute.embedding_backward), Seconds::ZERO, [reduce, None]);
        if reduce.is_some() {
            self.across(start + comm.reduce_layer, Some(0), comm.replicate_layer);
        }
        self.alone((self.reduction, None, comm.reduce_root));
        self.across(self.now, None, comm.replicate_root);
    }

    /// A transfer with no compute beside it.
    fn alone(&mut self, (work, layer, time): Transfer) {
        self.emit(Lane::Shard, work, layer, self.now, time);
        self.now += time;
    }

    /// Compute with what is exchanged at its end, and the transfers that start beside it; the next block starts when all are
    /// done.
    fn block(&mut self, (work, layer, time): Transfer, exchange: Seconds, transfers: [Option<Transfer>; 2]) {
        let mut end = self.now;
        for (its_work, its_layer, its_time) in transfers.into_iter().flatten() {
            self.emit(Lane::Shard, its_work, its_layer, end, its_time);
            end += its_time;
        }
        let done = beside(time, end - self.now, self.contention);
        self.emit(Lane::Compute, work, layer, self.now, done.compute - exchange);
        self.emit(Lane::Exchange, Work::Exchange, layer, self.now + done.compute - exchange, exchange);
        self.now += done.both;
    }

    /// A reduction across replicas, on its own lane, not before `ready`.
    fn across(&mut self, ready: Seconds, layer: Option<u32>, time: Seconds) {
        if time > Seconds::ZERO {
            let start = self.replicate.max(ready);
            self.emit(Lane::Replicate, Work::AllReduce, layer, start, time);
            self.replicate = start + time;
        }
    }

    fn emit(&mut self, lane: Lane, work: Work, layer: Option<u32>, start: Seconds, time: Seconds) {
        if time > Seconds::ZERO {
            (self.sink)(Span { lane, work, layer, micro_batch: self.micro_batch, start, end: start + time });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::schedule::{Exchanges, phases};
    use proptest::prelude::*;

    fn ms() -> impl Strategy<Value = Seconds> {
        prop_oneof![Just(0.0), 0.0..20.0].prop_map(Seconds::from_ms)
    }

    prop_compose! {
        fn any_compute()(layers in 0_u32..40, e in ms(), f in ms(), h in ms(), b in ms(), d in ms(), contention in 1.0..1.5)
            -> ComputeTimes {
            ComputeTimes {
                layers, embedding_forward: e, layer_forward: f, head: h, layer_backward: b, embedding_backward: d, contention,
                exchange: Exchanges {
                    embedding_forward: 0.5 * e, layer_forward: 0.25 * f, head: 0.1 * h, layer_backward: 0.75 * b,
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

    proptest! {
        #[test]
        fn the_closed_form_is_the_played_schedule(compute in any_compute(), comm in any_comm()) {
            let mut busy = Seconds::ZERO;
            let end = play(&compute, &comm, Work::ReduceScatter, 0, Seconds::ZERO, &mut |span| {
                if matches!(span.lane, Lane::Compute | Lane::Exchange) {
                    busy += span.end - span.start;
                }
            });
            let phases = phases(&compute, &comm);
            let closed = phases.forward + phases.backward;
            prop_assert!((end - closed).get().abs() <= 1e-9 * closed.get(), "{end:?} {closed:?}");
            prop_assert!((busy - phases.busy).get().abs() <= 1e-9 * closed.get(), "{busy:?} {phases:?}");
        }

        #[test]
        fn spans_of_one_lane_never_overlap(compute in any_compute(), comm in any_comm()) {
            let mut ends = [Seconds::ZERO; 4];
            play(&compute, &comm, Work::ReduceScatter, 0, Seconds::ZERO, &mut |span| {
                let end = &mut ends[span.lane as usize];
                assert!(span.start >= *end - Seconds::from_us(1e-6), "{span:?} starts before {end:?}");
                *end = span.end;
            });
        }
    }
}
