//! The box: words are read while they are typed, marked as they were understood, and taken with
//! Enter; pasted text is read at once.

use std::rc::Rc;

use yew::prelude::*;

use super::chips::chips;
use super::read_items;
use super::turns::Turns;
use super::words;
use crate::browser::{self, Arrived, Origin};
use crate::components::latest::{Latest, use_flag};
use engine::scenario::Scenario;
use files::brought::{Import, ImportKind, Marked};

/// Identifier of the field.
const FIELD: &str = crate::words::BOX;

/// Identifier of the text about the words.
const SAID: &str = "say-said";

/// The box, and the text about its words.
pub(super) struct SayBox {
    /// The field with its marks.
    pub(super) field: Html,
    /// The parts that were understood, assumed and not understood, as chips; else the outcome of
    /// other input.
    pub(super) said: Html,
}

/// Reads words while they are typed.
#[derive(Clone)]
struct Hearing {
    heard: UseStateSetter<Option<(String, Rc<Import>)>>,
    take: Callback<Arrived>,
    turns: Turns,
    scenario: Latest<Scenario>,
}

impl Hearing {
    /// Reads the words, or hands over text that is no sentence.
    fn hear(&self, (items, origin): Arrived, typed: String) {
        // Text with several lines is no sentence, but a file, an error or a log.
        if origin == Origin::Given && is_a_text(&typed) {
            return self.take.emit((items, origin));
        }
        let (heard, take, turn) = (self.heard.clone(), self.take.clone(), self.turns.next());
        if typed.trim().is_empty() {
            return heard.set(None);
        }
        read_items(&browser::pasted(typed.clone()), self.scenario.get().as_ref(), move |came| {
            if turn.is_last() {
                // Pasted text that is no sentence is taken at once.
                let is_other = came.as_ref().is_ok_and(|brought| brought.kind != ImportKind::Sentence);
                if origin == Origin::Given && is_other {
                    take.emit((items, origin));
                }
                let sentence = came.ok().filter(|brought| brought.kind == ImportKind::Sentence);
                heard.set(sentence.map(|brought| (typed, Rc::new(brought))));
            }
        });
    }
}

