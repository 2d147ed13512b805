//! The texts that are read after a click: loaded once the page stands.

use yew::prelude::*;

use super::fetch;
use crate::words;

/// The file beside the page (`examples/site_data`).
const FILE: &str = "words.txt";

/// Whether the texts have arrived; they are asked for with the rest of the page. Without them the page works and is silent where they would stand.
#[hook]
pub fn use_words(rest: bool) -> bool {
    let here = use_state_eq(|| false);
    let setter = here.setter();
    use_effect_with(rest, move |&rest| {
        if !rest {
            return;
        }
        let arrived = Callback::from(move |file: Result<String, u16>| {
            if let Ok(file) = file {
                words::arrive(file);
                setter.set(true);
            }
        });
        fetch::text(FILE, arrived);
    });
    *here
}
