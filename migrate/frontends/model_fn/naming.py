"""Names of layers: TF1's, by variable scopes and by the order of their making."""

from __future__ import annotations

import ast
import dataclasses

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.model_fn.argument_scopes import map_defaults
from migrate.frontends.model_fn.calls import list_calls, map_layer_arguments
from migrate.frontends.model_fn.modes import ModeValues, NotSplit, is_scope
from migrate.frontends.model_fn.recorded import Recorded
from migrate.program.keras_layers import make_prefix as slashed
from migrate.source.nodes import find_plain_names, walk_breadth_first
from migrate.tables import keras_models as table

# Parameters of tf.variable_scope, after `values`.
_SCOPE_ARGUMENTS = (
    *("initializer", "regularizer", "caching_device", "partitioner", "custom_getter"),
    *("reuse", "dtype", "use_resource", "constraint", "auxiliary_name_scope"),
)
# The argument that names a scope without a name.
_WITHOUT_NAME = ("default_name", "values")


@dataclasses.dataclass
class Names:
    """Names of layers that one variable scope has given.

    Attributes:
      taken: those that were given.
      ended: kinds of which one may not have been made: what comes after has no known name.
      counted: kinds whose numbers are drawn where the layers are made.
      opened: by kind, the `with` in which the first one without a name was made.
    """

    taken: dict[str, int] = dataclasses.field(default_factory=dict)
    ended: set[str] = dataclasses.field(default_factory=set)
    counted: set[str] = dataclasses.field(default_factory=set)
    opened: dict[str, ast.With | None] = dataclasses.field(default_factory=dict)

    def make_unique(self, base: str, call: ast.Call, conditional: bool) -> str:
        """TF1's next name: base, base_1, ..., past those that were given.

        Args:
          conditional: whether the layer may not be made.

        Raises:
          NotSplit: that depends on whether another one was made.
        """
        if base in self.ended:
            raise NotSplit(
                call,
                "a layer without a name follows one that is made only under a "
                "condition",
            )
        if conditional:
            self.ended.add(base)
        name, number = base, 0
        while name in self.taken:
            number += 1
            name = f"{base}_{number}"
        self.taken[name] = 1
        return name


class Passed(ast.With):
    """Stands for the variable scope that a helper is told by its caller."""

    name: ast.Name

    @classmethod
    def make_scope(cls, parameter: str, prefix: bool) -> Passed:
        """Makes the scope that a parameter names, or whose prefix it is."""
        found = cls(items=[], body=[])
        found.name = slashed(parameter) if prefix else ast.Name(parameter, ast.Load())
        return found


