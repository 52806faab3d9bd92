"""TF1 to TF1: a graph of the module's own stands where its session is opened.

    x = tf.placeholder(tf.float32, [None, 4])     if __name__ == "__main__":
    loss = ...                                        x = tf.placeholder(tf.float32, [None, 4])
                                                      loss = ...
    if __name__ == "__main__":                        with tf.Session() as sess:
        with tf.Session() as sess:                        sess.run(loss, ...)
            sess.run(loss, ...)

The names stay the module's, so that its functions read what they read.
"""

from __future__ import annotations

import ast

from migrate.facts import draws, names
from migrate.facts.scopes import Scopes, build_scopes
from migrate.normalise.text import Text, find_lines_inside_strings
from migrate.source.nodes import find_plain_names, parse_source, walk_breadth_first
from migrate.tables import roles

_STAYS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_IMPORTS = (ast.Import, ast.ImportFrom)


def gather_graph(text: Text) -> Text:
    """The text with such a graph moved; the same text if there is none."""
    if "Session(" not in text.source:
        return text
    tree = parse_source(text.source)
    scopes = build_scopes(tree)
    block = _find_block(scopes)
    if block is None or block.body[0].lineno == block.lineno:
        return text
    before = tree.body[: tree.body.index(block)]
    if isinstance(block, ast.FunctionDef):
        before = [s for s in tree.body if s is not block and not _starts(s, block)]
    moved = _find_graph(scopes, before)
    bound = set().union(set(), *[names.find_binds(s) for s in moved])
    inside = set().union(set(), *[names.find_reads(s) for s in block.body])
    called = set().union(
        set(), *[find_plain_names(s, ast.Load) for s in before if isinstance(s, _STAYS)]
    )
    if not moved or not bound & (inside | called):
        return text
    if isinstance(block, ast.FunctionDef):
        own = set(scopes.scope_by_node[block].bindings)
        own |= scopes.scope_by_node[block].outer_names
        if bound & (called | own):
            return text  # The names would be the function's.
        if own & set().union(set(), *[names.find_reads(s) for s in moved]):
            return text
    if not all(text.is_alone(s) and not find_lines_inside_strings(s) for s in moved):
        return text
    if not _commutes(scopes, before, moved):
        return text
    return _move_block(text, block, moved)


def _find_block(scopes: Scopes) -> ast.If | ast.FunctionDef | None:
    """Finds the module's `if`, or its function, whose own suite opens the session.

    Such a function must run once: when the module is started.
    """
    sessions = scopes.list_calls(*roles.SESSIONS)
    if len(sessions) != 1:
        return None
    node = names.find_statement(scopes.parents, sessions[0])
    block = scopes.parents[node]
    while isinstance(block, ast.With):
        node, block = block, scopes.parents[block]
    if block not in scopes.tree.body:
        return None
    if isinstance(block, ast.If):
        return block if node in block.body and not block.orelse else None
    if not isinstance(block, ast.FunctionDef) or block.decorator_list:
        return None
    calls = [s for s in scopes.tree.body if _starts(s, block)]
    others = [
        n
        for s in scopes.tree.body
        if s not in calls
        for n in walk_breadth_first(s)
        if isinstance(n, ast.Name) and n.id == block.name
    ]
    return block if len(calls) == 1 and not others else None


def _starts(statement: ast.stmt, function: ast.FunctionDef) -> bool:
    """`if __name__ == "__main__": main()`, or `tf.app.run()`."""
    if not isinstance(statement, ast.If) or "__name__" not in names.find_reads(
        statement.test
    ):
        return False
    called = [
        n
        for n in walk_breadth_first(statement)
        if isinstance(n, ast.Name) and n.id == function.name
    ]
    runs = [
        n
        for n in walk_breadth_first(statement)
        if isinstance(n, ast.Attribute)
        and n.attr == "run"
        and ast.unparse(n.value).endswith("app")
    ]
    return len(called) == 1 or (not called and bool(runs) and function.name == "main")


