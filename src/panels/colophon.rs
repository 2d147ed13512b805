//! The foot of the page: accuracy, sources, glossary, and the origin of the figures.

use yew::prelude::*;

use crate::components::sourced::sourced;
use catalog::accuracy::{Band, REACHED, Reached, StepKind};
use engine::fitted::CALIBRATION;
use engine::params::PARAMS;
use explain::{TERMS, links};

/// Values to show.
#[derive(PartialEq, Properties)]
pub struct ColophonProps {
    /// Identifiers of the model, the GPU and the cluster on screen.
    pub picked: [&'static str; 3],
}

/// Returns the catalog entries on screen with the sources of their numbers.
fn sources([model, gpu, cluster]: [&'static str; 3]) -> Vec<(&'static str, &'static str)> {
    let cluster = catalog::cluster(cluster);
    let links = cluster.map(|entry| [entry.intra_node, entry.inter_node]).unwrap_or_default();
    let links = links.into_iter().filter_map(catalog::interconnect).map(|entry| (entry.name, entry.source));
    let model = catalog::model(model).map(|entry| (entry.name, entry.source));
    let gpu = catalog::accelerator(gpu).map(|entry| (entry.name, entry.source));
    let cluster = cluster.map(|entry| (entry.name, entry.source));
    model.into_iter().chain(gpu).chain(cluster).chain(links).collect()
}

/// The foot of the page; it changes only with the catalog entries on screen.
#[component]
pub fn Colophon(props: &ColophonProps) -> Html {
    html! {
        <footer class="colophon">
            <details id="accuracy">
                <summary>{ "How accurate, and what it leaves out" }</summary>
                <dl class="glossary">
                    { for accuracy().into_iter().map(|(name, words)| html! { <><dt>{ name }</dt><dd>{ sourced(&words) }</dd></> }) }
                </dl>
            </details>
            <details>
                <summary>{ "Sources of the numbers on screen" }</summary>
                <dl class="glossary">
                    { for sources(props.picked).into_iter().map(|(name, source)| html! { <><dt>{ name }</dt><dd>{ sourced(source) }</dd></> }) }
                </dl>
            </details>
            <details id="glossary">
                <summary>{ "Glossary: terms, and every control in a sentence" }</summary>
                <dl class="glossary">
                    { for TERMS.iter().map(|term| html! {
                        <><dt>{ term.name }</dt><dd>{ for links::pieces(term.text).map(|piece| sourced(piece.text)) }</dd></>
                    }) }
                    { for PARAMS.iter().map(|param| html! { <><dt>{ param.label }</dt><dd>{ param.help }</dd></> }) }
                </dl>
            </details>
            <p>{ sourced(&made_of()) }{ " " }<a href="docs/">{ "Documentation" }</a></p>
        </footer>
    }
}

/// Returns the accuracy of predictions, and the effects that they leave out: heading and text.
pub fn accuracy() -> [(&'static str, String); 2] {
    let Reached { steps, step_time, held_out, peak_memory, tracker, mixtures } = REACHED;
    let Band { low, high } = StepKind::Tuned.band();
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

/// Returns the last line of the page.
fn made_of() -> String {
    format!(
        "Every figure is computed in this browser from the scenario in the link; nothing is sent anywhere. A link fixes the choices, \
         the data sheets and the program’s release; predictions are of today’s calibration, {CALIBRATION}. The dashed bounds follow \
         Wang et al. 2025 (arXiv 2504.03655)."
    )
}
