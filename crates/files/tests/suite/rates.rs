//! Tests of the output of `static/measure.py`: the parameters that it sets, and errors for other
//! texts.

use ::links::decode;
use diagnose::log::links;
use engine::params::ParamId;
use engine::scenario::Scenario;
use files::brought::{Import, ImportKind, Item, import_items};
use proptest::prelude::*;
use serde_json::{Value, json};

/// One H200, as measured (tests/rates/README.md).
const H200: &str = include_str!("../../../../tests/rates/h200.json");
/// Output on a machine without a GPU.
const CPU: &str = include_str!("../../../../tests/rates/cpu.json");
const TABLES: &str = include_str!("../../../../tests/logs/links.txt");
/// A run on an H200.
const RUN: &str = "cluster=dgx-h200&gpus=8&model=llama-3.1-8b&seq=8192";

fn read(text: &str, link: &str) -> Result<Import, String> {
    import_items(&[Item { name: None, bytes: text.into() }], &decode(link).scenario)
}

fn with(change: impl FnOnce(&mut Value)) -> String {
    let mut json: Value = serde_json::from_str(H200).unwrap();
    change(&mut json);
    serde_json::to_string_pretty(&json).unwrap()
}

fn value(scenario: &Scenario, id: ParamId) -> f64 {
    (id.number().unwrap().get)(scenario)
}

fn lines(brought: &Import) -> String {
    brought.sections.iter().flat_map(|section| &section.lines).fold(String::new(), |all, line| all + line + "\n")
}

#[test]
fn an_h200_reaches_what_was_measured_there() {
    let brought = read(H200, RUN).unwrap();
    assert_eq!(brought.kind, ImportKind::Rates);
    let own = decode(&brought.scenario);
    assert!(own.issues.is_empty(), "{:?}", own.issues);
    let is = |id: ParamId, low: f64, high: f64| {
        let value = value(&own.scenario, id);
        assert!((low..=high).contains(&value), "{}: {value}", id.key());
    };
    is(ParamId::MatmulEfficiency, 67.0, 70.0);
    is(ParamId::HalfSaturationTokens, 250.0, 450.0);
    // FlashAttention-2 over 8,192 tokens: 316 TFLOP/s forward and 287 backward; cuDNN's 570 and
    // 499.
    is(ParamId::AttentionEfficiency, 29.0, 31.0);
    is(ParamId::TunedAttentionEfficiency, 48.0, 53.0);
    is(ParamId::MemoryEfficiency, 84.0, 89.0);
    is(ParamId::HostLink, 55.0, 56.0);
    let (before, after) = (decode(RUN).scenario, own.scenario);
    assert!(
        after.report().update.tokens_per_s_per_gpu > 1.05 * before.report().update.tokens_per_s_per_gpu,
        "{}",
        brought.said
    );
    // Only measured values change.
    for id in [ParamId::LaunchTime, ParamId::IntraNodeEfficiency, ParamId::UsableMemory, ParamId::GpuMemory] {
        assert_eq!(value(&after, id).to_bits(), value(&before, id).to_bits(), "{}", id.key());
    }
    assert!(brought.said.contains("faster") && brought.said.contains("MFU"), "{}", brought.said);
    assert_eq!(brought.read, "Read: shardwise measure, PyTorch 2.11.0, CUDA 13.0, driver 580.159.04.");
    let lines = lines(&brought);
    for said in [
        "the catalog has 67\u{2009}%",
        "the catalog has 63\u{2009}GB/s",
        "launch time per layer is unchanged",
        "add with autograd 10.9",
    ] {
        assert!(lines.contains(said), "{said}: {lines}");
    }
    // The offer keeps the values of products and attention that were fitted to whole steps.
    let kept = decode(brought.offers[0].scenario.as_ref().unwrap()).scenario;
    for id in [ParamId::MatmulEfficiency, ParamId::HalfSaturationTokens, ParamId::AttentionEfficiency] {
        assert_eq!(value(&kept, id), value(&before, id), "{}", id.key());
    }
    assert_eq!(value(&kept, ParamId::MemoryEfficiency), value(&after, ParamId::MemoryEfficiency));
    assert!(
        lines.contains("These are rates of isolated kernels.") && brought.offers[0].what.contains("tokens/s"),
        "{lines}"
    );
    // A second import changes nothing.
    let again = read(H200, &brought.scenario).unwrap();
    assert_eq!(again.scenario, brought.scenario);
    assert!(again.said.contains("stays at"), "{}", again.said);
}