/// Creates the box over the scenario on screen and the settled one. `taken` is the result that was
/// taken last; `otherwise` is shown if the text is no sentence.
#[hook]
pub(super) fn use_say(
    scenario: &Latest<Scenario>,
    settled: &Scenario,
    take: &Callback<Arrived>,
    taken: Option<&Import>,
    otherwise: Html,
) -> SayBox {
    let text = use_state_eq(String::new);
    // The last result of reading the words, with the text that was read.
    let heard = use_state_eq(|| None::<(String, Rc<Import>)>);
    let turns = (*use_state(Turns::default)).clone();
    // Whether the line about the last outcome was closed, by its button or by a change of the run
    // that was taken; another outcome opens it again.
    let (closed, set_closed) = use_flag();
    let of_taken = *use_memo(taken.map(|taken| taken.scenario.clone()), |link| {
        link.as_deref().map(|link| links::decode(link).scenario)
    });
    use_effect_with((otherwise.clone(), of_taken), {
        let set_closed = set_closed.clone();
        move |_| set_closed.emit(false)
    });
    let was_on_screen = use_mut_ref(|| false);
    use_effect_with((*settled, of_taken), {
        let set_closed = set_closed.clone();
        move |(settled, of_taken)| {
            let is_on_screen = of_taken.as_ref() == Some(settled);
            if was_on_screen.replace(is_on_screen) && !is_on_screen {
                set_closed.emit(true);
            }
        }
    });
    let now = heard.as_ref().filter(|(of, _)| *of == *text).map(|(_, brought)| brought.clone());
    // A run is not taken while a question about it is open.
    let is_open = now.as_ref().is_some_and(|brought| !brought.questions.is_empty());
    let enter = {
        let (take, text) = (take.clone(), text.clone());
        Callback::from(move |()| {
            if !text.trim().is_empty() && !is_open {
                take.emit((Ok(browser::pasted((*text).clone())), Origin::Given));
            }
        })
    };
    let hearing = Hearing { heard: heard.setter(), take: take.clone(), turns, scenario: scenario.clone() };
    let choose = {
        let (hearing, take, text) = (hearing.clone(), take.clone(), text.setter());
        Callback::from(move |answer: String| {
            browser::set_area_text(FIELD, &answer);
            text.set(answer.clone());
            hearing.hear((Ok(browser::pasted(answer.clone())), Origin::Typed), answer.clone());
            take.emit((Ok(browser::pasted(answer)), Origin::Given));
        })
    };
    let input = {
        let text = text.setter();
        Callback::from(move |event: InputEvent| {
            let typed = browser::settled_text(&event);
            text.set(typed.clone());
            hearing.hear(browser::area_text(&event), typed);
        })
    };
    let key = {
        let enter = enter.clone();
        Callback::from(move |event: KeyboardEvent| {
            if event.key() == "Enter" && !event.shift_key() && !event.is_composing() {
                event.prevent_default();
                enter.emit(());
            }
        })
    };
    // Words that did not come from the box are shown as those of the box are.
    let other = taken.filter(|brought| text.trim().is_empty() && brought.kind == ImportKind::Sentence);
    let is_taken =
        !is_open && now.is_some() && now.as_ref().map(|now| &now.scenario) == taken.map(|taken| &taken.scenario);
    let marks = now.as_ref().map(|brought| marked(&text, &brought.marks));
    let field = html! {
        <div class="say" role="search">
            <div class="say-box">
                <div class="say-marks" aria-hidden="true">{ for marks }</div>
                <textarea id={FIELD} rows="1" spellcheck="false" autocomplete="off" autocapitalize="off" enterkeyhint="go"
                    aria-label={words::SAY} aria-describedby={SAID} placeholder={words::SAY_EXAMPLE} oninput={input} onkeydown={key}
                    onscroll={Callback::from(|event: Event| browser::scroll_along(&event))} />
            </div>
            if !text.trim().is_empty() {
                <button type="button" class="button primary" disabled={is_taken || is_open} onclick={enter.reform(|_: MouseEvent| ())}>{ words::SAY_TAKE }</button>
            }
        </div>
    };
    let line = if let Some(brought) = now.filter(|_| !(closed && is_taken)) {
        Some(chips(&brought, is_taken, &choose))
    } else if closed {
        None
    } else if let Some(brought) = other {
        Some(chips(brought, brought.questions.is_empty(), &choose))
    } else {
        Some(otherwise).filter(|otherwise| *otherwise != Html::default())
    };
    let clear = {
        let (text, set_closed) = (text.setter(), set_closed);
        Callback::from(move |_: MouseEvent| {
            browser::set_area_text(FIELD, "");
            text.set(String::new());
            set_closed.emit(true);
            browser::focus(FIELD);
        })
    };
    let said = html! {
        <div id={SAID} class="say-said" role="status">
            if let Some(line) = line {
                { line }
                <button type="button" class="small-button clear" aria-label={words::CLEAR} title={words::CLEAR} onclick={clear}>{ "×" }</button>
            }
        </div>
    };
    SayBox { field, said }
}

/// Whether a text is more than a sentence: it has several lines, is long, or is a link or JSON.
fn is_a_text(text: &str) -> bool {
    /// Longer than a link with three pinned scenarios.
    const LONG: usize = 2000;
    text.trim().contains('\n') || text.len() > LONG || text.contains("v=1") || text.trim_start().starts_with('{')
}

/// Renders the text with its understood parts marked, and the other words underlined.
fn marked(text: &str, marks: &[Marked]) -> Html {
    super::marks::pieces(text, marks)
        .into_iter()
        .map(|(piece, mark)| match mark {
            // Words that were not understood, or characters between words.
            None if piece.contains(char::is_alphanumeric) => html! { <u>{ piece }</u> },
            Some(mark) if !mark.means.is_empty() => html! { <mark>{ piece }</mark> },
            _ => html! { <>{ piece }</> },
        })
        .collect()
}
