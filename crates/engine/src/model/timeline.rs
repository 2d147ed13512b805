//! The schedule of `schedule.rs` played span by span, for the timeline plot and for tests of the
//! closed form.

use super::cost::{Amount, CollectiveCost, CollectiveKind, Operations, Traffic};
use super::report::{Lane, Span, Work};
use super::schedule::{CommTimes, ComputeTimes, ExpertPass, ExpertTimes, overlap_block};
use crate::units::Seconds;

/// Work of the blocks of [`ComputeTimes`], and exchanges of their experts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BlockAmounts {
    /// The embedding, forward, with an image encoder.
    pub embedding: Operations,
    /// The embedding, backward, with an image encoder.
    pub embedding_backward: Operations,
    /// Head and loss, both passes.
    pub head: Operations,
    /// One layer, forward.
    pub forward: LayerAmounts,
    /// One layer, backward.
    pub backward: LayerAmounts,
}

/// Work and exchanges of one layer in one pass, averaged over layers with and without experts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LayerAmounts {
    /// All compute except the routed experts.
    pub layer: Operations,
    /// The routed experts.
    pub experts: Operations,
    /// One dispatch, or one combine.
    pub dispatch: Traffic,
}

/// One micro-batch to play.
#[derive(Clone, Copy, Debug)]
pub struct MicroBatch<'a> {
    /// The micro-batch's index.
    pub index: u32,
    /// The micro-batch's start.
    pub start: Seconds,
    /// Times of the blocks.
    pub compute: &'a ComputeTimes,
    /// Work of the blocks.
    pub amounts: &'a BlockAmounts,
    /// Gathers and reductions that overlap with the blocks.
    pub comm: &'a CommTimes<CollectiveCost>,
    /// The kind of collective that reduces on the shard lane.
    pub reduction: Work,
    /// Forward passes without gradients before the micro-batch.
    pub passes: &'a PassesBefore,
}

/// Forward passes without gradients before a micro-batch, of the trained model or of a teacher.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PassesBefore {
    /// Number of passes.
    pub count: u32,
    /// Times of the blocks.
    pub compute: ComputeTimes,
    /// Work of the blocks.
    pub amounts: BlockAmounts,
    /// Gathers of weights.
    pub gathers: CommTimes<CollectiveCost>,
}

/// Plays one micro-batch and returns its end. Empty spans are omitted.
pub fn play(micro_batch: &MicroBatch, sink: &mut dyn FnMut(Span)) -> Seconds {
    let MicroBatch { index, start, compute, amounts, comm, reduction, passes } = *micro_batch;
    let mut player = Player {
        reduction,
        amounts: &passes.amounts,
        experts: passes.compute.experts,
        micro_batch: index,
        contention: compute.contention,
        now: start,
        replicate: start,
        sink,
    };
    for _ in 0..passes.count {
        player.forward(&passes.compute, &passes.gathers);
    }
    (player.amounts, player.experts) = (amounts, compute.experts);
    player.forward(compute, comm);
    player.backward(compute, comm);
    player.now.max(player.replicate)
}

/// Returns the amount of a compute span; `None` if no work is counted.
pub fn computed(operations: Operations) -> Option<Amount> {
    (operations != Operations::default()).then_some(Amount::Operations(operations))
}

/// Returns the amount of a communication span; `None` if it has no traffic.
pub fn moved(traffic: Traffic) -> Option<Amount> {
    (traffic.kind != CollectiveKind::Nothing).then_some(Amount::Traffic(traffic))
}

struct Player<'a> {
    reduction: Work,
    amounts: &'a BlockAmounts,
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
type Transfer = (Work, Option<u32>, CollectiveCost);

/// A unit's pass: its compute and the exchanges within it.
#[derive(Clone, Copy)]
struct Block {
    work: Work,
    layer: Option<u32>,
    time: Seconds,
    /// The part of `time` that is exchanges.
    exchange: Seconds,
    experts: ExpertPass,
    amounts: LayerAmounts,
}

impl Block {
    fn root(work: Work, time: Seconds, exchange: Seconds, operations: Operations) -> Self {
        let amounts = LayerAmounts { layer: operations, ..LayerAmounts::default() };
        Self { work, layer: None, time, exchange, experts: ExpertPass::default(), amounts }
    }
}

