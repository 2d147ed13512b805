//! What a panel below the timeline is given.

use yew::prelude::*;

use crate::state::Action;
use crate::view::View;
use charts::palette::Theme;
use engine::scenario::Scenario;

/// What to show, and where actions go.
#[derive(PartialEq, Properties)]
pub struct Settled {
    /// The scenario as it was when it last stood still.
    pub scenario: Scenario,
    /// What is looked at.
    pub view: View,
    /// Light or dark.
    pub theme: Theme,
    /// Takes actions.
    pub emit: Callback<Action>,
    /// Takes what the status line should say.
    pub say: Callback<AttrValue>,
}
