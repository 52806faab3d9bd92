"""Sessions beside an Estimator that only look at its input: `sess.run(input_fn())`.

Such a session is opened, initialises tables and variables, and fetches batches, or
nothing: an Estimator that is trained in its block has a session of its own. What it
fetches is the call of a function of this file that takes a batch from a dataset's
iterator, or a name - or names, all of them - that one such call, or a dataset's
`get_next()`, is bound to and that nothing else uses.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.reach import find_definitions, find_reached
from migrate.facts.scopes import Scopes
from migrate.frontends.estimators import loaded_sessions
from migrate.frontends.estimators.estimator import EstimatorProgram, Function
from migrate.frontends.sessions import between_graph
from migrate.frontends.sessions import plain as plain_sessions
from migrate.source.nodes import walk_breadth_first
from migrate.tables import roles

_INITIALIZERS = roles.INITIALIZES_ALL | roles.INITIALIZES_OTHERS
_ITERATOR = "make_one_shot_iterator"


@dataclasses.dataclass(frozen=True)
class Batches:
    """Statements that bind names to a batch.

    Attributes:
      statement: the assignment of the batch.
      iterator: the assignment of the iterator, where it has one of its own.
      source: the call of an input_fn, or a dataset's expression.
      is_dataset: which of the two.
      targets: the names, in order; one where the batch is not taken apart.
      whole: whether there is but one name, without a tuple.
    """

    statement: ast.Assign
    iterator: ast.Assign | None
    source: ast.expr
    is_dataset: bool
    targets: tuple[str, ...]
    whole: bool


@dataclasses.dataclass(frozen=True)
class Look:
    """A call of `session.run`.

    Attributes:
      call: the call.
      batches: what it fetches of; None if it calls the input_fn itself.
      whole: whether it fetches all that the batch's names stand for, in their order.
      as_list: whether it gives a list that is not taken apart at once.
    """

    call: ast.Call
    batches: Batches | None
    whole: bool = True
    as_list: bool = False


@dataclasses.dataclass(frozen=True)
class InputSession:
    """`with tf.Session() as sess:`, or `sess = tf.Session()`, that looks at input.

    Attributes:
      opened: the statement.
      looks: what it runs.
      dropped: statements that initialise or close it, of which nothing is left.
    """

    opened: ast.With | ast.Assign
    looks: tuple[Look, ...]
    dropped: tuple[ast.Expr, ...]


def recognise(
    scopes: Scopes, program: EstimatorProgram
) -> tuple[InputSession, ...] | None:
    """Reads all sessions of an Estimator's file; None if it has none, or one does more.

    Sessions that run a loaded graph are not counted, and do not matter here.
    """
    loaded = {session.call for session in loaded_sessions.recognise(scopes)}
    calls = [c for c in between_graph.find_sessions(scopes) if c not in loaded]
    found = [_read_session(call, scopes, program) for call in calls]
    sessions = tuple(s for s in found if s is not None)
    whole = len(sessions) == len(calls) and bool(calls or loaded)
    return sessions if whole else None


def _read_session(
    call: ast.Call, scopes: Scopes, program: EstimatorProgram
) -> InputSession | None:
    if (
        not plain_sessions.is_plain(scopes, call)
        or not plain_sessions.is_local(scopes, call)
        or names.find_argument(call, "graph", 1) is not None
    ):
        return None
    opened = scopes.parents[call]
    if isinstance(opened, ast.withitem):
        name = plain_sessions.find_name(scopes, call)
        opened = scopes.parents[opened]
        if name is None or not isinstance(opened, ast.With) or len(opened.items) != 1:
            return None
        if _runs_by_default(opened, name, scopes):
            return None
        reads = _read_within(opened, name, scopes)
    elif isinstance(opened, ast.Assign) and isinstance(opened.targets[0], ast.Name):
        name = opened.targets[0].id
        if _find_assignment(name, opened, scopes) is not opened:
            return None
        reads = _find_loads(name, opened, scopes)
    else:
        return None
    if reads is None:
        return None
    looks: list[Look] = []
    dropped: list[ast.Expr] = []
    for read in reads:
        run = _run(read, scopes)
        if run is None or not run.args or _initialises(run.args[0], scopes):
            statement = scopes.parents[run] if run is not None else None
            if not isinstance(statement, ast.Expr):
                return None
            dropped.append(statement)
            continue
        look = _read_look(run, scopes, program)
        if look is None:
            return None
        looks.append(look)
    if not looks and isinstance(opened, ast.Assign):
        return None  # Another file may use it.
    return InputSession(opened, tuple(looks), tuple(dropped))


def _runs_by_default(block: ast.With, name: str, scopes: Scopes) -> bool:
    """Whether a block runs something in the default session: `x.eval()`, `op.run()`."""
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("eval", "run")
        and names.find_key(node.func.value) != name
        and scopes.resolve(node.func) is None
        or isinstance(node, (ast.Attribute, ast.Name))
        and scopes.resolve(node) == "tf.get_default_session"
        for node in walk_breadth_first(block)
    )


def _read_within(block: ast.With, name: str, scopes: Scopes) -> list[ast.Name] | None:
    """Lists the uses of a block's session; None if it is used after its block.

    Another session may have the same name.
    """
    inside = {n for n in walk_breadth_first(block) if isinstance(n, ast.Name)}
    every = _find_loads(name, block, scopes)
    if any(n not in inside and not _is_in_session(n, name, scopes) for n in every):
        return None
    return [n for n in every if n in inside]


def _is_in_session(read: ast.AST, name: str, scopes: Scopes) -> bool:
    node: ast.AST | None = read
    while node is not None:
        if isinstance(node, ast.With) and any(
            isinstance(i.optional_vars, ast.Name) and i.optional_vars.id == name
            for i in node.items
        ):
            return True
        node = scopes.parents.get(node)
    return False


def _run(read: ast.Name, scopes: Scopes) -> ast.Call | None:
    """`sess.run(fetches)` or `sess.close()` around a use of the session; else None."""
    method = scopes.parents.get(read)
    call = scopes.parents.get(method) if method is not None else None
    if isinstance(method, ast.Attribute) and method.attr == "close":
        return call if isinstance(call, ast.Call) and call.func is method else None
    if (
        isinstance(method, ast.Attribute)
        and method.attr == "run"
        and isinstance(call, ast.Call)
        and call.func is method
        and len(call.args) == 1
        and not call.keywords
        and not isinstance(call.args[0], ast.Starred)
    ):
        return call
    return None


def _initialises(fetched: ast.expr, scopes: Scopes) -> bool:
    parts = fetched.elts if isinstance(fetched, (ast.List, ast.Tuple)) else [fetched]
    if isinstance(fetched, ast.Call) and scopes.resolve(fetched.func) == "tf.group":
        parts = fetched.args
    return bool(parts) and all(
        isinstance(p, ast.Call) and scopes.resolve(p.func) in _INITIALIZERS
        for p in parts
    )


def _read_look(run: ast.Call, scopes: Scopes, program: EstimatorProgram) -> Look | None:
    fetched = run.args[0]
    if isinstance(fetched, ast.Call):
        return Look(run, None) if _takes_batch(fetched, scopes, program) else None
    roots = [find_root(part) for part in _list_parts(fetched)]
    if not roots or any(root is None for root in roots):
        return None
    read = [root for root in roots if root is not None]
    batches = _find_batches(read[0], scopes, program)
    if batches is None or any(root.id not in batches.targets for root in read):
        return None
    several = isinstance(fetched, (ast.List, ast.Tuple, ast.Dict))
    if not several:
        return Look(run, batches, fetched is read[0] and batches.whole)
    order = tuple(
        part.id for part in _list_parts(fetched) if isinstance(part, ast.Name)
    )
    if batches.whole:
        return None
    whole = order == batches.targets and len(order) == len(roots)
    whole = whole and not isinstance(fetched, ast.Dict)
    return Look(run, batches, whole, whole and _stays_a_list(run, scopes))


def _list_parts(fetched: ast.expr) -> list[ast.expr]:
    if isinstance(fetched, (ast.List, ast.Tuple)):
        return fetched.elts
    if isinstance(fetched, ast.Dict):
        return fetched.values
    return [fetched]


def find_root(part: ast.expr) -> ast.Name | None:
    """Returns `features` of `features["x"]`, which works on tensors and on values."""
    while isinstance(part, ast.Subscript) and isinstance(part.slice, ast.Constant):
        part = part.value
    return part if isinstance(part, ast.Name) else None


def _stays_a_list(run: ast.Call, scopes: Scopes) -> bool:
    """Whether the list that a run of a list gives is seen as one."""
    statement = scopes.parents[run]
    return isinstance(run.args[0], ast.List) and not (
        isinstance(statement, ast.Assign)
        and all(isinstance(t, (ast.Tuple, ast.List)) for t in statement.targets)
    )


def _takes_batch(call: ast.Call, scopes: Scopes, program: EstimatorProgram) -> bool:
    """Whether a call is of a function, in sight, that takes a batch from an iterator."""
    functions = list(_find_callees(call.func, scopes))
    return bool(functions) and all(_draws(f, scopes, program) for f in functions)


def _find_callees(function: ast.expr, scopes: Scopes) -> Iterator[ast.AST]:
    """Finds the functions that are called, also those that a call returns."""
    if isinstance(function, ast.Name):
        owner = scopes.find_scope(function).find_owner(function.id)
        bindings = owner.bindings[function.id] if owner is not None else []
        for binding in bindings:
            value = binding.value if isinstance(binding, ast.Assign) else None
            if isinstance(value, ast.Call):
                yield from _find_made_functions(value, scopes)
            else:
                yield from find_definitions(scopes, function)
                return
    elif isinstance(function, ast.Lambda):
        yield function
    elif isinstance(function, ast.Call):
        yield from _find_made_functions(function, scopes)


def _find_made_functions(call: ast.Call, scopes: Scopes) -> Iterator[ast.AST]:
    """Yields a function's inner functions, if it returns one: `make_input_fn(True)`."""
    if _is_partial(call.func, scopes) and call.args:
        yield from _find_callees(call.args[0], scopes)
    elif isinstance(call.func, ast.Name):
        for maker in find_definitions(scopes, call.func):
            yield from (
                n
                for n in walk_breadth_first(maker)
                if isinstance(n, Function) and n is not maker
            )


