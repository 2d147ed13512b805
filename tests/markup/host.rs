//! The host: its controls, and a step that waits for data.

use crate::{page, page_at, words};
use links::decode;
use shardwise::panels::step::waterfall::DATA_LEVER;
use shardwise::panels::tiles::Tiles;
use shardwise::view::Panel;

#[test]
fn the_hosts_controls_stand_together() {
    let html = page(&catalog::default_scenario(), Vec::new());
    let places = ["Host memory", "Host memory bandwidth", "NVMe bandwidth", "Host speed", "Data loader"]
        .map(|name| html.find(&format!("aria-label=\"{name}\"")).unwrap_or_else(|| panic!("no control {name}")));
    assert!(places.is_sorted() && places[4] - places[0] < 20_000, "{places:?}");
}

#[test]
fn a_step_that_waits_for_data_says_so_and_what_helps() {
    let scenario = decode("cluster=dgx-h100&model=llama-3.1-8b&gpus=64&accum=4&loader=1").scenario;
    let html = page(&scenario, Vec::new());
    let spoken = words(&html).replace('\u{2009}', " ");
    assert!(spoken.contains("limited by the data loaders"), "{spoken}");
    assert!(
        Tiles::new(&scenario, &scenario.report()).figures.limited.ends_with(" wait for data")
            && spoken.contains(" wait for data")
    );
    let step = words(&page_at(Panel::Waterfall, &scenario));
    assert!(step.contains("Waiting for data") && step.contains(DATA_LEVER), "{step}");
    assert!(!spoken.contains("wait for launches"), "{spoken}");
    let without = words(&page_at(Panel::Waterfall, &catalog::default_scenario()));
    assert!(!without.contains("Waiting for data") && !without.contains(DATA_LEVER));
}
