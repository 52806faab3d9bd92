"""Refuses what would make a Keras model differ from its model_fn."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Mapping, Sequence

from migrate.facts import draws, names
from migrate.facts.names import is_bare_constant
from migrate.facts.reach import find_reached
from migrate.facts.scopes import Scopes
from migrate.frontends.model_fn import chosen_functions
from migrate.frontends.model_fn.calls import find_uses, writes_summary
from migrate.frontends.model_fn.grown import find_changes, is_adding
from migrate.frontends.model_fn.modes import NotSplit
from migrate.frontends.model_fn.network_objects import NetworkObjects
from migrate.program.keras_layers import Layer
from migrate.program.keras_units import Unit
from migrate.source.nodes import walk_breadth_first
from migrate.tables import estimator as estimator_table
from migrate.tables import keras_models as table

# Names that the steps of the class have of their own.
_OWN = frozenset({"self", "tape", "scaled_loss", "variables", "gradients", "data"})
# Statements that do nothing where nobody reads what they bind.
_QUIET = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Delete, ast.Pass)
_HOOKS = ("SessionRunArgs", "LoggingTensorHook", "NanTensorHook", "SummarySaverHook")
# Arguments of hooks that are texts, but no names of tensors.
_NO_TENSORS = ("output_dir",)


def check_draws(function: ast.FunctionDef, scopes: Scopes) -> None:
    """Fails if Python draws numbers: a graph was made once, a model is traced again."""
    todo, seen = [function], {function}
    while todo:
        for node in walk_breadth_first(todo.pop()):
            if isinstance(node, ast.Call) and (
                draws.draws_from_module(scopes, node)
                or draws.draws_from_generator(scopes, node)
            ):
                raise NotSplit(
                    node, "it draws random numbers in Python, once for each graph"
                )
            called = scopes.find_function(node) if isinstance(node, ast.Name) else None
            if called is not None and called not in seen:
                seen.add(called)
                todo.append(called)


def check_order(
    line: Sequence[Unit],
    shared: Sequence[Unit],
    steps: Sequence[Unit],
    built: frozenset[str],
) -> None:
    """Fails if a step would read another value of a name than the model_fn did.

    Args:
      line: what a mode runs, in order.
      shared: of it, what is done once, before every step.
      steps: of it, what a step does.
      built: names of dictionaries and lists that statements add to.
    """
    bound = {n for u in shared for n in find_changes(u.statement, built)}
    for unit in steps:
        position = line.index(unit)
        read = names.find_reads(unit.statement)
        again = find_changes(unit.statement, built) & bound
        for later in line[position + 1 :]:
            if later not in shared:
                continue
            changed = find_changes(later.statement, built) & read & bound
            if changed:
                raise NotSplit(
                    unit.statement,
                    f"it reads `{sorted(changed)[0]}` between two layers that "
                    "assign to this name",
                )
            changed = again & (
                names.find_binds(later.statement) | names.find_reads(later.statement)
            )
            if changed:
                raise NotSplit(
                    unit.statement,
                    f"a step assigns `{sorted(changed)[0]}`, and layers read it "
                    "afterwards",
                )


def check_rebound(
    line: Sequence[Unit],
    where: ast.AST,
    read: Iterable[ast.expr],
    units: Iterable[Unit],
) -> None:
    """Fails if what an expression read is bound anew before the step reads it.

    Args:
      line: what a mode runs, in order.
      where: the call whose arguments are read at the end of the step.
      read: these arguments.
      units: what the step runs.
    """
    wanted = {name for node in read for name in names.find_reads(node)}
    positions = [
        i for i, u in enumerate(line) if where in walk_breadth_first(u.statement)
    ]
    later = line[positions[0] + 1 :] if positions else []
    for unit in later:
        again = names.find_binds(unit.statement) & wanted
        if again and unit in units:
            raise NotSplit(
                unit.statement,
                f"the program assigns `{sorted(again)[0]}` again after it was read",
            )


def check_own_names(function: ast.FunctionDef, scopes: Scopes) -> None:
    """Fails if a name of the model_fn is one that the class's steps have."""
    own = scopes.scope_by_node[function]
    for node in walk_breadth_first(function):
        if isinstance(node, ast.Name) and node.id in _OWN:
            if scopes.find_scope(node).find_owner(node.id) is not own:
                reason = (
                    f"it uses the outer name `{node.id}`, which a step of Keras "
                    "uses itself"
                )
                if node.id == "self":
                    reason += ", for more than to read an attribute of the object"
                raise NotSplit(node, reason)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            # These two are bound just as the class binds them, and read at once.
            if node.id in _OWN - {"variables", "gradients"}:
                raise NotSplit(
                    node,
                    f"it uses the name `{node.id}`, which a step of Keras uses itself",
                )


