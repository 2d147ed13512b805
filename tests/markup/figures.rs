//! Figures: summaries, tables, places, parts of axes.

use crate::{after, embed, embedded, page, page_at, rendered, words};
use charts::spec::StackContent;
use charts::timeline::Level;
use charts::views::{Scratch, TIME, feasible_region};
use engine::params::ParamId;
use engine::scenario::{Scenario, Strategy};
use shardwise::components::data_table::DATA;
use shardwise::components::figure::RESET_ZOOM;
use shardwise::panels::memory::step_memory::{LOADING, SAVING, STEPS};
use shardwise::panels::step::timeline::LEVELS;
use shardwise::snapshot::file_name;
use shardwise::state::Action;
use shardwise::view::{Panel, View};
use shardwise::{App, Start};
use yew::Reducible as _;

#[test]
fn every_figure_has_a_summary_and_a_table() {
    for (id, panel, tables) in [
        ("map", Panel::Map, 2),
        ("curve", Panel::Curve, 2),
        ("best", Panel::Best, 2),
        ("memory", Panel::Memory, 3),
        ("waterfall", Panel::Waterfall, 3),
        ("step-memory", Panel::StepMemory, 3),
        ("timeline", Panel::Timeline, 3),
        ("agreement", Panel::Agreement, 2),
    ] {
        let html = page_at(panel, &catalog::default_scenario());
        assert_eq!(html.matches(DATA).count(), tables, "{id}");
        let canvas = html.split("<canvas").find(|part| part.contains(&format!("id=\"{id}\""))).unwrap();
        let canvas = canvas.split('>').next().unwrap();
        assert!(canvas.contains("role=\"img\"") && canvas.contains("aria-label=\""), "{canvas}");
    }
}

#[test]
fn the_timeline_has_a_legend_and_its_levels() {
    let html = page_at(Panel::Timeline, &catalog::default_scenario());
    let figure = html.split("<figure").find(|part| part.contains("id=\"timeline\"")).unwrap();
    let figure = figure.split("</figure>").next().unwrap();
    for name in LEVELS {
        assert!(figure.contains(&format!(">{name}</option>")), "no option {name}");
    }
    let spoken = words(figure);
    for name in ["Forward", "Backward", "All-gather", "Reduce-scatter", "Optimizer", "Compute takes ", " of "] {
        assert!(spoken.contains(name), "{name} not in {spoken}");
    }
    assert!(html.contains("<figure class=\"figure lanes-2\">"));
}

#[test]
fn memory_over_one_step_has_its_switch_its_legend_and_loading_and_saving_beside_it() {
    let figure = |html: &str| -> String {
        let figure = html.split("<figure").find(|part| part.contains("id=\"step-memory\"")).unwrap();
        figure.split("</figure>").next().unwrap().to_owned()
    };
    // The figure is replayed on the page once it is in sight, in an embed at once.
    let (coming, played) = (
        figure(&page_at(Panel::StepMemory, &catalog::default_scenario())),
        figure(&embed("embed=1&view=step-memory", Vec::new())),
    );
    for html in [&coming, &played] {
        for name in STEPS {
            assert!(html.contains(&format!(">{name}</option>")), "no option {name}");
        }
        for layer in StackContent::ALL.into_iter().filter(|layer| !layer.is_rare()) {
            assert!(html.contains(&format!("class=\"{}\"", layer.class())), "no {layer:?}");
        }
        let spoken = words(html);
        for name in ["Weights", "Communication buffers", "Reserved by the allocator", "GPU memory", LOADING, SAVING] {
            assert!(spoken.contains(name), "{name} not in {spoken}");
        }
    }
    assert!(!coming.contains("peaks at ") && coming.contains("Simulating one step"));
    assert!(
        played.contains("aria-label=\"Memory over one step: The simulated step peaks at ")
            && words(&played).contains("allocated ")
    );
    let first = figure(&embed("embed=1&view=step-memory&step=first", Vec::new()));
    assert_ne!(first.split("aria-label").nth(1), played.split("aria-label").nth(1));
}

