"""Pairs of a gradient and its variable, and code that takes only the variables of them.

    pairs = optimizer.compute_gradients(loss, variables)
    train_op = optimizer.apply_gradients([(sums[i], v) for i, (_, v) in enumerate(pairs)])

The variables stand in the pairs in the order of the list that is given. So code that takes
only them can go through this list, and then needs no gradient.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.scopes import Scope, Scopes
from migrate.source.nodes import walk_breadth_first
from migrate.tables import one_tensor, roles
from migrate.tables.optimizers import OPTIMIZERS

_PARAMETERS = (
    *("loss", "var_list", "gate_gradients", "aggregation_method"),
    *("colocate_gradients_with_ops", "grad_loss"),
)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
# Functions of Python that read a list, and give no part of it another name.
_READING = frozenset({"enumerate", "len", "list", "sorted", "tuple", "zip"})
# Methods of tensors, variables, shapes and strings that change nothing else.
_METHODS = frozenset(
    {"as_list", "assign", "assign_add", "assign_sub", "format", "get_shape"}
    | {"initialized_value", "read_value", "replace", "split", "value"}
)


@dataclasses.dataclass(frozen=True, eq=False)
class Pairs:
    """A name that holds pairs, and that nothing changes.

    Attributes:
      made: the statement that makes them.
      call: `optimizer.compute_gradients(...)`.
      variables: the list of variables that it is given; None for all trainable ones.
      name: the name that holds this list unchanged, if it has one.
      reads: where the name is read.
    """

    made: ast.Assign
    call: ast.Call
    variables: ast.expr | None
    name: str | None
    reads: tuple[ast.Name, ...]


@dataclasses.dataclass(frozen=True, eq=False)
class Walk:
    """A `for` of a loop or comprehension that goes through pairs.

    Attributes:
      over: the loop or comprehension.
      target: what it calls a pair: a name, or a tuple of two names.
      read: the name of the pairs in the header.
      halves: the reads `pair[1]` of the variable, if a pair has a name.
      gradients: the reads `pair[0]` of the gradient.
      only_variables: whether the code takes only the variables.
    """

    over: ast.AST
    target: ast.Name | ast.Tuple
    read: ast.Name
    halves: tuple[ast.Subscript, ...]
    gradients: tuple[ast.Subscript, ...]
    only_variables: bool

    @property
    def takes_apart(self) -> bool:
        """Whether a loop takes both halves of pairs that have a name, and no pair whole."""
        return isinstance(self.over, ast.For) and bool(self.gradients)


def find_pairs(scopes: Scopes) -> Iterator[Pairs]:
    """Finds the names of pairs whose variables are known to be those of a list."""
    for node in scopes.walk():
        match node:
            case ast.Assign(
                targets=[ast.Name() as target],
                value=ast.Call(
                    func=ast.Attribute(attr="compute_gradients", value=optimizer)
                ) as call,
            ) if is_optimizer(optimizer, scopes):
                bound = names.bind_arguments(call, _PARAMETERS)
                reads = list_reads(target, scopes)
                if bound is None or reads is None:
                    continue
                if any(not _is_at_hand(e) for k, e in bound.items() if k != "var_list"):
                    continue  # To compute it may make variables.
                variables = bound.get("var_list")
                variables = variables if names.is_given(variables) else None
                listed = variables is None or _lists_variables(variables, scopes)
                if listed and all(is_only_read(r, scopes) for r in reads):
                    name = variables.id if isinstance(variables, ast.Name) else None
                    yield Pairs(node, call, variables, name, tuple(reads))


def find_divided(
    scopes: Scopes,
) -> Iterator[tuple[ast.Assign, ast.expr, list[ast.Name]]]:
    """Finds `gradients, variables = zip(*pairs)`, and where `variables` is read.

    Yields the statement, what the pairs are, and the reads, if nothing depends on whether
    the variables are a list or a tuple.
    """
    for node in scopes.walk():
        match node:
            case ast.Assign(
                targets=[ast.Tuple(elts=[ast.Name(), ast.Name() as variables])],
                value=ast.Call(
                    func=ast.Name("zip") as function,
                    args=[ast.Starred(value=pairs)],
                    keywords=[],
                ),
            ) if _find_owner(function, scopes) is None:
                reads = list_reads(variables, scopes) or []
                if reads and all(_reads_elements(r, scopes) for r in reads):
                    yield node, pairs, reads


def _reads_elements(node: ast.Name, scopes: Scopes) -> bool:
    above = scopes.parents[node]
    sliced = isinstance(above, ast.Subscript) and isinstance(above.slice, ast.Slice)
    return not sliced and is_only_read(node, scopes)


def find_walks(pairs: Pairs, scopes: Scopes) -> Iterator[Walk]:
    """Finds the loops and comprehensions that go through pairs."""
    for read in pairs.reads:
        inner: ast.AST = read
        above = scopes.parents[read]
        while isinstance(above, ast.Call) and inner in above.args:
            inner, above = above, scopes.parents[above]
        header = _find_header(above, inner)
        if header is None:
            continue
        target = _find_target(header.target, header.iter, read)
        over: ast.AST = header
        if isinstance(header, ast.comprehension):
            over = next(
                n for n in scopes.walk_above(inner) if isinstance(n, _COMPREHENSIONS)
            )
        if target is None or any(
            isinstance(n, ast.JoinedStr) for n in _list_above(over, scopes)
        ):
            continue
        yield _make_walk(over, target, read, scopes)


def _find_header(above: ast.AST, walked: ast.AST) -> ast.comprehension | ast.For | None:
    """Finds the `for` that goes through a list.

    The list of a comprehension's first `for` stands in the scope around it.
    """
    if isinstance(above, _COMPREHENSIONS):
        above = above.generators[0]
    if isinstance(above, (ast.comprehension, ast.For)) and above.iter is walked:
        return above
    return None


def _is_at_hand(node: ast.expr) -> bool:
    return names.find_key(node) is not None or isinstance(node, ast.Constant)


def _list_above(node: ast.AST, scopes: Scopes) -> Iterator[ast.AST]:
    yield node
    yield from scopes.walk_above(node)


def _make_walk(
    over: ast.AST, target: ast.Name | ast.Tuple, read: ast.Name, scopes: Scopes
) -> Walk:
    first = target if isinstance(target, ast.Name) else target.elts[0]
    assert isinstance(first, ast.Name)
    area = over
    if isinstance(over, ast.For):
        # A loop's names live on behind it.
        area = scopes.find_scope(over).node
    loads = [
        n
        for n in walk_breadth_first(area)
        if isinstance(n, ast.Name) and n.id == first.id and isinstance(n.ctx, ast.Load)
    ]
    if isinstance(target, ast.Tuple):
        return Walk(over, target, read, (), (), not loads)
    halves = tuple(_list_items(loads, (1, -1), scopes))
    gradients = tuple(_list_items(loads, (0, -2), scopes))
    inside = {*walk_breadth_first(over)}
    if len(halves) + len(gradients) < len(loads) or not inside.issuperset(loads):
        return Walk(over, target, read, (), (), False)
    return Walk(over, target, read, halves, gradients, not gradients)


def _list_items(
    loads: list[ast.Name], places: tuple[int, ...], scopes: Scopes
) -> Iterator[ast.Subscript]:
    for name in loads:
        above = scopes.parents[name]
        if (
            isinstance(above, ast.Subscript)
            and above.value is name
            and isinstance(above.ctx, ast.Load)
            and names.read_literal(above.slice) in places
        ):
            yield above


def _find_target(
    target: ast.expr, walked: ast.expr, read: ast.Name
) -> ast.Name | ast.Tuple | None:
    """Finds what a header calls an element of a list: `(g, v)` of `i, (g, v)`."""
    if walked is read:
        match target:
            case ast.Name() | ast.Tuple(elts=[ast.Name(), ast.Name()]):
                assert isinstance(target, (ast.Name, ast.Tuple))
                return target
        return None
    match walked, target:
        case (
            ast.Call(func=ast.Name("enumerate"), args=[inner]),
            ast.Tuple(elts=[ast.Name(), each]),
        ):
            return _find_target(each, inner, read)
        case (
            ast.Call(func=ast.Name("zip"), args=listed, keywords=[]),
            ast.Tuple(elts=parts),
        ) if len(listed) == len(parts):
            for each, inner in zip(parts, listed):
                if read in walk_breadth_first(inner):
                    return _find_target(each, inner, read)
    return None


def is_optimizer(node: ast.expr, scopes: Scopes) -> bool:
    """Whether it is an optimizer of TensorFlow: the program's own may give other pairs."""
    if isinstance(node, ast.Name):
        bound = _find_bindings(node, scopes)
        made = bound[0] if len(bound) == 1 else None
        if not isinstance(made, ast.Assign) or len(made.targets) > 1:
            return False
        if not isinstance(made.targets[0], ast.Name):
            return False
        node = made.value
    return isinstance(node, ast.Call) and scopes.resolve(node.func) in OPTIMIZERS


