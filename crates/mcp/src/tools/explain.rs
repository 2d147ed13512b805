//! `explain`: what a number, a term, a key or a code of the linter means, and where it comes from.

use api::given::Code;
use api::{Open, Refusal};
use engine::nearest::{did_you_mean, nearest};
use engine::params::find;
use engine::params::quantity::shorten;
use explain::text::plain;
use explain::{Card, Context, Explanation, TERMS, card, named, numbers, symbol};
use export::summary_json;
use files::run::{RULES, rule};
use links::spelling::spell;
use serde_json::{Map, Value, json};

use super::{Access, Tool, run, schema_of, search, text};
use crate::arguments::Arguments;

pub(super) const TOOL: Tool = Tool {
    name: "explain",
    title: "What a number means and where it comes from",
    about: "A figure of a report (mfu, step_time_s, needed_memory_gib, fit_odds, evidence …), a part of memory or time \
            (activations, bubble-time), a term (ZeRO-3), a key of a scenario or a code of the linter (SW101): meaning, \
            formula, source and what it leaves out. With a run: the formula with its values.",
    arguments: &[("name", text, "What to explain.")],
    run: true,
    schema: |access| schema_of(&TOOL, access, &["name"]),
    answer,
};

fn answer(arguments: Arguments, _: Access) -> Result<Value, Refusal> {
    let Some(name) = arguments.text("name")? else {
        return Err(Refusal::new(Code::Missing, "What should be explained? Give `name`, as in \"mfu\" or \"SW101\"."));
    };
    let context = if run::is_given(arguments) {
        let read = run::read(arguments, &Open::ALL)?.read;
        Some(Context::new(&read.scenario, &read.scenario.report()))
    } else {
        None
    };
    if let Some(rule) = rule(name) {
        return Ok(json!({
            "kind": "code", "name": rule.code, "title": rule.name, "severity": rule.severity, "meaning": rule.explanation,
        }));
    }
    let field = summary_json::meaning(name.trim());
    let own = field.map(|(_, key)| key).filter(|key| !key.is_empty()).and_then(card);
    let mut answer = match own.or_else(|| named(name)) {
        Some(Card::Number(number)) => explained(number, context.as_ref()),
        Some(Card::Term(term)) => object(json!({ "kind": "term", "name": term.name, "meaning": plain(term.text) })),
        None if field.is_some() => object(json!({ "kind": "field", "name": name.trim() })),
        None => return parameter(name).ok_or_else(|| unknown(name)),
    };
    answer.extend(field.map(|(about, _)| ("field".to_owned(), about.into())));
    Ok(answer.into())
}

fn explained(number: &Explanation, context: Option<&Context>) -> Map<String, Value> {
    let (formulas, names) = number.formulas_with_names(context);
    let values = names.into_iter().filter_map(symbol).map(|symbol| {
        let value = context.map(|context| spaced(&symbol.written(context)));
        json!({ "name": symbol.name, "meaning": plain(symbol.meaning), "value": value })
    });
    object(json!({
        "kind": "number",
        "name": number.title,
        "formulas": formulas,
        "symbols": values.collect::<Vec<_>>(),
        "meaning": plain(number.meaning),
        "source": plain(number.source),
        "leaves_out": plain(number.leaves_out),
    }))
}

/// Explains a key of a scenario under any of its names.
fn parameter(name: &str) -> Option<Value> {
    let spelled = spell(name, "1");
    let key = find(name.trim()).map(|param| param.key.to_owned()).or_else(|| Some(spelled.pairs.first()?.0.clone()))?;
    let row = search::parameter(&key)?;
    Some(json!({ "kind": "key", "name": key, "parameter": row }))
}

fn unknown(name: &str) -> Refusal {
    let names = numbers().flat_map(|number| [number.key, number.title]);
    let names = names.chain(TERMS.iter().map(|term| term.name)).chain(RULES.iter().map(|rule| rule.code));
    let near = did_you_mean(&nearest(name, names.chain(summary_json::names())));
    let message = format!(
        "Nothing is called “{}”.{near} Give a figure (mfu, needed_memory_gib), a term (ZeRO-3), a key (tp) or a code \
         (SW101).",
        shorten(name)
    );
    Refusal::new(Code::UnknownName, message)
}

/// Returns a value with ordinary spaces.
fn spaced(value: &str) -> String {
    value.replace(['\u{2009}', '\u{a0}'], " ")
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_card_of_the_small_report_exists() {
        for name in summary_json::names() {
            let (_, key) = summary_json::meaning(name).unwrap();
            assert!(key.is_empty() || card(key).is_some(), "{name}: {key}");
        }
    }
}
