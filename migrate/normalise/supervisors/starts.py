"""TF1 to TF1: an `init_fn` that a call makes, as a function that restores.

    init_fn = slim.assign_from_checkpoint_fn(path, variables)

restores the variables from the path. (tensorflow/contrib/framework/python/ops/variables.py of
1.15.) A partial is a lambda, and what a function of the file makes gets a name.
"""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.estimator_calls import is_partial
from migrate.normalise.text import Edit, ParsedText, Text, find_lines_inside_strings
from migrate.source.nodes import walk_breadth_first
from migrate.tables import supervisor as table

_MAKERS = frozenset(
    {
        "tf.contrib.framework.assign_from_checkpoint_fn",
        "tf.contrib.slim.assign_from_checkpoint_fn",
    }
)
_MAKER_PARAMETERS = ("model_path", "var_list", "ignore_missing_vars")
_ROUNDS = 20


def write_out_starts(text: Text) -> Text:
    """The text with every such function written out."""
    if table.INIT_FUNCTION not in text.source:
        return text
    for _ in range(_ROUNDS):
        new = _Starts(text).rewrite_first()
        if new is None:
            return text
        text = new
    return text


class _Starts(ParsedText):
    def rewrite_first(self) -> Text | None:
        for node in walk_breadth_first(self._tree):
            if not (
                isinstance(node, ast.Call)
                and self._scopes.resolve(node.func) == "tf.train.Supervisor"
                and isinstance(node.func, ast.Attribute)
            ):
                continue
            bound = names.bind_arguments(node, table.PARAMETERS) or {}
            given = bound.get(table.INIT_FUNCTION)
            tensorflow = self._text.find_segment(node.func.value).removesuffix(".train")
            if isinstance(given, ast.Name):
                owner = self._scopes.find_scope(given).find_owner(given.id)
                bound_ = owner.bindings.get(given.id, []) if owner is not None else []
                made = [b for b in bound_ if not _is_none(b)]
                if len(made) == 1 and isinstance(made[0], ast.Assign):
                    new = self._write_out_assignment(made[0], given.id, tensorflow)
                    if new is not None:
                        return new
            elif isinstance(given, ast.Call):
                return self._name_function(node, given)
        return None

    def _name_function(self, supervisor: ast.Call, given: ast.Call) -> Text | None:
        """`init_fn=...(...)`: a name for it, before; a partial is a lambda."""
        if is_partial(given.func, self._scopes):
            new = self._write_lambda(given)
            return self._text.apply_edits([Edit(given, new)]) if new else None
        statement = self._scopes.parents[supervisor]
        flat = self._flatten(given)
        if not (isinstance(statement, ast.Assign) and self._text.is_alone(statement)):
            return None
        if flat is None or not isinstance(statement.targets[0], ast.Name):
            return None
        name = f"{statement.targets[0].id}_init_fn"
        if any(getattr(n, "id", None) == name for n in walk_breadth_first(self._tree)):
            return None
        text = self._text.apply_edits([Edit(given, name)])
        indent = self._indent(statement)
        line, origin = statement.lineno, self._text.origins[statement.lineno - 1]
        return text.splice(line, line - 1, [f"{indent}{name} = {flat}"], [origin])

    def _write_lambda(self, partial: ast.Call) -> str | None:
        """`partial(load, saver, path)` as `lambda session: load(saver, path, session)`.

        None if an argument may be another by then.
        """
        values = [*partial.args, *[k.value for k in partial.keywords]]
        for value in values:
            if isinstance(value, ast.Constant):
                continue
            if not isinstance(value, ast.Name) or value.id == "session":
                return None
            owner = self._scopes.find_scope(value).find_owner(value.id)
            if owner is None or len(owner.bindings[value.id]) != 1:
                return None
        if not partial.args or any(k.arg is None for k in partial.keywords):
            return None
        called, *rest = [self._text.find_segment(a) for a in partial.args]
        named = [
            f"{k.arg}={self._text.find_segment(k.value)}" for k in partial.keywords
        ]
        return f"lambda session: {called}({', '.join([*rest, 'session', *named])})"

    def _write_out_assignment(
        self, made: ast.Assign, name: str, tf: str
    ) -> Text | None:
        """`init_fn = assign_from_checkpoint_fn(path, variables)`, written out."""
        call = made.value
        if not (isinstance(call, ast.Call) and self._text.is_alone(made)):
            return None
        indent, new = self._indent(made), []
        if is_partial(call.func, self._scopes):
            body = self._write_lambda(call)
            if body is None:
                return None
            body = body.removeprefix("lambda session: ")
        elif self._scopes.resolve(call.func) in _MAKERS:
            bound = names.bind_arguments(call, _MAKER_PARAMETERS) or {}
            missing = bound.get("ignore_missing_vars")
            parts = [bound.get(parameter) for parameter in _MAKER_PARAMETERS[:2]]
            path, variables = [p and self._flatten(p) for p in parts]
            if path is None or variables is None:
                return None
            if missing is not None and names.read_literal(missing) is not False:
                return None
            new = [
                f"{indent}{name}_saver = {tf}.train.Saver({variables})",
                f"{indent}{name}_path = {path}",
            ]
            body = f"{name}_saver.restore(session, {name}_path)"
        else:
            return None
        new += [f"{indent}def {name}(session):", f"{indent}    {body}"]
        origin = self._text.origins[made.lineno - 1]
        return self._text.splice(
            made.lineno, made.end_lineno or 0, new, [origin] * len(new)
        )

    def _flatten(self, value: ast.expr) -> str | None:
        text = self._text.find_segment(value)
        if "#" in text or find_lines_inside_strings(value):
            return None
        return " ".join(line.strip() for line in text.split("\n"))


def _is_none(binding: ast.AST) -> bool:
    """`init_fn = None`, where a condition says that nothing is restored."""
    return isinstance(binding, ast.Assign) and (
        isinstance(binding.value, ast.Constant) and binding.value.value is None
    )
