//! Parts that the build scripts share: they read rows of `data/` and generate Rust from them.
//!
//! [`workspace`] finds the files, [`rows`] reads them, [`shape`] writes rows as Rust, and
//! [`generate`] runs a script. A row that is wrong fails the build, with a sentence that names
//! file, row and field.

pub mod generate;
pub mod generations;
pub mod rows;
pub mod shape;
pub mod texts;
pub mod workspace;

pub use generate::{Files, run};
pub use workspace::Workspace;
