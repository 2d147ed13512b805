//! Everything that can happen to the state.

use crate::view::View;
use charts::spec::AxisKey;
use engine::model::transformer::Architecture;
use engine::params::ParamId;
use engine::scenario::issue::Issue;
use engine::scenario::{Id, Scenario};

/// An entry of the catalog, picked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pick {
    /// A model; [`engine::scenario::CUSTOM`] makes the present one custom, as it does for GPU and
    /// cluster.
    Model(Id),
    /// A point of the ladder, as close as it gets to the present model's size.
    Ladder,
    /// A GPU.
    Accelerator(Id),
    /// A cluster: its GPU, nodes and links, and full nodes of GPUs.
    Cluster(Id),
    /// A release of a training program, with what it does by itself; [`engine::scenario::CUSTOM`]
    /// names none.
    Release(Id),
}

/// One thing that happens.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::large_enum_variant, reason = "a view is a plain value; one lives a gesture long")]
pub enum Action {
    /// A slider moves; the gesture may go on.
    Slide {
        /// The parameter.
        key: ParamId,
        /// The slider's new position.
        index: u32,
    },
    /// Text is typed; where it is no value, the value from before the edit counts.
    Type {
        /// The parameter.
        key: ParamId,
        /// The whole text.
        text: String,
    },
    /// An arrow key sets the value one step above or below ([`engine::params::scale::nudged`]).
    Nudge {
        /// The parameter.
        key: ParamId,
        /// Whether it goes up.
        up: bool,
    },
    /// A gesture ends.
    Settle,
    /// The offered nearest value replaces text that is no value.
    Nearest {
        /// The parameter.
        key: ParamId,
    },
    /// An edit of a typed field is given up: the value from before it returns.
    GiveUp {
        /// The parameter.
        key: ParamId,
    },
    /// A valid value of a count of the layout is taken, with the same batch where that divides.
    Step {
        /// The parameter.
        key: ParamId,
        /// The value.
        value: u32,
    },
    /// An option is chosen.
    Choose {
        /// The parameter.
        key: ParamId,
        /// The option's index.
        index: usize,
    },
    /// An entry of the catalog is picked.
    Pick(Pick),
    /// A model is imported.
    Import(Box<Architecture>),
    /// A parameter goes back to its preset.
    Back {
        /// The parameter.
        key: ParamId,
    },
    /// A place in a figure is chosen: several parameters at once, each at the value that the figure
    /// reads out there. A parameter that has its value already keeps everything behind it, a named
    /// model too.
    Place(Vec<(AxisKey, f64)>),
    /// The run is dragged over a figure: as a place, but the gesture may go on.
    Drag(Vec<(AxisKey, f64)>),
    /// The place that was just chosen is taken back: it was the first click of a double-click.
    TakeBack,
    /// A whole scenario is taken over: advice, a preset, a reset.
    Take(Box<Scenario>),
    /// The scenario on screen goes to undo and to the link.
    Commit,
    /// Back by one commit.
    Undo,
    /// Forward by one commit.
    Redo,
    /// A link is opened, by hand or by the browser's own back and forward.
    Arrive {
        /// The scenario of the link.
        scenario: Box<Scenario>,
        /// The pinned scenarios of the link.
        pins: Vec<Scenario>,
        /// What could not be read.
        issues: Vec<Issue>,
    },
    /// The scenario on screen is pinned.
    Pin,
    /// A pinned scenario is removed, by its place.
    Unpin(usize),
    /// A pinned scenario, by its place, changes places with the one on screen.
    Swap(usize),
    /// The sentence of an example of the gallery is shown, by its place, or closed.
    Example(Option<usize>),
    /// The list of what could not be read is closed.
    DismissBanner,
    /// The explanation of this key is opened, or closed where it is open; an empty key closes any.
    OpenExplanation(&'static str),
    /// A link of the open explanation is followed.
    FollowExplanation(&'static str),
    /// The view changes.
    Look(View),
    /// A saved file is opened: what it looked at, with the reader's own theme, panels and controls.
    Restore(View),
}
