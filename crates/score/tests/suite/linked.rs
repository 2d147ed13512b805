//! Converted rows of the tables: links and measured values.

use links::encode;
use score::linked::{End, Set};
use score::predict::predict;
use score::row::Row;
use score::summary::Entry;

use crate::published::PUBLISHED;

const LINK: &str = "v=1&cluster=dgx-h100&model=llama-3.1-8b&seq=8192&gpus=128";

fn row(columns: &[(&str, &str)]) -> Row {
    Row::from_cells(&columns.iter().copied().collect())
}

#[test]
fn a_row_with_a_link_is_that_scenario_whatever_its_words_say() {
    let words = [("model", "Qwen3 8B"), ("gpu", "A100"), ("num_gpus", "8"), ("step_time_s", "9")];
    let columns = [
        ("link", LINK),
        ("completed", "network of DGX H100 assumed; a guess: one micro-batch"),
        ("measured_step_time_s", "2.5"),
        ("measured_peak_gib", "40"),
        ("peak_kind", "allocated"),
        ("batch_share", "0.5"),
        ("ended", "ran"),
    ];
    let row = row(&[&columns[..], &words].concat());
    let prediction = predict(&row).unwrap();
    assert_eq!(encode(&prediction.scenario), LINK);
    assert_eq!(prediction.measured.step_time_s, Some(2.5));
    assert_eq!(prediction.step_time_s, 0.5 * prediction.report.update.time.step.get());
    assert_eq!(prediction.peak_mem_gib, prediction.allocated_gib);
    assert_eq!(prediction.notes.iter().count(), 2);
    assert_eq!((row.linked.end, row.succeeded(), row.failed()), (Some(End::Ran), true, false));
}

#[test]
fn a_link_that_cannot_be_read_and_a_reason_leave_the_row_out() {
    let broken = predict(&row(&[("link", "v=1&model=llama-9-8b")])).unwrap_err();
    assert!(broken.to_string().contains("llama-9-8b"), "{broken}");
    let reason = predict(&row(&[("left_out", "seq_len is missing"), ("completed", "none in the README")])).unwrap_err();
    assert_eq!(reason.to_string(), "seq_len is missing: none in the README");
}

#[test]
fn a_slower_network_that_is_possible_widens_the_range() {
    let of = |columns: &[(&str, &str)]| {
        let link = ("link", "v=1&cluster=dgx-h100&model=llama-3.1-8b&seq=1024&gpus=64");
        predict(&row(&[&[link], columns].concat())).unwrap().step_band.high
    };
    assert!(of(&[("slowest_link_gbit", "50")]) > 1.2 * of(&[]));
}

/// The tables contain links in the current encoding, so that readers can compare them.
#[test]
fn the_links_of_the_tables_are_as_they_are_written() {
    let published = &*PUBLISHED;
    let entries = || {
        let of_training = published.training.iter().chain(&published.mixtures).chain(&published.tuned);
        of_training.chain(&published.silicon).chain(&published.rollouts)
    };
    let linked = |entry: &&Entry| !entry.row.linked.link.is_empty();
    assert!(entries().filter(linked).count() > 4_000);
    for entry in entries().filter(linked) {
        let linked = &entry.row.linked;
        if let Ok(prediction) = &entry.outcome {
            assert_eq!(encode(&prediction.scenario), linked.link, "{}", entry.row.row_id);
        } else {
            assert_eq!(linked.set, Some(Set::Layer), "{}", entry.row.row_id);
        }
    }
}
