//! A native select over names: catalog entries, axes.

use yew::prelude::*;

use crate::browser;
use crate::state::{Action, SelectTarget};
use crate::view::View;

/// One option; options of the same group stand together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Its name.
    pub label: AttrValue,
    /// The heading it stands under.
    pub group: Option<&'static str>,
}

/// What to show, and where the choice goes.
#[derive(PartialEq, Properties)]
pub struct Props {
    /// The element's identifier.
    pub id: &'static str,
    /// The accessible name, for where no label stands beside it.
    #[prop_or_default]
    pub name: Option<&'static str>,
    /// The options, in order.
    pub items: Vec<Item>,
    /// What each option's place means to the target, where that is not the place itself.
    #[prop_or_default]
    pub places: Vec<usize>,
    /// The chosen one.
    pub chosen: usize,
    /// What is looked at.
    #[prop_or_default]
    pub view: View,
    /// What choosing sets.
    pub target: SelectTarget,
    /// Takes the action.
    pub emit: Callback<Action>,
}

/// A select with option groups.
#[component]
pub fn Select(props: &Props) -> Html {
    let select = use_node_ref();
    browser::use_selected(&select, props.chosen, props.items.len());
    let (view, target) = (props.view, props.target);
    let places = props.places.clone();
    let choose = props.emit.reform(move |event: Event| {
        let place = browser::selected_index(&event);
        target.action(view, places.get(place).copied().unwrap_or(place))
    });
    let option = |(place, item): (usize, &Item)| {
        html! { <option value={place.to_string()} selected={place == props.chosen}>{ &item.label }</option> }
    };
    let numbered: Vec<(usize, &Item)> = props.items.iter().enumerate().collect();
    html! {
        <select ref={select} id={props.id} aria-label={props.name} onchange={choose}>
            { for numbered.chunk_by(|one, other| one.1.group == other.1.group).map(|run| {
                let options = run.iter().copied().map(option);
                match run.first().and_then(|first| first.1.group) {
                    Some(group) => html! { <optgroup label={group}>{ for options }</optgroup> },
                    None => html! { <>{ for options }</> },
                }
            }) }
        </select>
    }
}
