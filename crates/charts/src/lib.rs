//! The figures of shardwise. A [`spec::ChartSpec`] holds data in data units, without pixels;
//! canvas (`charts_canvas`), SVG, PNG, table, CSV and sentence are all made from it.
//!
//! # Map
//!
//! Dependencies point one way: `spec, timeline, zoom <- views <- palette, names, layout <- table,
//! describe, readout <- paint`.
//!
//! | module | what it is |
//! |---|---|
//! | [`spec`] | a figure as data: axes, lines, fields, marks, bars |
//! | [`views`] | reports and sweeps to figures: map, curves, memory at the peak and over a step, timeline, roofline, scaling, experts, agreement |
//! | [`timeline`], [`zoom`], [`marks`] | the lanes of a step, parts of axes, places in a figure |
//! | [`palette`], [`names`] | one colour and one name for each part, line and limiter |
//! | [`layout`] | positions of the parts of a figure |
//! | [`table`], [`describe`], [`readout`] | a figure as a table, as CSV, as a sentence, at the crosshair |
//! | [`chrome_trace`] | a step as a trace for Perfetto |
//! | [`paint`] | a figure as SVG, or on any backend of plotters |

pub mod chrome_trace;
pub mod describe;
pub mod layout;
pub mod marks;
pub mod names;
pub mod paint;
pub mod palette;
pub mod readout;
pub mod spec;
pub mod table;
pub mod timeline;
pub mod views;
pub mod zoom;

// Cases and seeds of the engine's laws.
#[cfg(test)]
#[path = "../../engine/tests/suite/cases.rs"]
mod cases;
