//! Codes of findings, with meaning, severity and remedy in one table.

use std::fmt::Write as _;

use engine::model::choices::Choices;
use engine::scenario::Scenario;
use serde::{Deserialize, Serialize};

use super::Changes;

/// Severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The run fails, or differs from what its files state.
    Error,
    /// The training would fit or be faster with other settings.
    Warning,
    /// Another training or other hardware would help: a decision, not a repair.
    Note,
}

impl Severity {
    /// Returns the name, as in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

/// A kind of finding. A code keeps its meaning in all releases; a removed code is not reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The code: `SW1` and two digits for errors, `SW2` for settings, `SW3` for changes of the
    /// training or the hardware.
    pub code: &'static str,
    /// A short name.
    pub name: &'static str,
    /// Severity.
    pub severity: Severity,
    /// Meaning, consequence and remedy.
    pub explanation: &'static str,
}

/// Code of a run that does not fit.
pub const DOES_NOT_FIT: &str = "SW101";
pub(crate) const CONTRADICTION: &str = "SW102";
/// Code of an assertion that does not hold.
pub const ASSERTION: &str = "SW103";
const RECOMPUTATION: &str = "SW201";
const MICRO_BATCH: &str = "SW202";
const LOSS: &str = "SW203";
const OFFLOAD: &str = "SW204";
const SHARDING: &str = "SW205";
const DEGREES: &str = "SW206";
const PRECISION: &str = "SW207";
const OPTIMIZER: &str = "SW208";
const KERNELS: &str = "SW209";
const OTHER: &str = "SW210";
/// Code of a run that may not fit.
pub const TIGHT: &str = "SW211";
const LENGTH: &str = "SW301";
const MODEL: &str = "SW302";
const BATCH: &str = "SW303";
const TRAINED: &str = "SW304";
const HARDWARE: &str = "SW305";

