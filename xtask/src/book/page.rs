//! Generates the page of a program, the page of all programs, and the entries in the table of
//! contents.

use anyhow::{Context as _, Result, bail};
use serde_json::{Map, Value, json};
use std::path::Path;

use super::programs::{self, Example, Marks, Program};
use super::words::{Labels, code, codes, is_commit, lines, link, links, plain, prose, section, table, text};
use crate::shell::{read_text, write};

/// Fields of a key that the page describes. An unknown field is an error.
const FIELDS: [&str; 25] = [
    "name",
    "is",
    "values",
    "sets",
    "lacks",
    "simplifies",
    "refuses",
    "scale",
    "times",
    "over",
    "part",
    "multiple_of",
    "first",
    "flag",
    "when",
    "means",
    "since",
    "strip",
    "writes",
    "present",
    "item",
    "read_by",
    "unwritten",
    "call",
    "reads",
];

/// Writes the generated parts of the book: a page per program, the tables included by the overview
/// page, and the entries in the table of contents.
pub(super) fn write_pages(book: &Path) -> Result<()> {
    let (programs, marks, labels) = (programs::all()?, Marks::all()?, Labels::ask()?);
    for program in &programs {
        let text = page(program, &marks, &labels)
            .with_context(|| format!("The page of {} could not be made", program.name))?;
        write(&book.join(program.page() + ".md"), &text)?;
    }
    write(&book.join("releases-table.md"), &overview(&programs, &marks, &labels)?)?;
    write(&book.join("releases-refused.md"), &refused(&programs, &marks)?)?;
    let contents_page = book.join("SUMMARY.md");
    write(&contents_page, &contents(&read_text(&contents_page)?, &programs)?)
}

/// Returns the whole page, in Markdown.
pub(super) fn page(program: &Program, marks: &Marks, labels: &Labels) -> Result<String> {
    let framework = labels.value("framework", &Value::String(program.framework.clone()))?;
    let mut page = format!("# {}\n\n{}\n\nComputed as: {framework}.", program.name, about(program, marks));
    page.push_str(" [All programs](releases.md)\n");
    page += &section("Releases", &releases(program, labels)?);
    if let Some(keys) = &program.keys {
        page += &section("Keys", &key_table(keys, labels)?);
        page += &section("Defaults", &usual(program, keys, labels)?);
        page += &section("Missing or refused", &lacking(keys));
        page += &section("Noted keys", &noted(keys));
        page += &section("Its names of models", &models(keys));
    }
    page += &section("Removed keys", &gone(program)?);
    page += &section("Keys that change neither memory nor speed", &quiet(&program.quiet));
    page += &section("How its files are recognised", &list_marks(program));
    page += &section("Files read by hand", &examples(program, labels)?);
    Ok(page)
}

/// Describes the program and the support for its files.
fn about(program: &Program, marks: &Marks) -> String {
    if let Some(keys) = &program.keys {
        return prose(text(keys, "about"));
    }
    let name = &program.name;
    match reading(program, marks) {
        Reading::ByCode => format!(
            "Files of {name} are read: [Runs, errors and logs](bring.md) describes how, and [Framework \
             settings](settings.md) lists the settings written for frameworks. Code reads its keys, not a table; its \
             defaults are below."
        ),
        Reading::Refused(instead) => {
            format!("Files of {name} are recognised but not read. {instead} Choose its defaults as *Software*.")
        }
        Reading::Unknown => {
            format!("Files of {name} are not recognised. Choose its defaults as *Software*.")
        }
    }
}

