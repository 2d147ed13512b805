//! Maps the GPUs and networks that sources name to catalog entries.

pub mod gpu;
pub mod network;
pub mod rate;

use super::row::Row;
use super::stack::Stack;
use super::{LeftOut, Notes};
use engine::model::hardware::{Accelerator, Network};
use engine::scenario::Picked;

/// The hardware of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hardware {
    /// The GPU.
    pub accelerator: Picked<Accelerator>,
    /// The network.
    pub network: Picked<Network>,
    /// Number of GPUs.
    pub gpus: u32,
}

/// Returns the hardware of a row.
///
/// # Errors
///
/// The name of the missing column.
pub fn hardware(row: &Row, stack: Stack, notes: &mut Notes) -> Result<Hardware, LeftOut> {
    let entry = gpu::find(row)?;
    let by_nodes = || row.num_nodes?.checked_mul(row.gpus_per_node?);
    let by_degrees = || row.dp?.checked_mul(row.tp?)?.checked_mul(row.pp?)?.checked_mul(row.cp.unwrap_or(1));
    let gpus = row.num_gpus.or_else(by_nodes).or_else(by_degrees).ok_or_else(|| LeftOut::missing("num_gpus"))?;
    let accelerator = gpu::edited(entry, row, notes);
    let network = network::network(row, stack, entry, gpus, notes)?;
    Ok(Hardware { accelerator, network, gpus })
}
