//! Layers of a model as text: `3se.ae` is a repeating list of three layers of a recurrent mixer and
//! experts and one of attention and experts.
//!
//! A layer has a letter for its mixer (`a` attention, `w` attention within the window, `s` a
//! recurrent mixer, `b` attention and a recurrent mixer side by side) and one for the block after
//! it (`d` a dense MLP, `e` experts), either of which may be missing (`-` if both are). A number
//! before the letters repeats the layer; dots separate layers; the list repeats over the layers of
//! the model.

use super::issue::shorten;
use crate::model::transformer::pattern::{LayerKind, Mixer, Mlp, Pattern};

/// The letters of mixers.
const MIXERS: [(char, Mixer); 4] =
    [('a', Mixer::Attention), ('w', Mixer::Window), ('s', Mixer::Recurrent), ('b', Mixer::Both)];
/// The letters of the blocks after mixers.
const MLPS: [(char, Mlp); 2] = [('d', Mlp::Dense), ('e', Mlp::Experts)];

/// A layer without any block.
const NOTHING: &str = "-";

/// Reads a list of layers; an empty text is the empty list.
///
/// # Errors
///
/// Returns a sentence that names the first layer that cannot be parsed, or reports too many layers.
///
/// ```
/// # use engine::scenario::layers::{read_layers, write_layers};
/// let qwen = read_layers("3se.ae").unwrap();
/// assert_eq!((qwen.blocks_among(48).recurrent, qwen.blocks_among(48).attention), (36, 12));
/// assert_eq!(write_layers(&qwen), "3se.ae");
/// assert!(read_layers("3se.xe").is_err());
/// ```
pub fn read_layers(text: &str) -> Result<Pattern, String> {
    let mut pattern = Pattern::NONE;
    for part in text.trim().split('.').filter(|part| !part.is_empty()) {
        let (times, kind) = read_layer(part).ok_or_else(|| {
            format!(
                "“{}” is not a layer: write a letter for its mixer (a attention, w attention in a window, s state, b \
                 both), one for its MLP (d dense, e experts), and a number before them to repeat it, such as 3se.ae.",
                shorten(part)
            )
        })?;
        let length = u64::from(pattern.period()) + times;
        if length > Pattern::MOST as u64 {
            return Err(format!(
                "The list has at least {length} layers, more than the limit of {}: write repeated layers once.",
                Pattern::MOST
            ));
        }
        for _ in 0..times {
            pattern = pattern.then(kind);
        }
    }
    Ok(pattern)
}

/// Parses one layer and its number of repetitions.
fn read_layer(part: &str) -> Option<(u64, LayerKind)> {
    let letters = part.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let digits = part.strip_suffix(letters)?;
    let times = if digits.is_empty() { 1 } else { digits.parse().ok().filter(|&times| times > 0)? };
    let mut kind = LayerKind { mixer: Mixer::None, mlp: Mlp::None };
    if letters == NOTHING {
        return Some((times, kind));
    }
    for letter in letters.chars() {
        let mixer = MIXERS.iter().find(|(known, _)| *known == letter);
        let mlp = MLPS.iter().find(|(known, _)| *known == letter);
        match (mixer, mlp) {
            (Some(&(_, mixer)), _) if kind.mixer == Mixer::None && kind.mlp == Mlp::None => kind.mixer = mixer,
            (_, Some(&(_, mlp))) if kind.mlp == Mlp::None => kind.mlp = mlp,
            _ => return None,
        }
    }
    let is_empty = kind.mixer == Mixer::None && kind.mlp == Mlp::None;
    (!is_empty).then_some((times, kind))
}

/// Writes a list of layers in the format of [`read_layers`]; empty for the empty list.
pub fn write_layers(pattern: &Pattern) -> String {
    let mut kinds = pattern.kinds().peekable();
    let mut text = String::new();
    while let Some(kind) = kinds.next() {
        let mut times = 1;
        while kinds.next_if_eq(&kind).is_some() {
            times += 1;
        }
        if !text.is_empty() {
            text.push('.');
        }
        if times > 1 {
            text.push_str(&times.to_string());
        }
        if kind == (LayerKind { mixer: Mixer::None, mlp: Mlp::None }) {
            text.push_str(NOTHING);
        }
        text.extend(MIXERS.iter().find(|(_, mixer)| *mixer == kind.mixer).map(|(letter, _)| letter));
        text.extend(MLPS.iter().find(|(_, mlp)| *mlp == kind.mlp).map(|(letter, _)| letter));
    }
    text
}
