"""Functions of a program that return a module of tf.contrib, and what is used of it.

    def slim():
      from tensorflow.contrib import slim as tf_slim
      return tf_slim

Other files of the program say `contrib.slim().tfexample_decoder.Tensor`. In graph mode
the function returns a namespace that has the names which the program uses through it.
"""

from __future__ import annotations

import ast
import dataclasses
import pathlib
from collections.abc import Iterator, Mapping

from migrate.facts.scopes import Scopes, build_scopes
from migrate.fallback.homes import spell_public_module
from migrate.fallback.untaken import parse_as_tensorflow_1
from migrate.tables import symbols

_CONTRIB = "tf.contrib."


@dataclasses.dataclass(frozen=True)
class Getter:
    """A function at the top of a file.

    Attributes:
      file: the file's path, as parts without the suffix.
      name: the function's.
      symbol: the module that it returns.
    """

    file: tuple[str, ...]
    name: str
    symbol: str


@dataclasses.dataclass(frozen=True)
class Returned:
    """The functions of a program that return a module, and the names used of it.

    Attributes:
      getters: the functions.
      names: module -> names that are used of it, as "tfexample_decoder.Tensor".
    """

    getters: tuple[Getter, ...] = ()
    names: Mapping[str, frozenset[str]] = dataclasses.field(default_factory=dict)

    def find_uses(
        self, scopes: Scopes, file: pathlib.Path
    ) -> Iterator[tuple[ast.expr, str, str]]:
        """Expressions of a file, the name that each takes ("" if none shows), the module."""
        if not self.getters:
            return
        for node in scopes.walk():
            if not isinstance(node, ast.Call):
                continue
            symbol = self._find_called(node, scopes, _split_path(file))
            if symbol:
                whole, name = _follow_attributes(node, scopes)
                yield whole, name, symbol

    def _find_called(
        self, call: ast.Call, scopes: Scopes, file: tuple[str, ...]
    ) -> str:
        """The module that a call returns, "" if it calls another function."""
        path = scopes.import_path(call.func)
        if path:
            *module, name = path.strip(".").split(".")
        elif isinstance(call.func, ast.Name) and scopes.find_function(call.func):
            module, name = list(file), call.func.id
        else:
            return ""
        for getter in self.getters:
            ends = getter.file[-len(module) :] == tuple(module)
            if module and ends and getter.name == name:
                return getter.symbol
        return ""


def find_returned_modules(texts: Mapping[pathlib.Path, str]) -> Returned:
    """The functions of a program's files that return modules, with all that is used."""
    if not any("contrib" in text and "return" in text for text in texts.values()):
        return Returned()
    scopes = {
        path: build_scopes(parse_as_tensorflow_1(text)) for path, text in texts.items()
    }
    getters = tuple(
        Getter(_split_path(path), name, symbol)
        for path, one in scopes.items()
        if "contrib" in texts[path]
        for name, symbol in _find_getters(one)
    )
    known = Returned(getters)
    names: dict[str, set[str]] = {getter.symbol: set() for getter in getters}
    for path, one in scopes.items():
        for _, name, symbol in known.find_uses(one, path):
            names[symbol].add(name)
    return Returned(getters, {s: frozenset(found - {""}) for s, found in names.items()})


def find_getter(node: ast.expr, scopes: Scopes) -> str:
    """The function at the file's top that returns an expression, "" if none does."""
    above = scopes.parents.get(node)
    if not isinstance(above, ast.Return):
        return ""
    while above is not None and not isinstance(above, ast.FunctionDef):
        if isinstance(above, (ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            return ""
        above = scopes.parents.get(above)
    if above is None or not isinstance(scopes.parents.get(above), ast.Module):
        return ""
    return above.name


def _find_getters(scopes: Scopes) -> Iterator[tuple[str, str]]:
    for node, symbol in scopes.walk_uses():
        module = spell_public_module(symbol)
        if not module.startswith(_CONTRIB) or module not in symbols.list_modules():
            continue
        name = find_getter(node, scopes)
        if name:
            yield name, module


def _follow_attributes(call: ast.Call, scopes: Scopes) -> tuple[ast.expr, str]:
    """The longest expression that takes attributes of a call's result, and their names."""
    node: ast.expr = call
    names: list[str] = []
    parent = scopes.parents.get(node)
    while isinstance(parent, ast.Attribute):
        names.append(parent.attr)
        node, parent = parent, scopes.parents.get(parent)
    return node, ".".join(names)


def _split_path(path: pathlib.Path) -> tuple[str, ...]:
    return path.resolve().with_suffix("").parts
