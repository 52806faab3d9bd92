"""Files that import tensorflow.compat.v1 and are no program: they run as they are.

What compat.v1 has is kept. What a file takes from elsewhere in TensorFlow - private
modules, contrib, names of `tf` that TF2 has not - is judged as in any file, and spelled
through the names that the file has for compat.v1.
"""

from __future__ import annotations

import ast

from migrate.facts.process_keras import chooses_keras_2
from migrate.findings import Outcome
from migrate.rules.mistakes import older_partitioners
from migrate.rules.symbols import PRIVATE_MODULE, SymbolRules, Verdict, find_verdict
from migrate.tables import legacy_keras, modes, roles
from migrate.tables import symbols as table
from migrate.tables.estimator import HOOKS

_V1 = "tensorflow.compat.v1"


class CompatRules(SymbolRules):
    """Walks every use of a TensorFlow symbol in such a file."""

    def run(self) -> None:
        self._v1 = self._find_alias()
        self._has_keras_2 = chooses_keras_2(self.scopes.tree)
        super().run()

    def _find_alias(self) -> str:
        """A name of the module that stands for compat.v1, "" if there is none."""
        names = self.scopes.module.bindings
        return next((n for n in names if self.scopes.find_imported_path(n) == _V1), "")

    def _rewrite_use(self, node: ast.expr, symbol: str) -> None:
        if not symbol.startswith("tf."):
            return
        owner = self._claim(node)
        if owner is not None:
            code, reason = owner
            return self._add(node, Verdict(Outcome.REWRITTEN, code, "", reason), symbol)
        if self._rewrite_legacy(node, symbol) or self._rewrite_hook(node, symbol):
            return
        call = self._find_call(node)
        if call is not None and symbol in roles.PARTITIONERS:
            if older_partitioners.is_of_strategy(self.scopes, call):
                return  # Told and rewritten where mistakes are.
        if symbol in modes.MODES or symbol == modes.CLASS:
            if self._is_through_alias(node):
                return
            found = find_verdict(symbol)
            self._add(node, found, symbol)
            self._emit(found.target)
            self._spell(node, found.target)
            return
        path = self.scopes.find_dotted_path(node) or ""
        public = "tf" + path.removeprefix("tensorflow")
        if path == _V1 or path.startswith(_V1 + "."):
            self._add(node, self._judge_in_v1(symbol, public), symbol)
        elif "tf." + symbol[3:] == public and table.exists_in_target(public):
            found = Verdict(Outcome.KEPT, "T101", public, "TensorFlow 2's own")
            self._add(node, found, symbol)
        else:
            self._treat_other_name(node, symbol)

    def _rewrite_legacy(self, node: ast.expr, symbol: str) -> bool:
        """Layers and cells, from where TensorFlow 2 has them; whether it is one."""
        home = legacy_keras.find_home(symbol)
        if home is None:
            return False
        if self._has_keras_2 and (self.scopes.find_dotted_path(node) or "").startswith(
            _V1 + "."
        ):
            reason = "works through tensorflow.compat.v1: this process has Keras 2"
            self._add(node, Verdict(Outcome.KEPT, "T105", "", reason), symbol)
            return True
        line, spelled = home
        name = line.split()[-1]
        if self.scopes.module.bindings.get(name) is not None:
            return False  # A name of the file's own.
        if not self._is_through_alias(node):
            self.plan.imports.append(line)
            self._spell(node, spelled)
        reason = "the same, from Keras 2: it makes its variables where a graph is built"
        self._add(node, Verdict(Outcome.REWRITTEN, "L104", spelled, reason), symbol)
        return True

    def _rewrite_hook(self, node: ast.expr, symbol: str) -> bool:
        """tf.estimator's name for a hook of tf.train; whether it is one."""
        name = symbol.removeprefix("tf.estimator.")
        twin = f"tf.compat.v1.train.{name}"
        if name == symbol or name.partition(".")[0] not in HOOKS:
            return False
        if not self._is_through_alias(node):
            self._spell(node, self._spell_target(twin))
        found = Verdict(
            Outcome.REWRITTEN, "T102", twin, "the same class, which tf.train has"
        )
        self._add(node, found, symbol)
        return True

    def _judge_in_v1(self, symbol: str, spelled: str) -> Verdict:
        if table.exists_in_target(spelled):
            row = table.look_up(symbol)
            where = " where a graph is built" if row and row.graph_only else ""
            return Verdict(
                Outcome.KEPT, "T105", "", f"works through tensorflow.compat.v1{where}"
            )
        found = find_verdict(symbol)
        if found.outcome is Outcome.REFUSED:
            return found
        return Verdict(
            Outcome.REFUSED,
            "T111",
            "",
            "tensorflow.compat.v1 does not have it",
            f"Use {found.target} of the package tensorflow itself."
            if found.target
            else "",
        )

    def _treat_other_name(self, node: ast.expr, symbol: str) -> None:
        """A private name, one of contrib, or one that only TF1's `tf` had."""
        if self._is_private_module(node, symbol):
            return self._add(node, PRIVATE_MODULE, symbol)
        row = table.look_up(symbol)
        v1 = f"tf.compat.v1.{symbol[3:]}"
        if row is not None and table.exists_in_target(v1):
            found = Verdict(Outcome.REWRITTEN, "T102", v1, f"now {v1}")
        else:
            found = find_verdict(symbol)
        self._add(node, found, symbol)
        if found.outcome is not Outcome.REFUSED and found.target:
            self._emit(found.target)
            self._spell(node, self._spell_target(found.target))

    def _spell_target(self, target: str) -> str:
        """A target as the file spells it: its `tf` may be compat.v1, not tensorflow."""
        inside = target.removeprefix("tf.compat.v1.")
        if inside != target and self._v1:
            return f"{self._v1}.{inside}"
        plain = target.startswith("tf.") and not target.startswith("tf.compat.")
        if plain and self.scopes.find_imported_path("tf") == _V1:
            return f"tf.compat.v2.{target.removeprefix('tf.')}"
        return target
