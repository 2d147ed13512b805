//! What crosses the cut. Functions, tables, memories and globals are known by their position in the module, which is the
//! same in every copy of it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use walrus::ir::{RefFunc, Value, Visitor, dfs_in_order};
use walrus::{
    ConstExpr, ElementItems, ElementKind, ExportItem, FunctionId, GlobalId, GlobalKind, MemoryId, Module, TableId,
};

use crate::failure::{Failure, Result};

/// Where the module is cut.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// The functions of the rest.
    pub(super) cold: BTreeSet<usize>,
    /// The table that functions are called through.
    pub(super) table: usize,
    /// How many slots it has before new ones are added.
    pub(super) room: u32,
    /// Every slot that has a function of the rest, old and new.
    pub(super) slots: BTreeMap<u32, usize>,
    /// The slot through which a function of the rest is called.
    pub(super) door: BTreeMap<usize, u32>,
    /// What the rest imports, and under which names.
    pub(super) functions: BTreeMap<usize, String>,
    /// As above.
    pub(super) tables: BTreeMap<usize, String>,
    /// As above.
    pub(super) memories: BTreeMap<usize, String>,
    /// As above.
    pub(super) globals: BTreeMap<usize, String>,
}

impl Plan {
    /// A plan that moves these functions, but for those that JavaScript calls or whose reference is taken.
    pub(super) fn of(module: &Module, chosen: &BTreeSet<usize>) -> Result<Self> {
        let places = Places::of(module);
        let pinned = pinned(module, &places);
        let mut plan = Self { cold: chosen.difference(&pinned).copied().collect(), ..Self::default() };
        plan.take_slots(module, &places)?;
        let mut called = BTreeSet::new();
        let mut needs = Uses::default();
        for (id, function) in module.funcs.iter_local() {
            let mut uses = Uses::default();
            dfs_in_order(&mut uses, function, function.entry_block());
            if plan.cold.contains(&places.function(id)) {
                needs.extend(uses);
            } else {
                called.extend(uses.functions.iter().map(|id| places.function(*id)).filter(|at| plan.cold.contains(at)));
            }
        }
        for function in called {
            let next = plan.room + plan.slots.range(plan.room..).count() as u32;
            plan.door.entry(function).or_insert_with(|| {
                plan.slots.insert(next, function);
                next
            });
        }
        plan.name_shared(module, &places, &needs);
        Ok(plan)
    }

    /// The slots that functions of the rest already have.
    fn take_slots(&mut self, module: &Module, places: &Places) -> Result<()> {
        let strange = || Failure::new("The module has not one table of functions: xtask/src/site/split/plan.rs.");
        let table = module.tables.main_function_table().ok().flatten().ok_or_else(strange)?;
        self.table = places.tables.get(&table).copied().ok_or_else(strange)?;
        self.room = u32::try_from(module.tables.get(table).initial).map_err(|_| strange())?;
        for element in module.elements.iter() {
            let (ElementKind::Active { offset, .. }, ElementItems::Functions(items)) = (&element.kind, &element.items)
            else {
                continue;
            };
            let ConstExpr::Value(Value::I32(start)) = offset else { return Err(strange()) };
            for (slot, id) in (*start as u32..).zip(items) {
                let function = places.function(*id);
                if self.cold.contains(&function) {
                    self.slots.insert(slot, function);
                    self.door.entry(function).or_insert(slot);
                }
            }
        }
        Ok(())
    }

    /// Names what the rest needs: as it is exported already, or by numbers, which are no names of JavaScript or of wasm-opt.
    fn name_shared(&mut self, module: &Module, places: &Places, needs: &Uses) {
        let mut named: BTreeMap<(u8, usize), &str> = BTreeMap::new();
        for export in module.exports.iter() {
            named.insert(places.of_item(&export.item), &export.name);
        }
        let mut count = 0;
        let mut name = |kind: u8, at: usize| {
            named.get(&(kind, at)).map_or_else(
                || {
                    count += 1;
                    format!("#{count}")
                },
                |name| (*name).to_owned(),
            )
        };
        let functions: BTreeSet<usize> = needs.functions.iter().map(|id| places.function(*id)).collect();
        self.functions = functions.difference(&self.cold).map(|at| (*at, name(FUNCTION, *at))).collect();
        let at =
            |map: &HashMap<_, _>, ids: &[_]| ids.iter().filter_map(|id| map.get(id).copied()).collect::<BTreeSet<_>>();
        let mut tables: BTreeSet<usize> = needs.tables.iter().filter_map(|id| places.tables.get(id).copied()).collect();
        tables.insert(self.table);
        self.tables = tables.into_iter().map(|at| (at, name(TABLE, at))).collect();
        self.memories = at(&places.memories, &needs.memories).into_iter().map(|at| (at, name(MEMORY, at))).collect();
        let globals: BTreeSet<usize> = needs.globals.iter().filter_map(|id| places.globals.get(id).copied()).collect();
        self.globals = globals.into_iter().map(|at| (at, name(GLOBAL, at))).collect();
    }
}

