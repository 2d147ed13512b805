//! Divides a bound module into two that share memory, tables and globals.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::convert::Infallible;
use std::ops::Range;

use anyhow::{Context as _, Result, anyhow, bail};
use wasm_encoder::reencode::{self, Reencode};
use wasm_encoder::{
    BlockType, CodeSection, ConstExpr, DataSection, ElementSection, Elements, ExportKind, ExportSection, Function,
    FunctionSection, GlobalSection, GlobalType, ImportSection, Instruction, Module, NameMap, NameSection, TypeSection,
    ValType,
};
use wasmparser::{DataKind, ElementItems, ElementKind, FunctionBody, Operator, Parser, Payload, TypeRef};

use super::parts::Parts;

/// Module and name under which the first half imports the function that loads the late half.
const LOAD: (&str, &str) = ("late", "load");
/// Name of the global of the first half that is 1 once the late half is there.
const IS_HERE: &str = "late";
/// Module from which the late half imports everything: the first half's exports.
const FIRST: &str = "first";
/// Constants that are this close go in one segment, together with what is between them.
const GAP: u32 = 16;

/// The halves of a module.
#[derive(Debug)]
pub struct Halves {
    /// What the first screen needs; it takes the place of the module.
    pub first: Vec<u8>,
    /// The rest.
    pub late: Vec<u8>,
}

/// Everything of the bound module that the halves are made of.
#[derive(Default)]
struct Bound<'a> {
    module: &'a [u8],
    /// Types of the functions.
    types: Vec<wasmparser::FuncType>,
    /// Type of each function, the imported ones first.
    functions: Vec<u32>,
    imported: u32,
    bodies: Vec<FunctionBody<'a>>,
    names: HashMap<u32, &'a str>,
    tables: Vec<wasmparser::TableType>,
    memories: Vec<wasmparser::MemoryType>,
    globals: Vec<wasmparser::GlobalType>,
    /// Table of the functions that are called by address.
    table: u32,
    /// The slots of that table.
    slots: BTreeMap<u32, u32>,
    exported: BTreeSet<u32>,
    data: Vec<(u32, &'a [u8])>,
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
        to_first: &to_first,
        constants,
        next: bound.imported,
    }
    .write()?;
    let late = Late { bound: &bound, late: &late, slot_of: &slot_of, size, to_first: &to_first, constants }.write()?;
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

