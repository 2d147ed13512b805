//! The texts that the share menu puts on the clipboard.

use crate::calculator::Derived;
use crate::calculator::headline::headline;
use crate::panels::cost::FIGURES;
use crate::panels::tiles::Tiles;
use crate::panels::verdict::evidence::evidence;
use crate::scenario_line::scenario_line;
use crate::view::Panels;
use crate::words::{LIMITER, MFU, NEEDED, STEP, TOKENS_SHORT};
use analysis::answer::Figures;
use engine::fitted::CALIBRATION;
use engine::format::THIN_SPACE;
use engine::model::report::Report;
use engine::scenario::Scenario;

/// Name of the column of the scenario on screen, next to pinned scenarios.
const ON_SCREEN: &str = "On screen";
/// Path from the page's folder of the script that turns links into figures.
const SCRIPT: &str = "static/embed.js";
/// Pairs of the page's own query that an embed leaves out.
const NOT_EMBEDDED: [&str; 5] = ["view=", "embed=", "controls=", "theme=", "why="];

/// Returns the program and the calibration that a picture was made with.
pub(super) fn made() -> String {
    format!("shardwise {}, calibration {CALIBRATION}", env!("CARGO_PKG_VERSION"))
}

/// Formats of texts that can be copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CopyFormat {
    /// The headline as a link in Markdown, and the scenario.
    Markdown,
    /// The key figures as a table in Markdown.
    Table,
    /// The headline, the scenario, the key figures, the link.
    Summary,
    /// HTML for a page of documentation: a link, and the script that turns the link into a figure.
    Embed,
    /// A frame for pages that allow no script.
    Frame,
}

impl CopyFormat {
    /// All formats, in the order of the menu.
    pub(super) const ALL: [Self; 5] = [Self::Markdown, Self::Table, Self::Summary, Self::Embed, Self::Frame];

    /// Returns the label of the button.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Markdown => "Markdown link",
            Self::Table => "Markdown table",
            Self::Summary => "Text summary",
            Self::Embed => "Embed code",
            Self::Frame => "Plain iframe",
        }
    }

    /// Returns the text to copy for the scenario on screen and the pinned scenarios, with this
    /// link; an embed shows this view.
    pub(super) fn text(self, derived: &Derived, link: &str, view: &str) -> String {
        match self {
            Self::Markdown => markdown_link(derived, link),
            Self::Table => markdown_table(derived, link),
            Self::Summary => summary(derived, link),
            Self::Embed => embed(derived, link, view),
            Self::Frame => frame(derived, link, view),
        }
    }
}

/// Returns the headline in one sentence.
fn sentence(derived: &Derived) -> String {
    headline(&derived.scenario, &derived.report).sentence().replace(THIN_SPACE, " ")
}

/// Returns the scenario in one sentence.
fn line(derived: &Derived) -> String {
    scenario_line(&derived.scenario, &derived.report).replace(THIN_SPACE, " ")
}

/// Returns the headline as a link, followed by the scenario.
fn markdown_link(derived: &Derived, link: &str) -> String {
    format!("[{}]({link}) {}", in_markdown(&sentence(derived)), in_markdown(&line(derived)))
}

/// Returns one row for each key figure: its name, then its value for each scenario. The first row
/// has the names of the scenarios.
fn rows(derived: &Derived) -> Vec<Vec<String>> {
    let mut rows = vec![vec![String::new()]];
    let names = [MFU, TOKENS_SHORT, STEP, NEEDED, LIMITER].into_iter().chain(FIGURES);
    rows.extend(names.map(|name| vec![name.to_owned()]));
    let on_screen = (ON_SCREEN, figures(&derived.scenario, &derived.report));
    let pinned = derived.pins.iter().map(|pin| (pin.name.as_str(), figures(&pin.scenario, &pin.report)));
    for (name, figures) in core::iter::once(on_screen).chain(pinned) {
        let cells = [name.to_owned()].into_iter().chain(figures);
        rows.iter_mut().zip(cells).for_each(|(row, cell)| row.push(cell.replace(THIN_SPACE, " ")));
    }
    rows
}

