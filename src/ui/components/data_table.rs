//! The numbers behind a figure, folded away; made only while open.

use std::rc::Rc;

use yew::prelude::*;

use crate::chart::spec::{BarSpec, ChartSpec};
use crate::chart::table;
use crate::ui::effects;
use crate::ui::text;

/// A figure.
#[derive(Clone, PartialEq)]
pub enum Source {
    /// A chart.
    Chart(Rc<ChartSpec>),
    /// A bar.
    Bar(Rc<BarSpec>),
}

/// What to show.
#[derive(PartialEq, Properties)]
pub struct Props {
    /// The figure.
    pub source: Source,
}

/// A `details` with a table.
#[component]
pub fn DataTable(props: &Props) -> Html {
    let open = use_state(|| false);
    let toggle = {
        let open = open.clone();
        Callback::from(move |event: Event| open.set(effects::is_open(&event)))
    };
    let data = open.then(|| match &props.source {
        Source::Chart(spec) => table::chart(spec),
        Source::Bar(spec) => table::bar(spec),
    });
    html! {
        <details class="data" ontoggle={toggle}>
            <summary>{ text::DATA }</summary>
            { for data.map(|data| html! {
                <>
                <p>{ &data.caption }</p>
                <p class="scroll-hint" aria-hidden="true">{ text::SCROLL }</p>
                <div class="scroll" tabindex="0" role="region" aria-label={data.caption.clone()}>
                    <table aria-label={data.caption}>
                        <thead><tr>{ for data.header.into_iter().map(|name| html! { <th scope="col">{ name }</th> }) }</tr></thead>
                        <tbody>
                            { for data.rows.into_iter().map(|row| html! {
                                <tr>{ for row.into_iter().map(|cell| html! { <td>{ cell }</td> }) }</tr>
                            }) }
                        </tbody>
                    </table>
                </div>
                </>
            }) }
        </details>
    }
}
