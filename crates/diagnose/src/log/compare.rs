//! What a run measured against what is predicted for it, and the scenario that is corrected by it.

use super::Measured;
use super::reasons::{Reason, of_memory, of_time, rank};
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

/// Measured against predicted memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemoryComparison {
    /// Which bytes were measured: `allocated` by tensors, or `reserved` by the allocator.
    pub of: Cow<'static, str>,
    /// Bytes at the peak, measured.
    pub measured: f64,
    /// The same as predicted.
    pub predicted: f64,
    /// Measured over predicted.
    pub ratio: f64,
    /// Changes that would explain the difference.
    pub reasons: Vec<Reason>,
}

/// Measured against predicted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Time of a step, measured, in seconds, for the scenario's batch.
    pub measured: Option<f64>,
    /// The same as predicted.
    pub predicted: f64,
    /// Measured over predicted.
    pub ratio: Option<f64>,
    /// The finding in a sentence.
    pub sentence: String,
    /// Changes that would explain the difference of times.
    pub reasons: Vec<Reason>,
    /// Sentences about what the two count differently.
    pub remarks: Vec<String>,
    /// The peak of memory.
    pub memory: Option<MemoryComparison>,
    /// The link of the scenario corrected by the measurement, without `#`; `None` where nothing was
    /// measured.
    pub corrected: Option<String>,
}

/// Differences below this are no differences.
const SMALL: f64 = 0.03;

/// Holds what a run measured against the prediction of its scenario, without an earlier correction.
///
/// ```
/// use links::decode;
/// use diagnose::log::{compare, read};
///
/// let scenario = decode("model=llama-3-8b&cluster=dgx-h100&gpus=64&seq=8192").scenario;
/// let predicted = scenario.report().tokens_per_s_per_gpu;
/// let line = format!("step: 10  loss: 7.6  memory: 46.91GiB(59%)  tps: {:.0}  tflops: 314.71  mfu: 39.99%", predicted / 1.2);
/// let found = compare(&read(&line).unwrap(), &scenario);
/// assert!((found.ratio.unwrap() - 1.2).abs() < 1e-3);
/// // The link carries the correction: the same scenario now takes the time that was measured.
/// let corrected = decode(&found.corrected.unwrap()).scenario;
/// assert!((corrected.report().tokens_per_s_per_gpu / (predicted / 1.2) - 1.0).abs() < 1e-3);
/// ```
pub fn compare(measured: &Measured, scenario: &Scenario) -> Comparison {
    let plain = Scenario { anchor: Anchor::NONE, ..*scenario };
    let report = plain.report();
    let predicted = report.time.step.get();
    let mut remarks = Vec::new();
    let measured = &of_update(measured, &mut remarks);
    let seconds = step(measured, &plain, &report, &mut remarks);
    conventions(measured, &plain, &report, &mut remarks);
    of_gpu(measured, &report, &mut remarks);
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
                "The log does not say how many sequences a step has: {} times the scenario's batch would explain its time.",
                format::count(ratio)
            ),
        );
    }
    let reasons = seconds
        .filter(|_| differs)
        .map(|seconds| rank(&plain, seconds, of_time(&plain), |report| report.time.step.get()));
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

/// Of a step that generates what it trains on, the update: what the scenario's step is.
fn of_update(measured: &Measured, remarks: &mut Vec<String>) -> Measured {
    let (Some(update), Some(step)) = (measured.update_seconds, measured.step_seconds) else { return measured.clone() };
    let [told, whole] = [update, step].map(|seconds| format::seconds(Seconds::new(seconds)));
    remarks.push(format!(
        "Of the {whole} of a step {told} are the update; generation and scoring are the rest. The update is held against the \
         training step, for one epoch over what was generated."
    ));
    Measured {
        step_seconds: Some(update),
        tokens_per_s_per_gpu: measured.tokens_per_s_per_gpu.map(|rate| rate * step / update),
        ..measured.clone()
    }
}

/// The measured time of a step of the scenario's batch.
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
                "The run's step has {other} {what}, the scenario's {own}: times are compared for as many {what}."
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
    let step = report.time.step.get();
    let by_rate = |rate: Option<f64>, own: f64| rate.map(|rate| step * own / rate);
    measured
        .step_seconds
        .or_else(|| by_rate(measured.tflops_per_gpu, report.model_flops_per_gpu.tflops()))
        .or_else(|| by_rate(measured.mfu, report.mfu))
}

/// Share of a step from which on waiting, or an error of a share, is worth a sentence.
const WORTH: f64 = 0.05;

