//! The document: identifiers, styles, and the limits of its security policy.

use crate::{does_not_fit, page};
use engine::scenario::issue::Issue;

#[test]
fn nothing_in_the_markup_breaks_the_content_security_policy() {
    for scenario in [catalog::default_scenario(), does_not_fit()] {
        let html = page(&scenario, vec![Issue::error("mem", "A test.")]);
        for forbidden in [" style=\"", "<script", "<style", " onclick=\"", "javascript:"] {
            assert!(!html.contains(forbidden), "{forbidden}");
        }
    }
}

#[test]
fn no_two_elements_share_an_identifier() {
    let html = page(&does_not_fit(), vec![Issue::error("mem", "A test.")]);
    let mut ids: Vec<&str> = html.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    ids.sort_unstable();
    let twice: Vec<_> = ids.windows(2).filter(|pair| pair[0] == pair[1]).collect();
    assert!(twice.is_empty(), "{twice:?}");
}

/// Returns the rules of the style sheet inside this media query, in order.
fn rules_under(query: &str) -> String {
    let sheet = include_str!("../../static/page.css");
    let mut rules = String::new();
    for block in sheet.split(&format!("@media ({query}) {{")).skip(1) {
        // A rule closes its own brace before the brace of the query closes.
        let mut depth = 1;
        let inside = |letter: &char| {
            depth += i32::from(*letter == '{') - i32::from(*letter == '}');
            depth > 0
        };
        rules.extend(block.chars().take_while(inside));
    }
    rules
}

#[test]
fn at_400_percent_nothing_stays_at_the_top() {
    let low = rules_under("max-height: 399px");
    assert!(low.contains(".slim { display: none; }") && low.contains("scroll-padding-top: 0;"), "{low}");
}

#[test]
fn the_scroll_bar_of_the_controls_has_the_colours_of_the_theme() {
    let sheet = include_str!("../../static/page.css");
    let thin = sheet.lines().find(|line| line.contains("scrollbar-width: thin")).unwrap();
    assert!(thin.contains(".controls {") && thin.contains("scrollbar-color: var(--axis) transparent"), "{thin}");
}
