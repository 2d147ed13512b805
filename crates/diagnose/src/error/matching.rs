//! Which tensors an allocation of a printed size fits, the likeliest first.

use super::message::{Doing, Message, Source};
use super::size::Printed;
use super::tensors::{Dim, Grows, Tensor, batch};
use engine::model::report::MemoryPart;
use engine::model::setup::Setup;
use trace::allocator::asked_of_driver;

/// A tensor that has the size.
#[derive(Clone, Debug)]
pub(super) struct Match {
    /// The tensor.
    pub tensor: Tensor,
    /// Its dimensions, those of the batch first.
    pub dims: Vec<Dim>,
    /// Its bytes.
    pub bytes: f64,
    /// Whether the scenario's own batch gives the size.
    pub own_batch: bool,
    /// How unlikely it is: below [`LIKELY`] it explains the size.
    pub rank: f64,
}

/// Rank up to which a tensor explains a size.
pub(super) const LIKELY: f64 = 1.6;
/// Most tensors that are named.
const MOST: usize = 4;

/// What rules against a tensor: that the program did something else, and that the scenario makes
/// none.
const DOING_ELSE: f64 = 2.0;
const NOT_MADE: f64 = 0.75;
/// What speaks for one: that the program did what asks for it, first of all or among other things.
const DOING_THIS: f64 = 0.75;
const DOING_SUCH: f64 = 0.25;
/// Another batch than the scenario's.
const OTHER_BATCH: f64 = 1.0;
/// By how much a size that another batch fits by chance counts.
const CHANCE: f64 = 20.0;

/// What rules against a batch far from the scenario's, and by how many times it may differ.
const FAR: f64 = 0.5;
const LEAST_TIMES: f64 = 1.0 / 32.0;
const MOST_TIMES: f64 = 2.0;

/// A size asked for, and by whom.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    /// How many bytes.
    pub size: Printed,
    /// Whether PyTorch's allocator asked the driver, which rounds up.
    pub rounds: bool,
    /// What the program was doing.
    pub doing: Option<Doing>,
}

/// What PyTorch's allocator rounds up to, in bytes (`kRoundLarge`).
const GRAIN: f64 = 2_097_152.0;

impl Asked {
    /// Whether a tensor of so many bytes is printed like this.
    fn fits(self, bytes: f64) -> bool {
        let near = |bytes: f64| (bytes - self.size.bytes).abs() <= self.size.within + 1.0;
        near(bytes) || self.rounds && near(asked_of_driver(bytes as u64) as f64)
    }

    /// The least and the most bytes that are printed like this.
    fn range(self) -> (f64, f64) {
        let below = if self.rounds { GRAIN } else { 1.0 };
        (self.size.bytes - self.size.within - below, self.size.bytes + self.size.within)
    }
}

/// The tensors of a setup that fit the size a message asks for.
pub(super) fn matches(setup: &Setup, tensors: &[Tensor], message: &Message) -> Vec<Match> {
    let Some(size) = message.wanted else { return Vec::new() };
    fitting(setup, tensors, Asked { size, rounds: message.source == Source::Allocator, doing: message.doing })
}

/// The tensors of a setup that fit a size.
pub(super) fn fitting(setup: &Setup, tensors: &[Tensor], asked: Asked) -> Vec<Match> {
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

/// The parts of memory in which tensors of a size stand, of those as likely as this.
pub(super) fn parts(setup: &Setup, tensors: &[Tensor], asked: Asked, like: &Match) -> Vec<MemoryPart> {
    let mut parts = vec![like.tensor.part];
    for tensor in tensors {
        let is_like = |fit: Match| fit.rank + against(tensor, asked.doing) <= like.rank && fit.dims == like.dims;
        if !parts.contains(&tensor.part) && fit(setup, tensor, asked).is_some_and(is_like) {
            parts.push(tensor.part);
        }
    }
    parts
}

fn against(tensor: &Tensor, doing: Option<Doing>) -> f64 {
    let made = if tensor.made { 0.0 } else { NOT_MADE };
    made + match doing {
        None => 0.0,
        Some(doing) if tensor.when.first() == Some(&doing) => -DOING_THIS,
        Some(doing) if tensor.when.contains(&doing) => -DOING_SUCH,
        Some(_) => DOING_ELSE,
    }
}

fn fit(setup: &Setup, tensor: &Tensor, asked: Asked) -> Option<Match> {
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

/// Most tokens of a micro-batch.
const MOST_TOKENS: f64 = 16_777_216.0;
/// The largest power of two that a number of tokens is expected to be a multiple of.
const ROUNDEST: u64 = 4096;

/// The roundest number of tokens with which so many bytes each give the size, and the chance that a
/// size picked blindly would have one as round.
fn roundest(asked: Asked, each: f64) -> Option<(u64, f64)> {
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
    // What is asked for is a multiple of 2 MiB: dimensions that are powers of two fit any, those
    // with a factor of 7 one in seven.
    let divides = 1.0 / odd(each);
    (tokens > 0 && asked.fits(each * tokens as f64)).then(|| (tokens, (width / multiple as f64).max(divides)))
}

/// The odd factor of a number of bytes.
fn odd(bytes: f64) -> f64 {
    let whole = bytes as u64;
    (whole >> whole.trailing_zeros().min(63)).max(1) as f64
}

/// Longest sequence whose square is tried, and the numbers of sequences.
const LONGEST: u64 = 262_144;
const SEQUENCES: [u64; 6] = [1, 2, 4, 8, 16, 32];
/// What lengths are multiples of.
const STEP: u64 = 256;

/// Sequences and their length, a multiple of 256, whose squares give the size, the fewest sequences
/// first; and the chance that some would.
fn square(asked: Asked, each: f64) -> Option<(u64, u64, f64)> {
    let (least, most) = asked.range();
    let of = |sequences: u64| {
        let exact = (asked.size.bytes / each / sequences as f64).sqrt();
        let length = (exact / STEP as f64).round() as u64 * STEP;
        let fits =
            length > 0 && length <= LONGEST && asked.fits(each * sequences as f64 * length as f64 * length as f64);
        // A relative range of sizes is half as much of lengths.
        let width = exact * (most - least) / asked.size.bytes / 2.0;
        fits.then_some((sequences, length, SEQUENCES.len() as f64 * width / STEP as f64))
    };
    SEQUENCES.into_iter().find_map(of)
}
