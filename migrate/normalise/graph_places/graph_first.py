"""TF1 to TF1: graph that is built while the session is open stands before it.

    with tf.Session() as sess:
        ...
        correct = tf.equal(tf.argmax(pred, 1), tf.argmax(y, 1))
        print(sess.run(correct, feed))

A session runs the graph as it is by then, so that it makes no difference when an
operation was added - unless it is made of what the loop computes. One that a loop adds
anew in every round is the same operation each time.
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator

from migrate.facts import draws, names
from migrate.facts.scopes import Scope
from migrate.normalise.names import versions
from migrate.normalise.text import (
    ParsedText,
    Text,
    find_lines_inside_strings,
    repeat_step,
)
from migrate.program.step_values import is_plain
from migrate.source.nodes import parse_source, walk_breadth_first
from migrate.tables import roles
from migrate.tables.layers import LAYER_CLASSES, LAYER_FUNCTIONS

_METHODS = frozenset({"minimize", "compute_gradients", "apply_gradients"})
_BLOCKS = (ast.If, ast.For, ast.While, ast.Try, ast.With)
_MAKES_VARIABLES = (
    roles.VARIABLES | frozenset(LAYER_FUNCTIONS) | frozenset(LAYER_CLASSES)
)
_LISTS_THE_GRAPH = roles.TRAINABLE | frozenset(
    {"tf.global_variables", "tf.all_variables", "tf.local_variables"}
    | {"tf.model_variables", "tf.get_collection", "tf.moving_average_variables"}
    | {"tf.summary.merge_all", "tf.losses.get_total_loss", "tf.losses.get_losses"}
    | {"tf.losses.get_regularization_loss", "tf.losses.get_regularization_losses"}
)
# Not of the graph, or made for the session at their place.
_STAYS = frozenset(
    {"tf.train.Saver", "tf.summary.FileWriter", "tf.train.Coordinator", "tf.Session"}
    | {"tf.train.start_queue_runners", "tf.train.global_step"}
)


def move_graph(text: Text) -> Text:
    """The text with what its plain session's block adds to the graph before it."""
    if "Session(" in text.source:
        text = _Block(text).open_late()
    return repeat_step(text, lambda t: _Block(t).move_statement(), "Session(")


def _is_of_graph(symbol: str) -> bool:
    return symbol.startswith("tf.") and not roles.has_prefix(
        symbol, roles.HOST_PREFIXES
    )


def _is_update(value: ast.expr) -> bool:
    """`optimizer.minimize(loss)` and its parts."""
    return (
        isinstance(value, ast.Call)
        and isinstance(value.func, ast.Attribute)
        and value.func.attr in _METHODS
    )


