//! The words around the figure of published rows.

/// Until they have arrived.
pub const COMING: &str = "The published rows are on their way.";
/// Where nobody points, and no row is on screen.
pub const HINT: &str =
    "Hover or use the arrow keys to read a row out; click or press Enter to load it as the scenario.";
/// What stands under the figure.
pub const SOURCES: &str = "Rows that measured neither and runs that failed are not among them. Each row as its source has it, what it leaves \
     out and how that was completed: tests/measured and docs/accuracy.md in the repository.";
/// The heading of the sources among what can be shown.
pub const BY_SOURCE: &str = "By source";

/// In place of rows that could not be loaded.
pub fn missing(status: u16) -> String {
    let cause = match status {
        0 => "no answer came from where this page lies".to_owned(),
        status => format!("the answer to rows.txt was status {status}"),
    };
    format!(
        "The published rows could not be loaded: {cause}. Check the connection, then scroll away and back to try again."
    )
}
