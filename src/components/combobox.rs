//! A field that filters a list of catalog entries. It follows the combobox pattern of the ARIA
//! Authoring Practices: the focus stays in the field, and arrow keys move through the list.

use yew::prelude::*;

use super::icon::{Icon, drawn};
use crate::browser;
use crate::search::Query;
use crate::state::{Action, SelectTarget};
use crate::view::View;

/// Text of a list without a match.
pub const NOTHING_FOUND: &str = "Nothing by this name.";

/// Number of entries that a page key moves by.
const PAGE: isize = 8;

/// One entry; entries of a group are adjacent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Name.
    pub name: &'static str,
    /// Heading of the group; empty for none.
    pub group: &'static str,
    /// Note after the name: the size.
    pub note: String,
    /// Further text that the entry is found by.
    pub more: String,
}

/// Values to show, and the callback for the choice.
#[derive(PartialEq, Properties)]
pub struct Props {
    /// Identifier of the field.
    pub id: &'static str,
    /// Accessible name of the list.
    pub label: &'static str,
    /// The entries, in order.
    pub entries: &'static [Entry],
    /// One more entry, after the others.
    pub last: AttrValue,
    /// Index of the chosen entry.
    pub chosen: usize,
    /// Setting that the choice changes.
    pub target: SelectTarget,
    /// Applies the action.
    pub emit: Callback<Action>,
}

/// The list while it is open.
#[derive(Clone, Debug, PartialEq)]
struct Open {
    /// The typed text; `None` shows every entry.
    typed: Option<String>,
    /// Index of the entry that Enter chooses.
    active: usize,
}

impl Props {
    fn name(&self, place: usize) -> AttrValue {
        self.entries.get(place).map_or_else(|| self.last.clone(), |entry| AttrValue::Static(entry.name))
    }

    /// Returns the indices that an open list shows.
    fn shown(&self, open: &Open) -> Vec<usize> {
        let all = || (0..=self.entries.len()).collect();
        open.typed.as_deref().map_or_else(all, |typed| matching(self.entries, &self.last, typed).0)
    }

    fn all(&self) -> Open {
        Open { typed: None, active: self.chosen }
    }
}

/// Returns the indices of the entries that match a text, in the order of the catalog, and the best
/// match.
fn matching(entries: &[Entry], last: &str, typed: &str) -> (Vec<usize>, Option<usize>) {
    let named = entries.iter().map(|entry| (entry.name, &*entry.more)).chain([(last, "")]);
    let mut places = Query::new(typed).answers(named.enumerate().map(|(place, (name, more))| (place, name, more)));
    let best = places.first().copied();
    places.sort_unstable();
    (places, best)
}

/// Returns the index `by` entries further in a list of indices, clamped to the ends of the list.
fn moved(places: &[usize], from: usize, by: isize) -> Option<usize> {
    let at = places.iter().position(|&place| place == from).unwrap_or(0);
    places.get(at.saturating_add_signed(by).min(places.len().saturating_sub(1))).copied()
}

