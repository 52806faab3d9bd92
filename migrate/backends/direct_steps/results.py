"""Finds the results of a step: nothing, one tensor, or a list or dict of tensors."""

from __future__ import annotations

import ast
import dataclasses

from migrate.backends.direct_steps.program import Step
from migrate.backends.direct_steps.tensors import (
    is_list_of_towers,
    is_tensor,
    is_variable,
)
from migrate.facts import names
from migrate.facts.names import is_none_constant
from migrate.facts.scopes import Scopes

_COMPOSITE = ("Sparse", "VarLen", "sparse", "ragged", "Ragged")


@dataclasses.dataclass
class Results:
    """The results of a step.

    Attributes:
      statement: its only `return`, or None.
      elements: of a list or tuple its elements, with None for an operation, and for what no
        run reads; else the one value; nothing if the step returns None, or no run reads it.
      many: whether it returns a list or tuple.
      read: elements that are variables, whose value has to be read.
      whole: whether it returns the name of a list, which is the one element.
      keys: of a dict, by which it has its elements.
    """

    statement: ast.Return | None
    elements: list[ast.expr | None]
    many: bool
    read: set[ast.expr]
    whole: bool = False
    keys: tuple[str, ...] = ()


def find_results(step: Step, scopes: Scopes) -> Results | None:
    """Returns the results of a step; None if runs read what is not known to be tensors."""
    returns = [
        n
        for n in names.walk_scope_of_function(step.function)
        if isinstance(n, ast.Return)
    ]
    last = step.function.body[-1]
    if not returns:
        return Results(None, [], False, set())
    if returns != [last] or not isinstance(last, ast.Return):
        return None
    value = last.value
    many = isinstance(value, (ast.List, ast.Tuple))
    if value is None or is_none_constant(value):
        return Results(last, [], False, set())
    if isinstance(value, ast.Name) and is_list_of_towers(value, step.function, scopes):
        return Results(last, [value], True, set(), whole=True)
    if isinstance(value, ast.Dict):
        return _find_entries(last, value, step.function, scopes)
    found: list[ast.expr | None] = []
    read: set[ast.expr] = set()
    elements = value.elts if isinstance(value, (ast.List, ast.Tuple)) else [value]
    for place, element in enumerate(elements):
        if is_none_constant(element):
            found.append(None)
            continue
        if is_variable(element, step.function, scopes):
            read.add(element)
        elif not is_tensor(element, step.function, scopes):
            if any(
                _reads(run, place, len(elements), many, scopes) for run in step.runs
            ):
                return None
            if not many:
                return Results(last, [], False, set())
            found.append(None)
            continue
        found.append(element)
    return Results(last, found, many, read)


def _find_entries(
    statement: ast.Return, made: ast.Dict, function: ast.FunctionDef, scopes: Scopes
) -> Results | None:
    """Returns the results of a step that returns a dict; what is no tensor is None."""
    keys = [
        key.value
        for key in made.keys
        if isinstance(key, ast.Constant) and isinstance(key.value, str)
    ]
    if len(set(keys)) < len(made.keys):
        return None
    read = {v for v in made.values if is_variable(v, function, scopes)}
    elements = [
        v if v in read or is_tensor(v, function, scopes) else None for v in made.values
    ]
    return Results(statement, [*elements], False, read, keys=tuple(keys))


def is_element(step: Step, scopes: Scopes) -> bool:
    """Whether a step does nothing but give the element of a dataset that it is given.

    @replicas.step_function(*dataset.element_spec)
    def compute_x_and_y(x, y):
        return [x, y]
    """
    order = [a.arg for a in step.function.args.args]
    match step.function.body, step.decorator.args:
        case [ast.Return(ast.List(elts))], [ast.Starred(ast.Attribute(attr=spec))]:
            pass
        case [ast.Return(ast.Name() as name)], [ast.Attribute(attr=spec)]:
            elts = [name]
        case _:
            return False
    given = [e.id for e in elts if isinstance(e, ast.Name)]
    if spec != "element_spec" or given != order or len(given) != len(elts):
        return False
    for node in scopes.walk():  # Such a tensor has no `numpy()`.
        named = getattr(node, "attr", "") or getattr(node, "id", "")
        if any(kind in str(named) for kind in _COMPOSITE):
            return False
    starred = isinstance(step.decorator.args[0], ast.Starred)
    return all(
        len(run.args) == 2 and isinstance(run.args[1], ast.Starred) is starred
        for run in step.runs
    )


def _reads(run: ast.Call, place: int, count: int, many: bool, scopes: Scopes) -> bool:
    """Whether a run's code uses one of the values that the step returns."""
    match scopes.parents[run]:
        case ast.Expr():
            return False
        case ast.Assign(targets=[ast.Tuple(targets) | ast.List(targets)]) if (
            many
            and len(targets) == count
            and not any(isinstance(t, ast.Starred) for t in targets)
        ):
            return not is_unread(targets[place], scopes)
        case ast.Subscript(slice=ast.Constant(int(read))) if many and read >= 0:
            return read == place
    return True


def is_unread(target: ast.expr, scopes: Scopes) -> bool:
    """Whether a target is a name that no code reads."""
    if not isinstance(target, ast.Name):
        return False
    return not scopes.list_reads(target)
