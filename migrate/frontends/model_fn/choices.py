"""Follows a program's choice between several model_fns for one Estimator.

def run(model_fn, steps):                       model_fn = cnn_fn if FLAGS.cnn else dnn_fn
    estimator = tf.estimator.Estimator(         MODELS = {"cnn": cnn_fn, "dnn": dnn_fn}
        model_fn=model_fn)                      estimator = tf.estimator.Estimator(
                                                    MODELS[FLAGS.model])
run(cnn_fn, 100)

A search takes one option at each choice, and starts again for the next option.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence

from migrate.facts import names
from migrate.facts.scopes import Scope, Scopes
from migrate.frontends.model_fn.modes import NotSplit, is_none

# More combinations of options than any program has.
_MOST = 64
# Methods of a dictionary that tell of its keys alone.
_OF_KEYS = frozenset({"keys", "__len__", "__contains__"})
_PLAIN = frozenset({"len", "sorted", "list", "set", "tuple", "str"})


class Choices:
    """The options that a search takes, and those that are left."""

    def __init__(self) -> None:
        self._way: list[int] = []
        self._options: list[int] = []
        self._ways = 1

    def choose_option(self, options: Sequence[ast.expr]) -> ast.expr:
        """Returns the option that this search takes."""
        at = len(self._options)
        self._options.append(len(options))
        if at == len(self._way):
            self._way.append(0)
        return options[self._way[at]]

    def begin_next_way(self) -> bool:
        """Whether there are other options; takes the next ones if so."""
        options, self._options = self._options, []
        self._ways += 1
        while self._way and self._ways <= _MOST:
            if self._way[-1] + 1 < options[len(self._way) - 1]:
                self._way[-1] += 1
                return True
            self._way.pop()
        return False


class Given:
    """The options of expressions between which a program chooses.

    Args:
      naming: texts of other files that may call functions of this one.
    """

    def __init__(self, scopes: Scopes, naming: Iterable[str] = ()) -> None:
        self._scopes, self._naming = scopes, tuple(naming)
        # (scope, name, its uses) of each name that led to the last options.
        self.ways: list[tuple[Scope, str, list[ast.Name]]] = []

    def list_options(self, node: ast.expr) -> list[ast.expr]:
        """Lists the options of an expression; [] if it is no choice.

        Raises:
          NotSplit: the tool does not see all options.
        """
        self.ways = []
        if isinstance(node, ast.IfExp):
            return [node.body, node.orelse]
        if isinstance(node, ast.Subscript):
            return self._list_values(node.value)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr == "get" and len(node.args) == 1 and not node.keywords:
                return self._list_values(node.func.value)
        if isinstance(node, ast.Name):
            owner = self._scopes.find_scope(node).find_owner(node.id)
            bound = owner.bindings[node.id] if owner is not None else []
            if owner is None:
                return []
            if len(bound) == 1 and isinstance(bound[0], ast.arg):
                return self._list_arguments(node, owner)
            if len(bound) > 1 and all(_is_plain(b, node.id) for b in bound):
                self.ways.append((owner, node.id, [node]))
                return [b.value for b in bound if not is_none(b)]  # type: ignore
        return []

    def _list_values(self, node: ast.expr) -> list[ast.expr]:
        """The values of a dictionary that is written out."""
        if isinstance(node, ast.Name):
            owner = self._scopes.find_scope(node).find_owner(node.id)
            bound = owner.bindings[node.id] if owner is not None else []
            if owner is None or len(bound) != 1 or not _is_plain(bound[0], node.id):
                return []
            self._check_known(node.id, owner)
            self.ways.append(
                (owner, node.id, [node, *self._find_key_uses(node.id, owner)])
            )
            node = bound[0].value  # type: ignore[attr-defined]
        if not isinstance(node, ast.Dict) or not all(node.keys):
            return []
        return list(node.values)

    def _find_key_uses(self, name: str, owner: Scope) -> list[ast.Name]:
        """Uses of a dictionary that read nothing but its keys."""
        found: list[ast.Name] = []
        for node in self._scopes.walk():
            if not isinstance(node, ast.Name) or node.id != name:
                continue
            if self._scopes.find_scope(node).find_owner(name) is not owner:
                continue
            above = self._scopes.parents.get(node)
            asked = isinstance(above, ast.Compare) and node in above.comparators
            asked = asked and all(
                isinstance(op, (ast.In, ast.NotIn))
                for op in above.ops  # type: ignore
            )
            if isinstance(above, ast.Attribute):
                asked = above.attr in _OF_KEYS
            elif isinstance(above, ast.Call) and node in above.args:
                asked = isinstance(above.func, ast.Name) and above.func.id in _PLAIN
                asked = asked and above.func.id != "str"  # type: ignore[attr-defined]
            elif isinstance(above, (ast.For, ast.comprehension)):
                asked = above.iter is node
            if asked:
                found.append(node)
        return found

    def _list_arguments(self, node: ast.Name, owner: Scope) -> list[ast.expr]:
        """Lists the arguments that calls give a function's parameter."""
        function = owner.node
        if not isinstance(function, ast.FunctionDef) or function.decorator_list:
            return []
        around = self._scopes.find_scope(function)
        if isinstance(self._scopes.parents.get(function), ast.ClassDef):
            return []
        if around.bindings.get(function.name) != [function]:
            return []
        self._check_known(function.name, around)
        found: list[ast.expr] = []
        uses: list[ast.Name] = []
        for use in self._scopes.walk():
            if not isinstance(use, ast.Name) or use.id != function.name:
                continue
            if self._scopes.find_scope(use).find_owner(use.id) is not around:
                continue
            call = self._scopes.parents.get(use)
            if not isinstance(call, ast.Call) or call.func is not use:
                raise NotSplit(use, f"the tool does not see every call of {function.name}(), "
                        "which is given the model_fn")  # fmt: skip
            given = names.bind_call(call, function)
            value = (given or {}).get(node.id, _find_default(function, node.id))
            if given is None or value is None:
                raise NotSplit(
                    call,
                    f"the tool cannot tell the arguments of {function.name}() apart",
                )
            uses.append(use)
            if value not in found:
                found.append(value)
        self.ways.append((owner, node.id, [node]))
        self.ways.append((around, function.name, uses))
        return found

    def _check_known(self, name: str, owner: Scope) -> None:
        """Fails if other files use a module's name on which the choice depends."""
        if owner is self._scopes.module:
            word = re.compile(rf"\b{name}\b")
            if any(word.search(text) for text in self._naming):
                raise NotSplit(
                    owner.node,
                    f"`{name}` is its model_fn, and other files use this name",
                )


def _is_plain(bound: ast.AST, name: str) -> bool:
    """Whether it is `name = value`."""
    return (
        isinstance(bound, ast.Assign)
        and len(bound.targets) == 1
        and isinstance(bound.targets[0], ast.Name)
        and bound.targets[0].id == name
    )


def _find_default(function: ast.FunctionDef, name: str) -> ast.expr | None:
    """Returns a parameter's default; None if it has none."""
    arguments = function.args
    absent: list[ast.expr | None] = [None]
    defaults = absent * (len(arguments.args) - len(arguments.defaults))
    for argument, default in (
        *zip(arguments.args, [*defaults, *arguments.defaults]),
        *zip(arguments.kwonlyargs, arguments.kw_defaults),
    ):
        if argument.arg == name:
            return default
    return None
