//! The engine against published measurements (`tests/measured/*.csv`, each row with its source):
//! accuracy thresholds, and the table of the documentation. `cargo xtask accuracy` prints and
//! records the current accuracy.

use crate::published::{PUBLISHED, Published};
use ::score::prediction::Prediction;
use ::score::quantile::quantile;
use ::score::summary::{self, Entry, Score};
use ::score::{by_accelerator, coverage, markdown, pairs};
use analysis::published::{self as text, Set};
use catalog::accuracy::{self, Band};
use engine::model::odds::PeakKind;
use engine::stats::{self, Errors};
use links::encode;

/// Scores all rows except BigScience's on V100, which have an error of up to 40 % according to
/// their author.
fn all() -> Score {
    summary::score(PUBLISHED.training.iter().filter(|entry| !is_rough(entry)))
}

/// Prefix of the source of BigScience's runs on V100.
const ROUGH: &str = "BigScience gpt2";

fn is_rough(entry: &Entry) -> bool {
    entry.source().starts_with(ROUGH)
}

const STEP_MEDIAN: f64 = 0.065;
const STEP_MEAN: f64 = 0.09;
const STEP_SOURCE: f64 = 0.15;
/// Minimum number of rows for a meaningful median of a source.
const FEW: usize = 8;
const SLOW_RANKS: f64 = 0.89;
// The goal is a median of 5 % and a mean of 8 %. nanotron's rows do not state whether their host
// ran ahead of the GPU.
const MEMORY_MEDIAN: f64 = 0.045;
const MEMORY_MEAN: f64 = 0.095;
const RAN_FITS: f64 = 0.975;
const FAILED_DOES_NOT: f64 = 0.9;
// Half of these come from the playbook's cluster, whose latency of 0.36 ms per hop no NCCL model
// explains.
const NETWORK_MEDIAN: f64 = 0.13;
const NETWORK_P5_MEDIAN: f64 = 0.05;
const NETWORK_P5_WORST: f64 = 0.36;
const SIGNS: f64 = 0.9;

#[test]
fn steps_that_the_hardware_limits_are_predicted() {
    let errors = all().fast.unwrap();
    assert!(errors.count > 1000, "{} rows", errors.count);
    assert!(errors.median < STEP_MEDIAN, "median {}", errors.median);
    assert!(errors.mean < STEP_MEAN, "mean {}", errors.mean);
    for (source, score) in summary::by_source(&PUBLISHED.training) {
        // YaFSDP's tables do not state the network of their nodes.
        let is_apart = source.starts_with(ROUGH) || source.starts_with("YaFSDP");
        let errors = score.fast.filter(|errors| errors.count >= FEW && !is_apart);
        let median = errors.map_or(0.0, |errors| errors.median);
        assert!(median < STEP_SOURCE, "{source}: {median}");
    }
}

/// Tests `NeMo`'s table of long sequences, 4K to 1M tokens, and the sequences that succeeded
/// according to ALST's configurations.
#[test]
fn long_sequences_are_predicted() {
    const LONG_MEDIAN: f64 = 0.13;
    let of = |source: &str| {
        let rows = PUBLISHED.training.iter().filter(|entry| entry.source().starts_with(source));
        rows.filter_map(|entry| entry.outcome.as_ref().ok()).collect::<Vec<_>>()
    };
    let steps: Vec<f64> = of("NVIDIA NeMo long-seq").into_iter().filter_map(Prediction::step_error).collect();
    let errors = Errors::from_errors(&steps).unwrap();
    assert!(errors.count >= 5 && errors.median < LONG_MEDIAN, "{errors:?}");
    let ran = of("ALST");
    assert!(ran.len() >= 8 && ran.iter().all(|run| run.fits), "{} rows", ran.len());
    let memory: Vec<f64> = ran.into_iter().filter_map(Prediction::memory_error).collect();
    // These runs recompute layers and offload checkpoints to host memory; the part of the
    // checkpoints that remains on the GPU is unknown.
    assert!(memory.len() >= 3 && memory.iter().all(|error| error.abs() < 0.3), "{memory:?}");
}

#[test]
fn slow_steps_are_ranked_as_measured() {
    let score = all();
    assert!(score.slow.unwrap().count > 700);
    let ranks = score.slow_ranks.unwrap();
    assert!(ranks > SLOW_RANKS, "rank correlation {ranks}");
}

