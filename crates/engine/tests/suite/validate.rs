//! Errors and warnings of a scenario, as sentences.

use catalog::default_scenario;
use catalog::pick::{pick_accelerator, pick_cluster, pick_model};
use engine::model::parallel::Schedule;
use engine::model::software::Framework;
use engine::model::software::Nvme;
use engine::model::training::{ComputeFormat, Recompute, RecomputeModules};
use engine::model::transformer::Architecture;
use engine::model::transformer::recurrent::{Recurrent, RecurrentKind};
use engine::params;
use engine::scenario::issue::{Issue, Severity};
use engine::scenario::layers::read_layers;
use engine::scenario::{Model, Scenario, Strategy};
use engine::units::{BytesPerSecond, Seconds};

fn first(change: impl FnOnce(&mut Scenario)) -> Issue {
    let mut scenario = default_scenario();
    change(&mut scenario);
    let mut issues = engine::validate::issues(&scenario);
    assert_eq!(issues.len(), 1, "{issues:?}");
    let mut issue = issues.remove(0);
    issue.message = issue.message.replace('\u{2009}', " ");
    issue.instead = issue.instead.replace('\u{2009}', " ");
    issue
}

fn custom(scenario: &mut Scenario, heads: u32, kv: u32) {
    let mut architecture = scenario.model.architecture();
    (architecture.hidden_size, architecture.num_attention_heads, architecture.num_key_value_heads) = (4096, heads, kv);
    scenario.model = Model::Custom { architecture };
}

#[test]
fn the_first_visit_has_no_issues() {
    assert_eq!(engine::validate::issues(&default_scenario()), []);
}

#[test]
fn each_thing_that_does_not_go_together_is_a_sentence() {
    let group = |size| {
        move |scenario: &mut Scenario| {
            scenario.strategy = Strategy::HybridShard;
            scenario.shard_size = size;
        }
    };
    assert_eq!(
        first(group(6)),
        Issue::error("shard", "A shard group of 6 GPUs does not divide 64 GPUs evenly: enter 4 or 8.")
            .uses("A group of 4")
    );
    assert_eq!(
        first(group(128)),
        Issue::error(
            "shard",
            "The shard group of 128 GPUs is larger than the run of 64: enter at most 64, or more GPUs."
        )
        .uses("A group of 64")
    );
    assert_eq!(
        first(|scenario| custom(scenario, 30, 30)),
        Issue::note(
            "heads",
            "30 attention heads do not divide the hidden size 4096 evenly: enter 16 or 32 heads, or make sure that \
             the model's configuration has a head_dim of 128."
        )
        .instead("The numbers are of heads of 128.")
    );
    assert_eq!(
        first(|scenario| custom(scenario, 32, 6)),
        Issue::error(
            "kv",
            "32 attention heads cannot share 6 key and value heads evenly. Enter 4 or 8 key and value heads."
        )
    );
    assert_eq!(
        first(|scenario| scenario.gpus = 10),
        Issue::note(
            "gpus",
            "10 GPUs fill 2 nodes of 4 and leave 2 for the last one. The predicted times are for full nodes: enter 8 or 12 GPUs."
        )
    );
}

/// Llama 3 70B (80 layers, 64 heads, 8 key and value heads) on 64 GPUs, eight per node.
fn on_h100(change: impl FnOnce(&mut Scenario)) -> Issue {
    first(|scenario| {
        assert!(pick_cluster(scenario, "dgx-h100") && pick_model(scenario, "llama-3-70b"));
        change(scenario);
    })
}

#[test]
fn degrees_that_do_not_divide_are_errors_that_say_what_is_computed() {
    assert_eq!(
        first(|scenario| scenario.tp = 3),
        Issue::error("tp", "3 GPUs of tensor parallelism do not evenly divide 64 GPUs: enter 2 or 4.").uses(2)
    );
    assert_eq!(
        on_h100(|scenario| (scenario.tp, scenario.cp) = (8, 12)),
        Issue::error(
            "cp",
            "12 GPUs of context parallelism do not evenly divide the 8 GPUs that tensor parallelism leaves of 64: \
             enter 8."
        )
        .uses(8)
    );
    assert_eq!(
        on_h100(|scenario| (scenario.tp, scenario.pp, scenario.grad_accum_steps) = (4, 5, 16)),
        Issue::error(
            "pp",
            "5 pipeline stages do not evenly divide the 16 GPUs that tensor and context parallelism leave of 64: \
             enter 4 or 8."
        )
        .uses(4)
    );
    let group = |size| {
        move |scenario: &mut Scenario| {
            (scenario.tp, scenario.strategy, scenario.shard_size) = (8, Strategy::HybridShard, size);
        }
    };
    assert_eq!(
        on_h100(group(3)).text(),
        "A shard group of 3 GPUs does not divide the 8 data-parallel GPUs evenly: enter 2 or 4. A group of 2 is \
         used instead."
    );
    assert_eq!(
        on_h100(group(64)).text(),
        "The shard group of 64 GPUs is larger than the 8 data-parallel GPUs: enter at most 8, or more GPUs. A group of \
         8 is used instead."
    );
}

