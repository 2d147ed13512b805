//! Sentences about rates: measurements without a parameter, and the effect on the run.

use engine::format;
use engine::model::report::MemoryPart;
use engine::scenario::Scenario;
use engine::units::{Bytes, Seconds};

use super::file::File;

/// Shown with efficiencies of products and attention (`crates/score/tests/suite/one_gpu.rs` checks
/// the number).
pub(super) const KERNELS_ALONE: &str = "These are rates of isolated kernels. Kernels reach less within a step, as the \
     catalog's shares of products and attention include: they were fitted to whole steps. For published steps on H100 \
     and H200, shares measured on one H200 predict times about a twentieth shorter than the catalog's. If your run is \
     slower than this prediction, read its log too.";

/// Describes the alternative that keeps the efficiencies of whole steps.
pub(super) fn offer(prediction: &str) -> String {
    format!("Keep the shares of products and attention from whole steps, and use the other measurements. {prediction}")
}

/// Describes measurements that set no parameter.
pub(super) fn kept_as_words(file: &File, scenario: &Scenario) -> Vec<String> {
    let mut lines = Vec::new();
    let launches: Vec<String> = file
        .launches
        .iter()
        .take(MOST)
        .map(|(operator, micros)| format!("{} {}", operator.replace('_', " "), us(*micros)))
        .collect();
    if !launches.is_empty() {
        lines.push(format!(
            "Host time to issue an operator: {}. The number of operators in a layer depends on the program, so the \
             launch time per layer is unchanged.",
            launches.join(", ")
        ));
    }
    let memory: Vec<String> = file
        .memory
        .iter()
        .take(MOST)
        .map(|(after, bytes)| format!("{} after {}", format::bytes(Bytes::new(*bytes)), words_of(after)))
        .collect();
    if !memory.is_empty() {
        let counted = scenario.report().memory.parts.get(MemoryPart::Context);
        lines.push(format!(
            "Memory in use in addition to PyTorch's tensors, including other programs: {}. The prediction includes {} of context.",
            memory.join(", "),
            format::bytes(counted)
        ));
    }
    let small =
        file.points.iter().map(|point| (point.bytes, point.seconds, point.collective)).filter(|point| point.0 < SMALL);
    if let Some((bytes, seconds, collective)) = small.min_by(|one, other| one.1.total_cmp(&other.1)) {
        lines.push(format!(
            "The fastest small collective ({collective:?}, {}) takes {}.",
            format::bytes(Bytes::new(bytes)),
            us(seconds * 1e6)
        ));
    }
    lines
}

/// Maximum number of operators and stages listed, and the bytes below which a collective is small.
const MOST: usize = 8;
const SMALL: f64 = 65_536.0;

fn us(micros: f64) -> String {
    format::seconds(Seconds::from_us(micros))
}

fn words_of(after: &str) -> String {
    match after {
        "context" => "the start".into(),
        other => format!("the {}", other.replace('_', " ")),
    }
}

/// Describes the change in the prediction of the run.
pub(super) fn prediction(before: &Scenario, after: &Scenario) -> String {
    let (was, now) = (before.report(), after.report());
    let [from, to] = [was, now].map(|report| report.whole().tokens_per_s_per_gpu);
    if !(from > 0.0 && to > 0.0) {
        return "This run has no predicted speed.".into();
    }
    if from == to {
        return format!("The prediction of this run stays at {} per GPU.", format::tokens_per_s(to));
    }
    let way = if to > from { "faster" } else { "slower" };
    format!(
        "This run: {} → {} per GPU, {} {way}; MFU {} → {}.",
        format::tokens_per_s(from),
        format::tokens_per_s(to),
        format::percent((to / from - 1.0).abs()),
        format::percent(was.whole().mfu),
        format::percent(now.whole().mfu)
    )
}