def check_left_out_statements(
    line: Sequence[Unit],
    used: Iterable[Unit],
    mode: str,
    scopes: Scopes,
    results: Iterable[ast.expr],
) -> None:
    """Fails if a statement that nobody reads, and that is left out, does something.

    Args:
      results: what the mode gives.
    """
    kept = list(used)
    read = {n for node in results for n in names.find_reads(node)}
    read |= {n for unit in kept for n in names.find_reads(unit.statement)}
    for unit in line:
        statement = unit.statement
        if unit in kept or is_bare_constant(statement):
            continue
        if isinstance(statement, _QUIET):
            called = find_reached(scopes, [statement]) if mode == "TRAIN" else []
            if any(writes_summary(function, scopes) for function in called):
                raise NotSplit(statement, "a function that it calls writes summaries")
            continue
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            if is_adding(statement.value, scopes) and not (
                names.find_mutations(statement) & read
            ):
                continue  # To a list or dictionary that nobody reads.
            symbol = scopes.resolve(statement.value.func) or ""
            if symbol == table.ADD_LOSS:
                continue  # Where the total is asked for, it has this loss by name.
            # Evaluation and prediction ran only what they fetched.
            if mode != "TRAIN" and symbol.startswith(("tf.summary.", "tf.identity")):
                continue
        if _binds_only(statement, {u.statement for u in kept}):
            called = find_reached(scopes, [statement]) if mode == "TRAIN" else []
            if not any(writes_summary(f, scopes) for f in (*called, statement)):
                continue
        raise NotSplit(
            statement,
            f"in mode {mode} this statement does more than assign a value to a name",
        )


def _binds_only(statement: ast.stmt, kept: set[ast.stmt]) -> bool:
    """Whether a condition does nothing if nobody reads what it binds.

    Args:
      kept: what is done in every mode: its errors are raised there.
    """
    if statement in kept or isinstance(statement, (*_QUIET, ast.Pass)):
        return True
    return isinstance(statement, ast.If) and all(
        _binds_only(inner, kept) for inner in (*statement.body, *statement.orelse)
    )


# What lists variables or their gradients, and what makes another list of one.
_LISTS = frozenset({"tf.trainable_variables", "tf.global_variables", "tf.gradients"})
_RELISTS = frozenset(
    {"list", "tuple", "zip", "map", "filter", "tf.clip_by_global_norm"}
)


def check_lists_of_variables(units: Iterable[Unit], scopes: Scopes) -> None:
    """Fails if variables, or their gradients, are taken by their place in a list.

    Keras lists a model's variables layer by layer, TensorFlow 1 as they were made.
    """
    known: set[str] = set()
    for unit in sorted(units, key=lambda u: u.statement.lineno):
        statement = unit.statement
        for node in walk_breadth_first(statement):
            if isinstance(node, ast.Subscript) and _is_list(node.value, known, scopes):
                raise NotSplit(
                    node,
                    "it takes variables by their place in a list, and Keras has "
                    "another order",
                )
        if isinstance(statement, ast.Assign):
            if _is_list(statement.value, known, scopes):
                known |= names.find_binds(statement)


def _is_list(node: ast.expr, known: set[str], scopes: Scopes) -> bool:
    """Whether an expression is a list of variables or gradients, in their order."""
    if isinstance(node, ast.Name):
        return node.id in known
    if isinstance(node, (ast.ListComp, ast.GeneratorExp)):
        return _is_list(node.generators[0].iter, known, scopes)
    if not isinstance(node, ast.Call):
        return False
    symbol = scopes.resolve(node.func) or names.find_key(node.func) or ""
    if symbol in _LISTS or symbol.endswith(".compute_gradients"):
        return True
    given = [a.value if isinstance(a, ast.Starred) else a for a in node.args]
    return symbol in _RELISTS and any(_is_list(a, known, scopes) for a in given)


