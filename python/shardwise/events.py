"""Reads scalars of TensorBoard's event files, without TensorBoard.

A file is a list of records (tensorflow/core/lib/io/record_writer.h): the length as 8 bytes and its
checksum as 4, the data, its checksum. The data is an ``Event`` (tensorflow/core/util/event.proto) in
protobuf's wire format. Checksums are not compared.
"""

from __future__ import annotations

import struct

#: Fields: ``Event``, ``Summary`` and ``Summary.Value``, ``TensorProto``.
WALL_TIME, STEP, SUMMARY = 1, 2, 5
VALUE, TAG, SIMPLE_VALUE, TENSOR = 1, 1, 2, 8
CONTENT, FLOATS, DOUBLES = 4, 5, 6
DTYPE, FLOAT, DOUBLE = 1, 1, 2


def read_events(path):
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


def _scalars(event):
    wall_time, step, summaries = 0.0, 0, []
    for field, value in _fields(event):
        if field == WALL_TIME:
            (wall_time,) = struct.unpack("<d", value)
        elif field == STEP:
            step = value
        elif field == SUMMARY:
            summaries.append(value)
    for summary in summaries:
        for field, value in _fields(summary):
            if field == VALUE:
                tag, scalar = _value(value)
                if scalar is not None:
                    yield wall_time, step, tag, scalar


def _value(message):
    """Tag and scalar of a ``Summary.Value``; ``None`` where it is no scalar."""
    tag, scalar = "", None
    for field, value in _fields(message):
        if field == TAG:
            tag = value.decode()
        elif field == SIMPLE_VALUE:
            (scalar,) = struct.unpack("<f", value)
        elif field == TENSOR:
            scalar = _tensor(value)
    return tag, scalar


def _tensor(message):
    """The number of a ``TensorProto`` of one float or double."""
    kind, parts = 0, {}
    for field, value in _fields(message):
        if field == DTYPE:
            kind = value
        elif field in (CONTENT, FLOATS, DOUBLES):
            parts[field] = value
    form = {FLOAT: ("<f", FLOATS), DOUBLE: ("<d", DOUBLES)}.get(kind)
    if form is None:
        return None
    content = parts.get(form[1], parts.get(CONTENT, b""))
    return struct.unpack(form[0], content)[0] if len(content) == struct.calcsize(form[0]) else None


def _fields(message):
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
            length = {1: 8, 5: 4}.get(wire)
            if length is None:
                raise IndexError(f"wire type {wire}")
        if at + length > len(message):
            raise IndexError("a field is cut off")
        yield field, message[at : at + length]
        at += length


def _varint(message, at):
    value = shift = 0
    while True:
        byte = message[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7
