//! Controls: sliders, fields, steppers, choices, and text typed into them.

use crate::{IMAGES, after, control, page, rendered, words};
use engine::params::{Group, PARAMS, ParamId};
use engine::scenario::Scenario;
use shardwise::components::choice::{ChoiceControl, ChoiceControlProps as ChoiceProps};
use shardwise::fields::{Field, field};
use shardwise::panels::controls::{effects, layout};
use shardwise::state::{Action, Pick};
use yew::Reducible as _;

#[test]
fn every_parameter_has_a_control_where_it_has_an_effect() {
    let links = [
        "",
        "model=mixtral-8x7b&recompute=modules&train=lora&texts=packed&objective=grpo&compute=fp8",
        "objective=grpo&gengpu=8",
        "tp=2&cp=2&pp=2&schedule=interleaved&accum=8&strategy=hybrid-shard&recompute=fraction",
        "strategy=zero1&optimizer=galore&objective=dpo",
        "model=deepseek-v3&recompute=modules&ep=8&gpus=64",
        "cp=8&cpcomm=mixed&oversub=4",
        "model=nemotron-3-nano&ep=8&compute=fp8",
        IMAGES,
        "gpu=t4",
        "objective=distill&teacher=70B",
        "objective=opd&teacher=70B&teacherat=engine",
    ];
    let pages = links.map(|link| {
        let scenario = links::decode(link).scenario;
        (scenario, page(&scenario, Vec::new()))
    });
    let mut nowhere = Vec::new();
    for param in PARAMS {
        let control = format!("id=\"{}\"", param.key);
        for (scenario, html) in &pages {
            let shown = param.has_control && (param.group == Group::Main || param.is_shown(scenario));
            assert_eq!(html.contains(&control), shown, "{}", param.key);
        }
        if param.has_control && !pages.iter().any(|(_, html)| html.contains(&control)) {
            nowhere.push(param.key);
        }
    }
    assert_eq!(nowhere, [""; 0]);
}

#[test]
fn batch_and_layout_are_steppers_that_say_what_becomes_of_the_batch() {
    let scenario = links::decode("seq=4k&tp=2&accum=2").scenario;
    let html = page(&scenario, Vec::new());
    let group = html.split(&format!("aria-label=\"{}\"", layout::TITLE)).nth(1).unwrap();
    let group = group.split("</details>").next().unwrap();
    for name in [
        "Tensor parallel: 1, same tokens per step",
        "Tensor parallel: 4, same tokens per step",
        "Context parallel: no lower value is valid here",
        "Gradient accumulation steps: 4, 524k tokens per step instead of 262k",
    ] {
        assert!(group.contains(&format!("aria-label=\"{name}\"")), "no button {name} in {group}");
    }
    assert!(words(group).contains("× dp 32 × 4,096 = 262k tokens per step"), "{}", words(group));
    assert!(!group.contains("Expert parallel"), "a dense model has no experts to split");
}

#[test]
fn a_step_keeps_the_batch_and_a_correction_stands_at_its_field() {
    let start = links::decode("accum=4").scenario;
    let step = |key, value| Action::StepCount { key, value };
    let split = after(vec![Action::ReplaceScenario(Box::new(start)), step(ParamId::Tp, 4)]);
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
    // The buttons of the strip start from the value in use, not from the typed one.
    assert!(html.contains("aria-label=\"Pipeline stages: 2, ") && html.contains("aria-label=\"Pipeline stages: 8, "));
}

#[test]
fn text_that_is_no_value_stays_with_a_sentence_and_an_offer_and_keeps_the_result() {
    for typed in ["abc", "-1", "1e99"] {
        let state = after(vec![Action::Type { key: ParamId::GpuMemory, text: typed.into() }, Action::EndGesture]);
        assert_eq!(state.scenario, catalog::default_scenario(), "{typed}");
        let html = control("mem", &state);
        assert!(html.contains(&format!("value=\"{typed}\"")) && html.contains("aria-invalid=\"true\""), "{html}");
        let error = words(html.split("id=\"mem-error\"").nth(1).unwrap());
        assert!(error.contains(typed) && error.contains('.') && error.contains("Use "), "{error}");
    }
}

