"""Functions of tf.contrib that build a graph: spelled as the emitted modules have them.

Which functions of a file build graphs is not decided here: Estimators' model_fns do, and
so do functions that a session program's steps call.
"""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.plan import Dropped, Plan
from migrate.program.code import make_code
from migrate.rules import calls
from migrate.tables import contrib_graph as table
from migrate.tables.calls import CallRow
from migrate.tables.contrib_training import (
    NOT_EMITTED,
    OPTIMIZE_LOSS,
    OPTIMIZE_LOSS_PARAMETERS,
)


class ContribGraph:
    """Plans the uses of one file.

    Attributes:
      claimed: nodes that are answered for -> (code, reason).
    """

    def __init__(
        self,
        scopes: Scopes,
        plan: Plan,
        claimed: dict[ast.AST, tuple[str, str]],
        code_: str,
    ) -> None:
        self._scopes, self._plan, self.claimed = scopes, plan, claimed
        self._code = code_
        # It may give functions arguments that their calls do not show.
        self._arg_scope = any(
            symbol in table.ARG_SCOPES and node not in claimed
            for node, symbol in scopes.walk_uses()
        )

    def plan_use(self, node: ast.expr, symbol: str, in_graph: bool) -> bool:
        """Plans one use; whether there was anything to plan.

        Args:
          in_graph: whether the code around it runs where a graph is being built.
        """
        if symbol in table.MODULES:
            return self._alias(node)
        call = self._find_call(node)
        if symbol in table.METRICS and in_graph and call is not None:
            return self._rewrite_row(call, table.METRICS[symbol])
        if self._is_left_to_rows(node, symbol, call):
            return False
        row = calls.ROWS.get(symbol)
        losses = symbol.startswith("tf.contrib.losses.")
        if losses and row is not None and call is not None and in_graph:
            return self._rewrite_row(call, row)
        target = table.GRAPH.get(symbol)
        if target is None or not (
            in_graph or call is None or symbol not in table.MAKES
        ):
            return False
        if call is not None and symbol in OPTIMIZE_LOSS and _asks_more(call):
            return False
        module = target.partition(".")[0]
        if module in table.FILES:
            self._plan.support.update(table.FILES[module])
            self._plan.imports.append(f"import {module}")
        self._plan.replace(node, make_code(target))
        self.claimed[node] = (self._code, f"now {target}")
        return True

    def _find_call(self, node: ast.expr) -> ast.Call | None:
        parent = self._scopes.parents.get(node)
        called = isinstance(parent, ast.Call) and parent.func is node
        return parent if isinstance(parent, ast.Call) and called else None

    def _is_left_to_rows(
        self, node: ast.expr, symbol: str, call: ast.Call | None
    ) -> bool:
        """Whether TF2 has a function for this call as it stands."""
        row = calls.ROWS.get(symbol)
        if row is None or call is None or self._arg_scope:
            return False
        if self._goes_through_own_name(node):
            return False
        return calls.rewrite_call(call, row, self._scopes) is not None

    def _goes_through_own_name(self, node: ast.expr) -> bool:
        """Whether it is spelled through `slim = tf.contrib.slim`."""
        base = node
        while isinstance(base, ast.Attribute):
            base = base.value
        if not isinstance(base, ast.Name):
            return False
        owner = self._scopes.find_scope(base).find_owner(base.id)
        return owner is not None and not self._scopes.is_imported(
            owner.bindings[base.id][0], base.id
        )

    def _rewrite_row(self, call: ast.Call, row: CallRow) -> bool:
        new = calls.rewrite_call(call, row, self._scopes)
        if new is None:
            return False
        self._plan.replace(call, new)
        self.claimed[call.func] = (self._code, f"now {row.target}: {row.reason}")
        return True

    def _alias(self, node: ast.expr) -> bool:
        """`slim = tf.contrib.slim`: nothing uses it any more."""
        statement = self._scopes.parents.get(node)
        if not (
            isinstance(statement, ast.Assign)
            and statement.value is node
            and all(isinstance(target, ast.Name) for target in statement.targets)
        ):
            return False
        self._plan.statements[statement] = [Dropped(statement)]
        self.claimed[node] = (
            self._code,
            "dropped: an alias of a contrib module that nothing uses any more",
        )
        return True


def _asks_more(call: ast.Call) -> bool:
    """Whether `optimize_loss` is given what the emitted one raises an error for."""
    given = names.bind_arguments(call, OPTIMIZE_LOSS_PARAMETERS) or {}
    return any(
        name in NOT_EMITTED
        and not (isinstance(value, ast.Constant) and value.value is None)
        for name, value in given.items()
    )
