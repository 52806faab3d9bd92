"""TF1 to TF1: what builds a graph and ends early has the rest in an `else`.

    self.loss = ...                   self.loss = ...
    if mode == "infer":               if mode == "infer":
        return                            pass
    self.train_op = ...               else:
                                          self.train_op = ...

Only so can a constructor's body stand where the object is made. And what follows the
branches of a server that never stop is in the branch of the workers:

    if FLAGS.job_name == "ps":        if FLAGS.job_name == "ps":
        server.join()                     server.join()
    else:                             else:
        train_op = ...                    train_op = ...
    with tf.train.Monitored...            with tf.train.Monitored...

"""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.scopes import Scopes, build_scopes
from migrate.normalise.text import Text
from migrate.source.nodes import parse_source, walk_breadth_first
from migrate.tables import roles

# More branches than any constructor has.
_ROUNDS = 50


def move_rest_into_else(text: Text) -> Text:
    """The text in which such functions and methods end at their end."""
    for _ in range(_ROUNDS):
        found = _find_early_end(text)
        if found is None:
            break
        text = _add_else(text, *found)
    return text


def move_graph_into_branch(text: Text) -> Text:
    """The text in which a graph that a worker's branch builds is run in that branch."""
    if "Server" not in text.source or ".join()" not in text.source:
        return text
    tree = parse_source(text.source)
    scopes = build_scopes(tree)
    for branch in walk_breadth_first(tree):
        if not isinstance(branch, ast.If) or not branch.orelse:
            continue
        rest = _list_following(scopes, branch)
        last = _find_last(scopes, branch)
        if last is None or not rest or not all(map(text.is_alone, rest)):
            continue
        suite = last.orelse or last.body
        if _opens_session(scopes, rest) and _reads_bound_in(scopes, suite, rest):
            if last.orelse:
                return _move_rest(text, branch, suite, rest)
            if _asks_for_all_jobs(scopes, branch):
                return _move_rest(_turn_into_else(text, last), branch, suite, rest)
    return text


def _list_following(scopes: Scopes, branch: ast.If) -> list[ast.stmt]:
    """Lists the statements that follow a branch in its suite."""
    parent = scopes.parents.get(branch)
    for _, suite in names.list_suites(parent) if isinstance(parent, ast.stmt) else ():
        if branch in suite:
            return suite[suite.index(branch) + 1 :]
    if isinstance(parent, ast.Module):
        return parent.body[parent.body.index(branch) + 1 :]
    return []


def _find_last(scopes: Scopes, branch: ast.If) -> ast.If | None:
    """Finds the last test if all other branches end with a server's `join`."""
    while True:
        following = branch.orelse
        if not following:
            return branch
        if not _joins(scopes, branch.body[-1]):
            return None
        if len(following) != 1 or not isinstance(following[0], ast.If):
            return branch
        branch = following[0]


def _joins(scopes: Scopes, statement: ast.stmt) -> bool:
    """Whether it is `server.join()`, which does not return."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not (
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr == "join"
        and isinstance(call.func.value, ast.Name)
    ):
        return False
    server = call.func.value
    owner = scopes.find_scope(server).find_owner(server.id)
    made = owner.bindings.get(server.id, []) if owner is not None else []
    return len(made) == 1 and any(
        isinstance(node, ast.Call) and scopes.resolve(node.func) == "tf.train.Server"
        for node in walk_breadth_first(made[0])
    )


def _opens_session(scopes: Scopes, statements: list[ast.stmt]) -> bool:
    return any(
        isinstance(node, ast.Call) and scopes.resolve(node.func) in roles.SESSIONS
        for statement in statements
        for node in walk_breadth_first(statement)
    )


def _reads_bound_in(
    scopes: Scopes, suite: list[ast.stmt], rest: list[ast.stmt]
) -> bool:
    """Whether what follows a suite reads what is bound nowhere else."""
    inside = {node for statement in suite for node in walk_breadth_first(statement)}
    bindings = scopes.find_scope(suite[0]).bindings
    bound = set().union(*map(names.find_binds, suite))
    return any(
        name in bound and inside.issuperset(bindings.get(name, ()))
        for statement in rest
        for name in names.find_reads(statement)
    )


def _asks_for_all_jobs(scopes: Scopes, branch: ast.If) -> bool:
    """Whether a branch is taken for each job of the cluster: a server has no other."""
    asked: dict[object, str] = {}
    test: ast.stmt | None = branch
    while isinstance(test, ast.If):
        compared = test.test
        if not (
            isinstance(compared, ast.Compare)
            and len(compared.ops) == 1
            and isinstance(compared.ops[0], ast.Eq)
        ):
            return False
        asked[names.read_literal(compared.comparators[0])] = ast.dump(compared.left)
        test = test.orelse[0] if test.orelse else None
    calls = [node for node in scopes.walk() if isinstance(node, ast.Call)]
    servers = [c for c in calls if scopes.resolve(c.func) == "tf.train.Server"]
    specs = [c for c in calls if scopes.resolve(c.func) == "tf.train.ClusterSpec"]
    jobs = [
        names.find_argument(server, "job_name", 1) or ast.Constant(None)
        for server in servers
    ]
    return len({*asked.values(), *map(ast.dump, jobs)}) == 1 and all(
        set(asked) == _find_keys(_find_spec(scopes, server, specs))
        for server in servers
    )


def _find_spec(
    scopes: Scopes, server: ast.Call, specs: list[ast.Call]
) -> ast.expr | None:
    """The addresses by job that a server is given.

    Args:
      specs: the program's `tf.train.ClusterSpec(...)`. One alone is every server's; of
        several it has to be seen which one is.
    """
    given = names.find_argument(server, "server_or_cluster_def", 0)
    if isinstance(given, ast.Name):
        owner = scopes.find_scope(given).find_owner(given.id)
        made = owner.bindings.get(given.id, []) if owner is not None else []
        if len(made) == 1 and isinstance(made[0], ast.Assign):
            given = made[0].value
    if given not in specs and len(specs) == 1:
        given = specs[0]
    return names.find_argument(given, "cluster", 0) if given in specs else None


def _find_keys(spec: ast.expr | None) -> set[object] | None:
    if not isinstance(spec, ast.Dict):
        return None
    return {names.read_literal(key) for key in spec.keys}


def _turn_into_else(text: Text, last: ast.If) -> Text:
    """Writes `else:` in place of an `elif`."""
    indent = text.lines[last.lineno - 1][: last.col_offset]
    end = last.test.end_lineno or last.lineno
    origins = list(text.origins[last.lineno - 1 : end])
    lines = [f"{indent}else:", *[""] * (end - last.lineno)]
    return text.splice(last.lineno, end, lines, origins)


def _move_rest(
    text: Text, branch: ast.If, last: list[ast.stmt], rest: list[ast.stmt]
) -> Text:
    """Moves the rest of a branch's suite to the end of the last branch."""
    outer = text.lines[branch.lineno - 1][: branch.col_offset]
    inner = text.lines[last[-1].lineno - 1][: last[-1].col_offset]
    lines, origins = text.indent_statements(rest, outer, inner[len(outer) :])
    end = rest[-1].end_lineno or rest[-1].lineno
    return text.splice(end - len(lines) + 1, end, lines, origins)


