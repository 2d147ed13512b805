//! Accelerators of AMD and Intel.

use super::efficiency::{CDNA2, CDNA3, CDNA3_1000W, CDNA4, GAUDI, GAUDI_3};
use super::usable::{self, amd, as_of};
use super::{PCIE_4, PCIE_5, entry, sheet};
use crate::catalog::AcceleratorEntry;

/// Infinity Fabric between a die of the MI250X and the host, GB/s a direction (OLCF's Frontier
/// guide).
const INFINITY_HOST: f64 = 36.0;
const MI300X: [f64; 4] = [1307.4, 2614.9, 2614.9, 163.4];

/// The list.
pub const LIST: &[AcceleratorEntry] = &[
    entry(
        "mi250",
        "MI250 (one of two dies)",
        sheet(amd(64.0), 1638.4, [181.05, 181.05, 181.05, 45.3], PCIE_4, 280.0, CDNA2),
        "AMD Instinct MI250 data sheet, halved",
    ),
    entry(
        "mi250x",
        "MI250X (one of two dies)",
        sheet(amd(64.0), 1638.4, [191.5, 191.5, 191.5, 47.9], INFINITY_HOST, 280.0, CDNA2),
        "AMD Instinct MI250X data sheet, halved; host link: OLCF",
    ),
    entry(
        "mi300x",
        "MI300X",
        sheet(amd(192.0), 5300.0, MI300X, PCIE_5, 750.0, CDNA3),
        "AMD Instinct MI300X data sheet",
    ),
    entry(
        "mi325x",
        "MI325X",
        sheet(amd(256.0), 6000.0, MI300X, PCIE_5, 1000.0, CDNA3_1000W),
        "AMD Instinct MI325X data sheet",
    ),
    entry(
        "mi350x",
        "MI350X",
        sheet(amd(288.0), 8000.0, [2306.9, 4613.7, 9227.5, 144.2], PCIE_5, 1000.0, CDNA4),
        "AMD Instinct MI350X data sheet",
    ),
    entry(
        "mi355x",
        "MI355X",
        sheet(amd(288.0), 8000.0, [2516.6, 5033.2, 10_066.3, 157.3], PCIE_5, 1400.0, CDNA4),
        "AMD Instinct MI355X data sheet",
    ),
    entry(
        "gaudi-2",
        "Gaudi 2",
        sheet(usable::GAUDI_2, 2460.0, [432.0, 865.0, 865.0, 54.0], PCIE_4, 600.0, GAUDI),
        "Intel Gaudi 2 white paper; fp32 not published: an eighth of bf16, as Gaudi 3",
    ),
    entry(
        "gaudi-3",
        "Gaudi 3",
        sheet(as_of(usable::GAUDI_2, 128.0), 3670.0, [1835.0, 1835.0, 1835.0, 229.0], PCIE_5, 900.0, GAUDI_3),
        "Intel Gaudi 3 white paper (1.75 GHz; cards run at 1.6)",
    ),
];
