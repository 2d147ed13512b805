//! A native select over names: catalog entries, axes.

use yew::prelude::*;

use crate::ui::effects;

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
    /// The chosen one.
    pub chosen: usize,
    /// Takes the index of what is chosen.
    pub choose: Callback<usize>,
}

/// A select with option groups.
#[component]
pub fn Select(props: &Props) -> Html {
    let select = use_node_ref();
    effects::use_selected(&select, props.chosen, props.items.len());
    let choose = props.choose.reform(|event: Event| effects::selected_index(&event));
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
