//! Functions and constants that are reached only through the functions that load late.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

use anyhow::{Context as _, Result, bail};
use wasmparser::{
    BinaryReader, CodeSectionReader, DataKind, ExternalKind, KnownCustom, Linking, Operator, Parser, Payload,
    RelocationType, SymbolInfo, TypeRef,
};

/// The late part of a module.
#[derive(Debug, Default)]
pub(super) struct Parts {
    /// Names of the functions, as the name section has them.
    pub(super) functions: HashSet<String>,
    /// Addresses of the constants, in order; no two touch.
    pub(super) constants: Vec<Range<u32>>,
}

/// Bytes of a function below which a stub in its place gains nothing. The compiler makes many such
/// functions once for several types, of which the name has one.
const SMALLEST: usize = 100;

/// Start of the names of segments whose bytes never change.
const CONSTANT: &str = ".rodata";

/// A function or a datum, by its index among the functions or among the symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Node {
    Function(u32),
    Data(usize),
}

/// A segment of the memory.
#[derive(Debug, Default)]
struct Segment {
    address: u32,
    /// Place in the data section.
    place: usize,
    is_constant: bool,
}

/// A datum with a name.
#[derive(Debug)]
struct Datum {
    symbol: usize,
    segment: usize,
    /// Places within its segment.
    span: Range<u32>,
}

/// A module as the linker wrote it.
#[derive(Debug, Default)]
struct Linked {
    names: HashMap<u32, String>,
    /// Places of the functions in the code section, with their indices.
    bodies: Vec<(Range<usize>, u32)>,
    segments: Vec<Segment>,
    /// The thing that each symbol stands for.
    symbols: Vec<Option<Node>>,
    /// By segment and place.
    data: Vec<Datum>,
    /// Places in `data`, by symbol.
    by_symbol: HashMap<usize, usize>,
    /// Nodes that are reached from outside.
    roots: Vec<Node>,
    /// References from each node.
    references: HashMap<Node, Vec<Node>>,
}

/// Finds the functions and constants that are reached only through late functions.
///
/// # Errors
/// When the module cannot be read, or lacks names or relocations.
pub(super) fn parts(module: &[u8], is_late: impl Fn(&str) -> bool) -> Result<Parts> {
    let linked = Linked::read(module)?;
    let large = linked.bodies.iter().filter(|(body, _)| body.len() >= SMALLEST).map(|&(_, index)| index);
    let late: HashSet<u32> = large.filter(|index| linked.names.get(index).is_some_and(|name| is_late(name))).collect();
    let mut reached: HashSet<Node> = HashSet::new();
    let mut left = linked.roots.clone();
    while let Some(node) = left.pop() {
        let is_stub = matches!(node, Node::Function(index) if late.contains(&index));
        if !is_stub && reached.insert(node) {
            left.extend(linked.references.get(&node).into_iter().flatten());
        }
    }
    let is_kept = |index: &u32| reached.contains(&Node::Function(*index));
    let names = |kept: bool| linked.names.iter().filter(move |(index, _)| is_kept(index) == kept).map(|(_, name)| name);
    // Functions of one name are not told apart after binding.
    let kept: HashSet<&String> = names(true).collect();
    let functions = names(false).filter(|name| !kept.contains(name)).cloned().collect();
    Ok(Parts { functions, constants: linked.constants(&reached) })
}

impl Linked {
    fn read(module: &[u8]) -> Result<Self> {
        let mut linked = Self::default();
        let mut imported = 0;
        let (mut code, mut data, mut section) = (None, None, 0_u32);
        let mut relocations = Vec::new();
        for payload in Parser::new(0).parse_all(module) {
            let payload = payload?;
            let own = section;
            if payload.as_section().is_some() || matches!(payload, Payload::CodeSectionStart { .. }) {
                section += 1;
            }
            match payload {
                Payload::ImportSection(imports) => {
                    for import in imports.into_imports() {
                        imported += u32::from(matches!(import?.ty, TypeRef::Func(_)));
                    }
                }
                Payload::ExportSection(exports) => {
                    for export in exports {
                        let export = export?;
                        if export.kind == ExternalKind::Func {
                            linked.roots.push(Node::Function(export.index));
                        }
                    }
                }
                Payload::StartSection { func, .. } => linked.roots.push(Node::Function(func)),
                Payload::CodeSectionStart { range, .. } => {
                    code = Some(own);
                    let bytes = module.get(range.clone()).context("The code is cut")?;
                    for (body, index) in
                        CodeSectionReader::new(BinaryReader::new(bytes, range.start))?.into_iter().zip(imported..)
                    {
                        let own = body?.range();
                        linked.bodies.push((own.start - range.start..own.end - range.start, index));
                    }
                }
                Payload::DataSection(section) => {
                    data = Some(own);
                    let start = section.range().start;
                    for segment in section {
                        let segment = segment?;
                        let DataKind::Active { offset_expr, .. } = segment.kind else { bail!("A segment is passive") };
                        let Operator::I32Const { value } = offset_expr.get_operators_reader().read()? else {
                            bail!("A segment has no fixed address")
                        };
                        let place = segment.range.end - segment.data.len() - start;
                        linked.segments.push(Segment { address: value.cast_unsigned(), place, is_constant: false });
                    }
                }
                Payload::CustomSection(custom) => match custom.as_known() {
                    KnownCustom::Linking(linking) => {
                        for part in linking.subsections() {
                            linked.read_symbols(part?)?;
                        }
                    }
                    KnownCustom::Reloc(entries) => relocations.push(entries),
                    KnownCustom::Name(names) => {
                        for part in names {
                            if let wasmparser::Name::Function(names) = part? {
                                for name in names {
                                    let name = name?;
                                    linked.names.insert(name.index, name.name.to_owned());
                                }
                            }
                        }
                    }
                    _ => {}
                },
                _ => {}
            }
        }
        if linked.names.is_empty() || linked.symbols.is_empty() {
            bail!("The module has no names or no relocations: it is not built with `--emit-relocs`.");
        }
        linked.data.sort_by_key(|datum| (datum.segment, datum.span.start, datum.span.end));
        linked.by_symbol = linked.data.iter().enumerate().map(|(place, datum)| (datum.symbol, place)).collect();
        for entries in relocations {
            let is_code = Some(entries.section_index()) == code;
            if !is_code && Some(entries.section_index()) != data {
                continue;
            }
            for entry in entries.entries() {
                linked.refer(is_code, entry?)?;
            }
        }
        Ok(linked)
    }

