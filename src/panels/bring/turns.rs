//! Numbers requests: only the answer to the last one counts, whichever answer arrives last.

use std::cell::Cell;
use std::rc::Rc;

/// The number of the last request.
#[derive(Clone, Default)]
pub(super) struct Turns(Rc<Cell<u32>>);

impl Turns {
    /// Begins the next request.
    pub(super) fn next(&self) -> Turn {
        self.0.set(self.0.get().wrapping_add(1));
        self.present()
    }

    /// Returns the last request.
    pub(super) fn present(&self) -> Turn {
        Turn { turns: self.clone(), number: self.0.get() }
    }
}

/// One request.
pub(super) struct Turn {
    turns: Turns,
    number: u32,
}

impl Turn {
    /// Whether no other request was begun since.
    pub(super) fn is_last(&self) -> bool {
        self.turns.0.get() == self.number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_request_counts() {
        let turns = Turns::default();
        let first = turns.next();
        assert!(first.is_last() && turns.present().is_last());
        let second = turns.clone().next();
        assert!(!first.is_last() && second.is_last());
    }
}
