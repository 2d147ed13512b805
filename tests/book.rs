//! The documentation says what the engine says: every link to the calculator decodes to the
//! scenario that is meant, and every number that a comment marks is the one of its figure.
//!
//! A mark stands right behind a number: `52.9 %<!-- mfu -->`. It names values of the report
//! (`export/report_json.rs`) by their path, `memory_bytes.peak`, of the last figure above it: the
//! scenario on screen, or a pinned one as `A.mfu`. Values and plain numbers may be joined by `+ - *
//! /`, from left to right. The number must be right to its last digit.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test stops where the text is wrong")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use ::links::decode_link;
use analysis::plan::amount;
use charts::views::{ALONG, Metric, best_holds, every_axis};
use engine::params::PARAMS;
use engine::scenario::pins::PIN_LETTERS;
use engine::validate::issues;
use explain::{TERMS, card, links};
use export::report_json::report_json;
use serde_json::Value;
use shardwise::view::{Panel, PlanQuestion, SURE};

/// Units behind a number, with their factors to the report's units.
const UNITS: [(&str, f64); 20] = [
    ("%", 1e-2),
    ("points", 1e-2),
    ("GiB", 1073741824.0),
    ("MiB", 1048576.0),
    ("TB", 1e12),
    ("GB", 1e9),
    ("MB", 1e6),
    ("kB", 1e3),
    ("ms", 1e-3),
    ("s", 1.0),
    ("hours", 3600.0),
    ("days", 86400.0),
    ("tokens", 1.0),
    ("parameters", 1.0),
    ("times", 1.0),
    ("dollars", 1.0),
    ("GPU-hours", 1.0),
    ("MWh", 1e3),
    ("t", 1e6),
    ("", 1.0),
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/book")
}

/// Every chapter: its name, with the folder in the book, and its text.
fn chapters() -> Vec<(String, String)> {
    let mut chapters = Vec::new();
    for below in ["", "model/", "accuracy/"] {
        for entry in std::fs::read_dir(folder().join(below)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|kind| kind == "md") {
                let name = format!("{below}{}", path.file_name().unwrap().to_str().unwrap());
                chapters.push((name, std::fs::read_to_string(path).unwrap()));
            }
        }
    }
    chapters.sort();
    assert!(chapters.len() > 40);
    chapters
}

/// The addresses of a text's links, with the place of each.
fn addresses(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.match_indices("](").map(|(place, _)| (place, text[place + 2..].split([')', ' ']).next().unwrap()))
}

/// Links to the calculator, figures among them.
fn calculator_links(text: &str) -> impl Iterator<Item = (usize, &str)> {
    addresses(text).filter(|(_, address)| address.starts_with("../?"))
}

fn is_figure(address: &str) -> bool {
    address.starts_with("../?view=")
}

/// The parameters that a link puts on the axes of map and curve.
fn axes(query: &str) -> impl Iterator<Item = &str> {
    let pairs = query.trim_start_matches("../?").split('&').filter_map(|pair| pair.split_once('='));
    pairs.filter(|pair| ["map", "curve"].contains(&pair.0)).flat_map(|pair| pair.1.split('.'))
}

/// The reports of a link: of the scenario on screen, and of the pinned ones.
fn reports(address: &str) -> Vec<Value> {
    let decoded = decode_link(address.split_once('#').unwrap().1);
    let all = std::iter::once(decoded.scenario).chain(decoded.pins);
    all.map(|scenario| report_json(&scenario, &scenario.report(), &[])).collect()
}

/// The value of a path, or of a plain number.
fn value(reports: &[Value], name: &str) -> Option<f64> {
    if let Ok(number) = name.parse() {
        return Some(number);
    }
    let (place, path) = match name.split_once('.') {
        Some((letter, path)) => match PIN_LETTERS.iter().position(|known| *known == letter) {
            Some(pin) => (1 + pin, path),
            None => (0, name),
        },
        None => (0, name),
    };
    reports.get(place)?.pointer(&format!("/{}", path.replace('.', "/")))?.as_f64()
}

