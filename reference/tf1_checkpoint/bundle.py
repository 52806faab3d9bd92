"""A checkpoint's files: which tensors there are, and their rows, read when asked for."""

from __future__ import annotations

import dataclasses
import functools
import math
import os
import pathlib
import re
from collections.abc import Iterator
from typing import Any

from reference.tf1_checkpoint import tables
from reference.tf1_checkpoint.tables import Unreadable, messages, number

# DataType of TensorFlow, and NumPy's name of what is kept.
_TYPES = {
    1: "float32",
    2: "float64",
    3: "int32",
    4: "uint8",
    5: "int16",
    6: "int8",
    7: "string",
    8: "complex64",
    9: "int64",
    10: "bool",
    11: "qint8",
    12: "quint8",
    13: "qint32",
    14: "bfloat16",
    17: "uint16",
    18: "complex128",
    19: "float16",
    21: "variant",
    22: "uint32",
    23: "uint64",
}
# Kept as NumPy does not know them: their bits, which compare and copy as well.
_BITS = {"bfloat16": "uint16", "qint8": "int8", "quint8": "uint8", "qint32": "int32"}
_UNREAD = ("string", "variant")
_CHUNK = 1 << 24  # Bytes that are read at once.
_GRAPH = "_CHECKPOINTABLE_OBJECT_GRAPH"
_SUFFIX = re.compile(r"\.(index|meta|data-\d{5}-of-\d{5})$")


@dataclasses.dataclass(frozen=True)
class Part:
    """A slice of a variable as it is stored.

    Attributes:
      start: where it begins in the variable.
      shard, offset, size: the file, and the bytes in it.
      checksum: CRC-32C of these, masked as TensorFlow masks it.
    """

    start: tuple[int, ...]
    shape: tuple[int, ...]
    shard: int
    offset: int
    size: int
    checksum: int = 0


