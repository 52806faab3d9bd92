"""TF1 to TF1: the driver's own shape: one server, a session in a `with`, early flags.

What a program does may be written in several ways that mean the same: the server
started once in each branch, the session assigned and closed, whether to synchronise
asked after the server is there. Here each has one.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from migrate.facts import names
from migrate.normalise.text import Edit, ParsedText, Text
from migrate.source.nodes import find_plain_names, parse_source, walk_breadth_first
from migrate.tables import roles

_SERVER = ("server_or_cluster_def", "job_name", "task_index", "protocol", "config")


def shape_driver(text: Text) -> Text:
    """The text with its driver in that shape, as far as it is clear."""
    steps: tuple[tuple[str, Callable[[_Driver], Text | None]], ...] = (
        ("Server", _Driver.join_servers),
        ("SyncReplicas", _Driver.move_flag_before_server),
        ("Session(", _Driver.put_session_in_with),
        ("Session(", _Driver.move_session_outermost),
    )
    for mark, step in steps:
        while mark in text.source:
            new = step(_Driver(text))
            if new is None or not _parses(new):
                break
            text = new
    return text


def _make_span(items: Sequence[ast.withitem]) -> ast.expr:
    """Makes a node that spans all items of a `with`."""
    span = ast.Constant(None)
    first, last = (
        items[0].context_expr,
        items[-1].optional_vars or items[-1].context_expr,
    )
    span.lineno, span.col_offset = first.lineno, first.col_offset
    span.end_lineno, span.end_col_offset = last.end_lineno, last.end_col_offset
    return span


def _parses(text: Text) -> bool:
    """Whether the text can be parsed; mixed tabs and spaces may break it."""
    try:
        parse_source(text.source)
    except SyntaxError:
        return False
    return True


class _Driver(ParsedText):
    def _find_assignments_of(self, symbol: str) -> list[ast.Assign]:
        """Assignments of the symbol's results to plain names."""
        return [
            node
            for node in walk_breadth_first(self._tree)
            if isinstance(node, ast.Assign)
            and isinstance(node.value, ast.Call)
            and self._scopes.resolve(node.value.func) == symbol
            and len(node.targets) == 1
            and isinstance(node.targets[0], ast.Name)
            and self._text.is_alone(node)
        ]

    # -- one server ----------------------------------------------------------------------

    def join_servers(self) -> Text | None:
        """A server made in the `ps` branch and in the other: made before both."""
        made = self._find_assignments_of("tf.train.Server")
        if len(made) != 2 or ast.dump(made[0].targets[0]) != ast.dump(
            made[1].targets[0]
        ):
            return None
        first, second = sorted(made, key=lambda s: s.lineno)
        branch = self._scopes.parents[first]
        if not (
            isinstance(branch, ast.If)
            and first in branch.body
            and (second in branch.orelse or self._is_in_elif(second, branch))
        ):
            return None
        job = self._find_job(branch.test, first, second)
        if job is None:
            return None
        bound = self._map_arguments(second)
        others = {**self._map_arguments(first), "job_name": None, "config": None}
        if any(
            ast.dump(value) != ast.dump(others[name] or value)
            for name, value in bound.items()
            if name in others
        ):
            return None
        inside = {
            name
            for statement in [*branch.body, *branch.orelse]
            if statement not in made
            for name in names.find_binds(statement)
        }
        if any(names.find_reads(v) & inside for v in bound.values()):
            return None
        assert isinstance(second.value, ast.Call)
        assert isinstance(second.targets[0], ast.Name)
        config = self._map_arguments(first).get("config")
        if config is not None and names.find_reads(config) & inside:
            return None
        shown = {name: self._join_lines(value) for name, value in bound.items()}
        shown["job_name"] = job
        if config is not None and self._join_lines(config) != shown.get("config"):
            other = shown.get("config", "None")
            test = self._join_lines(branch.test)
            shown["config"] = f"{self._join_lines(config)} if {test} else {other}"
        parts = [f"{k}={v}" for k, v in shown.items() if k != _SERVER[0]]
        cluster = self._join_lines(bound[_SERVER[0]])
        func = self._text.find_segment(second.value.func)
        indent = self._indent(branch)
        line = (
            f"{indent}{second.targets[0].id} = {func}({', '.join([cluster, *parts])})"
        )
        text = self._text
        for statement in (second, first):
            alone = len(self._find_suite(statement) or ()) == 1
            text = text.splice(
                statement.lineno,
                statement.end_lineno or statement.lineno,
                [self._indent(statement) + "pass"] * alone,
                [self._text.origins[statement.lineno - 1]] * alone,
            )
        origin = self._text.origins[second.lineno - 1]
        return text.splice(branch.lineno, branch.lineno - 1, [line], [origin])

    def _is_in_elif(self, statement: ast.stmt, branch: ast.If) -> bool:
        return (
            len(branch.orelse) == 1
            and isinstance(branch.orelse[0], ast.If)
            and statement in branch.orelse[0].body
        )

    def _map_arguments(self, statement: ast.Assign) -> dict[str, ast.expr]:
        assert isinstance(statement.value, ast.Call)
        return names.bind_arguments(statement.value, _SERVER) or {}

    def _find_job(
        self, test: ast.expr, first: ast.Assign, second: ast.Assign
    ) -> str | None:
        """The job's name as an expression: what the test compares with "ps"."""
        one, other = (self._map_arguments(s).get("job_name") for s in (first, second))
        if one is None or other is None:
            return None
        if ast.dump(one) == ast.dump(other):
            return self._join_lines(one)
        if not (
            isinstance(test, ast.Compare)
            and len(test.ops) == 1
            and isinstance(test.ops[0], ast.Eq)
        ):
            return None
        if ast.dump(test.comparators[0]) != ast.dump(one):
            return None
        if not (isinstance(one, ast.Constant) and isinstance(other, ast.Constant)):
            return None
        return self._join_lines(test.left)

    # -- whether to synchronise ------------------------------------------------------------

    def move_flag_before_server(self) -> Text | None:
        """`sync = FLAGS.sync`, asked where the optimizer is wrapped: before the server."""
        made = self._find_assignments_of("tf.train.Server")
        if len(made) != 1:
            return None
        suite = self._find_suite(made[0])
        if suite is None:
            return None
        asked: set[str] = set()
        for node in walk_breadth_first(self._tree):
            if isinstance(node, ast.If) and any(
                isinstance(n, ast.Call)
                and self._scopes.resolve(n.func) == "tf.train.SyncReplicasOptimizer"
                for n in walk_breadth_first(node)
            ):
                asked |= names.find_reads(node.test)
        for statement in suite[suite.index(made[0]) + 1 :]:
            if not (
                isinstance(statement, ast.Assign)
                and len(statement.targets) == 1
                and isinstance(statement.targets[0], ast.Name)
                and statement.targets[0].id in asked
                and isinstance(statement.value, (ast.Attribute, ast.Name))
                and self._text.is_alone(statement)
            ):
                continue
            name = statement.targets[0].id
            scope = self._scopes.find_scope(statement)
            root: ast.AST = statement.value
            while isinstance(root, ast.Attribute):
                root = root.value
            if len(scope.bindings.get(name, [])) != 1 or not (
                isinstance(root, ast.Name)
                and scope.find_owner(root.id) is self._scopes.module
            ):
                continue
            line = self._text.lines[statement.lineno - 1]
            if statement.end_lineno != statement.lineno:
                continue
            origin = self._text.origins[statement.lineno - 1]
            text = self._text.splice(statement.lineno, statement.lineno, [], [])
            return text.splice(made[0].lineno, made[0].lineno - 1, [line], [origin])
        return None

    # -- the session -----------------------------------------------------------------------

    def put_session_in_with(self) -> Text | None:
        """`sess = MonitoredTrainingSession(...)`, later closed or never: a `with`.

        A plain session may be made long before it is used: the `with` begins there.
        """
        made = [
            s
            for symbol in sorted(roles.SESSIONS)
            for s in self._find_assignments_of(symbol)
        ]
        if len(made) != 1:
            return None
        statement = made[0]
        assert isinstance(statement.targets[0], ast.Name)
        name = statement.targets[0].id
        suite = self._find_suite(statement)
        if suite is None:
            return None
        rest = suite[suite.index(statement) + 1 :]
        call = self._join_lines(statement.value)
        for index, later in enumerate(rest):
            if isinstance(later, ast.With) and any(
                isinstance(i.context_expr, ast.Name) and i.context_expr.id == name
                for i in later.items
            ):
                if any(name in names.find_reads(s) for s in rest[:index]):
                    return None
                return self._enter_session(statement, later, name, call)
        closes = [s for s in rest if self._closes(s, name)]
        if closes:
            rest = rest[: rest.index(closes[0])]
        assert isinstance(statement.value, ast.Call)
        if self._scopes.resolve(statement.value.func) in roles.PLAIN_SESSIONS:
            used = [i for i, s in enumerate(rest) if name in find_plain_names(s)]
            before = rest[: used[0]] if used else []
            if any(
                names.find_binds(s) & names.find_reads(statement.value) for s in before
            ):
                return None
            rest = rest[used[0] :] if used else []
        if not rest or any(
            isinstance(n, (ast.Yield, ast.YieldFrom)) or self._gives_away(n, name)
            for s in rest
            for n in walk_breadth_first(s)
        ):
            return None
        return self._wrap_rest(statement, rest, closes, name, call)

    def _gives_away(self, node: ast.AST, name: str) -> bool:
        """Whether a function returns the session, or an object keeps it: it stays open."""
        if isinstance(node, ast.Return):
            return node.value is not None and names.find_key(node.value) == name
        return (
            isinstance(node, ast.Assign)
            and names.find_key(node.value) == name
            and any(isinstance(t, ast.Attribute) for t in node.targets)
        )

    def _enter_session(
        self, statement: ast.Assign, block: ast.With, name: str, call: str
    ) -> Text | None:
        """`sess = ...` then `with sess:`."""
        if len(block.items) != 1:
            return None
        item = block.items[0]
        shown = name
        if isinstance(item.optional_vars, ast.Name):
            shown = item.optional_vars.id
            if shown != name:
                return None
        new = call if item.optional_vars is not None else f"{call} as {name}"
        text = self._text.apply_edits([Edit(item.context_expr, new)])
        return text.splice(
            statement.lineno, statement.end_lineno or statement.lineno, [], []
        )

    def _closes(self, statement: ast.stmt, name: str) -> bool:
        return (
            isinstance(statement, ast.Expr)
            and isinstance(statement.value, ast.Call)
            and isinstance(statement.value.func, ast.Attribute)
            and statement.value.func.attr == "close"
            and names.find_key(statement.value.func.value) == name
        )

    def _wrap_rest(
        self,
        statement: ast.Assign,
        rest: Sequence[ast.stmt],
        closes: Sequence[ast.stmt],
        name: str,
        call: str,
    ) -> Text:
        indent = self._indent(statement)
        step = "\t" if indent.endswith("\t") else self._find_indent()
        end = rest[-1].end_lineno or rest[-1].lineno
        first = (statement.end_lineno or statement.lineno) + 1
        inner, origins_ = self._text.indent_statements(rest, indent, step)
        between = end + 1 - len(inner)
        lines = [
            *self._text.lines[first - 1 : between - 1],
            f"{indent}with {call} as {name}:",
            *inner,
        ]
        origins = [
            *self._text.origins[first - 1 : between - 1],
            self._text.origins[statement.lineno - 1],
            *origins_,
        ]
        text = self._text
        for close in reversed(closes):
            text = text.splice(close.lineno, close.end_lineno or close.lineno, [], [])
        return text.splice(statement.lineno, end, lines, origins)

    def move_session_outermost(self) -> Text | None:
        """`with open(...) as log:` around nothing but the session: inside it."""
        for node in walk_breadth_first(self._tree):
            if not (isinstance(node, ast.With) and len(node.body) == 1):
                continue
            inner = node.body[0]
            if not (isinstance(inner, ast.With) and len(inner.items) == 1):
                continue
            session = inner.items[0].context_expr
            if (
                not isinstance(session, ast.Call)
                or self._scopes.resolve(session.func) not in roles.SESSIONS
                or any(self._is_tf(i.context_expr) for i in node.items)
                or names.find_reads(session)
                & set().union(*[names.find_item_binds(i) for i in node.items])
            ):
                continue
            target = inner.items[0].optional_vars
            if target is None:
                return None
            outer = ", ".join(self._spell_item(item) for item in node.items)
            first, last = _make_span(node.items), _make_span(inner.items)
            new = self._spell_item(inner.items[0])
            return self._text.apply_edits([Edit(first, new), Edit(last, outer)])
        return None

    def _spell_item(self, item: ast.withitem) -> str:
        text = self._join_lines(item.context_expr)
        if item.optional_vars is None:
            return text
        return f"{text} as {self._join_lines(item.optional_vars)}"

    def _is_tf(self, node: ast.expr) -> bool:
        func = node.func if isinstance(node, ast.Call) else node
        return (self._scopes.resolve(func) or "").startswith("tf.")

    # -- places ----------------------------------------------------------------------------

    def _find_suite(self, statement: ast.stmt) -> list[ast.stmt] | None:
        return names.find_suite(self._scopes.parents[statement], statement)

    def _find_indent(self) -> str:
        """Returns one level of the text's indentation."""
        two = any(
            line.startswith("  ") and not line.startswith("   ")
            for line in self._text.lines
        )
        return "  " if two else "    "
