//! A card as lines of text.

use crate::links::pieces;
use crate::{Card, Context, Explanation, notation, symbol};

/// Explains a number or a term. Formulas and their values are those of a scenario.
pub fn lines(card: Card, context: &Context) -> Vec<String> {
    let title = card.title().to_owned();
    match card {
        Card::Term(term) => vec![title, plain(term.text)],
        Card::Number(number) => core::iter::once(title).chain(explained(number, context)).collect(),
    }
}

fn explained(number: &Explanation, context: &Context) -> Vec<String> {
    let (formulas, names) = number.formulas_with_names(Some(context));
    let written = |name: &str| symbol(name).map_or_else(|| name.to_owned(), |symbol| symbol.written(context));
    let mut lines = vec![plain(number.meaning)];
    for text in formulas {
        lines.push(format!("  {text}"));
        // The name before the sign has its value last.
        let (left, right) = text.split_once(" = ").map_or((None, text), |(left, right)| (Some(left), right));
        let result = left.map_or_else(String::new, |left| format!(" = {}", written(left)));
        lines.push(format!("  = {}{result}", notation::write_line(right, written)));
    }
    lines.extend(names.into_iter().filter_map(symbol).map(|symbol| {
        format!("  {}: {}: {}", symbol.name, plain(symbol.meaning).trim_end_matches('.'), symbol.written(context))
    }));
    lines.push(format!("Source: {}", plain(number.source)));
    lines.push(format!("Left out: {}", plain(number.leaves_out)));
    lines
}

/// Returns a text without the marks of its links.
pub fn plain(text: &'static str) -> String {
    pieces(text).map(|piece| piece.text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{TERMS, card, numbers};

    #[test]
    fn every_card_is_text_with_values() {
        let scenario = catalog::default_scenario();
        let context = Context::new(&scenario, &scenario.report());
        for key in numbers().map(|number| number.key).chain(TERMS.iter().map(|term| term.key)) {
            let lines = lines(card(key).unwrap(), &context);
            assert!(lines.len() > 1 && lines.iter().all(|line| !line.is_empty()), "{key}: {lines:?}");
            assert!(lines.iter().all(|line| !line.contains("[[") && !line.contains("NaN")), "{key}: {lines:?}");
        }
        let mfu = lines(card("mfu").unwrap(), &context).join("\n");
        let shown = symbol("MFU").unwrap().written(&context);
        assert!(mfu.contains(&format!(" = {shown}\n")), "{mfu}");
    }
}
