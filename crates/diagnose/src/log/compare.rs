//! Compares measurements of a run with the prediction, and corrects the scenario.

use super::Measured;
use super::reasons::{Reason, memory_changes, rank, time_changes};
use catalog::accuracy;
use engine::format;
use engine::model::anchor::Anchor;
use engine::model::choices::Choices;
use engine::model::report::{MemoryPart, Report};
use engine::model::training::MfuConvention;
use engine::params::ParamId;
use engine::scenario::Scenario;
use engine::units::{Bytes, FlopsPerSecond, Seconds};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Comparison of measured and predicted memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemoryComparison {
    /// Kind of measured bytes: `allocated` by tensors, or `reserved` by the allocator.
    pub of: Cow<'static, str>,
    /// Measured bytes at the peak.
    pub measured: f64,
    /// Predicted bytes at the peak.
    pub predicted: f64,
    /// Ratio of measured to predicted.
    pub ratio: f64,
    /// Changes that would explain the difference.
    pub reasons: Vec<Reason>,
}

/// Comparison of measured and predicted step time and memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Measured time of a step for the scenario's batch, in seconds.
    pub measured: Option<f64>,
    /// Predicted time of a step, in seconds.
    pub predicted: f64,
    /// Ratio of measured to predicted.
    pub ratio: Option<f64>,
    /// The finding, as a sentence.
    pub sentence: String,
    /// Changes that would explain the difference in time.
    pub reasons: Vec<Reason>,
    /// Remarks about different counting conventions.
    pub remarks: Vec<String>,
    /// Comparison of peak memory.
    pub memory: Option<MemoryComparison>,
    /// Link of the scenario corrected by the measurement, without `#`; `None` if nothing was
    /// measured.
    pub corrected: Option<String>,
}

/// Relative difference below which two values count as equal.
const SMALL: f64 = 0.03;

/// Compares the measurements of a run with the prediction of its scenario. Earlier corrections in
/// the scenario are ignored.
///
/// ```
/// use links::decode;
/// use diagnose::log::{compare, parse_log};
///
/// let scenario = decode("model=llama-3-8b&cluster=dgx-h100&gpus=64&seq=8192").scenario;
/// let predicted = scenario.report().update.tokens_per_s_per_gpu;
/// let line = format!("step: 10  loss: 7.6  memory: 46.91GiB(59%)  tps: {:.0}  tflops: 314.71  mfu: 39.99%", predicted / 1.2);
/// let found = compare(&parse_log(&line).unwrap(), &scenario);
/// assert!((found.ratio.unwrap() - 1.2).abs() < 1e-3);
/// // The link carries the correction: the same scenario now takes the time that was measured.
/// let corrected = decode(&found.corrected.unwrap()).scenario;
/// assert!((corrected.report().update.tokens_per_s_per_gpu / (predicted / 1.2) - 1.0).abs() < 1e-3);
/// ```
pub fn compare(measured: &Measured, scenario: &Scenario) -> Comparison {
    let plain = Scenario { anchor: Anchor::NONE, ..*scenario };
    let report = plain.report();
    let predicted = report.update.time.step.get();
    let mut remarks = Vec::new();
    let measured = &update_measurements(measured, &mut remarks);
    let seconds = step(measured, &plain, &report, &mut remarks);
    conventions(measured, &plain, &report, &mut remarks);
    add_gpu_remarks(measured, &report, &mut remarks);
    let ratio = seconds.map(|seconds| seconds / predicted);
    let memory = memory(measured, &plain, &report);
    let differs = ratio.is_some_and(|ratio| (ratio - 1.0).abs() > SMALL);
    let is_of_batch =
        [measured.tokens_per_s_per_gpu, measured.samples_per_s, measured.batch].iter().any(Option::is_some);
    if let Some(ratio) =
        ratio.filter(|ratio| measured.step_seconds.is_some() && !is_of_batch && !(0.5..2.0).contains(ratio))
    {
        remarks.insert(
            0,
            format!(
                "The log does not have the batch: {} times the scenario's batch would explain its time.",
                format::count(ratio)
            ),
        );
    }
    let reasons = seconds
        .filter(|_| differs)
        .map(|seconds| rank(&plain, seconds, time_changes(&plain), |report| report.update.time.step.get()));
    if let (Some(seconds), true) = (seconds, ratio.is_some_and(|ratio| ratio > 1.0 + SMALL)) {
        let outside = format::seconds(Seconds::new(seconds - predicted));
        remarks.push(format!(
            "Data loading, logging, evaluation and checkpoints would explain it if they took {outside} of each step."
        ));
    }
    Comparison {
        measured: seconds,
        predicted,
        ratio,
        sentence: sentence(ratio, &plain, memory.as_ref()),
        reasons: reasons.unwrap_or_default(),
        remarks,
        corrected: corrected(&plain, seconds, memory.as_ref()),
        memory,
    }
}

