"""Moves, keeps or refuses every TF symbol of a file that no program rule claimed."""

from __future__ import annotations

import ast
import dataclasses
import functools

from migrate import emitted
from migrate.facts import modules, names
from migrate.facts.scopes import Scopes
from migrate.findings import Finding, Outcome
from migrate.plan import Dropped, Plan
from migrate.program.code import join_code, make_code
from migrate.rules import calls, keras_defaults, own_optimizers
from migrate.rules.lost_attributes import EAGER
from migrate.rules.mistakes import older_partitioners
from migrate.rules.mistakes.older_distribute import SERVERS
from migrate.source.nodes import walk_breadth_first
from migrate.tables import (
    contrib,
    contrib_graph,
    graph_only,
    messages,
    modes,
    not_public,
    private_names,
    roles,
    signatures,
)
from migrate.tables import symbols as table
from migrate.tables.calls import BY_NAME, CallRow
from migrate.tables.optimizers import OPTIMIZERS
from migrate.tables.unsupported import MNIST_SYMBOLS, UNSUPPORTED

# Modules that are written beside some programs.
_EMITTED = (
    *("mnist_input_data", "contrib_optimizers", "contrib_hparams", "contrib_data"),
    *("contrib_lookup", "contrib_predictor", "contrib_seq2seq", "contrib_vocabularies"),
    "eager_gradients",
    *contrib_graph.FILES,
)
# Names of graphs that work the same without a graph, in compat.v1 of TensorFlow 2.
_KEPT_BY_EAGER_CODE = frozenset(
    f"tf.train.{name}"
    for name in (
        *("create_global_step", "get_global_step", "get_or_create_global_step"),
        "global_step",
    )
)
# Packages that are not emitted, and that a target may be in.
_PACKAGES = ("tf_keras", "tf_slim", "types")


@dataclasses.dataclass(frozen=True)
class Verdict:
    """The decision about a use: its new spelling ("" for none), or why it is refused."""

    outcome: Outcome
    code: str
    target: str
    reason: str
    recipe: str = ""


_DROPPED_ALIAS = Verdict(
    Outcome.REWRITTEN,
    "T102",
    "",
    "dropped: an alias of a contrib module that nothing uses any more",
)
_STILL_THERE = Verdict(
    Outcome.KEPT,
    "T117",
    "",
    "this name is private and TensorFlow has no public one for it, but TensorFlow "
    "2.21 still has it in the same place, with the same parameters",
)
_MESSAGE = Verdict(
    Outcome.KEPT, "T117", "", "a protocol buffer, which TensorFlow 2.21 also has"
)
PRIVATE_MODULE = Verdict(
    Outcome.REFUSED,
    "T111",
    "",
    "a private file of TensorFlow, used as a module",
    "Import what you use of it by its public name.",
)
_KEYED = Verdict(
    Outcome.REFUSED,
    "V127",
    "",
    "the pairs are a dict whose keys are tensors, but tensors of TensorFlow 2 cannot be "
    "hashed",
    "Write the pairs as a list, [(condition, function), ...], in the order of their "
    "importance.",
)
_SCOPED = Verdict(
    Outcome.REFUSED,
    "T111",
    "",
    "an arg_scope of this file may pass arguments to it that are not written here",
    "Pass the arguments to the call.",
)


def find_verdict(symbol: str) -> Verdict:
    """Decides about a symbol alone, without the arguments of a call."""
    if symbol in MNIST_SYMBOLS:
        target = MNIST_SYMBOLS[symbol]
        return Verdict(
            Outcome.REWRITTEN,
            "T107",
            target,
            "the same reader, written beside the file",
        )
    if symbol in modes.MODES:
        value = modes.MODES[symbol]
        return Verdict(
            Outcome.REWRITTEN, "E101", value, f"the string {value}, as in TF1"
        )
    if symbol == modes.CLASS:
        reason = "its three strings, as in TF1"
        return Verdict(Outcome.REWRITTEN, "E101", modes.NAMESPACE, reason)
    if symbol.startswith("tf.contrib."):
        return _judge_contrib(symbol)
    refused = _judge_unsupported(symbol)
    if refused is not None:
        return refused
    if symbol in table.NAMESPACES:
        target = f"tf.compat.v1{symbol[2:]}"
        return Verdict(Outcome.REWRITTEN, "T102", target, f"now {target}")
    if table.is_of_module(symbol):
        return Verdict(Outcome.KEPT, "T101", symbol, "the same in TF2")
    if symbol.startswith("tf.python.") and private_names.is_still_there(
        f"tensorflow{symbol.removeprefix('tf')}"
    ):
        return _STILL_THERE
    if messages.is_still_there(symbol):
        return _MESSAGE
    if symbol.startswith("tf.compat.v2."):
        return _judge_version_two(symbol)
    if symbol == "tf.data" or (
        symbol.startswith("tf.data.") and table.exists_in_target(symbol)
    ):
        return Verdict(Outcome.KEPT, "T101", symbol, "the same in TF2")
    return _judge_core(symbol, table.look_up(symbol))


