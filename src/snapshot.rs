//! The content of the screen, as links and saved files restore it.

use crate::view::View;
use engine::format;
use engine::scenario::{Model, Scenario};
use links::{Decoded, decode, encode_with};

/// A scenario, its pinned scenarios, and the view.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// The scenario.
    pub scenario: Scenario,
    /// The pinned scenarios.
    pub pins: Vec<Scenario>,
    /// Axes, panels and other view settings.
    pub view: View,
}

impl Snapshot {
    /// Returns the query and the fragment of the snapshot's link, without the reader's theme.
    pub fn link(&self) -> String {
        self.view.without_theme().query() + "#" + &encode_with(&self.scenario, &self.pins)
    }

    /// Reads a snapshot from the query and the fragment of a link.
    pub fn from_link(link: &str) -> Self {
        let (query, fragment) = link.split_once('#').unwrap_or((link, ""));
        let Decoded { scenario, pins, .. } = decode(fragment);
        Self { scenario, pins, view: View::from_query(query) }
    }

    /// Returns the snapshot for a page of its own, outside an embed.
    #[must_use]
    pub fn alone(&self) -> Self {
        Self { view: self.view.alone(), ..self.clone() }
    }

    /// Returns the name of a file saved from the snapshot: `shardwise-map-13b-64x-a100-40gb.svg`.
    pub fn file_name(&self, figure: &str, kind: &str) -> String {
        file_name(figure, &self.scenario, kind)
    }
}

/// Returns the name of a saved file: the figure and the scenario, in characters that every file
/// system accepts.
pub fn file_name(figure: &str, scenario: &Scenario, kind: &str) -> String {
    let model = match scenario.model {
        Model::Preset { id, .. } => id.to_string(),
        Model::Scaled { id, .. } => format!("{id}-scaled-{}", format::params(scenario.model.size())),
        Model::Ladder { .. } | Model::Custom { .. } => format::params(scenario.model.size()),
    };
    let (gpus, gpu) = (scenario.gpus, scenario.accelerator.id);
    format!("shardwise-{figure}-{model}-{gpus}x-{gpu}.{kind}").to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::{Action, State};
    use catalog::default_scenario;
    use engine::params::ParamId;
    use links::decode;
    use std::rc::Rc;
    use yew::Reducible as _;

    #[test]
    fn a_snapshot_of_an_embed_leads_to_the_scenario_on_screen_on_a_page_of_its_own() {
        let view = View::from_query("?embed=1&view=map&controls=all&theme=dark");
        let state = Rc::new(State::new(&default_scenario(), Vec::new(), view));
        let state = state.reduce(Action::Slide { key: ParamId::SequenceLength, index: 3 });
        let moved = Snapshot { scenario: state.scenario, pins: state.pins.clone(), view: state.view };
        assert_ne!(moved.scenario, default_scenario());
        let link = moved.alone().link();
        let (query, fragment) = link.split_once('#').unwrap_or_default();
        assert_eq!(query, "?view=map");
        assert_eq!(decode(fragment).scenario, moved.scenario);
        assert_eq!(moved.link().split_once('#').unwrap_or_default().0, "?embed=1&view=map&controls=all");
    }
}
