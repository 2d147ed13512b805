use crate::catalog::default_scenario;
use crate::params;
use crate::scenario::issue::{Issue, Severity};
use crate::scenario::{Model, Scenario, Strategy};

fn first(change: impl FnOnce(&mut Scenario)) -> Issue {
    let mut scenario = default_scenario();
    change(&mut scenario);
    let mut issues = params::issues(&scenario);
    assert_eq!(issues.len(), 1, "{issues:?}");
    let mut issue = issues.remove(0);
    issue.message = issue.message.replace('\u{2009}', " ");
    issue
}

fn custom(scenario: &mut Scenario, heads: u32, kv: u32) {
    let mut architecture = scenario.model.architecture();
    (architecture.hidden_size, architecture.num_attention_heads, architecture.num_key_value_heads) = (4096, heads, kv);
    scenario.model = Model::Custom { architecture };
}

#[test]
fn the_first_visit_has_no_issues() {
    assert_eq!(params::issues(&default_scenario()), []);
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
        Issue::error(
            "shard",
            "A shard group of 6 GPUs does not divide 64 GPUs evenly. The page computes with 4: enter 4 or 8."
        )
    );
    assert_eq!(
        first(group(128)),
        Issue::error(
            "shard",
            "The shard group of 128 GPUs is larger than the run of 64. The page computes with a group of 64: enter at most \
             64, or more GPUs."
        )
    );
    assert_eq!(
        first(|scenario| custom(scenario, 30, 30)),
        Issue::error(
            "heads",
            "30 attention heads do not divide the hidden size 4096 evenly. The page computes with heads of 128: enter 16 or \
             32 heads, or make sure that the model's configuration names this head_dim."
        )
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
            "10 GPUs fill 2 nodes of 4 and leave 2 for the last one. Times hold for even nodes: 8 or 12 GPUs fill them."
        )
    );
}

#[test]
fn a_shard_group_that_does_nothing_is_no_issue() {
    let mut scenario = default_scenario();
    scenario.shard_size = 7;
    assert_eq!(params::issues(&scenario), []);
}

#[test]
fn each_value_out_of_bounds_is_a_sentence() {
    assert_eq!(
        first(|scenario| scenario.gpus = 0),
        Issue::error("gpus", "GPUs must be between 1 and 16,384, not 0: enter 1.")
    );
    assert_eq!(
        first(|scenario| scenario.seq_len = 0),
        Issue::error(
            "seq",
            "Sequence length must be between 128 tokens and 1,048,576 tokens, not 0 tokens: enter 128 tokens."
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

/// A change to every number of the table, to what no number should be.
#[test]
fn nothing_impossible_goes_unnoticed() {
    for param in params::PARAMS.iter().chain(params::CONSTANTS) {
        if let params::Kind::Number(number) = param.kind {
            for value in [f64::NAN, f64::INFINITY, -1.0, 1e300] {
                let mut scenario = default_scenario();
                (number.set)(&mut scenario, value);
                let found = params::issues(&scenario);
                assert!(found.iter().any(|issue| issue.key == Some(param.key)), "{} = {value}: {found:?}", param.key);
            }
        }
    }
}

#[test]
fn an_unwise_run_is_a_note() {
    assert_eq!(
        first(|scenario| (scenario.grad_accum_steps, scenario.run.critical_batch_tokens) = (64, 8_388_608.0)),
        Issue::note(
            "critbatch",
            "A step takes 16.8M tokens, more than the critical batch of 8.4M: a token teaches 33 % of what it does in small \
             batches."
        )
    );
    assert_eq!(
        first(|scenario| {
            assert!(crate::share::pick::pick_model(scenario, "llama-3.1-405b"));
            scenario.run.sharded_checkpoint = false;
        }),
        Issue::note(
            "ckptsharded",
            "Gathering a checkpoint on one rank takes 4536 GiB of a node's host memory: a DGX H100 has 2,048 GiB."
        )
    );
}
