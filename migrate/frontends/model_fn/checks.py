"""What would make a Keras model differ from its model_fn, though each part is known."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Mapping, Sequence

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.model_fn.calls import uses
from migrate.frontends.model_fn.grown import changes
from migrate.frontends.model_fn.modes import ModeValues, NotSplit
from migrate.program.keras_model import Layer, Unit
from migrate.tables import estimator as estimator_table
from migrate.tables import keras_models as table

# Names that the steps of the class have of their own.
_OWN = frozenset({"self", "tape", "scaled_loss", "variables", "gradients", "data"})
# Statements that do nothing where nobody reads what they bind.
_QUIET = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Delete, ast.Pass)
_HOOKS = ("SessionRunArgs", "LoggingTensorHook", "NanTensorHook", "SummarySaverHook")
# Modules whose functions know nothing of a graph.
_LIBRARIES = frozenset({"numpy", "math", "functools", "collections", "six", "os"})


def order(
    line: Sequence[Unit],
    shared: Sequence[Unit],
    steps: Sequence[Unit],
    built: frozenset[str],
) -> None:
    """Fails where a step would read another value of a name than the model_fn did.

    Args:
      line: what a mode runs, in order.
      shared: of it, what is done once, before every step.
      steps: of it, what a step does.
      built: names of dictionaries and lists that statements add to.
    """
    bound = {n for u in shared for n in changes(u.statement, built)}
    for unit in steps:
        position = line.index(unit)
        read = names.reads(unit.statement)
        again = changes(unit.statement, built) & bound
        for later in line[position + 1 :]:
            if later not in shared:
                continue
            changed = changes(later.statement, built) & read & bound
            if changed:
                raise NotSplit(
                    unit.statement,
                    f"it reads `{sorted(changed)[0]}` between two layers that bind it",
                )
            changed = again & (
                names.binds(later.statement) | names.reads(later.statement)
            )
            if changed:
                raise NotSplit(
                    unit.statement,
                    f"`{sorted(changed)[0]}` is bound by a step, and then read by layers",
                )


def rebound(
    line: Sequence[Unit],
    where: ast.AST,
    read: Iterable[ast.expr],
    units: Iterable[Unit],
) -> None:
    """Fails where what an expression read is bound anew before the step reads it.

    Args:
      line: what a mode runs, in order.
      where: the call whose arguments are read at the end of the step.
      read: these arguments.
      units: what the step runs.
    """
    wanted = {name for node in read for name in names.reads(node)}
    positions = [i for i, u in enumerate(line) if where in ast.walk(u.statement)]
    later = line[positions[0] + 1 :] if positions else []
    for unit in later:
        again = names.binds(unit.statement) & wanted
        if again and unit in units:
            raise NotSplit(
                unit.statement, f"`{sorted(again)[0]}` is bound again after it is read"
            )


def own_names(function: ast.FunctionDef, scopes: Scopes) -> None:
    """Fails where a name of the model_fn is one that the class's steps have."""
    own = scopes.scope_by_node[function]
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and node.id in _OWN:
            if scopes.scope_of(node).owner(node.id) is not own:
                raise NotSplit(
                    node, f"`{node.id}` of around it is a Keras step's own name"
                )
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            # These two are bound just as the class binds them, and read at once.
            if node.id in _OWN - {"variables", "gradients"}:
                raise NotSplit(
                    node, f"its name `{node.id}` is one of a Keras step's own"
                )


def left_out(
    line: Sequence[Unit],
    used: Iterable[Unit],
    mode: str,
    values: ModeValues,
    scopes: Scopes,
) -> None:
    """Fails where a statement that nobody reads, and that is left out, does something."""
    kept = list(used)
    for unit in line:
        statement = unit.statement
        if unit in kept or isinstance(statement, _QUIET) or _is_text(statement):
            continue
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            symbol = scopes.resolve(statement.value.func) or ""
            # Evaluation and prediction ran only what they fetched.
            if mode != "TRAIN" and symbol.startswith(("tf.summary.", "tf.identity")):
                continue
        raise NotSplit(statement, f"in mode {mode} this does more than bind a name")


