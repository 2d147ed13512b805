//! The data: full sequences, or a list of texts.

use super::{AxisUse, Group, Kind, Number, PERCENT, Param, Scale, Unit, choice, never, number, option, position};
use crate::model::lengths::Batching;
use crate::scenario::Scenario;

fn with_texts(scenario: &Scenario) -> bool {
    scenario.has_texts()
}

picked!(
    /// The way in which batches are made.
    BATCHING, Data, texts.batching, "texts", "Sequences", "sequences", [],
    "What the sequences are made of: full ones, or a list of texts. The longest batch decides whether the run fits, the mean how long it \
     takes.",
    Batching::Full => "full", "Full", "Every sequence has the sequence length: documents are concatenated, as in pretraining.";
    Batching::Packed => "packed", "Texts, packed", "Several texts share a sequence, and each attends to itself alone (packing, padding-free).";
    Batching::Padded => "padded", "Texts, padded to the longest in a batch", "A text a sequence; short ones are padded to the longest of their micro-batch.";
    Batching::PaddedToLongest => "padmax", "Texts, padded to the sequence length", "A text a sequence, all as long as the longest may be (padding=max_length).";
    Batching::Grouped => "grouped", "Texts, grouped by length", "Texts of similar length share a batch (group_by_length): next to no padding.";
);

/// Mean length of the texts.
pub(in crate::params) const MEAN_LENGTH: Param = Param {
    key: "meanlen",
    label: "Mean text length",
    csv: "mean_text_tokens",
    group: Group::Data,
    help: "Tokens of a text on average. The sequence length is that of the longest.",
    kind: number(
        Unit::Tokens,
        (1.0, 1_048_576.0),
        Scale::Log,
        |scenario| scenario.texts.mean_length,
        |scenario, value| scenario.texts.mean_length = value,
    ),
    ..Param::DEFAULT
}
.window(32.0, 32_768.0)
.when(with_texts)
.relevant(with_texts);

/// Creates a row about the whole run.
const fn row(key: &'static str, label: &'static str, csv: &'static str, help: &'static str, number: Number) -> Param {
    Param {
        key,
        label,
        csv,
        group: Group::Data,
        help,
        kind: Kind::Number(number),
        knob: Some(never),
        axis: AxisUse::OfCost,
        ..Param::DEFAULT
    }
    .when(with_texts)
    .relevant(with_texts)
}

/// Number of texts.
pub(in crate::params) const SAMPLES: Param = row(
    "samples",
    "Texts",
    "samples",
    "Samples, such as conversations, in the data set.",
    Number {
        unit: Unit::None,
        min: 10.0,
        max: 1e9,
        scale: Scale::Log,
        integer: false,
        bounds: None,
        get: |scenario| scenario.texts.samples,
        set: |scenario, value| scenario.texts.samples = value,
    },
)
.window(1e3, 1e8);

/// Number of epochs.
pub(in crate::params) const EPOCHS: Param = row(
    "epochs",
    "Epochs",
    "epochs",
    "How often each text is seen.",
    Number {
        unit: Unit::None,
        min: 0.01,
        max: 1000.0,
        scale: Scale::Log,
        integer: false,
        bounds: None,
        get: |scenario| scenario.texts.epochs,
        set: |scenario, value| scenario.texts.epochs = value,
    },
)
.window(1.0, 10.0);

/// Share of tokens with a loss.
pub(in crate::params) const LOSS_SHARE: Param = row(
    "losstokens",
    "Tokens in the loss",
    "loss_tokens_percent",
    "Share of the tokens that the loss counts: with loss on completions only, that of the completions. Prompts are computed all the same.",
    Number {
        unit: Unit::Percent,
        min: 1.0,
        max: 100.0,
        scale: Scale::Linear,
        integer: false,
        bounds: None,
        get: |scenario| scenario.texts.loss_share * PERCENT,
        set: |scenario, value| scenario.texts.loss_share = value / PERCENT,
    },
)
.axis(AxisUse::Never);