/// Returns the measurements of the update alone, for a step that also generates its training data,
/// which is the step of the scenario.
fn update_measurements(measured: &Measured, remarks: &mut Vec<String>) -> Measured {
    let (Some(update), Some(step)) = (measured.update_seconds, measured.step_seconds) else { return measured.clone() };
    let [part, whole] = [update, step].map(|seconds| format::seconds(Seconds::new(seconds)));
    remarks.push(format!(
        "The update takes {part} of the step's {whole}; generation and scoring take the rest. The update is compared \
         with the training step, for one epoch over the rollout."
    ));
    Measured {
        step_seconds: Some(update),
        tokens_per_s_per_gpu: measured.tokens_per_s_per_gpu.map(|rate| rate * step / update),
        ..measured.clone()
    }
}

/// Returns the measured time of a step, scaled to the scenario's batch.
fn step(measured: &Measured, scenario: &Scenario, report: &Report, remarks: &mut Vec<String>) -> Option<f64> {
    let gpus = f64::from(scenario.gpus.max(1));
    let setup = scenario.setup();
    let tokens = report.tokens_per_step;
    let sequences = f64::from(setup.batch.micro_batch_size)
        * f64::from(setup.batch.grad_accum_steps)
        * f64::from(setup.mesh.replicas());
    let of_batch = |other: f64, own: f64, what: &str, remarks: &mut Vec<String>| {
        if (other / own - 1.0).abs() > SMALL {
            let [other, own] = [other, own].map(|count| format::count(count.round()));
            remarks.push(format!(
                "The log has {other} {what} per step, the scenario {own}; the times are compared for the same number."
            ));
        }
    };
    if let Some(rate) = measured.tokens_per_s_per_gpu {
        if let Some(seconds) = measured.step_seconds {
            of_batch(rate * gpus * seconds, tokens, "tokens", remarks);
        }
        return Some(tokens / gpus / rate);
    }
    if let (Some(seconds), Some(batch)) = (measured.step_seconds, measured.batch) {
        of_batch(batch, sequences, "sequences", remarks);
        return Some(seconds * sequences / batch);
    }
    if let Some(rate) = measured.samples_per_s {
        if let Some(seconds) = measured.step_seconds {
            of_batch(rate * seconds, sequences, "sequences", remarks);
        }
        return Some(sequences / rate);
    }
    let step = report.update.time.step.get();
    let by_rate = |rate: Option<f64>, own: f64| rate.map(|rate| step * own / rate);
    measured
        .step_seconds
        .or_else(|| by_rate(measured.tflops_per_gpu, report.update.model_flops_per_gpu.tflops()))
        .or_else(|| by_rate(measured.mfu, report.update.mfu))
}

/// Share of a step above which idle time, or an error of a share, is reported.
const WORTH: f64 = 0.05;

/// Describes memory without tensors in a memory summary: total bytes and bytes in fragments.
pub fn fragmentation((unused, pieces): (f64, f64)) -> String {
    let [unused, pieces] = [unused, pieces].map(|bytes| format::bytes(Bytes::new(bytes)));
    format!(
        "At the time of the memory summary, the allocator held {unused} without a tensor, {pieces} of that in gaps \
         between tensors: fragmentation, which PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True avoids."
    )
}

/// Adds remarks from the allocator's counters and a profiler's trace.
fn add_gpu_remarks(measured: &Measured, report: &Report, remarks: &mut Vec<String>) {
    if let Some(retries) = measured.retries.filter(|retries| *retries > 0) {
        remarks.push(format!(
            "The allocator released memory {} times to serve a request, and the GPU waited each time: the run is at the limit of its memory.",
            format::count(f64::from(retries))
        ));
    }
    let is_worth = |(unused, _): &(f64, f64)| *unused > WORTH * report.memory.capacity.get();
    remarks.extend(measured.unused.filter(is_worth).map(fragmentation));
    let Some(profile) = measured.profile else { return };
    if profile.idle > WORTH {
        remarks.push(format!(
            "The GPU is idle for {} of the time: it waits for the host, for data, or for other GPUs.",
            format::percent(profile.idle)
        ));
    }
    let exposed = report.update.time.exposed_comm / report.update.time.step;
    if (profile.exposed_comm - exposed).abs() > WORTH {
        let [measured, predicted] = [profile.exposed_comm, exposed].map(format::percent);
        remarks.push(format!(
            "Collectives are exposed for {measured} of the time; the prediction is {predicted} of the step."
        ));
    }
}

