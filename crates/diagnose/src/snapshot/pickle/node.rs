//! Deserializes values of a pickle with serde, so that one type definition reads snapshots in both
//! pickle and JSON.

use super::{Id, Pickle, Value};
use core::cell::Cell;
use serde::de::value::{Error, MapDeserializer, SeqDeserializer};
use serde::de::{Deserialize, Deserializer, Error as _, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;

/// Limits on visits of values. A snapshot references each entry once, so entries may be visited
/// once per reference; stack frames, which entries share, have a fixed limit. A pickle that nests
/// repeated references to a list ends with an error, not after an hour.
struct Visits {
    entries: Cell<u64>,
    frames: Cell<u64>,
}

/// Maximum visits of stack frames: 400,000 events of 40 frames.
const FRAMES: u64 = 120_000_000;

const TOO_OFTEN: &str = "it repeats the same values too often";

/// A value in its pickle.
#[derive(Clone, Copy)]
struct Node<'de, 'v> {
    pickle: &'v Pickle<'de>,
    id: Id,
    visits: &'v Visits,
    in_frames: bool,
}

impl<'de> Pickle<'de> {
    /// Deserializes the pickle as a type.
    pub(in super::super) fn to<T: Deserialize<'de>>(&self) -> Result<T, Error> {
        let visits = Visits { entries: Cell::new(self.references + 1), frames: Cell::new(FRAMES) };
        T::deserialize(Node { pickle: self, id: self.root, visits: &visits, in_frames: false })
    }
}

impl<'de, 'v> Node<'de, 'v> {
    fn at(self, id: Id) -> Self {
        Self { id, ..self }
    }

    fn value(self) -> Result<&'v Value<'de>, Error> {
        let left = if self.in_frames { &self.visits.frames } else { &self.visits.entries };
        left.set(left.get().checked_sub(1).ok_or_else(|| Error::custom(TOO_OFTEN))?);
        self.pickle.values.get(self.id.0 as usize).ok_or_else(|| Error::custom(TOO_OFTEN))
    }
}

impl<'de> IntoDeserializer<'de> for Node<'de, '_> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Node<'de, '_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.value()? {
            Value::None | Value::Opaque => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::Int(value) => visitor.visit_i64(*value),
            Value::Unsigned(value) => visitor.visit_u64(*value),
            Value::Float(value) => visitor.visit_f64(*value),
            Value::Text(text) => visitor.visit_borrowed_str(text),
            Value::Sequence(items) => visitor.visit_seq(SeqDeserializer::new(items.iter().map(|item| self.at(*item)))),
            Value::Dict(pairs) => {
                let pairs = pairs.iter().map(|(key, value)| (self.at(*key), self.at(*value)));
                visitor.visit_map(MapDeserializer::new(pairs))
            }
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.pickle.values.get(self.id.0 as usize) {
            None | Some(Value::None | Value::Opaque) => visitor.visit_none(),
            Some(_) => visitor.visit_some(self),
        }
    }

    /// Marks stack frames, which are the only shared values.
    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, Error> {
        let in_frames = self.in_frames || name == super::super::format::FRAMES;
        visitor.visit_newtype_struct(Self { in_frames, ..self })
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.value()? {
            Value::Text(text) => visitor.visit_enum((*text).into_deserializer()),
            _ => Err(Error::custom("a word is missing")),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct
        map struct identifier
    }
}
