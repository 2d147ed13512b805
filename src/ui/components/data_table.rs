//! The numbers behind a figure, folded away; made only while open.

use yew::prelude::*;

use super::fold::Fold;
use crate::chart::table::Table;
use crate::ui::text;

/// A fold with a table.
pub fn data_table(make: impl Fn() -> Table + 'static) -> Html {
    let body = Callback::from(move |()| shown(make()));
    html! { <Fold class="data" summary={text::DATA} {body} /> }
}

fn shown(data: Table) -> Html {
    html! {
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
    }
}
