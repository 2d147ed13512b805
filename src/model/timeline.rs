//! The schedule of `schedule.rs` played span by span: what the timeline plot draws, and the proof of the closed form.

use super::report::{Lane, Span, Work};
use super::schedule::{CommTimes, ComputeTimes, ExpertPass, ExpertTimes, beside};
use crate::units::Seconds;

/// Plays one micro-batch from `start` and returns when it ends; `reduction` names what reduces on the shard lane. Spans of no length
/// are not reported.
pub fn play(
    compute: &ComputeTimes,
    comm: &CommTimes,
    reduction: Work,
    micro_batch: u32,
    start: Seconds,
    sink: &mut dyn FnMut(Span),
) -> Seconds {
    let mut player = Player {
        reduction,
        experts: compute.experts,
        micro_batch,
        contention: compute.contention,
        now: start,
        replicate: start,
        sink,
    };
    player.forward(compute, comm);
    player.backward(compute, comm);
    player.now.max(player.replicate)
}

struct Player<'a> {
    reduction: Work,
    experts: ExpertTimes,
    micro_batch: u32,
    contention: f64,
    /// The end of the last block on the compute and shard lanes.
    now: Seconds,
    /// The end of the last span on the replicate lane.
    replicate: Seconds,
    sink: &'a mut dyn FnMut(Span),
}

/// One transfer on the shard lane.
type Transfer = (Work, Option<u32>, Seconds);

/// A unit's pass: its compute and what is exchanged in it.
#[derive(Clone, Copy)]
struct Block {
    work: Work,
    layer: Option<u32>,
    time: Seconds,
    /// Of its time.
    exchange: Seconds,
    experts: ExpertPass,
}

impl Block {
    fn root(work: Work, time: Seconds, exchange: Seconds) -> Self {
        Self { work, layer: None, time, exchange, experts: ExpertPass::default() }
    }
}

impl Player<'_> {
    fn forward(&mut self, compute: &ComputeTimes, comm: &CommTimes) {
        let layers = compute.layers;
        self.alone((Work::AllGather, None, comm.gather_root));
        let gather = |layer: u32| (layer < layers).then_some((Work::AllGather, Some(layer), comm.gather_layer));
        let inside = compute.exchange;
        let embedding = Block::root(Work::EmbeddingForward, compute.embedding_forward, inside.embedding_forward);
        self.block(embedding, [gather(0), None]);
        for layer in 0..layers {
            let forward = Block {
                work: Work::LayerForward,
                layer: Some(layer),
                time: compute.layer_forward,
                exchange: inside.layer_forward,
                experts: compute.experts.forward,
            };
            self.block(forward, [gather(layer + 1), None]);
        }
        self.block(Block::root(Work::Head, compute.head, inside.head), [None, None]);
    }

    fn backward(&mut self, compute: &ComputeTimes, comm: &CommTimes) {
        let layers = compute.layers;
        for layer in (0..layers).rev() {
            let reduce = (layer + 1 < layers).then_some((self.reduction, Some(layer + 1), comm.reduce_layer));
            let gather = layer.checked_sub(1).map(|next| (Work::AllGather, Some(next), comm.regather_layer));
            let start = self.now;
            let backward = Block {
                work: Work::LayerBackward,
                layer: Some(layer),
                time: compute.layer_backward,
                exchange: compute.exchange.layer_backward,
                experts: compute.experts.backward,
            };
            self.block(backward, [reduce, gather]);
            if reduce.is_some() {
                self.across(start + comm.reduce_layer, Some(layer + 1), comm.replicate_layer);
            }
        }
        let reduce = (layers > 0).then_some((self.reduction, Some(0), comm.reduce_layer));
        let start = self.now;
        let embedding = Block::root(Work::EmbeddingBackward, compute.embedding_backward, Seconds::ZERO);
        self.block(embedding, [reduce, None]);
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
    fn block(&mut self, block: Block, transfers: [Option<Transfer>; 2]) {
        let mut end = self.now;
        for (its_work, its_layer, its_time) in transfers.into_iter().flatten() {
            self.emit(Lane::Shard, its_work, its_layer, end, its_time);
            end += its_time;
        }
        let done = beside(block.time, end - self.now, self.contention);
        let exposed = block.experts.exposed;
        let exchange = block.exchange - exposed;
        let computed = self.compute(&block, done.compute - block.exchange);
        self.emit(Lane::Exchange, Work::Exchange, block.layer, computed, exchange);
        self.now += done.both;
    }

    /// A block's compute, `kernels` long, and its tokens' way to their experts and back: routed after attention, and in the backward
    /// pass before it. Gives the end of both. What slows the block is played in its other kernels; tokens that are sent beside the
    /// compute of another micro-batch are drawn beside this one's, to its end.
    fn compute(&mut self, block: &Block, kernels: Seconds) -> Seconds {
        let Block { work, layer, experts, .. } = *block;
        let others = kernels - experts.products;
        if experts.products <= Seconds::ZERO {
            self.emit(Lane::Compute, work, layer, self.now, kernels);
            return self.now + kernels;
        }
        let end = self.now + kernels + experts.exposed;
        let mut now = self.now;
        if work != Work::LayerBackward {
            self.emit(Lane::Compute, work, layer, now, others);
            now += others;
        }
        if self.experts.across_micro_batches {
            let way = 0.5 * experts.all_to_all;
            self.emit(Lane::AllToAll, Work::Dispatch, layer, end - 2.0 * way, way);
            self.emit(Lane::AllToAll, Work::Combine, layer, end - way, way);
            self.emit(Lane::Compute, Work::Experts, layer, now, experts.products);
            now += experts.products;
        } else {
            self.chunks(layer, &experts, now);
            now += experts.products + experts.exposed;
        }
        if work == Work::LayerBackward {
            self.emit(Lane::Compute, work, layer, now, others);
        }
        end
    }

    /// Chunk after chunk of the tokens: all dispatched, one after the other; computed as they arrive; combined as they are computed
    /// ([`super::experts::overlap::pipelined`]).
    fn chunks(&mut self, layer: Option<u32>, pass: &ExpertPass, start: Seconds) {
        let chunks = self.experts.chunks.max(1);
        let share = 1.0 / f64::from(chunks);
        let (way, products) = (0.5 * share * pass.all_to_all, share * pass.products);
        let sent = |chunk: u32| start + f64::from(chunk) * way;
        let computed = |chunk: u32| (sent(1) + f64::from(chunk) * products).max(sent(chunk + 1));
        for chunk in 0..chunks {
            self.emit(Lane::AllToAll, Work::Dispatch, layer, sent(chunk), way);
            self.emit(Lane::Compute, Work::Experts, layer, computed(chunk), products);
        }
        let mut now = sent(chunks);
        for chunk in 0..chunks {
            now = now.max(computed(chunk) + products);
            self.emit(Lane::AllToAll, Work::Combine, layer, now, way);
            now += way;
        }
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
    use crate::model::experts::exchange::in_chunks;
    use crate::model::schedule::{Exchanges, phases};
    use proptest::prelude::*;

    fn ms() -> impl Strategy<Value = Seconds> {
        prop_oneof![Just(0.0), 0.0..20.0].prop_map(Seconds::from_ms)
    }

    prop_compose! {
        /// Experts of a layer whose kernels take so long in each pass.
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
        let end = play(compute, comm, Work::ReduceScatter, 0, Seconds::ZERO, &mut |span| spans.push(span));
        (end, spans)
    }

    /// Time in which one of the spans runs at least.
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
}
