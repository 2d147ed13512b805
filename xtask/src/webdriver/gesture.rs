//! What a hand does: keys and pointer, as trusted events.

use serde_json::{Value, json};

use super::{Element, Session};
use crate::failure::Result;

/// Keys that are not letters, by their code points in the WebDriver standard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// Tab.
    Tab,
    /// Enter.
    Enter,
    /// Escape.
    Escape,
    /// The down arrow.
    Down,
    /// The left arrow.
    Left,
    /// The right arrow.
    Right,
}

impl Key {
    fn code(self) -> char {
        match self {
            Key::Tab => '\u{e004}',
            Key::Enter => '\u{e007}',
            Key::Escape => '\u{e00c}',
            Key::Down => '\u{e015}',
            Key::Left => '\u{e012}',
            Key::Right => '\u{e014}',
        }
    }
}

/// How many moves a drag is made of.
const STEPS: i64 = 8;

impl Session {
    /// Clicks the middle of an element, scrolled into view.
    ///
    /// # Errors
    /// When it is covered or gone.
    pub fn click(&self, element: &Element) -> Result<()> {
        self.post(&format!("element/{}/click", element.id()), &json!({})).map(drop)
    }

    /// Puts the focus on an element and selects its text if it has any, as a user arriving by Tab finds it.
    ///
    /// # Errors
    /// When it is gone.
    pub fn focus(&self, element: &Element) -> Result<()> {
        let focus = "const it = arguments[0]; it.focus(); if (it.type === 'text') it.select();";
        self.script(focus, &[element.as_argument()]).map(drop)
    }

    /// Types text where the focus is.
    ///
    /// # Errors
    /// When the browser refuses.
    pub fn type_text(&self, text: &str) -> Result<()> {
        let strokes = text
            .chars()
            .flat_map(|letter| ["keyDown", "keyUp"].map(|kind| json!({ "type": kind, "value": letter.to_string() })));
        let keyboard = json!({ "type": "key", "id": "keyboard", "actions": strokes.collect::<Vec<_>>() });
        self.act(&keyboard)
    }

    /// Presses a key several times where the focus is.
    ///
    /// # Errors
    /// When the browser refuses.
    pub fn press(&self, key: Key, times: usize) -> Result<()> {
        self.type_text(&key.code().to_string().repeat(times))
    }

    /// Presses a key while Control is held.
    ///
    /// # Errors
    /// When the browser refuses.
    pub fn control(&self, letter: char) -> Result<()> {
        const CONTROL: &str = "\u{e009}";
        let strokes =
            [("keyDown", CONTROL.to_string()), ("keyDown", letter.to_string()), ("keyUp", letter.to_string())];
        let strokes = strokes.into_iter().chain([("keyUp", CONTROL.to_string())]);
        let actions: Vec<Value> = strokes.map(|(kind, value)| json!({ "type": kind, "value": value })).collect();
        self.act(&json!({ "type": "key", "id": "keyboard", "actions": actions }))
    }

    /// Presses on an element at `from` and draws through to `to` without letting go. Offsets are pixels from its middle.
    ///
    /// # Errors
    /// When it is gone or out of view.
    pub fn drag(&self, element: &Element, from: (i64, i64), to: (i64, i64)) -> Result<()> {
        let between = |a: i64, b: i64, step: i64| a + (b - a) * step / STEPS;
        let mut moves = vec![at(element, from, 0), button("pointerDown")];
        moves.extend(
            (1..=STEPS).map(|step| at(element, (between(from.0, to.0, step), between(from.1, to.1, step)), 20)),
        );
        self.pointer(&moves)
    }

    /// Lets go after [`Session::drag`].
    ///
    /// # Errors
    /// When the browser refuses.
    pub fn release(&self) -> Result<()> {
        self.pointer(&[button("pointerUp")])
    }

    /// Clicks an element at an offset in pixels from its middle.
    ///
    /// # Errors
    /// When it is gone or out of view.
    pub fn click_at(&self, element: &Element, offset: (i64, i64)) -> Result<()> {
        self.pointer(&[at(element, offset, 0), button("pointerDown"), button("pointerUp")])
    }

    /// Clicks twice in a row at an offset in pixels from an element's middle.
    ///
    /// # Errors
    /// When it is gone or out of view.
    pub fn double_click_at(&self, element: &Element, offset: (i64, i64)) -> Result<()> {
        let clicks = ["pointerDown", "pointerUp", "pointerDown", "pointerUp"].map(button);
        let moves: Vec<Value> = core::iter::once(at(element, offset, 0)).chain(clicks).collect();
        self.pointer(&moves)
    }

    fn pointer(&self, moves: &[Value]) -> Result<()> {
        let mouse = json!({ "pointerType": "mouse" });
        self.act(&json!({ "type": "pointer", "id": "mouse", "parameters": mouse, "actions": moves }))
    }

    fn act(&self, source: &Value) -> Result<()> {
        self.post("actions", &json!({ "actions": [source] })).map(drop)
    }
}

fn button(kind: &str) -> Value {
    json!({ "type": kind, "button": 0 })
}

fn at(element: &Element, (x, y): (i64, i64), milliseconds: u64) -> Value {
    json!({ "type": "pointerMove", "duration": milliseconds, "origin": element.as_argument(), "x": x, "y": y })
}
