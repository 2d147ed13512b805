//! Accelerators, from their data sheets: dense peaks only, never sparse ones.

pub mod efficiency;
pub mod nvidia;
pub mod others;
pub mod prices;
pub mod tpu;
pub mod trainium;
pub mod usable;
pub mod workstation;

use super::AcceleratorEntry;
use super::lists::{count, joined};
use crate::model::hardware::Accelerator;
use crate::units::{Bytes, BytesPerSecond, FlopsPerSecond};
use efficiency::Silicon;

/// Host links in GB/s a direction: 16 lanes of PCIe 3, 4 and 5 after their encoding.
const PCIE_3: f64 = 15.75;
const PCIE_4: f64 = 31.5;
const PCIE_5: f64 = 63.0;

/// Creates an accelerator from GiB (in all, and usable), GB/s, dense TFLOP/s in 16, 8 and 4 bits (that of the next wider
/// format if the unit is missing) and in fp32, the host link in GB/s per direction, and watts.
const fn sheet(
    [memory, usable]: usable::Memory,
    bandwidth: f64,
    peaks: [f64; 4],
    host_link: f64,
    power: f64,
    silicon: Silicon,
) -> Accelerator {
    let [peak_16bit, peak_8bit, peak_4bit, peak_32bit] = peaks;
    Accelerator {
        generation: silicon.generation,
        memory: Bytes::from_gib(memory),
        usable_percent: usable / memory * 100.0,
        memory_bandwidth: BytesPerSecond::from_gb_per_s(bandwidth),
        peak_16bit: FlopsPerSecond::from_tflops(peak_16bit),
        peak_8bit: FlopsPerSecond::from_tflops(peak_8bit),
        peak_4bit: FlopsPerSecond::from_tflops(peak_4bit),
        peak_32bit: FlopsPerSecond::from_tflops(peak_32bit),
        host_link: BytesPerSecond::from_gb_per_s(host_link),
        power,
        efficiency: silicon.efficiency,
    }
}

const fn entry(id: &'static str, name: &'static str, values: Accelerator, source: &'static str) -> AcceleratorEntry {
    AcceleratorEntry { id, name, values, source }
}

/// The GPU of the first visit.
pub(crate) const A100_40GB: AcceleratorEntry = entry(
    "a100-40gb",
    "A100 40 GB",
    sheet(usable::A100_40, 1555.0, nvidia::A100, PCIE_4, 400.0, efficiency::AMPERE),
    "NVIDIA A100 data sheet, SXM4",
);

/// The lists, in display order.
const LISTS: [&[AcceleratorEntry]; 5] = [nvidia::LIST, others::LIST, tpu::LIST, trainium::LIST, workstation::LIST];

/// Every accelerator of the catalog.
pub const ACCELERATORS: &[AcceleratorEntry] = &ALL;

static ALL: [AcceleratorEntry; count(&LISTS)] = joined(&LISTS, A100_40GB);