def _find_owner(name: ast.Name, scopes: Scopes) -> Scope | None:
    return scopes.find_scope(name).find_owner(name.id)


def _find_bindings(name: ast.Name, scopes: Scopes) -> list[ast.AST]:
    owner = _find_owner(name, scopes)
    if owner is None or isinstance(owner.node, _COMPREHENSIONS):
        return []
    return owner.bindings.get(name.id, [])


def list_reads(target: ast.Name, scopes: Scopes) -> list[ast.Name] | None:
    """Where a name is read; None if it is bound more than once, or in a class."""
    owner = _find_owner(target, scopes)
    if owner is None or len(owner.bindings[target.id]) != 1:
        return None
    if isinstance(owner.node, ast.ClassDef):
        return None
    return [
        n
        for n in scopes.walk()
        if isinstance(n, ast.Name)
        and n.id == target.id
        and isinstance(n.ctx, ast.Load)
        and _find_owner(n, scopes) is owner
    ]


def is_only_read(node: ast.Name, scopes: Scopes) -> bool:
    """Whether code neither changes a list, nor gives it another name."""
    inner: ast.AST = node
    above = scopes.parents[node]
    if isinstance(above, ast.keyword):
        above = scopes.parents[above]
    if isinstance(above, ast.Starred):
        return isinstance(scopes.parents[above], ast.Call)
    if isinstance(above, (*_COMPREHENSIONS, ast.comprehension, ast.For)):
        return _find_header(above, inner) is not None
    if isinstance(above, ast.Subscript):
        return above.value is inner and isinstance(above.ctx, ast.Load)
    if not isinstance(above, ast.Call) or above.func is inner:
        return False
    if isinstance(above.func, ast.Name):
        owner = _find_owner(above.func, scopes)
        return above.func.id in _READING and owner is None
    return (
        isinstance(above.func, ast.Attribute)
        and above.func.attr in roles.OPTIMIZER_METHODS
        and is_optimizer(above.func.value, scopes)
    ) or scopes.resolve(above.func) == "tf.gradients"


