"""Imports the tool with wrong tables, or with tables that say which of their parts are read.

Both must happen before `migrate` is imported: other modules make tables of their own out of
these. So each has a process of its own, made by `os.fork`.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
import types
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

from tests.mutation import parts

_PREFIX = "migrate.tables."
Change = Callable[[str], tuple[ast.Module, dict[str, Any]]]


class _Loader(importlib.abc.Loader):
    def __init__(self, module: str, path: str, change: Change) -> None:
        self.module, self.path, self.change = module, path, change

    def create_module(self, spec: Any) -> None:
        return None

    def exec_module(self, module: types.ModuleType) -> None:
        tree, names = self.change(self.module)
        vars(module).update(names)
        code = compile(ast.fix_missing_locations(tree), self.path, "exec")
        exec(code, vars(module))


class _Finder(importlib.abc.MetaPathFinder):
    def __init__(self, changed: Collection[str], change: Change) -> None:
        self.changed, self.change = changed, change

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: Any = None
    ) -> importlib.machinery.ModuleSpec | None:
        module = name.removeprefix(_PREFIX)
        if module == name or module not in self.changed:
            return None
        file = str(parts.TABLES / f"{module}.py")
        return importlib.util.spec_from_file_location(
            name, file, loader=_Loader(module, file, self.change)
        )


def install(changed: Collection[str], change: Change) -> None:
    """From now on these tables are imported as `change` makes them."""
    loaded = [m for m in changed if _PREFIX + m in sys.modules]
    if loaded:
        raise RuntimeError(f"imported already: {loaded}")
    sys.meta_path.insert(0, _Finder(changed, change))


def forget_tool() -> None:
    """Makes the next import of the tool a first one."""
    for name in [*sys.modules]:
        if name == "migrate" or name.startswith("migrate."):
            del sys.modules[name]


# -- wrong tables -----------------------------------------------------------------------


def plant(names: Collection[str]) -> None:
    """From now on these parts of the tables are wrong."""

    def change(module: str) -> tuple[ast.Module, dict[str, Any]]:
        tree, found = parts.read_table(module)
        for part in found:
            if str(part) in names:
                parts.plant(part)
        return tree, {}

    install({name.partition(":")[0] for name in names}, change)


@contextlib.contextmanager
def exchange_table(name: str) -> Iterator[bool]:
    """Inside, whoever imports the table of a part gets it wrong; whether it can be imported."""
    module = name.partition(":")[0]
    before = importlib.import_module(_PREFIX + module)
    tree, found = parts.read_table(module)
    parts.plant(next(part for part in found if str(part) == name))
    made = types.ModuleType(before.__name__)
    package = importlib.import_module(_PREFIX.removesuffix("."))
    try:
        sys.modules[before.__name__] = made
        setattr(package, module, made)
        exec(compile(ast.fix_missing_locations(tree), name, "exec"), vars(made))
        works = True
    except Exception:
        works = False
    try:
        yield works
    finally:
        sys.modules[before.__name__] = before
        setattr(package, module, before)


# -- which parts are read ---------------------------------------------------------------

# Parts that were equal to a text that the tool looked at, or stand in what it says.
READ: set[str] = set()
# Parts that are wrong for now: they are equal to nothing, and are shown with an underscore.
WRONG: set[str] = set()


def _names_of(*values: object) -> frozenset[str]:
    return frozenset().union(*(v.names for v in values if isinstance(v, Text)))


class Text(str):
    """A text of a table. It notes when it is equal to another, as a key or in a comparison.

    It also notes when it becomes a part of another text.
    """

    names: frozenset[str]

    @property
    def now(self) -> str:
        """Returns the text; it is changed if one of its parts is to be wrong."""
        plain = str.__str__(self)
        return plain if WRONG.isdisjoint(self.names) else plain + "_"

    def __eq__(self, other: object) -> bool:
        if str.__eq__(self, other) is not True:
            return False
        READ.update(self.names)
        return WRONG.isdisjoint(self.names)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = str.__hash__

    def __str__(self) -> str:
        READ.update(self.names)
        return self.now

    def __format__(self, how: str) -> str:
        return format(str(self), how)

    def startswith(self, *given: Any) -> bool:
        return self._note(str.startswith(self, *given), self.now.startswith(*given))

    def endswith(self, *given: Any) -> bool:
        return self._note(str.endswith(self, *given), self.now.endswith(*given))

    def _note(self, before: bool, now: bool) -> bool:
        if before:
            READ.update(self.names)
        return now

    def __add__(self, other: str) -> Text:
        return make(str.__add__(self, other), _names_of(self, other))

    def __radd__(self, other: str) -> Text:
        return make(str.__add__(other, self), _names_of(self, other))

    def __getitem__(self, at: Any) -> Text:
        return make(str.__getitem__(self, at), self.names)


def _keep_names(method: str) -> Callable[..., Any]:
    """A method of texts, whose results are of the same parts."""
    plain = getattr(str, method)

    def kept(self: Text, *given: Any, **named: Any) -> Any:
        found = plain(self, *given, **named)
        names = self.names | _names_of(*given, *named.values())
        if isinstance(found, str):
            return make(found, names)
        return type(found)(make(p, names) for p in found)

    return kept


for _method in (
    *("split", "rsplit", "splitlines", "partition", "rpartition", "removeprefix"),
    *("removesuffix", "replace", "strip", "lstrip", "rstrip", "lower", "upper"),
    *("title", "capitalize", "format", "join"),
):
    setattr(Text, _method, _keep_names(_method))


def now(value: str) -> str:
    """A text as it is shown, where parts of tables may be wrong."""
    return str(value)


def make(value: str, names: frozenset[str]) -> Text:
    text = Text(value)
    text.names = names
    return text


class _Watch(ast.NodeTransformer):
    """Puts `Text` in the place of the parts that are texts."""

    def __init__(self, found: Sequence[parts.Part]) -> None:
        self.found: dict[int, list[parts.Part]] = {}
        for part in found:
            if isinstance(part.node, ast.Constant) and part.text:
                self.found.setdefault(id(part.node), []).append(part)

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        here = self.found.get(id(node))
        if not here or here[0].at >= 0:
            return node
        return ast.parse(f"_text_({node.value!r}, {str(here[0])!r})", mode="eval").body

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.expr:
        own = [str(p) for v in node.values for p in self.found.get(id(v), [])]
        used = [v.value for v in node.values if isinstance(v, ast.FormattedValue)]
        made = ast.parse(f"_joined_(0, {own!r})", mode="eval").body
        assert isinstance(made, ast.Call)
        made.args[0] = node
        made.args += used
        return made

    def visit_Call(self, node: ast.Call) -> ast.expr:
        if isinstance(node.func, ast.Attribute) and node.func.attr == "split":
            here = self.found.get(id(node.func.value))
            if here:
                pairs = [(p.text, str(p)) for p in here]
                return ast.parse(f"_words_({pairs!r})", mode="eval").body
        self.generic_visit(node)
        return node


def _text(value: str, name: str) -> Text:
    return make(value, frozenset({name}))


def _joined(value: str, own: Sequence[str], *used: object) -> Text:
    return make(value, frozenset(own) | _names_of(*used))


def _words(pairs: Sequence[tuple[str, str]]) -> list[Text]:
    return [_text(value, name) for value, name in pairs]


def watch() -> None:
    """From now on the tables note in `READ` which of their parts are read."""

    def change(module: str) -> tuple[ast.Module, dict[str, Any]]:
        tree, found = parts.read_table(module)
        watched = _Watch(found)
        # In functions too: they make rows of the texts that they are given.
        tree = watched.visit(tree)
        return tree, {"_text_": _text, "_joined_": _joined, "_words_": _words}

    install(parts.modules(), change)
