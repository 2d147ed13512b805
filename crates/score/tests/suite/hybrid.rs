//! Memory against training steps of models with state mixers, traced tensor by tensor (`tests/measured/hybrid_memory.csv`).

use ::score::hybrid::{self, Hybrid};

const ROWS: &str = include_str!("../../../../tests/measured/hybrid_memory.csv");

/// Errors of the bytes allocated at the peak.
const MEDIAN: f64 = 0.02;
const WORST: f64 = 0.15;
/// Parameters that the columns of a row do not name, over all.
const UNNAMED: f64 = 0.001;

fn rows() -> Vec<Hybrid> {
    let mut reader = csv::Reader::from_reader(ROWS.as_bytes());
    let header = reader.headers().unwrap().clone();
    let step = |record: csv::StringRecord| {
        hybrid::read(|name| record.get(header.iter().position(|known| known == name)?)).unwrap()
    };
    reader.records().map(|record| step(record.unwrap())).collect()
}

#[test]
fn rows_have_the_parameters_that_the_library_builds() {
    for row in rows() {
        let arch = row.scenario.model.architecture();
        assert_eq!(arch.params() as f64, row.params, "{}", row.id);
        let unnamed = arch.extra.layers as f64 / row.params;
        assert!(unnamed.abs() < UNNAMED, "{} {}: {unnamed}", row.id, row.model);
    }
}

#[test]
fn allocated_bytes_of_hybrid_layers_are_the_traced_ones() {
    let rows = rows();
    assert!(rows.len() >= 24, "{} rows", rows.len());
    let mut errors: Vec<(f64, String)> = rows.iter().map(|row| (row.error().abs(), row.id.clone())).collect();
    errors.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (median, worst) = (errors[errors.len() / 2].0, errors.last().unwrap());
    assert!(median < MEDIAN, "median {median}");
    assert!(worst.0 < WORST, "worst {worst:?}");
}
