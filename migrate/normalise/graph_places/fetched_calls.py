"""TF1 to TF1: graph that a function builds within what is fetched stands before the session.

    samples = sess.run(generator(z, reuse=True), feed_dict={z: noise})

Each such run added the same operations again, on variables that there were: others would
have had no value yet.
"""

from __future__ import annotations

import ast

from migrate.facts import draws, names
from migrate.normalise.text import Edit, ParsedText, Text, repeat_step
from migrate.source.nodes import find_plain_names, walk_breadth_first
from migrate.tables import roles


def name_fetched_calls(text: Text) -> Text:
    """The text with such calls as statements before the session's block."""
    return repeat_step(text, lambda t: _Fetched(t).rewrite_call(), "Session(", ".run(")


class _Fetched(ParsedText):
    def rewrite_call(self) -> Text | None:
        blocks = [
            (node, item.optional_vars.id)
            for node in walk_breadth_first(self._tree)
            if isinstance(node, ast.With)
            for item in node.items
            if isinstance(item.context_expr, ast.Call)
            and self._scopes.resolve(item.context_expr.func) in roles.PLAIN_SESSIONS
            and isinstance(item.optional_vars, ast.Name)
        ]
        if len(blocks) != 1:
            return None
        block, session = blocks[0]
        bound = set().union(*[names.find_binds(s) for s in block.body])
        for node in walk_breadth_first(block):
            if not (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr == "run"
                and names.find_key(node.func.value) == session
            ):
                continue
            fetched = names.find_argument(node, "fetches", 0)
            parts = fetched.elts if isinstance(fetched, (ast.List, ast.Tuple)) else []
            for part in [fetched, *parts]:
                if (
                    isinstance(part, ast.Call)
                    and self._builds(part)
                    and not names.find_reads(part) & bound
                    and not draws.draws_within(self._scopes, part)
                ):
                    return self._move_before(part, block)
        return None

    def _builds(self, call: ast.Call) -> bool:
        """Whether it calls a function of the module that names TensorFlow."""
        if not isinstance(call.func, ast.Name):
            return False
        owner = self._scopes.find_scope(call.func).find_owner(call.func.id)
        bindings = owner.bindings.get(call.func.id, []) if owner is not None else []
        return len(bindings) == 1 and (
            isinstance(bindings[0], ast.FunctionDef)
            and owner is self._scopes.module
            and any(
                isinstance(n, ast.Call)
                and (self._scopes.resolve(n.func) or "").startswith("tf.")
                for n in walk_breadth_first(bindings[0])
            )
        )

    def _move_before(self, part: ast.Call, block: ast.With) -> Text:
        taken = find_plain_names(self._tree)
        assert isinstance(part.func, ast.Name)
        number, name = 1, f"{part.func.id}_fetched"
        while name in taken:
            number, name = number + 1, f"{part.func.id}_fetched_{number}"
        segment = self._text.find_segment(part)
        shown = segment if "\n" not in segment else ast.unparse(part)
        line = self._text.lines[block.lineno - 1]
        indent = line[: len(line) - len(line.lstrip())]
        origin = self._text.origins[part.lineno - 1]
        text = self._text.apply_edits([Edit(part, name)])
        return text.splice(
            block.lineno, block.lineno - 1, [f"{indent}{name} = {shown}"], [origin]
        )