/// Lists the releases of the program, newest first.
fn releases(program: &Program, labels: &Labels) -> Result<String> {
    let row = |release: &Value| -> Result<[String; 5]> {
        let since = text(release, "since");
        let id = format!("{}-{}", program.slug, since.get(..7).unwrap_or(since));
        let mut facts = release["set"].as_object().map(|set| labels.facts(set)).transpose()?.unwrap_or_default();
        for other in array(&release["where"]) {
            let [when, set] = ["when", "set"].map(|key| other[key].as_object().cloned().unwrap_or_default());
            facts.push(format!("if {}: {}", labels.condition(&when)?, labels.facts(&set)?.join(", ")));
        }
        Ok([
            format!("{since}<br>{}", code(&id)),
            text(release, "name").to_owned(),
            prose(text(release, "says")),
            lines(&facts),
            lines(&links(text(release, "source"))?),
        ])
    };
    let rows: Vec<[String; 5]> = program.releases.iter().rev().map(row).collect::<Result<_>>()?;
    if rows.is_empty() {
        return Ok(String::new());
    }
    let heads = ["Since", "Release", "What changed", "What it sets", "Source"];
    let intro = "The defaults of each release from its date on; those of earlier releases remain. The name in code is \
        the value of `release` in links.\n\n";
    Ok(intro.to_owned() + &table("wide dated", heads, &rows))
}

/// Lists the keys that set a parameter.
fn key_table(keys: &Value, labels: &Labels) -> Result<String> {
    let mut rows = Vec::new();
    for row in array(&keys["key"]) {
        if let Some(field) = row.as_object().and_then(|row| row.keys().find(|key| !FIELDS.contains(&key.as_str()))) {
            bail!("no page describes the field `{field}` of a key");
        }
        let [what, words] = [what(row, labels)?, words(row, labels)?];
        if text(row, "is") == "noted" || what.is_empty() && words.is_empty() {
            continue;
        }
        let names = names(row);
        let names = if names.is_empty() { "—".to_owned() } else { lines(&names) };
        rows.push([names, lines(&what), lines(&words), conditions(row)]);
    }
    let sources = links(text(keys, "source"))?.join(", ");
    let places: Vec<&str> = texts(&keys["places"]).filter(|place| !matches!(*place, "" | "*")).collect();
    let places = match &places[..] {
        [] => String::new(),
        places => format!(" Each key is on the top level or below {}.", codes(places.iter().copied(), "or")),
    };
    let intro = format!(
        "`*` matches any beginning of a key or any part of a word; an exact word takes precedence. The last of several \
         keys for the same setting counts.{places} Sources: {sources}.\n\n"
    );
    Ok(intro + &table("wide keyed", ["Key", "What it sets", "Its values", "Condition"], &rows))
}

/// Returns the spellings of a key; none for a row that holds without a key.
fn names(row: &Value) -> Vec<String> {
    texts(&row["name"]).map(code).collect()
}

/// Describes the parameter that a key sets and the conversion of its number.
fn what(row: &Value, labels: &Labels) -> Result<Vec<String>> {
    let mut what = Vec::new();
    let is = text(row, "is");
    if !is.is_empty() && is != "noted" {
        what.push(labels.name(is)?);
    }
    match text(row, "reads") {
        "" if text(row, "call").is_empty() => {}
        "" => bail!("nothing says what the function {} reads", text(row, "call")),
        reads => what.push(prose(reads)),
    }
    match text(row, "part") {
        "" => {}
        "#" => what.push("all numbers of the word multiplied".to_owned()),
        part => what.push(format!("the number behind {} of the word", code(part))),
    }
    for key in texts(&row["times"]) {
        what.push(format!("times {}", codes(key.split('|'), "or")));
    }
    for key in texts(&row["over"]) {
        what.push(format!("over {}", codes(key.split('|'), "or")));
    }
    if let Some(scale) = row["scale"].as_f64() {
        // A third has no finite decimal representation.
        let over = 1.0 / scale;
        let is_part = scale < 1.0 && (over - over.round()).abs() < 1e-9;
        what.push(if is_part { format!("divided by {}", over.round()) } else { format!("times {scale}") });
    }
    match text(row, "multiple_of") {
        "" => {}
        key => what.push(format!("rounded up to a multiple of {}", code(key))),
    }
    if row["strip"].is_array() {
        what.push(format!("without {}", codes(texts(&row["strip"]), "and")));
    }
    if row["first"] == true {
        what.push("the first of several".to_owned());
    }
    if row["flag"] == true {
        what.push("a flag without a value".to_owned());
    }
    if let Some(sets) = row["sets"].as_object() {
        let facts = labels.facts(sets)?.join(", ");
        what.push(if names(row).is_empty() { facts } else { format!("if it is on: {facts}") });
    }
    Ok(what)
}

