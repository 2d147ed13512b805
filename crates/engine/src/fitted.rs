//! The constants that are fitted to measured steps, from `data/fitted.toml`.

/// A fitted constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fitted {
    /// Its key, in capitals the name of its value here.
    pub key: &'static str,
    /// What it is.
    pub what: &'static str,
    /// Its value.
    pub value: f64,
    /// Physical bounds.
    pub between: (f64, f64),
    /// What it is expected to be before the steps are seen.
    pub expected: f64,
    /// How far it may be from that, as a share: one standard deviation.
    pub width: f64,
    /// What says so; empty where nothing but its earlier value does.
    pub because: &'static str,
    /// Measured steps that see it: that move by more than 1 % where it moves by a quarter.
    pub rows: u32,
    /// Publications that they are of.
    pub sources: u32,
    /// Its standard deviation by the curvature of the loss, as a share; 1 where the steps say
    /// nothing.
    pub deviation: f64,
    /// Median error in percent of the steps that see it, each publication predicted by a fit to the
    /// others.
    pub held_out: f64,
}

include!(concat!(env!("OUT_DIR"), "/fitted.rs"));
