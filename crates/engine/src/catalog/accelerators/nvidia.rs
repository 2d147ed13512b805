//! NVIDIA's data-centre GPUs on SXM and superchip modules, and the PCIe cards of the same silicon.

use super::efficiency::{AMPERE, AMPERE_124, BLACKWELL, BLACKWELL_ULTRA, HOPPER, VOLTA, hopper};
use super::usable::{self, as_of};
use super::{A100_40GB, PCIE_3, PCIE_4, PCIE_5, entry, sheet};
use crate::catalog::AcceleratorEntry;

/// NVLink-C2C between Grace and Hopper, GB/s a direction.
const C2C: f64 = 450.0;
/// The same link, shared by the two GPUs of a Grace Blackwell superchip.
const C2C_OF_TWO: f64 = 225.0;

pub(super) const A100: [f64; 4] = [312.0, 312.0, 312.0, 19.5];
const V100: [f64; 4] = [125.0, 125.0, 125.0, 15.7];
const H100: [f64; 4] = [989.4, 1978.9, 1978.9, 66.9];
const H100_NVL: [f64; 4] = [835.5, 1670.5, 1670.5, 60.0];

/// The list.
pub const LIST: &[AcceleratorEntry] = &[
    A100_40GB,
    entry(
        "a100-80gb",
        "A100 80 GB",
        sheet(usable::A100_80, 2039.0, A100, PCIE_4, 400.0, AMPERE),
        "NVIDIA A100 data sheet, SXM4",
    ),
    entry(
        "a100-pcie-40gb",
        "A100 40 GB PCIe",
        sheet(usable::A100_40, 1555.0, A100, PCIE_4, 250.0, AMPERE),
        "NVIDIA A100 data sheet, PCIe",
    ),
    entry(
        "a100-pcie-80gb",
        "A100 80 GB PCIe",
        sheet(usable::A100_80, 1935.0, A100, PCIE_4, 300.0, AMPERE),
        "NVIDIA A100 data sheet, PCIe",
    ),
    // Its 124 multiprocessors, where the A100 has 108, are in the shares of the peaks.
    entry(
        "a100-64gb",
        "A100 64 GB (Leonardo)",
        sheet(as_of(usable::A100_80, 64.0), 1640.0, A100, PCIE_4, 440.0, AMPERE_124),
        "LEONARDO (arXiv 2307.16885); peaks of the A100, as its published MFU counts; power not verified",
    ),
    entry(
        "a800",
        "A800",
        sheet(usable::A100_80, 2039.0, A100, PCIE_4, 400.0, AMPERE),
        "NVIDIA A800 data sheet: A100 80 GB with NVLink at 400 GB/s",
    ),
    entry(
        "h100-sxm",
        "H100 SXM",
        sheet(usable::H100, 3350.0, H100, PCIE_5, 700.0, HOPPER),
        "NVIDIA H100 data sheet and Hopper whitepaper, SXM5",
    ),
    entry(
        "h100-64gb",
        "H100 64 GB (MareNostrum 5)",
        sheet(as_of(usable::H100, 64.0), 2020.0, H100, PCIE_5, 700.0, HOPPER),
        "BSC's MareNostrum 5 documentation; peaks of the H100 SXM, as its published MFU counts; bandwidth \
         (TechPowerUp) and power not verified",
    ),
    entry(
        "h100-96gb",
        "H100 96 GB, 500 W (Grand Teton)",
        sheet(usable::H100_96, 2400.0, H100, PCIE_5, 500.0, hopper(H100[0], 500.0)),
        "torchtitan benchmarks/llama3_h100_202412; its true peak lies between SXM and NVL",
    ),
    entry(
        "h100-pcie",
        "H100 PCIe",
        sheet(usable::H100, 2039.0, [756.4, 1512.8, 1512.8, 51.2], PCIE_5, 350.0, hopper(756.4, 350.0)),
        "NVIDIA Hopper whitepaper and PB-11133, PCIe",
    ),
    entry(
        "h100-nvl",
        "H100 NVL",
        sheet(usable::H100_NVL, 3900.0, H100_NVL, PCIE_5, 400.0, hopper(H100_NVL[0], 400.0)),
        "NVIDIA H100 data sheet, NVL, half of the sparse peaks",
    ),
    entry(
        "h200",
        "H200",
        sheet(usable::H200, 4800.0, H100, PCIE_5, 700.0, HOPPER),
        "NVIDIA H200 data sheet, SXM, half of the sparse peaks",
    ),
    entry(
        "h200-nvl",
        "H200 NVL",
        sheet(usable::H200, 4800.0, H100_NVL, PCIE_5, 600.0, hopper(H100_NVL[0], 600.0)),
        "NVIDIA H200 data sheet, NVL, half of the sparse peaks",
    ),
    entry(
        "gh200-96gb",
        "GH200 96 GB",
        sheet(as_of(usable::H20, 96.0), 4000.0, H100, C2C, 680.0, HOPPER),
        "NVIDIA GH200 data sheet; power of the superchip in JUPITER (JSC configuration)",
    ),
    entry(
        "h800",
        "H800",
        sheet(usable::H100, 3350.0, H100, PCIE_5, 700.0, HOPPER),
        "MegaScale-MoE (arXiv 2505.11432, Table 4): H100 with NVLink at 400 GB/s",
    ),
    entry(
        "h20",
        "H20",
        sheet(usable::H20, 4000.0, [148.0, 296.0, 296.0, 44.0], PCIE_5, 400.0, hopper(148.0, 400.0)),
        "NVIDIA H20 data sheet, 96 GB",
    ),
    entry(
        "b200",
        "B200",
        sheet(usable::B200, 7700.0, [2250.0, 4500.0, 9000.0, 75.0], PCIE_5, 1000.0, BLACKWELL),
        "NVIDIA Blackwell data sheet, HGX B200, half of the sparse peaks",
    ),
    entry(
        "gb200",
        "GB200",
        sheet(as_of(usable::B200, 186.0), 8000.0, [2500.0, 5000.0, 10_000.0, 80.0], C2C_OF_TWO, 1200.0, BLACKWELL),
        "NVIDIA GB200 NVL72 data sheet: a 72nd, half of the sparse peaks",
    ),
    entry(
        "b300",
        "B300",
        sheet(as_of(usable::B200, 270.0), 7700.0, [2250.0, 4500.0, 13_500.0, 75.0], PCIE_5, 1100.0, BLACKWELL_ULTRA),
        "NVIDIA DGX B300 and Blackwell Ultra data sheets: an eighth, dense",
    ),
    entry(
        "gb300",
        "GB300",
        sheet(
            as_of(usable::B200, 279.0),
            8000.0,
            [2500.0, 5000.0, 15_000.0, 80.0],
            C2C_OF_TWO,
            1400.0,
            BLACKWELL_ULTRA,
        ),
        "NVIDIA GB300 NVL72 data sheet: a 72nd, dense",
    ),
    entry(
        "v100-16gb",
        "V100 16 GB",
        sheet(usable::V100_16, 900.0, V100, PCIE_3, 300.0, VOLTA),
        "NVIDIA V100 data sheet, SXM2 (16-bit is fp16)",
    ),
    entry(
        "v100-32gb",
        "V100 32 GB",
        sheet(usable::V100_32, 900.0, V100, PCIE_3, 300.0, VOLTA),
        "NVIDIA V100 data sheet, SXM2 (16-bit is fp16)",
    ),
    entry(
        "v100-sxm3",
        "V100 32 GB SXM3 (DGX-2)",
        sheet(usable::V100_32, 900.0, V100, PCIE_3, 350.0, VOLTA),
        "NVIDIA DGX-2 data sheet: a sixteenth (16-bit is fp16); power not verified",
    ),
];
