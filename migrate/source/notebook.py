"""Notebooks: all code cells as one module, and back into the cells that changed.

The cells are joined because names flow between them. A marker comment begins each
one, so the result can be cut again. The file's JSON is never written anew: only the
slices that spell a changed cell's source, outputs and count are replaced in it.
"""

from __future__ import annotations

import ast
import dataclasses
import json
import re
import warnings
from collections.abc import Callable, Iterator, Mapping

from migrate.findings import Finding, Outcome, rename_lines
from migrate.source import displays, hidden, joined, magics, python
from migrate.source.nodes import find_plain_names
from migrate.source.spans import Span, parse

_MARK = "# %% tf1to2 cell "
_CUT = re.compile(rf"^{re.escape(_MARK)}(\d+)\n", re.M)
_ANY_MARK = re.compile(rf"^[ \t]*{re.escape(_MARK)}(\d+)\n", re.M)
_JOINED = "# This cell's code is in cell {} now: the program needs it in one place."
# Names that IPython binds before the first cell, bound for the gates' sake. The line is
# there only where one of them is used, and never reaches the notebook.
_BOUND = re.compile(r"\b(?:get_ipython|display|In|Out|_{1,3}|exit|quit)\b")
_PRELUDE = magics.write_binding("get_ipython = display = In = Out = _ = __ = ___")
_PRELUDE_LINE = re.compile(rf"^[ \t]*{re.escape(_PRELUDE)}[ \t]*\n", re.M)
_IMPORT = re.compile(r"^\s*(?:import|from)\s+tensorflow\b", re.M)


class NotebookChanged(ValueError):
    """The migrated module cannot be cut back into cells."""


@dataclasses.dataclass(frozen=True)
class Cell:
    """A code cell.

    Attributes:
      index: 0-based, among all cells of the notebook.
      line: 1-based line of its marker in the module.
      source: what the user wrote.
      masked: the same lines as Python; empty if it is another interpreter's.
      place: the cell's object in the file's text.
    """

    index: int
    line: int
    source: str
    masked: str
    place: Span = dataclasses.field(repr=False)

    @property
    def has_output(self) -> bool:
        return bool(_list_items(self.place.get("outputs")))

    @property
    def shown(self) -> ast.expr | None:
        """The expression whose value it displays, if that is not None."""
        statements = _parse_cell(self.masked)
        if not statements or self.source.rstrip().endswith(";"):
            return None
        last = statements[-1]
        behind_magic = magics.is_behind(self.masked.split("\n")[last.lineno - 1])
        return last.value if isinstance(last, ast.Expr) and not behind_magic else None

    @property
    def shows(self) -> bool:
        """Whether it displays a value by ending in its name (a call may do so, too)."""
        return self.shown is not None and not isinstance(
            self.shown, (ast.Call, ast.Await, ast.Constant)
        )


@dataclasses.dataclass(frozen=True)
class Notebook:
    """A notebook's JSON text and the module its code cells form."""

    raw: str
    module: str
    cells: tuple[Cell, ...]

    @property
    def imports_tensorflow(self) -> bool:
        """Whether its own code does, and not a magic."""
        return bool(_IMPORT.search(self.module))

    def locate(self, line: int) -> tuple[int, int]:
        """The cell's index and the line in it, of a line of the module (1-based)."""
        found = self.cells[0]
        for cell in self.cells:
            if cell.line > line:
                break
            found = cell
        return found.index, max(1, line - found.line)

    def locate_finding(self, finding: Finding) -> Finding:
        """The finding with its place in the notebook, not in the module.

        So are the other lines that it names.
        """
        cell, line = self.locate(finding.line)

        def name_cell(named: int) -> str:
            other, there = self.locate(named)
            where = f"cell {other + 1}, " if other != cell else ""
            return f"{where}line {there}"

        return dataclasses.replace(
            finding,
            line=line,
            cell=cell,
            reason=rename_lines(finding.reason, name_cell),
            recipe=rename_lines(finding.recipe, name_cell),
        )


