"""tf.Session: what distinguishes it from a MonitoredTrainingSession.

It initialises, restores and saves only where the program says so, so that the order
of these matters; and it has a graph and a default of its own that a program may use.
"""

from __future__ import annotations

import ast
from collections.abc import Collection

from migrate.facts import names, reach
from migrate.facts.helpers import Helper, takes_session
from migrate.facts.one_of import are_exclusive
from migrate.facts.scopes import Scopes
from migrate.findings import Outcome
from migrate.frontends.sessions.around import list_enclosing
from migrate.program.binding_time import Diagnostics
from migrate.rules.symbols import find_verdict
from migrate.source.nodes import walk_breadth_first
from migrate.tables import roles
from migrate.tables.loaded_sessions import LOADS

# tf.Session(...), TF 1.15.5.
PARAMETERS = ("target", "graph", "config")
# What the emitted session has.
_METHODS = frozenset({"run", "close", "as_default"})
# Functions that take the session and are covered.
_TAKERS = frozenset({"save", "restore"})


def is_plain(scopes: Scopes, call: ast.Call) -> bool:
    """Whether a call opens a tf.Session."""
    return scopes.resolve(call.func) in roles.PLAIN_SESSIONS


def runs_anything(scopes: Scopes, sessions: list[ast.Call]) -> bool:
    """Whether a program of these sessions can be meant: plain ones only if they run."""
    return any(not is_plain(scopes, call) for call in sessions) or any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("run", "eval")
        and scopes.resolve(node.func) is None
        for node in walk_breadth_first(scopes.tree)
    )


def find_name(scopes: Scopes, call: ast.Call) -> str | None:
    """The name of a session that is opened by `with ... as name:`."""
    item = scopes.parents[call]
    if isinstance(item, ast.withitem) and isinstance(item.optional_vars, ast.Name):
        return item.optional_vars.id
    return None


def find_training(scopes: Scopes, sessions: list[ast.Call]) -> ast.Call:
    """Chooses from several sessions the one that most likely trains.

    It prefers a monitored session to a plain one, then one on a server to one without,
    then one with a loop in its block to one that runs something once.
    """

    blocks = {
        scopes.parents[item]: call
        for call in sessions
        if isinstance(item := scopes.parents[call], ast.withitem)
    }
    looping = {
        blocks[inner]
        for node in walk_breadth_first(scopes.tree)
        if isinstance(node, ast.For | ast.While)
        and (
            inner := next(
                (n for n in list_enclosing(scopes, node) if n in blocks), None
            )
        )
    }
    return max(
        sessions,
        key=lambda call: (
            not is_plain(scopes, call),
            not is_local(scopes, call),
            call in looping,
        ),
    )


def is_local(scopes: Scopes, call: ast.Call) -> bool:
    """Whether the session is given no server."""
    name = "target" if is_plain(scopes, call) else "master"
    target = names.find_argument(call, name, 0)
    return (
        target is None
        or names.read_literal(target) in ("", None)
        and isinstance(target, ast.Constant)
    )


def find_pinned_call(scopes: Scopes) -> ast.Call | None:
    """Finds the first place at which a program without a device setter names a task."""
    calls = [
        node
        for node in walk_breadth_first(scopes.tree)
        if isinstance(node, ast.Call) and scopes.resolve(node.func) is not None
    ]
    if any(
        scopes.resolve(call.func) == "tf.train.replica_device_setter" for call in calls
    ):
        return None
    for call in sorted(calls, key=lambda c: c.lineno):
        if scopes.resolve(call.func) == "tf.device" and any(
            isinstance(n, ast.Constant)
            and isinstance(n.value, str)
            and "job:" in n.value
            for n in walk_breadth_first(call)
        ):
            return call
    return None