/// Describes the meanings of a key's words, grouped by meaning.
fn words(row: &Value, labels: &Labels) -> Result<Vec<String>> {
    let mut meanings: Vec<(String, Vec<&str>)> = Vec::new();
    for (word, value) in object(&row["values"]) {
        let meaning = match value {
            Value::Object(several) if several.is_empty() => "as if absent".to_owned(),
            Value::Object(several) => labels.facts(several)?.join(", "),
            option => labels.value(text(row, "is"), option)?,
        };
        match meanings.iter_mut().find(|(known, _)| *known == meaning) {
            Some((_, words)) => words.push(word),
            None => meanings.push((meaning, vec![word])),
        }
    }
    // A key whose words all change nothing has no meanings.
    if meanings.iter().all(|(meaning, _)| meaning == "as if absent") {
        return Ok(Vec::new());
    }
    Ok(meanings.into_iter().map(|(meaning, words)| format!("{}: {meaning}", any_of(&words))).collect())
}

/// Joins words with equal meaning.
fn any_of(words: &[&str]) -> String {
    match words {
        ["*"] => "any word".to_owned(),
        ["#"] => "any number".to_owned(),
        words => codes(words.iter().copied(), "or"),
    }
}

/// Describes the conditions on other keys.
fn conditions(row: &Value) -> String {
    let conditions: Vec<String> = object(&row["when"])
        .map(|(key, words)| {
            let words: Vec<String> = texts(words)
                .map(|word| match (word, word.strip_prefix('!')) {
                    ("set", _) => "is set".to_owned(),
                    ("unset", _) => "is not set".to_owned(),
                    (_, Some(not)) => format!("is not {}", code(not)),
                    (word, None) => format!("is {}", any_of(&[word])),
                })
                .collect();
            // Shortens `is a or is b` to `is a or b`.
            let whose = if key == "__file__" { "the file's name".to_owned() } else { codes(key.split('|'), "or") };
            format!("{whose} {}", words.join(" or ").replace(" or is `", " or `"))
        })
        .collect();
    lines(&conditions)
}

/// Lists the defaults of the program for missing keys.
fn usual(program: &Program, keys: &Value, labels: &Labels) -> Result<String> {
    let (usual, says) = (&keys["usual"], &keys["says"]);
    let mut rows = Vec::new();
    for (key, value) in object(usual) {
        rows.push([labels.name(key)?, labels.value(key, value)?, prose(text(says, key))]);
    }
    // Defaults from a release or from the engine are only described in `says`.
    let by_release = |key: &str| program.releases.iter().any(|release| release["set"].get(key).is_some());
    for (key, said) in object(says).filter(|(key, _)| usual.get(key).is_none()) {
        let value = if by_release(key) { "its release's" } else { "" };
        rows.push([labels.name(key)?, value.to_owned(), prose(said.as_str().unwrap_or_default())]);
    }
    Ok(table("wide", ["Setting", "Value", "Why"], &rows))
}

/// Lists words that are not supported.
fn lacking(keys: &Value) -> String {
    let mut rows = Vec::new();
    for row in array(&keys["key"]) {
        let kinds = [
            ("lacks", "there is no verdict"),
            ("simplifies", "computed as something simpler"),
            ("refuses", "the file is refused"),
        ];
        for (kind, then) in kinds {
            let mut sentences: Vec<(&str, Vec<&str>)> = Vec::new();
            for (word, sentence) in object(&row[kind]) {
                let sentence = sentence.as_str().unwrap_or_default();
                match sentences.iter_mut().find(|(known, _)| *known == sentence) {
                    Some((_, words)) => words.push(word),
                    None => sentences.push((sentence, vec![word])),
                }
            }
            rows.extend(
                sentences
                    .into_iter()
                    .map(|(sentence, words)| [lines(&names(row)), any_of(&words), prose(sentence), then.to_owned()]),
            );
        }
    }
    table("wide keyed", ["Key", "Word", "Missing", "Then"], &rows)
}

