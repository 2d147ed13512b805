//! The first half: everything but the functions of the rest, with stand-ins for those that it can reach.

use std::collections::BTreeMap;

use walrus::ir::{CallIndirect, Const, Instr, InstrSeq, ReturnCallIndirect, Value, VisitorMut, dfs_pre_order_mut};
use walrus::{ConstExpr, ElementItems, ElementKind, FunctionBuilder, FunctionId, Module, TableId, TypeId};

use super::LOADER;
use super::plan::Plan;
use crate::failure::{Failure, Result};

/// Cuts the rest off a module.
pub(super) fn cut(mut module: Module, plan: &Plan) -> Result<Vec<u8>> {
    let lost = || Failure::new("The module's table of functions is gone: xtask/src/site/split/hot.rs.");
    let functions: Vec<FunctionId> = module.funcs.iter().map(walrus::Function::id).collect();
    let table = module.tables.iter().nth(plan.table).map(walrus::Table::id).ok_or_else(lost)?;
    let doors: BTreeMap<FunctionId, (u32, TypeId)> = plan
        .door
        .iter()
        .filter_map(|(at, slot)| functions.get(*at).map(|id| (*id, (*slot, module.funcs.get(*id).ty()))))
        .collect();
    let stand_ins = stand_ins(&mut module, table, &doors);

    let mut calls = Calls { doors: &doors, table };
    for (at, id) in functions.iter().enumerate() {
        if plan.cold.contains(&at) {
            continue;
        }
        if let walrus::FunctionKind::Local(function) = &mut module.funcs.get_mut(*id).kind {
            let entry = function.entry_block();
            dfs_pre_order_mut(&mut calls, function, entry);
        }
    }
    for element in module.elements.iter_mut() {
        if let ElementItems::Functions(items) = &mut element.items {
            for item in items {
                *item = stand_ins.get(item).copied().unwrap_or(*item);
            }
        }
    }
    let new = plan.slots.range(plan.room..).filter_map(|(_, at)| stand_ins.get(functions.get(*at)?).copied());
    grow(&mut module, table, plan, new.collect());
    share(&mut module, &functions, plan);
    walrus::passes::gc::run(&mut module);
    Ok(module.emit_wasm())
}

/// For every function of the rest that can be reached: a function that loads the rest and calls through the slot again.
fn stand_ins(
    module: &mut Module,
    table: TableId,
    doors: &BTreeMap<FunctionId, (u32, TypeId)>,
) -> BTreeMap<FunctionId, FunctionId> {
    let nothing = module.types.add(&[], &[]);
    // From where everything of the script comes.
    let script = module.imports.iter().next().map(|import| import.module.clone()).unwrap_or_default();
    let (loader, _) = module.add_import_func(&script, LOADER, nothing);
    let mut all = BTreeMap::new();
    for (id, (slot, ty)) in doors {
        let (parameters, results) = module.types.params_results(*ty);
        let (parameters, results) = (parameters.to_vec(), results.to_vec());
        let arguments: Vec<_> = parameters.iter().map(|kind| module.locals.add(*kind)).collect();
        let mut function = FunctionBuilder::new(&mut module.types, &parameters, &results);
        // Alike next to alike, in the order of names.
        function.name(format!("~{:02} {slot:05}", parameters.len()));
        let mut body = function.func_body();
        body.call(loader);
        for argument in &arguments {
            body.local_get(*argument);
        }
        body.i32_const(slot.cast_signed()).call_indirect(*ty, table);
        all.insert(*id, function.finish(arguments, &mut module.funcs));
    }
    all
}

/// Adds the new slots at the end of the table.
fn grow(module: &mut Module, table: TableId, plan: &Plan, new: Vec<FunctionId>) {
    if new.is_empty() {
        return;
    }
    let more = new.len() as u64;
    let offset = ConstExpr::Value(Value::I32(plan.room.cast_signed()));
    let element = module.elements.add(ElementKind::Active { table, offset }, ElementItems::Functions(new));
    let table = module.tables.get_mut(table);
    table.elem_segments.insert(element);
    table.initial += more;
    table.maximum = table.maximum.map(|most| most + more);
}

/// Exports what the rest needs, where it is not exported yet.
fn share(module: &mut Module, functions: &[FunctionId], plan: &Plan) {
    let known: Vec<String> = module.exports.iter().map(|export| export.name.clone()).collect();
    let tables: Vec<_> = module.tables.iter().map(walrus::Table::id).collect();
    let memories: Vec<_> = module.memories.iter().map(walrus::Memory::id).collect();
    let globals: Vec<_> = module.globals.iter().map(walrus::Global::id).collect();
    let fresh = |name: &String| !known.contains(name);
    let mut add = |name: &str, item: Option<walrus::ExportItem>| {
        if let Some(item) = item {
            module.exports.add(name, item);
        }
    };
    for (at, name) in plan.functions.iter().filter(|(_, name)| fresh(name)) {
        add(name, functions.get(*at).map(|id| (*id).into()));
    }
    for (at, name) in plan.tables.iter().filter(|(_, name)| fresh(name)) {
        add(name, tables.get(*at).map(|id| (*id).into()));
    }
    for (at, name) in plan.memories.iter().filter(|(_, name)| fresh(name)) {
        add(name, memories.get(*at).map(|id| (*id).into()));
    }
    for (at, name) in plan.globals.iter().filter(|(_, name)| fresh(name)) {
        add(name, globals.get(*at).map(|id| (*id).into()));
    }
}

/// Turns calls of the rest into calls through its slots.
struct Calls<'a> {
    doors: &'a BTreeMap<FunctionId, (u32, TypeId)>,
    table: TableId,
}

impl VisitorMut for Calls<'_> {
    fn start_instr_seq_mut(&mut self, sequence: &mut InstrSeq) {
        let target = |instr: &Instr| match instr {
            Instr::Call(call) => self.doors.get(&call.func).copied(),
            Instr::ReturnCall(call) => self.doors.get(&call.func).copied(),
            _ => None,
        };
        if !sequence.instrs.iter().any(|(instr, _)| target(instr).is_some()) {
            return;
        }
        let table = self.table;
        let mut instrs = Vec::with_capacity(sequence.instrs.len() + 8);
        for (instr, place) in sequence.instrs.drain(..) {
            let Some((slot, ty)) = target(&instr) else {
                instrs.push((instr, place));
                continue;
            };
            instrs.push((Const { value: Value::I32(slot.cast_signed()) }.into(), place));
            let call = match instr {
                Instr::ReturnCall(_) => ReturnCallIndirect { ty, table }.into(),
                _ => CallIndirect { ty, table }.into(),
            };
            instrs.push((call, place));
        }
        sequence.instrs = instrs;
    }
}
