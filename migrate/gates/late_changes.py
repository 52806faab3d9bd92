"""Finds values that steps read, and that the program changes after the graph is built.

TF1 reads Python's names once, when the graph is built. A step function reads them when it
is traced, at its first call. In between, `scale = 3.0`, `for w in ...`, `self.rate = ...`
or `sizes.append(...)` would give the step another value, without an error.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from migrate.facts.aliases import find_held
from migrate.facts.scopes import Scope, Scopes
from migrate.gates.callees import Callees
from migrate.source.nodes import walk_breadth_first
from migrate.tables import host_effects as table

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_CALLED_LATER = (*_FUNCTIONS, ast.Lambda)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_STATEMENTS = (ast.stmt, ast.ExceptHandler)


def find_late_changes(old: Scopes, new: Scopes) -> Iterator[tuple[str, int, str]]:
    """Yields the changed name, the original's line that changes it, and the reading step."""
    written = {n.name for n in old.walk() if isinstance(n, _FUNCTIONS)}
    steps = [
        node
        for node in new.walk()
        if isinstance(node, _FUNCTIONS)
        and node.decorator_list
        and node.name not in written
    ]
    if not steps:
        return
    changes, before, seen = _Changes(new), _Changes(old), set()
    for step in steps:
        for spelled, at in _Step(changes, step).find_changed():
            inside = changes.is_in_function(at)
            lines = {
                n: before.find_last_line(n, inside) for n in find_originals(spelled)
            }
            name = next((n for n in lines if lines[n]), "")
            if name and name not in seen and not before.is_read_when_called(name):
                seen.add(name)
                yield name, lines[name], step.name


def find_originals(name: str) -> list[str]:
    """Returns possible old names: for `model_scale_2` also `scale`, once `self.scale`."""
    words = re.sub(r"_\d+$", "", name).split("_")
    return [name, *("_".join(words[i:]) for i in range(len(words)))]


def _find_parts(value: ast.expr) -> set[str]:
    """Returns the name of the object that shares its parts with the value."""
    if isinstance(value, ast.Name):
        return {value.id}
    if isinstance(value, ast.Subscript):
        return find_held(value, entries=False)
    return set()


def find_line(node: ast.AST) -> int:
    return getattr(node, "lineno", 0)


class _Changes:
    """The bindings, assignments, changes in place and uses of a module, by last name."""

    def __init__(self, scopes: Scopes) -> None:
        self.scopes = scopes
        self.callees = Callees(scopes)
        self.attributes: dict[str, list[ast.AST]] = {}
        self.contents: dict[str, list[ast.Name]] = {}
        # Other names of the same object.
        self._others: dict[str, set[str]] = {}
        self.uses: dict[str, list[ast.Name | ast.Attribute]] = {}
        for node in scopes.walk():
            if isinstance(node, ast.Name):
                self.uses.setdefault(node.id, []).append(node)
            elif isinstance(node, ast.Attribute):
                self.uses.setdefault(node.attr, []).append(node)
            if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
                self.attributes.setdefault(node.attr, []).append(node)
            elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
                self._note_change(node.value)
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                if node.func.attr in table.CHANGING_METHODS:
                    self._note_change(node.func.value)
                if node.func.attr in table.CHANGING_FUNCTIONS:
                    for given in node.args:
                        self._note_change(given)
            elif isinstance(node, ast.Assign):
                for held in _find_parts(node.value):
                    for target in node.targets:
                        if isinstance(target, ast.Name):
                            self._others.setdefault(held, set()).add(target.id)

    def _note_change(self, changed: ast.expr) -> None:
        if isinstance(changed, ast.Attribute):
            self.attributes.setdefault(changed.attr, []).append(changed)
        elif isinstance(changed, ast.Name) and not self.callees.find_path(changed):
            self.contents.setdefault(changed.id, []).append(changed)

    def find_changed_contents(self, name: ast.Name, owner: Scope) -> Iterator[ast.Name]:
        """Yields the places that change the object of a name in place, by any of its names."""
        for spelled in {name.id} | self._others.get(name.id, set()):
            for at in self.contents.get(spelled, ()):
                if self.scopes.find_scope(at).find_owner(spelled) is owner:
                    yield at

    def find_last_line(self, name: str, in_function: bool) -> int:
        """Returns the last line that binds or changes an object with the name; 0 if none does.

        Args:
          in_function: whether to prefer a line in a function, if there is one.
        """
        found = [*self.attributes.get(name, ()), *self.contents.get(name, ())]
        for scope in self.scopes.scope_by_node.values():
            found += (
                b for b in scope.bindings.get(name, ()) if not isinstance(b, ast.Global)
            )
        found = [node for node in found if not isinstance(node, ast.arg)]
        inside = [node for node in found if in_function and self.is_in_function(node)]
        return max(map(find_line, inside or found), default=0)

    def is_in_function(self, node: ast.AST) -> bool:
        return isinstance(self.scopes.find_scope(node).node, _FUNCTIONS)

    def is_read_when_called(self, name: str) -> bool:
        """Whether only functions read it that are passed on uncalled, as a model_fn is.

        Each call of such a function builds a graph from the values of that moment.
        """
        reads = [n for n in self.uses.get(name, ()) if isinstance(n.ctx, ast.Load)]
        return bool(reads) and all(self._is_in_given(node) for node in reads)

    def _is_in_given(self, node: ast.AST) -> bool:
        scope: Scope | None = self.scopes.find_scope(node)
        while scope is not None:
            if isinstance(scope.node, _FUNCTIONS) and any(
                isinstance(use.ctx, ast.Load) and not self._is_called(use)
                for use in self.uses.get(scope.node.name, ())
            ):
                return True
            scope = scope.parent
        return False

    def _is_called(self, use: ast.expr) -> bool:
        above = self.scopes.parents[use]
        return isinstance(above, ast.Call) and above.func is use

    def find_bindings(self, owner: Scope, name: str) -> Iterator[ast.AST]:
        """Yields all bindings of a name of a scope, also by `global` and `nonlocal`."""
        for at in owner.bindings[name]:
            if not isinstance(at, ast.Global):
                yield at
        for scope in self.scopes.scope_by_node.values():
            if name in scope.outer_names and name in scope.bindings:
                if scope.parent is not None and scope.parent.find_owner(name) is owner:
                    yield from scope.bindings[name]