class _Block(ParsedText):
    def move_statement(self) -> Text | None:
        blocks = self._list_sessions()
        if not blocks:
            return None
        block = blocks[0]
        bound = [n for b in blocks for s in self._walk(b) for n in names.find_binds(s)]
        bound += [
            n for b in blocks for s in self._walk(b) for n in names.find_mutations(s)
        ]
        bound += [n for b in blocks for i in b.items for n in names.find_item_binds(i)]
        bound += [n.partition(".")[0] for n in bound]  # Of an object, all of it.
        if len(blocks) > 1:  # What stands between them, too.
            suite = getattr(self._scopes.parents[block], "body", [])
            after = [s for s in suite if s.lineno > block.lineno and s not in blocks]
            bound += [n for s in after for n in names.find_binds(s)]
        scope = self._scopes.find_scope(block.body[0])
        between = self._find_statements_between(blocks)
        for statement in [*(s for b in blocks for s in self._walk(b)), *between]:
            if not self._builds(statement) or self._draws(statement):
                continue
            reads = names.find_reads(statement)
            targets = names.find_binds(statement)
            if any(len(scope.bindings.get(t, ())) != 1 for t in targets):
                again = self._rebind_name(statement, scope, {*bound} - targets)
                if again is not None:
                    return again
                continue
            if (reads | {n.partition(".")[0] for n in reads}) & set(bound):
                continue
            nested = statement not in between and self._is_nested(statement, blocks)
            if nested and self._makes_variables(statement):
                continue
            if self._depends_on_place(statement) and any(
                s.lineno < statement.lineno and self._calls_own(s)
                for b in blocks
                for s in b.body
            ):
                continue
            if not self._text.is_alone(statement) or find_lines_inside_strings(
                statement
            ):
                continue
            return self._move_before(statement, block)
        return None

    def _depends_on_place(self, statement: ast.stmt) -> bool:
        """Whether what the graph has by then matters: it lists variables, or makes one."""
        return self._makes_variables(statement) or any(
            isinstance(n, ast.Call)
            and (self._scopes.resolve(n.func) or "") in _LISTS_THE_GRAPH
            for n in walk_breadth_first(statement)
        )

    def _calls_own(
        self, statement: ast.AST, seen: frozenset[ast.AST] = frozenset()
    ) -> bool:
        """Whether it calls a function or a class of the program that adds to the graph."""
        for node in walk_breadth_first(statement):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
                continue
            owner = self._scopes.find_scope(node).find_owner(node.func.id)
            for made in owner.bindings[node.func.id] if owner is not None else []:
                if not isinstance(made, (ast.FunctionDef, ast.ClassDef)):
                    continue
                if made not in seen and (
                    self._adds_to_graph(made) or self._calls_own(made, seen | {made})
                ):
                    return True
        return False

    def _adds_to_graph(self, definition: ast.AST) -> bool:
        return any(
            isinstance(n, ast.Call) and _is_of_graph(self._scopes.resolve(n.func) or "")
            for n in walk_breadth_first(definition)
        )

    def _find_statements_between(self, blocks: list[ast.With]) -> list[ast.stmt]:
        """Lists the statements between sessions that follow each other."""
        if len(blocks) < 2:
            return []
        parent = self._scopes.parents[blocks[0]]
        suite = next(s for _, s in names.list_suites(parent) if blocks[0] in s)  # type: ignore[arg-type]
        first, last = suite.index(blocks[0]), suite.index(blocks[-1])
        return [s for s in suite[first:last] if s not in blocks]

    def _draws(self, statement: ast.stmt) -> bool:
        """Whether numbers are drawn by Python, in the order in which it stands."""
        return draws.draws_within(self._scopes, statement)

    def _rebind_name(
        self, statement: ast.stmt, scope: Scope, bound: set[str]
    ) -> Text | None:
        """Drops a repeated binding of a name to graph, or gives it another name."""
        if not (
            isinstance(statement, ast.Assign)
            and len(statement.targets) == 1
            and isinstance(statement.targets[0], ast.Name)
        ):
            return None
        name = statement.targets[0]
        others = [b for b in scope.bindings.get(name.id, ()) if b is not statement]
        reads = names.find_reads(statement.value)
        once = all(len(scope.bindings.get(r.partition(".")[0], ())) <= 1 for r in reads)
        if name.id not in reads and not reads & bound and others and once:
            if (
                not self._makes_variables(statement)  # Each time, others.
                and all(ast.dump(b) == ast.dump(statement) for b in others)
                and all(self._text.is_alone(b) for b in others)  # type: ignore[arg-type]
            ):
                first, second = sorted(
                    [statement, others[-1]],
                    key=lambda s: s.lineno,  # type: ignore[attr-defined]
                )
                if self._is_always_run(first):
                    return self._drop_statement(second)  # type: ignore[arg-type]
        if any(b.lineno < statement.lineno for b in others):  # type: ignore[attr-defined]
            return versions.rename_from_here(self._text, name)
        return None

    def _is_always_run(self, statement: ast.AST) -> bool:
        """Whether no branch or loop stands around it."""
        above = self._scopes.parents[statement]
        while isinstance(above, ast.With):
            above = self._scopes.parents[above]
        return not isinstance(above, _BLOCKS)

    def _drop_statement(self, statement: ast.stmt) -> Text:
        """Removes a statement that makes the same graph once more."""
        first, last = statement.lineno, statement.end_lineno or statement.lineno
        suite = next(
            s
            for _, s in names.list_suites(self._scopes.parents[statement])  # type: ignore[arg-type]
            if statement in s
        )
        old = self._text.lines[first - 1]
        left = [old[: len(old) - len(old.lstrip())] + "pass"] if len(suite) == 1 else []
        return self._text.splice(
            first, last, left, self._text.origins[first - 1 : first] * len(left)
        )

    def open_late(self) -> Text:
        """Moves a block's statements before the first use of its session above it.

        A graph that the same statement opens is the program's only one.
        """
        blocks = self._list_sessions()
        if len(blocks) != 1:
            return self._text
        block = blocks[0]
        kept = [i for i in block.items if not self._opens_graph(i.context_expr)]
        item = kept[0] if len(kept) == 1 else None
        if item is None or not isinstance(item.optional_vars, ast.Name):
            return self._text
        name = item.optional_vars.id
        leading: list[ast.stmt] = []
        later: list[ast.stmt] = []
        for statement in block.body:
            if self._begins_input(statement, name):
                later.append(statement)
            elif any(
                isinstance(n, ast.Name) and n.id == name
                for n in walk_breadth_first(statement)
            ):
                break
            leading.append(statement)
        leading = leading[: len(block.body) - 1]
        while leading and leading[-1] in later:
            leading.pop()
        later = [s for s in later if s in leading]
        builds = any(self._mentions_graph(s) for s in leading)
        first = block.body[0]
        if not builds or first.lineno == block.lineno:
            return self._text
        verbatim = set().union(*[find_lines_inside_strings(s) for s in leading])
        end = leading[-1].end_lineno or leading[-1].lineno
        at = self._text.lines[block.lineno - 1]
        outer = at[: len(at) - len(at.lstrip())]
        inner = self._text.lines[first.lineno - 1]
        inner = inner[: len(inner) - len(inner.lstrip())]
        if not self._text.is_alone(leading[-1]) or block.items[
            -1
        ].context_expr.end_lineno != (block.lineno):
            return self._text
        moved = {n for s in later for n in range(s.lineno, (s.end_lineno or 0) + 1)}
        if not all(self._text.is_alone(s) for s in later):
            return self._text
        numbers = [n for n in range(block.lineno + 1, end + 1) if n not in moved]
        lines = [
            outer + line[len(inner) :]
            if line.startswith(inner) and number not in verbatim
            else line
            for number in numbers
            for line in [self._text.lines[number - 1]]
        ]
        call = self._text.find_segment(item.context_expr)
        begun = [self._text.lines[n - 1] for n in sorted(moved)]
        new = self._text.splice(
            block.lineno,
            end,
            [*lines, f"{outer}with {call} as {name}:", *begun],
            [
                self._text.origins[n - 1]
                for n in [*numbers, block.lineno, *sorted(moved)]
            ],
        )
        try:
            parse_source(new.source)
        except SyntaxError:
            return self._text
        return new

    def _begins_input(self, statement: ast.stmt, session: str) -> bool:
        """`session.run(iterator.initializer)`: nothing that is only built sees it."""
        match statement:
            case ast.Expr(
                ast.Call(
                    func=ast.Attribute(ast.Name(id=name), "run"),
                    args=[ast.Attribute(ast.Name(), "initializer") as fetched],
                    keywords=[],
                )
            ):
                return name == session and self._is_iterator(fetched.value)
        return False

    def _is_iterator(self, node: ast.expr) -> bool:
        """Whether a name stands for an iterator that is initialised by a run."""
        assert isinstance(node, ast.Name)
        owner = self._scopes.find_scope(node).find_owner(node.id)
        made = owner.bindings[node.id] if owner is not None else []
        return any(
            isinstance(b, ast.Assign)
            and isinstance(b.value, ast.Call)
            and isinstance(b.value.func, ast.Attribute)
            and b.value.func.attr == "make_initializable_iterator"
            for b in made
        )

    def _opens_graph(self, node: ast.expr) -> bool:
        """`tf.Graph().as_default()`."""
        return (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "as_default"
            and isinstance(node.func.value, ast.Call)
            and self._scopes.resolve(node.func.value.func) == "tf.Graph"
        )

    def _mentions_graph(self, statement: ast.stmt) -> bool:
        return isinstance(statement, ast.Assign) or any(
            isinstance(n, ast.Call) and _is_of_graph(self._scopes.resolve(n.func) or "")
            for n in walk_breadth_first(statement)
        )

    def _list_sessions(self) -> list[ast.With]:
        """The sessions' blocks, which stand in one suite, in order."""
        sessions = [
            node
            for node in walk_breadth_first(self._tree)
            if isinstance(node, ast.With)
            and any(
                isinstance(i.context_expr, ast.Call)
                and self._scopes.resolve(i.context_expr.func) in roles.PLAIN_SESSIONS
                for i in node.items
            )
        ]
        parents = {self._scopes.parents[s] for s in sessions}
        suites = [suite for parent in parents for _, suite in names.list_suites(parent)]  # type: ignore[arg-type]
        if not any(all(s in suite for s in sessions) for suite in suites):
            return []  # As in the branches of one `if`.
        return sorted(sessions, key=lambda s: s.lineno)

    def _walk(self, block: ast.stmt) -> Iterator[ast.stmt]:
        for _, suite in names.list_suites(block):
            for statement in suite:
                yield statement
                if isinstance(statement, _BLOCKS):
                    yield from self._walk(statement)

    def _is_nested(self, statement: ast.stmt, blocks: list[ast.With]) -> bool:
        return self._scopes.parents[statement] not in blocks

    def _builds(self, statement: ast.stmt) -> bool:
        value = getattr(statement, "value", None)
        if not isinstance(value, ast.expr):
            return False
        calls = [n for n in walk_breadth_first(value) if isinstance(n, ast.Call)]
        symbols = [self._scopes.resolve(c.func) or "" for c in calls]
        if any(s in _STAYS for s in symbols):
            return False
        if isinstance(statement, ast.Expr):
            shows = self._shows_tensors(value, statement)
            return shows or (bool(symbols) and symbols[0] in roles.SUMMARIES)
        if not isinstance(statement, ast.Assign):
            return False
        if any(s in roles.TRAINABLE for s in symbols) and is_plain(self._scopes, value):
            return False  # `len(tf.trainable_variables())`: layers have theirs by then.
        return (
            any(_is_of_graph(s) for s in symbols)
            or _is_update(value)
            or (not calls and self._is_tensor(value, statement))
        )

    def _shows_tensors(self, value: ast.expr, at: ast.stmt) -> bool:
        """`print("a:", a)` of tensors: it says what the graph calls them, whenever it is."""
        match value:
            case ast.Call(func=ast.Name(id="print"), args=args, keywords=[]):
                shown = [n for a in args for n in self._find_printed_values(a)]
                return bool(shown) and all(
                    isinstance(n, ast.Name)
                    and self._is_tensor(n, at)
                    and not self._makes_variables(self._find_making_statement(n, at))
                    for n in shown
                )
        return False

    def _find_printed_values(self, node: ast.expr) -> Iterator[ast.expr]:
        """Yields the values in an argument of `print`, without its text."""
        match node:
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                yield from self._find_printed_values(left)
                yield from self._find_printed_values(right)
            case ast.Call(func=ast.Name(id="str" | "repr"), args=[inner], keywords=[]):
                yield inner
            case ast.Constant():
                pass
            case _:
                yield node

    def _find_making_statement(self, name: ast.Name, at: ast.stmt) -> ast.stmt:
        """The statement that binds a tensor's name."""
        owner = self._scopes.find_scope(at).find_owner(name.id)
        assert owner is not None
        return owner.bindings[name.id][0]  # type: ignore[return-value]

    def _is_tensor(self, value: ast.expr, at: ast.stmt) -> bool:
        """Whether it is computed of a tensor by operators, as `x * w + b`."""
        match value:
            case ast.BinOp(left=left, right=right):
                return self._is_tensor(left, at) or self._is_tensor(right, at)
            case ast.UnaryOp(op=ast.USub() | ast.Invert(), operand=part):
                return self._is_tensor(part, at)
            case ast.Subscript(value=part):
                return self._is_tensor(part, at)
            case ast.Call(func=called):
                return _is_of_graph(self._scopes.resolve(called) or "")
            case ast.Name(id=name):
                owner = self._scopes.find_scope(at).find_owner(name)
                made = owner.bindings[name] if owner is not None else []
                return len(made) == 1 and (
                    isinstance(made[0], ast.Assign)
                    and made[0].lineno < at.lineno
                    and isinstance(made[0].targets[0], ast.Name)
                    and self._is_tensor(made[0].value, made[0])
                )
        return False

    def _makes_variables(self, statement: ast.stmt) -> bool:
        return any(
            isinstance(n, ast.Call)
            and (
                self._scopes.resolve(n.func) in _MAKES_VARIABLES
                or (isinstance(n.func, ast.Attribute) and n.func.attr in _METHODS)
            )
            for n in walk_breadth_first(statement)
        )

    def _move_before(self, statement: ast.stmt, block: ast.With) -> Text:
        first, last = statement.lineno, statement.end_lineno or statement.lineno
        lines = textwrap.dedent("\n".join(self._text.lines[first - 1 : last])).split(
            "\n"
        )
        at = self._text.lines[block.lineno - 1]
        indent = at[: len(at) - len(at.lstrip())]
        origins = self._text.origins[first - 1 : last]
        suite = next(
            s
            for _, s in names.list_suites(self._scopes.parents[statement])  # type: ignore[arg-type]
            if statement in s
        )
        old = self._text.lines[first - 1]
        left = [old[: len(old) - len(old.lstrip())] + "pass"] if len(suite) == 1 else []
        text = self._text.splice(first, last, left, origins[: len(left)])
        return text.splice(
            block.lineno, block.lineno - 1, [indent + line for line in lines], origins
        )
