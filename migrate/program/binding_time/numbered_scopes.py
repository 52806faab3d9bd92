"""Numbers layers and variable scopes without a name where TF1 made them.

    h = tf.layers.dense(x, 4)            # dense, then dense_1, dense_2
    with tf.variable_scope(None, "fc"):  # fc, then fc_1, fc_2

The layers of a function or a loop are written once, so each call and each round would have
the same number. Such layers are numbered where the program makes them, by
`layer_names.number`. Such scopes are refused, or a finding says that they have other names.
"""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.constants import Environment, evaluate
from migrate.facts.scopes import Scopes
from migrate.findings import Finding, Outcome
from migrate.program.binding_time.diagnostics import Diagnostics
from migrate.program.binding_time.sharing import Sharing
from migrate.program.code import Code, LaterCode
from migrate.source.nodes import find_plain_names, list_children, walk_breadth_first
from migrate.tables import roles
from migrate.tables.layers import LAYER_CLASSES, LAYER_FUNCTIONS

# Symbols that save variables by their names, read them, or look into a checkpoint.
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
    """Numbers layers and scopes, and reports calls that need several numbers."""

    def name_layer(
        self, call: ast.Call, base: str, target: str, follows: bool
    ) -> tuple[str | None, Code]:
        """Returns the name of a layer without one, and its argument.

        The name is None if each round of a loop has another.

        Args:
          base: the name that TF1 numbered: `dense`, `conv2d`.
          target: the layer's class.
          follows: whether the argument stands after others.
        """
        numbers = self.layer_numbers
        blocks, loops = self.find_surroundings(call)
        numbers.sites.setdefault(base, set()).add(
            loops[0] if self.in_loop and loops else call
        )
        name = None
        if self.in_loop:
            numbers.looped.add(base)
            if len(self.scope_names) > self.loop_scopes[0]:
                numbers.late.add(base)
        else:
            scope = self.make_full_name("")
            if scope is None:  # A block whose name is not known has a count of its own.
                scope = f"line {blocks[-1].lineno}/" if blocks else ""
            name = self._number_layer(base, scope)
            numbers.fixed[call] = name

        def write() -> str:
            argument = numbers.write_argument(base, name, target)
            return f", {argument}" if argument and follows else argument

        return name, LaterCode(write)

    def open_numbered(self, call: ast.Call, default: ast.expr | None) -> str | None:
        """Returns the name that TF1 gave a scope that has only a default name."""
        name = names.read_literal(default)
        if not isinstance(name, str):
            return None
        if self.in_loop:
            self._tell(call, name)
            return name
        self.scope_numbers[call] = self._number_layer(
            name, self.make_full_name("") or ""
        )
        return self.scope_numbers[call]

    def _number_layer(self, name: str, scope: str) -> str:
        """Returns TF1's numbered name of a layer or scope without a name of its own."""
        found, number = name, 0
        while self.layer_counts.get(scope + found):
            number += 1
            found = f"{name}_{number}"
        self.layer_counts[scope + found] = 1
        return found

    def _check_numbered(self, call: ast.Call, definition: ast.FunctionDef) -> None:
        """Looks for scopes of a function that get another number in this call of it."""
        environment = self.make_environment(call, definition, {})
        opened = self._list_openings(definition, environment, ())
        for name, base in opened:
            full = self.make_full_name(name) or name
            if self.in_loop or self.layer_counts.get(full):
                if base is None:
                    self._tell(call, name)
                    break
                self.layer_numbers.late.add(base)
        for name, _ in opened:
            full = self.make_full_name(name) or name
            self.layer_counts[full] = self.layer_counts.get(full, 0) + 1

    def _list_openings(
        self,
        definition: ast.FunctionDef,
        environment: Environment,
        callers: tuple[ast.AST, ...],
    ) -> list[tuple[str, str | None]]:
        """Lists the scopes and layers that a function opens by default names.

        Returns:
          Their names in the function's own scope; of layers also the name that TF1 numbered.
        """
        found: list[tuple[str, str | None]] = []
        work: list[tuple[ast.AST, str]] = [(s, "") for s in definition.body]
        while work:
            node, prefix = work.pop()
            inner = prefix
            if isinstance(node, ast.With):
                for scope in self._find_scope_calls(node):
                    given = names.find_argument(scope, "name_or_scope", 0)
                    value = evaluate(self.scopes, given, environment)
                    name = ast.literal_eval(value[1]) if value[0] == "constant" else "?"
                    if value == _NONE:
                        default = names.read_literal(
                            names.find_argument(scope, "default_name", 1)
                        )
                        name = self.scope_numbers.get(scope) or default or "?"
                        found.append((f"{inner}{name}", None))
                    inner += f"{name}/"
            elif isinstance(node, ast.Call):
                called = self._find_called_function(node, definition)
                if called is not None and called not in (*callers, definition):
                    of_call = self.make_environment(node, called, environment)
                    made = self._list_openings(called, of_call, (*callers, definition))
                    found += [(prefix + name, base) for name, base in made]
                row = LAYER_FUNCTIONS.get(self.scopes.resolve(node.func) or "")
                if row is not None and row.has_weights:
                    if names.find_argument(node, "name") is None:
                        name = self.layer_numbers.fixed.get(node, row.default_name)
                        found.append((prefix + name, row.default_name))
            work += [(child, inner) for child in list_children(node)]
        return found

    def check_layer_objects(self) -> None:
        """Reports layer objects whose names differ, because TF1 numbered them when called.

        Keras numbers them when they are made, once for all scopes. It does not count the
        layers that a layer's function makes.
        """
        for base, made in self._find_unnamed_objects().items():
            in_order = [self._find_first_call(call) for call in made]
            if (
                self.layer_numbers.counts_otherwise(base)
                or sorted(in_order) != in_order
            ):
                for call in made:
                    self._tell_renamed(
                        call,
                        "this layer has no name. TensorFlow 1 named it at its "
                        f"first call: `{base}`, or that with the next number there",
                        "Give each layer a name of its own, with TensorFlow 1's "
                        "number.",
                        self.scopes.resolve(call.func) or "",
                    )

    def _find_unnamed_objects(self) -> dict[str, list[ast.Call]]:
        """Maps base names to the calls of layer classes without a name, in order."""
        found: dict[str, list[ast.Call]] = {}
        for call in self.scopes.walk():
            if isinstance(call, ast.Call):
                row = LAYER_CLASSES.get(self.scopes.resolve(call.func) or "")
                if row is not None and row.has_weights:
                    if names.find_argument(call, "name") is None:
                        found.setdefault(row.default_name, []).append(call)
        for calls in found.values():
            calls.sort(key=lambda call: (call.lineno, call.col_offset))
        return found

    def _find_first_call(self, made: ast.Call) -> tuple[int, int]:
        """Returns the end of a layer object's first call, or where the object is made."""
        statement = self.scopes.parents.get(made)
        keys = (
            {names.find_key(target) for target in statement.targets} - {None}
            if isinstance(statement, ast.Assign)
            else set()
        )
        ends = [
            (call.end_lineno or 0, call.end_col_offset or 0)
            for call in self.scopes.walk()
            if isinstance(call, ast.Call) and names.find_key(call.func) in keys
        ]
        return min(ends, default=(made.lineno, made.col_offset))

    def _tell(self, call: ast.Call, name: str) -> None:
        """Reports a scope that would have one name for all calls of its function."""
        self._tell_renamed(
            call,
            f"the program opens the variable scope `{name}` again, and the scope "
            "has no name of its own. TensorFlow 1 added a number to its name, "
            f"`{name}_1`",
            "Give each scope a name of its own, with TensorFlow 1's number.",
            "tf.variable_scope",
        )

    def _tell_renamed(
        self, call: ast.Call, reason: str, recipe: str, symbol: str
    ) -> None:
        tell_renamed(self.scopes, self.diagnostics, call, reason, recipe, symbol)


