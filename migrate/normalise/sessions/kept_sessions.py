"""TF1 to TF1: a session that is made first and entered later is entered where it is made.

    session = tf.train.MonitoredTrainingSession(master=server.target)
    steps = 0
    with session as sess:

What stands between is done with the session open, as it was: it begins when it is made.
Where the block is the first of a `try:` that ends on an interrupt, the session is made in it,
if what stands between only tells.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.scopes import Scopes, build_scopes
from migrate.facts.session_names import is_bound_to_session
from migrate.normalise.text import Edit, Text, find_lines_inside_strings, repeat_step
from migrate.source.nodes import parse_source, walk_breadth_first
from migrate.tables import roles

_SESSIONS = roles.SESSIONS | {
    "tf.train.MonitoredSession",
    "tf.train.SingularMonitoredSession",
}


def enter_sessions(text: Text) -> Text:
    """The text with each such session opened by its own `with`."""
    if "Session(" not in text.source:
        return text
    return repeat_step(repeat_step(text, _move_first_tried), _enter_first_session)


def name_sessions_once(text: Text) -> Text:
    """The text in which a session has one name: `sess = model_sess` is gone.

    What holds it must be bound once, and the other name must never be another session.
    """
    if "Session(" not in text.source:
        return text
    return repeat_step(repeat_step(text, _split_first_chain), _drop_second_name)


def _split_first_chain(text: Text) -> Text | None:
    """The text with `self.sess = sess = tf.Session()` as two statements."""
    tree = parse_source(text.source)
    scopes = build_scopes(tree)
    for statement in walk_breadth_first(tree):
        if not (
            isinstance(statement, ast.Assign)
            and len(statement.targets) > 1
            and isinstance(statement.value, ast.Call)
            and scopes.resolve(statement.value.func) in roles.OPENINGS
            and text.is_alone(statement)
        ):
            continue
        named = [t for t in statement.targets if isinstance(t, ast.Name)]
        if not named or not all(map(names.find_key, statement.targets)):
            continue
        indent = text.find_indentation(statement)
        shown = [text.find_segment(t) for t in statement.targets if t is not named[-1]]
        lines = [f"{indent}{named[-1].id} = {text.flatten_segment(statement.value)}"]
        lines += [f"{indent}{other} = {named[-1].id}" for other in shown]
        origins = [text.origins[statement.lineno - 1]] * len(lines)
        last = statement.end_lineno or statement.lineno
        return text.splice(statement.lineno, last, lines, origins)
    return None


def _drop_second_name(text: Text) -> Text | None:
    tree = parse_source(text.source)
    scopes = build_scopes(tree)
    for statement in walk_breadth_first(tree):
        match statement:
            case ast.Assign(
                targets=[ast.Name(id=second)], value=ast.Name(id=first) as value
            ):
                pass
            case _:
                continue
        scope = scopes.find_scope(statement.targets[0])
        owner = scopes.find_scope(value).find_owner(first)
        if owner is None or first == second or not text.is_alone(statement):
            continue
        if not is_bound_to_session(scopes, owner, first):
            continue
        others = scope.bindings.get(second, [])
        if scope.find_owner(second) is not scope or not all(
            isinstance(b, ast.Assign) and ast.dump(b) == ast.dump(statement)
            for b in others
        ):
            continue
        if any(
            isinstance(n, (ast.Global, ast.Nonlocal)) and {first, second} & {*n.names}
            for n in scopes.walk()
        ) or isinstance(scope.node, ast.ClassDef):
            continue
        reads = [
            n
            for n in scopes.walk()
            if isinstance(n, ast.Name)
            and n.id == second
            and scopes.find_scope(n).find_owner(second) is scope
        ]
        if any(
            scopes.find_scope(n).find_owner(first) is not owner for n in reads
        ) or any(isinstance(n.ctx, ast.Del) for n in reads):
            continue
        new = text.apply_edits(
            [Edit(n, first) for n in reads if isinstance(n.ctx, ast.Load)]
        )
        for one in sorted(others, key=lambda o: -getattr(o, "lineno", 0)):
            assert isinstance(one, ast.Assign)
            suite = names.find_suite(scopes.parents[one], one)
            left = (
                []
                if suite and len(suite) > 1
                else [text.find_indentation(one) + "pass"]
            )
            origins = [text.origins[one.lineno - 1]] * len(left)
            new = new.splice(one.lineno, one.end_lineno or one.lineno, left, origins)
        return new
    return None


def _enter_first_session(text: Text) -> Text | None:
    tree = parse_source(text.source)
    scopes = build_scopes(tree)
    for made, between, block in _find_kept_sessions(scopes, tree):
        assert isinstance(made.targets[0], ast.Name)
        if any(find_lines_inside_strings(s) for s in [made, *between]):
            continue
        target = block.items[0].optional_vars
        name = text.find_segment(target) if target is not None else made.targets[0].id
        shown = text.find_segment(made.value)
        at = text.lines[made.lineno - 1]
        outer = at[: len(at) - len(at.lstrip())]
        first = block.body[0]
        opening = text.lines[first.lineno - 1]
        step = opening[len(outer) : len(opening) - len(opening.lstrip())]
        end = (made.end_lineno or made.lineno) + 1
        head = f"{outer}with {shown} as {name}:".split("\n")
        rest = [
            outer + step + line[len(outer) :] if line.strip() else line
            for line in text.lines[end - 1 : block.lineno - 1]
        ]
        new = text.splice(
            made.lineno,
            block.items[0].context_expr.end_lineno or block.lineno,
            [*head, *rest],
            [
                *text.origins[made.lineno - 1 : end - 1],
                *text.origins[end - 1 : block.lineno - 1],
            ],
        )
        try:
            parse_source(new.source)
        except SyntaxError:
            continue
        return new
    return None


def _move_first_tried(text: Text) -> Text | None:
    """The text with one session made where a `try:` enters it."""
    tree = parse_source(text.source)
    scopes = build_scopes(tree)
    for made, between, block in _find_kept_sessions(scopes, tree, tried=True):
        if find_lines_inside_strings(made) or not all(
            _tells(scopes, s) for s in between
        ):
            continue
        if not text.is_alone(made):
            continue
        name = text.find_segment(made.targets[0])
        given = block.items[0].optional_vars
        call = ast.unparse(made.value) if "\n" in text.find_segment(made.value) else ""
        shown = call or text.find_segment(made.value)
        edits = [Edit(block.items[0].context_expr, shown)]
        if given is None:
            edits = [Edit(block.items[0].context_expr, f"{shown} as {name}")]
        last = made.end_lineno or made.lineno
        return text.apply_edits(edits).splice(made.lineno, last, [], [])
    return None


def _tells(scopes: Scopes, statement: ast.stmt) -> bool:
    """`print("...")` or `tf.logging.info("...")`."""
    if not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)):
        return False
    called = statement.value.func
    symbol = scopes.resolve(called) or ast.unparse(called)
    calls = [n for n in walk_breadth_first(statement) if isinstance(n, ast.Call)]
    return len(calls) == 1 and (
        symbol == "print" or symbol.startswith(("tf.logging.", "logging."))
    )


def _find_beginning(scopes: Scopes, block: ast.Try) -> ast.stmt:
    """Finds the first statement of a `try:` that does more than print or count."""
    for statement in block.body:
        counts = isinstance(statement, ast.Assign) and isinstance(
            statement.value, ast.Constant
        )
        if not (counts or _tells(scopes, statement)):
            return statement
    return block


def _is_only_interrupt(statement: ast.stmt) -> bool:
    """Whether a `try:` only handles an interrupt, and no error of the start."""
    return (
        isinstance(statement, ast.Try)
        and bool(statement.handlers)
        and not (statement.orelse or statement.finalbody)
        and all(
            isinstance(h.type, ast.Name) and h.type.id == "KeyboardInterrupt"
            for h in statement.handlers
        )
    )


def _find_kept_sessions(
    scopes: Scopes, tree: ast.Module, tried: bool = False
) -> Iterator[tuple[ast.Assign, list[ast.stmt], ast.With]]:
    """Sessions that a name holds, what follows, and the block that is all the name's use.

    Args:
      tried: whether the block stands in a `try:`.
    """
    for node in walk_breadth_first(tree):
        for _, suite in (
            [("", node.body)]
            if isinstance(node, ast.Module)
            else (names.list_suites(node) if isinstance(node, ast.stmt) else [])
        ):
            for at, made in enumerate(suite):
                if not (
                    isinstance(made, ast.Assign)
                    and len(made.targets) == 1
                    and isinstance(made.targets[0], ast.Name)
                    and isinstance(made.value, ast.Call)
                    and scopes.resolve(made.value.func) in _SESSIONS
                ):
                    continue
                name = made.targets[0].id
                uses = [
                    n
                    for n in walk_breadth_first(tree)
                    if isinstance(n, ast.Name) and n.id == name
                ]
                for further, block in enumerate(suite[at + 1 :], at + 1):
                    if tried:
                        if not _is_only_interrupt(block):
                            continue
                        assert isinstance(block, ast.Try)
                        block = _find_beginning(scopes, block)
                    if (
                        isinstance(block, ast.With)
                        and len(block.items) == 1
                        and isinstance(block.items[0].context_expr, ast.Name)
                        and block.items[0].context_expr.id == name
                        and _is_all(uses, made, block)
                        and block.body[0].lineno > block.lineno
                    ):
                        yield made, suite[at + 1 : further], block


def _is_all(uses: list[ast.Name], made: ast.Assign, block: ast.With) -> bool:
    """Whether a name is read in its block only."""
    inside = {id(n) for n in walk_breadth_first(block)}
    others = [n for n in uses if id(n) not in inside and n is not made.targets[0]]
    given = block.items[0].optional_vars
    if others or not (given is None or isinstance(given, ast.Name)):
        return False
    # Under another name in the block it would be lost.
    return given is None or len([n for n in uses if id(n) in inside]) == 1
