"""Finds the Python objects that a program changes by the task's index.

    FLAGS.is_chief = FLAGS.task_index == 0

In TensorFlow 1 each task had such an object of its own. The migrated loops of all workers share
the coordinator's.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Callable, Iterable, Iterator, Set

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.source.nodes import walk_breadth_first

_CHANGING = frozenset(
    {"add", "append", "extend", "insert", "put", "setdefault", "update"}
)
_ASSIGNMENTS = (ast.Assign, ast.AugAssign, ast.AnnAssign)


@dataclasses.dataclass(frozen=True)
class Change:
    """A change of an object.

    Attributes:
      root: the object's name.
      attribute: what is changed, such as "FLAGS.is_chief"; "" if it is an element.
      key: the element's key, if it is written there; otherwise None.
      parts: the values and conditions that decide the change.
    """

    root: str
    attribute: str
    key: object
    parts: tuple[ast.expr, ...]


class TaskObjects:
    """Finds what loops read of objects that differ between tasks.

    Args:
      asks: whether code depends on the index, given names that do.
      driver: the function that opens the session, or the module.
      index: the task's index, as "FLAGS.task_index".
    """

    def __init__(
        self,
        scopes: Scopes,
        asks: Callable[[Iterable[ast.stmt | ast.expr], set[str]], bool],
        driver: ast.FunctionDef | ast.Module,
        index: str,
    ) -> None:
        self._scopes = scopes
        self._asks = asks
        self._driver = driver
        self._index = index

    def find_read(
        self, loop: Iterable[ast.AST], own: Set[str], tainted: set[str]
    ) -> ast.expr | None:
        """Finds a part of a loop that reads what the program changed by the index.

        Args:
          loop: its statements, and the functions that they call.
          own: the names that each loop binds for itself.
          tainted: names that depend on the index.
        """
        changed = [
            change
            for change in self._list_changes()
            if change.root not in own and self._asks(change.parts, tainted)
        ]
        if not changed:
            return None
        return next(
            (
                node
                for part in loop
                for node in walk_breadth_first(part)
                if isinstance(node, (ast.Name, ast.Attribute))
                and isinstance(node.ctx, ast.Load)
                and any(self._reads(node, change) for change in changed)
            ),
            None,
        )

    def _reads(self, node: ast.Name | ast.Attribute, change: Change) -> bool:
        """Whether an expression reads what a change changed."""
        key = names.find_key(node)
        if change.attribute:
            return key == change.attribute
        outer = self._scopes.parents.get(node)
        if isinstance(outer, ast.Subscript) and outer.value is node:
            read = names.read_literal(outer.slice)
            if None not in (read, change.key) and read != change.key:
                return False
            if isinstance(outer.ctx, ast.Store):
                return False
        return key == change.root

    def _list_changes(self) -> Iterator[Change]:
        """Lists the changes of objects that the module or the driver binds."""
        for node in self._scopes.walk():
            if isinstance(node, _ASSIGNMENTS) and node.value is not None:
                targets = (
                    node.targets if isinstance(node, ast.Assign) else [node.target]
                )
                for target in targets:
                    yield from self._read_target(target, node.value)
            elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
                yield from self._read_call(node.value)

    def _read_target(self, target: ast.expr, value: ast.expr) -> Iterator[Change]:
        if isinstance(target, ast.Attribute):
            name = names.find_key(target) or ""
            yield from self._make(target.value, name, None, target, (value,))
        elif isinstance(target, ast.Subscript):
            key = names.read_literal(target.slice)
            parts = (value, target.slice)
            yield from self._make(target.value, "", key, target, parts)

    def _read_call(self, call: ast.Call) -> Iterator[Change]:
        values = (*call.args, *[k.value for k in call.keywords])
        if isinstance(call.func, ast.Attribute) and call.func.attr in _CHANGING:
            yield from self._make(call.func.value, "", None, call, values)
        elif isinstance(call.func, ast.Name) and call.func.id == "setattr":
            if len(call.args) == 3:
                root = names.find_key(call.args[0])
                name = names.read_literal(call.args[1])
                attribute = f"{root}.{name}"
                yield from self._make(call.args[0], attribute, None, call, values)

    def _make(
        self,
        root: ast.expr,
        attribute: str,
        key: object,
        node: ast.expr,
        parts: tuple[ast.expr, ...],
    ) -> Iterator[Change]:
        """Makes a change of an object that more than one function may see."""
        name = names.find_key(root)
        first = root.value if isinstance(root, ast.Attribute) else root
        if name is None or not isinstance(first, ast.Name) or attribute == self._index:
            return
        owner = self._scopes.find_scope(first).find_owner(first.id)
        if owner is not None and owner.node not in (self._scopes.tree, self._driver):
            return  # Another function's own.
        for outer in self._scopes.walk_above(node):
            if isinstance(outer, (ast.FunctionDef, ast.ClassDef)):
                break
            if isinstance(outer, (ast.If, ast.While)):
                parts = (*parts, outer.test)
        yield Change(name, attribute, key, parts)
