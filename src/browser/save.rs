//! Saving and copying: files are saved by a link that is clicked from code, texts are copied to the
//! clipboard.

use gloo::utils::{document, window};
use js_sys::futures::{JsFuture, spawn_local};
use js_sys::{Array, Reflect, Uint8Array};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{Blob, BlobPropertyBag, Clipboard, HtmlAnchorElement, HtmlCanvasElement, Url};
use yew::Callback;

use links::carried;

/// The kind of a saved file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A vector picture.
    Svg,
    /// A pixel picture.
    Png,
    /// Numbers.
    Csv,
    /// A whole report.
    Json,
    /// A step for Perfetto.
    Trace,
}

impl FileKind {
    /// The kinds that a figure can be saved as.
    pub const ALL: [Self; 3] = [Self::Svg, Self::Png, Self::Csv];

    /// Returns the name on buttons.
    pub fn name(self) -> &'static str {
        match self {
            Self::Svg => "SVG",
            Self::Png => "PNG",
            Self::Csv => "CSV",
            Self::Json => "JSON",
            Self::Trace => "Trace",
        }
    }

    /// Returns the extension of the file's name. A trace has that of JSON; Perfetto recognizes a
    /// trace by its content.
    pub fn extension(self) -> &'static str {
        if self == Self::Trace { Self::Json.name() } else { self.name() }
    }

    fn mime(self) -> &'static str {
        match self {
            Self::Svg => "image/svg+xml",
            Self::Png => "image/png",
            Self::Csv => "text/csv",
            Self::Json | Self::Trace => "application/json",
        }
    }
}

/// Saves a text under this name.
pub fn save_text(file: &str, kind: FileKind, content: &str) {
    save(file, kind.mime(), &Array::of1(&content.into()));
}

/// Saves a text under this name, without a media type.
pub fn save_file(file: &str, content: &str) {
    save(file, "", &Array::of1(&content.into()));
}

/// Saves the content of a canvas as a PNG with the link in it; calls `failed` if the browser makes
/// no picture.
pub fn save_picture(file: &str, canvas: &HtmlCanvasElement, link: String, failed: &Callback<()>) {
    let (file, refused) = (file.to_owned(), failed.clone());
    let made = Closure::once_into_js(move |blob: Option<Blob>| {
        let Some(blob) = blob else { return refused.emit(()) };
        super::files::bytes_of(&blob, move |bytes| match bytes {
            Some(bytes) => {
                let picture = carried::in_png(&bytes, &link);
                save(&file, FileKind::Png.mime(), &Array::of1(&Uint8Array::from(picture.as_slice())));
            }
            None => refused.emit(()),
        });
    });
    if canvas.to_blob(made.unchecked_ref()).is_err() {
        failed.emit(());
    }
}

/// Saves a file of these parts, texts or bytes.
fn save(file: &str, mime: &str, parts: &Array) {
    let properties = BlobPropertyBag::new();
    properties.set_type(mime);
    let Ok(blob) = Blob::new_with_buffer_source_sequence_and_options(parts, &properties) else { return };
    let Ok(address) = Url::create_object_url_with_blob(&blob) else { return };
    let anchor = document().create_element("a").ok().and_then(|element| element.dyn_into::<HtmlAnchorElement>().ok());
    if let Some(anchor) = anchor {
        anchor.set_href(&address);
        anchor.set_download(file);
        anchor.click();
    }
    // By now the browser has begun to read the file.
    let _ = Url::revoke_object_url(&address);
}

/// Copies a text, and calls `done` with whether that worked: it fails without a secure page or
/// without permission.
pub fn copy(text: &str, done: &Callback<bool>) {
    let navigator: JsValue = window().navigator().into();
    let clipboard = Reflect::get(&navigator, &"clipboard".into()).unwrap_or_default();
    let Ok(clipboard) = clipboard.dyn_into::<Clipboard>() else { return done.emit(false) };
    let (written, done) = (clipboard.write_text(text), done.clone());
    spawn_local(async move { done.emit(JsFuture::from(written).await.is_ok()) });
}
