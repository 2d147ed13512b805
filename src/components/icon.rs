//! Line icons, drawn in the text's colour.

use yew::prelude::*;

/// An icon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Icon {
    /// Back by one step, and back to the preset.
    Undo,
    /// Forward by one step.
    Redo,
    /// Starting points.
    List,
    /// A link.
    Link,
    /// Done.
    Check,
    /// Search.
    Search,
    /// A menu that opens below.
    Down,
    /// Light.
    Sun,
    /// Dark.
    Moon,
    /// As the system prefers.
    Half,
    /// A file to bring.
    Clip,
    /// Settings.
    Sliders,
}

/// Renders the icon as SVG; the button around it has the name.
pub fn drawn(icon: Icon) -> Html {
    let path = match icon {
        Icon::Undo => "M6 3 2.5 6.5 6 10M3 6.5h6.5a4 4 0 0 1 0 8H7",
        Icon::Redo => "M10 3l3.5 3.5L10 10M13 6.5H6.5a4 4 0 0 0 0 8H9",
        Icon::List => "M2.500 4h1M6 4h7.500M2.500 8h1M6 8h7.500M2.500 12h1M6 12h7.500",
        Icon::Link => {
            "M6.500 9.500l3-3M7 4.500l1.500-1.500a3 3 0 0 1 4.500 4.500L11.500 9M9 11.500L7.500 13A3 3 0 0 1 3 8.500L4.500 7"
        }
        Icon::Check => "M3 8.500 6.500 12 13 4.500",
        Icon::Search => "M7 2.500a4.500 4.500 0 1 0 0 9a4.500 4.500 0 0 0 0-9M10.500 10.500l3.500 3.500",
        Icon::Down => "M3.500 6 8 10.500 12.500 6",
        Icon::Sun => {
            "M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6M8 1v1.5M8 13.5V15M1 8h1.500M13.500 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1"
        }
        Icon::Moon => "M13.500 9.500A6 6 0 1 1 6.500 2.500a5 5 0 0 0 7 7",
        Icon::Clip => {
            "M13 7.500 8 12.500a3.200 3.200 0 0 1-4.500-4.500l5.500-5.500a2.100 2.100 0 0 1 3 3L6.500 11a1 1 0 0 1-1.500-1.500l5-5"
        }
        Icon::Sliders => "M2 5h6.500M12 5h2M10.200 3.200v3.600M2 11h2M7.500 11h6.500M5.800 9.200v3.600",
        Icon::Half => "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2v12M8 5l4.500-.8M8 8h6M8 11l4.500.8",
    };
    html! { <svg viewBox="0 0 16 16" aria-hidden="true"><path d={path} /></svg> }
}
