//! The first half of a module.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::ops::Range;

use anyhow::Result;
use wasm_encoder::reencode::{self, Reencode};
use wasm_encoder::{
    BlockType, CodeSection, ConstExpr, DataSection, ExportKind, ExportSection, Function, GlobalSection, GlobalType,
    ImportSection, Instruction, Module, TypeSection, ValType,
};
use wasmparser::{DataKind, FunctionBody, Parser};

use super::bound::{Bound, constant};
use super::names::{IS_HERE, LOAD, failed, name, named, sized};

/// The first half: the module with stubs in place of the late functions. They keep their indices,
/// but for the function that loads, which is the last import.
pub(super) struct First<'a> {
    pub(super) bound: &'a Bound<'a>,
    pub(super) late: &'a BTreeSet<u32>,
    pub(super) slot_of: &'a BTreeMap<u32, u32>,
    pub(super) size: u32,
    pub(super) called: &'a BTreeSet<u32>,
    pub(super) constants: &'a [Range<u32>],
    /// Index of the next function's body.
    pub(super) next: u32,
}

impl First<'_> {
    pub(super) fn write(mut self) -> Result<Vec<u8>> {
        let mut module = Module::new();
        let bytes = self.bound.module;
        self.parse_core_module(&mut module, Parser::new(0), bytes).map_err(failed)?;
        let imported = self.bound.imported;
        let names = self.bound.names.iter().map(|(&index, &name)| (index + u32::from(index >= imported), name));
        Ok(named(module, names.collect()))
    }

    /// Writes the body of a stub: loads the late half unless it is there, then calls the function.
    fn stub(&self, index: u32) -> Function {
        let kind = self.bound.functions.get(index as usize).copied().unwrap_or_default();
        let parameters = self.bound.types.get(kind as usize).map_or(0, |kind| kind.params().len()) as u32;
        let mut body = Function::new([]);
        if let Some(&slot) = self.slot_of.get(&index) {
            body.instruction(&Instruction::GlobalGet(self.bound.globals.len() as u32));
            body.instruction(&Instruction::I32Eqz);
            body.instruction(&Instruction::If(BlockType::Empty));
            body.instruction(&Instruction::Call(self.bound.imported));
            body.instruction(&Instruction::End);
            for parameter in 0..parameters {
                body.instruction(&Instruction::LocalGet(parameter));
            }
            body.instruction(&Instruction::I32Const(slot.cast_signed()));
            body.instruction(&Instruction::CallIndirect { type_index: kind, table_index: self.bound.table });
        } else {
            // Nothing of this half refers to it.
            body.instruction(&Instruction::Unreachable);
        }
        body.instruction(&Instruction::End);
        body
    }
}

impl Reencode for First<'_> {
    type Error = Infallible;

    fn function_index(&mut self, function: u32) -> Result<u32, reencode::Error> {
        Ok(function + u32::from(function >= self.bound.imported))
    }

    fn parse_type_section(
        &mut self,
        types: &mut TypeSection,
        section: wasmparser::TypeSectionReader<'_>,
    ) -> Result<(), reencode::Error> {
        reencode::utils::parse_type_section(self, types, section)?;
        // Of the function that loads.
        types.ty().function([], []);
        Ok(())
    }

    fn parse_import_section(
        &mut self,
        imports: &mut ImportSection,
        section: wasmparser::ImportSectionReader<'_>,
    ) -> Result<(), reencode::Error> {
        reencode::utils::parse_import_section(self, imports, section)?;
        let (module, name) = LOAD;
        imports.import(module, name, wasm_encoder::EntityType::Function(self.bound.types.len() as u32));
        Ok(())
    }

    fn table_type(&mut self, table: wasmparser::TableType) -> Result<wasm_encoder::TableType, reencode::Error> {
        let is_functions = self.bound.tables.get(self.bound.table as usize) == Some(&table);
        let table = reencode::utils::table_type(self, table)?;
        Ok(if is_functions { sized(table, self.size) } else { table })
    }

    fn parse_global_section(
        &mut self,
        globals: &mut GlobalSection,
        section: wasmparser::GlobalSectionReader<'_>,
    ) -> Result<(), reencode::Error> {
        reencode::utils::parse_global_section(self, globals, section)?;
        globals.global(GlobalType { val_type: ValType::I32, mutable: true, shared: false }, &ConstExpr::i32_const(0));
        Ok(())
    }

    fn parse_export_section(
        &mut self,
        exports: &mut ExportSection,
        section: wasmparser::ExportSectionReader<'_>,
    ) -> Result<(), reencode::Error> {
        reencode::utils::parse_export_section(self, exports, section)?;
        let count = |list: usize| 0..list as u32;
        exports.export(IS_HERE, ExportKind::Global, self.bound.globals.len() as u32);
        for index in count(self.bound.memories.len()) {
            exports.export(&name('m', index), ExportKind::Memory, index);
        }
        for index in count(self.bound.tables.len()) {
            exports.export(&name('t', index), ExportKind::Table, index);
        }
        for index in count(self.bound.globals.len()) {
            exports.export(&name('g', index), ExportKind::Global, index);
        }
        for &function in self.called {
            exports.export(&name('f', function), ExportKind::Func, self.function_index(function)?);
        }
        Ok(())
    }

    fn parse_function_body(&mut self, code: &mut CodeSection, body: FunctionBody<'_>) -> Result<(), reencode::Error> {
        let index = self.next;
        self.next += 1;
        if self.late.contains(&index) {
            code.function(&self.stub(index));
            return Ok(());
        }
        reencode::utils::parse_function_body(self, code, body)
    }

    fn parse_data(&mut self, data: &mut DataSection, segment: wasmparser::Data<'_>) -> Result<(), reencode::Error> {
        let DataKind::Active { memory_index, offset_expr } = segment.kind else {
            return reencode::utils::parse_data(self, data, segment);
        };
        let mut bytes = segment.data.to_vec();
        let start = constant(&offset_expr).unwrap_or_default();
        for range in self.constants {
            for at in range.clone() {
                if let Some(byte) = at.checked_sub(start).and_then(|place| bytes.get_mut(place as usize)) {
                    *byte = 0;
                }
            }
        }
        let offset = self.const_expr(offset_expr)?;
        data.active(memory_index, &offset, bytes);
        Ok(())
    }

    // Names are written with their new indices, and sections of tools are for the whole.
    fn parse_custom_section(
        &mut self,
        _: &mut Module,
        _: wasmparser::CustomSectionReader<'_>,
    ) -> Result<(), reencode::Error> {
        Ok(())
    }
}