#[test]
fn degrees_that_divide_are_no_issue() {
    for (tp, cp, pp) in [(1, 1, 1), (8, 1, 1), (2, 2, 1), (4, 2, 4), (8, 1, 8)] {
        let mut scenario = default_scenario();
        assert!(pick_cluster(&mut scenario, "dgx-h100") && pick_model(&mut scenario, "llama-3-70b"));
        (scenario.tp, scenario.cp, scenario.pp, scenario.grad_accum_steps) = (tp, cp, pp, 16);
        assert_eq!(engine::validate::issues(&scenario), [], "{tp} {cp} {pp}");
        let degrees = scenario.degrees();
        assert_eq!((degrees.tp, degrees.cp, degrees.pp, degrees.dp), (tp, cp, pp, 64 / (tp * cp * pp)));
    }
}

#[test]
fn tensor_parallelism_is_held_against_nodes_and_heads() {
    assert_eq!(
        on_h100(|scenario| {
            pick_model(scenario, "gpt-3-175b");
            (scenario.seq_len, scenario.tp) = (2048, 16);
        }),
        Issue::note(
            "tp",
            "16 GPUs of tensor parallelism are not within one node of 8: every layer waits for the network \
             between nodes. Enter 8."
        )
    );
    assert_eq!(
        on_h100(|scenario| {
            pick_model(scenario, "gpt-2-xl");
            (scenario.seq_len, scenario.tp) = (1024, 4);
        }),
        Issue::error("tp", "25 attention heads do not divide over 4 GPUs of tensor parallelism: enter 1 or 5.")
            .instead("The numbers are as if they did.")
    );
    assert_eq!(
        on_h100(|scenario| {
            pick_model(scenario, "gemma-2b");
            scenario.tp = 4;
        }),
        Issue::note(
            "tp",
            "1 key and value heads do not divide over 4 GPUs of tensor parallelism: each holds 1, and some are repeated."
        )
    );
}

#[test]
fn sequences_are_cut_evenly_or_noted() {
    assert_eq!(
        on_h100(|scenario| (scenario.cp, scenario.seq_len) = (4, 1004)),
        Issue::note(
            "cp",
            "Sequences of 1004 tokens cannot be cut into 8 equal parts (two per GPU of context parallelism): enter \
             a multiple of 8."
        )
        .instead("The numbers are as if they could.")
    );
    assert_eq!(on_h100(|scenario| (scenario.tp, scenario.seq_len) = (8, 1004)).key, Some("tp"));
}

