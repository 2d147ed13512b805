//! The first screen: headline, sentence, figures in a row, evidence.

use crate::{does_not_fit, embed, embedded, page, page_at, rendered, words};
use engine::scenario::Scenario;
use engine::scenario::issue::Issue;
use shardwise::calculator::headline::{self, title};
use shardwise::components::legend::BAND;
use shardwise::panels::advice::change::besides;
use shardwise::panels::run;
use shardwise::panels::tiles::Tiles;
use shardwise::view::{Panel, View};
use shardwise::{App, Start, scenario_line};

#[test]
fn every_slider_of_the_first_screen_has_its_name_and_a_typed_field() {
    let html = page(&catalog::default_scenario(), Vec::new());
    for name in ["GPU memory", "Link bandwidth", "Sequence length", "Model size", "GPUs"] {
        assert!(html.contains(&format!("aria-label=\"{name}\"")), "no slider {name}");
        assert!(html.contains(&format!("aria-label=\"{name}, typed\"")), "no field {name}");
    }
}

#[test]
fn the_headline_figures_are_outputs_with_their_names() {
    let html = page(&catalog::default_scenario(), Vec::new());
    for name in ["MFU", "Tokens per second per GPU", "Step time", "Memory needed"] {
        assert!(html.contains(&format!("<output aria-label=\"{name}\"")), "no output {name}");
    }
}

#[test]
fn the_range_of_measurements_stands_beside_the_headline_figures() {
    let html = page(&catalog::default_scenario(), Vec::new());
    // Ranges of four figures and of time and cost; the memory that nvidia-smi shows, and the time
    // of the limiter.
    assert_eq!(
        [html.matches("class=\"tile-band\"").count(), html.matches("class=\"tile-band aside\"").count()],
        [5, 2]
    );
    let bands = Tiles::new(&catalog::default_scenario(), &catalog::default_scenario().report()).figures.bands;
    assert!(bands.iter().all(|band| band.contains('–') && html.contains(band.as_str())), "{bands:?}");
    assert!(page_at(Panel::Curve, &catalog::default_scenario()).contains(BAND));
}

#[test]
fn days_and_dollars_stand_among_the_headline_figures() {
    let html = page(&catalog::default_scenario(), Vec::new());
    let run = catalog::default_scenario().run_report();
    let figure = format!("{}, {}", engine::format::duration(run.time), engine::format::dollars(run.cost.get()));
    assert!(
        html.contains(&format!("<output aria-label=\"Time and cost\" aria-live=\"off\">{figure}</output>")),
        "{figure}"
    );
    assert!(words(&html).contains("Time and cost, 1T tokens"));
    assert!(html.contains(">1T tokens</button>") && html.contains("id=\"ask-time-and-cost\""));
    assert!(words(&html).contains("List price: Lambda, 8x A100 SXM 40 GB, 2026-09-20. Edit it."));
    // The limiter has its time next to it, or the missing memory.
    let limited = |scenario: &Scenario| Tiles::new(scenario, &scenario.report()).figures.limited;
    assert!(html.contains(&limited(&catalog::default_scenario())));
    assert!(limited(&does_not_fit()).ends_with(" missing"));
    // The controls and the panel have names of their own.
    assert!(words(&html).contains("Run and cost") && run::TITLE != "Run and cost");
    let tile = |scenario: &Scenario| {
        page(scenario, Vec::new()).split("cell of-run").nth(1).unwrap().split("</div>").next().unwrap().to_owned()
    };
    assert!(tile(&does_not_fit()).contains("class=\"tile moot\""));
    let mut never = catalog::default_scenario();
    never.run.mtbf = engine::units::Seconds::from_hours(1.0);
    let said = words(&tile(&never));
    assert!(said.contains("never, –") && !said.contains("NaN") && !said.contains("inf"), "{said}");
}

#[test]
fn the_card_of_time_and_cost_says_where_the_price_comes_from() {
    let card = |link: &str| {
        let view = View::from_query("?why=time-and-cost");
        let scenario = links::decode(link).scenario;
        let html = rendered::<App>(Start { scenario, issues: Vec::new(), view, pins: Vec::new(), drawer: false });
        words(html.split("id=\"why\"").nth(1).unwrap().split("</section>").next().unwrap())
    };
    let said = card("v=1&cluster=dgx-h100");
    assert!(said.contains("Price of a GPU-hour: List price: Lambda, 8x H100 SXM, 2026-09-20."), "{said}");
    assert!(card("v=1&gpu=h800").contains("No list price known for H800: edit it."));
}

