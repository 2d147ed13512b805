//! One value a scenario, printed everywhere: tiles, headline, strategies, JSON, CSV and poster.

use crate::any::any_scenario;
use crate::cases::cases;
use crate::{embedded, words};
use catalog::SCENARIOS;
use engine::format;
use engine::model::odds::Verdict;
use engine::model::report::Limiter;
use engine::names;
use engine::scenario::Scenario;
use engine::units::{Bytes, Seconds};
use links::decode;
use proptest::prelude::*;
use serde_json::Value;
use shardwise::calculator::{Buffers, Pace, derive};
use shardwise::panels::share::poster::poster;
use shardwise::snapshot::Snapshot;
use shardwise::view::View;
use std::rc::Rc;

/// Steps that generate their training data, in turns with training and beside it; a host that is
/// too small; products in 8 bits; a run that never ends; GPUs that are too small.
const LINKS: [&str; 8] = [
    "cluster=dgx-h100&model=qwen-2.5-7b&gpus=8&seq=4k&objective=grpo",
    "cluster=dgx-h100&model=qwen-2.5-7b&gpus=8&seq=4k&mbs=4&accum=16&objective=grpo&sleep=yes&upd=2",
    "cluster=dgx-h100&model=qwen-2.5-7b&gpus=16&seq=8k&objective=ppo&rm=model&upd=2&gengpu=8&stale=1",
    "cluster=dgx-h100&model=llama-2-70b&gpus=8&recompute=full&train=lora&deferred=no",
    "cluster=dgx-h100&model=llama-3-8b&gpus=8&compute=fp8",
    "size=310B&gpus=16384&tokens=1000T&mtbf=100",
    "seq=128k&recompute=none",
    "cluster=mi300x-platform&model=llama-3.1-70b&gpus=64&seq=8k",
];

/// Returns the figure of a tile, and whether it is greyed.
fn tile(html: &str, name: &str) -> (String, bool) {
    let label = format!("<output aria-label=\"{name}\"");
    let (before, after) = html.split_once(&label).unwrap_or_else(|| panic!("no tile {name}"));
    let figure = after.split_once('>').and_then(|(_, text)| text.split_once("</output>")).unwrap().0;
    let class = before.rsplit_once("<span").and_then(|(tile, _)| tile.rsplit_once("class=\"tile")).unwrap().1;
    let class = class.split_once('"').unwrap().0;
    (words(figure), class.contains("moot"))
}

/// Returns the note of a tile beside its figure and its range.
fn note(html: &str, name: &str) -> String {
    let after = html.split_once(&format!("<output aria-label=\"{name}\"")).unwrap().1;
    after.split_once("tile-band aside").unwrap().1.split_once('>').unwrap().1.split_once('<').unwrap().0.to_owned()
}

/// Returns a cell of the CSV's only row as the JSON value that it stands for.
fn cell(csv: &str, name: &str) -> Value {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).comment(Some(b'#')).from_reader(csv.as_bytes());
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let place = rows[0].iter().position(|column| column == name).unwrap_or_else(|| panic!("no column {name}"));
    let text = &rows[1][place];
    serde_json::from_str(text).unwrap_or_else(|_| Value::from(text))
}

