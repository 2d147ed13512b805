//! Files that the page gives away: made in the browser, saved by a link that is clicked for the reader.

use gloo::utils::document;
use js_sys::{Array, Uint8Array};
use wasm_bindgen::JsCast as _;
use wasm_bindgen::closure::Closure;
use web_sys::{Blob, BlobPropertyBag, HtmlAnchorElement, HtmlCanvasElement, Url};

use super::link::arrival;
use crate::text;
use engine::share::carried;

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A picture of shapes.
    Svg,
    /// A picture of pixels.
    Png,
    /// Numbers.
    Csv,
    /// A whole report.
    Json,
}

impl Kind {
    /// What a figure is saved as.
    pub const ALL: [Self; 3] = [Self::Svg, Self::Png, Self::Csv];

    /// Its name on buttons.
    pub fn name(self) -> &'static str {
        match self {
            Self::Svg => "SVG",
            Self::Png => "PNG",
            Self::Csv => "CSV",
            Self::Json => "JSON",
        }
    }

    fn mime(self) -> &'static str {
        match self {
            Self::Svg => "image/svg+xml",
            Self::Png => "image/png",
            Self::Csv => "text/csv",
            Self::Json => "application/json",
        }
    }
}

/// Saves a text under a name that says the figure and the scenario.
pub fn save_text(figure: &str, kind: Kind, content: &str) {
    save(figure, kind, &Array::of1(&content.into()));
}

/// Saves a text under a name of its own.
pub fn save_file(name: &str, content: &str) {
    if let Ok(blob) = Blob::new_with_str_sequence(&Array::of1(&content.into())) {
        save_blob(name, &blob);
    }
}

/// Saves what is on a canvas, with the link in it.
pub fn save_picture(figure: &'static str, canvas: &HtmlCanvasElement, link: String) {
    let made = Closure::once_into_js(move |blob: Option<Blob>| {
        let Some(blob) = blob else { return };
        super::bytes_of(&blob, move |bytes| {
            if let Some(bytes) = bytes {
                let file = carried::in_png(&bytes, &link);
                save(figure, Kind::Png, &Array::of1(&Uint8Array::from(file.as_slice())));
            }
        });
    });
    // A canvas that gives nothing saves nothing: SVG and CSV are left.
    let _ = canvas.to_blob(made.unchecked_ref());
}

/// Saves what consists of these parts.
fn save(figure: &str, kind: Kind, parts: &Array) {
    let properties = BlobPropertyBag::new();
    properties.set_type(kind.mime());
    // Text and bytes alike.
    if let Ok(blob) = Blob::new_with_buffer_source_sequence_and_options(parts, &properties) {
        save_blob(&text::file_name(figure, &arrival().0.scenario, kind.name()), &blob);
    }
}

fn save_blob(name: &str, blob: &Blob) {
    let Ok(address) = Url::create_object_url_with_blob(blob) else { return };
    let anchor = document().create_element("a").ok().and_then(|element| element.dyn_into::<HtmlAnchorElement>().ok());
    if let Some(anchor) = anchor {
        anchor.set_href(&address);
        anchor.set_download(name);
        anchor.click();
    }
    // The browser has begun to read it by then.
    let _ = Url::revoke_object_url(&address);
}
