//! The published rows: loaded when somebody comes to their figure, and evaluated in slices far below a long task.

use std::cell::Cell;
use std::rc::Rc;

use gloo::timers::callback::Timeout;
use yew::prelude::*;

use super::fetch;
use charts::views::ScoredRows;
use engine::published::{self, Published};

/// Where they stand beside the page.
const FILE: &str = "rows.txt";
/// Rows that are evaluated before the page may do something else.
const SLICE: usize = 32;

/// The published rows, as far as they are here.
#[derive(Clone)]
pub enum Rows {
    /// They are on their way.
    Coming,
    /// They could not be loaded: the HTTP status, 0 where no answer came.
    Missing(u16),
    /// All of them.
    Here(Rc<ScoredRows>),
}

/// The published rows, asked for once they are wanted, and again when they are wanted anew and could not be loaded.
#[hook]
pub fn use_rows(wanted: bool) -> Rows {
    let rows = use_state(|| Rows::Coming);
    let asked = use_mut_ref(|| Rc::new(Cell::new(false)));
    let setter = rows.setter();
    use_effect_with(wanted, move |&wanted| {
        let asked = asked.borrow().clone();
        if wanted && !asked.replace(true) {
            fetch::text(
                FILE,
                Callback::from(move |answer: Result<String, u16>| match answer {
                    Ok(text) => evaluate(published::read(&text).into_iter(), ScoredRows::default(), setter.clone()),
                    Err(status) => {
                        asked.set(false);
                        setter.set(Rows::Missing(status));
                    }
                }),
            );
        }
    });
    (*rows).clone()
}

/// Evaluates some rows, and the rest a moment later.
fn evaluate(mut left: std::vec::IntoIter<Published>, mut done: ScoredRows, setter: UseStateSetter<Rows>) {
    for row in left.by_ref().take(SLICE) {
        done.push(row);
    }
    if left.as_slice().is_empty() {
        setter.set(Rows::Here(Rc::new(done)));
    } else {
        Timeout::new(0, move || evaluate(left, done, setter)).forget();
    }
}
