//! What a program did by itself at the date that a row's source bears.

use super::row::Row;
use engine::catalog::{self, releases};
use engine::model::software::{Kernels, Loss, Segments};

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

/// Returns loss and segments of a program at the date of a row's source; `None` where it bears none.
pub fn software(row: &Row, program: &str, kernels: Kernels) -> Option<(Loss, Segments)> {
    let (year, month) = [&row.framework, &row.location, &row.source].iter().find_map(|text| self::month(text))?;
    // What was measured in a month was measured before its last commits.
    let release = releases::before(program, &format!("{year}-{month:02}-15"))?;
    let mut chosen = catalog::default_scenario();
    chosen.kernels = kernels;
    let mut then = chosen;
    release.apply(&mut then, &chosen);
    Some((then.kernels.loss, then.segments))
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
    fn the_loss_is_the_one_of_the_date() {
        let of = |location: &str| {
            let row = Row { location: location.to_owned(), ..Row::default() };
            software(&row, "torchtitan", Kernels { compile: true, ..Kernels::USUAL })
        };
        assert_eq!(of("tables of 2025-06"), Some((Loss::Fused, Segments::Expandable)));
        assert_eq!(of("tables of 2025-01"), Some((Loss::Standard, Segments::Expandable)));
        assert_eq!(of("tables"), None);
    }
}
