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
from migrate.facts.scopes import Scope, scopes_of
from migrate.normalise.names import versions
from migrate.normalise.text import Text, inside_strings
from migrate.source.nodes import all_nodes, tree_of
from migrate.tables import roles
from migrate.tables.layers import LAYER_CLASSES, LAYER_FUNCTIONS

_METHODS = frozenset({"minimize", "compute_gradients", "apply_gradients"})
_BLOCKS = (ast.If, ast.For, ast.While, ast.Try, ast.With)
_MAKES_VARIABLES = (
    roles.VARIABLES | frozenset(LAYER_FUNCTIONS) | frozenset(LAYER_CLASSES)
)
# Not of the graph, or made for the session where they stand.
_STAYS = frozenset(
    {"tf.train.Saver", "tf.summary.FileWriter", "tf.train.Coordinator", "tf.Session"}
    | {"tf.train.start_queue_runners", "tf.train.global_step"}
)


def moved(text: Text) -> Text:
    """The text with what its plain session's block adds to the graph before it."""
    if "Session(" in text.source:
        text = _Block(text).opened_late()
    while "Session(" in text.source:
        new = _Block(text).one_moved()
        if new is None:
            break
        text = new
    return text


class _Block:
    def __init__(self, text: Text) -> None:
        self._text = text
        self._tree = tree_of(text.source)
        self._scopes = scopes_of(self._tree)

    def one_moved(self) -> Text | None:
        blocks = self._sessions()
        if not blocks:
            return None
        block = blocks[0]
        bound = [n for b in blocks for s in self._inside(b) for n in names.binds(s)]
        bound += [n for b in blocks for s in self._inside(b) for n in names.mutates(s)]
        bound += [n for b in blocks for i in b.items for n in names.binds_of_item(i)]
        bound += [n.partition(".")[0] for n in bound]  # Of an object, all of it.
        if len(blocks) > 1:  # What stands between them, too.
            suite = getattr(self._scopes.parents[block], "body", [])
            after = [s for s in suite if s.lineno > block.lineno and s not in blocks]
            bound += [n for s in after for n in names.binds(s)]
        scope = self._scopes.scope_of(block.body[0])
        between = self._between(blocks)
        for statement in [*(s for b in blocks for s in self._inside(b)), *between]:
            if not self._builds(statement) or self._draws(statement):
                continue
            reads = names.reads(statement)
            targets = names.binds(statement)
            if any(len(scope.bindings.get(t, ())) != 1 for t in targets):
                again = self._again(statement, scope, {*bound} - targets)
                if again is not None:
                    return again
                continue
            if (reads | {n.partition(".")[0] for n in reads}) & set(bound):
                continue
            nested = statement not in between and self._in_block(statement, blocks)
            if nested and self._makes_variables(statement):
                continue
            if not self._text.alone(statement) or inside_strings(statement):
                continue
            return self._before(statement, block)
        return None

    def _between(self, blocks: list[ast.With]) -> list[ast.stmt]:
        """What stands between sessions that follow each other."""
        if len(blocks) < 2:
            return []
        parent = self._scopes.parents[blocks[0]]
        suite = next(s for _, s in names.suites(parent) if blocks[0] in s)  # type: ignore[arg-type]
        first, last = suite.index(blocks[0]), suite.index(blocks[-1])
        return [s for s in suite[first:last] if s not in blocks]

    def _draws(self, statement: ast.stmt) -> bool:
        """Whether numbers are drawn by Python, in the order in which it stands."""
        return draws.within(self._scopes, statement)

    def _again(self, statement: ast.stmt, scope: Scope, bound: set[str]) -> Text | None:
        """A name that is bound to graph anew: the same once more, or under another name."""
        if not (
            isinstance(statement, ast.Assign)
            and len(statement.targets) == 1
            and isinstance(statement.targets[0], ast.Name)
        ):
            return None
        name = statement.targets[0]
        others = [b for b in scope.bindings.get(name.id, ()) if b is not statement]
        reads = names.reads(statement.value)
        once = all(len(scope.bindings.get(r.partition(".")[0], ())) <= 1 for r in reads)
        if name.id not in reads and not reads & bound and others and once:
            if all(ast.dump(b) == ast.dump(statement) for b in others) and all(
                self._text.alone(b)  # type: ignore[arg-type]
                for b in others
            ):
                if self._makes_variables(statement):
                    return None
                return self._without(others[-1])  # type: ignore[arg-type]
        if any(b.lineno < statement.lineno for b in others):  # type: ignore[attr-defined]
            return versions.from_here(self._text, name)
        return None

    def _without(self, statement: ast.stmt) -> Text:
        """A statement that makes once more what there is, taken away."""
        first, last = statement.lineno, statement.end_lineno or statement.lineno
        suite = next(
            s
            for _, s in names.suites(self._scopes.parents[statement])  # type: ignore[arg-type]
            if statement in s
        )
        old = self._text.lines[first - 1]
        left = [old[: len(old) - len(old.lstrip())] + "pass"] if len(suite) == 1 else []
        return self._text.spliced(
            first, last, left, self._text.origins[first - 1 : first] * len(left)
        )

    def opened_late(self) -> Text:
        """What stands in the block before the session is used, before the block.

        A graph that is opened in the same statement is the only one there is.
        """
        blocks = self._sessions()
        if len(blocks) != 1:
            return self._text
        block = blocks[0]
        kept = [i for i in block.items if not self._opens_graph(i.context_expr)]
        item = kept[0] if len(kept) == 1 else None
        if item is None or not isinstance(item.optional_vars, ast.Name):
            return self._text
        name = item.optional_vars.id
        leading: list[ast.stmt] = []
        for statement in block.body:
            if any(
                isinstance(n, ast.Name) and n.id == name for n in all_nodes(statement)
            ):
                break
            leading.append(statement)
        leading = leading[: len(block.body) - 1]
        builds = any(self._mentions_graph(s) for s in leading)
        first = block.body[0]
        if not builds or first.lineno == block.lineno:
            return self._text
        verbatim = set().union(*[inside_strings(s) for s in leading])
        end = leading[-1].end_lineno or leading[-1].lineno
        at = self._text.lines[block.lineno - 1]
        outer = at[: len(at) - len(at.lstrip())]
        inner = self._text.lines[first.lineno - 1]
        inner = inner[: len(inner) - len(inner.lstrip())]
        if not self._text.alone(leading[-1]) or block.items[
            -1
        ].context_expr.end_lineno != (block.lineno):
            return self._text
        lines = [
            outer + line[len(inner) :]
            if line.startswith(inner) and number not in verbatim
            else line
            for number, line in enumerate(
                self._text.lines[block.lineno : end], block.lineno + 1
            )
        ]
        call = self._text.segment(item.context_expr)
        new = self._text.spliced(
            block.lineno,
            end,
            [*lines, f"{outer}with {call} as {name}:"],
            [
                *self._text.origins[block.lineno : end],
                self._text.origins[block.lineno - 1],
            ],
        )
        try:
            tree_of(new.source)
        except SyntaxError:
            return self._text
        return new

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
        return any(
            isinstance(n, ast.Call)
            and (self._scopes.resolve(n.func) or "").startswith("tf.")
            and not roles.has_prefix(
                self._scopes.resolve(n.func) or "", roles.HOST_PREFIXES
            )
            for n in all_nodes(statement)
        ) or isinstance(statement, ast.Assign)

    def _sessions(self) -> list[ast.With]:
        """The sessions' blocks, which stand in one suite, in order."""
        sessions = [
            node
            for node in all_nodes(self._tree)
            if isinstance(node, ast.With)
            and any(
                isinstance(i.context_expr, ast.Call)
                and self._scopes.resolve(i.context_expr.func) in roles.PLAIN_SESSIONS
                for i in node.items
            )
        ]
        parents = {self._scopes.parents[s] for s in sessions}
        suites = [suite for parent in parents for _, suite in names.suites(parent)]  # type: ignore[arg-type]
        if not any(all(s in suite for s in sessions) for suite in suites):
            return []  # As in the branches of one `if`.
        return sorted(sessions, key=lambda s: s.lineno)

    def _inside(self, block: ast.stmt) -> Iterator[ast.stmt]:
        for _, suite in names.suites(block):
            for statement in suite:
                yield statement
                if isinstance(statement, _BLOCKS):
                    yield from self._inside(statement)

    def _in_block(self, statement: ast.stmt, blocks: list[ast.With]) -> bool:
        return self._scopes.parents[statement] not in blocks

    def _builds(self, statement: ast.stmt) -> bool:
        value = getattr(statement, "value", None)
        if not isinstance(value, ast.expr):
            return False
        calls = [n for n in all_nodes(value) if isinstance(n, ast.Call)]
        symbols = [self._scopes.resolve(c.func) or "" for c in calls]
        if any(s in _STAYS for s in symbols):
            return False
        if isinstance(statement, ast.Expr):
            return bool(symbols) and symbols[0] in roles.SUMMARIES
        if not isinstance(statement, ast.Assign):
            return False
        return any(
            symbol.startswith("tf.")
            and not roles.has_prefix(symbol, roles.HOST_PREFIXES)
            for symbol in symbols
        ) or (
            isinstance(value, ast.Call)
            and isinstance(value.func, ast.Attribute)
            and value.func.attr in _METHODS
        )

    def _makes_variables(self, statement: ast.stmt) -> bool:
        return any(
            isinstance(n, ast.Call)
            and (
                self._scopes.resolve(n.func) in _MAKES_VARIABLES
                or (isinstance(n.func, ast.Attribute) and n.func.attr in _METHODS)
            )
            for n in all_nodes(statement)
        )

    def _before(self, statement: ast.stmt, block: ast.With) -> Text:
        first, last = statement.lineno, statement.end_lineno or statement.lineno
        lines = textwrap.dedent("\n".join(self._text.lines[first - 1 : last])).split(
            "\n"
        )
        at = self._text.lines[block.lineno - 1]
        indent = at[: len(at) - len(at.lstrip())]
        origins = self._text.origins[first - 1 : last]
        suite = next(
            s
            for _, s in names.suites(self._scopes.parents[statement])  # type: ignore[arg-type]
            if statement in s
        )
        old = self._text.lines[first - 1]
        left = [old[: len(old) - len(old.lstrip())] + "pass"] if len(suite) == 1 else []
        text = self._text.spliced(first, last, left, origins[: len(left)])
        return text.spliced(
            block.lineno, block.lineno - 1, [indent + line for line in lines], origins
        )
