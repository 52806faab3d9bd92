"""Whether a model_fn normalises batches under one condition alone.

if params.use_batch_norm:
    out = tf.layers.batch_normalization(out, training=is_training)
...
if params.use_batch_norm:
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        train_op = optimizer.minimize(loss, step)
else:
    train_op = optimizer.minimize(loss, step)

Without it there are no averages to wait for: then both branches make the same update.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Sequence

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.program.keras_files import Source
from migrate.source.nodes import find_plain_names, walk_breadth_first
from migrate.tables.estimator import BATCH_NORMALIZATION

_NORMALISES = re.compile("batch_?norm", re.IGNORECASE)
# Methods of optimizers, tensors, texts and containers. They make no layers.
_METHODS = frozenset(
    {"minimize", "compute_gradients", "apply_gradients", "get_shape", "as_list"}
    | {"get", "items", "keys", "values", "append", "extend", "format", "join"}
    | {"lower", "upper", "split", "strip"}
)


def is_only_there(
    test: ast.expr,
    function: ast.FunctionDef,
    scopes: Scopes,
    quiet: frozenset[str] = frozenset(),
) -> bool:
    """Whether a model_fn has such layers only if its test is true.

    Args:
      quiet: names of functions and modules of other files that have no such layers.
    """
    return _Search(test, scopes, quiet).is_only_there(function)


def find_quiet_names(here: Source | None, others: Sequence[Source]) -> frozenset[str]:
    """Returns the names that a file imports from others that normalise no batches."""
    if here is None:
        return frozenset()
    paths = {other.path for other in others}
    for other in others:
        seen = {target for target, _ in other.imports.values()} <= {*paths, here.path}
        if not seen or _NORMALISES.search(other.text):
            return frozenset()
    return frozenset(n for n, (target, _) in here.imports.items() if target in paths)


class _Search:
    """Searches a function, and the functions of the file that it calls."""

    def __init__(self, test: ast.expr, scopes: Scopes, quiet: frozenset[str]) -> None:
        self._test, self._scopes, self._quiet = ast.dump(test), scopes, quiet
        self._names = find_plain_names(test)
        self._calls = any(isinstance(n, ast.Call) for n in walk_breadth_first(test))
        self._seen: set[ast.FunctionDef] = set()

    def is_only_there(self, function: ast.FunctionDef) -> bool:
        if function in self._seen:
            return True
        self._seen.add(function)
        bound = self._scopes.scope_by_node[function].bindings
        if self._calls or any(len(bound.get(name, ())) > 1 for name in self._names):
            return False
        for node in walk_breadth_first(function):
            symbol = ""
            if isinstance(node, (ast.Name, ast.Attribute)):
                symbol = self._scopes.resolve(node) or ""
            if symbol in BATCH_NORMALIZATION or "batch_norm" in symbol.lower():
                if not self._is_inside(node, function):
                    return False
            if isinstance(node, ast.Call) and not self._is_inside(node, function):
                if not self._is_known(node):
                    return False
        return True

    def _is_inside(self, node: ast.AST, function: ast.FunctionDef) -> bool:
        """Whether some code runs only if the test is true."""
        while node is not function:
            above = self._scopes.parents[node]
            if isinstance(above, ast.If) and ast.dump(above.test) == self._test:
                if node in above.body:
                    return True
            node = above
        return False

    def _is_known(self, call: ast.Call) -> bool:
        """Whether a call makes no such layers, or only if the test is true."""
        if self._scopes.resolve(call.func) is not None:
            return True
        other = self._scopes.find_function(call.func)
        if other is not None:
            return self._is_told(call, other) and self.is_only_there(other)
        if self._is_quiet(call.func):
            return True
        if isinstance(call.func, ast.Attribute):
            return call.func.attr in _METHODS
        name = call.func.id if isinstance(call.func, ast.Name) else ""
        owner = self._scopes.find_scope(call).find_owner(name)
        return owner is None and hasattr(builtins, name)

    def _is_quiet(self, node: ast.expr) -> bool:
        """Whether a function is from another file that has no such layers."""
        while isinstance(node, ast.Attribute):
            node = node.value
        if not isinstance(node, ast.Name) or node.id not in self._quiet:
            return False
        owner = self._scopes.find_scope(node).find_owner(node.id)
        return owner is self._scopes.module and len(owner.bindings[node.id]) == 1

    def _is_told(self, call: ast.Call, other: ast.FunctionDef) -> bool:
        """Whether the names of the test mean the same in a called function."""
        given = names.bind_call(call, other)
        own = self._scopes.scope_by_node[other].bindings
        for name in self._names:
            if name not in own:
                owner = self._scopes.find_scope(call).find_owner(name)
                if name in names.find_reads(other) and owner is not self._scopes.module:
                    return False
                continue  # A function that does not read the name does not test it.
            value = (given or {}).get(name)
            if not isinstance(value, ast.Name) or value.id != name:
                return False
        return True
