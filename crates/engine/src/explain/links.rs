//! Sentences with links to cards: `[activation checkpointing]`, or `[shown|key]` where it reads otherwise.

use super::{Card, card, numbers};
use crate::explain::TERMS;

/// A piece of a sentence.
#[derive(Clone, Copy, Debug)]
pub struct Piece<'a> {
    /// How it reads.
    pub text: &'a str,
    /// What it opens.
    pub opens: Option<Card>,
}

/// The pieces of a sentence; a link to nothing is plain text.
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

/// The card of this heading, whatever its capitals.
fn named(title: &str) -> Option<Card> {
    let term = TERMS.iter().find(|term| term.name.eq_ignore_ascii_case(title)).map(Card::Term);
    term.or_else(|| numbers().find(|number| number.title.eq_ignore_ascii_case(title)).map(Card::Number))
}
