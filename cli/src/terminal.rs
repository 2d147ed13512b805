//! The terminal: its width, colours, and the progress of a search.

use std::io::{IsTerminal as _, Write as _};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use clap::ValueEnum;

/// When the output has colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    Always,
    Never,
}

/// Whether this run prints colours.
static COLOURS: OnceLock<bool> = OnceLock::new();

/// Chooses whether this run prints colours. `NO_COLOR` (no-color.org) turns them off,
/// `CLICOLOR_FORCE` on.
pub(crate) fn choose(color: Color) {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty() && value != "0");
    let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    let colours = match color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto if is_set("NO_COLOR") => false,
        Color::Auto => is_set("CLICOLOR_FORCE") || (std::io::stdout().is_terminal() && !is_dumb),
    };
    // A process of Python may run several commands; the first choice holds.
    let _ = COLOURS.set(colours);
}

/// Returns the width of the terminal in columns; `None` if the output is no terminal, where tables
/// keep their width.
pub(crate) fn width() -> Option<usize> {
    if !std::io::stdout().is_terminal() {
        return None;
    }
    terminal_size::terminal_size().map(|(terminal_size::Width(columns), _)| usize::from(columns))
}

/// Beginnings of lines, and the word in them that gets the style.
const STYLES: [(&str, &str, &str); 9] = [
    ("Fits ", "yes", GREEN),
    ("Fits ", "tight", YELLOW),
    ("Fits ", "no", RED),
    ("Error:", "Error:", RED),
    ("Assumed", "Assumed", DIM),
    ("- SW1", "SW1", RED),
    ("- SW2", "SW2", YELLOW),
    ("- SW3", "SW3", BLUE),
    ("Best:", "Best:", GREEN),
];
const RED: &str = "\u{1b}[31;1m";
const GREEN: &str = "\u{1b}[32;1m";
const YELLOW: &str = "\u{1b}[33;1m";
const BLUE: &str = "\u{1b}[34;1m";
const DIM: &str = "\u{1b}[2m";
const RESET: &str = "\u{1b}[0m";

/// Adds colours to a text if this run prints them.
pub(crate) fn coloured(text: &str) -> String {
    if COLOURS.get() == Some(&true) { painted(text) } else { text.to_owned() }
}

fn painted(text: &str) -> String {
    text.split_inclusive('\n').map(line).collect()
}

fn line(line: &str) -> String {
    let styled = STYLES.iter().find_map(|(begin, word, style)| {
        let after = line.strip_prefix(begin)?;
        // A word of the beginning itself, or the first one after it.
        let at = if begin.ends_with(word) || begin.starts_with(word) || begin.contains(word) {
            line.find(word)?
        } else {
            let found = line.len() - after.trim_start().len();
            after.trim_start().starts_with(word).then_some(found)?
        };
        let end = line.get(at..)?.find([' ', ':', ',', '\n']).map_or(line.len(), |length| at + length);
        Some(format!("{}{style}{}{RESET}{}", line.get(..at)?, line.get(at..end)?, line.get(end..)?))
    });
    styled.unwrap_or_else(|| line.to_owned())
}

/// Shows the progress of a search in one line of stderr, from a second on and on a terminal alone.
pub(crate) struct Progress {
    started: Instant,
    shown: Option<u8>,
    is_shown: bool,
}

/// Time after which a search shows its progress.
const PATIENCE: Duration = Duration::from_secs(1);

impl Progress {
    pub(crate) fn start() -> Self {
        Self { started: Instant::now(), shown: None, is_shown: std::io::stderr().is_terminal() }
    }

    /// Shows the visited combinations.
    pub(crate) fn show(&mut self, visited: usize, of: usize) {
        if !self.is_shown || self.started.elapsed() < PATIENCE || of == 0 {
            return;
        }
        let percent = (visited.saturating_mul(100) / of).min(100) as u8;
        if self.shown != Some(percent) {
            self.shown = Some(percent);
            eprint!("\rSearching: {percent} % of {} combinations", engine::format::count(of as f64));
            let _ = std::io::stderr().flush();
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.shown.is_some() {
            // Clears the line.
            eprint!("\r\u{1b}[2K");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_that_decides_has_a_colour() {
        let text = "Fits             no: 3 % of such runs fit\nMFU  40 %\n- SW201 Recompute\nError: x\n";
        let painted = painted(text);
        assert!(painted.contains(&format!("Fits             {RED}no{RESET}: 3 %")), "{painted:?}");
        assert!(painted.contains(&format!("- {YELLOW}SW201{RESET} Recompute")), "{painted:?}");
        assert!(painted.contains(&format!("{RED}Error{RESET}: x")) && painted.contains("\nMFU  40 %\n"), "{painted:?}");
    }
}