/// All kinds of findings, in the order of the codes.
pub static RULES: [Rule; 19] = [
    Rule {
        code: DOES_NOT_FIT,
        name: "does not fit",
        severity: Severity::Error,
        explanation: "The run needs more memory than a GPU has: it would end with an out-of-memory error in its first steps. \
                      The finding says how much it needs and how many of such runs fit. Take one of the changes that follow it; \
                      those that keep the training are first.",
    },
    Rule {
        code: CONTRADICTION,
        name: "contradiction",
        severity: Severity::Error,
        explanation: "Two keys, of one file or of two, cannot both hold, or a value is outside of what is possible. The program \
                      would stop, or take one of them and say nothing, so the run is not the one that the files seem to describe. \
                      The finding says which value was used here; write the one that is meant into both places.",
    },
    Rule {
        code: ASSERTION,
        name: "assertion",
        severity: Severity::Error,
        explanation: "Something that you demand of the run does not hold: `assert` in shardwise.toml, in the file's own comment or \
                      on the command line, such as `odds >= 0.95`, `mfu >= 0.38` or `cost <= 200k`. The finding says what was \
                      predicted. Change the run, or the demand.",
    },
    Rule {
        code: RECOMPUTATION,
        name: "recomputation",
        severity: Severity::Warning,
        explanation: "Another mode of activation checkpointing fits and is faster, or makes the run fit. Recomputation runs parts \
                      of the forward pass twice to hold fewer activations: time for memory. Recompute as little as the memory \
                      allows; results stay the same except for rounding.",
    },
    Rule {
        code: MICRO_BATCH,
        name: "micro-batch against accumulation",
        severity: Severity::Warning,
        explanation: "The same step in other micro-batches: their size times gradient accumulation stays, and with it the effective \
                      batch. Smaller micro-batches hold fewer activations; larger ones use the GPU better and gather weights less \
                      often. Change both keys together.",
    },
    Rule {
        code: LOSS,
        name: "loss kernel",
        severity: Severity::Warning,
        explanation: "Logits over a large vocabulary, in fp32 and several times over, are often the largest tensors of a run. A loss \
                      that is fused or runs in chunks never holds them all and reads them less often. Switch it on; the loss is the \
                      same except for rounding.",
    },
    Rule {
        code: OFFLOAD,
        name: "offload",
        severity: Severity::Warning,
        explanation: "States of the optimizer, weights or activations move between GPU and host memory each step, or would have to \
                      for the run to fit. That frees much memory and costs time on the link to the host, so it pays only where \
                      nothing faster fits. Look at the memory of the host too.",
    },
    Rule {
        code: SHARDING,
        name: "sharding",
        severity: Severity::Warning,
        explanation: "Another ZeRO stage or FSDP strategy fits better: how much of weights, gradients and optimizer state each GPU \
                      holds. More sharding holds less and communicates more. Shard as little as fits; what is trained stays the same.",
    },
    Rule {
        code: DEGREES,
        name: "layout degrees",
        severity: Severity::Warning,
        explanation: "Other degrees of tensor, context, pipeline, expert or data parallelism fit or are faster on the same GPUs. They \
                      decide what each GPU holds and which links carry what. The finding may change micro-batches along with them, \
                      so that the effective batch stays.",
    },
    Rule {
        code: PRECISION,
        name: "precision",
        severity: Severity::Warning,
        explanation: "Other number formats of weights, gradients or matrix products hold less or compute faster. The training is the \
                      same on paper and its numerics are not, so `--fix` leaves it alone and `--unsafe-fixes` writes it. Compare \
                      the loss of a short run before you keep it.",
    },
    Rule {
        code: OPTIMIZER,
        name: "optimizer",
        severity: Severity::Warning,
        explanation: "Another optimizer, or one with states of 8 bits, holds less: AdamW keeps 8 bytes a parameter in fp32. Its \
                      updates differ, so `--fix` leaves it alone and `--unsafe-fixes` writes it. Another learning rate may be needed.",
    },
    Rule {
        code: KERNELS,
        name: "kernels",
        severity: Severity::Warning,
        explanation: "Another kernel does the same work sooner: attention, norms, the optimizer's update, `torch.compile`, CUDA graphs. \
                      Results stay the same except for rounding. Switch it on where your GPUs and versions have it.",
    },
    Rule {
        code: OTHER,
        name: "other settings",
        severity: Severity::Warning,
        explanation: "A setting without a code of its own, such as how experts are dispatched or when gradients are reduced, makes the run \
                      fit or faster. What is trained stays the same. The finding names the setting and both its values.",
    },
    Rule {
        code: TIGHT,
        name: "tight",
        severity: Severity::Warning,
        explanation: "The run needs a little less memory than a GPU has, and fewer than half of such runs fit: what is predicted and \
                      what a run needs differ by a few percent. Run its first steps before you rely on it, or take one of the \
                      changes that follow. A demand such as `odds >= 0.8` makes it an error.",
    },
    Rule {
        code: LENGTH,
        name: "another length",
        severity: Severity::Note,
        explanation: "The run would fit with shorter sequences: longer texts are cut or split, and the model learns another thing. It is \
                      said only where no setting makes the run fit. Decide by the lengths of your texts whether that is acceptable; \
                      more GPUs or a smaller model are the other ways.",
    },
    Rule {
        code: MODEL,
        name: "another model",
        severity: Severity::Note,
        explanation: "Another model, or another input of it, would fit. It is said only where no setting makes the run fit. That is \
                      another training with other results, so nothing but `--unsafe-fixes` writes it.",
    },
    Rule {
        code: BATCH,
        name: "another effective batch",
        severity: Severity::Note,
        explanation: "The sequences of a step, micro-batch times accumulation times replicas, would be others. The optimizer then takes \
                      other steps, so the learning rate and its schedule need another look. It is offered only where nothing else \
                      makes the run fit.",
    },
    Rule {
        code: TRAINED,
        name: "other trained weights",
        severity: Severity::Note,
        explanation: "Adapters instead of all weights, or another objective: fewer gradients and states, and another result. It is said \
                      where the settings of the run as it is do not help. Whether adapters are good enough depends on the task: \
                      they often are for instructions, less often for new knowledge.",
    },
    Rule {
        code: HARDWARE,
        name: "other hardware",
        severity: Severity::Note,
        explanation: "More GPUs, more memory or faster links would help. A configuration has no key \
                      for most of that. Ask `shardwise plan` what the cheapest such cluster is.",
    },
];

