"""Finds how training changes the variables: optimizer, gradients, their use."""

from __future__ import annotations

import ast
import re

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.model_fn import averages, update_scopes
from migrate.frontends.model_fn.making_optimizers import Made, Making
from migrate.frontends.model_fn.modes import ModeValues, NotSplit, is_none
from migrate.program.keras_units import Unit
from migrate.program.keras_updates import Averaged, Update
from migrate.rules import unmoved_averages
from migrate.source.nodes import walk_breadth_first
from migrate.tables import estimator as estimator_table
from migrate.tables import keras_models as table

_MINIMIZE = (
    "loss",
    "global_step",
    "var_list",
    "gate_gradients",
    "aggregation_method",
    "colocate_gradients_with_ops",
    "name",
)
_APPLY = ("grads_and_vars", "global_step", "name")
_COMPUTE = ("loss", "var_list")


class Updates:
    """Finds the update in the statements of training.

    Args:
      units: of training, without the network.
      spec: what EstimatorSpec is given in training.
      tensors: names of what depends on features and labels.
      values: what is known in training.
    """

    def __init__(
        self,
        scopes: Scopes,
        units: list[Unit],
        spec: dict[str, ast.expr],
        tensors: set[str],
        values: ModeValues,
    ) -> None:
        self._scopes, self._units, self._spec = scopes, units, spec
        self._tensors, self._values = set(tensors), values
        # A group's other operations: one counts the step, one moves averages.
        self._counts = self._moves = False
        # Moving averages of variables, and the `with` that runs them after the update.
        self._averaged: Averaged | None = None
        self._ordering: set[ast.With] = set()
        # The prefix that the names of all variables with gradients have.
        self._only = ""
        for unit in units:
            if names.find_reads(unit.statement) & self._tensors:
                self._tensors |= names.find_binds(unit.statement)

    def run(self, moved: bool) -> Update:
        """Finds the update.

        Args:
          moved: whether batch normalisation has averages that it must move.
        """
        call, unit = self._find_apply_call()
        self._check_dependencies(unit, moved)
        assert isinstance(call.func, ast.Attribute)
        optimizer = call.func.value
        if call.func.attr == "minimize":
            return self._read_minimize(call, optimizer, unit)
        return self._apply(call, optimizer, unit)

    def _find_apply_call(self) -> tuple[ast.Call, Unit | None]:
        """The optimizer's call, alone or in a group, and the statement it stands in."""
        node, unit = self._follow_name(self._spec["train_op"])
        if self._is(node, "tf.no_op") and unit is not None:
            node, unit = self._find_dependency(unit)
        if unit is not None and averages.find_maker(node, self._units, self._scopes):
            node, unit = self._read_average_update(node, unit)
        if self._is(node, "tf.group"):
            assert isinstance(node, ast.Call)
            node, inner = self._read_group(node, unit)
            unit = inner or unit
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in ("minimize", "apply_gradients")
            and self._scopes.resolve(node.func) is None
        ):
            return node, unit
        if isinstance(node, ast.Call):
            self._scopes.find_function(node.func)  # So that its file is known.
        raise NotSplit(node, "its train_op is not a single call of an optimizer")

    def _is(self, node: ast.expr, symbol: str) -> bool:
        """Whether an expression is a call of this function."""
        return isinstance(node, ast.Call) and self._scopes.resolve(node.func) == symbol

    def _find_dependency(self, unit: Unit) -> tuple[ast.expr, Unit | None]:
        """Finds the one dependency of a statement, beside the layers' averages."""
        found: list[tuple[ast.expr, Unit | None]] = []
        for around, node in averages.find_dependencies(unit, self._scopes):
            if self.is_update_ops(node):
                continue
            found.append(self._follow_name(node, unit))
            self._ordering.add(around)
        if len(found) != 1:
            raise NotSplit(
                unit.statement, "its train_op is not a single call of an optimizer"
            )
        own = {s for s in unit.around if s in self._ordering}
        for other in self._units:
            if other is not unit and own & set(other.around):
                raise NotSplit(other.statement, "it runs after the update")
        return found[0]

    def _read_average_update(
        self, node: ast.expr, unit: Unit
    ) -> tuple[ast.expr, Unit | None]:
        """Reads the update on which the moving of the variables' averages depends."""
        assert isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        made = averages.find_maker(node, self._units, self._scopes)
        assert made is not None
        averages.check(made, self._tensors)
        bound = names.bind_arguments(node, ("var_list",))
        chosen = (bound or {}).get("var_list")
        if bound is None or (
            chosen is not None and not self._lists_all_variables(chosen)
        ):
            raise NotSplit(node, "its moving averages are of only some variables")
        updates = self._find_dependency(unit)
        scopes = update_scopes.find_update_scopes(node, self._scopes)
        self._averaged = Averaged(ast.unparse(node.func.value), unit, scopes)
        return updates

    def _read_group(
        self, group: ast.Call, unit: Unit | None
    ) -> tuple[ast.expr, Unit | None]:
        """The update of a group; beside it are the step's and the averages', if any."""
        members: list[ast.expr] = []
        for argument in group.args:
            inner = argument.value if isinstance(argument, ast.Starred) else argument
            if isinstance(inner, (ast.List, ast.Tuple)):
                members += inner.elts
            else:
                members.append(inner)
        updates: list[tuple[ast.expr, Unit | None]] = []
        for member in members:
            if self.is_update_ops(member):
                self._moves = True
            elif self._counts_step(self._follow_name(member, unit)[0]):
                self._counts = True
            else:
                updates.append(self._follow_name(member, unit))
        if len(updates) != 1 or any(k.arg != "name" for k in group.keywords):
            raise NotSplit(group, "its train_op is not a single call of an optimizer")
        return updates[0]

    def _counts_step(self, node: ast.expr) -> bool:
        """Whether an expression adds 1 to the global step."""
        if not isinstance(node, ast.Call):
            return False
        symbol, given = self._scopes.resolve(node.func), list(node.args)
        if symbol is None and isinstance(node.func, ast.Attribute):
            if node.func.attr == "assign_add":
                symbol, given = "tf.assign_add", [node.func.value, *given]
        if len(given) != 2 or not self._is_step(given[0]):
            return False
        value = given[1]
        if symbol == "tf.assign_add":
            return names.read_literal(value) == 1
        return (
            symbol == "tf.assign"
            and isinstance(value, ast.BinOp)
            and isinstance(value.op, ast.Add)
            and self._is_step(value.left)
            and names.read_literal(value.right) == 1
        )

    def _follow_name(
        self, node: ast.expr, before: Unit | None = None
    ) -> tuple[ast.expr, Unit | None]:
        """Returns the value of a name, and the statement that binds it.

        Args:
          before: the statement that reads it; None for the last.
        """
        unit = None
        while isinstance(node, ast.Name):
            known = self._units
            if before is not None:
                known = known[: known.index(before)]
            makers = [u for u in known if node.id in names.find_binds(u.statement)]
            # `train_op = None` before is what other modes have.
            makers = [u for u in makers if not is_none(u.statement)]
            if not makers or not isinstance(makers[-1].statement, ast.Assign):
                raise NotSplit(
                    node, "its train_op is not a single call of an optimizer"
                )
            unit = before = makers[-1]
            node = self._values.choose_branch(unit.statement.value)  # type: ignore[attr-defined]
        return node, unit

    def _check_dependencies(self, unit: Unit | None, needed: bool) -> None:
        """Refuses other dependencies of the update than those that move averages."""
        moved = self._moves
        for partial in unmoved_averages.find_partial(self._scopes) if needed else ():
            raise NotSplit(self._spec["train_op"], partial.reason)
        for other in self._units:
            for statement in other.around:
                if not isinstance(statement, ast.With):
                    continue
                for item in statement.items:
                    call = item.context_expr
                    assert isinstance(call, ast.Call)
                    if self._scopes.resolve(call.func) != "tf.control_dependencies":
                        continue
                    if statement in self._ordering:
                        continue
                    if not call.args or not self.is_update_ops(call.args[0]):
                        raise NotSplit(
                            call,
                            "its control_dependencies run something other than "
                            "UPDATE_OPS",
                        )
                    moved = moved or other is unit
        if needed and not moved:
            raise NotSplit(
                self._spec["train_op"],
                "its update does not run the UPDATE_OPS of batch normalisation",
            )

    def is_update_ops(self, node: ast.expr) -> bool:
        """Whether an expression is tf.get_collection(tf.GraphKeys.UPDATE_OPS)."""
        if isinstance(node, ast.Name):
            makers = [
                u for u in self._units if node.id in names.find_binds(u.statement)
            ]
            return len(makers) == 1 and self.gathers_updates(makers[0])
        if not isinstance(node, ast.Call) or not node.args:
            return False
        if self._scopes.resolve(node.func) != table.COLLECTION or len(node.args) > 1:
            return False
        if node.keywords:
            return False  # Those of a scope.
        key = node.args[0]
        text = key.value if isinstance(key, ast.Constant) else self._scopes.resolve(key)
        return text in estimator_table.UPDATE_OPS

    def gathers_updates(self, unit: Unit) -> bool:
        statement = unit.statement
        return isinstance(statement, ast.Assign) and self.is_update_ops(statement.value)

    def _read_minimize(
        self, call: ast.Call, optimizer: ast.expr, unit: Unit | None
    ) -> Update:
        bound = names.bind_arguments(call, _MINIMIZE)
        if bound is None or "loss" not in bound:
            raise NotSplit(
                call, "the tool cannot tell the arguments of minimize() apart"
            )
        self._check_step(bound.get("global_step"), call)
        extra = set(bound) - {"loss", "global_step", "name", "var_list"}
        variables = bound.get("var_list")
        if extra:
            raise NotSplit(
                call,
                "minimize() has more arguments than a loss, a step, a name and "
                "variables",
            )
        chosen = self._find_variable_prefix(variables)
        made = self._make_update(optimizer, bound.get("global_step"))
        gradients = () if unit is None else (unit,)
        return self._build_update(
            call, optimizer, made, bound["loss"], gradients, chosen
        )

    def _make_update(self, optimizer: ast.expr, step: ast.expr | None) -> Made:
        read = set() if step is None else names.find_reads(step)
        if self._averaged is not None:
            read = read | {self._averaged.name}
        return Making(self._scopes, self._units, self._tensors).run(optimizer, read)

    def _build_update(
        self,
        call: ast.Call,
        optimizer: ast.expr,
        made: Made,
        loss: ast.expr,
        gradients: tuple[Unit, ...],
        chosen: str,
        computed: ast.Call | None = None,
    ) -> Update:
        return Update(
            units=made.units,
            optimizer=optimizer,
            loss=loss,
            gradients=gradients,
            computed=computed,
            applied=call,
            schedules=made.schedules,
            casts=dict(made.rates.casts),
            functions=tuple(made.rates.functions),
            averaged=self._averaged,
            rate=made.rate,
            chosen=chosen,
            scopes=self._find_update_scopes(call, optimizer),
            held=made.held,
        )

    def _find_update_scopes(
        self, call: ast.Call, optimizer: ast.expr
    ) -> tuple[tuple[str, str], ...]:
        """The scopes that name the update's own variables."""
        return update_scopes.find_update_scopes(
            call, self._scopes, self._find_value(optimizer)
        )

    def _find_value(self, node: ast.expr) -> ast.expr:
        """Returns the value of a name that one statement of training binds."""
        seen: set[str] = set()
        while isinstance(node, ast.Name) and node.id not in seen:
            seen.add(name := node.id)
            makers = [u for u in self._units if name in names.find_binds(u.statement)]
            if len(makers) != 1 or not isinstance(makers[0].statement, ast.Assign):
                break
            node = makers[0].statement.value
        return node

    def _find_variable_prefix(self, node: ast.expr | None) -> str:
        """Returns the name prefix that selects a list's variables; "" for all.

        Raises:
          NotSplit: they are not chosen by a scope's name.
        """
        if node is None or self._lists_all_variables(node):
            return ""
        value = self._find_value(node)
        symbol = self._scopes.resolve(value.func) if isinstance(value, ast.Call) else ""
        parameters = {table.TRAINABLE: ("scope",), table.COLLECTION: ("key", "scope")}
        if isinstance(value, ast.Call) and symbol in parameters:
            bound = names.bind_arguments(value, parameters[symbol]) or {}
            key, scope = bound.get("key"), names.read_literal(bound.get("scope"))
            text = key.value if isinstance(key, ast.Constant) else None
            if key is not None and text is None:
                text = self._scopes.resolve(key)
            if key is None or text in table.TRAINABLE_VARIABLES:
                if "scope" not in bound:
                    return ""
                # A regular expression: of these, each stands for itself.
                if isinstance(scope, str) and re.fullmatch(r"[\w/-]+", scope):
                    return scope
        raise NotSplit(
            node, "it trains variables that it does not choose by a scope's name"
        )

    def _lists_all_variables(self, node: ast.expr) -> bool:
        node = self._find_value(node)
        return (
            isinstance(node, ast.Call)
            and not node.args
            and not node.keywords
            and self._scopes.resolve(node.func) == table.TRAINABLE
        )

    def _check_step(self, node: ast.expr | None, call: ast.Call) -> None:
        if node is None and self._counts:
            return
        if node is None:
            raise NotSplit(call, "its update does not count the global step")
        if self._counts:
            raise NotSplit(call, "its update counts the global step twice")
        if not self._is_step(node):
            raise NotSplit(
                node, "its update counts a variable that may not be the global step"
            )

    def _is_step(self, node: ast.expr) -> bool:
        node = self._find_value(node)
        return (
            isinstance(node, ast.Call)
            and self._scopes.resolve(node.func) in table.GLOBAL_STEP
        )

    def _apply(self, call: ast.Call, optimizer: ast.expr, unit: Unit | None) -> Update:
        """compute_gradients (or tf.gradients), what is done with them, apply_gradients."""
        bound = names.bind_arguments(call, _APPLY)
        if bound is None or unit is None or "grads_and_vars" not in bound:
            raise NotSplit(
                call, "the tool cannot tell the arguments of apply_gradients() apart"
            )
        self._check_step(bound.get("global_step"), call)
        made = self._make_update(optimizer, bound.get("global_step"))
        computed, loss = self._find_compute_call(optimizer)
        first = next(
            u for u in self._units if computed in walk_breadth_first(u.statement)
        )
        position = self._units.index(first)
        wanted = names.find_reads(bound["grads_and_vars"])
        between: list[Unit] = []
        for other in reversed(self._units[position : self._units.index(unit)]):
            if names.find_binds(other.statement) & wanted or other is first:
                between.append(other)
                wanted |= names.find_reads(other.statement)
        between.reverse()
        before = [
            u
            for u in self._units[:position]
            if self._lists_all_variables(getattr(u.statement, "value", ast.Pass()))  # type: ignore[arg-type]
            and names.find_binds(u.statement) & wanted
        ]
        gradients = (*before, *between, unit)
        return self._build_update(
            call, optimizer, made, loss, gradients, self._only, computed
        )

    def _find_compute_call(self, optimizer: ast.expr) -> tuple[ast.Call, ast.expr]:
        found: list[tuple[ast.Call, ast.expr]] = []
        for unit in self._units:
            for node in walk_breadth_first(unit.statement):
                if not isinstance(node, ast.Call):
                    continue
                if self._scopes.resolve(node.func) == "tf.gradients":
                    bound = names.bind_arguments(node, ("ys", "xs"))
                    if bound is None or set(bound) != {"ys", "xs"}:
                        raise NotSplit(
                            node,
                            "tf.gradients has more arguments than a loss and variables",
                        )
                    if not self._lists_all_variables(bound["xs"]):
                        raise NotSplit(node, "tf.gradients is of only some variables")
                    found.append((node, bound["ys"]))
                elif (
                    isinstance(node.func, ast.Attribute)
                    and node.func.attr == "compute_gradients"
                ):
                    bound = names.bind_arguments(node, _COMPUTE)
                    if bound is None or "loss" not in bound:
                        raise NotSplit(node, "arguments of compute_gradients()")
                    self._only = self._find_variable_prefix(bound.get("var_list"))
                    found.append((node, bound["loss"]))
        if len(found) != 1:
            raise NotSplit(optimizer, "it does not compute its gradients exactly once")
        return found[0]
