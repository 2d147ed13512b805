//! Figures without pixels: a [`spec::ChartSpec`] holds data in data units and feeds canvas, table, CSV and text alike.

pub mod describe;
pub mod format;
pub mod layout;
pub mod marks;
pub mod names;
pub mod palette;
pub mod readout;
pub mod rounding;
pub mod scale;
pub mod spec;
pub mod table;
pub mod timeline;
pub mod views;
pub mod zoom;

#[cfg(feature = "web")]
pub mod paint;
