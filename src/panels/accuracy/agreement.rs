//! Every published row as a mark: measured against predicted.

use std::rc::Rc;

use yew::prelude::*;

use super::alike::Alike;
use crate::browser::{self, Rows};
use crate::calculator::SettledProps;
use crate::components::figure::Figure;
use crate::components::how::how;
use crate::components::select::{Item, Select};
use crate::context::use_page;
use crate::snapshot::Snapshot;
use crate::state::{Action, SelectTarget};
use charts::spec::{ChartSpec, LineRole};
use charts::views::{self, AgreementView, Filter, Measure, ScoredRows};
use engine::format;
use engine::scenario::Scenario;
use links::encode;

/// Caption until the rows are loaded.
const COMING: &str = "Loading published runs…";
/// Text in place of a readout while nothing is pointed at and no row is on screen.
const HINT: (&str, &str) = (
    "Point to read a row out, click to load it as the scenario.",
    "With the keyboard: focus the figure, arrow keys, Enter.",
);
/// Note under the figure.
const SOURCES: &str = "Rows that measured neither and runs that failed are not among them. Each row as its source has it, what it leaves \
     out and how that was completed: tests/measured and docs/book/accuracy.md in the repository.";
/// Heading of the sources among the options.
const BY_SOURCE: &str = "By source";

/// Values derived from the rows and the view.
struct Made {
    spec: Rc<ChartSpec>,
    /// Index among the rows of each mark.
    places: Vec<usize>,
    /// The options of the select over rows.
    items: Vec<Item>,
    /// The legend of the kinds of rows.
    foot: Html,
}

/// The figure with its selects. Once it is in sight, the row of the scenario on screen is looked
/// up.
#[component]
pub fn Agreement(props: &SettledProps) -> Html {
    let SettledProps { snapshot, rows, .. } = props;
    let emit = use_page().emit;
    let Snapshot { scenario, view, .. } = &**snapshot;
    let view = *view;
    let place = use_node_ref();
    let seen = browser::use_seen(&place);
    let loaded = rows.here().cloned();
    let (picked, last) = (use_mut_ref(|| None::<usize>), use_mut_ref(|| None::<usize>));
    let here = {
        let (rows, picked) = (rows.clone(), picked.clone());
        *use_memo((*scenario, seen, matches!(rows, Rows::Here(_))), move |(scenario, seen, _)| {
            if *seen && let Rows::Here(rows) = &rows {
                *last.borrow_mut() = on_screen(rows, scenario, *picked.borrow());
            }
            *last.borrow()
        })
    };
    let state = match rows {
        Rows::Coming => None,
        Rows::Missing(status) => Some(*status),
        Rows::Here(_) => Some(u16::MAX),
    };
    let made = {
        let rows = rows.clone();
        use_memo((state, view.agreement, here), move |&(_, view, here)| made(&rows, view, here))
    };
    let take = {
        let (made, emit, rows) = (made.clone(), emit, rows.clone());
        Callback::from(move |mark: usize| {
            if let (Rows::Here(rows), Some(place)) = (&rows, made.places.get(mark))
                && let Some(scored) = rows.rows.get(*place)
            {
                *picked.borrow_mut() = Some(*place);
                emit.emit(Action::ReplaceScenario(Box::new(scored.row.scenario())));
            }
        })
    };
    let measures = Item::named(Measure::ALL.map(Measure::label));
    html! {
        <>
        <div class="figure wide tall" ref={place}>
            <Figure id="agreement" spec={made.spec.clone()} snapshot={snapshot.clone()}
                hint={HINT} foot={made.foot.clone()} {take}>
                <Select id="agreement-of" name="What is compared" items={measures} chosen={view.agreement.measure as usize}
                    target={SelectTarget::AgreementMeasure} />
                <span>{ "of" }</span>
                <Select id="agreement-rows" name="Which rows" items={made.items.clone()} chosen={view.agreement.shown}
                    target={SelectTarget::AgreementRows} />
            </Figure>
        </div>
        <Alike scenario={*scenario} rows={loaded} />
        </>
    }
}

/// Returns the row of the scenario on screen: the row that was picked, if it is still on screen,
/// else the first match.
fn on_screen(rows: &ScoredRows, scenario: &Scenario, picked: Option<usize>) -> Option<usize> {
    let link = encode(scenario);
    let is_it = |place: &usize| rows.rows.get(*place).is_some_and(|scored| scored.row.link == link);
    picked.filter(is_it).or_else(|| (0..rows.rows.len()).find(is_it))
}

fn made(rows: &Rows, view: AgreementView, here: Option<usize>) -> Made {
    let nothing = ScoredRows::default();
    let (all, instead) = match rows {
        Rows::Here(all) => (&**all, None),
        Rows::Coming => (&nothing, Some(COMING.into())),
        Rows::Missing(status) => (&nothing, Some(missing(*status))),
    };
    let (mut spec, places) = views::agreement(all, view, here);
    if let Some(instead) = instead {
        spec.caption = instead;
    }
    let item = |(filter, name, count): (Filter, &str, usize)| Item {
        label: format!("{name} ({})", format::count(count as f64)).into(),
        group: matches!(filter, Filter::Source(_)).then_some(BY_SOURCE),
    };
    Made {
        spec: Rc::new(spec),
        places,
        items: views::filters(all, view.measure).into_iter().map(item).collect(),
        foot: foot(all, view),
    }
}

/// Renders the colours of the kinds of rows, and the note on their sources.
fn foot(all: &ScoredRows, view: AgreementView) -> Html {
    html! {
        <>
            <ul class="legend kinds">
                { for views::kinds(all, view).into_iter().map(|(place, name, found)| html! {
                    <li>
                        <svg class="sample" viewBox="0 0 22 12" aria-hidden="true">
                            <circle class={LineRole::Set(place).class()} cx="11" cy="6" r="2" stroke-width="4" fill="none" />
                        </svg>
                        { name }{ ": " }{ found }
                    </li>
                }) }
            </ul>
            { how(SOURCES) }
        </>
    }
}

/// Returns the caption if the rows could not be loaded.
fn missing(status: u16) -> String {
    let cause = match status {
        0 => "no answer came from where this page lies".to_owned(),
        status => format!("the answer to rows.txt was status {status}"),
    };
    format!(
        "The published rows could not be loaded: {cause}. Check the connection, then scroll away and back to try again."
    )
}
