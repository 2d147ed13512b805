//! The texts that several panels share.

pub mod alike;
mod change;
mod claims;
pub mod cost;
mod evidence;
mod headline;
pub mod import;
pub mod layout;
pub mod pins;
pub mod plan;
pub mod scenario_line;
pub mod sources;
mod tiles;

pub use change::{besides, change, faster, gained, laid_out, lever, not_in, of_batch, of_change, recompute};
pub use claims::beside;
pub use evidence::{correction, evidence, nearest};
pub use headline::{Headline, headline, limited_by, model_name, needs, odds, state, title};
pub use tiles::{Tiles, limiter, limiter_note};

use analysis::effects::Same;
use engine::catalog::accuracy::{Band, Kind, REACHED, Reached};
use engine::fitted::CALIBRATION;
use engine::format;
use engine::model::report::MemoryPart;
use engine::model::stages::of_model;
use engine::scenario::{Model, Scenario};
use engine::units::Bytes;

/// How many of the parameters train, where not all do.
pub fn trained(scenario: &Scenario) -> Option<String> {
    if scenario.trained.is_all() {
        return None;
    }
    let params = of_model(&scenario.setup());
    let [trained, all] = [params.trained.all(), params.held.all()];
    let share = if all > 0.0 { trained / all } else { 0.0 };
    Some(format!(
        "{} of {} parameters train: {}.",
        format::params(trained),
        format::params(all),
        format::percent(share)
    ))
}

/// Beside the name.
pub const TAGLINE: &str = "Sharded training: does it fit, how fast, what limits it";
/// The headline figures, by the names that tests and screen readers know.
pub const MFU: &str = "MFU";
/// Throughput.
pub const TOKENS: &str = "Tokens per second per GPU";
/// Throughput, where room is short.
pub const TOKENS_SHORT: &str = "Tokens/s/GPU";
/// Time of a step.
pub const STEP: &str = "Step time";
/// Memory that is needed.
pub const NEEDED: &str = "Memory needed";
/// What limits.
pub const LIMITER: &str = "Limited by";
/// On what nvidia-smi shows.
pub const NEEDED_HELP: &str = "Memory needed, and what PyTorch’s allocator caches and gives back under pressure.";
/// On the time beside what limits.
pub const LIMITER_HELP: &str =
    "The time of a step that is spent on what limits it. The card of the step time has all parts.";
/// On figures of a run that does not fit.
pub const HYPOTHETICAL: &str = "if memory were no limit";
/// The same in a word or three.
pub const IF_IT_FIT: &str = "if it fit";
/// Before the first advice.
pub const WOULD_HELP: &str = "What would help most";
/// Over the list of what could not be read in a link.
pub const BANNER: &str = "Not everything in this link could be read:";
/// On the button that closes it.
pub const DISMISS: &str = "Close";
/// On a number.
pub const WHY: &str = "why?";
/// Over the formulas of a card.
pub const FORMULAS: &str = "Formulas";
/// Before a card's source.
pub const SOURCE: &str = "Source: ";
/// Before where a card's price comes from.
pub const PRICE: &str = "Price of a GPU-hour: ";
/// Before what a card's number leaves out.
pub const LEAVES_OUT: &str = "Left out: ";
/// On the button that takes the correction away.
pub const UNCORRECT: &str = "Remove the correction";
/// On the button that puts everything back.
pub const RESET: &str = "Reset all";
/// On the button that copies the link.
pub const COPY: &str = "Copy link";
/// After the link was copied.
pub const COPIED: &str = "Link copied";
/// After the link could not be copied.
pub const COPY_BY_HAND: &str = "Copy it from here:";
/// How to use the map and the curves, with the pointer and with the keyboard.
pub const HINT: (&str, &str) = (
    "Point to read, click to set the scenario there, drag to zoom, double-click for the whole.",
    "With the keyboard: focus a figure, arrow keys, Enter; + and − zoom, 0 shows the whole.",
);
/// On the button that shows a figure's whole axes again.
pub const RESET_ZOOM: &str = "Reset zoom";
/// Over the map, beside its axes.
pub const FITS: &str = "What fits";
/// Over the curves, beside their axes.
pub const SPEED: &str = "How fast";
/// Before the buttons that save a figure.
pub const SAVE: &str = "Save:";
/// Where the browser makes no picture of a figure.
pub const NO_PICTURE: &str = "The browser could not make this PNG. SVG and CSV hold the same figure.";
/// How to use the timeline, with the pointer and with the keyboard.
pub const TIMELINE_HINT: (&str, &str) = (
    "Point to read, click to look closer, drag to zoom, double-click for the whole step. Many short spans are one bar, as high as the \
     share of time in which they run.",
    "With the keyboard: focus the figure, arrow keys, Enter; + and − zoom, 0 shows the whole.",
);
/// The timeline's levels.
pub const LEVELS: [&str; 3] = ["Whole step", "One micro-batch", "One layer"];
/// Under the roofline.
pub const ROOFLINE: &str = "Discs: kernels alone, as large as their share of compute. Ring: the step with all that waits. Element-wise work and the \
     optimizer stand at one operation per element that they read or write.";
