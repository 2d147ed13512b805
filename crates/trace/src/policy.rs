//! Outputs of a checkpointed layer that are kept.

/// Keeps outputs in addition to those of attention.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Policy {
    products: u32,
}

impl Policy {
    pub(super) fn from_checkpoint(checkpoint: Checkpoint) -> Option<Self> {
        (checkpoint == Checkpoint::Operators).then_some(Self { products: 0 })
    }

    /// Returns whether the output of the next matmul is kept: every other one, starting with the
    /// first.
    pub(super) fn keeps_product(&mut self) -> bool {
        self.products += 1;
        !self.products.is_multiple_of(2)
    }
}

/// Checkpointing of one layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Checkpoint {
    /// No recomputation.
    None,
    /// Recomputation of the whole layer.
    Full,
    /// Selective by operator: the outputs of attention and of every other matmul are kept.
    Operators,
}
