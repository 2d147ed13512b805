//! A field that filters a list of catalog entries. It follows the combobox pattern of the ARIA
//! Authoring Practices: the focus stays in the field, and arrow keys move through the list.

use std::rc::Rc;

use yew::prelude::*;

use super::icon::{Icon, drawn};
use super::latest::on;
use crate::browser;
use crate::context::{PageContext, use_page};
use crate::search::Query;
use crate::state::SelectTarget;

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

/// Values to show.
#[derive(Clone, PartialEq, Properties)]
pub struct ComboboxProps {
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
}

/// The list while it is open.
#[derive(Clone, Debug, PartialEq)]
struct Open {
    /// The typed text; `None` shows every entry.
    typed: Option<String>,
    /// Index of the entry that Enter chooses.
    active: usize,
}

impl ComboboxProps {
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

/// The field on screen, with the list if it is open.
struct Field {
    props: ComboboxProps,
    page: PageContext,
    open: UseStateHandle<Option<Open>>,
    /// Indices of the entries in the list.
    places: Vec<usize>,
}

impl Field {
    /// Returns the index of the entry that Enter chooses.
    fn active(&self) -> Option<usize> {
        self.open.as_ref().map(|open| open.active).filter(|active| self.places.contains(active))
    }

    fn id_of(&self, place: usize) -> String {
        format!("{}-{place}", self.props.id)
    }

    fn choose(&self, place: usize) {
        self.open.set(None);
        if place != self.props.chosen {
            self.page.emit.emit(self.props.target.action(self.page.view, place));
        }
    }

    fn show(&self, event: &MouseEvent) {
        if self.open.is_none() {
            browser::select_text(event);
            self.open.set(Some(self.props.all()));
        }
    }

    fn close(&self, _: &FocusEvent) {
        self.open.set(None);
    }

    fn filter(&self, event: &InputEvent) {
        let ComboboxProps { entries, last, chosen, .. } = &self.props;
        let text = browser::field_text(event);
        let active = matching(entries, last, &text).1.unwrap_or(*chosen);
        self.open.set(Some(Open { typed: Some(text), active }));
    }

    fn key(&self, event: &KeyboardEvent) {
        let by = match event.key().as_str() {
            "ArrowDown" => 1,
            "ArrowUp" => -1,
            "PageDown" => PAGE,
            "PageUp" => -PAGE,
            "Enter" => {
                if let Some(active) = self.active() {
                    event.prevent_default();
                    self.choose(active);
                }
                return;
            }
            "Escape" if self.open.is_some() => {
                // Escape closes this list only, and no element around it.
                event.prevent_default();
                event.stop_propagation();
                return self.open.set(None);
            }
            _ => return,
        };
        event.prevent_default();
        match self.open.as_ref() {
            None => self.open.set(Some(self.props.all())),
            Some(now) => {
                if let Some(active) = moved(&self.places, now.active, by) {
                    self.open.set(Some(Open { active, ..now.clone() }));
                }
            }
        }
    }
}

/// A text field over a list of options.
#[component]
pub fn Combobox(props: &ComboboxProps) -> Html {
    let (page, open) = (use_page(), use_state_eq(|| None::<Open>));
    let places = open.as_ref().map(|open| props.shown(open)).unwrap_or_default();
    let value = open.as_ref().and_then(|open| open.typed.clone().map(AttrValue::from));
    let field = Rc::new(Field { props: props.clone(), page, open, places });
    let active_id = field.active().map(|active| field.id_of(active));
    browser::use_kept_in_sight(active_id.as_deref().unwrap_or_default());
    let list = field.open.is_some().then(|| [props.id, "-list"].concat());
    html! {
        <div class="combobox">
            <input type="text" role="combobox" id={props.id} autocomplete="off" autocapitalize="off" spellcheck="false"
                aria-autocomplete="list" aria-expanded={list.is_some().to_string()} aria-controls={list.clone()}
                aria-activedescendant={active_id} value={value.unwrap_or_else(|| props.name(props.chosen))}
                onclick={on(&field, Field::show)} oninput={on(&field, Field::filter)} onblur={on(&field, Field::close)} onkeydown={on(&field, Field::key)} />
            { drawn(Icon::Down) }
            // Always one node: among a changing number of nodes Yew makes the field anew.
            if let Some(id) = list {
                { options(&field, id) }
            }
        </div>
    }
}

/// Renders the open list.
fn options(field: &Rc<Field>, id: String) -> Html {
    let Field { props, places, .. } = &**field;
    let (active, chosen) = (field.active(), field.clone());
    let choose = Callback::from(move |place| chosen.choose(place));
    let entry = |place: usize| {
        let note = props.entries.get(place).map(|entry| entry.note.clone());
        html! {
            <div role="option" id={field.id_of(place)} class={(Some(place) == active).then_some("active")}
                aria-selected={(place == props.chosen).to_string()} onclick={choose.reform(move |_: MouseEvent| place)}>
                <span>{ props.name(place) }</span>{ " " }<span class="beside">{ note }</span>
            </div>
        }
    };
    let group = |place: &usize| props.entries.get(*place).map_or("", |entry| entry.group);
    html! {
        // A press on the list leaves the focus in the field.
        <div class="options" role="listbox" {id} aria-label={props.label} onmousedown={|event: MouseEvent| event.prevent_default()}>
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
