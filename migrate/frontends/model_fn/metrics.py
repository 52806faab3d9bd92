"""The metrics of an evaluation, as Keras metrics that count the same."""

from __future__ import annotations

import ast
import dataclasses

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.model_fn.calls import find_uses
from migrate.frontends.model_fn.grown import list_items, read_added_items
from migrate.frontends.model_fn.modes import ModeValues, NotSplit
from migrate.program.keras_model import Metric
from migrate.program.keras_units import Unit
from migrate.source.nodes import walk_breadth_first
from migrate.tables import keras_models as table

# A metric's name, what makes it, and where there is one (see Metric).
_Entry = tuple[ast.expr, ast.expr, ast.expr | None]


class Metrics:
    """Finds the metrics of one model_fn.

    Args:
      values: what is known in evaluation.
    """

    def __init__(self, scopes: Scopes, values: ModeValues | None) -> None:
        self._scopes, self._values = scopes, values

    def run(
        self, spec: dict[str, ast.expr], units: list[Unit]
    ) -> tuple[list[Metric], list[Unit]]:
        """The metrics of eval_metric_ops, and statements that only gathered them.

        Raises:
          NotSplit: of one of them no Keras metric is known.
        """
        given = spec.get("eval_metric_ops")
        gone: list[Unit] = []
        if given is None:
            return [], gone
        found = []
        for key, value, test in self._list_entries(given, units, gone):
            text = self.find_key(key, value)
            pair = find_pair_statement(value, [u.statement for u in units])
            if pair is not None:
                gone += [u for u in units if u.statement is pair]
                call: ast.expr = pair.value
            else:
                call = self._choose_value(find_value(value, units, gone))
            found.append(dataclasses.replace(self.make_metric(text, call), test=test))
        return found, gone

    def find_key(self, key: ast.expr, value: ast.expr) -> str:
        """A metric's name, which is not one of Estimator's own."""
        if not (isinstance(key, ast.Constant) and isinstance(key.value, str)):
            raise NotSplit(value, "the name of a metric is not written out")
        if key.value in ("loss", "global_step"):
            raise NotSplit(
                value,
                f"a metric is named {key.value!r}, which is a name of the "
                "Estimator itself",
            )
        return key.value

    def _list_entries(
        self, given: ast.expr, units: list[Unit], gone: list[Unit]
    ) -> list[_Entry]:
        """Names and metrics of a dictionary, with those that are added to it."""
        more: list[_Entry] = []
        if isinstance(given, ast.Name):
            for unit in units:
                if given.id not in names.find_mutations(unit.statement):
                    continue
                more += self._read_added_entries(unit.statement, given.id)
                gone.append(unit)
        value = self._choose_value(find_value(given, units, gone))
        entries = list_items(value)
        if entries is None:
            raise NotSplit(value, "eval_metric_ops is not a dict that is written out")
        every = [*((key, one, None) for key, one in entries), *more]
        keys = [ast.dump(key) for key, _, _ in every]
        if len(set(keys)) < len(keys):
            raise NotSplit(value, "two metrics have the same name")
        return every

    def _read_added_entries(self, statement: ast.stmt, name: str) -> list[_Entry]:
        """Reads the metrics that a statement adds, also under a known condition."""
        entries = read_added_items(statement, name)
        if entries is not None:
            return [(key, value, None) for key, value in entries]
        if isinstance(statement, ast.If) and not statement.orelse:
            several = [read_added_items(one, name) for one in statement.body]
            if None not in several and self._is_known(statement.test):
                pairs = [pair for some in several for pair in some or ()]
                return [(key, value, statement.test) for key, value in pairs]
        raise NotSplit(
            statement,
            "a condition other than the mode decides whether a metric is added",
        )

    def _is_known(self, test: ast.expr) -> bool:
        """Whether a condition is of parameters of the model_fn and names of its file."""
        if self._values is None or self._values.reads_mode(test):
            return False
        for node in walk_breadth_first(test):
            if isinstance(node, ast.Call):
                return False
            if not isinstance(node, ast.Name):
                continue
            owner = self._scopes.find_scope(node).find_owner(node.id)
            bound = owner.bindings[node.id] if owner is not None else []
            if len(bound) != 1:
                return False
            if owner is not self._scopes.module and not isinstance(bound[0], ast.arg):
                return False
            if node.id in self._values.bound:
                return False
        return True

    def _choose_value(self, node: ast.expr) -> ast.expr:
        return self._values.choose_branch(node) if self._values is not None else node

    def make_metric(self, key: str, call: ast.expr) -> Metric:
        """The Keras metric of a call."""
        symbol = (
            self._scopes.resolve(call.func) if isinstance(call, ast.Call) else None
        ) or ""
        row = table.METRICS.get(symbol)
        if row is None or not isinstance(call, ast.Call):
            raise NotSplit(
                call,
                "the tool knows no Keras metric that counts the same as the "
                f"metric {key!r}",
            )
        options = [k for k in call.keywords if k.arg in row.options]
        bound = names.bind_arguments(
            _drop_keywords(call, options),
            (*row.parameters, *row.constructor, "weights", "name"),
        )
        # TF1's functions have collections after the weights, and their names last.
        places = len((*row.parameters, *row.constructor, "weights"))
        if bound is None or len(call.args) > places:
            raise NotSplit(
                call, f"{symbol} has arguments that its Keras metric does not have"
            )
        if not all(isinstance(k.value, ast.Constant) for k in options):
            raise NotSplit(call, f"{symbol} has arguments that are not constants")
        if not all(p in bound for p in row.parameters):
            raise NotSplit(call, f"a required argument of {symbol} is missing")
        weights = bound.get("weights")
        if isinstance(weights, ast.Constant) and weights.value is None:
            weights = None
        return Metric(
            key,
            call,
            row,
            (
                *(bound[p] for p in row.parameters),
                *([] if weights is None else [weights]),
            ),
            (
                *((p, bound[p]) for p in row.constructor if p in bound),
                *((k.arg, k.value) for k in options if k.arg),
            ),
            weighted=weights is not None,
        )

    def check_training(self, training: list[Unit], metrics: list[Metric]) -> None:
        """Refuses streaming metrics in training that evaluation does not have."""
        known = {ast.dump(m.call) for m in metrics}
        for unit in training:
            for node, symbol in find_uses(unit.statement, self._scopes):
                if not symbol.startswith("tf.metrics."):
                    continue
                call = self._scopes.parents.get(node)
                statement = unit.statement
                plain = (
                    isinstance(statement, ast.Assign)
                    and statement.value is call
                    and isinstance(statement.targets[0], ast.Name)
                )
                if call is None or ast.dump(call) not in known or not plain:
                    raise NotSplit(node, "only the training uses this streaming metric")
                assert isinstance(statement, ast.Assign)
                self._check_reads(ast.unparse(statement.targets[0]), training, node)

    def _check_reads(self, name: str, training: list[Unit], where: ast.AST) -> None:
        for unit in training:
            for node in walk_breadth_first(unit.statement):
                if isinstance(node, ast.Name) and node.id == name:
                    if isinstance(node.ctx, ast.Load):
                        parent = self._scopes.parents.get(node)
                        if not (
                            isinstance(parent, ast.Subscript)
                            and isinstance(parent.slice, ast.Constant)
                        ):
                            raise NotSplit(
                                where,
                                "it uses the pair of a metric's value and "
                                "update, and not one of the two",
                            )


