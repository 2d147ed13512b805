//! Analyses built on the model: parameter sweeps, boundaries, searches and advice.

pub mod advice;
pub mod best;
pub mod boundary;
pub mod bounds_search;
mod candidates;
pub mod change;
pub mod cost;
pub mod equal_money;
pub mod experts;
pub mod inert_options;
mod layout_space;
pub mod layouts;
pub mod limits;
pub mod memory_reductions;
pub mod neighbour_layouts;
mod other_options;
pub mod plan;
pub mod published;
pub mod ranking;
pub mod refine;
pub mod releases;
pub mod scaling;
mod search;
pub mod sensitivity;
pub mod similar_runs;
pub mod sweep;
pub mod time_reductions;
