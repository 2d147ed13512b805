//! The small report: what a person or an agent needs to go on, in less than 2 kB. Each field is a
//! row of `FIELDS`, from which its JSON schema is made too ([`crate::schema::summary`]).

use serde_json::{Map, Value, json};

use analysis::answer::Answer;
use analysis::evidence::{self, Evidence, Grade};
use catalog::accuracy::Band;
use engine::format;
use engine::model::odds::Verdict;
use engine::model::report::{Limiter, Report};
use engine::names as words;
use engine::params::{ParamId, Unit, labels};
use engine::scenario::issue::{Cause, Issue, Severity};
use engine::scenario::{Model, Scenario};

/// Values that the fields are made of.
pub(crate) struct Source<'a> {
    scenario: &'a Scenario,
    answer: Answer,
    evidence: Evidence,
    issues: &'a [Issue],
    assumed: &'a [String],
}

/// Kind of a field's value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    Text,
    /// One of some words.
    Word(fn() -> Vec<&'static str>),
    YesNo,
    Number,
    /// A number, or `null`.
    MaybeNumber,
    /// A number with the ends of its range, `null` where measurements are too few for one.
    Figure,
    /// Grades of evidence.
    Evidence,
    Texts,
}

/// A field of the small report.
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    /// Meaning and unit.
    pub(crate) about: &'static str,
    /// Key of the card that explains the number (`explain::card`); empty without one.
    pub(crate) card: &'static str,
    value: fn(&Source) -> Value,
}

/// The fields, in the order in which they are written.
pub(crate) const FIELDS: &[Field] = &[
    Field {
        name: "shardwise",
        kind: Kind::Text,
        about: "Version of the calculator.",
        card: "",
        value: |_| env!("CARGO_PKG_VERSION").into(),
    },
    Field {
        name: "run",
        kind: Kind::Text,
        about: "The run that was computed, in words: model, GPUs, layout, lengths and batch.",
        card: "",
        value: |of| described(of.scenario).into(),
    },
    Field {
        name: "verdict",
        kind: Kind::Word(verdicts),
        about: "fits: at least 80 % of such runs fit; tight: at least half of them; does_not_fit: fewer; \
                host_does_not_fit: the GPUs have room, and a host has not.",
        card: "",
        value: |of| of.answer.fit.verdict.key().into(),
    },
    Field {
        name: "fits",
        kind: Kind::YesNo,
        about: "Whether the predicted memory is within that of the GPU and of the host. Look at fit_odds before you \
                promise it.",
        card: "",
        value: |of| of.answer.fit.fits.into(),
    },
    Field {
        name: "fit_odds",
        kind: Kind::Number,
        about: "Share of such runs that fit their GPUs, by the errors of published peaks, 0 to 1.",
        card: "",
        value: |of| short(of.answer.fit.odds),
    },
    Field {
        name: "needed_memory_gib",
        kind: Kind::Figure,
        about: "Memory that one GPU needs at its peak, in GiB.",
        card: "needed",
        value: |of| figure(of.answer.needed.gib(), Some(of.answer.memory_band)),
    },
    Field {
        name: "usable_memory_gib",
        kind: Kind::Number,
        about: "Memory of one GPU that the driver leaves to programs, in GiB.",
        card: "",
        value: |of| short(of.answer.usable.gib()),
    },
    Field {
        name: "host_memory_gib",
        kind: Kind::Number,
        about: "Memory that the processes of one host need, in GiB.",
        card: "host-need",
        value: |of| short(of.answer.fit.host.needed().gib()),
    },
    Field {
        name: "host_capacity_gib",
        kind: Kind::Number,
        about: "Memory of one host, in GiB.",
        card: "",
        value: |of| short(of.answer.fit.host.capacity.gib()),
    },
    Field {
        name: "mfu",
        kind: Kind::Figure,
        about: "Model FLOPs utilisation of the whole step, 0 to 1. Where `fits` is false, it and the times hold only \
                if memory were no limit.",
        card: "mfu",
        value: |of| figure(of.answer.step.mfu, slower(of)),
    },
    Field {
        name: "step_time_s",
        kind: Kind::Figure,
        about: "Time of a whole optimizer step, in seconds.",
        card: "step",
        value: |of| figure(of.answer.step.time.get(), of.answer.time_band),
    },
    Field {
        name: "tokens_per_s_per_gpu",
        kind: Kind::Figure,
        about: "Tokens trained per second and GPU.",
        card: "tokens",
        value: |of| figure(of.answer.step.tokens_per_s_per_gpu, slower(of)),
    },
    Field {
        name: "limiter",
        kind: Kind::Word(limiters),
        about: "What limits the step.",
        card: "limiter",
        value: |of| words::limiter(of.answer.limiter).key.into(),
    },
    Field {
        name: "trained_on",
        kind: Kind::Text,
        about: "Data of the whole run, for which time and cost hold, in words.",
        card: "",
        value: |of| spaced(&of.scenario.length().to_string()).into(),
    },
    Field {
        name: "train_time_s",
        kind: Kind::MaybeNumber,
        about: "Time of the whole run with interruptions, in seconds; null if it never ends.",
        card: "time",
        value: |of| {
            let run = &of.answer.run;
            if run.finishes() { short(run.time.get()) } else { Value::Null }
        },
    },
    Field {
        name: "cost_usd",
        kind: Kind::MaybeNumber,
        about: "Price of the whole run, in US dollars; null if the price of the GPU is unknown or the run never ends.",
        card: "cost",
        value: |of| of.answer.dollars().map_or(Value::Null, short),
    },
    Field {
        name: "evidence",
        kind: Kind::Evidence,
        about: "How well published measurements support the figures. measured: a run at most one step away (a model of \
                up to twice the size, four times the GPUs) was measured, or a measurement of yours corrects it; \
                interpolated: the nearest measured run is at most four steps away; formula: none is near, so trust \
                the ranges rather than the figures.",
        card: "",
        value: |of| {
            let Evidence { step_time, memory, runs } = of.evidence;
            json!({
                "grade": of.evidence.grade().key(),
                "step_time": step_time.key(),
                "memory": memory.key(),
                "measured_runs": runs,
            })
        },
    },
    Field {
        name: "assumed",
        kind: Kind::Texts,
        about: "What was taken without being given. Tell the reader.",
        card: "",
        value: |of| of.said(true),
    },
    Field {
        name: "notes",
        kind: Kind::Texts,
        about: "How names were read, unusual values, and errors.",
        card: "",
        value: |of| of.said(false),
    },
    Field {
        name: "link",
        kind: Kind::Text,
        about: "The scenario: the fragment of the calculator's link, which every tool takes.",
        card: "",
        value: |of| links::encode(of.scenario).into(),
    },
];

