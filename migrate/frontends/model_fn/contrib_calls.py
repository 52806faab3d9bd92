"""Reads contrib's argument scopes, normalizers and stacks: arguments of its layers.

params = {"is_training": training, "decay": 0.99}
with slim.arg_scope([slim.conv2d], normalizer_fn=slim.batch_norm,
                    normalizer_params=params):
    net = slim.repeat(net, 2, slim.conv2d, 32, [3, 3], scope="conv")
"""

from __future__ import annotations

import ast
import dataclasses

from migrate.facts import names
from migrate.facts.names import is_none_constant
from migrate.facts.scopes import Scope, Scopes
from migrate.frontends.model_fn.argument_scopes import Values, find_returned_scope
from migrate.frontends.model_fn.grown import list_items
from migrate.frontends.model_fn.modes import NotSplit
from migrate.program.keras_layers import Several
from migrate.source.nodes import walk_breadth_first
from migrate.tables import contrib_graph, keras_contrib
from migrate.tables.keras_contrib import ContribRow

_NORMALIZERS = ("batch_norm", "layer_norm")


@dataclasses.dataclass(frozen=True)
class Stacked:
    """A call of `stack` or `repeat`.

    Attributes:
      row: of the layers.
      bound: what each is given, by TF1's names, with `inputs`.
      several: how they are made; its names are not known yet.
    """

    row: ContribRow
    bound: dict[str, ast.expr]
    several: Several