#[test]
fn pipelines_are_held_against_layers_and_micro_batches() {
    let pipeline = |schedule, pp, accum| {
        move |scenario: &mut Scenario| {
            (scenario.pp, scenario.grad_accum_steps, scenario.pipeline.schedule) = (pp, accum, schedule);
        }
    };
    assert_eq!(
        on_h100(|scenario| {
            pick_model(scenario, "gpt-2");
            scenario.seq_len = 1024;
            pipeline(Schedule::Interleaved, 8, 64)(scenario);
        }),
        Issue::error("pp", "12 layers do not fill 8 pipeline stages of 2 chunks each: enter at most 6 stages.")
    );
    assert_eq!(
        on_h100(|scenario| {
            pick_model(scenario, "gpt-2");
            (scenario.seq_len, scenario.gpus) = (1024, 48);
            pipeline(Schedule::OneForwardOneBackward, 24, 64)(scenario);
            assert_eq!(scenario.degrees().pp, 12);
        })
        .text(),
        "24 pipeline stages are more than the model's 12 layers: enter at most 12. 12 is used instead."
    );
    assert_eq!(
        on_h100(pipeline(Schedule::OneForwardOneBackward, 32, 64)),
        Issue::note(
            "pp",
            "80 layers do not divide over 32 pipeline stages: 16 of them hold 3 layers, the other 16 hold 2, and the \
             longest limit the step."
        )
    );
    let mut nanotron = default_scenario();
    assert!(pick_model(&mut nanotron, "llama-3-70b"));
    pipeline(Schedule::OneForwardOneBackward, 32, 64)(&mut nanotron);
    nanotron.framework = Framework::Nanotron;
    assert_eq!(engine::validate::issues(&nanotron), []);
    assert_eq!(
        on_h100(|scenario| {
            pipeline(Schedule::OneForwardOneBackward, 4, 16)(scenario);
            (scenario.pipeline.first_stage_layers, scenario.pipeline.last_stage_layers) = (40, 39);
        }),
        Issue::error(
            "firstlayers",
            "79 layers on the first and last stage leave 1 of 80 for the other 2 stages: each layer needs a stage, and each stage \
             a layer."
        )
    );
    assert_eq!(
        on_h100(pipeline(Schedule::GPipe, 8, 1)),
        Issue::note(
            "accum",
            "1 micro-batch (gradient accumulation steps) is too few for 8 pipeline stages, which mostly wait for each \
             other: enter at least 8."
        )
    );
    assert_eq!(on_h100(pipeline(Schedule::ZeroBubbleV, 8, 8)).key, Some("accum"));
    assert_eq!(
        on_h100(pipeline(Schedule::Interleaved, 8, 12)),
        Issue::note(
            "accum",
            "12 micro-batches are not a multiple of the 8 pipeline stages, as interleaved 1F1B requires: \
             enter 8 or 16 gradient accumulation steps."
        )
    );
}

#[test]
fn formats_and_offloading_are_held_against_the_gpu_and_the_strategy() {
    assert_eq!(
        first(|scenario| scenario.compute_format = ComputeFormat::Fp8),
        Issue::error("compute", "This GPU has no units for 8 bits: choose a 16-bit format.")
            .instead("The peak is that of a 16-bit format.")
    );
    assert_eq!(
        on_h100(|scenario| {
            pick_accelerator(scenario, "h100-sxm");
            scenario.compute_format = ComputeFormat::Fp4;
        })
        .text(),
        "This GPU has no units for 4 bits: choose an 8-bit format. The peak is that of an 8-bit format."
    );
    let gathered = on_h100(|scenario| {
        (scenario.strategy, scenario.compute_format) = (Strategy::Zero1, ComputeFormat::Fp8Gather);
    });
    assert_eq!((gathered.severity, gathered.key), (Severity::Note, Some("compute")));
    assert_eq!(first(|scenario| scenario.offload.nvme = Nvme::Optimizer).key, Some("nvme"));
    let whole = first(|scenario| (scenario.strategy, scenario.offload.parameters) = (Strategy::Zero2, true));
    assert_eq!((whole.severity, whole.key), (Severity::Note, Some("offloadparams")));
    assert_eq!(first(|scenario| scenario.offload.parameters = true).key, Some("offloadopt"));
}

#[test]
fn a_shard_group_that_does_nothing_is_no_issue() {
    let mut scenario = default_scenario();
    scenario.shard_size = 7;
    assert_eq!(engine::validate::issues(&scenario), []);
}

#[test]
fn each_value_out_of_bounds_is_a_sentence() {
    assert_eq!(
        first(|scenario| scenario.gpus = 0),
        Issue::error("gpus", "GPUs must be between 1 and 131,072, not 0: enter 1.")
    );
    assert_eq!(
        first(|scenario| scenario.seq_len = 0),
        Issue::error(
            "seq",
            "Sequence length must be between 128 tokens and 16,777,216 tokens, not 0 tokens: enter 128 tokens."
        )
    );
    assert_eq!(
        first(|scenario| scenario.keep_fraction = f64::NAN),
        Issue::error("keep", "Activations kept must be a number from 0 % to 100 %: enter one.")
    );
    assert_eq!(first(|scenario| scenario.model = Model::Ladder { size: f64::INFINITY }).key, Some("size"));
    assert_eq!(first(|scenario| scenario.model = Model::Ladder { size: -1.0 }).severity, Severity::Error);
}

