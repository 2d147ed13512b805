//! Cards that explain a number.

use crate::{IMAGES, page, page_at, rendered};
use engine::model::report::MemoryPart;
use engine::scenario::Scenario;
use shardwise::panels::memory::bar::{gib, part_size};
use shardwise::panels::tiles::Tiles;
use shardwise::view::{Panel, View};
use shardwise::{App, Start};

#[test]
fn every_number_has_a_button_and_every_card_its_place() {
    let scenario = catalog::default_scenario();
    let plain = page(&scenario, Vec::new());
    assert!(!plain.contains("id=\"why\""));
    // The name leaves out the value next to it: with the value, every slider would change every
    // name.
    assert!(plain.contains("aria-label=\"Why? MFU\""));
    let once = |panel: Panel, scenario: &Scenario, key: &str| {
        let html = page_at(panel, scenario);
        assert_eq!(html.matches(&format!("id=\"ask-{key}\"")).count(), 1, "{key}");
    };
    let of_parts = MemoryPart::ALL.into_iter().filter(|part| !part.is_of_objective());
    for key in explain::HEADLINE.into_iter().chain(of_parts.map(|part| engine::names::part(part).card)) {
        once(Panel::Memory, &scenario, key);
    }
    for key in explain::RUN {
        once(Panel::Run, &scenario, key);
    }
    once(Panel::Memory, &links::decode(IMAGES).scenario, "tower-memory");
    let generating = links::decode("model=llama-3.1-8b&objective=grpo&sleep=no").scenario;
    let of_objective = MemoryPart::ALL.into_iter().filter(|part| part.is_of_objective() && *part != MemoryPart::Tower);
    for key in of_objective.map(|part| engine::names::part(part).card).chain(explain::ROLLOUT) {
        once(Panel::Memory, &generating, key);
    }
    let cards = explain::numbers().map(|number| (number.key, number.title));
    for (key, title) in cards.chain(explain::TERMS.iter().map(|term| (term.key, term.name))) {
        let view = View::from_query(&format!("?why={key}"));
        assert_eq!(view.query(), format!("?why={key}"));
        let html = rendered::<App>(Start { scenario, issues: Vec::new(), view, pins: Vec::new(), drawer: false });
        assert_eq!(html.matches("id=\"why\"").count(), 1, "{key}");
        assert!(html.contains(&format!("<h2 id=\"why-title\">{title}</h2>")), "{key}");
    }
}

#[test]
fn a_card_says_what_the_tile_says() {
    let scenario = catalog::default_scenario();
    let view = View::from_query("?why=mfu");
    let html = rendered::<App>(Start { scenario, issues: Vec::new(), view, pins: Vec::new(), drawer: false });
    let card = html.split("id=\"why\"").nth(1).unwrap().split("</section>").next().unwrap();
    let mfu = Tiles::new(&scenario, &scenario.report()).figures.mfu;
    assert!(card.contains(&format!("<strong>= {mfu}</strong>")), "{card}");
    assert!(card.contains("<math displaystyle=\"true\"") && card.contains("<mfrac>"), "{card}");
}

#[test]
fn links_of_a_card_lead_back_to_its_number() {
    let view = View::default().explaining("mfu").following("checkpointing").following("micro-batch");
    assert_eq!((view.why, view.why_from), ("micro-batch", "mfu"));
    assert_eq!(view.following("mfu"), View::default().explaining("mfu"));
    assert_eq!(view.explaining("mfu").explaining("mfu"), View::default());
    assert_eq!(View::from_query("?why=nothing"), View::default());
}

#[test]
fn logits_that_are_gone_at_the_peak_are_said_to_be_so() {
    let scenario = links::decode("cluster=dgx-h100&model=llama-3-8b&gpus=8&seq=1024").scenario;
    let logits = scenario.report().memory.parts.get(MemoryPart::Logits);
    assert_eq!(part_size(MemoryPart::Logits, 0.0), "not alive at the peak");
    assert_eq!(part_size(MemoryPart::Engine, 0.0), gib(0.0));
    assert_eq!(part_size(MemoryPart::Logits, logits.get()).contains("alive"), logits.get() <= 0.0);
}
