//! Tables of training programs, a folder each (`tables/README.md`): data, and the grammar of their
//! rows. The crate `files` reads, changes and writes files with them.
//!
//! # Map
//!
//! | module | contents | independent of |
//! |---|---|---|
//! | [`keys`] | the meaning of each key, a row each | how files are parsed |
//! | [`refusals`] | values that a program rejects | how they are shown |
//! | [`texts`] | the texts of all tables and lists | their readers |

pub mod keys;
pub mod refusals;
pub mod texts;
