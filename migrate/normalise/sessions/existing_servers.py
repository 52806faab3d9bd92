"""TF1 to TF1: a flag for servers that were started elsewhere, which stops the program.

TensorFlow's own `mnist_replica`, and what was written after it, may be a client of such
servers, one process for each worker:

    if not FLAGS.existing_servers:
        server = tf.train.Server(...)
        ...
    if FLAGS.existing_servers:
        url = "grpc://" + workers[FLAGS.task_index]
        sess = sv.prepare_or_wait_for_session(url, config=config)
    else:
        sess = sv.prepare_or_wait_for_session(server.target, config=config)

TF2 has one coordinator for all workers, and its process is one of the servers. So the
flag is kept, and raises an error; the program is what it is without the flag.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts.scopes import Scopes, build_scopes
from migrate.findings import Finding, Outcome
from migrate.normalise.text import Text, find_lines_inside_strings
from migrate.source.nodes import parse_source, walk_breadth_first

_ERROR = (
    "the migrated program does not use servers that another program started: "
    "the coordinator starts its own"
)


def stop_existing_servers(text: Text) -> tuple[Text, tuple[Finding, ...]]:
    """The text with such a flag raising an error, and what is said of it."""
    if "Server" not in text.source or ".target" not in text.source:
        return text, ()
    scopes = build_scopes(parse_source(text.source))
    for started in _find_conditional_servers(scopes):
        for opened in walk_breadth_first(scopes.tree):
            if not isinstance(opened, ast.If) or opened.lineno <= started.lineno:
                continue
            kept = _find_own_server_suite(opened, started.test)
            if kept and all(text.is_alone(s) for s in (started.body[-1], *kept)):
                finding = Finding(
                    started.lineno,
                    started.col_offset + 1,
                    "C118",
                    Outcome.REWRITTEN,
                    "tf.train.Server",
                    "if this flag asks for servers that another program "
                    "started, the migrated program stops with an error",
                )
                return _insert_error(_keep_one_side(text, opened, kept), started), (
                    finding,
                )
    return text, ()


def _find_conditional_servers(scopes: Scopes) -> Iterator[ast.If]:
    """Branches that start the program's one server, and have no other side."""
    found = scopes.list_calls("tf.train.Server")
    if len(found) != 1:
        return
    for node in walk_breadth_first(scopes.tree):
        if isinstance(node, ast.If) and not node.orelse:
            if any(
                child is found[0] for s in node.body for child in walk_breadth_first(s)
            ):
                yield node


def _find_own_server_suite(opened: ast.If, test: ast.expr) -> list[ast.stmt]:
    """The side of a branch that opens the session on the own server; [] where there is none.

    The other side opens the same one on an address.
    """
    if not opened.orelse:
        return []
    if ast.dump(opened.test) == ast.dump(test):
        own, other = opened.body, opened.orelse
    elif _are_opposite(opened.test, test):
        own, other = opened.orelse, opened.body
    else:
        return []
    one, two = own[-1], other[-1]
    if not (isinstance(one, ast.Assign) and isinstance(two, ast.Assign)):
        return []
    same = [ast.dump(t) for t in one.targets] == [ast.dump(t) for t in two.targets]
    if not same or not (
        isinstance(one.value, ast.Call) and isinstance(two.value, ast.Call)
    ):
        return []
    if ast.dump(one.value.func) != ast.dump(two.value.func):
        return []
    on_server = any(
        isinstance(n, ast.Attribute) and n.attr == "target"
        for n in walk_breadth_first(one.value)
    )
    on_address = not any(
        isinstance(n, ast.Attribute) and n.attr == "target"
        for n in walk_breadth_first(two.value)
    )
    return own if on_server and on_address else []


def _are_opposite(one: ast.expr, other: ast.expr) -> bool:
    """Whether one of two tests is `not` the other."""
    for inner, outer in ((one, other), (other, one)):
        if isinstance(outer, ast.UnaryOp) and isinstance(outer.op, ast.Not):
            if ast.dump(outer.operand) == ast.dump(inner):
                return True
    return False


def _keep_one_side(text: Text, branch: ast.If, kept: list[ast.stmt]) -> Text:
    """The text with one side of a branch in its place."""
    step = kept[0].col_offset - branch.col_offset
    verbatim = set().union(*[find_lines_inside_strings(s) for s in kept])
    first, last = kept[0].lineno, kept[-1].end_lineno or kept[-1].lineno
    lines = [
        line if number in verbatim or line[:step].strip() else line[step:]
        for number, line in enumerate(text.lines[first - 1 : last], first)
    ]
    end = branch.end_lineno or branch.lineno
    return text.splice(branch.lineno, end, lines, text.origins[first - 1 : last])


def _insert_error(text: Text, branch: ast.If) -> Text:
    """The text with an `else` below a branch that raises an error."""
    indent = text.lines[branch.lineno - 1][: branch.col_offset]
    body = branch.body[0]
    inner = text.lines[body.lineno - 1][: body.col_offset]
    end = branch.end_lineno or branch.lineno
    lines = [f"{indent}else:", f'{inner}raise ValueError("{_ERROR}")']
    return text.splice(end + 1, end, lines, [text.origins[end - 1]] * 2)
