//! The page's markup, rendered natively: names, figures, sentences. No browser is needed for these.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that panics has failed")]

use charts::spec::Held;
use charts::timeline::Level;
use charts::views::{Scratch, TIME, feasible_region};
use engine::catalog::{self, accuracy};
use engine::explain;
use engine::model::report::MemoryPart;
use engine::model::training::Recompute;
use engine::model::transformer::Architecture;
use engine::params::{Group, PARAMS, ParamId};
use engine::scenario::issue::Issue;
use engine::scenario::{Model, Scenario};
use shardwise::components::choice::{ChoiceControl, Props as ChoiceProps};
use shardwise::components::number::{NumberControl, Props as NumberProps};
use shardwise::derived::{Buffers, Pace, derive};
use shardwise::fields::{Field, field};
use shardwise::panels::share::{self, Props as ShareProps, ShareMenu};
use shardwise::panels::step_memory::{LOADING, SAVING, STEPS};
use shardwise::panels::{pickers, run};
use shardwise::snapshot::Snapshot;
use shardwise::state::{Action, Pick, State};
use shardwise::view::{Panel, View};
use shardwise::{App, Embed, Start, text};
use std::rc::Rc;
use yew::{BaseComponent, Callback, LocalServerRenderer, Reducible as _};

fn rendered<C: BaseComponent>(props: C::Properties) -> String
where
    C::Properties: 'static,
{
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let local = tokio::task::LocalSet::new();
    local.block_on(&runtime, LocalServerRenderer::<C>::with_props(props).hydratable(false).render())
}

fn page(scenario: &Scenario, issues: Vec<Issue>) -> String {
    rendered::<App>(Start { scenario: *scenario, pins: Vec::new(), issues, view: View::default() })
}

fn does_not_fit() -> Scenario {
    Scenario { recompute: Recompute::None, seq_len: 131_072, ..catalog::default_scenario() }
}

/// Text without tags and entities, for sentences that run across elements.
fn words(html: &str) -> String {
    let mut text = String::new();
    let mut inside = false;
    for letter in html.chars() {
        match letter {
            '<' => inside = true,
            '>' => inside = false,
            _ if !inside => text.push(letter),
            _ => {}
        }
    }
    text.replace("&quot;", "\"").replace("&#x27;", "'").replace("&amp;", "&")
}

#[test]
fn every_slider_of_the_first_screen_has_its_name_and_a_typed_field() {
    let html = page(&catalog::default_scenario(), Vec::new());
    for name in ["GPU memory", "Link bandwidth", "Sequence length", "Model size", "GPUs"] {
        assert!(html.contains(&format!("aria-label=\"{name}\"")), "no slider {name}");
        assert!(html.contains(&format!("aria-label=\"{name}, typed\"")), "no field {name}");
    }
}

/// LLaVA's shape, with two images.
const IMAGES: &str = "cluster=dgx-h100&model=custom&layers=32&hidden=4096&heads=32&kv=32&ffn=11008&vocab=32064&gpus=8&seq=2048&\
                      towerlayers=24&towerhidden=1024&towerheads=16&towerffn=4096&patch=14&imagesize=336&merge=1&\
                      towerparams=303507456&projparams=20979712&images=2&imageres=672";

#[test]
fn every_parameter_has_a_control_where_it_has_an_effect() {
    let links = [
        "",
        "model=mixtral-8x7b&recompute=modules&train=lora&texts=packed&objective=grpo&compute=fp8",
        "tp=2&cp=2&pp=2&schedule=interleaved&accum=8&strategy=hybrid-shard&recompute=fraction",
        "strategy=zero1&optimizer=galore&objective=dpo",
        "model=deepseek-v3&recompute=modules&ep=8&gpus=64",
        "cp=8&cpcomm=mixed&oversub=4",
        "model=nemotron-3-nano&ep=8&compute=fp8",
        IMAGES,
    ];
    let pages = links.map(|link| {
        let scenario = engine::share::decode(link).scenario;
        (scenario, page(&scenario, Vec::new()))
    });
    let mut nowhere = Vec::new();
    for param in PARAMS {
        let control = format!("id=\"{}\"", param.key);
        for (scenario, html) in &pages {
            let shown = param.group == Group::Main || param.is_shown(scenario);
            assert_eq!(html.contains(&control), shown, "{}", param.key);
        }
        if !pages.iter().any(|(_, html)| html.contains(&control)) {
            nowhere.push(param.key);
        }
    }
    assert_eq!(nowhere, [""; 0]);
}

#[test]
fn the_headline_figures_are_outputs_with_their_names() {
    let html = page(&catalog::default_scenario(), Vec::new());
    for name in ["MFU", "Tokens per second per GPU", "Step time", "Peak memory", "Free memory"] {
        assert!(html.contains(&format!("<output aria-label=\"{name}\"")), "no output {name}");
    }
}

#[test]
fn the_range_of_measurements_stands_beside_the_headline_figures() {
    let html = page(&catalog::default_scenario(), Vec::new());
    // Of the four, of time and cost; and the share of what limits.
    assert_eq!(html.matches("class=\"tile-band\"").count(), 6);
    let bands = text::Tiles::of(&catalog::default_scenario(), &catalog::default_scenario().report()).bands;
    assert!(bands.iter().all(|band| band.contains('–') && html.contains(band.as_str())), "{bands:?}");
    assert!(html.contains(text::BAND));
}

#[test]
fn days_and_dollars_stand_among_the_headline_figures() {
    let html = page(&catalog::default_scenario(), Vec::new());
    let run = catalog::default_scenario().run_report();
    let figure = format!("{}, {}", engine::format::duration(run.time), engine::format::dollars(run.cost.get()));
    assert!(
        html.contains(&format!("<output aria-label=\"Time and cost\" aria-live=\"off\">{figure}</output>")),
        "{figure}"
    );
    assert!(words(&html).contains("Time and cost, 1T tokens"));
    assert!(html.contains("aria-label=\"Edit tokens and price\"") && html.contains("id=\"ask-time-and-cost\""));
    assert!(words(&html).contains("List price: Lambda, 8x A100 SXM 40 GB, 2026-09-20. Edit it."));
    // What limits has its share of the step beside it.
    let report = catalog::default_scenario().report();
    assert!(
        html.contains(&text::limiter_share(&report).unwrap())
            && text::limiter_share(&does_not_fit().report()).is_none()
    );
    // The controls and the panel have names of their own.
    assert!(words(&html).contains("Run and cost") && run::TITLE != "Run and cost");
    let tile = |scenario: &Scenario| {
        page(scenario, Vec::new()).split("of-run").nth(1).unwrap().split("</div>").next().unwrap().to_owned()
    };
    assert!(tile(&does_not_fit()).starts_with(" moot\""));
    let mut never = catalog::default_scenario();
    never.run.mtbf = engine::units::Seconds::from_hours(1.0);
    let said = words(&tile(&never));
    assert!(said.contains("never, –") && !said.contains("NaN") && !said.contains("inf"), "{said}");
    // An embed without controls has nothing to edit with.
    let start = Start {
        scenario: never,
        pins: Vec::new(),
        issues: Vec::new(),
        view: View::from_query("?embed=1&controls=none"),
    };
    assert!(!rendered::<Embed>(start).contains("tile-edit"));
}

