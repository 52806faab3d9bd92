"""Rewrites a program of Estimators for the emitted module `estimator_loop`.

Its functions stay: a model_fn still builds a graph, which the emitted module has traced
as a step function of a strategy. So the rewrite is of names: tf.estimator's become the
module's, and TF1 functions that need a graph are kept under tf.compat.v1 where a graph
is being built.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.backends import serving_specs
from migrate.backends.derived_hooks import plan_derived_hooks
from migrate.backends.estimator_graphs import plan_graph_code
from migrate.backends.estimator_hooks import (
    plan_loads,
    plan_updates,
    plan_writers,
    refuse_feeds_in_hooks,
)
from migrate.backends.fed_datasets import plan_fed_datasets
from migrate.backends.input_sessions import InputSessions
from migrate.backends.keras_model_estimators import plan_keras
from migrate.backends.scaffolds import plan_scaffolds
from migrate.facts import gradients_behind, python_data
from migrate.facts.scopes import Scopes
from migrate.findings import Finding, Outcome, make_refusal
from migrate.frontends.estimators.estimator import EstimatorProgram, find_iterators
from migrate.frontends.estimators.hooks import SessionRun, find_session_runs
from migrate.frontends.estimators.input_sessions import InputSession
from migrate.frontends.sessions.derived_hooks import ends_with_values
from migrate.plan import Dropped, Plan
from migrate.program.code import make_code
from migrate.rules import keras_inside, unmoved_averages
from migrate.rules.contrib_graph import ContribGraph
from migrate.source.nodes import walk_breadth_first
from migrate.tables import contrib_graph, modes, roles
from migrate.tables import estimator as table
from migrate.tables.hooks import CALLBACK

_WHEN_ASKED = f"{table.MODULE}.when_asked"
# The emitted module, and the one it needs beside it.
SUPPORT = table.list_needed_files(table.MODULE)


def builds_graph(scopes: Scopes) -> bool:
    """Whether a module has anything that must stand in a graph, and has no session."""
    found = False
    for _, symbol in table.find_uses(scopes):
        if symbol in ("tf.Session", "tf.InteractiveSession"):
            return False
        if symbol in modes.MODES:
            continue  # A string.
        found = found or bool(
            table.find_longest(symbol, table.LAYERS)
            or table.find_longest(symbol, table.IN_GRAPH_EMITTED)
            or symbol in contrib_graph.GRAPH
            or table.find_prefix(symbol, table.IN_GRAPH)
            or table.find_longest(symbol, table.EMITTED)
        )
    return (
        found
        or any(find_iterators(scopes))
        or any(True for _ in python_data.find(scopes, _WHEN_ASKED))
    )


class EstimatorRewrite:
    """Plans a program's rewrite.

    Args:
      updates: whether another file of the program runs tf.GraphKeys.UPDATE_OPS.
      sessions: the file's sessions, which look at its input.
      quiet: functions of other files that normalise no batches.

    Attributes:
      claimed: node -> (code, reason), of what was rewritten.
      refused: findings for what cannot be.
      rewritten: findings for what is no use of a TensorFlow symbol.
    """

    def __init__(
        self,
        program: EstimatorProgram,
        scopes: Scopes,
        plan: Plan,
        updates: bool = False,
        sessions: tuple[InputSession, ...] = (),
        quiet: frozenset[str] = frozenset(),
    ) -> None:
        self._program, self._scopes, self._plan = program, scopes, plan
        self._updates, self._quiet = updates, quiet
        self._sessions = InputSessions(sessions, scopes, plan)
        self._uses: list[tuple[ast.expr, str]] = []
        self.claimed: dict[ast.AST, tuple[str, str]] = {}
        self.refused: list[Finding] = []
        self.rewritten: list[Finding] = []

    def run(self) -> None:
        uses = self._uses = table.find_uses(self._scopes)
        self._sessions.run()
        self.claimed.update(self._sessions.claimed)
        self.rewritten += self._sessions.rewritten
        for call, spec in serving_specs.find_specs(self._scopes):
            self._plan.replace(call, spec)
            self.claimed[call.func] = ("E101", "now the spec of the serving input")
        self._contrib = ContribGraph(self._scopes, self._plan, self.claimed, "L150")
        self.claimed.update(plan_fed_datasets(self._scopes, self._plan))
        claimed, refused = plan_derived_hooks(self._scopes, self._plan)
        self.claimed.update(claimed)
        self.refused += refused + refuse_feeds_in_hooks(self._scopes)
        claimed, updates, refused = plan_updates(self._scopes, self._plan)
        self.claimed.update(claimed)
        self.refused += refused
        self.rewritten += plan_loads(self._scopes, self._plan)
        self.claimed.update(plan_writers(self._scopes, self._plan))
        self.claimed.update(plan_keras(uses, self._plan))
        self.refused += keras_inside.find_refusals(self._scopes, uses)
        self.refused += plan_scaffolds(self._scopes, self._plan, self.claimed)
        rewritten, refused = plan_graph_code(
            self._scopes, self._plan, self._program.model
        )
        self.rewritten += rewritten
        self.refused += refused
        for node, symbol in uses:
            if node not in self.claimed:
                self._rewrite_use(node, symbol)
        for call in self._program.iterators:
            if call not in self._sessions.iterators:
                self._rewrite_iterator(call)
        for call in python_data.find(self._scopes, _WHEN_ASKED):
            self._plan.replace(call, python_data.write(call, _WHEN_ASKED))
        for dimension in _find_dimensions(self._scopes):
            self._rewrite_dimension(dimension)
        for name in _find_operation_names(self._scopes):
            if self._is_within(name, self._program.model):
                self._rewrite_operation_name(name)
        self.refused += unmoved_averages.find(
            uses, self._scopes, self._updates, self._quiet
        )
        for call, update in gradients_behind.find(self._scopes):
            self._refuse(
                call,
                gradients_behind.CODE,
                "",
                gradients_behind.explain(update),
                gradients_behind.RECIPE,
            )
        for found in find_session_runs(self._scopes):
            if found.call in self.claimed:
                continue  # Of a callback.
            if found.call in updates:
                self._report_rewrite(
                    found.call, "H110", "an assignment, by the hook's session"
                )
            else:
                self._rewrite_session_run(found)
        if not self._program.imported:
            self._plan.support.update(SUPPORT)
        self._plan.imports.append(f"import {table.MODULE}")

    def _rewrite_use(self, node: ast.expr, symbol: str) -> None:
        if symbol in table.SWITCHES:
            return self._drop_switch(node)
        if symbol in roles.PARTITIONERS:
            return self._become(
                node,
                f"tf.compat.v1{symbol[2:]}",
                "E102",
                "kept: the variables of a model_fn are made in the same parts",
            )
        if symbol in table.TPU_SPECS and self._has_host_call(node):
            return self._refuse(node, *_find_refusal(symbol, "tf.contrib.tpu"))
        target = table.find_longest(symbol, table.EMITTED)
        if target is not None:
            if target.partition(".")[0] in table.BESIDE:
                return self._replace_canned_symbol(node, symbol, target)
            if symbol in table.TPU_ESTIMATORS:
                self._plan.support.update(table.BESIDE[table.TPU_MODULE])
                said = f"now {target}: {table.NO_TPU}"
                return self._become(node, target, "E156", said)
            return self._become(node, target, "E101", f"now {target}")
        target = table.find_longest(symbol, table.LAYERS)
        if target is not None:
            return self._become(
                node, target, "L104", "Keras 2's own copy of the function: same names"
            )
        in_graph = self._is_within(node, self._program.model)
        if symbol.startswith("tf.contrib") and self._contrib.plan_use(
            node, symbol, in_graph
        ):
            return None
        if in_graph:
            target = table.find_longest(symbol, table.IN_GRAPH_EMITTED)
            if target is not None:
                return self._become(node, target, "E101", f"now {target}")
            if table.find_prefix(symbol, table.IN_GRAPH):
                return self._keep(node, symbol)
        if table.find_prefix(symbol, table.IN_SERVING) and self._is_within(
            node, self._program.serving
        ):
            return self._keep(node, symbol)
        if symbol in table.IN_INPUT and self._is_within(node, self._program.input):
            return self._keep(node, symbol)
        if table.find_prefix(symbol, table.IN_SERVING):
            in_model = self._is_within(node, self._program.model)
            if not in_model and _makes_receiver(node, self._scopes):
                return self._refuse(node, "E114", symbol, *table.RECEIVER)
            return self._refuse(node, "E114", symbol, *table.NOT_FED[in_model])
        name = table.find_prefix(symbol, table.REFUSED)
        if name:
            self._refuse(node, *_find_refusal(symbol, name))

    def _has_host_call(self, node: ast.expr) -> bool:
        call = self._scopes.parents.get(node)
        return isinstance(call, ast.Call) and any(
            k.arg == "host_call"
            and not (isinstance(k.value, ast.Constant) and k.value.value is None)
            for k in call.keywords
        )

    def _drop_switch(self, node: ast.expr) -> None:
        """`tf.disable_v2_behavior()`: what is emitted runs as TF2 does."""
        call = self._scopes.parents.get(node)
        statement = self._scopes.parents.get(call) if call is not None else None
        if isinstance(call, ast.Call) and isinstance(statement, ast.Expr):
            self._plan.statements[statement] = [Dropped(statement)]
            self.claimed[node] = ("S117", "dropped: the program runs as TF2 does")

    def _become(self, node: ast.expr, target: str, code_: str, reason: str) -> None:
        self._plan.replace(node, make_code(target))
        self.claimed[node] = (code_, reason)

    def _replace_canned_symbol(self, node: ast.expr, symbol: str, target: str) -> None:
        """A ready-made Estimator, or a part of one: a module of its own has TF1's."""
        path = self._scopes.find_dotted_path(node) or ""
        only_in_tf2 = table.find_tf2_symbol(self._uses)
        optimizer = self._write_keras_optimizer(node)
        by_name = symbol.startswith("tf.estimator.") and symbol[13:] in table.CANNED
        of_tf2 = bool(only_in_tf2 or optimizer)
        if by_name and of_tf2 and not path.startswith("tensorflow.compat.v1."):
            why = f"`{only_in_tf2}` exists only in TensorFlow 2"
            rename = f"write `{only_in_tf2}` with TensorFlow 1's name, and "
            if not only_in_tf2:
                why = f"TensorFlow 1's Estimators do not accept `{optimizer}`"
                rename = ""
            return self._refuse(
                node,
                "E117",
                symbol,
                f"{why}, so this may be a program of TensorFlow 2. Its ready-made "
                "Estimators have other losses and optimizers than those of "
                "TensorFlow 1",
                f"If you mean TensorFlow 1's Estimators, {rename}use optimizers of "
                "tf.train. If you mean TensorFlow 2's, stay on TensorFlow 2.15, the "
                "last version that has them.",
            )
        module = target.partition(".")[0]
        self._plan.support.update(table.BESIDE[module])
        self._plan.imports.append(f"import {module}")
        separator = ": " if module in table.BESIDE_CODES else ", "
        code_, said = table.BESIDE_CODES.get(module, ("E101", "as TF1 had it"))
        if by_name:
            said += ": its loss is the sum over a batch"
        self._become(node, target, code_, f"now {target}{separator}{said}")

    def _write_keras_optimizer(self, node: ast.expr) -> str:
        """A Keras optimizer that a ready-made Estimator is given, which TF1's refused."""
        call = self._scopes.parents.get(node)
        for keyword in call.keywords if isinstance(call, ast.Call) else ():
            if (keyword.arg or "").endswith("optimizer"):
                given = keyword.value
                made = given.func if isinstance(given, ast.Call) else given
                symbol = self._scopes.resolve(made) or ""
                if symbol.startswith("tf.keras.optimizers."):
                    return symbol
        return ""

    def _keep(self, node: ast.expr, symbol: str) -> None:
        reason = "kept under tf.compat.v1: this function builds a graph"
        if symbol.startswith("tf.metrics."):
            reason = (
                "kept under tf.compat.v1; where a training graph has it, it counts every "
                "batch, in TF1 only those whose summary was written"
            )
        self._become(node, f"tf.compat.v1{symbol[2:]}", "E102", reason)

    def _refuse(
        self, node: ast.expr, code_: str, symbol: str, reason: str, recipe: str
    ) -> None:
        self.refused.append(make_refusal(node, code_, symbol, reason, recipe))

    def _is_within(self, node: ast.AST, functions: frozenset[ast.AST]) -> bool:
        return self._program.is_within(node, functions, self._scopes)

    def _rewrite_session_run(self, found: SessionRun) -> None:
        """`session.run(...)` in a hook: what has a value at any time, or is refused."""
        if found.initializer:
            # Of a variable it would be an error at run time, by the hook's session.
            return self._report_rewrite(
                found.call, "I111", "an iterator that begins by itself"
            )
        if ends_with_values(found.call, found.fetches, self._scopes):
            assert isinstance(found.fetches, ast.Attribute)
            self._plan.replace(
                found.call, make_code(found.fetches.value, ".values_at_end()")
            )
            said = "the last step's values; TensorFlow 1 ran a step more for them"
            return self._report_rewrite(found.call, "H110", said)
        if not found.variables or found.fetches is None:
            self.refused.append(
                make_refusal(
                    found.call,
                    "H122",
                    "",
                    "a hook runs something in its session, but a step function has "
                    "no session",
                    "Request the tensor in before_run by tf.train.SessionRunArgs, "
                    "and keep its value in after_run. " + CALLBACK,
                )
            )
            return
        if found.is_eval:
            self._plan.replace(
                found.call, make_code(found.session, ".run(", found.fetches, ")")
            )
        self._report_rewrite(
            found.call, "H110", "variables, whose values the hook's session gives"
        )

    def _rewrite_iterator(self, call: ast.Call) -> None:
        """`dataset.make_one_shot_iterator()`."""
        assert isinstance(call.func, ast.Attribute)
        dataset = call.func.value
        self._plan.replace(
            call, make_code(f"{table.MODULE}.one_shot_iterator(", dataset, ")")
        )
        self._report_rewrite(
            call,
            "I111",
            "an iterator that stands for a batch while the input_fn is traced",
        )

    def _rewrite_dimension(self, node: ast.Attribute) -> None:
        """`x.shape[1].value`: dimensions are numbers in TF2."""
        self._plan.replace(node, make_code(node.value))
        self._report_rewrite(node, "E105", "a dimension is a number, or None, in TF2")

    def _rewrite_operation_name(self, node: ast.Attribute) -> None:
        """`v.op.name`: a variable has no operation in TF2."""
        assert isinstance(node.value, ast.Attribute)
        value = node.value.value
        self._plan.replace(node, make_code(f"{table.MODULE}.op_name(", value, ")"))
        self._report_rewrite(node, "E105", "the same name, also of a variable")

    def _report_rewrite(self, node: ast.expr, code_: str, reason: str) -> None:
        self.rewritten.append(
            Finding(
                node.lineno, node.col_offset + 1, code_, Outcome.REWRITTEN, "", reason
            )
        )


