//! Activation checkpointing: tensors discarded in the forward pass and recomputed in the backward
//! pass.

use super::event::TensorId;
use super::node::NONE;
use super::policy::{Checkpoint, Policy};
use super::tape::Tape;

/// Nodes and tensors of one pass of a layer.
#[derive(Debug)]
pub(super) struct Segment {
    /// First node, and the node after the last.
    pub nodes: (u32, u32),
    pub checkpoint: Checkpoint,
    /// Input of the layer, kept for recomputation, and the node that produced it.
    pub input: TensorId,
    pub input_node: u32,
    /// Outputs kept by the policy.
    pub kept: std::collections::VecDeque<TensorId>,
}

impl Tape {
    /// Begins the forward pass of a checkpointed layer.
    pub(super) fn enter(&mut self, checkpoint: Checkpoint) {
        if checkpoint != Checkpoint::None {
            self.throw_away();
            self.policy = Policy::from_checkpoint(checkpoint);
        }
    }

    /// Ends the forward pass of a checkpointed layer and returns the outputs kept by the policy.
    pub(super) fn leave(&mut self) -> std::collections::VecDeque<TensorId> {
        self.hold_saved();
        self.policy = None;
        core::mem::take(&mut self.kept)
    }

    /// Begins the recomputation of a segment.
    pub(super) fn enter_again(&mut self, segment: &mut Segment) {
        self.kept = core::mem::take(&mut segment.kept);
        self.policy = Policy::from_checkpoint(segment.checkpoint);
        self.recompute(segment.nodes.0, segment.nodes.1);
    }

    /// Returns the node in `first..end` whose backward pass is the last to use saved tensors.
    pub(super) fn last_saving(&self, first: u32, end: u32) -> u32 {
        let saves = |node: &u32| self.nodes.get(*node as usize).is_some_and(|node| node.saves > 0);
        (first..end).find(saves).unwrap_or(NONE)
    }

    /// Returns whether a node saves tensors that are missing.
    pub(super) fn lacks(&self, node: u32) -> bool {
        self.nodes.get(node as usize).is_some_and(|node| node.saves > 0 && !node.has_saved)
    }
}