/// A field receives every letter: `1` is a value on the way to `1e99`, which is none.
#[test]
fn what_is_typed_on_the_way_to_no_value_is_not_kept() {
    let letters = |key, texts: &[&str]| -> Vec<Action> {
        texts.iter().map(|text| Action::Type { key, text: (*text).to_owned() }).collect()
    };
    let start = after(Vec::new());
    let typed = after(letters(ParamId::Gpus, &["1", "1e", "1e9", "1e99"]));
    assert_eq!(typed.scenario, start.scenario);
    let settled = typed.reduce(Action::EndGesture).reduce(Action::Commit);
    assert_eq!((settled.scenario, settled.can_undo()), (start.scenario, false));
    assert!(control("gpus", &settled).contains("value=\"1e99\""));
    // The offered value is near the one before the edit, not near a value on the way.
    let refused = after(letters(ParamId::Gpus, &["1", "1e"]));
    let offered = refused.draft(ParamId::Gpus).and_then(|draft| draft.refusal.as_ref()).map(|refusal| refusal.nearest);
    assert_eq!(offered, Some(1.0));
    let emptied = after(letters(ParamId::Gpus, &["6", ""]));
    let offered = emptied.draft(ParamId::Gpus).and_then(|draft| draft.refusal.as_ref()).map(|refusal| refusal.nearest);
    assert_eq!((emptied.scenario.gpus, offered), (64, Some(64.0)));
    // Text that becomes a value again is applied.
    assert_eq!(after(letters(ParamId::Gpus, &["1", "1e", "1e3"])).scenario.gpus, 1000);
    // Text that is no value restores a named model, both in its size and in a parameter of its
    // shape.
    let named = after(vec![Action::Pick(Pick::Model("llama-2-7b"))]);
    for (key, texts) in [(ParamId::ModelSize, ["13B", "13Bx"]), (ParamId::Layers, ["1", "1e99"])] {
        let typed = letters(key, &texts).into_iter().fold(named.clone(), yew::Reducible::reduce);
        assert_eq!(typed.scenario, named.scenario, "{key:?}");
    }
    // An edit begins anew once the previous edit is over.
    let again = after(letters(ParamId::Gpus, &["128"])).reduce(Action::EndGesture);
    let again = letters(ParamId::Gpus, &["1", "1y"]).into_iter().fold(again, yew::Reducible::reduce);
    assert_eq!(again.scenario.gpus, 128);
}

#[test]
fn escape_gives_back_the_value_from_before_the_edit() {
    let typed = |text: &str| Action::Type { key: ParamId::Gpus, text: text.into() };
    let escaped = after(vec![typed("1"), typed("12"), Action::CancelEdit { key: ParamId::Gpus }]);
    assert_eq!((escaped.scenario, escaped.settled), (catalog::default_scenario(), true));
    assert!(escaped.draft(ParamId::Gpus).is_none() && control("gpus", &escaped).contains("value=\"64\""));
    // An entered value stays, and so does a field in which nothing was typed.
    let entered = after(vec![typed("12"), Action::EndGesture, Action::CancelEdit { key: ParamId::Gpus }]);
    assert_eq!(entered.scenario.gpus, 12);
    assert_eq!(after(vec![Action::CancelEdit { key: ParamId::Gpus }]).scenario, catalog::default_scenario());
}

#[test]
fn the_offered_value_is_taken() {
    let state = after(vec![
        Action::Type { key: ParamId::GpuMemory, text: "1e99".into() },
        Action::TakeNearest { key: ParamId::GpuMemory },
    ]);
    assert_eq!(state.scenario.accelerator.values.memory.gib(), 512.0);
    assert!(state.draft(ParamId::GpuMemory).is_none() && state.settled);
}

#[test]
fn a_changed_parameter_offers_the_way_back() {
    let state = after(vec![Action::Type { key: ParamId::GpuMemory, text: "80 GB".into() }, Action::EndGesture]);
    let html = control("mem", &state);
    assert!(html.contains("GPU memory back to 40\u{2009}GiB"), "{html}");
    let back = state.reduce(Action::ResetParam { key: ParamId::GpuMemory });
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
fn a_gesture_is_one_step_of_undo() {
    let slide = |index| Action::Slide { key: ParamId::SequenceLength, index };
    let state = after(vec![slide(2), slide(3), slide(4), Action::EndGesture, Action::Commit]);
    assert!(state.can_undo());
    let undone = state.reduce(Action::Undo);
    assert_eq!(undone.scenario, catalog::default_scenario());
    assert!(!undone.can_undo() && undone.can_redo());
}

#[test]
fn a_choice_without_effect_says_so() {
    let scenario = links::decode("cluster=dgx-h100&model=llama-3-8b&gpus=1").scenario;
    let effects = analysis::inert_options::inert_options(&scenario);
    let same = effects.iter().find(|same| same.all).unwrap();
    let Field::Choice(field) = field(same.param.param(), &scenario, &[], &scenario, None) else { panic!() };
    let said = effects::same(same);
    assert!(said.starts_with("No effect here"), "{said}");
    let same = Some(said.clone().into());
    let html = rendered::<ChoiceControl>(ChoiceProps { field, explained: false, same });
    assert!(html.contains(&said), "{html}");
}
