//! FSDP units: all-gather and resharding of weights, and reduction of gradients.

use super::event::{Category, TensorId};
use super::formats::Format;
use super::node::NONE;
use super::tape::{Tape, Weight};
use crate::allocator::Stream;

/// Sharding of a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sharding {
    /// Number of GPUs that each weight is sharded over; 1 without sharding.
    pub group: u64,
    /// Bytes per element of a gradient at rest, and in the reduction.
    pub stored: u64,
    pub reduced: u64,
    /// Whether weights and gradients rest in host memory.
    pub offloaded: bool,
    /// Whether units stay gathered after a backward pass that does not reduce their gradients.
    pub keeps_gathered: bool,
}

/// Weights that are gathered together: a layer, or the root.
#[derive(Debug)]
pub(super) struct Unit {
    /// First weight, and the weight after the last.
    pub weights: (u32, u32),
    /// Whether the unit reshards after the forward pass.
    pub reshards: bool,
    /// Gathered weights of the unit.
    gathered: Vec<TensorId>,
    /// Sharded gradient of the unit.
    pub shard: TensorId,
}

impl Unit {
    pub(super) fn new(weights: (u32, u32), reshards: bool) -> Self {
        Self { weights, reshards, gathered: Vec::new(), shard: NONE }
    }
}

/// Units of one GPU, the root last, and tensors held for communication.
#[derive(Debug)]
pub(super) struct Units {
    pub each: Vec<Unit>,
    pub sharding: Sharding,
    /// Output of the last all-gather in the forward pass, held until the next one has begun.
    last_gather: TensorId,
    /// Output of a prefetched all-gather, and its unit.
    ahead: Option<(usize, TensorId)>,
    /// Input of the running reduce-scatter.
    reducing: TensorId,
}

impl Units {
    pub(super) fn new(each: Vec<Unit>, sharding: Sharding) -> Self {
        Self { each, sharding, last_gather: NONE, ahead: None, reducing: NONE }
    }

    /// Returns the bytes of the shards of a unit's weights, padded to whole rows, with `bytes` per
    /// element.
    fn shard(&self, tape: &Tape, unit: usize, bytes: impl Fn(&Format) -> f64) -> u64 {
        self.weights(tape, unit).iter().map(|weight| weight.shard_bytes(bytes(&weight.format))).sum()
    }

    /// Returns the bytes of a unit's weights, gathered from all their shards.
    fn whole(&self, tape: &Tape, unit: usize, bytes: impl Fn(&Format) -> f64) -> u64 {
        self.weights(tape, unit).iter().map(|weight| weight.shard_bytes(bytes(&weight.format)) * weight.group).sum()
    }

