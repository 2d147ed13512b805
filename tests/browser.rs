//! The page in a browser: events in, text and pixels out.
#![cfg(target_arch = "wasm32")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that panics has failed")]

use engine::catalog;
use engine::share::{decode, encode};
use gloo::utils::{document, window};
use shardwise::view::View;
use shardwise::{App, Start};
use std::time::Duration;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::{Element, Event, HtmlCanvasElement, HtmlElement, HtmlInputElement};
use yew::platform::time::sleep;

wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);

/// A mounted page that goes when the test ends.
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
        };
        let handle = yew::Renderer::<App>::with_root_and_props(root.clone(), start).render();
        let page = Self { root, handle: Some(handle) };
        page.settle().await;
        page
    }

    /// Long enough for a frame, its painting and a commit.
    async fn settle(&self) {
        sleep(Duration::from_millis(600)).await;
    }

    fn element<T: wasm_bindgen::JsCast>(&self, selector: &str) -> T {
        self.root.query_selector(selector).unwrap().expect(selector).dyn_into().unwrap()
    }

    fn text(&self, selector: &str) -> String {
        self.element::<Element>(selector).text_content().unwrap_or_default()
    }

    fn fire(&self, selector: &str, event: &str) {
        let fired = Event::new(event).unwrap();
        fired.init_event_with_bubbles(event, true);
        self.element::<Element>(selector).dispatch_event(&fired).unwrap();
    }

    fn enter(&self, selector: &str, value: &str) {
        self.element::<HtmlInputElement>(selector).set_value(value);
        // Yew listens for an `InputEvent`, and takes any event of that name.
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
    let before = (page.text("output[aria-label='Peak memory']"), page.pixels("#map"), page.pixels("#curve"));
    let at = page.element::<HtmlInputElement>("#size").value_as_number();
    page.enter("#size", &format!("{}", at - 40.0));
    page.settle().await;
    let after = (page.text("output[aria-label='Peak memory']"), page.pixels("#map"), page.pixels("#curve"));
    assert_ne!(before.0, after.0);
    assert_ne!(before.1, after.1);
    assert_ne!(before.2, after.2);
}

#[wasm_bindgen_test]
async fn text_that_is_no_value_keeps_the_result_and_offers_one() {
    let page = Page::open().await;
    let before = page.text("#headline");
    page.enter("#mem-typed", "abc");
    page.fire("#mem-typed", "change");
    page.settle().await;
    assert_eq!(page.text("#headline"), before);
    assert_eq!(page.element::<HtmlInputElement>("#mem-typed").value(), "abc");
    assert!(page.text("#mem-error").contains("abc"));
    page.element::<HtmlElement>("#mem-error button").click();
    page.settle().await;
    assert_eq!(page.text("#mem-error"), "");
    assert_eq!(page.element::<HtmlInputElement>("#mem-typed").value(), "40");
}

#[wasm_bindgen_test]
async fn a_typed_field_stays_the_same_element_while_its_parameter_leaves_the_preset() {
    let page = Page::open().await;
    let field = page.element::<HtmlInputElement>("#mem-typed");
    page.enter("#mem-typed", "80 GB");
    page.settle().await;
    assert!(page.element::<Element>("#mem-typed").is_same_node(Some(&field)));
    assert_eq!(field.value(), "80 GB");
    page.fire("#mem-typed", "change");
    page.settle().await;
    assert_eq!(field.value(), "80");
}

#[wasm_bindgen_test]
async fn a_finished_gesture_goes_to_the_link_and_back_undoes_it() {
    let page = Page::open().await;
    let before = page.text("#headline");
    page.enter("#seq", "3");
    page.fire("#seq", "change");
    page.settle().await;
    let changed = page.text("#headline");
    assert_ne!(changed, before);
    let fragment = window().location().hash().unwrap();
    let decoded = decode::decode(&fragment);
    assert!(decoded.issues.is_empty(), "{:?}", decoded.issues);
    assert_eq!(decoded.scenario.seq_len, 1024);
    assert_eq!(format!("#{}", encode::encode(&decoded.scenario)), fragment);
    window().history().unwrap().back().unwrap();
    page.settle().await;
    assert_eq!(page.text("#headline"), before);
    window().history().unwrap().forward().unwrap();
    page.settle().await;
    assert_eq!(page.text("#headline"), changed);
}

#[wasm_bindgen_test]
async fn a_link_that_is_opened_by_hand_shows_what_could_not_be_read() {
    let page = Page::open().await;
    window().location().set_hash("v=1&rev=1&seq=2048&mem=abc&what=ever").unwrap();
    page.settle().await;
    assert_eq!(page.element::<HtmlInputElement>("#seq-typed").value(), "2048");
    let banner = page.text("#banner");
    assert!(banner.contains("abc") && banner.contains("what"), "{banner}");
    page.element::<HtmlElement>("#banner button").click();
    page.settle().await;
    assert!(page.root.query_selector("#banner").unwrap().is_none());
}

#[wasm_bindgen_test]
async fn undo_and_redo_go_through_the_same_scenarios() {
    let page = Page::open().await;
    let before = page.text("#headline");
    page.enter("#gpus", "3");
    page.fire("#gpus", "change");
    page.settle().await;
    let changed = page.text("#headline");
    page.element::<HtmlElement>("button[aria-label=Undo]").click();
    page.settle().await;
    assert_eq!(page.text("#headline"), before);
    page.element::<HtmlElement>("button[aria-label=Redo]").click();
    page.settle().await;
    assert_eq!(page.text("#headline"), changed);
}