impl Player<'_> {
    fn forward(&mut self, compute: &ComputeTimes, comm: &CommTimes<CollectiveCost>) {
        let layers = compute.layers;
        self.alone((Work::AllGather, None, comm.gather_root));
        let gather = |layer: u32| (layer < layers).then_some((Work::AllGather, Some(layer), comm.gather_layer));
        let inside = compute.exchange;
        let amounts = self.amounts;
        let (time, exchange) = (compute.embedding_forward, inside.embedding_forward);
        let embedding = Block::root(Work::EmbeddingForward, time, exchange, amounts.embedding);
        self.block(embedding, [gather(0), None]);
        for layer in 0..layers {
            let forward = Block {
                work: Work::LayerForward,
                layer: Some(layer),
                time: compute.layer_forward,
                exchange: inside.layer_forward,
                experts: compute.experts.forward,
                amounts: amounts.forward,
            };
            self.block(forward, [gather(layer + 1), None]);
        }
        self.block(Block::root(Work::Head, compute.head, inside.head, amounts.head), [None, None]);
    }

    fn backward(&mut self, compute: &ComputeTimes, comm: &CommTimes<CollectiveCost>) {
        let layers = compute.layers;
        let amounts = self.amounts;
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
                amounts: amounts.backward,
            };
            self.block(backward, [reduce, gather]);
            if reduce.is_some() {
                self.across(start + comm.reduce_layer.time, Some(layer + 1), comm.replicate_layer);
            }
        }
        let reduce = (layers > 0).then_some((self.reduction, Some(0), comm.reduce_layer));
        let start = self.now;
        let time = compute.embedding_backward;
        let embedding = Block::root(Work::EmbeddingBackward, time, Seconds::ZERO, amounts.embedding_backward);
        self.block(embedding, [reduce, None]);
        if reduce.is_some() {
            self.across(start + comm.reduce_layer.time, Some(0), comm.replicate_layer);
        }
        self.alone((self.reduction, None, comm.reduce_root));
        self.across(self.now, None, comm.replicate_root);
    }

    /// Plays a transfer without overlapping compute.
    fn alone(&mut self, (work, layer, cost): Transfer) {
        self.emit(Lane::Shard, work, layer, self.now, cost.time, moved(cost.amount));
        self.now += cost.time;
    }

    /// Plays compute, with its exchanges at the end, and the transfers that start with it; the next
    /// block starts when all are done.
    fn block(&mut self, block: Block, transfers: [Option<Transfer>; 2]) {
        let mut end = self.now;
        for (its_work, its_layer, cost) in transfers.into_iter().flatten() {
            self.emit(Lane::Shard, its_work, its_layer, end, cost.time, moved(cost.amount));
            end += cost.time;
        }
        let done = overlap_block(block.time, end - self.now, self.contention);
        let exposed = block.experts.exposed;
        let exchange = block.exchange - exposed;
        let end_of_compute = self.compute(&block, done.compute - block.exchange);
        self.emit(Lane::Exchange, Work::Exchange, block.layer, end_of_compute, exchange, None);
        self.now += done.both;
    }

    /// Plays a block's compute of `kernels` and the dispatch and combine of its tokens, after
    /// attention, and before it in the backward pass. Returns the end of both. Slow-downs of the
    /// block are attributed to its other kernels; exchanges that overlap with another micro-batch's
    /// compute are drawn under this one's compute, ending with it.
    fn compute(&mut self, block: &Block, kernels: Seconds) -> Seconds {
        let Block { work, layer, experts, amounts, .. } = *block;
        let operations = computed(amounts.layer);
        let others = kernels - experts.products;
        if experts.products <= Seconds::ZERO {
            self.emit(Lane::Compute, work, layer, self.now, kernels, operations);
            return self.now + kernels;
        }
        let end = self.now + kernels + experts.exposed;
        let mut now = self.now;
        if work != Work::LayerBackward {
            self.emit(Lane::Compute, work, layer, now, others, operations);
            now += others;
        }
        if self.experts.across_micro_batches {
            let (dispatch, sent) = (0.5 * experts.all_to_all, moved(amounts.dispatch));
            self.emit(Lane::AllToAll, Work::Dispatch, layer, end - 2.0 * dispatch, dispatch, sent);
            self.emit(Lane::AllToAll, Work::Combine, layer, end - dispatch, dispatch, sent);
            self.emit(Lane::Compute, Work::Experts, layer, now, experts.products, computed(amounts.experts));
            now += experts.products;
        } else {
            self.chunks(block, now);
            now += experts.products + experts.exposed;
        }
        if work == Work::LayerBackward {
            self.emit(Lane::Compute, work, layer, now, others, operations);
        }
        end
    }

    /// Plays the chunks of the tokens: all dispatches in sequence; products as tokens arrive;
    /// combines as products finish ([`super::experts::overlap::pipelined`]).
    fn chunks(&mut self, block: &Block, start: Seconds) {
        let Block { layer, experts: pass, amounts, .. } = block;
        let layer = *layer;
        let chunks = self.experts.chunks.max(1);
        let share = 1.0 / f64::from(chunks);
        let (dispatch, products) = (0.5 * share * pass.all_to_all, share * pass.products);
        let (moved, computed) = (moved(amounts.dispatch * share), computed(amounts.experts * share));
        let sent = |chunk: u32| start + f64::from(chunk) * dispatch;
        let arrived = |chunk: u32| (sent(1) + f64::from(chunk) * products).max(sent(chunk + 1));
        for chunk in 0..chunks {
            self.emit(Lane::AllToAll, Work::Dispatch, layer, sent(chunk), dispatch, moved);
            self.emit(Lane::Compute, Work::Experts, layer, arrived(chunk), products, computed);
        }
        let mut now = sent(chunks);
        for chunk in 0..chunks {
            now = now.max(arrived(chunk) + products);
            self.emit(Lane::AllToAll, Work::Combine, layer, now, dispatch, moved);
            now += dispatch;
        }
    }

    /// Plays a reduction across replicas on its own lane, at `ready` or later.
    fn across(&mut self, ready: Seconds, layer: Option<u32>, cost: CollectiveCost) {
        if cost.time > Seconds::ZERO {
            let start = self.replicate.max(ready);
            self.emit(Lane::Replicate, Work::AllReduce, layer, start, cost.time, moved(cost.amount));
            self.replicate = start + cost.time;
        }
    }

    fn emit(
        &mut self,
        lane: Lane,
        work: Work,
        layer: Option<u32>,
        start: Seconds,
        time: Seconds,
        amount: Option<Amount>,
    ) {
        if time > Seconds::ZERO {
            (self.sink)(Span { lane, work, layer, micro_batch: self.micro_batch, start, end: start + time, amount });
        }
    }
}

#[cfg(test)]
mod tests;
