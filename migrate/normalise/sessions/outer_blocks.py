"""TF1 to TF1: a block that only places the graph, away from the session, is not there.

    with tf.Graph().as_default():              with tf.Graph().as_default():
        if FLAGS.mode == "train":                  train()
            ...
            with tf.Session() as sess:

Blocks that name a graph, or a device of the own process, are left out where the session
stands in their own suite. Here it stands in a branch of it, or in a function that is
called there: a graph around what runs eagerly now would stop the program.

A block that also opens something else becomes two blocks, one in the other.

    with tf.device(setter), tf.name_scope("a"):    with tf.device(setter):
        ...                                            with tf.name_scope("a"):
                                                           ...
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts import names, reach
from migrate.facts.scopes import Scopes, build_scopes
from migrate.findings import Finding, Outcome
from migrate.normalise.text import Edit, Text, find_lines_inside_strings, repeat_step
from migrate.source.nodes import parse_source, walk_breadth_first
from migrate.tables import roles

# What tells of a cluster, whose devices are not those of the own process.
_CLUSTER = ("ClusterSpec", "grpc:", "/job:")
_GRAPH = ("S117", "tf.Graph", "dropped: TF2 has no default graph to open")
_DEVICE = (
    "C111",
    "tf.device",
    "a local device: variables are placed by the strategy, and a block around the whole "
    "graph is dropped",
)


def open_outer_blocks(text: Text) -> tuple[Text, tuple[Finding, ...]]:
    """The text without such blocks, and what is said of them."""
    said: list[Finding] = []
    while "Session" in text.source:
        scopes = build_scopes(parse_source(text.source))
        found = next(_find_blocks(scopes, text), None)
        if found is None:
            break
        block, gone = found
        for call in gone:
            on_device = scopes.resolve(call.func) == "tf.device"
            code, symbol, reason = _DEVICE if on_device else _GRAPH
            line = text.origins[call.lineno - 1]
            column = call.col_offset + 1
            said.append(Finding(line, column, code, Outcome.REWRITTEN, symbol, reason))
        text = _drop_calls(text, block, gone)
    return text, tuple(said)


def split_mixed_blocks(text: Text) -> Text:
    """The text with blocks that place the graph apart from other blocks."""
    return repeat_step(text, _split_first, "Session", "with ")


def _split_first(text: Text) -> Text | None:
    scopes = build_scopes(parse_source(text.source))
    for node in scopes.walk():
        if isinstance(node, ast.With) and len(node.items) > 1 and _is_on_lines(node):
            kinds = [_judge_item(scopes, item) for item in node.items]
            others = any(
                kind is False
                and isinstance(item.context_expr, ast.Call)
                and scopes.resolve(item.context_expr.func) != "tf.device"
                for kind, item in zip(kinds, node.items)
            )
            if others and None not in kinds and True in kinds:
                return _split_block(text, node, [bool(kind) for kind in kinds])
    return None


def _judge_item(scopes: Scopes, item: ast.withitem) -> bool | None:
    """Whether an item is around a graph of its own, or deals its variables.

    None if the block stays as it is: it opens a session, or something unknown.
    """
    call = item.context_expr
    if not isinstance(call, ast.Call):
        return None
    symbol = scopes.resolve(call.func)
    if symbol == "tf.device":
        return bool(call.args) and _deals_variables(scopes, call.args[0])
    if _opens_graph(scopes, item, bound=True):
        return True
    own = symbol is None and isinstance(call.func, ast.Name)
    return False if own or symbol in roles.SCOPES else None


def _deals_variables(scopes: Scopes, device: ast.expr) -> bool:
    """Whether a device is `tf.train.replica_device_setter(...)`, or a name for it."""
    if isinstance(device, ast.Name):
        owner = scopes.find_scope(device).find_owner(device.id)
        made = owner.bindings.get(device.id, []) if owner is not None else []
        if len(made) != 1 or not isinstance(made[0], ast.Assign):
            return False
        device = made[0].value
    return isinstance(device, ast.Call) and (
        scopes.resolve(device.func) == "tf.train.replica_device_setter"
    )


def _split_block(text: Text, block: ast.With, kinds: list[bool]) -> Text:
    """The text with the first items of one kind in a block around the others."""
    count = next(i for i, kind in enumerate(kinds) if kind is not kinds[0])
    indent = text.find_indentation(block)
    body = text.find_indentation(block.body[0])
    step = body[len(indent) :] if body.startswith(indent) else "    "
    lines, origins = [], []
    for items, inside in ((block.items[:count], ""), (block.items[count:], step)):
        opened = ", ".join(ast.unparse(item) for item in items)
        lines.append(f"{indent}{inside}with {opened}:")
        origins.append(text.origins[items[0].context_expr.lineno - 1])
    inner, at = text.indent_statements(block.body, body, step)
    end = block.body[-1].end_lineno or block.body[-1].lineno
    return text.splice(block.lineno, end, [*lines, *inner], [*origins, *at])


def _find_blocks(
    scopes: Scopes, text: Text
) -> Iterator[tuple[ast.With, list[ast.Call]]]:
    """Yields blocks with the calls to drop from them."""
    sessions = scopes.list_calls(*roles.SESSIONS)
    if len(sessions) != 1:
        return
    block = _find_block_around_branch(scopes, sessions[0])
    if block is not None and _is_on_lines(block):
        calls = [_find_placing_call(scopes, item, text) for item in block.items]
        if None not in calls:
            yield block, [call for call in calls if call is not None]
    for node in scopes.walk():
        if not isinstance(node, ast.With) or not _is_on_lines(node):
            continue
        graphs = [
            item.context_expr for item in node.items if _opens_graph(scopes, item)
        ]
        if graphs and _calls_for(scopes, node, sessions[0]):
            yield node, [g for g in graphs if isinstance(g, ast.Call)]


def _find_block_around_branch(scopes: Scopes, session: ast.Call) -> ast.With | None:
    """The block around the branch that a session stands in."""
    node: ast.AST = session
    branch = False
    while node in scopes.parents:
        node = scopes.parents[node]
        if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Lambda)):
            return None
        if isinstance(node, ast.If):
            branch = True
        elif isinstance(node, ast.With) and branch:
            return node
    return None


def _calls_for(scopes: Scopes, block: ast.With, session: ast.Call) -> bool:
    """Whether a function that the block calls opens the session."""
    if any(node is session for node in walk_breadth_first(block)):
        return False
    return any(
        node is session
        for function in reach.find_reached(scopes, block.body)
        for node in walk_breadth_first(function)
    )


def _is_on_lines(block: ast.With) -> bool:
    """Whether a block's statements have lines of their own, and no texts of several."""
    return block.body[0].lineno > _find_header_end(
        block
    ) and not find_lines_inside_strings(block)


