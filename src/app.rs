//! The whole page.

use yew::prelude::*;

use crate::browser;
use crate::calculator::headline::{planned, title, title_of_plan};
use crate::calculator::{Calculator, Start, use_calculator};
use crate::components::latest::{use_flag, use_flag_from, use_latest};
use crate::components::status::Status;
use crate::context::PageContext;
use crate::panels::banner::{banner, without_thread};
use crate::panels::bring::{self, Brings, use_bring};
use crate::panels::colophon::Colophon;
use crate::panels::controls::controls;
use crate::panels::controls::effects::use_effects;
use crate::panels::controls::sheet::Change;
use crate::panels::figures::figures;
use crate::panels::gallery::notice;
use crate::panels::masthead::Masthead;
use crate::panels::printed::printed;
use crate::panels::verdict::{Heading, verdict};
use engine::scenario::{CUSTOM, Model, Scenario};

/// Returns the identifiers of the model, GPU and cluster on screen, as the catalog has them.
fn picked(scenario: &Scenario) -> [&'static str; 3] {
    let model = match scenario.model {
        Model::Preset { id, .. } | Model::Scaled { id, .. } => id,
        Model::Ladder { .. } | Model::Custom { .. } => CUSTOM,
    };
    [model, scenario.accelerator.id, scenario.network.id]
}

/// The page: the calculator with its address bar and its panels.
#[component]
pub fn App(start: &Start) -> Html {
    let calculator = use_calculator(start);
    let Calculator { state, page, on_screen, still, snapshot, settled, status, .. } = &calculator;
    let shown = use_latest(snapshot.clone());
    browser::use_address(state, &page.emit);
    let (drawer, set_drawer) = use_flag_from(start.drawer);
    let (brings, set_brings) = use_flag();
    let Brings { field, below, say, judges } = use_bring(&bring::BringProps {
        scenario: on_screen.clone(),
        settled: settled.snapshot.scenario,
        open: brings,
        set_open: set_brings.clone(),
        page: page.clone(),
    });
    let headline = use_node_ref();
    let heading = Heading { place: &headline, passed: browser::use_passed(&headline) };
    let title = use_memo(
        (settled.snapshot.scenario, planned(&settled.snapshot.scenario, &state.view)),
        |(scenario, planned)| planned.as_deref().map_or_else(|| title(scenario, &settled.report), title_of_plan),
    );
    browser::use_title(&title);
    let rested = settled.rested;
    let effects = use_effects(&settled.snapshot.scenario, rested && drawer);
    let layouts = browser::use_layouts(&settled.snapshot.scenario, rested && !calculator.is_moving());
    let change = html! { <Change open={drawer} set_open={set_drawer} /> };
    let controls = if drawer { controls(&calculator, &effects) } else { Html::default() };
    html! {
        <ContextProvider<PageContext> context={page.clone()}>
            <Masthead {shown} settled={settled.snapshot.clone()} derived={still.clone()} can_undo={state.can_undo()} can_redo={state.can_redo()}
                {brings} {set_brings} {say}>{ field }</Masthead>
            { below }
            <main class={classes!("page", drawer.then_some("with-drawer"))}>
                { banner(&state.banner) }
                { without_thread(calculator.worker.thread()) }
                { notice(state.example) }
                if judges {
                    { verdict(&calculator, layouts.clone(), heading, change) }
                    { figures(&calculator, layouts.clone(), controls) }
                } else {
                    // The run of the page's start is not that of the files.
                    <h1 id="headline" class="headline">{ bring::words::NOT_JUDGED }</h1>
                }
                if page.printing { { printed(snapshot) } }
            </main>
            <Colophon picked={picked(&state.scenario)} />
            <Status sentence={status.clone()} />
        </ContextProvider<PageContext>>
    }
}