@dataclasses.dataclass(frozen=True)
class Entry:
    """One tensor of a checkpoint; a partitioned variable is one, of several parts.

    Attributes:
      dtype: NumPy's name, or "string", "variant", "bfloat16".
      key: what the file calls it; `name` but in an object-based checkpoint.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    parts: tuple[Part, ...]
    key: str

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def bytes(self) -> int:
        return sum(part.size for part in self.parts)

    @property
    def readable(self) -> bool:
        return self.dtype not in _UNREAD


class Bundle:
    """A checkpoint that lies at a prefix.

    Attributes:
      entries: by name, TensorFlow 1's also where the checkpoint is object-based.
      slots: of an object-based one, (variable's name, slot's name) by entry's name.
      object_based: `tf.train.Checkpoint` wrote it.
    """

    def __init__(self, source: str | os.PathLike[str]) -> None:
        self.prefix = find_prefix(source)
        self._index = tables.read_table(
            pathlib.Path(f"{self.prefix}.index").read_bytes()
        )
        header = tables.read_message(self._index.get(b"", b""))
        self._shards = number(header, 1)
        if number(header, 2):
            raise Unreadable("it was written on a machine of the other byte order")
        entries = {
            key.decode(): self._entry(key.decode(), value)
            for key, value in self._index.items()
            if key and key[0]  # A slice's own key begins with a zero.
        }
        self._check_files(entries.values())
        self.object_based = _GRAPH in entries
        self.slots: dict[str, tuple[str, str]] = {}
        self.graph = b""
        if self.object_based:
            self.graph = self._read_string(entries.pop(_GRAPH))
            entries = self._name_by_graph(entries)
        self.entries: dict[str, Entry] = entries

    def _entry(self, name: str, value: bytes) -> Entry:
        message = tables.read_message(value)
        kind = number(message, 1)
        shape = _shape(message)
        parts: list[Part] = []
        for piece in messages(message, 7):
            extents = [
                (number(e, 1), _signed(number(e, 2)) if 2 in e else -1)
                for e in messages(piece, 1)
            ]
            stored = self._index.get(_slice_key(name, extents))
            if stored is None:
                raise Unreadable(f"{name}: a part of it is not in the index")
            own = tables.read_message(stored)
            start = tuple(first for first, _ in extents)
            part = tuple(
                whole if length < 0 else length
                for whole, (_, length) in zip(shape, extents, strict=True)
            )
            parts.append(Part(start, part, *_place(own)))
        if not parts:
            parts = [Part((0,) * len(shape), shape, *_place(message))]
        return Entry(
            name,
            _TYPES.get(kind, f"type {kind}"),
            shape,
            tuple(sorted(parts, key=_start)),
            name,
        )

    def _check_files(self, entries: Any) -> None:
        needed: dict[int, int] = {}
        for entry in entries:
            for part in entry.parts:
                end = part.offset + part.size
                needed[part.shard] = max(end, needed.get(part.shard, 0))
        for shard, size in needed.items():
            path = self._data(shard)
            if not path.exists():
                raise Unreadable(f"{path.name} is missing")
            if path.stat().st_size < size:
                raise Unreadable(f"{path.name} is cut off")

    def _data(self, shard: int) -> pathlib.Path:
        return pathlib.Path(f"{self.prefix}.data-{shard:05d}-of-{self._shards:05d}")

    def _read_string(self, entry: Entry) -> bytes:
        """A scalar text: its length, a checksum of that, and the bytes."""
        (part,) = entry.parts
        with self._data(part.shard).open("rb") as data:
            data.seek(part.offset)
            stored = data.read(part.size)
        length, at = tables.read_varint(stored, 0)
        return stored[at + 4 : at + 4 + length]

    def _name_by_graph(self, entries: dict[str, Entry]) -> dict[str, Entry]:
        """Entries by their variables' names, which the object graph tells."""
        nodes = messages(tables.read_message(self.graph), 1)
        names: dict[str, str] = {}
        of_node: dict[int, str] = {}
        for number_of, node in enumerate(nodes):
            for attribute in messages(node, 2):
                key = tables.text(attribute, 3)
                names[key] = of_node[number_of] = tables.text(attribute, 2) or key
        for node in nodes:
            for slot in messages(node, 3):
                original, made = number(slot, 1), number(slot, 3)
                if original in of_node and made in of_node:
                    name = of_node[original], tables.text(slot, 2)
                    self.slots[of_node[made]] = name
        renamed = [
            dataclasses.replace(e, name=names.get(k, k)) for k, e in entries.items()
        ]
        found = {entry.name: entry for entry in renamed}
        if len(found) < len(renamed):  # Two objects may call a variable alike.
            return entries
        return found

    def rows(self, entry: Entry, start: int = 0, stop: int | None = None) -> Any:
        """Rows of a tensor as an array, read part by part; a scalar whole.

        Raises:
          Unreadable: it holds texts or variants.
        """
        import numpy as np

        if not entry.readable:
            raise Unreadable(f"{entry.name} holds {entry.dtype}s, which are not read")
        dtype = np.dtype(_BITS.get(entry.dtype, entry.dtype))
        if not entry.shape:
            return self._read(entry.parts[0], dtype, 0, 1).reshape(())
        stop = entry.shape[0] if stop is None else stop
        wanted = np.empty((stop - start, *entry.shape[1:]), dtype)
        for part in entry.parts:
            first = max(start, part.start[0])
            last = min(stop, part.start[0] + part.shape[0])
            if first >= last:
                continue
            read = self._read(part, dtype, first - part.start[0], last - part.start[0])
            place = tuple(
                slice(begin, begin + length)
                for begin, length in zip(part.start[1:], part.shape[1:], strict=True)
            )
            wanted[(slice(first - start, last - start), *place)] = read
        return wanted

    def check(self, entry: Entry) -> None:
        """Compares a tensor's bytes with their checksums, as TensorFlow does.

        Raises:
          Unreadable: they are others, so that the file is damaged.
        """
        import google_crc32c

        if not entry.readable:
            return  # The checksum of texts is of more than their bytes.
        for part in entry.parts:
            found = google_crc32c.Checksum()
            with self._data(part.shard).open("rb") as data:
                data.seek(part.offset)
                for start in range(0, part.size, _CHUNK):
                    found.update(data.read(min(_CHUNK, part.size - start)))
            if _masked(int.from_bytes(found.digest(), "big")) != part.checksum:
                name = self._data(part.shard).name
                raise Unreadable(
                    f"{name} is damaged: the checksum of {entry.name} does not match"
                )

    def _read(self, part: Part, dtype: Any, first: int, last: int) -> Any:
        import numpy as np

        inner = part.shape[1:]
        width = math.prod(inner) * dtype.itemsize
        with self._data(part.shard).open("rb") as data:
            data.seek(part.offset + first * width)
            stored = np.fromfile(data, dtype, (last - first) * math.prod(inner))
        return stored.reshape((last - first, *inner))