def _find_operation_names(scopes: Scopes) -> Iterator[ast.Attribute]:
    """`x.op.name`."""
    for node in walk_breadth_first(scopes.tree):
        if (
            isinstance(node, ast.Attribute)
            and node.attr == "name"
            and isinstance(node.ctx, ast.Load)
            and isinstance(node.value, ast.Attribute)
            and node.value.attr == "op"
        ):
            yield node


def _find_dimensions(scopes: Scopes) -> Iterator[ast.Attribute]:
    """`.value` of an item of a shape: `x.shape[1].value`, `x.get_shape()[1].value`."""
    for node in walk_breadth_first(scopes.tree):
        if (
            isinstance(node, ast.Attribute)
            and node.attr == "value"
            and isinstance(node.value, ast.Subscript)
            and isinstance(node.ctx, ast.Load)
        ):
            shape = node.value.value
            if isinstance(shape, ast.Call):
                shape = shape.func
            if isinstance(shape, ast.Attribute) and shape.attr in (
                "shape",
                "get_shape",
            ):
                yield node


def _find_refusal(symbol: str, name: str) -> tuple[str, str, str, str]:
    code_, reason, recipe = table.REFUSED[name]
    return code_, symbol, reason, recipe


def _makes_receiver(node: ast.AST, scopes: Scopes) -> bool:
    """Whether it is in a function that makes, or is named as making, a receiver.

    def eval_input_receiver_fn():
      examples = tf.placeholder(tf.string, [None])
      return tfma.export.EvalInputReceiver(features, {"examples": examples}, labels)
    """
    around: ast.AST | None = node
    while around is not None:
        if isinstance(around, ast.FunctionDef) and (
            "receiver" in around.name
            or any(
                isinstance(n, ast.Call)
                and ast.unparse(n.func).endswith(("InputReceiver", "InputFnOps"))
                for n in walk_breadth_first(around)
            )
        ):
            return True
        around = scopes.parents.get(around)
    return False
