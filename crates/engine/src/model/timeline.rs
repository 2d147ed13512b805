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
mod tests;