#[test]
fn notes_are_told_from_errors() {
    let noted = Scenario { gpus: 10, ..catalog::default_scenario() };
    assert!(page(&noted, Vec::new()).contains("<li class=\"note\">10 GPUs fill"));
    let wrong = Scenario { tp: 3, ..catalog::default_scenario() };
    assert!(page(&wrong, Vec::new()).contains("<li>3 GPUs of tensor parallelism"));
}

#[test]
fn the_headline_says_whether_it_fits() {
    // The default scenario is a tight fit: the odds near the limit also count runs that failed.
    let first = catalog::default_scenario();
    let sentence = headline::headline(&first, &first.report()).sentence();
    assert!(sentence.starts_with("13B on 64 A100 40 GB is a tight fit: needs 32.3 of 39.5\u{2009}GiB, "), "{sentence}");
    let fits = links::decode("mem=80").scenario;
    let sentence = headline::headline(&fits, &fits.report()).sentence();
    assert!(
        sentence.starts_with("13B on 64 A100 40 GB with 80\u{2009}GiB fits: needs 32.3 of 79.0\u{2009}GiB, "),
        "{sentence}"
    );
    assert!(sentence.contains(" MFU, limited by ") && sentence.ends_with('.'), "{sentence}");
    assert!(words(&page(&fits, Vec::new())).contains(&sentence));

    let mut tight = fits;
    tight.accelerator.values.memory = 1.2 * fits.report().memory.needed;
    let headline = headline::headline(&tight, &tight.report());
    assert!(tight.report().fits() && headline.verdict == "is a tight fit", "{headline:?}");
    let odds = format!(", {} of such runs fit. ", engine::format::odds(tight.report().odds()));
    assert!(headline.rest.contains(&odds), "{headline:?}");
    assert!(words(&page(&tight, Vec::new())).contains(&headline.sentence()));
    // A run that needs nearly all of the memory does not fit, and says so without a shortage.
    tight.accelerator.values.memory = 1.05 * fits.report().memory.needed;
    let headline = headline::headline(&tight, &tight.report());
    assert!(!tight.report().fits() && headline.verdict == "does not fit", "{headline:?}");

    let not = does_not_fit();
    let sentence = headline::headline(&not, &not.report()).sentence();
    assert!(sentence.starts_with("13B on 64 A100 40 GB does not fit: needs "), "{sentence}");
    assert!(words(&page(&not, Vec::new())).contains(&sentence));
}

#[test]
fn the_headline_says_that_the_host_lacks_memory_where_the_gpus_have_it() {
    let link = "cluster=dgx-h100&model=llama-2-70b&gpus=8&recompute=full&train=lora&deferred=no";
    let scenario = links::decode(link).scenario;
    let (report, title) = (scenario.report(), title(&scenario, &scenario.report()));
    let sentence = headline::headline(&scenario, &report).sentence();
    assert!(report.fits() && sentence.contains(" fits the GPUs, not the host: needs "), "{sentence}");
    let host = " of such runs fit their GPUs, and 2,070 of 2,048\u{2009}GiB of host memory.";
    assert!(sentence.ends_with(host) && title.contains("fits the GPUs, not the host"), "{sentence} {title}");
    let html = page(&scenario, Vec::new());
    assert!(words(&html).contains(&sentence) && html.contains("<em class=\"host_does_not_fit\">"));
}

#[test]
fn the_scenario_is_one_sentence_under_the_headline_and_every_word_leads_to_a_control_of_the_page() {
    for link in
        ["", "train=lora&strategy=hybrid-shard&tp=2&pp=2&compute=fp8", "model=mixtral-8x7b&ep=8&gpus=64&objective=dpo"]
    {
        let scenario = links::decode(link).scenario;
        let html = page(&scenario, Vec::new());
        let all = scenario_line::all_words(&scenario, &scenario.report());
        let place = html.split("<p id=\"scenario\"").nth(1).unwrap().split("</p>").next().unwrap();
        let said = words(place.split_once('>').unwrap().1);
        let line = all.iter().fold(String::new(), |line, word| line + word.joint + &word.text);
        assert_eq!(said, line);
        for word in all {
            assert!(html.contains(&format!("id=\"{}\"", word.control)), "no control {}", word.control);
            assert!(place.contains(&format!("title=\"{}\"", word.label)), "{place}");
        }
    }
    // An embed without controls has nothing to link to.
    let quiet = embed("embed=1&view=verdict", Vec::new());
    assert!(quiet.contains("id=\"scenario\"") && !quiet.contains("class=\"word\""));
    assert!(embed("embed=1&view=verdict&controls=all", Vec::new()).contains("class=\"word\""));
}

