//! Models, GPUs and clusters of one's own, imported or scaled.

use std::rc::Rc;

use crate::{after, control, page, page_of, words};
use charts::views::{Scratch, feasible_region};
use engine::model::transformer::Architecture;
use engine::params::ParamId;
use engine::scenario::Model;
use shardwise::calculator::headline::headline;
use shardwise::state::{Action, Pick, State};
use shardwise::view::View;
use yew::Reducible as _;

/// Every field of a catalog model shows the catalog's number, and its published size.
#[test]
fn the_fields_of_a_named_model_are_exact() {
    use engine::params::{Group, ParamKind, every};
    for entry in catalog::MODELS {
        let scenario = catalog::default_scenario().with_model(entry.pick());
        for param in every().filter(|param| param.group == Group::Architecture) {
            let ParamKind::Number(number) = param.kind else { continue };
            let text = catalog::field_text(&number, &scenario);
            assert_eq!(text.parse::<f64>().unwrap(), (number.get)(&scenario), "{}: {}", entry.id, param.label);
        }
        let size = catalog::field_text(ParamId::ModelSize.number().unwrap(), &scenario);
        assert_eq!(size, entry.size());
    }
    // The usable memory of a GPU has no digits from a conversion.
    for entry in catalog::ACCELERATORS {
        let mut scenario = catalog::default_scenario();
        catalog::pick::pick_accelerator(&mut scenario, entry.id);
        let text = catalog::field_text(engine::params::find("usable").unwrap().number().unwrap(), &scenario);
        assert!(text.len() <= 13, "{}: {text}", entry.id);
    }
}

/// An arrow key makes one layer more, not twice as many, and says that the model is another one
/// now.
#[test]
fn an_arrow_key_is_one_step() {
    let start = State::new(
        &catalog::default_scenario().with_model(catalog::model("llama-3.1-8b").unwrap().pick()),
        Vec::new(),
        View::default(),
    );
    let key = ParamId::Layers;
    let state = Rc::new(start).reduce(Action::Nudge { key, up: true });
    assert_eq!(state.scenario.model.architecture().num_hidden_layers, 33);
    let html = words(&page(&state.scenario, Vec::new()));
    assert!(html.contains("A custom model now, made from Llama 3 8B.") && html.contains("Back to Llama 3 8B"));
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
        .reduce(Action::ChoosePlace(vec![(ParamId::SequenceLength.into(), 2048.0), (ParamId::ModelSize.into(), near)]));
    assert_eq!((kept.scenario.model, kept.scenario.seq_len), (named.scenario.model, 2048));
    let far = spec.y.settled(20.123e9);
    let named_model = named.scenario.model;
    let left = named.reduce(Action::ChoosePlace(vec![(ParamId::ModelSize.into(), far)]));
    assert_eq!(left.scenario.model, named_model.resized(20.1e9));
    assert_eq!(headline(&left.scenario, &left.scenario.report()).subject, "Llama 2 scaled to 20.1B on 64 A100 40 GB");
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
    let subject = headline(&moved.scenario, &moved.scenario.report()).subject;
    assert!(subject.starts_with("Llama 3.1 scaled to 8."), "{subject}");
    // A larger model of one family needs more memory.
    assert!(moved.scenario.report().memory.needed > named.scenario.report().memory.needed);
    assert!(control("size", &moved).contains("Model size back to 8.030261248B"), "{}", control("size", &moved));
    assert!(page(&moved.scenario, Vec::new()).contains("Llama 3.1 scaled to 8."));
    let back = moved.clone().reduce(Action::Slide { key: ParamId::ModelSize, index: at });
    assert_eq!(back.scenario.model, named.scenario.model);
    assert_eq!(moved.reduce(Action::ResetParam { key: ParamId::ModelSize }).scenario.model, named.scenario.model);
    let typed = named.reduce(Action::Type { key: ParamId::ModelSize, text: "405B".into() });
    assert!(matches!(typed.scenario.model, Model::Preset { id: "llama-3.1-405b", .. }), "{:?}", typed.scenario.model);
}

