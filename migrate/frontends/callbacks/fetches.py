"""The values that a hook asks for: the global step, the loss, tensors that it is given."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.callbacks.attributes import Attributes, Kept
from migrate.frontends.callbacks.given import Given
from migrate.frontends.callbacks.reasons import NoCallback
from migrate.program.callbacks import Logged, Named, Several, Step, Value
from migrate.source.nodes import walk_breadth_first
from migrate.tables import callbacks as table
from migrate.tables.estimator import find_public


class Fetches:
    """Follows what a class's methods fetch.

    Args:
      constructions: the calls that make its objects.
      elsewhere: parameters of its `__init__` -> how other files give tensors; None
        where they make none of its objects.

    Attributes:
      gone: assignments that only kept what is fetched.
      steps: calls that give the global step's variable and stay.
      names: at constructions, tensors -> the names under which the step returns them.
      plain: expressions that may read a fetched attribute.
      parameters: of `__init__`, those that are given tensors -> their place.
    """

    def __init__(
        self,
        scopes: Scopes,
        attributes: Attributes,
        constructions: list[ast.Call],
        given: Given,
        elsewhere: Mapping[str, str] | None = None,
    ) -> None:
        self._scopes, self._attributes = scopes, attributes
        self._constructions, self._given = constructions, given
        self._elsewhere = elsewhere
        self.gone: list[ast.stmt] = []
        self.names: dict[ast.expr, str] = {}
        self.plain: set[ast.AST] = set()
        self.parameters: dict[str, int] = {}

    def find_value(self, node: ast.expr, method: ast.FunctionDef) -> Value:
        """Finds the value of a callback that a fetched expression becomes.

        Raises:
          NoCallback: a callback has no such value.
        """
        self.plain.update(walk_breadth_first(node))
        if isinstance(node, (ast.List, ast.Tuple)):
            return Several(tuple(self.find_value(item, method) for item in node.elts))
        if isinstance(node, ast.Dict) and None not in node.keys:
            pairs = zip(node.keys, node.values)
            return Named(tuple((k, self.find_value(v, method)) for k, v in pairs if k))
        if self.is_step(node) or names.read_literal(node) == table.STEP_NAME:
            return Step()
        if self._is_loss(node):
            return Logged("loss")
        if isinstance(node, ast.Name):
            return self._find_local(node, method)
        if (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id == method.args.args[0].arg
        ):
            return self._find_attribute(node)
        raise _make_unknown_error(node)

    def is_step(self, node: ast.AST) -> bool:
        """Whether an expression is the global step's variable itself."""
        if not isinstance(node, ast.Call) or node.args or node.keywords:
            return False
        return find_public(self._scopes.resolve(node.func) or "") in table.GLOBAL_STEP

    def _is_loss(self, node: ast.expr) -> bool:
        """`tf.get_collection(tf.GraphKeys.LOSSES)[-1]`."""
        if not isinstance(node, ast.Subscript) or ast.unparse(node.slice) != "-1":
            return False
        call, (function, key) = node.value, table.LOSSES
        return (
            isinstance(call, ast.Call)
            and self._scopes.resolve(call.func) == function
            and len(call.args) == 1
            and not call.keywords
            and self._scopes.resolve(call.args[0]) == key
        )

    def _find_local(self, node: ast.Name, method: ast.FunctionDef) -> Value:
        """Finds the value of a name that the method binds once, to what it fetches."""
        uses = [
            n
            for n in walk_breadth_first(method)
            if isinstance(n, ast.Name) and n.id == node.id
        ]
        bound = [n for n in uses if not isinstance(n.ctx, ast.Load)]
        parent = self._scopes.parents[bound[0]] if len(bound) == 1 else None
        if not isinstance(parent, ast.Assign) or parent.targets != bound:
            raise _make_unknown_error(node)
        if self.is_step(parent.value):
            if len(uses) == 2 and method.name == "before_run":
                self.gone.append(parent)
                return Step()
            return Step(node)
        if len(uses) != 2 or parent not in method.body:
            raise _make_unknown_error(node)
        self.gone.append(parent)
        return self.find_value(parent.value, method)

    def _find_attribute(self, node: ast.Attribute) -> Value:
        kept = self._attributes.find_kept(node.attr)
        if kept and all(k.value is not None and self.is_step(k.value) for k in kept):
            return Step(node)
        if len(kept) != 1 or kept[0].value is None:
            raise _make_unknown_error(node)
        (one,) = kept
        if one.method.name == "__init__":
            return self._find_parameter(node, one)
        if one.method.name not in ("begin", "before_run") or one.statement is None:
            raise _make_unknown_error(node)
        assert one.value is not None
        found = self.find_value(one.value, one.method)
        # The attribute's values from before it held a tensor are removed too.
        every = self._attributes.find_assignments(node.attr)
        self.gone += [k.statement for k in every if k.statement is not None]
        return found

    def _find_parameter(self, node: ast.Attribute, kept: Kept) -> Value:
        """Finds the value of an attribute that holds an argument of `__init__`."""
        arguments = kept.method.args
        name = kept.value.id if isinstance(kept.value, ast.Name) else ""
        places = [a.arg for a in arguments.args]
        if name not in places or arguments.vararg or arguments.kwonlyargs:
            raise _make_unknown_error(node)
        uses = [
            n
            for n in walk_breadth_first(kept.method)
            if isinstance(n, ast.Name) and n.id == name
        ]
        if uses != [kept.value]:
            raise NoCallback(
                uses[0], f"its __init__ does more with `{name}` than to store it"
            )
        kinds: set[str] = set()
        place = self.parameters[name] = places.index(name) - 1
        if self._elsewhere is not None:
            if name not in self._elsewhere:
                reason = f"other files pass `{name}` to it in different forms"
                raise NoCallback(node, reason)
            kinds.add(self._elsewhere[name])
        for call in self._constructions:
            value = find_argument(call, name, place)
            if value is None:
                raise NoCallback(call, f"not all callers pass `{name}`")
            kind, names = self._given.find_names(call, value)
            kinds.add(kind)
            self.names.update(names)
        if len(kinds) != 1:
            raise NoCallback(
                node, f"different callers pass `{name}` in different forms"
            )
        return Logged(node, kinds.pop())


def find_argument(call: ast.Call, name: str, position: int) -> ast.expr | None:
    """Returns a call's argument for a parameter; None if it is not known."""
    if any(isinstance(a, ast.Starred) for a in call.args):
        return None
    if position < len(call.args):
        return call.args[position]
    return next((k.value for k in call.keywords if k.arg == name), None)


def _make_unknown_error(node: ast.AST) -> NoCallback:
    text = ast.unparse(node)
    return NoCallback(
        node,
        f"it requests `{text}`, and the tool cannot tell which tensor of the "
        "step that is",
    )
