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
from migrate.tables import roles
from migrate.tables.optimizers import OPTIMIZERS

_PARAMETERS = (
    *("loss", "var_list", "gate_gradients", "aggregation_method"),
    *("colocate_gradients_with_ops", "grad_loss"),
)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
# Functions of Python that read a list, and give no part of it another name.
_READING = frozenset({"enumerate", "len", "list", "sorted", "tuple", "zip"})


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