    fn read_symbols(&mut self, part: Linking<'_>) -> Result<()> {
        match part {
            Linking::SegmentInfo(names) => {
                for (segment, name) in self.segments.iter_mut().zip(names) {
                    segment.is_constant = name?.name.starts_with(CONSTANT);
                }
            }
            Linking::SymbolTable(symbols) => {
                for (symbol, info) in symbols.into_iter().enumerate() {
                    let node = match info? {
                        SymbolInfo::Func { index, .. } => Some(Node::Function(index)),
                        SymbolInfo::Data { symbol: Some(defined), .. } => {
                            let span = defined.offset..defined.offset + defined.size;
                            self.data.push(Datum { symbol, segment: defined.index as usize, span });
                            Some(Node::Data(symbol))
                        }
                        _ => None,
                    };
                    self.symbols.push(node);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Adds a reference from the code or the datum at the place of a relocation.
    fn refer(&mut self, is_code: bool, entry: wasmparser::RelocationEntry) -> Result<()> {
        use RelocationType::{
            FunctionIndexLeb, MemoryAddrI32, MemoryAddrLeb, MemoryAddrSleb, TableIndexI32, TableIndexSleb,
        };
        match entry.ty {
            FunctionIndexLeb | TableIndexSleb | TableIndexI32 | MemoryAddrLeb | MemoryAddrSleb | MemoryAddrI32 => {}
            RelocationType::TypeIndexLeb | RelocationType::GlobalIndexLeb | RelocationType::TableNumberLeb => {
                return Ok(());
            }
            other => bail!("Relocations of type {other:?} are unknown here"),
        }
        let index = entry.index as usize;
        let Some(&Some(to)) = self.symbols.get(index) else { return Ok(()) };
        // An address beyond its own symbol, as of an array's end, is rare; that datum is then kept.
        let mut more = Vec::new();
        if let Node::Data(symbol) = to {
            let datum = self.by_symbol.get(&symbol).and_then(|&place| self.data.get(place));
            let datum = datum.context("A symbol has no datum")?;
            let at = i64::from(datum.span.start) + entry.addend;
            if at < i64::from(datum.span.start) || at > i64::from(datum.span.end) {
                more.extend(self.around(datum.segment, u32::try_from(at).unwrap_or_default()));
            }
        }
        let place = entry.offset as usize;
        let from: Vec<Node> = if is_code {
            let body = self.bodies.partition_point(|(range, _)| range.end <= place);
            self.bodies.get(body).map(|(_, index)| Node::Function(*index)).into_iter().collect()
        } else {
            let segment = self.segments.partition_point(|segment| segment.place <= place) - 1;
            let start = self.segments.get(segment).map_or(0, |segment| segment.place);
            self.around(segment, (place - start) as u32).collect()
        };
        if from.is_empty() {
            self.roots.push(to);
        }
        for node in from {
            let references = self.references.entry(node).or_default();
            references.push(to);
            references.extend(&more);
        }
        Ok(())
    }

    /// Returns the data with a place of a segment.
    fn around(&self, segment: usize, place: u32) -> impl Iterator<Item = Node> {
        let end = self.data.partition_point(|datum| (datum.segment, datum.span.start) <= (segment, place));
        // Data that overlap are few, and near.
        let near = self.data.get(end.saturating_sub(NEAR)..end).unwrap_or_default();
        let holds = move |datum: &&Datum| datum.segment == segment && datum.span.contains(&place);
        near.iter().filter(holds).map(|datum| Node::Data(datum.symbol))
    }

    /// Returns the addresses of the constants that are not reached.
    fn constants(&self, reached: &HashSet<Node>) -> Vec<Range<u32>> {
        // Whether a byte is late: kept ones win over late ones, as several names may share a byte.
        let mut marks: BTreeMap<u32, bool> = BTreeMap::new();
        for is_kept in [false, true] {
            for datum in &self.data {
                let Some(segment) = self.segments.get(datum.segment).filter(|segment| segment.is_constant) else {
                    continue;
                };
                if reached.contains(&Node::Data(datum.symbol)) == is_kept {
                    for at in datum.span.clone() {
                        marks.insert(segment.address + at, !is_kept);
                    }
                }
            }
        }
        let mut ranges: Vec<Range<u32>> = Vec::new();
        for at in marks.into_iter().filter(|(_, is_late)| *is_late).map(|(at, _)| at) {
            match ranges.last_mut() {
                Some(range) if range.end == at => range.end += 1,
                _ => ranges.push(at..at + 1),
            }
        }
        ranges
    }
}

/// Number of data before a place that may hold it.
const NEAR: usize = 16;
