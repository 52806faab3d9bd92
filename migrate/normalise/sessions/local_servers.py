"""TF1 to TF1: a server that a process starts for itself alone.

    server = tf.train.Server.create_local_server()
    sess = tf.Session(server.target)

The session is one of the process, as it is without a server.
"""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.scopes import Scopes, build_scopes
from migrate.findings import Finding, Outcome
from migrate.normalise.text import Edit, Text
from migrate.source.nodes import parse_source
from migrate.tables import roles

_LOCAL = "tf.train.Server.create_local_server"


def drop_local_servers(text: Text) -> tuple[Text, tuple[Finding, ...]]:
    """The text without such a server, and what is said of it.

    Where several sessions are opened on it they share its variables: it stays.
    """
    if "create_local_server" not in text.source:
        return text, ()
    scopes = build_scopes(parse_source(text.source))
    made = scopes.list_calls(_LOCAL)
    if len(made) != 1 or names.find_argument(made[0], "start", 1) is not None:
        return text, ()
    edits = _make_edits(scopes, made[0], text)
    if edits is None:
        return text, ()
    finding = Finding(
        made[0].lineno,
        made[0].col_offset + 1,
        "S117",
        Outcome.REWRITTEN,
        _LOCAL,
        "dropped: this server is of this process alone, and the migrated session "
        "needs none",
    )
    return text.apply_edits(edits), (finding,)


def _make_edits(scopes: Scopes, made: ast.Call, text: Text) -> list[Edit] | None:
    target = scopes.parents[made]
    if isinstance(target, ast.Attribute) and target.attr == "target":
        return [Edit(target, '""')] if _opens(scopes, target) else None
    if not isinstance(target, ast.Assign) or len(target.targets) != 1:
        return None
    name = target.targets[0]
    if not isinstance(name, ast.Name):
        return None
    owner = scopes.find_scope(name).find_owner(name.id)
    if owner is None or len(owner.bindings.get(name.id, [])) != 1:
        return None
    uses = [
        node
        for node in scopes.walk()
        if isinstance(node, ast.Name)
        and node.id == name.id
        and isinstance(node.ctx, ast.Load)
        and scopes.find_scope(node).find_owner(name.id) is owner
    ]
    if len(uses) != 1 or not text.is_alone(target):
        return None
    read = scopes.parents[uses[0]]
    if not (isinstance(read, ast.Attribute) and read.attr == "target"):
        return None
    suite = getattr(scopes.parents[target], "body", [])
    if target not in suite or not _opens(scopes, read):
        return None
    return [Edit(target, "pass" if len(suite) == 1 else ""), Edit(read, '""')]


def _opens(scopes: Scopes, target: ast.Attribute) -> bool:
    """Whether an address is given to a session."""
    around = scopes.parents[target]
    call = scopes.parents[around] if isinstance(around, ast.keyword) else around
    return isinstance(call, ast.Call) and scopes.resolve(call.func) in roles.SESSIONS
