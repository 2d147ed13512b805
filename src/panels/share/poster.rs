//! The poster of a scenario: one picture with headline, figures of the tiles, map, curves and
//! memory.

use std::rc::Rc;

use super::texts;
use crate::calculator::headline::{Headline, headline};
use crate::calculator::{Buffers, Derived, Pace, derive};
use crate::compare::Pin;
use crate::panels::cost::RunTexts;
use crate::panels::tiles::Tiles;
use crate::panels::verdict::evidence::evidence;
use crate::scenario_line::scenario_line;
use crate::snapshot::Snapshot;
use crate::view::{Panels, View};
use crate::words::{LIMITER, MFU, NEEDED, STEP, TOKENS_SHORT};
use analysis::answer::Figures;
use charts::paint::{FIGURES, Poster, Tile};
use engine::model::odds::Verdict;

/// Derives the content of a poster: verdict, map and curves, as in an embed that names no panel.
pub(super) fn derive_poster(snapshot: &Rc<Snapshot>) -> Derived {
    let view = View { embed: true, panels: Panels::default(), ..snapshot.view };
    let shown = Rc::new(Snapshot { view, ..(**snapshot).clone() });
    derive(&shown, Pace::STILL, &mut Buffers::default())
}

/// Returns the poster of derived values, with the link back to the scenario.
pub fn poster<'a>(derived: &'a Derived, link: &'a str) -> Poster<'a> {
    let Headline { subject, verdict, rest, state } = headline(&derived.scenario, &derived.report);
    let Tiles { figures, of_peak, fits, .. } = Tiles::new(&derived.scenario, &derived.report);
    let Figures { mfu, tokens, step, needed, limiter, bands, .. } = figures;
    let mfu = of_peak.map_or_else(|| mfu.clone(), |of| format!("{mfu} {of}"));
    let [of_mfu, of_tokens, of_step, of_needed] = bands;
    let RunTexts { name, time, cost, .. } = RunTexts::new(&derived.scenario, &derived.report);
    let tile = |name: &str, value, band| Tile { name: name.to_owned(), value, band, hypothetical: false };
    let timed = |name: &str, value, band| Tile { hypothetical: !fits, ..tile(name, value, band) };
    Poster {
        headline: [subject, verdict.to_owned(), rest],
        scenario: scenario_line(&derived.scenario, &derived.report),
        fits: matches!(state, Verdict::Fits | Verdict::Tight),
        tiles: [
            timed(MFU, mfu, of_mfu),
            timed(TOKENS_SHORT, tokens, of_tokens),
            timed(STEP, step, of_step),
            tile(NEEDED, needed, of_needed),
            tile(LIMITER, limiter.into(), String::new()),
            timed(&name, time, cost),
        ],
        pins: derived.pins.iter().map(|pin| (pin.name.clone(), columns(pin))).collect(),
        map: &derived.charts.map,
        curve: &derived.charts.curve,
        memory: &derived.memory,
        link,
        made: format!("{} · {}", evidence(&derived.scenario), texts::made()),
    }
}

/// Returns the figures of a pinned scenario, each under its tile.
fn columns(pin: &Pin) -> [String; FIGURES] {
    let [mfu, tokens, step, needed, limiter, time, cost] = texts::figures(&pin.scenario, &pin.report);
    [mfu, tokens, step, needed, limiter, [time, cost].join(", ")]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::View;
    use charts::paint::poster_svg;
    use links::{carried, decode, encode_with};

    #[test]
    fn a_poster_leads_back_to_its_scenario_and_says_what_the_page_says() {
        for link in ["", "v=1&cluster=dgx-h100&model=mixtral-8x7b&gpus=256&pin=1&gpus=512", "seq=1M&recompute=none"] {
            let decoded = decode(link);
            let link = format!("https://example.org/?curve=gpus#{}", encode_with(&decoded.scenario, &decoded.pins));
            let snapshot =
                Rc::new(Snapshot { scenario: decoded.scenario, pins: decoded.pins.clone(), view: View::default() });
            let derived = derive_poster(&snapshot);
            let poster = poster(&derived, &link);
            let svg = poster_svg(&poster).unwrap();
            let back = carried::link_in_svg(&svg).unwrap();
            assert_eq!(back, link);
            let again = decode(&back);
            assert_eq!((again.scenario, again.pins, again.issues), (decoded.scenario, decoded.pins, decoded.issues));
            assert!(svg.contains(" tokens per step") && poster.scenario.contains(" · "));
            assert!(svg.contains(&poster.headline[1]) && svg.contains(&poster.tiles[3].value));
            assert!(svg.starts_with("<svg ") && svg.contains("width=\"1280\""), "{link}");
            assert!(!svg.contains(" style=") && !svg.contains(">NaN"));
        }
    }
}
