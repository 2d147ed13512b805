//! Exports a scenario and its report to other formats, and the catalog and parameters for the page.

pub mod assertion;
pub mod catalog_json;
pub mod csv;
pub mod params_json;
pub mod report_json;
pub mod schema;
pub mod summary_json;
