//! The step model, one file per section of the model's description. It depends on no presets, user
//! text, clock, randomness or browser, and computes with `+ - * / sqrt` only, so that every target
//! gives the same bits.

pub mod adapters;
pub mod anchor;
pub mod bounds;
pub mod choices;
pub mod collectives;
pub mod comm;
pub mod compute;
pub mod cost;
pub mod expert_choice;
pub mod experts;
pub mod family;
pub mod flops;
pub mod framework;
pub mod hardware;
pub mod host;
pub mod images;
pub mod ladder;
pub mod layer;
pub mod lengths;
pub mod memory;
pub mod objective;
pub mod odds;
pub mod other_models;
pub mod parallel;
pub mod per_rank;
pub mod pipeline;
pub mod policy;
pub mod report;
pub mod rollout;
pub mod run;
pub mod schedule;
pub mod setup;
pub mod software;
pub mod stage_plan;
pub mod stages;
pub mod step;
pub mod sync;
pub mod timeline;
pub mod tower;
pub mod trained;
pub mod training;
pub mod transformer;
pub mod unit_params;
