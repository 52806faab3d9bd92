"""TF1 to TF1: what is fetched is a name of the graph.

    samples = sess.run(generator(z, reuse=True), feed_dict={z: noise})

Graph that a function builds there stands before the session. Each such run added the same
operations again, on variables that there were: others would have had no value yet.

    for operation in copies:
        sess.run(operation)

A list of assignments is one run of the list: a step makes them in the list's order.
"""

from __future__ import annotations

import ast

from migrate.facts import draws, names
from migrate.normalise.text import Edit, ParsedText, Text, repeat_step
from migrate.source.nodes import find_plain_names, walk_breadth_first
from migrate.tables import roles


def name_fetched_calls(text: Text) -> Text:
    """The text with such calls as statements before the session's block."""
    text = repeat_step(
        text, lambda t: _Fetched(t).join_runs(), "Session(", ".run(", "assign"
    )
    return repeat_step(text, lambda t: _Fetched(t).rewrite_call(), "Session(", ".run(")


_ASSIGNING = frozenset({"tf.assign", "tf.assign_add", "tf.assign_sub"})
# Of these a run counts: hooks see it.
_COUNTING_SESSIONS = frozenset(
    {"tf.train.MonitoredSession", "tf.train.MonitoredTrainingSession"}
    | {"tf.train.SingularMonitoredSession", "tf.train.Supervisor"}
)


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

    def join_runs(self) -> Text | None:
        """Writes `sess.run(copies)` for a loop that runs each operation of the list."""
        if any(
            isinstance(node, ast.Call)
            and (self._scopes.resolve(node.func) or "") in _COUNTING_SESSIONS
            for node in walk_breadth_first(self._tree)
        ):
            return None
        for loop in walk_breadth_first(self._tree):
            match loop:
                case ast.For(
                    target=ast.Name(each),
                    iter=ast.Name() as listed,
                    body=[
                        ast.Expr(
                            ast.Call(
                                func=ast.Attribute(ast.Name(), "run"),
                                args=[ast.Name(fetched) as operation],
                                keywords=[],
                            ) as run
                        )
                    ],
                    orelse=[],
                ) if fetched == each and self._lists_assignments(listed, frozenset()):
                    if self._is_read_after(each, loop):
                        continue
                    text = self._text.apply_edits([Edit(operation, listed.id)])
                    line = text.lines[run.lineno - 1].lstrip()
                    head = text.lines[loop.lineno - 1]
                    indent = head[: len(head) - len(head.lstrip())]
                    if run.lineno == loop.lineno or run.end_lineno != run.lineno:
                        continue
                    return text.splice(
                        loop.lineno,
                        run.lineno,
                        [indent + line],
                        [text.origins[run.lineno - 1]],
                    )
        return None

    def _is_read_after(self, name: str, loop: ast.For) -> bool:
        """Whether anything but the loop reads its target."""
        inside = set(walk_breadth_first(loop))
        owner = self._scopes.find_scope(loop.target).find_owner(name)
        return any(
            isinstance(node, ast.Name)
            and node.id == name
            and isinstance(node.ctx, ast.Load)
            and node not in inside
            and self._scopes.find_scope(node).find_owner(name) is owner
            for node in walk_breadth_first(self._tree)
        )

    def _lists_assignments(
        self, value: ast.expr | None, seen: frozenset[ast.AST]
    ) -> bool:
        """Whether a value is a list that has nothing but assignments to variables."""
        match value:
            case ast.ListComp(elt=element):
                return self._assigns(element)
            case ast.List(elts=elements):
                return all(map(self._assigns, elements))
            case ast.Call(func=ast.Name() as func):
                function = self._scopes.find_function(func)
                if function is None or function in seen:
                    return False
                given = [
                    node.value
                    for node in walk_breadth_first(function)
                    if isinstance(node, ast.Return)
                ]
                inner = seen | {function}
                return bool(given) and all(
                    self._lists_assignments(one, inner) for one in given
                )
            case ast.Name():
                return self._names_assignments(value, seen)
        return False

    def _names_assignments(self, name: ast.Name, seen: frozenset[ast.AST]) -> bool:
        owner = self._scopes.find_scope(name).find_owner(name.id)
        bound = owner.bindings.get(name.id, []) if owner is not None else []
        if owner is None or not bound or any(at in seen for at in bound):
            return False
        inner = seen | set(bound)
        for at in bound:
            if isinstance(at, ast.arg) and isinstance(owner.node, ast.FunctionDef):
                order = [a.arg for a in owner.node.args.args]
                given = [
                    names.find_argument(call, name.id, order.index(name.id))
                    for call in walk_breadth_first(self._tree)
                    if isinstance(call, ast.Call)
                    and self._scopes.find_function(call.func) is owner.node
                ]
                if not given or not all(
                    self._lists_assignments(one, inner) for one in given
                ):
                    return False
            elif not isinstance(at, ast.Assign) or not self._lists_assignments(
                at.value, inner
            ):
                return False
        for call in walk_breadth_first(self._tree):
            match call:
                case ast.Call(
                    func=ast.Attribute(ast.Name(id=changed), method), args=args
                ) if (
                    changed == name.id
                    and self._scopes.find_scope(call).find_owner(changed) is owner
                ):
                    if method != "append" or not all(map(self._assigns, args)):
                        return False
        return True

    def _assigns(self, value: ast.expr) -> bool:
        return isinstance(value, ast.Call) and (
            (self._scopes.resolve(value.func) or "") in _ASSIGNING
            or (
                isinstance(value.func, ast.Attribute)
                and value.func.attr in ("assign", "assign_add", "assign_sub")
                and not self._scopes.import_path(value.func)
            )
        )

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
