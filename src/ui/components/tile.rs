//! One headline figure.

use yew::prelude::*;

use crate::ui::text;

/// What to show.
#[derive(PartialEq, Properties)]
pub struct Props {
    /// Its accessible name.
    pub name: &'static str,
    /// Its visible name, where it is shorter.
    #[prop_or_default]
    pub short: Option<&'static str>,
    /// The figure with its unit.
    pub value: AttrValue,
    /// Whether it is a bad sign.
    #[prop_or_default]
    pub below: bool,
    /// Whether it holds only if memory were no limit.
    #[prop_or_default]
    pub moot: bool,
}

/// A name over a figure. An `output` speaks up on every change unless told not to; the status line speaks instead.
#[component]
pub fn Tile(props: &Props) -> Html {
    html! {
        <div class={classes!("tile", props.moot.then_some("moot"))} title={props.moot.then_some(text::MOOT)}>
            <span class="tile-name" aria-hidden="true">{ props.short.unwrap_or(props.name) }</span>
            <output aria-label={props.name} aria-live="off" class={props.below.then_some("below")}>{ &props.value }</output>
        </div>
    }
}
