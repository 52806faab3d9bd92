"""Hooks of other files: where a file makes their objects, and what it gives these."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from migrate.facts.scopes import Scopes
from migrate.frontends.callbacks.fetches import find_argument
from migrate.frontends.callbacks.given import Given
from migrate.frontends.callbacks.modes import Ways
from migrate.frontends.callbacks.reasons import NoCallback
from migrate.program.callbacks import Made, OfOtherFile, StaysHook, UsedElsewhere


def find_objects_made_here(
    scopes: Scopes, imported: Mapping[str, OfOtherFile], given: Given, others: str
) -> tuple[list[Made], list[StaysHook]]:
    """Finds the objects that a file makes of other files' callbacks.

    Args:
      imported: what names the classes.
      others: why hooks here may have no Keras model; "" if they have one.
    """
    made: list[Made] = []
    kept: list[StaysHook] = []
    for text, one in imported.items():
        node: ast.AST = scopes.tree
        try:
            for node in find_mentions(scopes, text):
                if others:
                    raise NoCallback(node, others)
                call = find_construction(scopes, node)
                if not set(Ways(scopes).find_modes(call)) <= set(one.used.modes):
                    raise NoCallback(call, "another file uses it in other modes")
                made.append(Made(call, one.name, _map_names(call, one, given)))
        except NoCallback as reason:
            kept.append(StaysHook(one.name, node, reason.node, reason.reason))
    return made, kept


def _map_names(call: ast.Call, one: OfOtherFile, given: Given) -> dict[ast.expr, str]:
    names: dict[ast.expr, str] = {}
    for parameter, place in one.parameters.items():
        value = find_argument(call, parameter, place)
        if value is None:
            raise NoCallback(call, f"not all callers pass `{parameter}`")
        kind, found = given.find_names(call, value)
        if kind != one.used.given[parameter]:
            reason = f"different callers pass `{parameter}` in different forms"
            raise NoCallback(value, reason)
        names.update(found)
    return names


def find_uses_here(
    scopes: Scopes, class_: ast.ClassDef, text: str
) -> tuple[set[str], list[dict[str, str]]]:
    """Finds the modes of a file's objects of another file's class, and their arguments.

    An argument's form is the one in which it gives tensors, if it gives any.

    Args:
      text: what names the class there.

    Raises:
      NoCallback: more is done with the class, or its objects are not followed.
    """
    modes: set[str] = set()
    forms: list[dict[str, str]] = []
    parameters = _list_parameters(class_)
    for node in find_mentions(scopes, text):
        call = find_construction(scopes, node)
        modes |= Ways(scopes).find_modes(call)
        values = {p: find_argument(call, p, i) for i, p in enumerate(parameters)}
        forms.append(
            {p: _find_form(v, scopes) for p, v in values.items() if v is not None}
        )
    return modes, forms


def _list_parameters(class_: ast.ClassDef) -> list[str]:
    for item in class_.body:
        if isinstance(item, ast.FunctionDef) and item.name == "__init__":
            return [a.arg for a in item.args.args[1:]]
    return []


def _find_form(value: ast.expr, scopes: Scopes) -> str:
    if isinstance(value, ast.Name):
        owner = scopes.find_scope(value).find_owner(value.id)
        bound = owner.bindings[value.id] if owner is not None else []
        if len(bound) == 1 and isinstance(bound[0], ast.Assign):
            value = bound[0].value
    if isinstance(value, ast.Dict):
        return "dict"
    if isinstance(value, ast.Call) and ast.unparse(value.func) == "dict":
        return "dict"
    return "list" if isinstance(value, (ast.List, ast.Tuple)) else ""


def find_construction(scopes: Scopes, node: ast.expr) -> ast.Call:
    """Returns the call that makes an object, by the expression that names its class.

    Raises:
      NoCallback: the class is used otherwise.
    """
    call = scopes.parents[node]
    if not isinstance(call, ast.Call) or call.func is not node:
        raise NoCallback(
            node, "the program stores the class itself, or passes it to other code"
        )
    return call


def find_mentions(scopes: Scopes, text: str) -> Iterator[ast.expr]:
    """Finds the expressions by which a file names an import, such as `hooks.Stop`.

    Raises:
      NoCallback: the module is passed to other code, or its name assigned again.
    """
    root, _, rest = text.partition(".")
    for node in scopes.walk():
        if not isinstance(node, ast.Name) or node.id != root:
            continue
        if scopes.find_scope(node).find_owner(root) is not scopes.module:
            continue
        if not isinstance(node.ctx, ast.Load):
            raise NoCallback(node, f"the program assigns `{root}` again")
        whole: ast.expr = node
        for name in rest.split(".") if rest else ():
            above = scopes.parents[whole]
            if not isinstance(above, ast.Attribute):
                raise NoCallback(
                    node,
                    f"the program stores the module `{root}`, or passes it to "
                    "other code",
                )
            whole = above
            if above.attr != name:
                break
        else:
            yield whole


def join_uses(
    found: list[tuple[set[str], list[dict[str, str]]]], created: bool, several: bool
) -> UsedElsewhere:
    """Combines what the single other files do with a class."""
    every = [form for _, forms in found for form in forms]
    given = {
        name: form
        for name, form in (every[0] if every else {}).items()
        if all(other.get(name) == form for other in every)
    }
    modes = {mode for one, _ in found for mode in one}
    return UsedElsewhere(tuple(sorted(modes)), given, created, several)