#[test]
fn peak_memory_is_predicted() {
    let errors = all().memory.unwrap();
    assert!(errors.count > 1000, "{} rows", errors.count);
    assert!(errors.median < MEMORY_MEDIAN, "median {}", errors.median);
    assert!(errors.mean < MEMORY_MEAN, "mean {}", errors.mean);
}

/// The log of one of BigScience's runs with ZeRO-3 on V100 (experiments/gpt2-meg-ds-zero, 25 May
/// 2021): peaks of 26,118 MiB allocated and 28,234 MiB reserved.
#[test]
fn the_log_of_a_run_under_zero_3_is_met() {
    let entry = PUBLISHED.training.iter().find(|entry| entry.row.row_id == "BS-0211").unwrap();
    let prediction = entry.outcome.as_ref().unwrap();
    let off = |predicted: f64, mebibytes: f64| (predicted / (mebibytes / 1024.0) - 1.0).abs();
    assert!(off(prediction.allocated_gib, 26_118.0) < 0.03, "{}", prediction.allocated_gib);
    assert!(off(prediction.reserved_gib, 28_234.0) < 0.03, "{}", prediction.reserved_gib);
}

#[test]
fn runs_that_ran_fit_and_runs_that_failed_do_not() {
    let confusion = all().confusion;
    let share = |right: usize, wrong: usize| right as f64 / (right + wrong) as f64;
    let ran = share(confusion.ran_fits, confusion.ran_does_not);
    let failed = share(confusion.failed_does_not, confusion.failed_fits);
    assert!(ran > RAN_FITS, "{confusion:?}");
    assert!(failed > FAILED_DOES_NOT, "{confusion:?}");
}

/// Eight of ten peaks are inside the range of their prediction. This holds for each kind with
/// enough rows, and also for ranges from the other sources of the kind.
#[test]
fn peaks_lie_in_the_range_beside_their_prediction() {
    const INSIDE: f64 = 0.8;
    const HELD_OUT: f64 = 0.70;
    const ALL_HELD_OUT: f64 = 0.78;
    let all = PUBLISHED.training.iter().chain(&PUBLISHED.mixtures).chain(&PUBLISHED.tuned).chain(&PUBLISHED.silicon);
    let peaks = coverage::peaks(all);
    let kinds = coverage::by(&peaks, |peak| peak.kind);
    // The kind for accelerators without a published peak is empty.
    assert_eq!(kinds.len(), PeakKind::ALL.len() - 1, "{kinds:?}");
    for (kind, covered) in kinds {
        assert!(covered.rows >= 10 && covered.inside >= INSIDE, "{}: {covered:?}", kind.name());
        assert!(covered.held_out == 0 || covered.held_out_inside >= HELD_OUT, "{}: {covered:?}", kind.name());
    }
    let all = coverage::by(&peaks, |_| ()).remove(&()).unwrap();
    assert!(all.rows > 1600 && all.held_out_inside >= ALL_HELD_OUT && all.inside < 0.9, "{all:?}");
}

#[test]
fn hybrid_against_full_sharding_has_the_measured_sign() {
    let signs = pairs::hybrid_against_full(&PUBLISHED.training);
    assert!(signs.all >= 4, "{signs:?}");
    assert!(signs.right as f64 >= SIGNS * signs.all as f64, "{signs:?}");
}

#[test]
fn collectives_have_the_measured_bandwidth() {
    let of = |is_p5: bool| -> Vec<f64> {
        let rows = PUBLISHED.collectives.iter();
        let rows = rows.filter(|collective| collective.source.contains("aws-gpu-communication") == is_p5);
        rows.map(|collective| collective.error().abs()).collect()
    };
    let (p5, others) = (of(true), of(false));
    assert!(p5.len() >= 74 && others.len() >= 25, "{} and {} rows", p5.len(), others.len());
    let [of_p5, of_others] = [&p5, &others].map(|errors| stats::median(errors).unwrap());
    assert!(of_others < NETWORK_MEDIAN && of_p5 < NETWORK_P5_MEDIAN, "medians {of_others} and {of_p5}");
    assert!(p5.iter().all(|error| *error < NETWORK_P5_WORST), "{p5:?}");
}

const MIXTURE_STEP_MEDIAN: f64 = 0.10;
const MIXTURE_MEMORY_MEDIAN: f64 = 0.05;