def _judge_version_two(symbol: str) -> Verdict:
    """Decides about a symbol of compat.v2 of 1.15.5, which TF2 has as its own.

    It keeps that name if TF1 has another function `tf.X`: a bare `tf.X` would be taken for
    TF1's if the file was migrated again.
    """
    target = f"tf.{symbol.removeprefix('tf.compat.v2.')}"
    if not table.exists_in_target(target):
        reason, recipe = not_public.explain_absence(target)
        return Verdict(Outcome.REFUSED, "T111", "", reason, recipe)
    row = table.look_up(target)
    if row is not None and row.target != target:
        return Verdict(Outcome.KEPT, "T101", symbol, "TF2's own function")
    return Verdict(Outcome.REWRITTEN, "T102", target, f"now {target}")


def _judge_unsupported(symbol: str) -> Verdict | None:
    name = symbol
    while name:
        if name in UNSUPPORTED:
            code_, reason, recipe = UNSUPPORTED[name]
            return Verdict(Outcome.REFUSED, code_, "", reason, recipe)
        name = name.rpartition(".")[0]
    return None


def _judge_contrib(symbol: str) -> Verdict:
    """Decides about a symbol of tf.contrib: its home, or the recipe without one."""
    if symbol in contrib.HOMES:
        target = contrib.HOMES[symbol]
        return Verdict(Outcome.REWRITTEN, "T102", target, f"now {target}")
    if symbol in contrib.SUPPORT:
        module, name = contrib.SUPPORT[symbol]
        return Verdict(
            Outcome.REWRITTEN,
            "T107",
            f"{module}.{name}",
            "the same, written beside the file",
        )
    if symbol in contrib.SLIM:
        target = contrib.SLIM[symbol]
        return Verdict(
            Outcome.REWRITTEN, "T107", target, f"now {target}: pip install tf_slim"
        )
    refused = _judge_unsupported(symbol)
    if refused is not None:
        return refused
    row = table.look_up(symbol)
    if row is not None and row.target and "core" in row.flags:
        found = _judge_core(symbol, row)
        if found.outcome is Outcome.REWRITTEN:
            return dataclasses.replace(found, code="T102")
        return found
    reason, recipe = contrib.explain_no_home(symbol)
    return Verdict(Outcome.REFUSED, "T111", "", reason, recipe)


def _judge_core(symbol: str, row: table.Symbol | None) -> Verdict:
    """Decides about a symbol by its row of the generated table."""
    if row is None or not row.target:
        if symbol in table.list_modules() or symbol == "tf":
            return _judge_module(symbol)
        if (
            row is None
            and not symbol.startswith("tf.keras.")  # Of which Keras is not known.
            and table.exists_in_target(symbol)
        ):
            return Verdict(Outcome.KEPT, "T101", "", "TensorFlow 2's own")
        reason, recipe = not_public.explain_absence(symbol)
        return Verdict(Outcome.REFUSED, "T111", "", reason, recipe)
    if row.graph_only:
        return Verdict(
            Outcome.REFUSED,
            "T112",
            "",
            graph_only.find_reason(row.name),
            graph_only.find_recipe(symbol),
        )
    if "legacy-keras" in row.flags:
        reason = f"TensorFlow 2 has it only as {row.target}, for Keras 2 in graph mode"
        recipe = not_public.INSTEAD.get(
            symbol, f"Use what {_find_keras_module(symbol)} has instead."
        )
        return Verdict(Outcome.REFUSED, "T113", "", reason, recipe)
    if row.status == "same" or row.target == symbol:
        return Verdict(Outcome.KEPT, "T101", row.target, "the same in TF2")
    target = row.target
    namesake = table.look_up(target)
    if namesake is not None and namesake.target != target:
        # tf.where_v2 is TF2's tf.where, and TF1 has another function of that name.
        # Under this name it is not taken for TF1's when the file is migrated again.
        target = f"tf.compat.v2.{target.removeprefix('tf.')}"
    return Verdict(Outcome.REWRITTEN, "T102", target, f"now {target}")


