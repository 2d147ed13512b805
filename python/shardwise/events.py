"""Reads scalars of TensorBoard's event files, without TensorBoard.

A file is a list of records (tensorflow/core/lib/io/record_writer.h): the length as 8 bytes and its
checksum as 4, the data, its checksum. The data is an ``Event`` (tensorflow/core/util/event.proto) in
protobuf's wire format. Checksums are not compared.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Optional, Union

#: Fields: ``Event``, ``Summary`` and ``Summary.Value``, ``TensorProto``.
WALL_TIME, STEP, SUMMARY = 1, 2, 5
VALUE, TAG, SIMPLE_VALUE, TENSOR = 1, 1, 2, 8
CONTENT, FLOATS, DOUBLES = 4, 5, 6
DTYPE, FLOAT, DOUBLE = 1, 1, 2

#: Wall time in seconds, step, tag and value of a scalar.
Event = tuple[float, int, str, float]


def read_events(path: Path) -> Iterator[Event]:
    """Yields (wall time in seconds, step, tag, value) of each scalar of a file.

    A file that is still written ends at its last whole record. What is no event file raises
    ``ValueError``.
    """
    data = path.read_bytes()
    at, count = 0, 0
    while at + 12 <= len(data):
        (length,) = struct.unpack_from("<Q", data, at)
        if at + 16 + length > len(data):
            break
        try:
            yield from _scalars(data[at + 12 : at + 12 + length])
        except (struct.error, IndexError, UnicodeDecodeError) as error:
            raise ValueError(f"{path.name} is no event file of TensorBoard.") from error
        at += 16 + length
        count += 1
    if count == 0:
        raise ValueError(f"{path.name} is no event file of TensorBoard, or has no whole record.")


def _scalars(event: bytes) -> Iterator[Event]:
    """The scalars of an ``Event``."""
    wall_time, step = 0.0, 0
    summaries: list[bytes] = []
    for field, value in _fields(event):
        if field == WALL_TIME:
            (wall_time,) = struct.unpack("<d", _bytes(value))
        elif field == STEP and isinstance(value, int):
            step = value
        elif field == SUMMARY:
            summaries.append(_bytes(value))
    for summary in summaries:
        for field, value in _fields(summary):
            if field == VALUE:
                tag, scalar = _value(_bytes(value))
                if scalar is not None:
                    yield wall_time, step, tag, scalar


def _value(message: bytes) -> tuple[str, Optional[float]]:
    """Tag and scalar of a ``Summary.Value``; ``None`` where it is no scalar."""
    tag = ""
    scalar: Optional[float] = None
    for field, value in _fields(message):
        if field == TAG:
            tag = _bytes(value).decode()
        elif field == SIMPLE_VALUE:
            (scalar,) = struct.unpack("<f", _bytes(value))
        elif field == TENSOR:
            scalar = _tensor(_bytes(value))
    return tag, scalar


def _tensor(message: bytes) -> Optional[float]:
    """The number of a ``TensorProto`` of one float or double; ``None`` for other tensors."""
    kind: Union[int, bytes] = 0
    parts: dict[int, bytes] = {}
    for field, value in _fields(message):
        if field == DTYPE:
            kind = value
        elif field in (CONTENT, FLOATS, DOUBLES):
            parts[field] = _bytes(value)
    forms: dict[Union[int, bytes], tuple[str, int]] = {FLOAT: ("<f", FLOATS), DOUBLE: ("<d", DOUBLES)}
    if kind not in forms:
        return None
    form, place = forms[kind]
    content = parts.get(place, parts.get(CONTENT, b""))
    if len(content) != struct.calcsize(form):
        return None
    (number,) = struct.unpack(form, content)
    return float(number)


def _bytes(value: Union[int, bytes]) -> bytes:
    """The bytes of a field that has some; raises ``IndexError`` where it is a varint."""
    if isinstance(value, int):
        raise IndexError(f"the number {value} in the place of bytes")
    return value


def _fields(message: bytes) -> Iterator[tuple[int, Union[int, bytes]]]:
    """Yields field numbers with their values: numbers of varints, bytes of everything else."""
    at = 0
    while at < len(message):
        key, at = _varint(message, at)
        field, wire = key >> 3, key & 7
        if wire == 0:
            value, at = _varint(message, at)
            yield field, value
            continue
        if wire == 2:
            length, at = _varint(message, at)
        else:
            lengths = {1: 8, 5: 4}
            if wire not in lengths:
                raise IndexError(f"wire type {wire}")
            length = lengths[wire]
        if at + length > len(message):
            raise IndexError("a field is cut off")
        yield field, message[at : at + length]
        at += length


def _varint(message: bytes, at: int) -> tuple[int, int]:
    """A varint, and where what follows it begins."""
    value = shift = 0
    while True:
        byte = message[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7
