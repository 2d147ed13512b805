//! Explains an out-of-memory message: the tensor that was requested, the part of the memory bar,
//! and changes that avoid the error.
//!
//! PyTorch's messages print the size that its allocator requested from the driver: the bytes of one
//! tensor, rounded up to 2 MiB (`get_allocation_size` in `c10/cuda/CUDACachingAllocator.cpp`), to
//! two decimals. The tensors of the scenario's step are listed with their shapes, and tensors that
//! would print as the reported size are named. Tensors of another batch size are named too, if that
//! batch has a round number of tokens.

mod changes;
mod matching;
mod message;
mod other;
mod remarks;
mod size;
mod sizes;
mod tensors;

pub use changes::bytes;
pub(crate) use changes::removals;
pub use changes::{Removal, differences};
pub(crate) use message::doing_in;
pub use message::{Activity, Device, Message, Source, Told};
pub use other::other;
pub use size::Printed;
pub(crate) use size::size_at;
pub(crate) use sizes::{Fit, Sizes};

use engine::model::hardware::Generation;
use engine::model::report::{MemoryPart, Report};
use engine::names;
use engine::params::quantity::group_thousands;
use engine::scenario::Scenario;
use matching::{LIKELY, Match};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use tensors::Dim;

/// Maximum length of the text in bytes. Logs of many ranks have a few hundred thousand bytes.
pub const MOST_BYTES: usize = 64 << 20;

/// A tensor that the message may mean.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// Description of the tensor: `logits, in fp32`.
    pub tensor: Cow<'static, str>,
    /// Size written as a product: `8,192 tokens × 256,000 entries of the vocabulary × 4 bytes`.
    pub formula: String,
    /// Size in bytes.
    pub bytes: f64,
    /// Key of the part of the memory bar that contains the tensor.
    pub part: Cow<'static, str>,
    /// Name of that part on the page.
    pub part_name: Cow<'static, str>,
    /// Whether the scenario's own batch gives the printed size; otherwise the formula shows the
    /// batch that does.
    pub exact: bool,
    /// Whether the tensor is a likely explanation; otherwise only its size matches.
    pub likely: bool,
}

/// Explanation of a message for a scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Explained {
    /// The parsed message.
    pub message: Message,
    /// The finding, as a sentence.
    pub sentence: String,
    /// Tensors of the requested size, most likely first.
    pub candidates: Vec<Candidate>,
    /// Question about the GPU model, if the capacity in the message does not match the scenario's
    /// GPU.
    pub other_gpu: Option<String>,
    /// Further remarks about the message.
    pub remarks: Vec<String>,
    /// Changes that shrink the part that contains the most likely tensor, or the largest part if no
    /// tensor is likely. Changes with the least effort come first.
    pub changes: Vec<Removal>,
}

impl Explained {
    /// Returns whether the explanation depends on the model and the GPU; false if other memory,
    /// such as the host's, ran out.
    pub fn is_of_gpu(&self) -> bool {
        matches!(self.message.source, Source::Allocator | Source::Recorded | Source::Xla | Source::XlaCompiler)
    }

    /// Returns whether the message is explained, by a tensor or by another cause.
    pub fn is_explained(&self) -> bool {
        let other = !matches!(self.message.source, Source::Allocator | Source::Recorded | Source::Xla | Source::Driver);
        let is_told = remarks::is_generic(&self.message) || remarks::was_not_full(&self.message).is_some();
        other || is_told || self.candidates.first().is_some_and(|first| first.likely)
    }
}

/// Explains the first out-of-memory message in a text for a scenario.
///
/// ```
/// use links::decode;
/// use diagnose::error::explain;
///
/// let scenario = decode("model=gemma-2-9b&seq=8192").scenario;
/// let text = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 7.81 GiB. GPU 0 has a total capacity of 79.15 GiB";
/// let first = &explain(text, &scenario).unwrap().candidates[0];
/// assert_eq!(first.formula, "8,192 tokens × 256,000 entries of the vocabulary × 4 bytes");
/// assert_eq!((first.tensor.as_ref(), first.part.as_ref(), first.exact), ("logits, in fp32", "logits", true));
/// ```
///
/// # Errors
///
/// Returns a sentence if the text is empty, too long, or has no such message.
pub fn explain(text: &str, scenario: &Scenario) -> Result<Explained, String> {
    if text.trim().is_empty() {
        return Err("The input is empty: paste the message of an out-of-memory error, with the lines before it.".into());
    }
    if text.len() > MOST_BYTES {
        return Err("This text is longer than 64 MiB: paste only the message and the lines before it.".into());
    }
    let Some(message) = message::parse_message(text) else {
        return Err(
            "This text has no out-of-memory message. PyTorch's begins with “CUDA out of memory. Tried to allocate”."
                .into(),
        );
    };
    Ok(explained(message, scenario))
}

