//! Values that any component may read, without a property of each component around it.

use yew::prelude::*;

use crate::state::Action;
use crate::view::View;
use charts::palette::Theme;

/// The view, the theme and the callbacks of the page. None of them changes while a slider moves.
#[derive(Clone, Default, PartialEq)]
pub struct PageContext {
    /// Axes, panels and other view settings.
    pub view: View,
    /// Light or dark.
    pub theme: Theme,
    /// Whether the page is being printed.
    pub printing: bool,
    /// Applies actions of the reader: in an embed without controls, only those that leave the
    /// scenario unchanged.
    pub emit: Callback<Action>,
    /// Sets the text of the status line.
    pub say: Callback<AttrValue>,
}

impl PageContext {
    /// Returns the theme that pictures are painted in: paper is light.
    pub fn painted_theme(&self) -> Theme {
        if self.printing { Theme::Light } else { self.theme }
    }
}

/// Returns the context of the page; for a component outside a page, one without effect.
#[hook]
pub fn use_page() -> PageContext {
    use_context().unwrap_or_default()
}