#[test]
fn the_card_of_time_and_cost_says_where_the_price_comes_from() {
    let card = |link: &str| {
        let view = View::from_query("?why=time-and-cost");
        let scenario = engine::share::decode(link).scenario;
        let html = rendered::<App>(Start { scenario, issues: Vec::new(), view, pins: Vec::new() });
        words(html.split("id=\"why\"").nth(1).unwrap().split("</section>").next().unwrap())
    };
    let said = card("v=1&rev=7&cluster=dgx-h100");
    assert!(said.contains("Price of a GPU-hour: List price: Lambda, 8x H100 SXM, 2026-09-20."), "{said}");
    assert!(card("v=1&rev=7&gpu=gb300").contains("No list price known for GB300: edit it."));
}

#[test]
fn notes_are_told_from_errors() {
    let noted = Scenario { gpus: 10, ..catalog::default_scenario() };
    assert!(page(&noted, Vec::new()).contains("<li class=\"note\">10 GPUs fill"));
    let wrong = Scenario { tp: 3, ..catalog::default_scenario() };
    assert!(page(&wrong, Vec::new()).contains("<li>3 GPUs of tensor parallelism"));
}

#[test]
fn the_headline_says_whether_it_fits() {
    let fits = catalog::default_scenario();
    let sentence = text::headline(&fits, &fits.report()).sentence();
    assert!(sentence.starts_with("13B on 64 A100 40 GB fits with "), "{sentence}");
    assert!(sentence.contains(" MFU, limited by ") && sentence.ends_with('.'), "{sentence}");
    assert!(words(&page(&fits, Vec::new())).contains(&sentence));

    let mut tight = fits;
    tight.accelerator.values.memory = 1.05 * fits.report().memory.needed;
    let headline = text::headline(&tight, &tight.report());
    assert!(headline.fits && headline.verdict == "is tight", "{headline:?}");
    let odds = format!(": about {:.0} in 10 such runs fit, at ", 10.0 * accuracy::fit_odds(&tight.report()));
    assert!(headline.rest.starts_with(&odds), "{headline:?}");
    assert!(words(&page(&tight, Vec::new())).contains(&headline.sentence()));
    // A little too large by the prediction is not yet too large.
    tight.accelerator.values.memory = 0.95 * fits.report().memory.needed;
    let headline = text::headline(&tight, &tight.report());
    assert!(!headline.fits && headline.verdict == "is tight", "{headline:?}");

    let not = does_not_fit();
    let sentence = text::headline(&not, &not.report()).sentence();
    assert!(sentence.starts_with("13B on 64 A100 40 GB does not fit and needs "), "{sentence}");
    assert!(words(&page(&not, Vec::new())).contains(&sentence));
}

#[test]
fn the_scenario_is_one_sentence_under_the_headline_and_every_word_leads_to_a_control_of_the_page() {
    for link in
        ["", "train=lora&strategy=hybrid-shard&tp=2&pp=2&compute=fp8", "model=mixtral-8x7b&ep=8&gpus=64&objective=dpo"]
    {
        let scenario = engine::share::decode(link).scenario;
        let html = page(&scenario, Vec::new());
        let line = text::scenario_line::scenario_line(&scenario, &scenario.report());
        let place = html.split("<p id=\"scenario\"").nth(1).unwrap().split("</p>").next().unwrap();
        assert_eq!(words(place.split_once('>').unwrap().1), line);
        for word in text::scenario_line::words(&scenario, &scenario.report()) {
            assert!(html.contains(&format!("id=\"{}\"", word.control)), "no control {}", word.control);
            assert!(place.contains(&format!("title=\"{}\"", word.label)), "{place}");
        }
    }
    // An embed without controls has nothing to lead to.
    let quiet = embed("embed=1&view=verdict", Vec::new());
    assert!(quiet.contains("id=\"scenario\"") && !quiet.contains("class=\"word\""));
    assert!(embed("embed=1&view=verdict&controls=all", Vec::new()).contains("class=\"word\""));
}

#[test]
fn batch_and_layout_are_steppers_that_say_what_becomes_of_the_batch() {
    let scenario = engine::share::decode("seq=4k&tp=2&accum=2").scenario;
    let html = page(&scenario, Vec::new());
    let group = html.split(&format!("aria-label=\"{}\"", text::layout::TITLE)).nth(1).unwrap();
    let group = group.split("role=\"group\" aria-label=\"Method\"").next().unwrap();
    for name in [
        "Tensor parallel: 1, same tokens a step",
        "Tensor parallel: 4, same tokens a step",
        "Context parallel: no lower value is valid here",
        "Gradient accumulation steps: 4, 524k tokens a step instead of 262k",
    ] {
        assert!(group.contains(&format!("aria-label=\"{name}\"")), "no button {name} in {group}");
    }
    assert!(words(group).contains("× dp 32 × 4,096 = 262k tokens a step"), "{}", words(group));
    assert!(!group.contains("Expert parallel"), "a dense model has no experts to split");
}

#[test]
fn a_step_keeps_the_batch_and_a_correction_stands_at_its_field() {
    let start = engine::share::decode("accum=4").scenario;
    let step = |key, value| Action::Step { key, value };
    let split = after(vec![Action::Take(Box::new(start)), step(ParamId::Tp, 4)]);
    assert_eq!((split.scenario.tp, split.scenario.grad_accum_steps), (4, 16));
    assert_eq!(split.scenario.report().tokens_per_step, start.report().tokens_per_step);
    assert!(split.settled);

    let wrong = Scenario { pp: 5, ..catalog::default_scenario() };
    let html = page(&wrong, Vec::new());
    let error = html.split("id=\"pp-error\"").nth(1).unwrap().split("</p>").next().unwrap();
    let said = words(error);
    assert!(said.contains("5 pipeline stages do not evenly divide 64 GPUs") && said.contains("Use 4Use 8"), "{said}");
    let field = html.split("<input").find(|part| part.contains("id=\"pp-typed\"")).unwrap().split('>').next().unwrap();
    assert!(field.contains("aria-invalid=\"true\"") && field.contains("value=\"5\""), "{field}");
    // What is not used as typed is right beside it too: the steps go on from the value in use.
    assert!(html.contains("aria-label=\"Pipeline stages: 2, ") && html.contains("aria-label=\"Pipeline stages: 8, "));
}

#[test]
fn a_change_that_alters_the_batch_says_so() {
    let scenario = engine::share::decode("cluster=dgx-h100&model=llama-3-8b&gpus=64&seq=2k").scenario;
    let report = scenario.report();
    let found = engine::analysis::advice::advise(&scenario, &report);
    assert!(!found.is_empty());
    for advice in &found {
        let besides = text::besides(&report, advice);
        let same = advice.report.tokens_per_step == report.tokens_per_step;
        assert_eq!(besides.is_none(), same, "{:?}: {besides:?}", advice.change);
    }
    let of = |change| {
        let changed = engine::analysis::change::apply(&scenario, change);
        let advice =
            engine::analysis::advice::Advice { change, scenario: changed, report: changed.report(), gain: 0.0 };
        text::besides(&report, &advice)
    };
    let larger = of(engine::analysis::change::Change::MicroBatch(2 * scenario.micro_batch_size));
    assert_eq!(larger.as_deref(), Some("262k tokens a step instead of 131k"));
    let rounded = of(engine::analysis::change::Change::Optimizer8bit);
    assert_eq!(rounded.as_deref(), Some("moments are rounded to 8 bits"));
}

