"""TF1 to TF1: loops that run one variable after the other run the list of them."""

from __future__ import annotations

import ast

from migrate.facts.last_values import is_only_read_there
from migrate.normalise.feeds.view import View
from migrate.normalise.names.displays import is_bound_once
from migrate.normalise.text import (
    Edit,
    Text,
    repeat_step,
)
from migrate.source.nodes import walk_breadth_first


def run_variables_at_once(text: Text) -> Text:
    """The text in which loops that run one variable after the other run the list of them.

    for p in [w, b]:                          for p in sess.run([w, b]):
        print(sess.run(p))                        print(p)
    """
    return repeat_step(text, _run_list_at_once, ".run(", "for ")


def _run_list_at_once(text: Text) -> Text | None:
    view = View(text)
    for loop in view.scopes.walk():
        match loop:
            case ast.For(target=ast.Name(id=own), orelse=[]):
                pass
            case _:
                continue
        inside = [n for s in loop.body for n in walk_breadth_first(s)]
        calls = [
            n
            for n in inside
            if isinstance(n, ast.Call)
            and isinstance(n.func, ast.Attribute)
            and n.func.attr in ("run", "eval")
        ]
        uses = [n for n in inside if isinstance(n, ast.Name) and n.id == own]
        if len(calls) != 1 or calls[0].keywords or calls[0].args != uses:
            continue
        if any(isinstance(n, ast.Lambda | ast.FunctionDef) for n in inside):
            continue
        if not is_only_read_there(view.scopes, view.scopes.find_scope(loop), own):
            continue
        if any(
            isinstance(n, ast.Name)
            and n.id == own
            and n not in uses
            and n is not loop.target
            and view.scopes.find_scope(n) is view.scopes.find_scope(loop)
            for n in view.scopes.walk()
        ):
            continue
        if not _lists_variables(view, loop.iter):
            continue
        run = text.find_segment(calls[0].func)
        return text.apply_edits(
            [
                Edit(loop.iter, f"{run}({text.flatten_segment(loop.iter)})"),
                Edit(calls[0], own),
            ]
        )
    return None


def _lists_variables(view: View, over: ast.expr) -> bool:
    """Whether it is a list of variables, each with a name that is bound once."""
    shown = over
    if isinstance(over, ast.Name):
        owner = view.scopes.find_scope(over).find_owner(over.id)
        match owner.bindings[over.id] if owner is not None else []:
            case [ast.Assign(targets=[ast.Name()], value=shown)]:
                pass
            case _:
                return False
    if not isinstance(shown, ast.List | ast.Tuple):
        return False
    for item in shown.elts:
        if not isinstance(item, ast.Name) or not is_bound_once(view.scopes, item):
            return False
        owner = view.scopes.find_scope(item).find_owner(item.id)
        made = owner.bindings[item.id][0] if owner is not None else None
        call = made.value if isinstance(made, ast.Assign) else None
        if not isinstance(call, ast.Call) or view.scopes.resolve(call.func) not in (
            "tf.Variable",
            "tf.get_variable",
        ):
            return False
    return True
