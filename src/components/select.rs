//! A native select over names: catalog entries, axes.

use yew::prelude::*;

use crate::browser;
use crate::context::use_page;
use crate::state::SelectTarget;

/// One option; options of a group are adjacent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Name.
    pub label: AttrValue,
    /// Heading of the group.
    pub group: Option<&'static str>,
}

impl Item {
    /// Lists options without groups by their names.
    pub fn named<T: Into<AttrValue>>(labels: impl IntoIterator<Item = T>) -> Vec<Self> {
        labels.into_iter().map(|label| Self { label: label.into(), group: None }).collect()
    }
}

/// Values to show.
#[derive(PartialEq, Properties)]
pub struct SelectProps {
    /// Identifier of the element.
    pub id: &'static str,
    /// Accessible name, if there is no label next to the select.
    #[prop_or_default]
    pub name: Option<&'static str>,
    /// The options, in order.
    pub items: Vec<Item>,
    /// Index of each option for the target, if it differs from the option's own index.
    #[prop_or_default]
    pub places: Vec<usize>,
    /// Index of the chosen option.
    pub chosen: usize,
    /// Setting that the choice changes.
    pub target: SelectTarget,
}

/// A select with option groups.
#[component]
pub fn Select(props: &SelectProps) -> Html {
    let select = use_node_ref();
    browser::use_selected(&select, props.chosen, props.items.len());
    let (page, target) = (use_page(), props.target);
    let places = props.places.clone();
    let choose = page.emit.reform(move |event: Event| {
        let place = browser::selected_index(&event);
        target.action(page.view, places.get(place).copied().unwrap_or(place))
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
