//! Where a row is silent the reader knows that it is: what is assumed is said, what cannot be is left out by name.

use engine::model::experts::Dispatcher;
use engine::model::software::Graphs;
use engine::model::training::Recompute;
use engine::scenario::Strategy;
use score::predict::{self, Prediction};
use score::row::Row;
use score::summary::Entry;
use score::{LeftOut, words};

/// A mixture of Megatron-Bridge's tables on GB200, with these columns set.
fn mixture(changes: &[(&str, &str)]) -> Row {
    const PLAIN: [(&str, &str); 19] = [
        ("source_key", "NVIDIA Megatron-Bridge performance summary"),
        ("framework", "Megatron-Core via NeMo/Megatron-Bridge"),
        ("gpu", "GB200"),
        ("gpus_per_node", "4"),
        ("num_gpus", "64"),
        ("sharding", "distributed optimizer"),
        ("dp", "64"),
        ("tp", "1"),
        ("pp", "1"),
        ("cp", "1"),
        ("ep", "64"),
        ("model", "Qwen3 30B-A3B"),
        ("seq_len", "4096"),
        ("micro_batch_seqs", "4"),
        ("grad_accum", "2"),
        ("global_batch_seqs", "512"),
        ("precision", "MXFP8"),
        ("step_time_s", "4"),
        ("row_id", "S-1"),
    ];
    read(&PLAIN, changes)
}

pub(crate) fn read(plain: &[(&str, &str)], changes: &[(&str, &str)]) -> Row {
    let all: Vec<(&str, &str)> = changes.iter().chain(plain).copied().collect();
    Row::read(|name| all.iter().find(|(known, _)| *known == name).map(|(_, value)| *value))
}

pub(crate) fn predicted(row: &Row) -> Prediction {
    predict::predict(row).unwrap()
}

pub(crate) fn says(prediction: &Prediction, words: &str) -> bool {
    prediction.notes.iter().any(|note| note.contains(words))
}

#[test]
fn a_release_is_read_from_any_column_and_assumed_with_a_note() {
    let graphs = |changes: &[(&str, &str)]| predicted(&mixture(changes)).scenario.kernels.graphs;
    for said in
        [("notes", "container 26.06 NeMo Container"), ("release", "26.06"), ("notes", "June 2026 release value")]
    {
        assert_eq!(graphs(&[said]), Graphs::Step, "{said:?}");
    }
    let page = "NVIDIA-NeMo/Megatron-Bridge@067f987df03b docs/performance-summary-archive.md:L120";
    assert_eq!(graphs(&[("source_location", page)]), Graphs::Step);
    let silent = predicted(&mixture(&[]));
    assert_eq!(silent.scenario.kernels.graphs, Graphs::Layers);
    assert!(says(&silent, "release 26.04 assumed"));
    assert!(!says(&predicted(&mixture(&[("release", "25.09")])), "assumed, the middle"));
}

#[test]
fn what_remarks_say_of_graphs_and_overlap_holds_on_megatron_core() {
    let core = [("source_key", "Megatron-LM MoE recipe index"), ("framework", "Megatron-Core")];
    let of = |notes: &str| {
        let changes: Vec<(&str, &str)> = core.iter().copied().chain([("notes", notes)]).collect();
        let scenario = predicted(&mixture(&changes)).scenario;
        (scenario.kernels.graphs, scenario.experts.across_micro_batches, scenario.experts.dispatcher)
    };
    assert_eq!(of("June 2026; full CG; HybridEP; EP overlap"), (Graphs::Step, true, Dispatcher::Fused));
    assert_eq!(of("partial CUDA graphs; DeepEP"), (Graphs::Layers, false, Dispatcher::Fused));
    assert_eq!(of("CUDA graphs off"), (Graphs::None, false, Dispatcher::AllToAll));
}

#[test]
fn nemo_before_bridge_exchanges_tokens_by_all_to_all_and_cuts_experts_like_the_rest() {
    let old =
        [("source_key", "NVIDIA DGX Cloud benchmarking recipes 24.11.1"), ("framework", "Megatron-Core via NeMo")];
    let layout = [("tp", "4"), ("dp", "16"), ("ep", "8"), ("gpu", "H100"), ("precision", "bf16"), ("grad_accum", "8")];
    let changes: Vec<(&str, &str)> = old.iter().chain(&layout).copied().collect();
    let scenario = predicted(&mixture(&changes)).scenario;
    assert_eq!((scenario.etp, scenario.experts.dispatcher), (4, Dispatcher::AllToAll));
}

#[test]
fn a_blank_degree_of_experts_is_its_recipes_or_leaves_the_row_out() {
    let reason = predict::predict(&mixture(&[("ep", "")])).unwrap_err();
    assert_eq!(reason, LeftOut::missing("ep"));
    let automodel = [
        ("source_key", "NVIDIA NeMo AutoModel performance summary"),
        ("framework", "NeMo AutoModel (PyTorch FSDP2)"),
        ("gpu", "H100"),
        ("model", "GPT-OSS 120B"),
        ("precision", "bf16"),
        ("ep", ""),
    ];
    let prediction = predicted(&mixture(&automodel));
    assert_eq!(prediction.scenario.ep, 64);
    assert!(says(&prediction, "ep 64 as in AutoModel's recipe"));
    let smaller = [&[("model", "Qwen3 MoE 30B"), ("sharding", "FSDP")], &automodel[..]].concat();
    let scenario = predicted(&mixture(&smaller)).scenario;
    assert_eq!((scenario.ep, scenario.strategy, scenario.recompute), (8, Strategy::ShardGradOp, Recompute::Full));
    let sharded =
        [("framework", "HF TRL"), ("source_key", ""), ("sharding", "FULL_SHARD"), ("gpu", "H100"), ("ep", "")];
    let prediction = predicted(&mixture(&sharded));
    assert_eq!(prediction.scenario.ep, 1);
    assert!(says(&prediction, "experts beside each other on every GPU"));
}

#[test]
fn a_degree_of_experts_outside_data_parallelism_is_read_where_it_multiplies() {
    let prediction = predicted(&mixture(&[("dp", "8"), ("ep", "8"), ("grad_accum", "2"), ("release", "26.06")]));
    assert_eq!((prediction.scenario.degrees().dp, prediction.scenario.ep), (64, 8));
    assert!(says(&prediction, "data-parallel GPUs for all else"));
    let error = predict::predict(&mixture(&[("dp", "16"), ("ep", "8")])).unwrap_err();
    assert!(error.reason.contains("do not multiply"), "{error}");
}

#[test]
fn rows_are_scored_without_their_words_too() {
    let said = Entry::new("a.csv", mixture(&[("notes", "container 26.06 NeMo Container")]));
    let silent = words::entry(&said);
    let time = |entry: &Entry| entry.outcome.as_ref().unwrap().step_time_s;
    assert!(time(&silent) > time(&said), "{} {}", time(&silent), time(&said));
    let both = words::both([&said]);
    assert_eq!((both.with.unwrap().count, both.without.unwrap().count, both.lost), (1, 1, 0));
    assert!(both.with.unwrap().mean != both.without.unwrap().mean);
}
