//! The release of NVIDIA's software that a row was measured with: what the row says wherever it says it, the document and line that it
//! names, else the middle one of its table, with a note.

mod documents;

use super::Notes;
use super::dated::month;
use super::row::Row;
use super::text::has;

/// Words of remarks before a release. Other columns need none: a number of that form there is nothing else.
const BEFORE: [&str; 6] = ["container", "release", "nemo:", "nemo ", "ngc", "pytorch:"];

/// The middle one of the 282 lines of Megatron-Bridge's performance summaries, 25.09 to 26.08.
const OF_SUMMARIES: f64 = 26.04;
/// That of the verification cards' `base_container` (examples/model_verification_cards, github NVIDIA-NeMo/Megatron-Bridge 067f987df).
const OF_CARDS: f64 = 26.06;

/// Returns the release as a number such as 26.06, from the row's own words.
pub fn said(row: &Row) -> Option<f64> {
    let columns = [&row.release, &row.framework, &row.location, &row.source];
    let plain = || columns.iter().find_map(|text| first(text));
    let remarked = || BEFORE.iter().find_map(|word| after(&row.notes, word));
    // Documentation names its page's date, remarks the month of a measurement.
    let dated = || month(&row.notes).filter(|_| is_nvidias(row)).map(|(year, month)| number(year % 100, month));
    plain().or_else(remarked).or_else(|| documents::release(&row.location)).or_else(dated)
}

/// Returns a row with its release, which a note names where it is assumed.
pub fn completed(row: &Row, notes: &mut Notes) -> Row {
    let known = said(row);
    let assumed = || {
        let usual = usual(row)?;
        notes.add(format!("release {usual:.2} assumed, the middle one of the table's"));
        Some(usual)
    };
    let release = known.or_else(assumed).map_or_else(String::new, |release| format!("{release:.2}"));
    Row { release, ..row.clone() }
}

/// Returns the release of a completed row.
pub fn of(row: &Row) -> Option<f64> {
    said(row)
}

/// The middle release of a publisher whose tables have several, each with other recipes.
fn usual(row: &Row) -> Option<f64> {
    if !has(&row.source, &["megatron-bridge", "moe recipe index"]) {
        None
    } else if has(&row.source, &["card"]) {
        Some(OF_CARDS)
    } else {
        Some(OF_SUMMARIES)
    }
}

/// Whether months of remarks are those of NVIDIA's releases.
fn is_nvidias(row: &Row) -> bool {
    has(&row.framework, &["megatron", "nemo"])
}

fn number(year: u32, month: u32) -> f64 {
    f64::from(year) + f64::from(month) / 100.0
}

/// The release within a few words after a word of remarks.
fn after(text: &str, word: &str) -> Option<f64> {
    let text = text.to_ascii_lowercase();
    let reach = |rest: &str| rest.chars().take("container nvcr.io/nvidia/nemo:26.06".len()).collect::<String>();
    text.match_indices(word).find_map(|(at, _)| first(&reach(text.get(at + word.len()..)?)))
}

/// The first number of a text that is a year and a month since 2022, with or without a patch: `26.02.01`.
fn first(text: &str) -> Option<f64> {
    let is_part = |sign: char| !(sign.is_ascii_digit() || sign == '.');
    text.split(is_part).find_map(|part| {
        let mut numbers = part.trim_matches('.').split('.');
        let two = |number: &str| number.parse::<u32>().ok().filter(|_| number.len() == 2);
        let year = numbers.next().and_then(two).filter(|year| (22..=29).contains(year))?;
        let month = numbers.next().and_then(two).filter(|month| (1..=12).contains(month))?;
        let is_release = numbers.next().is_none_or(|patch| patch.len() <= 2) && numbers.next().is_none();
        is_release.then_some(number(year, month))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn release(set: impl Fn(&mut Row)) -> Option<f64> {
        let mut row = Row { framework: "Megatron-Core".into(), ..Row::default() };
        set(&mut row);
        said(&row)
    }

    #[test]
    fn releases_are_read_however_they_are_spelt() {
        for notes in [
            "container 26.06 NeMo Container; Pre-Training",
            "base_container: nvcr.io/nvidia/nemo:26.06",
            "NeMo:26.06",
            "release 26.06",
            "June 2026 release value",
            "measured on nemo:26.06.01",
        ] {
            assert_eq!(release(|row| row.notes = notes.into()), Some(26.06), "{notes}");
        }
        assert_eq!(release(|row| row.source = "DGX Cloud benchmarking recipes 24.11.1".into()), Some(24.11));
        assert_eq!(release(|row| row.framework = "Megatron-Bridge, NeMo 25.09".into()), Some(25.09));
        assert_eq!(release(|row| row.release = "26.04".into()), Some(26.04));
    }

    #[test]
    fn other_numbers_are_no_releases() {
        for notes in ["max over stages: 46.77/26.06/30.09", "25.08 GB a GPU", "NeMo 2.3.2", "core 0.6.0", "126.06 s"] {
            assert_eq!(release(|row| row.notes = notes.into()), None, "{notes}");
        }
        assert_eq!(release(|row| row.framework = "DeepSpeed 0.11.1".into()), None);
    }

    #[test]
    fn a_document_and_its_line_say_the_release() {
        let of = |location: &str| release(|row| row.location = location.into());
        assert_eq!(
            of("NVIDIA-NeMo/Megatron-Bridge@067f987df03b docs/performance-summary-archive.md:L610"),
            Some(25.09)
        );
        assert_eq!(of("NVIDIA-NeMo/Megatron-Bridge@067f987df03b docs/performance-summary-archive.md:L99"), Some(26.06));
        assert_eq!(of("NVIDIA-NeMo/Megatron-Bridge@067f987df03b docs/performance-summary.md:L60"), Some(26.08));
        assert_eq!(of("NVIDIA-NeMo/Megatron-Bridge@067f987df03b README.md:L60"), None);
    }

    #[test]
    fn a_row_that_says_nothing_has_the_middle_release_of_its_table() {
        let mut notes = Notes::default();
        let row = Row { source: "NVIDIA Megatron-Bridge performance summary".into(), ..Row::default() };
        assert_eq!(of(&completed(&row, &mut notes)), Some(OF_SUMMARIES));
        assert_eq!(notes.iter().filter(|note| note.contains("assumed")).count(), 1);
        let other = Row { framework: "Megatron-Core".into(), ..Row::default() };
        assert_eq!(of(&completed(&other, &mut notes)), None);
    }
}
