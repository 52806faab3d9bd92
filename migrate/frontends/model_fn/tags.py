"""Tags of summaries, and names of tensors, that TensorFlow 1's scopes were part of.

    with tf.name_scope("train"):
        tf.summary.scalar("accuracy", accuracy)    the tag is "train/accuracy"

A Keras model's step opens no scopes: the tag is written out. So is the number that a tag
got where a variable or a layer had its name: both were names in TensorFlow 1's graph, and
a Keras model's variables are not.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.model_fn.modes import NotSplit
from migrate.program.keras_units import Unit
from migrate.source.nodes import list_children, walk_breadth_first
from migrate.tables import keras_models as table

_IDENTITY = "tf.identity"
_SCOPES = ("tf.name_scope", "tf.variable_scope")


class Tags:
    """The names that one model_fn's summaries and named tensors had.

    Args:
      function: the model_fn.
    """

    def __init__(self, function: ast.FunctionDef, scopes: Scopes) -> None:
        self._function, self._scopes = function, scopes
        self._opened = self._find_openings()
        self._taken = self._find_variables_and_layers()

    def find_tags(self, units: Iterable[Unit]) -> dict[ast.AST, str]:
        """Names in the units of a training step -> what they were in TensorFlow 1's graph.

        Raises:
          NotSplit: a name or a scope around it is not written out.
        """
        found: dict[ast.AST, str] = {}
        for unit in units:
            if not isinstance(unit.statement, (ast.Expr, ast.Assign, ast.If)):
                continue
            given = [
                self._find_name(call)
                for call in walk_breadth_first(unit.statement)
                if isinstance(call, ast.Call)
            ]
            for name in given:
                if name is not None:
                    found |= self._find_whole(name, unit)
        return found

    def _find_whole(self, name: ast.expr, unit: Unit) -> dict[ast.AST, str]:
        """Maps a name to its whole one, if scopes or a number were part of it."""
        path = self._list_path([s for s in unit.around if isinstance(s, ast.With)])
        if not isinstance(name, ast.Constant) or not is_text(name):
            if path:
                raise NotSplit(name, "the name of a scope is not written out")
            return {}
        whole = self._number_tag("/".join([*path, str(name.value)]))
        return {} if whole == name.value else {name: whole}

    def _find_name(self, call: ast.Call) -> ast.expr | None:
        symbol = self._scopes.resolve(call.func) or ""
        place = 0 if symbol in table.SUMMARIES else 1
        if place and symbol != _IDENTITY:
            return None
        given = [k.value for k in call.keywords if k.arg == "name"]
        return next(iter([*given, *call.args[place : place + 1]]), None)

    def _number_tag(self, name: str) -> str:
        """Adds the number that a tag had after variables and layers of its name."""
        whole, number = name, 0
        while whole in self._taken:
            number += 1
            whole = f"{name}_{number}"
        if number:
            self._taken.add(whole)
        return whole

    def _list_path(
        self, around: list[ast.With], kinds: tuple[str, ...] = _SCOPES
    ) -> list[str]:
        return [
            self._opened[item]
            for statement in around
            for item in statement.items
            if self._find_kind(item) in kinds and self._is_written(item)
        ]

    def _is_written(self, item: ast.withitem) -> bool:
        if item not in self._opened:
            raise NotSplit(item.context_expr, "the name of a scope is not written out")
        return True

    def _find_kind(self, item: ast.withitem) -> str:
        call = item.context_expr
        found = self._scopes.resolve(call.func) if isinstance(call, ast.Call) else ""
        return found or ""

    def _find_openings(self) -> dict[ast.withitem, str]:
        """Scopes with a name that is written out; opened again they have a number."""
        found: dict[ast.withitem, str] = {}
        times: dict[tuple[str, ...], int] = {}

        def visit_node(node: ast.AST, path: tuple[str, ...]) -> None:
            if isinstance(node, (ast.For, ast.While, ast.FunctionDef, ast.Lambda)):
                if node is not self._function:
                    return
            if isinstance(node, ast.With):
                for item in node.items:
                    if self._find_kind(item) not in _SCOPES:
                        continue
                    name = find_name(item)
                    if not name:
                        return  # Nor is what is within it.
                    key = (*path, name)
                    number = times.get(key, 0)
                    times[key] = number + 1
                    found[item] = f"{name}_{number}" if number else name
                    path = (*path, found[item])
            for child in list_children(node):
                visit_node(child, path)

        visit_node(self._function, ())
        return found

    def _find_variables_and_layers(self) -> set[str]:
        """Finds the graph's names of variables and layers, if they are written out."""
        found = set()
        for call in walk_breadth_first(self._function):
            if not isinstance(call, ast.Call):
                continue
            symbol = self._scopes.resolve(call.func) or ""
            if symbol == "tf.get_variable":
                name = names.find_argument(call, "name", 0)
            elif symbol in table.LAYERS:
                given = [k.value for k in call.keywords if k.arg in ("name", "scope")]
                name = given[0] if given else None
            else:
                continue
            if isinstance(name, ast.Constant) and is_text(name):
                within = self._find_blocks_around(call)
                if all(
                    i in self._opened for w in within for i in self._find_named_items(w)
                ):
                    path = self._list_path(within, ("tf.variable_scope",))
                    if symbol == "tf.get_variable":  # Which scopes' numbers are not in.
                        path = [
                            find_name(i)
                            for w in within
                            for i in w.items
                            if self._find_kind(i) == "tf.variable_scope"
                        ]
                    found.add("/".join([*path, str(name.value)]))
        return found

    def _find_named_items(self, statement: ast.With) -> list[ast.withitem]:
        return [i for i in statement.items if self._find_kind(i) in _SCOPES]

    def _find_blocks_around(self, node: ast.AST) -> list[ast.With]:
        found: list[ast.With] = []
        outer = self._scopes.parents.get(node)
        while outer is not None and outer is not self._function:
            if isinstance(outer, ast.With):
                found.insert(0, outer)
            outer = self._scopes.parents.get(outer)
        return found


def find_name(item: ast.withitem) -> str:
    """Returns the name of a scope, if it is written out."""
    given = getattr(item.context_expr, "args", [])[:1]
    if not given or not is_text(given[0]):
        return ""
    return str(given[0].value)


def is_text(node: ast.AST) -> bool:
    """Whether an expression is a text that is written out."""
    return isinstance(node, ast.Constant) and isinstance(node.value, str)
