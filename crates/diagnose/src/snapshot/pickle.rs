//! Reads a Python pickle, protocols 2 to 5, as plain values: no function is called and no module
//! imported. Anything but numbers, text, lists and dicts is [`Value::Opaque`].
//!
//! Values are stored in one table and refer to each other by index. A value that the pickle
//! references many times is read once, and nesting needs no recursion. By contrast, `serde-pickle`
//! 1.2 aborts the program on two million nested tuples, and copies each referenced value.

mod node;

use std::borrow::Cow;

/// Index of a value in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Id(u32);

/// A Python value.
#[derive(Clone, Debug, PartialEq)]
enum Value<'a> {
    None,
    Bool(bool),
    Int(i64),
    /// An integer that only fits unsigned: an address.
    Unsigned(u64),
    Float(f64),
    Text(&'a str),
    /// A list or tuple.
    Sequence(Vec<Id>),
    Dict(Vec<(Id, Id)>),
    /// Bytes, an object, a class, a function.
    Opaque,
}

/// Content of a pickle.
#[derive(Debug)]
pub(super) struct Pickle<'a> {
    values: Vec<Value<'a>>,
    root: Id,
    /// Number of references between values: the visits of a reader that takes no value twice.
    references: u64,
}

/// Values that are always first in the table.
const NONE: Id = Id(0);
const FALSE: Id = Id(1);
const TRUE: Id = Id(2);
const OPAQUE: Id = Id(3);

/// Maximum number of values. A snapshot of 64 MiB has ten million.
const MOST: usize = 24_000_000;

const ENDS: &str = "This pickle is incomplete.";
const BROKEN: &str = "Python did not write this pickle: its opcodes contradict each other.";
const TOO_MANY: &str = "This pickle has more than 24 million values: record fewer events, torch.cuda.memory._record_memory_history(max_entries=100000).";

/// Returns whether a file is a pickle of protocol 2 or later.
pub fn is_pickle(bytes: &[u8]) -> bool {
    matches!(bytes, [0x80, 2..=31, ..])
}

/// A result with a sentence as its error.
type Read<T> = Result<T, Cow<'static, str>>;

/// Reads a pickle.
///
/// # Errors
///
/// Returns a sentence if the pickle is truncated, invalid or too large.
pub(super) fn parse_pickle(bytes: &[u8]) -> Read<Pickle<'_>> {
    let values = vec![Value::None, Value::Bool(false), Value::Bool(true), Value::Opaque];
    let mut machine =
        Machine { rest: bytes, values, stack: Vec::new(), marks: Vec::new(), memo: Vec::new(), references: 0 };
    while machine.step()? {}
    let root = machine.pop()?;
    Ok(Pickle { values: machine.values, root, references: machine.references })
}

/// Python's pickle machine, restricted to plain values.
struct Machine<'a> {
    rest: &'a [u8],
    values: Vec<Value<'a>>,
    stack: Vec<Id>,
    /// Heights of the stack at the marks.
    marks: Vec<usize>,
    memo: Vec<Id>,
    references: u64,
}

