//! Measured bus bandwidths of collectives, with the engine's predictions.

use super::row::Row;
use super::text;
use super::{LeftOut, Notes, typed};
use engine::model::collectives::{AllToAll, Group, all_gather, all_reduce, all_to_all, reduce_scatter};
use engine::units::{Bytes, Seconds};

/// A measured collective.
#[derive(Clone, Debug, PartialEq)]
pub struct Collective {
    /// Publisher of the measurement.
    pub source: String,
    /// Name of the collective in the source.
    pub name: String,
    /// Number of ranks.
    pub ranks: u32,
    /// Measured bus bandwidth in GB/s.
    pub measured_gb_per_s: f64,
    /// Predicted bus bandwidth in GB/s.
    pub predicted_gb_per_s: f64,
}

impl Collective {
    /// Returns the relative error: predicted over measured, less one.
    pub fn error(&self) -> f64 {
        self.predicted_gb_per_s / self.measured_gb_per_s - 1.0
    }
}

/// Collectives that the engine models.
#[derive(Clone, Copy)]
enum Kind {
    AllGather,
    ReduceScatter,
    AllReduce,
    AllToAll,
}

impl Kind {
    fn of(name: &str) -> Option<Self> {
        let plain: String = name.to_ascii_lowercase().chars().filter(char::is_ascii_alphabetic).collect();
        match plain.as_str() {
            "allgather" => Some(Self::AllGather),
            "reducescatter" => Some(Self::ReduceScatter),
            "allreduce" => Some(Self::AllReduce),
            "alltoall" => Some(Self::AllToAll),
            _ => None,
        }
    }

    /// Returns bus bytes per byte of the buffer, as counted by nccl-tests.
    fn bus_factor(self, ranks: f64) -> f64 {
        match self {
            Self::AllGather | Self::ReduceScatter | Self::AllToAll => (ranks - 1.0) / ranks,
            Self::AllReduce => 2.0 * (ranks - 1.0) / ranks,
        }
    }
}

/// Reads a row from its named columns and evaluates it.
///
/// # Errors
///
/// Returns the reason for leaving out the row.
pub fn read<'a>(column: impl Fn(&str) -> Option<&'a str>) -> Result<Collective, LeftOut> {
    let raw = |name: &str| column(name).map(text::cell).unwrap_or_default();
    let kind = Kind::of(raw("collective"))
        .ok_or_else(|| LeftOut::because("a collective that is not modelled").about(raw("collective")))?;
    if !text::has(raw("metric"), &["bus"]) {
        return Err(LeftOut::because("not a bus bandwidth").about(raw("metric")));
    }
    let size = text::amount(raw("message_bytes")).ok_or_else(|| LeftOut::missing("message_bytes"))?;
    let measured = text::number(raw("value")).ok_or_else(|| LeftOut::missing("value"))?;
    let row = Row {
        gpu: raw("gpu").to_owned(),
        gpus_per_node: text::count(raw("gpus_per_node")),
        num_gpus: text::count(raw("num_gpus")),
        num_nodes: text::count(raw("nodes")),
        // The playbook names the cluster after its owner instead of its cloud.
        inter_node_bw: raw("inter_node").replace("HF cluster", "AWS"),
        source: raw("source").to_owned(),
        ..Row::default()
    };
    let hardware = typed::hardware(&row, &mut Notes::default())?;
    let network = hardware.network.values;
    let group = Group::consecutive(hardware.gpus, hardware.gpus, &network);
    let bytes = Bytes::new(size);
    let time: Seconds = match kind {
        Kind::AllGather => all_gather(&network, group, bytes),
        Kind::ReduceScatter => reduce_scatter(&network, group, bytes),
        Kind::AllReduce => all_reduce(&network, group, bytes),
        Kind::AllToAll => all_to_all(&network, group, bytes, AllToAll::Linear),
    };
    Ok(Collective {
        source: raw("source").to_owned(),
        name: raw("collective").to_owned(),
        ranks: hardware.gpus,
        measured_gb_per_s: measured,
        predicted_gb_per_s: kind.bus_factor(f64::from(hardware.gpus)) * size / time.get() / 1e9,
    })
}
