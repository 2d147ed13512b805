//! Divides a bound module into two that share memory, tables and globals.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, Result, bail};
use wasmparser::{FunctionBody, Operator};

use super::bound::Bound;
use super::first::First;
use super::parts::Parts;
use super::rest::Late;

/// The halves of a module.
#[derive(Debug)]
pub struct Halves {
    /// The part that the first screen needs; it takes the place of the module.
    pub first: Vec<u8>,
    /// The rest.
    pub late: Vec<u8>,
}

/// Divides a module.
///
/// # Errors
/// When the module cannot be read, or does what the halves cannot.
pub(super) fn halves(module: &[u8], parts: &Parts) -> Result<Halves> {
    let bound = Bound::read(module)?;
    let is_late = |index: u32| {
        index >= bound.imported && bound.names.get(&index).is_some_and(|name| parts.functions.contains(*name))
    };
    let late: BTreeSet<u32> = (0..bound.functions.len() as u32).filter(|&index| is_late(index)).collect();
    if late.is_empty() {
        bail!("No function of the module loads late: names differ from those before binding.");
    }
    // Calls across the halves.
    let (mut to_late, mut to_first) = (bound.exported.clone(), BTreeSet::new());
    to_late.retain(|index| late.contains(index));
    for (body, index) in bound.bodies.iter().zip(bound.imported..) {
        let is_late = late.contains(&index);
        for to in called(body)? {
            if is_late && !late.contains(&to) {
                to_first.insert(to);
            } else if !is_late && late.contains(&to) {
                to_late.insert(to);
            }
        }
    }
    // Every late function that the first half refers to has a slot in the table of functions.
    let mut slot_of: BTreeMap<u32, u32> = BTreeMap::new();
    for (&slot, &index) in &bound.slots {
        if late.contains(&index) {
            slot_of.entry(index).or_insert(slot);
        }
    }
    let table = bound.tables.get(bound.table as usize).context("There is no table of functions")?;
    let mut size = u32::try_from(table.initial)?;
    for index in to_late {
        if let std::collections::btree_map::Entry::Vacant(free) = slot_of.entry(index) {
            free.insert(size);
            size += 1;
        }
    }
    let constants = parts.constants.as_slice();
    let first = First {
        bound: &bound,
        late: &late,
        slot_of: &slot_of,
        size,
        called: &to_first,
        constants,
        next: bound.imported,
    }
    .write()?;
    let late = Late { bound: &bound, own: &late, slot_of: &slot_of, size, called: &to_first, constants }.write()?;
    Ok(Halves { first, late })
}

/// Returns the functions that a function calls.
fn called(body: &FunctionBody<'_>) -> Result<Vec<u32>> {
    let mut called = Vec::new();
    for operator in body.get_operators_reader()? {
        match operator? {
            Operator::Call { function_index } | Operator::ReturnCall { function_index } => called.push(function_index),
            Operator::RefFunc { .. } | Operator::MemoryInit { .. } | Operator::TableInit { .. } => {
                bail!("A function refers to a function or a segment in a way that the halves cannot")
            }
            _ => {}
        }
    }
    Ok(called)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::super::names::named;
    use wasm_encoder::{
        CodeSection, ConstExpr, DataSection, ElementSection, Elements, ExportKind, ExportSection, Function,
        FunctionSection, Instruction, MemorySection, MemoryType, Module, RefType, TableSection, TableType, TypeSection,
        ValType,
    };
    use wasmparser::{DataKind, ElementKind, Parser, Payload};

    use super::*;
    use crate::site::split::bound::constant;

    /// The function "start" calls "late", which calls "shared"; "late" is in the table, too.
    fn module() -> Vec<u8> {
        let mut types = TypeSection::new();
        types.ty().function([ValType::I32], [ValType::I32]);
        let mut functions = FunctionSection::new();
        let mut code = CodeSection::new();
        for called in [Some(1), Some(2), None] {
            functions.function(0);
            let mut body = Function::new([]);
            body.instruction(&Instruction::LocalGet(0));
            if let Some(called) = called {
                body.instruction(&Instruction::Call(called));
            }
            body.instruction(&Instruction::End);
            code.function(&body);
        }
        let mut tables = TableSection::new();
        tables.table(TableType {
            element_type: RefType::FUNCREF,
            minimum: 2,
            maximum: Some(2),
            table64: false,
            shared: false,
        });
        let mut memories = MemorySection::new();
        memories.memory(MemoryType { minimum: 1, maximum: None, memory64: false, shared: false, page_size_log2: None });
        let mut exports = ExportSection::new();
        exports.export("start", ExportKind::Func, 0);
        let mut elements = ElementSection::new();
        elements.active(None, &ConstExpr::i32_const(1), Elements::Functions([1].as_slice().into()));
        let mut data = DataSection::new();
        data.active(0, &ConstExpr::i32_const(8), *b"firstlate");
        let mut module = Module::new();
        module.section(&types).section(&functions).section(&tables).section(&memories);
        module.section(&exports).section(&elements).section(&code).section(&data);
        named(module, [(0, "start"), (1, "late"), (2, "shared")].into())
    }

    fn divided() -> Halves {
        let functions = HashSet::from(["late".to_owned()]);
        halves(&module(), &Parts { functions, constants: std::iter::once(13..17).collect() }).unwrap()
    }

    #[test]
    fn a_late_function_has_a_stub_and_its_constants_are_zeros() {
        let halves = divided();
        // The function that loads is the last import.
        let bodies: Vec<Vec<u32>> = read_bodies(&halves.first);
        assert_eq!(bodies, [vec![2], vec![0], vec![]]);
        let data: Vec<Vec<u8>> = read_data(&halves.first).into_iter().map(|(_, bytes)| bytes).collect();
        assert_eq!(data, [b"first\0\0\0\0".to_vec()]);
    }

    #[test]
    fn the_late_half_has_its_functions_and_constants_in_their_places() {
        let halves = divided();
        // Its first function is the shared one, of the first half.
        assert_eq!(read_bodies(&halves.late), [vec![0]]);
        assert_eq!(read_data(&halves.late), [(13, b"late".to_vec())]);
        let mut elements = Vec::new();
        for payload in Parser::new(0).parse_all(&halves.late) {
            if let Payload::ElementSection(segments) = payload.unwrap() {
                for segment in segments {
                    let ElementKind::Active { offset_expr, .. } = segment.unwrap().kind else { panic!() };
                    elements.push(constant(&offset_expr).unwrap());
                }
            }
        }
        assert_eq!(elements, [1], "the slot that the late function has");
    }

    #[test]
    fn a_module_without_the_names_is_not_divided() {
        assert!(halves(&module(), &Parts::default()).is_err());
    }

    fn read_bodies(module: &[u8]) -> Vec<Vec<u32>> {
        let bodies = Parser::new(0).parse_all(module).filter_map(|payload| match payload.unwrap() {
            Payload::CodeSectionEntry(body) => Some(called(&body).unwrap()),
            _ => None,
        });
        bodies.collect()
    }

    fn read_data(module: &[u8]) -> Vec<(u32, Vec<u8>)> {
        let mut data = Vec::new();
        for payload in Parser::new(0).parse_all(module) {
            if let Payload::DataSection(segments) = payload.unwrap() {
                for segment in segments {
                    let segment = segment.unwrap();
                    let DataKind::Active { offset_expr, .. } = segment.kind else { panic!() };
                    data.push((constant(&offset_expr).unwrap(), segment.data.to_vec()));
                }
            }
        }
        data
    }
}
