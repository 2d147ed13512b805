//! Buffers that views reuse from frame to frame.

use crate::plan::boundary::Tracer;
use crate::plan::sweep::Sample;

/// Nodes along x of the field: a few pixels each, so that lines interpolated between them look smooth.
const COLUMNS: usize = 64;
/// Nodes along y of the field.
const ROWS: usize = 44;

/// Buffers that views reuse from frame to frame; keep one and pass it to every call.
#[derive(Clone, Debug)]
pub struct Scratch {
    pub(super) columns: usize,
    pub(super) rows: usize,
    pub(super) tracer: Tracer,
    pub(super) samples: Vec<Sample>,
    pub(super) xs: Vec<f64>,
    pub(super) ys: Vec<f64>,
}

impl Default for Scratch {
    fn default() -> Self {
        Self::with_grid(COLUMNS, ROWS)
    }
}

impl Scratch {
    /// With another number of nodes for the field: fewer are faster.
    pub fn with_grid(columns: usize, rows: usize) -> Self {
        Self {
            columns: columns.max(2),
            rows: rows.max(2),
            tracer: Tracer::default(),
            samples: Vec::new(),
            xs: Vec::new(),
            ys: Vec::new(),
        }
    }
}