def _lists_variables(node: ast.expr, scopes: Scopes) -> bool:
    """Whether it is a flat list of variables; a name of one must hold it unchanged."""
    if isinstance(node, ast.Name):
        bound = _find_bindings(node, scopes)
        match bound:
            case [ast.Assign(targets=[ast.Name() as target], value=value)]:
                reads = list_reads(target, scopes)
                return (
                    not isinstance(value, ast.Name)
                    and reads is not None
                    and all(is_only_read(r, scopes) for r in reads)
                    and _lists_variables(value, scopes)
                )
        return False
    match node:
        case ast.Call():
            return scopes.resolve(node.func) in roles.TRAINABLE
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            return bool(elements) and all(_is_variable(e, scopes) for e in elements)
        case ast.ListComp(
            elt=ast.Name(id=name),
            generators=[ast.comprehension(target=ast.Name(id=each), iter=source)],
        ):
            return name == each and _lists_variables(source, scopes)
    return False


def _is_variable(node: ast.expr, scopes: Scopes) -> bool:
    if not isinstance(node, ast.Name):
        return False
    bound = _find_bindings(node, scopes)
    return bool(bound) and all(
        isinstance(b, ast.Assign)
        and isinstance(b.targets[0], ast.Name)
        and isinstance(b.value, ast.Call)
        and scopes.resolve(b.value.func) in roles.VARIABLES
        for b in bound
    )