def read(text: str) -> Notebook:
    """Reads nbformat 3 or 4; a notebook in another language has no cells for us.

    Raises:
      ValueError: not a notebook.
    """
    root = parse(text)
    lists = [root.get("cells")]
    lists += [sheet.get("cells") for sheet in _list_items(root.get("worksheets"))]
    if root.get("cells") is None and root.get("worksheets") is None:
        raise ValueError("not a Jupyter notebook")
    if _find_language(root) not in ("", "python", "ipython"):
        return Notebook(text, "", ())
    places = [place for cells in lists for place in _list_items(cells)]
    sources = {
        index: _read_text(_find_source(place))
        for index, place in enumerate(places)
        if _read_text(place.get("cell_type")) == "code"
    }
    module = ""
    if any(_BOUND.search(source) for source in sources.values()):
        module = f"{_PRELUDE}\n"
    line = module.count("\n") + 1
    cells = []
    parts = [module]
    for index, source in sources.items():
        # Another interpreter's cell binds nothing here: only its place is to be known.
        foreign = magics.is_foreign_cell(source)
        masked = "" if foreign else magics.mask_source(source)
        cells.append(Cell(index, line, source, masked, places[index]))
        parts.append(f"{_MARK}{index}\n" + ("" if foreign else f"{masked}\n"))
        line += parts[-1].count("\n")
    return Notebook(text, "".join(parts), tuple(cells))


def check_cells(notebook: Notebook) -> None:
    """Every cell is Python by itself.

    Raises:
      python.Unreadable: which one is not; its finding names cell and line.
    """
    for cell in notebook.cells:
        try:
            python.check_syntax(cell.masked)
        except python.Unreadable as error:
            place = dataclasses.replace(error.finding, cell=cell.index)
            raise python.Unreadable(place) from None


def find_hidden(notebook: Notebook, migrated: bool) -> Iterator[Finding]:
    """TensorFlow 1 in what only IPython sees: nothing is silent.

    Args:
      migrated: the notebook's own code has become TensorFlow 2's.
    """
    for cell in notebook.cells:
        for place in hidden.find_places(cell.source):
            if place.new is not None and migrated:
                yield Finding(
                    place.line,
                    1,
                    "E008",
                    Outcome.REWRITTEN,
                    "",
                    "this line now installs what the migrated notebook needs. "
                    "Check the versions of other packages that were chosen for "
                    "TensorFlow 1",
                    cell=cell.index,
                )
                continue
            yield Finding(
                place.line,
                1,
                "E007",
                Outcome.REFUSED,
                "",
                "TensorFlow 1 in a magic, which is not migrated",
                "Change the line after you have resolved the notebook's other refusals."
                if place.new is not None
                else "Change or delete the line. Migrate another program as a file of its "
                "own.",
                cell.index,
            )


def _list_items(span: Span | None) -> list[Span]:
    return span.items if span is not None else []


def _read_text(span: Span | None) -> str:
    """A string, or the lines of an array of strings."""
    if span is None:
        return ""
    if isinstance(span.value, str):
        return span.value
    return "".join(e.value for e in span.items if isinstance(e.value, str))


def _find_source(cell: Span) -> Span | None:
    return cell.get("source") or cell.get("input")


def _find_language(root: Span) -> str:
    metadata = root.get("metadata")
    for key, name in (("kernelspec", "language"), ("language_info", "name")):
        found = metadata.get(key) if metadata else None
        language = _read_text(found.get(name)) if found else ""
        if language:
            return language.lower()
    return ""


@dataclasses.dataclass(frozen=True)
class Written:
    """A migrated notebook.

    Attributes:
      text: its JSON.
      joined: index of every cell whose code now stands in another -> that one's index.
      displays: cells whose last value a call of `display` shows now.
    """

    text: str
    joined: dict[int, int]
    displays: frozenset[int] = frozenset()


