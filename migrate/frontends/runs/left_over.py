"""Tensors of the graph that the loop uses outside of run calls."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Sequence

from migrate.facts import names, reach
from migrate.facts.scopes import Scopes
from migrate.findings import Finding, Outcome
from migrate.frontends.runs.loop import Loop
from migrate.frontends.sessions.around import list_enclosing
from migrate.frontends.sessions.displays import Displays
from migrate.program import ir
from migrate.program.binding_time import Analysis, Diagnostics, list_every_flow
from migrate.program.step_values import Step, describe
from migrate.source.nodes import walk_breadth_first
from migrate.tables import one_tensor, roles

_RECIPE_OF_UNBOUND = (
    "Fetch the tensor in `session.run`, and use the value that it returns. If the "
    "tensor is for a hook, define the hook's class in a file of this program."
)

_RECIPE_OF_MADE = (
    "Make the variables or layers before the loop, in a list, and use the list's "
    "elements in the loop: layers = [tf.layers.Dense(4) for i in range(3)]."
)


def check(
    scopes: Scopes,
    diagnostics: Diagnostics,
    analysis: Analysis,
    displays: Displays,
    loop: Loop,
    runs: list[ir.Run],
    flows: Sequence[ir.Flow],
    edits: Iterable[ast.AST],
) -> None:
    """Refuses tensors of a step that the loop names outside of fetches and feeds.

    Args:
      flows: of the graph.
      edits: calls of hooks that read tensors in their own way.
    """
    allowed: set[int] = set()
    for run in runs:
        allowed |= {id(n) for n in walk_breadth_first(run.call)}
        for leaf in (
            names.find_argument(run.call, "fetches", 0),
            names.find_argument(run.call, "feed_dict", 1),
        ):
            if leaf is not None:
                allowed |= {
                    id(n) for n in walk_breadth_first(displays.find_display(leaf))
                }
    for call in edits:
        allowed |= {id(n) for n in walk_breadth_first(call)}
    allowed |= {id(n) for n in walk_breadth_first(loop.session)}
    for statement in loop.tail:  # Of a refused run call the refusal says enough.
        for node in walk_breadth_first(statement):
            if isinstance(node, ast.Call) and loop.is_run(node):
                allowed |= {id(n) for n in walk_breadth_first(node)}
    for statement in loop.tail:
        for node in walk_breadth_first(statement):
            if isinstance(node, ast.Call) and (
                scopes.resolve(node.func) in roles.PLACEHOLDERS
            ):
                in_loop = any(
                    isinstance(outer, (ast.For, ast.While))
                    for outer in list_enclosing(scopes, node)
                )
                diagnostics.refuse(
                    "S105",
                    node,
                    "the loop makes a placeholder"
                    if in_loop
                    else "the program makes this placeholder after it opened the session",
                    "Make the placeholder where the graph is built.",
                    scopes.resolve(node.func) or "",
                )
            if isinstance(node, ast.Expr):
                _check_statement(scopes, diagnostics, node.value)
    _check_functions(scopes, diagnostics, analysis, loop, allowed)
    rebound = set().union(*[names.find_binds(s) for s in loop.tail])
    constants = _find_constant_tensors(scopes, flows)
    for statement in loop.tail:
        for node in walk_breadth_first(statement):
            if id(node) in allowed or not isinstance(node, (ast.Name, ast.Attribute)):
                continue
            if not isinstance(node.ctx, ast.Load):
                continue
            name = names.find_key(node)
            kind = analysis.environment.get(name or "")
            if name in rebound or name is None or kind is None:
                continue
            if names.find_reads(node) & loop.find_own_names(
                node
            ) or loop.is_of_comprehension(node):
                continue
            if kind in ir.STEP_KINDS or name in constants:
                listed = _lists_placeholders(scopes, analysis, name)
                reason, recipe = (
                    _explain_listed(name)
                    if listed
                    else _explain(scopes, node, name, kind)
                )
                diagnostics.refuse("S112", node, reason, recipe)


def _check_statement(scopes: Scopes, diagnostics: Diagnostics, value: ast.expr) -> None:
    """Refuses a statement of the loop that makes an operation which no run gets."""
    symbol = scopes.resolve(value.func) if isinstance(value, ast.Call) else None
    if symbol in roles.INITIALIZER_OPS:
        diagnostics.refuse(
            "S112",
            value,
            "the loop makes this operation each time, but no run call gets it",
            "Remove the statement. Or make the operation where the graph is built, and "
            "run it: session.run(init).",
            symbol,
        )


def _check_functions(
    scopes: Scopes,
    diagnostics: Diagnostics,
    analysis: Analysis,
    loop: Loop,
    allowed: set[int],
) -> None:
    """Refuses functions that read values of a step, and run outside of it."""
    for statement in loop.tail:
        for call in walk_breadth_first(statement):
            if id(call) in allowed or not isinstance(call, ast.Call):
                continue
            if not isinstance(call.func, ast.Name) or loop.find_own_names(call.func):
                continue
            for part in reach.find_called(scopes, call)[1:]:
                read = _read_of_step(scopes, analysis, loop, part, allowed)
                if read is not None:
                    diagnostics.refuse(
                        "S112",
                        call,
                        f"`{call.func.id}` uses `{read}`, which only a step has, "
                        "but the loop calls it outside of run()",
                        "Fetch the value, and pass the fetched value to the function.",
                    )
                    break


def _read_of_step(
    scopes: Scopes, analysis: Analysis, loop: Loop, part: ast.AST, allowed: set[int]
) -> str | None:
    """Returns a step's name that a function reads, if it runs nothing itself."""
    nodes = list(walk_breadth_first(part))
    if any(isinstance(n, ast.Call) and loop.is_run(n) for n in nodes):
        return None  # Its runs are the loop's.
    for node in nodes:
        if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load):
            continue
        owner = scopes.find_scope(node).find_owner(node.id)
        inside = owner is not None and any(owner.node is n for n in nodes)
        if inside or id(node) in allowed:
            continue
        if analysis.environment.get(node.id) in ir.STEP_KINDS:
            return node.id
    return None