#[test]
fn every_figure_has_a_summary_and_a_table() {
    let html = page(&catalog::default_scenario(), Vec::new());
    for id in ["map", "curve", "memory", "waterfall", "step-memory", "timeline", "agreement"] {
        let canvas = html.split("<canvas").find(|part| part.contains(&format!("id=\"{id}\""))).unwrap();
        let canvas = canvas.split('>').next().unwrap();
        assert!(canvas.contains("role=\"img\"") && canvas.contains("aria-label=\""), "{canvas}");
    }
    assert_eq!(html.matches(text::DATA).count(), 7);
}

#[test]
fn the_timeline_has_a_legend_and_its_levels() {
    let html = page(&catalog::default_scenario(), Vec::new());
    let figure = html.split("<figure").find(|part| part.contains("id=\"timeline\"")).unwrap();
    let figure = figure.split("</figure>").next().unwrap();
    for name in text::LEVELS {
        assert!(figure.contains(&format!(">{name}</option>")), "no option {name}");
    }
    let spoken = words(figure);
    for name in ["Forward", "Backward", "All-gather", "Reduce-scatter", "Optimizer", "Of ", " compute takes "] {
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
    // On the page it is played once it is in sight, in an embed at once.
    let (coming, played) = (
        figure(&page(&catalog::default_scenario(), Vec::new())),
        figure(&embed("embed=1&view=step-memory", Vec::new())),
    );
    for html in [&coming, &played] {
        for name in STEPS {
            assert!(html.contains(&format!(">{name}</option>")), "no option {name}");
        }
        for layer in Held::ALL {
            assert!(html.contains(&format!("class=\"{}\"", layer.class())), "no {layer:?}");
        }
        let spoken = words(html);
        for name in ["Weights", "Communication buffers", "Reserved by the allocator", "GPU memory", LOADING, SAVING] {
            assert!(spoken.contains(name), "{name} not in {spoken}");
        }
    }
    assert!(!coming.contains("Peaks at ") && coming.contains("once the scenario stands still"));
    assert!(played.contains("aria-label=\"Memory over one step: Peaks at ") && words(&played).contains("allocated "));
    let first = figure(&embed("embed=1&view=step-memory&step=first", Vec::new()));
    assert_ne!(first.split("aria-label").nth(1), played.split("aria-label").nth(1));
}

#[test]
fn nothing_in_the_markup_breaks_the_content_security_policy() {
    for scenario in [catalog::default_scenario(), does_not_fit()] {
        let html = page(&scenario, vec![Issue::error("mem", "A test.")]);
        for forbidden in [" style=\"", "<script", "<style", " onclick=\"", "javascript:"] {
            assert!(!html.contains(forbidden), "{forbidden}");
        }
    }
}

#[test]
fn no_two_elements_share_an_identifier() {
    let html = page(&does_not_fit(), vec![Issue::error("mem", "A test.")]);
    let mut ids: Vec<&str> = html.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    ids.sort_unstable();
    let twice: Vec<_> = ids.windows(2).filter(|pair| pair[0] == pair[1]).collect();
    assert!(twice.is_empty(), "{twice:?}");
}

fn after(actions: Vec<Action>) -> Rc<State> {
    let start = Rc::new(State::new(&catalog::default_scenario(), Vec::new(), View::default()));
    actions.into_iter().fold(start, yew::Reducible::reduce)
}

#[test]
fn a_place_on_the_timeline_is_looked_at_closer_and_changes_no_scenario() {
    let click = || Action::Place(vec![(TIME, 0.3)]);
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
    let place = || Action::Place(vec![(ParamId::SequenceLength.into(), 2048.0)]);
    let moved = after(vec![place()]);
    assert_eq!(moved.scenario.seq_len, 2048);
    let closer = View { curve_part: Some((20.0, 40.0)), ..View::default() };
    // Before and after the click is committed, and with a look at something else in between.
    for actions in [vec![place()], vec![place(), Action::Commit], vec![place(), Action::Commit, Action::Look(closer)]] {
        let back = after(actions).reduce(Action::TakeBack);
        assert_eq!(back.scenario, start);
        assert_eq!(back.committed(), start);
        assert!(!back.can_undo() && !back.can_redo());
    }
    // What came after the place is kept.
    let slid = after(vec![place(), Action::Slide { key: ParamId::MicroBatchSize, index: 1 }]);
    assert_eq!(slid.clone().reduce(Action::TakeBack).scenario, slid.scenario);
}

#[test]
fn a_part_of_an_axis_is_what_the_axis_has() {
    let look = |part| after(vec![Action::Look(View { curve_part: Some(part), ..View::default() })]).view.curve_part;
    assert_eq!(look((20.0, 40.0)), Some((20.0, 40.0)));
    assert_eq!(look((0.0, 40.0)), Some((10.0, 40.0)));
    assert_eq!(look((0.0, 1e9)), None);
}

#[test]
fn a_narrowed_figure_says_so_and_offers_the_whole() {
    let scenario = catalog::default_scenario();
    let whole = page(&scenario, Vec::new());
    assert!(!whole.contains(text::RESET_ZOOM));
    let view = View::from_query("?x=16384..65536&cx=300..900");
    let html = rendered::<App>(Start { scenario, issues: Vec::new(), view, pins: Vec::new() });
    assert_eq!(html.matches(text::RESET_ZOOM).count(), 2);
    assert!(words(&html).contains("The scenario itself lies outside this part."));
    assert!(words(&html).contains(" at the scenario, outside this part, and at most "));
    assert!(html.contains("sequence length from 16,384\u{2009}tokens to 65,536\u{2009}tokens"));
    assert!(html.contains("from 300\u{2009}Gbit/s to 900\u{2009}Gbit/s"));
}

#[test]
fn the_share_menu_has_every_form_and_file_by_its_name() {
    let closed = page(&catalog::default_scenario(), Vec::new());
    assert!(closed.contains("aria-label=\"Share and download\"") && !closed.contains("id=\"share-menu\""));
    let menu = |scenario: Scenario| {
        let view = View::default();
        let snapshot = Rc::new(Snapshot { scenario, pins: Vec::new(), view });
        let derived = Rc::new(derive(&snapshot, Pace::STILL, &mut Buffers::default()));
        rendered::<ShareMenu>(ShareProps { snapshot, derived, close: Callback::noop() })
    };
    let html = menu(catalog::default_scenario());
    for name in [
        "Markdown link",
        "Markdown table",
        "Text summary",
        "Embed code",
        "SVG picture",
        "PNG picture (2×)",
        "CSV of all numbers",
        "JSON report",
    ] {
        assert!(html.contains(&format!(">{name}</button>")), "no {name} in {html}");
    }
    assert_eq!(html.matches("<option").count(), share::VIEWS.len());
    // Only a mixture has a layer of experts to show.
    let mixture = catalog::default_scenario().with_model(catalog::model("mixtral-8x7b").unwrap().pick());
    assert!(html.contains("disabled") && !menu(mixture).contains("disabled"));
    assert!(html.contains("role=\"status\"") && html.contains(share::BACK));
}

#[test]
fn every_figure_can_be_saved() {
    let html = page(&catalog::default_scenario(), Vec::new());
    for id in ["map", "curve", "memory", "step-memory", "timeline"] {
        for kind in ["SVG", "PNG", "CSV"] {
            assert!(html.contains(&format!("aria-label=\"Save {id} as {kind}\"")), "{id} {kind}");
        }
    }
    let named = |scenario: &Scenario| text::file_name("map", scenario, "SVG");
    assert_eq!(named(&catalog::default_scenario()), "shardwise-map-13b-64x-a100-40gb.svg");
}

fn control(key: &str, state: &State) -> String {
    let param = engine::params::find(key).unwrap();
    let emit = Callback::noop();
    match field(param, &state.scenario, state.drafts(), &state.preset) {
        Field::Number(field) => rendered::<NumberControl>(NumberProps { field, emit, explained: false }),
        Field::Choice(field) => rendered::<ChoiceControl>(ChoiceProps { field, emit, explained: true, same: None }),
    }
}

#[test]
fn text_that_is_no_value_stays_with_a_sentence_and_an_offer_and_keeps_the_result() {
    for typed in ["abc", "-1", "1e99"] {
        let state = after(vec![Action::Type { key: ParamId::GpuMemory, text: typed.into() }, Action::Settle]);
        assert_eq!(state.scenario, catalog::default_scenario(), "{typed}");
        let html = control("mem", &state);
        assert!(html.contains(&format!("value=\"{typed}\"")) && html.contains("aria-invalid=\"true\""), "{html}");
        let error = words(html.split("id=\"mem-error\"").nth(1).unwrap());
        assert!(error.contains(typed) && error.contains('.') && error.contains("Use "), "{error}");
    }
}

/// A field hears every letter: `1` is a value on the way to `1e99`, which is none.
#[test]
fn what_is_typed_on_the_way_to_no_value_is_not_kept() {
    let letters = |key, texts: &[&str]| -> Vec<Action> {
        texts.iter().map(|text| Action::Type { key, text: (*text).to_owned() }).collect()
    };
    let start = after(Vec::new());
    let typed = after(letters(ParamId::Gpus, &["1", "1e", "1e9", "1e99"]));
    assert_eq!(typed.scenario, start.scenario);
    let settled = typed.reduce(Action::Settle).reduce(Action::Commit);
    assert_eq!((settled.scenario, settled.can_undo()), (start.scenario, false));
    assert!(control("gpus", &settled).contains("value=\"1e99\""));
    // The sentence offers a value near the one from before, not one nobody meant.
    let refused = after(letters(ParamId::Gpus, &["1", "1e"]));
    let offered = refused.draft(ParamId::Gpus).and_then(|draft| draft.refusal.as_ref()).map(|refusal| refusal.nearest);
    assert_eq!(offered, Some(1.0));
    let emptied = after(letters(ParamId::Gpus, &["6", ""]));
    let offered = emptied.draft(ParamId::Gpus).and_then(|draft| draft.refusal.as_ref()).map(|refusal| refusal.nearest);
    assert_eq!((emptied.scenario.gpus, offered), (64, Some(64.0)));
    // Text that becomes a value again counts.
    assert_eq!(after(letters(ParamId::Gpus, &["1", "1e", "1e3"])).scenario.gpus, 1000);
    // A size typed over that of a named model, or a row of its shape, leaves the model its name.
    let named = after(vec![Action::Pick(Pick::Model("llama-2-7b"))]);
    for (key, texts) in [(ParamId::ModelSize, ["13B", "13Bx"]), (ParamId::Layers, ["1", "1e99"])] {
        let typed = letters(key, &texts).into_iter().fold(named.clone(), yew::Reducible::reduce);
        assert_eq!(typed.scenario, named.scenario, "{key:?}");
    }
    // An edit begins anew once the one before is over.
    let again = after(letters(ParamId::Gpus, &["128"])).reduce(Action::Settle);
    let again = letters(ParamId::Gpus, &["1", "1y"]).into_iter().fold(again, yew::Reducible::reduce);
    assert_eq!(again.scenario.gpus, 128);
}

#[test]
fn escape_gives_back_the_value_from_before_the_edit() {
    let typed = |text: &str| Action::Type { key: ParamId::Gpus, text: text.into() };
    let escaped = after(vec![typed("1"), typed("12"), Action::GiveUp { key: ParamId::Gpus }]);
    assert_eq!((escaped.scenario, escaped.settled), (catalog::default_scenario(), true));
    assert!(escaped.draft(ParamId::Gpus).is_none() && control("gpus", &escaped).contains("value=\"64\""));
    // What was entered stays, and so does a field in which nothing was typed.
    let entered = after(vec![typed("12"), Action::Settle, Action::GiveUp { key: ParamId::Gpus }]);
    assert_eq!(entered.scenario.gpus, 12);
    assert_eq!(after(vec![Action::GiveUp { key: ParamId::Gpus }]).scenario, catalog::default_scenario());
}

#[test]
fn the_offered_value_is_taken() {
    let state = after(vec![
        Action::Type { key: ParamId::GpuMemory, text: "1e99".into() },
        Action::Nearest { key: ParamId::GpuMemory },
    ]);
    assert_eq!(state.scenario.accelerator.values.memory.gib(), 512.0);
    assert!(state.draft(ParamId::GpuMemory).is_none() && state.settled);
}

#[test]
fn a_place_in_a_figure_sets_the_values_that_are_read_out() {
    let scenario = catalog::default_scenario();
    let spec = feasible_region(&scenario, ParamId::SequenceLength, ParamId::Gpus, false, &mut Scratch::with_grid(4, 4));
    let (seq, gpus) = (spec.x.settled(7_321.4), spec.y.settled(75.2));
    assert_eq!((seq, gpus), (7_296.0, 76.0));
    let state = after(vec![Action::Place(vec![(ParamId::SequenceLength.into(), seq), (ParamId::Gpus.into(), gpus)])]);
    assert_eq!((state.scenario.seq_len, state.scenario.gpus), (7_296, 76));
}

#[test]
fn a_place_near_a_named_model_keeps_it() {
    let named = after(vec![Action::Pick(Pick::Model("llama-2-7b"))]);
    assert!(matches!(named.scenario.model, Model::Preset { .. }), "{:?}", named.scenario.model);
    let spec = feasible_region(
        &named.scenario,
        ParamId::SequenceLength,
        ParamId::ModelSize,
        false,
        &mut Scratch::with_grid(4, 4),
    );
    assert!(spec.caption.ends_with(" Other sizes are Llama 2, scaled."), "{}", spec.caption);
    let near = spec.y.settled(named.scenario.model.size() * 1.05);
    let kept = named
        .clone()
        .reduce(Action::Place(vec![(ParamId::SequenceLength.into(), 2048.0), (ParamId::ModelSize.into(), near)]));
    assert_eq!((kept.scenario.model, kept.scenario.seq_len), (named.scenario.model, 2048));
    let far = spec.y.settled(20.123e9);
    let named_model = named.scenario.model;
    let left = named.reduce(Action::Place(vec![(ParamId::ModelSize.into(), far)]));
    assert_eq!(left.scenario.model, named_model.resized(20.1e9));
    assert_eq!(
        text::headline(&left.scenario, &left.scenario.report()).subject,
        "Llama 2 scaled to 20.1B on 64 A100 40 GB"
    );
}

#[test]
fn the_size_slider_scales_a_named_model_and_says_so() {
    let named = after(vec![Action::Pick(Pick::Model("llama-3.1-8b"))]);
    let index = |state: &State| {
        let html = control("size", state);
        let (_, rest) = html.split_once(" value=\"").and_then(|_| html.rsplit_once(" value=\"")).unwrap();
        rest.split('"').next().unwrap().parse::<u32>().unwrap()
    };
    let at = index(&named);
    let moved = named.clone().reduce(Action::Slide { key: ParamId::ModelSize, index: at + 1 });
    assert!(matches!(moved.scenario.model, Model::Scaled { id: "llama-3.1-8b", .. }), "{:?}", moved.scenario.model);
    let subject = text::headline(&moved.scenario, &moved.scenario.report()).subject;
    assert!(subject.starts_with("Llama 3.1 scaled to 8."), "{subject}");
    // A larger model of one family needs more.
    assert!(moved.scenario.report().memory.needed > named.scenario.report().memory.needed);
    assert!(control("size", &moved).contains("Model size back to 8.030261248B"), "{}", control("size", &moved));
    assert!(page(&moved.scenario, Vec::new()).contains("Llama 3.1 scaled to 8."));
    let back = moved.clone().reduce(Action::Slide { key: ParamId::ModelSize, index: at });
    assert_eq!(back.scenario.model, named.scenario.model);
    assert_eq!(moved.reduce(Action::Back { key: ParamId::ModelSize }).scenario.model, named.scenario.model);
    let typed = named.reduce(Action::Type { key: ParamId::ModelSize, text: "405B".into() });
    assert!(matches!(typed.scenario.model, Model::Preset { id: "llama-3.1-405b", .. }), "{:?}", typed.scenario.model);
}

#[test]
fn the_map_of_the_best_opens_from_its_example() {
    let entry = catalog::CLAIMS.iter().find(|entry| entry.view == "?map=best").unwrap();
    let decoded = engine::share::decode(entry.link);
    let view = View::from_query(entry.view);
    let html = rendered::<App>(Start { scenario: decoded.scenario, pins: decoded.pins, issues: Vec::new(), view });
    let words = words(&html).replace('\u{2009}', " ");
    assert!(words.contains("Above 214 Gbit/s compute limits; below 117 GiB memory does"), "{words}");
    assert!(html.contains("id=\"best\"") && html.contains("What memory and bandwidth allow"), "{html}");
}

#[test]
fn a_changed_parameter_offers_the_way_back() {
    let state = after(vec![Action::Type { key: ParamId::GpuMemory, text: "80 GB".into() }, Action::Settle]);
    let html = control("mem", &state);
    assert!(html.contains("GPU memory back to 40\u{2009}GiB"), "{html}");
    let back = state.reduce(Action::Back { key: ParamId::GpuMemory });
    assert!(!control("mem", &back).contains("back to"));
    assert_eq!(back.scenario, catalog::default_scenario());
}

#[test]
fn every_option_of_a_choice_is_offered() {
    let html = control("strategy", &after(Vec::new()));
    assert_eq!(html.matches("<option").count(), engine::scenario::Strategy::ALL.len(), "{html}");
    assert_eq!(html.matches(" selected=\"").count(), 1, "{html}");
}

#[test]
fn the_banner_lists_what_could_not_be_read() {
    let issues = vec![Issue::error("mem", "First sentence."), Issue::note("seq", "Second sentence.")];
    let html = page(&catalog::default_scenario(), issues);
    assert!(html.contains("id=\"banner\"") && html.contains("role=\"alert\""), "{html}");
    assert!(html.contains("<li>First sentence.</li><li>Second sentence.</li>"), "{html}");
    assert!(!page(&catalog::default_scenario(), Vec::new()).contains("id=\"banner\""));
}

#[test]
fn a_gesture_is_one_step_of_undo() {
    let slide = |index| Action::Slide { key: ParamId::SequenceLength, index };
    let state = after(vec![slide(2), slide(3), slide(4), Action::Settle, Action::Commit]);
    assert!(state.can_undo());
    let undone = state.reduce(Action::Undo);
    assert_eq!(undone.scenario, catalog::default_scenario());
    assert!(!undone.can_undo() && undone.can_redo());
}

#[test]
fn the_whole_run_is_folded_and_says_what_it_takes() {
    assert!(words(&page(&catalog::default_scenario(), Vec::new())).contains(run::TITLE));
    let said = |scenario: &Scenario| {
        let run = scenario.run_report();
        let rows: Vec<_> = run::rows(&run).into_iter().map(|(name, value)| format!("{name}: {value}")).collect();
        assert!(rows.iter().all(|row| !row.contains("NaN") && !row.contains("inf")), "{rows:?}");
        run::caption(scenario, scenario.report().fits(), &run).replace('\u{2009}', " ")
    };
    let mut scenario = catalog::default_scenario();
    let caption = said(&scenario);
    assert!(caption.starts_with("1T tokens take ") && caption.contains(" days and $"), "{caption}");
    assert!(said(&does_not_fit()).starts_with("If memory were no limit: 1T tokens take "));
    scenario.run.mtbf = engine::units::Seconds::from_hours(1.0);
    assert_eq!(
        said(&scenario),
        "1T tokens never finish: one failure every 56.2 s leaves no time to restart and catch up."
    );
}

#[test]
fn one_layer_of_experts_is_shown_where_the_model_has_some() {
    let model = catalog::model("mixtral-8x7b").unwrap().pick();
    let html = page(&Scenario { model, ..catalog::default_scenario() }, Vec::new());
    let canvas = html.split("<canvas").find(|part| part.contains("id=\"layer\"")).unwrap();
    assert!(canvas.contains("aria-label=\"One layer of experts, for GPUs from 16 to 2,048 "), "{canvas}");
    for id in ["layer-of", "layer-x", "layer-lines"] {
        assert!(html.contains(&format!("<select id=\"{id}\" aria-label=\"")), "no select {id}");
    }
    assert!(words(&html).contains("Tutel’s headline, 2,048 GPUs"));
    assert!(!page(&catalog::default_scenario(), Vec::new()).contains("id=\"layer\""));
}

fn pinned(scenario: &Scenario, pins: Vec<Scenario>) -> String {
    rendered::<App>(Start { scenario: *scenario, pins, issues: Vec::new(), view: View::default() })
}

#[test]
fn pins_are_choices_that_undo_leaves_alone() {
    let slide = Action::Slide { key: ParamId::SequenceLength, index: 3 };
    let state = after(vec![Action::Pin, Action::Pin, slide, Action::Settle, Action::Commit]);
    assert_eq!(state.pins, [catalog::default_scenario()]);
    let moved = state.scenario;
    let undone = state.reduce(Action::Undo);
    assert_eq!((undone.scenario, undone.pins.len()), (catalog::default_scenario(), 1));
    let redone = undone.reduce(Action::Redo);
    assert_eq!((redone.scenario, redone.pins.len()), (moved, 1));
    let swapped = redone.reduce(Action::Swap(0));
    assert_eq!((swapped.scenario, swapped.pins.as_slice()), (catalog::default_scenario(), [moved].as_slice()));
    let nowhere = swapped.reduce(Action::Swap(7)).reduce(Action::Unpin(7));
    assert_eq!(nowhere.pins, [moved]);
    assert_eq!(nowhere.reduce(Action::Unpin(0)).pins, []);
}

#[test]
fn a_fourth_pin_changes_nothing_and_the_page_says_so() {
    let gpus = |gpus: u32| Scenario { gpus, ..catalog::default_scenario() };
    let take = |count: u32| [Action::Take(Box::new(gpus(count))), Action::Pin];
    let state = after([8, 16, 32, 128].into_iter().flat_map(take).collect());
    assert_eq!(state.pins, [8, 16, 32].map(gpus));
    let html = words(&pinned(&gpus(128), state.pins.clone()));
    assert!(html.contains(text::pins::FULL));
}

#[test]
fn an_opened_link_brings_its_pins() {
    let link = engine::share::decode("gpus=8&pin=1&gpus=16");
    let arrive = Action::Arrive { scenario: Box::new(link.scenario), pins: link.pins.clone(), issues: link.issues };
    let state = after(vec![Action::Pin, Action::Example(Some(2)), arrive]);
    assert_eq!((state.scenario.gpus, &state.pins, state.example), (8, &link.pins, None));
}

#[test]
fn pinned_scenarios_stand_under_the_figures_with_their_differences() {
    let here = catalog::default_scenario();
    let slow = engine::share::decode("link=100&gpus=32").scenario;
    let html = pinned(&here, vec![slow, here]);
    assert!(!page(&here, Vec::new()).contains("class=\"pins\""));
    assert_eq!(html.matches("class=\"tile-delta").count(), 8, "{html}");
    let said = words(&html).replace('\u{2009}', " ");
    for expected in [
        "A 100 Gbit/s, 32 GPUs",
        "B as on screen",
        " points vs A",
        " % vs A, better",
        " GiB vs A",
        " % time",
        " % cost vs A",
    ] {
        assert!(said.contains(expected), "{expected} not in {said}");
    }
    for name in ["Swap pinned scenario A", "Remove pinned scenario B"] {
        assert!(html.contains(&format!("aria-label=\"{name}\"")), "{name}");
    }
    // The button says where what is on screen is pinned already.
    assert!(said.contains("Pinned as B"));
    // The memory figure and the curves have a line a pin.
    assert_eq!(html.matches("class=\"pinned-bar\"").count(), 2);
    assert!(html.contains("line-pin-0") && html.contains("Pinned scenario A stands at link bandwidth 100"));
    for forbidden in [" style=\"", "NaN", "inf "] {
        assert!(!html.contains(forbidden), "{forbidden}");
    }
}

#[test]
fn differences_are_told_by_entries_and_parameters() {
    let here = catalog::default_scenario();
    let there = |link: &str| {
        let scenario = engine::share::decode(link).scenario;
        let all = text::pins::differences(&here, &scenario);
        text::pins::name(0, &all).replace('\u{2009}', " ")
    };
    assert_eq!(there(""), "A: as on screen");
    assert_eq!(there("model=llama-3-8b"), "A: Llama 3 8B");
    assert_eq!(there("cluster=a100-40gb-100g"), "A: 100 Gbit/s");
    assert_eq!(there("strategy=ddp&seq=8192"), "A: 8,192 tokens, DDP");
    assert_eq!(there("gpus=8&seq=8192&size=7B"), "A: 8,192 tokens, 7B and 1 more");
    assert_eq!(there("cluster=dgx-h100"), "A: H100 SXM, 80 GiB and 2 more");
}

#[test]
fn a_difference_has_its_sign_and_says_whether_it_is_better() {
    let now = catalog::default_scenario().report();
    let mut then = now;
    then.mfu = now.mfu - 0.0524;
    then.time.step = 1.25 * now.time.step;
    let [mfu, tokens, step, peak, free] = text::pins::deltas(&now, &then);
    let said = |delta: &text::pins::Delta| delta.text.replace('\u{2009}', " ");
    assert_eq!((said(&mfu), mfu.better), ("+5.2 points".into(), Some(true)));
    assert_eq!((said(&step), step.better), ("−20.0 %".into(), Some(true)));
    assert_eq!((said(&tokens), tokens.better), ("±0 %".into(), None));
    assert_eq!((said(&peak), said(&free)), ("±0 GiB".into(), "±0 GiB".into()));
}

#[test]
fn examples_are_one_button_away() {
    let html = page(&catalog::default_scenario(), Vec::new());
    assert!(html.contains("id=\"examples\"") && html.contains("aria-expanded=\"false\""));
    assert!(!html.contains("id=\"gallery\""));
}

#[test]
fn every_number_has_a_button_and_every_card_its_place() {
    let scenario = catalog::default_scenario();
    let plain = page(&scenario, Vec::new());
    assert!(!plain.contains("id=\"why\""));
    // Without its value, which stands beside it: a name that changes with every slider is written again with each.
    assert!(plain.contains("aria-label=\"Why? MFU\""));
    for key in explain::HEADLINE
        .into_iter()
        .chain(
            MemoryPart::ALL
                .into_iter()
                .filter(|part| !part.is_of_objective())
                .map(|part| engine::names::part(part).card),
        )
        .chain(explain::REACHES)
    {
        assert_eq!(plain.matches(&format!("id=\"ask-{key}\"")).count(), 1, "{key}");
    }
    let of_images = page(&engine::share::decode(IMAGES).scenario, Vec::new());
    assert_eq!(of_images.matches("id=\"ask-tower-memory\"").count(), 1);
    let generating = page(&engine::share::decode("model=llama-3.1-8b&objective=grpo&sleep=no").scenario, Vec::new());
    let of_objective = MemoryPart::ALL.into_iter().filter(|part| part.is_of_objective() && *part != MemoryPart::Tower);
    for key in of_objective.map(|part| engine::names::part(part).card).chain(explain::ROLLOUT) {
        assert_eq!(generating.matches(&format!("id=\"ask-{key}\"")).count(), 1, "{key}");
    }
    let cards = explain::numbers().map(|number| (number.key, number.title));
    for (key, title) in cards.chain(explain::TERMS.iter().map(|term| (term.key, term.name))) {
        let view = View::from_query(&format!("?why={key}"));
        assert_eq!(view.query(), format!("?why={key}"));
        let html = rendered::<App>(Start { scenario, issues: Vec::new(), view, pins: Vec::new() });
        assert_eq!(html.matches("id=\"why\"").count(), 1, "{key}");
        assert!(html.contains(&format!("<h2 id=\"why-title\">{title}</h2>")), "{key}");
    }
}

#[test]
fn a_card_says_what_the_tile_says() {
    let scenario = catalog::default_scenario();
    let view = View::from_query("?why=mfu");
    let html = rendered::<App>(Start { scenario, issues: Vec::new(), view, pins: Vec::new() });
    let card = html.split("id=\"why\"").nth(1).unwrap().split("</section>").next().unwrap();
    let mfu = text::Tiles::of(&scenario, &scenario.report()).mfu;
    assert!(card.contains(&format!("<strong>= {mfu}</strong>")), "{card}");
    assert!(card.contains("<math displaystyle=\"true\"") && card.contains("<mfrac>"), "{card}");
}

#[test]
fn links_of_a_card_lead_back_to_its_number() {
    let view = View::default().explaining("mfu").following("checkpointing").following("micro-batch");
    assert_eq!((view.why, view.why_from), ("micro-batch", "mfu"));
    assert_eq!(view.following("mfu"), View::default().explaining("mfu"));
    assert_eq!(view.explaining("mfu").explaining("mfu"), View::default());
    assert_eq!(View::from_query("?why=nothing"), View::default());
}

#[test]
fn a_row_of_the_architecture_makes_a_named_model_the_users_own_and_the_way_back_makes_it_the_named_one() {
    let named = after(vec![Action::Pick(Pick::Model("mistral-7b-v0.3"))]);
    // The same value again changes nothing.
    let same = named.clone().reduce(Action::Type { key: ParamId::VocabSize, text: "32,768".into() });
    assert_eq!(same.scenario.model, named.scenario.model);
    let changed = same.reduce(Action::Type { key: ParamId::Layers, text: "40".into() }).reduce(Action::Settle);
    let Model::Custom { architecture } = changed.scenario.model else { panic!("{:?}", changed.scenario.model) };
    let kept = named.scenario.model.architecture();
    assert_eq!((architecture.num_hidden_layers, architecture.vocab_size), (40, kept.vocab_size));
    assert!(control("layers", &changed).contains("Layers back to 32"));
    assert!(!control("vocab", &changed).contains("back to"));
    assert!(page_of(&changed).contains("Custom (from Mistral 7B v0.3)"));
    let back = changed.clone().reduce(Action::Back { key: ParamId::Layers });
    assert_eq!(back.scenario.model, named.scenario.model);
    let chosen = changed.reduce(Action::Choose { key: ParamId::TiedEmbeddings, index: 1 });
    assert!(chosen.scenario.model.architecture().tie_word_embeddings);
}

/// The selects as a state shows them.
fn page_of(state: &State) -> String {
    let (scenario, preset, emit) = (&state.scenario, &state.preset, Callback::noop());
    let html = yew::html! { <>{ pickers::model(scenario, preset, &emit) }{ pickers::accelerator(scenario, preset, &emit) }
    { pickers::cluster(scenario, preset, &emit) }</> };
    rendered::<Shown>(ShownProps { html })
}

#[derive(PartialEq, yew::Properties)]
struct ShownProps {
    html: yew::Html,
}

#[yew::component]
fn Shown(props: &ShownProps) -> yew::Html {
    props.html.clone()
}

#[test]
fn a_gpu_and_a_cluster_of_ones_own_are_named_marked_and_put_back() {
    let picked = after(vec![Action::Pick(Pick::Cluster("dgx-h100"))]);
    assert!(!page_of(&picked).contains("Custom"));
    let edited = picked
        .reduce(Action::Type { key: ParamId::Peak16Bit, text: "1.2 PFLOP/s".into() })
        .reduce(Action::Type { key: ParamId::Power, text: "900 W".into() })
        .reduce(Action::Type { key: ParamId::IntraNodeLatency, text: "2 us".into() })
        .reduce(Action::Settle);
    let html = page_of(&edited);
    assert!(html.contains("Custom (from H100 SXM)") && html.contains("Custom (from DGX H100"), "{html}");
    let sentence = text::headline(&edited.scenario, &edited.scenario.report()).sentence();
    assert!(sentence.starts_with("13B on 64 custom GPUs (from H100 SXM) "), "{sentence}");
    assert!(control("power", &edited).contains("back to 700\u{2009}W"));
    let back = [ParamId::Peak16Bit, ParamId::Power, ParamId::IntraNodeLatency]
        .into_iter()
        .fold(edited, |state, key| state.reduce(Action::Back { key }));
    assert!(!page_of(&back).contains("Custom"));

    // What is said to be one's own stays measured against what it was made from.
    let own = back.reduce(Action::Pick(Pick::Accelerator("h200"))).reduce(Action::Pick(Pick::Accelerator("custom")));
    assert_eq!(own.scenario.accelerator.id, "custom");
    let own = own.reduce(Action::Type { key: ParamId::MemoryBandwidth, text: "6 TB/s".into() }).reduce(Action::Settle);
    assert!(control("hbm", &own).contains("back to 4,800\u{2009}GB/s"), "{}", control("hbm", &own));
    assert!(page_of(&own).contains("Custom (from H200)"));
    let sentence = text::headline(&own.scenario, &own.scenario.report()).sentence();
    assert!(sentence.starts_with("13B on 64 custom GPUs with 141"), "{sentence}");
}

#[test]
fn an_imported_model_is_one_step_of_undo_and_what_its_rows_are_measured_against() {
    let architecture = catalog::model("qwen-3-8b").unwrap().architecture;
    let start = after(Vec::new());
    let imported = start.clone().reduce(Action::Import(Box::new(architecture))).reduce(Action::Commit);
    assert_eq!(imported.scenario.model, Model::Custom { architecture });
    assert!(!control("layers", &imported).contains("back to"));
    let deeper =
        imported.clone().reduce(Action::Type { key: ParamId::Layers, text: "40".into() }).reduce(Action::Settle);
    assert!(control("layers", &deeper).contains("Layers back to 36"));
    assert_eq!(deeper.reduce(Action::Back { key: ParamId::Layers }).scenario.model, imported.scenario.model);
    assert_eq!(imported.reduce(Action::Undo).scenario, start.scenario);
}

#[test]
fn a_link_with_a_model_of_ones_own_is_measured_against_the_model_it_is_nearest_to() {
    let near = catalog::model("qwen-3-8b").unwrap().architecture;
    let architecture = Architecture { num_hidden_layers: 40, ..near };
    let scenario = catalog::default_scenario().with_model(Model::Custom { architecture });
    let opened = State::new(&scenario, Vec::new(), View::default());
    assert!(page_of(&opened).contains("Custom (from Qwen3 8B)"));
    let strange = Architecture { hidden_size: 4099, ..near };
    let scenario = catalog::default_scenario().with_model(Model::Custom { architecture: strange });
    let opened = State::new(&scenario, Vec::new(), View::default());
    assert!(page_of(&opened).contains("value=\"Custom\""), "{}", page_of(&opened));
}

#[test]
fn the_import_is_a_button_until_it_is_opened() {
    let html = page(&catalog::default_scenario(), Vec::new());
    assert!(html.contains("id=\"import\"") && html.contains("aria-expanded=\"false\""), "no button");
    assert!(!html.contains("id=\"config\""));
}

fn embed(query: &str, pins: Vec<Scenario>) -> String {
    let view = View::from_query(query);
    rendered::<Embed>(Start { scenario: catalog::default_scenario(), pins, issues: Vec::new(), view })
}

#[test]
fn an_embed_has_the_panels_of_its_link_in_their_order_and_nothing_around_them() {
    for panel in Panel::ALL {
        let html = embed(&format!("embed=1&view={}&controls=none", panel.key()), Vec::new());
        assert_eq!(html.matches("<main").count(), 1, "{panel:?}");
        for other in ["masthead", "colophon", "gallery", "id=\"advice\"", "id=\"pin\"", "type=\"range\""] {
            assert!(!html.contains(other), "{panel:?} has {other}");
        }
        for canvas in ["map", "curve", "memory", "step-memory", "timeline", "roofline", "scaling", "agreement"] {
            assert_eq!(
                html.contains(&format!("<canvas id=\"{canvas}\"")),
                canvas == panel.key(),
                "{panel:?}: {canvas}"
            );
        }
        assert_eq!(html.matches("<h1").count(), 1, "{panel:?}");
    }
    let html = embed("embed=1&view=timeline.verdict.map", Vec::new());
    let place = |what: &str| html.find(what).unwrap();
    assert!(place("id=\"timeline\"") < place("id=\"headline\"") && place("id=\"headline\"") < place("id=\"map\""));
}

#[test]
fn an_embed_has_as_many_controls_as_its_link_asks_for() {
    let count = |query: &str| embed(query, Vec::new()).matches("type=\"range\"").count();
    assert_eq!(count("embed=1&view=memory&controls=none"), 0);
    assert_eq!(count("embed=1&view=memory"), 5);
    assert_eq!(count("embed=1&view=memory&controls=few"), 5);
    let all = embed("embed=1&view=memory&controls=all", Vec::new());
    assert!(
        all.matches("type=\"range\"").count() > 5 && all.contains("id=\"model\"") && all.contains("class=\"group\"")
    );
}

#[test]
fn an_embed_leads_to_the_page_with_what_is_on_screen() {
    let html = embed("embed=1&view=map&controls=none&theme=dark&map=seq.gpus", Vec::new());
    let link = "href=\"./?view=map&amp;map=seq.gpus#v=1&amp;rev=";
    assert!(html.contains(link) && html.contains("target=\"_blank\"") && html.contains("rel=\"noopener\""), "{html}");
    let pinned = Scenario { gpus: 128, ..catalog::default_scenario() };
    assert!(!html.contains("class=\"pins\"") && embed("embed=1", vec![pinned]).contains("class=\"pins\""));
}

#[test]
fn the_script_for_other_pages_is_small() {
    let script = include_str!("../static/embed.js");
    assert!(script.len() <= 2048, "{} bytes", script.len());
}

/// The rules of the style sheet that stand under this media query, in order.
fn rules_under(query: &str) -> String {
    let sheet = include_str!("../static/page.css");
    let mut rules = String::new();
    for block in sheet.split(&format!("@media ({query}) {{")).skip(1) {
        // A rule closes its own brace before the query closes its.
        let mut depth = 1;
        let inside = |letter: &char| {
            depth += i32::from(*letter == '{') - i32::from(*letter == '}');
            depth > 0
        };
        rules.extend(block.chars().take_while(inside));
    }
    rules
}

#[test]
fn at_400_percent_nothing_stays_at_the_top() {
    let low = rules_under("max-height: 399px");
    assert!(low.contains(".slim { display: none; }") && low.contains("scroll-padding-top: 0;"), "{low}");
}

#[test]
fn the_scroll_bar_of_the_controls_has_the_colours_of_the_theme() {
    let sheet = include_str!("../static/page.css");
    let thin = sheet.lines().find(|line| line.contains("scrollbar-width: thin")).unwrap();
    assert!(thin.contains(".controls {") && thin.contains("scrollbar-color: var(--axis) transparent"), "{thin}");
}

#[test]
fn a_restored_view_keeps_the_readers_theme_and_what_page_this_is() {
    let start =
        Rc::new(State::new(&catalog::default_scenario(), Vec::new(), View::from_query("?embed=1&view=map&theme=dark")));
    let restored = start.reduce(Action::Restore(View::from_query("?view=curve&controls=all&theme=light&curve=gpus")));
    assert_eq!(restored.view.query(), "?embed=1&view=map&theme=dark&curve=gpus");
}

fn embedded(view: &str, scenario: &Scenario) -> String {
    let view = View::from_query(&format!("?embed=1&view={view}"));
    rendered::<Embed>(Start { scenario: *scenario, pins: Vec::new(), issues: Vec::new(), view })
}

fn on(accelerator: &str) -> Scenario {
    let mut scenario = catalog::default_scenario();
    catalog::pick::pick_accelerator(&mut scenario, accelerator);
    scenario
}

#[test]
fn beside_the_numbers_stands_how_well_such_runs_are_measured() {
    for (accelerator, said) in [
        ("h100-sxm", " measured runs on H100 SXM, median error "),
        ("rtx-4090", " measured runs on RTX 4090, median error "),
        ("h100-pcie", "No measured run on H100 PCIe; "),
        ("tpu-v5p", " measured runs on TPU v5p, median error "),
        ("t4", "Data sheet only: no measured run on T4"),
    ] {
        let scenario = on(accelerator);
        for html in [page(&scenario, Vec::new()), embedded("verdict", &scenario)] {
            let line = words(html.split("class=\"evidence\">").nth(1).unwrap().split("</p>").next().unwrap());
            assert!(line.contains(said), "{accelerator}: {line}");
            assert_eq!(
                line.ends_with("wider ranges"),
                !matches!(accelerator, "h100-sxm" | "h100-pcie" | "tpu-v5p"),
                "{line}"
            );
        }
    }
}

#[test]
fn what_has_no_cuda_has_no_cuda_context() {
    let html = page(&on("tpu-v5p"), Vec::new());
    assert!(html.contains(">Runtime and collectives</span>") && !html.contains("CUDA context and NCCL"));
    assert!(page(&on("h100-sxm"), Vec::new()).contains(">CUDA context and NCCL</span>"));
}

#[test]
fn logits_that_are_gone_at_the_peak_are_said_to_be_so() {
    let scenario = engine::share::decode("cluster=dgx-h100&model=llama-3-8b&gpus=8&seq=1024").scenario;
    let logits = scenario.report().memory.parts.get(MemoryPart::Logits);
    assert_eq!(text::part_size(MemoryPart::Logits, 0.0), "not alive at the peak");
    assert_eq!(text::part_size(MemoryPart::Engine, 0.0), text::gib(0.0));
    assert_eq!(text::part_size(MemoryPart::Logits, logits.get()).contains("alive"), logits.get() <= 0.0);
}

#[test]
fn where_the_time_goes_is_a_figure_with_a_lever_for_each_part() {
    let scenario =
        engine::share::decode("cluster=dgx-h100&model=llama-3-70b&gpus=64&tp=2&recompute=full&seq=8192").scenario;
    let html = page(&scenario, Vec::new());
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
fn a_choice_without_effect_says_so() {
    let scenario = engine::share::decode("cluster=dgx-h100&model=llama-3-8b&gpus=1").scenario;
    let effects = engine::analysis::effects::without_effect(&scenario);
    let same = effects.iter().find(|same| same.all).unwrap();
    let Field::Choice(field) = field(same.param.param(), &scenario, &[], &scenario) else { panic!() };
    let said = text::same(same);
    assert!(said.starts_with("No effect here"), "{said}");
    let same = Some(said.clone().into());
    let html = rendered::<ChoiceControl>(ChoiceProps { field, emit: Callback::noop(), explained: false, same });
    assert!(html.contains(&said), "{html}");
}

/// A plan asks its question of the link, with the number of the question alone.
#[test]
fn the_question_of_a_plan_is_that_of_the_link() {
    let html = embed("embed=1&view=plan&controls=none&plan=cheapest&days=12", Vec::new());
    assert!(html.contains("id=\"plan-question\"") && html.contains("cheapest by a deadline"));
    assert!(html.contains("id=\"plan-number\"") && html.contains("value=\"12\""), "{html}");
    let html = embed("embed=1&view=plan&controls=none&plan=context&days=12", Vec::new());
    assert!(!html.contains("id=\"plan-number\"") && words(&html).contains("The tokens of a step stay"), "{html}");
    assert!(page(&catalog::default_scenario(), Vec::new()).contains("id=\"alike\""));
}