#[test]
fn mixtures_of_experts_are_predicted() {
    let errors_of = |error: fn(&Prediction) -> Option<f64>| {
        let predictions = PUBLISHED.mixtures.iter().filter_map(|entry| entry.outcome.as_ref().ok());
        Errors::from_errors(&predictions.filter_map(error).collect::<Vec<f64>>()).unwrap()
    };
    let steps = errors_of(Prediction::step_error);
    assert!(steps.count > 220, "{} rows", steps.count);
    assert!(steps.median < MIXTURE_STEP_MEDIAN, "median {}", steps.median);
    let memory = errors_of(Prediction::memory_error);
    assert!(memory.count > 70, "{} rows", memory.count);
    assert!(memory.median < MIXTURE_MEMORY_MEDIAN, "median {}", memory.median);
    let confusion = summary::score(&PUBLISHED.mixtures).confusion;
    let ran = confusion.ran_fits as f64 / (confusion.ran_fits + confusion.ran_does_not) as f64;
    // Predictions err by 10 %, and a run that is predicted to need 95 % of the memory is predicted
    // not to fit. Three are Nemotron 3's, a few percent above their GPUs' memory; six are from
    // ModelZoo and verl, with unstated recomputation.
    assert!(ran > 0.92, "{confusion:?}");
    assert!(PUBLISHED.mixtures.iter().all(Entry::is_mixture));
    assert!(!PUBLISHED.training.iter().any(Entry::is_mixture));
}

/// Four of five steps of sources that no constant was fitted to are inside their range, and of the
/// peaks two of three (docs/book/accuracy/strangers.md).
#[test]
fn sources_that_no_constant_saw_lie_in_the_ranges() {
    const STEPS_INSIDE: f64 = 0.8;
    const PEAKS_INSIDE: f64 = 0.65;
    const STEP_MEDIAN: f64 = 0.19;
    const PEAK_MEDIAN: f64 = 0.14;
    let of = |measured: fn(&Prediction) -> Option<(f64, Band)>| {
        let predictions = PUBLISHED.strangers.iter().filter_map(|entry| entry.outcome.as_ref().ok());
        let all: Vec<(f64, Band)> = predictions.filter_map(measured).collect();
        let inside = all.iter().filter(|(error, band)| (band.low..=band.high).contains(&(1.0 / (1.0 + error))));
        let share = inside.count() as f64 / all.len() as f64;
        (Errors::from_errors(&all.iter().map(|(error, _)| *error).collect::<Vec<f64>>()).unwrap(), share)
    };
    let (steps, inside) = of(|one| Some((one.step_error()?, one.step_band)));
    assert!(steps.count > 100 && steps.median < STEP_MEDIAN && inside >= STEPS_INSIDE, "{steps:?}, {inside}");
    let (peaks, inside) = of(|one| Some((one.memory_error()?, one.memory_band)));
    assert!(peaks.count > 25 && peaks.median < PEAK_MEDIAN && inside >= PEAKS_INSIDE, "{peaks:?}, {inside}");
}

/// Sources with large errors that each had a single cause: a slow host launch, and layer norms in
/// fp32.
#[test]
fn host_bound_runs_and_fp32_norms_are_predicted() {
    for (source, limit) in [("CI golden", 0.14), ("mosaicml/examples", 0.07)] {
        let rows = PUBLISHED.training.iter().chain(&PUBLISHED.mixtures);
        let rows = rows.filter(|entry| entry.source().contains(source));
        let predictions = rows.filter_map(|entry| entry.outcome.as_ref().ok());
        let errors =
            Errors::from_errors(&predictions.filter_map(Prediction::step_error).collect::<Vec<f64>>()).unwrap();
        assert!(errors.count > 100 && errors.median < limit, "{source}: {errors:?}");
    }
}

