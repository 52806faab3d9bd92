"""The suite that builds the graph, and the way to it through the blocks around.

A session stands in the driver's own suite, below conditions, or within blocks that only
place or name the graph. Those blocks are dissolved: their statements stand for them.
"""

from __future__ import annotations

import ast
import dataclasses

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.cluster import placement
from migrate.frontends.sessions import loops as session_loops
from migrate.frontends.sessions.around import list_all_statements
from migrate.program.binding_time import Diagnostics
from migrate.source.nodes import walk_breadth_first
from migrate.tables import file_openings, roles


@dataclasses.dataclass
class Shape:
    """The suite in which a graph is built, and the place of its session.

    Attributes:
      path: the conditions around the suite, outermost first, each with the field of the
        branch ("body" or "orelse").
      home: the statements of the suite, blocks that were dissolved replaced by theirs.
      entry: the one among them that has the session: its `with`, or a loop around it.
      dissolved: the blocks, outermost first, that stood around a statement which was
        their first one.
      around: calls of tf.device that are around all of the graph, outermost first.
    """

    path: list[tuple[ast.stmt, str]]
    home: list[ast.stmt]
    entry: ast.stmt
    dissolved: dict[ast.stmt, list[ast.stmt]]
    around: list[ast.Call]


class Suites:
    """Finds the suite of one session.

    Args:
      session: the statement that opens it.
      calls: the call that opens it, and those of other sessions of the file.
      client: whether one client places everything on the tasks of a cluster, by devices.
    """

    def __init__(
        self,
        scopes: Scopes,
        diagnostics: Diagnostics,
        session: ast.With,
        calls: tuple[ast.Call, ...],
        client: bool,
    ) -> None:
        self.scopes = scopes
        self.diagnostics = diagnostics
        self.session = session
        self.calls = calls
        self.client = client
        self.dissolved: dict[ast.stmt, list[ast.stmt]] = {}
        self.around: list[ast.Call] = []

    def find(self, driver: ast.FunctionDef | ast.Module, repeats: bool) -> Shape | None:
        """The suite of the graph; None, with a refusal, if another block is between.

        Args:
          driver: the function, or the module, that opens the session.
          repeats: whether the session may stand in a loop.
        """
        session, session_call = self.session, self.calls[0]
        path: list[tuple[ast.stmt, str]] = []
        home: list[ast.stmt] = list(driver.body)
        suite = home
        entry: ast.stmt = session
        opened = False  # A block of this suite has given it its statements.
        while entry not in suite:
            inside = next(
                (
                    (s, field, nested)
                    for s in suite
                    for field, nested in names.list_suites(s)
                    if any(x is session for x in list_all_statements(nested))
                ),
                None,
            )
            assert inside is not None
            statement, field, nested = inside
            if self._dissolves(statement) or self._is_around(statement):
                at = home.index(statement)
                home[at : at + 1] = nested
                self._note_dissolved(statement, nested)
                suite, opened = home, True
                continue
            plain = not opened and not any(
                s is not statement and self._dissolves(s) for s in suite
            )
            # Where another branch opens one too, the graph is above both.
            one = not repeats or self._has_all(nested)
            opens = isinstance(statement, ast.With) and self._opens_file(statement)
            if opens and not self._builds(statement):
                entry = statement
                continue
            if (opens or isinstance(statement, ast.If)) and plain and one:
                path.append((statement, field))
                home = list(nested)
                suite = home
                continue
            new = session_loops.begins_graph(self.scopes, statement, session)
            if isinstance(statement, ast.Try) and not new:
                if not self._check_tried_graph(nested):
                    return None
            if repeats and session_loops.is_block(statement):
                if new:
                    if plain and field == "body":
                        path.append((statement, field))
                        home = list(nested)
                        suite = home
                        continue
                elif session_loops.can_share_graph(self.scopes, session_call):
                    entry = statement
                    continue
            if (
                isinstance(statement, ast.Try)
                and field == "body"
                and not repeats
                and session in nested
            ):
                entry = statement
                continue
            place = _name_block(statement)
            self.diagnostics.refuse(
                "N101",
                statement,
                f"the program opens the session inside {place}",
                f"Move the session out of {place}.",
                self.scopes.resolve(session_call.func) or "",
            )
            return None
        # Graph blocks beside the session.
        at = 0
        while at < len(home):
            if self._dissolves(home[at]):
                block = home[at]
                home[at : at + 1] = block.body  # type: ignore[attr-defined]
                self._note_dissolved(block, block.body)  # type: ignore[attr-defined]
            else:
                at += 1
        return Shape(path, home, entry, self.dissolved, self.around)

    def _check_tried_graph(self, suite: list[ast.stmt]) -> bool:
        """Refuses the suite of a `try` that builds a graph, and then opens the session."""
        for statement in suite:
            inside = list(walk_breadth_first(statement))
            if self.session in inside:
                break
            for node in inside:
                symbol = isinstance(node, ast.Call) and self.scopes.resolve(node.func)
                if symbol in roles.PLACEHOLDERS:
                    self.diagnostics.refuse(
                        "S105",
                        node,
                        "a `try` makes this placeholder and opens the session. The tool "
                        "takes what a `try` contains for a part of the training loop",
                        "Build the graph before the `try`.",
                        symbol,
                    )
                    return False
        return True

    def _opens_file(self, block: ast.With) -> bool:
        """Whether a `with` only opens files: no scope, device or graph begins in it."""
        return all(
            isinstance(item.context_expr, ast.Call)
            and self._is_open(item.context_expr.func)
            for item in block.items
        )

    def _is_open(self, function: ast.expr) -> bool:
        if isinstance(function, ast.Name) and function.id == "open":
            return self.scopes.find_scope(function).find_owner("open") is None
        return (
            self.scopes.resolve(function) in file_openings.TENSORFLOW
            or self.scopes.import_path(function) in file_openings.PATHS
        )

    def _builds(self, block: ast.stmt) -> bool:
        """Whether a block with the session uses TensorFlow before it, beside opening files."""
        session = set(walk_breadth_first(self.session))
        opened = {
            node
            for inner in walk_breadth_first(block)
            if isinstance(inner, ast.With) and self._opens_file(inner)
            for item in inner.items
            for node in walk_breadth_first(item.context_expr)
        }
        return any(
            isinstance(node, ast.expr)
            and node not in session
            and node not in opened
            and node.lineno <= self.session.lineno
            and self.scopes.resolve(node) is not None
            for node in walk_breadth_first(block)
        )

    def _dissolves(self, statement: ast.stmt) -> bool:
        """Whether a `with` only places or names the graph: its body replaces it."""
        if not isinstance(statement, ast.With):
            return False
        for item in statement.items:
            call = item.context_expr
            if isinstance(call, ast.Call):
                symbol = self.scopes.resolve(call.func)
                if symbol == "tf.device":
                    if self.client and not placement.deals(self.scopes, call):
                        return False
                    continue
                if (
                    isinstance(call.func, ast.Attribute)
                    and call.func.attr == "as_default"
                ):
                    inner = call.func.value
                    if (
                        isinstance(inner, ast.Call)
                        and self.scopes.resolve(inner.func) == "tf.Graph"
                    ) or isinstance(inner, ast.Name):
                        continue
            return False
        return True

    def _is_around(self, statement: ast.stmt) -> bool:
        """Whether a block is a client's devices around the whole graph; notes these."""
        if not self.client or not isinstance(statement, ast.With):
            return False
        calls = [item.context_expr for item in statement.items]
        devices = [
            call
            for call in calls
            if isinstance(call, ast.Call)
            and self.scopes.resolve(call.func) == "tf.device"
            and not placement.deals(self.scopes, call)
        ]
        rest = [item for item in statement.items if item.context_expr not in devices]
        if rest and not self._dissolves(ast.With(rest, statement.body)):
            return False
        self.around += devices
        return True

    def _has_all(self, suite: list[ast.stmt]) -> bool:
        """Whether all sessions stand in the suite."""
        inside = {node for s in suite for node in walk_breadth_first(s)}
        return all(call in inside for call in self.calls)

    def _note_dissolved(self, block: ast.stmt, body: list[ast.stmt]) -> None:
        """Notes the block, whose comments will stand above its first statement."""
        outer = self.dissolved.pop(block, [])
        self.dissolved.setdefault(body[0], []).extend([*outer, block])


def _name_block(statement: ast.stmt) -> str:
    """What a block is called, with its first words: "the loop `for rate in rates`"."""
    first = ast.unparse(statement).split("\n")[0].removesuffix(":")
    if isinstance(statement, (ast.For, ast.AsyncFor, ast.While)):
        return f"the loop `{first}`"
    if isinstance(statement, ast.Try):
        return "a try"
    return f"the block `{first}`"