def tell_renamed(
    scopes: Scopes,
    diagnostics: Diagnostics,
    call: ast.Call,
    reason: str,
    recipe: str,
    symbol: str,
) -> None:
    """Refuses other names if the program uses names; otherwise only reports them."""
    if _has_checkpoints(scopes) or _reads_names(scopes):
        diagnostics.refuse("V103", call, reason, recipe, symbol)
        return
    place = (call.lineno, call.col_offset + 1)
    finding = Finding(*place, "N141", Outcome.KEPT, symbol, reason)
    if finding not in diagnostics.findings:
        diagnostics.findings.append(finding)


def _has_checkpoints(scopes: Scopes) -> bool:
    """Whether names of variables are kept in a file, or read from one."""
    return any(symbol in _BY_NAME for _, symbol in scopes.walk_uses()) or any(
        isinstance(node, ast.keyword)
        and node.arg in ("checkpoint_dir", "checkpoint_filename_with_path")
        and not (isinstance(node.value, ast.Constant) and node.value.value is None)
        for node in ast.walk(scopes.tree)
    )


def _reads_names(scopes: Scopes) -> bool:
    """Whether the program shows variables by their names, or chooses them so.

    [v for v in tf.trainable_variables() if v.name.startswith("top")]
    """
    rounds = [
        node
        for node in scopes.walk()
        if isinstance(node, (ast.For, ast.comprehension))
        and any(_lists_variables(n, scopes) for n in walk_breadth_first(node.iter))
    ]
    chosen = set().union(*(find_plain_names(r.target, ast.Store) for r in rounds))
    return any(
        isinstance(node, ast.Attribute)
        and node.attr in ("name", "op")
        and isinstance(node.value, ast.Name)
        and node.value.id in chosen
        or _lists_variables(node, scopes)
        and isinstance(node, ast.Call)
        and names.is_given(
            names.find_argument(
                node, "scope", int(scopes.resolve(node.func) == "tf.get_collection")
            )
        )
        for node in scopes.walk()
    )


def _lists_variables(node: ast.AST, scopes: Scopes) -> bool:
    """Whether it lists variables of the graph, or is a name of such a list."""
    if isinstance(node, ast.Call):
        symbol = scopes.resolve(node.func)
        if symbol == "tf.get_collection":
            return bool(node.args) and (
                scopes.resolve(node.args[0]) in roles.LISTING_KEYS
            )
        return symbol in roles.TRAINABLE | roles.GLOBAL
    if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load):
        return False
    owner = scopes.find_scope(node).find_owner(node.id)
    made = owner.bindings.get(node.id, []) if owner is not None else []
    return any(
        isinstance(binding, ast.Assign)
        and isinstance(binding.value, ast.Call)
        and _lists_variables(binding.value, scopes)
        for binding in made
    )
