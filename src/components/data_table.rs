//! The numbers behind a figure, folded away, made only while open; beside them, the files that it can be saved as.

use std::rc::Rc;

use yew::prelude::*;

use super::canvas::Size;
use super::fold::Fold;
use crate::effects::{self, Kind};
use crate::text;
use charts::paint::{self, Style};
use charts::palette::Theme;
use charts::spec::{BarSpec, ChartSpec};
use charts::table::{self, Table};
use engine::export::csv::with_link;

/// Pixels of a saved picture in one of the page.
const FINENESS: f64 = 2.0;

/// What a figure shows.
#[derive(Clone, Debug, PartialEq)]
pub enum Shown {
    /// A chart.
    Chart(Rc<ChartSpec>),
    /// A memory bar.
    Bar(Rc<BarSpec>),
}

impl Shown {
    fn table(&self) -> Table {
        match self {
            Self::Chart(spec) => table::chart(spec),
            Self::Bar(spec) => table::bar(spec),
        }
    }

    /// The figure as SVG: with its legend and a link where it is saved, else the picture alone.
    pub fn svg(&self, style: &Style, link: Option<&str>) -> String {
        let drawn = match self {
            Self::Chart(spec) => paint::chart_svg(spec, style, link),
            Self::Bar(spec) => paint::bar_svg(spec, style, link),
        };
        drawn.unwrap_or_default()
    }

    /// Saves it as a file.
    fn save(&self, id: &'static str, kind: Kind, style: &Style) {
        let link = effects::address();
        match (kind, self) {
            (Kind::Svg, _) => effects::save_text(id, kind, &self.svg(style, Some(&link))),
            (Kind::Csv, _) => {
                let csv = match self {
                    Self::Chart(spec) => table::csv(spec),
                    Self::Bar(spec) => table::bar_csv(spec),
                };
                effects::save_text(id, kind, &with_link(csv, &link));
            }
            // A figure is no report.
            (Kind::Json, _) => {}
            (Kind::Png, _) => {
                let drawn = match self {
                    Self::Chart(spec) => paint::picture_of_chart(spec, style),
                    Self::Bar(spec) => paint::picture_of_bar(spec, style),
                };
                if let Ok(canvas) = drawn {
                    effects::save_picture(id, &canvas, link);
                }
            }
        }
    }
}

/// The figure on paper: sharp at any size, over a canvas that has no more than the pixels of the screen.
pub fn on_paper(what: &Shown, size: Size) -> Html {
    let style = Style { theme: Theme::Light, css_width: size.width, css_height: size.height, device_pixel_ratio: 1.0 };
    html! { <img class="on-paper" alt="" src={paint::data_url(&what.svg(&style, None))} /> }
}

/// A fold with a table, and the buttons that save.
pub fn data_table(id: &'static str, what: Shown, theme: Theme, size: Size) -> Html {
    let body = {
        let what = what.clone();
        Callback::from(move |()| shown(what.table()))
    };
    let style = Style { theme, css_width: size.width, css_height: size.height, device_pixel_ratio: FINENESS };
    let save = Callback::from(move |kind: Kind| what.save(id, kind, &style));
    html! {
        <div class="data-row">
            <Fold class="data" summary={text::DATA} {body} />
            <div class="save">
                { text::SAVE }
                { for Kind::ALL.into_iter().map(|kind| html! {
                    <button type="button" class="small-button" aria-label={text::save_as(id, kind.name())}
                        onclick={save.reform(move |_: MouseEvent| kind)}>{ kind.name() }</button>
                }) }
            </div>
        </div>
    }
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