impl<'a> Machine<'a> {
    /// Executes one instruction and returns whether more follow. Opcodes are those of CPython's
    /// `Lib/pickle.py`.
    fn step(&mut self) -> Read<bool> {
        match self.byte()? {
            0x80 => match self.byte()? {
                0..=5 => {}
                other => return Err(format!("This pickle has protocol {other}; supported are 2 to 5.").into()),
            },
            0x95 => drop(self.take(8)?),
            b'.' => return Ok(false),
            b'(' => self.marks.push(self.stack.len()),
            b'0' => drop(self.pop()?),
            b'1' => drop(self.popped_mark()?),
            b'2' => self.stack.push(self.top()?),
            b'N' => self.stack.push(NONE),
            0x88 => self.stack.push(TRUE),
            0x89 => self.stack.push(FALSE),
            b'K' => self.int(1)?,
            b'M' => self.int(2)?,
            b'J' => {
                let four = self.array()?;
                self.push(Value::Int(i32::from_le_bytes(four).into()))?;
            }
            0x8a => self.long(1)?,
            0x8b => self.long(4)?,
            b'G' => {
                let eight = self.array()?;
                self.push(Value::Float(f64::from_be_bytes(eight)))?;
            }
            0x8c | b'U' => self.text(1)?,
            b'X' | b'T' => self.text(4)?,
            0x8d => self.text(8)?,
            b'C' => self.bytes(1)?,
            b'B' => self.bytes(4)?,
            0x8e | 0x96 => self.bytes(8)?,
            b']' | b')' => self.push(Value::Sequence(Vec::new()))?,
            b'}' => self.push(Value::Dict(Vec::new()))?,
            b'l' | b't' => {
                let items = self.popped_mark()?;
                self.references += items.len() as u64;
                self.push(Value::Sequence(items))?;
            }
            count @ 0x85..=0x87 => {
                let from = self.stack.len().checked_sub(usize::from(count - 0x84)).ok_or(BROKEN)?;
                let items = self.stack.split_off(from);
                self.references += items.len() as u64;
                self.push(Value::Sequence(items))?;
            }
            b'a' => {
                let item = self.pop()?;
                self.append(vec![item])?;
            }
            b'e' => {
                let items = self.popped_mark()?;
                self.append(items)?;
            }
            b's' => {
                let value = self.pop()?;
                let key = self.pop()?;
                self.set(&[key, value])?;
            }
            b'u' => {
                let items = self.popped_mark()?;
                self.set(&items)?;
            }
            code @ (b'q' | b'r' | 0x94 | b'h' | b'j') => self.use_memo(code)?,
            other => self.object(other)?,
        }
        Ok(true)
    }

    /// Executes instructions that put the top of the stack into the memo, or push what is in it.
    fn use_memo(&mut self, code: u8) -> Read<()> {
        match code {
            b'q' => {
                let place = self.byte()?;
                self.memoize(usize::from(place))?;
            }
            b'r' => {
                let place = u32::from_le_bytes(self.array()?);
                self.memoize(place as usize)?;
            }
            0x94 => self.memoize(self.memo.len())?,
            b'h' => {
                let place = self.byte()?;
                self.recall(usize::from(place))?;
            }
            _ => {
                let place = u32::from_le_bytes(self.array()?);
                self.recall(place as usize)?;
            }
        }
        Ok(())
    }

    /// Executes instructions that create or import objects: pushes an opaque value in place of the
    /// object.
    fn object(&mut self, instruction: u8) -> Read<()> {
        let popped = match instruction {
            // GLOBAL: a module and a name, one line each.
            b'c' => {
                self.line()?;
                self.line()?;
                0
            }
            // STACK_GLOBAL, REDUCE and NEWOBJ; NEWOBJ_EX.
            0x93 | b'R' | 0x81 => 2,
            0x92 => 3,
            // BUILD leaves its object on the stack.
            b'b' => {
                self.pop()?;
                return Ok(());
            }
            // OBJ, EXT1, EXT2, EXT4, BINPERSID, NEXT_BUFFER, READONLY_BUFFER.
            b'o' => {
                self.popped_mark()?;
                0
            }
            0x82 => self.take(1).map(|_| 0)?,
            0x83 => self.take(2).map(|_| 0)?,
            0x84 => self.take(4).map(|_| 0)?,
            b'Q' => 1,
            0x97 => 0,
            0x98 => return Ok(()),
            other => {
                return Err(format!(
                    "This is not a readable pickle: 0x{other:02x} is not an opcode of protocols 2 to 5."
                )
                .into());
            }
        };
        for _ in 0..popped {
            self.pop()?;
        }
        self.stack.push(OPAQUE);
        Ok(())
    }