#[test]
fn a_change_that_alters_the_batch_says_so() {
    let scenario = links::decode("cluster=dgx-h100&model=llama-3-8b&gpus=64&seq=2k").scenario;
    let report = scenario.report();
    let found = analysis::advice::advise(&scenario, &report);
    assert!(!found.is_empty());
    for advice in &found {
        let besides = besides(&report, advice);
        let same = advice.report.tokens_per_step == report.tokens_per_step;
        assert_eq!(besides.is_none(), same, "{:?}: {besides:?}", advice.turn);
    }
    let of = |change: analysis::change::Change| {
        let changed = analysis::change::apply(&scenario, change);
        let advice = analysis::advice::Advice {
            turn: analysis::change::Turn::Change(change),
            scenario: changed,
            report: changed.report(),
            gain: 0.0,
            price: change.price(),
            lack: None,
        };
        besides(&report, &advice)
    };
    let larger = of(analysis::change::Change::MicroBatch(2 * scenario.micro_batch_size));
    assert_eq!(larger.as_deref(), Some("262k tokens per step instead of 131k"));
    let rounded = of(analysis::change::Change::Optimizer8bit);
    assert_eq!(rounded.as_deref(), Some("moments are rounded to 8 bits"));
}

#[test]
fn the_banner_lists_what_could_not_be_read() {
    let issues = vec![Issue::error("mem", "First sentence."), Issue::note("seq", "Second sentence.")];
    let html = page(&catalog::default_scenario(), issues);
    assert!(html.contains("id=\"banner\"") && html.contains("role=\"alert\""), "{html}");
    assert!(html.contains("<li>First sentence.</li><li>Second sentence.</li>"), "{html}");
    assert!(!page(&catalog::default_scenario(), Vec::new()).contains("id=\"banner\""));
}

#[test]
fn examples_are_one_button_away() {
    let html = page(&catalog::default_scenario(), Vec::new());
    assert!(html.contains("id=\"examples\"") && html.contains("aria-expanded=\"false\""));
    assert!(!html.contains("id=\"gallery\""));
}

fn on(accelerator: &str) -> Scenario {
    let mut scenario = catalog::default_scenario();
    catalog::pick::pick_accelerator(&mut scenario, accelerator);
    scenario
}

#[test]
fn beside_the_numbers_stands_how_well_such_runs_are_measured() {
    for (accelerator, said) in [
        ("h100-sxm", " measured runs on H100 SXM, median error "),
        ("rtx-4090", " measured runs on RTX 4090, median error "),
        ("h100-pcie", "No measured run on H100 PCIe; "),
        ("tpu-v5p", " measured runs on TPU v5p, median error "),
        ("t4", "Data sheet only: no measured run on T4"),
    ] {
        let scenario = on(accelerator);
        for html in [page(&scenario, Vec::new()), embedded("verdict", &scenario)] {
            let line = words(html.split("class=\"evidence\">").nth(1).unwrap().split("</p>").next().unwrap());
            assert!(line.contains(said), "{accelerator}: {line}");
            assert_eq!(line.contains("wider ranges"), !matches!(accelerator, "h100-sxm" | "h100-pcie"), "{line}");
        }
    }
}

#[test]
fn what_has_no_cuda_has_no_cuda_context() {
    let html = page_at(Panel::Memory, &on("tpu-v5p"));
    assert!(html.contains(">Runtime and collectives</span>") && !html.contains("CUDA context and NCCL"));
    assert!(page_at(Panel::Memory, &on("h100-sxm")).contains(">CUDA context and NCCL</span>"));
}

/// A plan is about hardware that nobody has chosen yet: no run is judged above it.
#[test]
fn above_a_plan_nothing_is_judged() {
    let scenario = does_not_fit();
    let head = |html: &str| {
        let from = html.split("class=\"verdict\"").nth(1).unwrap();
        words(from.split("class=\"desk").next().unwrap())
    };
    let judged = head(&page_at(Panel::Curve, &scenario));
    assert!(judged.contains("does not fit") && judged.contains("of such runs fit"), "{judged}");
    for (query, said) in [
        ("?plan=cheapest&days=7", "Plan for 13B: the cheapest run within 7 days"),
        ("?plan=fastest&budget=200000&on=h100-sxm", "Plan for 13B on H100 SXM: the fastest run for $200,000"),
        ("?plan=model", "Plan for 64 A100 40 GB: the largest model"),
        ("?plan=context", "Plan for 13B on 64 A100 40 GB: the longest context"),
    ] {
        let view = View::from_query(query).showing(Panel::Plan);
        let start = Start { scenario, pins: Vec::new(), issues: Vec::new(), view, drawer: false };
        let html = head(&rendered::<App>(start));
        assert!(html.contains(said), "{query}: {html}");
        assert!(!html.contains("fit") && !html.contains("MFU"), "{query}: {html}");
    }
}
