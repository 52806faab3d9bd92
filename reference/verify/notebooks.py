"""A notebook as the program that its cells are, for a run that has no kernel."""

from __future__ import annotations

import json
import pathlib
import re
from collections.abc import Iterator

from reference import parsing


def as_program(path: pathlib.Path) -> pathlib.Path:
    """Writes the code of a notebook's cells beside it, and gives that file.

    Raises:
      ValueError: it is no notebook, or has no Python in it.
    """
    program = code_of(path)
    try:
        if not parsing.parse(program).body:
            raise ValueError(f"{path.name} has no code")
    except SyntaxError:
        if not program.strip():
            raise ValueError(f"{path.name} has no code") from None
    written = path.with_name(_name_of(path))
    written.write_text(program)
    return written


def code_of(path: pathlib.Path) -> str:
    """The text of a program: of a notebook the code of its cells, in their order.

    What only a kernel understands, a cell's magic or a shell command, is left out.

    Raises:
      ValueError: it is no notebook.
    """
    if path.suffix != ".ipynb":
        return path.read_text(errors="replace")
    return "\n\n".join(text for _, text in _code_cells(path)) + "\n"


def name_cells(text: str, *notebooks: pathlib.Path) -> str:
    """Places in the programs of notebooks, named by cell and line as their readers count.

    Args:
      text: with places as "name_ipynb.py:13".
    """
    for path in notebooks:
        if path.suffix == ".ipynb":
            written = re.escape(_name_of(path))
            text = re.sub(
                rf"{written}:(\d+)",
                lambda found, path=path: _place(path, int(found[1])),  # type: ignore[misc]
                text,
            )
    return text


def _place(path: pathlib.Path, line: int) -> str:
    for cell, text in _code_cells(path):
        count = text.count("\n") + 1
        if line <= count:
            return f"{path.name}, cell {cell}, line {line}"
        line -= count + 1  # One is empty between two cells.
    return path.name


def _name_of(path: pathlib.Path) -> str:
    return f"{path.stem}_ipynb.py"


def _code_cells(path: pathlib.Path) -> Iterator[tuple[int, str]]:
    """The numbers of cells of code, from 1 and text cells too, and what runs of each."""
    try:
        cells = json.loads(path.read_text())["cells"]
    except (json.JSONDecodeError, KeyError) as error:
        raise ValueError(f"{path.name} is no notebook") from error
    for number, cell in enumerate(cells, 1):
        if cell.get("cell_type") != "code":
            continue
        source = cell.get("source", "")
        text = source if isinstance(source, str) else "".join(source)
        if text.lstrip().startswith("%%"):
            continue
        lines = [
            "" if line.lstrip().startswith(("%", "!")) else line
            for line in text.splitlines()
        ]
        yield number, "\n".join(lines)