def check(
    scopes: Scopes,
    diagnostics: Diagnostics,
    session: ast.Call,
    session_name: str,
    tail: list[ast.stmt],
    helpers: tuple[Helper, ...] = (),
) -> None:
    """Refuses uses of the session that have no counterpart.

    Args:
      tail: the session's statement and what follows it.
      helpers: functions that run the session.
    """
    if names.bind_arguments(session, PARAMETERS) is None:
        diagnostics.refuse(
            "N151",
            session,
            "the tool cannot tell the session's arguments apart",
            "Write its arguments out, without * and **.",
        )
    own = scopes.find_scope(session).find_owner(session_name)
    inside = {node for statement in tail for node in walk_breadth_first(statement)}
    for helper in helpers:
        inside |= set(walk_breadth_first(helper.node))
        for node in walk_breadth_first(helper.node):
            if isinstance(node, ast.Name) and node.id in helper.sessions - {
                session_name
            }:
                _check_use(scopes, diagnostics, node, helpers)
    for node in walk_breadth_first(scopes.tree):
        if not (
            isinstance(node, ast.Name)
            and node.id == session_name
            and isinstance(node.ctx, ast.Load)
            and scopes.find_scope(node).find_owner(session_name) is own
        ):
            continue
        if node in inside:
            _check_use(scopes, diagnostics, node, helpers)
        elif not _is_of_another_value(scopes, node, session, session_name):
            diagnostics.refuse(
                "S185",
                node,
                "a function outside of the session's block uses the session",
                "Pass the session to the function as an argument.",
            )


def _is_of_another_value(
    scopes: Scopes, node: ast.Name, session: ast.Call, session_name: str
) -> bool:
    """Whether a name is read before the session is made, as what it was until then.

    s = data.shape
    print(s)
    with tf.Session() as s:
    """
    if scopes.find_scope(node) is not scopes.find_scope(session):
        return False
    above: ast.AST | None = scopes.parents.get(session)
    while above is not None:
        if isinstance(above, (ast.For, ast.While)):
            return False  # Then it may be the last round's session.
        above = scopes.parents.get(above)
    owner = scopes.find_scope(node).find_owner(session_name)
    bindings = owner.bindings[session_name] if owner is not None else []
    return (node.lineno, node.col_offset) < (
        session.lineno,
        session.col_offset,
    ) and any(
        isinstance(binding, ast.stmt) and binding.lineno < node.lineno
        for binding in bindings
    )


def _check_use(
    scopes: Scopes,
    diagnostics: Diagnostics,
    node: ast.Name,
    helpers: tuple[Helper, ...],
) -> None:
    parent = scopes.parents[node]
    if isinstance(parent, ast.Attribute):
        if parent.attr in _METHODS:
            return
        outer = scopes.parents[parent]
        while isinstance(outer, ast.keyword):
            outer = scopes.parents[outer]
        if (
            parent.attr in ("graph", "graph_def")
            and isinstance(outer, ast.Call)
            and (
                scopes.resolve(outer.func) in roles.WRITERS
                or _find_method(outer) == "add_graph"
            )
        ):
            return
        diagnostics.refuse(
            "S185",
            node,
            f"`{ast.unparse(parent)}` exists only in the session of a graph",
            "Remove it, or move it into a program of its own. No session of "
            "TensorFlow 2 has it.",
        )
        return
    call = scopes.parents[parent] if isinstance(parent, ast.keyword) else parent
    thread = scopes.parents.get(call)
    if isinstance(thread, ast.keyword) and thread.arg == "args":
        diagnostics.refuse(
            "S185",
            node,
            "the program passes the session to a thread by `args`",
            "Name the session in the thread's function: "
            f"target=lambda: work({node.id}).",
        )
        return
    if isinstance(call, ast.Call) and takes_session(scopes, helpers, call, node):
        return
    if isinstance(call, ast.Call) and (
        _find_method(call) in _TAKERS
        or scopes.resolve(call.func) == "tf.train.global_step"
    ):
        return
    if isinstance(call, ast.Call):
        symbol = scopes.resolve(call.func) or ""
        if symbol.startswith("tf.") and find_verdict(symbol).outcome is Outcome.REFUSED:
            return  # Which says more.
    if isinstance(call, ast.Call) and scopes.resolve(call.func) in LOADS:
        diagnostics.refuse(
            "S185",
            node,
            f"`{ast.unparse(call.func)}` loads a graph into this session. The tool "
            "migrates graphs that the program builds",
            "Run this program in graph mode, with --fallback compat. Or load the "
            "model with tf.saved_model.load, and call its signature.",
        )
        return
    if isinstance(call, ast.Call) and _find_method(call) == "load":
        assert isinstance(call.func, ast.Attribute)
        variable = ast.unparse(call.func.value)
        diagnostics.refuse(
            "S185",
            node,
            f"`{variable}.load` is a run call without fetches that feeds the "
            "variable's initial value",
            "Where the graph is built, make a placeholder `value` and `set_value = "
            f"tf.assign({variable}, value)`. Here, call `{node.id}.run(set_value, "
            f"{{value: ...}})`.",
        )
        return
    diagnostics.refuse("S185", node, *_explain_use(scopes, node, call))