/// Returns the value of a mark.
fn computed(reports: &[Value], mark: &str) -> Option<f64> {
    let words: Vec<&str> = mark.split_whitespace().collect();
    let first = value(reports, words.first()?)?;
    words[1..].chunks(2).try_fold(first, |sum, pair| {
        let next = value(reports, pair.get(1)?)?;
        Some(match pair[0] {
            "+" => sum + next,
            "-" => sum - next,
            "*" => sum * next,
            "/" => sum / next,
            _ => return None,
        })
    })
}

/// The number at the end of a text: its value and half of its last digit, both in the report's
/// units.
fn stated(text: &str) -> Option<(f64, f64)> {
    let words: Vec<&str> = text.split_whitespace().rev().take(2).collect();
    let plain = |word: &str| word.trim_start_matches(['(', '*', '~']).replace(',', "");
    let is_number = |word: &str| plain(word).parse::<f64>().is_ok();
    let (number, unit) = if is_number(words[0]) { (words[0], "") } else { (*words.get(1)?, words[0]) };
    let factor = UNITS.iter().find(|known| known.0 == unit)?.1;
    let number = plain(number);
    let digits = number.split_once('.').map_or(0, |(_, digits)| digits.len());
    Some((number.parse::<f64>().ok()? * factor, 0.5 * 10f64.powi(-i32::try_from(digits).ok()?) * factor))
}

#[test]
fn every_link_to_the_calculator_is_a_scenario_that_can_be_read() {
    let mut figures = 0;
    for (name, text) in chapters() {
        for (_, address) in calculator_links(&text) {
            let (query, fragment) =
                address.split_once('#').unwrap_or_else(|| panic!("{name}: {address} has no scenario"));
            assert!(fragment.starts_with("v=1"), "{name}: {address} says no version");
            let decoded = decode_link(fragment);
            assert_eq!(decoded.issues, [], "{name}: {address}");
            assert_eq!(issues(&decoded.scenario).len(), 0, "{name}: {address}");
            assert_eq!(decoded.pins.len(), fragment.matches("pin=").count(), "{name}: {address}");
            assert!(address.len() < 500, "{name}: {address} is long");
            let of_cost = query.contains("metric=cost");
            for key in axes(query) {
                let axis = every_axis().find(|param| param.key == key);
                let stands = axis.is_some_and(|param| param.is_axis(&decoded.scenario, of_cost));
                let stands = stands || (key == "best" && best_holds(&decoded.scenario));
                assert!(stands, "{name}: {key} is no axis of {address}");
            }
            let views = query.trim_start_matches("../?").split('&').find_map(|pair| pair.strip_prefix("view="));
            for view in views.into_iter().flat_map(|views| views.split('.')) {
                assert!(Panel::ALL.iter().any(|panel| panel.key() == view), "{name}: there is no panel {view}");
            }
            for pair in query.split(['?', '&']) {
                let known = match pair.split_once('=') {
                    Some(("metric", key)) => Metric::ALL.iter().any(|metric| metric.key() == key),
                    Some(("layer", key)) => ALONG.iter().any(|along| along.1 == key),
                    Some(("why", key)) => card(key).is_some(),
                    Some(("controls", key)) => ["none", "few", "all"].contains(&key),
                    Some(("plan", key)) => PlanQuestion::from_key(key).is_some(),
                    Some(("days" | "budget" | "batch", typed)) => amount(typed).is_some(),
                    Some(("sure", typed)) => SURE.iter().any(|sure| sure.to_string() == typed),
                    Some((key, _)) => ["view", "map", "curve"].contains(&key),
                    None => pair == "../",
                };
                assert!(known, "{name}: {pair} means nothing");
            }
            figures += usize::from(is_figure(address));
        }
    }
    assert!(figures > 25, "{figures} figures");
}

