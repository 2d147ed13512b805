//! FSDP's units: when each gathers its weights, frees them, and reduces its gradients.

use super::event::{Category, TensorId};
use super::node::NONE;
use super::tape::Tape;
use crate::model::memory::allocator::Stream;

/// How a run shards.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sharding {
    /// GPUs that share each weight; 1 where none do.
    pub group: u64,
    /// Bytes of an element at rest, as gathered, and in the reduction.
    pub stored: u64,
    pub gathered: u64,
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

    /// Elements of a unit's shard, each weight padded to whole rows.
    pub(super) fn shard(&self, tape: &Tape, unit: usize) -> u64 {
        let group = self.sharding.group;
        self.weights(tape, unit).map(|(rows, columns)| rows.div_ceil(group) * columns).sum()
    }

    /// Rows and columns of a unit's weights.
    pub(super) fn weights<'a>(&self, tape: &'a Tape, unit: usize) -> impl Iterator<Item = (u64, u64)> + 'a {
        let (first, end) = self.each.get(unit).map_or((0, 0), |unit| unit.weights);
        let weights = tape.weights.get(first as usize..end as usize).unwrap_or_default();
        weights.iter().map(|weight| (weight.rows, weight.columns))
    }

    fn is_sharded(&self) -> bool {
        self.sharding.group > 1
    }

    /// Runs a unit's all-gather and returns its output.
    fn gather(&self, tape: &mut Tape, unit: usize) -> TensorId {
        let Sharding { gathered, stored, .. } = self.sharding;
        let shard = self.shard(tape, unit) * gathered;
        // Weights at rest in another format are cast to a buffer first.
        let input = if stored == gathered { 0 } else { shard };
        let input = tape.allocate_on(Stream::AllGather, "empty", input, Category::Communication);
        let output = shard * self.sharding.group;
        let output = tape.allocate_on(Stream::AllGather, "empty", output, Category::Communication);
        tape.release(input);
        output
    }

    /// Copies an all-gather's output into the weights, with the rows that pad them.
    fn copy_out(&mut self, tape: &mut Tape, unit: usize, operator: &'static str) {
        let Sharding { group, gathered, .. } = self.sharding;
        let padded = |(rows, columns): (u64, u64)| rows.div_ceil(group) * group * columns * gathered;
        let sizes: Vec<u64> = self.weights(tape, unit).map(padded).collect();
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
                _ => self.gather(tape, unit),
            };
            self.copy_out(tape, unit, "resize_");
            tape.release(output);
        }
        if let Some(next) = next.filter(|next| !self.is_gathered(*next)) {
            let output = self.gather(tape, next);
            self.ahead = Some((next, output));
        }
    }

    /// After it: frees the weights and reduces the gradients, or leaves them to the next micro-batch.
    pub(super) fn after_backward(&mut self, tape: &mut Tape, unit: usize, reduces: bool) {
        if !self.is_sharded() {
            return;
        }
        self.reshard(tape, unit);
        if !reduces {
            return;
        }
        let gradients = self.take_gradients(tape, unit);
        tape.release(core::mem::replace(&mut self.reducing, NONE));
        let Sharding { group, stored, reduced, .. } = self.sharding;
        let shard = self.shard(tape, unit);
        self.reducing = tape.allocate("empty", shard * group * reduced, Category::Communication);
        // From the last to the first; the last has a name until the reduction has begun.
        let mut gradients = gradients.into_iter().rev();
        let named = gradients.next();
        for tensor in gradients {
            tape.release(tensor);
        }
        let same = stored == reduced;
        let category = if same { Category::Gradient } else { Category::Communication };
        let mut output = tape.allocate_on(Stream::ReduceScatter, "empty", shard * reduced, category);
        if let Some(tensor) = named {
            tape.release(tensor);
        }
        if !same {
            let cast = tape.allocate_on(Stream::ReduceScatter, "_to_copy", shard * stored, Category::Gradient);
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
        weights.iter_mut().map(|weight| core::mem::replace(&mut weight.gradient, NONE)).collect()
    }

    /// At the end of a backward pass.
    pub(super) fn finish_backward(&mut self, tape: &mut Tape) {
        tape.release(core::mem::replace(&mut self.reducing, NONE));
    }
}
