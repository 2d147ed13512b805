//! Finds the tensors that match a printed allocation size, most likely first.

use super::message::{Activity, Message, Source};
use super::size::Printed;
use super::tensors::{Dim, Grows, Tensor, batch};
use engine::model::report::MemoryPart;
use engine::model::setup::Setup;
use trace::allocator::asked_of_driver;

/// A tensor that matches the size.
#[derive(Clone, Debug)]
pub(super) struct Match {
    /// The tensor.
    pub tensor: Tensor,
    /// Dimensions, batch dimensions first.
    pub dims: Vec<Dim>,
    /// Size in bytes.
    pub bytes: f64,
    /// Whether the scenario's own batch gives the size.
    pub own_batch: bool,
    /// Penalty of the match: up to [`LIKELY`], the tensor explains the size.
    pub rank: f64,
}

/// Largest rank at which a tensor explains a size.
pub(super) const LIKELY: f64 = 1.6;
/// Maximum number of tensors returned.
const MOST: usize = 4;

/// Penalties: the program was doing something else; the scenario does not create the tensor.
const DOING_ELSE: f64 = 2.0;
const NOT_MADE: f64 = 0.75;
/// Bonuses: the program was doing what mainly allocates the tensor, or one of the other operations
/// that do.
const DOING_THIS: f64 = 0.75;
const DOING_SUCH: f64 = 0.25;
/// Penalty for a batch other than the scenario's.
const OTHER_BATCH: f64 = 1.0;
/// Weight of the probability that another batch matches the size by chance.
const CHANCE: f64 = 20.0;

/// Penalty for a batch far from the scenario's, and the range of token ratios that are not far.
const FAR: f64 = 0.5;
const LEAST_TIMES: f64 = 1.0 / 32.0;
const MOST_TIMES: f64 = 2.0;

/// A requested size and its context.
#[derive(Clone, Copy, Debug)]
pub(super) struct RequestedSize {
    /// Requested bytes, as printed.
    pub size: Printed,
    /// Whether PyTorch's allocator requested the size from the driver, which rounds the size up.
    pub rounds: bool,
    /// Operation that the program was executing.
    pub doing: Option<Activity>,
}

/// Granularity of large allocations in PyTorch's allocator, in bytes (`kRoundLarge`).
const GRAIN: f64 = 2_097_152.0;

impl RequestedSize {
    /// Returns whether a tensor of `bytes` bytes is printed as this size.
    fn fits(self, bytes: f64) -> bool {
        let near = |bytes: f64| (bytes - self.size.bytes).abs() <= self.size.within + 1.0;
        near(bytes) || self.rounds && near(asked_of_driver(bytes as u64) as f64)
    }

    /// Returns the smallest and the largest number of bytes that are printed as this size.
    fn range(self) -> (f64, f64) {
        let below = if self.rounds { GRAIN } else { 1.0 };
        (self.size.bytes - self.size.within - below, self.size.bytes + self.size.within)
    }
}

/// Returns the tensors of a setup that match the size in a message.
pub(super) fn matches(setup: &Setup, tensors: &[Tensor], message: &Message) -> Vec<Match> {
    let Some(size) = message.wanted else { return Vec::new() };
    fitting(setup, tensors, RequestedSize { size, rounds: message.source == Source::Allocator, doing: message.doing })
}

/// Returns the tensors of a setup that match a size.
pub(super) fn fitting(setup: &Setup, tensors: &[Tensor], asked: RequestedSize) -> Vec<Match> {
    if asked.size.bytes <= 0.0 {
        return Vec::new();
    }
    let mut found: Vec<Match> = Vec::new();
    for tensor in tensors {
        let Some(mut fit) = fit(setup, tensor, asked) else { continue };
        fit.rank += against(tensor, asked.doing);
        let same = |other: &&mut Match| {
            other.tensor.what == fit.tensor.what && other.dims == fit.dims && other.bytes == fit.bytes
        };
        match found.iter_mut().find(same) {
            Some(other) if other.rank <= fit.rank => {}
            Some(other) => *other = fit,
            None => found.push(fit),
        }
    }
    found.sort_by(|one, other| one.rank.total_cmp(&other.rank));
    if found.first().is_some_and(|first| first.rank <= LIKELY) {
        found.retain(|one| one.rank <= LIKELY);
    }
    found.truncate(MOST);
    found
}

/// Returns the memory parts that contain tensors of this size which are at least as likely as
/// `like`.
pub(super) fn parts(setup: &Setup, tensors: &[Tensor], asked: RequestedSize, like: &Match) -> Vec<MemoryPart> {
    let mut parts = vec![like.tensor.part];
    for tensor in tensors {
        let is_like = |fit: Match| fit.rank + against(tensor, asked.doing) <= like.rank && fit.dims == like.dims;
        if !parts.contains(&tensor.part) && fit(setup, tensor, asked).is_some_and(is_like) {
            parts.push(tensor.part);
        }
    }
    parts
}

