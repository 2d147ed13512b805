//! Symbols of the closed-form bounds.

use super::ValueFormat::{Bytes, BytesPerSecond, Count, Percent};
use super::{Symbol, new_symbol};

/// Named as in docs/book/model/bounds.md.
pub(super) const BOUNDS: &[Symbol] = &[
    new_symbol("MFU_max", "the highest MFU that the bound allows", Percent, |c| c.bounds.mfu_max()),
    new_symbol("M_left", "memory that the states leave, of one GPU", Bytes, |c| {
        let free = c.bounds.free_memory().get();
        if free > 0.0 { free } else { 0.0 }
    }),
    new_symbol("S_vol", "nominal rate of a ring over all GPUs", BytesPerSecond, |c| c.bounds.link.get()),
    new_symbol("Q", "bytes of a transferred weight and of an activation", Count, |c| c.bounds.element),
    new_symbol("α", "fraction of the peak that kernels reach", Percent, |c| c.bounds.efficiency),
    new_symbol("γ", "share of [activations] kept", Count, |c| c.bounds.kept),
];
