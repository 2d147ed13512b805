//! Written by `cargo xtask accuracy` from tests/measured (`crates/score/src/by_accelerator.rs`):
//! not to be edited.

use super::{Band, Measured};

/// Measurements of each accelerator that has rows, in alphabetical order.
#[rustfmt::skip]
pub(super) const MEASURED: &[Measured] = &[
    Measured { accelerator: "a100-40gb", runs: 131, steps: 117, step_error: Some(5.9), peaks: 11, peak_error: Some(11.8) },
    Measured { accelerator: "a100-64gb", runs: 30, steps: 29, step_error: Some(10.1), peaks: 0, peak_error: None },
    Measured { accelerator: "a100-80gb", runs: 907, steps: 572, step_error: Some(6.7), peaks: 472, peak_error: Some(5.7) },
    Measured { accelerator: "a10g", runs: 30, steps: 0, step_error: None, peaks: 30, peak_error: Some(6.7) },
    Measured { accelerator: "a800", runs: 5, steps: 5, step_error: Some(3.5), peaks: 5, peak_error: Some(16.2) },
    Measured { accelerator: "b200", runs: 57, steps: 31, step_error: Some(5.3), peaks: 16, peak_error: Some(14.6) },
    Measured { accelerator: "b300", runs: 34, steps: 9, step_error: Some(9.0), peaks: 0, peak_error: None },
    Measured { accelerator: "gaudi-2", runs: 12, steps: 12, step_error: Some(8.8), peaks: 0, peak_error: None },
    Measured { accelerator: "gaudi-3", runs: 8, steps: 4, step_error: Some(6.0), peaks: 0, peak_error: None },
    Measured { accelerator: "gb200", runs: 216, steps: 97, step_error: Some(5.8), peaks: 94, peak_error: Some(2.1) },
    Measured { accelerator: "gb300", runs: 109, steps: 89, step_error: Some(5.3), peaks: 0, peak_error: None },
    Measured { accelerator: "h100-64gb", runs: 65, steps: 60, step_error: Some(7.4), peaks: 0, peak_error: None },
    Measured { accelerator: "h100-96gb", runs: 19, steps: 6, step_error: Some(17.0), peaks: 10, peak_error: Some(2.6) },
    Measured { accelerator: "h100-sxm", runs: 1496, steps: 677, step_error: Some(5.7), peaks: 1106, peak_error: Some(4.1) },
    Measured { accelerator: "h20", runs: 2, steps: 2, step_error: Some(18.8), peaks: 2, peak_error: Some(2.5) },
    Measured { accelerator: "h200", runs: 23, steps: 23, step_error: Some(6.0), peaks: 3, peak_error: Some(8.2) },
    Measured { accelerator: "h200-nvl", runs: 1, steps: 1, step_error: Some(8.5), peaks: 0, peak_error: None },
    Measured { accelerator: "h800", runs: 14, steps: 6, step_error: Some(17.8), peaks: 3, peak_error: Some(2.7) },
    Measured { accelerator: "l40s", runs: 3, steps: 0, step_error: None, peaks: 2, peak_error: Some(17.6) },
    Measured { accelerator: "mi250", runs: 2, steps: 2, step_error: Some(35.3), peaks: 0, peak_error: None },
    Measured { accelerator: "mi300x", runs: 16, steps: 11, step_error: Some(5.1), peaks: 4, peak_error: Some(3.8) },
    Measured { accelerator: "mi325x", runs: 6, steps: 6, step_error: Some(7.5), peaks: 0, peak_error: None },
    Measured { accelerator: "mi350x", runs: 2, steps: 2, step_error: Some(7.0), peaks: 0, peak_error: None },
    Measured { accelerator: "mi355x", runs: 13, steps: 8, step_error: Some(18.3), peaks: 7, peak_error: Some(40.0) },
    Measured { accelerator: "rtx-3090", runs: 1, steps: 1, step_error: Some(27.8), peaks: 1, peak_error: Some(13.7) },
    Measured { accelerator: "rtx-4090", runs: 18, steps: 16, step_error: Some(12.9), peaks: 18, peak_error: Some(3.5) },
    Measured { accelerator: "rtx-6000-ada", runs: 2, steps: 0, step_error: None, peaks: 0, peak_error: None },
    Measured { accelerator: "rtx-a5000", runs: 2, steps: 2, step_error: Some(12.9), peaks: 0, peak_error: None },
    Measured { accelerator: "rtx-a6000", runs: 2, steps: 2, step_error: Some(46.0), peaks: 1, peak_error: Some(1.6) },
    Measured { accelerator: "rtx-pro-6000", runs: 3, steps: 0, step_error: None, peaks: 3, peak_error: Some(13.7) },
    Measured { accelerator: "tpu-7x", runs: 16, steps: 12, step_error: Some(1.9), peaks: 0, peak_error: None },
    Measured { accelerator: "tpu-v5e", runs: 15, steps: 15, step_error: Some(3.8), peaks: 0, peak_error: None },
    Measured { accelerator: "tpu-v5p", runs: 13, steps: 13, step_error: Some(4.7), peaks: 0, peak_error: None },
    Measured { accelerator: "tpu-v6e", runs: 21, steps: 20, step_error: Some(2.8), peaks: 0, peak_error: None },
    Measured { accelerator: "trainium-1", runs: 27, steps: 27, step_error: Some(6.6), peaks: 0, peak_error: None },
    Measured { accelerator: "v100-16gb", runs: 29, steps: 11, step_error: Some(2.3), peaks: 17, peak_error: Some(6.4) },
    Measured { accelerator: "v100-32gb", runs: 49, steps: 42, step_error: Some(33.6), peaks: 13, peak_error: Some(17.8) },
];

/// Range of the step time on silicon without a fit: 10th and 90th percentile of measured over
/// predicted time, of fitted silicon with the fractions of the peaks that were fitted
/// to each other one, of silicon without a fit as the catalog predicts it.
pub(super) const BORROWED: Band = Band { low: 0.71, high: 1.39 };

/// Range of the peak memory with each measured generation weighing the same.
pub(super) const ELSEWHERE: Band = Band { low: 0.88, high: 1.53 };
