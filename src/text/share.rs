//! What the share menu says, and what it puts on the clipboard.

use super::{FREE, LIMITER, MFU, PEAK, STEP, TOKENS_SHORT, Tiles, headline, limiter, pins};
use engine::catalog;
use engine::format::THIN_SPACE;
use engine::scenario::Scenario;

/// On the button that opens the menu, for those who do not see its arrow.
pub const OPEN: &str = "Share and download";
/// Over what goes to the clipboard.
pub const COPY: &str = "Copy";
/// Over files.
pub const SAVE: &str = "Download";
/// Under them.
pub const BACK: &str = "Every file carries the link: drop one anywhere on this page to come back to the scenario.";
/// Beside the choice of what an embed shows.
pub const SHOWS: &str = "Embed shows";
/// Where the clipboard refuses.
pub const BY_HAND: &str = "The browser does not let this page write to the clipboard. Copy it from here:";
/// Said under figures of a run that does not fit.
const MOOT_HERE: &str = "MFU, tokens and step time hold if memory were no limit.";
/// What the column of the scenario on screen is called beside pinned ones.
const ON_SCREEN: &str = "On screen";
/// The script that makes figures of links, from the page's folder.
const SCRIPT: &str = "static/embed.js";
/// Pairs of the page's own query that an embed does without.
const NOT_EMBEDDED: [&str; 5] = ["view=", "embed=", "controls=", "theme=", "why="];

/// The view that only mixtures of experts have.
pub const LAYER: &str = "layer";

/// What an embed may show: the view's name in links, and here.
pub const VIEWS: [(&str, &str); 13] = [
    ("verdict.map.curve", "Headline, map and curves"),
    ("verdict", "Headline"),
    ("map", "Map"),
    ("curve", "Curves"),
    ("memory", "Memory"),
    ("timeline", "Timeline"),
    ("roofline", "Roofline"),
    ("scaling", "Scaling"),
    (LAYER, "Layer of experts"),
    ("sensitivity", "Sensitivity"),
    ("agreement", "Measurements"),
    ("strategies", "Strategies"),
    ("ranking", "Best layouts"),
];

/// Said after something was copied.
pub fn copied(what: Copy) -> String {
    format!("{} copied.", what.name())
}

/// Behind the caption of curves of which some are left out.
pub fn not_drawn(names: &[&str]) -> String {
    format!(" Not drawn, as they fit nowhere here: {}.", names.join(", "))
}

/// What a picture was made with.
pub fn made() -> String {
    format!("shardwise {}, catalog revision {}", env!("CARGO_PKG_VERSION"), catalog::REVISION)
}

/// What can be copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Copy {
    /// The headline as a link in Markdown.
    Markdown,
    /// The key figures as a table in Markdown.
    Table,
    /// The headline, the key figures, the link.
    Summary,
    /// HTML for a page of documentation: a link, and the script that makes a figure of it.
    Embed,
}

impl Copy {
    /// Every one, in the menu's order.
    pub const ALL: [Self; 4] = [Self::Markdown, Self::Table, Self::Summary, Self::Embed];

    /// On its button.
    pub fn name(self) -> &'static str {
        match self {
            Self::Markdown => "Markdown link",
            Self::Table => "Markdown table",
            Self::Summary => "Text summary",
            Self::Embed => "Embed code",
        }
    }

    /// What is copied: of this scenario and those pinned beside it, under this link; an embed shows this view.
    pub fn text(self, scenario: &Scenario, pins: &[Scenario], link: &str, view: &str) -> String {
        match self {
            Self::Markdown => markdown_link(scenario, link),
            Self::Table => markdown_table(scenario, pins, link),
            Self::Summary => summary(scenario, pins, link),
            Self::Embed => embed(scenario, link, view),
        }
    }
}

/// The headline in one sentence.
fn sentence(scenario: &Scenario) -> String {
    headline(scenario, &scenario.report()).sentence().replace(THIN_SPACE, " ")
}

/// The headline as a link.
fn markdown_link(scenario: &Scenario, link: &str) -> String {
    format!("[{}]({link})", in_markdown(&sentence(scenario)))
}

/// The key figures of every scenario, a row each: its name, and what the scenarios have.
fn rows(scenario: &Scenario, all: &[Scenario]) -> Vec<Vec<String>> {
    let mut rows = vec![vec![String::new()]];
    rows.extend([MFU, TOKENS_SHORT, STEP, PEAK, FREE, LIMITER].map(|name| vec![name.to_owned()]));
    for (place, one) in core::iter::once(scenario).chain(all).enumerate() {
        let name = place.checked_sub(1).map(|place| pins::name(place, &pins::differences(scenario, one)));
        let cells = [name.unwrap_or_else(|| ON_SCREEN.into())].into_iter().chain(figures(one));
        rows.iter_mut().zip(cells).for_each(|(row, cell)| row.push(cell.replace(THIN_SPACE, " ")));
    }
    rows
}

/// The key figures, in the order of the page.
pub fn figures(scenario: &Scenario) -> [String; 6] {
    let report = scenario.report();
    let Tiles { mfu, tokens, step, peak, free, .. } = Tiles::of(scenario, &report);
    [mfu, tokens, step, peak, free, limiter(report.limiter).into()]
}