class Steps:
    """What the statements of steps may hold.

    Args:
      metrics: functions of the metrics, which the class has in their place.
      replaced: expressions that become something else, and are not looked at.
      allowed: symbols that it may hold although a step may not.
    """

    def __init__(
        self,
        function: ast.FunctionDef,
        scopes: Scopes,
        metrics: set[ast.expr],
        replaced: Iterable[ast.AST] = (),
        allowed: frozenset[str] = frozenset(),
    ) -> None:
        self._function, self._scopes = function, scopes
        self._metrics = metrics
        self._replaced = {n for node in replaced for n in ast.walk(node)}
        self._allowed = allowed
        self._seen: set[ast.AST] = set()
        # Functions around what is looked at.
        self._around: list[ast.AST] = []

    def check(
        self, node: ast.AST, folded: Mapping[ast.AST, ast.expr | str] | None = None
    ) -> None:
        """Fails where it makes variables, or depends on what a step has not.

        Args:
          folded: what the mode decides in it.
        """
        gone = {
            inner
            for choice, value in (folded or {}).items()
            for inner in ast.walk(choice)
            if isinstance(value, str) or inner not in set(ast.walk(value))
        }
        for inner in ast.walk(node):
            if inner in self._replaced or inner in gone:
                continue
            if isinstance(inner, ast.Call):
                self._call(inner)
        for use, symbol in uses(node, self._scopes):
            if use not in self._metrics | self._replaced | gone:
                self._symbol(use, symbol)

    def _symbol(self, node: ast.expr, symbol: str) -> None:
        penalties = (*table.REGULARIZATION, table.COLLECTION, table.TOTAL_LOSS)
        if self._around and symbol in penalties:
            # The model has them, which is known in its own methods alone.
            raise NotSplit(node, f"{symbol} in a function that a step calls")
        if symbol in (table.TRAINABLE, table.COLLECTION, *table.GLOBAL_STEP):
            return  # Their calls are looked at.
        if symbol.startswith(("tf.GraphKeys", *table.HOST)) or symbol in self._allowed:
            return
        if estimator_table.prefixed(symbol, table.STEP_ALLOWED):
            return
        if estimator_table.prefixed(
            symbol, table.STEP_FORBIDDEN
        ) or estimator_table.prefixed(symbol, estimator_table.IN_GRAPH):
            raise NotSplit(node, f"{symbol} is nothing that a Keras step can hold")

    def _call(self, call: ast.Call) -> None:
        symbol = self._scopes.resolve(call.func)
        if symbol == table.TRAINABLE and (call.args or call.keywords):
            raise NotSplit(call, "variables chosen by a scope")
        if symbol == table.COLLECTION:
            key = call.args[0] if len(call.args) == 1 and not call.keywords else None
            text = key.value if isinstance(key, ast.Constant) else None
            if key is not None and text is None:
                text = self._scopes.resolve(key)
            if text not in table.REGULARIZATION_LOSSES:
                raise NotSplit(call, "a collection of the graph, which no step has")
        if symbol is not None:
            return
        function = self._scopes.function(call.func)
        if function is not None:
            self._enter(call, function)
        else:
            self._own(call)

    def _enter(self, call: ast.Call, function: ast.FunctionDef | ast.ClassDef) -> None:
        """Functions of the program hold nothing else than a step may."""
        if function is self._function:
            raise NotSplit(call, "it calls itself")
        if function not in self._seen:
            self._seen.add(function)
            self._around.append(function)
            for statement in function.body:
                self.check(statement)
            self._around.pop()

    def _own(self, call: ast.Call) -> None:
        """What else of the module a step calls; what is not known may be anything."""
        root: ast.expr = call.func
        while isinstance(root, (ast.Attribute, ast.Subscript, ast.Call)):
            root = root.func if isinstance(root, ast.Call) else root.value
        if not isinstance(root, ast.Name):
            return  # A method of a literal: "{}".format(...)
        owner = self._scopes.scope_of(root).owner(root.id)
        if owner is not self._scopes.module:
            builtin = owner is None and hasattr(builtins, root.id)
            if isinstance(call.func, ast.Name) and not builtin:
                raise NotSplit(call, f"{root.id}() is not known")
            return  # A builtin, or a method of something local.
        assert owner is not None
        for bound in owner.bindings[root.id]:
            if isinstance(bound, (ast.Import, ast.ImportFrom)):
                module = getattr(bound, "module", None) or bound.names[0].name
                if module.partition(".")[0] not in _LIBRARIES:
                    raise NotSplit(
                        call, f"{ast.unparse(call.func)}() is of another file"
                    )
            elif isinstance(bound, (ast.FunctionDef, ast.ClassDef)):
                self._enter(call, bound)
            elif isinstance(call.func, ast.Name):
                raise NotSplit(call, f"{root.id}() is not known")