def write(
    notebook: Notebook, module: str, treated: Callable[[str], str] = str
) -> Written:
    """The notebook's text with changed cells replaced; all else as it was.

    Where code has moved across cells, these become one: the first of them that is
    left at the module's own level holds the code, the others a comment that says so.
    Outputs and execution counts of changed cells are cleared: they are of the old
    program.

    Args:
      module: the migrated module.
      treated: changes what only IPython sees in a cell.

    Raises:
      NotebookChanged: a magic got lost or moved, or no cell can stand by itself.
    """
    module = _PRELUDE_LINE.sub("", module)  # Wherever the compiler has moved it.
    if list(magics.find_marks(module)) != list(
        magics.find_marks(_PRELUDE_LINE.sub("", notebook.module))
    ):
        raise NotebookChanged("the result would lose or move one of the cells' magics")
    module = joined.raise_marks(module, _is_mark)
    pieces, moved = _split_pieces(notebook, module)
    module, shown = _show_values(notebook, module, moved)
    if shown:
        pieces, moved = _split_pieces(notebook, module)
    bodies = [piece.removesuffix("\n") for piece in pieces[2::2]]
    try:
        _place_magics(notebook, bodies, moved)
    except joined.CannotJoin as error:
        raise NotebookChanged(f"{error}; put the program into one cell") from None
    lead = pieces[0].strip("\n")
    if lead:
        _insert(lead, bodies)
    edits: list[tuple[Span, str]] = []
    style = _Style(notebook.raw)
    for cell, body in zip(notebook.cells, bodies, strict=True):
        end = cell.masked[len(cell.masked.rstrip("\n")) :]
        if cell.index in moved:
            body, end = _JOINED.format(moved[cell.index] + 1), ""
        new = body.rstrip("\n") + end
        if new == cell.masked:
            source = cell.source  # So is that of another interpreter's cell.
        else:
            if not cell.masked.startswith("\n"):
                new = new.lstrip("\n")
            try:
                source = magics.unmask(new)
            except magics.MagicLost as error:
                raise NotebookChanged(f"cell {cell.index + 1}: {error}") from None
        source = _copy_newlines(cell.source, treated(source))
        if source != cell.source:
            edits += _edit_cell(cell.place, source, style)
    text = notebook.raw
    for span, replacement in sorted(edits, key=lambda e: e[0].start, reverse=True):
        text = text[: span.start] + replacement + text[span.end :]
    return Written(text, moved, shown)


def _show_values(
    notebook: Notebook, module: str, moved: dict[int, int]
) -> tuple[str, frozenset[int]]:
    """The module in which `display` shows what joined cells displayed; these cells."""
    marks = [
        (line, int(match[1]))
        for line, text in enumerate(module.split("\n"), 1)
        if (match := _ANY_MARK.fullmatch(f"{text}\n"))
    ]
    changed = {*moved, *moved.values()}
    cells = [cell for cell in notebook.cells if cell.index in changed]
    shown = {c.index: value for c in cells if (value := c.shown) is not None}
    return (
        displays.show_values(module, marks, shown, moved)
        if shown
        else (module, frozenset())
    )


def _copy_newlines(old: str, new: str) -> str:
    """The new source, its lines ended as those of the old one where these are alike."""
    ends = old.count("\n")
    if ends and old.count("\r\n") == ends:
        return re.sub(r"\r?\n", "\r\n", new)
    return new


def _is_mark(line: str) -> bool:
    return bool(_ANY_MARK.fullmatch(f"{line}\n"))


def _place_magics(notebook: Notebook, bodies: list[str], moved: dict[int, int]) -> None:
    """Cell magics stand first again, and no cell that is not Python gets code."""
    place = {cell.index: i for i, cell in enumerate(notebook.cells)}
    grown = set(moved.values())
    for cell in notebook.cells:
        if not cell.source.lstrip().startswith("%%"):
            continue
        at = place[moved.get(cell.index, cell.index)]
        if magics.is_foreign_cell(cell.source):
            if cell.index not in moved and bodies[at].strip("\n"):
                raise joined.CannotJoin(
                    f"cell {cell.index + 1} is not Python and would get code"
                )
        elif bodies[at] != cell.masked.removesuffix("\n"):
            head = cell.source.lstrip().split("\n", 1)[0]
            shared = cell.index in moved or cell.index in grown
            bodies[at] = joined.move_head_first(bodies[at], head, shared)


def _split_pieces(notebook: Notebook, module: str) -> tuple[list[str], dict[int, int]]:
    """`_CUT`'s pieces of the module, one per cell, and which cells were joined."""
    order = [int(n) for n in _ANY_MARK.findall(module)]
    calls = {
        cell.index: joined.spell_as_call(cell.source)
        for cell in notebook.cells
        if magics.is_foreign_cell(cell.source)
    }
    kept: list[int] = []
    for index in (int(n) for n in _CUT.findall(module)):
        if not kept or index > kept[-1]:
            kept.append(index)
    while True:
        pieces = _CUT.split(
            _ANY_MARK.sub(lambda m: _choose_mark(m, kept, calls), module)
        )
        bodies = dict(zip(map(int, pieces[1::2]), pieces[2::2], strict=True))
        broken = [
            index
            for index, body in bodies.items()
            if _parse_cell(body) is None and index != kept[-1]
        ]
        if not broken:
            break
        kept.remove(kept[kept.index(broken[0]) + 1])
    if bodies and _parse_cell(bodies[kept[-1]]) is None:
        raise NotebookChanged(
            f"what became of cell {kept[-1] + 1} cannot be run by itself; put the program "
            "into one cell"
        )
    lost = [c.index for c in notebook.cells if c.index not in order]
    if lost or not kept:
        raise NotebookChanged(
            "a cell's place in the result is not known; put the program into one cell"
        )
    moved: dict[int, int] = {}
    for index in order:
        if index not in kept:
            before = [k for k in order[: order.index(index)] if k in kept]
            moved[index] = before[-1] if before else kept[0]
    parts = [pieces[0]]
    for cell in notebook.cells:
        parts += [str(cell.index), bodies.get(cell.index, "")]
    return parts, moved


