"""Several sessions of a file: whether each is opened when the one before it is over."""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.sessions import plain as plain_sessions
from migrate.source.nodes import walk_breadth_first
from migrate.tables import roles

# A graph that is begun, or gone on with, after the first session.
_NEW_GRAPH = roles.PLACEHOLDERS | {"tf.Graph", "tf.reset_default_graph", "tf.device"}


def is_in_turn(scopes: Scopes, sessions: list[ast.Call]) -> bool:
    """Whether plain sessions of one graph are opened one after the other.

    What a session has of its own - the values of variables, the positions of iterators -
    begins anew in the next. Of these only variables can.
    """
    return explain_overlap(scopes, sessions) is None


def explain_overlap(scopes: Scopes, sessions: list[ast.Call]) -> str | None:
    """Explains why the sessions of a file are not in turn; None if they are.

    Args:
      sessions: in the order of their lines.
    """
    for session in sessions:
        shown = _show_opening(scopes, session)
        if _is_on_server_of(scopes, sessions[0], session):
            continue
        if not plain_sessions.is_plain(scopes, session):
            return f"`{shown}` opens another kind of session than tf.Session()"
        if not plain_sessions.is_local(scopes, session):
            return f"`{shown}` opens a session on a server"
        if not plain_sessions.is_plain(scopes, sessions[0]):
            return f"`{shown}` opens a session without a server"
        if names.find_argument(session, "graph", 1) is not None:
            return f"`{shown}` gives a session a graph of its own"
        if plain_sessions.find_name(scopes, session) is None:
            return (
                f"`{shown}` is no block `with ... as name:`, so the tool does not see "
                "how long the session is open"
            )
    blocks = [scopes.parents[scopes.parents[s]] for s in sessions]
    home = scopes.find_scope(blocks[0])
    for session, block in zip(sessions, blocks):
        shown = _show_opening(scopes, session)
        if plain_sessions.is_plain(scopes, sessions[0]) and any(
            block in walk_breadth_first(b) for b in blocks if b is not block
        ):
            return f"`{shown}` is inside the block of another session"
        if scopes.find_scope(block) is not home:
            return f"`{shown}` is in another function than the first session"
    for node in walk_breadth_first(scopes.tree):
        if not isinstance(node, ast.Call):
            continue
        symbol = scopes.resolve(node.func) or ""
        called = ast.unparse(node.func)
        if node.lineno > sessions[0].lineno and symbol in _NEW_GRAPH:
            return f"the graph goes on after the first session: `{called}`"
        elif symbol.endswith("_iterator") or (
            isinstance(node.func, ast.Attribute)
            and node.func.attr.endswith("_iterator")
        ):
            return (
                f"`{called}` makes an iterator, whose position begins anew in the "
                "second session"
            )
    return None


def _is_on_server_of(scopes: Scopes, first: ast.Call, session: ast.Call) -> bool:
    """Whether a plain session is opened on the server of a monitored one, or is that one.

    with tf.train.MonitoredTrainingSession(master=server.target) as session: ...
    with tf.Session(server.target) as session: print(session.run(accuracy, feed))

    The variables are on the servers, where the first session has left them.
    """
    if plain_sessions.is_plain(scopes, first) or plain_sessions.is_local(scopes, first):
        return False
    if session is first:
        return plain_sessions.find_name(scopes, first) is not None
    targets = [
        names.find_argument(first, "master", 0),
        names.find_argument(session, "target", 0),
    ]
    return (
        plain_sessions.is_plain(scopes, session)
        and plain_sessions.find_name(scopes, session) is not None
        and names.find_argument(session, "graph", 1) is None
        and None not in targets
        and len({ast.dump(t) for t in targets if t is not None}) == 1
    )


def _show_opening(scopes: Scopes, session: ast.Call) -> str:
    """The first line of the statement that opens a session."""
    statement = names.find_statement(scopes.parents, session)
    return ast.unparse(statement).split("\n")[0].rstrip(":")


def explain_others(scopes: Scopes, overlap: str) -> tuple[str, str]:
    """Explains why a second session is refused, and what to do.

    Args:
      overlap: why the sessions are not in turn.
    """
    own = "or move it into a program of its own."
    why = f"The tool reads several sessions only one after the other, and {overlap}"
    trains = any(
        isinstance(node, ast.Attribute) and node.attr in roles.OPTIMIZER_METHODS
        for node in scopes.walk()
    )
    if trains:
        return (
            f"the program opens another session beside the one that trains. {why}",
            f"Run the same in the training session, {own}",
        )
    return (
        f"the program opens several sessions. {why}",
        f"Run the same in the other session, {own}",
    )
