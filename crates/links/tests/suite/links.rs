//! Links: every published one means what it meant, every scenario survives its link, and any text
//! whatever gives a scenario that can be evaluated.

use crate::any::any_scenario;
use crate::cases::cases;
use catalog::pick::{pick_accelerator, pick_cluster, pick_model};
use catalog::{MODELS, SCENARIOS, default_scenario};
use engine::json::compact;
use engine::model::run::RunChoices;
use engine::params::{ARCHITECTURE, CONSTANTS, PARAMS, ParamId, ParamKind, every, find, is_held};
use engine::scenario::data::Length;
use engine::scenario::issue::{Issue, Severity};
use engine::scenario::{Scenario, Strategy as Sharding};
use engine::validate::issues;
use links::decode::LONGEST_LINK;
use links::{decode, decode_in_node, encode, to_json, v1, without_effect};
use proptest::prelude::*;

/// Links in the first line of each block, and under it what they mean. Blocks are added and never
/// changed.
const PUBLISHED: &str = include_str!("../../../../tests/links/v1.txt");

/// The links of the file with their meanings.
fn published() -> Vec<(&'static str, Vec<(&'static str, &'static str)>)> {
    let blocks = PUBLISHED.split("\n\n").map(|block| block.lines().filter(|line| !line.starts_with('#')));
    blocks
        .filter_map(|mut lines| {
            let link = lines.next()?;
            Some((link, lines.filter_map(|line| line.trim().split_once(' ')).collect()))
        })
        .collect()
}

/// Every value of a scenario as text. Tokens that nobody chose are those of the task.
fn meaning(scenario: &Scenario) -> Vec<(String, String)> {
    let said = Scenario { run: RunChoices { tokens: tokens(scenario), ..scenario.run }, ..*scenario };
    let json = to_json(&said);
    json.as_object()
        .unwrap()
        .iter()
        .map(|(key, value)| (key.clone(), compact(value).trim_matches('"').to_owned()))
        .collect()
}

/// The tokens to train on, where the data is no list of texts.
fn tokens(scenario: &Scenario) -> f64 {
    (ParamId::TrainingTokens.number().unwrap().get)(scenario)
}

/// Without the thin spaces.
fn sentences(text: &str) -> Vec<String> {
    decode(text).issues.into_iter().map(|issue| issue.text().replace('\u{2009}', " ")).collect()
}

#[test]
fn published_links_mean_what_they_meant() {
    let published = published();
    assert!(published.len() >= 8);
    let mut changed = Vec::new();
    for (link, expected) in published {
        let decoded = decode(link);
        let removed = |issue: &&Issue| !issue.message.contains("no longer has an effect");
        assert_eq!(decoded.issues.iter().find(removed), None, "{link}");
        let meaning = meaning(&decoded.scenario);
        let today = || meaning.iter().map(|(key, value)| format!("  {key} {value}")).collect::<Vec<_>>().join("\n");
        assert!(expected.len() >= 20, "{link}\nis published without what it means:\n{}", today());
        for (key, value) in expected {
            let found = meaning.iter().find(|(found, _)| found == key).map(|(_, value)| value.as_str());
            if found != Some(value) {
                changed.push(format!("{key} of {link}: {found:?}, not {value}"));
            }
        }
        assert_eq!(decode(&encode(&decoded.scenario)).scenario, decoded.scenario, "{link}");
    }
    assert!(changed.is_empty(), "{}", changed.join("\n"));
}

/// A whole custom shape, from which a link with any row of the shape starts.
const CUSTOM: &str = "v=1&model=custom&layers=24&hidden=2880&heads=64&kv=8&headdim=64&ffn=2880&vocab=201088\
     &experts=32&topk=4&effn=2880&towerlayers=24";