class Steps:
    """One check that a model's steps hold nothing that a step may not.

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
        self._replaced = {n for node in replaced for n in walk_breadth_first(node)}
        self._allowed = allowed
        self._seen: set[ast.AST] = set()
        self._instances = NetworkObjects(scopes)
        # Functions around what is looked at.
        self._around: list[ast.AST] = []

    def check(
        self, node: ast.AST, folded: Mapping[ast.AST, ast.expr | str] | None = None
    ) -> None:
        """Fails if it makes variables, or depends on what a step has not.

        Args:
          folded: what the mode decides in it.
        """
        gone = {
            inner
            for choice, value in (folded or {}).items()
            for inner in walk_breadth_first(choice)
            if isinstance(value, str) or inner not in set(walk_breadth_first(value))
        }
        for inner in walk_breadth_first(node):
            if inner in self._replaced or inner in gone:
                continue
            if isinstance(inner, ast.Call):
                self._check_call(inner)
        for use, symbol in find_uses(node, self._scopes):
            if use not in self._metrics | self._replaced | gone:
                self._check_symbol(use, symbol)

    def _check_symbol(self, node: ast.expr, symbol: str) -> None:
        if self._around and symbol in table.OF_MODEL:
            # The model has them, which is known in its own methods alone.
            raise NotSplit(node, f"a function that a step calls uses {symbol}")
        if symbol in (table.TRAINABLE, table.COLLECTION, *table.GLOBAL_STEP):
            return  # Their calls are looked at.
        if symbol.startswith(("tf.GraphKeys", *table.HOST)) or symbol in self._allowed:
            return
        if estimator_table.find_prefix(symbol, table.STEP_ALLOWED):
            return
        if estimator_table.find_prefix(
            symbol, table.STEP_FORBIDDEN
        ) or estimator_table.find_prefix(symbol, estimator_table.IN_GRAPH):
            raise NotSplit(node, f"a step of Keras cannot contain {symbol}")

    def _check_call(self, call: ast.Call) -> None:
        symbol = self._scopes.resolve(call.func)
        if symbol == table.TRAINABLE and (call.args or call.keywords):
            raise NotSplit(call, "it chooses variables by their scope")
        if symbol == table.COLLECTION:
            key = call.args[0] if len(call.args) == 1 and not call.keywords else None
            text = key.value if isinstance(key, ast.Constant) else None
            if key is not None and text is None:
                text = self._scopes.resolve(key)
            if text not in table.REGULARIZATION_LOSSES:
                raise NotSplit(
                    call, "it uses a collection of the graph, and a step has none"
                )
        if symbol is not None:
            return
        function = self._scopes.find_function(call.func)
        if function is not None:
            self._enter(call, function)
        else:
            self._check_own_call(call)

    def _enter(self, call: ast.Call, function: ast.FunctionDef | ast.ClassDef) -> None:
        """Checks that a function of the program holds only what a step may."""
        if function is self._function:
            raise NotSplit(call, "it calls itself")
        if function not in self._seen:
            self._seen.add(function)
            self._around.append(function)
            for statement in function.body:
                self.check(statement)
            self._around.pop()

    def _check_own_call(self, call: ast.Call) -> None:
        """Checks a function of the module that a step calls; fails if unknown."""
        root: ast.expr = call.func
        while isinstance(root, (ast.Attribute, ast.Subscript, ast.Call)):
            root = root.func if isinstance(root, ast.Call) else root.value
        if not isinstance(root, ast.Name):
            return  # A method of a literal: "{}".format(...)
        owner = self._scopes.find_scope(root).find_owner(root.id)
        if owner is not self._scopes.module:
            builtin = owner is None and hasattr(builtins, root.id)
            method = self._instances.find_function(call)
            if method is not None:
                return self._enter(call, method)
            if isinstance(call.func, ast.Name) and not builtin:
                return self._check_chosen(call, call.func)
            self._check_local(call, root)
            return  # A builtin, or a method of something local.
        assert owner is not None
        for bound in owner.bindings[root.id]:
            if isinstance(bound, (ast.Import, ast.ImportFrom)):
                if self._is_foreign(bound):
                    raise NotSplit(
                        call, f"{ast.unparse(call.func)}() is in another file"
                    )
            elif isinstance(bound, (ast.FunctionDef, ast.ClassDef)):
                self._enter(call, bound)
            elif isinstance(call.func, ast.Name):
                raise NotSplit(call, f"the tool cannot tell what {root.id}() does")

    def _check_chosen(self, call: ast.Call, name: ast.Name) -> None:
        """Checks a name that stands for one of several chosen functions."""
        found = chosen_functions.find_chosen_functions(name, self._scopes)
        totals = (table.TOTAL_LOSS, table.ALL_LOSSES)
        counted = any(symbol in totals for _, symbol in self._scopes.walk_uses())
        for one in found:
            if not isinstance(one, str):
                self._enter(call, one)
            elif counted and table.collects_loss(one):
                raise NotSplit(
                    call,
                    f"the result of {name.id}() may be a part of the graph's "
                    "total loss",
                )
            else:
                self._check_symbol(name, one)
        if not found or names.find_argument(call, "reduction") is not None:
            raise NotSplit(call, f"the tool cannot tell what {name.id}() does")

    def _check_local(self, call: ast.Call, root: ast.Name) -> None:
        """Refuses methods of an object that may be no plain value."""
        scope = self._scopes.find_scope(root).find_owner(root.id)
        for bound in scope.bindings[root.id] if scope is not None else ():
            value = getattr(bound, "value", None)
            made = value.func if isinstance(value, ast.Call) else None
            while isinstance(made, ast.Attribute):
                made = made.value
            if not isinstance(made, ast.Name) or self._scopes.resolve(made):
                continue
            of = self._scopes.find_scope(made).find_owner(made.id)
            for maker in of.bindings[made.id] if of is not None else ():
                if isinstance(maker, ast.ClassDef) or self._is_foreign(maker):
                    raise NotSplit(
                        call,
                        f"the tool cannot tell what {ast.unparse(call.func)}() does",
                    )

    @staticmethod
    def _is_foreign(bound: ast.AST) -> bool:
        """Whether an import brings something of another file."""
        if not isinstance(bound, (ast.Import, ast.ImportFrom)):
            return False
        module = getattr(bound, "module", None) or bound.names[0].name
        return module.partition(".")[0] not in table.LIBRARIES


def check_penalties(
    layers: Iterable[Layer],
    wanted: Iterable[tuple[ast.AST, str]],
    some: bool = False,
) -> None:
    """Fails if penalties are asked for and there are none, or Keras scales them.

    Args:
      wanted: uses in the steps.
      some: whether there are penalties beside the layers'.
    """
    for layer in layers:
        for name, value in layer.arguments:
            if name == "activity_regularizer":
                raise NotSplit(
                    value,
                    "a layer has an activity penalty, which Keras divides by "
                    "the size of the batch",
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
        raise NotSplit(
            listed,
            "a layer adds the updates of its averages to a collection of its own",
        )
    return True


def find_watched_names(scopes: Scopes) -> set[str]:
    """Names of tensors for which the program's hooks ask.

    Raises:
      NotSplit: a hook's tensors are not in sight.
    """
    found: set[str] = set()
    for node, symbol in scopes.walk_uses():
        call = scopes.parents.get(node)
        if symbol.rpartition(".")[2] not in _HOOKS or not isinstance(call, ast.Call):
            continue
        given = [k.value for k in call.keywords if k.arg not in _NO_TENSORS]
        for value in given + call.args[:1]:
            found |= _find_strings(value, scopes)
    for inner in walk_breadth_first(scopes.tree):
        if isinstance(inner, ast.Attribute) and inner.attr in (
            "get_tensor_by_name",
            "as_graph_element",
            "get_operation_by_name",
        ):
            raise NotSplit(inner, "the program looks for tensors by their names")
    return {name.partition(":")[0] for name in found}


def _find_strings(node: ast.expr, scopes: Scopes) -> set[str]:
    if isinstance(node, ast.Name):
        owner = scopes.find_scope(node).find_owner(node.id)
        bound = owner.bindings[node.id] if owner else []
        if len(bound) == 1 and isinstance(bound[0], ast.Assign):
            return _find_strings(bound[0].value, scopes)
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
