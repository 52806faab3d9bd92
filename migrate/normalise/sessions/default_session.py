"""TF1 to TF1: the default session in functions, by the name that the module has for it.

    def evaluate(images):
        session = tf.get_default_session()
        return session.run(logits, {x: images})

A program of one session has no other default. Where the module opens it, its functions
know it by its name.
"""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.normalise.text import Edit, ParsedText, Text, repeat_step
from migrate.source.nodes import walk_breadth_first
from migrate.tables import roles

_ASKS = "tf.get_default_session"
_SESSIONS = (*roles.PLAIN_SESSIONS, "tf.InteractiveSession")


def name_default_session(text: Text) -> Text:
    """The text with `tf.get_default_session()` replaced by the session's name."""
    return repeat_step(
        text, lambda t: _Default(t).rewrite_default(), "get_default_session"
    )


class _Default(ParsedText):
    def rewrite_default(self) -> Text | None:
        name = find_session_name(self._scopes)
        if name is None:
            return None
        for node in self._scopes.list_calls(_ASKS):
            statement = self._scopes.parents[node]
            if not isinstance(statement, ast.Assign):
                if (
                    self._scopes.find_scope(node).find_owner(name)
                    is self._scopes.module
                ):
                    return self._text.apply_edits([Edit(node, name)])
                continue
            new = self._drop_default_session(statement, name)
            if new is not None:
                return new
        return None

    def _drop_default_session(self, statement: ast.Assign, name: str) -> Text | None:
        """Without `session = tf.get_default_session()`, its name replaced."""
        scope = self._scopes.find_scope(statement)
        if not (
            len(statement.targets) == 1
            and isinstance(statement.targets[0], ast.Name)
            and scope is not self._scopes.module
            and self._text.is_alone(statement)
        ):
            return None
        target = statement.targets[0].id
        if len(scope.bindings.get(target, [])) != 1:
            return None
        if target != name and scope.find_owner(name) is not self._scopes.module:
            return None
        edits = [
            Edit(node, name)
            for node in walk_breadth_first(self._tree)
            if isinstance(node, ast.Name)
            and node.id == target
            and isinstance(node.ctx, ast.Load)
            and self._scopes.find_scope(node).find_owner(target) is scope
        ]
        text = self._text.apply_edits(edits)
        line = text.lines[statement.lineno - 1]
        suite = next(
            s
            for _, s in names.list_suites(self._scopes.parents[statement])  # type: ignore[arg-type]
            if statement in s
        )
        left = (
            [line[: len(line) - len(line.lstrip())] + "pass"] if len(suite) == 1 else []
        )
        end = statement.end_lineno or statement.lineno
        return text.splice(
            statement.lineno,
            end,
            left,
            text.origins[statement.lineno - 1 : end][:1] if left else [],
        )


def find_session_name(scopes: Scopes) -> str | None:
    """The module's name of its one plain session; None where it has none such."""
    found: list[str | None] = []
    for node in walk_breadth_first(scopes.tree):
        if not (
            isinstance(node, ast.Call) and scopes.resolve(node.func) in roles.SESSIONS
        ) and not (
            isinstance(node, ast.Call) and scopes.resolve(node.func) in _SESSIONS
        ):
            continue
        parent = scopes.parents[node]
        target: ast.expr | None = None
        if isinstance(parent, ast.withitem):
            target = parent.optional_vars
        elif isinstance(parent, ast.Assign) and len(parent.targets) == 1:
            target = parent.targets[0]
        plain = scopes.resolve(node.func) in _SESSIONS
        module = scopes.find_scope(node) is scopes.module
        named = isinstance(target, ast.Name) and plain and module
        found.append(target.id if named else None)  # type: ignore[union-attr]
    return found[0] if len(found) == 1 else None


def find_calls_in_functions(scopes: Scopes, name: str) -> list[ast.Call]:
    """`loss.eval()` and `op.run()` of the module's graph, in the module's functions."""
    return [
        node
        for node in walk_breadth_first(scopes.tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("eval", "run")
        and scopes.find_scope(node) is not scopes.module
        and scopes.find_scope(node).find_owner(name) is scopes.module
        and _is_modules(scopes, node.func.value)
    ]


def _is_modules(scopes: Scopes, receiver: ast.expr) -> bool:
    """Whether a receiver is what the module has assigned to a name."""
    while isinstance(receiver, (ast.Attribute, ast.Subscript)):
        receiver = receiver.value
    if not isinstance(receiver, ast.Name):
        return False
    owner = scopes.find_scope(receiver).find_owner(receiver.id)
    return owner is scopes.module and all(
        isinstance(b, ast.Assign) for b in owner.bindings.get(receiver.id, [])
    )
