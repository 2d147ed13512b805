//! Every action on the state.

use crate::view::View;
use charts::spec::AxisKey;
use engine::model::transformer::Architecture;
use engine::params::ParamId;
use engine::scenario::issue::Issue;
use engine::scenario::{Id, Scenario};

/// An entry of the catalog, picked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pick {
    /// A model; [`engine::scenario::CUSTOM`] makes the present model custom. GPU and cluster do
    /// alike.
    Model(Id),
    /// The model of the ladder that is closest to the present model's size.
    Ladder,
    /// A GPU.
    Accelerator(Id),
    /// A cluster: its GPU, nodes and links, and full nodes of GPUs.
    Cluster(Id),
    /// A release of a training program, applied to the scenario; [`engine::scenario::CUSTOM`]
    /// removes the release.
    Release(Id),
}

/// One change of the state.
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
    /// Text is typed; if it is no value, the value from before the edit counts.
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
    EndGesture,
    /// The nearest value, offered for text that is no value, is taken.
    TakeNearest {
        /// The parameter.
        key: ParamId,
    },
    /// An edit of a typed field is cancelled: the value from before the edit returns.
    CancelEdit {
        /// The parameter.
        key: ParamId,
    },
    /// A valid value of a layout count is chosen; the batch is kept where it divides.
    StepCount {
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
    ImportModel(Box<Architecture>),
    /// A parameter goes back to its preset.
    ResetParam {
        /// The parameter.
        key: ParamId,
    },
    /// A place in a figure is chosen: several parameters at once, each at the value that the figure
    /// shows there. A parameter that already has its value is not set, so that a named model stays
    /// named.
    ChoosePlace(Vec<(AxisKey, f64)>),
    /// The run is dragged over a figure: as [`Action::ChoosePlace`], but the gesture may go on.
    Drag(Vec<(AxisKey, f64)>),
    /// The last chosen place is undone: it was the first click of a double-click.
    UndoChosenPlace,
    /// A whole scenario replaces the one on screen: advice, a preset, a reset.
    ReplaceScenario(Box<Scenario>),
    /// The scenario on screen is committed to undo and to the link.
    Commit,
    /// Back by one commit.
    Undo,
    /// Forward by one commit.
    Redo,
    /// A link is opened, by hand or by the browser's own back and forward.
    OpenLink {
        /// The scenario of the link.
        scenario: Box<Scenario>,
        /// The pinned scenarios of the link.
        pins: Vec<Scenario>,
        /// Parts of the link that could not be read.
        issues: Vec<Issue>,
    },
    /// The scenario on screen is pinned.
    Pin,
    /// A pinned scenario is removed, by its index.
    Unpin(usize),
    /// A pinned scenario, by its index, is exchanged with the one on screen.
    Swap(usize),
    /// The sentence of a gallery example is shown, by the example's index, or closed.
    ShowExample(Option<usize>),
    /// The list of parts that could not be read is closed.
    DismissBanner,
    /// The explanation with this key is opened, or closed if it is open; an empty key closes any.
    OpenExplanation(&'static str),
    /// A link of the open explanation is followed.
    FollowExplanation(&'static str),
    /// The view changes.
    ChangeView(View),
    /// A saved file restores its view, but keeps the reader's theme, panels and controls.
    RestoreView(View),
}
