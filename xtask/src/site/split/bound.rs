//! Everything of a bound module that its halves are made of.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use anyhow::{Context as _, Result, bail};
use wasmparser::{DataKind, ElementItems, ElementKind, FunctionBody, Operator, Parser, Payload, TypeRef};

/// Everything of the bound module that the halves are made of.
#[derive(Default)]
pub(super) struct Bound<'a> {
    pub(super) module: &'a [u8],
    /// Types of the functions.
    pub(super) types: Vec<wasmparser::FuncType>,
    /// Type of each function, the imported ones first.
    pub(super) functions: Vec<u32>,
    pub(super) imported: u32,
    pub(super) bodies: Vec<FunctionBody<'a>>,
    pub(super) names: HashMap<u32, &'a str>,
    pub(super) tables: Vec<wasmparser::TableType>,
    pub(super) memories: Vec<wasmparser::MemoryType>,
    pub(super) globals: Vec<wasmparser::GlobalType>,
    /// Table of the functions that are called by address.
    pub(super) table: u32,
    /// The slots of that table.
    pub(super) slots: BTreeMap<u32, u32>,
    pub(super) exported: BTreeSet<u32>,
    pub(super) data: Vec<(u32, &'a [u8])>,
}

impl<'a> Bound<'a> {
    pub(super) fn read(module: &'a [u8]) -> Result<Self> {
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

    pub(super) fn type_of(&self, function: u32) -> Result<u32> {
        self.functions.get(function as usize).copied().context("A function has no type")
    }
}

/// Returns the value of an expression of one constant.
pub(super) fn constant(expression: &wasmparser::ConstExpr<'_>) -> Result<u32> {
    match expression.get_operators_reader().read()? {
        Operator::I32Const { value } => Ok(value.cast_unsigned()),
        _ => bail!("A segment has no fixed place"),
    }
}
