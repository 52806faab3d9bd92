"""Writes a converted checkpoint, some rows at a time, whole or not at all."""

from __future__ import annotations

import importlib
import os
import pathlib
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from reference import quiet
from reference.tf1_checkpoint.bundle import Bundle, Entry, row_ranges
from reference.tf1_checkpoint.matching import Taken

AT_ONCE = 64 << 20  # Bytes of rows that are in memory at a time.
_GRAPH = "_CHECKPOINTABLE_OBJECT_GRAPH"
Progress = Callable[[int], None]


def read_rows(source: Bundle, taken: Taken, start: int, stop: int) -> Any:
    """Rows as the target counts them: row i is id i's, wherever "mod" has put it."""
    if not taken.by_id:
        return source.rows(taken.entry, start, stop)
    entry, count = taken.entry, len(taken.entry.parts)
    first = source.rows(entry, 0, 0)
    rows = np.empty((stop - start, *entry.shape[1:]), first.dtype)
    for number, part in enumerate(entry.parts):
        low = -((number - start) // count)  # The first of its rows at or after `start`.
        high = -((number - stop) // count)
        if low < high:
            place = low * count + number - start
            begin = part.start[0]
            rows[place::count] = source.rows(entry, begin + low, begin + high)
    return rows


def write_h5(
    source: Bundle,
    taken: Sequence[Taken],
    generators: Sequence[str],
    target: pathlib.Path,
    progress: Progress,
) -> None:
    """Writes a `.weights.h5`. Generators of random numbers begin anew."""
    h5py = importlib.import_module("h5py")

    part = target.with_name(target.name + ".part")
    try:
        with h5py.File(part, "w") as file:
            file.create_group("vars")
            for one in taken:
                rows = row_ranges(one.entry.shape, one.entry.bytes, AT_ONCE)
                made = file.create_dataset(
                    one.wanted.key, one.entry.shape, one.entry.dtype
                )
                for start, stop in rows:
                    values = read_rows(source, one, start, stop)
                    made[(slice(start, stop) if one.entry.shape else ())] = values
                    progress(values.nbytes)
            for key in generators:
                seed = int.from_bytes(os.urandom(4), "little")
                file[key] = np.array([seed, 0], np.uint32)
        os.replace(part, target)
    finally:
        part.unlink(missing_ok=True)


def write_object_based(
    source: Bundle,
    taken: Sequence[Taken],
    template: Bundle | None,
    kept: Sequence[str],
    target: pathlib.Path,
    progress: Progress,
) -> None:
    """Writes a `tf.train.Checkpoint`'s files at a prefix.

    Args:
      template: whose object graph the target has; None makes one of the names.
      kept: the template's entries that keep their values, by name.
    """
    tf = quiet.import_tensorflow()
    graph = template.graph if template is not None else _graph_of_names(taken)
    work = pathlib.Path(
        tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.absolute().parent)
    )
    try:
        parts: list[str] = []
        for batch in _batches(source, taken, template, kept, graph):
            names, slices, values = zip(*batch)
            prefix = str(work / f"part-{len(parts):05d}")
            with tf.device("/CPU:0"):
                tf.raw_ops.SaveV2(
                    prefix=prefix,
                    tensor_names=list(names),
                    shape_and_slices=list(slices),
                    tensors=[tf.constant(v) for v in values],
                )
            parts.append(prefix)
            progress(sum(v.nbytes for v in values if not isinstance(v, bytes)))
        tf.raw_ops.MergeV2Checkpoints(
            checkpoint_prefixes=parts,
            destination_prefix=str(work / "whole" / target.name),
            delete_old_dirs=False,
        )
        written = sorted((work / "whole").iterdir())
        # The index last: without it there is no checkpoint.
        for path in sorted(written, key=lambda p: p.suffix == ".index"):
            os.replace(path, target.with_name(path.name))
    finally:
        shutil.rmtree(work, ignore_errors=True)


_Piece = tuple[str, str, Any]


def _batches(
    source: Bundle,
    taken: Sequence[Taken],
    template: Bundle | None,
    kept: Sequence[str],
    graph: bytes,
) -> Iterator[list[_Piece]]:
    """Names, slices and values of what is written at once, of bounded size."""
    batch: list[_Piece] = [(_GRAPH, "", graph)]
    size = 0
    for name in kept if template is not None else ():
        entry = template.entries[name]  # type: ignore[union-attr]
        batch.append((entry.key, "", template.rows(entry)))  # type: ignore[union-attr]
    for one in taken:
        entry = one.entry
        ranges = list(row_ranges(entry.shape, entry.bytes, AT_ONCE))
        for start, stop in ranges:
            values = read_rows(source, one, start, stop)
            if size + values.nbytes > AT_ONCE and size:
                yield batch
                batch, size = [], 0
            spec = _slice(entry, start, stop) if len(ranges) > 1 else ""
            batch.append((one.wanted.key, spec, values))
            size += values.nbytes
    if batch:
        yield batch


def _slice(entry: Entry, start: int, stop: int) -> str:
    """A slice in the notation of SaveV2: the whole's shape, then first and count."""
    shape = " ".join(map(str, entry.shape))
    whole = ":".join("-" for _ in entry.shape[1:])
    return f"{shape} {start},{stop - start}" + (f":{whole}" if whole else "")


def _graph_of_names(taken: Sequence[Taken]) -> bytes:
    """An object graph in which `dense/kernel` is the attribute `dense.kernel`."""
    library = importlib.import_module(
        "tensorflow.core.protobuf.trackable_object_graph_pb2"
    )
    graph = library.TrackableObjectGraph()
    graph.nodes.add()
    numbers: dict[tuple[str, ...], int] = {(): 0}
    for one in taken:
        path = tuple(one.entry.name.split("/"))
        for depth in range(1, len(path) + 1):
            if path[:depth] in numbers:
                continue
            numbers[path[:depth]] = len(graph.nodes)
            parent = graph.nodes[numbers[path[: depth - 1]]]
            parent.children.add(node_id=len(graph.nodes), local_name=path[depth - 1])
            graph.nodes.add()
        graph.nodes[numbers[path]].attributes.add(
            name="VARIABLE_VALUE",
            full_name=one.entry.name,
            checkpoint_key=one.wanted.key,
        )
    serialized: bytes = graph.SerializeToString()
    return serialized


def key_of_name(name: str) -> str:
    """The key that an object graph of names gives a variable."""
    return f"{name}/.ATTRIBUTES/VARIABLE_VALUE"
