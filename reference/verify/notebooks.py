"""A notebook as the program that its cells are, for a run that has no kernel."""

from __future__ import annotations

import ast
import json
import pathlib


def as_program(path: pathlib.Path) -> pathlib.Path:
    """Writes the code of a notebook's cells beside it, and gives that file.

    Raises:
      ValueError: it is no notebook, or has no Python in it.
    """
    program = code_of(path)
    try:
        if not ast.parse(program).body:
            raise ValueError(f"{path.name} has no code")
    except SyntaxError:
        if not program.strip():
            raise ValueError(f"{path.name} has no code") from None
    written = path.with_name(f"{path.stem}_ipynb.py")
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
    try:
        cells = json.loads(path.read_text())["cells"]
    except (json.JSONDecodeError, KeyError) as error:
        raise ValueError(f"{path.name} is no notebook") from error
    parts = []
    for cell in cells:
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
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"