/// A key or an option that no published link holds could change its name unnoticed. With
/// `UPDATE_EXPECT=1` a block is added for each.
#[test]
fn every_key_and_every_option_is_published() {
    let meanings: Vec<_> = published().into_iter().flat_map(|(_, meaning)| meaning).collect();
    let mut blocks = Vec::new();
    for param in every() {
        match param.kind {
            ParamKind::Choice(choice) => {
                let missing = choice.options.iter().enumerate();
                let missing = missing.filter(|(_, option)| !meanings.contains(&(param.key, option.key)));
                blocks.extend(missing.map(|(index, _)| block(param.key, |scenario| (choice.set)(scenario, index))));
            }
            ParamKind::Number(number) if !meanings.iter().any(|(key, _)| *key == param.key) => {
                let value = (2.0 * number.min).clamp(number.min.max(1.0), number.max);
                blocks.push(block(param.key, |scenario| (number.set)(scenario, value)));
            }
            ParamKind::Number(_) => {}
        }
    }
    if std::env::var("UPDATE_EXPECT").is_ok_and(|value| value == "1") {
        let text = PUBLISHED.to_owned() + &blocks.concat();
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/links/v1.txt"), text).unwrap();
    } else {
        assert_eq!(blocks, [""; 0], "`cargo xtask test --record` adds them");
    }
}

/// Writes a link that sets a parameter, and what it means: the parameter, then the first rows.
fn block(key: &str, set: impl Fn(&mut Scenario)) -> String {
    let links = ["", CUSTOM].map(|start| {
        let mut scenario = decode(start).scenario;
        set(&mut scenario);
        encode(&scenario)
    });
    let holds = |link: &&String| link.contains(&format!("&{key}="));
    let link = links.iter().find(holds).unwrap_or(&links[usize::from(ARCHITECTURE.iter().any(|row| row.key == key))]);
    let meaning = meaning(&decode(link).scenario);
    let rows =
        meaning.iter().filter(|(row, _)| row == key).chain(meaning.iter().filter(|(row, _)| row != key).take(20));
    let rows: Vec<String> = rows.map(|(row, value)| format!("  {row} {value}\n")).collect();
    format!("\n{link}\n{}", rows.concat())
}

/// Version 1 starts at today's first visit. When the first visit changes, this test goes, and the
/// starting point becomes a copy of the old one.
#[test]
fn the_empty_link_is_the_first_visit() {
    assert_eq!(decode("").scenario, default_scenario());
    assert_eq!(v1::start(), default_scenario());
    assert_eq!(encode(&v1::start()), format!("v=1"));
    for nothing in ["", " ", "#", "https://example.org/shardwise/?embed=1"] {
        assert_eq!(decode(nothing).issues, []);
    }
}

#[test]
fn named_scenarios_have_whole_links() {
    for entry in SCENARIOS {
        let decoded = decode(entry.link);
        assert_eq!(decoded.issues, [], "{}", entry.id);
        let errors: Vec<_> = issues(&decoded.scenario).into_iter().filter(|i| i.severity == Severity::Error).collect();
        assert_eq!(errors, [], "{}", entry.id);
        let link = encode(&decoded.scenario);
        assert!(link.len() < 320, "{link}");
        assert_eq!(decode(&link).scenario, decoded.scenario, "{}", entry.id);
    }
}

#[test]
fn a_link_holds_only_what_differs() {
    let mut scenario = v1::start();
    assert!(pick_cluster(&mut scenario, "dgx-h100"));
    assert!(pick_model(&mut scenario, "llama-3-8b"));
    (scenario.gpus, scenario.seq_len) = (256, 16_384);
    assert_eq!(encode(&scenario), "v=1&cluster=dgx-h100&model=llama-3-8b&seq=16384&gpus=256");
    scenario.accelerator.values.memory = engine::units::Bytes::from_gib(94.0);
    assert_eq!(encode(&scenario), "v=1&cluster=dgx-h100&model=llama-3-8b&mem=94&seq=16384&gpus=256");
    assert!(pick_accelerator(&mut scenario, "h200"));
    assert_eq!(encode(&scenario), "v=1&cluster=dgx-h100&gpu=h200&model=llama-3-8b&seq=16384&gpus=256");
}

#[test]
fn a_model_of_the_users_own_is_in_the_link() {
    let mut scenario = decode("model=llama-3-8b").scenario;
    assert!(pick_model(&mut scenario, "custom"));
    assert_eq!(encode(&scenario), "v=1&model=custom&layers=32&hidden=4096&heads=32&kv=8&ffn=14336&vocab=128256");
    assert_eq!(decode(&encode(&scenario)).scenario, scenario);
}

