//! Activation checkpointing: what is thrown away in the forward pass and computed again in the
//! backward pass.

use super::event::TensorId;
use super::node::NONE;
use super::policy::{Checkpoint, Policy};
use super::tape::Tape;

/// What one pass of a layer left on the graph.
#[derive(Debug)]
pub(super) struct Segment {
    /// Its first node, and the one after its last.
    pub nodes: (u32, u32),
    pub checkpoint: Checkpoint,
    /// Its input, held for the recomputation, and the node that made it.
    pub input: TensorId,
    pub input_node: u32,
    /// The outputs that the policy kept.
    pub kept: std::collections::VecDeque<TensorId>,
}

impl Tape {
    /// Begins the forward pass of a checkpointed layer.
    pub(super) fn enter(&mut self, checkpoint: Checkpoint) {
        if checkpoint != Checkpoint::None {
            self.throw_away();
            self.policy = Policy::of(checkpoint);
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
        self.policy = Policy::of(segment.checkpoint);
        self.recompute(segment.nodes.0, segment.nodes.1);
    }

    /// The node from `first` to before `end` whose backward pass is the last to need something.
    pub(super) fn last_saving(&self, first: u32, end: u32) -> u32 {
        let saves = |node: &u32| self.nodes.get(*node as usize).is_some_and(|node| node.saves > 0);
        (first..end).find(saves).unwrap_or(NONE)
    }

    /// Whether a node saves something that is not there.
    pub(super) fn lacks(&self, node: u32) -> bool {
        self.nodes.get(node as usize).is_some_and(|node| node.saves > 0 && !node.has_saved)
    }
}
