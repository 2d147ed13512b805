//! A module of a few functions, cut. What the halves do together, the browser's tests see.

use walrus::ir::{LoadKind, MemArg, Value};
use walrus::{ElementItems, ElementKind, ExportItem, FunctionBuilder, FunctionId, FunctionKind, ImportKind, ValType};

use super::*;

/// Builds a function of one number that adds `calls` of others to a global and what is in memory.
fn function(module: &mut Module, name: &str, calls: &[FunctionId]) -> FunctionId {
    let memory = module.memories.iter().next().expect("a memory").id();
    let global = module.globals.iter().next().expect("a global").id();
    let argument = module.locals.add(ValType::I32);
    let mut function = FunctionBuilder::new(&mut module.types, &[ValType::I32], &[ValType::I32]);
    function.name(format!("{name}::h0123456789abcdef"));
    let mut body = function.func_body();
    let at = MemArg { align: 4, offset: 0 };
    body.global_get(global).local_get(argument).load(memory, LoadKind::I32 { atomic: false }, at);
    body.binop(walrus::ir::BinaryOp::I32Add);
    for call in calls {
        body.call(*call);
    }
    function.finish(vec![argument], &mut module.funcs)
}

/// `run` (exported) calls `hot` and `cold`; `listed` is in the table only; `cold` calls `hot`, `deep` and the script.
fn module() -> Vec<u8> {
    let mut module = Module::with_config(ModuleConfig::new());
    let memory = module.memories.add_local(false, false, 1, None, None);
    module.globals.add_local(ValType::I32, true, false, walrus::ConstExpr::Value(Value::I32(1024)));
    let ty = module.types.add(&[ValType::I32], &[ValType::I32]);
    let (script, _) = module.add_import_func("./page_bg.js", "log", ty);
    let hot = function(&mut module, "hot", &[]);
    let deep = function(&mut module, "deep", &[]);
    let cold = function(&mut module, "cold", &[hot, deep, script]);
    let listed = function(&mut module, "listed", &[]);
    let run = function(&mut module, "run", &[hot, cold]);
    let table = module.tables.add_local(false, 3, Some(3), walrus::RefType::FUNCREF);
    let offset = walrus::ConstExpr::Value(Value::I32(1));
    let items = ElementItems::Functions(vec![listed, hot]);
    let element = module.elements.add(ElementKind::Active { table, offset: offset.clone() }, items);
    module.tables.get_mut(table).elem_segments.insert(element);
    let data = module.data.add(walrus::DataKind::Active { memory, offset }, vec![1, 2, 3]);
    module.memories.get_mut(memory).data_segments.insert(data);
    module.exports.add("memory", memory);
    module.exports.add("run", run);
    module.emit_wasm()
}

fn list(names: &[&str]) -> BTreeSet<u32> {
    let module = parse(&module()).expect("a module");
    let hashes = cold::hashes(&module);
    let named = |name: &str| names.iter().any(|wanted| name == format!("{wanted}::h0123456789abcdef"));
    let chosen = module.funcs.iter().zip(hashes).filter(|(it, _)| it.name.as_deref().is_some_and(named));
    chosen.filter_map(|(_, hash)| hash).collect()
}

fn cut(names: &[&str]) -> (Module, Module) {
    let halves = halves(&module(), &list(names)).expect("it can be cut").expect("something is cold");
    (parse(&halves.hot).expect("a module"), parse(&halves.rest).expect("a module"))
}

fn defined(module: &Module) -> Vec<String> {
    let local = module.funcs.iter().filter(|it| matches!(it.kind, FunctionKind::Local(_)));
    let mut names: Vec<String> =
        local.filter_map(|it| Some(it.name.as_deref()?.split("::").next()?.to_owned())).collect();
    names.sort();
    names
}

/// Slots and how many functions they begin with.
fn segments(module: &Module) -> Vec<(i32, usize)> {
    let mut all: Vec<(i32, usize)> = module
        .elements
        .iter()
        .filter_map(|element| match (&element.kind, &element.items) {
            (
                ElementKind::Active { offset: walrus::ConstExpr::Value(Value::I32(at)), .. },
                ElementItems::Functions(items),
            ) => Some((*at, items.len())),
            _ => None,
        })
        .collect();
    all.sort_unstable();
    all
}

#[test]
fn the_rest_takes_its_functions_and_leaves_stand_ins() {
    let (hot, rest) = cut(&["cold", "deep", "listed"]);
    assert_eq!(defined(&rest), ["cold", "deep", "listed"]);
    // One stand-in for the call, one for the element; nobody outside the rest knows `deep`.
    assert_eq!(defined(&hot), ["hot", "run", "~01 00001", "~01 00003"]);
    assert_eq!(segments(&hot), [(1, 2), (3, 1)]);
    assert_eq!(segments(&rest), [(1, 1), (3, 1)]);
    assert!(hot.imports.iter().any(|import| import.module == "./page_bg.js" && import.name == LOADER));
}

#[test]
fn the_first_half_exports_what_the_rest_imports() {
    let (hot, rest) = cut(&["cold", "deep", "listed"]);
    let kind = |name: &str| hot.exports.iter().find(|export| export.name == name).map(|export| &export.item);
    for import in rest.imports.iter() {
        assert_eq!(import.module, BRIDGE);
        let same = matches!(
            (&import.kind, kind(&import.name)),
            (ImportKind::Function(_), Some(ExportItem::Function(_)))
                | (ImportKind::Table(_), Some(ExportItem::Table(_)))
                | (ImportKind::Memory(_), Some(ExportItem::Memory(_)))
                | (ImportKind::Global(_), Some(ExportItem::Global(_)))
        );
        assert!(same, "{import:?}");
    }
    // `hot`, the script's `log`, table, memory, global.
    assert_eq!(rest.imports.iter().count(), 5);
    assert!(rest.data.iter().next().is_none() && rest.exports.iter().next().is_none() && rest.start.is_none());
    let table = |module: &Module| module.tables.iter().map(|table| (table.initial, table.maximum)).collect::<Vec<_>>();
    assert_eq!(table(&hot), [(4, Some(4))]);
    assert_eq!(table(&rest), table(&hot));
}

#[test]
fn what_javascript_calls_stays() {
    let only_run = halves(&module(), &list(&["run"])).expect("a module");
    assert!(only_run.is_none());
    assert!(halves(&module(), &BTreeSet::from([1, 2, 3])).expect("a module").is_none(), "a stale list moves nothing");
}

#[test]
fn the_same_module_and_list_give_the_same_bytes() {
    let cut = || halves(&module(), &list(&["cold", "listed"])).expect("it can be cut").expect("something is cold");
    let (first, second) = (cut(), cut());
    assert_eq!(first.hot, second.hot);
    assert_eq!(first.rest, second.rest);
}

#[test]
fn names_shortened_in_the_first_half_are_shortened_in_the_rest() {
    let halves = halves(&module(), &list(&["cold"])).expect("it can be cut").expect("something is cold");
    let short = BTreeMap::from([("memory".to_owned(), "m".to_owned())]);
    let rest = parse(&renamed(&halves.rest, &short).expect("a module")).expect("a module");
    assert!(rest.imports.iter().any(|import| import.name == "m"));
    assert!(!rest.imports.iter().any(|import| import.name == "memory"));
}
