"""Every TensorFlow name of a half-migrated program, and what is said of it."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.findings import Finding, Outcome
from migrate.frontends.half_migrated import Refused
from migrate.frontends.keras_names import find_keras_name
from migrate.plan import Plan
from migrate.program.code import make_code
from migrate.rules.symbols import find_verdict
from migrate.tables import hooks, symbols


class Spelling:
    """Plans the names of one file.

    Args:
      setters: the blocks of its device setter.

    Attributes:
      claimed: names of which something else has been done: code and reason.
      findings: what has been done to names, and else.
    """

    def __init__(self, scopes: Scopes, plan: Plan, setters: Iterable[ast.With]) -> None:
        self._scopes = scopes
        self._plan = plan
        self._setters = {i.context_expr for w in setters for i in w.items}
        self.claimed: dict[ast.AST, tuple[str, str]] = {}
        self.findings: list[Finding] = []

    def rewrite_names(self) -> None:
        """Every TensorFlow name: Keras is tf_keras, what is gone has another name."""
        for node, symbol in self._scopes.walk_uses():
            name = find_keras_name(self._scopes, node)
            if node in self.claimed:
                code_, reason = self.claimed[node]
                self.add_finding(node, code_, reason, symbol)
            elif name:
                self._plan.imports.append("import tf_keras")
                self._rename_use(node, f"tf_keras.{name}", symbol)
            elif symbol.startswith("tf."):
                self._rewrite_name(node, symbol)
            elif symbol in ("tf.keras", "keras", "tf_keras"):
                self._rename_use(node, "tf_keras", symbol)

    def _rewrite_name(self, node: ast.expr, symbol: str) -> None:
        if symbol == "tf.keras":
            self._plan.imports.append("import tf_keras")
            self._rename_use(node, "tf_keras", symbol)
            return
        if symbol in hooks.HOOKS:
            target = f"training_session.{hooks.HOOKS[symbol].target}"
            self._rename_use(node, target, symbol, "counts the optimizer's updates")
            return
        if symbol == "tf.train.replica_device_setter" or self._sets_device(node):
            self.add_finding(node, "C111", "now the strategy's scope", symbol)
            return
        path = self._scopes.find_dotted_path(node) or ""
        written = "tf" + path.removeprefix("tensorflow")
        if path.startswith("tensorflow") and symbols.exists_in_target(written):
            self.add_finding(node, "T101", "the same", symbol, Outcome.KEPT)
            return
        found = find_verdict(symbol)
        if found.outcome is Outcome.REFUSED or not found.target:
            raise Refused(found.code, node, found.reason, found.recipe)
        self._rename_use(node, found.target, symbol)

    def _sets_device(self, node: ast.expr) -> bool:
        call = self._scopes.parents.get(node)
        return call in self._setters

    def _rename_use(
        self, node: ast.expr, target: str, symbol: str, reason: str = ""
    ) -> None:
        self.add_finding(node, "T102", reason or f"now {target}", symbol)
        if ast.unparse(node) != target:
            self._plan.replace(node, make_code(target))

    def add_finding(
        self,
        node: ast.AST,
        code_: str,
        reason: str,
        symbol: str = "",
        outcome: Outcome = Outcome.REWRITTEN,
    ) -> None:
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        self.findings.append(Finding(line, column + 1, code_, outcome, symbol, reason))


def refuse_own_names(
    scopes: Scopes, own: frozenset[str], defined: bool = False
) -> None:
    """Refuses a program that binds a name which its migration needs.

    Args:
      defined: whether a function or a class of such a name is refused, too.

    Raises:
      Refused: it binds one.
    """
    for node in scopes.walk():
        bound = names.find_binds(node) if isinstance(node, ast.stmt) else set()
        defines = defined and isinstance(node, (ast.FunctionDef, ast.ClassDef))
        for name in sorted(bound & own):
            if defines or not names.list_suites(node):  # type: ignore[arg-type]
                raise Refused(
                    "N111",
                    node,
                    f"the program has a name `{name}` of its own, which the migrated "
                    "program needs",
                    "Rename it.",
                )