#[test]
fn the_catalog_s_gpu_of_that_name_is_taken_and_an_unknown_one_is_refused() {
    let moved = read(H200, "cluster=dgx-a100-80&gpus=8").unwrap();
    assert_eq!(decode(&moved.scenario).scenario.accelerator.id, "h200");
    assert!(lines(&moved).contains("the scenario had A100 80 GB"), "{}", lines(&moved));
    let unknown = with(|json| json["device"]["name"] = "NVIDIA Z9000".into());
    let said = read(&unknown, RUN).unwrap_err();
    assert!(said.contains("“NVIDIA Z9000”") && said.contains("gpu=custom"), "{said}");
    assert!(read(&with(|json| json["device"]["name"] = "NVIDIA H200 MIG 1g.18gb".into()), RUN).is_err());
    let form = read(&with(|json| json["device"]["name"] = "NVIDIA B300 SXM6 XX".into()), RUN).unwrap();
    assert_eq!(decode(&form.scenario).scenario.accelerator.id, "b300");
    assert!(lines(&form).contains("“NVIDIA B300 SXM6 XX” is read as B300."), "{}", lines(&form));
    let custom = read(&unknown, &format!("{RUN}&gpu=custom&peak=989")).unwrap();
    assert!((67.0..70.0).contains(&value(&decode(&custom.scenario).scenario, ParamId::MatmulEfficiency)));
}

#[test]
fn of_ranks_that_differ_the_median_counts() {
    let rank = |rank: u32| {
        let rate = if rank == 5 { 520.0 } else { 640.0 };
        json!({"rank": rank, "node": 0, "name": "NVIDIA H200", "format": "bf16", "tflop_per_s": rate})
    };
    let brought = read(&with(|json| json["of_ranks"] = (0..8).map(rank).collect()), RUN).unwrap();
    let share = value(&decode(&brought.scenario).scenario, ParamId::MatmulEfficiency);
    // 640 of 989 TFLOP/s, and the last wave of tiles.
    assert!((64.7..67.0).contains(&share), "{share}");
    assert!(lines(&brought).contains("(8 GPUs, from 520"), "{}", lines(&brought));
}

#[test]
fn collectives_are_fitted_as_tables_of_nccl_tests_are() {
    let table = TABLES.split("\n\n").nth(1).unwrap();
    let points = links::parse_points(table).unwrap();
    let row = |point: &links::Point| {
        let name = serde_json::to_value(point.collective).unwrap();
        json!({"collective": name, "bytes": point.bytes, "ranks": point.ranks, "nodes": point.nodes.unwrap_or(1), "seconds": point.seconds})
    };
    let text = with(|json| json["collectives"] = points.iter().map(row).collect());
    let own = decode(&read(&text, RUN).unwrap().scenario).scenario;
    let plain = decode(&read(H200, RUN).unwrap().scenario).scenario;
    let fitted = decode(&links::fit(&points, &plain).unwrap().link).scenario;
    assert_eq!(own.network, fitted.network);
    assert_ne!(own.network, plain.network);
}

#[test]
fn what_cannot_be_is_refused_by_name_and_the_rest_is_kept() {
    let kept = decode(&read(H200, RUN).unwrap().scenario).scenario;
    let refused = |text: &str, id: ParamId, words: &[&str]| {
        let brought = read(text, RUN).unwrap();
        let own = decode(&brought.scenario).scenario;
        assert_eq!(value(&own, id), value(&decode(RUN).scenario, id), "{}", id.key());
        assert_eq!(value(&own, ParamId::HostLink), value(&kept, ParamId::HostLink));
        let lines = lines(&brought);
        for word in words {
            assert!(lines.contains(word), "{word}: {lines}");
        }
        assert!(!lines.contains("NaN") && !lines.contains("inf"), "{lines}");
    };
    let fast =
        with(|json| json["sustained"] = json!([{"format": "bf16", "m": 8192, "n": 8192, "k": 8192, "seconds": 1e-4}]));
    refused(&fast, ParamId::MatmulEfficiency, &["Matmul efficiency would be", "outside 1", "so it is unchanged"]);
    let below =
        with(|json| json["sustained"] = json!([{"format": "bf16", "m": 8192, "n": 8192, "k": -8192, "seconds": 1e-3}]));
    refused(
        &below,
        ParamId::MatmulEfficiency,
        &["“sustained”, row 1: “k” is -8192, which is not a possible measurement."],
    );
    let huge = with(|json| json["sustained"][0]["m"] = 1e300.into());
    assert!(lines(&read(&huge, RUN).unwrap()).contains("“m” is 1e+300"));
    let lacking = with(|json| {
        json["streams"][0].as_object_mut().unwrap().remove("seconds");
        json.as_object_mut().unwrap().remove("launches");
    });
    let said = lines(&read(&lacking, RUN).unwrap());
    assert!(
        said.contains("“streams”, row 1: “seconds” is missing.") && said.contains("“launches” is missing."),
        "{said}"
    );
    let links = with(|json| {
        json["collectives"] =
            json!([{"collective": "all_reduce", "bytes": 1e12, "ranks": 8, "nodes": 1, "seconds": 1e-6}]);
    });
    refused(
        &links,
        ParamId::IntraNodeEfficiency,
        &["“collectives”, row 1: “seconds” is 0.000001", "faster than any link"],
    );
    let usable = with(|json| json["device"]["usable_bytes"] = 3e11.into());
    refused(&usable, ParamId::UsableMemory, &["Usable memory would be"]);
}

