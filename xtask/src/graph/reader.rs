//! Reads the modules of a crate: what each defines, imports and uses. Tests are left out.

use anyhow::{Context as _, Result, anyhow};
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::shell::read_text;

/// The names of a module below the crate's root, from the outermost.
pub(super) type Name = Vec<String>;
/// The modules of a crate.
pub(super) type Modules = BTreeMap<Name, Module>;

/// A module, as its source states it.
#[derive(Default)]
pub(super) struct Module {
    /// The module of the file that holds it: itself, but for a module in braces.
    pub file: Name,
    /// The file, below the folder of the crate's root.
    pub path: String,
    /// Names that the module defines.
    pub items: BTreeSet<String>,
    /// Paths of the names that it imports.
    pub imports: BTreeMap<String, Vec<String>>,
    /// Paths of the modules and enums from which it imports everything.
    pub globs: Vec<Vec<String>>,
    /// Paths that it names, in their order.
    pub uses: Vec<Use>,
}

/// A path in a source.
pub(super) struct Use {
    /// The words of the path.
    pub path: Vec<String>,
    /// Where it stands.
    pub kind: PathKind,
    /// The line of code.
    pub line: String,
}

/// The place of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PathKind {
    /// `use`
    Import,
    /// `pub use`
    Export,
    /// Code.
    Code,
}

/// The last word of a path that imports everything.
pub(super) const ALL: &str = "*";
/// Words before the name of an item.
const ITEMS: [&str; 8] = ["fn", "struct", "enum", "union", "trait", "type", "const", "static"];

/// Returns the modules of the crate with this root file.
///
/// # Errors
/// When a file cannot be read, or is no Rust.
pub(super) fn modules(root: &Path) -> Result<Modules> {
    let mut modules = Modules::new();
    let folder = root.parent().unwrap_or(root);
    let mut open = vec![(Name::new(), root.to_owned())];
    while let Some((name, file)) = open.pop() {
        let path = file.strip_prefix(folder)?.to_string_lossy();
        let below =
            parse(&read_text(&file)?, &name, &path, &mut modules).with_context(|| file.display().to_string())?;
        for child in below {
            let stem = folder.join(child.join("/"));
            let files = [stem.with_extension("rs"), stem.join("mod.rs")];
            // Attributes name only files of other crates, which count there.
            open.extend(files.into_iter().find(|file| file.is_file()).map(|file| (child, file)));
        }
    }
    Ok(modules)
}

/// Adds the modules of a file, and returns the names of those in files of their own.
///
/// # Errors
/// When the text is no Rust.
pub(super) fn parse(text: &str, name: &Name, path: &str, modules: &mut Modules) -> Result<Vec<Name>> {
    let tokens: TokenStream = text.parse().map_err(|error| anyhow!("{error}"))?;
    let mut reader = Reader { lines: text.lines().collect(), file: name, path, modules, below: Vec::new() };
    reader.module(tokens, name.clone());
    Ok(reader.below)
}

/// Reads one file.
struct Reader<'a> {
    lines: Vec<&'a str>,
    file: &'a Name,
    path: &'a str,
    modules: &'a mut Modules,
    below: Vec<Name>,
}

