"""IPython's own syntax in a cell: hidden from the compiler, put back exactly after.

Every masked line stays one line, is Python, and binds what it bound:

    %matplotlib inline        pass  # tf1to2 magic: %matplotlib inline
    files = !ls               files = input()  # tf1to2 magic: files = !ls
    %time train(5)            train(5)  # tf1to2 prefix: [%time ]

`input()` because its value is unknown to any analysis, as the shell's is. The
statement behind %time and its kind is the user's program, so the compiler sees it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from migrate.source.lines import find_logical_starts

_MAGIC = "# tf1to2 magic: "
_PREFIX = "# tf1to2 prefix: "

_LINE = re.compile(r"\s*(?:%{1,2}\w|!|\?{1,2}\s*[%*.\w])")
_HELP = re.compile(r"\s*[%\w.*]+\s*\?{1,2}\s*$")
_ASSIGNED = re.compile(r"(\s*)(\w[\w\s,.\[\]]*?)\s*=\s*[!%]")
# Line magics that run the statement behind them, with their options.
_RUNS = re.compile(
    r"(\s*)(%(?:time|timeit|prun|memit)(?:\s+-\w+(?:\s+\d+)?)*\s+)(\S.*)$"
)
# Cell magics whose body is Python that runs in the notebook's own namespace.
_PYTHON_CELLS = frozenset({"%%time", "%%timeit", "%%capture", "%%prun", "%%memit"})
_CAPTURE = re.compile(r"\s*%%capture\s+(?:-\S+\s+)*([A-Za-z_]\w*)\s*$")
# No effect in Python 3, but a syntax error anywhere except in the first cell.
_FUTURE = re.compile(r"\s*from\s+__future__\s+import\s+(?!.*\bannotations\b)[\w\s,]+$")

_MASKED = re.compile(rf"(\s*)(?:pass|.* = input\(\))  {re.escape(_MAGIC)}(.*)$")
_PREFIXED = re.compile(rf"(\s*)(.*?)  {re.escape(_PREFIX)}\[(.*)\]$")


def write_binding(targets: str) -> str:
    """A line that binds names to what no analysis can know."""
    return f"{targets} = input()  {_MAGIC}"


def is_of_notebook(statement: ast.stmt) -> bool:
    """Whether a statement binds what every notebook has."""
    return isinstance(statement, ast.Assign) and any(
        isinstance(target, ast.Name) and target.id == "get_ipython"
        for target in statement.targets
    )


class MagicLost(ValueError):
    """A masked line cannot be put back."""


def is_foreign_cell(source: str) -> bool:
    """Whether the whole cell is for another interpreter (%%bash, %%writefile)."""
    head = source.lstrip().split(None, 1)[:1]
    return bool(head) and head[0].startswith("%%") and head[0] not in _PYTHON_CELLS


def is_behind(line: str) -> bool:
    """Whether a masked line is a magic, or Python behind one."""
    return _MAGIC in line or _PREFIX in line


def mask_source(source: str) -> str:
    """The cell as Python, line for line."""
    lines = source.split("\n")
    if is_foreign_cell(source):
        return "\n".join(f"pass  {_MAGIC}{line}" for line in lines)
    masked = []
    behind_magic = False
    for line, start in zip(lines, find_logical_starts(lines, _is_magic), strict=True):
        indent = line[: len(line) - len(line.lstrip())]
        assigned = _ASSIGNED.match(line)
        if start and assigned and not _runs_to_next(line):
            masked.append(
                f"{indent}{assigned[2]} = input()  {_MAGIC}{line[len(indent) :]}"
            )
        elif start and _is_magic(line):
            masked.append(_mask_line(line, indent))
            behind_magic = _runs_to_next(line)
            continue
        elif behind_magic:
            masked.append(f"pass  {_MAGIC}{line}")
            behind_magic = _runs_to_next(line)
            continue
        elif start and _FUTURE.match(line):
            masked.append(f"{indent}pass  {_MAGIC}{line[len(indent) :]}")
        else:
            masked.append(line)
        behind_magic = False
    return "\n".join(masked)


def _runs_to_next(line: str) -> bool:
    return line.endswith("\\")


def _is_magic(line: str) -> bool:
    return bool(_LINE.match(line) or _HELP.match(line) or _ASSIGNED.match(line))


def _mask_line(line: str, indent: str) -> str:
    runs = _RUNS.match(line)
    if runs and _is_statement(runs[3]):
        return f"{indent}{runs[3]}  {_PREFIX}[{runs[2]}]"
    capture = _CAPTURE.match(line)
    bound = f"{capture[1]} = input()" if capture else "pass"
    return f"{indent}{bound}  {_MAGIC}{line[len(indent) :]}"


def _is_statement(text: str) -> bool:
    """Whether a text is Python by itself; a comment in it would hide our own."""
    try:
        return bool(ast.parse(text.strip()).body) and "#" not in text
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def unmask(source: str) -> str:
    """The cell as IPython reads it.

    Raises:
      MagicLost: the statement behind a %time has become several lines.
    """
    lines = []
    for line in source.split("\n"):
        prefixed = _PREFIXED.match(line)
        masked = _MASKED.match(line)
        if masked:
            line = masked[1] + masked[2]
        elif prefixed:
            if not _is_statement(prefixed[2]):
                raise MagicLost(f"{prefixed[3].strip()} cannot stand before the result")
            line = prefixed[1] + prefixed[3] + prefixed[2]
        lines.append(line)
    return "\n".join(lines)


def find_marks(source: str) -> Iterator[str]:
    """Yields the marks of the hidden parts of a masked text, in order."""
    for line in source.split("\n"):
        found = _MASKED.match(line) or _PREFIXED.match(line)
        if found:
            yield line[line.rindex("# tf1to2 ") :]