#[test]
fn sequences_longer_than_the_learned_positions_are_noted() {
    let issue = first(|scenario| {
        let mut architecture = scenario.model.architecture();
        architecture.learned_positions = 2048;
        scenario.model = Model::Custom { architecture };
    });
    assert_eq!((issue.severity, issue.key), (Severity::Note, Some("seq")));
}

/// Sets every number of the table to values that are always invalid.
#[test]
fn nothing_impossible_goes_unnoticed() {
    for param in params::PARAMS.iter().chain(params::CONSTANTS) {
        if let params::ParamKind::Number(number) = param.kind {
            for value in [f64::NAN, f64::INFINITY, -1.0, 1e300] {
                let mut scenario = default_scenario();
                (number.set)(&mut scenario, value);
                if number.integer && number.min == 0.0 && (number.get)(&scenario) == 0.0 {
                    // Negative numbers and NaN become 0, which is valid.
                    continue;
                }
                let found = engine::validate::issues(&scenario);
                assert!(found.iter().any(|issue| issue.key == Some(param.key)), "{} = {value}: {found:?}", param.key);
            }
        }
    }
}

/// The note names the largest use of a host's memory, and the parameter to change.
#[test]
fn a_run_that_its_hosts_cannot_hold_is_a_note() {
    let notes = |link: &str| {
        let scenario = links::decode(link).scenario;
        let about = ["offloadopt", "ckptsharded", "deferred", "hostmem"];
        let found: Vec<_> = engine::validate::issues(&scenario)
            .into_iter()
            .filter(|issue| issue.key.is_some_and(|key| about.contains(&key)))
            .collect();
        assert_eq!(scenario.host_memory().fits(), found.is_empty(), "{link}");
        found.into_iter().map(|issue| issue.key).next()
    };
    let llama = "cluster=dgx-h100&model=llama-2-70b&gpus=8";
    assert_eq!(notes(llama), None);
    // Eight ranks with 276 GB each.
    assert_eq!(notes(&format!("{llama}&deferred=no")), Some(Some("deferred")));
    assert_eq!(notes(&format!("{llama}&deferred=no&hostmem=4096")), None);
    // 12 bytes a parameter are 828 GB, 1,242 with the pinned buffers. Of the 14 bytes to save the
    // other 2 are on the GPUs, 138 GB. With 7 GiB of eight processes 1,292 GiB in all.
    assert_eq!(notes(&format!("{llama}&offloadopt=yes&recipe=zero-mixed&hostmem=1294")), None);
    assert_eq!(notes(&format!("{llama}&offloadopt=yes&recipe=zero-mixed&hostmem=1290")), Some(Some("offloadopt")));
    assert_eq!(notes(&format!("{llama}&ckptsharded=no&hostmem=512")), Some(Some("ckptsharded")));
    // Trays of four hold half as much as a node of eight.
    assert_eq!(notes(&format!("{llama}&deferred=no&hostgpus=4")), None);
}

#[test]
fn an_unwise_run_is_a_note() {
    assert_eq!(
        first(|scenario| (scenario.grad_accum_steps, scenario.run.critical_batch_tokens) = (64, 3_355_443.2)),
        Issue::note(
            "critbatch",
            "A step takes 16.8M tokens, more than the critical batch of 3.4M: a token is worth 17 % of one \
             in small batches."
        )
    );
    assert_eq!(
        first(|scenario| {
            assert!(catalog::pick::pick_model(scenario, "llama-3.1-405b"));
            scenario.run.sharded_checkpoint = false;
        }),
        Issue::note(
            "ckptsharded",
            "The run needs 4,540 of 2,048 GiB of a host's memory, most of it for a checkpoint that one rank gathers. \
             Let every rank write its part, or enter more host memory."
        )
    );
}

