//! Accelerators by their data sheets: dense peaks only, never the sparse ones.

pub mod efficiency;

use super::AcceleratorEntry;
use crate::model::hardware::Accelerator;
use crate::units::{Bytes, BytesPerSecond, FlopsPerSecond};

use efficiency::{ADA, AMPERE, BLACKWELL, CDNA2, CDNA3, HOPPER, VOLTA};

/// GiB, GB/s, and dense TFLOP/s in 16 bits, in 8 bits (the 16-bit peak where there is no fp8 unit) and in fp32.
const fn sheet(
    memory: f64,
    bandwidth: f64,
    peaks: [f64; 3],
    efficiency: crate::model::hardware::Efficiency,
) -> Accelerator {
    let [peak_16bit, peak_8bit, peak_32bit] = peaks;
    Accelerator {
        memory: Bytes::from_gib(memory),
        memory_bandwidth: BytesPerSecond::from_gb_per_s(bandwidth),
        peak_16bit: FlopsPerSecond::from_tflops(peak_16bit),
        peak_8bit: FlopsPerSecond::from_tflops(peak_8bit),
        peak_4bit: FlopsPerSecond::from_tflops(peak_8bit),
        peak_32bit: FlopsPerSecond::from_tflops(peak_32bit),
        host_link: BytesPerSecond::from_gb_per_s(32.0),
        power: 400.0,
        efficiency,
    }
}

const fn entry(id: &'static str, name: &'static str, values: Accelerator, source: &'static str) -> AcceleratorEntry {
    AcceleratorEntry { id, name, values, source }
}

/// The GPU of the first visit.
pub(super) const A100_40GB: AcceleratorEntry = entry(
    "a100-40gb",
    "A100 40 GB",
    sheet(40.0, 1555.0, [312.0, 312.0, 19.5], AMPERE),
    "NVIDIA A100 data sheet, SXM4 40 GB",
);