class _Step:
    """A function that the migration wrote, and all code that runs when it is traced."""

    def __init__(self, changes: _Changes, step: _Function) -> None:
        self._changes, self._step = changes, step
        self._scopes = changes.scopes
        self._home = self._scopes.find_scope(step).node
        self._called: set[ast.AST] = set()
        self._uses = changes.uses.get(step.name, [])

    def find_changed(self) -> Iterator[tuple[str, ast.AST]]:
        yield from self._find_late_changes(self._step)

    def _find_late_changes(self, function: ast.AST) -> Iterator[tuple[str, ast.AST]]:
        if function in self._called:
            return
        self._called.add(function)
        for node in walk_breadth_first(function):
            if isinstance(node, ast.Call):
                for callee in self._changes.callees.find_called_functions(node.func):
                    yield from self._find_late_changes(callee)
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
                if not self._changes.callees.find_path(node):
                    for at in self._changes.attributes.get(node.attr, ()):
                        if self._is_late(at):
                            yield node.attr, at
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                yield from self._find_name_changes(node)

    def _find_name_changes(self, node: ast.Name) -> Iterator[tuple[str, ast.AST]]:
        owner = self._scopes.find_scope(node).find_owner(node.id)
        if owner is None or self._is_traced(owner.node):
            return
        bindings = list(self._changes.find_bindings(owner, node.id))
        late = [at for at in bindings if self._is_late(at)]
        if len(late) < len(bindings):  # Otherwise it was never bound before.
            changed = self._changes.find_changed_contents(node, owner)
            late += [at for at in changed if self._is_late(at)]
            yield from ((node.id, at) for at in late)

    def _is_late(self, at: ast.AST) -> bool:
        """Whether a statement may run after the step is defined, and before it is traced."""
        if isinstance(at, ast.arg) or self._is_traced(at):
            return False
        home = self._scopes.find_scope(at).node
        if isinstance(home, _FUNCTIONS) and home is not self._home:
            return home.name != "__init__"
        end = self._step.end_lineno or self._step.lineno
        return find_line(at) > end and any(
            self._is_after(use, at) for use in self._uses
        )

    def _is_after(self, use: ast.AST, at: ast.AST) -> bool:
        """Whether a use of the step may come after a change in the same function."""
        changes, around = set(self._walk_outwards(at)), set(self._walk_outwards(use))
        if any(isinstance(node, _CALLED_LATER) for node in around):
            return True
        if any(isinstance(node, _LOOPS) for node in changes & around - {at}):
            return True
        statement = next(
            n for n in self._walk_outwards(at) if isinstance(n, _STATEMENTS)
        )
        if (
            statement in around
        ):  # `w = step()` binds later; `for w in w: step()` does not.
            return not around.isdisjoint(getattr(statement, "body", ()))
        return find_line(use) >= find_line(statement)

    def _walk_outwards(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yields the node and the nodes around it, up to the definition of the step."""
        at: ast.AST | None = node
        while at is not None and at is not self._home:
            yield at
            at = self._scopes.parents.get(at)

    def _is_traced(self, node: ast.AST) -> bool:
        at: ast.AST | None = node
        while at is not None:
            if at is self._step or at in self._called:
                return True
            at = self._scopes.parents.get(at)
        return False
