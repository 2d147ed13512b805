//! Sentences with links to cards: `[activation checkpointing]`, or `[text|key]` if the text differs
//! from the card's title.

use super::{Card, card, numbers};
use crate::TERMS;

/// A piece of a sentence.
#[derive(Clone, Copy, Debug)]
pub struct Piece<'a> {
    /// The text.
    pub text: &'a str,
    /// The card that the text links to.
    pub opens: Option<Card>,
}

/// Splits a sentence into pieces; a link to an unknown card becomes plain text.
pub fn pieces(sentence: &str) -> impl Iterator<Item = Piece<'_>> {
    sentence.split(['[', ']']).enumerate().map(|(place, text)| {
        if place % 2 == 0 {
            return Piece { text, opens: None };
        }
        match text.split_once('|') {
            Some((text, key)) => Piece { text, opens: card(key) },
            None => Piece { text, opens: named(text) },
        }
    })
}

/// Returns the card with this title, case-insensitively.
fn named(title: &str) -> Option<Card> {
    let term = TERMS.iter().find(|term| term.name.eq_ignore_ascii_case(title)).map(Card::Term);
    term.or_else(|| numbers().find(|number| number.title.eq_ignore_ascii_case(title)).map(Card::Number))
}
