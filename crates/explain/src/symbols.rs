//! The names in formulas, with meaning and value.

mod bounds;
mod memory;
mod objective;
mod run;
pub(super) mod step;

use super::Context;
use engine::format;
use engine::params::Unit;
use engine::units::{Bytes, FlopsPerSecond, Seconds};

/// Format of a value. Values are in base units: bytes, seconds, FLOPs, fractions of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueFormat {
    /// A bare count or ratio.
    Count,
    /// A large count.
    Amount,
    /// Parameters.
    Params,
    /// Tokens.
    Tokens,
    /// Bytes.
    Bytes,
    /// A short time.
    Seconds,
    /// A long time.
    Duration,
    /// A fraction of one, in percent.
    Percent,
    /// FLOPs.
    Flops,
    /// FLOPs a second.
    FlopsPerSecond,
    /// Bytes a second.
    BytesPerSecond,
    /// Tokens a second.
    TokensPerSecond,
    /// US dollars.
    Dollars,
    /// kWh.
    Energy,
    /// Grams.
    Grams,
}

impl ValueFormat {
    /// Formats a value with its unit.
    pub fn written(self, value: f64) -> String {
        match self {
            Self::Count => format::count(value),
            Self::Amount => format::rising(value, 1e6, &["", "million", "billion", "trillion"]),
            Self::Params => format::params(value),
            Self::Tokens if value < 1e6 => format::value(Unit::Tokens, value),
            Self::Tokens => {
                format::rising(value, 1e6, &["tokens", "M\u{2009}tokens", "G\u{2009}tokens", "T\u{2009}tokens"])
            }
            Self::Bytes => format::bytes(Bytes::new(value)),
            Self::Seconds => format::seconds(Seconds::new(value)),
            Self::Duration => format::duration(Seconds::new(value)),
            Self::Percent => format::percent(value),
            Self::Flops => format::rising(value, 1e3, &["FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP", "PFLOP"]),
            Self::FlopsPerSecond => format::tflops(FlopsPerSecond::new(value)),
            Self::BytesPerSecond => format::rising(value, 1e3, &["B/s", "kB/s", "MB/s", "GB/s", "TB/s"]),
            Self::TokensPerSecond => format::tokens_per_s(value),
            Self::Dollars => String::from("$") + &Self::Amount.written(value),
            Self::Energy => format::rising(value / 1e3, 1e3, &["MWh", "GWh"]),
            Self::Grams => format::rising(value / 1e6, 1e6, &["t"]),
        }
    }
}

/// A name in formulas.
#[derive(Clone, Copy, Debug)]
pub struct Symbol {
    /// The name, as written in formulas.
    pub name: &'static str,
    /// Meaning of the name.
    pub meaning: &'static str,
    /// Format of the value.
    pub how: ValueFormat,
    /// Computes the value, in base units.
    pub value: fn(&Context) -> f64,
}

impl Symbol {
    /// Formats the value with its unit.
    pub fn written(&self, context: &Context) -> String {
        self.how.written((self.value)(context))
    }
}

/// Every symbol, by subject.
pub const SYMBOLS: &[&[Symbol]] =
    &[step::STEP, memory::PARTS, memory::FACTORS, run::RUN, bounds::BOUNDS, objective::OBJECTIVE];

/// Returns the symbol with this name.
pub fn symbol(name: &str) -> Option<&'static Symbol> {
    SYMBOLS.iter().copied().flatten().find(|symbol| symbol.name == name)
}

const fn new_symbol(name: &'static str, meaning: &'static str, how: ValueFormat, value: fn(&Context) -> f64) -> Symbol {
    Symbol { name, meaning, how, value }
}
