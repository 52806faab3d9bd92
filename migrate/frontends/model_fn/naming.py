"""Names of layers: TF1's, by variable scopes and by the order of their making."""

from __future__ import annotations

import ast
import dataclasses

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.model_fn.calls import calls, layer_arguments
from migrate.frontends.model_fn.modes import ModeValues, NotSplit, is_scope
from migrate.frontends.model_fn.recorded import Recorded
from migrate.tables import keras_models as table

# Of tf.variable_scope, after the values.
_SCOPE_ARGUMENTS = (
    *("initializer", "regularizer", "caching_device", "partitioner", "custom_getter"),
    *("reuse", "dtype", "use_resource", "constraint", "auxiliary_name_scope"),
)


@dataclasses.dataclass
class Names:
    """Names of layers that one variable scope has given.

    Attributes:
      taken: those that were given.
      ended: kinds of which one may not have been made: what comes after has no known name.
    """

    taken: dict[str, int] = dataclasses.field(default_factory=dict)
    ended: set[str] = dataclasses.field(default_factory=set)

    def unique(self, base: str, call: ast.Call, conditional: bool) -> str:
        """TF1's next name: base, base_1, ..., past those that were given.

        Args:
          conditional: whether the layer may not be made.

        Raises:
          NotSplit: that depends on whether another one was made.
        """
        if base in self.ended:
            raise NotSplit(
                call, "a layer without a name, after one that is made under a condition"
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
    def of(cls, parameter: str) -> Passed:
        """The scope that a parameter names."""
        found = cls(items=[], body=[])
        found.name = ast.Name(parameter, ast.Load())
        return found


class Naming(Recorded):
    """Keeps the names that each variable scope has given."""

    def __init__(self, function: ast.FunctionDef, scopes: Scopes) -> None:
        super().__init__(function, scopes)
        # Name of a variable scope, as it is written -> names given in it.
        self._given: dict[str, Names] = {}

    def _where(
        self, scope: tuple[ast.With, ...], env: dict[str, ModeValues]
    ) -> tuple[ast.expr, ...]:
        """What variable scopes put before names."""
        return tuple(e for outer in scope for e in self.scope_names(outer, env))

    def _names_in(self, where: tuple[ast.expr, ...], call: ast.AST) -> Names:
        """Names that were given below some scopes; a function's own are its own."""
        key = "/".join(map(ast.unparse, where))
        if literal(where) is None:
            key += f" of {id(self._scopes.scope_of(call))}"
        return self._given.setdefault(key, Names())

    @staticmethod
    def _free(function: ast.FunctionDef, name: str) -> str:
        """A parameter that a function does not have, nor a name."""
        taken = {n.id for n in ast.walk(function) if isinstance(n, ast.Name)}
        taken |= {n.arg for n in ast.walk(function) if isinstance(n, ast.arg)}
        while name in taken:
            name = f"outer_{name}"
        return name

    def _numbered(self, function: ast.FunctionDef) -> bool:
        """Whether layers of a helper have no name, outside of scopes of its own."""
        for statement in function.body:
            for call in calls(statement):
                symbol = self._scopes.resolve(call.func) or ""
                row = table.LAYERS.get(symbol)
                helper = self.helper(call)
                if symbol in table.SEVERAL:
                    return True
                if helper is not None and self._numbered(helper):
                    return True
                if row is not None and row.has_weights:
                    if "name" not in (layer_arguments(call, row) or {}):
                        return True
        return False

    def _unnamed(self, function: ast.FunctionDef) -> bool:
        """Whether a helper has layers outside of scopes that a parameter names."""
        parameters = {a.arg for a in function.args.args}
        return self._unnamed_in(function.body, parameters)

    def _unnamed_in(self, body: list[ast.stmt], parameters: set[str]) -> bool:
        for statement in body:
            if isinstance(statement, ast.With) and is_scope(statement, self._scopes):
                scoped = any(
                    self._scopes.resolve(item.context_expr.func) == "tf.variable_scope"  # type: ignore[attr-defined]
                    and names.reads(item.context_expr) & parameters
                    for item in statement.items
                )
                if not scoped and self._unnamed_in(statement.body, parameters):
                    return True
                continue
            for call in calls(statement):
                symbol = self._scopes.resolve(call.func) or ""
                row = table.LAYERS.get(symbol)
                helper = self.helper(call)
                if symbol in table.SEVERAL:
                    return True
                if helper is not None and self._unnamed(helper):
                    return True
                made = self.objects.row(call)
                if made is not None and made.has_weights:
                    return True
                if row is None or not row.has_weights:
                    continue
                arguments = layer_arguments(call, row)
                name = (arguments or {}).get("name")
                if name is None or not names.reads(name) & parameters:
                    return True
        return False

    def _is_not_reused(self, node: ast.expr, env: dict[str, ModeValues]) -> bool:
        """Whether a word for `reuse` is False, or None."""
        if isinstance(node, ast.Constant) and node.value is None:
            return True
        return all(values.of_test(node) is False for values in env.values())

    def reuses(self, scope: ast.With) -> bool:
        """Whether a scope takes variables that are there already."""
        return any(
            self._scopes.resolve(node) == "tf.AUTO_REUSE"
            for item in scope.items
            for node in ast.walk(item.context_expr)
            if isinstance(node, (ast.Name, ast.Attribute))
        )

    def scope_names(
        self, scope: ast.With, env: dict[str, ModeValues]
    ) -> list[ast.expr]:
        """What a `with` puts before the names of variables."""
        if isinstance(scope, Passed):
            return [scope.name]
        found = []
        for item in scope.items:
            call = item.context_expr
            assert isinstance(call, ast.Call)
            if self._scopes.resolve(call.func) != "tf.variable_scope":
                continue
            bound = names.bound_arguments(
                call, ("name_or_scope", "default_name", "values", *_SCOPE_ARGUMENTS)
            )
            reuse = (bound or {}).pop("reuse", None)
            if reuse is not None and self._scopes.resolve(reuse) != "tf.AUTO_REUSE":
                if not self._is_not_reused(reuse, env):
                    raise NotSplit(scope, "a variable scope shares its variables")
            if bound is None or set(bound) != {"name_or_scope"}:
                raise NotSplit(
                    scope, "a variable scope that does more than give a name"
                )
            found.append(bound["name_or_scope"])
        return found


def literal(where: tuple[ast.expr, ...]) -> str | None:
    """The scopes' names, where they are literals."""
    texts = [n.value for n in where if isinstance(n, ast.Constant)]
    return "/".join(map(str, texts)) if len(texts) == len(where) else None
