//! What a program did by itself at the date that a row's source bears.

use super::row::Row;
use engine::catalog::{self, releases};
use engine::model::software::{Communication, Kernels, Loss, RepeatedHeads, RootUnit, Segments};
use engine::params::ParamId;

/// Names of months as sources write them.
const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// Returns year and month of a text: `2025-06`, `202506`, `Oct 2024`; `None` if it has none.
pub fn month(text: &str) -> Option<(u32, u32)> {
    let text = text.to_ascii_lowercase();
    let parts: Vec<&str> = text.split(|sign: char| !sign.is_ascii_alphanumeric()).collect();
    let year = |part: &str| part.parse().ok().filter(|year| (2020..2030).contains(year));
    let number = |part: &str| part.parse().ok().filter(|month| (1..=12).contains(month));
    for (at, part) in parts.iter().enumerate() {
        let next = parts.get(at + 1).copied().unwrap_or_default();
        let joined = || Some((year(part.get(..4)?)?, number(part.get(4..)?)?));
        let spaced = || Some((year(part)?, number(next).filter(|_| next.len() == 2)?));
        let named = || {
            let month = MONTHS.iter().position(|month| part.starts_with(month))?;
            Some((year(next)?, u32::try_from(month).ok()? + 1))
        };
        let found = if part.len() == 6 { joined() } else { spaced().or_else(named) };
        if found.is_some() {
            return found;
        }
    }
    None
}

/// Returns year and month that a row's framework, place or source bears.
pub fn of(row: &Row) -> Option<(u32, u32)> {
    let texts = [&row.framework, &row.location, &row.source];
    texts.iter().find_map(|text| month(text)).or_else(|| month_of_place(&row.location))
}

/// Pages of torchtitan that bear no date, with the month in which their figures came into its repository.
const PAGES: [(&str, (u32, u32)); 2] = [
    // docs/mxfp8.md of b3da1a2d8, moved since.
    ("mxfp8.md", (2025, 12)),
    // torchtitan/components/quantization/nvfp4.md of bcc09297a.
    ("nvfp4.md", (2026, 8)),
];

/// Numbers of torchtitan's pull requests, each the middle one of those merged in a month (its `git log`).
const PULLS: [(u32, (u32, u32)); 14] = [
    (238, (2024, 4)),
    (470, (2024, 7)),
    (624, (2024, 10)),
    (798, (2025, 1)),
    (1088, (2025, 4)),
    (1407, (2025, 7)),
    (1578, (2025, 8)),
    (1718, (2025, 9)),
    (1873, (2025, 10)),
    (2253, (2026, 1)),
    (2960, (2026, 4)),
    (3262, (2026, 5)),
    (3899, (2026, 7)),
    (4148, (2026, 8)),
];

/// The month of a page or of a pull request of torchtitan.
fn month_of_place(location: &str) -> Option<(u32, u32)> {
    let page = || PAGES.iter().find(|(page, _)| location.contains(page)).map(|(_, month)| *month);
    let pull = || {
        let (_, rest) = location.split_once("pytorch/torchtitan/pull/")?;
        let number: u32 = rest.split(|sign: char| !sign.is_ascii_digit()).next()?.parse().ok()?;
        PULLS.iter().min_by_key(|(middle, _)| middle.abs_diff(number)).map(|(_, month)| *month)
    };
    page().or_else(pull)
}

/// What a program does by itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ByItself {
    /// Its loss.
    pub loss: Loss,
    /// How the allocator that it sets reserves.
    pub segments: Segments,
    /// What its FSDP keeps gathered outside the layers.
    pub root_unit: RootUnit,
    /// Whether it copies keys and values for the queries that share them.
    pub repeated_heads: RepeatedHeads,
}

/// Returns what a program does at the date of a row's source; `None` where it bears none.
pub fn software(row: &Row, program: &str, kernels: Kernels) -> Option<ByItself> {
    let (year, month) = of(row)?;
    // What was measured in a month was measured before its last commits.
    let release = releases::before(program, &format!("{year}-{month:02}-15"))?;
    let mut chosen = catalog::default_scenario();
    (chosen.kernels, chosen.communication, chosen.pp) = (kernels, Communication::USUAL, row.pp.unwrap_or(1));
    let mut then = chosen;
    release.apply(&mut then, &chosen);
    Some(ByItself {
        loss: then.kernels.loss,
        segments: then.segments,
        root_unit: then.communication.root_unit,
        repeated_heads: then.kernels.repeated_heads,
    })
}

/// Returns what a program of one way alone keeps gathered outside the layers: that of its first release.
pub fn root_unit(program: &str) -> RootUnit {
    let mut scenario = catalog::default_scenario();
    let first = releases::RELEASES.iter().find(|release| release.program_key() == program);
    if let Some(fact) = first.and_then(|release| release.fact(ParamId::RootUnit)) {
        // A test of the engine holds that links know it.
        let _ = engine::share::put(&mut scenario, ParamId::RootUnit.key(), fact);
    }
    scenario.communication.root_unit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_as_sources_write_them() {
        assert_eq!(month("benchmarks/llama3_h100_202412_torchtitan.md Table 5"), Some((2024, 12)));
        assert_eq!(month("asyncTP_llama3_h100_2025-06_torchtitan.md"), Some((2025, 6)));
        assert_eq!(month("AWS SageMaker torchtitan blog (Oct 2024)"), Some((2024, 10)));
        assert_eq!(month("https://github.com/pytorch/torchtitan/pull/1690"), None);
        assert_eq!(month("2.3"), None);
    }

    #[test]
    fn pages_and_pull_requests_are_dated_by_their_history() {
        assert_eq!(month_of_place("torchtitan/components/quantization/nvfp4.md Llama 3 8B table"), Some((2026, 8)));
        assert_eq!(month_of_place("https://github.com/pytorch/torchtitan/pull/1690 (description)"), Some((2025, 9)));
        assert_eq!(month_of_place("https://github.com/NousResearch/torchtitan/pull/19"), None);
        assert_eq!(month_of_place("benchmarks/README.md"), None);
    }

    #[test]
    fn what_a_program_does_is_that_of_the_date() {
        let of = |location: &str, pp: u32| {
            let row = Row { location: location.to_owned(), pp: Some(pp), ..Row::default() };
            let by_itself = software(&row, "torchtitan", Kernels { compile: true, ..Kernels::USUAL })?;
            assert_eq!(by_itself.segments, Segments::Expandable);
            Some((by_itself.loss, by_itself.root_unit))
        };
        assert_eq!(of("tables of 2025-06", 1), Some((Loss::Fused, RootUnit::KeptWithLast)));
        assert_eq!(of("tables of 2025-01", 1), Some((Loss::Standard, RootUnit::KeptWithLast)));
        assert_eq!(of("quantization/mxfp8.md", 1), Some((Loss::Fused, RootUnit::Head)));
        assert_eq!(of("quantization/nvfp4.md", 1), Some((Loss::FusedLinear, RootUnit::Head)));
        assert_eq!(of("quantization/nvfp4.md", 2), Some((Loss::Fused, RootUnit::Head)));
        assert_eq!(of("tables", 1), None);
    }

    #[test]
    fn undated_rows_have_the_root_unit_of_the_first_release() {
        let of = |program| root_unit(program);
        assert_eq!(
            [of("torchtitan"), of("torchtune"), of("litgpt")],
            [RootUnit::KeptWithLast, RootUnit::Kept, RootUnit::Kept]
        );
    }
}
