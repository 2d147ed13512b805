//! The schema of a table, recognized by its header.

use super::row;

/// The schema of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Schema {
    /// Training runs, one per row.
    Training,
    /// Peaks of PyTorch's FSDP2 memory tracker, by category.
    Tracker,
    /// Training steps traced tensor by tensor, with the bytes of a simulated allocator.
    Traced,
    /// Traced training steps of models with state mixers.
    Hybrid,
    /// Traced training steps of models with image input; only tests compare the engine with them.
    Images,
    /// Runs on two kinds of GPUs; only tests compare them with `analysis::mixed`.
    TwoKinds,
    /// Measured collectives.
    Collectives,
    /// Measurements of a single mixture-of-experts layer, one value per row.
    Experts,
    /// Architectures by name.
    Architectures,
    /// Remarks without measurements.
    Remarks,
}

impl Schema {
    /// Returns the schema of a header; `None` if unknown.
    pub fn from_header(header: &[&str]) -> Option<Self> {
        let has = |columns: &[&str]| columns.iter().all(|column| header.contains(column));
        if has(&["sharded_param_bytes", "act_bytes", "total_bytes"]) {
            Some(Self::Tracker)
        } else if has(&["mixer", "state_kernel", "peak_allocated_bytes"]) {
            Some(Self::Hybrid)
        } else if has(&["tower_layers", "peak_allocated_bytes"]) {
            Some(Self::Images)
        } else if has(&["source_code", "peak_allocated_bytes", "simulated_reserved"]) {
            Some(Self::Traced)
        } else if has(&["link", "others", "step_time_s"]) {
            Some(Self::TwoKinds)
        } else if has(&["collective", "message_bytes", "metric", "value"]) {
            Some(Self::Collectives)
        } else if has(&["setting", "metric", "unit", "value"]) {
            Some(Self::Experts)
        } else if row::is_training(header) {
            Some(Self::Training)
        } else if has(&["model", "layers", "hidden", "params_total_computed"]) {
            Some(Self::Architectures)
        } else if has(&["item", "value", "status"]) {
            Some(Self::Remarks)
        } else {
            None
        }
    }

    /// Returns whether the rows are evaluated.
    pub fn is_scored(self) -> bool {
        matches!(self, Self::Training | Self::Tracker | Self::Traced | Self::Hybrid | Self::Collectives)
    }

    /// Describes the table, for schemas without a score.
    pub fn description(self) -> &'static str {
        match self {
            Self::Training => "training runs",
            Self::Tracker => "peaks of PyTorch's FSDP2 memory tracker",
            Self::Traced => "training steps traced tensor by tensor",
            Self::Hybrid => "training steps of models with state mixers, traced tensor by tensor",
            Self::Images => {
                "training steps of models that read images, traced tensor by tensor: the example towers scores them"
            }
            Self::TwoKinds => "runs on two kinds of GPUs, which the tests of the analyses read",
            Self::Collectives => "measured collectives",
            Self::Experts => "measurements of one layer of experts, which the tests of the engine read",
            Self::Architectures => "architectures by name, not measurements: the catalog has those in use",
            Self::Remarks => "remarks, not measurements",
        }
    }
}
