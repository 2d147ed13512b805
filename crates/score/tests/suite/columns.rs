//! Rows of a user's own table: columns named as the keys of links, or by other names that links
//! read.

use analysis::published::MemoryKind;
use links::{decode, encode};
use score::LeftOut;
use score::cells::Cells;
use score::columns::unread;
use score::linked::{End, Set};
use score::predict;
use score::prediction::Prediction;
use score::row::Row;
use score::schema::Schema;
use score::summary::Entry;

/// A run on one GPU node, under names of several programs.
const RUN: [(&str, &str); 11] = [
    ("row_id", "T-1"),
    ("model_name", "Llama 3.1 8B"),
    ("gpu", "H100-80GB"),
    ("num_gpus", "8"),
    ("max_seq_length", "8192"),
    ("micro_batch_seqs", "1"),
    ("global_batch_seqs", "16"),
    ("sharding", "zero3"),
    ("gradient_checkpointing", "true"),
    ("notes", "full of words: fp8, tp 8, LoRA"),
    ("dp", "8"),
];

/// Returns the cells of the run with these columns set; an empty text blanks a column.
fn cells<'a>(changes: &[(&'a str, &'a str)]) -> Cells<'a> {
    let plain = RUN.into_iter().filter(|(name, _)| changes.iter().all(|(other, _)| other != name));
    plain.chain(changes.iter().copied()).collect()
}

fn predict(changes: &[(&str, &str)]) -> Result<Prediction, LeftOut> {
    predict::predict(&Row::from_cells(&cells(changes)))
}

fn reason(changes: &[(&str, &str)]) -> String {
    predict(changes).unwrap_err().to_string()
}

#[test]
fn columns_make_the_scenario_of_the_same_link() {
    let link = "cluster=dgx-h100&model=llama-3.1-8b&gpus=8&seq=8192&accum=2&strategy=full-shard&recompute=full";
    let run = predict(&[]).unwrap();
    assert_eq!(run.scenario, decode(link).scenario);
    assert_eq!(Row::from_cells(&cells(&[])).linked.link, encode(&run.scenario));
    let notes: Vec<&str> = run.notes.iter().collect();
    assert!(notes[0].contains("usual node of the H100 SXM"), "{notes:?}");
    let unstated = ["recipe", "optimizer", "framework"].map(|key| format!("{key} is not stated"));
    assert_eq!(notes.len(), 4, "{notes:?}");
    assert!(unstated.iter().zip(&notes[1..]).all(|(unstated, note)| note.starts_with(unstated)), "{notes:?}");
    let header: Vec<&str> = RUN.iter().map(|(name, _)| *name).chain(["step_time_s"]).collect();
    assert_eq!(Schema::from_header(&header), Some(Schema::Training));
}

#[test]
fn a_column_that_is_no_setting_is_named() {
    let known = unread(&cells(&[("mood", "good"), ("source", "a log"), ("step_time_s", "2")]));
    assert_eq!(known.len(), 2, "{known:?}");
    assert!(known[0].starts_with("column `dp` is not read: it follows from the GPUs"), "{known:?}");
    assert_eq!(known[1], "column `mood` is not read.");
    assert!(unread(&cells(&[("link", "v=1")])).is_empty());
}

#[test]
fn a_blank_or_a_wrong_value_leaves_the_row_out_by_its_column() {
    for (column, value, expected) in [
        ("model_name", "", "model is missing"),
        ("gpu", "n/a", "gpu is missing"),
        ("num_gpus", "", "num_gpus is missing"),
        ("model_name", "Llama 9 8B", "column `model_name` cannot be used: The catalog has no model “llama 9 8b”."),
        ("gpu", "Abacus & Sons: 3000%", "column `gpu` cannot be used: The catalog has no GPU “abacus & sons: 3000%”."),
        ("max_seq_length", "long", "column `max_seq_length` cannot be used: “long” is not a number"),
        ("global_batch_seqs", "15", "column `global_batch_seqs` cannot be used: A batch of 15 sequences"),
        ("tp", "16", "column `tp` cannot be used: "),
        ("layers", "8", "column `layers` cannot be used: “layers=8” describes a custom model"),
        ("step_time_s", "~2", "column `step_time_s` is not a measured number: ~2"),
        ("peak_mem_gib", "-1", "column `peak_mem_gib` is not a measured number: -1"),
        ("outcome", "well", "column `outcome` is not one of ran, "),
    ] {
        let reason = reason(&[(column, value)]);
        assert!(reason.starts_with(expected), "{column}={value}: {reason}");
    }
    assert!(predict(&[("layers", "32")]).is_ok(), "the model has as many");
}

#[test]
fn a_step_time_comes_from_the_first_column_that_has_one() {
    let of = |changes: &[(&str, &str)]| predict(changes).unwrap().measured.step_time_s.unwrap();
    assert_eq!(of(&[("step_time_s", "1.5"), ("tokens_per_s_per_gpu", "1")]), 1.5);
    // Two sequences of each GPU.
    assert_eq!(of(&[("tokens_per_s_per_gpu", "8192"), ("tflops_per_gpu", "1")]), 2.0);
    assert_eq!(of(&[("tokens_per_s", "65536"), ("batch_share", "0.5")]), 1.0);
    let (by_tflops, by_mfu) = (of(&[("tflops_per_gpu", "400")]), of(&[("mfu_pct", "40.43")]));
    assert!((by_tflops / by_mfu - 1.0).abs() < 1e-3, "400 of 989.4 TFLOP/s are 40.43 %");
}

#[test]
fn memory_and_outcome_are_compared_in_kind() {
    let ran = predict(&[("peak_mem_gib", "50"), ("peak_kind", "Process")]).unwrap();
    assert_eq!((ran.measured.kind, ran.measured.peak_gib), (MemoryKind::Process, Some(50.0)));
    let unstated = predict(&[("peak_mem_gib", "50")]).unwrap();
    assert_eq!(unstated.measured.kind, MemoryKind::Reserved);
    assert!(unstated.notes.iter().any(|note| note == "peak_kind is not stated: reserved"));
    let failed = Row::from_cells(&cells(&[("peak_mem_gib", "79"), ("outcome", "oom")]));
    assert_eq!((failed.linked.end, failed.linked.measured.peak_gib), (Some(End::OutOfMemory), None));
    assert!(failed.failed() && Row::from_cells(&cells(&[("step_time_s", "2")])).succeeded());
}

#[test]
fn the_scenario_decides_the_subject() {
    let set = |changes: &[(&str, &str)]| Entry::new("own.csv", Row::from_cells(&cells(changes))).set();
    assert_eq!(set(&[]), Set::Dense);
    assert_eq!(set(&[("trainable", "lora"), ("lora_rank", "16")]), Set::Tuned);
    assert_eq!(set(&[("model_name", "Mixtral 8x7B")]), Set::Mixture);
}