#[test]
fn a_place_on_the_timeline_is_looked_at_closer_and_changes_no_scenario() {
    let click = || Action::ChoosePlace(vec![(TIME, 0.3)]);
    let levels = [vec![], vec![click()], vec![click(), click()], vec![click(), click(), click()]];
    let found = levels.map(|actions| after(actions).view.zoom.level);
    assert_eq!(found, [Level::Step, Level::MicroBatch, Level::Layer, Level::Layer]);
    let state = after(vec![click()]);
    assert_eq!((state.view.zoom.at, &state.scenario), (0.3, &catalog::default_scenario()));
    assert_eq!(state.view.query(), "");
}

#[test]
fn a_double_click_takes_its_own_click_back() {
    let start = catalog::default_scenario();
    let place = || Action::ChoosePlace(vec![(ParamId::SequenceLength.into(), 2048.0)]);
    let moved = after(vec![place()]);
    assert_eq!(moved.scenario.seq_len, 2048);
    let closer = View { curve_part: Some((20.0, 40.0)), ..View::default() };
    // Before and after the click is committed, and with a change of the view in between.
    for actions in
        [vec![place()], vec![place(), Action::Commit], vec![place(), Action::Commit, Action::ChangeView(closer)]]
    {
        let back = after(actions).reduce(Action::UndoChosenPlace);
        assert_eq!(back.scenario, start);
        assert_eq!(back.committed(), start);
        assert!(!back.can_undo() && !back.can_redo());
    }
    // A change after the place is kept.
    let slid = after(vec![place(), Action::Slide { key: ParamId::MicroBatchSize, index: 1 }]);
    assert_eq!(slid.clone().reduce(Action::UndoChosenPlace).scenario, slid.scenario);
}

#[test]
fn a_part_of_an_axis_is_what_the_axis_has() {
    let look =
        |part| after(vec![Action::ChangeView(View { curve_part: Some(part), ..View::default() })]).view.curve_part;
    assert_eq!(look((20.0, 40.0)), Some((20.0, 40.0)));
    assert_eq!(look((0.0, 40.0)), Some((10.0, 40.0)));
    assert_eq!(look((0.0, 1e9)), None);
}

#[test]
fn a_narrowed_figure_says_so_and_offers_the_whole() {
    let scenario = catalog::default_scenario();
    let whole = page(&scenario, Vec::new());
    assert!(!whole.contains(RESET_ZOOM));
    let [map, curve] = ["&view=map", "&view=curve"].map(|view| {
        let view = View::from_query(&["?x=16384..65536&cx=300..900", view].concat());
        rendered::<App>(Start { scenario, issues: Vec::new(), view, pins: Vec::new(), drawer: false })
    });
    // Both figures are narrowed, and stand side by side.
    assert_eq!(map.matches(RESET_ZOOM).count(), 2);
    assert!(words(&map).contains("The scenario is outside this part."));
    assert!(words(&curve).contains(" at the scenario, outside this part."));
    assert!(map.contains("sequence length from 16,384\u{2009}tokens to 65,536\u{2009}tokens"));
    assert!(curve.contains("from 300\u{2009}Gbit/s to 900\u{2009}Gbit/s"));
}

#[test]
fn every_figure_can_be_saved() {
    for panel in [Panel::Map, Panel::Curve, Panel::Memory, Panel::StepMemory, Panel::Timeline] {
        let (id, html) = (panel.key(), page_at(panel, &catalog::default_scenario()));
        for kind in ["SVG", "PNG", "CSV"] {
            assert!(html.contains(&format!("aria-label=\"Save {id} as {kind}\"")), "{id} {kind}");
        }
    }
    let named = |scenario: &Scenario| file_name("map", scenario, "SVG");
    assert_eq!(named(&catalog::default_scenario()), "shardwise-map-13b-64x-a100-40gb.svg");
}

