//! Which outputs of a checkpointed layer are kept.

/// Which outputs are kept beside attention's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Policy {
    products: u32,
}

impl Policy {
    pub(super) fn of(checkpoint: Checkpoint) -> Option<Self> {
        (checkpoint == Checkpoint::Operators).then_some(Self { products: 0 })
    }

    /// Whether the next matrix product is kept: every other one, from the first.
    pub(super) fn keeps_product(&mut self) -> bool {
        self.products += 1;
        !self.products.is_multiple_of(2)
    }
}

/// How one layer is checkpointed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Checkpoint {
    /// Not at all.
    None,
    /// All of it.
    Full,
    /// By operator: attention's output and every other product are kept.
    Operators,
}