def penalties(
    layers: Iterable[Layer],
    wanted: Iterable[tuple[ast.AST, str]],
    some: bool = False,
) -> None:
    """Fails where penalties are asked for and there are none, or Keras scales them.

    Args:
      wanted: uses in the steps.
      some: whether there are penalties beside the layers'.
    """
    for layer in layers:
        for name, value in layer.arguments:
            if name == "activity_regularizer":
                raise NotSplit(
                    value, "Keras divides an activity's penalty by the batch"
                )
            some = some or name.endswith("_regularizer")
    for node, symbol in wanted:
        if symbol in (*table.REGULARIZATION, table.COLLECTION) and not some:
            raise NotSplit(node, "it adds up penalties, and its layers have none")


def lists_averages(layer: Layer) -> bool:
    """Whether a layer has moving averages that its program must move, by UPDATE_OPS.

    Raises:
      NotSplit: they are listed elsewhere.
    """
    if layer.row.function not in estimator_table.BATCH_NORMALIZATION:
        return False
    listed = dict(layer.told).get("updates_collections")
    if isinstance(listed, ast.Constant) and listed.value is None:
        return False  # contrib's moves them where it is called.
    if isinstance(listed, ast.expr):
        raise NotSplit(listed, "averages that are listed in a collection of their own")
    return True


def watched(scopes: Scopes, function: ast.FunctionDef) -> set[str]:
    """Names of tensors for which the program's hooks ask.

    Raises:
      NotSplit: a hook's tensors are not in sight.
    """
    found: set[str] = set()
    for node, symbol in scopes.walk_uses():
        call = scopes.parents.get(node)
        if symbol.rpartition(".")[2] not in _HOOKS or not isinstance(call, ast.Call):
            continue
        for value in [k.value for k in call.keywords] + call.args[:1]:
            found |= _strings(value, scopes)
    for inner in ast.walk(scopes.tree):
        if isinstance(inner, ast.Attribute) and inner.attr in (
            "get_tensor_by_name",
            "as_graph_element",
            "get_operation_by_name",
        ):
            raise NotSplit(inner, "the program looks for tensors by their names")
    return {name.partition(":")[0] for name in found}


def _strings(node: ast.expr, scopes: Scopes) -> set[str]:
    if isinstance(node, ast.Name):
        owner = scopes.scope_of(node).owner(node.id)
        bound = owner.bindings[node.id] if owner else []
        if len(bound) == 1 and isinstance(bound[0], ast.Assign):
            return _strings(bound[0].value, scopes)
        return set()
    values: list[ast.expr | None] = [node]
    if isinstance(node, ast.Dict):
        values = list(node.values)
    elif isinstance(node, (ast.List, ast.Tuple)):
        values = list(node.elts)
    return {
        value.value
        for value in values
        if isinstance(value, ast.Constant) and isinstance(value.value, str)
    }


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