/// Lists keys that are understood but change nothing.
fn noted(keys: &Value) -> String {
    let noted = array(&keys["key"]).iter().filter(|row| text(row, "is") == "noted");
    let rows: Vec<[String; 2]> = noted.map(|row| [lines(&names(row)), prose(text(row, "means"))]).collect();
    table("wide keyed", ["Key", "What it means"], &rows)
}

fn models(keys: &Value) -> String {
    let rows: Vec<[String; 2]> =
        object(&keys["models"]).map(|(name, model)| [code(name), code(&plain(model))]).collect();
    table("wide", ["Name", "Model in links"], &rows)
}

/// Lists keys removed from the program, newest first.
fn gone(program: &Program) -> Result<String> {
    let mut gone: Vec<&Value> = program.gone.iter().collect();
    gone.sort_by_key(|row| core::cmp::Reverse(text(row, "since")));
    let row = |row: &Value| -> Result<[String; 4]> {
        let keys: Vec<String> = texts(&row["keys"]).map(code).collect();
        Ok([text(row, "since").to_owned(), lines(&keys), prose(text(row, "says")), lines(&links(text(row, "source"))?)])
    };
    let rows: Vec<[String; 4]> = gone.into_iter().map(row).collect::<Result<_>>()?;
    if rows.is_empty() {
        return Ok(String::new());
    }
    let intro = "A file with one of them is read as of the last release that had it.\n\n";
    Ok(intro.to_owned() + &table("wide dated", ["Until", "Key", "Replacement", "Source"], &rows))
}

/// Lists keys without an effect, by their last part.
fn quiet(lists: &Value) -> String {
    let said = [("keys", "By their last part:"), ("sections", "All keys below")].map(|(kind, what)| {
        match codes(texts(&lists[kind]), "and").as_str() {
            "" => String::new(),
            keys => format!("{what} {keys}.\n\n"),
        }
    });
    said.concat()
}

/// Lists the marks that identify a file of the program.
fn list_marks(program: &Program) -> String {
    let all = |kind: &str| -> Vec<&str> { program.marks.iter().flat_map(|row| texts(&row[kind])).collect() };
    let mut said = Vec::new();
    for (kind, what) in [("commands", "Commands of a script"), ("imports", "Modules that a Python file imports")] {
        let marks = all(kind);
        if !marks.is_empty() {
            said.push(format!("- {what}: {}", codes(marks, "or")));
        }
    }
    let keys: Vec<String> = all("keys").into_iter().map(|mark| codes(mark.split(' '), "with")).collect();
    if !keys.is_empty() {
        said.push(format!("- Keys: {}", keys.join("; ")));
    }
    if said.is_empty() {
        return String::new();
    }
    format!("Any one of these identifies them:\n\n{}\n", said.join("\n"))
}

/// Lists files by other authors, with the values read from them.
fn examples(program: &Program, labels: &Labels) -> Result<String> {
    let mut rows = Vec::new();
    for example in &program.examples {
        let mut read = Vec::new();
        let Example { expected, .. } = example;
        for (key, value) in object(&expected["expect"]) {
            match value {
                Value::Null => {}
                Value::Object(shape) => {
                    for (key, value) in shape {
                        read.push(labels.fact(&format!("shape.{key}"), value)?);
                    }
                }
                value => read.push(labels.fact(key, value)?),
            }
        }
        rows.push([origin(example), read.join("; ")]);
    }
    if rows.is_empty() {
        return Ok(String::new());
    }
    let intro = "Files written by others; a test compares the values read from them with this table.\n\n";
    Ok(intro.to_owned() + &table("wide", ["File", "Values"], &rows))
}

/// Returns a link to the published file, or else its name.
fn origin(example: &Example) -> String {
    let file = || code(text(&example.expected, "file"));
    let place = example.first_line.split_once("github.com/").map(|(_, place)| place.trim_end_matches('.'));
    let parts = || -> Option<(&str, &str, &str)> {
        let (place, commit) = place?.strip_suffix(')')?.rsplit_once(" (")?;
        let (repository, path) = place.split_once(", ")?;
        (is_commit(commit) && !path.contains(' ')).then_some((repository, path, commit))
    };
    parts().map_or_else(file, |(repository, path, commit)| link(repository, path, commit))
}

