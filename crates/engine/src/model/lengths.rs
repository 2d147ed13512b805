//! Texts of varying length, and the batches made of them.

use super::training::{Batch, Sharding};

/// The way in which batches are made of texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Batching {
    /// Full sequences of concatenated documents.
    Full,
    /// Several texts share a sequence, and each attends only to itself (`packing`).
    Packed,
    /// The texts of a micro-batch stand end to end, without padding (`padding_free`).
    PaddingFree,
    /// One text per sequence, padded to the longest text of the micro-batch.
    Padded,
    /// One text per sequence, padded to the sequence length.
    PaddedToLongest,
    /// One text per sequence, padded, in batches of texts of similar length (`group_by_length`).
    Grouped,
}

/// Lengths of the sequences of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Lengths {
    /// All sequences have [`Batch::seq_len`] tokens.
    Equal,
    /// Sequences consist of texts, and [`Batch::seq_len`] is a sequence's average length including
    /// padding.
    OfTexts {
        /// Tokens of the longest sequence: its micro-batch is the one that has to fit.
        longest: u32,
        /// Mean tokens of a text.
        mean: f64,
        /// Mean number of texts in a sequence.
        texts: f64,
        /// Tokens that attention counts, `E[l²] / E[l]` over the sequences' lengths l.
        attended: f64,
        /// Share of the tokens that are not padding.
        useful: f64,
        /// The sequences of micro-batches have `longest u^spread` tokens, with u uniform from 0 to
        /// 1; 0 if all are equally long.
        spread: f64,
    },
    /// The longest micro-batch of sequences of varying length, which has to fit: the sequences have
    /// [`Batch::seq_len`] `u^spread` tokens.
    LongestOf {
        /// The spread of [`Lengths::OfTexts`], above 0.
        spread: f64,
    },
}

impl Lengths {
    /// Returns the spread of the sequences' lengths: micro-batches have sequences of `longest
    /// u^spread` tokens, with u uniform from 0 to 1.
    pub const fn spread(self) -> f64 {
        match self {
            Self::Equal => 0.0,
            Self::OfTexts { spread, .. } | Self::LongestOf { spread } => spread,
        }
    }
}

/// The golden ratio; the fractional parts of its multiples are evenly spread for any count.
const GOLDEN_RATIO: f64 = 1.618_033_988_749_895;

/// Returns the lengths of `count` sequences as fractions of the longest, which comes last. The
/// fractional parts of the golden ratio's multiples replace random numbers, as every prefix of them
/// is evenly spread.
///
/// ```
/// # use engine::model::lengths::typical;
/// let lengths: Vec<f64> = typical(1.0, 4).collect();
/// assert!((lengths[0] - 0.618).abs() < 1e-3 && (lengths[1] - 0.236).abs() < 1e-3 && lengths[3] == 1.0);
/// ```
pub fn typical(spread: f64, count: u32) -> impl Iterator<Item = f64> {
    let fraction = |index: u32| (f64::from(index) * GOLDEN_RATIO).fract();
    (1..=count).map(move |index| if index == count { 1.0 } else { fraction(index).powf(spread) })
}

/// Texts of at most `longest` tokens and `mean` on average, whose lengths are assumed to be
/// `longest u^a` with u uniform from 0 to 1 and `a = longest / mean - 1`: many short and few long
/// texts, as in conversation and instruction data.
///
/// Then `E[l] = longest / (1 + a)`, `E[l²] = longest² / (1 + 2 a)`, and the longest of n texts has
/// `longest n / (n + a)` tokens on average, its square `longest² n / (n + 2 a)`, as the largest of
/// n uniform numbers has the density `n u^(n - 1)`.
///
/// ```
/// # use engine::model::lengths::Texts;
/// let texts = Texts::new(512.0, 2048);
/// assert_eq!(texts.longest_of(1.0), 512.0);
/// // Of 5 texts the longest has 5/8 of the most.
/// assert_eq!(texts.longest_of(5.0), 1280.0);
/// assert_eq!(Texts::new(9000.0, 2048).longest_of(1.0), 2048.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Texts {
    longest: f64,
    exponent: f64,
}

impl Texts {
    /// Returns texts with a mean of `mean` tokens, truncated to `longest`.
    pub fn new(mean: f64, longest: u32) -> Self {
        let longest = f64::from(longest.max(1));
        let mean = if mean < longest { mean } else { longest };
        Self { longest, exponent: longest / if mean > 1.0 { mean } else { 1.0 } - 1.0 }
    }

    /// Returns the mean length of the longest of n texts.
    pub fn longest_of(&self, n: f64) -> f64 {
        self.longest * n / (n + self.exponent)
    }

    /// Returns the mean square of the longest of n texts over its mean, the keys that attention
    /// counts.
    pub fn attended_of(&self, n: f64) -> f64 {
        self.longest * (n + self.exponent) / (n + 2.0 * self.exponent)
    }
}

/// Returns the sequence length for compute times, and the lengths, of a step whose micro-batches on
/// `replicas` data-parallel GPUs are made by `batching`. Under FSDP every layer's collectives wait
/// for the GPU with the longest sequence; otherwise only the end of the step synchronises, when m
/// micro-batches have averaged out to within `1/sqrt(m)`.
pub fn lengths_from_texts(
    batching: Batching,
    texts: Texts,
    batch: &Batch,
    sharding: Sharding,
    replicas: u32,
) -> (u32, Lengths) {
    let longest = batch.seq_len;
    let mean = texts.longest_of(1.0);
    let (tokens, attended, useful, spread) = match batching {
        Batching::Full => return (longest, Lengths::Equal),
        Batching::Packed => (texts.longest, texts.attended_of(1.0), 1.0, 0.0),
        Batching::PaddedToLongest => (texts.longest, texts.longest, mean / texts.longest, 0.0),
        Batching::Grouped => (mean, texts.attended_of(1.0), 1.0, texts.exponent),
        Batching::Padded | Batching::PaddingFree => {
            let own = f64::from(batch.micro_batch_size.max(1));
            let replicas = f64::from(replicas.max(1));
            let (alone, waited, own_attended) = if batching == Batching::Padded {
                (texts.longest_of(own), texts.longest_of(own * replicas), own)
            } else {
                // The sum of m texts varies by 1/sqrt(m) of one text.
                (mean, mean + (texts.longest_of(replicas) - mean) / own.sqrt(), 1.0)
            };
            let tokens = match sharding {
                Sharding::Fsdp(_) => waited,
                Sharding::Ddp | Sharding::Zero1 | Sharding::Zero2 => {
                    alone + (waited - alone) / f64::from(batch.grad_accum_steps.max(1)).sqrt()
                }
            };
            // The largest of n uniform numbers is distributed like one to the power of 1/n.
            (tokens, texts.attended_of(own_attended), mean / tokens, texts.exponent / own)
        }
    };
    let texts = if batching == Batching::Packed { texts.longest / mean } else { 1.0 };
    // Whole tokens, at least one.
    let seq_len = (tokens.round() as u32).max(1);
    (seq_len, Lengths::OfTexts { longest, mean, texts, attended, useful, spread })
}