class Naming(Recorded):
    """Keeps the names that each variable scope has given."""

    def __init__(self, function: ast.FunctionDef, scopes: Scopes) -> None:
        super().__init__(function, scopes)
        # Name of a variable scope, as it is written -> names given in it.
        self._given: dict[str, Names] = {}

    def _find_prefix(
        self,
        scope: tuple[ast.With, ...],
        env: dict[str, ModeValues],
        again: bool = False,
    ) -> tuple[ast.expr, ...]:
        """Returns the prefix that variable scopes put before names.

        Args:
          again: whether they may share what has been made.
        """
        found: list[ast.expr] = []
        for outer in scope:
            if (before := self._find_first_opening(outer)) is not None:
                found = list(self._find_prefix(before, env, again))
            else:
                found += self.list_scope_names(outer, env, again)
        return tuple(found)

    def _find_first_opening(self, scope: ast.With) -> tuple[ast.With, ...] | None:
        """Scopes up to one that is opened again: `with tf.variable_scope(its_name):`."""
        if isinstance(scope, Passed) or len(scope.items) != 1:
            return None
        call = scope.items[0].context_expr
        if not isinstance(call, ast.Call) or not call.args:
            return None
        name = call.args[0]
        if not isinstance(name, ast.Name):
            return None
        if self._scopes.resolve(call.func) != "tf.variable_scope":
            return None
        owner = self._scopes.find_scope(name).find_owner(name.id)
        bound = owner.bindings[name.id] if owner is not None else []
        if len(bound) != 1 or not isinstance(bound[0], ast.With):
            return None
        found: list[ast.With] = []
        node: ast.AST | None = bound[0]
        while node is not None and not isinstance(node, ast.FunctionDef):
            if isinstance(node, ast.With):
                found.insert(0, node)
            node = self._scopes.parents.get(node)
        return tuple(found)

    def _find_names(self, where: tuple[ast.expr, ...], call: ast.AST) -> Names:
        """Returns the names given in some scopes, for each function if not literal."""
        key = "/".join(map(ast.unparse, where))
        if read_literal(where) is None:
            key += f" of {id(self._scopes.find_scope(call))}"
        return self._given.setdefault(key, Names())

    @staticmethod
    def _find_free_name(function: ast.FunctionDef, name: str) -> str:
        """Returns a parameter's name that a function does not use yet."""
        taken = find_plain_names(function)
        taken |= {n.arg for n in walk_breadth_first(function) if isinstance(n, ast.arg)}
        while name in taken:
            name = f"outer_{name}"
        return name

    def _has_numbered_layers(self, function: ast.FunctionDef) -> bool:
        """Whether layers of a helper have no name, outside of scopes of its own."""
        for statement in function.body:
            for call in list_calls(statement):
                symbol = self._scopes.resolve(call.func) or ""
                row = self.find_row(symbol)
                helper = self.find_helper(call)
                if symbol in table.SEVERAL:
                    return True
                if helper is not None and self._has_numbered_layers(helper):
                    return True
                if row is not None and row.has_weights and row is not table.WEIGHT:
                    if "name" not in (map_layer_arguments(call, row) or {}):
                        return True
        return False

    def _has_unnamed_layers(self, function: ast.FunctionDef) -> bool:
        """Whether a helper has layers outside of scopes that a parameter names."""
        parameters = {a.arg for a in function.args.args}
        return self._has_unnamed_layers_in(function.body, parameters)

    def _has_unnamed_layers_in(
        self, body: list[ast.stmt], parameters: set[str]
    ) -> bool:
        for statement in body:
            if isinstance(statement, ast.With) and is_scope(statement, self._scopes):
                scoped = any(
                    self._scopes.resolve(item.context_expr.func) == "tf.variable_scope"  # type: ignore[attr-defined]
                    and names.find_reads(item.context_expr) & parameters
                    for item in statement.items
                )
                if not scoped and self._has_unnamed_layers_in(
                    statement.body, parameters
                ):
                    return True
                continue
            for call in list_calls(statement):
                symbol = self._scopes.resolve(call.func) or ""
                row = self.find_row(symbol)
                helper = self.find_helper(call)
                if symbol in table.SEVERAL:
                    return True
                if helper is not None and self._has_unnamed_layers(helper):
                    return True
                made = self.objects.find_row(call)
                if made is not None and made.has_weights:
                    return True
                if row is None or not row.has_weights:
                    continue
                if row is table.WEIGHT:
                    name = names.find_argument(call, "name", 0)
                else:
                    name = (map_layer_arguments(call, row) or {}).get("name")
                if name is None or not names.find_reads(name) & parameters:
                    return True
        return False

    def _is_not_reused(self, node: ast.expr, env: dict[str, ModeValues]) -> bool:
        """Whether a word for `reuse` is False, or None."""
        if isinstance(node, ast.Constant) and node.value is None:
            return True
        return all(values.decide_test(node) is False for values in env.values())

    def reuses(self, scope: ast.With) -> bool:
        """Whether a scope takes variables that are there already."""
        return any(
            self._scopes.resolve(node) == "tf.AUTO_REUSE"
            for item in scope.items
            for node in walk_breadth_first(item.context_expr)
            if isinstance(node, (ast.Name, ast.Attribute))
        )

    def list_scope_names(
        self, scope: ast.With, env: dict[str, ModeValues], again: bool = False
    ) -> list[ast.expr]:
        """Lists the names that a `with` puts before those of variables.

        Args:
          again: whether it may share what has been made.
        """
        if isinstance(scope, Passed):
            return [scope.name]
        found = []
        for item in scope.items:
            call = item.context_expr
            assert isinstance(call, ast.Call)
            if self._scopes.resolve(call.func) != "tf.variable_scope":
                continue
            bound = names.bind_arguments(
                call, ("name_or_scope", "default_name", "values", *_SCOPE_ARGUMENTS)
            )
            reuse = (bound or {}).pop("reuse", None)
            if reuse is not None and self._scopes.resolve(reuse) != "tf.AUTO_REUSE":
                if not again and not self._is_not_reused(reuse, env):
                    raise NotSplit(scope, "a variable scope reuses variables")
            if bound is not None and self._is_text(bound.get("name_or_scope")):
                # These arguments have no effect if the scope has a name.
                bound = {n: v for n, v in bound.items() if n not in _WITHOUT_NAME}
            if bound is None or set(bound) != {"name_or_scope"}:
                raise NotSplit(scope, "a variable scope does more than to give a name")
            named = bound["name_or_scope"]
            if isinstance(named, ast.Call) and (
                self._scopes.resolve(named.func) == "tf.get_variable_scope"
            ):
                continue
            found.append(named)
        return found

    def _is_text(self, node: ast.expr | None) -> bool:
        """Whether a scope's name is seen to be one, and not None."""
        if isinstance(node, ast.Constant):
            return isinstance(node.value, str)
        if not isinstance(node, ast.Name):
            return isinstance(node, (ast.BinOp, ast.JoinedStr))
        owner = self._scopes.find_scope(node).find_owner(node.id)
        if owner is None or not isinstance(owner.node, ast.FunctionDef):
            return False
        given = map_defaults(owner.node).get(node.id)
        return len(owner.bindings[node.id]) == 1 and self._is_text(given)


def read_literal(where: tuple[ast.expr, ...]) -> str | None:
    """The scopes' names, if they are literals."""
    texts = [n.value for n in where if isinstance(n, ast.Constant)]
    return "/".join(map(str, texts)) if len(texts) == len(where) else None
