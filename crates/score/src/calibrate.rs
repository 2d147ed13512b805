//! Fits the engine's constants (`data/fitted.toml`) to measured steps of all MFUs.

pub mod case;
pub mod constants;
pub mod fit;
