//! Tests of the engine, one program: each program more is compiled and linked by itself.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test stops where its data is wrong"
)]

mod anchor;
mod any;
mod cases;
mod data_parallel;
mod distillation;
mod expert_layer;
mod experts;
mod expressed;
mod family;
mod formulas;
mod framework;
mod frozen;
mod guard;
mod laws;
mod laws_host;
mod laws_layer;
mod laws_limits;
mod laws_network;
mod laws_odds;
mod laws_trained;
mod longest;
mod megatron;
mod modules;
mod moments;
mod names;
mod optimizer;
mod pace;
mod parts;
mod peak_in_backward;
mod peak_logits;
mod peak_nanotron;
mod peak_stage_3;
mod peak_waiting;
mod peak_xla;
mod peft;
mod playback;
mod quantity;
mod relevance;
mod rollout;
mod run;
mod run_host;
mod software;
mod table;
mod terms;
mod towers;
mod tutel;
mod tutel_rows;
mod validate;
mod validate_experts;
mod validate_optimizer;
mod waterfall;
