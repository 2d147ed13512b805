//! Sizes in names of models: `8b`, `1.7B`, `270m`, `8x7B`, `1T`. Also used by the build, which
//! checks that a further name says no other size than its row.

/// The most that a size in a name may differ from the parameters: names round, and mixtures of
/// experts share layers between the experts that a name counts (8x7B has 46.7B).
const MOST: f64 = 1.0 / 3.0;

/// Returns the sizes that a name says, in parameters, each with the readings that it may have:
/// `0_5b` is 5B or 0.5B. Active parameters (`a3b`) are none. Where a name says billions, millions
/// and trillions are lengths and counts of tokens (`7B-1M`, `1.1B-3T`).
pub(crate) fn sizes(name: &str) -> Vec<Vec<f64>> {
    let name = name.to_ascii_lowercase();
    let mut found: Vec<(char, Vec<f64>)> = Vec::new();
    for part in name.split(|sign: char| !sign.is_ascii_alphanumeric() && !matches!(sign, '.' | '_')) {
        let mut before = None;
        for word in part.split('_') {
            if let Some((unit, number)) = size(word) {
                let with_before = before.and_then(|before| size(&format!("{before}.{word}")));
                found.push((unit, [number].into_iter().chain(with_before.map(|(_, number)| number)).collect()));
            }
            before = Some(word).filter(|word| !word.is_empty() && word.chars().all(|sign| sign.is_ascii_digit()));
        }
    }
    let says_billions = found.iter().any(|(unit, _)| *unit == 'b');
    found.into_iter().filter(|(unit, _)| *unit == 'b' || !says_billions).map(|(_, size)| size).collect()
}

/// Returns the unit and the parameters of a word: `8b`, `1.7b`, `1b7`, `8x7b`.
fn size(word: &str) -> Option<(char, f64)> {
    let at = word.find(['b', 'm', 't'])?;
    let (number, rest) = word.split_at(at);
    let mut rest = rest.chars();
    let unit = rest.next()?;
    let factor = match unit {
        'b' => 1e9,
        'm' => 1e6,
        _ => 1e12,
    };
    // `1b7` is 1.7B.
    let tenths = rest.as_str();
    let is_number = |text: &str| text.starts_with(|sign: char| sign.is_ascii_digit()) && text.parse::<f64>().is_ok();
    let (experts, number) = number.split_once('x').unwrap_or(("1", number));
    let number = if tenths.is_empty() { number.to_owned() } else { format!("{number}.{tenths}") };
    if !is_number(experts) || !is_number(&number) {
        return None;
    }
    Some((unit, experts.parse::<f64>().ok()? * number.parse::<f64>().ok()? * factor))
}

/// Returns the first size in a name that is neither near `params` nor in one of the model's own
/// names (`Llama-4-Scout-17B-16E` has 109B, of which a token uses 17B), in billions.
pub(crate) fn other_size<'a>(name: &str, params: f64, own: impl Iterator<Item = &'a str>) -> Option<f64> {
    let said = sizes(name);
    if said.is_empty() {
        return None;
    }
    let own: Vec<f64> = own.flat_map(sizes).flatten().collect();
    let is_its = |size: &f64| (size / params - 1.0).abs() <= MOST || own.contains(size);
    let other = said.into_iter().find(|readings| !readings.iter().any(is_its))?;
    other.first().map(|size| size / 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_names_write_them() {
        for (name, expected) in [
            ("Qwen3-30B-A3B", vec![vec![30e9]]),
            ("Mixtral-8x7B", vec![vec![56e9]]),
            ("gemma-3-270m-it", vec![vec![270e6]]),
            ("Ling-1T", vec![vec![1e12]]),
            ("bloom-1b7", vec![vec![1.7e9]]),
            ("qwen2_5_0_5b", vec![vec![5e9, 0.5e9]]),
            ("TinyLlama-1.1B-intermediate-step-1431k-3T", vec![vec![1.1e9]]),
            ("Qwen2.5-7B-Instruct-1M", vec![vec![7e9]]),
            ("OLMoE-1B-7B", vec![vec![1e9], vec![7e9]]),
            ("gemma-4-E2B-it-4bit", vec![]),
            ("bge-m3", vec![]),
            ("", vec![]),
        ] {
            let near = |one: &f64, other: &f64| (one / other - 1.0).abs() < 1e-9;
            let found = sizes(name);
            let is_same = found.len() == expected.len()
                && found.iter().zip(&expected).all(|(one, other)| {
                    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| near(one, other))
                });
            assert!(is_same, "{name}: {found:?}");
        }
    }

    #[test]
    fn a_third_is_the_most_that_a_name_may_differ() {
        let said = |name| other_size(name, 9e9, core::iter::empty());
        assert_eq!([said("a-12b"), said("a-7b"), said("a")], [None; 3]);
        assert_eq!([said("a-13b"), said("a-5b")], [Some(13.0), Some(5.0)]);
        assert_eq!(other_size("a-17b-16e", 109e9, ["Scout-17B"].into_iter()), None);
    }
}
