"""Specs of feeds whose shapes are read of names that are bound anew, or changed, later.

    x = tf.placeholder(tf.float32, [None, dims[0]])     x_spec = tf.TensorSpec([None, dims[0]], tf.float32)
    ...                                                 ...
    dims = dims[::-1]                                   dims = dims[::-1]

A step's signature stands below all of it, so such a spec is made where the feed was.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.backends.custom_loop.context import Context
from migrate.facts import names
from migrate.facts.aliases import Aliases
from migrate.plan import Dropped, New
from migrate.program.binding_time import list_every_flow
from migrate.program.code import make_code
from migrate.program.ir import Flow, Kind
from migrate.source.nodes import walk_breadth_first


def make_early_specs(context: Context) -> dict[str, str]:
    """Plans specs where feeds were, and gives their names by the feeds' keys."""
    program, made = context.program, dict[str, str]()
    flows = list_every_flow(program.flows)
    for place, flow in enumerate(flows):
        if flow.suites or flow.kind is not Kind.PLACEHOLDER:
            continue
        for key in sorted(flow.binds & set(program.placeholders)):
            placeholder = program.placeholders[key]
            declared = [*placeholder.spec.walk_nodes()]
            if placeholder.default is not None:
                declared.append(placeholder.default)
            read = _find_values(context, declared)
            change = next(_find_changes(context, read, flows[place + 1 :]), None)
            if change is None or len(_find_declarations(flows, key)) > 1:
                continue
            planned = context.plan.statements.get(flow.statement)
            if flow not in program.flows or planned or placeholder.default is not None:
                if _is_straight(program.flows, flow):
                    context.diagnostics.refuse(
                        "G007",
                        change,
                        f"TensorFlow 1 read `{key}` when it built the graph. This "
                        "line may change it later, and a step function would read "
                        "the changed value",
                        "Bind the value to a name of its own that nothing changes "
                        "later.",
                    )
                continue
            made[key] = context.choose_free_name(key.replace(".", "_") + "_spec")
            context.plan.statements[flow.statement] = [
                Dropped(flow.statement),
                New(make_code(f"{made[key]} = ", placeholder.spec)),
            ]
    return made


def _find_values(context: Context, nodes: list[ast.AST]) -> set[str]:
    """Names of values that some code reads, not of modules."""
    return {
        key
        for root in nodes
        for node in walk_breadth_first(root)
        if isinstance(node, (ast.Name, ast.Attribute))
        and context.scopes.find_dotted_path(node) is None
        and (key := names.find_key(node)) is not None
    }


def _find_declarations(flows: list[Flow], key: str) -> list[Flow]:
    return [f for f in flows if not f.suites and key in f.binds]


def _find_changes(
    context: Context, read: set[str], later: list[Flow]
) -> Iterator[ast.stmt]:
    """Statements that bind one of the names anew, or change its object in place."""
    aliases = Aliases(context.scopes, read)
    for flow in later:
        statement = flow.statement
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            continue
        bound = (
            names.find_binds(statement.target)
            if isinstance(statement, ast.For)
            else set()
            if flow.suites
            else names.find_binds(statement)
        )
        if bound & read:
            yield statement
        aliases.follow(statement)
        if not flow.suites and any(aliases.find_changes(statement)):
            yield statement


def _is_straight(flows: list[Flow], flow: Flow) -> bool:
    """Whether it is run once: no loop or branch is around it."""
    return any(
        f is flow
        or (
            isinstance(f.statement, ast.With)
            and any(_is_straight(suite, flow) for suite in f.suites.values())
        )
        for f in flows
    )
