//! Keyboard and pointer input, as trusted events.

use std::time::Duration;

use anyhow::Result;
use thirtyfour::Key;
use thirtyfour::action_chain::ActionChain;

use crate::{Element, Session};

/// Number of moves in a drag.
const STEPS: i64 = 8;

/// Duration of one move.
const MOVE: Duration = Duration::from_millis(20);

impl Session {
    /// Scrolls an element into view and clicks its centre.
    ///
    /// # Errors
    /// When the element is covered or gone.
    pub fn click(&self, element: &Element) -> Result<()> {
        self.run(async |_| element.web().click().await)
    }

    /// Focuses an element and selects its text if it has any, as Tab does.
    ///
    /// # Errors
    /// When the element is gone.
    pub fn focus(&self, element: &Element) -> Result<()> {
        let focus = "const it = arguments[0]; it.focus(); if (it.type === 'text') it.select();";
        self.script(focus, &[element.as_argument()]).map(drop)
    }

    /// Types text into the focused element.
    ///
    /// # Errors
    /// When the browser refuses.
    pub fn type_text(&self, text: &str) -> Result<()> {
        self.perform(Duration::ZERO, |hand| hand.send_keys(text))
    }

    /// Presses a key several times in the focused element.
    ///
    /// # Errors
    /// When the browser refuses.
    pub fn press(&self, key: Key, times: usize) -> Result<()> {
        self.type_text(&char::from(key).to_string().repeat(times))
    }

    /// Presses a key while Control is held.
    ///
    /// # Errors
    /// When the browser refuses.
    pub fn control(&self, letter: char) -> Result<()> {
        self.perform(Duration::ZERO, |hand| {
            hand.key_down(Key::Control).key_down(letter).key_up(letter).key_up(Key::Control)
        })
    }

    /// Moves the focus to the previous element.
    ///
    /// # Errors
    /// When the browser refuses.
    pub fn back_tab(&self) -> Result<()> {
        self.perform(Duration::ZERO, |hand| {
            hand.key_down(Key::Shift).key_down(Key::Tab).key_up(Key::Tab).key_up(Key::Shift)
        })
    }

    /// Presses on an element at `from` and moves to `to` without releasing. Offsets are pixels from
    /// its centre.
    ///
    /// # Errors
    /// When the element is gone or out of view.
    pub fn drag(&self, element: &Element, from: (i64, i64), to: (i64, i64)) -> Result<()> {
        let between = |a: i64, b: i64, step: i64| a + (b - a) * step / STEPS;
        self.perform(MOVE, |hand| {
            let pressed = hand.move_to_element_with_offset(element.web(), from.0, from.1).click_and_hold();
            (1..=STEPS).fold(pressed, |hand, step| {
                let (x, y) = (between(from.0, to.0, step), between(from.1, to.1, step));
                hand.move_to_element_with_offset(element.web(), x, y)
            })
        })
    }

    /// Releases the pointer after [`Session::drag`].
    ///
    /// # Errors
    /// When the browser refuses.
    pub fn release(&self) -> Result<()> {
        self.perform(Duration::ZERO, ActionChain::release)
    }

    /// Clicks an element at an offset in pixels from its centre.
    ///
    /// # Errors
    /// When the element is gone or out of view.
    pub fn click_at(&self, element: &Element, (x, y): (i64, i64)) -> Result<()> {
        self.perform(Duration::ZERO, |hand| hand.move_to_element_with_offset(element.web(), x, y).click())
    }

    /// Double-clicks an element at an offset in pixels from its centre.
    ///
    /// # Errors
    /// When the element is gone or out of view.
    pub fn double_click_at(&self, element: &Element, (x, y): (i64, i64)) -> Result<()> {
        self.perform(Duration::ZERO, |hand| hand.move_to_element_with_offset(element.web(), x, y).double_click())
    }

    /// Performs the actions that `act` adds to a new chain; each move takes this time.
    fn perform(&self, moves: Duration, act: impl FnOnce(ActionChain) -> ActionChain) -> Result<()> {
        self.run(async |web| act(web.action_chain_with_delay(None, Some(moves))).perform().await)
    }
}
