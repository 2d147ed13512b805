//! The cells of a row, by the names of their columns.

use super::LeftOut;
use core::ops::RangeInclusive;
use engine::params::quantity::shorten;

/// Cells without a value.
const BLANK: [&str; 7] = ["", "-", "–", "n/a", "na", "nan", "null"];

/// Maximum plausible count; larger numbers are errors.
const LARGEST_COUNT: f64 = 1e8;

/// Bounds of a plausible measurement in any unit.
const PLAUSIBLE: RangeInclusive<f64> = 1e-9..=1e15;

/// Named cells of a row that have a value, trimmed.
#[derive(Clone, Debug, Default)]
pub struct Cells<'a>(Vec<(&'a str, &'a str)>);

impl<'a> FromIterator<(&'a str, &'a str)> for Cells<'a> {
    /// Collects pairs of a column's name and its cell, without the mark that some programs write
    /// before the first name.
    fn from_iter<I: IntoIterator<Item = (&'a str, &'a str)>>(pairs: I) -> Self {
        let trimmed = pairs.into_iter().map(|(name, cell)| (name.trim().trim_start_matches('\u{feff}'), cell.trim()));
        Self(trimmed.filter(|(_, cell)| !BLANK.iter().any(|blank| cell.eq_ignore_ascii_case(blank))).collect())
    }
}

impl<'a> Cells<'a> {
    /// Iterates over the names with their cells, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.0.iter().copied()
    }

    /// Returns a cell; an empty text if it is blank or missing.
    pub fn get(&self, name: &str) -> &'a str {
        self.iter().find(|(known, _)| *known == name).map_or("", |(_, cell)| cell)
    }

    /// Returns whether a cell is 1.
    pub fn is_yes(&self, name: &str) -> bool {
        self.get(name) == "1"
    }

    /// Returns a positive whole number.
    ///
    /// # Errors
    ///
    /// Returns the name of the column if there is none.
    pub fn need(&self, name: &str) -> Result<u32, LeftOut> {
        let whole = self.number(name).ok().filter(|number| number.fract() == 0.0);
        let count = whole.filter(|number| (1.0..=LARGEST_COUNT).contains(number));
        count.map(|count| count as u32).ok_or_else(|| LeftOut::missing(name))
    }

    /// Returns a positive whole number, or 0 if there is none.
    pub fn count(&self, name: &str) -> u32 {
        self.need(name).unwrap_or(0)
    }

    /// Returns a number.
    ///
    /// # Errors
    ///
    /// Returns the name of the column if there is none.
    pub fn number(&self, name: &str) -> Result<f64, LeftOut> {
        let number = self.get(name).parse::<f64>().ok().filter(|number| number.is_finite());
        number.ok_or_else(|| LeftOut::missing(name))
    }

    /// Returns a measured number; `None` if the cell is blank.
    ///
    /// # Errors
    ///
    /// Returns the name of the column if the cell has another text.
    pub fn measured(&self, name: &str) -> Result<Option<f64>, LeftOut> {
        match (self.get(name), self.number(name)) {
            ("", _) => Ok(None),
            (_, Ok(number)) if PLAUSIBLE.contains(&number) => Ok(Some(number)),
            (cell, _) => {
                Err(LeftOut::because(format!("column `{name}` is not a measured number")).about(shorten(cell)))
            }
        }
    }
}