    fn take(&mut self, count: usize) -> Read<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(ENDS)?;
        self.rest = rest;
        Ok(taken)
    }

    fn byte(&mut self) -> Read<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    fn array<const N: usize>(&mut self) -> Read<[u8; N]> {
        self.take(N)?.try_into().map_err(|_| ENDS.into())
    }

    fn line(&mut self) -> Read<()> {
        let end = self.rest.iter().position(|byte| *byte == b'\n').ok_or(ENDS)?;
        self.take(end + 1).map(drop)
    }

    /// Reads bytes that are preceded by their count, which is `width` bytes long.
    fn counted(&mut self, width: usize) -> Read<&'a [u8]> {
        let count = unsigned(self.take(width)?).and_then(|count| usize::try_from(count).ok());
        self.take(count.ok_or(ENDS)?)
    }

    fn push(&mut self, value: Value<'a>) -> Read<()> {
        if self.values.len() >= MOST {
            return Err(TOO_MANY.into());
        }
        self.stack.push(Id(self.values.len() as u32));
        self.values.push(value);
        Ok(())
    }

    fn int(&mut self, width: usize) -> Read<()> {
        let value = unsigned(self.take(width)?).unwrap_or_default();
        self.push(Value::Int(value.cast_signed()))
    }

    /// Reads an integer of any length, in two's complement.
    fn long(&mut self, width: usize) -> Read<()> {
        let bytes = self.counted(width)?;
        let negative = bytes.last().is_some_and(|byte| *byte >= 0x80);
        let value = match unsigned(bytes) {
            Some(value) if !negative => i64::try_from(value).map_or(Value::Unsigned(value), Value::Int),
            Some(value) => {
                let unused = 64 - 8 * bytes.len() as u32;
                Value::Int((value << unused).cast_signed() >> unused)
            }
            None => Value::Opaque,
        };
        self.push(value)
    }

    fn text(&mut self, width: usize) -> Read<()> {
        let bytes = self.counted(width)?;
        self.push(str::from_utf8(bytes).map_or(Value::Opaque, Value::Text))
    }

    fn bytes(&mut self, width: usize) -> Read<()> {
        self.counted(width)?;
        self.stack.push(OPAQUE);
        Ok(())
    }

    fn top(&self) -> Read<Id> {
        self.stack.last().copied().ok_or_else(|| BROKEN.into())
    }

    fn pop(&mut self) -> Read<Id> {
        self.stack.pop().ok_or_else(|| BROKEN.into())
    }

    fn popped_mark(&mut self) -> Read<Vec<Id>> {
        let mark = self.marks.pop().filter(|mark| *mark <= self.stack.len()).ok_or(BROKEN)?;
        Ok(self.stack.split_off(mark))
    }

    fn top_value(&mut self) -> Read<&mut Value<'a>> {
        let Id(top) = self.top()?;
        self.values.get_mut(top as usize).ok_or_else(|| BROKEN.into())
    }

    /// Appends to the list on the stack. If the value is opaque, the items are dropped.
    fn append(&mut self, items: Vec<Id>) -> Read<()> {
        self.references += items.len() as u64;
        match self.top_value()? {
            Value::Sequence(list) => list.extend(items),
            Value::Opaque => {}
            _ => return Err(BROKEN.into()),
        }
        Ok(())
    }

    fn set(&mut self, items: &[Id]) -> Read<()> {
        let (pairs, odd) = items.as_chunks::<2>();
        if !odd.is_empty() {
            return Err(BROKEN.into());
        }
        self.references += items.len() as u64;
        match self.top_value()? {
            Value::Dict(dict) => dict.extend(pairs.iter().map(|[key, value]| (*key, *value))),
            Value::Opaque => {}
            _ => return Err(BROKEN.into()),
        }
        Ok(())
    }

    /// Stores the top of the stack in the memo. Python numbers memo entries from 0.
    fn memoize(&mut self, place: usize) -> Read<()> {
        let top = self.top()?;
        if place > self.values.len() {
            return Err(BROKEN.into());
        }
        if place >= self.memo.len() {
            self.memo.resize(place + 1, NONE);
        }
        *self.memo.get_mut(place).ok_or(BROKEN)? = top;
        Ok(())
    }

    fn recall(&mut self, place: usize) -> Read<()> {
        self.stack.push(*self.memo.get(place).ok_or(BROKEN)?);
        Ok(())
    }
}

/// Reads a little-endian number of up to eight bytes; `None` for longer ones.
fn unsigned(bytes: &[u8]) -> Option<u64> {
    let mut whole = [0; 8];
    whole.get_mut(..bytes.len())?.copy_from_slice(bytes);
    Some(u64::from_le_bytes(whole))
}
