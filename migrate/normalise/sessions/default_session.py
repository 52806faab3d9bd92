"""TF1 to TF1: the default session in functions, by the name that the module has for it.

    def evaluate(images):
        session = tf.get_default_session()
        return session.run(logits, {x: images})

A program of one session has no other default. Where the module opens it, its functions
know it by its name. So does the code of a block that opens a session, and it may ask
through a function that only gives the default session.
"""

from __future__ import annotations

import ast
from collections.abc import Collection

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


def inline_givers(text: Text, elsewhere: Collection[str]) -> Text:
    """The text with `tf.get_default_session()` for calls of functions that only return it.

    Args:
      elsewhere: functions that other files may name, which stay.
    """
    return repeat_step(
        text, lambda t: _Givers(t).inline_giver(elsewhere), "get_default_session"
    )


class _Givers(ParsedText):
    def inline_giver(self, elsewhere: Collection[str]) -> Text | None:
        for function in self._tree.body:
            if not isinstance(function, ast.FunctionDef) or function.name in elsewhere:
                continue
            asks = self._find_returned(function)
            uses = [
                node
                for node in walk_breadth_first(self._tree)
                if isinstance(node, ast.Name) and node.id == function.name
            ]
            calls = [self._scopes.parents[node] for node in uses]
            if asks is None or not all(map(self._is_call, uses, calls)) or not calls:
                continue
            shown = self._text.find_segment(asks)
            text = self._text.apply_edits([Edit(call, shown) for call in calls])
            end = function.end_lineno or function.lineno
            while end < len(text.lines) and not text.lines[end].strip():
                end += 1
            return text.splice(function.lineno, end, [], [])
        return None

    def _find_returned(self, function: ast.FunctionDef) -> ast.Call | None:
        """The call for the default session that is all that a function does."""
        body = [s for s in function.body if not names.is_docstring(s)]
        last = body[0] if len(body) == 1 else None
        value = last.value if isinstance(last, ast.Return) else None
        if (
            isinstance(value, ast.Call)
            and self._scopes.resolve(value.func) == _ASKS
            and not function.decorator_list
            and len(self._scopes.module.bindings[function.name]) == 1
        ):
            return value
        return None

    def _is_call(self, use: ast.Name, call: ast.AST) -> bool:
        """Whether a use of the function is a call of it without arguments."""
        return (
            isinstance(call, ast.Call)
            and call.func is use
            and not (call.args or call.keywords)
            and self._scopes.find_scope(use).find_owner(use.id) is self._scopes.module
        )


class _Default(ParsedText):
    def rewrite_default(self) -> Text | None:
        only = find_session_name(self._scopes)
        for node in self._scopes.list_calls(_ASKS):
            name = self._find_name(node, only)
            if name is None:
                continue
            statement = self._scopes.parents[node]
            if not isinstance(statement, ast.Assign):
                return self._text.apply_edits([Edit(node, name)])
            new = self._drop_default_session(statement, name)
            if new is not None:
                return new
        return None

    def _find_name(self, call: ast.Call, only: str | None) -> str | None:
        """The name of the session that is the default at a call, as the call can read it.

        Args:
          only: the module's name of the program's one session.
        """
        scope = self._scopes.find_scope(call)
        name = self._find_name_of_block(call)
        if name is not None:
            return name
        if only is None or scope.find_owner(only) is not self._scopes.module:
            return None
        kept = isinstance(self._scopes.parents[call], ast.Assign)
        return None if kept and scope is self._scopes.module else only

    def _find_name_of_block(self, call: ast.Call) -> str | None:
        """The name that the innermost block around a call gives the session it opens."""
        for node in self._scopes.walk_above(call):
            if isinstance(node, (ast.FunctionDef, ast.Lambda, ast.ClassDef)):
                return None
            for item in reversed(node.items) if isinstance(node, ast.With) else ():
                opened = item.context_expr
                if call in walk_breadth_first(item):
                    return None
                symbol = (
                    self._scopes.resolve(opened.func)
                    if isinstance(opened, ast.Call)
                    else None
                )
                if symbol in _SESSIONS:
                    target = item.optional_vars
                    return target.id if isinstance(target, ast.Name) else None
                if symbol is None and _may_enter_session(opened):
                    return self._find_entered(opened)
        return None

    def _find_entered(self, opened: ast.expr) -> str | None:
        """The name of the session that `with sess.as_default():` or `with sess:` enters."""
        if isinstance(opened, ast.Call) and isinstance(opened.func, ast.Attribute):
            opened = opened.func.value
        if not (isinstance(opened, ast.Name) and self._is_bound_once(opened)):
            return None
        owner = self._scopes.find_scope(opened).find_owner(opened.id)
        made = owner.bindings[opened.id][0] if owner is not None else None
        value = made.value if isinstance(made, ast.Assign) else None
        opens = isinstance(value, ast.Call) and (
            self._scopes.resolve(value.func) in _SESSIONS
        )
        return opened.id if opens else None

    def _drop_default_session(self, statement: ast.Assign, name: str) -> Text | None:
        """Removes `session = tf.get_default_session()`, and replaces its name."""
        scope = self._scopes.find_scope(statement)
        if not (
            len(statement.targets) == 1
            and isinstance(statement.targets[0], ast.Name)
            and self._text.is_alone(statement)
        ):
            return None
        target = statement.targets[0].id
        home = scope.find_owner(name)
        bound = scope.bindings.get(target, [])
        if target != name and len(bound) != 1:
            return None
        reads = [
            node
            for node in walk_breadth_first(self._tree)
            if isinstance(node, ast.Name)
            and node.id == target
            and isinstance(node.ctx, ast.Load)
            and self._scopes.find_scope(node).find_owner(target) is scope
        ]
        if any(self._scopes.find_scope(n).find_owner(name) is not home for n in reads):
            return None
        text = self._text.apply_edits([Edit(node, name) for node in reads])
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


def _may_enter_session(opened: ast.expr) -> bool:
    """Whether a block may make another session, or a graph, the default one."""
    return not isinstance(opened, ast.Call) or (
        isinstance(opened.func, ast.Attribute) and opened.func.attr == "as_default"
    )


def find_session_name(scopes: Scopes) -> str | None:
    """The module's name of its one plain session; None if it has none such."""
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
