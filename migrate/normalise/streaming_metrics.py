"""TF1 to TF1: a metric as an object, its value and its update as a statement each.

    acc, acc_op = tf.metrics.accuracy(labels, predictions)

    acc_metric = streaming_metrics.Metric(tf.metrics.accuracy)
    acc = acc_metric.value()
    acc_op = acc_metric.update(labels=labels, predictions=predictions)

The object has the totals, which are made once. A run that fetches the value alone needs no
batch. What lists local variables - a program's only ones are then those totals - asks the
metrics for them.
"""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.names import find_free_name
from migrate.normalise.text import Edit, ParsedText, Text, find_lines_inside_strings
from migrate.source.nodes import walk_breadth_first
from migrate.tables import streaming_metrics as table

_LOCAL_KEYS = frozenset(
    {"tf.GraphKeys.LOCAL_VARIABLES", "tf.GraphKeys.METRIC_VARIABLES"}
)
_MARKS = ("metrics.", "metrics import")


def split_metric_calls(text: Text) -> Text:
    """The text with such calls taken apart, as far as it is clear."""
    if not any(mark in text.source for mark in _MARKS):
        return text
    start = text
    while (new := _Calls(text).rewrite_first()) is not None:
        text = new
    if text is start or (lists := _Lists(text)).may_have_others():
        return start
    return lists.ask_metrics()


class _Calls(ParsedText):
    def rewrite_first(self) -> Text | None:
        """The text with one call taken apart; None if there is none to take."""
        if any(s.startswith("tf.estimator.") for _, s in self._scopes.walk_uses()):
            return None  # Its evaluation runs metrics by itself.
        for call in walk_breadth_first(self._tree):
            if not isinstance(call, ast.Call):
                continue
            symbol = self._scopes.resolve(call.func) or ""
            bound = names.bind_arguments(call, table.PARAMETERS.get(symbol, ()))
            if symbol not in table.PARAMETERS or bound is None:
                continue
            if any(names.is_given(bound.get(name)) for name in table.COLLECTIONS):
                continue
            statement = self._find_statement(call)
            if statement is not None:
                return self._take_lists(statement, call, bound)
        return None

    def _find_statement(self, call: ast.Call) -> ast.stmt | None:
        """The simple statement that makes the metric, always and once."""
        node: ast.AST = call
        while not isinstance(node, ast.stmt):
            if isinstance(node, (ast.Lambda, ast.IfExp, ast.BoolOp, ast.comprehension)):
                return None
            if hasattr(node, "generators"):
                return None
            node = self._scopes.parents[node]
        if not isinstance(node, (ast.Assign, ast.Return, ast.Expr)):
            return None
        if not self._text.is_alone(node) or find_lines_inside_strings(node):
            return None
        return node

    def _take_lists(
        self, statement: ast.stmt, call: ast.Call, bound: dict[str, ast.expr]
    ) -> Text:
        parent = self._scopes.parents[call]
        index = None
        if isinstance(parent, ast.Subscript) and parent.value is call:
            index = names.read_literal(parent.slice)
        value, update = self._find_targets(statement, call)
        metric = find_free_name(self._tree, _choose_word(value, update, call))
        given = {"totals": [ast.unparse(call.func)], "batch": []}
        for name, argument in bound.items():
            if name not in table.COLLECTIONS:
                when = "batch" if name in table.TENSORS else "totals"
                given[when].append(f"{name}={ast.unparse(argument)}")
        made = f"{metric} = {table.METRIC}({', '.join(given['totals'])})"
        counted = f"{metric}.update({', '.join(given['batch'])})"
        lines = [made]
        rest: Text | None = None
        pair = self._find_pair(statement, call)
        if pair is not None:
            target, uses = pair
            each = [f"{target}_value", f"{target}_update"]
            lines += [f"{each[0]} = {metric}.value()", f"{each[1]} = {counted}"]
            edits = [
                Edit(use, ast.unparse(use.value) + each[i].removeprefix(target))
                for use, i in uses
            ]
            rest = self._text.apply_edits([*edits, Edit(statement, "")])
        elif value or update:
            lines += [f"{value} = {metric}.value()"] if value else []
            lines += [f"{update} = {counted}"] if update else []
        elif index in (0, 1):
            part = counted if index else f"{metric}.value()"
            if getattr(statement, "value", None) is parent:
                rest = self._text.apply_edits([Edit(parent, part)])
            else:
                own = find_free_name(
                    self._tree, f"{metric}_{'update' if index else 'value'}"
                )
                lines.append(f"{own} = {part}")
                rest = self._text.apply_edits([Edit(parent, own)])
        else:
            own, other = (
                find_free_name(self._tree, f"{metric}_{w}") for w in ("value", "update")
            )
            lines += [f"{own} = {metric}.value()", f"{other} = {counted}"]
            rest = self._text.apply_edits([Edit(call, f"({own}, {other})")])
        indent = self._text.lines[statement.lineno - 1][: statement.col_offset]
        lines = [indent + line for line in lines]
        origins = [self._text.origins[call.lineno - 1]] * len(lines)
        at, end = statement.lineno, statement.end_lineno or statement.lineno
        if rest is not None:
            return rest.splice(at, at - 1, lines, origins)
        return self._text.splice(at, end, lines, origins)

    def _find_targets(self, statement: ast.stmt, call: ast.Call) -> tuple[str, str]:
        """Returns the names in `value, update = tf.metrics...`; "" for each without."""
        if not (
            isinstance(statement, ast.Assign)
            and statement.value is call
            and len(statement.targets) == 1
        ):
            return "", ""
        target = statement.targets[0]
        if (
            isinstance(target, (ast.Tuple, ast.List))
            and len(target.elts) == 2
            and all(names.find_key(e) is not None for e in target.elts)
        ):
            value, update = (ast.unparse(e) for e in target.elts)
            return "" if value == "_" else value, "" if update == "_" else update
        return "", ""

    def _find_pair(
        self, statement: ast.stmt, call: ast.Call
    ) -> tuple[str, list[tuple[ast.Subscript, int]]] | None:
        """Finds the name of the pair, if only `pair[0]` and `pair[1]` use it."""
        if not (
            isinstance(statement, ast.Assign)
            and statement.value is call
            and len(statement.targets) == 1
            and names.find_key(statement.targets[0]) is not None
        ):
            return None
        target = statement.targets[0]
        shown = ast.unparse(target)
        last = shown.rpartition(".")[2]
        uses: list[tuple[ast.Subscript, int]] = []
        for node in walk_breadth_first(self._tree):
            own = node.attr if isinstance(node, ast.Attribute) else None
            own = node.id if isinstance(node, ast.Name) else own
            if own in (f"{last}_value", f"{last}_update"):
                return None
            if own != last or node is target:
                continue
            if self._scopes.resolve(node) is not None:
                continue  # `tf.metrics.accuracy` itself.
            if isinstance(node, ast.Name) and isinstance(target, ast.Name):
                owner = self._scopes.find_scope(node).find_owner(last)
                if owner is not self._scopes.find_scope(target).find_owner(last):
                    continue
            elif isinstance(node, ast.Name) or isinstance(target, ast.Name):
                continue  # A name is no attribute.
            parent = self._scopes.parents[node]
            index = names.read_literal(getattr(parent, "slice", None))
            if not isinstance(parent, ast.Subscript) or index not in (0, 1):
                return None
            uses.append((parent, 1 if index else 0))
        return shown, uses