/// Every accelerator of the catalog.
pub const ACCELERATORS: &[AcceleratorEntry] = &[
    A100_40GB,
    entry(
        "a100-80gb",
        "A100 80 GB",
        sheet(80.0, 2039.0, [312.0, 312.0, 19.5], AMPERE),
        "NVIDIA A100 data sheet, SXM4 80 GB",
    ),
    entry(
        "a100-pcie-80gb",
        "A100 80 GB PCIe",
        sheet(80.0, 1935.0, [312.0, 312.0, 19.5], AMPERE),
        "NVIDIA A100 data sheet, PCIe 80 GB",
    ),
    entry(
        "a100-64gb",
        "A100 64 GB (Leonardo)",
        sheet(64.0, 1640.0, [312.0, 312.0, 19.5], AMPERE),
        "LEONARDO's description (arXiv 2307.16885): 64 GB at 1640 GB/s. Peaks are the A100's, against which its \
         published MFU \
         (Modalities' scaling experiments) is counted, though the part has 124 multiprocessors where the A100 has 108",
    ),
    entry(
        "h100-sxm",
        "H100 SXM",
        sheet(80.0, 3350.0, [989.4, 1978.9, 66.9], HOPPER),
        "NVIDIA H100 data sheet and Hopper architecture whitepaper, SXM5 80 GB, without sparsity",
    ),
    entry(
        "h100-64gb",
        "H100 64 GB (MareNostrum 5)",
        sheet(64.0, 2020.0, [989.4, 1978.9, 66.9], HOPPER),
        "BSC's MareNostrum 5 ACC documentation: four H100 with 64 GB HBM2 a node. No data sheet is public: \
         bandwidth after \
         TechPowerUp, peaks of the H100 SXM, those that its published MFU counts (Modalities' scaling experiments)",
    ),
    entry(
        "h100-pcie",
        "H100 PCIe",
        sheet(80.0, 2039.0, [756.4, 1512.8, 51.2], HOPPER),
        "NVIDIA Hopper architecture whitepaper, PCIe 80 GB, without sparsity",
    ),
    entry(
        "h100-nvl",
        "H100 NVL",
        sheet(94.0, 3900.0, [835.0, 1671.0, 60.0], HOPPER),
        "NVIDIA H100 data sheet, NVL 94 GB, half of the sparse peaks",
    ),
    entry(
        "h200",
        "H200",
        sheet(141.0, 4800.0, [989.4, 1978.9, 66.9], HOPPER),
        "NVIDIA H200 data sheet, SXM 141 GB, half of the sparse peaks",
    ),
    entry(
        "gh200-96gb",
        "GH200 96 GB",
        sheet(96.0, 4000.0, [989.4, 1978.9, 66.9], HOPPER),
        "NVIDIA GH200 data sheet, 96 GB HBM3, half of the sparse peaks",
    ),
    entry(
        "h800",
        "H800",
        sheet(80.0, 3350.0, [989.4, 1978.9, 66.9], HOPPER),
        "NVIDIA H800 SXM data sheet: an H100 with NVLink at 400 GB/s (MegaScale-MoE, arXiv 2505.11432, Table 4)",
    ),
    entry("h20", "H20", sheet(96.0, 4000.0, [148.0, 296.0, 44.0], HOPPER), "NVIDIA H20 data sheet, 96 GB, dense peaks"),
    entry(
        "b200",
        "B200",
        sheet(180.0, 8000.0, [2250.0, 4500.0, 75.0], BLACKWELL),
        "NVIDIA HGX B200 data sheet: an eighth of the board, half of the sparse peaks",
    ),
    entry(
        "gb200",
        "GB200",
        sheet(186.0, 8000.0, [2500.0, 5000.0, 80.0], BLACKWELL),
        "NVIDIA GB200 NVL72 data sheet: a 72nd of the rack, half of the sparse peaks",
    ),
    entry(
        "mi250x",
        "MI250X (one of two dies)",
        sheet(64.0, 1638.4, [191.5, 191.5, 47.9], CDNA2),
        "AMD Instinct MI250X data sheet, halved: each die is a device of its own",
    ),
    entry(
        "mi300x",
        "MI300X",
        sheet(192.0, 5300.0, [1307.4, 2614.9, 163.4], CDNA3),
        "AMD Instinct MI300X data sheet, without sparsity",
    ),
    entry(
        "mi325x",
        "MI325X",
        sheet(256.0, 6000.0, [1307.4, 2614.9, 163.4], CDNA3),
        "AMD Instinct MI325X data sheet, without sparsity",
    ),
    entry(
        "v100-16gb",
        "V100 16 GB",
        sheet(16.0, 900.0, [125.0, 125.0, 15.7], VOLTA),
        "NVIDIA V100 data sheet, SXM2 16 GB (16-bit is fp16)",
    ),
    entry(
        "v100-32gb",
        "V100 32 GB",
        sheet(32.0, 900.0, [125.0, 125.0, 15.7], VOLTA),
        "NVIDIA V100 data sheet, SXM2 32 GB (16-bit is fp16)",
    ),
    entry(
        "rtx-3090",
        "RTX 3090",
        sheet(24.0, 936.0, [71.0, 71.0, 35.6], AMPERE),
        "NVIDIA Ampere GA102 whitepaper, fp32 accumulation, without sparsity",
    ),
    entry(
        "rtx-4090",
        "RTX 4090",
        sheet(24.0, 1008.0, [165.2, 330.3, 82.6], ADA),
        "NVIDIA Ada GPU architecture whitepaper, fp32 accumulation, without sparsity",
    ),
    entry(
        "rtx-5090",
        "RTX 5090",
        sheet(32.0, 1792.0, [209.5, 419.0, 104.8], BLACKWELL),
        "NVIDIA RTX Blackwell GPU architecture whitepaper, fp32 accumulation, without sparsity",
    ),
    entry(
        "rtx-a6000",
        "RTX A6000",
        sheet(48.0, 768.0, [154.8, 154.8, 38.7], AMPERE),
        "NVIDIA RTX A6000 data sheet and GA102 whitepaper, half of the sparse peak",
    ),
    entry(
        "rtx-6000-ada",
        "RTX 6000 Ada",
        sheet(48.0, 960.0, [364.2, 728.5, 91.1], ADA),
        "NVIDIA RTX 6000 Ada data sheet, half of the sparse peaks",
    ),
    entry("a40", "A40", sheet(48.0, 696.0, [149.7, 149.7, 37.4], AMPERE), "NVIDIA A40 data sheet, without sparsity"),
    entry(
        "a10g",
        "A10G",
        sheet(24.0, 600.0, [70.0, 70.0, 35.0], AMPERE),
        "NVIDIA A10G data sheet (AWS G5), without sparsity",
    ),
    entry("l4", "L4", sheet(24.0, 300.0, [121.0, 242.5, 30.3], ADA), "NVIDIA L4 data sheet, half of the sparse peaks"),
    entry("l40s", "L40S", sheet(48.0, 864.0, [362.05, 733.0, 91.6], ADA), "NVIDIA L40S data sheet, without sparsity"),
];