fn markdown_table(scenario: &Scenario, pins: &[Scenario], link: &str) -> String {
    let mut text = String::new();
    for (place, row) in rows(scenario, pins).iter().enumerate() {
        for cell in row {
            text += &["| ", &in_markdown(cell), " "].concat();
        }
        text += "|\n";
        if place == 0 {
            text += &["|---|", &"---:|".repeat(row.len() - 1), "\n"].concat();
        }
    }
    text + "\n" + &markdown_link(scenario, link) + "\n"
}

/// The headline; the key figures in columns, with the ranges in which measurements lie where nothing is pinned; the link.
fn summary(scenario: &Scenario, pins: &[Scenario], link: &str) -> String {
    let mut rows = rows(scenario, pins);
    if pins.is_empty() {
        // One column needs no name.
        rows.remove(0);
        let bands = Tiles::of(scenario, &scenario.report()).bands;
        let bands = bands.into_iter().map(|band| format!("({})", band.replace(THIN_SPACE, " ")));
        rows.iter_mut().zip(bands).for_each(|(row, band)| row.push(band));
    }
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let mut text = sentence(scenario) + "\n\n";
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
    if !scenario.report().fits() {
        text += &["\n", MOOT_HERE, "\n"].concat();
    }
    text + "\n" + link + "\n"
}

/// A link that reads as the headline, and the script that makes a figure of it; without script and in print it stays a link.
fn embed(scenario: &Scenario, link: &str, view: &str) -> String {
    let (page, fragment) = link.split_once('#').unwrap_or((link, ""));
    let (path, query) = page.split_once('?').unwrap_or((page, ""));
    let kept =
        query.split('&').filter(|pair| !pair.is_empty() && !NOT_EMBEDDED.iter().any(|own| pair.starts_with(own)));
    let query: String = kept.fold(format!("?view={view}"), |query, pair| query + "&" + pair);
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let [address, words, script] =
        [[path, &query, "#", fragment].concat(), sentence(scenario), [folder, "/", SCRIPT].concat()]
            .map(|text| in_html(&text));
    format!("<a href=\"{address}\">{words}</a>\n<script src=\"{script}\" defer></script>\n")
}

/// A text as Markdown shows it.
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

/// A text as HTML shows it.
fn in_html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::View;
    use engine::share::{decode, encode_with};

    const PAGE: &str = "https://example.org/calc/";

    fn opened(link: &str) -> (Scenario, Vec<Scenario>, String) {
        let decoded = decode(link);
        let link = format!("{PAGE}?map=gpus.mem&why=mfu#{}", encode_with(&decoded.scenario, &decoded.pins));
        (decoded.scenario, decoded.pins, link)
    }

    #[test]
    fn the_summary_is_aligned_and_ends_with_the_link() {
        let (scenario, pins, link) = opened("");
        let text = Copy::Summary.text(&scenario, &pins, &link, "");
        let report = scenario.report();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0].replace(' ', ""), headline(&scenario, &report).sentence().replace([' ', THIN_SPACE], ""));
        assert_eq!((lines[1], lines[8], lines[9]), ("", "", link.as_str()));
        let starts: Vec<_> = lines[2..6].iter().map(|line| line.find('(')).collect();
        assert!(starts[0].is_some() && starts.windows(2).all(|two| two[0] == two[1]), "{text}");
        assert!(lines[2].starts_with("MFU           52.9 %"), "{text}");
    }

    #[test]
    fn pinned_scenarios_are_columns() {
        let (scenario, pins, link) = opened("v=1&rev=2&pin=1&gpus=128&pin=2&tp=8");
        let table = Copy::Table.text(&scenario, &pins, &link, "");
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(lines[0], "|  | On screen | A: 128 GPUs | B: Tensor parallel: 8 |");
        assert_eq!(lines[1], "|---|---:|---:|---:|");
        assert!(lines[2..8].iter().all(|line| line.matches('|').count() == 5), "{table}");
        assert!(lines[9].starts_with('[') && lines[9].ends_with(&format!("]({link})")), "{table}");
        let summary = Copy::Summary.text(&scenario, &pins, &link, "");
        assert!(summary.contains("On screen") && summary.ends_with(&format!("\n\n{link}\n")), "{summary}");
    }

    #[test]
    fn every_view_is_one_that_links_know() {
        for (view, name) in VIEWS {
            assert_eq!(View::from_query(&["?view=", view].concat()).panels.text(), view, "{name}");
        }
    }

    #[test]
    fn an_embed_is_a_link_to_the_view_and_the_script_beside_the_page() {
        let (scenario, pins, link) = opened("v=1&rev=2&gpus=128");
        let code = Copy::Embed.text(&scenario, &pins, &link, "map");
        assert!(code.starts_with(&format!(
            "<a href=\"{PAGE}?view=map&amp;map=gpus.mem#v=1&amp;rev=2&amp;gpus=128\">13B on 128 "
        )));
        assert!(code.ends_with(&format!("</a>\n<script src=\"{PAGE}static/embed.js\" defer></script>\n")), "{code}");
        let plain = Copy::Embed.text(&scenario, &pins, "http://127.0.0.1:8080/#v=1", "verdict");
        assert!(plain.contains("href=\"http://127.0.0.1:8080/?view=verdict#v=1\"") && plain.contains("8080/static/"));
        let markdown = Copy::Markdown.text(&scenario, &pins, &link, "");
        assert!(markdown.starts_with("[13B on 128 A100 40 GB fits") && markdown.ends_with(&format!(".]({link})")));
    }
}