/// Allocated bytes of Megatron-Core, for small models and models of 7 billion parameters. Rows far
/// from the median do not state the cause of their memory: an older Transformer Engine that writes
/// attention scores, delayed gradients of the head.
#[test]
fn megatron_cores_allocated_bytes_are_predicted() {
    const MEDIAN: f64 = 0.04;
    const ON_HOPPER: f64 = 0.025;
    let of = |gpu: &str| {
        let rows = PUBLISHED.training.iter().chain(&PUBLISHED.mixtures);
        let rows = rows.filter(|entry| entry.source().contains("CI golden") && entry.row.gpu.contains(gpu));
        let predictions = rows.filter_map(|entry| entry.outcome.as_ref().ok());
        Errors::from_errors(&predictions.filter_map(Prediction::memory_error).collect::<Vec<f64>>()).unwrap()
    };
    let (all, hopper) = (of(""), of("H100"));
    assert!(all.count > 250 && all.median < MEDIAN, "{all:?}");
    assert!(hopper.count > 50 && hopper.median < ON_HOPPER, "{hopper:?}");
}

/// Eight of ten steps are inside the range of their prediction. This holds for each kind with
/// enough rows, for all silicon, and also for ranges from the other sources of the kind.
#[test]
fn steps_lie_in_the_range_beside_their_prediction() {
    const INSIDE: f64 = 0.75;
    const HELD_OUT: f64 = 0.6;
    const ALL_INSIDE: f64 = 0.8;
    const ALL_HELD_OUT: f64 = 0.76;
    let all = PUBLISHED.training.iter().chain(&PUBLISHED.mixtures).chain(&PUBLISHED.tuned).chain(&PUBLISHED.silicon);
    let residuals = coverage::residuals(all);
    let kinds = coverage::by(&residuals, |residual| residual.kind.name());
    assert_eq!(kinds.len(), accuracy::StepKind::ALL.len(), "{kinds:?}");
    let silicon = coverage::by(&residuals, |residual| format!("{:?}", residual.generation));
    let of_silicon = silicon.iter().map(|(name, covered)| (name.as_str(), *covered));
    for (name, covered) in kinds.iter().map(|(name, covered)| (*name, *covered)).chain(of_silicon) {
        let few = covered.rows < 10;
        assert!(few || covered.inside > INSIDE, "{name}: {covered:?}");
        assert!(few || covered.held_out == 0 || covered.held_out_inside >= HELD_OUT, "{name}: {covered:?}");
    }
    let all = coverage::by(&residuals, |_| ()).remove(&()).unwrap();
    assert!(all.rows > 2500 && all.inside > ALL_INSIDE && all.held_out_inside > ALL_HELD_OUT, "{all:?}");
    // The ranges are no wider than necessary.
    assert!(all.inside < 0.9, "{all:?}");
}

#[test]
fn rows_are_left_out_for_a_reason_only() {
    // Rows left out for these reasons cannot be evaluated; any other reason is a defect of the
    // reader.
    const KNOWN: [&str; 8] = [
        " is missing",
        " are missing",
        "not modelled",
        "contradicts itself",
        "not in the catalog",
        "not a ",
        "one layer",
        "the peak of loading",
    ];
    let all = PUBLISHED.training.iter().chain(&PUBLISHED.mixtures).chain(&PUBLISHED.tuned).chain(&PUBLISHED.silicon);
    for (reason, count) in summary::score(all).left_out {
        assert!(KNOWN.iter().any(|known| reason.contains(known)), "{count}: {reason}");
    }
}

/// Fine-tuning, which no constant was fitted to: tests/measured/finetuned and the rows with
/// adapters of other tables.
#[test]
fn fine_tuning_is_predicted() {
    const READ: usize = 250;
    const MEMORY_MEDIAN: f64 = 0.09;
    const STEP_MEDIAN: f64 = 0.18;
    const SUBMITTED_STEP_MEDIAN: f64 = 0.06;
    const SUBMITTED_MEMORY_MEDIAN: f64 = 0.1;
    let of = |file: &str, error: fn(&Prediction) -> Option<f64>| {
        let rows = PUBLISHED.tuned.iter().filter(|entry| entry.file == file);
        let predictions = rows.filter_map(|entry| entry.outcome.as_ref().ok());
        Errors::from_errors(&predictions.filter_map(error).collect::<Vec<f64>>()).unwrap()
    };
    let read = PUBLISHED.tuned.iter().filter(|entry| entry.file == "finetune.csv" && entry.outcome.is_ok());
    assert!(read.clone().count() >= READ, "{} rows", read.count());
    let memory = of("finetune.csv", Prediction::memory_error);
    assert!(memory.count > 170 && memory.median < MEMORY_MEDIAN, "{memory:?}");
    let step = of("finetune.csv", Prediction::step_error);
    assert!(step.count > 100 && step.median < STEP_MEDIAN, "{step:?}");
    let step = of("mlperf_lora.csv", Prediction::step_error);
    assert!(step.count > 70 && step.median < SUBMITTED_STEP_MEDIAN, "{step:?}");
    let memory = of("mlperf_lora.csv", Prediction::memory_error);
    assert!(memory.median < SUBMITTED_MEMORY_MEDIAN, "{memory:?}");
}