/// Under the curves of scaling.
pub const SCALING: &str = "Dotted: does not fit. Weak: twice the GPUs take twice the tokens per step. Strong: the tokens of a step stay; gradient \
     accumulation shrinks first, then the micro-batch. Linear: as fast for each GPU as the scenario on screen.";
/// Under the waterfall, where nobody points.
pub const WATERFALL_HINT: (&str, &str) = ("From the peak of the GPU at the top to the MFU at the bottom.", "");
/// The list of a waterfall's parts with what would shrink them.
pub const LEVERS: &str = "What would shrink each part";
/// Where nothing shrinks a part and leaves the step as fast.
pub const NO_LEVER: &str = "no single change helps";
/// In their place, of waiting for data.
pub const DATA_LEVER: &str = "more loader workers, faster storage, or texts tokenized ahead";
/// On the table of a figure.
pub const DATA: &str = "Data table";
/// Over a table that is wider than a phone.
pub const SCROLL: &str = "Scroll the table sideways for the rest →";
/// The hatching of the map.
pub const DOES_NOT_FIT: &str = "does not fit";
/// On the choice of the best configuration for the map.
pub const BEST: &str = "Best over sequence, batch and checkpointing";
/// What that is.
pub const BEST_HELP: &str = "GPU memory by link bandwidth: at every point the best MFU of sequences from 512 to 131,072 tokens, micro-batches from \
     1 to 16 and four ways of checkpointing, after the question of Wang et al. 2025 (arXiv 2504.03655).";
/// On the choice of the closed-form bounds.
pub const BOUNDS: &str = "FSDP bound";
/// What that is.
pub const BOUNDS_HELP: &str =
    "The closed-form upper bound of FSDP after Wang et al. 2025 (arXiv 2504.03655), dashed in both figures.";
/// The layer of experts of the scenario on screen.
pub const THIS_LAYER: &str = "This scenario’s layer";
/// The families of choices that the layer of experts compares.
pub const FAMILIES: [&str; 2] = ["Pipelining", "Parallelism (r)"];
/// The name of the range around a prediction.
pub const BAND: &str = "Range of 80 % of measurements";
/// What that is.
pub const BAND_HELP: &str = "80 % of the published measurements that no constant was fitted on lie in this range.";
/// The model of the size that the slider sets.
pub const LADDER: &str = "GPT-style, by size";
/// The field of the software where its settings are the reader's own.
pub const NO_RELEASE: &str = "Any, by its settings";

/// The option for custom values, where chosen.
pub const CUSTOM: &str = "Custom";
/// The option for custom values, where not chosen.
pub const MAKE_CUSTOM: &str = "Custom…";
/// Under the field of a model that was named until its shape was changed.
pub fn now_custom(name: &str) -> String {
    format!("A custom model now, made from {name}. ")
}

/// On the button that takes the named model again.
pub fn back_to_model(name: &str) -> String {
    format!("Back to {name}")
}

/// In a list that holds nothing of what was typed.
pub const NOTHING_FOUND: &str = "Nothing by this name.";
/// After a crash.
pub const FAILURE: &str =
    "Something went wrong inside the calculator, and it stopped. Nothing is lost: the link holds the scenario.";
/// Where the second thread was lost, or the server has another build's.
pub const LOST_THREAD: &str = "The second thread that paints map and curves is lost. The page paints them itself, and \
    sliders answer more slowly: reload the page to have it again.";
/// Where no second thread paints.
pub const NO_THREAD: &str =
    "This browser runs no second thread for the page, which paints map and curves itself: sliders answer more slowly.";
/// On the link back from a crash.
pub const FAILURE_LINK: &str = "Reload the page with this scenario";

/// The accessible name of a control's help.
pub fn help(label: &str) -> String {
    format!("What is {label}?")
}

/// How much was found.
pub fn found(count: usize) -> String {
    format!("{count} found")
}

