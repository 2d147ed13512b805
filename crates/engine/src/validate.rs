//! Checks for contradictions between the fields of a scenario. The bounds of single fields are
//! checked by the table of parameters.

mod experts;
mod mesh;
mod objective;
mod optimizer;
mod recompute;
mod run;
mod software;
mod trained;

use crate::model::step;
use crate::model::transformer::Architecture;
use crate::params::{ParamId, every, is_held, issue};
use crate::scenario::issue::{Issue, Severity};
use crate::scenario::{Model, Scenario};

/// Returns everything that is wrong with a scenario: each parameter out of bounds, in the order of
/// the table, then contradictions between parameters ([`Scenario::issues`]).
pub fn issues(scenario: &Scenario) -> Vec<Issue> {
    let held = every().filter(|param| is_held(param, scenario));
    held.filter_map(|param| issue(param, scenario)).chain(scenario.issues()).collect()
}

impl Scenario {
    /// Returns the contradictions between the scenario's fields, in sentences.
    /// [`issues`] adds the bounds of each field.
    pub fn issues(&self) -> Vec<Issue> {
        let mut issues = self.layout_issues();
        issues.extend(self.nodes());
        issues.extend(self.positions());
        if let Model::Custom { architecture } | Model::Preset { architecture, .. } = &self.model {
            issues.extend(heads(architecture));
            issues.extend(key_value_heads(architecture));
        }
        self.software(&mut issues);
        self.optimizer(&mut issues);
        self.recomputation(&mut issues);
        self.trained(&mut issues);
        let setup = self.setup();
        if !setup.objective.is_next_token() {
            objective::objective(self, &setup, &step::evaluate(&setup), &mut issues);
        }
        issues.extend(run::critical_batch(&setup, &self.run));
        issues.extend(run::checkpoint_interval(&setup, &self.run));
        issues.extend(run::host_memory(&setup, &self.run));
        issues
    }

    /// Returns the contradictions of the layout alone, of the device mesh and of the experts on the
    /// mesh, for searches for a valid layout.
    pub fn layout_issues(&self) -> Vec<Issue> {
        let mut issues = Vec::new();
        self.mesh(&mut issues);
        self.experts(&mut issues);
        issues
    }

    /// Returns an issue if the last node is not full.
    fn nodes(&self) -> Option<Issue> {
        let (gpus, node) = (self.gpus, self.network.values.gpus_per_node);
        if node == 0 || gpus <= node || gpus.is_multiple_of(node) {
            return None;
        }
        // A rack is used as far as groups fill it.
        if self.network.values.is_rack() && gpus.is_multiple_of(gpus.div_ceil(node)) {
            return None;
        }
        let (nodes, rest) = (gpus / node, gpus % node);
        let below = nodes * node;
        let message = format!(
            "{gpus} GPUs fill {nodes} {} of {node} and leave {rest} for the last one. The predicted times are for full \
             nodes: enter {below} or {} GPUs.",
            if nodes == 1 { "node" } else { "nodes" },
            below.saturating_add(node)
        );
        Some(Issue::note(ParamId::Gpus, message))
    }

    /// Returns an issue if the sequence is longer than the model has positions.
    fn positions(&self) -> Option<Issue> {
        let (positions, seq_len) = (self.model.architecture().learned_positions, self.seq_len);
        if positions == 0 || seq_len <= positions {
            return None;
        }
        let message = format!(
            "The model has learned positions for {positions} tokens, and sequences are {seq_len} tokens long: enter at \
             most {positions} tokens."
        );
        let note = Issue::note(ParamId::SequenceLength, message);
        Some(note.instead("The numbers are as if it had enough positions."))
    }
}

/// Returns an issue if the heads do not divide the hidden size: an error if the head dimension
/// follows from the division, otherwise a peculiarity of the model.
fn heads(shape: &Architecture) -> Option<Issue> {
    let (heads, hidden) = (shape.num_attention_heads, shape.hidden_size);
    let dimension = shape.head_dim;
    if heads == 0 || hidden == 0 || hidden.is_multiple_of(heads) {
        return None;
    }
    let message = format!(
        "{heads} attention heads do not divide the hidden size {hidden} evenly: enter {} heads, or make sure that \
         the model's configuration has a head_dim of {dimension}.",
        neighbours(hidden, heads)
    );
    let is_chosen = dimension != hidden / heads;
    let severity = if is_chosen { Severity::Note } else { Severity::Error };
    let issue = Issue::new(severity, Some(ParamId::AttentionHeads.key()), message);
    Some(issue.instead(format!("The numbers are of heads of {dimension}.")))
}

/// Returns an issue if the key and value heads do not divide the query heads.
fn key_value_heads(shape: &Architecture) -> Option<Issue> {
    let (heads, kv) = (shape.num_attention_heads, shape.num_key_value_heads);
    if heads == 0 || kv == 0 || heads.is_multiple_of(kv) {
        return None;
    }
    let message = format!(
        "{heads} attention heads cannot share {kv} key and value heads evenly. Enter {} key and value heads.",
        neighbours(heads, kv)
    );
    Some(Issue::error(ParamId::KvHeads, message))
}

/// Names the divisors of a number next to the wanted one: `4 or 8`.
fn neighbours(number: u32, wanted: u32) -> String {
    let divides = |divisor: &u32| number.is_multiple_of(*divisor);
    let below = (1..wanted.min(number.saturating_add(1))).rev().find(divides);
    let above = (wanted.saturating_add(1)..=number).find(divides);
    match (below, above) {
        (Some(below), Some(above)) => format!("{below} or {above}"),
        (Some(only), None) | (None, Some(only)) => only.to_string(),
        (None, None) => number.to_string(),
    }
}
