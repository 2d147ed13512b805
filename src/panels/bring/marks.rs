//! Marks in texts: on words of a sentence, on lines of a file.

use files::brought::{Import, Item, Marked};

/// Splits a text into pieces, each with the mark on it. Positions are UTF-16 code units, in order;
/// marks that reach beyond the text or overlap another mark are left out.
pub(super) fn pieces<'a>(text: &str, marks: &'a [Marked]) -> Vec<(String, Option<&'a Marked>)> {
    let units: Vec<u16> = text.encode_utf16().collect();
    let piece = |from: usize, to: usize| String::from_utf16_lossy(units.get(from..to).unwrap_or_default());
    let (mut pieces, mut at) = (Vec::new(), 0);
    for mark in marks.iter().filter(|mark| mark.to <= units.len() && mark.from < mark.to) {
        if mark.from < at {
            continue;
        }
        if mark.from > at {
            pieces.push((piece(at, mark.from), None));
        }
        pieces.push((piece(mark.from, mark.to), Some(mark)));
        at = mark.to;
    }
    if at < units.len() {
        pieces.push((piece(at, units.len()), None));
    }
    pieces
}

/// Maximum number of lines that are compared: a longer file is a log, and no offer changes a log.
const MOST_LINES: usize = 3000;

/// Returns, for each line of a file, the indices of the offers that would change the line; for an
/// added line, the line before it is marked.
pub(super) fn changed_lines(item: &Item, text: &str, brought: &Import) -> Vec<Vec<usize>> {
    let before: Vec<&str> = text.lines().collect();
    let mut marks = vec![Vec::new(); before.len()];
    if before.len() > MOST_LINES {
        return marks;
    }
    for (place, offer) in brought.offers.iter().enumerate() {
        let own = offer.files.iter().find(|(name, _)| Some(name) == item.name.as_ref());
        let own = own.or_else(|| offer.files.first().filter(|_| item.name.is_none()));
        let Some((_, after)) = own else { continue };
        let after: Vec<&str> = after.lines().collect();
        let same = |(one, other): &(&&str, &&str)| one == other;
        let start = before.iter().zip(&after).take_while(same).count();
        let most = before.len().min(after.len()) - start;
        let end = before.iter().rev().zip(after.iter().rev()).take(most).take_while(same).count();
        // Between the first and the last differing line, mark those that are nowhere in the other
        // text.
        let between = after.get(start..after.len() - end).unwrap_or_default();
        let mut found = false;
        for line in start..before.len() - end {
            if before.get(line).is_some_and(|text| !between.contains(text))
                && let Some(mark) = marks.get_mut(line)
            {
                mark.push(place);
                found = true;
            }
        }
        if !found && let Some(mark) = marks.get_mut(start.saturating_sub(1)) {
            mark.push(place);
        }
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::*;
    use catalog::default_scenario;
    use files::brought::import_items;

    fn mark(from: usize, to: usize) -> Marked {
        Marked { from, to, text: String::new(), means: "x".into(), kind: "model".into(), taken: Vec::new() }
    }

    #[test]
    fn pieces_join_to_the_text_whatever_the_marks_are() {
        for (text, marks) in [
            ("llama 8b on 8x4090", vec![mark(0, 8), mark(12, 18)]),
            ("😀 70B, ≤ 30 Tage", vec![mark(0, 2), mark(3, 6), mark(5, 9)]),
            ("", vec![mark(0, 1)]),
            ("short", vec![mark(2, 99), mark(4, 2)]),
        ] {
            let joined: String = pieces(text, &marks).into_iter().map(|(piece, _)| piece).collect();
            assert_eq!(joined, text);
        }
    }

    #[test]
    fn a_finding_marks_the_lines_that_it_would_change() {
        let text = "base_model: meta-llama/Llama-3.1-8B\nsequence_len: 8192\nmicro_batch_size: 8\n\
                    gradient_accumulation_steps: 1\nbf16: true\nadapter: lora\nlora_r: 16\n";
        let item = Item { name: Some("a.yaml".into()), bytes: text.as_bytes().to_vec() };
        let scenario = links::decode("cluster=dgx-h100&gpus=8").scenario;
        let brought = import_items(std::slice::from_ref(&item), &scenario).unwrap();
        assert!(brought.offers.iter().any(|offer| !offer.files.is_empty()), "{brought:?}");
        let marks = changed_lines(&item, text, &brought);
        assert_eq!(marks.len(), text.lines().count());
        for (place, offer) in brought.offers.iter().enumerate() {
            let marked = marks.iter().any(|mark| mark.contains(&place));
            assert_eq!(marked, !offer.files.is_empty(), "{}", offer.what);
        }
        let nothing = import_items(&[Item { name: None, bytes: b"[512, 256]".to_vec() }], &default_scenario()).unwrap();
        assert!(changed_lines(&item, text, &nothing).iter().all(Vec::is_empty));
    }
}
