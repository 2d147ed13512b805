//! What operators and collectives cost: a time, and beside it the amount of work that takes this
//! time.
//!
//! Every formula stands once, generic over [`Cost`]. An evaluation asks for `Seconds` and computes
//! no amount; timelines and rooflines ask for [`WithAmount`] and get both from the same formula.

use crate::units::{Bytes, Flops, FlopsPerSecond, Seconds};
use core::ops::{Add, Div, Mul, Sub};

/// A cost that is counted: the time alone, or the time with its amount A.
pub trait Cost<A>: Copy + Default + Add<Output = Self> + Mul<f64, Output = Self> + Div<f64, Output = Self> {
    /// The cost of an amount that takes `time`; `amount` is called only where amounts are counted.
    fn new(time: Seconds, amount: impl FnOnce() -> A) -> Self;

    /// The same amount in `least` at least.
    #[must_use]
    fn at_least(self, least: Seconds) -> Self;

    /// A time in which nothing of A is done.
    fn waiting(time: Seconds) -> Self
    where
        A: Default,
    {
        Self::new(time, A::default)
    }
}

impl<A> Cost<A> for Seconds {
    fn new(time: Seconds, _: impl FnOnce() -> A) -> Self {
        time
    }

    fn at_least(self, least: Seconds) -> Self {
        self.max(least)
    }
}

/// A time and the amount that is done in it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WithAmount<A> {
    /// What is done.
    pub amount: A,
    /// How long it takes.
    pub time: Seconds,
}

/// The cost of an operator.
pub type OperatorCost = WithAmount<Operations>;
/// The cost of a collective.
pub type CollectiveCost = WithAmount<Traffic>;

impl<A: Copy + Default + Add<Output = A> + Mul<f64, Output = A>> Cost<A> for WithAmount<A> {
    fn new(time: Seconds, amount: impl FnOnce() -> A) -> Self {
        Self { amount: amount(), time }
    }

    fn at_least(self, least: Seconds) -> Self {
        Self { time: self.time.max(least), ..self }
    }
}

impl<A: Add<Output = A>> Add for WithAmount<A> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { amount: self.amount + other.amount, time: self.time + other.time }
    }
}

impl<A: Sub<Output = A>> Sub for WithAmount<A> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self { amount: self.amount - other.amount, time: self.time - other.time }
    }
}

impl<A: Mul<f64, Output = A>> Mul<f64> for WithAmount<A> {
    type Output = Self;
    fn mul(self, factor: f64) -> Self {
        Self { amount: self.amount * factor, time: self.time * factor }
    }
}

impl<A: Mul<f64, Output = A>> Div<f64> for WithAmount<A> {
    type Output = Self;
    fn div(self, divisor: f64) -> Self {
        Self { amount: self.amount * (1.0 / divisor), time: self.time / divisor }
    }
}

/// What an operator computes and streams.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Operations {
    /// FLOPs of its matrix products, padding and recomputation among them; 0 for element-wise work.
    pub flops: Flops,
    /// Bytes to and from the GPU's memory. A matrix product reads both of its matrices and writes
    /// the third once.
    pub bytes: Bytes,
}

impl Operations {
    /// Element-wise work, which reads and writes `bytes`.
    pub fn streaming(bytes: Bytes) -> Self {
        Self { flops: Flops::ZERO, bytes }
    }
}

impl Add for Operations {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { flops: self.flops + other.flops, bytes: self.bytes + other.bytes }
    }
}

impl Sub for Operations {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self { flops: self.flops - other.flops, bytes: self.bytes - other.bytes }
    }
}

impl Mul<f64> for Operations {
    type Output = Self;
    fn mul(self, factor: f64) -> Self {
        Self { flops: self.flops * factor, bytes: self.bytes * factor }
    }
}

impl OperatorCost {
    /// FLOPs for each byte.
    pub fn intensity(&self) -> f64 {
        self.amount.flops.get() / self.amount.bytes.get()
    }

    /// The rate of its FLOPs.
    pub fn rate(&self) -> FlopsPerSecond {
        FlopsPerSecond::new(self.amount.flops.get() / self.time.get())
    }
}

/// The kinds of collectives, by what nccl-tests counts on the bus of a buffer of S bytes among n
/// GPUs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CollectiveKind {
    /// Nothing moves.
    #[default]
    Nothing,
    /// All-gather or reduce-scatter: `(n-1)/n S`.
    Gather,
    /// All-reduce: `2 (n-1)/n S`.
    AllReduce,
    /// All-to-all: `(n-1)/n S`.
    AllToAll,
    /// Collectives of several kinds, one after the other, whose buffers have no sum.
    Several,
}

/// What a collective moves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Traffic {
    /// The kind.
    pub kind: CollectiveKind,
    /// The whole buffer, S in nccl-tests: `algbw = S / time`. No number to read where the kind is
    /// `Several`.
    pub size: Bytes,
    /// Bytes through the links of each GPU by nccl-tests' factors: `busbw = bus / time`.
    pub bus: Bytes,
    /// GPUs of the group, n.
    pub ranks: f64,
}

impl Traffic {
    /// The traffic of a collective over a buffer of `size` bytes among `ranks` GPUs.
    pub fn new(kind: CollectiveKind, size: Bytes, ranks: f64) -> Self {
        let passes = if kind == CollectiveKind::AllReduce { 2.0 } else { 1.0 };
        Self { kind, size, bus: size * (passes * (ranks - 1.0) / ranks), ranks }
    }
}

impl Add for Traffic {
    type Output = Self;
    /// One collective after the other. The sum counts among the GPUs of the first that moves
    /// anything.
    fn add(self, other: Self) -> Self {
        if self.kind == CollectiveKind::Nothing {
            return other;
        }
        if other.kind == CollectiveKind::Nothing {
            return self;
        }
        let kind = if self.kind == other.kind { self.kind } else { CollectiveKind::Several };
        Self { kind, size: self.size + other.size, bus: self.bus + other.bus, ranks: self.ranks }
    }
}

impl Mul<f64> for Traffic {
    type Output = Self;
    fn mul(self, factor: f64) -> Self {
        Self { size: self.size * factor, bus: self.bus * factor, ..self }
    }
}

/// What a span of a timeline does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Amount {
    /// The span computes.
    Operations(Operations),
    /// The span communicates.
    Traffic(Traffic),
}

impl Amount {
    /// Both together; `None` of compute and communication.
    pub fn plus(self, other: Self) -> Option<Self> {
        match (self, other) {
            (Self::Operations(one), Self::Operations(other)) => Some(Self::Operations(one + other)),
            (Self::Traffic(one), Self::Traffic(other)) => Some(Self::Traffic(one + other)),
            _ => None,
        }
    }
}