#[test]
fn a_row_of_the_architecture_makes_a_named_model_the_users_own_and_the_way_back_makes_it_the_named_one() {
    let named = after(vec![Action::Pick(Pick::Model("mistral-7b-v0.3"))]);
    // Another spelling of the present value changes nothing.
    let same = named.clone().reduce(Action::Type { key: ParamId::VocabSize, text: "32,768".into() });
    assert_eq!(same.scenario.model, named.scenario.model);
    let changed = same.reduce(Action::Type { key: ParamId::Layers, text: "40".into() }).reduce(Action::EndGesture);
    let Model::Custom { architecture } = changed.scenario.model else { panic!("{:?}", changed.scenario.model) };
    let kept = named.scenario.model.architecture();
    assert_eq!((architecture.num_hidden_layers, architecture.vocab_size), (40, kept.vocab_size));
    assert!(control("layers", &changed).contains("Layers back to 32"));
    assert!(!control("vocab", &changed).contains("back to"));
    assert!(page_of(&changed).contains("Custom (from Mistral 7B v0.3)"));
    let back = changed.clone().reduce(Action::ResetParam { key: ParamId::Layers });
    assert_eq!(back.scenario.model, named.scenario.model);
    let chosen = changed.reduce(Action::Choose { key: ParamId::TiedEmbeddings, index: 1 });
    assert!(chosen.scenario.model.architecture().tie_word_embeddings);
}

#[test]
fn a_gpu_and_a_cluster_of_ones_own_are_named_marked_and_put_back() {
    let picked = after(vec![Action::Pick(Pick::Cluster("dgx-h100"))]);
    assert!(!page_of(&picked).contains("Custom"));
    let edited = picked
        .reduce(Action::Type { key: ParamId::Peak16Bit, text: "1.2 PFLOP/s".into() })
        .reduce(Action::Type { key: ParamId::Power, text: "900 W".into() })
        .reduce(Action::Type { key: ParamId::IntraNodeLatency, text: "2 us".into() })
        .reduce(Action::EndGesture);
    let html = page_of(&edited);
    assert!(html.contains("Custom (from H100 SXM)") && html.contains("Custom (from DGX H100"), "{html}");
    let sentence = headline(&edited.scenario, &edited.scenario.report()).sentence();
    assert!(sentence.starts_with("13B on 64 custom GPUs (from H100 SXM) "), "{sentence}");
    assert!(control("power", &edited).contains("back to 700\u{2009}W"));
    let back = [ParamId::Peak16Bit, ParamId::Power, ParamId::IntraNodeLatency]
        .into_iter()
        .fold(edited, |state, key| state.reduce(Action::ResetParam { key }));
    assert!(!page_of(&back).contains("Custom"));

    // Custom values are still measured against the entry that they were made from.
    let own = back.reduce(Action::Pick(Pick::Accelerator("h200"))).reduce(Action::Pick(Pick::Accelerator("custom")));
    assert_eq!(own.scenario.accelerator.id, "custom");
    let own =
        own.reduce(Action::Type { key: ParamId::MemoryBandwidth, text: "6 TB/s".into() }).reduce(Action::EndGesture);
    assert!(control("hbm", &own).contains("back to 4,800\u{2009}GB/s"), "{}", control("hbm", &own));
    assert!(page_of(&own).contains("Custom (from H200)"));
    let sentence = headline(&own.scenario, &own.scenario.report()).sentence();
    assert!(sentence.starts_with("13B on 64 custom GPUs with 141"), "{sentence}");
}

#[test]
fn an_imported_model_is_one_step_of_undo_and_what_its_rows_are_measured_against() {
    let architecture = catalog::model("qwen-3-8b").unwrap().architecture;
    let start = after(Vec::new());
    let imported = start.clone().reduce(Action::ImportModel(Box::new(architecture))).reduce(Action::Commit);
    assert_eq!(imported.scenario.model, Model::Custom { architecture });
    assert!(!control("layers", &imported).contains("back to"));
    let deeper =
        imported.clone().reduce(Action::Type { key: ParamId::Layers, text: "40".into() }).reduce(Action::EndGesture);
    assert!(control("layers", &deeper).contains("Layers back to 36"));
    assert_eq!(deeper.reduce(Action::ResetParam { key: ParamId::Layers }).scenario.model, imported.scenario.model);
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
fn the_sheet_for_files_is_a_door_until_it_is_opened() {
    let html = page(&catalog::default_scenario(), Vec::new());
    assert!(html.contains("id=\"bring-door\"") && html.contains("aria-expanded=\"false\""), "no door");
    assert!(!html.contains("id=\"config\""));
}