class _Lists(ParsedText):
    """Lists of a program's local variables."""

    def may_have_others(self) -> bool:
        """Whether there are, or may be, other local variables than the metrics' totals."""
        listed = {n for call, _ in self._find_calls() for n in walk_breadth_first(call)}
        return any(
            symbol in _LOCAL_KEYS and node not in listed
            for node, symbol in self._scopes.walk_uses()
        )

    def _find_calls(self) -> list[tuple[ast.Call, str]]:
        """Calls that list local variables, and the scope they are given."""
        found = []
        for call in walk_breadth_first(self._tree):
            if not isinstance(call, ast.Call):
                continue
            symbol = self._scopes.resolve(call.func)
            scope: ast.expr | None = None
            if symbol == "tf.get_collection" and call.args:
                if self._scopes.resolve(call.args[0]) not in _LOCAL_KEYS:
                    continue
                scope = names.find_argument(call, "scope", 1)
            elif symbol in ("tf.local_variables", "tf.metrics_variables"):
                scope = names.find_argument(call, "scope", 0)
            else:
                continue
            found.append((call, "" if scope is None else ast.unparse(scope)))
        return found

    def ask_metrics(self) -> Text:
        """The text in which such calls ask the metrics for the variables."""
        edits = [
            Edit(call, f"{table.VARIABLES}({scope})")
            for call, scope in self._find_calls()
        ]
        return self._text.apply_edits(edits)


def _choose_word(value: str, update: str, call: ast.Call) -> str:
    """A name for the object: after what the program calls the value, or the update."""
    function = ast.unparse(call.func).rpartition(".")[2]
    word = (value or update).rpartition(".")[2] or function
    for ending in ("_update_op", "_update", "_op"):
        word = word.removesuffix(ending)
    return f"{word}_metric" if word.strip("_") else f"{function}_metric"
