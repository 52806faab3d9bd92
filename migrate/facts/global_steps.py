"""The global step of a graph: by its name, or because it is in a collection."""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.tables import roles

# A variable in it is the global step, whatever its name.
COLLECTION = "tf.GraphKeys.GLOBAL_STEP"
_VARIABLES = ("tf.Variable", "tf.get_variable")
_SCOPES = ("tf.variable_scope", "tf.name_scope")


def is_counter(scopes: Scopes, call: ast.Call) -> bool:
    """`tf.add_to_collection(tf.GraphKeys.GLOBAL_STEP, step)`."""
    return (
        scopes.resolve(call.func) == "tf.add_to_collection"
        and len(call.args) == 2
        and scopes.resolve(call.args[0]) == COLLECTION
    )


def is_step(scopes: Scopes, binding: ast.Assign) -> bool:
    """Whether a statement makes what TF1 finds as the global step without being told."""
    if len(binding.targets) != 1 or not isinstance(binding.value, ast.Call):
        return False
    symbol = scopes.resolve(binding.value.func)
    if symbol in roles.GLOBAL_STEPS:
        return True
    position = 0 if symbol == "tf.get_variable" else None
    given = names.find_argument(binding.value, "name", position)
    around: ast.AST = binding
    while around in scopes.parents:
        around = scopes.parents[around]
        if isinstance(around, ast.With) and any(
            isinstance(i.context_expr, ast.Call)
            and scopes.resolve(i.context_expr.func) in _SCOPES
            for i in around.items
        ):
            return False
    return symbol in _VARIABLES and names.read_literal(given) == "global_step"


def may_be_another(scopes: Scopes, given: ast.expr) -> bool:
    """Whether what is given as the step may be one that TF1 does not find by itself."""
    if isinstance(given, ast.Call):
        return scopes.resolve(given.func) not in roles.GLOBAL_STEPS
    made = [n for n in scopes.walk() if isinstance(n, ast.Assign)]
    steps = [n for n in made if is_step(scopes, n)]
    last = (names.find_key(given) or "").rpartition(".")[2]
    known = {
        statement: (names.find_key(statement.targets[0]) or "").rpartition(".")[2]
        for statement in made
        if len(statement.targets) == 1
        and scopes.resolve(getattr(statement.value, "func", ast.Pass())) in _VARIABLES
    }
    own = [statement for statement, name in known.items() if name == last]
    return not steps or (bool(own) and not any(one in steps for one in own))