class ContribCalls:
    """Reads the arguments of contrib's layers in one module."""

    def __init__(self, scopes: Scopes) -> None:
        self._scopes = scopes
        # Of functions that return argument scopes.
        self.values = Values(scopes)

    def find_row(self, node: ast.AST) -> ContribRow | None:
        """The layer that an expression names, not calls."""
        symbol = self._scopes.resolve(node) if isinstance(node, ast.expr) else None
        return keras_contrib.LAYERS.get(symbol or "")

    # Argument scopes.

    def gather_scope_arguments(
        self, row: ContribRow, call: ast.AST, around: tuple[ast.With, ...]
    ) -> dict[str, ast.expr]:
        """Arguments that the scopes around a call give its function, by TF1's names.

        Raises:
          NotSplit: a scope is not written out, or gives what is not known at the call.
        """
        found: dict[str, ast.expr] = {}
        for scope in around:
            for item in scope.items:
                opened = item.context_expr
                assert isinstance(opened, ast.Call)
                if self._scopes.resolve(opened.func) in contrib_graph.ARG_SCOPES:
                    given = names.find_argument(opened, "list_ops_or_scope", 0)
                    returned = find_returned_scope(given, self._scopes)
                    if returned is None:
                        found |= self._read_scope_arguments(opened, row)
                        continue
                    self.values.begin_call(returned)
                    for inner in returned.opened:
                        found |= self._read_scope_arguments(inner, row)
        found.pop(row.fixed, None)
        found = {
            name: self.values.resolve_value(value) for name, value in found.items()
        }
        for name, value in found.items():
            if name not in ("is_training", *keras_contrib.NORMALIZER):
                self._check_visible(value, call)
        return found

    def find_argument_scopes(self, scopes: tuple[ast.With, ...]) -> list[ast.With]:
        """The argument scopes among some.

        Raises:
          NotSplit: one opens a variable scope, too.
        """
        found = []
        for scope in scopes:
            kinds = {
                self._scopes.resolve(item.context_expr.func)  # type: ignore[attr-defined, operator]
                in contrib_graph.ARG_SCOPES
                for item in scope.items
            }
            if len(kinds) > 1:
                raise NotSplit(
                    scope,
                    "one `with` statement opens an argument scope and another scope",
                )
            if True in kinds:
                found.append(
                    ast.copy_location(ast.With(items=scope.items, body=[]), scope)
                )
        return found

    def _read_scope_arguments(
        self, opened: ast.Call, row: ContribRow
    ) -> dict[str, ast.expr]:
        listed = names.find_argument(opened, "list_ops_or_scope", 0)
        if not isinstance(listed, (ast.List, ast.Tuple)) or len(opened.args) > 1:
            raise NotSplit(
                opened,
                "the functions of an argument scope are not a list that is written out",
            )
        rows = [self.find_row(element) for element in listed.elts]
        if None in rows:
            raise NotSplit(
                opened, "an argument scope contains a function that makes no layer"
            )
        if row.kind not in {r.kind for r in rows if r is not None}:
            return {}
        given = {k.arg: k.value for k in opened.keywords if k.arg is not None}
        for keyword in opened.keywords:
            if keyword.arg is None:
                given |= dict(self._list_params(keyword.value))
        given.pop("list_ops_or_scope", None)
        return given

    def _check_visible(self, value: ast.expr, call: ast.AST) -> None:
        """Refuses an argument that has another value where the layer is made."""
        here, there = self._scopes.find_scope(call), self._scopes.find_scope(value)
        if _find_module(here) is not _find_module(there):
            raise NotSplit(
                value, "an argument scope is in another file than its layers"
            )
        for node in walk_breadth_first(value):
            if not isinstance(node, ast.Name):
                continue
            if self.values.find_parameter(node) is not None:
                self.values.replace(node)
                continue
            owner = there.find_owner(node.id)
            if here.find_owner(node.id) is not owner:
                raise NotSplit(
                    node, f"`{node.id}` does not exist where the program makes a layer"
                )
            local = owner is not None and owner is not self._scopes.module
            if local and len(owner.bindings[node.id]) > 1:  # type: ignore[union-attr]
                raise NotSplit(
                    node,
                    f"the program assigns `{node.id}`, an argument of an "
                    "argument scope, more than once",
                )

    # Normalizers.

    def take_normalizer(
        self,
        bound: dict[str, ast.expr],
        call: ast.Call,
        around: tuple[ast.With, ...],
    ) -> tuple[ContribRow, dict[str, ast.expr]] | None:
        """A layer's normalizer and its arguments; both are taken off `bound`.

        Raises:
          NotSplit: it is not known, or not written out.
        """
        function = bound.pop("normalizer_fn", None)
        params = bound.pop("normalizer_params", None)
        if function is None or is_none_constant(function):
            return None
        row = self.find_row(function)
        if row is None or row.kind not in _NORMALIZERS:
            raise NotSplit(function, "the tool does not know this normalizer")
        given = self.gather_scope_arguments(row, call, around)
        if params is not None and not is_none_constant(params):
            for name, value in self._list_params(params):
                value = self.values.resolve_value(value)
                if name != "is_training":
                    self._check_visible(value, call)
                given[name] = value
        if "inputs" in given or not set(given) <= set(row.parameters):
            raise NotSplit(call, f"{row.function} does not have these arguments")
        return row, given

    def _list_params(self, node: ast.expr) -> list[tuple[str, ast.expr]]:
        """Names and values of normalizer_params."""
        value: ast.expr | None = node
        if isinstance(node, ast.Name):
            statement = _find_dictionary(node, self._scopes)
            value = statement.value if statement is not None else None
        pairs = list_items(value) if value is not None else None
        if pairs is None:
            raise NotSplit(node, "normalizer_params is not a dict that is written out")
        found = []
        for key, one in pairs:
            if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
                raise NotSplit(
                    node, "normalizer_params is not a dict that is written out"
                )
            found.append((key.value, one))
        return found

    # Several layers.

    def read_stack(self, call: ast.Call) -> Stacked | None:
        """Reads a call of `stack` or `repeat`; None for other calls.

        Raises:
          NotSplit: the arguments of its layers are not written out.
        """
        symbol = self._scopes.resolve(call.func)
        repeats = symbol in keras_contrib.REPEATS
        if not repeats and symbol not in keras_contrib.STACKS:
            return None
        order = ("inputs", "repetitions", "layer")
        if not repeats:
            order = ("inputs", "layer", "stack_args")
        bound = {k.arg: k.value for k in call.keywords if k.arg is not None}
        if len(bound) < len(call.keywords) or any(
            isinstance(a, ast.Starred) for a in call.args
        ):
            raise NotSplit(
                call, "the arguments of slim.repeat or slim.stack are not written out"
            )
        own = dict(zip(order, call.args))
        further = call.args[len(order) :]
        if own.keys() & bound.keys():
            raise NotSplit(call, "the call gives one argument twice")
        own |= {name: bound.pop(name) for name in order if name in bound}
        if len(own) < len(order) or (further and not repeats):
            raise NotSplit(
                call, "the arguments of slim.repeat or slim.stack are not written out"
            )
        row = self.find_row(own["layer"])
        if row is None or row.fixed or "training" in row.call_parameters:
            raise NotSplit(
                call,
                "slim.repeat or slim.stack makes a layer that is not one of contrib",
            )
        bound["inputs"] = own["inputs"]
        rest: tuple[str, ...] = row.parameters
        if repeats:
            given = dict(zip(rest, further))
            if bound.keys() & given.keys() or len(further) > len(rest):
                raise NotSplit(call, "the call gives one argument twice")
            return Stacked(
                row, bound | given, Several("Repeat", own["repetitions"], ())
            )
        taken = rest[: self._count_width(own["stack_args"])]
        if bound.keys() & set(taken):
            raise NotSplit(call, "the call gives one argument twice")
        renamed = dict(row.renamed)
        names_of_keras = tuple(renamed.get(name, name) for name in taken)
        return Stacked(row, bound, Several("Stack", own["stack_args"], names_of_keras))

    def _count_width(self, listed: ast.expr) -> int:
        """Counts the arguments of each layer of a stack."""
        if not isinstance(listed, (ast.List, ast.Tuple)):
            return 1  # Of one number each: Keras's layers take no list for it.
        widths = {
            len(e.elts) if isinstance(e, (ast.List, ast.Tuple)) else 0
            for e in listed.elts
        }
        if len(widths) != 1 or any(isinstance(e, ast.Starred) for e in listed.elts):
            raise NotSplit(
                listed, "the layers of slim.stack get different numbers of arguments"
            )
        return max(widths.pop(), 1)


