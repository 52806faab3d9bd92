"""Finds the iterators that a fetched initializer begins, and their datasets.

train_init = iterator.make_initializer(train)
sess.run(train_init)                             # iterator = iter(train)
"""

from __future__ import annotations

import ast
import dataclasses

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.sessions.iterators import Iterators
from migrate.program.binding_time import list_every_flow
from migrate.program.code import Code, join_code, make_code
from migrate.program.ir import Flow
from migrate.source.nodes import walk_breadth_first


@dataclasses.dataclass(frozen=True)
class Begin:
    """An iterator that begins anew.

    Attributes:
      iterator: its name.
      datasets: what it may go through from then on.
      choice: which of them, where there are several: an index or a key; `keys` are theirs.
    """

    iterator: str
    datasets: tuple[ast.expr, ...]
    choice: ast.expr | None = None
    keys: tuple[ast.expr | None, ...] = ()

    def write_choice(self, values: list[Code]) -> Code:
        """Writes the one value, or the choice among those of all datasets."""
        if self.choice is None:
            return values[0]
        if not self.keys:
            return make_code("[", join_code(", ", values), "][", self.choice, "]")
        pairs = [make_code(k, ": ", v) for k, v in zip(self.keys, values) if k]
        return make_code("{", join_code(", ", pairs), "}[", self.choice, "]")


class Unclear(Exception):
    """The tool does not know which iterators begin."""


class Begins:
    """Finds the iterators that initializers begin."""

    def __init__(self, scopes: Scopes, flows: list[Flow], inputs: Iterators) -> None:
        self._scopes = scopes
        self._inputs = inputs
        self._bound: dict[str, list[ast.expr | None]] = {}
        for flow in list_every_flow(flows):
            value = getattr(flow.statement, "value", None)
            inner = {
                n for suite in flow.suites.values() for f in suite for n in f.binds
            }
            for name in flow.binds - inner:
                self._bound.setdefault(name, []).append(value)

    def find(self, node: ast.expr, local: set[str]) -> list[Begin | None]:
        """Finds the iterators that `node` begins when run; None if it is of variables.

        Args:
          local: names that do not have the driver's values where `node` stands.

        Raises:
          Unclear: it may begin an iterator, but the tool does not know which.
        """
        if isinstance(node, (ast.List, ast.Tuple)):
            return [b for e in node.elts for b in self.find(e, local)]
        if isinstance(node, ast.Attribute) and node.attr == "initializer":
            name = names.find_key(node.value)
            if name in self._inputs.iterators:
                return [Begin(name or "", (self._inputs.iterators[name or ""],))]
        if isinstance(node, ast.Call):
            if self._scopes.resolve(node.func) == "tf.group":
                return [b for a in node.args for b in self.find(a, local)]
            begun = self._inputs.find_initializer(node)
            if begun is not None:
                return [Begin(begun[0], (begun[1],))]
            if isinstance(node.func, ast.Attribute) and (
                node.func.attr == "string_handle"
            ):
                raise Unclear
        if isinstance(node, ast.Subscript):
            chosen = self._find_chosen(node, local)
            if chosen is not None:
                return [chosen]
        name = names.find_key(node)
        if name is not None and name not in local:
            values = self._bound.get(name, [])
            if len(values) == 1 and isinstance(values[0], ast.expr):
                return self.find(values[0], local)
        if self._mentions(node, local, set()):
            raise Unclear
        return [None]

    def _find_chosen(self, node: ast.Subscript, local: set[str]) -> Begin | None:
        """`initializers[phase]`, of a display of one iterator's initializers."""
        display: ast.expr | None = node.value
        name = names.find_key(node.value)
        if name is not None:
            values = self._bound.get(name, [])
            if name in local or len(values) != 1:
                return None
            display = values[0]
        if isinstance(display, ast.Dict):
            if None in display.keys:
                return None
            elements, keys = display.values, tuple(display.keys)
        elif isinstance(display, (ast.List, ast.Tuple)):
            elements, keys = display.elts, ()
        else:
            return None
        begins = [begin for element in elements for begin in self.find(element, local)]
        iterators = {begin.iterator if begin else None for begin in begins}
        if len(begins) != len(elements) or len(iterators) != 1 or None in iterators:
            return None
        datasets = [d for b in begins if b is not None for d in b.datasets]
        if len(datasets) != len(begins):
            return None
        iterator = next(iter(iterators)) or ""
        chosen = names.read_literal(node.slice)
        known = [names.read_literal(k) for k in keys if k] or list(range(len(datasets)))
        if chosen is not None and known.count(chosen) == 1:
            return Begin(iterator, (datasets[known.index(chosen)],))
        return Begin(iterator, tuple(datasets), node.slice, keys)

    def _mentions(self, node: ast.expr, local: set[str], seen: set[str]) -> bool:
        """Whether an iterator's initializer may be what `node` gives."""
        for part in walk_breadth_first(node):
            if isinstance(part, ast.Attribute) and part.attr == "initializer":
                if names.find_key(part.value) in self._inputs.iterators:
                    return True
            if isinstance(part, ast.Call) and self._inputs.find_initializer(part):
                return True
            name = names.find_key(part) if isinstance(part, ast.expr) else None
            if name is None or name in seen:
                continue
            if name in local:
                return bool(self._inputs.iterators)
            seen.add(name)
            for value in self._bound.get(name, []):
                if value is not None and self._mentions(value, local, seen):
                    return True
        return False