def _find_graph(scopes: Scopes, before: list[ast.stmt]) -> list[ast.stmt]:
    """The statements that build graph, and those that need what they bind."""
    moved: list[ast.stmt] = []
    bound: set[str] = set()
    for statement in before:
        if isinstance(statement, (*_STAYS, *_IMPORTS)):
            continue
        if any(_is_imported(scopes, name) for name in names.find_binds(statement)):
            continue  # `if ...: tf = tf.compat.v1` is there for all that follows.
        if (
            _builds(scopes, statement)
            or names.find_reads(statement) & bound
            or (moved and _changes_graph(scopes, statement))
        ):
            moved.append(statement)
            bound |= {n.partition(".")[0] for n in names.find_binds(statement)}
    return moved


def _is_imported(scopes: Scopes, name: str) -> bool:
    """Whether an import of the module binds a name."""
    bindings = scopes.module.bindings.get(name, ())
    return any(isinstance(binding, _IMPORTS) for binding in bindings)


def _builds(scopes: Scopes, statement: ast.stmt) -> bool:
    for node in walk_breadth_first(statement):
        if isinstance(node, ast.Call):
            symbol = scopes.resolve(node.func) or ""
            if symbol.startswith("tf.") and not roles.has_prefix(
                symbol, roles.HOST_PREFIXES
            ):
                return True
            if isinstance(node.func, ast.Name) and _builds_in(scopes, node.func):
                return True
    return False


def _changes_graph(scopes: Scopes, statement: ast.stmt) -> bool:
    """Whether it decides of what is added to the graph from then on."""
    return any(
        isinstance(node, ast.Call)
        and scopes.resolve(node.func)
        in ("tf.set_random_seed", "tf.reset_default_graph")
        for node in walk_breadth_first(statement)
    )


def _builds_in(scopes: Scopes, function: ast.Name) -> bool:
    """Whether a function of the module makes what only a graph can have."""
    made = scopes.module.bindings.get(function.id, [])
    kept = roles.PLACEHOLDERS | roles.VARIABLES
    return any(
        isinstance(node, ast.Call) and scopes.resolve(node.func) in kept
        for definition in made
        if isinstance(definition, ast.FunctionDef)
        for node in walk_breadth_first(definition)
    )


def _commutes(scopes: Scopes, before: list[ast.stmt], moved: list[ast.stmt]) -> bool:
    """Whether the moved statements do the same behind all others."""
    for index, statement in enumerate(before):
        if statement not in moved:
            continue
        own = names.find_reads(statement) | names.find_binds(statement)
        drawn = draws.draws_within(scopes, statement)
        for later in before[index + 1 :]:
            if later in moved or isinstance(later, _IMPORTS):
                continue
            changed = names.find_binds(later) | names.find_mutations(later)
            if own & changed or (drawn and draws.draws_within(scopes, later)):
                return False
    return True


def _move_block(
    text: Text, block: ast.If | ast.FunctionDef, moved: list[ast.stmt]
) -> Text:
    first = block.body[0]
    told = ast.get_docstring(block) if isinstance(block, ast.FunctionDef) else None
    if told is not None and len(block.body) > 1:
        first = block.body[1]
    indent = text.lines[first.lineno - 1][: first.col_offset]
    lines: list[str] = []
    origins: list[int] = []
    ranges: list[tuple[int, int]] = []
    for statement in moved:
        start, end = statement.lineno, statement.end_lineno or statement.lineno
        while start > 1 and text.lines[start - 2].startswith("#"):
            start -= 1  # Its comment goes with it.
        ranges.append((start, end))
        for number in range(start, end + 1):
            line = text.lines[number - 1]
            lines.append(indent + line if line.strip() else "")
            origins.append(text.origins[number - 1])
    at = first.lineno
    while at - 1 > block.lineno and text.lines[at - 2].strip().startswith("#"):
        at -= 1
    edits = [(at, at - 1, lines, origins)]
    for start, end in ranges:
        last = end
        while last < len(text.lines) and not text.lines[last].strip():
            last += 1
        edits.append((start, last, [], []))
    for start, last, new, where in sorted(edits, key=lambda e: e[0], reverse=True):
        text = text.splice(start, last, new, where)
    return text
