"""Whether evaluating an expression may do more than compute its value."""

from __future__ import annotations

import ast

from migrate.facts import reach
from migrate.facts.scopes import Scopes
from migrate.source.nodes import walk_breadth_first
from migrate.tables import host_effects

# Methods of arrays and strings that change nothing.
_PURE_METHODS = frozenset(
    {"astype", "copy", "dot", "flatten", "format", "get", "max", "mean", "min", "ravel"}
    | {"reshape", "split", "squeeze", "std", "sum", "tolist", "transpose"}
)
_PURE_FUNCTIONS = frozenset(
    {"abs", "bool", "float", "int", "len", "list", "max", "min", "range", "round"}
    | {"sorted", "str", "sum", "tuple"}
)


_CONSUMING = frozenset({"next", "next_batch", "pop", "popitem", "popleft", "readline"})


def consumes(call: ast.Call) -> bool:
    """Whether a call takes something away, so that the next gives something else."""
    if isinstance(call.func, ast.Name):
        return call.func.id == "next"
    return isinstance(call.func, ast.Attribute) and call.func.attr in _CONSUMING


_ONE_SHOT = frozenset({"enumerate", "filter", "iter", "map", "open", "reversed", "zip"})


def is_one_shot(value: ast.expr, scopes: Scopes) -> bool:
    """Whether a value gives its elements only once: an iterator, a generator, a file."""
    if isinstance(value, ast.GeneratorExp):
        return True
    if not isinstance(value, ast.Call):
        return False
    if isinstance(value.func, ast.Name):
        owner = scopes.find_scope(value.func).find_owner(value.func.id)
        if owner is None:
            return value.func.id in _ONE_SHOT
        function = scopes.find_function(value.func)
        return function is not None and any(
            isinstance(node, (ast.Yield, ast.YieldFrom))
            for node in walk_breadth_first(function)
        )
    path = scopes.import_path(value.func)
    return path in ("csv.reader", "csv.DictReader", "os.walk") or (
        path.startswith("itertools.") and path != "itertools.tee"
    )


ASSIGNING = frozenset(
    {"assign", "assign_add", "assign_sub"}
    | {"scatter_add", "scatter_sub", "scatter_update"}
)


def assigns(statement: ast.AST) -> bool:
    """Whether it has a call that changes a variable, also one in a list or a loop."""
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ASSIGNING
        for node in walk_breadth_first(statement)
    )


def has_effect(value: ast.expr, scopes: Scopes) -> bool:
    """Whether it has a call that may, say, draw from a generator."""
    for node in walk_breadth_first(value):
        if not isinstance(node, ast.Call):
            continue
        path = scopes.find_dotted_path(node.func) or ""
        if path.startswith("numpy.") and not path.startswith("numpy.random."):
            continue
        if isinstance(node.func, ast.Name) and node.func.id in _PURE_FUNCTIONS:
            continue
        if (
            not path
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in _PURE_METHODS
            and (node.func.attr != "get" or len(node.args) in (1, 2))
        ):
            continue  # `queue.get()` takes something away.
        return True
    return False


def ends(call: ast.Call, scopes: Scopes) -> bool:
    """Whether the program ends in a call."""
    if isinstance(call.func, ast.Name) and call.func.id in ("exit", "quit"):
        return scopes.find_scope(call.func).find_owner(call.func.id) is None
    return scopes.import_path(call.func) in host_effects.NEVER_RETURN


def is_seen(value: ast.expr, scopes: Scopes) -> bool:
    """Whether evaluating it does what somebody may see: reads files, prints, loads."""
    return any(
        isinstance(node, ast.Call) and _is_seen(node, scopes)
        for part in [value, *reach.find_reached(scopes, [value])]
        for node in walk_breadth_first(part)
    )


def _is_seen(call: ast.Call, scopes: Scopes) -> bool:
    path = scopes.import_path(call.func)
    if not path:
        return isinstance(call.func, ast.Name) and call.func.id in ("open", "print")
    if host_effects.find_longest(path, host_effects.READERS):
        return True
    if path.startswith("tensorflow."):
        return False
    kind = host_effects.find_longest(path, host_effects.FUNCTIONS)
    return kind is None or bool(kind) and kind not in host_effects.GENERATORS


def is_shown(node: ast.AST, scopes: Scopes) -> bool:
    """Whether a call prints or logs."""
    if not isinstance(node, ast.Call):
        return False
    path = scopes.import_path(node.func)
    if not path:
        return isinstance(node.func, ast.Name) and node.func.id == "print"
    rows = (
        host_effects.TENSORFLOW
        if (scopes.resolve(node.func) or "").startswith("tf.")
        else host_effects.FUNCTIONS
    )
    return host_effects.find_longest(path, rows) in host_effects.SHOWN
