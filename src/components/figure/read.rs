//! The values at the crosshair of a figure.

use yew::prelude::*;

use super::Hint;
use super::input::Input;
use crate::worker::Words;
use charts::readout::Entry;

/// The readout of a figure, or of the scenario on screen while nothing is pointed at.
pub(super) struct Read {
    /// Names and values of the place.
    place: Vec<Entry>,
    /// Values in the line under the chart.
    unlisted: Vec<Entry>,
    /// Values in the legend.
    pub(super) listed: Vec<Entry>,
    /// Values at the crosshair: rows with a number.
    pub(super) tip: Vec<Entry>,
    /// Whether the legend has all values.
    is_listing: bool,
}

impl Read {
    /// Reads a figure at the crosshair, or else at the scenario on screen, whose values are the
    /// worker's if the worker paints the figure.
    pub(super) fn of(input: &Input, words: Option<&Words>) -> Self {
        let (spec, shown) = (&input.spec, input.shown());
        let is_listing = spec.field.is_none() && spec.lanes.is_none();
        let resting = spec.here.filter(|_| spec.field.is_none());
        let said = shown.or(resting).map(|place| input.readout(place));
        let (place, mut entries) = said.map_or_else(Default::default, |said| (said.place, said.entries));
        // A row without a value here is in the line under the chart, but not at the crosshair.
        let has_value = |row: &&Entry| row.value.contains(|sign: char| sign.is_ascii_digit());
        let tip = place.iter().chain(&entries).filter(has_value).cloned().collect();
        if let Some(words) = words.filter(|_| shown.is_none()) {
            for entry in &mut entries {
                let value = words.values.iter().find(|(name, _)| *name == entry.name);
                entry.value = value.map(|(_, value)| value.clone()).unwrap_or_default();
            }
        }
        let (listed, unlisted) = entries.into_iter().partition(|entry| entry.role.is_some());
        Self { place, unlisted, listed, tip, is_listing }
    }

    /// Whether the line under the chart has values that the legend lacks.
    pub(super) fn is_pointed(&self) -> bool {
        !(self.place.is_empty() || self.is_listing)
    }

    /// Renders the line under the chart; while nothing is pointed at, the instructions.
    pub(super) fn line(&self, hint: Hint) -> Html {
        if self.place.is_empty() {
            // For screen readers and the keyboard; a pointer finds out by itself.
            return html! { <p class="hidden">{ hint.0 }{ " " }{ hint.1 }</p> };
        }
        html! {
            <dl class={classes!("readout", (!self.is_listing).then_some("deep"))}>
                { for self.place.iter().chain(&self.unlisted).map(|entry| html! {
                    <div><dt>{ entry.name.clone() }</dt>{ " " }<dd>{ entry.value.clone() }</dd></div>
                }) }
            </dl>
        }
    }
}
