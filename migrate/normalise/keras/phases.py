"""TF1 to TF1: removes `set_session`, and replaces the learning phase by `training=`.

    K.set_session(sess)                        (left out)
    K.set_learning_phase(1)                    logits = model(x, training=True)
    sess.run(loss, {x: a,                      phase = tf.placeholder_with_default(False, [])
             K.learning_phase(): 1})           logits = model(x, training=phase)
                                               sess.run(loss, {x: a, phase: True})

TF1's layers used the learning phase if a call had no `training`. The phase was a placeholder
with the default False, until the program set it.
"""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.normalise.feeds.view import View
from migrate.normalise.keras.models import Models
from migrate.normalise.text import Edit, Text
from migrate.source.nodes import walk_breadth_first
from migrate.tables import roles

_BACKEND = "tf.keras.backend."
# They configure Keras's own session, which a program with its own session does not have.
_FOR_SESSIONS = frozenset(
    f"{_BACKEND}{name}" for name in ("set_session", "manual_variable_initialization")
)
_SETS, _PHASE = f"{_BACKEND}set_learning_phase", f"{_BACKEND}learning_phase"


def write_phases(text: Text) -> Text:
    """The text with `training=` in calls; the text itself if the program has no phase."""
    if "keras" not in text.source or "Session" not in text.source:
        return text
    if "learning_phase" not in text.source:
        return text
    return _Phase(text).rewrite()


def drop_keras_sessions(text: Text) -> Text:
    """The text without the calls that tell Keras the program's session."""
    while "keras" in text.source and "Session" in text.source:
        view = View(text)
        found = next(
            (s for s in _find_told_statements(view, _FOR_SESSIONS) if text.is_alone(s)),
            None,
        )
        if found is None:
            break
        text = _drop_statement(view, found)
    return text


def _find_told_statements(view: View, symbols: frozenset[str]) -> list[ast.Expr]:
    return [
        node
        for node in walk_breadth_first(view.tree)
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Call)
        and view.scopes.resolve(node.value.func) in symbols
    ]


def _drop_statement(view: View, statement: ast.stmt) -> Text:
    """The text without a statement."""
    end = statement.end_lineno or statement.lineno
    if len(view.find_suite(statement)) > 1:
        return view.text.splice(statement.lineno, end, [], [])
    line = f"{view.indent(statement)}pass"
    origin = view.text.origins[statement.lineno - 1]
    return view.text.splice(statement.lineno, end, [line], [origin])