#[test]
fn a_mixture_of_experts_of_the_users_own_is_in_the_link() {
    let mut scenario =
        decode("cluster=dgx-h100&model=deepseek-v3&gpus=2048&pp=16&accum=64&ep=64&dispatcher=fused").scenario;
    let named = encode(&scenario);
    assert_eq!(named, "v=1&cluster=dgx-h100&model=deepseek-v3&gpus=2048&accum=64&pp=16&ep=64&dispatcher=fused");
    let experts = find("experts").unwrap();
    let ParamKind::Number(number) = experts.kind else { panic!("experts are counted") };
    (number.set)(&mut scenario, 128.0);
    let shape = "layers=61&hidden=7168&heads=128&headdim=128&ffn=18432&vocab=129280&kvrank=512&qrank=1536&nope=128&rope=64&vdim=128";
    let mixture = "experts=128&topk=8&effn=2048&sharedffn=2048&firstdense=3&routerbias=yes&ngroup=8&topkgroup=4";
    let own = named.replace("deepseek-v3", "custom") + "&" + shape + "&" + mixture;
    assert_eq!(encode(&scenario), own);
    let read = decode(&own);
    assert_eq!((read.issues, read.scenario), (vec![], scenario));
}

/// Links to mixtures of experts on clusters are as short as any.
#[test]
fn links_to_mixtures_of_experts_are_short() {
    for model in MODELS.iter().filter(|model| model.architecture.has_experts()) {
        let link = format!("cluster=azure-nd-h100-v5&model={}&gpus=1024&seq=8192&accum=16&tp=2&pp=8&ep=32", model.id);
        let decoded = decode(&link);
        assert_eq!(decoded.issues, [], "{link}");
        let encoded = encode(&decoded.scenario);
        assert!(encoded.len() < 150, "{encoded}");
    }
}

/// PyTorch writes `HYBRID_SHARD`: an underscore in an option is read as a hyphen.
#[test]
fn an_option_is_read_with_underscores() {
    for link in ["v=1&strategy=HYBRID_SHARD", "v=1&strategy=hybrid-shard"] {
        let decoded = decode(link);
        assert_eq!((decoded.scenario.strategy, decoded.issues), (Sharding::HybridShard, vec![]), "{link}");
    }
}

/// Reading takes time in proportion: megabytes of pairs, from a file or a message, are no link.
/// A link of exactly the maximum length is read in full.
#[test]
fn a_link_above_64_kb_is_not_read() {
    let longest = format!("v=1&gpus=8&{}", "x".repeat(LONGEST_LINK - 11));
    assert_eq!(decode(&longest).scenario.gpus, 8);
    let address = format!("https://example.org/#v=1&gpus=8&pin=1&gpus=16&{}", "&gpus=8".repeat(1_000_000));
    for text in [format!("{longest}x"), address] {
        let decoded = decode(&text);
        assert_eq!((decoded.scenario, decoded.pins), (default_scenario(), vec![]));
        let said: Vec<_> = decoded.issues.iter().map(|issue| (issue.severity, issue.message.as_str())).collect();
        assert_eq!(said, [(Severity::Error, "The link could not be read: it is longer than 64 kB.")]);
    }
}

/// Every number moved to where it takes many digits, every choice to its longest word, hardware and
/// model the user's own.
#[test]
fn the_longest_link_is_shorter_than_browsers_and_messengers_take() {
    let mut scenario = decode("cluster=dgx-h100&model=deepseek-v3").scenario;
    for param in every() {
        match param.kind {
            // Moving the size would make it a model of the ladder.
            ParamKind::Number(_) if param.key == "size" => {}
            ParamKind::Number(number) => {
                let value = number.min + 0.37123 * (number.max - number.min);
                (number.set)(&mut scenario, if number.integer { value.round() } else { value });
            }
            ParamKind::Choice(choice) => {
                let now = (choice.get)(&scenario);
                let others = (0..choice.options.len()).filter(|place| *place != now);
                let longest = others.max_by_key(|place| choice.options[*place].key.len());
                (choice.set)(&mut scenario, longest.unwrap());
            }
        }
    }
    let link = encode(&scenario);
    assert!(link.contains("model=custom") && link.contains("peak=") && link.len() > 1_000, "{link}");
    assert!(link.len() < 3_200, "{}: {link}", link.len());
    assert_eq!(decode(&link).scenario, scenario);
}