def find_params(function: ast.FunctionDef, scopes: Scopes) -> set[ast.stmt]:
    """Statements that bind normalizer_params, which nothing else reads."""
    found: set[ast.stmt] = set()
    for statement in walk_breadth_first(function):
        if not isinstance(statement, ast.Assign) or list_items(statement.value) is None:
            continue
        target = statement.targets[0]
        if len(statement.targets) > 1 or not isinstance(target, ast.Name):
            continue
        read = [
            node
            for node in walk_breadth_first(function)
            if isinstance(node, ast.Name)
            and node.id == target.id
            and isinstance(node.ctx, ast.Load)
        ]
        words = [scopes.parents.get(node) for node in read]
        if read and all(
            isinstance(w, ast.keyword) and w.arg == "normalizer_params" for w in words
        ):
            if _find_dictionary(read[0], scopes) is statement:
                found.add(statement)
    return found


def _find_dictionary(name: ast.Name, scopes: Scopes) -> ast.Assign | None:
    """The one statement that binds a name to a dictionary which nothing changes."""
    owner = scopes.find_scope(name).find_owner(name.id)
    bound = owner.bindings[name.id] if owner is not None else []
    if owner is None or len(bound) != 1 or not isinstance(bound[0], ast.Assign):
        return None
    if len(bound[0].targets) != 1 or not isinstance(bound[0].targets[0], ast.Name):
        return None
    for node in walk_breadth_first(owner.node):
        if isinstance(node, ast.Name) and node.id == name.id:
            parent = scopes.parents.get(node)
            if isinstance(parent, ast.Attribute) or (
                isinstance(parent, ast.Subscript)
                and not isinstance(parent.ctx, ast.Load)
            ):
                return None
    return bound[0]


def _find_module(scope: Scope) -> Scope:
    """The scope of a file."""
    while scope.parent is not None:
        scope = scope.parent
    return scope
