//! Costs of operators and collectives: a time, and optionally the amount of work done in that time.
//!
//! Every formula is written once, generic over [`Cost`]. An evaluation instantiates it with
//! `Seconds` and computes no amounts; timelines and rooflines use [`WithAmount`] and get time and
//! amount from the same formula.

use crate::units::{Bytes, Flops, FlopsPerSecond, Seconds};
use core::ops::{Add, Div, Mul, Sub};

/// A type of cost: the time alone, or the time with its amount A.
pub trait Cost<A>: Copy + Default + Add<Output = Self> + Mul<f64, Output = Self> + Div<f64, Output = Self> {
    /// Returns the cost of an amount that takes `time`; `amount` is called only by types that count
    /// amounts.
    fn new(time: Seconds, amount: impl FnOnce() -> A) -> Self;

    /// Returns the cost with a time of at least `least` and an unchanged amount.
    #[must_use]
    fn at_least(self, least: Seconds) -> Self;

    /// Returns the cost of idle time, with the default amount.
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

/// A time and the amount of work done in it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WithAmount<A> {
    /// The amount of work.
    pub amount: A,
    /// The time.
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

/// FLOPs and memory traffic of an operator.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Operations {
    /// FLOPs of matrix products, including padding and recomputation; 0 for element-wise work.
    pub flops: Flops,
    /// Bytes read from and written to the GPU's memory. A matrix product reads both of its operands
    /// and writes its result once.
    pub bytes: Bytes,
}

impl Operations {
    /// Returns element-wise work, which reads and writes `bytes`.
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
    /// Returns the arithmetic intensity, in FLOPs per byte.
    pub fn intensity(&self) -> f64 {
        self.amount.flops.get() / self.amount.bytes.get()
    }

    /// Returns the rate of the FLOPs.
    pub fn rate(&self) -> FlopsPerSecond {
        FlopsPerSecond::new(self.amount.flops.get() / self.time.get())
    }
}

/// Kinds of collectives, with the bus traffic that nccl-tests counts for a buffer of S bytes among
/// n GPUs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CollectiveKind {
    /// No traffic.
    #[default]
    Nothing,
    /// All-gather or reduce-scatter: `(n-1)/n S`.
    Gather,
    /// All-reduce: `2 (n-1)/n S`.
    AllReduce,
    /// All-to-all: `(n-1)/n S`.
    AllToAll,
    /// A sequence of collectives of several kinds, whose buffer sizes have no meaningful sum.
    Several,
}

/// Traffic of a collective.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Traffic {
    /// The kind.
    pub kind: CollectiveKind,
    /// The whole buffer, S in nccl-tests: `algbw = S / time`. Not meaningful for the kind
    /// `Several`.
    pub size: Bytes,
    /// Bytes through the links of each GPU, by nccl-tests' factors: `busbw = bus / time`.
    pub bus: Bytes,
    /// GPUs of the group, n.
    pub ranks: f64,
}

impl Traffic {
    /// Returns the traffic of a collective over a buffer of `size` bytes among `ranks` GPUs.
    pub fn new(kind: CollectiveKind, size: Bytes, ranks: f64) -> Self {
        let passes = if kind == CollectiveKind::AllReduce { 2.0 } else { 1.0 };
        Self { kind, size, bus: size * (passes * (ranks - 1.0) / ranks), ranks }
    }
}

impl Add for Traffic {
    type Output = Self;
    /// Adds collectives that run in sequence. The sum has the ranks of the first collective with
    /// traffic.
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

/// Work of a span of a timeline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Amount {
    /// The span is compute.
    Operations(Operations),
    /// The span is communication.
    Traffic(Traffic),
}

impl Amount {
    /// Returns the sum of two amounts; `None` for compute plus communication.
    pub fn plus(self, other: Self) -> Option<Self> {
        match (self, other) {
            (Self::Operations(one), Self::Operations(other)) => Some(Self::Operations(one + other)),
            (Self::Traffic(one), Self::Traffic(other)) => Some(Self::Traffic(one + other)),
            _ => None,
        }
    }
}
