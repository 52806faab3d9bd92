"""Metrics that a function makes, which becomes a method of the model.

def metric_fn(label_ids, logits, weights):
    predictions = tf.argmax(logits, axis=-1)
    accuracy = tf.metrics.accuracy(label_ids, predictions, weights)
    return {"eval_accuracy": accuracy}

eval_metrics = metric_fn(label_ids, logits, weights)
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.model_fn import checks
from migrate.frontends.model_fn.grown import list_items
from migrate.frontends.model_fn.metrics import Metrics, find_pair_statement
from migrate.frontends.model_fn.modes import NotSplit
from migrate.program.keras_model import Counter, Metric
from migrate.program.keras_units import Unit
from migrate.source.nodes import walk_breadth_first


def find_call(
    given: ast.expr | None, units: list[Unit], scopes: Scopes
) -> tuple[ast.Call, ast.FunctionDef, Unit | None] | None:
    """Finds the call that gives eval_metric_ops, its function, and its statement."""
    unit = None
    if isinstance(given, ast.Name):
        makers = [u for u in units if given.id in names.find_binds(u.statement)]
        if len(makers) != 1 or not isinstance(makers[0].statement, ast.Assign):
            return None
        unit = makers[0]
        changed = any(given.id in names.find_mutations(u.statement) for u in units)
        given = None if changed else makers[0].statement.value
    if isinstance(given, ast.Call):
        scopes.find_function(given.func)  # So that its file is known.
    if not isinstance(given, ast.Call) or not isinstance(given.func, ast.Name):
        return None
    owner = scopes.find_scope(given.func).find_owner(given.func.id)
    bound = owner.bindings[given.func.id] if owner is not None else []
    if len(bound) != 1 or not isinstance(bound[0], ast.FunctionDef):
        return None
    return given, bound[0], unit


class Counting:
    """Reads one such function.

    Args:
      model_fn: what calls it.
      unread: arguments of EstimatorSpecs that their modes do not look at.
    """

    def __init__(
        self,
        model_fn: ast.FunctionDef,
        function: ast.FunctionDef,
        scopes: Scopes,
        unread: Collection[ast.AST] = (),
    ) -> None:
        self._model_fn, self._function, self._scopes = model_fn, function, scopes
        self._unread = unread

    def run(self, call: ast.Call) -> tuple[Counter, list[Metric]]:
        """Returns the function as a method, and its metrics.

        Raises:
          NotSplit: it does more than count, is used elsewhere, or reads the model_fn.
        """
        function = self._function
        starred = len(call.args) == 1 and isinstance(call.args[0], ast.Starred)
        if not starred and names.bind_call(call, function) is None:
            raise NotSplit(
                call, f"the tool cannot tell the arguments of {function.name}() apart"
            )
        self._check_names(call)
        found = list(self._find_metrics())
        made = {id(metric.call) for metric in found}
        kept = []
        for statement in function.body[:-1]:
            value = getattr(statement, "value", None)
            text = isinstance(value, ast.Constant) and isinstance(value.value, str)
            if not isinstance(statement, ast.Assign) and not text:
                raise NotSplit(
                    statement, f"{function.name}() does more than make metrics"
                )
            if id(value) not in made:
                kept.append(statement)
        steps = checks.Steps(self._model_fn, self._scopes, {m.call.func for m in found})
        for statement in kept:
            steps.check(statement)
        for metric in found:
            for argument in metric.arguments:
                steps.check(argument)
        return Counter(function, call, tuple(kept), tuple(found)), found

    def _check_names(self, call: ast.Call) -> None:
        name = self._function.name
        owner = self._scopes.find_scope(call.func).find_owner(name)
        for node in walk_breadth_first(self._scopes.tree):
            if isinstance(node, ast.Name) and node.id == name and node is not call.func:
                if self._scopes.find_scope(node).find_owner(name) is owner:
                    if self._is_unread(node):
                        continue
                    raise NotSplit(
                        node, f"{name}() makes metrics, and other code uses it, too"
                    )
        outside = self._scopes.scope_by_node[self._function]
        for node in walk_breadth_first(self._function):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                owner = self._scopes.find_scope(node).find_owner(node.id)
                inside = owner in (outside, self._scopes.module, None)
                if not inside and self._is_outer(owner):
                    raise NotSplit(
                        node,
                        f"{name}() makes metrics, and reads the outer name `{node.id}`",
                    )

    def _is_unread(self, node: ast.Name) -> bool:
        """Whether a call is for another mode's EstimatorSpec, which leaves it out."""
        call = self._scopes.parents.get(node)
        word = self._scopes.parents.get(call) if call is not None else None
        return (
            isinstance(call, ast.Call)
            and isinstance(word, ast.keyword)
            and word.arg == "eval_metric_ops"
            and word in self._unread
        )

    def _is_outer(self, owner: object) -> bool:
        """Whether a scope is one around the function, not one of its comprehensions."""
        node = getattr(owner, "node", None)
        return node is not None and node not in set(walk_breadth_first(self._function))

    def _find_metrics(self) -> Iterator[Metric]:
        """The metrics of the dictionary that it returns."""
        last = self._function.body[-1]
        value = last.value if isinstance(last, ast.Return) else None
        entries = list_items(value) if value is not None else None
        if entries is None:
            raise NotSplit(
                self._function,
                f"{self._function.name}() makes metrics, and does not return a "
                "dict that is written out",
            )
        known = Metrics(self._scopes, None)
        keys: set[str] = set()
        for key, one in entries:
            text = known.find_key(key, one)
            if text in keys:
                raise NotSplit(one, "two metrics have the same name")
            keys.add(text)
            yield known.make_metric(text, self._find_value(one))

    def _find_value(self, node: ast.expr) -> ast.expr:
        """Returns the call that makes the metric of a name, or pair of names."""
        pair = find_pair_statement(node, self._function.body)
        if pair is not None:
            return pair.value
        if not isinstance(node, ast.Name):
            return node
        makers = [s for s in self._function.body if node.id in names.find_binds(s)]
        if len(makers) == 1 and isinstance(makers[0], ast.Assign):
            if isinstance(makers[0].targets[0], ast.Name):
                return makers[0].value
        raise NotSplit(node, f"the tool cannot tell which metric `{node.id}` is")