#[test]
fn a_model_that_is_not_modelled_is_refused_with_the_reason() {
    for (name, reason) in [
        ("roberta-large", "“roberta-large” is an encoder: it sees a whole text at once"),
        ("whisper-small", "“whisper-small” reads or makes sound"),
    ] {
        let said = sentences(&format!("#v=1&model={name}"));
        assert!(said.iter().any(|said| said.starts_with(reason) && said.ends_with("is used instead.")), "{said:?}");
    }
}

#[test]
fn every_broken_part_of_a_link_is_a_sentence_and_the_rest_stands() {
    let link = "#v=1&cluster=dgx-h100&gpu=h1000&gpus=256&mem=abc&seq=-5&mbs=2&strategy=fsdq&colour=red&link=1e99";
    let decoded = decode(link);
    assert_eq!(
        sentences(link),
        [
            "The catalog has no GPU “h1000”. Did you mean “h100-sxm”? H100 SXM is used instead.",
            "“abc” is not a number: GPU memory must be a number from 8 GiB to 512 GiB, for example 80 GiB. 80 GiB is used instead.",
            "“1e99” is too large: Link bandwidth must be at most 3,200 Gbit/s. 3,200 Gbit/s is used instead.",
            "“-5” is too small: Sequence length must be at least 128 tokens. 128 tokens is used instead.",
            "“fsdq” is not one of the options of Strategy (ddp, zero1, zero1-group, zero2, shard-grad-op, reshard, full-shard, \
             hybrid-shard). Did you mean “fsdp”? FSDP FULL_SHARD is used instead.",
            "“colour” is not a key of a scenario. “colour=red” was left out.",
        ]
    );
    assert_eq!((decoded.scenario.gpus, decoded.scenario.micro_batch_size), (256, 2));
    assert_eq!(decoded.scenario.network.id, "dgx-h100");
}

#[test]
fn zero_gpus_are_one() {
    assert_eq!(sentences("gpus=0"), ["“0” is too small: GPUs must be at least 1. 1 is used instead."]);
    assert_eq!(decode("gpus=0").scenario.gpus, 1);
}

#[test]
fn a_link_cut_in_half_says_so() {
    let cut = "v=1&model=custom&layers=24&hidden=2048&he";
    assert_eq!(
        sentences(cut),
        [
            "The link's custom model lacks “heads”: the link may be incomplete. 32 is used instead.",
            "The link's custom model lacks “ffn”: the link may be incomplete. 11,008 is used instead.",
            "The link's custom model lacks “vocab”: the link may be incomplete. 32,000 is used instead.",
            "“he” in the link lacks a key or a value: the link may be incomplete. It was left out.",
        ]
    );
    assert_eq!(decode(cut).scenario.model.architecture().hidden_size, 2048);
}

#[test]
fn heads_that_do_not_divide_are_the_scenarios_issue() {
    let decoded = decode("v=1&model=custom&layers=24&hidden=2048&heads=30&ffn=8192&vocab=50257");
    assert_eq!(decoded.issues, []);
    assert!(issues(&decoded.scenario).iter().any(|issue| issue.key == Some("heads")));
}

#[test]
fn other_versions_and_revisions_are_read_as_far_as_they_go() {
    assert_eq!(
        sentences("v=2&rev=9&gpus=8"),
        [
            "The link has the unknown version “2”. Its keys of version 1 were read.",
            "The link was made with the unknown revision “9” of the catalog: the newest is 7. Revision 7 was used, whose \
             values may differ.",
        ]
    );
    assert_eq!(decode("v=2&rev=9&gpus=8").scenario.gpus, 8);
}

