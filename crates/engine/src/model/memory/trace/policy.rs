//! Which outputs of a checkpointed layer are kept.

/// Which outputs are kept beside attention's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Policy {
    /// Of how many matrix products one is kept, from the first: torchtitan's policy keeps every other, a compiler all.
    every: u32,
    products: u32,
}

impl Policy {
    pub(super) fn of(checkpoint: Checkpoint) -> Option<Self> {
        let every = match checkpoint {
            Checkpoint::Operators => 2,
            Checkpoint::Products => 1,
            Checkpoint::None | Checkpoint::Full => return None,
        };
        Some(Self { every, products: 0 })
    }

    /// Whether the next matrix product is kept.
    pub(super) fn keeps_product(&mut self) -> bool {
        self.products += 1;
        (self.products - 1).is_multiple_of(self.every)
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
    /// As a compiler does: all products are kept.
    Products,
}
