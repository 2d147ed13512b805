//! Formulas as MathML, drawn by the browser.

use yew::prelude::*;

use explain::notation::{self, Tree};

/// Renders a replacement for a name.
type RenderName<'a> = &'a dyn Fn(&str) -> Html;

/// Renders a formula with its names replaced, in pieces between which a line may break; `said` is
/// the formula as text. Renders nothing for text that is no formula.
pub fn formula(text: &str, said: String, word: RenderName, result: Html) -> Html {
    let Some(tree) = notation::parse(text) else { return Html::default() };
    let mut pieces = Vec::new();
    split(&tree, word, &mut pieces);
    html! {
        <p class="formula" role="math" aria-label={said}>
            { for pieces.into_iter().map(|piece| html! { <math displaystyle="true" aria-hidden="true">{ piece }</math> }) }
            { result }
        </p>
    }
}

/// Renders a name with its subscript.
pub fn name(name: &str) -> Html {
    match notation::parts(name) {
        (base, "") => html! { <mi>{ base.to_owned() }</mi> },
        (base, below) => html! { <msub><mi>{ base.to_owned() }</mi><mtext>{ below.to_owned() }</mtext></msub> },
    }
}

/// Splits the outer rows into pieces, each after its operator; a product stays whole.
fn split(tree: &Tree, word: RenderName, pieces: &mut Vec<Html>) {
    let mut operator = Html::default();
    let Tree::Row(row) = tree else {
        pieces.push(drawn(tree, word));
        return;
    };
    if row.get(1) == Some(&Tree::Operator('·')) {
        pieces.push(drawn(tree, word));
        return;
    }
    for part in row {
        if let Tree::Operator(_) = part {
            operator = drawn(part, word);
            continue;
        }
        let first = pieces.len();
        split(part, word, pieces);
        if let Some(piece) = pieces.get_mut(first) {
            let inner = core::mem::take(piece);
            *piece = html! { <mrow>{ core::mem::take(&mut operator) }{ inner }</mrow> };
        }
    }
}

fn drawn(tree: &Tree, word: RenderName) -> Html {
    let all = |trees: &[Tree]| trees.iter().map(|tree| drawn(tree, word)).collect::<Html>();
    let mark = |mark: &'static str| html! { <mo>{ mark }</mo> };
    match tree {
        Tree::Number(text) => html! { <mn>{ (*text).to_owned() }</mn> },
        Tree::Symbol(name) => word(name),
        // At the start of a piece, MathML would take the operator for a prefix.
        Tree::Operator(operator) => html! { <mo form="infix">{ operator.to_string() }</mo> },
        Tree::Row(row) => html! { <mrow>{ all(row) }</mrow> },
        Tree::Fraction(pair) => html! { <mfrac>{ for pair.iter().map(|part| drawn(bare(part), word)) }</mfrac> },
        Tree::Power(pair) => html! { <msup>{ all(&**pair) }</msup> },
        Tree::Group(inner) => html! { <mrow>{ mark("(") }{ drawn(inner, word) }{ mark(")") }</mrow> },
        Tree::Call("sqrt", of) => html! { <msqrt>{ all(of) }</msqrt> },
        Tree::Call(name, of) => {
            let of = of.iter().enumerate().map(|(place, part)| {
                let comma = if place > 0 { mark(",") } else { Html::default() };
                html! { <>{ comma }{ drawn(part, word) }</> }
            });
            html! { <mrow><mi>{ (*name).to_owned() }</mi>{ mark("(") }{ for of }{ mark(")") }</mrow> }
        }
    }
}

/// Removes parentheses, which the line of a fraction makes redundant.
fn bare<'a, 'b>(tree: &'a Tree<'b>) -> &'a Tree<'b> {
    if let Tree::Group(inner) = tree { inner } else { tree }
}