impl Reader<'_> {
    /// Reads a module's tokens.
    fn module(&mut self, tokens: TokenStream, name: Name) {
        let mut module = Module { file: self.file.clone(), path: self.path.to_owned(), ..Module::default() };
        self.tokens(tokens, &name, &mut module, true);
        self.modules.insert(name, module);
    }

    /// Reads tokens of a module; `is_top` if they are its items.
    fn tokens(&mut self, tokens: TokenStream, name: &Name, module: &mut Module, is_top: bool) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut rest = tokens.as_slice();
        let mut before = [' '; 2];
        let mut is_public = false;
        while let [first, after @ ..] = rest {
            let was_public = std::mem::take(&mut is_public);
            rest = after;
            match first {
                TokenTree::Punct(sign) if sign.as_char() == '#' => {
                    if let Some((is_test, after)) = attribute(after) {
                        rest = if is_test { after_item(after) } else { after };
                    }
                }
                TokenTree::Group(group) => self.tokens(group.stream(), name, module, false),
                TokenTree::Ident(word) if is(before, '.', '.') || before[1] != '.' => match (word.to_string(), after) {
                    (word, _) if word == "pub" => {
                        is_public = true;
                        if let [TokenTree::Group(group), after @ ..] = after
                            && group.delimiter() == Delimiter::Parenthesis
                        {
                            rest = after;
                        }
                    }
                    (word, [next, ..]) if word == "use" && sign(next) != '<' => {
                        let end = after.iter().position(|token| sign(token) == ';').unwrap_or(after.len());
                        let (path, after) = after.split_at(end);
                        rest = after;
                        self.imports(path, &[], if was_public { PathKind::Export } else { PathKind::Import }, module);
                    }
                    (word, [TokenTree::Ident(child), TokenTree::Group(group), after @ ..]) if word == "mod" => {
                        rest = after;
                        self.module(group.stream(), [name.as_slice(), &[child.to_string()]].concat());
                    }
                    (word, [TokenTree::Ident(child), after @ ..]) if word == "mod" => {
                        rest = after;
                        self.below.push([name.as_slice(), &[child.to_string()]].concat());
                    }
                    (word, [TokenTree::Punct(_), TokenTree::Ident(item), after @ ..]) if word == "macro_rules" => {
                        rest = after;
                        module.items.insert(item.to_string());
                    }
                    (word, [TokenTree::Ident(item), ..]) if is_top && ITEMS.contains(&word.as_str()) => {
                        module.items.insert(item.to_string());
                    }
                    (word, _) => {
                        let (path, after) = path(word, after);
                        rest = after;
                        let ends_at_colon =
                            matches!(after, [next, other, ..] if sign(next) == ':' && sign(other) != ':');
                        let is_field = path.len() == 1 && ends_at_colon;
                        if !is(before, ':', ':') && before[1] != '\'' && !is_field {
                            module.uses.push(Use { path, kind: PathKind::Code, line: self.line(first) });
                        }
                    }
                },
                _ => {}
            }
            before = [before[1], sign(first)];
        }
    }

    /// Adds the imports of one `use`, of which `before` is read.
    fn imports(&self, tokens: &[TokenTree], before: &[String], kind: PathKind, module: &mut Module) {
        let [first, ..] = tokens else { return };
        let mut path = before.to_vec();
        let mut name = None;
        let mut rest = tokens;
        while let [token, after @ ..] = rest {
            rest = after;
            match token {
                TokenTree::Ident(word) if word == "as" => {
                    name = after.first().map(ToString::to_string);
                    break;
                }
                TokenTree::Ident(word) if word == "self" && !path.is_empty() => {}
                TokenTree::Ident(word) => path.push(word.to_string()),
                TokenTree::Group(group) => {
                    let tokens: Vec<TokenTree> = group.stream().into_iter().collect();
                    for part in tokens.split(|token| sign(token) == ',') {
                        self.imports(part, &path, kind, module);
                    }
                    return;
                }
                TokenTree::Punct(star) if star.as_char() == '*' => {
                    module.globs.push(path.clone());
                    path.push(ALL.to_owned());
                }
                _ => {}
            }
        }
        if let Some(name) = name.or_else(|| path.last().cloned()) {
            module.imports.insert(name, path.clone());
        }
        module.uses.push(Use { path, kind, line: self.line(first) });
    }

    /// Returns the line of a token.
    fn line(&self, token: &TokenTree) -> String {
        let line = token.span().start().line.saturating_sub(1);
        self.lines.get(line).map(|line| line.trim().to_owned()).unwrap_or_default()
    }
}

/// Returns the sign of a token; a space for a word.
fn sign(token: &TokenTree) -> char {
    if let TokenTree::Punct(sign) = token { sign.as_char() } else { ' ' }
}

/// Returns whether two signs are these.
fn is(signs: [char; 2], first: char, second: char) -> bool {
    signs == [first, second]
}

/// Returns whether the attribute after a `#` is `cfg(test)`, and the tokens after it.
fn attribute(tokens: &[TokenTree]) -> Option<(bool, &[TokenTree])> {
    match tokens {
        [TokenTree::Group(group), after @ ..] => Some((is_test(group), after)),
        // Of the whole file.
        [TokenTree::Punct(_), TokenTree::Group(_), after @ ..] => Some((false, after)),
        _ => None,
    }
}

fn is_test(attribute: &Group) -> bool {
    let mut tokens = attribute.stream().into_iter();
    let is_cfg = tokens.next().is_some_and(|token| matches!(token, TokenTree::Ident(name) if name == "cfg"));
    is_cfg && tokens.next().is_some_and(|token| token.to_string() == "(test)")
}

/// Returns the tokens after an item.
fn after_item(tokens: &[TokenTree]) -> &[TokenTree] {
    let ends_at_semicolon = |token: &TokenTree| matches!(token, TokenTree::Ident(word) if ["use", "const", "static", "type"].iter().any(|item| word == item));
    let mut is_statement = false;
    for (at, token) in tokens.iter().enumerate() {
        is_statement |= ends_at_semicolon(token);
        let is_body = matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace);
        if sign(token) == ';' || is_body && !is_statement {
            return tokens.get(at + 1..).unwrap_or_default();
        }
    }
    &[]
}

/// Returns the path that begins with a word, and the tokens after it.
fn path(word: String, mut tokens: &[TokenTree]) -> (Vec<String>, &[TokenTree]) {
    let mut path = vec![word];
    while let [first, second, TokenTree::Ident(word), after @ ..] = tokens
        && is([sign(first), sign(second)], ':', ':')
    {
        path.push(word.to_string());
        tokens = after;
    }
    (path, tokens)
}