/// Returns the kind of finding of a code; case is ignored.
///
/// ```
/// use files::run::rule;
///
/// assert_eq!(rule("sw101").map(|rule| rule.name), Some("does not fit"));
/// assert!(rule("SW999").is_none());
/// ```
pub fn rule(code: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.code.eq_ignore_ascii_case(code.trim()))
}

/// Explains a code.
///
/// # Errors
///
/// A sentence that lists all codes.
pub fn explain(code: &str) -> Result<String, String> {
    let rule = rule(code).ok_or_else(|| unknown(code))?;
    Ok(format!("{}, {} ({}): {}", rule.code, rule.name, rule.severity.name(), rule.explanation))
}

/// Parses lists of codes and prefixes of codes, `SW201,SW3`; `ALL` is the prefix of all.
///
/// # Errors
///
/// A sentence if no code has the prefix: a typing error would select nothing.
pub fn prefixes(lists: &[String]) -> Result<Vec<String>, String> {
    let each = lists.iter().flat_map(|list| list.split(',')).map(str::trim).filter(|prefix| !prefix.is_empty());
    each.map(|prefix| {
        let wanted = if prefix.eq_ignore_ascii_case("ALL") { "SW".to_owned() } else { prefix.to_ascii_uppercase() };
        let is_known = RULES.iter().any(|rule| rule.code.starts_with(&wanted));
        if is_known { Ok(wanted) } else { Err(unknown(prefix)) }
    })
    .collect()
}

fn unknown(code: &str) -> String {
    let codes: Vec<&str> = RULES.iter().map(|rule| rule.code).collect();
    format!("“{code}” is no code of a finding: there are {}.", codes.join(", "))
}

/// Returns the table of codes for the documentation.
pub fn rules_table() -> String {
    let mut table = String::from("| code | name | severity | what it means |\n|---|---|---|---|\n");
    for Rule { code, name, severity, explanation } in &RULES {
        // Writing to a text does not fail.
        let _ = writeln!(table, "| [{code}](lint/{code}.md) | {name} | {} | {explanation} |", severity.name());
    }
    table
}

/// Returns the severity of a code.
pub(super) fn severity(code: &str) -> Severity {
    rule(code).map_or(Severity::Warning, |rule| rule.severity)
}

/// Whether a code is suggested only for a run that does not fit: other texts, another model, other
/// trained weights.
pub(super) fn is_last_resort(code: &str) -> bool {
    [LENGTH, MODEL, BATCH, TRAINED].contains(&code)
}

/// Whether a change needs other hardware.
pub(super) fn is_hardware(before: &Scenario, after: &Scenario) -> bool {
    let hardware = |scenario: &Scenario| (scenario.gpus, scenario.accelerator, scenario.network);
    hardware(before) != hardware(after)
}

/// Returns the code of a change. A change of several kinds has the code of the most severe: degrees
/// before the micro-batches that follow from them, precision before degrees.
pub(crate) fn change_code(before: &Scenario, after: &Scenario) -> &'static str {
    if is_hardware(before, after) {
        return HARDWARE;
    }
    let differ = |one: bool, code: &'static str| one.then_some(code);
    let training = || {
        let what = |scenario: &Scenario| (super::unpadded(scenario), scenario.images, scenario.mtp);
        let length = |scenario: &Scenario| (scenario.seq_len, scenario.texts);
        let weights = |scenario: &Scenario| (scenario.objective, scenario.trained.method);
        differ(what(before) != what(after), MODEL)
            .or(differ(length(before) != length(after), LENGTH))
            .or(differ(weights(before) != weights(after), TRAINED))
            .or(differ(super::sequences(before) != super::sequences(after), BATCH))
            .unwrap_or(TRAINED)
    };
    if Changes::between(before, after) == Changes::Training {
        return training();
    }
    let numbers = |scenario: &Scenario| {
        let Choices { recipe, half, compute_format, gradients_in_16_bits, layers_in_16_bits, .. } = scenario.choices;
        (recipe, half, compute_format, gradients_in_16_bits, layers_in_16_bits, scenario.trained.base)
    };
    let optimizer = |scenario: &Scenario| (scenario.optimizer, scenario.galore_rank);
    let degrees = |scenario: &Scenario| (scenario.tp, scenario.cp, scenario.pp, scenario.ep, scenario.etp);
    let sharding = |scenario: &Scenario| (scenario.strategy, scenario.shard_size);
    let recomputed = |scenario: &Scenario| {
        let Choices { recompute, keep_fraction, recompute_modules, .. } = scenario.choices;
        (recompute, keep_fraction, recompute_modules)
    };
    let micro = |scenario: &Scenario| (scenario.micro_batch_size, scenario.grad_accum_steps);
    let kernels = |scenario: &Scenario| {
        let Choices { kernels, optimizer_kernel, update_place, segments, .. } = scenario.choices;
        (kernels, optimizer_kernel, update_place, segments)
    };
    differ(numbers(before) != numbers(after), PRECISION)
        .or(differ(optimizer(before) != optimizer(after), OPTIMIZER))
        .or(differ(degrees(before) != degrees(after), DEGREES))
        .or(differ(sharding(before) != sharding(after), SHARDING))
        .or(differ(before.offload != after.offload, OFFLOAD))
        .or(differ(recomputed(before) != recomputed(after), RECOMPUTATION))
        .or(differ(micro(before) != micro(after), MICRO_BATCH))
        .or(differ(before.kernels.loss != after.kernels.loss, LOSS))
        .or(differ(kernels(before) != kernels(after), KERNELS))
        .unwrap_or(OTHER)
}