#[test]
fn a_place_in_a_figure_sets_the_values_that_are_read_out() {
    let scenario = catalog::default_scenario();
    let spec = feasible_region(&scenario, ParamId::SequenceLength, ParamId::Gpus, false, &mut Scratch::with_grid(4, 4));
    let (seq, gpus) = (spec.x.settled(7_321.4), spec.y.settled(75.2));
    assert_eq!((seq, gpus), (7_296.0, 76.0));
    let state =
        after(vec![Action::ChoosePlace(vec![(ParamId::SequenceLength.into(), seq), (ParamId::Gpus.into(), gpus)])]);
    assert_eq!((state.scenario.seq_len, state.scenario.gpus), (7_296, 76));
}

#[test]
fn the_map_of_the_best_opens_from_its_example() {
    let entry = catalog::CLAIMS.iter().find(|entry| entry.view == "?view=best").unwrap();
    let decoded = links::decode(entry.link);
    let view = View::from_query(entry.view);
    let html = rendered::<App>(Start {
        scenario: decoded.scenario,
        pins: decoded.pins,
        issues: Vec::new(),
        view,
        drawer: false,
    });
    let words = words(&html).replace('\u{2009}', " ");
    assert!(words.contains("compute limits from 481 Gbit/s on, within 1 % of the MFU at infinite bandwidth; memory limits below 271 GiB"), "{words}");
    assert!(html.contains("id=\"best\"") && html.contains("What memory and bandwidth allow"), "{html}");
}

#[test]
fn one_layer_of_experts_is_shown_where_the_model_has_some() {
    let model = catalog::model("mixtral-8x7b").unwrap().pick();
    let html = page_at(Panel::Layer, &Scenario { model, ..catalog::default_scenario() });
    let canvas = html.split("<canvas").find(|part| part.contains("id=\"layer\"")).unwrap();
    assert!(canvas.contains("aria-label=\"One layer of experts, for GPUs from 16 to 2,048 "), "{canvas}");
    for id in ["layer-of", "layer-x", "layer-lines"] {
        assert!(html.contains(&format!("<select id=\"{id}\" aria-label=\"")), "no select {id}");
    }
    assert!(words(&html).contains("Tutel’s headline, 2,048 GPUs"));
    assert!(!page_at(Panel::Layer, &catalog::default_scenario()).contains("id=\"layer\""));
}

#[test]
fn where_the_time_goes_is_a_figure_with_a_lever_for_each_part() {
    let scenario = links::decode("cluster=dgx-h100&model=llama-3-70b&gpus=64&tp=2&recompute=full&seq=4096").scenario;
    let html = page_at(Panel::Waterfall, &scenario);
    assert_eq!(html.matches("id=\"waterfall\"").count(), 1);
    assert_eq!(html.matches("id=\"ask-waterfall\"").count(), 1);
    let embed = embedded("waterfall", &scenario);
    let levers = embed.split("class=\"levers\"").nth(1).unwrap().split("</ul>").next().unwrap();
    assert!(levers.matches("<li>").count() >= 4 && levers.contains("<button"), "{levers}");
    let words = words(levers);
    assert!(words.contains("Recomputation") && words.contains("activation checkpointing"), "{words}");
    assert!(!words.contains("NaN"), "{words}");
}

#[test]
fn the_strategies_are_a_filter_of_the_layouts() {
    let scenario = catalog::default_scenario();
    let [all, strategies] = [Panel::Ranking, Panel::Strategies].map(|panel| page_at(panel, &scenario));
    let rows = |html: &str| {
        let table = html.split("<tbody>").find(|table| table.contains("class=\"strategy-"));
        table.map_or(0, |table| table.matches("aria-pressed").count())
    };
    for (html, shown, hidden) in [(&all, "ranking", "strategies"), (&strategies, "strategies", "ranking")] {
        assert!(html.contains("id=\"only-strategies\"") && html.contains(&format!("id=\"{shown}\"")), "{shown}");
        assert!(!html.contains(&format!("id=\"{hidden}\"")), "{shown}");
    }
    assert_eq!((rows(&all), rows(&strategies)), (0, Strategy::ALL.len()));
    let embed = embed("embed=1&view=strategies", Vec::new());
    assert!(embed.contains("id=\"strategies\"") && !embed.contains("only-strategies"));
    assert_eq!(rows(&embed), Strategy::ALL.len());
}
