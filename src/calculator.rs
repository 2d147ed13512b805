//! What the page and an embed share: one state, what follows from it, and where panels send what
//! happens.

mod derived;
pub mod headline;

pub use derived::{Advised, Buffers, Derived, Pace, derive};

use std::rc::Rc;

use yew::prelude::*;

use self::derived::use_derived;
use self::headline::Headline;
use crate::browser::{self, PaintWorker, Phase, Rows};
use crate::components::latest::{Latest, use_latest};
use crate::snapshot::Snapshot;
use crate::state::{Action, State};
use crate::view::{Controls, Panel, View};
use crate::worker::Words;
use charts::palette::Theme;
use charts::views::TIME;
use engine::model::report::Report;
use engine::scenario::Scenario;
use engine::scenario::issue::Issue;

/// What the link opened.
#[derive(Clone, PartialEq, Properties)]
pub struct Start {
    /// The scenario.
    pub scenario: Scenario,
    /// The scenarios pinned beside it.
    pub pins: Vec<Scenario>,
    /// What could not be read.
    pub issues: Vec<Issue>,
    /// What is looked at.
    pub view: View,
}

/// The state with everything that follows from it, and the callbacks of the panels.
pub struct Calculator {
    /// The choices.
    pub state: UseReducerHandle<State>,
    /// What paints map and curves.
    pub worker: PaintWorker,
    /// Has map and curves derived by the page too, where they are still those of what was on screen
    /// before.
    pub ask: Option<Callback<()>>,
    /// What the worker says beside its figures until then, by [`crate::plots::Plot`].
    pub words: [Option<Rc<Words>>; 2],
    /// The scenario on screen, for callbacks that last.
    pub on_screen: Latest<Scenario>,
    /// What follows from the choices.
    pub derived: Rc<Derived>,
    /// What is on screen whenever it is asked.
    pub latest: Latest<Rc<Snapshot>>,
    /// The same of the scenario as it last stood still.
    pub still: Rc<Derived>,
    /// What is on screen, for links and saved files.
    pub snapshot: Rc<Snapshot>,
    /// What panels below the first screen show.
    pub settled: Settled,
    /// Light or dark.
    pub theme: Theme,
    /// The headline.
    pub headline: Headline,
    /// The headline of the scenario as it last stood still, as a sentence.
    pub sentence: AttrValue,
    /// What the status line says.
    pub status: AttrValue,
    /// Takes every action.
    pub dispatch: Callback<Action>,
    /// Takes the actions of the reader, who only looks where an embed has no controls.
    pub emit: Callback<Action>,
    /// Takes what the status line should say.
    pub say: Callback<AttrValue>,
}

impl Calculator {
    /// Whether a slider moves: the scenario has not stood still since it changed.
    pub fn is_moving(&self) -> bool {
        self.settled.snapshot.scenario != self.state.scenario
    }
}

/// What a panel below the first screen shows, and where it sends what happens: the scenario as it
/// was when it last stood still.
#[derive(Clone, PartialEq, Properties)]
pub struct Settled {
    /// Scenario, pinned scenarios and view.
    pub snapshot: Rc<Snapshot>,
    /// The step of the scenario, evaluated.
    pub report: Report,
    /// Whether it has stood still for so long that what is out of sight, and what takes long, may
    /// follow.
    pub rested: bool,
    /// The published rows.
    pub rows: Rows,
    /// Light or dark.
    pub theme: Theme,
    /// Takes actions.
    pub emit: Callback<Action>,
    /// Takes what the status line should say.
    pub say: Callback<AttrValue>,
}

/// The calculator that a link opens.
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
    let charts = worker.thread().page_paints() || !moving && is_read;
    let derived = use_derived(&snapshot, Pace { moving, charts });
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
    let sentence = use_memo((settled, report), |(settled, report)| {
        AttrValue::from(headline::headline(settled, report).sentence())
    });
    let sentence = (*sentence).clone();
    let (status, say) = use_status(&sentence, view);
    let rows = browser::use_rows(rested && (!view.embed || view.shows(Panel::Agreement)));
    let settled = Settled { snapshot: of_settled, report, rested, rows, theme, emit: emit.clone(), say: say.clone() };
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
        theme,
        headline,
        sentence,
        status,
        dispatch,
        emit,
        say,
    }
}

/// Whether an action leaves the scenario as it is: the only actions in an embed without controls.
fn only_looks(action: &Action) -> bool {
    match action {
        Action::Look(_) | Action::OpenExplanation(_) | Action::FollowExplanation(_) | Action::DismissBanner => true,
        // In the timeline a place is what is looked at.
        Action::Place(values) => values.iter().all(|(key, _)| *key == TIME),
        _ => false,
    }
}

/// A scenario with the pins and the view of the state.
#[hook]
fn use_snapshot(scenario: &Scenario, state: &State) -> Rc<Snapshot> {
    use_memo((*scenario, state.pins.clone(), state.view), |(scenario, pins, view)| Snapshot {
        scenario: *scenario,
        pins: pins.clone(),
        view: *view,
    })
}

/// What follows from the scenario as it last stood still.
#[derive(Clone)]
struct Figures {
    /// What follows, with the scenario that it is of.
    derived: Rc<Derived>,
    /// Whether it has stood still for so long that what is out of sight, and what takes long, may
    /// follow.
    rested: bool,
}

/// The figures of the scenario that stands still; while it moves, those from before.
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

/// What the status line says, and the callback that sets it: the sentence given last, until the
/// headline is another one. An embed says its headline only once it has changed.
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