/// What a memory summary says of memory without tensors: how much, and how much of it in pieces.
pub fn fragmentation((unused, pieces): (f64, f64)) -> String {
    let [unused, pieces] = [unused, pieces].map(|bytes| format::bytes(Bytes::new(bytes)));
    format!(
        "When the memory summary was printed, the allocator held {unused} without a tensor, {pieces} of them in pieces between \
         tensors: fragmentation, which PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True avoids."
    )
}

/// What the allocator and a profiler's trace say of the GPU.
fn of_gpu(measured: &Measured, report: &Report, remarks: &mut Vec<String>) {
    if let Some(retries) = measured.retries.filter(|retries| *retries > 0) {
        remarks.push(format!(
            "The allocator gave memory back {} times to serve a request, and the GPU waited each time: the run is at the edge of its memory.",
            format::count(f64::from(retries))
        ));
    }
    let is_worth = |(unused, _): &(f64, f64)| *unused > WORTH * report.memory.capacity.get();
    remarks.extend(measured.unused.filter(is_worth).map(fragmentation));
    let Some(profile) = measured.profile else { return };
    if profile.idle > WORTH {
        remarks.push(format!(
            "The GPU runs nothing for {} of the time: it waits for the host, for data, or for other GPUs.",
            format::percent(profile.idle)
        ));
    }
    let exposed = report.time.exposed_comm / report.time.step;
    if (profile.exposed_comm - exposed).abs() > WORTH {
        let [measured, predicted] = [profile.exposed_comm, exposed].map(format::percent);
        remarks.push(format!("Collectives run alone for {measured} of the time, predicted {predicted} of the step."));
    }
}

/// How the FLOPs of the log are counted, and against which peak.
fn conventions(measured: &Measured, scenario: &Scenario, report: &Report, remarks: &mut Vec<String>) {
    let (Some(rate), Some(tflops)) = (measured.tokens_per_s_per_gpu, measured.tflops_per_gpu) else { return };
    let per_token = tflops / rate;
    let options = [MfuConvention::FullAttention, MfuConvention::CausalAttention, MfuConvention::ParametersOnly];
    let of = |convention: MfuConvention| {
        let report =
            Scenario { choices: Choices { mfu_convention: convention, ..scenario.choices }, ..*scenario }.report();
        report.model_flops_per_gpu.tflops() / report.tokens_per_s_per_gpu
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
            remarks.push(format!("The log counts {flops} a token, which no convention gives for this model and length: another model, or another length."));
        } else if nearest != scenario.mfu_convention {
            remarks.push(format!("The log counts FLOPs by the convention “{label}”: set it to compare MFU."));
        }
    }
    if let Some(mfu) = measured.mfu.filter(|mfu| *mfu > 0.0) {
        let (counted, own) = (tflops / mfu, report.model_flops_per_gpu.tflops() / report.mfu);
        if (counted / own - 1.0).abs() > SMALL {
            let [counted, own] = [counted, own].map(|peak| format::tflops(FlopsPerSecond::from_tflops(peak)));
            remarks.push(format!("The log's MFU is of a peak of {counted}, the scenario's of {own}."));
        }
    }
}

/// What PyTorch's allocator holds at the peak, of which tensors are a part.
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
    let reasons = if differs { rank(scenario, measured, of_memory(scenario), metric) } else { Vec::new() };
    Some(MemoryComparison { of: Cow::Borrowed(of), measured, predicted, ratio, reasons })
}

/// Times that the ratio is corrected by what it leaves.
const ROUNDS: usize = 4;

/// The scenario with the ratios as its anchor.
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
        // Some latencies are constants, which no ratio moves: what is left of the difference is
        // divided out.
        for _ in 0..ROUNDS {
            let ratio = changed.anchor.time * seconds / changed.report().time.step.get();
            changed.anchor.time = rounded(within(ParamId::AnchorTime, ratio), DIGITS);
        }
    }
    Some(links::encode(&changed))
}

/// Digits of a ratio.
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
                format!("The step takes {times} times as long as predicted, as measured runs of its kind do")
            }
            _ => format!("The step is {times} times as fast as predicted, as measured runs of its kind are"),
        };
        format!("{how}.")
    });
    let memory = memory.map(|of| {
        let [measured, predicted] = [of.measured, of.predicted].map(|bytes| format::bytes(Bytes::new(bytes)));
        format!("The peak that is {} is {measured}, predicted {predicted}.", of.of)
    });
    let said: Vec<String> = time.into_iter().chain(memory).collect();
    if said.is_empty() {
        "The log says neither how long a step takes nor how much memory it needs.".into()
    } else {
        said.join(" ")
    }
}
