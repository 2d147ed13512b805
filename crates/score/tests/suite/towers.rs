//! Memory against training steps of models that read images, traced tensor by tensor (`tests/measured/tower_memory.csv`).

use ::score::towers::{self, Traced};

const ROWS: &str = include_str!("../../../../tests/measured/tower_memory.csv");

/// Errors of the bytes allocated at the peak.
const MEDIAN: f64 = 0.025;
const WORST: f64 = 0.05;
/// Parameters that the columns of a row do not name, over all.
const UNNAMED: f64 = 0.001;

fn rows() -> Vec<Traced> {
    let mut reader = csv::Reader::from_reader(ROWS.as_bytes());
    let header = reader.headers().unwrap().clone();
    let step = |record: csv::StringRecord| {
        towers::read(|name| record.get(header.iter().position(|known| known == name)?)).unwrap()
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
fn allocated_bytes_of_models_that_read_images_are_the_traced_ones() {
    let rows = rows();
    assert!(rows.len() >= 8, "{} rows", rows.len());
    let mut errors: Vec<(f64, String)> = Vec::new();
    for row in &rows {
        println!("{} {}: {:+.1} %", row.id, row.model, 100.0 * row.error());
        errors.push((row.error().abs(), row.id.clone()));
    }
    errors.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (median, worst) = (errors[errors.len() / 2].0, errors.last().unwrap());
    println!("median {:.2} %", 100.0 * median);
    assert!(median < MEDIAN, "median {median}");
    assert!(worst.0 < WORST, "worst {worst:?}");
}
