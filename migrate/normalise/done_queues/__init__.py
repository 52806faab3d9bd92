"""TF1 to TF1: parameter servers that end when their workers say so.

A parameter server of TF1 never ends by itself. Programs gave each a queue, into which
every worker puts a number when it has ended, and which the server reads so many times:

    queue = tf.FIFOQueue(workers, tf.int32, shared_name="done_queue0")
    for i in range(workers):
        sess.run(queue.dequeue())

What waits here becomes `server.join()`, which then returns when all workers have ended,
and what tells goes: the coordinator knows when they have. All of it has to be seen: one
use of such a queue for something else, and the program stays as it is.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterable

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.normalise.done_queues.kinds import Kind, Kinds
from migrate.normalise.text import Edit, Text

_SESSIONS = frozenset({"tf.Session", "tf.InteractiveSession"})
_FINAL = frozenset({"tf.train.FinalOpsHook", "tf.estimator.FinalOpsHook"})
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class _Unclear(Exception):
    """The queue is used for something else, or in a form that is not read.

    Attributes:
      node: where.
      reason: what stands there.
    """

    def __init__(self, node: ast.AST, reason: str) -> None:
        super().__init__(reason)
        self.node = node
        self.reason = reason


@dataclasses.dataclass(frozen=True)
class DoneQueues:
    """A program without its queues.

    Attributes:
      text: the program; where a parameter server waited stands `server.join()`.
      lines: original lines of the queues; none where there are no such queues.
    """

    text: Text
    lines: tuple[int, ...] = ()


def replaced(text: Text) -> DoneQueues:
    """The text without the queues that end parameter servers, where that is clear."""
    if not _mentions_queue(text.source):
        return DoneQueues(text)
    try:
        return _Program(text).run()
    except _Unclear:
        return DoneQueues(text)


def why_not(text: Text) -> tuple[int, str] | None:
    """The line and reason why a shared queue was left; None where none was."""
    if not _mentions_queue(text.source):
        return None
    try:
        _Program(text).run()
    except _Unclear as unclear:
        line = getattr(unclear.node, "lineno", 1)
        return text.origins[line - 1], unclear.reason
    return None


def _mentions_queue(source: str) -> bool:
    return "FIFOQueue" in source and "shared_name" in source and "Server(" in source


class _Program:
    def __init__(self, text: Text) -> None:
        self._text = text
        self._tree = ast.parse(text.source)
        self._scopes = Scopes(self._tree)
        self._kinds = Kinds(self._scopes)
        self._gone: set[ast.stmt] = set()
        self._dissolved: set[ast.With] = set()
        self._joins: dict[ast.stmt, None] = {}
        self._waits: list[ast.stmt] = []
        self._edits: list[Edit] = []
        self._makers = self._kinds.makers
        self._joined = [
            node
            for node in ast.walk(self._tree)
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "join"
        ]

    def run(self) -> DoneQueues:
        """The program without its queues.

        Raises:
          _Unclear: they do something else, or their use is not read.
        """
        if not self._makers:
            return DoneQueues(self._text)
        server = self._server()
        for join in self._joined:
            assert isinstance(join.func, ast.Attribute)
            if names.key(join.func.value) == server:
                raise _Unclear(join, "the server waits for ever beside it")
        for maker in self._makers:
            self._check_place(maker)
        self._suite(self._tree.body)
        if not self._waits:
            raise _Unclear(
                self._makers[0], "no parameter server is seen to wait for it"
            )
        for wait in self._waits:
            self._join_for(wait)
        self._drop_sessions()
        self._drop_empty()
        self._check_all_gone()
        lines = tuple(sorted({self._text.origins[m.lineno - 1] for m in self._makers}))
        return DoneQueues(self._written(server), lines)

    def _server(self) -> str:
        made = [
            node
            for node in ast.walk(self._tree)
            if isinstance(node, ast.Call)
            and self._scopes.resolve(node.func) == "tf.train.Server"
        ]
        statement = self._scopes.parents[made[0]] if made else None
        if len(made) != 1 or not isinstance(statement, ast.Assign):
            raise _Unclear(self._makers[0], "the program has no server, or several")
        server = names.key(statement.targets[0])
        if server is None:
            raise _Unclear(statement, "the server is not kept in a variable")
        return server

    def _check_place(self, maker: ast.Call) -> None:
        """A queue of a parameter server: under its device, or made where it waits."""
        devices = [
            item.context_expr
            for block in self._kinds.above(maker)
            if isinstance(block, ast.With)
            for item in block.items
            if isinstance(item.context_expr, ast.Call)
            and self._scopes.resolve(item.context_expr.func) == "tf.device"
        ]
        on_server = bool(devices) and any(
            isinstance(n, ast.Constant)
            and isinstance(n.value, str)
            and "job:ps" in n.value
            for n in ast.walk(devices[0])
        )
        if not on_server and not self._serves(maker):
            raise _Unclear(maker, "a shared queue that is not on a parameter server")

    def _serves(self, node: ast.AST) -> bool:
        """Whether it stands in the branch of parameter servers."""
        inner = node
        for outer in self._kinds.above(node):
            if isinstance(outer, ast.If) and inner in outer.body:
                if self._asks_for_server(outer.test):
                    return True
            inner = outer
        return False

    def _asks_for_server(self, test: ast.expr) -> bool:
        """`job_name == "ps"`, or that and more."""
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
            return any(self._asks_for_server(v) for v in test.values)
        return (
            isinstance(test, ast.Compare)
            and len(test.ops) == 1
            and isinstance(test.ops[0], ast.Eq)
            and "ps" in map(names.literal, (test.left, test.comparators[0]))
        )

    # -- what goes -------------------------------------------------------------------------

    def _suite(self, suite: Iterable[ast.stmt]) -> None:
        for statement in suite:
            self._statement(statement)

    def _statement(self, statement: ast.stmt) -> None:
        """Notes what of a statement goes.

        Raises:
          _Unclear: it does something else with a queue.
        """
        if (
            isinstance(statement, _FUNCTIONS)
            and statement.name in self._kinds.functions
        ):
            self._makes_only(statement)
            self._go(statement)
            return
        suites = names.suites(statement)
        if suites:
            self._compound(statement)
            for _, suite in suites:
                self._suite(suite)
            return
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            self._suite(statement.body)
            return
        if not self._is_about(statement):
            return
        if isinstance(statement, ast.Assign) and not self._runs(statement.value):
            value = statement.value
            empty = isinstance(value, ast.List) and not value.elts
            if (self._kinds.of(value) or empty) and all(
                self._kinds.key_of(t) is not None for t in statement.targets
            ):
                self._go(statement)
                return
            self._without_hook(statement)
            return
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            call = statement.value
            if self._kinds.is_run(call) or self._is_evaluated(call):
                self._run(statement, call)
                return
            func = call.func
            if (
                isinstance(func, ast.Attribute)
                and func.attr in ("append", "extend")
                and self._kinds.of(call.args[0] if call.args else None)
            ):
                self._go(statement)
                return
            if self._kinds.called(call) is not None:
                self._calls(call)
                return
        self._without_hook(statement)

    def _is_about(self, node: ast.AST) -> bool:
        return any(
            self._kinds.of(n)
            for n in ast.walk(node)
            if isinstance(n, (ast.Name, ast.Attribute, ast.Call))
        )

    def _runs(self, value: ast.expr) -> bool:
        return any(self._kinds.is_run(n) for n in ast.walk(value))

    def _is_evaluated(self, call: ast.Call) -> bool:
        """`queue.enqueue(1).run()` is a run as well."""
        return isinstance(call.func, ast.Attribute) and call.func.attr in (
            "run",
            "eval",
        )

    def _run(self, statement: ast.Expr, call: ast.Call) -> None:
        assert isinstance(call.func, ast.Attribute)
        kinds = self._kinds.of(call.func.value)
        if not kinds and call.args and len(call.args) == 1 and not call.keywords:
            kinds = self._all_kinds(call.args[0])
        if kinds == {Kind.WAITS}:
            self._waits.append(statement)
        elif kinds != {Kind.TELLS}:
            raise _Unclear(statement, "a run of it together with something else")
        self._go(statement)

    def _all_kinds(self, fetches: ast.expr) -> set[Kind]:
        """The kinds of what is fetched, where nothing else is."""
        if isinstance(fetches, (ast.List, ast.Tuple)):
            each = [self._kinds.of(e) for e in fetches.elts]
            return set().union(*each) if all(each) else set()
        return self._kinds.of(fetches)

    def _calls(self, call: ast.Call) -> None:
        """A function that is given a queue, to wait for it or to tell it."""
        for value in [*call.args, *[k.value for k in call.keywords]]:
            if self._kinds.of(value):
                self._edits.append(Edit(value, "None"))
            elif self._is_about(value):
                raise _Unclear(call, "it is given on with something else")

    def _compound(self, statement: ast.stmt) -> None:
        """The head of a loop over queues, a branch or a block.

        Raises:
          _Unclear: the head does something with a queue itself.
        """
        heads: list[ast.AST] = []
        if isinstance(statement, ast.For):
            if self._kinds.of(statement.iter):
                if not all(self._is_about(s) for s in statement.body):
                    raise _Unclear(statement, "a loop that does something else too")
                return
            heads = [statement.iter]
        elif isinstance(statement, (ast.If, ast.While)):
            heads = [statement.test]
        elif isinstance(statement, ast.With):
            heads = [item.context_expr for item in statement.items]
        for head in heads:
            if self._is_about(head):
                self._without_hook(head)

    def _without_hook(self, node: ast.AST) -> None:
        """Lists of hooks without the one that tells at the end.

        Raises:
          _Unclear: a queue is used in another way.
        """
        for display in ast.walk(node):
            if not isinstance(display, ast.List):
                continue
            kept = [e for e in display.elts if not self._kinds.of(e)]
            lost = [e for e in display.elts if self._kinds.of(e)]
            if lost and all(self._kinds.of(e) == {Kind.TELLS} for e in lost):
                if not all(self._is_hook(e) for e in lost):
                    raise _Unclear(display, "a list of it and something else")
                new = ", ".join(" ".join(ast.unparse(e).split("\n")) for e in kept)
                self._edits.append(Edit(display, f"[{new}]"))
                return
        raise _Unclear(node, "it is used for something else")

    def _is_hook(self, element: ast.expr) -> bool:
        if isinstance(element, ast.Call):
            return self._scopes.resolve(element.func) in _FINAL
        if isinstance(element, ast.Name):
            owner = self._scopes.scope_of(element).owner(element.id)
            bound = owner.bindings[element.id] if owner is not None else []
            return all(
                isinstance(b, ast.Assign)
                and isinstance(b.value, ast.Call)
                and self._scopes.resolve(b.value.func) in _FINAL
                for b in bound
            )
        return False

    def _makes_only(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        """Checks that a function makes queues, and nothing else.

        Raises:
          _Unclear: something else is lost with it.
        """
        for node in ast.walk(function):
            if isinstance(node, ast.Call) and self._kinds.is_run(node):
                raise _Unclear(node, "a function that makes queues runs something too")
            if isinstance(node, ast.Expr) and not isinstance(node.value, ast.Constant):
                text = self._text.segment(node)
                call = node.value
                plain = isinstance(call, ast.Call) and isinstance(call.func, ast.Name)
                if not (plain and text.startswith("print(")) and not self._is_about(
                    node
                ):
                    raise _Unclear(node, "a function that makes queues does more")

    def _go(self, statement: ast.stmt) -> None:
        if not self._text.alone(statement):
            raise _Unclear(statement, "several statements in one line")
        self._gone.add(statement)

    # -- where the server waits ------------------------------------------------------------

    def _join_for(self, wait: ast.stmt) -> None:
        """Where `server.join()` stands for a wait: before the loop it is in.

        Raises:
          _Unclear: it is not only a parameter server that waits.
        """
        top: ast.AST = wait
        for outer in self._kinds.above(wait):
            if isinstance(outer, ast.If) and self._serves(top):
                break
            if isinstance(outer, _FUNCTIONS):
                for call in self._calls_of(outer):
                    self._join_for(call)
                return
            if isinstance(outer, ast.Module):
                break
            if isinstance(outer, (ast.For, ast.While)):
                top = outer
        if not self._serves(wait):
            raise _Unclear(wait, "others than parameter servers wait for it")
        assert isinstance(top, ast.stmt)
        self._joins[top] = None

    def _calls_of(self, function: ast.AST) -> list[ast.stmt]:
        calls = [
            node
            for node in ast.walk(self._tree)
            if isinstance(node, ast.Call) and self._kinds.called(node) is function
        ]
        statements = [self._scopes.parents[call] for call in calls]
        if not calls or not all(isinstance(s, ast.Expr) for s in statements):
            raise _Unclear(function, "a function that waits is not called by itself")
        return [s for s in statements if isinstance(s, ast.Expr)]

    # -- what is empty then ------------------------------------------------------------------

    def _drop_sessions(self) -> None:
        """Sessions that did nothing but wait or tell."""
        for node in ast.walk(self._tree):
            if isinstance(node, ast.With) and len(node.items) == 1:
                item = node.items[0]
                if self._places(item.context_expr) and self._serves(node):
                    self._dissolved.add(node)  # Of the queue; nothing else is placed.
                    continue
                if not self._opens(item.context_expr):
                    continue
                name = item.optional_vars
                before = [s for s in node.body if self._touched(s)]
                if not before:
                    continue
                if isinstance(name, ast.Name) and self._still_read(name, node):
                    raise _Unclear(node, "its session runs something else too")
                self._dissolved.add(node)
            elif (
                isinstance(node, ast.Assign)
                and self._opens(node.value)
                and isinstance(node.targets[0], ast.Name)
            ):
                name = node.targets[0]
                suite = self._suite_of(node)
                uses = [
                    n
                    for s in suite[suite.index(node) + 1 :]
                    for n in ast.walk(s)
                    if isinstance(n, ast.Name) and n.id == name.id
                ]
                closes = [
                    s
                    for n in uses
                    if isinstance(s := self._statement_of(n), ast.Expr)
                    and self._text.segment(s).strip() == f"{name.id}.close()"
                ]
                rest = [n for n in uses if self._statement_of(n) not in closes]
                if rest and all(self._lost(n) for n in rest):
                    for statement in (node, *closes):
                        self._go(statement)

    def _suite_of(self, statement: ast.stmt) -> list[ast.stmt]:
        parent = self._scopes.parents[statement]
        for field in ("body", "orelse", "finalbody"):
            suite = getattr(parent, field, None)
            if isinstance(suite, list) and statement in suite:
                return suite
        return [statement]

    def _opens(self, node: ast.AST) -> bool:
        return (
            isinstance(node, ast.Call) and self._scopes.resolve(node.func) in _SESSIONS
        )

    def _places(self, node: ast.AST) -> bool:
        return (
            isinstance(node, ast.Call)
            and self._scopes.resolve(node.func) == "tf.device"
        )

    def _touched(self, statement: ast.stmt) -> bool:
        return any(n in self._gone for n in ast.walk(statement))

    def _lost(self, node: ast.AST) -> bool:
        return any(n in self._gone for n in self._kinds.above(node))

    def _still_read(self, name: ast.Name, block: ast.With) -> bool:
        return any(
            isinstance(n, ast.Name) and n.id == name.id and not self._lost(n)
            for s in block.body
            for n in ast.walk(s)
        )

    def _statement_of(self, node: ast.AST) -> ast.AST:
        return next(n for n in self._kinds.above(node) if isinstance(n, ast.stmt))

    def _drop_empty(self) -> None:
        """Blocks, loops and functions of which nothing is left."""
        while True:
            before = len(self._gone)
            for node in ast.walk(self._tree):
                if not isinstance(node, ast.stmt) or node in self._gone:
                    continue
                if not isinstance(node, (ast.For, ast.While, ast.With, ast.If)):
                    if isinstance(node, ast.FunctionDef) and self._is_empty(node):
                        for call in self._calls_of(node):
                            self._gone.add(call)
                        self._gone.add(node)
                    continue
                inside = [s for _, suite in names.suites(node) for s in suite]
                if all(s in self._gone for s in inside) and self._is_plain(node):
                    self._gone.add(node)
            if len(self._gone) == before:
                return

    def _is_empty(self, function: ast.FunctionDef) -> bool:
        """Whether nothing is left of a function but its docstring."""
        kept = [s for s in function.body if s not in self._gone]
        return (
            len(kept) < len(function.body)
            and all(
                isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant)
                for s in kept
            )
            and bool(self._calls_of(function))
        )

    def _is_plain(self, node: ast.For | ast.While | ast.With | ast.If) -> bool:
        """Whether its head does nothing by itself."""
        if isinstance(node, ast.With):
            return node in self._dissolved or all(
                isinstance(i.context_expr, ast.Call)
                and (self._scopes.resolve(i.context_expr.func) or "").startswith("tf.")
                and not (self._scopes.resolve(i.context_expr.func) or "").startswith(
                    "tf.train."
                )
                for i in node.items
            )
        head = node.iter if isinstance(node, ast.For) else node.test
        return bool(self._kinds.of(head)) or not any(
            isinstance(n, ast.Call)
            and names.key(n.func) not in ("range", "len", "enumerate", "xrange")
            and not isinstance(n.func, ast.Attribute)
            for n in ast.walk(head)
        )

    def _check_all_gone(self) -> None:
        """Nothing that is left may name what is gone.

        Raises:
          _Unclear: something does.
        """
        edited = {n for e in self._edits for n in ast.walk(e.node)}
        for node in ast.walk(self._tree):
            if not isinstance(node, (ast.Name, ast.Attribute, ast.Call)):
                continue
            if node in edited or not self._kinds.of(node) or self._lost(node):
                continue
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                continue
            if isinstance(node, ast.Call) and node not in self._makers:
                called = self._kinds.called(node)
                if called is None or called.name not in self._kinds.functions:
                    continue
            raise _Unclear(node, "it is used for something else")

    # -- the text ----------------------------------------------------------------------------

    def _written(self, server: str) -> Text:
        gone = {
            number
            for statement in self._gone
            for number in range(self._first(statement), (statement.end_lineno or 0) + 1)
        }
        for statement in self._gone:
            if isinstance(
                statement, _FUNCTIONS
            ):  # With the lines between it and the next.
                after = (statement.end_lineno or 0) + 1
                while (
                    after <= len(self._text.lines)
                    and not self._text.lines[after - 1].strip()
                ):
                    gone.add(after)
                    after += 1
        inserted: dict[int, list[str]] = {}
        dedent: dict[int, int] = {}
        for block in self._dissolved:
            gone.update(range(block.lineno, block.body[0].lineno))
            if block in self._gone:
                continue
            by = block.body[0].col_offset - block.col_offset
            for number in range(block.body[0].lineno, (block.end_lineno or 0) + 1):
                dedent[number] = dedent.get(number, 0) + by
        for statement in self._joins:
            outer = [b for b in self._kinds.above(statement) if b in self._dissolved]
            indent = self._indent(outer[-1] if outer else statement)
            inserted.setdefault(self._first(statement), []).append(
                f"{indent}{server}.join()"
            )
        for node in ast.walk(self._tree):
            if isinstance(node, ast.stmt) and node not in self._gone:
                self._fill(node, inserted)
        edited = self._text.edited([e for e in self._edits if not self._lost(e.node)])
        lines: list[str] = []
        origins: list[int] = []
        for number, line in enumerate(edited.lines, 1):
            new = inserted.get(number, [])
            if number not in gone:
                cut = dedent.get(number, 0)
                new = [*new, line[cut:] if not line[:cut].strip() else line]
            lines += new
            origins += [edited.origins[number - 1]] * len(new)
        return Text(tuple(lines), tuple(origins))

    def _fill(self, node: ast.stmt, inserted: dict[int, list[str]]) -> None:
        """`pass` where a suite has lost all of its statements."""
        for _, suite in names.suites(node):
            if node in self._dissolved or not all(s in self._gone for s in suite):
                continue
            if not any(s in self._joins for s in suite):
                first = suite[0]
                inserted.setdefault(self._first(first), []).append(
                    self._indent(first) + "pass"
                )

    def _first(self, statement: ast.stmt) -> int:
        decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
        return min([statement.lineno, *[d.lineno for d in decorators]])

    def _indent(self, statement: ast.AST) -> str:
        assert isinstance(statement, ast.stmt)
        return self._text.lines[statement.lineno - 1][: statement.col_offset]