/// Explains a message that was parsed from a log or a snapshot.
pub(crate) fn explained(message: Message, scenario: &Scenario) -> Explained {
    let (setup, report) = (scenario.setup(), scenario.report());
    let not_full = remarks::was_not_full(&message);
    let generic = remarks::is_generic(&message) || not_full.is_some();
    let on_gpu = matches!(message.source, Source::Allocator | Source::Recorded | Source::Xla);
    let found =
        if generic || !on_gpu { Vec::new() } else { matching::matches(&setup, &tensors::tensors(&setup), &message) };
    let generation = report.generation;
    let candidates: Vec<Candidate> = found.iter().map(|of| candidate(of, generation)).collect();
    let likely = found.first().filter(|first| first.rank <= LIKELY);
    let is_full = on_gpu && not_full.is_none();
    let part = likely.map(|first| first.tensor.part).or_else(|| is_full.then(|| largest(&report)));
    let changes = part.map(|part| removals(scenario, &report, part)).unwrap_or_default();
    let remarks = remarks::remarks(scenario, &report, &message);
    let other_gpu = remarks::other_gpu(&report, &message);
    let without_tensor = not_full.or_else(|| remarks::without_tensor(&message));
    let sentence = without_tensor.unwrap_or_else(|| sentence(&message, &candidates, likely.is_some()));
    Explained { message, sentence, candidates, other_gpu, remarks, changes }
}

fn candidate(of: &Match, generation: Generation) -> Candidate {
    let part = of.tensor.part;
    Candidate {
        tensor: of.tensor.what.into(),
        formula: formula(&of.dims, of.tensor.width, of.tensor.over),
        bytes: of.bytes,
        part: names::part(part).key.into(),
        part_name: names::part_on(part, generation).name.into(),
        exact: of.own_batch,
        likely: of.rank <= LIKELY,
    }
}

/// Returns the largest part that depends on the settings of the run.
fn largest(report: &Report) -> MemoryPart {
    let settable = |part: &(MemoryPart, _)| !matches!(part.0, MemoryPart::Context | MemoryPart::Fragmentation);
    let parts = report.memory.parts.iter().filter(settable);
    parts.max_by(|one, other| one.1.get().total_cmp(&other.1.get())).map_or(MemoryPart::Activations, |(part, _)| part)
}

fn sentence(message: &Message, candidates: &[Candidate], likely: bool) -> String {
    let Some(wanted) = message.wanted else {
        return "The message does not have the requested size.".into();
    };
    let size = bytes(wanted.bytes);
    if remarks::is_generic(message) {
        return format!("{size} is a request for any small tensor: the GPU was already full.");
    }
    match candidates.first() {
        Some(first) if likely && first.exact => format!("{size} = {}: {}.", first.formula, first.tensor),
        Some(first) if likely => {
            format!("{size} = {}: {}, in a batch other than the scenario's.", first.formula, first.tensor)
        }
        Some(first) => {
            format!("{size} is not explained. {} would have this size: {}.", capital(&first.tensor), first.formula)
        }
        None => format!("{size} is not explained: no tensor of the scenario has that size."),
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// Writes a size as the product of its dimensions.
fn formula(dims: &[Dim], width: f64, over: u64) -> String {
    let count = |(count, of): &Dim| format!("{} {of}", group_thousands(&count.to_string()));
    let mut factors: Vec<String> = dims.iter().map(count).collect();
    let bytes = if width == 1.0 { "1 byte".into() } else { format!("{width} bytes") };
    if !(width == 1.0 && dims.iter().any(|(_, of)| *of == "bytes")) {
        factors.push(bytes);
    }
    let product = factors.join(" × ");
    if over > 1 { format!("{product} / {} GPUs", group_thousands(&over.to_string())) } else { product }
}
