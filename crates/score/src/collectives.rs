//! Measured bus bandwidths of collectives, with the engine's predictions.

use super::LeftOut;
use super::cells::Cells;
use engine::model::collectives::{AllToAll, Group, all_gather, all_reduce, all_to_all, reduce_scatter};
use engine::scenario::Scenario;
use engine::units::{Bytes, Seconds};
use links::decode;

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

/// Reads a row from its cells and evaluates it on the hardware of its link.
///
/// # Errors
///
/// Returns the reason for leaving out the row.
pub fn read(cells: &Cells<'_>) -> Result<Collective, LeftOut> {
    let [name, metric, link] = ["collective", "metric", "link"].map(|name| cells.get(name));
    let kind = Kind::of(name).ok_or_else(|| LeftOut::because("a collective that is not modelled").about(name))?;
    if !metric.starts_with("bus ") {
        return Err(LeftOut::because("not a bus bandwidth").about(metric));
    }
    let (size, measured) = (cells.number("message_bytes")?, cells.number("value")?);
    if link.is_empty() {
        return Err(LeftOut::missing("link"));
    }
    let decoded = decode(link);
    if let Some(issue) = decoded.issues.into_iter().next() {
        return Err(LeftOut::because("the link cannot be read").about(issue.message));
    }
    let Scenario { network, gpus, .. } = decoded.scenario;
    let network = network.values;
    let group = Group::consecutive(gpus, gpus, &network);
    let bytes = Bytes::new(size);
    let time: Seconds = match kind {
        Kind::AllGather => all_gather(&network, group, bytes),
        Kind::ReduceScatter => reduce_scatter(&network, group, bytes),
        Kind::AllReduce => all_reduce(&network, group, bytes),
        Kind::AllToAll => all_to_all(&network, group, bytes, AllToAll::Linear),
    };
    Ok(Collective {
        source: cells.get("source").to_owned(),
        name: name.to_owned(),
        ranks: gpus,
        measured_gb_per_s: measured,
        predicted_gb_per_s: kind.bus_factor(f64::from(gpus)) * size / time.get() / 1e9,
    })
}
