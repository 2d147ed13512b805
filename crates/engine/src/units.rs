//! Quantities with units: the only place where powers of 2 and of 10 appear.
//!
//! Each unit is a newtype over `f64` with named constructors and getters and only the operators
//! that mean something: `Bytes / BytesPerSecond = Seconds`, `Flops / FlopsPerSecond = Seconds`, a
//! quantity over its own kind is a ratio.

use core::iter::Sum;
use core::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub};

/// Bytes in one GiB.
const GIB: f64 = 1_073_741_824.0;
/// Seconds in a minute and in an hour; hours in a day.
const MINUTE: f64 = 60.0;
const HOUR: f64 = 3600.0;
const DAY: f64 = 24.0 * HOUR;
/// The decimal prefixes.
const KILO: f64 = 1e3;
const MEGA: f64 = 1e6;
const GIGA: f64 = 1e9;
const TERA: f64 = 1e12;
/// Bits in a byte.
const BITS: f64 = 8.0;

macro_rules! quantity {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
        pub struct $name(f64);

        impl $name {
            /// Zero.
            pub const ZERO: Self = Self(0.0);

            /// Creates a quantity from a number in the base unit.
            pub const fn new(value: f64) -> Self {
                Self(value)
            }

            /// Returns the number in the base unit.
            pub const fn get(self) -> f64 {
                self.0
            }

            /// Returns the larger of two quantities.
            #[must_use]
            pub fn max(self, other: Self) -> Self {
                if other.0 > self.0 { other } else { self }
            }

            /// Returns the smaller of two quantities.
            #[must_use]
            pub fn min(self, other: Self) -> Self {
                if other.0 < self.0 { other } else { self }
            }
        }

        impl Add for $name {
            type Output = Self;
            fn add(self, other: Self) -> Self {
                Self(self.0 + other.0)
            }
        }
        impl AddAssign for $name {
            fn add_assign(&mut self, other: Self) {
                self.0 += other.0;
            }
        }
        impl Sub for $name {
            type Output = Self;
            fn sub(self, other: Self) -> Self {
                Self(self.0 - other.0)
            }
        }
        impl Neg for $name {
            type Output = Self;
            fn neg(self) -> Self {
                Self(-self.0)
            }
        }
        impl Mul<f64> for $name {
            type Output = Self;
            fn mul(self, factor: f64) -> Self {
                Self(self.0 * factor)
            }
        }
        impl MulAssign<f64> for $name {
            fn mul_assign(&mut self, factor: f64) {
                self.0 *= factor;
            }
        }
        impl Mul<$name> for f64 {
            type Output = $name;
            fn mul(self, quantity: $name) -> $name {
                $name(self * quantity.0)
            }
        }
        impl Div<f64> for $name {
            type Output = Self;
            fn div(self, divisor: f64) -> Self {
                Self(self.0 / divisor)
            }
        }
        impl Div for $name {
            type Output = f64;
            fn div(self, other: Self) -> f64 {
                self.0 / other.0
            }
        }
        impl Sum for $name {
            fn sum<I: Iterator<Item = Self>>(quantities: I) -> Self {
                quantities.fold(Self::ZERO, Add::add)
            }
        }
    };
}

quantity!(
    /// A size in memory or on the wire.
    Bytes
);
quantity!(
    /// A rate of memory or of a link. Links are counted per GPU and per direction.
    BytesPerSecond
);
quantity!(
    /// A number of floating-point operations; a multiply-add counts as two.
    Flops
);
quantity!(
    /// A compute rate.
    FlopsPerSecond
);
quantity!(
    /// A time.
    Seconds
);
quantity!(
    /// An energy in joules.
    Joules
);
quantity!(
    /// A mass in grams.
    Grams
);
quantity!(
    /// An amount of money in US dollars.
    Dollars
);

impl Bytes {
    /// Creates a quantity from GiB (2³⁰ bytes), the unit of memory capacity.
    pub const fn from_gib(gib: f64) -> Self {
        Self(gib * GIB)
    }

    /// Returns the quantity in GiB (2³⁰ bytes).
    pub const fn gib(self) -> f64 {
        self.0 / GIB
    }

    /// Returns the quantity in GB (10⁹ bytes), the unit of published state sizes.
    pub const fn gb(self) -> f64 {
        self.0 / GIGA
    }

    /// Returns the quantity in TB (10¹² bytes), the unit of storage.
    pub const fn tb(self) -> f64 {
        self.0 / TERA
    }
}

