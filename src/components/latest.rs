//! What callbacks read when they are called: they stay the same while it changes, and what takes
//! them is not made anew.

use std::cell::RefCell;
use std::rc::Rc;

use yew::prelude::*;

/// A value as it was last rendered; two are equal where they are of the same component.
pub struct Latest<T>(Rc<RefCell<Option<T>>>);

impl<T> Clone for Latest<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> PartialEq for Latest<T> {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl<T: Clone> Latest<T> {
    /// The value.
    pub fn get(&self) -> Option<T> {
        self.0.borrow().clone()
    }
}

/// Keeps the value of this rendering.
#[hook]
pub fn use_latest<T: 'static>(value: T) -> Latest<T> {
    let kept = use_mut_ref(|| None);
    *kept.borrow_mut() = Some(value);
    Latest(kept)
}
