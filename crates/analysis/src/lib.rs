//! Analyses built on the model: parameter sweeps, boundaries, searches and advice.

pub mod advice;
pub mod best;
pub mod boundary;
pub mod bounds_search;
mod candidates;
pub mod change;
pub mod claims;
pub mod cost;
pub mod degrees;
pub mod effects;
pub mod equal_money;
pub mod experts;
mod layout_space;
pub mod layouts;
pub mod levers;
pub mod limits;
pub mod lowering;
pub mod nearest;
mod options;
pub mod plan;
pub mod published;
pub mod refine;
pub mod releases;
pub mod scaling;
pub mod search;
pub mod sensitivity;
pub mod sweep;