def _is_partial(function: ast.expr, scopes: Scopes) -> bool:
    """Whether it is functools.partial, by either import."""
    name = function.value if isinstance(function, ast.Attribute) else function
    if not isinstance(name, ast.Name):
        return False
    owner = scopes.find_scope(name).find_owner(name.id)
    for binding in owner.bindings[name.id] if owner is not None else []:
        if isinstance(function, ast.Attribute):
            if isinstance(binding, ast.Import) and function.attr == "partial":
                return any(
                    (a.asname or a.name) == name.id == "functools"
                    for a in binding.names
                )
        elif isinstance(binding, ast.ImportFrom) and binding.module == "functools":
            return any(a.name == "partial" for a in binding.names)
    return False


def _draws(function: ast.AST, scopes: Scopes, program: EstimatorProgram) -> bool:
    if not isinstance(function, Function) or _gives_list(function):
        return False
    return any(
        f in program.input for f in (function, *find_reached(scopes, [function]))
    )


def _gives_list(function: ast.AST) -> bool:
    """Whether a function returns a list, which no dataset's element is."""
    if isinstance(function, ast.Lambda):
        return isinstance(function.body, ast.List)
    return any(
        isinstance(n, ast.Return) and isinstance(n.value, ast.List)
        for n in walk_breadth_first(function)
    )