fn array(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn object(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flat_map(Map::iter)
}

/// Returns one text or several.
fn texts(value: &Value) -> impl Iterator<Item = &str> {
    value.as_str().into_iter().chain(array(value).iter().filter_map(Value::as_str))
}

/// Line of the table of contents that precedes the entries of programs.
const CHAPTER: &str = "(releases.md)\n";

/// Lists all programs, one per row.
pub(super) fn overview(programs: &[Program], marks: &Marks, labels: &Labels) -> Result<String> {
    let rows: Vec<[String; 4]> = programs.iter().map(|program| row(program, marks, labels)).collect::<Result<_>>()?;
    Ok(table("wide", ["Program", "Computed as", "Releases", "Its files"], &rows))
}

fn row(program: &Program, marks: &Marks, labels: &Labels) -> Result<[String; 4]> {
    let releases = match program.releases.as_slice() {
        [] => "none listed".to_owned(),
        [only] => format!("1: {}", text(only, "name")),
        [first, .., last] => {
            format!("{}, {} to {}", program.releases.len(), text(first, "name"), text(last, "name"))
        }
    };
    let rows = program.keys.as_ref().and_then(|keys| keys["key"].as_array());
    let files = match (rows, reading(program, marks)) {
        (Some(rows), _) => format!("read, by {} rows of keys", rows.len()),
        (None, Reading::ByCode) => "read, by code".to_owned(),
        (None, Reading::Refused(_)) => "recognised, not read".to_owned(),
        (None, Reading::Unknown) => "not recognised".to_owned(),
    };
    let name = format!("[{}]({}.md)", program.name, program.page());
    Ok([name, labels.value("framework", &json!(program.framework))?, releases, files])
}

/// Support for files of a program without a table of keys.
pub(super) enum Reading<'a> {
    /// Files are read.
    ByCode,
    /// Files are recognized but not read; the text describes an alternative.
    Refused(&'a str),
    /// There are no marks to recognize files.
    Unknown,
}

/// Returns the support for files of a program without a table of keys.
pub(super) fn reading<'a>(program: &Program, marks: &'a Marks) -> Reading<'a> {
    match program.marks.iter().find_map(|row| marks.instead(row)) {
        Some(instead) => Reading::Refused(instead),
        None if program.marks.is_empty() => Reading::Unknown,
        None => Reading::ByCode,
    }
}

/// Lists the programs that are recognized but refused, grouped by alternative.
pub(super) fn refused(programs: &[Program], marks: &Marks) -> Result<String> {
    let Some(sentences) = marks.instead.as_object() else { bail!("No row has a replacement.") };
    let name = |row: &Value| {
        let name = text(row, "name");
        match programs.iter().find(|program| program.name == name) {
            Some(program) => format!("[{name}]({}.md)", program.page()),
            None => prose(row["what"].as_str().unwrap_or(name)),
        }
    };
    let rows: Vec<[String; 2]> = sentences
        .iter()
        .filter_map(|(key, sentence)| {
            let mut names: Vec<String> =
                marks.programs.iter().filter(|row| text(row, "instead") == key).map(name).collect();
            names.sort_by_key(|name| name.trim_start_matches('[').to_lowercase());
            Some([names.join(", "), prose(sentence.as_str()?)])
        })
        .collect();
    Ok(table("wide", ["Recognised", "Give instead"], &rows))
}