class _Phase:
    def __init__(self, text: Text) -> None:
        self._text = text
        self._view = View(text)
        self._models = Models(self._view)

    def rewrite(self) -> Text:
        view, scopes = self._view, self._view.scopes
        sets = _find_told_statements(view, frozenset({_SETS}))
        fed = self._find_phase_feeds()
        used = {n for n, symbol in scopes.walk_uses() if symbol in (_SETS, _PHASE)}
        known: set[ast.AST] = {
            s.value.func for s in sets if isinstance(s.value, ast.Call)
        }
        known |= {n for key, _ in fed for n in walk_breadth_first(key)}
        if used - known or len(sets) > 1 or (sets and fed):
            return self._text
        if self._models.by_phase and self._models.has_unseen():
            return self._text  # It may be recognised after the program is in one place.
        untold = self._find_untold_calls()
        if sets:
            return self._set(sets[0], untold)
        return self._make_placeholder(fed, untold) if fed else self._text

    def _find_phase_feeds(self) -> list[tuple[ast.expr, ast.expr]]:
        """Feeds of the learning phase: pairs of key and value."""
        found: list[tuple[ast.expr, ast.expr]] = []
        for feed in walk_breadth_first(self._view.tree):
            if not isinstance(feed, ast.Dict):
                continue
            for key, value in zip(feed.keys, feed.values, strict=True):
                if (
                    isinstance(key, ast.Call)
                    and self._view.scopes.resolve(key.func) == _PHASE
                ):
                    found.append((key, value))
        return found

    def _find_untold_calls(self) -> list[ast.Call]:
        """Calls of models and layers without the argument `training`."""
        return [
            call
            for call in self._models.find_applications()
            if names.find_argument(call, "training", 1) is None
        ]

    def _set(self, statement: ast.Expr, untold: list[ast.Call]) -> Text:
        call = statement.value
        assert isinstance(call, ast.Call)
        value = names.read_literal(call.args[0]) if len(call.args) == 1 else None
        if value not in (0, 1) or not self._text.is_alone(statement):
            return self._text
        if not self._is_first(statement):
            return self._text
        if not value:
            return _drop_statement(self._view, statement)
        if self._models.by_phase and not untold:
            return self._text
        done = self._text.apply_edits(
            [self._add_training_argument(c, "True") for c in untold]
        )
        view = View(done)
        return _drop_statement(view, _find_same_statement(view, statement))

    def _is_first(self, statement: ast.Expr) -> bool:
        """Whether a statement is beside the session, before all layers and their calls."""
        function = self._view.find_function(statement)
        sessions = self._view.scopes.list_calls(*roles.SESSIONS)
        if not sessions or any(
            self._view.find_function(s)
            not in (function, *self._view.scopes.walk_above(function))
            and function is not self._view.tree
            for s in sessions
        ):
            return False
        for node in walk_breadth_first(function):
            if not (
                isinstance(node, ast.Call)
                and self._view.find_function(node) is function
                and node.lineno < statement.lineno
            ):
                continue
            if self._models.may_make(node):
                return False
        around = [n for n in self._view.scopes.walk_above(statement)]
        return not any(isinstance(n, (ast.For, ast.While)) for n in around)

    def _make_placeholder(
        self, fed: list[tuple[ast.expr, ast.expr]], untold: list[ast.Call]
    ) -> Text:
        if not untold:
            return self._text if self._models.by_phase else self._drop_feeds(fed)
        homes = {self._view.find_function(call) for call in untold}
        tf = self._models.tensorflow
        first = min(untold, key=lambda c: (c.lineno, c.col_offset))
        runs = {self._view.find_function(key) for key, _ in fed}
        if len(homes) != 1 or tf is None or runs - homes and homes != {self._view.tree}:
            return self._text
        statement = self._view.find_statement(first)
        if not self._text.is_alone(statement):
            return self._text
        name = self._view.choose_free_name("learning_phase", self._view.tree)
        edits = [self._add_training_argument(call, name) for call in untold]
        for key, value in fed:
            edits.append(Edit(key, name))
            given = names.read_literal(value)
            new = f"bool({self._text.find_segment(value)})"
            edits.append(Edit(value, str(bool(given)) if given in (0, 1) else new))
        line = (
            f"{self._view.indent(statement)}{name} = "
            f'{tf}.placeholder_with_default(False, [], name="learning_phase")'
        )
        origin = self._text.origins[statement.lineno - 1]
        done = self._text.apply_edits(edits)
        return done.splice(statement.lineno, statement.lineno - 1, [line], [origin])

    def _drop_feeds(self, fed: list[tuple[ast.expr, ast.expr]]) -> Text:
        """Removes the feeds of the phase, which no layer reads."""
        edits = []
        for key, _ in fed:
            argument = self._view.scopes.parents[key]
            assert isinstance(argument, ast.Dict)
            pairs = [
                f"{self._text.find_segment(k)}: {self._text.find_segment(v)}"
                for k, v in zip(argument.keys, argument.values, strict=True)
                if k is not None and k is not key
            ]
            edits.append(Edit(argument, "{" + ", ".join(pairs) + "}"))
        return self._text.apply_edits(edits)

    def _add_training_argument(self, call: ast.Call, training: str) -> Edit:
        """Adds the argument `training` to a call."""
        last = call.args[-1]
        return Edit(last, f"{self._text.find_segment(last)}, training={training}")


def _find_same_statement(view: View, statement: ast.stmt) -> ast.stmt:
    """The statement of another tree at the same line."""
    return next(
        n
        for n in walk_breadth_first(view.tree)
        if isinstance(n, ast.stmt) and n.lineno == statement.lineno
    )