# -- loops that take both --------------------------------------------------------------


@dataclasses.dataclass(frozen=True, eq=False)
class Halves:
    """A loop over pairs as two loops: over the variables, then over the pairs.

    Attributes:
      first: the statements that need no gradient.
      carried: the names that they bind and the other statements read; for each, the list
        to which they append it anyway.
    """

    first: tuple[ast.stmt, ...]
    carried: dict[str, str | None]


def split_loop(walk: Walk, scopes: Scopes) -> Halves | None:
    """Divides the statements of a loop; None if the order may matter, or nothing is won.

    The statements that need no gradient would run for all variables before the others run.
    """
    loop, target = walk.over, walk.target
    if (
        not isinstance(loop, ast.For)
        or not isinstance(target, ast.Tuple)
        or loop.orelse
    ):
        return None
    gradient = target.elts[0]
    assert isinstance(gradient, ast.Name)
    if not all(_is_plain(s, scopes) for s in loop.body):
        return None
    header = _find_names(loop.target)
    bound = [n for s in loop.body for n in _list_bound(s)]
    if len(set(bound)) < len(bound) or header & {*bound}:
        return None
    changed = {n for s in loop.body for n in names.find_mutations(s)}
    if changed & names.find_reads(loop.iter):
        return None
    if not all(_is_filled_here(name, loop, scopes) for name in changed):
        return None
    late = {gradient.id}
    second: list[ast.stmt] = []
    while True:
        more = [s for s in loop.body if s not in second and names.find_reads(s) & late]
        if not more:
            break
        second += more
        for s in more:
            late |= names.find_binds(s) | names.find_mutations(s)
    first = [s for s in loop.body if s not in second]
    if not first or not second or any(isinstance(s, ast.If) for s in first):
        return None
    if any(_makes_variables(s, scopes) for s in second):
        return None
    needed = {n for s in second for n in names.find_reads(s)}
    variable = target.elts[1]
    assert isinstance(variable, ast.Name)
    filled = {n for s in first for n in names.find_mutations(s)}
    if not all(_reads_own_entry(n, variable.id, loop.body) for n in needed & filled):
        return None
    carried: dict[str, str | None] = {}
    for statement in first:
        for name in _list_bound(statement):
            if name not in needed:
                continue
            at = loop.body.index(statement)
            if any(s in second and name in names.find_reads(s) for s in loop.body[:at]):
                return None  # It reads what the round before left.
            carried[name] = _find_list_of(name, loop.body)
    return Halves(tuple(first), carried)


def _find_names(target: ast.expr) -> set[str]:
    return {n.id for n in walk_breadth_first(target) if isinstance(n, ast.Name)}


def _list_bound(statement: ast.stmt) -> list[str]:
    return [
        n.id
        for n in names.walk_scope(statement)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    ]


def _is_plain(statement: ast.stmt, scopes: Scopes) -> bool:
    """Whether a statement only builds a part of the graph, and puts it into containers."""
    if isinstance(statement, ast.If):
        inside = [*statement.body, *statement.orelse]
        return _is_pure(statement.test, scopes) and all(
            _is_plain(s, scopes) and not isinstance(s, ast.If) for s in inside
        )
    match statement:
        case ast.Assign(targets=[ast.Name()], value=value):
            return _is_pure(value, scopes)
        case ast.Assign(
            targets=[ast.Subscript(value=ast.Name(), slice=key)], value=value
        ):
            return _is_pure(value, scopes) and _is_pure(key, scopes)
        case ast.Expr(
            value=ast.Call(
                func=ast.Attribute(value=ast.Name(), attr="append"),
                args=[value],
                keywords=[],
            )
        ):
            return _is_pure(value, scopes)
    return False


