"""Finds state that functions, classes and the process hold, and that a loop changes.

    def next_batch(n, position=[0]):
        position[0] += n

In TF1 every worker was a process, and had all such state for itself. An object that a name
holds can be made once for each worker (see `worker_state`). But this state exists only once.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.tables.worker_state import FLAGS, OF_THE_PROCESS, UNIMPORTANT_VARIABLES

_CONTAINERS = frozenset({"list", "dict", "set"})
_MADE_ANEW = (ast.List, ast.Dict, ast.Set, ast.Call)


def find_held_state(
    scopes: Scopes, nodes: Iterable[ast.AST]
) -> Iterator[tuple[str, ast.AST]]:
    """Yields the state of this kind that some code changes, as text, and the place.

    Args:
      nodes: those of the loop, and of the functions that it calls.
    """
    for node in nodes:
        if isinstance(node, ast.FunctionDef):
            yield from _find_changed_defaults(node)
            yield from _find_changed_class_values(scopes, node)
        elif isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
            if _is_held(scopes, node.value) and not is_given_a_constant(scopes, node):
                yield ast.unparse(node), node
        elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            if (
                scopes.import_path(node.value) == "os.environ"
                and names.read_literal(node.slice) not in UNIMPORTANT_VARIABLES
                and not is_given_a_constant(scopes, node)
            ):
                yield ast.unparse(node), node
        elif isinstance(node, ast.Call):
            if scopes.import_path(node.func) in OF_THE_PROCESS:
                yield ast.unparse(node.func), node


def is_given_a_constant(scopes: Scopes, target: ast.expr) -> bool:
    """Whether all workers assign the same: `os.environ["OMP_NUM_THREADS"] = "20"`."""
    statement = scopes.parents.get(target)
    return isinstance(statement, ast.Assign) and isinstance(
        statement.value, ast.Constant
    )


def _find_changed_defaults(function: ast.FunctionDef) -> Iterator[tuple[str, ast.AST]]:
    """Yields parameters whose default value, which is made once, the function changes."""
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    defaulted = positional[len(positional) - len(arguments.defaults) :]
    pairs = [
        *zip(defaulted, arguments.defaults, strict=True),
        *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
    ]
    changed = set().union(*[names.find_mutations(s) for s in function.body])
    for parameter, default in pairs:
        if isinstance(default, _MADE_ANEW) and parameter.arg in changed:
            yield f"{parameter.arg} of {function.name}", default


def _find_changed_class_values(
    scopes: Scopes, method: ast.FunctionDef
) -> Iterator[tuple[str, ast.AST]]:
    """Lists and dicts of a class that a method changes by way of its instance.

    class Best:
        values = {}

        def add(self, loss):
            self.values["loss"] = loss
    """
    owner = scopes.parents.get(method)
    if not isinstance(owner, ast.ClassDef) or not method.args.args:
        return
    itself = method.args.args[0].arg
    changed = set().union(*[names.find_mutations(s) for s in method.body])
    own = set().union(*[names.find_binds(m) for m in _walk_methods(owner)])
    for statement in owner.body:
        if isinstance(statement, ast.Assign) and _is_container(scopes, statement.value):
            for name in names.find_binds(statement):
                attribute = f"{itself}.{name}"
                if attribute in changed and attribute not in own:
                    yield f"{owner.name}.{name}", statement


def _walk_methods(owner: ast.ClassDef) -> Iterator[ast.stmt]:
    for item in owner.body:
        if isinstance(item, ast.FunctionDef):
            yield from item.body


def _is_container(scopes: Scopes, value: ast.expr) -> bool:
    if isinstance(value, ast.Call):
        path = scopes.import_path(value.func) or ast.unparse(value.func)
        return path in _CONTAINERS or path.startswith("collections.")
    return isinstance(value, (ast.List, ast.Dict, ast.Set))


def _is_held(scopes: Scopes, base: ast.expr) -> bool:
    """Whether an expression is a function, a class, or the flags."""
    if (scopes.resolve(base) or scopes.import_path(base)) in FLAGS:
        return True
    if not isinstance(base, ast.Name):
        return False
    owner = scopes.find_scope(base).find_owner(base.id)
    if owner is None:
        return False
    if any(
        isinstance(b, (ast.FunctionDef, ast.ClassDef)) for b in owner.bindings[base.id]
    ):
        return True
    # The first parameter of a class method; in a method of an object it is `self`.
    function = owner.node
    return (
        isinstance(function, ast.FunctionDef)
        and any(ast.unparse(d) == "classmethod" for d in function.decorator_list)
        and bool(function.args.args)
        and function.args.args[0].arg == base.id
    )