#[test]
fn contradictions_are_sentences() {
    assert_eq!(
        sentences("gpus=8&gpus=16"),
        ["gpus is given more than once, with different values. The last one, “16”, counts."]
    );
    assert_eq!(
        sentences("model=llama-3-8b&size=13B&layers=3"),
        [
            "“size=13B” has no effect on a named model, whose size follows from its shape. It was left out.",
            "“layers=3” describes a custom model, which a link marks with model=custom. It was left out.",
        ]
    );
}

#[test]
fn json_has_the_same_keys() {
    let json =
        r#"{"cluster": "dgx-h100", "model": "llama-3-8b", "gpus": 256, "seq": "16k", "mem": 94.5, "oops": null}"#;
    let link = decode("cluster=dgx-h100&model=llama-3-8b&gpus=256&seq=16k&mem=94.5");
    assert_eq!(decode(json).scenario, link.scenario);
    assert_eq!(sentences(json), ["The value of “oops” is neither a number nor text. It was left out."]);
    let broken = sentences("{\"gpus\": 256");
    assert!(broken.len() == 1 && broken[0].starts_with("The JSON could not be read: EOF"), "{broken:?}");
}

#[test]
fn a_banner_does_not_grow_without_end() {
    let link: Vec<String> = (0..4_000).map(|i| format!("key{i}=value")).collect();
    let issues = sentences(&link.join("&"));
    assert_eq!(issues.len(), 13);
    assert_eq!(issues[12], "3988 more parts of the link could not be read.");
}

/// A scenario with anything that a link can hold: hardware and a model of the user's own too.
fn any_linked_scenario() -> impl Strategy<Value = Scenario> {
    let moves = || proptest::collection::vec((0..1000_usize, 0.0..=1.0_f64), 0..8);
    (any_scenario(), any::<[bool; 4]>(), moves(), moves()).prop_map(
        |(mut scenario, [model, gpu, network, tuned], a, b)| {
            if gpu {
                pick_accelerator(&mut scenario, "custom");
            }
            if network {
                pick_cluster(&mut scenario, "custom");
            }
            if tuned {
                for (place, share) in a {
                    put(&mut scenario, &CONSTANTS[place % CONSTANTS.len()].kind, share);
                }
            }
            if model {
                pick_model(&mut scenario, "custom");
                for (place, share) in b {
                    put(&mut scenario, &ARCHITECTURE[place % ARCHITECTURE.len()].kind, share);
                }
            }
            scenario
        },
    )
}

fn put(scenario: &mut Scenario, kind: &ParamKind, share: f64) {
    match kind {
        ParamKind::Number(number) => {
            let value = number.min + share * share * (number.max - number.min);
            (number.set)(scenario, if number.integer { value.round() } else { value });
        }
        ParamKind::Choice(choice) => (choice.set)(scenario, (share * choice.options.len() as f64) as usize),
    }
}

/// Links with bytes dropped, doubled, replaced.
fn mutated_link() -> impl Strategy<Value = String> {
    let edits = proptest::collection::vec((any::<prop::sample::Index>(), 0..4_u8, any::<char>()), 0..6);
    (any_linked_scenario(), edits).prop_map(|(scenario, edits)| {
        let mut characters: Vec<char> = encode(&scenario).chars().collect();
        for (place, kind, new) in edits {
            let at = place.index(characters.len().max(1)).min(characters.len().saturating_sub(1));
            match (kind, characters.is_empty()) {
                (0, false) => characters.truncate(at),
                (1, false) => {
                    characters.remove(at);
                }
                (2, false) => characters[at] = new,
                _ => characters.insert(at, new),
            }
        }
        characters.into_iter().collect()
    })
}

/// Text with the words of links in it.
fn link_like_text() -> impl Strategy<Value = String> {
    let keys: Vec<&str> = PARAMS.iter().chain(ARCHITECTURE).map(|param| param.key).collect();
    let key =
        prop_oneof![prop::sample::select(keys), prop::sample::select(vec!["v", "rev", "cluster", "gpu", "model", "x"])];
    let value = prop_oneof![
        "[-+]?[0-9]{0,12}[.,]?[0-9]{0,12}(e[-+]?[0-9]{1,4})?[kMGTB%]?",
        "\\PC{0,8}",
        prop::sample::select(vec![
            "nan",
            "inf",
            "custom",
            "ladder",
            "dgx-h100",
            "llama-3-8b",
            "%",
            "%ff",
            "1e999",
            "\u{0}"
        ])
        .prop_map(str::to_owned),
    ];
    proptest::collection::vec((key, value), 0..12)
        .prop_map(|pairs| pairs.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join("&"))
}