#[test]
fn modules_to_recompute_are_held_against_the_model_and_megatron() {
    let of = |modules: RecomputeModules, more: &dyn Fn(&mut Scenario)| {
        let mut scenario = default_scenario();
        assert!(pick_model(&mut scenario, "deepseek-v3"));
        (scenario.recompute, scenario.recompute_modules) = (Recompute::Modules, modules);
        scenario.framework = Framework::Megatron;
        more(&mut scenario);
        let about = |issue: &Issue| matches!(issue.key, Some("recompute" | "rcmoe" | "rcmoeact"));
        engine::validate::issues(&scenario).into_iter().filter(about).collect::<Vec<_>>()
    };
    let none = RecomputeModules::NONE;
    let norms = RecomputeModules { layernorm: true, ..none };
    assert_eq!(of(norms, &|_| {}), []);
    assert_eq!(
        of(norms, &|scenario| scenario.framework = Framework::Torchtitan),
        [Issue::note(
            "recompute",
            "Only Megatron-Core has recomputation by module: other frameworks need checkpoints in the model's code."
        )]
    );
    // Flash attention keeps no scores.
    assert_eq!(
        of(RecomputeModules::USUAL, &|_| {}),
        [Issue::note(
            "recompute",
            "None of these modules has activations to recompute: choose another module or mode."
        )]
    );
    assert_eq!(of(RecomputeModules::USUAL, &|scenario| scenario.recompute = Recompute::None), []);
    assert_eq!(
        of(RecomputeModules { moe: true, ..none }, &|scenario| scenario.experts.across_micro_batches = true),
        [Issue::note(
            "rcmoe",
            "Megatron-Core does not overlap the experts' exchange with another micro-batch if it recomputes whole \
             experts: recompute only their activation and the shared experts."
        )]
    );
    assert_eq!(
        of(RecomputeModules { moe_act: true, ..none }, &|scenario| scenario.experts.grouped = false),
        [Issue::note(
            "rcmoeact",
            "Megatron-Core recomputes the experts' activation only between grouped products: switch them on."
        )]
    );
}

/// Nemotron 3 Nano's mixer: 64 heads, 8 groups.
fn hybrid(scenario: &mut Scenario) {
    let recurrent = Recurrent {
        kind: RecurrentKind::Mamba2,
        heads: 64,
        head_dim: 64,
        key_heads: 8,
        key_dim: 128,
        conv_kernel: 4,
        chunk: 128,
        ..Recurrent::NONE
    };
    let pattern = read_layers("3sd.ad").unwrap();
    let architecture = Architecture {
        num_attention_heads: 32,
        num_key_value_heads: 32,
        recurrent,
        pattern,
        ..scenario.model.architecture()
    };
    scenario.model = Model::Custom { architecture };
    (scenario.gpus, scenario.seq_len) = (1024, 1 << 17);
}

#[test]
fn states_are_divided_by_heads_and_groups() {
    let with = |tp, cp| {
        let mut scenario = default_scenario();
        hybrid(&mut scenario);
        (scenario.tp, scenario.cp) = (tp, cp);
        let all = engine::validate::issues(&scenario);
        all.into_iter()
            .filter(|issue| issue.message.contains("state mixer"))
            .map(|issue| issue.message)
            .collect::<Vec<_>>()
    };
    assert_eq!((with(8, 8), with(2, 4)), (vec![], vec![]));
    let [heads] = with(8, 16).try_into().unwrap();
    assert!(
        heads
            .starts_with("64 heads of the state mixer do not divide over 128 GPUs of tensor and context parallelism: ")
    );
    let [groups] = with(16, 1).try_into().unwrap();
    assert!(groups.starts_with("8 groups of the state mixer's keys do not divide over 16 GPUs"), "{groups}");
}

#[test]
fn limits_and_intervals_of_which_a_run_never_ends_are_sentences() {
    let error = first(|scenario| scenario.network.values.host.loader = 5e-324);
    let message = "A data loader of 5e-324 sequences/s is too low: enter more, or 0 for no limit.";
    assert_eq!(error, Issue::error("loader", message).uses("0.001 sequences/s"));
    let error = first(|scenario| scenario.network.values.host.bandwidth = BytesPerSecond::from_gb_per_s(0.01));
    assert_eq!(error.key, Some("hostbw"));
    let slowest = |link: &str| links::decode(link).scenario.run_report().time;
    for link in ["loader=5e-324", "hostbw=1e-308&offloadopt=yes"] {
        assert!(slowest(link).get().is_finite(), "{link}");
    }
    let note = first(|scenario| scenario.run.checkpoint_interval = Seconds::from_minutes(0.0077));
    let message = "A checkpoint takes 15.5 s to write, and the next one is due after 462 ms: the run would never end. \
                   Enter a longer interval, 0 for the one that loses least, or faster storage.";
    assert_eq!(note, Issue::note("ckptevery", message));
}
