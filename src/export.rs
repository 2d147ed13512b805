//! A scenario and its report in the formats of others.

pub mod catalog_json;
pub mod report_json;
