//! NVIDIA's GPUs with GDDR memory: GeForce, workstation and inference cards, by fp32 accumulation.

use super::efficiency::{ADA, ADA_GEFORCE, AMPERE_GDDR, BLACKWELL_GDDR, BLACKWELL_GEFORCE, TURING};
use super::usable::{self, as_of};
use super::{PCIE_3, PCIE_4, PCIE_5, entry, sheet};
use crate::catalog::AcceleratorEntry;

/// The list.
pub const LIST: &[AcceleratorEntry] = &[
    entry(
        "rtx-2080-ti",
        "RTX 2080 Ti",
        sheet(usable::RTX_2080_TI, 616.0, [53.8, 53.8, 53.8, 13.4], PCIE_3, 250.0, TURING),
        "NVIDIA Turing Architecture In-Depth, the reference card (16-bit is fp16)",
    ),
    entry(
        "rtx-3090",
        "RTX 3090",
        sheet(usable::RTX_3090, 936.0, [71.0, 71.0, 71.0, 35.6], PCIE_4, 350.0, AMPERE_GDDR),
        "NVIDIA Ampere GA102 whitepaper",
    ),
    entry(
        "rtx-4080",
        "RTX 4080",
        sheet(as_of(usable::RTX_4090, 16.0), 716.8, [97.5, 195.0, 195.0, 48.7], PCIE_4, 320.0, ADA_GEFORCE),
        "NVIDIA GeForce RTX 4080 specifications, a quarter of the sparse peaks by 16-bit accumulation",
    ),
    entry(
        "rtx-4090",
        "RTX 4090",
        sheet(usable::RTX_4090, 1008.0, [165.2, 330.3, 330.3, 82.6], PCIE_4, 450.0, ADA_GEFORCE),
        "NVIDIA Ada whitepaper 2.02, Appendix A",
    ),
    entry(
        "rtx-5090",
        "RTX 5090",
        sheet(usable::RTX_5090, 1792.0, [209.5, 419.0, 1676.0, 104.8], PCIE_5, 575.0, BLACKWELL_GEFORCE),
        "NVIDIA RTX Blackwell whitepaper",
    ),
    entry(
        "rtx-a5000",
        "RTX A5000",
        sheet(usable::RTX_A5000, 768.0, [111.1, 111.1, 111.1, 27.8], PCIE_4, 230.0, AMPERE_GDDR),
        "NVIDIA RTX A5000 data sheet, half of the sparse peak",
    ),
    entry(
        "rtx-a6000",
        "RTX A6000",
        sheet(usable::RTX_A6000, 768.0, [154.8, 154.8, 154.8, 38.7], PCIE_4, 300.0, AMPERE_GDDR),
        "NVIDIA RTX A6000 data sheet, half of the sparse peak",
    ),
    entry(
        "rtx-6000-ada",
        "RTX 6000 Ada",
        sheet(usable::RTX_6000_ADA, 960.0, [364.2, 728.5, 728.5, 91.1], PCIE_4, 300.0, ADA),
        "NVIDIA RTX 6000 Ada data sheet, half of the sparse peaks",
    ),
    entry(
        "rtx-pro-6000",
        "RTX PRO 6000 Blackwell",
        sheet(usable::RTX_PRO_6000, 1792.0, [500.0, 1000.0, 2000.0, 125.0], PCIE_5, 600.0, BLACKWELL_GDDR),
        "NVIDIA RTX PRO 6000 data sheet: half of its 4,000 sparse 4-bit TOPS, halved for each wider format",
    ),
    entry(
        "gb10",
        "GB10 (DGX Spark)",
        sheet(usable::GB10, 273.0, [125.0, 250.0, 500.0, 31.0], 300.0, 140.0, BLACKWELL_GDDR),
        "NVIDIA DGX Spark hardware guide and Hot Chips 2025: half of its 1,000 sparse 4-bit TOPS, halved for each wider format; memory shared with the CPU",
    ),
    entry(
        "a40",
        "A40",
        sheet(usable::L40, 696.0, [149.7, 149.7, 149.7, 37.4], PCIE_4, 300.0, AMPERE_GDDR),
        "NVIDIA A40 data sheet",
    ),
    entry(
        "a10",
        "A10",
        sheet(usable::L4, 600.0, [125.0, 125.0, 125.0, 31.2], PCIE_4, 150.0, AMPERE_GDDR),
        "NVIDIA A10 data sheet",
    ),
    entry(
        "a10g",
        "A10G",
        sheet(usable::L4, 600.0, [70.0, 70.0, 70.0, 35.0], PCIE_4, 300.0, AMPERE_GDDR),
        "NVIDIA A10G data sheet (AWS G5)",
    ),
    entry(
        "l4",
        "L4",
        sheet(usable::L4, 300.0, [121.0, 242.5, 242.5, 30.3], PCIE_4, 72.0, ADA),
        "NVIDIA L4 data sheet, half of the sparse peaks",
    ),
    entry(
        "l40",
        "L40",
        sheet(usable::L40, 864.0, [181.05, 362.0, 362.0, 90.5], PCIE_4, 300.0, ADA),
        "NVIDIA L40 data sheet",
    ),
    entry(
        "l40s",
        "L40S",
        sheet(usable::L40, 864.0, [362.05, 733.0, 733.0, 91.6], PCIE_4, 350.0, ADA),
        "NVIDIA L40S data sheet",
    ),
    entry(
        "t4",
        "T4",
        sheet(usable::T4, 320.0, [65.0, 65.0, 65.0, 8.1], PCIE_3, 70.0, TURING),
        "NVIDIA T4 data sheet (16-bit is fp16)",
    ),
];
