//! The static choices for one layer of experts, and the fastest of them.

use super::{AllToAll, LayerTime, MoeLayer, layer_time};

/// The degrees of pipelining that Tutel searches.
pub const CHUNKS: [u32; 4] = [1, 2, 4, 8];
/// The all-to-all algorithms that Tutel searches.
pub const ALGORITHMS: [AllToAll; 2] = [AllToAll::Linear, AllToAll::TwoDimensional];

/// One static choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Choice {
    /// Tutel's r: 0 for data parallelism with gathered weights; otherwise the number of GPU groups
    /// over which an expert is split, from 1 to the GPUs that share the expert.
    pub r: u32,
    /// Chunks of the tokens, Tutel's pipelining degree d.
    pub chunks: u32,
    /// The algorithm of the all-to-all.
    pub algorithm: AllToAll,
}

impl Choice {
    /// Expert parallelism without split experts or chunks, the default of every framework.
    pub const PLAIN: Self = Self { r: 1, chunks: 1, algorithm: AllToAll::Linear };

    /// Returns the chunks, at least one; 1 if there is no exchange to split.
    pub fn chunks(self) -> u32 {
        if self.r == 0 { 1 } else { self.chunks.max(1) }
    }
}

/// The fastest static choice and its time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Best {
    /// The choice.
    pub choice: Choice,
    /// The time of a layer under the choice.
    pub time: LayerTime,
}

/// Returns the fastest of all static choices: r of [`splits`], d of [`CHUNKS`], both algorithms.
pub fn best(layer: &MoeLayer) -> Best {
    fastest(layer, best_pipelining)
}

/// Returns the fastest r without chunks and with linear exchanges, the result of adaptive
/// parallelism alone.
pub fn best_parallelism(layer: &MoeLayer) -> Best {
    fastest(layer, plain)
}

/// Returns the values of r to search: 0, then 1, 2, 4 ... up to the GPUs that share an expert.
pub fn splits(layer: &MoeLayer) -> impl Iterator<Item = u32> + use<> {
    let most = layer.gpus_per_expert();
    core::iter::successors(Some(0_u32), move |r| (*r < most).then(|| r.saturating_mul(2).max(1).min(most)))
}

fn fastest(layer: &MoeLayer, at: fn(&MoeLayer, u32) -> Best) -> Best {
    let mut found = at(layer, 0);
    for r in splits(layer) {
        let next = at(layer, r);
        if next.time.total() < found.time.total() {
            found = next;
        }
    }
    found
}

fn plain(layer: &MoeLayer, r: u32) -> Best {
    let choice = Choice { r, ..Choice::PLAIN };
    Best { choice, time: layer_time(layer, choice) }
}

/// Returns the fastest pipelining for one r, the result of adaptive pipelining.
pub fn best_pipelining(layer: &MoeLayer, r: u32) -> Best {
    let mut found = plain(layer, r);
    if r == 0 {
        return found;
    }
    for algorithm in ALGORITHMS {
        for chunks in CHUNKS {
            let choice = Choice { r, chunks, algorithm };
            let time = layer_time(layer, choice);
            if time.total() < found.time.total() {
                found = Best { choice, time };
            }
        }
    }
    found
}
