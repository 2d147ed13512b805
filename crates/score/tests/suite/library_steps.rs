//! Memory against traced training steps of a library's own code: models with state mixers
//! (`tests/measured/hybrid_memory.csv`) and models with image input
//! (`tests/measured/tower_memory.csv`).

use crate::rows;
use ::score::cells::Cells;
use ::score::library_step::LibraryStep;
use ::score::{LeftOut, hybrid, towers};

/// Maximum share of parameters that no column of a row accounts for.
const UNNAMED: f64 = 0.001;

/// Traced steps of a table, and tolerances for the bytes allocated at their peaks.
struct Table {
    text: &'static str,
    read: fn(&Cells<'_>) -> Result<LibraryStep, LeftOut>,
    at_least: usize,
    median: f64,
    worst: f64,
}

const HYBRID: Table = Table {
    text: include_str!("../../../../tests/measured/hybrid_memory.csv"),
    read: hybrid::read_hybrid_step,
    at_least: 24,
    median: 0.02,
    worst: 0.15,
};
const TOWERS: Table = Table {
    text: include_str!("../../../../tests/measured/tower_memory.csv"),
    read: towers::read_tower_step,
    at_least: 8,
    median: 0.025,
    worst: 0.05,
};

impl Table {
    fn rows(&self) -> Vec<LibraryStep> {
        rows(self.text, self.read).into_iter().map(Result::unwrap).collect()
    }

    fn names_all_parameters(&self) {
        for row in self.rows() {
            assert_eq!(row.scenario.model.architecture().params() as f64, row.params, "{}", row.id);
            assert!(row.unnamed().abs() < UNNAMED, "{} {}: {}", row.id, row.model, row.unnamed());
        }
    }

    fn allocates_what_is_traced(&self) {
        let rows = self.rows();
        assert!(rows.len() >= self.at_least, "{} rows", rows.len());
        let mut errors: Vec<(f64, String)> = rows.iter().map(|row| (row.error().abs(), row.id.clone())).collect();
        errors.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (median, worst) = (errors[errors.len() / 2].0, errors.last().unwrap());
        assert!(median < self.median, "median {median}");
        assert!(worst.0 < self.worst, "worst {worst:?}");
    }
}

#[test]
fn rows_have_the_parameters_that_the_library_builds() {
    HYBRID.names_all_parameters();
    TOWERS.names_all_parameters();
}

#[test]
fn allocated_bytes_of_hybrid_layers_are_the_traced_ones() {
    HYBRID.allocates_what_is_traced();
}

#[test]
fn allocated_bytes_of_models_that_read_images_are_the_traced_ones() {
    TOWERS.allocates_what_is_traced();
}
