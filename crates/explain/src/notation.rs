//! The notation of formulas: `MFU = F_token · n / (T_step · N · S_peak)`.
//!
//! Names are letters with an optional subscript after `_`. `^` raises; `/` divides the whole
//! product before it by the factor after it. Functions are `max(…)`, `min(…)`, `sqrt(…)` and
//! `ceil(…)`. The parser returns `None` for invalid text.

/// A formula, or a part of one.
#[derive(Clone, Debug, PartialEq)]
pub enum Tree<'a> {
    /// A number, as written.
    Number(&'a str),
    /// A name.
    Symbol(&'a str),
    /// One of `+ − · = ≈ ≤ > ≥`, between the parts of a row.
    Operator(char),
    /// Parts with the operators between them, all of one precedence.
    Row(Vec<Tree<'a>>),
    /// Numerator and denominator.
    Fraction(Box<[Tree<'a>; 2]>),
    /// A base and its exponent.
    Power(Box<[Tree<'a>; 2]>),
    /// An expression in parentheses.
    Group(Box<Tree<'a>>),
    /// A function and its arguments.
    Call(&'a str, Vec<Tree<'a>>),
}

/// Largest nesting depth of parentheses.
const DEPTH: u32 = 12;
/// Operators by precedence, the lowest first; products and fractions are parsed separately.
const RANKS: [&str; 2] = ["=≈≤≥>", "+−"];

/// Parses a formula.
pub fn parse(text: &str) -> Option<Tree<'_>> {
    let mut reader = Reader { rest: text.trim_start(), depth: 0 };
    let tree = reader.ranked(0)?;
    reader.rest.is_empty().then_some(tree)
}

/// Splits a name into base and subscript: `T_step` is `T` and `step`.
pub fn parts(name: &str) -> (&str, &str) {
    name.split_once('_').unwrap_or((name, ""))
}

/// Returns the names of a formula in order, each once.
pub fn symbols(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for word in text.split(|letter| !is_in_name(letter)) {
        let is_call = matches!(word, "max" | "min" | "sqrt" | "ceil");
        if word.starts_with(starts_name) && !is_call && !found.contains(&word) {
            found.push(word);
        }
    }
    found
}

/// Writes the formula as a line of text, with each name replaced by `word`.
pub fn write_line(text: &str, mut word: impl FnMut(&str) -> String) -> String {
    let mut line = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|letter| !is_in_name(letter)).unwrap_or(rest.len()).max(first.len_utf8());
        let (token, after) = rest.split_at(end);
        line += &if starts_name(first) { word(token) } else { token.to_owned() };
        rest = after;
    }
    line
}

/// Characters that end a name. Every other character belongs to the name: `char::is_alphabetic`
/// would link Unicode tables into the download.
const MARKS: &str = " ·+−=≈≤≥>/^(),";

fn is_in_name(letter: char) -> bool {
    !MARKS.contains(letter)
}

fn starts_name(letter: char) -> bool {
    is_in_name(letter) && !letter.is_ascii_digit()
}

struct Reader<'a> {
    rest: &'a str,
    depth: u32,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Option<char> {
        self.rest.chars().next()
    }

    /// Consumes this many bytes and the spaces after them.
    fn take(&mut self, bytes: usize) -> Option<&'a str> {
        let (token, rest) = self.rest.split_at_checked(bytes)?;
        self.rest = rest.trim_start();
        Some(token)
    }

    /// Consumes a character if it comes next.
    fn takes(&mut self, wanted: char) -> bool {
        let is_next = self.next() == Some(wanted);
        if is_next {
            self.take(wanted.len_utf8());
        }
        is_next
    }

    /// Parses the parts of one precedence with the operators between them.
    fn ranked(&mut self, rank: usize) -> Option<Tree<'a>> {
        let Some(operators) = RANKS.get(rank) else { return self.product() };
        let mut row = vec![self.ranked(rank + 1)?];
        while let Some(operator) = self.next().filter(|next| operators.contains(*next)) {
            self.take(operator.len_utf8());
            row.push(Tree::Operator(operator));
            row.push(self.ranked(rank + 1)?);
        }
        alone(row)
    }

    fn product(&mut self) -> Option<Tree<'a>> {
        let mut row = vec![self.power()?];
        loop {
            if self.takes('·') {
                row.push(Tree::Operator('·'));
                row.push(self.power()?);
            } else if self.takes('/') {
                let over = alone(core::mem::take(&mut row))?;
                row.push(Tree::Fraction(Box::new([over, self.power()?])));
            } else {
                return alone(row);
            }
        }
    }

    fn power(&mut self) -> Option<Tree<'a>> {
        let base = self.atom()?;
        if self.takes('^') { Some(Tree::Power(Box::new([base, self.atom()?]))) } else { Some(base) }
    }

    fn atom(&mut self) -> Option<Tree<'a>> {
        let first = self.next()?;
        if first == '(' {
            return self.arguments()?.pop().map(|inner| Tree::Group(Box::new(inner)));
        }
        let is_number = first.is_ascii_digit();
        let belongs =
            |letter: char| if is_number { letter.is_ascii_digit() || letter == '.' } else { is_in_name(letter) };
        let end = self.rest.find(|letter| !belongs(letter)).unwrap_or(self.rest.len());
        let token = self.take(end).filter(|token| !token.is_empty())?;
        if is_number {
            Some(Tree::Number(token))
        } else if self.next() == Some('(') {
            Some(Tree::Call(token, self.arguments()?))
        } else {
            Some(Tree::Symbol(token))
        }
    }

    /// Parses comma-separated arguments in parentheses.
    fn arguments(&mut self) -> Option<Vec<Tree<'a>>> {
        self.depth += 1;
        if self.depth > DEPTH || !self.takes('(') {
            return None;
        }
        let mut all = vec![self.ranked(0)?];
        while self.takes(',') {
            all.push(self.ranked(0)?);
        }
        self.depth -= 1;
        self.takes(')').then_some(all)
    }
}

/// Unwraps a row with a single part.
fn alone(mut row: Vec<Tree<'_>>) -> Option<Tree<'_>> {
    if row.len() > 1 { Some(Tree::Row(row)) } else { row.pop() }
}

#[cfg(test)]
mod tests;