/// Inserts the pages of programs into the table of contents.
pub(super) fn contents(summary: &str, programs: &[Program]) -> Result<String> {
    let Some((before, after)) = summary.split_once(CHAPTER) else {
        bail!("SUMMARY.md lacks the chapter releases.md, which the programs follow.");
    };
    let lines: Vec<String> =
        programs.iter().map(|program| format!("  - [{}]({}.md)\n", program.name, program.page())).collect();
    Ok(format!("{before}{CHAPTER}{}{after}", lines.concat()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops where its data is wrong")]
mod tests {
    use super::super::words::tests::labels;
    use super::*;
    use serde_json::json;

    fn made(name: &str) -> String {
        let programs = programs::all().unwrap();
        let program = programs.iter().find(|program| program.slug == name).unwrap();
        page(program, &Marks::all().unwrap(), &labels()).unwrap()
    }

    #[test]
    fn every_folder_has_a_page_with_something_on_it() {
        let (programs, marks, labels) = (programs::all().unwrap(), Marks::all().unwrap(), labels());
        assert!(programs.len() >= 32);
        let table = overview(&programs, &marks, &labels).unwrap();
        let contents = contents("- [All](releases.md)\n- [Next](next.md)\n", &programs).unwrap();
        assert!(contents.ends_with(")\n- [Next](next.md)\n"));
        for program in &programs {
            let text = page(program, &marks, &labels).unwrap_or_else(|error| panic!("{}: {error:#}", program.name));
            assert!(text.lines().count() > 12, "{}: {text}", program.name);
            assert_eq!(text.contains("## Releases"), !program.releases.is_empty(), "{}", program.name);
            assert_eq!(text.contains("## Keys\n"), program.keys.is_some(), "{}", program.name);
            let link = format!("[{}]({}.md)", program.name, program.page());
            assert!(table.contains(&link) && contents.contains(&format!("  - {link}\n")), "{link}");
        }
    }

    #[test]
    fn a_release_is_told_in_labels_with_its_condition_and_its_source() {
        let page = made("torchtitan");
        let line = page.lines().find(|line| line.starts_with("| 2024-10-22<br>")).unwrap();
        for part in [
            "`torchtitan-2024-10`",
            "Loss: Standard<br>Allocator segments: Expandable<br>if torch.compile is On: Loss: Fused |",
            "[train.py @ e10cb9494](https://github.com/pytorch/torchtitan/blob/e10cb9494/train.py)<br>",
        ] {
            assert!(line.contains(part), "{part}: {line}");
        }
        let [newest, oldest] = ["| 2025-04-02<", "| 2024-03-28<"].map(|since| page.find(since).unwrap());
        assert!(newest < oldest);
    }

    #[test]
    fn a_key_is_told_with_its_words_and_conditions() {
        let row = json!({
            "name": ["a.b", "*c"],
            "is": "loss",
            "values": { "true": "fused", "on": "fused", "x": { "compile": "yes" }, "none": {} },
            "when": { "engine": ["deepspeed", "fsdp"], "d": ["unset", "!e"] },
        });
        assert_eq!(names(&row), ["`a.b`", "`*c`"]);
        assert_eq!(what(&row, &labels()).unwrap(), ["Loss (`loss`)"]);
        assert_eq!(
            words(&row, &labels()).unwrap(),
            ["`true` or `on`: Fused", "`x`: torch.compile: On", "`none`: as if absent"]
        );
        assert_eq!(conditions(&row), "`engine` is `deepspeed` or `fsdp`<br>`d` is not set or is not `e`");
        let counted = json!({ "name": "n", "is": "shape.ffn", "scale": 1.0 / 3.0, "multiple_of": "m", "over": "a|b" });
        assert_eq!(
            what(&counted, &labels()).unwrap(),
            ["MLP width (`ffn`)", "over `a` or `b`", "divided by 3", "rounded up to a multiple of `m`"]
        );
    }

    #[test]
    fn what_no_page_tells_is_an_error() {
        let keys = json!({ "source": "o/n p.py @ 0123456", "key": [{ "name": "a", "shiny": 1 }] });
        assert!(key_table(&keys, &labels()).unwrap_err().to_string().contains("shiny"));
    }

    #[test]
    fn files_that_are_not_read_say_what_to_give() {
        assert!(made("colossal-ai").contains("recognised but not read. Give its values by hand"));
        assert!(made("peft").contains("Files of PEFT are read") && made("trl").contains("`trl sft`"));
        let refused = refused(&programs::all().unwrap(), &Marks::all().unwrap()).unwrap();
        assert!(refused.contains("[Colossal-AI](programs-colossal-ai.md)") && refused.contains("PaddleNLP"));
    }
}