/// Returns the key figures, in the order of the page.
pub(super) fn figures(scenario: &Scenario, report: &Report) -> [String; 7] {
    let Tiles { figures, fits, .. } = Tiles::new(scenario, report);
    let Figures { mfu, tokens, step, needed, limiter, time, cost, .. } = figures;
    let [time, cost] = [time, cost].map(|figure| format!("{figure} for {}", scenario.length()));
    let assumed = if fits { "" } else { " if memory were no limit" };
    let [mfu, tokens, step, time, cost] = [mfu, tokens, step, time, cost].map(|figure| figure + assumed);
    [mfu, tokens, step, needed, limiter.into(), time, cost]
}

fn markdown_table(derived: &Derived, link: &str) -> String {
    let mut text = String::new();
    for (place, row) in rows(derived).iter().enumerate() {
        for cell in row {
            text += &["| ", &in_markdown(cell), " "].concat();
        }
        text += "|\n";
        if place == 0 {
            text += &["|---|", &"---:|".repeat(row.len() - 1), "\n"].concat();
        }
    }
    let stands_on = in_markdown(&evidence(&derived.scenario).replace(THIN_SPACE, " "));
    text + "\n" + &stands_on + ".\n\n" + &markdown_link(derived, link) + "\n"
}

/// Returns the headline and the scenario; the key figures in columns, with ranges of measurements
/// if nothing is pinned; the link.
fn summary(derived: &Derived, link: &str) -> String {
    let mut rows = rows(derived);
    if derived.pins.is_empty() {
        // A single column needs no name.
        rows.remove(0);
        let bands = Tiles::new(&derived.scenario, &derived.report).figures.bands;
        let bands = bands.into_iter().map(|band| format!("({})", band.replace(THIN_SPACE, " ")));
        rows.iter_mut().zip(bands).for_each(|(row, band)| row.push(band));
    }
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let mut text = sentence(derived) + "\n" + &line(derived) + "\n\n";
    for row in &rows {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            line += cell;
            let missing = width(column) - cell.chars().count() + 2;
            line.extend(core::iter::repeat_n(' ', missing));
        }
        text += line.trim_end();
        text.push('\n');
    }
    text + "\n" + &evidence(&derived.scenario).replace(THIN_SPACE, " ") + ".\n\n" + link + "\n"
}

/// Returns a link whose text is the headline and the scenario, and the script that turns the link
/// into a figure; without scripts and in print the link remains.
fn embed(derived: &Derived, link: &str, view: &str) -> String {
    let path = link.split(['?', '#']).next().unwrap_or_default();
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let [address, words, script] =
        [viewed(link, view), sentence(derived) + " " + &line(derived), [folder, "/", SCRIPT].concat()]
            .map(|text| in_html(&text));
    format!("<a href=\"{address}\">{words}</a>\n<script src=\"{script}\" defer></script>\n")
}

/// Returns a frame of the view, as high as the view is without learning it, with the headline as
/// its title.
fn frame(derived: &Derived, link: &str, view: &str) -> String {
    let [address, words] =
        [viewed(link, view).replacen('?', "?embed=1&", 1), sentence(derived)].map(|text| in_html(&text));
    let height = Panels::from_names(view).frame_height();
    format!(
        "<iframe src=\"{address}\" title=\"{words}\" width=\"100%\" height=\"{height}\" loading=\"lazy\"></iframe>\n"
    )
}

/// Returns the link with this view in place of the page's own.
fn viewed(link: &str, view: &str) -> String {
    let (page, fragment) = link.split_once('#').unwrap_or((link, ""));
    let (path, query) = page.split_once('?').unwrap_or((page, ""));
    let kept =
        query.split('&').filter(|pair| !pair.is_empty() && !NOT_EMBEDDED.iter().any(|own| pair.starts_with(own)));
    let query: String = kept.fold(format!("?view={view}"), |query, pair| query + "&" + pair);
    [path, &query, "#", fragment].concat()
}

/// Escapes a text for Markdown.
fn in_markdown(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        if matches!(letter, '[' | ']' | '|' | '\\' | '*' | '_') {
            safe.push('\\');
        }
        safe.push(letter);
    }
    safe
}