#[test]
fn other_files_are_refused_in_a_sentence() {
    for (text, words) in [
        (CPU.to_owned(), "measured on a processor (AMD EPYC)"),
        (diagnose::rates::SCRIPT.to_owned(), "This is the measuring script"),
        (H200.chars().take(9000).collect(), "is incomplete"),
        (
            with(|json| json["shardwise_measure"] = 2.into()),
            "“shardwise_measure” is 2, but this release reads version 1",
        ),
        (with(|json| json["shardwise_measure"] = "1".into()), "“shardwise_measure” is \"1\""),
        (with(|json| json["device"] = json!({"type": "cuda"})), "lacks “name” in “device”"),
        (with(|json| json["device"] = Value::Null), "lacks “type” in “device”"),
        (r#"{"shardwise_measure": 1}"#.to_owned(), "lacks “type” in “device”"),
        (
            r#"{"shardwise_measure": 1, "device": {"type": "cuda", "name": "NVIDIA H200"}, "products": 3}"#.to_owned(),
            "has no readable rate",
        ),
        (H200.replace("0.0016534", "NaN"), "is not valid JSON"),
    ] {
        let said = read(&text, RUN).unwrap_err();
        assert!(said.contains(words) && said.ends_with('.'), "{words}: {said}");
    }
}

/// Output of NCCL before the JSON is ignored; JSON that has the word elsewhere belongs to another
/// program.
#[test]
fn the_mark_alone_says_whose_it_is() {
    let plain = read(H200, RUN).unwrap();
    let logged = format!("NCCL version 2.27.5+cuda12.9\nworker:1:1 [0] NCCL INFO Bootstrap\n{H200}");
    assert_eq!(read(&logged, RUN).unwrap(), plain);
    let sorted = serde_json::to_string(&serde_json::from_str::<Value>(H200).unwrap()).unwrap();
    assert_eq!(read(&sorted, RUN).unwrap(), plain);
    let unmarked = with(|json| drop(json.as_object_mut().unwrap().remove("shardwise_measure")));
    let inside = json!({"results": serde_json::from_str::<Value>(H200).unwrap()}).to_string();
    let list = format!("[{H200}]");
    for text in [unmarked, inside, list, "\"shardwise_measure\"".to_owned()] {
        let kind = read(&text, RUN).map(|brought| brought.kind);
        assert!(kind != Ok(ImportKind::Rates), "{text}");
    }
}

proptest! {
    #![proptest_config(crate::cases::cases(128))]

    /// For any number in the file, the scenario is valid and no sentence has NaN.
    #[test]
    fn any_number_is_answered(list in 0..7_usize, row in 0..30_usize, cell in 0..9_usize, number in any::<f64>(), cut in 0..40_000_usize) {
        let lists = ["sustained", "products", "attention", "streams", "launches", "host_link", "memory"];
        let text = with(|json| {
            let rows = json[lists[list]].as_array_mut().unwrap();
            let row = row % rows.len();
            let cells = rows[row].as_object_mut().unwrap();
            let key = cells.keys().nth(cell % cells.len()).unwrap().clone();
            cells.insert(key, number.into());
        });
        let cut: String = H200.chars().take(cut).collect();
        for text in [text, cut] {
            if let Ok(brought) = read(&text, RUN) {
                let report = decode(&brought.scenario).scenario.report();
                prop_assert!(report.update.tokens_per_s_per_gpu.is_finite());
                let all = lines(&brought) + &brought.said;
                prop_assert!(!all.contains("NaN") && !all.contains("inf"), "{}", all);
            }
        }
    }
}
