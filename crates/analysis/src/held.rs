//! Parameters that a search leaves as they are, because a person named them.

use engine::params::{Param, ParamId};

/// Number of words of 64 parameters.
const WORDS: usize = 4;

/// A set of parameters that a search holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Held([u64; WORDS]);

impl Held {
    /// Holds nothing: every layout is tried.
    pub const NOTHING: Self = Self([0; WORDS]);

    /// Holds the parameters with these keys of links; other keys are ignored.
    pub fn from_keys<'a>(keys: impl IntoIterator<Item = &'a str>) -> Self {
        let keys: Vec<&str> = keys.into_iter().collect();
        engine::params::every().filter(|param| keys.contains(&param.key)).fold(Self::NOTHING, Self::with)
    }

    /// Adds parameters.
    #[must_use]
    pub fn and(self, ids: &[ParamId]) -> Self {
        ids.iter().map(|id| id.param()).fold(self, Self::with)
    }

    #[must_use]
    fn with(mut self, param: &Param) -> Self {
        let (word, bit) = place(param.id);
        if let Some(word) = self.0.get_mut(word) {
            *word |= bit;
        }
        self
    }

    /// Whether a parameter is held.
    pub fn has(self, id: ParamId) -> bool {
        let (word, bit) = place(id);
        self.0.get(word).is_some_and(|word| word & bit != 0)
    }
}

/// Returns the word of a parameter, and its bit.
fn place(id: ParamId) -> (usize, u64) {
    let index = id as usize;
    (index / u64::BITS as usize, 1 << (index % u64::BITS as usize))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_parameter_is_held_alone() {
        for param in engine::params::every() {
            let held = Held::from_keys([param.key]);
            assert!(held.has(param.id), "{}: {WORDS} words are too few", param.key);
            assert!(engine::params::every().all(|other| held.has(other.id) == (other.id == param.id)), "{}", param.key);
        }
        assert_eq!(Held::from_keys(["no parameter"]), Held::NOTHING);
    }
}
