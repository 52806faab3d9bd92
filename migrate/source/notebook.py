"""Notebooks: all code cells as one module, and back into the cells that changed."""

from __future__ import annotations

import dataclasses
import json
import re
from typing import Any

_MARK = "# %% tf1to2 cell "
_MASK = "pass  # tf1to2 masked: "
_MAGIC = re.compile(r"^\s*(%|!|\?)|\?\s*$")
_ASSIGNED = re.compile(r"^(\s*)([\w, .\[\]]+?)\s*=\s*([!%].*)$")


class NotebookChanged(ValueError):
    """The migrated module cannot be cut back into cells."""


@dataclasses.dataclass(frozen=True)
class Notebook:
    """A notebook's JSON text and the module its code cells form.

    Attributes:
      raw: the file's text.
      module: code cells joined; each begins with a marker comment.
      cells: indices of the code cells, in order.
    """

    raw: str
    module: str
    cells: tuple[int, ...]


def _cell_list(data: dict[str, Any]) -> list[dict[str, Any]]:
    if "cells" in data:
        return list(data["cells"])
    return [cell for sheet in data.get("worksheets", ()) for cell in sheet["cells"]]


def _source(cell: dict[str, Any]) -> str:
    source = cell.get("source", cell.get("input", ""))
    return "".join(source) if isinstance(source, list) else source


def _mask(source: str) -> str:
    """Magics and shell lines as statements that parse and are put back later."""
    if source.lstrip().startswith("%%"):
        head = source.lstrip().split(None, 1)[0]
        if head not in ("%%time", "%%timeit", "%%capture", "%%prun"):
            return "\n".join(_MASK + line for line in source.split("\n"))
    masked = []
    for line in source.split("\n"):
        indent = line[: len(line) - len(line.lstrip())]
        assigned = _ASSIGNED.match(line)
        if assigned:
            masked.append(f"{indent}{assigned[2]} = None  # tf1to2 assigned: {line}")
        elif _MAGIC.search(line) and not line.lstrip().startswith("#"):
            masked.append(f"{indent}{_MASK}{line}")
        else:
            masked.append(line)
    return "\n".join(masked)


def _unmask(source: str) -> str:
    lines = []
    for line in source.split("\n"):
        for marker in (_MASK, "# tf1to2 assigned: "):
            if marker in line:
                line = line.split(marker, 1)[1]
                break
        lines.append(line)
    return "\n".join(lines)


def read(text: str) -> Notebook:
    """Reads nbformat 3 or 4.

    Raises:
      ValueError: not a notebook.
    """
    data = json.loads(text)
    if not isinstance(data, dict) or not ("cells" in data or "worksheets" in data):
        raise ValueError("not a Jupyter notebook")
    parts, indices = [], []
    for index, cell in enumerate(_cell_list(data)):
        if cell.get("cell_type") == "code":
            parts.append(f"{_MARK}{index}\n{_mask(_source(cell))}\n")
            indices.append(index)
    return Notebook(text, "\n".join(parts), tuple(indices))


def cell_of(module: str, line: int) -> tuple[int, int]:
    """The cell index and the line in it, of a module's line (1-based)."""
    cell, start = 0, 0
    for number, text in enumerate(module.split("\n")[:line], 1):
        if text.startswith(_MARK):
            cell, start = int(text[len(_MARK) :]), number
    return cell, max(1, line - start)


def write(notebook: Notebook, module: str) -> str:
    """The notebook's text with changed cells replaced; all else byte for byte.

    Raises:
      NotebookChanged: code was moved across cells.
    """
    pieces = re.split(rf"^\s*{re.escape(_MARK)}(\d+)\n", module, flags=re.M)
    found = [int(n) for n in pieces[1::2]]
    if tuple(found) != notebook.cells:
        raise NotebookChanged(
            "the program spans several cells that would have to be joined; put the "
            "program into one cell"
        )
    lead = pieces[0].strip("\n")
    old = re.split(rf"^{re.escape(_MARK)}\d+\n", notebook.module, flags=re.M)[1:]
    raw = notebook.raw
    data = json.loads(raw)
    cells = _cell_list(data)
    changed = False
    for position, (index, before, after) in enumerate(zip(found, old, pieces[2::2])):
        new = _unmask(after.rstrip("\n"))
        if position == 0 and lead:
            new = f"{lead}\n{new}"
        if new == _unmask(before.rstrip("\n")):
            continue
        cell = cells[index]
        field = "source" if "source" in cell else "input"
        cell[field] = (
            new.splitlines(keepends=True) if isinstance(cell[field], list) else new
        )
        if "outputs" in cell:
            cell["outputs"] = []
        for count in ("execution_count", "prompt_number"):
            if count in cell:
                cell[count] = None
        changed = True
    if not changed:
        return raw
    return _like(raw, data)


def _like(raw: str, data: dict[str, Any]) -> str:
    """JSON in the style of the original: indentation, escapes, final newline."""
    match = re.match(r"\{\r?\n( +|\t+)", raw)
    indent: int | str | None = None
    if match:
        indent = "\t" if match[1].startswith("\t") else len(match[1])
    ascii_only = raw.isascii() and "\\u" in raw
    separators = None if match else ((", ", ": ") if '": ' in raw else (",", ":"))
    text = json.dumps(data, indent=indent, ensure_ascii=ascii_only, separators=separators)
    return text + ("\n" if raw.endswith("\n") else "")
