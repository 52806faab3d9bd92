"""Finds the files that a run has written, and compares those of two runs.

TensorFlow's own files are compared by their names: what is in a checkpoint is seen in
the variables, what is in event files in fetched summaries.
"""

from __future__ import annotations

import json
import os
import pathlib
import re

import numpy as np

from reference.verify import outputs, tolerance
from reference.verify.records import Record
from reference.verify.rows import Records, Row

_ARRAYS = (".npz", ".npy")
_TEXTS = (".txt", ".csv", ".tsv", ".json", ".jsonl", ".log", ".out", ".dat", ".md")
# TensorFlow 1 wrote its graph beside its variables; TensorFlow 2 has no such files.
_TENSORFLOW = re.compile(
    r"(^|/)(checkpoint|graph\.pbtxt|events\.out\.tfevents[^/]*|saved_model\.pb(txt)?|"
    r"fingerprint\.pb|[^/]*\.(meta|index|data-\d+-of-\d+))$|/(variables|assets)(/|$)"
)
_LARGEST = 50_000_000
_NAMED = 20

Stat = dict[str, tuple[int, int]]


def look(directory: pathlib.Path) -> Stat:
    """Files below a directory, with their sizes and times."""
    found = {}
    for current, directories, names in os.walk(directory):
        directories[:] = [d for d in directories if d != "__pycache__"]
        for name in names:
            path = os.path.join(current, name)
            if not os.path.islink(path):
                told = os.stat(path)
                found[path] = told.st_size, told.st_mtime_ns
    return found


def keep(directory: pathlib.Path, before: Stat, roots: dict[str, pathlib.Path]) -> None:
    """Writes down which files a run has made or changed.

    Args:
      directory: of the run.
      before: what was there.
      roots: the program's directory, and what stands for the rest of the disk.
    """
    found = {}
    for prefix, root in roots.items():
        for path, told in look(root).items():
            if before.get(path) != told:
                found[prefix + os.path.relpath(path, root)] = path
    (directory / "files.json").write_text(json.dumps(found, indent=1, sort_keys=True))


def written(record: Record) -> dict[str, pathlib.Path]:
    """By a name that is the same in every run."""
    path = record.directory.parent.parent / "files.json"
    if not path.exists():
        return {}
    found: dict[str, pathlib.Path] = {}
    for name, place in sorted(json.loads(path.read_text()).items()):
        name = re.sub(r"(events\.out\.tfevents)\.[^/]*", r"\1", name)
        name = re.sub(r"(?<!\d)\d{9,}(?!\d)", "TIME", name)
        found.setdefault(name, pathlib.Path(place))
    return found


def compare_files(records: Records) -> tuple[list[Row], list[str], list[str]]:
    """(rows, what only the original has written, what only the migrated program has)."""
    old, new = written(records.first), written(records.new)
    second = written(records.again)
    shifted = written(records.shifted) if records.shifted else {}
    ends = [(r.end or {}).get("reason") for r in (records.first, records.new)]
    whole = ends == ["ended", "ended"]
    steps = len(records.first.steps)
    rows: list[Row] = []
    old_only: list[str] = []
    new_only: list[str] = []
    for name in sorted(old.keys() | new.keys()):
        own = _TENSORFLOW.search(name) is not None
        if name not in new:
            if whole and not own and name in second:
                row = Row("file", name, first=steps, excess=float("inf"))
                row.what = "the migrated program does not write it"
                rows.append(row)
            elif not own:
                old_only.append(f"file {name}")
        elif name not in old:
            if not own:
                new_only.append(f"file {name}")
        elif not own and whole:
            given = second.get(name), shifted.get(name)
            rows += _compare(name, old[name], new[name], *given, steps)
    for texts, some in ((old_only, old.keys() - new), (new_only, new.keys() - old)):
        ours = sorted(n for n in some if _TENSORFLOW.search(n))
        if ours:
            count = len(ours)
            texts.append(
                f"{count} of TensorFlow's own files ({', '.join(ours[:3])}"
                f"{', ...' if count > 3 else ''})"
            )
    if not whole and (old or new):
        old_only.append("files' contents, for a program that is stopped has not ended")
    return rows, old_only[:_NAMED], new_only[:_NAMED]


