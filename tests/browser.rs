//! The page in a browser: events in, text and pixels out.
#![cfg(target_arch = "wasm32")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that panics has failed")]

use gloo::utils::{document, window};
use links::{decode, encode};
use shardwise::view::View;
use shardwise::{App, Start};
use std::time::Duration;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::{Element, Event, HtmlCanvasElement, HtmlElement, HtmlInputElement};
use yew::platform::time::sleep;

wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);

/// Attempts to meet a condition before it fails: for more than ten seconds.
const LOOKS: usize = 1000;

/// Length of the data URL up to which a picture may be blank.
const BLANK: usize = 8000;

/// A mounted page that is removed when the test ends.
struct Page {
    root: Element,
    handle: Option<yew::AppHandle<App>>,
}

impl Page {
    async fn open() -> Self {
        let history = window().history().unwrap();
        history.replace_state_with_url(&JsValue::NULL, "", Some(&window().location().pathname().unwrap())).unwrap();
        let root = document().create_element("div").unwrap();
        document().body().unwrap().append_child(&root).unwrap();
        let start = Start {
            scenario: catalog::default_scenario(),
            pins: Vec::new(),
            issues: Vec::new(),
            view: View::default(),
            drawer: true,
        };
        let handle = yew::Renderer::<App>::with_root_and_props(root.clone(), start).render();
        let page = Self { root, handle: Some(handle) };
        page.until("the page shows a headline and plots", || {
            !page.text("#headline").is_empty() && page.pixels("#map").len() > BLANK
        })
        .await;
        page
    }

    /// Waits until the condition holds.
    async fn until(&self, what: &str, holds: impl Fn() -> bool) {
        for _ in 0..LOOKS {
            if self.root.is_connected() && holds() {
                return;
            }
            sleep(Duration::from_millis(10)).await;
        }
        panic!("It never holds that {what}.");
    }

    fn element<T: wasm_bindgen::JsCast>(&self, selector: &str) -> T {
        self.root.query_selector(selector).unwrap().expect(selector).dyn_into().unwrap()
    }

    fn text(&self, selector: &str) -> String {
        let found = self.root.query_selector(selector).unwrap();
        found.and_then(|element| element.text_content()).unwrap_or_default()
    }

    fn fire(&self, selector: &str, event: &str) {
        let fired = Event::new(event).unwrap();
        fired.init_event_with_bubbles(event, true);
        self.element::<Element>(selector).dispatch_event(&fired).unwrap();
    }

    fn enter(&self, selector: &str, value: &str) {
        self.element::<HtmlInputElement>(selector).set_value(value);
        // Yew listens for an `InputEvent`, and accepts any event with that name.
        self.fire(selector, "input");
    }

    fn pixels(&self, selector: &str) -> String {
        self.element::<HtmlCanvasElement>(selector).to_data_url().unwrap()
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        if let Some(handle) = self.handle.take() {
            handle.destroy();
        }
        self.root.remove();
    }
}

#[wasm_bindgen_test]
async fn a_slider_changes_figures_and_pixels() {
    let page = Page::open().await;
    let before = (page.text("output[aria-label='Memory needed']"), page.pixels("#map"));
    let at = page.element::<HtmlInputElement>("#size").value_as_number();
    page.enter("#size", &format!("{}", at - 40.0));
    page.until("figure and map have changed", || {
        page.text("output[aria-label='Memory needed']") != before.0 && page.pixels("#map") != before.1
    })
    .await;
}

#[wasm_bindgen_test]
async fn text_that_is_no_value_keeps_the_result_and_offers_one() {
    let page = Page::open().await;
    let before = page.text("#headline");
    page.enter("#mem-typed", "abc");
    page.fire("#mem-typed", "change");
    page.until("the error quotes what was typed", || page.text("#mem-error").contains("abc")).await;
    assert_eq!(page.text("#headline"), before);
    assert_eq!(page.element::<HtmlInputElement>("#mem-typed").value(), "abc");
    page.element::<HtmlElement>("#mem-error button").click();
    page.until("the value is the one from before", || {
        page.text("#mem-error").is_empty() && page.element::<HtmlInputElement>("#mem-typed").value() == "40"
    })
    .await;
}

#[wasm_bindgen_test]
async fn a_typed_field_stays_the_same_element_while_its_parameter_leaves_the_preset() {
    let page = Page::open().await;
    let field = page.element::<HtmlInputElement>("#mem-typed");
    let before = page.text("output[aria-label='Memory needed']");
    page.enter("#mem-typed", "80 GB");
    page.until("the memory has changed", || page.text("output[aria-label='Memory needed']") != before).await;
    assert!(page.element::<Element>("#mem-typed").is_same_node(Some(&field)));
    assert_eq!(field.value(), "80 GB");
    page.fire("#mem-typed", "change");
    page.until("the field holds the value without its unit", || field.value() == "80").await;
}

#[wasm_bindgen_test]
async fn a_finished_gesture_goes_to_the_link_and_back_undoes_it() {
    let page = Page::open().await;
    let before = page.text("#headline");
    page.enter("#seq", "3");
    page.fire("#seq", "change");
    page.until("headline and link have changed", || {
        page.text("#headline") != before && window().location().hash().unwrap().contains("seq=")
    })
    .await;
    let changed = page.text("#headline");
    let fragment = window().location().hash().unwrap();
    let decoded = decode::decode(&fragment);
    assert!(decoded.issues.is_empty(), "{:?}", decoded.issues);
    assert_eq!(decoded.scenario.seq_len, 1024);
    assert_eq!(format!("#{}", encode::encode(&decoded.scenario)), fragment);
    window().history().unwrap().back().unwrap();
    page.until("back restores the headline", || page.text("#headline") == before).await;
    window().history().unwrap().forward().unwrap();
    page.until("forward restores the headline", || page.text("#headline") == changed).await;
}

#[wasm_bindgen_test]
async fn a_link_that_is_opened_by_hand_shows_what_could_not_be_read() {
    let page = Page::open().await;
    window().location().set_hash("v=1&seq=2048&mem=abc&what=ever").unwrap();
    page.until("the link is followed", || page.element::<HtmlInputElement>("#seq-typed").value() == "2048").await;
    page.until("the banner is there", || !page.text("#banner").is_empty()).await;
    let banner = page.text("#banner");
    assert!(banner.contains("abc") && banner.contains("what"), "{banner}");
    page.element::<HtmlElement>("#banner button").click();
    page.until("the banner is gone", || page.root.query_selector("#banner").unwrap().is_none()).await;
}

#[wasm_bindgen_test]
async fn undo_and_redo_go_through_the_same_scenarios() {
    let page = Page::open().await;
    let before = page.text("#headline");
    page.enter("#gpus", "3");
    page.fire("#gpus", "change");
    let enabled =
        |name: &str| page.root.query_selector(&format!("button[aria-label={name}]:enabled")).unwrap().is_some();
    page.until("the headline has changed and can be undone", || page.text("#headline") != before && enabled("Undo"))
        .await;
    let changed = page.text("#headline");
    page.element::<HtmlElement>("button[aria-label=Undo]").click();
    page.until("undo restores the headline", || page.text("#headline") == before && enabled("Redo")).await;
    page.element::<HtmlElement>("button[aria-label=Redo]").click();
    page.until("redo restores the headline", || page.text("#headline") == changed).await;
}
