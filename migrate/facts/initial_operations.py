"""What Scaffolds, Supervisors and SessionManagers run before training, beside initialisers.

    scaffold = tf.train.Scaffold(local_init_op=tf.group(tf.tables_initializer(), init))

Variables, tables and iterators are initialised when they are made. An operation that does
more, such as an assignment, would be lost.
"""

from __future__ import annotations

import ast

from migrate.facts import effects, names
from migrate.facts.scopes import Scopes
from migrate.source.nodes import walk_breadth_first
from migrate.tables import scaffolds as table


def does_more(node: ast.expr, argument: str, scopes: Scopes) -> bool:
    """Whether an operation for an argument does more than initialise what is made.

    Args:
      node: the operation, by its name or written out.
      argument: a parameter of `tf.train.Scaffold`, such as "init_op".
    """
    return not _is_quiet(node, table.QUIET[argument], scopes, frozenset())


def feeds_first_values(feeds: ast.expr, scopes: Scopes) -> bool:
    """Whether feeds of the initialisation may decide a variable's first value.

    A variable that begins as a fed tensor is refused where it is made (N104).
    """
    if not isinstance(feeds, ast.Dict) or effects.has_effect(feeds, scopes):
        return True
    fed = {names.find_key(key) for key in feeds.keys if key is not None}
    return None in fed or any(
        not set(map(names.find_key, walk_breadth_first(call))).isdisjoint(fed)
        for call in scopes.list_calls("tf.Variable", "tf.get_variable")
    )


def _is_quiet(
    node: ast.expr, known: frozenset[str], scopes: Scopes, seen: frozenset[ast.AST]
) -> bool:
    """Whether an operation does no more than functions of a list.

    Args:
      seen: values that asked for this one.
    """
    if node in seen:
        return True
    seen |= {node}
    if isinstance(node, ast.Constant):
        return node.value is None
    if isinstance(node, ast.List | ast.Tuple):
        return all(_is_quiet(one, known, scopes, seen) for one in node.elts)
    if isinstance(node, ast.IfExp):
        parts = (node.body, node.orelse)
        return all(_is_quiet(one, known, scopes, seen) for one in parts)
    if isinstance(node, ast.Attribute) and node.attr in table.INITIALISING:
        return True
    if isinstance(node, ast.Call):
        if _waits_for_more(node, known, scopes, seen):
            return False
        symbol = scopes.resolve(node.func) or ""
        if symbol in table.GROUPS:
            return all(_is_quiet(one, known, scopes, seen) for one in node.args)
        if isinstance(node.func, ast.Attribute) and node.func.attr in table.MAKERS:
            return True
        return symbol in known
    return _is_named_quiet(node, known, scopes, seen)


def _is_named_quiet(
    node: ast.expr, known: frozenset[str], scopes: Scopes, seen: frozenset[ast.AST]
) -> bool:
    """Whether all that a name, or an attribute of an object, may have is quiet."""
    if isinstance(node, ast.Name):
        owner = scopes.find_scope(node).find_owner(node.id)
        bindings = owner.bindings.get(node.id, []) if owner is not None else []
    else:
        key = names.find_key(node)
        bindings = [
            made
            for made in scopes.walk()
            if isinstance(made, ast.Assign)
            and key is not None
            and key in map(names.find_key, made.targets)
        ]
    return bool(bindings) and all(
        isinstance(made, ast.Assign)
        and not isinstance(made.targets[0], ast.Tuple | ast.List)
        and _is_quiet(made.value, known, scopes, seen)
        for made in bindings
    )


def _waits_for_more(
    call: ast.Call, known: frozenset[str], scopes: Scopes, seen: frozenset[ast.AST]
) -> bool:
    """Whether an operation runs another before it, by `tf.control_dependencies`."""
    for above in scopes.walk_above(call):
        if isinstance(above, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            return False
        for item in above.items if isinstance(above, ast.With) else ():
            given = item.context_expr
            if not isinstance(given, ast.Call):
                continue
            if scopes.resolve(given.func) == "tf.control_dependencies":
                if not all(_is_quiet(one, known, scopes, seen) for one in given.args):
                    return True
    return False
