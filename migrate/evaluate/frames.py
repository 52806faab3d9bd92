"""Finds the names that a scope binds, and the scopes in which a name is looked up."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator

from migrate.evaluate.completions import Pending
from migrate.graph.values import Value
from migrate.source.nodes import list_children

Code = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


@dataclasses.dataclass(frozen=True)
class Names:
    """The names that a function binds, and those it declares global or nonlocal."""

    bound: frozenset[str]
    globals: frozenset[str]
    nonlocals: frozenset[str]
    yields: bool


def find_names(code: Code) -> Names:
    """The names of a function."""
    arguments = code.args
    bound = {
        a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    }
    bound |= {a.arg for a in (arguments.vararg, arguments.kwarg) if a is not None}
    global_names: set[str] = set()
    outer: set[str] = set()
    yields = False
    body = code.body if isinstance(code.body, list) else [code.body]
    for node in _walk_own_nodes(body):
        if isinstance(node, ast.Global):
            global_names.update(node.names)
        elif isinstance(node, ast.Nonlocal):
            outer.update(node.names)
        elif isinstance(node, (ast.Yield, ast.YieldFrom)):
            yields = True
        else:
            bound.update(_find_bindings(node))
    return Names(
        frozenset(bound - global_names - outer),
        frozenset(global_names),
        frozenset(outer),
        yields,
    )


def _walk_own_nodes(
    body: list[ast.AST] | list[ast.stmt] | list[ast.expr],
) -> Iterator[ast.AST]:
    """Yields the nodes of a body that are in no scope within it."""
    work: list[ast.AST] = list(body)
    while work:
        node = work.pop()
        yield node
        if isinstance(node, _SCOPES):
            continue
        if isinstance(node, _COMPREHENSIONS):
            work.append(node.generators[0].iter)
            continue
        work += list_children(node)


def _find_bindings(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
        yield node.id
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield node.name
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        for alias in node.names:
            yield alias.asname or alias.name.partition(".")[0]
    elif isinstance(node, ast.ExceptHandler) and node.name:
        yield node.name


@dataclasses.dataclass(eq=False)
class Frame:
    """One activation of a function, a module, a class's body or a comprehension.

    Attributes:
      number: its cells in the store are `(number, name)`.
      names: what it binds; None where any name that is assigned is its own.
      parent: the frame in which its code stands, whose names it sees.
      module: the frame of its module's globals.
      file: of the text.
      mark: the journal's length when it began.
      base: how many tests had been decided when it began.
      pending: sides of forks that have returned while others go on.
      owner: the class in whose body its function stands.
      receiver: the first argument, for `super()`.
      receiver_code: the number of its function's definition.
    """

    number: int
    names: Names | None
    parent: Frame | None
    module: Frame | None
    file: str
    mark: int = 0
    pending: list[Pending] = dataclasses.field(default_factory=list)
    base: int = 0
    owner: int = 0
    receiver: Value | None = None
    receiver_code: int = -1
    is_class: bool = False
    is_module: bool = False

    def find_home(self, name: str) -> Frame:
        """The frame whose cell an assignment to a name sets."""
        if self.names is None:
            return self
        if name in self.names.globals:
            return self.module or self
        if name in self.names.nonlocals:
            found = self.parent
            while found is not None and not _binds(found, name):
                found = found.parent
            return found or self
        return self

    def walk_chain(self, name: str) -> Iterator[Frame]:
        """The frames in which a name is looked for, the innermost first."""
        if self.names is not None and name in self.names.globals:
            if self.module is not None:
                yield self.module
            return
        frame: Frame | None = self
        first = True
        while frame is not None:
            # A class's names are seen in its own body alone.
            if first or not frame.is_class:
                if frame.names is None or name in frame.names.bound:
                    yield frame
            first = False
            frame = frame.parent
        if self.module is not None and self.module is not self:
            yield self.module


def _binds(frame: Frame, name: str) -> bool:
    return not frame.is_class and (frame.names is None or name in frame.names.bound)
