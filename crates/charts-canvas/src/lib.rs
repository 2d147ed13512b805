//! Paints the figures of `charts` on a canvas of the browser: sizes the canvas, and stretches the
//! image of a field over the plot. `charts` draws the rest, on the plotters backend of this crate.
//!
//! # Map
//!
//! | module | what it is |
//! |---|---|
//! | `canvas` | a canvas with its context, a figure or a poster on it |
//! | `strip` | parts side by side, without words |
//! | `error` | errors of the browser as errors of painting |
//! | `brush` | the canvas as a backend of plotters |

mod brush;
mod canvas;
mod error;
mod strip;

pub use canvas::{Sheet, forget_image, paint_bar, paint_chart, picture_of_bar, picture_of_chart, picture_of_poster};
pub use error::refused;
pub use strip::{Strip, paint_strip};