def _lists_placeholders(scopes: Scopes, analysis: Analysis, name: str) -> bool:
    """Whether a list contains placeholders: `held.append(x)`, or `[tf.placeholder(...)]`."""
    for node in scopes.walk():
        match node:
            case ast.Call(func=ast.Attribute(value=held, attr="append"), args=[value]):
                items, key = [value], names.find_key(held)
            case ast.Assign(targets=[held], value=ast.ListComp(elt=value)):
                items, key = [value], names.find_key(held)
            case ast.Assign(targets=[held], value=ast.List(elts=items)):
                key = names.find_key(held)
            case _:
                continue
        if key == name and any(_is_placeholder(scopes, analysis, i) for i in items):
            return True
    return False


def _is_placeholder(scopes: Scopes, analysis: Analysis, item: ast.expr) -> bool:
    if isinstance(item, ast.Call):
        return scopes.resolve(item.func) in roles.PLACEHOLDERS
    kind = analysis.environment.get(names.find_key(item) or "")
    return kind is ir.Kind.PLACEHOLDER


def _explain_listed(name: str) -> tuple[str, str]:
    """Why a list of placeholders cannot be fed by its elements, and what to do."""
    return (
        f"`{name}` contains placeholders. Each becomes a parameter of the step, so the "
        "loop cannot take them out of a list",
        "Give each placeholder a name of its own, and write each feed as a whole dict: "
        "feed_dict={first: value, second: value}.",
    )


def _explain(
    scopes: Scopes, node: ast.expr, name: str, kind: ir.Kind
) -> tuple[str, str]:
    """Explains which tensor the loop uses outside of run(), and what to do."""
    if isinstance(node, ast.Name) and scopes.find_function(node) is not None:
        return (
            f"`{name}` uses values that only a step has, but the loop calls it "
            "outside of run()",
            "Pass only values to the function, and name the tensors and "
            "placeholders in the run itself.",
        )
    if kind is ir.Kind.PLACEHOLDER and _is_key(scopes, node):
        return (
            f"`{name}` is a placeholder, so it becomes a parameter of the step. The "
            "loop puts it into a feed outside of the run call",
            "Write each feed as a whole dict, in each branch: feed = "
            f"{{{name}: value, ...}}.",
        )
    if _feeds_parts(scopes, node):
        return (
            f"the loop feeds the parts of `{name}`, which is a tensor of the step",
            "Make a placeholder for each part, and build the tensor from them: "
            "state = tf.nn.rnn_cell.LSTMStateTuple(c, h). Then write each feed as a "
            "whole dict: feed = {c: value, h: value, ...}.",
        )
    what = describe(scopes, node)
    recipe = {
        Step.LISTED: "Make it where the loop uses it: inside the session's block, or after "
        "it.",
        Step.PLAIN: "Compute it before the step, from values that Python knows.",
        Step.GATHERED: "Fetch the tensors in `session.run`, and use the fetched values.",
        Step.TENSOR: "Fetch it in `session.run`, and use the fetched value.",
    }
    return f"`{name}` {what.value}, but the loop uses it outside of run()", recipe[what]