def _compare(
    name: str,
    old: pathlib.Path,
    new: pathlib.Path,
    second: pathlib.Path | None,
    shifted: pathlib.Path | None,
    step: int,
) -> list[Row]:
    if max(path.stat().st_size for path in (old, new)) > _LARGEST:
        return []
    if old.suffix in _ARRAYS:
        return _compare_arrays(name, old, new, second, shifted, step)
    if old.suffix in _TEXTS:
        texts = [
            outputs.of_text(path.read_text(errors="replace")) if path else {}
            for path in (old, second, shifted, new)
        ]
        rows, _, _ = outputs.compare_groups("file", name, *texts)
        for row in rows:
            row.first = step if row.wrong else None
        return rows
    return []


def _arrays(path: pathlib.Path | None) -> dict[str, np.ndarray]:
    if path is None:
        return {}
    try:
        loaded = np.load(path, allow_pickle=False)
        if isinstance(loaded, np.ndarray):
            return {"": loaded}
        return {key: loaded[key] for key in loaded.files}
    except (OSError, ValueError):  # Of objects, or cut off.
        return {}


def _compare_arrays(
    name: str,
    old: pathlib.Path,
    new: pathlib.Path,
    second: pathlib.Path | None,
    shifted: pathlib.Path | None,
    step: int,
) -> list[Row]:
    ones, others = _arrays(old), _arrays(new)
    again, moved = _arrays(second), _arrays(shifted)
    rows = []
    for key, value in ones.items():
        row = Row("file", f"{name} {key}".strip())
        other = others.get(key)
        rows.append(row)
        if other is None:
            _fail(row, step, "it is not in the migrated program's file")
        elif other.shape != value.shape:
            _fail(row, step, f"shape {list(other.shape)}, expected {list(value.shape)}")
        elif value.dtype.kind not in "biuf" or not value.size:
            row.steps = 1
            if value.dtype.kind in "US" and (value != other).any():
                if key not in again or (again[key] == value).all():
                    _fail(row, step, "other text")
        else:
            _compare_numbers(row, value, other, again.get(key), moved.get(key), step)
    return rows


def _compare_numbers(
    row: Row,
    value: np.ndarray,
    other: np.ndarray,
    again: np.ndarray | None,
    moved: np.ndarray | None,
    step: int,
) -> None:
    wide = value.astype(np.float64)
    eps = float(np.finfo(value.dtype).eps) if value.dtype.kind == "f" else 0.0
    row.steps, row.floats = 1, value.dtype.kind == "f"
    top = float(np.nanmax(np.abs(wide)))
    spread = float(np.nanmax(wide) - np.nanmin(wide)) if wide.size > 1 else top
    if _largest(wide, again) > tolerance.SEEN * spread:
        row.steps, row.beyond = 0, 1  # It is another in every run: a time.
        return
    noise = [
        factor * _largest(wide, run)
        for factor, run in (
            (tolerance.RACES, again),
            (tolerance.AMPLIFIED, moved),
        )
    ]
    allowed = max(tolerance.ULPS * eps * top, *noise)
    far = _largest(wide, other)
    row.difference, row.at, row.allowed = far, step, allowed
    if far > allowed:
        what = f"difference {far:.3g}, allowed {allowed:.3g}"
        _fail(row, step, what, far / max(allowed, 1e-300))


def _largest(wide: np.ndarray, other: np.ndarray | None) -> float:
    if other is None or other.shape != wide.shape:
        return 0.0
    with np.errstate(invalid="ignore"):
        far = np.abs(wide - other.astype(np.float64))
    same = (np.isnan(wide) & np.isnan(other.astype(np.float64))) | (wide == other)
    return float(np.max(np.nan_to_num(np.where(same, 0.0, far), nan=np.inf)))


def _fail(row: Row, step: int, what: str, excess: float = float("inf")) -> None:
    row.first, row.what, row.excess = step, what, excess
