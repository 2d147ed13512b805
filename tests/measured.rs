//! The step model against published measurements of data-parallel training (`tests/measured/fsdp.csv`: each row its
//! source, the link of its scenario, its step time and its MFU).

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test stops where its data is wrong")]

use shardwise::share::decode::decode;
use std::collections::BTreeMap;

const ROWS: &str = include_str!("measured/fsdp.csv");

/// One published step.
struct Row {
    id: &'static str,
    source: &'static str,
    link: &'static str,
    step_time: f64,
}

fn rows() -> Vec<Row> {
    ROWS.lines()
        .skip(1)
        .map(|line| {
            let fields: Vec<&str> = line.split(',').collect();
            // Whatever revision the link names, the present catalog is what is tested.
            let link = fields[2].trim_start_matches("v=1&").trim_start_matches("rev=1&");
            Row { id: fields[0], source: fields[1], link, step_time: fields[3].parse().unwrap() }
        })
        .collect()
}

/// Predicted over measured step time, less one, by source.
fn errors() -> BTreeMap<&'static str, Vec<f64>> {
    let mut errors: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for row in rows() {
        let decoded = decode(row.link);
        assert!(decoded.issues.is_empty(), "{}: {:?}", row.id, decoded.issues);
        let error = decoded.scenario.report().time.step.get() / row.step_time - 1.0;
        errors.entry(row.source).or_default().push(error);
    }
    errors
}

fn absolute(errors: &[f64]) -> Vec<f64> {
    let mut absolute: Vec<f64> = errors.iter().map(|error| error.abs()).collect();
    absolute.sort_by(f64::total_cmp);
    absolute
}

fn median(errors: &[f64]) -> f64 {
    let absolute = absolute(errors);
    absolute[absolute.len() / 2]
}

fn mean(errors: &[f64]) -> f64 {
    absolute(errors).iter().sum::<f64>() / errors.len() as f64
}

/// Prints the table that the README shows (`cargo test --test measured -- --nocapture`).
#[test]
fn step_times_agree_with_published_measurements() {
    let by_source = errors();
    let all: Vec<f64> = by_source.values().flatten().copied().collect();
    for (source, errors) in by_source.iter().chain([(&"All", &all)]) {
        let signed = errors.iter().sum::<f64>() / errors.len() as f64;
        println!(
            "| {source} | {} | {:.1} % | {:.1} % | {:+.1} % |",
            errors.len(),
            1e2 * median(errors),
            1e2 * mean(errors),
            1e2 * signed
        );
    }
    assert!(all.len() > 350, "{} rows", all.len());
    assert!(median(&all) < 0.08, "median {}", median(&all));
    assert!(mean(&all) < 0.12, "mean {}", mean(&all));
}

#[test]
fn hybrid_against_full_sharding_has_the_measured_sign() {
    // Pairs of one model, batch and cluster that differ in the strategy alone and in step time by more than 5 %.
    let mut groups: BTreeMap<String, Vec<(bool, f64, f64)>> = BTreeMap::new();
    for row in rows().iter().filter(|row| row.source.starts_with("Modalities")) {
        let pairs: Vec<&str> = row.link.split('&').collect();
        let key: Vec<&str> =
            pairs.iter().copied().filter(|p| !p.starts_with("strategy=") && !p.starts_with("shard=")).collect();
        let predicted = decode(row.link).scenario.report().time.step.get();
        groups.entry(key.join("&")).or_default().push((row.link.contains("hybrid-shard"), row.step_time, predicted));
    }
    let (mut right, mut all) = (0, 0);
    for rows in groups.values() {
        for full in rows.iter().filter(|row| !row.0) {
            for hybrid in rows.iter().filter(|row| row.0) {
                if (hybrid.1 / full.1 - 1.0).abs() > 0.05 {
                    all += 1;
                    right += i32::from((hybrid.1 < full.1) == (hybrid.2 < full.2));
                }
            }
        }
    }
    println!("{right} of {all} pairs");
    assert!(all >= 4, "{all} pairs");
    assert!(f64::from(right) >= 0.9 * f64::from(all), "{right} of {all}");
}
