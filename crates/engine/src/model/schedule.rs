//! One step as two lanes, compute and communication, in closed form (docs/book/model/overlap.md).
//! `timeline.rs` plays the schedule span by span; a test checks that both agree.
//!
//! Rules of the schedule, as PyTorch's FSDP2 runs it:
//! - A unit's gather is issued when the compute before it starts, one unit ahead.
//! - The root unit (embedding and head) is gathered first and stays gathered; so does the last
//!   layer, whose backward pass follows immediately.
//! - In the backward pass a layer's reduction precedes the next gather on the lane they share, and
//!   one reduction is in flight at a time.
//! - Reductions across replicas have a separate lane if the shard group stays inside a node.
//! - While communication overlaps with compute, compute is slower by the contention factor.

use crate::units::Seconds;

/// Communication of the units of one micro-batch: times, or costs with their traffic.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CommTimes<C = Seconds> {
    /// Gather of the root unit's weights before the forward pass.
    pub gather_root: C,
    /// Gather of one layer's weights in the forward pass.
    pub gather_layer: C,
    /// Gather of one layer's weights in the backward pass.
    pub regather_layer: C,
    /// Reduction of one layer's gradients on the shard lane.
    pub reduce_layer: C,
    /// Reduction of the root unit's gradients on the shard lane.
    pub reduce_root: C,
    /// Reduction of one layer's gradient shards on the replicate lane.
    pub replicate_layer: C,
    /// Reduction of the root unit's gradient shards on the replicate lane.
    pub replicate_root: C,
}

impl<C: Copy + Default> CommTimes<C> {
    /// Returns the communication without gathers, for a micro-batch whose weights are still
    /// gathered.
    #[must_use]
    pub fn without_gather(self) -> Self {
        Self { gather_root: C::default(), gather_layer: C::default(), regather_layer: C::default(), ..self }
    }

    /// Returns the communication without reductions, for a micro-batch under `no_sync`.
    #[must_use]
    pub fn without_reduction(self) -> Self {
        Self {
            reduce_layer: C::default(),
            reduce_root: C::default(),
            replicate_layer: C::default(),
            replicate_root: C::default(),
            ..self
        }
    }
}

/// Compute times of the units of one micro-batch, and the number of layers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ComputeTimes {
    /// Layers.
    pub layers: u32,
    /// Embedding, forward.
    pub embedding_forward: Seconds,
    /// One layer, forward.
    pub layer_forward: Seconds,
    /// Head and loss, forward and backward.
    pub head: Seconds,
    /// One layer, backward.
    pub layer_backward: Seconds,
    /// Embedding, backward.
    pub embedding_backward: Seconds,
    /// Slow-down of compute that overlaps with a collective, at least 1.
    pub contention: f64,
    /// Exchanges within the times above: neither compute nor hidden under it.
    pub exchange: Exchanges,
    /// The routed experts of one layer, which the times above include.
    pub experts: ExpertTimes,
}

/// Time of exchanges inside the blocks of [`ComputeTimes`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Exchanges {
    /// In the embedding's forward pass.
    pub embedding_forward: Seconds,
    /// In one layer's forward pass.
    pub layer_forward: Seconds,
    /// In the head and the loss.
    pub head: Seconds,
    /// In one layer's backward pass.
    pub layer_backward: Seconds,
}

/// The routed experts of one layer, on average over layers with and without them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ExpertTimes {
    /// In the forward pass.
    pub forward: ExpertPass,
    /// In the backward pass.
    pub backward: ExpertPass,
    /// Chunks in which tokens are sent and computed.
    pub chunks: u32,
    /// Whether the exchanges overlap with the compute of another micro-batch.
    pub across_micro_batches: bool,
    /// Whether the exchanges cross nodes.
    pub crosses: bool,
}

/// The routed experts of one layer in one pass.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ExpertPass {
    /// The experts' products.
    pub products: Seconds,
    /// Dispatch and combine.
    pub all_to_all: Seconds,
    /// Exposed part of dispatch and combine, included in the layer's exchanges.
    pub exposed: Seconds,
}

/// Share of head and loss that a pass without gradients takes: one product of three.
const HEAD_FORWARD: f64 = 1.0 / 3.0;

