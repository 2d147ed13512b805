//! A scenario and its report in the formats of others, and what the page fetches.

pub mod catalog_json;
pub mod csv;
pub mod params_json;
pub mod report_json;
pub mod settings;
// The page itself fetches what this writes.
