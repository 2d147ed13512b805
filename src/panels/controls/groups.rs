//! The controls by subject, each in a fold. Controls of the table's parameters are always in the
//! page, so that a search in the page finds them, unless they have no effect in the scenario;
//! constants of the hardware and parameters of the architecture are made once their fold is open.

use std::rc::Rc;

use yew::prelude::*;

use super::control::{ControlContext, control};
use super::folds::{FOLDS, Fold, MAY_BE_CUSTOM, place_of};
use super::layout::{LayoutControls, LayoutControlsProps};
use super::{pickers, trained};
use crate::browser;
use crate::state::Draft;
use analysis::inert_options::InertOptions;
use catalog::preset;
use engine::names;
use engine::params::{PARAMS, Param, every};
use engine::scenario::issue::Issue;
use engine::scenario::{CUSTOM, Model, Scenario};

/// Values to show, and callbacks.
#[derive(PartialEq, Properties)]
pub struct GroupsProps {
    /// The scenario on screen.
    pub scenario: Scenario,
    /// The scenario that changes are measured against.
    pub preset: Scenario,
    /// Texts in typed fields.
    pub drafts: Vec<Draft>,
    /// Choices with options that give the same result.
    pub effects: Rc<Vec<InertOptions>>,
    /// The issues of the scenario on screen.
    pub issues: Vec<Issue>,
    /// Batch and layout.
    pub layout: LayoutControlsProps,
}

/// The folded groups.
#[component]
pub fn Groups(props: &GroupsProps) -> Html {
    let GroupsProps { scenario, preset, drafts, effects, issues, layout } = props;
    let context = ControlContext { scenario, drafts, preset, effects, issues };
    // One bit for each open group.
    let open = use_state_eq(|| 1 << LAYOUT);
    use_unfolded(context, &open);
    let group = |((fold, rows), place): ((&Fold, Vec<Row>), u32)| {
        let bit = 1 << place;
        let bits = open.clone();
        let toggle = Callback::from(move |event: Event| {
            let is_open = browser::is_open(&event);
            bits.set(if is_open { *bits | bit } else { *bits & !bit });
        });
        folded(fold, heads(place, context, layout), rows, context, *open & bit != 0, toggle)
    };
    html! { <div>{ for FOLDS.iter().zip(rows(scenario)).zip(0_u32..).map(group) }</div> }
}

/// Opens the group of a model, GPU or cluster that has just become custom; an imported model leaves
/// its group closed.
#[hook]
fn use_unfolded(context: ControlContext<'_>, open: &UseStateHandle<u32>) {
    let ControlContext { scenario, preset, .. } = context;
    let is = |model: Model| matches!(model, Model::Custom { .. });
    let is_custom = is(scenario.model) && !is(preset.model);
    let custom = [is_custom, scenario.accelerator.id == CUSTOM, scenario.network.id == CUSTOM];
    let before = use_mut_ref(|| custom);
    let open = open.clone();
    use_effect_with(custom, move |custom| {
        let before = before.replace(*custom);
        let new =
            MAY_BE_CUSTOM.into_iter().zip(custom.iter().zip(before)).filter(|(_, (now, before))| **now && !before);
        open.set(new.fold(*open, |bits, (place, _)| bits | 1 << place));
    });
}

/// Returns the fields above the rows of a fold: the pickers of the catalog, and the layout's steps.
fn heads(
    place: u32,
    ControlContext { scenario, preset, .. }: ControlContext<'_>,
    layout: &LayoutControlsProps,
) -> Html {
    match place {
        0 => {
            html! { <div key="heads" class="set">{ pickers::model(scenario, preset) }{ pickers::made_from(scenario, preset) }</div> }
        }
        1 => {
            html! { <div key="heads" class="set">{ pickers::cluster(scenario, preset) }{ pickers::accelerator(scenario, preset) }</div> }
        }
        LAYOUT => html! { <LayoutControls key="heads" ..layout.clone() /> },
        _ => Html::default(),
    }
}

/// Index of the fold of batch and layout, which is open at first.
const LAYOUT: u32 = 3;
/// Index of the fold of what is trained.
const TRAINED: &str = "fold-trained";

/// A row of a fold: its heading within the fold, and its parameter.
type Row = (&'static str, &'static Param);

/// Returns the rows of every fold that apply to the scenario.
fn rows(scenario: &Scenario) -> [Vec<Row>; FOLDS.len()] {
    let mut rows = [const { Vec::new() }; FOLDS.len()];
    for param in every().filter(|param| param.has_control) {
        if let Some((place, heading)) = place_of(param)
            && param.is_shown(scenario)
            && let Some(rows) = rows.get_mut(place)
        {
            rows.push((heading, param));
        }
    }
    rows
}

/// Renders the layers of a model that are given as a list, in the model's fold.
fn layers(fold: &Fold, scenario: &Scenario) -> Option<Html> {
    let is_model = FOLDS.first().is_some_and(|first| first == fold);
    let list = names::layers(&scenario.model.architecture()).filter(|_| is_model)?;
    Some(html! { <p key="list" class="note">{ layer_list_note(&list) }</p> })
}

/// Renders a fold, with the number of its parameters that were changed.
fn folded(
    fold: &Fold,
    heads: Html,
    rows: Vec<Row>,
    context: ControlContext,
    open: bool,
    toggle: Callback<Event>,
) -> Html {
    let changed = rows.iter().filter(|(_, param)| preset::is_changed(param, context.scenario, context.preset)).count();
    let is_made = |param: &Param| open || PARAMS.iter().any(|row| row.id == param.id);
    let mut made: Vec<Row> = rows.into_iter().filter(|(_, param)| is_made(param)).collect();
    // Rows of one heading are adjacent; headings are in the order of their first rows.
    let headings: Vec<&str> = made.iter().map(|row| row.0).collect();
    made.sort_by_key(|row| headings.iter().position(|heading| *heading == row.0));
    html! {
        // One name, so that the browser closes a subject when another opens.
        <details class="group" name="subject" id={fold.id} {open} ontoggle={toggle}>
            <summary key="">
                { fold.title }
                if changed > 0 {
                    <span class="count">{ changed_count(changed) }</span>
                }
            </summary>
            { heads }
            { for layers(fold, context.scenario) }
            { for made.chunk_by(|one, other| one.0 == other.0).map(|run| html! {
                // With keys, fields remain the same elements while others come and go.
                <div key={["of ", run.first().map_or("", |first| first.0)].concat()} class="set">
                    { for run.first().filter(|first| !first.0.is_empty()).map(|first| html! { <p key="" class="set-title">{ first.0 }</p> }) }
                    { for run.iter().map(|(_, param)| control(param, context, true)) }
                </div>
            }) }
            if let Some(share) = trained(context.scenario).filter(|_| fold.id == TRAINED) {
                <p key="share" class="note">{ share }</p>
            }
        </details>
    }
}

/// Returns the note on a folded group in which parameters were changed.
fn changed_count(count: usize) -> String {
    format!("{count} changed")
}

/// Returns the note above the controls of a model whose layers are a list.
fn layer_list_note(list: &str) -> String {
    format!("Layers: {list}.")
}