def _find_header_end(block: ast.With) -> int:
    return block.items[-1].context_expr.end_lineno or block.lineno


def _opens_graph(scopes: Scopes, item: ast.withitem, bound: bool = False) -> bool:
    """`tf.Graph().as_default()`, or of a graph's name; nothing reads what it is bound to.

    Args:
      bound: whether something may read it.
    """
    call = item.context_expr
    if not (
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr == "as_default"
    ):
        return False
    if item.optional_vars is not None and not bound:
        name = names.find_key(item.optional_vars)
        if any(
            isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)
            for n in scopes.walk()
        ):
            return False
    graph: ast.expr | None = call.func.value
    if isinstance(graph, ast.Name):
        owner = scopes.find_scope(graph).find_owner(graph.id)
        made = owner.bindings.get(graph.id, []) if owner is not None else []
        alone = len(made) == 1 and isinstance(made[0], ast.Assign)
        graph = made[0].value if alone else None  # type: ignore[attr-defined]
    return isinstance(graph, ast.Call) and scopes.resolve(graph.func) == "tf.Graph"


def _find_placing_call(
    scopes: Scopes, item: ast.withitem, text: Text
) -> ast.Call | None:
    """The call of an item that only places or names the graph."""
    call = item.context_expr
    if not isinstance(call, ast.Call):
        return None
    if scopes.resolve(call.func) == "tf.device":
        own = not any(word in text.source for word in _CLUSTER)
        return call if own and item.optional_vars is None else None
    return call if _opens_graph(scopes, item) else None


def _drop_calls(text: Text, block: ast.With, gone: list[ast.Call]) -> Text:
    """Drops calls from a block; if it has no others, only its statements stay."""
    rest = [item for item in block.items if item.context_expr not in gone]
    head = text.lines[block.lineno - 1]
    outer = head[: len(head) - len(head.lstrip())]
    begin = _find_header_end(block)
    if rest:
        # An edit leaves as many lines as there were.
        header = "with " + ", ".join(ast.unparse(item) for item in rest)
        last = block.items[-1].optional_vars or block.items[-1].context_expr
        span = ast.copy_location(ast.Pass(), block)
        span.end_lineno, span.end_col_offset = last.end_lineno, last.end_col_offset
        return text.apply_edits([Edit(span, header)])
    first_line = text.lines[block.body[0].lineno - 1]
    inner = first_line[: len(first_line) - len(first_line.lstrip())]
    end = block.body[-1].end_lineno or block.body[-1].lineno
    lines = [
        outer + line[len(inner) :] if line.startswith(inner) else line
        for line in text.lines[begin:end]
    ]
    return text.splice(block.lineno, end, lines, text.origins[begin:end])