#[test]
fn every_marked_number_is_its_figures() {
    let (mut marks, mut wrong) = (0, Vec::new());
    for (name, text) in chapters() {
        // A comment by itself is no mark.
        let behind_a_word = |place: usize| !text[..place].ends_with([' ', '\n']);
        for (place, _) in text.match_indices("<!-- ").filter(|mark| behind_a_word(mark.0)) {
            let mark = text[place + 5..].split(" -->").next().unwrap();
            let figure =
                calculator_links(&text).take_while(|link| link.0 < place).filter(|link| is_figure(link.1)).last();
            let (_, address) = figure.unwrap_or_else(|| panic!("{name}: no figure stands above {mark}"));
            let Some(computed) = computed(&reports(address), mark) else {
                wrong.push(format!("{name}: the report of {address} has no {mark}"));
                continue;
            };
            let (stated, half_a_digit) =
                stated(&text[..place]).unwrap_or_else(|| panic!("{name}: no number stands before {mark}"));
            if (computed - stated).abs() > half_a_digit * 1.0001 {
                wrong.push(format!("{name}: {mark} is {computed}, and {stated} is stated, of {address}"));
            }
            marks += 1;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(marks > 60, "{marks} numbers");
}

#[test]
fn every_other_link_stays_in_the_book_or_names_a_public_address() {
    let chapters = chapters();
    let summary = &chapters.iter().find(|chapter| chapter.0 == "SUMMARY.md").unwrap().1;
    for (name, text) in &chapters {
        assert!(name == "SUMMARY.md" || summary.contains(&format!("({name})")), "{name} is not in the contents");
        for (_, address) in addresses(text) {
            let file = address.split('#').next().unwrap();
            let known = address.starts_with("https://")
                || address.starts_with("../?")
                || ["../", "../static/embed.js", "../static/measure.py"].contains(&address)
                || file.is_empty()
                || folder().join(name).with_file_name(file).is_file();
            assert!(known, "{name}: {address} leads nowhere");
            // Links to the calculator and to other sites have fragments of their own.
            let in_book = !address.starts_with("https://")
                && (file.is_empty() || Path::new(file).extension().is_some_and(|kind| kind == "md"));
            let Some((_, heading)) = address.split_once('#').filter(|_| in_book) else { continue };
            let chapter = folder().join(name);
            let chapter = if file.is_empty() { chapter } else { chapter.with_file_name(file) };
            let text = std::fs::read_to_string(chapter).unwrap();
            let headings = text.lines().filter(|line| line.starts_with('#'));
            // A chapter that includes a file has headings that are not seen here.
            let known = headings.map(|line| anchor(line.trim_start_matches('#'))).any(|name| name == heading);
            assert!(known || text.contains("{{#include"), "{name}: {address} names no heading");
        }
    }
}

/// The name that mdBook gives a heading.
fn anchor(heading: &str) -> String {
    let kept = |sign: char| match sign {
        sign if sign.is_alphanumeric() || sign == '_' || sign == '-' => Some(sign.to_ascii_lowercase()),
        sign if sign.is_whitespace() => Some('-'),
        _ => None,
    };
    heading.trim().chars().filter_map(kept).collect()
}

/// The glossary of the page, as a chapter.
fn glossary() -> String {
    let mut text = String::from(
        "# Glossary\n\nTerms of the field as the calculator uses them, then every control in a sentence. The page shows the same.\n\n## Terms\n",
    );
    for term in TERMS {
        let words: String = links::pieces(term.text).map(|piece| piece.text.to_owned()).collect();
        write!(text, "\n{}\n: {words}\n", term.name).unwrap();
    }
    text.push_str("\n## Controls\n\nIn brackets: the key in [links](links.md).\n");
    for param in PARAMS {
        write!(text, "\n{} (`{}`)\n: {}\n", param.label, param.key, param.help).unwrap();
    }
    text
}

/// `cargo xtask test --record` writes it anew.
#[test]
fn the_glossary_is_that_of_the_page() {
    let path = folder().join("glossary.md");
    expect_test::expect_file![path].assert_eq(&glossary());
}
