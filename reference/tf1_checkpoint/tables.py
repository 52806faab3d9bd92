"""Reads the two formats that a checkpoint's index is made of: a sorted table, messages.

The table is LevelDB's (blocks of keys with shared prefixes); a message is a protocol
buffer's, of which only the wire format is read here.
"""

from __future__ import annotations

from collections.abc import Iterator

_MAGIC = 0xDB4775248B80FB57
_FOOTER = 48
_TRAILER = 5  # The kind of compression and a checksum.


class Unreadable(Exception):
    """Not a checkpoint, or not one that can be read; says why."""


def read_table(data: bytes) -> dict[bytes, bytes]:
    """All keys of a sorted table and their values.

    Raises:
      Unreadable: no such table, or a compressed one.
    """
    magic = int.from_bytes(data[-8:], "little") if len(data) >= _FOOTER else 0
    if magic != _MAGIC:
        raise Unreadable("the index is cut off, or is none of TensorFlow's")
    footer = data[-_FOOTER:]
    _, at = read_varint(footer, 0)
    _, at = read_varint(footer, at)
    found: dict[bytes, bytes] = {}
    for _, handle in _block(data, *_handle(footer, at)):
        found.update(_block(data, *_handle(handle, 0)))
    return found


def _handle(data: bytes, at: int) -> tuple[int, int]:
    offset, at = read_varint(data, at)
    size, _ = read_varint(data, at)
    return offset, size


def _block(data: bytes, offset: int, size: int) -> Iterator[tuple[bytes, bytes]]:
    if offset + size + _TRAILER > len(data):
        raise Unreadable("the index is cut off")
    if data[offset + size]:
        raise Unreadable("the index is compressed, which TensorFlow never does")
    block = data[offset : offset + size]
    restarts = int.from_bytes(block[-4:], "little")
    end = len(block) - 4 * (restarts + 1)
    at, key = 0, b""
    while at < end:
        shared, at = read_varint(block, at)
        own, at = read_varint(block, at)
        length, at = read_varint(block, at)
        key = key[:shared] + block[at : at + own]
        at += own
        yield key, block[at : at + length]
        at += length


def read_varint(data: bytes, at: int) -> tuple[int, int]:
    """A number in groups of seven bits, and where the next thing begins.

    Raises:
      Unreadable: the data end within it.
    """
    value = shift = 0
    while at < len(data):
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
    raise Unreadable("the index is cut off")


def read_message(data: bytes) -> dict[int, list[int | bytes]]:
    """The fields of a message by their numbers, each as often as it stands there."""
    fields: dict[int, list[int | bytes]] = {}
    at = 0
    while at < len(data):
        tag, at = read_varint(data, at)
        kind = tag & 7
        value: int | bytes
        if kind == 0:
            value, at = read_varint(data, at)
        elif kind == 2:
            length, at = read_varint(data, at)
            value, at = data[at : at + length], at + length
        elif kind in (1, 5):
            width = 8 if kind == 1 else 4
            value, at = int.from_bytes(data[at : at + width], "little"), at + width
        else:
            raise Unreadable("the index has an entry of an unknown form")
        fields.setdefault(tag >> 3, []).append(value)
    return fields


def number(message: dict[int, list[int | bytes]], field: int) -> int:
    """A field's number; 0 where it is left out."""
    value = message.get(field, [0])[-1]
    return value if isinstance(value, int) else 0


def text(message: dict[int, list[int | bytes]], field: int) -> str:
    """A field's text; empty where it is left out."""
    value = message.get(field, [b""])[-1]
    return value.decode() if isinstance(value, bytes) else ""


def messages(
    message: dict[int, list[int | bytes]], field: int
) -> list[dict[int, list[int | bytes]]]:
    """The messages of a repeated field."""
    return [read_message(v) for v in message.get(field, ()) if isinstance(v, bytes)]