/// A text field over a list of options.
#[component]
pub fn Combobox(props: &Props) -> Html {
    let open = use_state_eq(|| None::<Open>);
    let places = open.as_ref().map(|open| props.shown(open)).unwrap_or_default();
    let id_of = |place: usize| format!("{}-{place}", props.id);
    let active = open.as_ref().map(|open| open.active).filter(|active| places.contains(active));
    let active_id = active.map(id_of);
    browser::use_kept_in_sight(active_id.as_deref().unwrap_or_default());
    let choose = {
        let (setter, emit, target, chosen) = (open.setter(), props.emit.clone(), props.target, props.chosen);
        move |place: usize| {
            setter.set(None);
            if place != chosen {
                emit.emit(target.action(View::default(), place));
            }
        }
    };
    let show = {
        let (setter, all, is_open) = (open.setter(), props.all(), open.is_some());
        Callback::from(move |event: MouseEvent| {
            if !is_open {
                browser::select_text(&event);
                setter.set(Some(all.clone()));
            }
        })
    };
    let typed = {
        let (setter, entries, last, chosen) = (open.setter(), props.entries, props.last.clone(), props.chosen);
        Callback::from(move |event: InputEvent| {
            let text = browser::field_text(&event);
            let active = matching(entries, &last, &text).1.unwrap_or(chosen);
            setter.set(Some(Open { typed: Some(text), active }));
        })
    };
    let close = {
        let setter = open.setter();
        Callback::from(move |_: FocusEvent| setter.set(None))
    };
    let key = {
        let (open, all, places, choose) = (open.clone(), props.all(), places.clone(), choose.clone());
        Callback::from(move |event: KeyboardEvent| {
            let by = match event.key().as_str() {
                "ArrowDown" => 1,
                "ArrowUp" => -1,
                "PageDown" => PAGE,
                "PageUp" => -PAGE,
                "Enter" => {
                    if let Some(active) = active {
                        event.prevent_default();
                        choose(active);
                    }
                    return;
                }
                "Escape" if open.is_some() => {
                    // Escape closes this list only, and no element around it.
                    event.prevent_default();
                    event.stop_propagation();
                    open.set(None);
                    return;
                }
                _ => return,
            };
            event.prevent_default();
            match open.as_ref() {
                None => open.set(Some(all.clone())),
                Some(now) => {
                    if let Some(active) = moved(&places, now.active, by) {
                        open.set(Some(Open { active, ..now.clone() }));
                    }
                }
            }
        })
    };
    let list = [props.id, "-list"].concat();
    let value = open.as_ref().and_then(|open| open.typed.clone().map(AttrValue::from));
    let entry = |place: usize| {
        let (note, choose) = (props.entries.get(place).map(|entry| entry.note.clone()), choose.clone());
        let class = (Some(place) == active).then_some("active");
        html! {
            <div role="option" id={id_of(place)} {class} aria-selected={(place == props.chosen).to_string()}
                onclick={move |_: MouseEvent| choose(place)}>
                <span>{ props.name(place) }</span>{ " " }<span class="beside">{ note }</span>
            </div>
        }
    };
    let group = |place: &usize| props.entries.get(*place).map_or("", |entry| entry.group);
    html! {
        <div class="combobox">
            <input type="text" role="combobox" id={props.id} autocomplete="off" autocapitalize="off" spellcheck="false"
                aria-autocomplete="list" aria-expanded={open.is_some().to_string()} aria-controls={open.is_some().then(|| list.clone())}
                aria-activedescendant={active_id} value={value.unwrap_or_else(|| props.name(props.chosen))}
                onclick={show} oninput={typed} onblur={close} onkeydown={key} />
            { drawn(Icon::Down) }
            if open.is_some() {
                // A press on the list leaves the focus in the field.
                <div class="options" role="listbox" id={list} aria-label={props.label} onmousedown={|event: MouseEvent| event.prevent_default()}>
                    { for places.chunk_by(|one, other| group(one) == group(other)).map(|run| {
                        let options = run.iter().copied().map(entry);
                        match run.first().map_or("", group) {
                            "" => html! { <>{ for options }</> },
                            name => html! {
                                <div role="group" aria-label={name}><p aria-hidden="true">{ name }</p>{ for options }</div>
                            },
                        }
                    }) }
                    if places.is_empty() {
                        <p role="status">{ NOTHING_FOUND }</p>
                    }
                </div>
            }
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typing_keeps_the_order_of_the_catalog_and_takes_the_best() {
        let entry =
            |(name, more): (&'static str, &str)| Entry { name, group: "", note: String::new(), more: more.into() };
        let entries = [("Code Llama 7B", ""), ("Llama 3.1 8B", "8.03B"), ("Qwen3 8B", "8.19B")].map(entry);
        let matching = |typed| matching(&entries, "Custom", typed);
        assert_eq!(matching("llama"), (vec![0, 1], Some(1)));
        assert_eq!(matching("8.03"), (vec![1], Some(1)));
        assert_eq!(matching("custom"), (vec![3], Some(3)));
        assert_eq!(matching("bert"), (vec![], None));
        assert_eq!(matching(""), (vec![0, 1, 2, 3], Some(0)));
    }

    #[test]
    fn arrows_stay_within_what_is_shown() {
        let places = [0, 2, 5];
        assert_eq!(moved(&places, 2, 1), Some(5));
        assert_eq!(moved(&places, 5, PAGE), Some(5));
        assert_eq!(moved(&places, 0, -1), Some(0));
        assert_eq!(moved(&places, 9, 0), Some(0));
        assert_eq!(moved(&[], 0, 1), None);
    }
}
