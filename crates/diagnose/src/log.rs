//! Reads measurements of training runs and compares them with the prediction.
//!
//! Lines of training logs ([`parse_log`]) give the time of a step, tokens per second, MFU and peak
//! memory: medians after a warm-up. [`compare()`] returns the differences from the prediction of a
//! scenario, single changes that would explain the differences, and the corrected scenario. Tables
//! of nccl-tests give the rates and latencies of the links ([`links`]).

mod compare;
pub mod links;
mod patterns;
mod reasons;
mod samples;
mod summary;
mod trace;

pub use compare::fragmentation;
pub use compare::{Comparison, MemoryComparison, compare};
use engine::stats::median;
use patterns::Field;
pub use reasons::Reason;
use samples::Samples;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
pub use trace::Profile;

/// Maximum length of the text, in bytes.
pub const MOST_BYTES: usize = 256 << 20;

/// Measurements from a log. Values that are missing from the log are `None`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Program that wrote the log.
    pub writer: Cow<'static, str>,
    /// Steps after the warm-up.
    pub steps: usize,
    /// Median time of a step, in seconds.
    pub step_seconds: Option<f64>,
    /// Median tokens per second and GPU.
    pub tokens_per_s_per_gpu: Option<f64>,
    /// Median sequences per second of the whole run.
    pub samples_per_s: Option<f64>,
    /// Median MFU as a fraction of the peak, in the log's own convention.
    pub mfu: Option<f64>,
    /// Median time of the update, in seconds, in a step that also generates its training data.
    pub update_seconds: Option<f64>,
    /// Median TFLOP/s per GPU, in the log's own convention.
    pub tflops_per_gpu: Option<f64>,
    /// Sequences per step.
    pub batch: Option<f64>,
    /// Peak bytes allocated to tensors.
    pub peak_allocated: Option<f64>,
    /// Peak bytes reserved by the allocator.
    pub peak_reserved: Option<f64>,
    /// Spread of step times: interquartile range over median.
    pub spread: Option<f64>,
    /// Number of times the allocator freed cached memory to serve a request, which stalls the GPU.
    pub retries: Option<u32>,
    /// Bytes reserved without a tensor, and the part of these bytes in fragments between tensors,
    /// when a memory summary was printed.
    pub unused: Option<(f64, f64)>,
    /// Shares of GPU time in a profiler's trace.
    pub profile: Option<Profile>,
}

impl Measured {
    /// Returns a value with the writer alone and no measurements.
    pub const fn none(writer: &'static str) -> Self {
        Self {
            writer: Cow::Borrowed(writer),
            steps: 0,
            step_seconds: None,
            tokens_per_s_per_gpu: None,
            samples_per_s: None,
            mfu: None,
            update_seconds: None,
            tflops_per_gpu: None,
            batch: None,
            peak_allocated: None,
            peak_reserved: None,
            spread: None,
            retries: None,
            unused: None,
            profile: None,
        }
    }
}

/// Inverse share of the first steps that are warm-up (a fifth), and the maximum number of warm-up
/// steps: kernels are tuned, memory is reserved, data is fetched.
const WARM_UP: usize = 5;
const MOST_WARM_UP: usize = 10;
/// Ratio to the median of the later half above which a first step counts as warm-up.
const TUNING: f64 = 2.0;

/// Returns the values after the warm-up.
fn warm(figures: &[f64]) -> &[f64] {
    let first = if figures.len() < 2 { 0 } else { figures.len().div_ceil(WARM_UP).min(MOST_WARM_UP) };
    let later = figures.get(figures.len() / 2..).and_then(median).unwrap_or(1.0);
    let tunes = |figure: &f64| (figure / later).max(later / figure) > TUNING;
    let tuning = figures.iter().take(MOST_WARM_UP * WARM_UP).take_while(|figure| tunes(figure)).count();
    let kept = figures.get(first.max(tuning)..).filter(|kept| !kept.is_empty());
    kept.unwrap_or(figures)
}