def _is_pure(value: ast.expr, scopes: Scopes) -> bool:
    """Whether an expression does nothing but make tensors, variables and updates."""
    for node in walk_breadth_first(value):
        if isinstance(node, (*_COMPREHENSIONS, ast.Lambda, ast.NamedExpr, ast.Await)):
            return False
        if isinstance(node, (ast.Yield, ast.YieldFrom)):
            return False
        if not isinstance(node, ast.Call):
            continue
        symbol = scopes.resolve(node.func)
        if symbol is not None:
            known = symbol in one_tensor.SYMBOLS or symbol in (
                *roles.VARIABLES,
                *roles.ASSIGNMENTS,
            )
            if not known and not roles.is_initializer(symbol):
                return False
            if symbol.startswith(("tf.losses.", "tf.random")):
                return False
        elif not (
            isinstance(node.func, ast.Attribute)
            and node.func.attr in _METHODS
            or isinstance(node.func, ast.Name)
            and node.func.id in ("float", "int", "len", "str")
            and _find_owner(node.func, scopes) is None
        ):
            return False
    return True


def _makes_variables(statement: ast.stmt, scopes: Scopes) -> bool:
    return any(
        isinstance(n, ast.Call) and scopes.resolve(n.func) in roles.VARIABLES
        for n in walk_breadth_first(statement)
    )


def _is_filled_here(name: str, loop: ast.For, scopes: Scopes) -> bool:
    """Whether a container is made empty in the loop's suite, and read only after the loop."""
    owner = scopes.find_scope(loop).find_owner(name)
    bound = owner.bindings.get(name, []) if owner is not None else []
    match bound:
        case [
            ast.Assign(
                targets=[ast.Name()], value=ast.List(elts=[]) | ast.Dict(keys=[])
            ) as made
        ]:
            pass
        case _:
            return False
    suite = names.find_suite(scopes.parents[loop], loop)
    if suite is None or made not in suite or suite.index(made) > suite.index(loop):
        return False
    return not any(
        name in names.find_reads(s)
        for s in suite[suite.index(made) + 1 : suite.index(loop)]
    )


def _reads_own_entry(container: str, variable: str, body: list[ast.stmt]) -> bool:
    """Whether each round reads only the entry that it makes: `sums[v.name]`."""
    filling = [s for s in body if container in names.find_mutations(s)]
    match filling:
        case [ast.Assign(targets=[ast.Subscript(slice=key)])] if ast.unparse(key) in (
            f"{variable}.name",
            f"{variable}.op.name",
        ):
            entry = f"{container}[{ast.unparse(key)}]"
        case _:
            return False
    if any(container in names.find_reads(s) for s in body[: body.index(filling[0])]):
        return False
    uses = [
        n
        for s in body
        for n in walk_breadth_first(s)
        if isinstance(n, ast.Name) and n.id == container
    ]
    entries = [
        n
        for s in body
        for n in walk_breadth_first(s)
        if isinstance(n, ast.Subscript) and ast.unparse(n) == entry
    ]
    return len(uses) == len(entries)


def _find_list_of(name: str, body: list[ast.stmt]) -> str | None:
    """The list to which each round appends a value, and nothing else."""
    for statement in body:
        match statement:
            case ast.Expr(
                value=ast.Call(
                    func=ast.Attribute(value=ast.Name(id=listed), attr="append"),
                    args=[ast.Name(id=value)],
                )
            ) if value == name:
                others = [
                    s
                    for s in body
                    if s is not statement and listed in names.find_reads(s)
                ]
                if not others:
                    return listed
    return None
