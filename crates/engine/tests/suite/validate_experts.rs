//! Errors and warnings of a mixture of experts, as sentences.

use catalog::default_scenario;
use catalog::pick::{pick_cluster, pick_model};
use engine::scenario::issue::{Issue, Severity};
use engine::scenario::{ExpertChoice, Model, Scenario, Strategy};

/// Returns the issues of a change to Mixtral 8x7B on 64 GPUs, eight per node.
fn of_mixtral(change: impl FnOnce(&mut Scenario)) -> Vec<Issue> {
    let mut scenario = default_scenario();
    assert!(pick_cluster(&mut scenario, "dgx-h100") && pick_model(&mut scenario, "mixtral-8x7b"));
    scenario.ep = 8;
    change(&mut scenario);
    let mut issues = engine::validate::issues(&scenario);
    for issue in &mut issues {
        issue.message = issue.message.replace('\u{2009}', " ");
        issue.instead = issue.instead.replace('\u{2009}', " ");
    }
    issues
}

#[test]
fn experts_that_go_together_have_no_issues() {
    assert_eq!(of_mixtral(|_| {}), []);
    assert_eq!(of_mixtral(|scenario| (scenario.ep, scenario.etp) = (4, 2)), []);
    assert_eq!(of_mixtral(|scenario| (scenario.strategy, scenario.shard_size) = (Strategy::HybridShard, 8)), []);
}

#[test]
fn degrees_that_do_not_divide_are_sentences() {
    let ep = |ep| move |scenario: &mut Scenario| scenario.ep = ep;
    assert_eq!(
        of_mixtral(ep(16)),
        [Issue::error("ep", "16 GPUs of expert parallelism do not evenly divide 8 experts: enter 8.").uses(8)]
    );
    let on_twelve = |scenario: &mut Scenario| (scenario.gpus, scenario.network.values.gpus_per_node) = (12, 12);
    assert_eq!(
        of_mixtral(on_twelve),
        [Issue::error("ep", "8 GPUs of expert parallelism do not evenly divide 12 GPUs: enter 4.").uses(4)]
    );
    let etp = |scenario: &mut Scenario| (scenario.etp, scenario.pp, scenario.grad_accum_steps) = (3, 4, 4);
    assert_eq!(
        of_mixtral(etp),
        [Issue::error(
            "etp",
            "3 GPUs of expert tensor parallelism do not evenly divide the 2 GPUs that expert parallelism leaves of \
             16: enter 2."
        )
        .uses(2)]
    );
    // Degrees that the engine chooses are not checked.
    let chosen = |scenario: &mut Scenario| {
        (scenario.ep, scenario.expert_choice) = (16, ExpertChoice { degrees: true, chunks: true });
    };
    assert_eq!(of_mixtral(chosen), []);
    // A dense model has no experts to split.
    let dense = |scenario: &mut Scenario| {
        scenario.ep = 7;
        assert!(pick_model(scenario, "llama-3-8b"));
    };
    assert_eq!(of_mixtral(dense), []);
}

#[test]
fn what_the_engine_computes_is_what_the_sentences_name() {
    let mut scenario = default_scenario();
    assert!(pick_model(&mut scenario, "mixtral-8x7b"));
    (scenario.ep, scenario.etp) = (16, 5);
    let mesh = scenario.setup().mesh;
    let issues = engine::validate::issues(&scenario);
    for (key, used) in [("ep", mesh.ep), ("etp", mesh.etp)] {
        let issue = issues.iter().find(|issue| issue.key == Some(key)).unwrap();
        assert_eq!(issue.instead, format!("{used} is used instead."));
    }
}

#[test]
fn more_experts_a_token_than_there_are_is_a_sentence() {
    let top_k = |scenario: &mut Scenario| {
        let mut architecture = scenario.model.architecture();
        architecture.experts.num_experts_per_tok = 9;
        scenario.model = Model::Custom { architecture };
    };
    assert_eq!(
        of_mixtral(top_k),
        [Issue::error("topk", "9 experts per token are more than the 8 experts of a layer: enter at most 8.").uses(8)]
    );
}

#[test]
fn experts_beyond_a_shard_group_are_a_sentence() {
    let issues = of_mixtral(|scenario| (scenario.strategy, scenario.shard_size) = (Strategy::HybridShard, 4));
    assert_eq!(issues.len(), 1, "{issues:?}");
    let issue = issues.first().unwrap();
    assert_eq!((issue.key, issue.severity), (Some("ep"), Severity::Error));
    assert!(issue.message.starts_with("One copy of the experts is on 8 GPUs"), "{issue:?}");
    // Tensor-parallel ranks hold different experts.
    let with_tp = |scenario: &mut Scenario| {
        (scenario.strategy, scenario.shard_size, scenario.tp) = (Strategy::HybridShard, 4, 2);
    };
    assert_eq!(of_mixtral(with_tp), []);
}

#[test]
fn what_frameworks_refuse_is_a_sentence() {
    let keys = |change: fn(&mut Scenario)| -> Vec<_> {
        of_mixtral(change).into_iter().map(|issue| (issue.key.unwrap_or(""), issue.severity)).collect()
    };
    let without_sp = |scenario: &mut Scenario| (scenario.tp, scenario.tensor.sequence_parallel) = (2, false);
    assert_eq!(keys(without_sp), [("sp", Severity::Note)]);
    assert_eq!(keys(|scenario| scenario.experts.across_micro_batches = true), [("epoverlap", Severity::Error)]);
    let two = |scenario: &mut Scenario| {
        (scenario.experts.across_micro_batches, scenario.grad_accum_steps) = (true, 2);
    };
    assert_eq!(keys(two), []);
}

#[test]
fn no_capacity_and_no_balance_are_out_of_bounds() {
    let issues = of_mixtral(|scenario| scenario.experts.capacity_factor = 0.0);
    assert!(issues.iter().any(|issue| issue.message.starts_with("Capacity factor must be between")), "{issues:?}");
    let issues = of_mixtral(|scenario| scenario.experts.imbalance = 0.5);
    assert!(issues.iter().any(|issue| issue.message.starts_with("Load imbalance must be between")), "{issues:?}");
}

#[test]
fn dense_layers_at_the_beginning_of_a_pipeline_are_a_note() {
    let v2 = |first: u32| {
        move |scenario: &mut Scenario| {
            assert!(pick_model(scenario, "deepseek-v2"));
            (scenario.pp, scenario.grad_accum_steps, scenario.pipeline.first_stage_layers) = (4, 8, first);
        }
    };
    let keys = |issues: Vec<Issue>| issues.into_iter().map(|issue| issue.key).collect::<Vec<_>>();
    assert_eq!(keys(of_mixtral(v2(0))), [Some("firstlayers")]);
    assert_eq!(keys(of_mixtral(v2(18))), []);
}
