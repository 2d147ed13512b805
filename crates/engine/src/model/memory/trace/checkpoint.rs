//! Activation checkpointing: what is thrown away in the forward pass and computed again in the backward pass.

use super::event::TensorId;
use super::tape::{NONE, Tape};

/// torchtitan's policy for each operator: attention's output and every other matrix product, from the first, are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Policy {
    products: u32,
}

impl Policy {
    /// Whether the next matrix product is kept.
    pub(super) fn keeps_product(&mut self) -> bool {
        self.products += 1;
        self.products % 2 == 1
    }
}

/// How one layer is checkpointed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Checkpoint {
    /// Not at all.
    None,
    /// All of it.
    Full,
    /// By operator.
    Operators,
}

/// What one pass of a layer left on the graph.
#[derive(Debug)]
pub(super) struct Segment {
    /// Its first node, and the one after its last.
    pub nodes: (u32, u32),
    pub checkpoint: Checkpoint,
    /// Its input, held for the recomputation.
    pub input: TensorId,
    /// The outputs that the policy kept.
    pub kept: std::collections::VecDeque<TensorId>,
}

impl Tape {
    /// Begins the forward pass of a checkpointed layer.
    pub(super) fn enter(&mut self, checkpoint: Checkpoint) {
        if checkpoint != Checkpoint::None {
            self.throw_away();
            self.policy = (checkpoint == Checkpoint::Operators).then(Policy::default);
        }
    }

    /// Ends it.
    pub(super) fn leave(&mut self) -> std::collections::VecDeque<TensorId> {
        self.hold_saved();
        self.policy = None;
        core::mem::take(&mut self.kept)
    }

    /// Begins the recomputation of a segment.
    pub(super) fn enter_again(&mut self, segment: &mut Segment) {
        self.kept = core::mem::take(&mut segment.kept);
        self.policy = (segment.checkpoint == Checkpoint::Operators).then(Policy::default);
        self.recompute(segment.nodes.0, segment.nodes.1);
    }

    /// The node from `first` to before `end` whose backward pass is the last to need something.
    pub(super) fn last_saving(&self, first: u32, end: u32) -> u32 {
        let saves = |node: &u32| self.nodes.get(*node as usize).is_some_and(|node| node.saves > 0);
        (first..end).find(saves).unwrap_or(NONE)
    }

    /// Whether a node saves something that is not there.
    pub(super) fn lacks(&self, node: u32) -> bool {
        self.nodes.get(node as usize).is_some_and(|node| node.saves > 0 && node.saved.iter().all(|slot| *slot == NONE))
    }
}