/// The parameters named by an issue that spans several.
const CROSS: [&str; 48] = [
    "images",
    "shard",
    "gpus",
    "seq",
    "heads",
    "kv",
    "critbatch",
    "hostmem",
    "ckptsharded",
    "deferred",
    "offload",
    "tp",
    "cp",
    "pp",
    "accum",
    "compute",
    "firstlayers",
    "lastlayers",
    "offloadparams",
    "offloadopt",
    "nvme",
    "ep",
    "etp",
    "topk",
    "sp",
    "epoverlap",
    "sixteen",
    "attnkernel",
    "recompute",
    "optimizer",
    "inbwd",
    "paged",
    "rcmoe",
    "rcmoeact",
    "frozen",
    "cpheads",
    "rank",
    "base",
    "meanlen",
    "ref",
    "prompt",
    "gentp",
    "genmem",
    "teacher",
    "teacherat",
    "ckptevery",
    // Zero, or at least a rate at which a run ends.
    "hostbw",
    "loader",
];

/// Asserts the guarantees on every decoded scenario.
fn check(text: &str) {
    let decoded = decode(text);
    for issue in issues(&decoded.scenario) {
        // Bounds hold after reading; only issues about several parameters may remain.
        let cross = CROSS.iter().any(|key| issue.key == Some(key));
        assert!(cross && !issue.message.contains("must be between"), "{text}: {issue:?}");
    }
    for issue in &decoded.issues {
        assert!(issue.text().ends_with(['.', '?']) && issue.text().len() < 600, "{text}: {issue:?}");
    }
    let setup = decoded.scenario.setup();
    assert_eq!(setup.mesh.gpus(), decoded.scenario.gpus, "{text}");
    assert!(setup.architecture.params() > 0, "{text}");
    assert!(setup.batch.seq_len > 0 && setup.batch.micro_batch_size > 0 && setup.batch.grad_accum_steps > 0, "{text}");
    assert!(setup.accelerator.memory.get() > 0.0 && setup.network.inter_node.get() > 0.0, "{text}");
    assert!(decoded.scenario.report().update.time.step.get().is_finite(), "{text}");
}

