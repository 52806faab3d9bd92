"""Estimators of model_fns that become Keras models, in whatever file those are."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from migrate.backends.keras.layout import Argument
from migrate.backends.keras.layout import write_call as laid_out
from migrate.frontends.model_fn import Imported
from migrate.frontends.model_fn.flow import Flow
from migrate.plan import New, Plan
from migrate.program.code import make_code
from migrate.tables import keras_models as table

TRAINS = ("E101", "trains the Keras model, as tf.estimator did around a model_fn")
Claimed = dict[ast.AST, tuple[str, str]]


def rewrite_estimators(flow: Flow, name: str, plan: Plan) -> Claimed:
    """`Estimator(model_fn=...)` becomes the emitted module's, of the class.

    Args:
      name: of the class, "" where nothing names it.
    """
    claimed: Claimed = {}
    for call, model in flow.estimators:
        named: ast.AST | str = name if name and model in flow.mentions else model
        arguments: list[Argument] = []
        for value in call.args:
            arguments.append(("", named if value is model else value))
        for keyword in call.keywords:
            assert keyword.arg is not None
            if keyword.value is model:
                arguments.append(("model", named))
            else:
                arguments.append((keyword.arg, keyword.value))
        function = f"{table.MODULE}.Estimator"
        if _is_init(call.func):
            function = ast.unparse(call.func)
        plan.replace(call, laid_out(function, arguments, call.col_offset))
        claimed[call.func] = TRAINS
    for base in flow.bases:
        plan.replace(base, make_code(f"{table.MODULE}.Estimator"))
        claimed[base] = TRAINS
    plan.imports.append(f"import {table.MODULE}")
    plan.support.update(table.SUPPORT)
    return claimed


def _is_init(function: ast.expr) -> bool:
    """Whether it is `super().__init__`, of a class of Estimator."""
    return isinstance(function, ast.Attribute) and function.attr == "__init__"


def rewrite_imports(models: Iterable[Imported], plan: Plan) -> Claimed:
    """Imports of model_fns become imports of their classes."""
    claimed: Claimed = {}
    names: dict[ast.ImportFrom, dict[ast.alias, str]] = {}
    for one in models:
        claimed |= rewrite_estimators(one.flow, "", plan)
        for place in one.places if one.name else ():
            if isinstance(place.node, ast.Attribute):
                plan.replace(place.node, make_code(place.node.value, f".{one.name}"))
                continue
            assert isinstance(place.statement, ast.ImportFrom)
            names.setdefault(place.statement, {})[place.alias] = one.name
            if place.alias.asname is None:
                plan.replace(place.node, make_code(one.name))
    for statement, new in names.items():
        aliases = [ast.alias(new.get(a, a.name), a.asname) for a in statement.names]
        line = ast.ImportFrom(statement.module, aliases, statement.level)
        plan.statements[statement] = [New(make_code(ast.unparse(line)), statement)]
    return claimed
