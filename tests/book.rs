//! The documentation says what the engine says: every link to the calculator decodes to the
//! scenario that is meant, and every number that a comment marks is the one of its figure.
//!
//! A mark stands right behind a number: `52.9 %<!-- mfu -->`. It names values of the report
//! (`export/report_json.rs`) by their path, `memory_bytes.peak`, of the last figure above it: the
//! scenario on screen, or a pinned one as `A.mfu`. Other values need no figure above them (`fact`):
//! `rows.clusters`, `fitted.memory.value`, `price.h100-sxm`, and the first number in a row of a
//! table of the book, `speed.md#first-load-brotli-11`. Values and plain numbers may be joined by
//! `+ - * / min max`, from left to right. The number must be right to its last digit; `cargo xtask
//! test --record` writes the right one.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test stops where the text is wrong")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use ::links::decode_link;
use analysis::plan::amount;
use catalog::accelerators::prices::list_price;
use catalog::accuracy::REACHED;
use catalog::{ACCELERATORS, CLUSTERS, INTERCONNECTS, MODELS};
use charts::views::{ALONG, Metric, best_holds, every_axis};
use engine::fitted;
use engine::params::PARAMS;
use engine::scenario::pins::PIN_LETTERS;
use engine::validate::issues;
use explain::{TERMS, card, links};
use export::report_json::report_json;
use serde_json::Value;
use shardwise::view::{Panel, PlanQuestion, SURE};

/// Units behind a number, with their factors to the report's units.
const UNITS: [(&str, f64); 24] = [
    ("%", 1e-2),
    ("points", 1e-2),
    ("GiB", 1073741824.0),
    ("MiB", 1048576.0),
    ("TB", 1e12),
    ("GB", 1e9),
    ("MB", 1e6),
    ("kB", 1e3),
    ("KB", 1e3),
    ("TFLOP", 1e12),
    ("GB/s", 1e9),
    ("ms", 1e-3),
    ("µs", 1e-6),
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
    for below in ["", "model/", "accuracy/", "tutorials/"] {
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

/// The value of a path, of a fact, or of a plain number.
fn value(reports: &[Value], name: &str) -> Option<f64> {
    if let Some(number) = name.parse().ok().or_else(|| fact(name)) {
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

/// A value that depends on no scenario: of the rows of `data/`, or of a table of the book.
fn fact(name: &str) -> Option<f64> {
    if let Some((page, row)) = name.split_once('#') {
        return cell(page, row);
    }
    let (kind, name) = name.split_once('.')?;
    match kind {
        "rows" => Some(rows(name)? as f64),
        "fitted" => fitted(name),
        "least" => deviations(name).reduce(f64::min),
        "most" => deviations(name).reduce(f64::max),
        "price" => Some(list_price(name)?.usd_per_hour),
        "accelerator" => accelerator(name),
        "interconnect" => interconnect(name),
        "measure" => measure(name),
        "reached" => reached(name),
        _ => None,
    }
}

/// The number of rows of a table of `data/`, or of a part of it.
fn rows(table: &str) -> Option<usize> {
    Some(match table {
        "accelerators" => ACCELERATORS.len(),
        "priced" => ACCELERATORS.iter().filter(|entry| entry.price.is_some()).count(),
        "interconnects" => INTERCONNECTS.len(),
        "clusters" => CLUSTERS.len(),
        "models" => MODELS.len(),
        "fitted" => fitted::ALL.len(),
        "separate" => fitted::SEPARATE.len(),
        // The steps say next to nothing about them.
        "unknown" => fitted::ALL.iter().filter(|of| of.deviation >= 0.5).count(),
        _ => return None,
    })
}

/// A field of a fitted constant: `memory.value`.
fn fitted(name: &str) -> Option<f64> {
    let (key, field) = name.split_once('.')?;
    let separate = fitted::SEPARATE.iter().find(|of| of.key == key && field == "value").map(|of| of.value);
    let of = fitted::ALL.iter().find(|of| of.key == key);
    separate.or_else(|| match field {
        "value" => Some(of?.value),
        "expected" => Some(of?.expected),
        "deviation" => Some(of?.deviation),
        _ => None,
    })
}

/// The deviations of all fitted constants with a word in their keys.
fn deviations(word: &str) -> impl Iterator<Item = f64> {
    fitted::ALL.iter().filter(move |of| of.key.contains(word)).map(|of| of.deviation)
}

/// A value of an accelerator: `t4.bf16_slowdown`, how many times longer products take in bf16.
fn accelerator(name: &str) -> Option<f64> {
    let (id, field) = name.split_once('.')?;
    let of = catalog::accelerator(id)?.values;
    match field {
        "flops_per_s" => Some(of.peak_16bit.get()),
        "matmul" => Some(of.efficiency.matmul),
        "bf16_slowdown" => Some(of.efficiency.matmul / of.computing_in_bf16().efficiency.matmul),
        _ => None,
    }
}

/// A value of an interconnect: `nvlink4.efficiency`.
fn interconnect(name: &str) -> Option<f64> {
    let (id, field) = name.split_once('.')?;
    let of = INTERCONNECTS.iter().find(|entry| entry.id == id)?;
    match field {
        "bytes_per_s" => Some(of.bandwidth.get()),
        "efficiency" => Some(of.efficiency),
        "latency_s" => Some(of.latency.get()),
        _ => None,
    }
}

/// A number of the accuracy that the page shows, errors in percent: `step_time`.
fn reached(name: &str) -> Option<f64> {
    let text = match name {
        "steps" => REACHED.steps,
        "step_time" => REACHED.step_time,
        "held_out" => REACHED.held_out,
        "peak_memory" => REACHED.peak_memory,
        "mixtures" => REACHED.mixtures,
        _ => return None,
    };
    text.replace(',', "").parse().ok()
}

/// Seconds of `static/measure.py`: those that it takes by `default`, and at `most`.
fn measure(field: &str) -> Option<f64> {
    let text = std::fs::read_to_string(folder().join("../../static/measure.py")).unwrap();
    let line = text.lines().find(|line| line.contains("\"--seconds\""))?;
    let before = match field {
        "default" => "default=",
        "most" => "20 to ",
        _ => return None,
    };
    line.split_once(before)?.1.split([',', ' ']).next()?.parse().ok()
}

/// The first number in a row of a table of the book; the row is named by its first cell, written
/// as the anchor of a heading.
fn cell(page: &str, row: &str) -> Option<f64> {
    let text = std::fs::read_to_string(folder().join(page)).ok()?;
    let of = |line: &str| anchor(line).split('-').filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-");
    text.lines().filter(|line| line.starts_with('|')).find_map(|line| {
        let mut cells = line.trim_matches('|').split('|');
        (of(cells.next()?) == row).then(|| cells.find_map(stated))?.map(|stated| stated.value())
    })
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
            "min" => sum.min(next),
            "max" => sum.max(next),
            _ => return None,
        })
    })
}