const FUNCTION: u8 = 0;
const TABLE: u8 = 1;
const MEMORY: u8 = 2;
const GLOBAL: u8 = 3;
const TAG: u8 = 4;

/// Where everything of a module stands.
struct Places {
    functions: HashMap<FunctionId, usize>,
    tables: HashMap<TableId, usize>,
    memories: HashMap<MemoryId, usize>,
    globals: HashMap<GlobalId, usize>,
}

impl Places {
    fn of(module: &Module) -> Self {
        Self {
            functions: module.funcs.iter().enumerate().map(|(at, it)| (it.id(), at)).collect(),
            tables: module.tables.iter().enumerate().map(|(at, it)| (it.id(), at)).collect(),
            memories: module.memories.iter().enumerate().map(|(at, it)| (it.id(), at)).collect(),
            globals: module.globals.iter().enumerate().map(|(at, it)| (it.id(), at)).collect(),
        }
    }

    fn function(&self, id: FunctionId) -> usize {
        self.functions.get(&id).copied().unwrap_or(usize::MAX)
    }

    fn of_item(&self, item: &ExportItem) -> (u8, usize) {
        let (kind, at) = match item {
            ExportItem::Function(id) => (FUNCTION, self.functions.get(id)),
            ExportItem::Table(id) => (TABLE, self.tables.get(id)),
            ExportItem::Memory(id) => (MEMORY, self.memories.get(id)),
            ExportItem::Global(id) => (GLOBAL, self.globals.get(id)),
            ExportItem::Tag(_) => (TAG, None),
        };
        (kind, at.copied().unwrap_or(usize::MAX))
    }
}

/// Functions that must stay: imports, exports, the start, and those that a reference or a segment other than the table's
/// names.
fn pinned(module: &Module, places: &Places) -> BTreeSet<usize> {
    let mut ids: Vec<FunctionId> = module.start.into_iter().collect();
    ids.extend(module.imports.iter().filter_map(|import| match import.kind {
        walrus::ImportKind::Function(id) => Some(id),
        _ => None,
    }));
    ids.extend(module.exports.iter().filter_map(|export| match export.item {
        ExportItem::Function(id) => Some(id),
        _ => None,
    }));
    let mut uses = Uses::default();
    for (_, function) in module.funcs.iter_local() {
        dfs_in_order(&mut uses, function, function.entry_block());
    }
    ids.extend(uses.references);
    for element in module.elements.iter() {
        match (&element.kind, &element.items) {
            (ElementKind::Active { .. }, ElementItems::Functions(_)) => {}
            (_, ElementItems::Functions(items)) => ids.extend(items),
            (_, ElementItems::Expressions(_, items)) => ids.extend(items.iter().filter_map(referenced)),
        }
    }
    ids.extend(module.globals.iter().filter_map(|global| match &global.kind {
        GlobalKind::Local(value) => referenced(value),
        GlobalKind::Import(_) => None,
    }));
    ids.into_iter().map(|id| places.function(id)).collect()
}

fn referenced(value: &ConstExpr) -> Option<FunctionId> {
    if let ConstExpr::RefFunc(id) = value { Some(*id) } else { None }
}

/// What the instructions of functions name.
#[derive(Default)]
struct Uses {
    functions: Vec<FunctionId>,
    references: Vec<FunctionId>,
    tables: Vec<TableId>,
    memories: Vec<MemoryId>,
    globals: Vec<GlobalId>,
}

impl Uses {
    fn extend(&mut self, other: Self) {
        self.functions.extend(other.functions);
        self.references.extend(other.references);
        self.tables.extend(other.tables);
        self.memories.extend(other.memories);
        self.globals.extend(other.globals);
    }
}

impl<'instr> Visitor<'instr> for Uses {
    fn visit_function_id(&mut self, id: &FunctionId) {
        self.functions.push(*id);
    }

    fn visit_ref_func(&mut self, reference: &RefFunc) {
        self.references.push(reference.func);
    }

    fn visit_table_id(&mut self, id: &TableId) {
        self.tables.push(*id);
    }

    fn visit_memory_id(&mut self, id: &MemoryId) {
        self.memories.push(*id);
    }

    fn visit_global_id(&mut self, id: &GlobalId) {
        self.globals.push(*id);
    }
}
