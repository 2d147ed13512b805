//! The second half: the functions that the first one does without. It takes everything else from the first one's exports
//! and writes its functions into the table when it is instantiated.

use walrus::ir::Value;
use walrus::{
    ConstExpr, ElementItems, ElementKind, FunctionId, FunctionKind, GlobalKind, ImportKind, ImportedFunction, Module,
};

use super::BRIDGE;
use super::plan::Plan;
use crate::failure::{Failure, Result};

/// Cuts everything but the rest off a module.
pub(super) fn cut(mut module: Module, plan: &Plan) -> Result<Vec<u8>> {
    let functions: Vec<FunctionId> = module.funcs.iter().map(walrus::Function::id).collect();
    module.start = None;
    for id in module.exports.iter().map(walrus::Export::id).collect::<Vec<_>>() {
        module.exports.delete(id);
    }
    for id in module.data.iter().map(walrus::Data::id).collect::<Vec<_>>() {
        module.data.delete(id);
    }
    for memory in module.memories.iter_mut() {
        memory.data_segments.clear();
    }
    for id in module.elements.iter().map(walrus::Element::id).collect::<Vec<_>>() {
        module.elements.delete(id);
    }
    for table in module.tables.iter_mut() {
        table.elem_segments.clear();
    }
    import(&mut module, &functions, plan);
    fill(&mut module, &functions, plan)?;
    walrus::passes::gc::run(&mut module);
    Ok(module.emit_wasm())
}

/// Makes imports of what the first half has.
fn import(module: &mut Module, functions: &[FunctionId], plan: &Plan) {
    for (at, name) in &plan.functions {
        let Some(id) = functions.get(*at).copied() else { continue };
        let function = module.funcs.get_mut(id);
        match &function.kind {
            FunctionKind::Import(old) => {
                let old = module.imports.get_mut(old.import);
                BRIDGE.clone_into(&mut old.module);
                name.clone_into(&mut old.name);
            }
            _ => {
                let ty = function.ty();
                let import = module.imports.add(BRIDGE, name, ImportKind::Function(id));
                function.kind = FunctionKind::Import(ImportedFunction { import, ty });
            }
        }
    }
    let more = plan.slots.range(plan.room..).count() as u64;
    let tables: Vec<_> = module.tables.iter().map(walrus::Table::id).collect();
    for (at, name) in &plan.tables {
        let Some(id) = tables.get(*at).copied() else { continue };
        let import = module.imports.add(BRIDGE, name, ImportKind::Table(id));
        let table = module.tables.get_mut(id);
        table.import = Some(import);
        if *at == plan.table {
            table.initial += more;
            table.maximum = table.maximum.map(|most| most + more);
        }
    }
    let memories: Vec<_> = module.memories.iter().map(walrus::Memory::id).collect();
    for (at, name) in &plan.memories {
        let Some(id) = memories.get(*at).copied() else { continue };
        let import = module.imports.add(BRIDGE, name, ImportKind::Memory(id));
        module.memories.get_mut(id).import = Some(import);
    }
    let globals: Vec<_> = module.globals.iter().map(walrus::Global::id).collect();
    for (at, name) in &plan.globals {
        let Some(id) = globals.get(*at).copied() else { continue };
        let import = module.imports.add(BRIDGE, name, ImportKind::Global(id));
        module.globals.get_mut(id).kind = GlobalKind::Import(import);
    }
}

/// Writes the functions into their slots, one segment for each run of neighbours.
fn fill(module: &mut Module, functions: &[FunctionId], plan: &Plan) -> Result<()> {
    let table = module.tables.iter().nth(plan.table).map(walrus::Table::id);
    let table = table.ok_or_else(|| Failure::new("The module has no table: xtask/src/site/split/rest.rs."))?;
    let mut runs: Vec<(u32, Vec<FunctionId>)> = Vec::new();
    for (slot, at) in &plan.slots {
        let Some(id) = functions.get(*at).copied() else { continue };
        match runs.last_mut() {
            Some((start, run)) if *start + run.len() as u32 == *slot => run.push(id),
            _ => runs.push((*slot, vec![id])),
        }
    }
    for (start, run) in runs {
        let offset = ConstExpr::Value(Value::I32(start as i32));
        let element = module.elements.add(ElementKind::Active { table, offset }, ElementItems::Functions(run));
        module.tables.get_mut(table).elem_segments.insert(element);
    }
    Ok(())
}
