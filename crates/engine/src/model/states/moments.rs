//! Bytes of the optimizer's moments.

use crate::model::adapters;
use crate::model::layer::Block;
use crate::model::setup::Setup;
use crate::model::training::Optimizer;

/// Bytes of an element in 16 bits, and in 32.
const HALF: f64 = 2.0;
const SINGLE: f64 = 4.0;
/// A moment in 8 bits, with an fp32 scale for 256 elements (`blocksize = 256` in bitsandbytes'
/// `optim/optimizer.py`; torchao's `AdamW8bit(block_size=256)`).
const EIGHT_BIT: f64 = 1.0 + 4.0 / 256.0;
/// A moment in 4 bits, with an fp32 scale for 128 elements (torchao's `AdamW4bit(block_size=128)`).
const FOUR_BIT: f64 = 0.5 + 4.0 / 128.0;

/// Returns the bytes of a moment of `AdamW` under the recipe.
pub fn moment_bytes(setup: &Setup) -> f64 {
    if setup.recipe.is_pure_bf16() { HALF } else { SINGLE }
}

/// Returns the bytes of the optimizer's moments per parameter, with `gradient` bytes per gradient:
/// for matrices, and for all other parameters (norms, embedding, head).
pub(super) fn moments(setup: &Setup, gradient: f64) -> (f64, f64) {
    // bitsandbytes' 32-bit optimizers, the only ones that page, hold fp32 state whatever the
    // weights' format (`init_state`).
    let moment = if setup.offload.pages_state() { SINGLE } else { moment_bytes(setup) };
    let both = |bytes: f64| (bytes, bytes);
    let of_row = 1.0 / f64::from(setup.architecture.hidden_size.max(1));
    match setup.optimizer {
        Optimizer::AdamW => both(2.0 * moment),
        Optimizer::AdamW16bit => both(2.0 * HALF),
        Optimizer::AdamW8bit => both(2.0 * EIGHT_BIT),
        Optimizer::AdamW4bit => both(2.0 * FOUR_BIT),
        Optimizer::Sgd => both(0.0),
        Optimizer::SgdMomentum | Optimizer::Lion => both(moment),
        // A row and a column of a matrix about H wide.
        Optimizer::Adafactor => both(2.0 * moment * of_row),
        // One second moment for each row; for queries and keys one for each head, which is fewer.
        Optimizer::AdamMini => both(moment * (1.0 + of_row)),
        Optimizer::Muon => (moment, 2.0 * moment),
        Optimizer::GaLore => (projected(setup, moment, gradient), 2.0 * moment),
        Optimizer::GaLore8bit => (projected(setup, EIGHT_BIT, gradient), 2.0 * EIGHT_BIT),
    }
}

/// Returns the bytes of `GaLore`'s state per element of an m x n matrix, m the shorter side,
/// averaged over a layer: the projection `m r` in the format of the gradients (`GaLoreProjector`
/// casts it back to their type), and two moments `n r` (arXiv 2403.03507, Table 1). Adapters are
/// narrower than the rank and have whole moments.
fn projected(setup: &Setup, moment: f64, gradient: f64) -> f64 {
    if setup.trained.has_adapters() {
        return 2.0 * moment;
    }
    let LowRank { short, long, elements, .. } = low_rank(setup);
    if elements > 0.0 { (gradient * short + 2.0 * moment * long) / elements } else { 2.0 * moment }
}

/// Sums over the m x n matrices of the mean layer, m the shorter side, for `GaLore`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LowRank {
    /// `r m`: elements of the projections.
    pub short: f64,
    /// `r n`: elements of the projected gradients.
    pub long: f64,
    /// `r m n`: multiplications of a projection.
    pub products: f64,
    /// `m n`: elements of the matrices.
    pub elements: f64,
}

/// Returns the sums over a setup's layers on all GPUs: r is `GaLore`'s rank, or m if that is
/// smaller.
pub fn low_rank(setup: &Setup) -> LowRank {
    let (arch, most) = (&setup.architecture, f64::from(setup.galore_rank.max(1)));
    let layers = arch.layers();
    let mut sums = LowRank::default();
    for block in Block::ALL {
        let each = if block == Block::Routed { f64::from(arch.experts.num_experts) } else { 1.0 };
        let times = layers.blocks(block) * each;
        for module in adapters::all_linear(setup, block).iter() {
            let (short, long) = (module.inner.min(module.outer), module.inner.max(module.outer));
            let rank = times * most.min(short);
            sums.short += rank * short;
            sums.long += rank * long;
            sums.products += rank * short * long;
            sums.elements += times * short * long;
        }
    }
    sums
}
