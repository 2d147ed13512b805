//! Memory against PyTorch's FSDP2 memory tracker (`tests/measured/fsdp2_memory.csv`): Hugging
//! Face's Llama with bf16 parameters and fp32 reduction, forward and backward without the optimizer
//! step, fake tensors, one row per run.

use crate::rows;
use engine::stats;
use score::tracker::{self, Tracked};

const ROWS: &str = include_str!("../../../../tests/measured/fsdp2_memory.csv");

// The goals are 2 % and 5 %.
const MEDIAN: f64 = 0.02;
const WORST: f64 = 0.05;
/// Maximum error of a category over the total. If memory is about equal at two moments, the tracker
/// and the engine may find the peak at different ones.
const CATEGORY: f64 = 0.06;

fn runs() -> Vec<Tracked> {
    rows(ROWS, tracker::read_tracked_run).into_iter().map(Result::unwrap).collect()
}

#[test]
fn peaks_agree_with_pytorchs_tracker() {
    let errors: Vec<f64> = runs().iter().map(|run| run.error().unwrap().abs()).collect();
    assert_eq!(errors.len(), 24);
    let worst = errors.iter().copied().fold(0.0, f64::max);
    assert!(stats::median(&errors).unwrap() < MEDIAN, "{errors:?}");
    assert!(worst < WORST, "{errors:?}");
}

#[test]
fn each_category_is_explained() {
    for run in runs() {
        let predicted = run.predicted();
        for ((name, measured), (_, predicted)) in run.measured.iter().zip(predicted.iter()) {
            let error = (predicted - measured).abs() / run.measured.total;
            assert!(error < CATEGORY, "{name}: {predicted} for {measured} in {:?}", run.scenario);
        }
    }
}

#[test]
fn shapes_have_the_tracked_parameters() {
    let params = rows(ROWS, |cells| cells.number("params"));
    for (params, run) in params.into_iter().zip(runs()) {
        assert_eq!(run.scenario.model.architecture().params() as f64, params.unwrap());
    }
}