def _explain_use(scopes: Scopes, node: ast.Name, call: ast.AST) -> tuple[str, str]:
    """Returns why the tool does not follow a session, and what to do."""
    if not isinstance(call, ast.Call):
        return (
            f"`{node.id}` is kept in another object here, and the tool follows a session "
            "only by its name",
            f"Use the name `{node.id}` where the program runs the session.",
        )
    own = (
        reach.find_definitions(scopes, call.func)
        if isinstance(call.func, ast.Name)
        else []
    )
    name = names.get_last_part(call.func)
    if any(isinstance(one, ast.ClassDef) for one in own):
        return (
            f"the class `{name}` of this file gets the session, and the tool cannot write "
            "its methods where the program calls them",
            f"Change the methods of `{name}` that run the session into functions that "
            f"take `{node.id}`.",
        )
    if own:
        return (
            f"the function `{name}` of this file gets the session, and uses it in a form "
            "that the tool does not follow",
            "Run the step where you open the session, and pass the values on.",
        )
    if isinstance(call.func, ast.Attribute) and reach.find_methods(scopes).get(name):
        if not scopes.import_path(call.func):
            return (
                f"the method `{name}` gets the session, and the tool only reads functions "
                "that get one",
                f"Make `{name}` a function that takes `{node.id}`.",
            )
    return (
        "the program passes the session to code that the tool does not read",
        "Run the step where you open the session, and pass the values on.",
    )


def _find_method(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""


def initialise_again(
    scopes: Scopes,
    session_names: frozenset[str],
    tail: list[ast.stmt],
    initialisers: list[ast.Call],
    helpers: tuple[Helper, ...] = (),
    of_inputs: Collection[ast.AST] = (),
) -> bool:
    """Whether initial values are given after something was run or restored.

    Args:
      of_inputs: runs that begin iterators, or ask for their handles.
      tail: the first session's statement and what follows it.
      initialisers: run calls that give variables their initial values.
      helpers: functions that run the session.
    """
    earlier: list[ast.Call] = []
    called = {helper.node.name for helper in helpers}
    in_tail = {node for statement in tail for node in walk_breadth_first(statement)}
    if any(again not in in_tail for again in initialisers):
        return True
    for node in (n for statement in tail for n in walk_breadth_first(statement)):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in called
        ) or (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node not in initialisers
            and node not in of_inputs
            and (
                (
                    node.func.attr == "run"
                    and names.find_key(node.func.value) in session_names
                )
                or (
                    node.func.attr == "restore"
                    and any(names.find_key(a) in session_names for a in node.args)
                )
            )
        ):
            earlier.append(node)
    return any(_is_in_loop(scopes, again, in_tail) for again in initialisers) or any(
        other.lineno < again.lineno and not are_exclusive(scopes, other, again)
        for again in initialisers
        for other in earlier
    )


def _is_in_loop(scopes: Scopes, node: ast.AST, inside: set[ast.AST]) -> bool:
    """Whether a loop repeats a node; around these nodes the graph is made anew, too."""
    parent = scopes.parents.get(node)
    while parent in inside and not isinstance(parent, ast.FunctionDef):
        if isinstance(parent, (ast.For, ast.While)):
            return True
        parent = scopes.parents.get(parent)
    return False
