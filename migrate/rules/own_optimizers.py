"""Optimizers of a program's own whose update TensorFlow 2 would not call.

    class Doubled(tf.train.GradientDescentOptimizer):
        def _apply_dense(self, grad, var):
            return super(Doubled, self)._apply_dense(2.0 * grad, var)

TensorFlow 1's variables were references, which `_apply_dense` updated. TensorFlow 2's are
resources: it calls `_resource_apply_dense`, here that of the class above.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts.reach import find_definitions
from migrate.facts.scopes import Scopes
from migrate.findings import Finding, Outcome
from migrate.tables.optimizers import OPTIMIZERS

# What TensorFlow 1 called -> what TensorFlow 2 calls in its place.
CALLED = {
    "_apply_dense": "_resource_apply_dense",
    "_apply_sparse": "_resource_apply_sparse",
    "_apply_sparse_duplicate_indices": "_resource_apply_sparse_duplicate_indices",
}
_ARGUMENTS = {"_resource_apply_dense": "(self, grad, var)"}
_BASE = "Optimizer"


def report_uncalled(scopes: Scopes) -> Iterator[Finding]:
    """Methods that nothing would call, refused."""
    for node in scopes.walk():
        if not isinstance(node, ast.ClassDef) or not _is_optimizer(node, scopes):
            continue
        defined = {n for one in _find_bases(node, scopes) for n in _find_defined(one)}
        for method in node.body:
            if not isinstance(method, ast.FunctionDef) or method.name not in CALLED:
                continue
            new = CALLED[method.name]
            if new not in defined and not _does_only_raise(method):
                arguments = _ARGUMENTS.get(new, "(self, grad, var, indices)")
                yield Finding(
                    method.lineno,
                    method.col_offset + 1,
                    "K133",
                    Outcome.REFUSED,
                    "",
                    f"TensorFlow 2 calls {new} in place of {method.name}, so "
                    "nothing would call this method",
                    f"Define {new}{arguments} with the same update. There `var` is "
                    "a resource variable (var.assign_sub, "
                    "tf.raw_ops.ResourceApply...).",
                )


def _is_optimizer(node: ast.ClassDef, scopes: Scopes) -> bool:
    for one in _find_bases(node, scopes):
        for base in one.bases:
            symbol = scopes.resolve(base) or ""
            if symbol in OPTIMIZERS or symbol.startswith("tf.contrib.opt."):
                return True
            if symbol.startswith("tf.") and symbol.endswith(f".{_BASE}"):
                return not symbol.startswith("tf.keras.")
    return False


def _find_bases(node: ast.ClassDef, scopes: Scopes) -> list[ast.ClassDef]:
    """A class, and the file's classes from which it derives."""
    found = [node]
    for one in found:
        for base in one.bases:
            if isinstance(base, ast.Name):
                found += [
                    d
                    for d in find_definitions(scopes, base)
                    if isinstance(d, ast.ClassDef) and d not in found
                ]
    return found


def _find_defined(node: ast.ClassDef) -> set[str]:
    named = {s.name for s in node.body if isinstance(s, ast.FunctionDef)}
    return named | {
        target.id
        for s in node.body
        if isinstance(s, ast.Assign)
        for target in s.targets
        if isinstance(target, ast.Name)
    }


def _does_only_raise(method: ast.FunctionDef) -> bool:
    return isinstance(method.body[-1], ast.Raise) and all(
        isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant)
        for s in method.body[:-1]
    )
