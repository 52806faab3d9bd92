"""A program that has its cluster only sometimes: without one, its process trains alone.

TF1's programs asked whether there is a cluster before they made one, and had neither
device nor target (`""`) where there was none:

    if FLAGS.job_name is None:
        device, target = None, ""
    else:
        server = tf.train.Server(...)
        device, target = tf.train.replica_device_setter(...), server.target
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.fall_through import leaves
from migrate.facts.scopes import Scopes
from migrate.facts.trees.offered import is_main_test
from migrate.frontends.sessions import plain as plain_sessions
from migrate.frontends.sessions.around import list_all_statements, list_enclosing
from migrate.program import ir
from migrate.program.binding_time import Diagnostics
from migrate.source.nodes import walk_breadth_first

_READ = (
    *(ast.Name, ast.Attribute, ast.Constant, ast.Load, ast.expr_context),
    *(ast.Compare, ast.cmpop, ast.BoolOp, ast.boolop, ast.UnaryOp, ast.unaryop),
)
_LOOKED_UP = frozenset({"len", "bool", "os.environ.get", "os.getenv"})


class OptionalCluster:
    """Finds what a driver asks before it starts its server.

    Args:
      home: the suite that the session stands in.
    """

    def __init__(
        self,
        scopes: Scopes,
        diagnostics: Diagnostics,
        session_call: ast.Call,
        driver: ast.FunctionDef | ast.Module,
        home: list[ast.stmt],
    ) -> None:
        self._scopes = scopes
        self._diagnostics = diagnostics
        self._session_call = session_call
        self._driver = driver
        self._home = home

    def find(self, cluster: ir.Cluster) -> ir.Choice | None:
        """Finds the condition for the program's cluster; None if it has none."""
        asked = [
            (statement, then)
            for statement, then in self._find_conditions(cluster.server)
            if not leaves(statement.orelse if then else statement.body)
        ]
        if not asked:
            return None
        statement, then = asked[0]
        choice = ir.Choice(statement.test, then)
        if len(asked) > 1:
            self._refuse(statement, "more than one condition decides whether it starts")
        elif changed := self._find_unstable(statement):
            self._refuse(
                statement,
                f"`{changed}` may have another value when the program tests it again",
            )
        elif not self._is_session_local(statement):
            self._refuse(
                self._session_call,
                "in the other case the session's master may be another server",
            )
        return choice

    def _find_conditions(self, server: ast.stmt) -> Iterator[tuple[ast.If, bool]]:
        """Yields the conditions around the server, and whether it is in their body."""
        inner: ast.AST = server
        for node in list_enclosing(self._scopes, server)[1:]:
            if inner in self._home or node is self._driver:
                return
            if isinstance(node, ast.If) and not is_main_test(node.test):
                yield node, inner in node.body
            inner = node

    def _find_unstable(self, statement: ast.If) -> str:
        """Returns the part of a condition that may change, as text; "" if none may."""
        for node in walk_breadth_first(statement.test):
            if isinstance(node, ast.Call):
                function = ast.unparse(node.func)
                if function not in _LOOKED_UP:
                    return ast.unparse(node)
            elif not isinstance(node, _READ):
                return ast.unparse(statement.test)
        read = names.find_reads(statement.test)
        changed = {
            name
            for later in list_all_statements(self._driver.body)
            if later.lineno >= statement.lineno and not names.list_suites(later)
            for name in names.find_binds(later) & read
        }
        return min(changed, default="")

    def _is_session_local(self, statement: ast.If) -> bool:
        """Whether the session is this process's own where the condition says no cluster."""
        master = names.find_argument(self._session_call, *self._find_master_place())
        if not isinstance(master, ast.Name):
            return True  # It reads the server, which the program would not have.
        inside = set(list_all_statements([statement]))
        with_server = {
            s
            for s in inside
            if any(
                isinstance(n, ast.Attribute) and n.attr == "target"
                for n in walk_breadth_first(s)
            )
        }
        return all(
            s in with_server or _is_empty(s, master.id)
            for s in list_all_statements(self._driver.body)
            if not names.list_suites(s) and master.id in names.find_binds(s)
        )

    def _find_master_place(self) -> tuple[str, int]:
        plain = plain_sessions.is_plain(self._scopes, self._session_call)
        return ("target" if plain else "master"), 0

    def _refuse(self, node: ast.AST, why: str) -> None:
        self._diagnostics.refuse(
            "C101",
            node,
            f"the server is started under a condition, and {why}",
            "Test one flag, before the server, and change it nowhere: `if "
            'FLAGS.job_name: ...`. In the other case, open the session on `""`.',
            "tf.train.Server",
        )


def _is_empty(statement: ast.stmt, name: str) -> bool:
    """Whether an assignment gives a name `""` or None."""
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return False
    target, value = statement.targets[0], statement.value
    if isinstance(target, (ast.Tuple, ast.List)):
        if not isinstance(value, (ast.Tuple, ast.List)):
            return False
        for one, given in zip(target.elts, value.elts, strict=False):
            if isinstance(one, ast.Name) and one.id == name:
                return isinstance(given, ast.Constant) and not given.value
        return False
    return isinstance(value, ast.Constant) and not value.value
