//! The folds of controls, and the fold of each parameter: parameters that are set together share a
//! fold, and constants that are rarely set come last.

use engine::params::{Group, Param, ParamId};

/// A fold: the identifier of its element, and its heading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fold {
    /// The identifier.
    pub id: &'static str,
    /// The heading.
    pub title: &'static str,
}

const fn fold(id: &'static str, title: &'static str) -> Fold {
    Fold { id, title }
}

/// The folds, in order.
pub const FOLDS: [Fold; 7] = [
    fold("fold-model", "Model"),
    fold("fold-hardware", "Hardware"),
    fold("fold-trained", "What is trained and data"),
    fold("fold-layout", "Batch and layout"),
    fold("fold-memory", "Memory savers and kernels"),
    fold("fold-run", "Run and cost"),
    fold("fold-calibration", "Calibration"),
];

/// Indices of the folds with parameters of model, GPU and cluster, which may be custom.
pub const MAY_BE_CUSTOM: [u32; 3] = [0, 1, 1];

/// Returns the index of the fold of a parameter, and the heading within the fold; `None` for the
/// parameters of the first screen.
pub fn place_of(param: &Param) -> Option<(usize, &'static str)> {
    Some(match (param.group, param.id) {
        (Group::Main, _) => return None,
        (Group::Hardware, id) if is_calibration(id) => (6, "GPU"),
        (Group::Network, id) if is_calibration(id) => (6, "Network"),
        (Group::Accounting, _) => (6, "Accounting"),
        (Group::Architecture, _) => (0, ""),
        (
            _,
            ParamId::HostMemory
            | ParamId::HostGpus
            | ParamId::HostBandwidth
            | ParamId::NvmeBandwidth
            | ParamId::HostSpeed
            | ParamId::Loader,
        ) => (1, "Host"),
        (Group::Hardware, _) => (1, "GPU"),
        (Group::Network, _) => (1, "Cluster"),
        (_, ParamId::Images | ParamId::ImageResolution | ParamId::TrainTower | ParamId::TrainProjector) => {
            (0, "Images")
        }
        (Group::Trained, _) | (_, ParamId::MultiTokenPrediction) => (2, "What is trained"),
        (Group::Data, _) => (2, "Data"),
        (Group::Training, ParamId::MicroBatchSize | ParamId::GradAccumSteps) => (3, "Batch"),
        (Group::Sharding, _) => (3, "Sharding"),
        (Group::Parallelism, _) => (3, "Parallelism"),
        (Group::Experts, _) => (3, "Experts"),
        (Group::Kernels, _) | (_, ParamId::LayersIn16Bits | ParamId::GradientsIn16Bits) => (4, "Kernels"),
        (Group::Training, _) => (4, "Memory savers"),
        (Group::Run, _) => (5, ""),
    })
}

/// Returns the fold of a parameter.
pub fn fold_of(param: &Param) -> Option<Fold> {
    place_of(param).and_then(|(place, _)| FOLDS.get(place)).copied()
}

/// Whether a number of the hardware is fitted to measurements rather than read from a data sheet.
fn is_calibration(id: ParamId) -> bool {
    matches!(
        id,
        ParamId::InterNodeLatency
            | ParamId::InterNodeEfficiency
            | ParamId::Topology
            | ParamId::MatmulEfficiency
            | ParamId::Matmul8BitEfficiency
            | ParamId::Matmul4BitEfficiency
            | ParamId::AttentionEfficiency
            | ParamId::TunedAttentionEfficiency
            | ParamId::MemoryEfficiency
            | ParamId::HalfSaturationTokens
            | ParamId::LaunchTime
            | ParamId::IntraNodeLatency
            | ParamId::IntraNodeEfficiency
            | ParamId::AllReducePasses
            | ParamId::NodeDecay
            | ParamId::Relays
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::params::every;

    #[test]
    fn every_fold_has_rows_and_every_row_but_the_first_screen_has_a_fold() {
        let mut rows = [0; FOLDS.len()];
        for param in every() {
            match place_of(param) {
                Some((place, _)) => rows[place] += 1,
                None => assert_eq!(param.group, Group::Main, "{}", param.key),
            }
        }
        assert!(rows.iter().all(|&rows| rows > 1), "{rows:?}");
    }
}
