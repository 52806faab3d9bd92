"""The hooks, and the Scaffold, that an EstimatorSpec gives; what of a step they watch."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.estimators import scaffolds
from migrate.frontends.model_fn.calls import find_uses
from migrate.frontends.model_fn.modes import NotSplit, is_none
from migrate.program.keras_model import Hooks, Metric
from migrate.program.keras_units import Unit
from migrate.source.nodes import walk_breadth_first
from migrate.tables import keras_models as table

# Argument of EstimatorSpec, or a mode's scaffold -> the mode that runs them.
KINDS = {
    "training_hooks": "TRAIN",
    "training_chief_hooks": "TRAIN",
    "evaluation_hooks": "EVAL",
    "prediction_hooks": "PREDICT",
    "training_scaffold": "TRAIN",
    "evaluation_scaffold": "EVAL",
    "prediction_scaffold": "PREDICT",
}
_BASES = ("tf.train.SessionRunHook", "tf.estimator.SessionRunHook")


def _list_hooks(value: ast.expr) -> Iterator[ast.expr]:
    """Yields the items of an expression that lists hooks; a name may be a list, too."""
    if isinstance(value, (ast.List, ast.Tuple)):
        for item in value.elts:
            yield from _list_hooks(item)
    elif isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
        yield from _list_hooks(value.left)
        yield from _list_hooks(value.right)
    else:
        yield value


def _has_one_name(unit: Unit) -> bool:
    statement = unit.statement
    return (
        isinstance(statement, ast.Assign)
        and len(statement.targets) == 1
        and isinstance(statement.targets[0], ast.Name)
    )


class Watching:
    """Finds what makes the hooks of one mode.

    Args:
      units: of the mode, without the network.
      tensors: names of what depends on features and labels.
      free: names that the class knows as well: parameters, and the loss.
      schedules: names of learning-rate schedules.
      metrics: those of evaluation, whose values training may watch.
    """

    def __init__(
        self,
        function: ast.FunctionDef,
        scopes: Scopes,
        units: list[Unit],
        tensors: set[str],
        free: set[str],
        schedules: frozenset[str],
        metrics: list[Metric],
    ) -> None:
        self._scopes, self._units, self._free = scopes, units, free
        self._local = set(scopes.scope_by_node[function].bindings)
        self._tensors, self._schedules = set(tensors), schedules
        # Arguments of a Scaffold that are left out.
        self._gone: set[ast.AST] = set()
        for unit in units:
            if names.find_reads(unit.statement) & self._tensors:
                self._tensors |= names.find_binds(unit.statement)
        self._counted = {
            name
            for unit in units
            if any(m.call is getattr(unit.statement, "value", None) for m in metrics)
            for name in names.find_binds(unit.statement)
        }

    def run(self, kind: str, value: ast.expr) -> Hooks:
        """The hooks.

        Raises:
          NotSplit: they watch what no step returns.
        """
        made: list[Unit] = []
        watched: list[str] = []
        counted: list[str] = []
        steps: list[ast.Name] = []
        if kind.endswith("scaffold"):
            self._leave_out(value)
        waiting: list[ast.expr] = [value]
        hooks = set() if kind.endswith("scaffold") else set(_list_hooks(value))
        while waiting:
            for node in self._find_names(waiting.pop()):
                unit = self._find_maker(node.id)
                if unit in made or node.id in (*watched, *counted):
                    continue
                if self._is_step(node):
                    steps.append(node)
                elif node.id in self._counted:
                    self._check_value(node)
                    counted.append(node.id)
                elif node.id in self._schedules:
                    watched.append(node.id)
                elif unit is not None and (
                    self._is_made(unit) or node in hooks and _has_one_name(unit)
                ):
                    made.append(unit)
                    assert isinstance(unit.statement, ast.Assign)
                    if node in hooks:
                        hooks.update(_list_hooks(unit.statement.value))
                    if kind.endswith("scaffold"):
                        self._leave_out(unit.statement.value)
                    waiting.append(unit.statement.value)
                elif node.id in self._tensors and KINDS[kind] == "TRAIN":
                    watched.append(node.id)
                else:
                    raise NotSplit(
                        node, f"its {kind} use `{node.id}`, which a step computes"
                    )
        made.sort(key=lambda unit: unit.statement.lineno)
        if KINDS[kind] != "TRAIN":
            self._check_no_summaries(kind, [value, *(u.statement for u in made)])
        if kind.endswith("scaffold"):
            if watched or counted:
                raise NotSplit(
                    value, "its Scaffold contains a tensor that a step computes"
                )
            self._check_scaffold([value, *(unit.statement for unit in made)])
        return Hooks(
            kind, tuple(made), value, tuple(watched), tuple(counted), tuple(steps)
        )

    def _check_no_summaries(self, kind: str, nodes: list[ast.AST]) -> None:
        """Refuses summaries in modes other than training."""
        for node, symbol in (use for n in nodes for use in find_uses(n, self._scopes)):
            if symbol.startswith("tf.summary."):
                raise NotSplit(node, f"its {kind} write summaries")

    def _check_scaffold(self, nodes: list[ast.AST]) -> None:
        """Refuses a Scaffold that does more than to restore and save."""
        uses_of = {symbol for n in nodes for _, symbol in find_uses(n, self._scopes)}
        if table.SCAFFOLD not in uses_of:
            raise NotSplit(nodes[0], "another function makes its Scaffold")
        for node, symbol in (use for n in nodes for use in find_uses(n, self._scopes)):
            if node in self._gone:
                continue
            if symbol not in table.SCAFFOLDED and not symbol.startswith(table.HOST):
                raise NotSplit(node, f"its Scaffold uses {symbol}")
            call = self._scopes.parents.get(node)
            if symbol == table.SCAFFOLD and isinstance(call, ast.Call):
                known = scaffolds.read(call, self._scopes)
                if known.refused is not None or set(known.kept) - {"saver"}:
                    raise NotSplit(
                        call, "its Scaffold does more than to restore and save"
                    )

    def _leave_out(self, node: ast.expr) -> None:
        """Arguments of a Scaffold that ask for what is done anyway."""
        for inner in walk_breadth_first(node):
            if isinstance(inner, ast.Call):
                if self._scopes.resolve(inner.func) == table.SCAFFOLD:
                    for value in scaffolds.read(inner, self._scopes).dropped:
                        self._gone.update(walk_breadth_first(value))

    def _find_names(self, node: ast.expr) -> Iterator[ast.Name]:
        for inner in walk_breadth_first(node):
            if (
                inner not in self._gone
                and isinstance(inner, ast.Name)
                and inner.id in self._local - self._free
            ):
                yield inner

    def _find_maker(self, name: str) -> Unit | None:
        makers = [u for u in self._units if name in names.find_binds(u.statement)]
        if len(makers) > 1:  # `scaffold = None` before is what other modes have.
            makers = [u for u in makers if not is_none(u.statement)]
        return makers[0] if len(makers) == 1 else None

    def _is_step(self, node: ast.Name) -> bool:
        """Whether a name is that of the global step, which the graph knows."""
        owner = self._scopes.find_scope(node).find_owner(node.id)
        bound = owner.bindings[node.id] if owner is not None else []
        made = (
            bound[0].value
            if len(bound) == 1 and isinstance(bound[0], ast.Assign)
            else None
        )
        return (
            isinstance(made, ast.Call)
            and self._scopes.resolve(made.func) in table.GLOBAL_STEP
        )

    def _is_made(self, unit: Unit) -> bool:
        """Whether a statement makes a hook, or a list of hooks, or a plain value."""
        statement = unit.statement
        if not isinstance(statement, ast.Assign):
            return False
        if len(statement.targets) != 1 or not isinstance(
            statement.targets[0], ast.Name
        ):
            return False
        if self._makes_hook(statement.value):
            return True
        if isinstance(statement.value, (ast.List, ast.Tuple, ast.Dict)):
            return True
        return not names.find_binds(statement) & self._tensors

    def _makes_hook(self, node: ast.expr) -> bool:
        if not isinstance(node, ast.Call):
            return False
        symbol = self._scopes.resolve(node.func)
        if symbol is not None:
            return symbol.endswith("Hook")
        if not isinstance(node.func, ast.Name):
            return False
        owner = self._scopes.find_scope(node.func).find_owner(node.func.id)
        bound = owner.bindings[node.func.id] if owner is not None else []
        return len(bound) == 1 and (
            isinstance(bound[0], ast.ClassDef)
            and any(self._scopes.resolve(base) in _BASES for base in bound[0].bases)
        )

    def _check_value(self, node: ast.Name) -> None:
        """Checks that a metric's pair is read only as its value."""
        parent = self._scopes.parents.get(node)
        if not isinstance(parent, ast.Subscript) or not isinstance(
            parent.slice, ast.Constant
        ):
            raise NotSplit(
                node,
                "it uses the pair of a metric's value and update, and not one "
                "of the two",
            )
