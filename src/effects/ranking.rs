//! The search for the best layout, in pieces between which the page answers; a scenario that moves ends it.

use std::rc::Rc;

use gloo::timers::callback::Timeout;
use yew::prelude::*;

use engine::analysis::search::Ranking;
use engine::scenario::Scenario;

/// Combinations in one piece: a few milliseconds.
const PIECE: usize = 1500;

/// The search around a scenario, once it is wanted: as far as it is, from its first piece to its end.
#[hook]
pub fn use_ranking(scenario: &Scenario, wanted: bool) -> Option<Rc<Ranking>> {
    let found = use_state(|| None::<(Scenario, Rc<Ranking>)>);
    let here = found.as_ref().filter(|(of, _)| of == scenario).map(|(_, ranking)| ranking.clone());
    let tried = here.as_ref().map_or(0, |ranking| ranking.tried());
    let is_over = here.as_ref().is_some_and(|ranking| tried == ranking.len());
    let setter = found.setter();
    let before = here.clone();
    use_effect_with((*scenario, wanted && !is_over, tried), move |&(scenario, goes_on, _)| {
        let timeout = goes_on.then(|| {
            Timeout::new(0, move || {
                let mut ranking = before.map_or_else(|| Ranking::new(&scenario), |before| (*before).clone());
                ranking.advance(PIECE);
                setter.set(Some((scenario, Rc::new(ranking))));
            })
        });
        move || drop(timeout)
    });
    here
}
