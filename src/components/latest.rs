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

/// Keeps whether something is so, at first not, with a callback that sets it.
#[hook]
pub fn use_flag() -> (bool, Callback<bool>) {
    use_flag_from(false)
}

/// Keeps whether something is so, from a first value on, with a callback that sets it.
#[hook]
pub fn use_flag_from(first: bool) -> (bool, Callback<bool>) {
    let flag = use_state_eq(|| first);
    let setter = flag.setter();
    (*flag, use_callback((), move |value, ()| setter.set(value)))
}

/// Keeps the last value that was due; another key makes another value once that is due.
#[hook]
pub fn use_due<K: PartialEq + 'static, V: 'static>(key: K, due: bool, make: impl FnOnce(&K) -> V) -> Option<Rc<V>> {
    let kept = use_mut_ref(|| None::<(K, Rc<V>)>);
    let mut kept = kept.borrow_mut();
    if due && !kept.as_ref().is_some_and(|(of, _)| *of == key) {
        let value = Rc::new(make(&key));
        *kept = Some((key, value));
    }
    kept.as_ref().map(|(_, value)| value.clone())
}