/// Escapes a text for HTML.
fn in_html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calculator::{Buffers, Pace, derive};
    use crate::snapshot::Snapshot;
    use crate::view::View;
    use links::{decode, encode_with};
    use std::rc::Rc;

    const PAGE: &str = "https://example.org/calc/";

    fn opened(link: &str) -> (Derived, String) {
        let decoded = decode(link);
        let view = View::from_query("?embed=1&view=verdict");
        let snapshot = Rc::new(Snapshot { scenario: decoded.scenario, pins: decoded.pins.clone(), view });
        let derived = derive(&snapshot, Pace::STILL, &mut Buffers::default());
        (derived, format!("{PAGE}?map=gpus.mem&why=mfu#{}", encode_with(&decoded.scenario, &decoded.pins)))
    }

    #[test]
    fn the_summary_is_aligned_and_ends_with_the_link() {
        let (derived, link) = opened("");
        let text = CopyFormat::Summary.text(&derived, &link, "");
        let Derived { scenario, report, .. } = &derived;
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0].replace(' ', ""), headline(scenario, report).sentence().replace([' ', THIN_SPACE], ""));
        assert_eq!(lines[1], line(&derived));
        assert_eq!((lines[2], lines[10], lines[12], lines[13]), ("", "", "", link.as_str()));
        assert!(lines[9].starts_with("Cost ") && lines[9].ends_with(" for 1T tokens"), "{text}");
        assert_eq!(lines[11], evidence(scenario).replace(THIN_SPACE, " ") + ".");
        let starts: Vec<_> = lines[3..7].iter().map(|line| line.find('(')).collect();
        assert!(starts[0].is_some() && starts.windows(2).all(|two| two[0] == two[1]), "{text}");
        assert!(lines[3].starts_with("MFU            47.7 %"), "{text}");
    }

    #[test]
    fn pinned_scenarios_are_columns() {
        let (derived, link) = opened("v=1&pin=1&gpus=128&pin=2&tp=8");
        let table = CopyFormat::Table.text(&derived, &link, "");
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(lines[0], "|  | On screen | A: 128 GPUs | B: Tensor parallel: 8 |");
        assert_eq!(lines[1], "|---|---:|---:|---:|");
        assert!(lines[2..9].iter().all(|line| line.matches('|').count() == 5), "{table}");
        assert!(lines[7].starts_with("| Time to train | ") && lines[8].starts_with("| Cost | $"), "{table}");
        assert!(lines[10].contains("measured runs on A100 40 GB"), "{table}");
        assert!(lines[12].starts_with('[') && lines[12].contains(&format!("]({link}) All weights at ")), "{table}");
        let summary = CopyFormat::Summary.text(&derived, &link, "");
        assert!(summary.contains("On screen") && summary.ends_with(&format!("\n\n{link}\n")), "{summary}");
    }

    #[test]
    fn an_embed_is_a_link_to_the_view_and_the_script_beside_the_page() {
        let (derived, link) = opened("v=1&gpus=128");
        let code = CopyFormat::Embed.text(&derived, &link, "map");
        assert!(
            code.starts_with(&format!("<a href=\"{PAGE}?view=map&amp;map=gpus.mem#v=1&amp;gpus=128\">13B on 128 "))
        );
        assert!(code.ends_with(&format!("</a>\n<script src=\"{PAGE}static/embed.js\" defer></script>\n")), "{code}");
        let frame = CopyFormat::Frame.text(&derived, &link, "map");
        let start = format!(
            "<iframe src=\"{PAGE}?embed=1&amp;view=map&amp;map=gpus.mem#v=1&amp;gpus=128\" title=\"13B on 128 "
        );
        assert!(frame.starts_with(&start) && frame.ends_with("</iframe>\n"), "{frame}");
        let plain = CopyFormat::Embed.text(&derived, "http://127.0.0.1:8080/#v=1", "verdict");
        assert!(plain.contains("href=\"http://127.0.0.1:8080/?view=verdict#v=1\"") && plain.contains("8080/static/"));
        let markdown = CopyFormat::Markdown.text(&derived, &link, "");
        assert!(markdown.starts_with("[13B on 128 A100 40 GB is a tight fit"), "{markdown}");
        assert!(
            markdown.contains(&format!(".]({link}) All weights at ")) && markdown.ends_with(" · 128 A100 40 GB"),
            "{markdown}"
        );
        assert!(markdown.contains(" FULL\\_SHARD, dp 128 · "), "{markdown}");
        assert!(code.contains(" · 128 A100 40 GB</a>"), "{code}");
    }
}