def _feeds_parts(scopes: Scopes, node: ast.expr) -> bool:
    """Whether a loop feeds parts: `for i, (c, h) in enumerate(state): feed[c] = ...`."""
    loop = next((n for n in scopes.walk_above(node) if isinstance(n, ast.For)), None)
    if loop is None or node not in walk_breadth_first(loop.iter):
        return False
    bound = names.find_binds(loop.target)
    return any(
        isinstance(inner, ast.Name) and inner.id in bound and _is_key(scopes, inner)
        for statement in loop.body
        for inner in walk_breadth_first(statement)
    )


def _is_key(scopes: Scopes, node: ast.expr) -> bool:
    """Whether it is a key of a dict: `feed[x] = value`, `feed.update({x: value})`."""
    above = scopes.parents.get(node)
    return (isinstance(above, ast.Dict) and node in above.keys) or (
        isinstance(above, ast.Subscript) and above.slice is node
    )


def _find_constant_tensors(scopes: Scopes, flows: Sequence[ir.Flow]) -> set[str]:
    """Names of tensors that no feed and no variable changes: `tf.constant(2)`."""
    found: set[str] = set()
    for flow in list_every_flow(flows):
        match flow.statement:
            case ast.Assign(value=ast.Call(func=func)) if flow.pure:
                symbol = scopes.resolve(func) or ""
                if symbol in one_tensor.SYMBOLS:
                    found |= flow.binds
    return found


def refuse_unbound(tree: ast.Module, unbound: Collection[str]) -> Iterable[Finding]:
    """Refuses what the program bound while it built the graph, and reads outside it.

    Args:
      tree: of the program before its migration.
      unbound: names that the result uses, and that nothing in it binds.
    """
    assigned = {
        node.id
        for statement in walk_breadth_first(tree)
        if isinstance(statement, (ast.Assign, ast.AnnAssign))
        for node in walk_breadth_first(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    # What a run call fetches is no use outside the steps: then something else is wrong.
    fetched = {
        node.id
        for call in walk_breadth_first(tree)
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr == "run"
        for node in walk_breadth_first(call)
        if isinstance(node, ast.Name)
    }
    for name in sorted(assigned.intersection(unbound) - fetched):
        reads = [
            node
            for node in walk_breadth_first(tree)
            if isinstance(node, ast.Name)
            and node.id == name
            and isinstance(node.ctx, ast.Load)
        ]
        if not reads:
            continue
        last = max(reads, key=lambda node: (node.lineno, node.col_offset))
        if _is_iterated(tree, last):
            yield Finding(
                last.lineno,
                last.col_offset + 1,
                "N104",
                Outcome.REFUSED,
                name,
                f"this loop goes over `{name}`, which only a step has, and makes "
                "variables or layers. They have to exist before the first step",
                _RECIPE_OF_MADE,
            )
            continue
        yield Finding(
            last.lineno,
            last.col_offset + 1,
            "S112",
            Outcome.REFUSED,
            name,
            f"`{name}` is made from tensors of the step, but this line uses it "
            "outside of the steps",
            _RECIPE_OF_UNBOUND,
        )


def _is_iterated(tree: ast.Module, name: ast.Name) -> bool:
    """Whether a loop goes over a name: `for part in parts:`, `for part in zip(parts, ws):`."""
    return any(
        name in walk_breadth_first(loop.iter)
        for loop in walk_breadth_first(tree)
        if isinstance(loop, ast.For)
    )
