use super::notation::Tree;
use super::*;
use catalog::default_scenario;
use engine::format::{bytes, percent, seconds};
use engine::model::choices::Choices;
use engine::model::training::Recompute;
use engine::scenario::{Model, Scenario, Strategy};

/// Relative difference allowed between a formula and the engine's figure, which add in a different
/// order.
const NEAR: f64 = 1e-9;

/// Largest slow-down from contention, as a fraction of the step.
const SLOWED: f64 = 0.3;

fn value(tree: &Tree, context: &Context) -> f64 {
    let all = |trees: &[Tree]| trees.iter().map(|tree| value(tree, context)).collect::<Vec<f64>>();
    match tree {
        Tree::Number(text) => text.parse().unwrap(),
        Tree::Symbol(name) => (symbol(name).unwrap_or_else(|| panic!("no symbol {name}")).value)(context),
        Tree::Group(inner) => value(inner, context),
        Tree::Fraction(pair) => value(&pair[0], context) / value(&pair[1], context),
        Tree::Power(pair) => value(&pair[0], context).powf(value(&pair[1], context)),
        Tree::Call("max", of) => all(of).into_iter().fold(f64::NEG_INFINITY, f64::max),
        Tree::Call("min", of) => all(of).into_iter().fold(f64::INFINITY, f64::min),
        Tree::Call("sqrt", of) => all(of)[0].sqrt(),
        Tree::Call("ceil", of) => all(of)[0].ceil(),
        Tree::Row(row) => row[1..].chunks(2).fold(value(&row[0], context), |sum, pair| {
            let (Tree::Operator(operator), next) = (&pair[0], value(&pair[1], context)) else { panic!("{row:?}") };
            match operator {
                '+' => sum + next,
                '−' => sum - next,
                '·' => sum * next,
                other => panic!("{other} inside a formula"),
            }
        }),
        other => panic!("{other:?}"),
    }
}

/// Returns both sides of a formula.
fn sides(text: &str) -> (Tree<'_>, char, Tree<'_>) {
    match notation::parse(text) {
        Some(Tree::Row(row)) if row.len() == 3 => match <[Tree; 3]>::try_from(row) {
            Ok([left, Tree::Operator(relation), right]) => (left, relation, right),
            other => panic!("{text}: {other:?}"),
        },
        other => panic!("{text}: {other:?}"),
    }
}

fn check(scenario: &Scenario, name: &str) {
    let context = Context::new(scenario, &scenario.report());
    for number in numbers() {
        for formula in number.formulas.iter().filter(|formula| (formula.when)(&context)) {
            let text = formula.text;
            let (left, relation, right) = sides(text);
            let (left, right) = (value(&left, &context), value(&right, &context));
            let holds = match relation {
                '=' => (left - right).abs() <= NEAR * left.abs().max(right.abs()).max(1e-3),
                // Compute is slower next to a collective.
                '≈' => left >= right * (1.0 - NEAR) && left - right < SLOWED * context.report.update.time.step.get(),
                '≤' => left <= right,
                '>' => left > right,
                other => panic!("{other}"),
            };
            assert!(holds, "{name}, {}: {text}: {left} and {right}", number.key);
        }
    }
}

fn opened(link: &str) -> Scenario {
    let decoded = ::links::decode_link(link);
    assert!(decoded.issues.is_empty(), "{link}: {:?}", decoded.issues);
    decoded.scenario
}

#[test]
fn every_formula_gives_the_engines_figure() {
    check(&default_scenario(), "default");
    for strategy in Strategy::ALL {
        for recompute in [Recompute::None, Recompute::Selective, Recompute::Full] {
            for accum in [1, 4] {
                let changed = Scenario {
                    strategy,
                    grad_accum_steps: accum,
                    choices: Choices { recompute, ..Choices::DEFAULT },
                    ..default_scenario()
                };
                check(&changed, &format!("{strategy:?} {recompute:?} {accum}"));
            }
        }
    }
}