def _find_keras_module(symbol: str) -> str:
    """Returns the module of Keras 2 that has the replacement of a symbol."""
    module = symbol.removeprefix("tf.").removeprefix("keras.").partition(".")[0]
    return f"tf_keras.{module}" if module in _OF_KERAS else "tf_keras.layers"


def _judge_module(symbol: str) -> Verdict:
    """Decides about a module by itself: `layers = tf.keras.layers`."""
    target = f"tf_keras{symbol.removeprefix('tf.keras')}"
    if roles.has_prefix(symbol, ("tf.keras",)) and table.exists_in_target(target):
        # In TensorFlow 2.16 and later they are another Keras than the one of the new names.
        return Verdict(Outcome.REWRITTEN, "T102", target, f"now {target}")
    return Verdict(Outcome.KEPT, "T101", "", "a module")


_OF_KERAS = frozenset({"backend", "initializers", "layers", "losses", "metrics"})
_STORED = Verdict(
    Outcome.KEPT, "T117", "", "the program itself stores this attribute on tensorflow"
)
_OF_VERSION_TWO = Verdict(
    Outcome.KEPT,
    "T101",
    "",
    "TensorFlow 2's class: TensorFlow 1's takes no partitioner",
)


_CALL_OF_VERSION_TWO = Verdict(
    Outcome.KEPT,
    "T101",
    "",
    "TensorFlow 2's function: TensorFlow 1's does not take these arguments",
)


