//! The words of an embed.

/// Its link to the page itself.
pub const OPEN: &str = "Open in full app";
/// In place of the layer of experts of a model that has none.
pub const NO_EXPERTS: &str = "This model is dense: it has no layer of experts.";
