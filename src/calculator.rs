//! State shared by the page and an embed: the reducer, everything derived from it, and the
//! callbacks of the panels.

mod derived;
pub mod headline;

pub use derived::{Advised, Buffers, Derived, Pace, derive};

use std::rc::Rc;

use yew::prelude::*;

use self::derived::use_derived;
use self::headline::Headline;
use crate::browser::{self, PaintWorker, Phase, Rows};
use crate::components::latest::{Latest, use_latest};
use crate::context::PageContext;
use crate::plots::PLOTS;
use crate::snapshot::Snapshot;
use crate::state::{Action, State};
use crate::view::{Controls, Panel, View};
use crate::worker::Words;
use charts::views::TIME;
use engine::model::report::Report;
use engine::scenario::Scenario;
use engine::scenario::issue::Issue;

/// Initial state, from the link that opened the page.
#[derive(Clone, PartialEq, Properties)]
pub struct Start {
    /// The scenario.
    pub scenario: Scenario,
    /// The pinned scenarios.
    pub pins: Vec<Scenario>,
    /// Parts of the link that could not be read.
    pub issues: Vec<Issue>,
    /// Axes, panels and other view settings.
    pub view: View,
    /// Whether the drawer of controls is open.
    pub drawer: bool,
}

/// The state, everything derived from it, and the callbacks of the panels.
pub struct Calculator {
    /// The choices.
    pub state: UseReducerHandle<State>,
    /// The worker that paints map and curves.
    pub worker: PaintWorker,
    /// Makes the page derive map and curves too; `None` while its figures match the snapshot on
    /// screen.
    pub ask: Option<Callback<()>>,
    /// Captions and values from the worker, by [`crate::plots::Plot`], while the page's own figures
    /// do not match the snapshot on screen.
    pub words: [Option<Rc<Words>>; PLOTS],
    /// The scenario on screen, for callbacks that outlive a redraw.
    pub on_screen: Latest<Scenario>,
    /// Everything derived from the scenario on screen.
    pub derived: Rc<Derived>,
    /// The snapshot on screen, for callbacks that outlive a redraw.
    pub latest: Latest<Rc<Snapshot>>,
    /// Everything derived from the last settled scenario.
    pub still: Rc<Derived>,
    /// The snapshot on screen, for links and saved files.
    pub snapshot: Rc<Snapshot>,
    /// Values for panels below the first screen.
    pub settled: SettledProps,
    /// View, theme and callbacks, which components read as the context of the page.
    pub page: PageContext,
    /// The headline.
    pub headline: Headline,
    /// Headline of the last settled scenario, as a sentence.
    pub sentence: AttrValue,
    /// Text of the status line.
    pub status: AttrValue,
    /// Applies any action.
    pub dispatch: Callback<Action>,
}

impl Calculator {
    /// Whether the scenario has changed since it last settled, as while a slider moves.
    pub fn is_moving(&self) -> bool {
        self.settled.snapshot.scenario != self.state.scenario
    }
}

/// Values for a panel below the first screen, from the last settled scenario.
#[derive(Clone, PartialEq, Properties)]
pub struct SettledProps {
    /// Scenario, pinned scenarios and view.
    pub snapshot: Rc<Snapshot>,
    /// Report of one step of the scenario.
    pub report: Report,
    /// True once the scenario has been unchanged for 450 ms: panels out of sight and long
    /// computations may then follow.
    pub rested: bool,
    /// The published rows.
    pub rows: Rows,
}

