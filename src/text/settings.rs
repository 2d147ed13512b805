//! The words of the frameworks' settings.

/// The panel's heading.
pub const TITLE: &str = "Settings for your framework";
/// What stands there.
pub const CAPTION: &str =
    "The scenario on screen, as a training framework reads it, and what that framework cannot express.";
/// The name of the row of frameworks.
pub const FRAMEWORKS: &str = "Framework";
/// Buttons.
pub const COPY: &str = "Copy";
/// What the button says where the browser does not let it copy.
pub const NOT_COPIED: &str = "Select the text to copy it";
/// Saves the file.
pub const SAVE: &str = "Download";