impl BytesPerSecond {
    /// Creates a quantity from Gbit/s (10⁹ bits a second), the unit of network links.
    pub const fn from_gbit_per_s(gbit: f64) -> Self {
        Self(gbit * GIGA / BITS)
    }

    /// Returns the quantity in Gbit/s.
    pub const fn gbit_per_s(self) -> f64 {
        self.0 * BITS / GIGA
    }

    /// Creates a quantity from GB/s (10⁹ bytes a second), the unit of NVLink and of HBM.
    pub const fn from_gb_per_s(gb: f64) -> Self {
        Self(gb * GIGA)
    }

    /// Returns the quantity in GB/s.
    pub const fn gb_per_s(self) -> f64 {
        self.0 / GIGA
    }

    /// A link or memory that takes no time: the simplification behind the closed-form bounds.
    pub const UNLIMITED: Self = Self(f64::INFINITY);
}

impl FlopsPerSecond {
    /// Creates a quantity from TFLOP/s (10¹² operations a second), the unit of dense peaks.
    pub const fn from_tflops(tflops: f64) -> Self {
        Self(tflops * TERA)
    }

    /// Returns the quantity in TFLOP/s.
    pub const fn tflops(self) -> f64 {
        self.0 / TERA
    }
}

impl Seconds {
    /// Creates a quantity from microseconds, the unit of latencies.
    pub const fn from_us(us: f64) -> Self {
        Self(us / MEGA)
    }

    /// Returns the quantity in microseconds.
    pub const fn us(self) -> f64 {
        self.0 * MEGA
    }

    /// Creates a quantity from milliseconds.
    pub const fn from_ms(ms: f64) -> Self {
        Self(ms / KILO)
    }

    /// Returns the quantity in milliseconds.
    pub const fn ms(self) -> f64 {
        self.0 * KILO
    }

    /// Creates a quantity from minutes.
    pub const fn from_minutes(minutes: f64) -> Self {
        Self(minutes * MINUTE)
    }

    /// Returns the quantity in minutes.
    pub const fn minutes(self) -> f64 {
        self.0 / MINUTE
    }

    /// Creates a quantity from hours.
    pub const fn from_hours(hours: f64) -> Self {
        Self(hours * HOUR)
    }

    /// Returns the quantity in hours.
    pub const fn hours(self) -> f64 {
        self.0 / HOUR
    }

    /// Returns the quantity in days.
    pub const fn days(self) -> f64 {
        self.0 / DAY
    }
}

impl Joules {
    /// Returns the quantity in kWh, the unit of bills.
    pub const fn kwh(self) -> f64 {
        self.0 / (KILO * HOUR)
    }

    /// Returns the quantity in MWh.
    pub const fn mwh(self) -> f64 {
        self.0 / (MEGA * HOUR)
    }
}

impl Grams {
    /// Returns the quantity in metric tonnes.
    pub const fn tonnes(self) -> f64 {
        self.0 / MEGA
    }
}

impl Div<BytesPerSecond> for Bytes {
    type Output = Seconds;
    fn div(self, rate: BytesPerSecond) -> Seconds {
        Seconds(self.0 / rate.0)
    }
}

impl Div<FlopsPerSecond> for Flops {
    type Output = Seconds;
    fn div(self, rate: FlopsPerSecond) -> Seconds {
        Seconds(self.0 / rate.0)
    }
}

impl Div<Seconds> for Bytes {
    type Output = BytesPerSecond;
    fn div(self, time: Seconds) -> BytesPerSecond {
        BytesPerSecond(self.0 / time.0)
    }
}

impl Div<Seconds> for Flops {
    type Output = FlopsPerSecond;
    fn div(self, time: Seconds) -> FlopsPerSecond {
        FlopsPerSecond(self.0 / time.0)
    }
}

impl Mul<Seconds> for BytesPerSecond {
    type Output = Bytes;
    fn mul(self, time: Seconds) -> Bytes {
        Bytes(self.0 * time.0)
    }
}

impl Mul<Seconds> for FlopsPerSecond {
    type Output = Flops;
    fn mul(self, time: Seconds) -> Flops {
        Flops(self.0 * time.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_of_200_gbit_moves_25_gb_in_a_second() {
        let time = Bytes::new(25e9) / BytesPerSecond::from_gbit_per_s(200.0);
        assert_eq!(time.get(), 1.0);
    }

    #[test]
    fn gib_is_binary_and_gb_decimal() {
        assert_eq!(Bytes::from_gib(80.0).gb(), 85.899_345_92);
    }
}
