"""Every TF symbol of a file that no program rule claimed: moved, kept or refused."""

from __future__ import annotations

import ast
import dataclasses

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.findings import Finding, Outcome
from migrate.plan import Plan
from migrate.program import ir
from migrate.program.ir import Code, code
from migrate.tables import symbols as table
from migrate.tables.calls import CALLS, CallRow
from migrate.tables.optimizers import OPTIMIZERS
from migrate.tables.unsupported import CONTRIB_HOMES, MNIST_SYMBOLS, UNSUPPORTED

_HOST_ROOTS = ("absl", "argparse", "json", "os", "numpy", "sys", "six")


@dataclasses.dataclass(frozen=True)
class Verdict:
    """What becomes of one use: its new spelling ("" for none) or why it is refused."""

    outcome: Outcome
    code: str
    target: str
    reason: str
    recipe: str = ""


def verdict(symbol: str) -> Verdict:
    """What becomes of a bare symbol, without its arguments."""
    if symbol in MNIST_SYMBOLS:
        target = MNIST_SYMBOLS[symbol]
        return Verdict(
            Outcome.REWRITTEN,
            "I110",
            target,
            "the same reader, written beside the file",
        )
    home = CONTRIB_HOMES.get(symbol)
    if home:
        return Verdict(Outcome.REWRITTEN, "T103", home, f"now {home}")
    name = symbol
    while name:
        if name in UNSUPPORTED:
            code_, reason, recipe = UNSUPPORTED[name]
            return Verdict(Outcome.REFUSED, code_, "", reason, recipe)
        name = name.rpartition(".")[0]
    if symbol.startswith("tf.contrib"):
        return Verdict(
            Outcome.REFUSED,
            "T110",
            "",
            "tf.contrib does not exist in TF2",
            "Look for the function in TensorFlow Addons, tf_slim or Keras.",
        )
    if symbol in ("tf.__version__", "tf.__path__"):
        return Verdict(Outcome.KEPT, "T101", symbol, "the same in TF2")
    if symbol == "tf.data" or (
        symbol.startswith("tf.data.") and table.exists_in_target(symbol)
    ):
        return Verdict(Outcome.KEPT, "T101", symbol, "the same in TF2")
    row = table.lookup(symbol)
    if row is None or not row.target:
        if symbol in table.modules() or symbol == "tf":
            return Verdict(Outcome.KEPT, "T101", "", "a module")
        return Verdict(
            Outcome.REFUSED,
            "T111",
            "",
            "not a public name of TensorFlow 2",
            "Find the public function that does the same.",
        )
    if row.graph_only:
        return Verdict(
            Outcome.REFUSED,
            "T112",
            "",
            row.graph_only,
            "It needs a graph session: write what it does for eager execution.",
        )
    if "legacy-keras" in row.flags:
        return Verdict(
            Outcome.REFUSED,
            "T113",
            "",
            "TensorFlow 2.16 and later have it only with Keras 2 switched on",
            "Use the layer of tf_keras.layers, or set TF_USE_LEGACY_KERAS=1.",
        )
    if row.status == "same" or row.target == symbol:
        return Verdict(Outcome.KEPT, "T101", row.target, "the same in TF2")
    return Verdict(Outcome.REWRITTEN, "T102", row.target, f"now {row.target}")


