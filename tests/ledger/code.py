"""The digest of the code that a test runs: the definitions that it reaches by name.

Only modules of the tests and of `reference` count. What the compiler writes is part of
the launch, so a change of the compiler that writes the same text changes no key.
Comments, docstrings and the parametrization are left out; the test's own parameters are
added by value. Of a table with text keys only the entries count that the parameters name.
"""

from __future__ import annotations

import ast
import dataclasses
import enum
import functools
import hashlib
import importlib.util
import inspect
import io
import pathlib
import tokenize
import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from reference import parsing

ROOT = pathlib.Path(__file__).parents[2]
_PACKAGES = ("tests", "reference")


@dataclasses.dataclass(frozen=True)
class _Module:
    """Top-level names of a module: their statements, or where they are imported from."""

    name: str
    source: str
    tree: ast.Module
    defined: dict[str, list[ast.stmt]]
    imported: dict[str, tuple[str, str]]
    always: list[ast.stmt]


def _is_own(name: str) -> bool:
    return name.partition(".")[0] in _PACKAGES


@functools.cache
def _path_of(name: str) -> pathlib.Path | None:
    base = ROOT.joinpath(*name.split("."))
    for path in (base.with_suffix(".py"), base / "__init__.py"):
        if path.is_file():
            return path
    return None


@functools.cache
def _module(name: str) -> _Module | None:
    path = _path_of(name)
    if path is None:
        return None
    source = path.read_text("utf-8")
    tree = parsing.parse(source)
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    defined: dict[str, list[ast.stmt]] = {}
    imported: dict[str, tuple[str, str]] = {}
    always: list[ast.stmt] = []
    for node in tree.body:
        if isinstance(node, ast.Import):
            for alias in node.names:
                bound = alias.asname or alias.name.partition(".")[0]
                imported[bound] = (alias.name if alias.asname else bound, "")
        elif isinstance(node, ast.ImportFrom):
            origin = node.module or ""
            if node.level:
                origin = importlib.util.resolve_name("." * node.level + origin, package)
            for alias in node.names:
                imported[alias.asname or alias.name] = (origin, alias.name)
        else:
            names = set(_bound(node))
            for bound in names:
                defined.setdefault(bound, []).append(node)
            docstring = isinstance(node, ast.Expr) and isinstance(
                node.value, ast.Constant
            )
            if not names and not docstring:
                always.append(node)
    return _Module(name, source, tree, defined, imported, always)