def _drop_keywords(call: ast.Call, keywords: list[ast.keyword]) -> ast.Call:
    kept = [keyword for keyword in call.keywords if keyword not in keywords]
    return ast.Call(call.func, call.args, kept)


def find_pair_statement(
    node: ast.expr, statements: list[ast.stmt]
) -> ast.Assign | None:
    """Finds the statement that makes a pair `(a, b)`: `a, b = tf.metrics.mean(x)`."""
    if not isinstance(node, ast.Tuple):
        return None
    found = []
    for statement in statements:
        target = statement.targets[0] if isinstance(statement, ast.Assign) else None
        if isinstance(target, ast.Tuple) and ast.unparse(target) == ast.unparse(node):
            found.append(statement)
    wanted = names.find_reads(node)
    makers = [s for s in statements if names.find_binds(s) & wanted]
    if len(found) != 1 or makers != found or len(wanted) != 2:
        return None
    assert isinstance(found[0], ast.Assign)
    return found[0]


def find_value(node: ast.expr, units: list[Unit], gone: list[Unit]) -> ast.expr:
    """Returns the value that the one assignment of a name gives it."""
    if not isinstance(node, ast.Name):
        return node
    makers = [u for u in units if node.id in names.find_binds(u.statement)]
    if len(makers) != 1 or not isinstance(makers[0].statement, ast.Assign):
        raise NotSplit(
            node, f"`{node.id}` is assigned more than once, or not in this function"
        )
    if not isinstance(makers[0].statement.targets[0], ast.Name):
        raise NotSplit(node, f"`{node.id}` gets its value by unpacking")
    gone.append(makers[0])
    return makers[0].statement.value