class SymbolRules:
    """Walks every use of a TensorFlow symbol in a file."""

    def __init__(
        self, scopes: Scopes, plan: Plan, claimed: dict[ast.AST, tuple[str, str]]
    ) -> None:
        self.scopes = scopes
        self.plan = plan
        # Nodes that program rules answer for -> (code, reason).
        self.claimed = claimed
        self.findings: list[Finding] = []
        self.imported_names: set[tuple[ast.AST, str]] = set()

    def run(self) -> None:
        for node, symbol in self.scopes.walk_uses():
            self._use(node, symbol)

    def report_only(self) -> None:
        """compat.v1 still has every symbol such a file can name; graphs need a session."""
        for node, symbol in self.scopes.walk_uses():
            if symbol.startswith("tf."):
                v = Verdict(
                    Outcome.KEPT, "T105", "", "works through tensorflow.compat.v1"
                )
                self._add(node, v, symbol)

    def _add(self, node: ast.AST, v: Verdict, symbol: str) -> None:
        self.findings.append(
            Finding(
                getattr(node, "lineno", 1),
                getattr(node, "col_offset", 0) + 1,
                v.code,
                v.outcome,
                symbol,
                v.reason,
                v.recipe,
            )
        )

    def _use(self, node: ast.expr, symbol: str) -> None:
        if not symbol.startswith("tf.") and symbol != "tf":
            return
        call = self._call_of(node)
        owner = self._claim(node)
        if owner is not None:
            code_, reason = owner
            self._add(node, Verdict(Outcome.REWRITTEN, code_, "", reason), symbol)
            return
        if self._through_alias(node):
            v = verdict(symbol)
            if v.outcome is Outcome.REFUSED:
                self._add(node, v, symbol)
            return
        if call is not None and symbol in CALLS:
            if self._call(node, call, CALLS[symbol], symbol):
                return
        if call is not None and symbol == "tf.nn.dropout":
            if self._dropout(node, call, symbol):
                return
        if symbol in OPTIMIZERS:
            row = OPTIMIZERS[symbol]
            if not row.target or (row.dense_only and self._has_sparse_gradients()):
                self._add(
                    node,
                    Verdict(
                        Outcome.REFUSED,
                        "O110",
                        "",
                        row.reason,
                        "Choose another optimizer, or write its update.",
                    ),
                    symbol,
                )
                return
            self._spell(node, row.target)
            self._add(
                node, Verdict(Outcome.REWRITTEN, "O101", row.target, row.reason), symbol
            )
            return
        v = verdict(symbol)
        self._add(node, v, symbol)
        if v.outcome is Outcome.REFUSED:
            return
        if v.target.startswith("mnist_input_data."):
            self.plan.support.add("mnist_input_data.py")
            self.plan.imports.append("import mnist_input_data")
        target = v.target
        if target.startswith("tf_keras."):
            self.plan.imports.append("import tf_keras")
        if not target:
            if symbol != "tf" and self._is_alias_value(node):
                target = (
                    "tf.compat.v1" + symbol[2:] if self._only_compat(symbol) else symbol
                )
            else:
                return
        self._spell(node, target)

    def _has_sparse_gradients(self) -> bool:
        """Whether the file looks rows up, so that gradients may be tf.IndexedSlices."""
        lookups = (
            "tf.nn.embedding_lookup",
            "tf.gather",
            "tf.nn.embedding_lookup_sparse",
        )
        return any(symbol in lookups for _, symbol in self.scopes.walk_uses())

    def _only_compat(self, module: str) -> bool:
        rows = [
            row
            for name, row in table.symbols().items()
            if name.startswith(module + ".")
        ]
        return any(row.status == "compat" for row in rows)

    def _spell(self, node: ast.expr, target: str) -> None:
        if ast.unparse(node) != target:
            self.plan.replace(node, code(target))

    def _call_of(self, node: ast.expr) -> ast.Call | None:
        parent = self.scopes.parents.get(node)
        if isinstance(parent, ast.Call) and parent.func is node:
            return parent
        return None

    def _claim(self, node: ast.AST) -> tuple[str, str] | None:
        current: ast.AST | None = node
        first = True
        while current is not None:
            if current in self.claimed:
                return self.claimed[current]
            parent = self.scopes.parents.get(current)
            if first and isinstance(parent, ast.Call) and parent.func is node:
                current, first = parent, False
                continue
            return None
        return None

    def _root_binding(self, node: ast.expr) -> tuple[ast.AST, str] | None:
        base = node
        while isinstance(base, ast.Attribute):
            base = base.value
        if not isinstance(base, ast.Name):
            return None
        owner = self.scopes.scope_of(base).owner(base.id)
        if owner is None:
            return None
        return owner.bindings[base.id][0], base.id

    def _through_alias(self, node: ast.expr) -> bool:
        """Whether the use goes through `flags = tf.app.flags`, which is edited itself."""
        binding = self._root_binding(node)
        return binding is not None and not self.scopes.is_imported(*binding)

    def _is_alias_value(self, node: ast.expr) -> bool:
        parent = self.scopes.parents.get(node)
        return isinstance(parent, ast.Assign) and parent.value is node

    # -- calls ---------------------------------------------------------------------

    def _call(self, node: ast.expr, call: ast.Call, row: CallRow, symbol: str) -> bool:
        """Rewrites a call whose arguments mean the same; whether it could."""
        renamed = dict(row.renamed)
        known = {*row.keywords, *renamed, *row.dropped}
        fits = (
            len(call.args) <= row.positional
            and not any(isinstance(a, ast.Starred) for a in call.args)
            and all(k.arg in known for k in call.keywords)
        )
        if not fits:
            return False
        changes = any(k.arg in renamed or k.arg in row.dropped for k in call.keywords)
        if changes:
            parts: list[Code] = [code(a) for a in call.args]
            for keyword in call.keywords:
                if keyword.arg in row.dropped:
                    continue
                name = renamed.get(keyword.arg or "", keyword.arg)
                parts.append(code(f"{name}=", keyword.value))
            self.plan.replace(call, code(row.target, "(", ir.joined(", ", parts), ")"))
        else:
            self._spell(node, row.target)
        same = row.target == symbol and not changes
        self._add(
            node,
            Verdict(
                Outcome.KEPT if same else Outcome.REWRITTEN,
                "T101" if same else "T104",
                row.target,
                "the same in TF2 with these arguments" if same else f"now {row.target}",
            ),
            symbol,
        )
        return True

    def _dropout(self, node: ast.expr, call: ast.Call, symbol: str) -> bool:
        """`keep_prob` is what is kept; TF2's `rate` is what is dropped."""
        bound = names.bound_arguments(
            call, ("x", "keep_prob", "noise_shape", "seed", "name", "rate")
        )
        if bound is None or "x" not in bound:
            return False
        if "keep_prob" in bound and "rate" not in bound:
            keep = bound.pop("keep_prob")
            value = names.literal(keep)
            rate = code(
                "1 - ",
                keep
                if isinstance(keep, (ast.Name, ast.Attribute, ast.Constant))
                else code("(", keep, ")"),
            )
            parts = [code(bound.pop("x")), code("rate=", rate)]
            parts.extend(code(f"{n}=", v) for n, v in bound.items())
            self.plan.replace(call, code("tf.nn.dropout(", ir.joined(", ", parts), ")"))
            del value
            self._add(
                node,
                Verdict(
                    Outcome.REWRITTEN, "L103", "tf.nn.dropout", "keep_prob is 1 - rate"
                ),
                symbol,
            )
            return True
        return False