proptest! {
    #![proptest_config(cases(5_000))]

    /// A scenario survives its link, bit for bit.
    #[test]
    fn every_scenario_survives_its_link(scenario in any_linked_scenario()) {
        let link = encode(&scenario);
        let decoded = decode(&format!("https://example.org/#{link}"));
        prop_assert_eq!(&decoded.issues, &[], "{}", link);
        prop_assert_eq!(decoded.scenario, scenario, "{}", link);
        prop_assert!(link.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"=&.-".contains(&byte)), "{link}");
    }

    /// And its JSON, to the last digit that a person would write.
    #[test]
    fn every_scenario_survives_its_json(scenario in any_linked_scenario()) {
        let decoded = decode(&compact(&to_json(&scenario)));
        prop_assert_eq!(&decoded.issues, &[]);
        for ((key, value), (_, read)) in meaning(&scenario).iter().zip(meaning(&decoded.scenario)) {
            let close = match (value.parse::<f64>(), read.parse::<f64>()) {
                (Ok(value), Ok(read)) => (value - read).abs() <= 1e-14 * value.abs(),
                _ => *value == read,
            };
            prop_assert!(close, "{key}: {value} {read}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 10_000, ..cases(10_000) })]

    #[test]
    fn any_text_gives_a_scenario(text in any::<String>()) {
        check(&text);
    }

    #[test]
    fn any_broken_link_gives_a_scenario(link in mutated_link()) {
        check(&link);
    }

    #[test]
    fn anything_like_a_link_gives_a_scenario(link in link_like_text()) {
        check(&link);
    }
}

#[test]
fn a_model_whose_first_layer_with_experts_lies_beyond_the_last_one_can_be_scaled() {
    for layers in [100, 2048] {
        let link = format!(
            "model=custom&layers={layers}&hidden=1024&heads=8&ffn=4096&vocab=1000&experts=8&topk=2&effn=512&firstdense=99\
             &moestep=2048&scale=100B"
        );
        let scenario = decode(&link).scenario;
        assert!(scenario.model.architecture().num_hidden_layers <= 2048);
        assert!(scenario.report().update.time.step.get().is_finite());
    }
}

/// Tasks that differ in what they take for usual: objectives, what is trained, texts, and the
/// gallery.
fn tasks() -> Vec<Scenario> {
    let choices = [ParamId::Objective, ParamId::Method, ParamId::Batching];
    let with = choices.iter().flat_map(|id| {
        let ParamKind::Choice(choice) = id.param().kind else { panic!("{} is no choice", id.key()) };
        (0..choice.options.len()).map(move |index| {
            let mut task = decode("model=llama-3.1-8b&cluster=dgx-h100&gpus=8").scenario;
            (choice.set)(&mut task, index);
            task
        })
    });
    with.chain(SCENARIOS.iter().map(|entry| decode(entry.link).scenario)).collect()
}

/// A value that another task takes for usual is said here, and must not be taken for unsaid.
#[test]
fn the_usual_values_of_every_other_task_survive_link_and_json() {
    let tasks = tasks();
    let mut checked = 0;
    for (place, task) in tasks.iter().enumerate() {
        // Gallery entries give values; each task of the choices takes them.
        if place >= tasks.len() - SCENARIOS.len() {
            break;
        }
        for param in every().filter(|param| is_held(param, task)) {
            let mut seen = vec![*task];
            for other in &tasks {
                let mut said = *task;
                match param.kind {
                    ParamKind::Number(number) => (number.set)(&mut said, (number.get)(other)),
                    ParamKind::Choice(choice) => (choice.set)(&mut said, (choice.get)(other)),
                }
                if seen.contains(&said) {
                    continue;
                }
                seen.push(said);
                checked += 1;
                let link = encode(&said);
                assert_eq!(decode(&link).scenario, said, "{} is lost in {link}", param.key);
                assert_eq!(decode(&compact(&to_json(&said))).scenario, said, "{} is lost in JSON of {link}", param.key);
            }
        }
    }
    assert!(checked > 1_000, "{checked}");
}

/// 1T tokens are usual for pre-training alone: a link of LoRA keeps them.
#[test]
fn tokens_that_were_said_are_kept() {
    for task in ["train=lora", "objective=dpo", "objective=grpo", "train=all"] {
        for text in [format!("model=llama-3.1-8b&{task}&tokens=1T"), format!("tokens=1T&{task}&model=llama-3.1-8b")] {
            let scenario = decode(&text).scenario;
            assert_eq!((scenario.length(), tokens(&scenario)), (Length::Tokens(1e12), 1e12), "{text}");
            assert!(encode(&scenario).contains("tokens=1T"), "{text}: {}", encode(&scenario));
        }
    }
    let usual = decode("model=llama-3.1-8b&train=lora").scenario;
    assert_eq!(usual.length(), Length::Texts(1e4, 3.0));
    assert_eq!(to_json(&usual).get("tokens"), None);
}

/// One note for each stated key without effect, and none for an option that holds anyway.
#[test]
fn a_stated_key_without_effect_is_named() {
    let said = |text: &str| {
        let decoded = decode(text);
        without_effect(&decoded.scenario, &decoded.keys).into_iter().map(|issue| issue.message).collect::<Vec<_>>()
    };
    for (text, expected) in [
        ("texts=packed&tokens=2B", vec!["“tokens=2B” has no effect with texts=packed: do you mean texts=full?"]),
        (
            "samples=1000&epochs=3",
            vec![
                "“samples=1000” has no effect with texts=full: do you mean texts=packed?",
                "“epochs=3” has no effect with texts=full: do you mean texts=packed?",
            ],
        ),
        ("rank=16", vec!["“rank=16” has no effect with train=all: do you mean train=lora?"]),
        (
            "base=nf4&rank=64",
            vec![
                "“rank=64” has no effect with train=all: do you mean train=lora?",
                "“base=nf4” has no effect with train=all: do you mean train=lora?",
            ],
        ),
        (
            r#"{"num_train_epochs":3,"lora_r":64}"#,
            vec![
                "“rank=64” has no effect with train=all: do you mean train=lora?",
                "“epochs=3” has no effect with texts=full: do you mean texts=packed?",
            ],
        ),
        ("base=nf4&rank=64&train=lora", vec![]),
        ("rank=16&train=all&epochs=3&texts=full&sp=no", vec![]),
        // No single choice gives these an effect.
        ("model=llama-3-8b&ep=8", vec!["“ep=8” has no effect in this run: leave it out."]),
        ("vpp=4", vec!["“vpp=4” has no effect in this run: leave it out."]),
        ("vpp=4&pp=2", vec!["“vpp=4” has no effect with schedule=1f1b: do you mean schedule=interleaved?"]),
        (
            "upd=2&galrank=4",
            vec![
                "“upd=2” has no effect with objective=lm: do you mean objective=ppo?",
                "“galrank=4” has no effect with optimizer=adamw: do you mean optimizer=galore?",
            ],
        ),
    ] {
        assert_eq!(said(text), expected, "{text}");
    }
    // Every value of a scenario is in its JSON, most without effect and as they hold anyway.
    assert_eq!(said(&compact(&to_json(&decode("model=llama-3-8b&gpus=8").scenario))), Vec::<String>::new());
}

#[test]
fn a_value_that_is_given_twice_is_an_issue_in_json_too() {
    for (text, count) in [
        (r#"{"gpus": 8, "gpus": 16}"#, 1),
        (r#"{"gpus": 8, "num_gpus": 16}"#, 1),
        (r#"{"mfu": 0.5, "scenario": {"gpus": 8, "gpus": 16}}"#, 1),
        (r#"{"gpus": 8, "gpus": 8}"#, 0),
    ] {
        let decoded = decode(text);
        assert_eq!(decoded.issues.len(), count, "{text}: {:?}", decoded.issues);
        assert_eq!(decoded.scenario.gpus, if count == 1 { 16 } else { 8 }, "{text}");
    }
}

/// Boards without NVLink, by the makers' data sheets: their nodes have PCIe, at 63 GB/s in one
/// direction at most, and GeForce cards reach each other through host memory alone
/// (NVIDIA/nccl #1637).
#[test]
fn a_gpu_without_nvlink_gets_pcie() {
    let node = |gpu: &str| decode_in_node(&format!("gpu={gpu}&gpus=8")).scenario.network;
    for gpu in [
        "rtx-5090",
        "rtx-5080",
        "rtx-4090",
        "rtx-4080",
        "rtx-3090",
        "rtx-2080-ti",
        "rtx-a5000",
        "rtx-a6000",
        "rtx-6000-ada",
        "rtx-pro-6000",
        "a40",
        "a10",
        "a10g",
        "l4",
        "l40",
        "l40s",
        "t4",
        "a100-pcie-40gb",
        "a100-pcie-80gb",
        "h100-pcie",
        "h100-nvl",
        "rx-7900-xtx",
    ] {
        let network = node(gpu);
        let rate = network.values.intra_node.gb_per_s();
        assert!((7.0..=63.0).contains(&rate), "{gpu}: {rate} GB/s in {}", network.id);
        assert_ne!(network.id, "a100-40gb-200g", "{gpu}");
        let is_geforce = gpu.starts_with("rtx-") && gpu[4..].starts_with(|sign: char| sign.is_ascii_digit());
        let by_host = network.values.intra_node_efficiency < 0.4;
        assert!(by_host || !is_geforce || gpu == "rtx-6000-ada", "{gpu}: {}", network.values.intra_node_efficiency);
    }
    // Boards with a fabric keep it.
    for (gpu, rate) in [("h100-sxm", 450.0), ("a100-80gb", 300.0), ("b200", 900.0), ("mi300x", 448.0)] {
        assert_eq!(node(gpu).values.intra_node.gb_per_s(), rate, "{gpu}");
    }
}
