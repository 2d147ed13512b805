//! Values that callbacks read when they are called. The callback stays the same while the value
//! changes, so that components with the callback are not rendered anew.

use std::cell::RefCell;
use std::rc::Rc;

use yew::prelude::*;

/// A value as it was last rendered. Two are equal if they belong to one component.
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
    /// Returns the value.
    pub fn get(&self) -> Option<T> {
        self.0.borrow().clone()
    }
}

/// Makes a callback of an effect of an event on a value.
pub fn on<T: 'static, E: 'static>(value: &Rc<T>, effect: fn(&T, &E)) -> Callback<E> {
    let value = value.clone();
    Callback::from(move |event| effect(&value, &event))
}

/// Keeps the value of this rendering.
#[hook]
pub fn use_latest<T: 'static>(value: T) -> Latest<T> {
    let kept = use_mut_ref(|| None);
    *kept.borrow_mut() = Some(value);
    Latest(kept)
}