#[test]
fn so_it_does_for_pipelines_mixtures_and_every_model() {
    for entry in catalog::SCENARIOS {
        check(&opened(entry.link), entry.name);
    }
    for entry in catalog::MODELS {
        check(&default_scenario().with_model(entry.pick()), entry.name);
    }
    for size in [1.3e9, 65e9, 310e9] {
        check(&default_scenario().with_model(Model::Ladder { size }), "ladder");
    }
    for link in [
        "gpus=256&tp=8&pp=4&accum=32",
        "gpus=256&tp=8&pp=4&accum=32&schedule=gpipe",
        "gpus=128&strategy=hsdp&shard=8",
        "optim=muon",
        "gpus=1",
        "cluster=dgx-h100&gpus=64&model=llama-3-8b&accum=4&loader=1",
        "cluster=dgx-h100&gpus=8&model=llama-3-8b&objective=dpo",
        "cluster=dgx-h100&gpus=8&model=llama-3-8b&objective=dpo&ref=kept&strategy=ddp",
        "cluster=dgx-h100&gpus=64&model=mixtral-8x7b&ep=8&objective=kto&accum=4",
        "cluster=dgx-h100&gpus=64&model=llama-3-70b&tp=8&objective=dpo&accum=2",
        "cluster=dgx-h100&gpus=8&model=llama-3-8b&objective=reward",
        "cluster=dgx-h100&gpus=16&model=qwen-2.5-7b&objective=ppo&rm=model&mbs=4&recompute=full&upd=2",
        "cluster=dgx-h100&gpus=8&model=qwen-2.5-7b&objective=grpo&sleep=no&genmem=30&recompute=full",
        "cluster=dgx-h100&gpus=8&model=qwen-2.5-7b&objective=grpo&gengpu=8&gentp=2",
        "cluster=dgx-h100&gpus=8&model=qwen-2.5-7b&objective=grpo&gengpu=8&stale=2&texts=packed&meanlen=900&prompt=99",
        "cluster=dgx-h100&gpus=8&model=qwen-2.5-7b&objective=grpo&genoff=all&texts=grouped&meanlen=900&prompt=99",
    ] {
        check(&::links::decode_link(link).scenario, link);
    }
}

#[test]
fn the_results_are_those_of_the_tiles() {
    let scenario = default_scenario();
    let context = Context::new(&scenario, &scenario.report());
    let of = |name: &str| symbol(name).unwrap().written(&context);
    let tiles = ["MFU", "T_step", "M_need", "M_free"].map(of);
    let report = &context.report;
    let needed = report.memory.needed;
    assert_eq!(
        tiles,
        [percent(report.update.mfu), seconds(report.update.time.step), bytes(needed), bytes(report.memory.free())]
    );
}

#[test]
fn every_name_in_a_formula_is_a_symbol_and_every_symbol_is_used() {
    let mut used: Vec<&str> = Vec::new();
    for formula in numbers().flat_map(|number| number.formulas) {
        let _ = sides(formula.text);
        used.extend(notation::symbols(formula.text));
    }
    for name in &used {
        assert!(symbol(name).is_some(), "{name}");
    }
    let mut names: Vec<&str> = SYMBOLS.iter().copied().flatten().map(|symbol| symbol.name).collect();
    for name in &names {
        assert!(used.contains(name), "{name} is in no formula");
    }
    names.sort_unstable();
    assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
}

#[test]
fn every_link_opens_a_card_and_every_card_has_a_name_of_its_own() {
    for text in texts() {
        for (place, piece) in links::pieces(text).enumerate() {
            assert_eq!(place % 2 == 1, piece.opens.is_some(), "{}: {text}", piece.text);
        }
    }
    let mut keys: Vec<&str> = numbers().map(|number| number.key).chain(TERMS.iter().map(|term| term.key)).collect();
    assert!(keys.iter().all(|key| card(key).is_some_and(|card| card.key() == *key)));
    keys.sort_unstable();
    assert!(keys.windows(2).all(|pair| pair[0] != pair[1]), "{keys:?}");
}

#[test]
fn every_part_and_every_kind_of_work_has_a_card() {
    use engine::model::report::Work;
    let parts = engine::model::report::MemoryPart::ALL
        .map(|part| engine::names::part(part).card)
        .into_iter()
        .chain(Work::ALL.map(work_card_key));
    for key in parts {
        assert!(matches!(card(key), Some(Card::Number(_))), "{key}");
    }
}