#[cfg(test)]
mod tests {
    use engine::model::software::Loss;
    use engine::model::trained::Method;
    use engine::model::training::{ComputeFormat, Optimizer, Recompute};
    use engine::scenario::{Model, Strategy};
    use links::decode;

    use super::*;

    /// A change of a scenario, with its code.
    type Case = (&'static str, fn(&mut Scenario));

    #[test]
    fn every_kind_of_change_has_its_code() {
        let mut before =
            decode("cluster=dgx-h100&model=llama-3.1-8b&gpus=16&mbs=4&accum=4&seq=8k&strategy=zero2").scenario;
        before.model = Model::Custom { architecture: before.model.architecture() };
        let cases: [Case; 17] = [
            (RECOMPUTATION, |to| to.recompute = Recompute::Full),
            (MICRO_BATCH, |to| (to.micro_batch_size, to.grad_accum_steps) = (2, 8)),
            (LOSS, |to| to.kernels.loss = Loss::Chunked),
            (OFFLOAD, |to| to.offload.optimizer = true),
            (SHARDING, |to| to.strategy = Strategy::FullShard),
            (DEGREES, |to| (to.tp, to.grad_accum_steps) = (2, 8)),
            (PRECISION, |to| to.compute_format = ComputeFormat::Fp8),
            (OPTIMIZER, |to| to.optimizer = Optimizer::AdamW8bit),
            (KERNELS, |to| to.kernels.compile = true),
            // A vocabulary padded for other degrees is not another model.
            (DEGREES, |to| {
                let mut architecture = to.model.architecture();
                architecture.vocab_size += 128;
                (to.model, to.tp, to.grad_accum_steps) = (Model::Custom { architecture }, 2, 8);
            }),
            (OTHER, |to| to.experts.grouped = !to.experts.grouped),
            (LENGTH, |to| to.seq_len = 4096),
            (MODEL, |to| to.model = decode("model=llama-3.2-1b").scenario.model),
            (BATCH, |to| to.grad_accum_steps = 2),
            (TRAINED, |to| to.trained.method = Method::Lora),
            (HARDWARE, |to| to.gpus = 32),
            // Of several kinds, the most severe counts.
            (DEGREES, |to| {
                (to.tp, to.grad_accum_steps, to.recompute) = (2, 8, Recompute::Full);
                to.kernels.loss = Loss::Chunked;
            }),
        ];
        for (code, change) in cases {
            let mut after = before;
            change(&mut after);
            assert_eq!((change_code(&before, &after), rule(code).map(|rule| rule.code)), (code, Some(code)));
        }
        let coded = |entry: &&Rule| cases.iter().any(|(code, _)| *code == entry.code);
        assert_eq!(RULES.iter().filter(coded).count(), RULES.len() - 4, "all but what is wrong, demanded or tight");
    }
}