fn against(tensor: &Tensor, doing: Option<Activity>) -> f64 {
    let made = if tensor.made { 0.0 } else { NOT_MADE };
    made + match doing {
        None => 0.0,
        Some(doing) if tensor.when.first() == Some(&doing) => -DOING_THIS,
        Some(doing) if tensor.when.contains(&doing) => -DOING_SUCH,
        Some(_) => DOING_ELSE,
    }
}

fn fit(setup: &Setup, tensor: &Tensor, asked: RequestedSize) -> Option<Match> {
    let each = tensor.bytes();
    if each <= 0.0 {
        return None;
    }
    let with = |mut dims: Vec<Dim>, bytes: f64, own_batch: bool, rank: f64| {
        dims.extend(tensor.dims.iter().copied());
        Match { tensor: tensor.clone(), dims, bytes, own_batch, rank }
    };
    let sequences = u64::from(setup.batch.micro_batch_size);
    let length = u64::from(setup.batch.seq_len);
    let own = each * batch(setup, tensor.grows);
    if asked.fits(own) {
        let dims = match tensor.grows {
            Grows::Not => Vec::new(),
            Grows::Tokens => vec![(batch(setup, Grows::Tokens) as u64, "tokens")],
            Grows::Square => squares(sequences, length),
        };
        return Some(with(dims, own, true, if tensor.grows == Grows::Not { 0.5 } else { 0.0 }));
    }
    match tensor.grows {
        Grows::Not => None,
        Grows::Tokens => {
            let (tokens, chance) = roundest(asked, each)?;
            let times = tokens as f64 / batch(setup, Grows::Tokens);
            let far = if (LEAST_TIMES..=MOST_TIMES).contains(&times) { 0.0 } else { FAR };
            let rank = OTHER_BATCH + (CHANCE * chance).min(1.0) + far;
            Some(with(vec![(tokens, "tokens")], each * tokens as f64, false, rank))
        }
        Grows::Square => {
            let (sequences, length, chance) = square(asked, each)?;
            let bytes = each * sequences as f64 * length as f64 * length as f64;
            Some(with(squares(sequences, length), bytes, false, OTHER_BATCH + (CHANCE * chance).min(1.0)))
        }
    }
}

fn squares(sequences: u64, length: u64) -> Vec<Dim> {
    let lengths = [(length, "tokens"), (length, "tokens")];
    let sequences = (sequences > 1).then_some((sequences, "sequences"));
    sequences.into_iter().chain(lengths).collect()
}

/// Maximum number of tokens in a micro-batch.
const MOST_TOKENS: f64 = 16_777_216.0;
/// Largest power of two that a number of tokens is expected to be a multiple of.
const ROUNDEST: u64 = 4096;

/// Returns the roundest number of tokens that, at `each` bytes per token, gives the size, and the
/// probability that a random size has a number of tokens as round.
fn roundest(asked: RequestedSize, each: f64) -> Option<(u64, f64)> {
    let (least, most) = asked.range();
    let (first, last) = ((least / each).floor() + 1.0, (most / each).floor());
    if last < first || first < 1.0 || last > MOST_TOKENS {
        return None;
    }
    let (first, last) = (first as u64, last as u64);
    let mut multiple = ROUNDEST;
    while multiple > 1 && last / multiple * multiple < first {
        multiple /= 2;
    }
    let tokens = last / multiple * multiple;
    let width = ((most - least) / each).max(f64::MIN_POSITIVE);
    // Requested sizes are multiples of 2 MiB. Dimensions that are powers of two match any of these
    // sizes; dimensions with a factor of 7 match one in seven.
    let divides = 1.0 / odd(each);
    (tokens > 0 && asked.fits(each * tokens as f64)).then(|| (tokens, (width / multiple as f64).max(divides)))
}

/// Returns the odd factor of a number of bytes.
fn odd(bytes: f64) -> f64 {
    let whole = bytes as u64;
    (whole >> whole.trailing_zeros().min(63)).max(1) as f64
}

/// Longest sequence that is tried for quadratic tensors, and the numbers of sequences.
const LONGEST: u64 = 262_144;
const SEQUENCES: [u64; 6] = [1, 2, 4, 8, 16, 32];
/// Granularity of sequence lengths.
const STEP: u64 = 256;

/// Returns the number of sequences and their length, a multiple of 256, for which the squared
/// length gives the size, with the fewest sequences; and the probability of a match by chance.
fn square(asked: RequestedSize, each: f64) -> Option<(u64, u64, f64)> {
    let (least, most) = asked.range();
    let of = |sequences: u64| {
        let exact = (asked.size.bytes / each / sequences as f64).sqrt();
        let length = (exact / STEP as f64).round() as u64 * STEP;
        let fits =
            length > 0 && length <= LONGEST && asked.fits(each * sequences as f64 * length as f64 * length as f64);
        // The relative range of lengths is half the relative range of sizes.
        let width = exact * (most - least) / asked.size.bytes / 2.0;
        fits.then_some((sequences, length, SEQUENCES.len() as f64 * width / STEP as f64))
    };
    SEQUENCES.into_iter().find_map(of)
}