def _find_assignment(name: str, near: ast.AST, scopes: Scopes) -> ast.Assign | None:
    """The one assignment of a name."""
    owner = scopes.find_scope(near).find_owner(name)
    bindings = owner.bindings[name] if owner is not None else []
    if len(bindings) == 1 and isinstance(bindings[0], ast.Assign):
        if len(bindings[0].targets) == 1:
            return bindings[0]
    return None


def _find_batches(
    read: ast.Name, scopes: Scopes, program: EstimatorProgram
) -> Batches | None:
    """Finds the batch that a fetched name holds, if the name is only fetched."""
    statement = _find_assignment(read.id, read, scopes)
    if statement is None or not isinstance(statement.value, ast.Call):
        return None
    target = statement.targets[0]
    parts = target.elts if isinstance(target, ast.Tuple) else [target]
    if not all(isinstance(p, ast.Name) for p in parts):
        return None
    targets = tuple(p.id for p in parts if isinstance(p, ast.Name))
    whole = not isinstance(target, ast.Tuple)
    if any(not _is_only_fetched(name, statement, scopes) for name in targets):
        return None
    value = statement.value
    if _takes_batch(value, scopes, program):
        return Batches(statement, None, value, False, targets, whole)
    made = _find_iterator(value)
    if made is None:
        return None
    iterator: ast.Assign | None = None
    if isinstance(made, ast.Name):
        iterator = _find_assignment(made.id, made, scopes)
        if iterator is None or _find_loads(made.id, iterator, scopes) != [made]:
            return None
        made = iterator.value
    dataset = _find_dataset(made, scopes)
    if dataset is None:
        return None
    return Batches(statement, iterator, dataset, True, targets, whole)


def _find_iterator(value: ast.Call) -> ast.expr | None:
    """The iterator in `iterator.get_next()`."""
    function = value.func
    if (
        isinstance(function, ast.Attribute)
        and function.attr == "get_next"
        and not value.args
    ):
        return function.value
    return None


def _find_dataset(made: ast.expr, scopes: Scopes) -> ast.expr | None:
    """The dataset in `dataset.make_one_shot_iterator()`."""
    if (
        isinstance(made, ast.Call)
        and isinstance(made.func, ast.Attribute)
        and made.func.attr == _ITERATOR
        and scopes.resolve(made.func) is None
        and not made.args
        and not made.keywords
    ):
        return made.func.value
    return None


def _find_loads(name: str, near: ast.AST, scopes: Scopes) -> list[ast.Name]:
    owner = scopes.find_scope(near).find_owner(name)
    return [
        n
        for n in scopes.walk()
        if isinstance(n, ast.Name)
        and n.id == name
        and isinstance(n.ctx, ast.Load)
        and scopes.find_scope(n).find_owner(name) is owner
    ]


def _is_only_fetched(name: str, near: ast.AST, scopes: Scopes) -> bool:
    """Whether every use of a name, or of its parts, is what a session runs."""
    for load in _find_loads(name, near, scopes):
        node: ast.AST = load
        above = scopes.parents[node]
        while isinstance(above, ast.Subscript) and isinstance(
            above.slice, ast.Constant
        ):
            node, above = above, scopes.parents[above]
        if isinstance(above, (ast.List, ast.Tuple, ast.Dict)):
            node, above = above, scopes.parents[above]
        if not (
            isinstance(above, ast.Call)
            and isinstance(above.func, ast.Attribute)
            and above.func.attr == "run"
            and above.args == [node]
        ):
            return False
    return True
