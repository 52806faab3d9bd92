"""The scopes around an update, by which TF1 named what the update makes.

    with tf.variable_scope("train"):      # train/net/w/Adam, train/beta1_power
        update = optimizer.minimize(loss)

Measured with TF 1.15.5: slots and moving averages have the variable scope before their names,
Adam's powers the name scopes, which variable scopes open, too. A step enters them around the
update alone.
"""

from __future__ import annotations

import ast

from migrate.backends.custom_loop.context import Context
from migrate.backends.custom_loop.named_parts import NamedParts
from migrate.backends.custom_loop.scope_names import FUNCTIONS, SCOPES, ScopeNames
from migrate.facts import names
from migrate.plan import Block, Item
from migrate.program.binding_time import list_every_flow
from migrate.program.binding_time.numbered_scopes import tell_renamed
from migrate.program.code import join_code, make_code
from migrate.program.ir import Flow
from migrate.tables import optimizers as table

_SYNCHRONOUS = "tf.train.SyncReplicasOptimizer"
_APPLIES = ("minimize", "apply_gradients")
_RECIPE = (
    "Give the scope around the update a name that nothing else has, or make the "
    "update outside of all scopes."
)


class UpdateScopes:
    """Enters scopes around updates."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._scopes = context.scopes
        self._names = ScopeNames(context.program, context.scopes)
        symbols = {symbol for _, symbol in self._scopes.walk_uses()}
        made = symbols & set(table.OPTIMIZERS) - {_SYNCHRONOUS}
        self._has_slots = not made or bool(made - table.WITHOUT_STATE)
        # SyncReplicasOptimizer made the powers outside of all name scopes.
        self._synchronous = _SYNCHRONOUS in symbols
        self._has_powers = not self._synchronous and (
            not made or bool(made & table.COUNTING)
        )
        self._updates = [
            flow
            for flow in list_every_flow(context.program.flows)
            if flow.update is not None and flow.update.kind in _APPLIES
        ]

    def enter(self, flow: Flow, items: list[Item]) -> list[Item]:
        """Puts the statements of an update into the scopes that were around it."""
        calls = self._list_calls(flow.statement)
        for call in self._names.list_around(flow.statement):
            if (
                call not in calls
                and self._has_slots
                and self._names.is_variable_scope(call)
            ):
                self._tell(call, "a branch or a loop makes the update in this scope")
        in_variable_scope = any(self._names.is_variable_scope(c) for c in calls)
        if not (self._has_powers or (self._has_slots and in_variable_scope)):
            return items
        if not calls:
            return items
        found = [(call, self._names.read_name(call)) for call in calls]
        for call, name in found:
            if name is None:
                self._tell(call, "the tool does not know this scope's name")
                return items
        parts = [(call, name) for call, name in found if name]
        if not parts:
            return items
        scope = "/".join(
            n for call, n in parts if n and self._names.is_variable_scope(call)
        )
        if scope:
            self._check_sharing(flow, scope, parts[-1][0])
        once = self._has_powers and self._is_entered_once(flow, parts)
        header = [make_code(each) for each in self._list_managers(parts, scope, once)]
        return [Block(make_code("with ", join_code(", ", header), ":"), items)]

    def _list_managers(
        self, parts: list[tuple[ast.Call, str]], scope: str, once: bool
    ) -> list[str]:
        """Returns the context managers that a step enters around the update.

        Args:
          scope: the variable scope, "" if there is none.
          once: whether the step enters nothing else with these names.
        """
        path = "/".join(name for _, name in parts)
        powers = [f'tf.name_scope("{path if once else path + "/"}")']
        if not self._has_powers:
            powers = []
        program = self._context.program
        if program.cluster is not None or program.towers is not None:
            # A strategy also enters variable scopes once more, as name scopes.
            return [*([f'replicas.slots_in("{scope}")'] if scope else []), *powers]
        if once:
            return [
                f'tf.compat.v1.variable_scope("{name}")'
                if self._names.is_variable_scope(call)
                else f'tf.name_scope("{name}")'
                for call, name in parts
            ]
        # The step may have entered a scope of this name. It must not get another number.
        rest = ", auxiliary_name_scope=False" if self._has_powers else ""
        given = f'tf.compat.v1.variable_scope("{scope}"{rest})'
        return [*([given] if scope else []), *powers]

    def _list_calls(self, node: ast.AST) -> list[ast.Call]:
        """Returns scopes around a statement that a step does not enter, outermost first."""
        found: list[ast.Call] = []
        above: ast.AST | None = self._scopes.parents.get(node)
        while above is not None and not isinstance(above, FUNCTIONS):
            if isinstance(above, ast.With):
                found = [*self._names.list_items(above), *found]
            elif not isinstance(above, ast.Module):
                found = []  # The blocks inside it stay as they are.
            above = self._scopes.parents.get(above)
        return found

    def _is_entered_once(self, flow: Flow, parts: list[tuple[ast.Call, str]]) -> bool:
        """Whether nothing else has the names of these scopes; reports names from before.

        TF1 gave the second use of a name a number.
        """
        calls = [call for call, _ in parts]
        once = True
        for number in range(1, len(parts) + 1):
            path = "/".join(name for _, name in parts[:number]).lower()
            for node, other in self._list_named(path):
                if node in calls:
                    continue
                once = False
                if node.lineno <= calls[number - 1].lineno or not other:
                    self._tell(
                        calls[number - 1],
                        f"`{path}` is the name of this scope and of something else. "
                        "TensorFlow 1 added a number to the later one",
                    )
                    return False
        inside = [
            f for f in self._updates if calls[-1] in self._list_calls(f.statement)
        ]
        return (
            once
            and inside == [flow]
            and not NamedParts(self._context).keeps_scope(flow.statement)
        )

    def _list_named(self, path: str) -> list[tuple[ast.Call, bool]]:
        """Returns scopes and operations of a path, and whether each is in the driver."""
        last = path.rpartition("/")[2]
        driver = self._context.program.driver
        found: list[tuple[ast.Call, bool]] = []
        for call in self._scopes.walk():
            if not isinstance(call, ast.Call):
                continue
            name: object
            if self._scopes.resolve(call.func) in SCOPES:
                name = self._names.read_name(call)
            elif self._scopes.resolve(call.func) is not None:
                name = names.read_literal(names.find_argument(call, "name"))
            else:
                continue
            if not isinstance(name, str) or not name:
                continue
            if name.lower().rpartition("/")[2] != last:
                continue
            above = self._names.list_around(call)
            full = "/".join(filter(None, [self._names.read_path(above), name])).lower()
            here = self._scopes.find_scope(call).node in (driver, self._scopes.tree)
            if full == path or (not here and path.endswith("/" + full)):
                found.append((call, here))
        return found

    def _check_sharing(self, flow: Flow, scope: str, call: ast.Call) -> None:
        """Reports several optimizers of one scope, which may number their slots together."""
        assert flow.update is not None
        if self._context.program.partitioned:
            self._tell(call, "the update in this scope changes partitioned variables")
        others = [
            f.update
            for f in self._updates
            if f.update is not None
            and scope
            == self._names.read_path(
                [
                    c
                    for c in self._list_calls(f.statement)
                    if self._names.is_variable_scope(c)
                ]
            )
        ]
        if len({str(u.optimizer.parts) for u in others}) > 1 and any(
            u.variables is None for u in others
        ):
            self._tell(call, "several optimizers update variables in this scope")

    def _tell(self, call: ast.Call, reason: str) -> None:
        tell_renamed(
            self._scopes,
            self._context.diagnostics,
            call,
            f"{reason}, so that the optimizer's variables may have other names",
            _RECIPE,
            self._scopes.resolve(call.func) or "",
        )