def _bound(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield node.name
        return
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
            yield inner.id


def _names(node: ast.AST) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Names that are read, with the attributes taken of them."""
    if isinstance(node, ast.Attribute):
        chain: list[str] = []
        inner: ast.expr = node
        while isinstance(inner, ast.Attribute):
            chain.append(inner.attr)
            inner = inner.value
        if isinstance(inner, ast.Name):
            yield inner.id, tuple(reversed(chain))
            return
        yield from _names(inner)
        return
    if isinstance(node, ast.Name):
        yield node.id, ()
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return
    for child in ast.iter_child_nodes(node):
        yield from _names(child)


def _parametrizes(node: ast.expr) -> bool:
    return any(
        isinstance(part, ast.Attribute) and part.attr == "parametrize"
        for part in ast.walk(node)
    )


@functools.cache
def _without_comments(source: str) -> list[str]:
    """The lines of a module, comments and docstrings blanked."""
    lines = source.splitlines()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column]
    for node in ast.walk(parsing.parse(source)):
        body = getattr(node, "body", None)
        if (
            isinstance(body, list)
            and body
            and isinstance(body[0], ast.Expr)
            and isinstance(body[0].value, ast.Constant)
            and isinstance(body[0].value.value, str)
        ):
            for row in range(body[0].lineno, (body[0].end_lineno or 0) + 1):
                lines[row - 1] = ""
    return lines


class _Slice:
    """The definitions that are reached from some others."""

    def __init__(self, keys: Iterable[str]) -> None:
        self.keys = set(keys)
        self._seen: set[tuple[str, str]] = set()
        self.texts: set[str] = set()

    def reach(self, module: str, name: str) -> None:
        """Adds a definition of a module, and what it names."""
        if (module, name) in self._seen or not _is_own(module):
            return
        self._seen.add((module, name))
        found = _module(module)
        if found is None:
            return
        for node in found.always:
            self._add(found, node)
        if name in found.imported:
            self._import(*found.imported[name], ())
        for node in found.defined.get(name, ()):
            self._add(found, node)

    def whole(self, module: str) -> None:
        """Adds all of a module."""
        found = _module(module)
        if found is not None and (module, "*") not in self._seen:
            self._seen.add((module, "*"))
            for name in (*found.defined, *found.imported):
                self.reach(module, name)

    def _import(self, origin: str, name: str, attributes: tuple[str, ...]) -> None:
        if not _is_own(origin):
            return
        if name:  # from origin import name: a definition, or a module.
            inner = f"{origin}.{name}"
            if _path_of(inner) is not None and not self._defines(origin, name):
                origin = inner
            else:
                self.reach(origin, name)
                return
        while attributes and _path_of(f"{origin}.{attributes[0]}") is not None:
            origin, attributes = f"{origin}.{attributes[0]}", attributes[1:]
        if attributes:
            self.reach(origin, attributes[0])
        else:
            self.whole(origin)

    @staticmethod
    def _defines(module: str, name: str) -> bool:
        found = _module(module)
        return found is not None and name in {*found.defined, *found.imported}

    def _add(self, module: _Module, node: ast.stmt) -> None:
        parts: list[ast.AST] = [node]
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            kept = [d for d in node.decorator_list if not _parametrizes(d)]
            parts = [*kept, node.args, *node.body]
            parts += [node.returns] if node.returns else []
            self._text(module, node, node.lineno)
        elif (entries := _entries(node)) is not None and entries.keys() & self.keys:
            # A table by name: the named entries, and those that these name in turn.
            parts = []
            work = sorted(entries.keys() & self.keys)
            done: set[str] = set()
            while work:
                key = work.pop()
                if key in done:
                    continue
                done.add(key)
                parts.append(entries[key])
                self.texts.add(f"{key}: {_source(module, entries[key])}")
                for inner in ast.walk(entries[key]):
                    if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
                        self.keys.add(inner.value)
                        if inner.value in entries:
                            work.append(inner.value)
        else:
            self._text(module, node, node.lineno)
        for part in parts:
            for name, attributes in _names(part):
                if name in module.imported:
                    self._import(*module.imported[name], attributes)
                elif name in module.defined:
                    self.reach(module.name, name)

    def _text(self, module: _Module, node: ast.stmt, first: int) -> None:
        lines = _without_comments(module.source)[first - 1 : node.end_lineno]
        self.texts.add("\n".join(line.rstrip() for line in lines if line.strip()))


def _source(module: _Module, node: ast.expr) -> str:
    return " ".join((ast.get_source_segment(module.source, node) or "").split())


def _entries(node: ast.stmt) -> dict[str, ast.expr] | None:
    """The entries of a table with text keys that is assigned to a name."""
    if not isinstance(node, (ast.Assign, ast.AnnAssign)):
        return None
    if not isinstance(node.value, ast.Dict):
        return None
    found = {}
    for key, value in zip(node.value.keys, node.value.values):
        if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
            return None
        found[key.value] = value
    return found


@dataclasses.dataclass(frozen=True)
class Code:
    """The code that a test runs.

    Attributes:
      digest: of the definitions that it reaches.
      names: texts of its parameters, and of the table entries that these name: it uses
        no other entries of tables and recordings.
    """

    digest: str
    names: frozenset[str]


def code_of(functions: Iterable[Callable[..., Any]], parameters: Iterable[Any]) -> Code:
    """Returns the code that functions of the tests run with some parameters."""
    values = list(parameters)
    found = _Slice(_texts(values))
    for function in functions:
        function = inspect.unwrap(function)
        found.reach(function.__module__, function.__qualname__.partition(".")[0])
    for kind in sorted(_classes(values), key=lambda k: k.__qualname__):
        found.reach(kind.__module__, kind.__qualname__.partition(".")[0])
    whole = hashlib.sha256()
    for text in sorted(found.texts):
        whole.update(text.encode())
        whole.update(b"\0")
    return Code(whole.hexdigest(), frozenset(found.keys))


def texts_of(module: str, name: str) -> set[str]:
    """The definitions of the tests and of `reference` that a definition reaches."""
    found = _Slice([])
    found.reach(module, name)
    return found.texts


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, pathlib.PurePath):
        yield value.stem
    elif isinstance(getattr(value, "name", None), str):
        yield value.name
    elif isinstance(value, (list, tuple, set, frozenset)):
        for inner in value:
            yield from _texts(inner)


def _classes(value: Any) -> set[type]:
    found: set[type] = set()
    if isinstance(value, (list, tuple, set, frozenset)):
        for inner in value:
            found |= _classes(inner)
    elif isinstance(value, dict):
        found |= _classes(list(value.values()))
    elif isinstance(value, types.FunctionType):
        return found
    elif _is_own(type(value).__module__):
        found.add(type(value))
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            for field in dataclasses.fields(value):
                found |= _classes(getattr(value, field.name))
    return found


def _joined(texts: Iterable[str]) -> str:
    return "(" + ", ".join(texts) + ")"


def describe(value: Any) -> str:
    """A parameter's value as text that is the same in every process."""
    if isinstance(value, enum.Enum):
        return f"{type(value).__name__}.{value.name}"
    if isinstance(value, types.ModuleType):
        return value.__name__  # Not where it lies.
    if isinstance(value, type) or isinstance(value, types.FunctionType):
        if isinstance(value, types.FunctionType) and _is_own(value.__module__):
            return f"{value.__qualname__} {code_of([value], []).digest}"
        return f"{value.__module__}.{value.__qualname__}"
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = ", ".join(
            f"{field.name}={describe(getattr(value, field.name))}"
            for field in dataclasses.fields(value)
        )
        return f"{type(value).__name__}({fields})"
    if isinstance(value, pathlib.PurePath):
        path = pathlib.PurePath(value)
        if path.is_relative_to(ROOT):
            return path.relative_to(ROOT).as_posix()
        return path.name
    if isinstance(value, dict):
        return _joined(
            f"{describe(key)}: {describe(inner)}" for key, inner in value.items()
        )
    if isinstance(value, (list, tuple)):
        return _joined(map(describe, value))
    if isinstance(value, (set, frozenset)):
        return _joined(sorted(map(describe, value)))
    if isinstance(value, functools.partial):
        return describe((value.func, value.args, value.keywords))
    text = repr(value)
    return f"{type(value).__qualname__}" if " at 0x" in text else text