/// TPUs, AMD's accelerators, Gaudi, Trainium, and `MLPerf`'s pre-training: most rows are read,
/// successful runs are predicted to fit, and the median error of the step time is small at any MFU.
/// The goals are 10 % on TPUs and 12 % elsewhere.
#[test]
fn steps_on_other_silicon_are_predicted() {
    // File, rows, rows read, rows predicted out of memory, median error.
    const TABLES: [(&str, usize, usize, usize, f64); 6] = [
        ("maxtext.csv", 29, 27, 1, 0.055),
        ("tpu_recipes.csv", 38, 35, 1, 0.045),
        ("rocm.csv", 23, 21, 1, 0.09),
        ("gaudi.csv", 21, 19, 2, 0.10),
        ("neuron.csv", 27, 27, 0, 0.07),
        ("mlperf_pretrain.csv", 44, 44, 0, 0.08),
    ];
    for (file, rows, read, out_of_memory, most) in TABLES {
        let entries = || PUBLISHED.silicon.iter().filter(|entry| entry.file == file);
        let score = summary::score(entries());
        assert!(score.rows == rows && score.used >= read, "{file}: {} of {}", score.used, score.rows);
        assert!(score.confusion.ran_does_not <= out_of_memory, "{file}: {:?}", score.confusion);
        let predictions = entries().filter_map(|entry| entry.outcome.as_ref().ok());
        let errors =
            Errors::from_errors(&predictions.filter_map(Prediction::step_error).collect::<Vec<f64>>()).unwrap();
        assert!(errors.median < most, "{file}: {errors:?}");
    }
}

/// Whole steps of GRPO: generation, scoring, updates. No constant was fitted to them.
#[test]
fn steps_that_generate_their_data_are_predicted() {
    const MEDIAN: f64 = 0.18;
    const WORST: f64 = 0.85;
    let predictions = || PUBLISHED.rollouts.iter().filter_map(|entry| entry.outcome.as_ref().ok());
    for prediction in predictions() {
        assert_eq!(prediction.step_time_s, prediction.report.whole().time.get());
    }
    let errors: Vec<f64> = predictions().filter_map(Prediction::step_error).collect();
    let summary = Errors::from_errors(&errors).unwrap();
    assert!(summary.count == 9 && summary.median < MEDIAN, "{errors:?}");
    assert!(errors.iter().all(|error| error.abs() < WORST), "{errors:?}");
    assert!(predictions().all(|prediction| prediction.fits), "every run ran");
}

#[test]
fn every_prediction_is_a_number() {
    let of_training = PUBLISHED.training.iter().chain(&PUBLISHED.mixtures).chain(&PUBLISHED.tuned);
    for entry in of_training.chain(&PUBLISHED.silicon).chain(&PUBLISHED.rollouts) {
        let Ok(prediction) = &entry.outcome else { continue };
        let numbers = [prediction.step_time_s, prediction.peak_mem_gib, prediction.report.update.mfu];
        let name = format!("{} {}", entry.file, entry.row.row_id);
        assert!(numbers.iter().all(|number| number.is_finite() && *number > 0.0), "{name}: {numbers:?}");
        assert!(Errors::from_errors(&[prediction.step_error().unwrap_or(0.0)]).unwrap().mean.is_finite(), "{name}");
    }
}

