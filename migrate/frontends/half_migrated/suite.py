"""The suite that opens the session: what stands in it, and when it can run.

With the blocks of the device setter written out: a strategy's scope stands for them.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.half_migrated.refused import Refused
from migrate.frontends.half_migrated.session import QUIET_HOOKS
from migrate.frontends.keras_names import find_definition, makes_model
from migrate.program.eager import Server
from migrate.rules.mistakes.mistake import find_binding
from migrate.rules.mistakes.replicas import gives_dataset
from migrate.source.nodes import walk_breadth_first

_SETTER = "tf.train.replica_device_setter"
# What may be called before collectives are configured: it computes no tensor.
_NO_TENSORS = (
    *("tf.train.ClusterSpec", "tf.train.Server", "tf.distribute.Server", "tf.app"),
    *("tf.flags", "tf.logging", "tf.get_logger", "tf.random.set_seed", "tf.config"),
    *("tf.keras.datasets", "tf.keras.utils.set_random_seed", "tf.device"),
    *("tf.train.replica_device_setter", "tf.gfile", "tf.io.gfile", *QUIET_HOOKS),
)


class SuiteReader:
    """Reads the statements around the session of one file.

    Args:
      found: its calls, each with what it calls.
      opened: other blocks than a device setter's whose statements stand for them.
    """

    def __init__(
        self,
        scopes: Scopes,
        found: list[tuple[ast.Call, str]],
        opened: Collection[ast.With] = (),
    ) -> None:
        self._scopes = scopes
        self._found = found
        self._opened = opened

    def read_suite(
        self, block: ast.stmt
    ) -> tuple[ast.AST, str, list[ast.stmt], dict[ast.stmt, ast.With], ast.stmt]:
        """The suite of the session, the device setter's blocks written out.

        Returns:
          The suite's owner and field, its statements, the setters' blocks by the first
          statement in them, and the statement of the suite that holds the session.
        """
        inner: ast.stmt = block
        whole: ast.stmt = block
        owner = self._scopes.parents[block]
        while isinstance(owner, ast.With):
            if not self._is_setter(owner):
                whole = owner  # `with open(...) as log:` around the session's block.
            inner, owner = owner, self._scopes.parents[owner]
        for field, suite in _list_suites(owner):
            if inner in suite:
                setters: dict[ast.stmt, ast.With] = {}
                flat = list(self._flatten_suite(suite, setters))
                return owner, field, flat, setters, whole
        raise Refused("D121", block, "the tool does not find the session's block", "")

    def check_devices(self, setters: dict[ast.stmt, ast.With]) -> None:
        blocks = {item.context_expr for w in setters.values() for item in w.items}
        for call, symbol in self._found:
            if symbol == "tf.device" and call not in blocks:
                raise Refused(
                    "D125",
                    call,
                    "the program chooses a device by hand, and a strategy chooses "
                    "devices itself",
                    "Remove the device, or do not migrate this program.",
                )

    def find_ready(
        self, suite: list[ast.stmt], cluster: ast.expr, server: Server | None
    ) -> int:
        """The index after the last statement that the strategy needs."""
        needed = [self._scopes.parents[cluster]]
        if server is not None:
            needed += [server.statement, *server.joins]
        ready = 0
        for index, statement in enumerate(suite):
            inside = set(walk_breadth_first(statement))
            if any(node in inside for node in needed):
                ready = index + 1
        return ready

    def find_late_statements(
        self, suite: list[ast.stmt], ready: int
    ) -> frozenset[ast.stmt]:
        """Statements that compute tensors before there is a strategy."""
        early = suite[:ready]
        late = [s for s in early if self._computes(s)]
        driver: ast.AST = suite[0]
        while not isinstance(driver, (ast.FunctionDef, ast.Module)):
            driver = self._scopes.parents[driver]
        own = driver.name if isinstance(driver, ast.FunctionDef) else ""
        for module in self._scopes.tree.body:
            if module in suite or any(s in walk_breadth_first(module) for s in suite):
                continue
            if not isinstance(module, (ast.FunctionDef, ast.ClassDef)):
                if own not in names.find_reads(module) and self._computes(module):
                    raise Refused(
                        "D121",
                        module,
                        "the program computes tensors before the strategy exists",
                        "Make the cluster and the server before this.",
                    )
        moved: set[str] = set()
        for statement in early:
            if statement in late:
                moved |= names.find_binds(statement)
            elif names.find_reads(statement) & moved:
                raise Refused(
                    "D121",
                    statement,
                    "this needs tensors that the program computes before the "
                    "strategy exists",
                    "Move this behind the start of the server.",
                )
        return frozenset(late)

    def find_model_statements(
        self, suite: list[ast.stmt], block: ast.stmt
    ) -> frozenset[ast.stmt]:
        found = [
            s
            for s in suite[: suite.index(block)]
            if not isinstance(s, (ast.FunctionDef, ast.ClassDef))
            and makes_model(self._scopes, s)
        ]
        if not found:
            raise Refused(
                "D125",
                block,
                "the program does not make the model where it opens the session",
                "Make the model between the server and the session.",
            )
        return frozenset(found)

    def _is_setter(self, block: ast.With) -> bool:
        if block in self._opened:
            return True
        if len(block.items) != 1:
            return False
        call = block.items[0].context_expr
        if not (isinstance(call, ast.Call) and call.args):
            return False
        if self._scopes.resolve(call.func) != "tf.device":
            return False
        given = find_binding(self._scopes, call.args[0]) or call.args[0]
        return (
            isinstance(given, ast.Call) and self._scopes.resolve(given.func) == _SETTER
        )

    def _flatten_suite(
        self, suite: list[ast.stmt], setters: dict[ast.stmt, ast.With]
    ) -> Iterator[ast.stmt]:
        for statement in suite:
            if isinstance(statement, ast.With) and self._is_setter(statement):
                inner = list(self._flatten_suite(statement.body, setters))
                setters[inner[0]] = statement
                yield from inner
            else:
                yield statement

    def _computes(self, statement: ast.stmt) -> bool:
        """Whether a statement may compute tensors when it is executed."""
        if isinstance(
            statement, (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
        ):
            return False
        if makes_model(self._scopes, statement):
            return True
        for node in names.walk_scope(statement):
            if not isinstance(node, ast.Call):
                continue
            symbol = self._scopes.resolve(node.func) or ""
            if symbol.startswith("tf.") and not symbol.startswith(_NO_TENSORS):
                return True
            called = find_definition(self._scopes, node.func)
            if isinstance(called, ast.FunctionDef):
                if any(self._computes(s) for s in called.body):
                    return True
            if isinstance(node.func, ast.Attribute) and gives_dataset(
                self._scopes, node.func.value
            ):
                return True
        return False


def _list_suites(owner: ast.AST) -> list[tuple[str, list[ast.stmt]]]:
    if isinstance(owner, ast.Module):
        return [("body", owner.body)]
    assert isinstance(owner, ast.stmt)
    return names.list_suites(owner)