impl ExpertPass {
    /// Returns the part of dispatch and combine that compute hides.
    fn hidden(&self) -> Seconds {
        (self.all_to_all - self.exposed).max(Seconds::ZERO)
    }
}

impl ComputeTimes {
    /// Returns the compute of a pass without gradients: of head and loss only the forward product.
    #[must_use]
    pub fn without_gradients(&self) -> Self {
        let exchange = Exchanges { head: self.exchange.head * HEAD_FORWARD, ..self.exchange };
        Self { head: self.head * HEAD_FORWARD, exchange, ..*self }
    }

    /// Returns the exchanges of a pass without gradients over one micro-batch.
    pub fn exchanged_forward(&self) -> Seconds {
        let Exchanges { embedding_forward, layer_forward, head, .. } = self.without_gradients().exchange;
        embedding_forward + head + f64::from(self.layers) * layer_forward
    }

    /// Returns the part of one micro-batch's dispatch and combine that compute hides.
    pub fn hidden(&self) -> Seconds {
        f64::from(self.layers) * (self.experts.forward.hidden() + self.experts.backward.hidden())
    }

    /// Returns the hidden part of dispatch and combine in a forward pass without gradients.
    pub fn hidden_forward(&self) -> Seconds {
        f64::from(self.layers) * self.experts.forward.hidden()
    }

    /// Returns the exchanges of one micro-batch, all blocks together.
    pub fn exchanged(&self) -> Seconds {
        self.exchange.embedding_forward
            + self.exchange.head
            + f64::from(self.layers) * (self.exchange.layer_forward + self.exchange.layer_backward)
    }
}

/// The phases of one micro-batch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Phases {
    /// Forward pass with the head's part, including exposed communication.
    pub forward: Seconds,
    /// Backward pass, including exposed communication.
    pub backward: Seconds,
    /// Time in which blocks run: compute, and exchanges inside the blocks.
    pub busy: Seconds,
}

/// Overlap of a block of compute with a block of communication that starts at the same time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Block {
    /// Time until both are done.
    pub both: Seconds,
    /// Time until compute is done.
    pub compute: Seconds,
}

/// Returns compute `c` that overlaps with communication `g` and is slowed by σ meanwhile: `min(σ c,
/// c + (1 - 1/σ) g)`; the block ends with the later of the two.
pub fn overlap_block(compute: Seconds, comm: Seconds, contention: f64) -> Block {
    let slowed = (compute * contention).min(compute + (1.0 - 1.0 / contention) * comm);
    Block { both: slowed.max(comm), compute: slowed }
}

/// The blocks of one micro-batch, each with the communication that overlaps with it.
struct Blocks {
    /// The embedding with the first layer's gather.
    first: Block,
    /// A layer's forward pass with the next layer's gather.
    middle: Block,
    /// The last layer's backward pass with the gather of the layer before.
    lead: Block,
    /// A layer's backward pass with a reduction and a gather.
    steady: Block,
    /// The first layer's backward pass with a reduction.
    last: Block,
    /// The embedding's backward pass with the first layer's reduction.
    tail: Block,
    /// Number of layers with a reduction and a gather; pairs of neighbours; 1 if there is a pair; 1
    /// if there is a layer.
    inner: f64,
    pairs: f64,
    has_pair: f64,
    has_any: f64,
}

impl Blocks {
    fn new(compute: &ComputeTimes, comm: &CommTimes) -> Self {
        let layers = f64::from(compute.layers);
        let side = |time, traffic| overlap_block(time, traffic, compute.contention);
        let has_pair = f64::from(u8::from(compute.layers > 1));
        let has_any = f64::from(u8::from(compute.layers > 0));
        Self {
            first: side(compute.embedding_forward, has_any * comm.gather_layer),
            middle: side(compute.layer_forward, comm.gather_layer),
            // Layers L, then L-1 ..= 2, then 1, then the embedding; each with the reduction of the
            // layer before it.
            lead: side(compute.layer_backward, has_pair * comm.regather_layer),
            steady: side(compute.layer_backward, comm.reduce_layer + comm.regather_layer),
            last: side(compute.layer_backward, comm.reduce_layer),
            tail: side(compute.embedding_backward, has_any * comm.reduce_layer),
            inner: positive(layers - 2.0),
            pairs: positive(layers - 1.0),
            has_pair,
            has_any,
        }
    }