def _find_early_end(text: Text) -> tuple[ast.If, list[ast.stmt]] | None:
    """A branch that ends with a `return` of nothing, and what stands after it."""
    tree = parse_source(text.source)
    scopes = build_scopes(tree)
    for function in walk_breadth_first(tree):
        if not isinstance(function, ast.FunctionDef) or not _builds(scopes, function):
            continue
        if any(_returns_value(node) for node in walk_breadth_first(function)):
            continue
        for suite in _list_suites(function):
            for index, statement in enumerate(suite[:-1]):
                rest = suite[index + 1 :]
                if (
                    isinstance(statement, ast.If)
                    and not statement.orelse
                    and isinstance(statement.body[-1], ast.Return)
                    and all(text.is_alone(s) for s in (*statement.body, *rest))
                ):
                    return statement, rest
    return None


def _list_suites(function: ast.FunctionDef) -> list[list[ast.stmt]]:
    """Lists the suites after which the function does nothing more."""
    found = [function.body]
    last = function.body[-1]
    while isinstance(last, ast.With) or (isinstance(last, ast.If) and last.orelse):
        suite = last.body if isinstance(last, ast.With) else last.orelse
        found.append(suite)
        last = suite[-1]
    return found


def _builds(scopes: Scopes, function: ast.FunctionDef) -> bool:
    """Whether it has anything of TensorFlow's in it."""
    return any(
        isinstance(node, (ast.Name, ast.Attribute))
        and (scopes.resolve(node) or "").startswith("tf.")
        for node in walk_breadth_first(function)
    )


def _returns_value(node: ast.AST) -> bool:
    """Whether what is called gives something: then it is no constructor."""
    if isinstance(node, (ast.Yield, ast.YieldFrom)):
        return True
    value = node.value if isinstance(node, ast.Return) else None
    return value is not None and not (
        isinstance(value, ast.Constant) and value.value is None
    )


def _add_else(text: Text, branch: ast.If, rest: list[ast.stmt]) -> Text:
    """The rest of the suite in an `else` of the branch, which has no `return`."""
    end = branch.body[-1]
    indent = text.lines[branch.lineno - 1][: branch.col_offset]
    deeper = text.lines[end.lineno - 1][: end.col_offset]
    lines, origins = text.indent_statements(rest, indent, deeper[len(indent) :])
    begin = (end.end_lineno or end.lineno) + 1
    last = rest[-1].end_lineno or rest[-1].lineno
    between = last - len(lines)
    text = text.splice(
        begin,
        last,
        [*text.lines[begin - 1 : between], f"{indent}else:", *lines],
        [*text.origins[begin - 1 : between], text.origins[end.lineno - 1], *origins],
    )
    left = [f"{deeper}pass"] if len(branch.body) == 1 else []
    origin = text.origins[end.lineno - 1]
    return text.splice(end.lineno, begin - 1, left, [origin] * len(left))
