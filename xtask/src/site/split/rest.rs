//! The late half of a module.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::convert::Infallible;
use std::ops::Range;

use anyhow::Result;
use wasm_encoder::reencode::{self, Reencode};
use wasm_encoder::{
    CodeSection, ConstExpr, DataSection, ElementSection, Elements, FunctionSection, ImportSection, Module, TypeSection,
};

use super::bound::Bound;
use super::names::{FIRST, failed, name, named, sized};

/// Constants that are this close go in one segment, together with what is between them.
const GAP: u32 = 16;

/// The late half.
pub(super) struct Late<'a> {
    pub(super) bound: &'a Bound<'a>,
    pub(super) own: &'a BTreeSet<u32>,
    pub(super) slot_of: &'a BTreeMap<u32, u32>,
    pub(super) size: u32,
    pub(super) called: &'a BTreeSet<u32>,
    pub(super) constants: &'a [Range<u32>],
}

/// New indices of the functions, in the late half.
struct Renumbered(HashMap<u32, u32>);

impl Reencode for Renumbered {
    type Error = Infallible;

    fn function_index(&mut self, function: u32) -> Result<u32, reencode::Error> {
        Ok(self.0.get(&function).copied().unwrap_or_default())
    }
}

impl Late<'_> {
    pub(super) fn write(self) -> Result<Vec<u8>> {
        let Self { bound, .. } = self;
        let order = self.called.iter().chain(self.own).zip(0..);
        let mut renumbered = Renumbered(order.map(|(&function, index)| (function, index)).collect());
        let mut module = Module::new();
        let mut types = TypeSection::new();
        for kind in &bound.types {
            let kind = renumbered.func_type(kind.clone()).map_err(failed)?;
            types.ty().func_type(&kind);
        }
        module.section(&types).section(&self.imports(&mut renumbered)?);
        let (mut functions, mut code) = (FunctionSection::new(), CodeSection::new());
        for (body, index) in bound.bodies.iter().zip(bound.imported..) {
            if self.own.contains(&index) {
                functions.function(bound.type_of(index)?);
                renumbered.parse_function_body(&mut code, body.clone()).map_err(failed)?;
            }
        }
        let mut elements = ElementSection::new();
        for (start, run) in self.runs() {
            let run: Vec<u32> = run.iter().filter_map(|function| renumbered.0.get(function).copied()).collect();
            let table = Some(bound.table).filter(|&table| table > 0);
            elements.active(table, &ConstExpr::i32_const(start.cast_signed()), Elements::Functions(run.into()));
        }
        module.section(&functions).section(&elements).section(&code).section(&self.data());
        let names = bound.names.iter().filter_map(|(index, &name)| Some((*renumbered.0.get(index)?, name)));
        Ok(named(module, names.collect()))
    }

    fn imports(&self, renumbered: &mut Renumbered) -> Result<ImportSection> {
        let Self { bound, .. } = self;
        let mut imports = ImportSection::new();
        for &function in self.called {
            let kind = bound.type_of(function)?;
            imports.import(FIRST, &name('f', function), wasm_encoder::EntityType::Function(kind));
        }
        for (&memory, index) in bound.memories.iter().zip(0..) {
            imports.import(FIRST, &name('m', index), renumbered.memory_type(memory).map_err(failed)?);
        }
        for (&table, index) in bound.tables.iter().zip(0..) {
            let table = renumbered.table_type(table).map_err(failed)?;
            let table = if index == bound.table { sized(table, self.size) } else { table };
            imports.import(FIRST, &name('t', index), table);
        }
        for (&global, index) in bound.globals.iter().zip(0..) {
            imports.import(FIRST, &name('g', index), renumbered.global_type(global).map_err(failed)?);
        }
        Ok(imports)
    }

    /// Returns the late functions of the table, as runs of consecutive slots.
    fn runs(&self) -> Vec<(u32, Vec<u32>)> {
        let mut slots: BTreeMap<u32, u32> = self.slot_of.iter().map(|(&function, &slot)| (slot, function)).collect();
        slots.extend(self.bound.slots.iter().filter(|(_, function)| self.own.contains(function)));
        let mut runs: Vec<(u32, Vec<u32>)> = Vec::new();
        for (slot, function) in slots {
            match runs.last_mut() {
                Some((start, run)) if *start + run.len() as u32 == slot => run.push(function),
                _ => runs.push((slot, vec![function])),
            }
        }
        runs
    }

    /// Writes the late constants, which the first half has as zeros.
    fn data(&self) -> DataSection {
        let mut joined: Vec<Range<u32>> = Vec::new();
        for range in self.constants {
            match joined.last_mut() {
                Some(last) if range.start < last.end + GAP => last.end = range.end,
                _ => joined.push(range.clone()),
            }
        }
        let mut data = DataSection::new();
        for range in joined {
            for (start, bytes) in &self.bound.data {
                let place = |at: u32| at.saturating_sub(*start).min(bytes.len() as u32) as usize;
                let own = bytes.get(place(range.start)..place(range.end)).unwrap_or_default();
                if !own.is_empty() {
                    data.active(0, &ConstExpr::i32_const(range.start.max(*start).cast_signed()), own.iter().copied());
                }
            }
        }
        data
    }
}