/// The accessible name of a number's button.
pub fn why(what: &str) -> String {
    format!("Why? {what}")
}

/// On the button that leads back to a card.
pub fn back_to_card(title: &str) -> String {
    format!("← {title}")
}

/// The accessible name of a button that saves a figure.
pub fn save_as(figure: &str, kind: &str) -> String {
    format!("Save {figure} as {kind}")
}

/// The name of a saved file: the figure and the scenario, in letters that every system takes.
pub fn file_name(figure: &str, scenario: &Scenario, kind: &str) -> String {
    let model = match scenario.model {
        Model::Preset { id, .. } => id.to_string(),
        Model::Scaled { id, .. } => format!("{id}-scaled-{}", format::params(scenario.model.size())),
        Model::Ladder { .. } | Model::Custom { .. } => format::params(scenario.model.size()),
    };
    let (gpus, gpu) = (scenario.gpus, scenario.accelerator.id);
    format!("shardwise-{figure}-{model}-{gpus}x-{gpu}.{kind}").to_ascii_lowercase()
}

/// The accessible name of a typed field.
pub fn typed(label: &str) -> String {
    format!("{label}, typed")
}

/// On the button that offers a valid value.
pub fn use_value(value: &str) -> String {
    format!("Use {value}")
}

/// On the button that puts a parameter back.
pub fn back_to(label: &str, preset: &str) -> String {
    format!("{label} back to {preset}")
}

/// The memory of a part; 0 for none.
pub fn gib(bytes: f64) -> String {
    format::bytes(Bytes::new(bytes))
}

/// The memory of a part at the peak; what every step has, but not then, is said to be so rather
/// than to be nothing.
pub fn part_size(part: MemoryPart, bytes: f64) -> String {
    let comes_and_goes = matches!(part, MemoryPart::Activations | MemoryPart::WorkingSet | MemoryPart::Logits);
    if bytes <= 0.0 && comes_and_goes { "not alive at the peak".to_owned() } else { gib(bytes) }
}

/// A text at the beginning of a line: with a capital, unless it begins with a name of code.
pub fn opening(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) if !text.starts_with("torch.") => first.to_uppercase().chain(letters).collect(),
        _ => text.to_owned(),
    }
}

/// After custom values: the catalog entry that they were made from.
pub fn from(name: &str) -> String {
    format!(" (from {name})")
}

/// Under a choice of which some option, or all, give the same result.
pub fn same(same: &Same) -> String {
    if same.all {
        return "No effect here: every option gives the same result.".to_owned();
    }
    let options = same.param.param().choice().map_or(&[][..], |choice| choice.options);
    let labels: Vec<&str> =
        same.options.iter().filter_map(|place| options.get(*place)).map(|option| option.label).collect();
    format!("Same result here: {}.", labels.join(", "))
}

/// On a folded group in which something was changed.
pub fn changed(count: usize) -> String {
    format!("{count} changed")
}

/// The accuracy of predictions, and what they leave out: heading and text.
pub fn accuracy() -> [(&'static str, String); 2] {
    let Reached { steps, step_time, held_out, peak_memory, tracker, mixtures } = REACHED;
    let Band { low, high } = Kind::Tuned.band();
    let [low, high] = [low, high].map(|value: f64| value.to_string());
    [
        (
            "How accurate",
            format!(
                "Time of {steps} published steps of 20 % MFU or more: median error {step_time} %, {held_out} % for sources held out \
                 of the fit; mixtures of experts {mixtures} %. \
                 Peak memory: {peak_memory} %; against PyTorch’s memory tracker {tracker} %. Ranges hold 80 % of the \
                 measurements that no constant was fitted on: {low} to {high} times the predicted time of dense steps, wider \
                 below 20 % MFU, in training scripts that publish few settings, and on silicon without measurements. Source by source: docs/book/accuracy.md."
            ),
        ),
        (
            "What it leaves out",
            "Stragglers and stalls, data loading; the work of a second encoder beside one of images.".into(),
        ),
    ]
}

/// Above the controls of a model whose layers are a list.
pub fn layers(list: &str) -> String {
    format!("Layers: {list}.")
}

/// The last line of the page.
pub fn made_of() -> String {
    format!(
        "Every figure is computed in this browser from the scenario in the link; nothing is sent anywhere. A link fixes the choices, \
         the data sheets and the program’s release; predictions are of today’s calibration, {CALIBRATION}. The dashed bounds follow \
         Wang et al. 2025 (arXiv 2504.03655)."
    )
}
