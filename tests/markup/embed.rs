//! The page embedded in another page.

use crate::embed;
use engine::scenario::Scenario;
use shardwise::view::Panel;

#[test]
fn an_embed_has_the_panels_of_its_link_in_their_order_and_nothing_around_them() {
    for panel in Panel::ALL {
        let html = embed(&format!("embed=1&view={}&controls=none", panel.key()), Vec::new());
        assert_eq!(html.matches("<main").count(), 1, "{panel:?}");
        for other in ["masthead", "colophon", "gallery", "id=\"advice\"", "id=\"pin\"", "type=\"range\""] {
            assert!(!html.contains(other), "{panel:?} has {other}");
        }
        for canvas in ["map", "curve", "memory", "step-memory", "timeline", "roofline", "scaling", "agreement"] {
            assert_eq!(
                html.contains(&format!("<canvas id=\"{canvas}\"")),
                canvas == panel.key(),
                "{panel:?}: {canvas}"
            );
        }
        assert_eq!(html.matches("<h1").count(), 1, "{panel:?}");
    }
    let html = embed("embed=1&view=timeline.verdict.map", Vec::new());
    let place = |what: &str| html.find(what).unwrap();
    assert!(place("id=\"timeline\"") < place("id=\"headline\"") && place("id=\"headline\"") < place("id=\"map\""));
}

#[test]
fn an_embed_has_as_many_controls_as_its_link_asks_for() {
    let count = |query: &str| embed(query, Vec::new()).matches("type=\"range\"").count();
    assert_eq!(count("embed=1&view=memory&controls=none"), 0);
    assert_eq!(count("embed=1&view=memory"), 5);
    assert_eq!(count("embed=1&view=memory&controls=few"), 5);
    let all = embed("embed=1&view=memory&controls=all", Vec::new());
    assert!(
        all.matches("type=\"range\"").count() > 5 && all.contains("id=\"model\"") && all.contains("class=\"group\"")
    );
}

#[test]
fn an_embed_leads_to_the_page_with_what_is_on_screen() {
    let html = embed("embed=1&view=map&controls=none&theme=dark&map=seq.gpus", Vec::new());
    let link = "href=\"./?view=map&amp;map=seq.gpus#v=1";
    assert!(html.contains(link) && html.contains("target=\"_blank\"") && html.contains("rel=\"noopener\""), "{html}");
    let pinned = Scenario { gpus: 128, ..catalog::default_scenario() };
    assert!(!html.contains("class=\"pins\"") && embed("embed=1", vec![pinned]).contains("class=\"pins\""));
}

#[test]
fn the_script_for_other_pages_is_small() {
    let script = include_str!("../../static/embed.js");
    assert!(script.len() <= 2048, "{} bytes", script.len());
}
