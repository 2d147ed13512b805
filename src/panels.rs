//! The regions of the page, put together from components.

pub mod advice;
pub mod agreement;
pub mod analysis;
pub mod banner;
pub mod colophon;
mod control;
pub mod controls;
pub mod expert_layer;
pub mod figures;
pub mod gallery;
pub mod generation;
pub mod groups;
pub mod import;
pub mod masthead;
pub mod pickers;
pub mod pins;
pub mod printed;
pub mod ranking;
pub mod run;
pub mod sensitivity;
pub mod settings;
pub mod share;
pub mod step_memory;
pub mod strategies;
pub mod verdict;
pub mod waterfall;
pub mod why;