/// Reads a log.
///
/// ```
/// let log = "\
/// completed step: 8, seconds: 5.701, TFLOP/s/device: 134.119, Tokens/s/device: 8621.026, total_weights: 196608, loss: 10.389
/// completed step: 9, seconds: 5.667, TFLOP/s/device: 134.924, Tokens/s/device: 8672.758, total_weights: 196608, loss: 10.374";
/// let measured = diagnose::log::parse_log(log).unwrap();
/// assert_eq!((measured.writer.as_ref(), measured.step_seconds), ("MaxText", Some(5.667)));
/// ```
///
/// # Errors
///
/// Returns a sentence if the text is empty, too long, or has no line of a step.
pub fn parse_log(text: &str) -> Result<Measured, String> {
    if text.trim().is_empty() {
        return Err("The input is empty: paste lines of a training log, or drop the file.".into());
    }
    if text.len() > MOST_BYTES {
        return Err("This log is longer than 256 MiB: drop only a part of it.".into());
    }
    if let Some(measured) = summary::parse_memory_summary(text) {
        return Ok(measured);
    }
    if trace::is_trace(text) {
        return trace::parse_trace(text);
    }
    let Some((writer, samples)) = samples::parse_samples(text) else {
        if let Some(said) = untimed(text) {
            return Err(said.to_owned());
        }
        return Err(format!(
            "No line of this text has a step time, tokens per second or memory in the format of {}, and the text is \
             neither a memory summary nor a trace of PyTorch.",
            writers()
        ));
    };
    Ok(measured(writer.name(), &samples))
}

/// Returns unallocated and fragmented bytes from a memory summary in a text.
pub fn unused(text: &str) -> Option<(f64, f64)> {
    summary::parse_memory_summary(text)?.unused
}

/// Returns a hint for logs whose lines have a step but no step time.
pub fn untimed(text: &str) -> Option<&'static str> {
    let has = |marks: &[&str]| text.lines().any(|line| marks.iter().all(|mark| line.contains(mark)));
    if has(&["step: ", "loss: ", "trace time: "]) {
        return Some(
            "These lines are from torchprime: they have the host's time to trace a step, not the step time. Paste the \
             summary that it prints at the end (step_execution_time), or its train_metrics.json.",
        );
    }
    has(&["loss", "learning_rate", "epoch"]).then_some(
        "These lines are from the Hugging Face Trainer: they have the loss of a step, not its time. Paste its last \
         line (train_runtime, train_steps_per_second), the progress bar, or train_results.json.",
    )
}

/// Returns the programs whose logs are supported, as a list in a sentence.
pub fn writers() -> String {
    let names: Vec<&str> = samples::WRITERS_IN_ORDER.iter().skip(1).rev().map(|writer| writer.name()).collect();
    engine::format::listed(&names)
}

fn measured(writer: &'static str, samples: &Samples) -> Measured {
    let middle = |field| median(warm(samples.get(field)));
    let most = |field: Field| samples.get(field).iter().copied().reduce(f64::max);
    let seconds = samples.get(Field::Seconds);
    let of_steps = middle(Field::Steps).map(|steps| 1.0 / steps);
    let pace = [Field::Seconds, Field::Tokens, Field::Samples, Field::Steps, Field::Tflops, Field::Mfu];
    let timed = pace.into_iter().map(|field| warm(samples.get(field))).find(|figures| !figures.is_empty());
    Measured {
        steps: timed.map_or(0, <[f64]>::len),
        step_seconds: if seconds.is_empty() { of_steps } else { middle(Field::Seconds) },
        tokens_per_s_per_gpu: middle(Field::Tokens),
        samples_per_s: middle(Field::Samples),
        mfu: middle(Field::Mfu),
        update_seconds: middle(Field::Update),
        tflops_per_gpu: middle(Field::Tflops),
        batch: middle(Field::Batch),
        peak_allocated: most(Field::Allocated),
        peak_reserved: most(Field::Reserved),
        spread: timed.and_then(spread),
        ..Measured::none(writer)
    }
}

/// Returns the interquartile range over the median.
fn spread(figures: &[f64]) -> Option<f64> {
    let mut sorted = figures.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = |share: f64| sorted.get(((sorted.len() - 1) as f64 * share).round() as usize).copied();
    (sorted.len() > 3).then(|| Some((at(0.75)? - at(0.25)?) / at(0.5)?))?
}
