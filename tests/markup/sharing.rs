//! Sharing: links, files, the whole run, a plan.

use crate::{does_not_fit, embed, page, page_at, rendered, words};
use analysis::answer::Answer;
use engine::scenario::Scenario;
use shardwise::calculator::{Buffers, Pace, derive};
use shardwise::panels::run;
use shardwise::panels::share::{self, ShareMenu, ShareMenuProps as ShareProps};
use shardwise::snapshot::Snapshot;
use shardwise::state::{Action, State};
use shardwise::view::{Panel, View};
use std::rc::Rc;
use yew::{Callback, Reducible as _};

#[test]
fn the_share_menu_has_every_form_and_file_by_its_name() {
    let closed = page(&catalog::default_scenario(), Vec::new());
    assert!(closed.contains("aria-label=\"Share and download\"") && !closed.contains("id=\"share-menu\""));
    let menu = |scenario: Scenario| {
        let view = View::default();
        let snapshot = Rc::new(Snapshot { scenario, pins: Vec::new(), view });
        let derived = Rc::new(derive(&snapshot, Pace::STILL, &mut Buffers::default()));
        rendered::<ShareMenu>(ShareProps { snapshot, derived, close: Callback::noop() })
    };
    let html = menu(catalog::default_scenario());
    for name in [
        "Markdown link",
        "Markdown table",
        "Text summary",
        "Embed code",
        "SVG picture",
        "PNG picture (2×)",
        "CSV of all numbers",
        "JSON report",
    ] {
        assert!(html.contains(&format!(">{name}</button>")), "no {name} in {html}");
    }
    assert_eq!(html.matches("<option").count(), share::VIEWS.len());
    // Only a mixture has a layer of experts to show.
    let mixture = catalog::default_scenario().with_model(catalog::model("mixtral-8x7b").unwrap().pick());
    assert!(html.contains("disabled") && !menu(mixture).contains("disabled"));
    assert!(html.contains("role=\"status\"") && html.contains(share::BACK));
}

#[test]
fn the_whole_run_says_what_it_takes() {
    assert!(words(&page_at(Panel::Run, &catalog::default_scenario())).contains(run::TITLE));
    let said = |scenario: &Scenario| {
        let answer = Answer::new(scenario, &scenario.report());
        let rows: Vec<_> = run::rows(&answer).into_iter().map(|(name, value)| format!("{name}: {value}")).collect();
        assert!(rows.iter().all(|row| !row.contains("NaN") && !row.contains("inf")), "{rows:?}");
        run::caption(scenario, &answer).replace('\u{2009}', " ")
    };
    let mut scenario = catalog::default_scenario();
    let caption = said(&scenario);
    assert!(caption.starts_with("1T tokens take ") && caption.contains(" days and $"), "{caption}");
    assert!(said(&does_not_fit()).starts_with("If memory were no limit: 1T tokens take "));
    scenario.run.mtbf = engine::units::Seconds::from_hours(1.0);
    assert_eq!(
        said(&scenario),
        "1T tokens never finish: one failure every 56.2 s leaves no time to restart and catch up."
    );
}

#[test]
fn a_restored_view_keeps_the_readers_theme_and_what_page_this_is() {
    let start =
        Rc::new(State::new(&catalog::default_scenario(), Vec::new(), View::from_query("?embed=1&view=map&theme=dark")));
    let restored =
        start.reduce(Action::RestoreView(View::from_query("?view=curve&controls=all&theme=light&curve=gpus")));
    assert_eq!(restored.view.query(), "?embed=1&view=map&theme=dark&curve=gpus");
}

/// The question of a plan comes from the link; only a question with a number shows a field for it.
#[test]
fn the_question_of_a_plan_is_that_of_the_link() {
    let html = embed("embed=1&view=plan&controls=none&plan=cheapest&days=12", Vec::new());
    assert!(html.contains("id=\"plan-question\"") && html.contains("cheapest by a deadline"));
    assert!(
        html.contains("id=\"plan-number\"") && html.contains("value=\"12\"") && html.contains("id=\"plan-batch\""),
        "{html}"
    );
    let html = embed("embed=1&view=plan&controls=none&plan=context&days=12", Vec::new());
    assert!(!html.contains("id=\"plan-number\"") && words(&html).contains("The global batch stays"), "{html}");
    assert!(page_at(Panel::Agreement, &catalog::default_scenario()).contains("id=\"alike\""));
}