def _choose_mark(
    match: re.Match[str], kept: list[int], calls: Mapping[int, str]
) -> str:
    """A mark that stays; of another, the call that the cell becomes, if it is one."""
    index = int(match[1])
    if match[0].startswith(_MARK) and index in kept:
        return match[0]
    if index in calls:
        indent = match[0][: len(match[0]) - len(match[0].lstrip())]
        return f"{indent}{calls[index]}\n"
    return ""


def _insert(lead: str, bodies: list[str]) -> None:
    """Puts new imports in the first cell that imports TensorFlow, or uses their names.

    They go below TensorFlow's; else above the cell's first import or use, so that a cell
    magic or Colab's `#@title` stays first.
    """
    names = {
        a.asname or a.name.split(".")[0]
        for s in _parse_cell(lead) or ()
        for a in _list_aliases(s)
    }
    for position, body in enumerate(bodies):
        statements = _parse_cell(body) or []
        used = {name for s in statements for name in find_plain_names(s)}
        imports = [s for s in statements if isinstance(s, (ast.Import, ast.ImportFrom))]
        if used & names or any(map(_is_tensorflow, imports)):
            lines = body.split("\n")
            reading = [s for s in statements if names & find_plain_names(s)]
            first = min([*imports[:1], *reading[:1]], key=lambda s: s.lineno)
            place = first.lineno - 1
            above = next(filter(_is_tensorflow, imports), None)
            if above is not None and not any(s.lineno <= above.lineno for s in reading):
                if not any(
                    s.lineno == above.lineno for s in statements if s is not above
                ):
                    place = above.end_lineno or above.lineno
            lines[place:place] = lead.split("\n")
            bodies[position] = "\n".join(lines)
            return
    raise NotebookChanged("no cell can hold the imports that the result needs")


def _parse_cell(body: str) -> list[ast.stmt] | None:
    """A cell's statements; None if what became of it is no Python."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(body).body
    except SyntaxError:
        return None


def _list_aliases(statement: ast.stmt) -> list[ast.alias]:
    return (
        statement.names if isinstance(statement, (ast.Import, ast.ImportFrom)) else []
    )


def _is_tensorflow(statement: ast.Import | ast.ImportFrom) -> bool:
    module = statement.module if isinstance(statement, ast.ImportFrom) else None
    names = [module or ""] if module else [alias.name for alias in statement.names]
    return any(name.split(".")[0] == "tensorflow" for name in names)


def _edit_cell(cell: Span, source: str, style: _Style) -> Iterator[tuple[Span, str]]:
    place = _find_source(cell)
    assert place is not None  # The cell has a source: it was read.
    yield place, style.write_source(place, source)
    outputs = cell.get("outputs")
    if outputs is not None and outputs.items:
        yield outputs, "[]"
    for key in ("execution_count", "prompt_number"):
        count = cell.get(key)
        if count is not None:
            yield count, "null"


class _Style:
    """A file's spelling of JSON strings and arrays."""

    def __init__(self, raw: str) -> None:
        self._raw = raw
        self._ascii = raw.isascii() and "\\u" in raw

    def write_source(self, place: Span, source: str) -> str:
        """A source, as a string or an array of lines as it was before."""
        if isinstance(place.value, str):
            return self._write_string(source)
        lines = source.split("\n")
        lines = [f"{line}\n" for line in lines[:-1]] + [lines[-1]] * bool(lines[-1])
        old = place.items
        # Unchanged lines keep their own spelling of what JSON can spell in two ways.
        known = {e.value: self._raw[e.start : e.end] for e in old}
        spelled = [known.get(line) or self._write_string(line) for line in lines]
        if not spelled:
            return "[]"
        if not old:
            return f"[{', '.join(spelled)}]"
        before = self._raw[place.start : old[0].start]
        after = self._raw[old[-1].end : place.end]
        between = "," + before[1:]
        if len(old) > 1:
            between = self._raw[old[0].end : old[1].start]
        elif between == ",":
            between = ", "
        return before + between.join(spelled) + after

    def _write_string(self, text: str) -> str:
        return json.dumps(text, ensure_ascii=self._ascii)
