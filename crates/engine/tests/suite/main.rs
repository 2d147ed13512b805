//! Tests of the engine, one program: each program more is compiled and linked by itself.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test stops where its data is wrong"
)]

mod allocator;
mod allocator_play;
mod anchor;
mod any;
mod cases;
mod catalog;
mod closed_form;
mod experts;
mod guard;
mod keys;
mod laws;
mod laws_host;
mod laws_limits;
mod laws_network;
mod laws_odds;
mod laws_trained;
mod links;
mod megatron;
mod peft;
mod pins;
mod relevance;
mod rows;
mod towers;
mod tutel;
mod tutel_rows;
mod waterfall;
