//! The physics, one file a section of the model's description. It knows no presets, no user text, no clock, no
//! randomness and no browser, and it computes with `+ - * / sqrt` only, so that every target gives the same bits.

pub mod bounds;
pub mod collectives;
pub mod compute;
pub mod flops;
pub mod hardware;
pub mod ladder;
pub mod memory;
pub mod parallel;
pub mod report;
pub mod run;
pub mod schedule;
pub mod setup;
pub mod software;
pub mod step;
pub mod timeline;
pub mod training;
pub mod transformer;
