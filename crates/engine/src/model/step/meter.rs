//! What the spans of a step do: FLOPs and bytes, as the engine's own times at one FLOP or one byte a second.

use super::playback::Playback;
use super::{compute, stages};
use crate::model::compute::UnitTimes;
use crate::model::hardware::{Accelerator, Efficiency, Topology};
use crate::model::plan::StagePlan;
use crate::model::plan::moved::{Moved, Traffic};
use crate::model::report::Work;
use crate::model::setup::{Overheads, Setup};
use crate::model::stages::Stage;
use crate::units::{Bytes, BytesPerSecond, Flops, FlopsPerSecond, Seconds};

/// What one span does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Done {
    /// Matrix products, of so many FLOPs.
    Computed(Flops),
    /// Element-wise work, which reads and writes so many bytes of the GPU's memory.
    Streamed(Bytes),
    /// A collective.
    Moved(Moved),
}

/// One kind of compute: how long one layer of it, or all of it, takes, its FLOPs, and the bytes that it reads and writes.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Amount {
    time: Seconds,
    flops: Flops,
    bytes: Bytes,
}

/// The amounts of every kind of work on the stage that sets the pace.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Meter {
    /// The dense peak that utilisation is counted against.
    pub peak: FlopsPerSecond,
    /// Whether the network is priced as flat.
    pub is_flat: bool,
    /// Spans in which a layer's experts compute in one pass.
    chunks: u32,
    traffic: Traffic,
    forward: Amount,
    backward: Amount,
    head: Amount,
    embedding: Amount,
    optimizer: Amount,
    /// Routed experts of one layer, on average over all layers: forward, backward.
    experts: [Amount; 2],
}

/// A GPU on which the time of compute is the number of its FLOPs, or of the bytes of its element-wise work.
fn priced(setup: &Setup, rate: FlopsPerSecond, memory: BytesPerSecond) -> Setup {
    let accelerator = Accelerator {
        memory_bandwidth: memory,
        peak_16bit: rate,
        peak_8bit: rate,
        peak_4bit: rate,
        peak_32bit: rate,
        host_link: BytesPerSecond::new(f64::INFINITY),
        efficiency: Efficiency::IDEAL,
        ..setup.accelerator
    };
    Setup { accelerator, overheads: Overheads { step: Seconds::ZERO, ..setup.overheads }, ..*setup }
}

impl Meter {
    /// Of the step of a setup.
    pub fn of(setup: &Setup, playback: &Playback) -> Self {
        let all = stages(setup);
        let plan_of = |stage: &Stage| StagePlan::new(setup, &compute::unit_times(setup, stage.moe_share()), stage);
        let [first, ..] = &all;
        let stage = all.iter().find(|stage| stage.count > 0.0 && plan_of(stage) == playback.plan).unwrap_or(first);
        let share = stage.moe_share();
        let (one, all_at_once) = (1.0, f64::INFINITY);
        let in_flops = priced(setup, FlopsPerSecond::new(one), BytesPerSecond::new(all_at_once));
        let in_bytes = priced(setup, FlopsPerSecond::new(all_at_once), BytesPerSecond::new(one));
        let [times, flops, bytes] = [setup, &in_flops, &in_bytes].map(|setup| compute::unit_times(setup, share));
        let amount = |part: &dyn Fn(&UnitTimes) -> Seconds| Amount {
            time: part(&times),
            flops: Flops::new(part(&flops).get()),
            bytes: Bytes::new(part(&bytes).get()),
        };
        let update = |setup: &Setup| compute::optimizer(setup, &stage.params);
        Self {
            peak: compute::peak(setup),
            is_flat: setup.network.topology == Topology::Flat,
            chunks: if setup.experts.across_micro_batches { 1 } else { setup.experts.chunks.max(1) },
            traffic: Traffic::of(setup, stage, &playback.plan),
            // Experts have spans of their own.
            forward: amount(&|units| units.layer_forward - share * units.experts_forward),
            backward: amount(&|units| units.layer_backward - share * units.experts_backward),
            head: amount(&|units| units.head),
            embedding: amount(&|units| units.embedding),
            optimizer: Amount {
                time: update(setup),
                flops: Flops::new(update(&in_flops).get()),
                bytes: Bytes::new(update(&in_bytes).get()),
            },
            experts: [amount(&|units| share * units.experts_forward), amount(&|units| share * units.experts_backward)],
        }
    }

    /// What a span does that is so long, of a layer or not. `None` where there is nothing to say, as of a bubble.
    pub fn of_span(&self, work: Work, is_layer: bool, time: Seconds) -> Option<Done> {
        let amount = match work {
            Work::LayerForward => self.forward,
            Work::LayerBackward => self.backward,
            Work::Head => self.head,
            Work::EmbeddingForward | Work::EmbeddingBackward => self.embedding,
            Work::OptimizerStep => self.optimizer,
            Work::Experts => {
                let part = 1.0 / f64::from(self.chunks);
                let [forward, backward] = self.experts;
                // The pass whose time is nearer.
                let middle = 0.5 * part * (forward.time + backward.time);
                let whole = if (time > middle) == (backward.time > forward.time) { backward } else { forward };
                Amount { time, flops: part * whole.flops, bytes: part * whole.bytes }
            }
            Work::AllGather
            | Work::ReduceScatter
            | Work::AllReduce
            | Work::Dispatch
            | Work::Combine
            | Work::Exchange
            | Work::Bubble => return self.traffic.moved(work, is_layer, time).map(Done::Moved),
        };
        if amount.flops > Flops::ZERO {
            Some(Done::Computed(amount.flops))
        } else {
            (amount.bytes > Bytes::ZERO).then_some(Done::Streamed(amount.bytes))
        }
    }
}

#[cfg(test)]
mod tests;