/// A number of the text: as it is written, and the factor of its unit to the report's.
struct Stated<'a> {
    number: &'a str,
    factor: f64,
}

/// The number at the end of a text.
fn stated(text: &str) -> Option<Stated<'_>> {
    // A line of a quotation begins with its sign.
    let mut words = text.split_whitespace().rev().filter(|word| *word != ">");
    let plain = |word: &'_ str| word.trim_start_matches(['(', '*', '~', '$']).replace(',', "").parse::<f64>().is_ok();
    let last = words.next()?;
    let (number, unit) = if plain(last) { (last, "") } else { (words.next()?, last) };
    let factor = UNITS.iter().find(|known| known.0 == unit)?.1;
    plain(number).then(|| Stated { number: number.trim_start_matches(['(', '*', '~', '$']), factor })
}

impl Stated<'_> {
    /// The value in the report's units.
    fn value(&self) -> f64 {
        self.number.replace(',', "").parse::<f64>().unwrap() * self.factor
    }

    /// Another value with as many digits behind the point, and the same power of ten.
    fn written(&self, value: f64) -> String {
        let (digits, power) = self.number.split_once('e').unwrap_or((self.number, ""));
        let decimals = digits.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        let scale = 10f64.powi(power.parse().unwrap_or(0));
        let plain = format!("{:.decimals$}", value / self.factor / scale);
        let (whole, rest) = plain.split_at(plain.find('.').unwrap_or(plain.len()));
        let mut grouped = String::new();
        for (place, digit) in whole.char_indices() {
            if place > 0 && (whole.len() - place).is_multiple_of(3) {
                grouped.push(',');
            }
            grouped.push(digit);
        }
        let power = if power.is_empty() { String::new() } else { format!("e{power}") };
        format!("{grouped}{rest}{power}")
    }
}

#[test]
fn a_number_keeps_its_digits_when_it_is_written_again() {
    let again = |text: &str, value| stated(text).unwrap().written(value);
    assert_eq!(again("takes 2.29 s", 2.3456), "2.35");
    assert_eq!(again("at 1,792 tokens", 999.7), "1,000");
    assert_eq!(again("of 12.84e9 parameters", 6.738e9), "6.74e9");
    assert_eq!(again("costs $1.99", 12345.678), "12,345.68");
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

/// `cargo xtask test --record` writes the numbers that changed.
#[test]
fn every_marked_number_is_its_figures() {
    let (mut marks, mut wrong) = (0, Vec::new());
    let is_recording = std::env::var_os("UPDATE_EXPECT").is_some();
    let readme = "../../README.md".to_owned();
    let readme = (readme.clone(), std::fs::read_to_string(folder().join(readme)).unwrap());
    for (name, text) in chapters().into_iter().chain([readme]) {
        let mut renewed = String::new();
        let mut copied = 0;
        // A comment by itself is no mark.
        let behind_a_word = |place: usize| !text[..place].ends_with([' ', '\n']);
        for (place, _) in text.match_indices("<!-- ").filter(|mark| mark.0 > 0 && behind_a_word(mark.0)) {
            let mark = text[place + 5..].split(" -->").next().unwrap();
            let figure =
                calculator_links(&text).take_while(|link| link.0 < place).filter(|link| is_figure(link.1)).last();
            let reports = figure.map_or_else(Vec::new, |(_, address)| reports(address));
            let computed = computed(&reports, mark)
                .unwrap_or_else(|| panic!("{name}: {mark} is no fact, and no value of the figure above, {figure:?}"));
            let before = &text[..place];
            let stated = stated(before).unwrap_or_else(|| panic!("{name}: no number stands before {mark}"));
            let written = stated.written(computed);
            if written.replace(',', "") != stated.number.replace(',', "") {
                let says = format!("{name}: {mark} is {written}, and {} is stated", stated.number);
                wrong.push(format!("{says}; cargo xtask test --record writes it"));
            }
            let at = before.rfind(stated.number).unwrap();
            write!(renewed, "{}{written}", &text[copied..at]).unwrap();
            copied = at + stated.number.len();
            marks += 1;
        }
        renewed += &text[copied..];
        if is_recording && renewed != text {
            std::fs::write(folder().join(&name), renewed).unwrap();
        }
    }
    assert!(wrong.is_empty() || is_recording, "{}", wrong.join("\n"));
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