#[test]
fn the_documented_table_is_current() {
    let entries =
        PUBLISHED.training.iter().chain(&PUBLISHED.mixtures).chain(&PUBLISHED.tuned).chain(&PUBLISHED.silicon);
    let Published { tracked, traced, hybrid, collectives, .. } = &*PUBLISHED;
    let unseen = markdown::strangers::section(&PUBLISHED.strangers);
    let report =
        ["## Dense models\n", &markdown::report(entries, tracked, traced, hybrid, collectives), &unseen].concat();
    let mut written = 0;
    for chapter in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/book/accuracy")).unwrap() {
        let document = std::fs::read_to_string(chapter.unwrap().path()).unwrap();
        for marked in document.split("<!-- accuracy: ").skip(1) {
            let (name, rest) = marked.split_once(" -->").unwrap();
            let (tables, _) = rest.split_once("<!-- accuracy -->").expect("a marker after the tables");
            let mut sections = report.split("## ").filter_map(|section| section.split_once('\n'));
            let (_, current) = sections.find(|section| section.0 == name).expect(name);
            assert_eq!(tables.trim(), current.trim(), "{name}: run `cargo xtask accuracy`");
            written += 1;
        }
    }
    assert_eq!(written, report.split("## ").skip(1).count(), "each section of the report stands in one chapter");
}

#[test]
fn what_the_engine_records_by_accelerator_is_current() {
    const RECORDED: &str = include_str!("../../../catalog/src/accuracy/recorded.rs");
    let all = PUBLISHED.training.iter().chain(&PUBLISHED.mixtures).chain(&PUBLISHED.tuned).chain(&PUBLISHED.silicon);
    let entries: Vec<&Entry> = all.collect();
    assert_eq!(RECORDED.trim(), by_accelerator::rust(entries.iter().copied()).trim(), "run `cargo xtask accuracy`");
    // A generation is predicted less accurately without its rows than with them.
    let ratios = by_accelerator::borrowed(entries.iter().copied());
    let spread = |low: f64, high: f64| high / low;
    let [low, high] = [0.1, 0.9].map(|share| quantile(&ratios, share).unwrap());
    let accuracy::Band { low: own_low, high: own_high } = accuracy::StepKind::Tuned.band();
    assert!(ratios.len() > 2000 && spread(low, high) > 1.15 * spread(own_low, own_high), "{low} {high}");
}

/// Writes the rows for the page, reads them back, and evaluates their links.
#[test]
fn rows_of_the_page_are_the_rows_of_the_score() {
    let entries: Vec<&Entry> = PUBLISHED.training.iter().chain(&PUBLISHED.mixtures).collect();
    let with_row: Vec<_> =
        entries.iter().filter_map(|entry| Some((*entry, ::score::publish::published(entry)?))).collect();
    let read = text::parse_published(&text::write(with_row.iter().map(|(_, row)| row)));
    assert_eq!(read.len(), with_row.len());
    let (mut fast, mut peaks, mut mixtures, mut fitted) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for ((entry, row), page) in with_row.iter().zip(&read) {
        let prediction = entry.outcome.as_ref().unwrap();
        let name = format!("{} {}", entry.file, entry.row.row_id);
        assert_eq!(row, page, "{name}");
        let scenario = page.scenario();
        assert_eq!(scenario.report(), prediction.report, "{name}: the link means another scenario");
        assert_eq!(encode(&scenario), page.link, "{name}: the page would not know it again");
        // Equality is exact, so that the page agrees with the documentation.
        assert_eq!(page.predicted_step(&scenario), prediction.step_time_s, "{name}");
        assert!(page.peak.is_none_or(|peak| peak.predicted(&scenario) == prediction.peak_mem_gib), "{name}");
        let step = page.step_s.map(|measured| page.predicted_step(&scenario) / measured - 1.0);
        let peak = page.peak.map(|peak| peak.predicted(&scenario) / peak.gib - 1.0);
        match page.set {
            Set::Fast => fast.extend(step),
            Set::Slow => {}
            Set::Mixture => mixtures.extend(step),
        }
        peaks.extend(peak.filter(|_| page.set != Set::Mixture));
        fitted += usize::from(page.fitted && page.set == Set::Fast);
    }
    let dense = summary::score(&PUBLISHED.training);
    assert_eq!(Errors::from_errors(&fast), dense.fast);
    assert_eq!(Errors::from_errors(&peaks), dense.memory);
    let steps = PUBLISHED
        .mixtures
        .iter()
        .filter(|entry| !entry.is_fine_tuned())
        .filter_map(|entry| entry.outcome.as_ref().ok()?.step_error());
    assert_eq!(Errors::from_errors(&mixtures), Errors::from_errors(&steps.collect::<Vec<f64>>()));
    assert_eq!(fitted, 1240, "docs/book/accuracy.md says how many rows the fit has");
}