/// Creates the calculator for the scenario of a link.
#[hook]
pub fn use_calculator(start: &Start) -> Calculator {
    let state = {
        let start = start.clone();
        use_reducer(move || State::new(&start.scenario, start.issues, start.view).with_pins(start.pins))
    };
    let view = state.view;
    let dispatch = browser::use_frame_queue(&state);
    let emit = {
        let dispatch = dispatch.clone();
        use_callback(view.embed && view.controls == Controls::None, move |action: Action, fixed| {
            if !*fixed || only_looks(&action) {
                dispatch.emit(action);
            }
        })
    };
    let phase = browser::use_phase(&state.scenario);
    browser::use_commit(&state, phase, &dispatch);
    browser::use_shortcuts(&emit);
    browser::use_card_focus(view.why, view.why_root());
    let theme = browser::use_theme(view.theme, !view.embed);

    let on_screen = use_latest(state.scenario);
    let snapshot = use_snapshot(&state.scenario, &state);
    let moving = phase == Phase::Moving;
    let worker = browser::use_worker(&snapshot, moving, theme);
    let asked = use_state_eq(|| None::<Scenario>);
    let printing = browser::use_printing();
    let is_read = phase == Phase::Idle || printing || *asked == Some(state.scenario);
    // The layouts of the curves are the worker's: the page's own search would block it.
    let is_found = printing || is_read && worker.has_painted(&snapshot);
    let charts = worker.thread().page_paints() || !moving && is_found;
    let is_first = worker.thread().is_starting();
    let derived = use_derived(&snapshot, Pace { moving, charts, is_first }, worker.layouts());
    let stale = derived.charts.snapshot != snapshot;
    let ask = {
        let setter = asked.setter();
        let latest = use_latest(state.scenario);
        use_callback((), move |(), ()| setter.set(latest.get()))
    };
    let ask = stale.then_some(ask);
    let latest = use_latest(snapshot.clone());
    let words = if stale { worker.words() } else { Default::default() };
    let figures = use_figures(&derived, phase);
    let of_settled = use_snapshot(&figures.derived.scenario, &state);
    let (still, rested) = (figures.derived.clone(), figures.rested);
    let (settled, report) = (still.scenario, still.report);

    let headline = headline::headline(&state.scenario, &derived.report);
    let planned = headline::planned(&settled, &view);
    let sentence = use_memo((settled, report, planned), |(settled, report, planned)| {
        let judged = || headline::headline(settled, report).sentence();
        AttrValue::from(planned.clone().unwrap_or_else(judged))
    });
    let sentence = (*sentence).clone();
    let (status, say) = use_status(&sentence, view);
    let complete = browser::use_complete();
    let rows = browser::use_rows(rested && complete && (!view.embed || view.shows(Panel::Agreement)));
    let settled = SettledProps { snapshot: of_settled, report, rested, rows };
    let page = PageContext { view, theme, printing, emit, say };
    Calculator {
        state,
        worker,
        ask,
        words,
        on_screen,
        derived,
        latest,
        still,
        snapshot,
        settled,
        page,
        headline,
        sentence,
        status,
        dispatch,
    }
}

/// Whether an action leaves the scenario unchanged. An embed without controls applies only these.
fn only_looks(action: &Action) -> bool {
    match action {
        Action::ChangeView(_) | Action::OpenExplanation(_) | Action::FollowExplanation(_) | Action::DismissBanner => {
            true
        }
        // In the timeline, a place sets the view only.
        Action::ChoosePlace(values) => values.iter().all(|(key, _)| *key == TIME),
        _ => false,
    }
}

/// Returns a snapshot of a scenario with the pins and the view of the state.
#[hook]
fn use_snapshot(scenario: &Scenario, state: &State) -> Rc<Snapshot> {
    use_memo((*scenario, state.pins.clone(), state.view), |(scenario, pins, view)| Snapshot {
        scenario: *scenario,
        pins: pins.clone(),
        view: *view,
    })
}

/// Figures of the last settled scenario.
#[derive(Clone)]
struct Figures {
    /// The derived values, with their scenario.
    derived: Rc<Derived>,
    /// True once the scenario has been unchanged for 450 ms: panels out of sight and long
    /// computations may then follow.
    rested: bool,
}

/// Returns the figures of the scenario once it has settled; while it changes, the previous figures.
#[hook]
fn use_figures(derived: &Rc<Derived>, phase: Phase) -> Figures {
    let now = || Figures { derived: derived.clone(), rested: phase == Phase::Idle };
    let kept = use_mut_ref(now);
    let mut kept = kept.borrow_mut();
    if phase > Phase::Moving {
        *kept = now();
    }
    kept.clone()
}

/// Returns the text of the status line, and the callback that sets it. The text is the last
/// sentence set, until the headline changes. An embed is silent until its headline first changes.
#[hook]
fn use_status(headline: &AttrValue, view: View) -> (AttrValue, Callback<AttrValue>) {
    let said = use_state_eq(|| None::<AttrValue>);
    let say = {
        let setter = said.setter();
        use_callback((), move |sentence: AttrValue, ()| setter.set(Some(sentence)))
    };
    let setter = said.setter();
    use_effect_with(headline.clone(), move |_| setter.set(None));
    let silent = use_mut_ref(|| view.embed.then(|| headline.clone()));
    let mut silent = silent.borrow_mut();
    if silent.as_ref().is_some_and(|first| first != headline) {
        *silent = None;
    }
    let resting = if silent.is_some() { AttrValue::Static("") } else { headline.clone() };
    ((*said).clone().unwrap_or(resting), say)
}
