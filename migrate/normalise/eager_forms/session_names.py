"""A session that nothing uses, and which has no name: `with MonitoredTrainingSession():`."""

from __future__ import annotations

import ast

from migrate.normalise.feeds.view import View
from migrate.normalise.text import Edit, Text
from migrate.rules.mistakes.mistake import find_name

_SESSION = "tf.train.MonitoredTrainingSession"


def name_session(text: Text) -> Text | None:
    """The text with a name for one more session; None if all have one."""
    view = View(text)
    for node in view.scopes.walk():
        if not (isinstance(node, ast.With) and len(node.items) == 1):
            continue
        item = node.items[0]
        call = item.context_expr
        if (
            item.optional_vars is None
            and isinstance(call, ast.Call)
            and find_name(view.scopes, call.func) == _SESSION
        ):
            name = view.choose_free_name("session", view.scopes.tree)
            return text.apply_edits(
                [Edit(call, f"{text.find_segment(call)} as {name}")]
            )
    return None
