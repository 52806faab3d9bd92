"""TF1 to TF1: `get_variable(collections=...)`, as a variable that is added to them after.

    w = tf.get_variable("w", [2, 3], collections=["target_net", tf.GraphKeys.GLOBAL_VARIABLES])

is `w = tf.get_variable("w", [2, 3])` and `tf.add_to_collection("target_net", w)`: a
trainable variable is among the trainable ones anyway. One that is not among the global
ones is left as it is.
"""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.normalise.text import (
    Edit,
    ParsedText,
    Text,
    find_lines_inside_strings,
    repeat_step,
)
from migrate.source.nodes import walk_breadth_first

_MAKES = ("tf.get_variable", "tf.Variable")
_GLOBAL = "tf.GraphKeys.GLOBAL_VARIABLES"


def add_to_collections(text: Text) -> Text:
    """The text with such variables added to their collections by statements."""
    return repeat_step(
        text, lambda t: _Variables(t).rewrite_collection(), "collections="
    )


class _Variables(ParsedText):
    def rewrite_collection(self) -> Text | None:
        for statement in walk_breadth_first(self._tree):
            if not (
                isinstance(statement, ast.Assign)
                and len(statement.targets) == 1
                and isinstance(statement.targets[0], ast.Name)
                and isinstance(statement.value, ast.Call)
                and self._scopes.resolve(statement.value.func) in _MAKES
                and isinstance(statement.value.func, ast.Attribute)
                and self._text.is_alone(statement)
                and not find_lines_inside_strings(statement)
            ):
                continue
            call = statement.value
            given = next((k for k in call.keywords if k.arg == "collections"), None)
            if given is None or given is call.keywords[0] and not call.args:
                continue
            keys = self._list_keys(given.value, statement)
            if keys is None:
                continue
            kept = [k for k in call.keywords if k is not given]
            parts = [
                *[ast.unparse(a) for a in call.args],
                *[f"{k.arg}={ast.unparse(k.value)}" for k in kept if k.arg],
            ]
            func = self._text.find_segment(call.func)
            text = self._text.apply_edits([Edit(call, f"{func}({', '.join(parts)})")])
            end = statement.end_lineno or statement.lineno
            line = self._text.lines[statement.lineno - 1]
            indent = line[: len(line) - len(line.lstrip())]
            module = self._text.find_segment(call.func.value)  # type: ignore[attr-defined]
            lines = [
                f"{indent}{module}.add_to_collection({key!r}, {statement.targets[0].id})"
                for key in keys
            ]
            origin = self._text.origins[statement.lineno - 1]
            return text.splice(end + 1, end, lines, [origin] * len(lines))
        return None

    def _list_keys(self, value: ast.expr, statement: ast.stmt) -> list[str] | None:
        """The program's own collections; None if it cannot be told, or not global."""
        if isinstance(value, ast.Name):
            made = self._find_value_before(value, statement)
            if made is None or self._is_changed(value.id):
                return None
            value = made
        if not isinstance(value, (ast.List, ast.Tuple)):
            return None
        own = [e for e in value.elts if self._scopes.resolve(e) != _GLOBAL]
        if len(own) == len(value.elts):
            return None
        keys = [_read_text(e) for e in own]
        return None if None in keys else [k for k in keys if k is not None]

    def _is_changed(self, name: str) -> bool:
        """Whether a statement may change a list of this name."""
        return any(
            name in names.find_mutations(s)
            for s in walk_breadth_first(self._tree)
            if isinstance(s, ast.Expr | ast.Assign | ast.Delete)
        ) or any(
            isinstance(s, ast.AugAssign) and names.find_key(s.target) == name
            for s in walk_breadth_first(self._tree)
        )

    def _find_value_before(
        self, name: ast.Name, statement: ast.stmt
    ) -> ast.expr | None:
        """Returns a name's last value before a statement, if line order shows it."""
        owner = self._scopes.find_scope(name).find_owner(name.id)
        if owner is None or owner is not self._scopes.find_scope(statement):
            return None
        before = [
            b
            for b in owner.bindings.get(name.id, [])
            if b.lineno < statement.lineno  # type: ignore[attr-defined]
        ]
        if not before or any(not self._runs_in_order(b) for b in before):
            return None
        last = max(before, key=lambda b: b.lineno)  # type: ignore[attr-defined]
        if not isinstance(last, ast.Assign) or len(last.targets) != 1:
            return None
        target, value = last.targets[0], last.value
        if isinstance(target, ast.Name):
            return value
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            for each, part in zip(target.elts, value.elts):
                if isinstance(each, ast.Name) and each.id == name.id:
                    return part
        return None

    def _runs_in_order(self, node: ast.AST) -> bool:
        """Whether it is run once, in the order in which it stands."""
        parent = self._scopes.parents.get(node)
        while isinstance(parent, ast.With) or (
            isinstance(parent, ast.If)
            and isinstance(self._scopes.parents.get(parent), ast.Module)
            and "__name__" in names.find_reads(parent.test)
        ):
            parent = self._scopes.parents.get(parent)
        return isinstance(parent, (ast.Module, ast.FunctionDef))


def _read_text(node: ast.expr) -> str | None:
    """A constant text, also one in parts: `"eval_net" + "_params"`."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _read_text(node.left), _read_text(node.right)
        return left + right if left is not None and right is not None else None
    text = names.read_literal(node)
    return text if isinstance(text, str) else None
