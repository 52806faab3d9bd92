"""Variable scopes without a name of their own: TF1 numbered them where they are opened.

    with tf.variable_scope(None, "fc"):  # fc, then fc_1, fc_2

A function's scopes are written once, so that all calls of it would have the same number.
"""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.constants import Environment, evaluate
from migrate.findings import Finding, Outcome
from migrate.program.binding_time.sharing import Sharing
from migrate.source.nodes import children

# They save variables by their names, read them, or look into a checkpoint.
_BY_NAME = frozenset(
    {"tf.train.Saver", "tf.train.init_from_checkpoint", "tf.train.list_variables"}
    | {
        "tf.train.load_variable",
        "tf.train.load_checkpoint",
        "tf.saved_model.simple_save",
    }
    | {"tf.train.NewCheckpointReader", "tf.train.SingularMonitoredSession"}
    | {"tf.train.CheckpointSaverHook", "tf.saved_model.builder.SavedModelBuilder"}
    | {"tf.saved_model.Builder"}
)
_NONE = ("constant", "None")


class NumberedScopes(Sharing):
    """Numbers such scopes, and tells of calls that need several numbers."""

    def open_numbered(self, call: ast.Call, default: ast.expr | None) -> str | None:
        """The name that TF1 gave a scope that is opened by its default name alone."""
        name = names.literal(default)
        if not isinstance(name, str):
            return None
        if self.in_loop:
            self._tell(call, name)
            return name
        self.scope_numbers[call] = self._number_layer(name)
        return self.scope_numbers[call]

    def _number_layer(self, name: str) -> str:
        """TF1's name of a layer or scope without one: numbered in its variable scope."""
        scope = self.full_name("") or ""
        found, number = name, 0
        while self.layer_counts.get(scope + found):
            number += 1
            found = f"{name}_{number}"
        self.layer_counts[scope + found] = 1
        return found

    def _check_numbered(self, call: ast.Call, definition: ast.FunctionDef) -> None:
        """Looks for scopes of a function that have another number in this call of it."""
        environment = self.environment_of(call, definition, {})
        opened = self._opened(definition, environment, ())
        for name in opened:
            full = self.full_name(name) or name
            if self.in_loop or self.layer_counts.get(full):
                self._tell(call, name)
                break
        for name in opened:
            full = self.full_name(name) or name
            self.layer_counts[full] = self.layer_counts.get(full, 0) + 1

    def _opened(
        self,
        definition: ast.FunctionDef,
        environment: Environment,
        callers: tuple[ast.AST, ...],
    ) -> list[str]:
        """Names of the scopes that a function opens by default names, in its own scope."""
        found: list[str] = []
        work: list[tuple[ast.AST, str]] = [(s, "") for s in definition.body]
        while work:
            node, prefix = work.pop()
            inner = prefix
            if isinstance(node, ast.With):
                for scope in self._scope_calls(node):
                    given = names.argument(scope, "name_or_scope", 0)
                    value = evaluate(self.scopes, given, environment)
                    name = ast.literal_eval(value[1]) if value[0] == "constant" else "?"
                    if value == _NONE:
                        default = names.literal(
                            names.argument(scope, "default_name", 1)
                        )
                        name = self.scope_numbers.get(scope) or default or "?"
                        found.append(f"{inner}{name}")
                    inner += f"{name}/"
            elif isinstance(node, ast.Call):
                called = self._called_function(node, definition)
                if called is not None and called not in (*callers, definition):
                    of_call = self.environment_of(node, called, environment)
                    made = self._opened(called, of_call, (*callers, definition))
                    found += [prefix + name for name in made]
            work += [(child, inner) for child in children(node)]
        return found

    def _tell(self, call: ast.Call, name: str) -> None:
        """Refuses it where the program has checkpoints; says that names differ, else."""
        reason = (
            f"the variable scope `{name}` has no name of its own, and is opened again: "
            f"TF1 numbered it, `{name}_1`"
        )
        if self._has_checkpoints():
            recipe = "Give each scope a name of its own, as TF1 numbered it."
            self.diagnostics.refuse("V103", call, reason, recipe, "tf.variable_scope")
            return
        finding = Finding(
            call.lineno,
            call.col_offset + 1,
            "N141",
            Outcome.KEPT,
            "tf.variable_scope",
            reason,
        )
        if finding not in self.diagnostics.findings:
            self.diagnostics.findings.append(finding)

    def _has_checkpoints(self) -> bool:
        """Whether names of variables are kept in a file, or read from one."""
        return any(symbol in _BY_NAME for _, symbol in self.scopes.walk_uses()) or any(
            isinstance(node, ast.keyword)
            and node.arg in ("checkpoint_dir", "checkpoint_filename_with_path")
            and not (isinstance(node.value, ast.Constant) and node.value.value is None)
            for node in ast.walk(self.scopes.tree)
        )
