"""Every part of the tables: each key, name, word, number and reason that a table says.

A table is a module of `migrate/tables`. Its rows are what the collections at its top level
hold; a part is a constant in one. A part has a name that says where it stands:

    unsupported: UNSUPPORTED / tf.train.shuffle_batch / 0

A mutant has one part wrong: a name, a word or a reason gets an underscore, a number is one
more, a truth is its opposite. A wrong key takes the row away. Values that are not constants
(names of other tables, of messages) are exchanged with the neighbour's.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import pathlib
from collections.abc import Iterator

import migrate.tables

TABLES = pathlib.Path(migrate.tables.__file__).parent
# Module -> why its parts are not planted here.
ELSEWHERE = {
    "calls": "`tests/mutation/calls.py` plants into its rows",
    "kept_names": "its rows are `kept_names.tsv`, compared with TensorFlow's own",
    "lost_numpy": "its rows are compared with three versions of NumPy: "
    "`tests/migrate/rules/test_lost_numpy.py`",
    "lost_python": "its rows are compared with two versions of Python: "
    "`tests/migrate/rules/test_lost_python.py`",
    "private_names": "its rows are `private_names.tsv`, compared with TensorFlow's own",
    "signatures": "its rows are `signatures.tsv`, compared with TensorFlow's own",
    "symbols": "its rows are `symbols.tsv`, compared with TensorFlow's own",
}
_WRAPPERS = ("frozenset", "set", "tuple", "dict", "list")
_SHOWN = 60


@dataclasses.dataclass(frozen=True)
class Part:
    """One part of a table.

    Attributes:
      name: what it is called, without the module.
      row: the name of the row that it is of.
      node: the constant, or the dict whose values are exchanged.
      at: which word of a text that is split; which value of a dict; -1 for all of it.
    """

    module: str
    name: str
    row: str
    node: ast.expr
    at: int = -1

    def __str__(self) -> str:
        return f"{self.module}: {self.name}"

    @property
    def text(self) -> str:
        """The part's text, "" if it is no text."""
        value = getattr(self.node, "value", None)
        if not isinstance(value, str):
            return ""
        return value if self.at < 0 else value.split()[self.at]


def _label(node: ast.expr, place: int) -> str:
    """Returns the label of a collection's item: its text, or its first name."""
    while isinstance(node, (ast.Call, ast.Tuple)):
        items = node.args if isinstance(node, ast.Call) else node.elts
        if not items:
            break
        node = items[0]
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value[:_SHOWN]
    if isinstance(node, (ast.Name, ast.Attribute)):
        return ast.unparse(node)
    return str(place)


def _is_split(node: ast.expr) -> bool:
    """Whether it is `"some words".split()`."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "split"
        and isinstance(node.func.value, ast.Constant)
    )


def _is_value(node: ast.expr) -> bool:
    return not any(isinstance(n, ast.Constant) for n in ast.walk(node))


@dataclasses.dataclass
class _Reader:
    module: str
    found: list[Part] = dataclasses.field(default_factory=list)

    def add(self, node: ast.expr, path: tuple[str, ...], at: int = -1) -> None:
        # The row is the variable's item; a variable without items is its own.
        self.found.append(
            Part(self.module, " / ".join(path), " / ".join(path[:2]), node, at)
        )

    def read(self, node: ast.expr, path: tuple[str, ...]) -> None:
        if isinstance(node, ast.Constant):
            if node.value is not None:
                self.add(node, path)
        elif isinstance(node, ast.Dict):
            self._read_dict(node, path)
        elif isinstance(node, (ast.Set, ast.List, ast.Tuple)):
            for place, item in enumerate(node.elts):
                self.read(item, (*path, _label(item, place)))
        elif isinstance(node, ast.Call):
            self._read_call(node, path)
        else:
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.comprehension):
                    self.read(child.iter, path)
                elif isinstance(child, ast.expr):
                    self.read(child, path)

    def _read_dict(self, node: ast.Dict, path: tuple[str, ...]) -> None:
        for place, (key, value) in enumerate(zip(node.keys, node.values)):
            if key is None:
                self.read(value, path)
                continue
            label = ast.unparse(key)[:_SHOWN].strip("'")
            self.read(key, (*path, label))
            self.read(value, (*path, label, "="))
            last = node.values[place - 1] if place else value
            if _is_value(value) and ast.dump(last) != ast.dump(value):
                self.add(node, (*path, label, "exchanged"), place)

    def _read_call(self, node: ast.Call, path: tuple[str, ...]) -> None:
        if _is_split(node):
            text = node.func.value  # type: ignore[attr-defined]
            for at, word in enumerate(text.value.split()):
                self.add(text, (*path, word), at)
            return
        wraps = isinstance(node.func, ast.Name) and node.func.id in _WRAPPERS
        if isinstance(node.func, ast.Attribute):
            self.read(node.func.value, path)
        for place, item in enumerate(node.args):
            self.read(item, path if wraps else (*path, str(place)))
        for keyword in node.keywords:
            self.read(keyword.value, (*path, keyword.arg or "**"))


def _name_apart(parts: list[Part]) -> Iterator[Part]:
    """Parts of the same name get a number."""
    seen: dict[str, int] = {}
    for part in parts:
        seen[part.name] = seen.get(part.name, 0) + 1
        count = seen[part.name]
        name = part.name if count == 1 else f"{part.name} #{count}"
        yield dataclasses.replace(part, name=" ".join(name.split()))


def read_table(module: str) -> tuple[ast.Module, list[Part]]:
    """A table's tree, and the parts in it."""
    tree = ast.parse((TABLES / f"{module}.py").read_text("utf-8"))
    reader = _Reader(module)
    for statement in tree.body:
        if isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
            targets = (
                statement.targets
                if isinstance(statement, ast.Assign)
                else [statement.target]
            )
            if statement.value is not None:
                reader.read(statement.value, (ast.unparse(targets[0]),))
    return tree, list(_name_apart(reader.found))


def modules() -> list[str]:
    """All tables whose parts are planted."""
    names = (path.stem for path in sorted(TABLES.glob("*.py")))
    return [n for n in names if n != "__init__" and n not in ELSEWHERE]


@functools.cache
def all_parts() -> dict[str, Part]:
    """Every part by its whole name."""
    return {str(p): p for module in modules() for p in read_table(module)[1]}


def plant(part: Part) -> None:
    """Makes a part wrong, in the tree that it was read from."""
    if isinstance(part.node, ast.Dict):
        values = part.node.values
        values[part.at - 1], values[part.at] = values[part.at], values[part.at - 1]
        return
    assert isinstance(part.node, ast.Constant)
    value = part.node.value
    if isinstance(value, bool):
        part.node.value = not value
    elif isinstance(value, (int, float)):
        part.node.value = value + 1
    elif isinstance(value, str) and part.at >= 0:
        words = value.split()
        words[part.at] += "_"
        part.node.value = " ".join(words)
    elif isinstance(value, str):
        part.node.value = value + "_"
    else:
        raise TypeError(f"{part}: {value!r}")