/// Returns the small report of a scenario: verdict, odds, memory, speed and cost with their ranges,
/// the limiter, the grade of the evidence, assumptions and the link. Numbers have four significant
/// digits. `assumed` are assumptions beyond those among the issues, as sentences.
pub fn summary_json(scenario: &Scenario, report: &Report, issues: &[Issue], assumed: &[String]) -> Value {
    let (answer, evidence) = (Answer::new(scenario, report), evidence::grade(scenario));
    let source = Source { scenario, answer, evidence, issues, assumed };
    let fields = FIELDS.iter().map(|field| (field.name.to_owned(), (field.value)(&source)));
    Value::Object(fields.collect::<Map<_, _>>())
}

/// Returns the meaning of a field of the small report, and the key of the card that explains the
/// number (empty without one); `None` if there is no such field.
pub fn meaning(name: &str) -> Option<(&'static str, &'static str)> {
    FIELDS.iter().find(|field| field.name == name).map(|field| (field.about, field.card))
}

/// Names of the fields of the small report.
pub fn names() -> impl Iterator<Item = &'static str> {
    FIELDS.iter().map(|field| field.name)
}

impl Source<'_> {
    /// Returns the assumptions, or the other issues.
    fn said(&self, is_assumed: bool) -> Value {
        let is_of = |issue: &&Issue| (issue.cause == Cause::Assumed) == is_assumed;
        let issues = self.issues.iter().filter(is_of).map(|issue| match issue.severity {
            Severity::Error => format!("Error: {}", issue.text()),
            Severity::Note => issue.text(),
        });
        let others = self.assumed.iter().filter(|_| is_assumed).cloned();
        issues.chain(others).map(Value::String).collect()
    }
}

/// Returns the range of a speed: a longer step is slower, so the ends swap.
fn slower(of: &Source) -> Option<Band> {
    of.answer.time_band.map(|Band { low, high }| Band { low: 1.0 / high, high: 1.0 / low })
}

fn figure(value: f64, band: Option<Band>) -> Value {
    let end = |of: fn(Band) -> f64| band.map_or(Value::Null, |band| short(of(band) * value));
    json!({ "value": short(value), "low": end(|band| band.low), "high": end(|band| band.high) })
}

/// Rounds to four significant digits.
fn short(value: f64) -> Value {
    format!("{value:.3e}").parse::<f64>().map_or(Value::Null, Value::from)
}

fn verdicts() -> Vec<&'static str> {
    [Verdict::Fits, Verdict::Tight, Verdict::HostDoesNotFit, Verdict::DoesNotFit].map(Verdict::key).to_vec()
}

fn limiters() -> Vec<&'static str> {
    Limiter::ALL.map(|limiter| words::limiter(limiter).key).to_vec()
}

/// Returns the names of the grades.
pub(crate) fn grades() -> Vec<&'static str> {
    Grade::ALL.map(Grade::key).to_vec()
}

/// Describes the run in words: `Llama 3.1 8B, sequences of 8,192 tokens, 1 x 16 per GPU …`.
fn described(scenario: &Scenario) -> String {
    let size = || format::params(scenario.model.architecture().params() as f64);
    let model = match scenario.model {
        Model::Preset { id, .. } => catalog::model(id).map_or_else(|| id.to_owned(), |entry| entry.name.to_owned()),
        Model::Scaled { id, .. } => {
            format!("{} scaled to {}", catalog::model(id).map_or(id, |entry| entry.name), size())
        }
        Model::Ladder { .. } => format!("a GPT-style model of {}", size()),
        Model::Custom { .. } => format!("a custom model of {}", size()),
    };
    let gpu = catalog::accelerator(scenario.accelerator.id).map_or("custom GPU", |entry| entry.name);
    let plain = format!(
        "{model}, {} on {} x {gpu}, {}, {}, micro-batch {} x {} steps, {}",
        labels::chosen(ParamId::Method, scenario),
        scenario.gpus,
        labels::layout(scenario),
        format::value(Unit::Tokens, f64::from(scenario.seq_len)),
        scenario.micro_batch_size,
        scenario.grad_accum_steps,
        words::framework(scenario.framework)
    );
    spaced(&plain)
}

/// Returns a text with ordinary spaces.
fn spaced(text: &str) -> String {
    text.replace(['\u{2009}', '\u{a0}'], " ")
}
