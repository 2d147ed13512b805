//! FSDP's units: when each gathers its weights, frees them, and reduces its gradients.

use super::event::{Category, TensorId};
use super::formats::Format;
use super::node::NONE;
use super::tape::{Tape, Weight};
use crate::allocator::Stream;

/// How a run shards.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sharding {
    /// GPUs that share each weight; 1 where none do.
    pub group: u64,
    /// Bytes of a gradient's element at rest, and in the reduction.
    pub stored: u64,
    pub reduced: u64,
}

/// The weights that travel together: a layer, or the root.
#[derive(Debug)]
pub(super) struct Unit {
    /// Its weights: the first, and the one after the last.
    pub weights: (u32, u32),
    /// Whether it frees its weights after the forward pass.
    pub reshards: bool,
    /// Its gathered weights.
    gathered: Vec<TensorId>,
    /// The shard of its gradients.
    pub shard: TensorId,
}

impl Unit {
    pub(super) fn new(weights: (u32, u32), reshards: bool) -> Self {
        Self { weights, reshards, gathered: Vec::new(), shard: NONE }
    }
}

/// The units of one GPU, the root last, and what their communication holds.
#[derive(Debug)]
pub(super) struct Units {
    pub each: Vec<Unit>,
    pub sharding: Sharding,
    /// The output of the last all-gather of the forward pass: held until the next has begun.
    last_gather: TensorId,
    /// The output of an all-gather that ran ahead, and its unit.
    ahead: Option<(usize, TensorId)>,
    /// The input of the reduce-scatter under way.
    reducing: TensorId,
}

impl Units {
    pub(super) fn new(each: Vec<Unit>, sharding: Sharding) -> Self {
        Self { each, sharding, last_gather: NONE, ahead: None, reducing: NONE }
    }

    /// Sum over a unit's weights of the elements of their shards, each padded to whole rows, times
    /// so many bytes.
    fn shard(&self, tape: &Tape, unit: usize, bytes: impl Fn(&Format) -> f64) -> u64 {
        let group = self.sharding.group;
        self.weights(tape, unit).iter().map(|weight| weight.shard_bytes(group, bytes(&weight.format))).sum()
    }

    /// A unit's weights.
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
        let output = self.shard(tape, unit, |of| of.gathered) * self.sharding.group;
        let input = tape.allocate_on(Stream::AllGather, "empty", input, Category::Communication);
        let output = tape.allocate_on(Stream::AllGather, "empty", output, Category::Communication);
        tape.release(input);
        output
    }

    /// Copies an all-gather's output into the weights, with the rows that pad them.
    fn copy_out(&mut self, tape: &mut Tape, unit: usize, operator: &'static str) {
        let group = self.sharding.group;
        let padded = |weight: &Weight| weight.shard_bytes(group, weight.format.gathered) * group;
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

    /// Before a unit's forward pass.
    pub(super) fn before_forward(&mut self, tape: &mut Tape, unit: usize) {
        if !self.is_sharded() || self.is_gathered(unit) {
            return;
        }
        let output = self.gather(tape, unit);
        tape.release(core::mem::replace(&mut self.last_gather, output));
        self.copy_out(tape, unit, "empty");
    }

    /// After it.
    pub(super) fn after_forward(&mut self, tape: &mut Tape, unit: usize) {
        if self.each.get(unit).is_some_and(|unit| unit.reshards) {
            self.reshard(tape, unit);
        }
        if unit + 1 == self.each.len() {
            tape.release(core::mem::replace(&mut self.last_gather, NONE));
        }
    }

    /// Before a unit's backward pass, `next` of which follows.
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

    /// After it: frees the weights and reduces the gradients, or leaves them to the next
    /// micro-batch.
    pub(super) fn after_backward(&mut self, tape: &mut Tape, unit: usize, reduces: bool) {
        if !self.is_sharded() {
            return;
        }
        self.reshard(tape, unit);
        if !reduces {
            return;
        }
        let trained = self.shard(tape, unit, |of| if of.trains { 1.0 } else { 0.0 });
        if trained == 0 {
            return;
        }
        let gradients = self.take_gradients(tape, unit);
        tape.release(core::mem::replace(&mut self.reducing, NONE));
        let Sharding { group, stored, reduced, .. } = self.sharding;
        self.reducing = tape.allocate("empty", trained * group * reduced, Category::Communication);
        // From the last to the first; the last has a name until the reduction has begun.
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
            if unit.shard == NONE {
                unit.shard = output;
            } else {
                // Added in place to the shard of the micro-batch before.
                tape.release(output);
            }
        }
    }

    /// The unit's whole gradients, which are its no more.
    fn take_gradients(&self, tape: &mut Tape, unit: usize) -> Vec<TensorId> {
        let (first, end) = self.each.get(unit).map_or((0, 0), |unit| unit.weights);
        let weights = tape.weights.get_mut(first as usize..end as usize).unwrap_or_default();
        let trained = weights.iter_mut().filter(|weight| weight.format.trains);
        trained.map(|weight| core::mem::replace(&mut weight.gradient, NONE)).collect()
    }

    /// At the end of a backward pass: what no layer asked for goes too.
    pub(super) fn finish_backward(&mut self, tape: &mut Tape) {
        if let Some((_, output)) = self.ahead.take() {
            tape.release(output);
        }
        for unit in 0..self.each.len() {
            self.reshard(tape, unit);
        }
        tape.release(core::mem::replace(&mut self.reducing, NONE));
    }
}