impl<'a> Bound<'a> {
    fn read(module: &'a [u8]) -> Result<Self> {
        let mut bound = Self { module, ..Self::default() };
        for payload in Parser::new(0).parse_all(module) {
            match payload? {
                Payload::TypeSection(types) => {
                    for kind in types.into_iter_err_on_gc_types() {
                        bound.types.push(kind?);
                    }
                }
                Payload::ImportSection(imports) => {
                    for import in imports.into_imports() {
                        match import?.ty {
                            TypeRef::Func(kind) => bound.functions.push(kind),
                            _ => bail!("The module imports more than functions"),
                        }
                    }
                    bound.imported = bound.functions.len() as u32;
                }
                Payload::FunctionSection(functions) => {
                    for kind in functions {
                        bound.functions.push(kind?);
                    }
                }
                Payload::TableSection(tables) => {
                    for table in tables {
                        bound.tables.push(table?.ty);
                    }
                }
                Payload::MemorySection(memories) => {
                    for memory in memories {
                        bound.memories.push(memory?);
                    }
                }
                Payload::GlobalSection(globals) => {
                    for global in globals {
                        bound.globals.push(global?.ty);
                    }
                }
                Payload::ExportSection(exports) => {
                    for export in exports {
                        let export = export?;
                        if export.kind == wasmparser::ExternalKind::Func {
                            bound.exported.insert(export.index);
                        }
                    }
                }
                Payload::ElementSection(segments) => {
                    for segment in segments {
                        bound.read_slots(segment?)?;
                    }
                }
                Payload::CodeSectionEntry(body) => bound.bodies.push(body),
                Payload::DataSection(segments) => {
                    for segment in segments {
                        let segment = segment?;
                        let DataKind::Active { offset_expr, .. } = segment.kind else { bail!("A segment is passive") };
                        bound.data.push((constant(&offset_expr)?, segment.data));
                    }
                }
                Payload::CustomSection(custom) => {
                    if let wasmparser::KnownCustom::Name(names) = custom.as_known() {
                        for part in names {
                            if let wasmparser::Name::Function(names) = part? {
                                for name in names {
                                    let name = name?;
                                    bound.names.insert(name.index, name.name);
                                }
                            }
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(bound)
    }

    fn read_slots(&mut self, segment: wasmparser::Element<'_>) -> Result<()> {
        let ElementKind::Active { table_index, offset_expr } = segment.kind else {
            bail!("Functions by address are not all in the table from the start")
        };
        let ElementItems::Functions(functions) = segment.items else { bail!("Functions by address are no list") };
        self.table = table_index.unwrap_or(0);
        let start = constant(&offset_expr)?;
        for (function, slot) in functions.into_iter().zip(start..) {
            self.slots.insert(slot, function?);
        }
        Ok(())
    }

    fn type_of(&self, function: u32) -> Result<u32> {
        self.functions.get(function as usize).copied().context("A function has no type")
    }
}

/// Returns the value of an expression of one constant.
fn constant(expression: &wasmparser::ConstExpr<'_>) -> Result<u32> {
    match expression.get_operators_reader().read()? {
        Operator::I32Const { value } => Ok(value.cast_unsigned()),
        _ => bail!("A segment has no fixed place"),
    }
}

fn failed(error: reencode::Error<Infallible>) -> anyhow::Error {
    anyhow!("The module cannot be divided: {error}")
}

/// Name of an export of the first half for the late half.
fn name(kind: char, index: u32) -> String {
    format!("~{kind}{index}")
}

/// The first half: the module with stubs in place of the late functions. They keep their indices,
/// but for the function that loads, which is the last import.
struct First<'a> {
    bound: &'a Bound<'a>,
    late: &'a BTreeSet<u32>,
    slot_of: &'a BTreeMap<u32, u32>,
    size: u32,
    to_first: &'a BTreeSet<u32>,
    constants: &'a [Range<u32>],
    /// Index of the next function's body.
    next: u32,
}

impl First<'_> {
    fn write(mut self) -> Result<Vec<u8>> {
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
        for &function in self.to_first {
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

/// Finishes a module with the names of its functions, by which wasm-opt sorts them.
fn named(mut module: Module, names: BTreeMap<u32, &str>) -> Vec<u8> {
    let mut functions = NameMap::new();
    for (index, name) in names {
        functions.append(index, name);
    }
    let mut section = NameSection::new();
    section.functions(&functions);
    module.section(&section);
    module.finish()
}

/// Returns a table's type with more slots.
fn sized(table: wasm_encoder::TableType, size: u32) -> wasm_encoder::TableType {
    let more = u64::from(size) - table.minimum;
    wasm_encoder::TableType { minimum: u64::from(size), maximum: table.maximum.map(|maximum| maximum + more), ..table }
}

/// The late half.
struct Late<'a> {
    bound: &'a Bound<'a>,
    late: &'a BTreeSet<u32>,
    slot_of: &'a BTreeMap<u32, u32>,
    size: u32,
    to_first: &'a BTreeSet<u32>,
    constants: &'a [Range<u32>],
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
    fn write(self) -> Result<Vec<u8>> {
        let Self { bound, .. } = self;
        let order = self.to_first.iter().chain(self.late).zip(0..);
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
            if self.late.contains(&index) {
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
        for &function in self.to_first {
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
        slots.extend(self.bound.slots.iter().filter(|(_, function)| self.late.contains(function)));
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