/// Adds a remark about the FLOP convention of the log and the peak that MFU refers to.
fn conventions(measured: &Measured, scenario: &Scenario, report: &Report, remarks: &mut Vec<String>) {
    let (Some(rate), Some(tflops)) = (measured.tokens_per_s_per_gpu, measured.tflops_per_gpu) else { return };
    let per_token = tflops / rate;
    let options = [MfuConvention::FullAttention, MfuConvention::CausalAttention, MfuConvention::ParametersOnly];
    let of = |convention: MfuConvention| {
        let report =
            Scenario { choices: Choices { mfu_convention: convention, ..scenario.choices }, ..*scenario }.report();
        report.update.model_flops_per_gpu.tflops() / report.update.tokens_per_s_per_gpu
    };
    let near = |convention: &MfuConvention| (per_token / of(*convention) - 1.0).abs();
    let nearest = options.into_iter().min_by(|one, other| near(one).total_cmp(&near(other)));
    if let Some(nearest) = nearest {
        let label = ParamId::MfuConvention.param().choice().and_then(|choice| {
            let counted = Scenario { choices: Choices { mfu_convention: nearest, ..scenario.choices }, ..*scenario };
            choice.options.get((choice.get)(&counted))
        });
        let label = label.map_or("", |option| option.label).to_lowercase();
        if near(&nearest) > SMALL {
            let flops = format::tflops(FlopsPerSecond::from_tflops(per_token)).replace("FLOP/s", "FLOPs");
            remarks.push(format!("The log counts {flops} per token, which no convention gives for this model and length: one of them differs."));
        } else if nearest != scenario.mfu_convention {
            remarks.push(format!("The log counts FLOPs by the convention “{label}”: set it to compare MFU."));
        }
    }
    if let Some(mfu) = measured.mfu.filter(|mfu| *mfu > 0.0) {
        let (counted, own) = (tflops / mfu, report.update.model_flops_per_gpu.tflops() / report.update.mfu);
        if (counted / own - 1.0).abs() > SMALL {
            let [counted, own] = [counted, own].map(|peak| format::tflops(FlopsPerSecond::from_tflops(peak)));
            remarks.push(format!("The log's MFU uses a peak of {counted}, the scenario's uses {own}."));
        }
    }
}

/// Returns the bytes reserved by PyTorch's allocator at the peak.
fn reserved(report: &Report) -> f64 {
    let parts = report.memory.parts;
    report.memory.peak.get() - parts.get(MemoryPart::Context).get() - parts.get(MemoryPart::Engine).get()
}

fn memory(measured: &Measured, scenario: &Scenario, report: &Report) -> Option<MemoryComparison> {
    let allocated = |report: &Report| report.memory.allocated.get();
    let (of, measured, metric): (_, _, fn(&Report) -> f64) = match (measured.peak_allocated, measured.peak_reserved) {
        (Some(bytes), _) => ("allocated", bytes, allocated),
        (None, Some(bytes)) => ("reserved", bytes, reserved),
        (None, None) => return None,
    };
    let predicted = metric(report);
    let ratio = measured / predicted;
    let differs = (ratio - 1.0).abs() > SMALL;
    let reasons = if differs { rank(scenario, measured, memory_changes(scenario), metric) } else { Vec::new() };
    Some(MemoryComparison { of: Cow::Borrowed(of), measured, predicted, ratio, reasons })
}

/// Iterations of the time correction.
const ROUNDS: usize = 4;

/// Returns the link of the scenario with the measured ratios as its anchor.
fn corrected(scenario: &Scenario, seconds: Option<f64>, memory: Option<&MemoryComparison>) -> Option<String> {
    if seconds.is_none() && memory.is_none() {
        return None;
    }
    let mut changed = *scenario;
    let within = |id: ParamId, value: f64| id.number().map_or(value, |number| value.clamp(number.min, number.max));
    let rounded = engine::digits::rounded;
    if let Some(memory) = memory {
        changed.anchor.memory = rounded(within(ParamId::AnchorMemory, memory.ratio), DIGITS);
    }
    if let Some(seconds) = seconds {
        // Constant latencies do not scale with the ratio, so the remaining difference is divided
        // out iteratively.
        for _ in 0..ROUNDS {
            let ratio = changed.anchor.time * seconds / changed.report().update.time.step.get();
            changed.anchor.time = rounded(within(ParamId::AnchorTime, ratio), DIGITS);
        }
    }
    Some(links::encode(&changed))
}

/// Significant digits of a ratio.
const DIGITS: usize = 4;

fn sentence(ratio: Option<f64>, scenario: &Scenario, memory: Option<&MemoryComparison>) -> String {
    let band = accuracy::step_time(scenario);
    let time = ratio.map(|ratio| {
        let times = format::count(ratio.max(1.0 / ratio));
        let how = match ratio {
            _ if (ratio - 1.0).abs() <= SMALL => "The step takes as long as predicted".to_owned(),
            _ if ratio > band.high => format!(
                "The step takes {times} times as long as predicted, longer than nine of ten measured runs of its kind"
            ),
            _ if ratio < band.low => format!(
                "The step is {times} times as fast as predicted, faster than nine of ten measured runs of its kind"
            ),
            _ if ratio > 1.0 => {
                format!(
                    "The step takes {times} times as long as predicted, within the range of measured runs of its kind"
                )
            }
            _ => {
                format!("The step is {times} times as fast as predicted, within the range of measured runs of its kind")
            }
        };
        format!("{how}.")
    });
    let memory = memory.map(|of| {
        let [measured, predicted] = [of.measured, of.predicted].map(|bytes| format::bytes(Bytes::new(bytes)));
        format!("The {} peak is {measured}, predicted {predicted}.", of.of)
    });
    let said: Vec<String> = time.into_iter().chain(memory).collect();
    if said.is_empty() { "The log has neither a step time nor a peak of memory.".into() } else { said.join(" ") }
}
