//! The parts of the page: each gets values, emits actions and computes nothing.

pub mod action_button;
pub mod canvas;
pub mod choice;
pub mod combobox;
pub mod data_table;
pub mod explain_button;
pub mod figure;
pub mod fold;
pub mod help;
pub mod how;
pub mod icon;
pub mod latest;
pub mod legend;
pub mod math;
pub mod number;
pub mod select;
pub mod sourced;
pub mod sources;
pub mod status;
pub mod tile;
