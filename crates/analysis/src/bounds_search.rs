//! Grid search under the FSDP bounds: the best MFU and the longest context on a cluster
//! (docs/book/model/bounds.md).

use super::search::{Indices, Objective, Screening, Search, Space};
use engine::model::bounds::{Bounds, Reached, Stage};

/// Number of grid steps over γ, the fraction of activations kept.
const KEPT_STEPS: u32 = 20;
/// Number of grid steps over the tokens of one GPU, up to the most that fit.
const TOKEN_STEPS: u32 = 32;

/// The best configuration of the grid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Best {
    /// The ZeRO stage: what is sharded.
    pub stage: Stage,
    /// Fraction of activations kept, γ.
    pub kept: f64,
    /// Tokens of one GPU per step.
    pub tokens: f64,
    /// The results of the configuration.
    pub reached: Reached,
}

/// The stages, the one that needs least memory first.
const STAGES: [Stage; 2] = [Stage::Three, Stage::OneOrTwo];

/// Stage, γ and the tokens of one GPU, around the bounds of a cluster.
struct Grid {
    bounds: Bounds,
    kept: Vec<f64>,
    parts: Vec<u32>,
}

impl Space for Grid {
    type Candidate = Best;

    fn len(&self) -> usize {
        STAGES.len() * self.kept.len() * self.parts.len()
    }

    fn at(&self, place: usize) -> Option<Best> {
        let mut indices = Indices(place);
        let (part, kept, stage) = (indices.on(&self.parts)?, indices.on(&self.kept)?, indices.on(&STAGES)?);
        let bounds = Bounds { stage, kept, ..self.bounds };
        let sequences = (bounds.tokens() / bounds.seq_len).floor();
        let tokens = (sequences * f64::from(part) / f64::from(TOKEN_STEPS)).floor() * bounds.seq_len;
        (tokens > 0.0).then(|| Best { stage, kept, tokens, reached: bounds.reached(tokens) })
    }
}

/// The highest MFU; of equal ones the first.
struct HighestMfu(Option<Best>);

impl Objective<Best> for HighestMfu {
    fn weigh(&mut self, _: usize, candidate: &Best) -> Screening {
        if self.0.is_none_or(|best| candidate.reached.mfu > best.reached.mfu) {
            self.0 = Some(*candidate);
        }
        Screening::Fits
    }
}

/// Returns the configuration with the highest MFU over (stage, γ, tokens) at the sequence length of
/// `bounds`; on a tie, the one with the fewest tokens. `None` if not a single sequence fits.
pub fn best_mfu(bounds: Bounds) -> Option<Best> {
    let kept = (0..=KEPT_STEPS).map(|step| f64::from(step) / f64::from(KEPT_STEPS)).collect();
    let grid = Grid { bounds, kept, parts: (1..=TOKEN_STEPS).collect() };
    Search::through(&grid, HighestMfu(None)).0
}

/// Returns the longest sequence, in tokens, of which one fits on a GPU with full recomputation
/// under either stage; 0 if none fits.
pub fn longest_context(bounds: Bounds) -> f64 {
    let longest = |stage| Bounds { stage, ..bounds }.tokens_max().floor();
    let [three, one] = STAGES.map(longest);
    if three > one { three } else { one }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first_visit() -> Bounds {
        Bounds::from_setup(&catalog::default_scenario().setup())
    }

    #[test]
    fn the_grid_never_beats_the_bound() {
        for seq_len in [1024.0, 8192.0, 65_536.0] {
            let bounds = Bounds { seq_len, ..first_visit() };
            let best = best_mfu(bounds).unwrap();
            let bound = Bounds { stage: best.stage, kept: best.kept, ..bounds };
            assert!(best.reached.mfu <= bound.mfu_max() * (1.0 + 1e-12));
            assert!(best.reached.mfu > 0.0);
        }
    }

    /// Sharding the weights too leaves more memory for tokens, so the first visit's longest context
    /// is of stage three (arXiv 2504.03655, E_max).
    #[test]
    fn the_longest_context_is_that_of_the_stage_with_more_memory() {
        let of = |stage| Bounds { stage, ..first_visit() }.tokens_max().floor();
        assert!(of(Stage::Three) > of(Stage::OneOrTwo));
        assert_eq!(longest_context(first_visit()), of(Stage::Three));
    }

    #[test]
    fn nothing_is_found_where_nothing_fits() {
        let bounds = Bounds { seq_len: 1e9, ..first_visit() };
        assert_eq!(best_mfu(bounds), None);
        assert!(longest_context(bounds) < 1e9);
    }
}