def row_ranges(
    shape: tuple[int, ...], size: int, limit: int
) -> Iterator[tuple[int, int]]:
    """Ranges of rows of a tensor of `size` bytes, each of at most `limit` bytes."""
    if not shape or not shape[0]:
        yield 0, shape[0] if shape else 1
        return
    rows = max(1, limit * shape[0] // max(size, 1))
    for start in range(0, shape[0], rows):
        yield start, min(shape[0], start + rows)


def find_prefix(source: str | os.PathLike[str]) -> pathlib.Path:
    """The prefix that a directory's newest checkpoint, a file or a prefix stands for.

    Raises:
      Unreadable: there is no checkpoint.
    """
    path = pathlib.Path(source)
    if path.is_dir():
        return _newest(path)
    prefix = path.with_name(_SUFFIX.sub("", path.name))
    if prefix.with_name(prefix.name + ".index").exists():
        return prefix
    if path.is_file():
        raise Unreadable(
            f"{path} has no .index beside it: it is of the format before TensorFlow "
            "0.12, or no checkpoint. TensorFlow 1 reads it, and saves it anew."
        )
    raise Unreadable(f"there is no checkpoint {path}")


def _newest(directory: pathlib.Path) -> pathlib.Path:
    state = directory / "checkpoint"
    if state.exists():
        listed = re.search(r'^model_checkpoint_path: "(.*)"', state.read_text(), re.M)
        if listed is not None:
            # A directory that was moved names where it was; its own file is nearer.
            named = directory / listed[1]
            for prefix in (named, directory / named.name):
                if prefix.with_name(prefix.name + ".index").exists():
                    return prefix
            raise Unreadable(f"{state} names {listed[1]}, which is not there")
    found = sorted(directory.glob("*.index"))
    if len(found) == 1:
        return found[0].with_suffix("")
    if found:
        names = ", ".join(path.stem for path in found)
        raise Unreadable(f"{directory} does not say which is the newest of {names}")
    raise Unreadable(f"there is no checkpoint in {directory}")


def _place(message: dict[int, list[int | bytes]]) -> tuple[int, int, int, int]:
    """Shard, offset, size and checksum of an entry of the index."""
    shard, offset, size, checksum = (number(message, field) for field in (3, 4, 5, 6))
    return shard, offset, size, checksum


def _masked(checksum: int) -> int:
    """A CRC-32C as it is stored (tensorflow/core/lib/hash/crc32c.h)."""
    turned = checksum >> 15 | checksum << 17 & 0xFFFFFFFF
    return turned + 0xA282EAD8 & 0xFFFFFFFF


def _start(part: Part) -> tuple[int, ...]:
    return part.start


def _shape(message: dict[int, list[int | bytes]]) -> tuple[int, ...]:
    shapes = messages(message, 2)
    dimensions = messages(shapes[-1], 2) if shapes else []
    return tuple(_signed(number(d, 1)) for d in dimensions)


def _signed(value: int) -> int:
    return value - (1 << 64) if value >> 63 else value


# -- keys of slices (TensorFlow's OrderedCode) -----------------------------------------


@functools.cache
def _ordered(value: int) -> bytes:
    """A signed number, so that keys sort as numbers do."""
    magnitude = ~value if value < 0 else value
    length = next(n for n in range(1, 11) if magnitude < 1 << (7 * n - 1))
    raw = bytearray(value.to_bytes(length, "big", signed=True))
    header = (0xFFFF << (16 - length)) & 0xFFFF
    raw[0] ^= header >> 8
    if length > 1:
        raw[1] ^= header & 0xFF
    return bytes(raw)


def _counted(value: int) -> bytes:
    raw = value.to_bytes((value.bit_length() + 7) // 8, "big")
    return bytes([len(raw)]) + raw


def _slice_key(name: str, extents: list[tuple[int, int]]) -> bytes:
    key = _counted(0) + name.encode() + b"\0\1" + _counted(len(extents))
    return key + b"".join(_ordered(s) + _ordered(n) for s, n in extents)
