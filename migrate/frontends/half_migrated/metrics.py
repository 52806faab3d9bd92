"""Metrics of Keras around eager code: where they are made, counted, read and reset."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.half_migrated.refused import Refused
from migrate.frontends.keras_names import find_keras_name
from migrate.program.eager import Metric, Step
from migrate.rules.mistakes.mistake import find_binding, find_method
from migrate.source.nodes import walk_breadth_first

_READS = frozenset({"result", "reset_states", "reset_state"})


class MetricReader:
    """Reads the metrics of one file.

    Args:
      found: its calls, each with what it calls.
      suite: the statements of the suite that opens the session.
      session: the one of them that holds the session's block.

    Attributes:
      updates: every call that counts something in one of them.

    Raises:
      Refused: a metric is made or used in another way than these.
    """

    def __init__(
        self,
        scopes: Scopes,
        found: list[tuple[ast.Call, str]],
        suite: list[ast.stmt],
        session: ast.stmt,
    ) -> None:
        self._scopes = scopes
        self._late = [s for s in suite[suite.index(session) :]]
        self._uses: dict[ast.Call, list[ast.Call]] = {}
        for call, _ in found:
            if _is_metric(scopes, call):
                self._check_made(call, suite[: suite.index(session)])
                self._uses[call] = list(self._find_metric_calls(call))
        self.updates = frozenset(
            u for uses in self._uses.values() for u in uses if not _reads(u)
        )

    def read(self, step: Step) -> tuple[Metric, ...]:
        """The metrics, with what is done to them in the step and in the loop.

        Raises:
          Refused: another function that is traced uses one, or one is used too early.
        """
        inside = {n for s in step.body for n in walk_breadth_first(s)}
        late = {n for s in self._late for n in walk_breadth_first(s)}
        found = []
        for made, uses in self._uses.items():
            for use in uses:
                if use not in inside and use not in late:
                    self._check_elsewhere(use)
                if use in inside and _reads(use):
                    raise Refused(
                        "D125",
                        use,
                        "the step reads or resets a metric",
                        "Read and reset the metric in the loop, after the step.",
                    )
            statement = self._scopes.parents[made]
            assert isinstance(statement, ast.Assign)
            counted = tuple(u for u in uses if u in inside)
            others = tuple(u for u in uses if u not in inside and not _reads(u))
            kind = find_keras_name(self._scopes, made.func).rpartition(".")[2]
            found.append(Metric(statement, made, kind, counted, others))
        return tuple(found)

    def _check_made(self, call: ast.Call, before: list[ast.stmt]) -> None:
        statement = self._scopes.parents[call]
        if (
            statement not in before
            or not isinstance(statement, ast.Assign)
            or len(statement.targets) != 1
            or find_binding(self._scopes, statement.targets[0]) is not call
        ):
            raise Refused(
                "D125",
                call,
                "the program does not make this metric, in a variable of its own, "
                "where it opens the session",
                "Write accuracy = tf.keras.metrics.SparseCategoricalAccuracy() "
                "before the session.",
            )

    def _find_metric_calls(self, made: ast.Call) -> Iterator[ast.Call]:
        """The calls of a metric and of its methods.

        Raises:
          Refused: it is used otherwise.
        """
        kept = names.find_key(self._scopes.parents[made].targets[0])  # type: ignore[attr-defined]
        for node in walk_breadth_first(self._scopes.tree):
            if not (
                isinstance(node, ast.Name)
                and node.id == kept
                and isinstance(node.ctx, ast.Load)
                and find_binding(self._scopes, node) is made
            ):
                continue
            around = self._scopes.parents[node]
            called = self._scopes.parents[around]
            if isinstance(around, ast.Call) and around.func is node:
                yield around
            elif (
                isinstance(around, ast.Attribute)
                and isinstance(called, ast.Call)
                and called.func is around
                and around.attr in (_READS | {"update_state"})
            ):
                yield called
            elif not (isinstance(around, ast.Attribute) and around.attr == "name"):
                raise Refused(
                    "D125",
                    node,
                    "the program passes a metric on",
                    "Update, read and reset the metric by its own name.",
                )

    def _check_elsewhere(self, use: ast.Call) -> None:
        """Refuses a metric's use before the loop, or in another traced function."""
        node: ast.AST = use
        while node in self._scopes.parents:
            node = self._scopes.parents[node]
            if isinstance(node, ast.FunctionDef):
                if not node.decorator_list:
                    return  # Called by the loop, for which it then counts.
                break
        where = "in another function that is traced"
        if not isinstance(node, ast.FunctionDef):
            where = "before the loop"
        raise Refused(
            "D125",
            use,
            f"the program uses a metric {where}",
            "Update the metric in the step, and read it in the loop.",
        )


def _is_metric(scopes: Scopes, call: ast.Call) -> bool:
    module, _, kind = find_keras_name(scopes, call.func).rpartition(".")
    return module == "metrics" and kind[:1].isupper()


def _reads(use: ast.Call) -> bool:
    return find_method(use) in _READS