    /// Returns the time until the gathers and reductions of the shard group in the backward pass
    /// are done.
    fn shard_lane(&self, comm: &CommTimes) -> Seconds {
        self.until_tail() + self.tail.both + comm.reduce_root
    }

    /// Returns the backward pass of all layers.
    fn until_tail(&self) -> Seconds {
        self.has_any * self.lead.both + self.inner * self.steady.both + self.has_pair * self.last.both
    }
}

/// Returns the phases of one micro-batch in closed form:
/// `first + (L-1) max(compute, communication) + last`.
pub fn phases(compute: &ComputeTimes, comm: &CommTimes) -> Phases {
    let blocks = Blocks::new(compute, comm);
    let Blocks { first, middle, lead, steady, last, tail, inner, pairs, has_pair, has_any } = blocks;
    let layers = f64::from(compute.layers);
    let forward = comm.gather_root + first.both + pairs * middle.both + has_any * compute.layer_forward + compute.head;
    let (until_tail, shard_lane) = (blocks.until_tail(), blocks.shard_lane(comm));

    // Reductions across replicas queue after each layer's own reduction. The queue becomes empty
    // after a chain that starts with the first, the last but one, or the last entry, since entries
    // between are evenly spaced.
    let oldest = has_any * lead.both + comm.reduce_layer + layers * comm.replicate_layer;
    let before_last = until_tail - last.both + comm.reduce_layer + 2.0 * comm.replicate_layer;
    let newest = until_tail + comm.reduce_layer + comm.replicate_layer;
    let mut queue = has_any * newest;
    if compute.layers > 1 {
        queue = queue.max(oldest).max(before_last);
    }
    let has_replicas = f64::from(u8::from(comm.replicate_layer > Seconds::ZERO || comm.replicate_root > Seconds::ZERO));
    let replicate_lane = has_replicas * (queue.max(shard_lane) + comm.replicate_root);

    Phases {
        forward,
        backward: shard_lane.max(replicate_lane),
        busy: first.compute
            + pairs * middle.compute
            + has_any * compute.layer_forward
            + compute.head
            + has_any * lead.compute
            + inner * steady.compute
            + has_pair * last.compute
            + tail.compute,
    }
}

/// Exposed time of the gathers and reductions of one micro-batch, by kind: `forward + backward -
/// busy`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Exposed {
    /// All-gathers of weights.
    pub gather: Seconds,
    /// Reductions of gradients in the shard group.
    pub reduce: Seconds,
    /// Reductions across replicas.
    pub replicate: Seconds,
}

/// Returns the exposed communication of one micro-batch. If a reduction and a gather overlap with
/// one layer, the gather comes second, and exposed time is attributed to it first.
pub fn exposed(compute: &ComputeTimes, comm: &CommTimes) -> Exposed {
    let blocks = Blocks::new(compute, comm);
    let Blocks { first, middle, lead, steady, last, tail, inner, pairs, has_pair, has_any } = blocks;
    let shows = |block: Block| block.both - block.compute;
    let second = shows(steady).min(comm.regather_layer);
    Exposed {
        gather: comm.gather_root + shows(first) + pairs * shows(middle) + has_any * shows(lead) + inner * second,
        reduce: inner * (shows(steady) - second) + has_pair * shows(last) + shows(tail) + comm.reduce_root,
        replicate: (phases(compute, comm).backward - blocks.shard_lane(comm)).max(Seconds::ZERO),
    }
}

/// Returns the time of a forward pass of [`ComputeTimes::without_gradients`] over one micro-batch,
/// and the part in which blocks run.
pub fn forward_pass(compute: &ComputeTimes, comm: &CommTimes) -> (Seconds, Seconds) {
    let layers = f64::from(compute.layers);
    let side = |time, traffic| overlap_block(time, traffic, compute.contention);
    let has_any = f64::from(u8::from(compute.layers > 0));
    let first = side(compute.embedding_forward, has_any * comm.gather_layer);
    let middle = side(compute.layer_forward, comm.gather_layer);
    let pairs = positive(layers - 1.0);
    let last = has_any * compute.layer_forward + compute.head;
    (comm.gather_root + first.both + pairs * middle.both + last, first.compute + pairs * middle.compute + last)
}

fn positive(value: f64) -> f64 {
    if value > 0.0 { value } else { 0.0 }
}
