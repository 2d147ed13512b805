//! Sums and products of whole numbers, as in the shell's `$((NODES * 8))` and Python's
//! `batch // args.micro`.

/// Evaluates a sum; `None` if a name is unknown or the text is not a sum.
pub(super) fn value(text: &str, known: &dyn Fn(&str) -> Option<String>) -> Option<i64> {
    let tokens = tokens(text, known)?;
    let mut at = 0;
    let sum = sum(&tokens, &mut at, 0)?;
    (at == tokens.len()).then_some(sum)
}

#[derive(Clone, Copy, PartialEq)]
enum Token {
    Number(i64),
    Sign(char),
}

fn tokens(text: &str, known: &dyn Fn(&str) -> Option<String>) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(letter) = rest.chars().next() {
        if letter.is_alphanumeric() || matches!(letter, '_' | '$' | '{') {
            let word = rest.trim_start_matches(['$', '{']);
            let is_part = |sign: char| sign.is_alphanumeric() || matches!(sign, '_' | '.');
            let end = word.find(|sign| !is_part(sign)).unwrap_or(word.len());
            let name = word.get(..end)?;
            let number = name.replace('_', "").parse().ok().or_else(|| known(name)?.trim().parse().ok())?;
            tokens.push(Token::Number(number));
            rest = word.get(end..)?.trim_start_matches('}').trim_start();
        } else {
            tokens.push(Token::Sign(letter));
            rest = rest.get(letter.len_utf8()..)?.trim_start();
        }
        if tokens.len() > 64 {
            return None;
        }
    }
    Some(tokens)
}

fn sum(tokens: &[Token], at: &mut usize, depth: u32) -> Option<i64> {
    let mut left = product(tokens, at, depth)?;
    while let Some(Token::Sign(sign @ ('+' | '-'))) = tokens.get(*at) {
        *at += 1;
        let right = product(tokens, at, depth)?;
        left = if *sign == '+' { left.checked_add(right)? } else { left.checked_sub(right)? };
    }
    Some(left)
}

fn product(tokens: &[Token], at: &mut usize, depth: u32) -> Option<i64> {
    let mut left = power(tokens, at, depth)?;
    while let Some(Token::Sign(sign @ ('*' | '/'))) = tokens.get(*at) {
        *at += 1;
        let right = power(tokens, at, depth)?;
        left = if *sign == '*' { left.checked_mul(right)? } else { left.checked_div(right)? };
    }
    Some(left)
}

fn power(tokens: &[Token], at: &mut usize, depth: u32) -> Option<i64> {
    let base = factor(tokens, at, depth)?;
    if tokens.get(*at..*at + 2) != Some(&[Token::Sign('*'); 2]) {
        return Some(base);
    }
    *at += 2;
    base.checked_pow(u32::try_from(factor(tokens, at, depth)?).ok()?)
}

fn factor(tokens: &[Token], at: &mut usize, depth: u32) -> Option<i64> {
    let token = *tokens.get(*at)?;
    *at += 1;
    match token {
        Token::Number(number) => Some(number),
        Token::Sign('(') if depth < 16 => {
            let inside = sum(tokens, at, depth + 1)?;
            let closed = tokens.get(*at) == Some(&Token::Sign(')'));
            *at += 1;
            closed.then_some(inside)
        }
        Token::Sign(_) => None,
    }
}
