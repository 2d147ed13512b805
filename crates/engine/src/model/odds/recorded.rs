//! Written by `cargo xtask accuracy` from tests/measured (`crates/score/src/odds/curves.rs`): not
//! to be edited.

use super::curve::Curve;
use super::kind::PeakKind;

/// Odds that a run fits, by memory (`crates/score/src/odds`).
#[allow(clippy::match_same_arms, reason = "a line a kind")]
pub(super) const fn curve(kind: PeakKind) -> Curve {
    match kind {
        PeakKind::Nanotron => Curve { half: 1.064, quarters: 58 },
        PeakKind::Amd => Curve { half: 1.077, quarters: 29 },
        PeakKind::DataSheet => Curve { half: 1.062, quarters: 22 },
        PeakKind::Unmeasured => Curve { half: 1.077, quarters: 29 },
        PeakKind::Small => Curve { half: 1.077, quarters: 29 },
        PeakKind::Trainers => Curve { half: 1.057, quarters: 36 },
        PeakKind::Torchtitan => Curve { half: 1.077, quarters: 36 },
        PeakKind::Megatron => Curve { half: 1.051, quarters: 52 },
    }
}
