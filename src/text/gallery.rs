//! The words of the examples.

/// On the button, and the panel's name.
pub const TITLE: &str = "Examples";
/// Starting points.
pub const PLANS: &str = "Plan my run";
/// What is claimed, to be looked at.
pub const CLAIMS: &str = "What the papers claim";
/// What the line about an opened example is.
pub const NOTICE: &str = "What to notice";
/// On the button that closes it.
pub const CLOSE: &str = "Close";
