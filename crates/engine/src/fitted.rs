//! Constants fitted to measured steps, from `data/fitted.toml`.

/// A fitted constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fitted {
    /// The constant's key, in capitals also the name of its value in this module.
    pub key: &'static str,
    /// Description of the constant.
    pub what: &'static str,
    /// The fitted value.
    pub value: f64,
    /// Physical bounds.
    pub between: (f64, f64),
    /// The expected value before fitting.
    pub expected: f64,
    /// Standard deviation of the expectation, as a share.
    pub width: f64,
    /// Source of the expectation; empty if it is only the previous value.
    pub because: &'static str,
    /// Measured steps that are sensitive to the constant: they change by more than 1 % if it
    /// changes by a quarter.
    pub rows: u32,
    /// Publications of those steps.
    pub sources: u32,
    /// Standard deviation from the curvature of the loss, as a share; 1 if the steps contain no
    /// information.
    pub deviation: f64,
    /// Median error in percent of the sensitive steps, each publication predicted by a fit to the
    /// others.
    pub held_out: f64,
}

/// A constant fitted by hand to measurements of one kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Separate {
    /// The constant's key, in capitals also the name of its value in this module.
    pub key: &'static str,
    /// Description of the constant.
    pub what: &'static str,
    /// The fitted value.
    pub value: f64,
    /// The measurements.
    pub fitted_to: &'static str,
}

include!(concat!(env!("OUT_DIR"), "/fitted.rs"));
