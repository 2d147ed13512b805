//! Google's TPUs.

use super::efficiency::{TPU, TPU_7X, TPU_V5P, TPU_V6E};
use super::{PCIE_3, PCIE_5, entry, sheet, usable};
use crate::catalog::AcceleratorEntry;

/// The peaks of a TPU without a unit of 8 bits; fp32 products are built from six bf16 products.
const fn tpu(bf16: f64) -> [f64; 4] {
    [bf16, bf16, bf16, bf16 / 6.0]
}

/// The peaks of a TPU that has int8 for 8 bits, and no fp8.
const fn int8(bf16: f64, int8: f64) -> [f64; 4] {
    [bf16, int8, int8, bf16 / 6.0]
}

/// The list.
pub const LIST: &[AcceleratorEntry] = &[
    entry(
        "tpu-v4",
        "TPU v4",
        sheet(usable::TPU_V4, 1200.0, tpu(275.0), PCIE_3, 192.0, TPU),
        "Cloud TPU v4 documentation; power: arXiv 2304.01433",
    ),
    entry(
        "tpu-v5e",
        "TPU v5e",
        sheet(usable::TPU_V5E, 819.0, int8(197.0, 393.0), PCIE_3, 200.0, TPU),
        "Cloud TPU v5e documentation; host link and power not published: assumed",
    ),
    entry(
        "tpu-v5p",
        "TPU v5p",
        sheet(usable::TPU_V5P, 2765.0, int8(459.0, 918.0), PCIE_3, 400.0, TPU_V5P),
        "Cloud TPU v5p documentation; host link and power not published: assumed",
    ),
    entry(
        "tpu-v6e",
        "TPU v6e (Trillium)",
        sheet(usable::TPU_V6E, 1638.0, int8(918.0, 1836.0), PCIE_5, 300.0, TPU_V6E),
        "Cloud TPU v6e documentation; power not published: assumed",
    ),
    entry(
        "tpu-7x",
        "TPU7x (Ironwood)",
        sheet(usable::TPU_7X, 7380.0, [2307.0, 4614.0, 4614.0, 2307.0 / 6.0], PCIE_5, 700.0, TPU_7X),
        "Cloud TPU7x documentation; host link and power not published: assumed",
    ),
];
