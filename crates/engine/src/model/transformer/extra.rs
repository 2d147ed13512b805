//! Parameters that no field of an architecture describes.

/// Parameters that no other field of an architecture describes, of single families. Negative if
/// a family has fewer parameters than its fields add up to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ExtraParams {
    /// In all layers together: matrices, which every token passes.
    pub layers: i64,
    /// Outside the layers: tables that are looked up, and vectors.
    pub outside: i64,
}

impl ExtraParams {
    /// No extra parameters.
    pub const NONE: Self = Self { layers: 0, outside: 0 };
}
