//! Regions of the page by feature: a folder has the markup of a feature with its words and derived
//! values.

pub mod accuracy;
pub mod advice;
pub mod banner;
pub mod bring;
pub mod colophon;
pub mod controls;
pub mod cost;
pub mod figures;
pub mod finder;
pub mod gallery;
pub mod layouts;
pub mod masthead;
pub mod memory;
pub mod pins;
pub mod plan;
pub mod printed;
pub mod run;
pub mod scaling;
pub mod settings;
pub mod share;
pub mod step;
pub mod tabs;
pub mod tiles;
pub mod verdict;
pub mod why;