    /// Returns the weights of a unit.
    fn weights<'a>(&self, tape: &'a Tape, unit: usize) -> &'a [Weight] {
        let (first, end) = self.each.get(unit).map_or((0, 0), |unit| unit.weights);
        tape.weights.get(first as usize..end as usize).unwrap_or_default()
    }

    fn is_sharded(&self) -> bool {
        self.sharding.group > 1
    }

    /// Runs a unit's all-gather and returns its output.
    fn gather(&self, tape: &mut Tape, unit: usize) -> TensorId {
        // Weights at rest in another format are cast to a buffer first.
        let input = self.shard(tape, unit, |of| if of.stored == of.gathered { 0.0 } else { of.gathered });
        let output = self.whole(tape, unit, |of| of.gathered);
        let input = tape.allocate_on(Stream::AllGather, "empty", input, Category::Communication);
        let output = tape.allocate_on(Stream::AllGather, "empty", output, Category::Communication);
        tape.release(input);
        output
    }

    /// Copies the output of an all-gather into the weights, including padding rows.
    fn copy_out(&mut self, tape: &mut Tape, unit: usize, operator: &'static str) {
        let padded = |weight: &Weight| weight.shard_bytes(weight.format.gathered) * weight.group;
        let sizes: Vec<u64> = self.weights(tape, unit).iter().map(padded).collect();
        let gathered = sizes.into_iter().map(|bytes| tape.allocate(operator, bytes, Category::UnshardedParameter));
        let gathered = gathered.collect();
        if let Some(unit) = self.each.get_mut(unit) {
            unit.gathered = gathered;
        }
    }

    fn is_gathered(&self, unit: usize) -> bool {
        self.each.get(unit).is_some_and(|unit| !unit.gathered.is_empty())
    }

    fn reshard(&mut self, tape: &mut Tape, unit: usize) {
        let gathered = self.each.get_mut(unit).map(|unit| core::mem::take(&mut unit.gathered));
        for tensor in gathered.unwrap_or_default() {
            tape.release(tensor);
        }
    }

    /// Gathers a unit before its forward pass.
    pub(super) fn before_forward(&mut self, tape: &mut Tape, unit: usize) {
        if !self.is_sharded() || self.is_gathered(unit) {
            return;
        }
        let output = self.gather(tape, unit);
        tape.release(core::mem::replace(&mut self.last_gather, output));
        self.copy_out(tape, unit, "empty");
    }

    /// Reshards a unit after its forward pass.
    pub(super) fn after_forward(&mut self, tape: &mut Tape, unit: usize) {
        if self.each.get(unit).is_some_and(|unit| unit.reshards) {
            self.reshard(tape, unit);
        }
        if unit + 1 == self.each.len() {
            tape.release(core::mem::replace(&mut self.last_gather, NONE));
        }
    }

    /// Gathers a unit before its backward pass and prefetches `next`.
    pub(super) fn before_backward(&mut self, tape: &mut Tape, unit: usize, next: Option<usize>) {
        if !self.is_sharded() {
            return;
        }
        if !self.is_gathered(unit) {
            let output = match self.ahead.take() {
                Some((ahead, output)) if ahead == unit => output,
                other => {
                    if let Some((_, output)) = other {
                        tape.release(output);
                    }
                    self.gather(tape, unit)
                }
            };
            self.copy_out(tape, unit, "resize_");
            tape.release(output);
        }
        if let Some(next) = next.filter(|next| !self.is_gathered(*next)) {
            let output = self.gather(tape, next);
            self.ahead = Some((next, output));
        }
    }

    /// Reshards a unit after its backward pass and reduces its gradients, or leaves them to the
    /// next micro-batch.
    pub(super) fn after_backward(&mut self, tape: &mut Tape, unit: usize, reduces: bool) {
        if !self.is_sharded() {
            return;
        }
        if reduces || !self.sharding.keeps_gathered {
            self.reshard(tape, unit);
        }
        if !reduces {
            return;
        }
        let trains = |of: &Format| if of.trains { 1.0 } else { 0.0 };
        let (trained, whole) = (self.shard(tape, unit, trains), self.whole(tape, unit, trains));
        if trained == 0 {
            return;
        }
        let gradients = self.take_gradients(tape, unit);
        tape.release(core::mem::replace(&mut self.reducing, NONE));
        let Sharding { stored, reduced, .. } = self.sharding;
        self.reducing = tape.allocate("empty", whole * reduced, Category::Communication);
        // Gradients are released from last to first; the last keeps a reference until the reduction
        // has begun.
        let mut gradients = gradients.into_iter().rev();
        let named = gradients.next();
        for tensor in gradients {
            tape.release(tensor);
        }
        let same = stored == reduced;
        let category = if same { Category::Gradient } else { Category::Communication };
        let mut output = tape.allocate_on(Stream::ReduceScatter, "empty", trained * reduced, category);
        if let Some(tensor) = named {
            tape.release(tensor);
        }
        if !same {
            let cast = tape.allocate_on(Stream::ReduceScatter, "_to_copy", trained * stored, Category::Gradient);
            tape.release(output);
            output = cast;
        }
        if let Some(unit) = self.each.get_mut(unit) {
            if unit.shard == NONE && !self.sharding.offloaded {
                unit.shard = output;
            } else {
                // Added in place to the shard of the previous micro-batch, or copied to the host.
                tape.release(output);
            }
        }
    }

    /// Takes the unsharded gradients out of the unit's weights.
    fn take_gradients(&self, tape: &mut Tape, unit: usize) -> Vec<TensorId> {
        let (first, end) = self.each.get(unit).map_or((0, 0), |unit| unit.weights);
        let weights = tape.weights.get_mut(first as usize..end as usize).unwrap_or_default();
        let trained = weights.iter_mut().filter(|weight| weight.format.trains);
        trained.map(|weight| core::mem::replace(&mut weight.gradient, NONE)).collect()
    }

    /// Ends the backward pass: releases prefetched and gathered weights that are left.
    pub(super) fn finish_backward(&mut self, tape: &mut Tape, reduces: bool) {
        if let Some((_, output)) = self.ahead.take() {
            tape.release(output);
        }
        if reduces || !self.sharding.keeps_gathered {
            for unit in 0..self.each.len() {
                self.reshard(tape, unit);
            }
        }
        tape.release(core::mem::replace(&mut self.reducing, NONE));
    }
}