class SymbolRules:
    """Walks every use of a TensorFlow symbol in a file."""

    def __init__(
        self,
        scopes: Scopes,
        plan: Plan,
        claimed: dict[ast.AST, tuple[str, str]],
        serves: bool = False,
    ) -> None:
        """`serves` is true if the file belongs to a task that only starts a server."""
        self.serves = serves
        self.scopes = scopes
        self.plan = plan
        # Nodes that program rules have handled -> (code, reason).
        self.claimed = claimed
        self.findings: list[Finding] = []

    @functools.cached_property
    def _stored(self) -> tuple[str, ...]:
        """Returns names that the program adds to TensorFlow's module: `tf.model = ...`."""
        return tuple(
            "tf" + path.removeprefix("tensorflow")
            for node in walk_breadth_first(self.scopes.tree)
            if isinstance(node, ast.Attribute)
            and isinstance(node.ctx, ast.Store)
            and (path := self.scopes.find_dotted_path(node) or "").startswith(
                "tensorflow."
            )
        )

    @functools.cached_property
    def _is_eager(self) -> bool:
        """Whether the file makes TensorFlow 1 run each operation at once."""
        return any(symbol in EAGER for _, symbol in self.scopes.walk_uses())

    def run(self) -> None:
        for node, symbol in self.scopes.walk_uses():
            self._rewrite_use(node, symbol)
        if not self.plan.keeps_compat:  # There, variables may still be references.
            self.findings.extend(own_optimizers.report_uncalled(self.scopes))

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
                target=v.target or (symbol if v.code == "T101" else ""),
            )
        )

    def _rewrite_use(self, node: ast.expr, symbol: str) -> None:
        if not symbol.startswith("tf.") and symbol != "tf":
            return
        call = self._find_call(node)
        owner = self._claim(node)
        if owner is not None:
            code_, reason = owner
            self._add(node, Verdict(Outcome.REWRITTEN, code_, "", reason), symbol)
            return
        if call is not None and symbol in roles.PARTITIONERS:
            if older_partitioners.is_of_strategy(self.scopes, call):
                return  # Reported and rewritten with the mistakes.
        if symbol in SERVERS and len(calls.list_arguments(call)) > 1:
            self._add(node, _OF_VERSION_TWO, symbol)
            return
        refusal = keras_defaults.make_refusal(self.scopes, node, symbol)
        if refusal is not None:
            self.findings.append(refusal)
            return
        if self._is_dropped_alias(node):
            statement = self.scopes.parents[node]
            assert isinstance(statement, ast.stmt)
            self.plan.statements[statement] = [Dropped(statement)]
            self._add(node, _DROPPED_ALIAS, symbol)
            return
        if self._is_through_alias(node):
            v = find_verdict(symbol)
            if v.outcome is Outcome.REFUSED:
                self._add(node, v, symbol)
            return
        if self.serves and roles.has_prefix(symbol, ("tf.train.Server",)):
            target = "tf.distribute" + symbol.removeprefix("tf.train")
            reason = "the same server: same arguments, same protocol"
            self._add(node, Verdict(Outcome.REWRITTEN, "C110", target, reason), symbol)
            self._spell(node, target)
            return
        if call is not None and symbol == "tf.case" and not self._list_pairs(call):
            self._add(node, _KEYED, symbol)
            return
        row = calls.ROWS.get(symbol)
        if call is not None and row is not None:
            if calls.may_have_arg_scope(symbol, self.scopes):
                self._add(node, _SCOPED, symbol)
                return
            if self._rewrite_call(node, call, row, symbol):
                return
            by_name = BY_NAME.get(symbol)
            if by_name and self._rewrite_call(node, call, by_name, symbol):
                return
        if symbol in OPTIMIZERS:
            optimizer = OPTIMIZERS[symbol]
            target = optimizer.target
            outcome = Outcome.REWRITTEN if target else Outcome.REFUSED
            v = Verdict(
                outcome, optimizer.code, target, optimizer.reason, optimizer.recipe
            )
            self._add(node, v, symbol)
            if target:
                self._emit(target)
                self._spell(node, target)
            return
        v = find_verdict(symbol)
        if self._is_eager and symbol in _KEPT_BY_EAGER_CODE:
            target = f"tf.compat.v1{symbol.removeprefix('tf')}"
            v = Verdict(Outcome.REWRITTEN, "T102", target, f"now {target}")
        if self._is_private_module(node, symbol):
            v = PRIVATE_MODULE
        elif (
            v.code == "T111"
            and not symbol.startswith("tf.contrib.")
            and roles.has_prefix(symbol, self._stored)
        ):
            v = _STORED
        elif call is not None and self._is_of_version_two(call, symbol, v.target):
            v = _CALL_OF_VERSION_TWO
        self._add(node, v, symbol)
        written_so = (self.scopes.find_dotted_path(node) or "").startswith(
            "tensorflow.compat.v2"
        )
        if v.outcome is Outcome.REFUSED or written_so:
            return
        target = v.target
        self._emit(target)
        if not target:
            if v.code == "T117" and v is not _STORED:
                return  # Only under the name by which the program imports it.
            if symbol != "tf" and self._is_alias_value(node):
                target = (
                    "tf.compat.v1" + symbol[2:]
                    if self._has_compat_names(symbol)
                    else symbol
                )
            else:
                return
        if self._spell(node, target) and v.outcome is Outcome.KEPT:
            self.findings.pop()
            renamed = Verdict(Outcome.REWRITTEN, "T102", target, f"now {target}")
            self._add(node, renamed, symbol)

    def _list_pairs(self, call: ast.Call) -> bool:
        """Writes the pairs of `tf.case({a: f, b: g})` as a list.

        Returns whether they are one now. If several conditions may hold, TF1 tried them in
        the order of their names.
        """
        pairs = names.find_argument(call, "pred_fn_pairs", 0)
        if not isinstance(pairs, ast.Dict):
            return True
        exclusive = names.find_argument(call, "exclusive", 2)
        ordered = len(pairs.keys) > 1 and names.read_literal(exclusive) is not True
        if ordered or None in pairs.keys:
            return False
        written = [
            make_code("(", key, ", ", value, ")")
            for key, value in zip(pairs.keys, pairs.values)
            if key is not None
        ]
        self.plan.replace(pairs, make_code("[", join_code(", ", written), "]"))
        return True

    def _is_of_version_two(self, call: ast.Call, symbol: str, target: str) -> bool:
        """Whether only TensorFlow 2's function of a name takes the arguments of a call."""
        return (
            target == f"tf.compat.v1{symbol[2:]}"
            and self.scopes.find_dotted_path(call.func) == f"tensorflow{symbol[2:]}"
            and signatures.exists(symbol)
            and bool(signatures.find_misfit(call, target))
            and not signatures.find_misfit(call, symbol)
        )

    def _is_private_module(self, node: ast.expr, symbol: str) -> bool:
        """Whether a module of TensorFlow's own files is passed on, or patched."""
        module = symbol == "tf" or symbol in table.list_modules()
        return module and modules.is_private(self.scopes.find_dotted_path(node) or "")

    def _emit(self, target: str) -> None:
        """Adds the import of a target's module, and writes the module if it is ours."""
        module = target.partition(".")[0]
        if module in _EMITTED:
            self.plan.support.update(
                contrib_graph.FILES.get(module, emitted.list_files(module))
            )
            self.plan.imports.append(f"import {module}")
        elif module in _PACKAGES:
            self.plan.imports.append(f"import {module}")

    def _has_compat_names(self, module: str) -> bool:
        rows = [
            row
            for name, row in table.list_symbols().items()
            if name.startswith(module + ".")
        ]
        return any(row.status == "compat" for row in rows)

    def _spell(self, node: ast.expr, target: str) -> bool:
        """Plans a new spelling of a use. Returns whether it differs from the old one."""
        if ast.unparse(node) == target:
            return False
        self.plan.replace(node, make_code(target))
        return True

    def _find_call(self, node: ast.expr) -> ast.Call | None:
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

    def _find_root_binding(self, node: ast.expr) -> tuple[ast.AST, str] | None:
        base = node
        while isinstance(base, ast.Attribute):
            base = base.value
        if not isinstance(base, ast.Name):
            return None
        owner = self.scopes.find_scope(base).find_owner(base.id)
        if owner is None:
            return None
        return owner.bindings[base.id][0], base.id

    def _is_through_alias(self, node: ast.expr) -> bool:
        """Whether the use goes through `flags = tf.app.flags`, which is edited itself.

        Uses of `tfe = tf.contrib.eager` are written as if they named the module.
        """
        binding = self._find_root_binding(node)
        if binding is None or self.scopes.is_imported(*binding):
            return False
        bound = binding[0]
        return not (isinstance(bound, ast.Assign) and self._names_contrib(bound.value))

    def _names_contrib(self, node: ast.expr) -> bool:
        """Whether an expression names contrib or a module of it."""
        symbol = self.scopes.resolve(node) or ""
        in_contrib = roles.has_prefix(symbol, ("tf.contrib",))
        return in_contrib and symbol in table.list_modules()

    def _is_dropped_alias(self, node: ast.expr) -> bool:
        """Whether it is the value of `tfe = tf.contrib.eager`, the name's only binding.

        Then each use of the name is written as TensorFlow 2 has it, or refused.
        """
        statement = self.scopes.parents.get(node)
        if not (
            isinstance(statement, ast.Assign)
            and len(statement.targets) == 1
            and isinstance(statement.targets[0], ast.Name)
            and self._names_contrib(node)
        ):
            return False
        target = statement.targets[0]
        owner = self.scopes.find_scope(target).find_owner(target.id)
        return (
            owner is not None
            and not isinstance(
                owner.node, ast.ClassDef
            )  # An attribute has no uses here.
            and owner.bindings[target.id] == [statement]
        )

    def _is_alias_value(self, node: ast.expr) -> bool:
        parent = self.scopes.parents.get(node)
        return isinstance(parent, ast.Assign) and parent.value is node

    # -- calls ---------------------------------------------------------------------

    def _rewrite_call(
        self, node: ast.expr, call: ast.Call, row: CallRow, symbol: str
    ) -> bool:
        """Rewrites a call whose arguments TF2's function knows. Returns whether it could."""
        new = calls.rewrite_call(call, row, self.scopes)
        if new is None:
            return False
        unchanged = calls.is_unchanged(call, row)
        if unchanged:
            self._spell(node, row.target)
        else:
            self.plan.replace(call, new)
        self._emit(row.target)
        if unchanged and row.target == symbol:
            found = Verdict(
                Outcome.KEPT,
                "T101",
                row.target,
                "the same in TF2 with these arguments",
            )
        else:
            # The row gives the reason for a converted value.
            reason = row.reason if row.wrapped or row.told else f"now {row.target}"
            found = Verdict(Outcome.REWRITTEN, row.code, row.target, reason)
        self._add(node, found, symbol)
        return True
