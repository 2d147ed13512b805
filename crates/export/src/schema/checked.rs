//! Real reports under their schemas.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use engine::scenario::Scenario;
use jsonschema::Validator;
use serde_json::Value;

use super::{report, scenario, summary};
use crate::report_json::report_json;
use crate::summary_json::summary_json;

/// Links of runs of every kind: some of the catalog, and those with parts that few reports have.
fn links() -> Vec<String> {
    let own = [
        "cluster=dgx-h100&model=llama-2-7b&gpus=8&seq=4096&strategy=shard-grad-op&recompute=none&recipe=pure-bf16&mbs=1",
        "cluster=dgx-h100&model=qwen-2.5-7b&gpus=8&seq=4k&objective=grpo",
        "cluster=dgx-h100&model=llama-2-70b&gpus=8&recompute=full&train=lora&deferred=no",
        "cluster=dgx-h100&model=mixtral-8x7b&gpus=64&ep=8",
        "gpu=t4&model=llama-3-70b&gpus=1",
        "v=1&tokens=1e12&price=0",
        "cluster=dgx-h100&model=llama-3-8b&gpus=8&mtbf=0.001",
    ];
    // Whole reports take time: what each strategy reaches is searched.
    let others = catalog::SCENARIOS.iter().step_by(5).map(|entry| entry.link);
    own.into_iter().chain(others).map(str::to_owned).collect()
}

fn scenarios() -> impl Iterator<Item = Scenario> {
    links().into_iter().map(|link| links::decode(&link).scenario)
}

/// The schemas of reports and of scenarios, compiled once.
static REPORT: LazyLock<Validator> = LazyLock::new(|| jsonschema::validator_for(&report()).unwrap());
static SCENARIO: LazyLock<Validator> = LazyLock::new(|| jsonschema::validator_for(&scenario()).unwrap());

fn wrong(schema: &Validator, value: &Value) -> Vec<String> {
    // As a reader of the text has it.
    let value: Value = serde_json::from_str(&value.to_string()).unwrap();
    schema.iter_errors(&value).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

#[test]
fn real_reports_are_valid() {
    let small = jsonschema::validator_for(&summary()).unwrap();
    let mut grades = BTreeSet::new();
    for scenario in scenarios() {
        let (of, link) = (scenario.report(), links::encode(&scenario));
        let issues = engine::validate::issues(&scenario);
        let report = report_json(&scenario, &of, &issues);
        assert_eq!(wrong(&REPORT, &report), Vec::<String>::new(), "{link}");
        assert_eq!(wrong(&SCENARIO, &report["scenario"]), Vec::<String>::new(), "{link}");
        let summary = summary_json(&scenario, &of, &issues, &["Sequence length: 4,096 tokens.".to_owned()]);
        assert_eq!(wrong(&small, &summary), Vec::<String>::new(), "{link}");
        assert!(summary.to_string().len() < 2048, "{summary}");
        grades.insert(summary["evidence"]["grade"].to_string());
    }
    assert_eq!(grades.len(), 3, "{grades:?}");
}

#[test]
fn what_no_report_has_is_invalid() {
    let first = links::decode("v=1").scenario;
    let report = report_json(&first, &first.report(), &[]);
    for (key, value) in
        [("mfu", "half".into()), ("verdict", "perhaps".into()), ("new", 1.into()), ("band", Value::Null)]
    {
        let mut other = report.clone();
        other[key] = value;
        assert_eq!(wrong(&REPORT, &other).len(), 1, "{key}");
    }
    for (text, count) in [
        (r#"{"model": "llama-3-8b", "gpus": 8, "seq_len": "8k", "micro_batch_size": 1, "tp": "2"}"#, 0),
        (r#"{"modle": "llama-3-8b"}"#, 1),
        (r#"{"gpus": -1}"#, 1),
        (r#"{"gpus": null}"#, 1),
    ] {
        assert_eq!(wrong(&SCENARIO, &serde_json::from_str(text).unwrap()).len(), count, "{text}");
    }
}