/// Checks that every place has the values of one scenario.
fn check(scenario: &Scenario) {
    let link = links::encode(scenario);
    let json: Value = serde_json::from_str(&engine::json::pretty(&export::report_json::report_json(
        scenario,
        &scenario.report(),
        &[],
    )))
    .unwrap();
    let csv = export::csv::csv(scenario, &[], &link);
    let snapshot = Snapshot { scenario: *scenario, pins: Vec::new(), view: View::from_query("?embed=1&view=verdict") };
    let derived = derive(&Rc::new(snapshot), Pace::STILL, &mut Buffers::default());
    let poster = poster(&derived, &link);
    let html = embedded("verdict", scenario);

    // JSON and CSV have one value for one name.
    let value = |path: &str| json.pointer(&["/", &path.replace('.', "/")].concat()).cloned().unwrap();
    for name in [
        "mfu",
        "hfu",
        "tokens_per_s_per_gpu",
        "step_time_s",
        "time_s.step",
        "needed_memory_bytes",
        "fit_odds",
        "fits",
        "verdict",
        "limiter",
        "limiter_time_s",
        "run.time_s",
        "run.cost_usd",
        "memory_bytes.capacity",
    ] {
        assert_eq!(cell(&csv, name), value(name), "{link}: {name}");
    }
    let number = |path: &str| value(path).as_f64();
    let is = |path: &str| number(path).unwrap_or_else(|| panic!("{link}: no {path}"));
    assert_eq!(is("time_s.step"), is("step_time_s"), "{link}");
    let rollout = json.pointer("/rollout/time_s/step").and_then(Value::as_f64);
    assert!(rollout.is_none_or(|step| step == is("step_time_s")), "{link}");
    let of_rollout = json.pointer("/rollout").is_some_and(Value::is_object);

    // Tiles and poster print these values.
    let [needed, usable] = ["needed_memory_bytes", "memory_bytes.capacity"].map(|path| Bytes::new(is(path)));
    let limiter = Limiter::ALL.map(names::limiter).into_iter().find(|names| names.key == value("limiter")).unwrap();
    let tokens = format::tokens_per_s(is("tokens_per_s_per_gpu"));
    let time = number("run.time_s").map(|time| format::duration(Seconds::new(time)));
    let cost = match (&time, number("run.cost_usd")) {
        (None, _) => "–".to_owned(),
        (Some(_), None) => "price unknown".to_owned(),
        (Some(_), Some(dollars)) => format::dollars(dollars),
    };
    let time = time.unwrap_or_else(|| "never".to_owned());
    let fits = value("fits") == true;
    let mfu = format::percent(is("mfu"));
    let step = format::seconds(Seconds::new(is("step_time_s")));
    let printed = [
        ("MFU", mfu.clone(), true),
        ("Tokens per second per GPU", tokens.trim_end_matches("tokens/s").trim_end().to_owned(), true),
        ("Step time", step.clone(), true),
        ("Memory needed", format::bytes_of(needed, usable), false),
        ("Limited by", limiter.tile.to_owned(), false),
        ("Time and cost", format!("{time}, {cost}"), true),
    ];
    for ((name, text, is_timed), on_poster) in printed.iter().zip(&poster.tiles) {
        assert_eq!(tile(&html, name), (text.clone(), *is_timed && !fits), "{link}: {name}");
        let of_poster = if *name == "Time and cost" {
            format!("{}, {}", on_poster.value, on_poster.band)
        } else {
            // A peak of fewer bits is named after the figure.
            on_poster.value.split(" of the ").next().unwrap().to_owned()
        };
        assert_eq!((&of_poster, on_poster.hypothetical), (text, *is_timed && !fits), "{link}: poster, {name}");
    }
    if let Some(part) = number("limiter_time_s") {
        let said = format!("{} of {step}", format::seconds(Seconds::new(part)));
        assert!(note(&html, "Limited by").starts_with(&said), "{link}: {said}");
    } else {
        assert_eq!(value("limiter"), "memory", "{link}");
    }

    // No range is printed where none is measured.
    for (name, path) in [("MFU", "band.mfu"), ("Step time", "band.step_time_s")] {
        assert_eq!(value(path).is_null(), of_rollout, "{link}: {name}");
    }
    assert!(!of_rollout || !fits || html.matches(">no range<").count() == 4, "{link}");

    // The headline says it, too.
    let headline = poster.headline.join(" ");
    assert!(words(&html).contains(&poster.headline[2]), "{link}: {headline}");
    assert!(headline.contains(&format::odds(is("fit_odds"))), "{link}: {headline}");
    assert!(headline.contains(&format!("needs {}", format::bytes_of(needed, usable))), "{link}: {headline}");
    let speed = if of_rollout { &step } else { &mfu };
    assert!(!fits || headline.contains(speed.as_str()), "{link}: {headline}, {speed}");
    assert_eq!(poster.fits, fits, "{link}");
    let verdicts = [Verdict::Fits, Verdict::Tight, Verdict::HostDoesNotFit, Verdict::DoesNotFit];
    let verdict = verdicts.into_iter().find(|verdict| value("verdict") == verdict.key()).unwrap();
    assert_eq!((poster.headline[1].as_str(), verdict.fits()), (verdict.phrase(), fits), "{link}");

    // Needed, cache and free are the usable memory.
    let sum = is("needed_memory_bytes") + is("cache_memory_bytes") + is("free_memory_bytes");
    assert!(needed > usable || (sum / usable.get() - 1.0).abs() < 1e-9, "{link}: {sum} of {}", usable.get());

    let cells = [mfu, step, format::bytes(needed), time, cost];
    check_strategies(scenario, &json, &cells, fits);
}

/// Checks that the run's own strategy has the run's values, in JSON and in the table, whose row has
/// these cells among others.
fn check_strategies(scenario: &Scenario, json: &Value, printed: &[String], fits: bool) {
    let link = links::encode(scenario);
    let own = json["strategies"].as_array().unwrap().iter().find(|row| row["strategy"] == json["scenario"]["strategy"]);
    let own = own.unwrap_or_else(|| panic!("{link}: {}", json["scenario"]["strategy"]));
    for name in ["fits", "fit_odds", "verdict", "mfu", "step_time_s"] {
        assert_eq!(own[name], json[name], "{link}: strategies, {name}");
    }
    assert_eq!(own["needed_bytes"], json["needed_memory_bytes"], "{link}");
    let table = embedded("strategies", scenario);
    let rows = table.split("<tr").filter(|row| row.contains("aria-pressed=\"true\""));
    let rows: Vec<&str> = rows.collect();
    let [row] = rows[..] else { panic!("{link}: {} own rows", rows.len()) };
    let cells: Vec<String> = row.split("<td>").skip(1).map(|cell| words(cell.split("</td>").next().unwrap())).collect();
    for text in printed {
        assert!(cells.contains(text), "{link}: no {text} in {cells:?}");
    }
    assert_eq!(row.contains("moot"), !fits, "{link}");
}

#[test]
fn examples_and_steps_that_generate_have_one_answer() {
    for link in SCENARIOS.iter().map(|entry| entry.link).chain(LINKS) {
        let decoded = decode(link);
        assert!(decoded.issues.is_empty(), "{link}: {:?}", decoded.issues);
        check(&decoded.scenario);
    }
    // The links are of the kinds that they stand for.
    let of = |place: usize| {
        let scenario = decode(LINKS[place]).scenario;
        (scenario.report().limiter, catalog::accuracy::Fit::check(&scenario, &scenario.report()).verdict)
    };
    assert_eq!(of(0).0, Limiter::Rollout);
    assert_eq!(of(3).1, Verdict::HostDoesNotFit);
    assert_eq!(of(6).0, Limiter::Memory);
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn a_random_scenario_has_one_answer(scenario in any_scenario()) {
        check(&scenario);
    }
}
