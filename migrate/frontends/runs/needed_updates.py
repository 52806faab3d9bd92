"""Updates that a step would make although what its run fetches does not need them.

    def move(h, x):
        count.assign_add(1)
        return h * x

In TF1 no run made this update: a run did only what its fetches needed. A step does all that
the code in it says. It has whole functions and loops, so it is refused where such code makes
an update that some of its results do not need.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Collection, Iterator, Sequence

from migrate.facts import effects, names, reach
from migrate.facts.scopes import Scopes
from migrate.frontends.runs.followed_updates import (
    Follower,
    Parts,
    find_part,
    list_filled,
    list_headers_above,
)
from migrate.frontends.runs.moved_averages import MovedAverages
from migrate.program import ir
from migrate.program.binding_time import Analysis, Diagnostics, list_every_flow
from migrate.program.ir import Flow
from migrate.program.slices import Slice
from migrate.source.nodes import walk_breadth_first
from migrate.tables import roles

_PRINTING = frozenset({"tf.Print", "tf.print"})
_COMPREHENSIONS = (ast.ListComp, ast.DictComp, ast.SetComp, ast.GeneratorExp)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_IN_GRAPH = ir.STEP_KINDS | {ir.Kind.VARIABLE}


@dataclasses.dataclass(frozen=True)
class _Update:
    """An update that a function makes.

    Attributes:
      node: the call.
      needed_by: the parts of the result that need it; None: all of it does.
      of_averages: whether it only moves the averages of batch normalisation.
    """

    node: ast.AST
    needed_by: Parts
    of_averages: bool


class NeededUpdates:
    """Refuses runs whose step would make more than they need."""

    def __init__(
        self,
        scopes: Scopes,
        diagnostics: Diagnostics,
        analysis: Analysis,
        flows: list[Flow],
    ) -> None:
        self._scopes = scopes
        self._diagnostics = diagnostics
        self._analysis = analysis
        self._flows = flows
        self._updates: dict[ast.AST, list[_Update]] = {}
        self._averages = MovedAverages(scopes)

    def check(self, part: Slice, fetched: Sequence[ast.expr]) -> None:
        """Checks one run.

        Args:
          fetched: what the run gives.
        """
        included = [f for f in list_every_flow(self._flows) if f in part.flows]
        readers: list[ast.AST] = [*fetched]
        for flow in included:
            readers += _list_headers(flow.statement) if flow.suites else []
            if not flow.suites:
                readers.append(flow.statement)
        for flow in included:
            others = [node for node in readers if node is not flow.statement]
            if not flow.suites:
                self._check_functions(flow.statement, others)
                self._check_comprehension(flow.statement, others)
            elif isinstance(flow.statement, (ast.For, ast.While)):
                self._check_loop(flow, part, readers)
        self._check_parts(included, fetched)

    def _check_functions(self, statement: ast.stmt, others: list[ast.AST]) -> None:
        """A statement that calls functions, or gives them to `tf.cond` and its like."""
        for use, function in self._list_uses(statement):
            self._check_waiting_blocks(function)
            for update in self._find_updates(function):
                if self._is_off(use, function, update):
                    continue
                if not self._is_needed(statement, use, update, others):
                    self._refuse_in_function(update.node, function)

    def _check_waiting_blocks(self, function: ast.AST) -> None:
        """Refuses a function's block that gives on what was made before the block.

        with tf.control_dependencies([count_up]):
            z = tf.square(x)
            return y, z

        `y` is no operation of the block, so in TF1 a run of it does not make the update,
        which stands outside of the function. A step has the whole function.
        """
        inside = _list_statements(function)
        bound = set().union(*map(names.find_binds, inside))
        for statement in inside:
            headers = list(list_headers_above(self._scopes, statement))
            if not any(names.find_reads(header) - bound for header in headers):
                continue
            value = getattr(statement, "value", None)
            if not isinstance(statement, (ast.Return, ast.Assign, ast.AnnAssign)):
                continue
            made = _list_made_in_block(self._scopes, statement)
            for part in _list_parts(value):
                key = names.find_key(part)
                if key and key not in made and self._may_be_tensor(part, key):
                    self._diagnostics.refuse(
                        "N107",
                        part,
                        f"this block waits for an operation, but `{key}` was made before "
                        "the block. In TensorFlow 1 a run that fetches it does not make "
                        "the operation. The step would make it",
                        f"If the run shall make the operation, write tf.identity({key}). "
                        "Otherwise move the statement out of the block.",
                    )

    def _may_be_tensor(self, node: ast.expr, key: str) -> bool:
        if self._scopes.resolve(node) is not None:
            return False
        kind = self._analysis.environment.get(key)
        return kind is None or kind in _IN_GRAPH

    def _is_needed(
        self, statement: ast.stmt, use: ast.AST, update: _Update, others: list[ast.AST]
    ) -> bool:
        """Whether a run needs an update of a function, at one use of the function."""
        if not update.needed_by:
            return update.needed_by is None
        call = self._scopes.parents.get(use)
        if not isinstance(call, ast.Call) or call.func is not use:
            return True  # It is called by `tf.cond`, or by a loop.
        above = self._scopes.parents.get(call)
        match above:
            case ast.Assign(targets=[ast.Tuple(elts=parts) | ast.List(elts=parts)]):
                keys = {i: names.find_key(p) for i, p in enumerate(parts)}
                return any(
                    i not in keys or keys[i] is None or _reads(others, keys[i] or "")
                    for i in update.needed_by
                )
            case ast.Assign(targets=[target]) if names.find_key(target):
                places = list(self._list_places(others, names.find_key(target) or ""))
                return None in places or bool(update.needed_by & {*places})
            case ast.Subscript(slice=ast.Constant(value=place)):
                return place in update.needed_by
        return True

    def _list_places(self, readers: list[ast.AST], key: str) -> Iterator[object]:
        """The places at which code takes a value's parts; None where it takes all."""
        for node in _walk_reads(readers, key):
            yield find_part(self._scopes, node)

    def _check_comprehension(self, statement: ast.stmt, others: list[ast.AST]) -> None:
        match statement:
            case ast.Assign(targets=[target], value=made) if isinstance(
                made, _COMPREHENSIONS
            ):
                key = names.find_key(target)
                found = next(self._list_own_updates(made), None)
                if key and found and not self._takes_all(others, key):
                    self._refuse_in_loop(found)

    def _check_loop(self, loop: Flow, part: Slice, readers: list[ast.AST]) -> None:
        inside = {*walk_breadth_first(loop.statement)}
        after = [n for n in readers if n not in inside]
        body = [
            f.statement
            for f in list_every_flow([loop])
            if f in part.flows and not f.suites
        ]
        for statement in body:
            for node in self._list_own_updates(statement):
                follower = Follower(self._scopes, node)
                for inner in _list_statements(loop.statement):
                    follower.follow(inner)
                carriers = follower.carriers.keys()
                live = [c for c in sorted(carriers) if _reads(after, c)]
                if live and not any(
                    self._is_of_all_rounds(c, body, carriers, after) for c in live
                ):
                    self._refuse_in_loop(node)

    def _is_of_all_rounds(
        self,
        key: str,
        body: list[ast.stmt],
        carriers: Collection[str],
        after: list[ast.AST],
    ) -> bool:
        """Whether a value that a loop makes needs the updates of all its rounds."""
        for statement in body:
            if key not in list_filled(statement):
                continue
            if self._takes_all(after, key):
                return True
        # A value of one round that the next one computes with.
        sources = {key}
        while True:
            more = {
                name
                for s in body
                if names.find_binds(s) & sources
                for name in self._read_by(s) & {*carriers}
            }
            if key in more:
                return True
            if more <= sources:
                return False
            sources |= more

    def _read_by(self, statement: ast.stmt) -> set[str]:
        """What a statement reads, itself or in the headers of blocks around it."""
        return set().union(
            names.find_reads(statement),
            *(names.find_reads(h) for h in list_headers_above(self._scopes, statement)),
        )

    def _takes_all(self, readers: list[ast.AST], key: str) -> bool:
        """Whether code takes a container as a whole, and not only some of it."""
        return any(
            not isinstance(above := self._scopes.parents.get(node), ast.Subscript)
            or above.value is not node
            for node in _walk_reads(readers, key)
        )

    def _find_updates(self, function: ast.AST) -> list[_Update]:
        """The updates that a function makes, itself or by another function."""
        if function not in self._updates:
            self._updates[function] = []  # If it calls itself.
            self._updates[function] = [
                _Update(
                    node,
                    self._find_needing_parts(function, node),
                    self._is_of_averages(node),
                )
                for node in self._list_own_updates(function)
            ]
        return self._updates[function]

    def _is_of_averages(self, node: ast.AST) -> bool:
        """Whether an update, or all those of a function, only move averages."""
        if isinstance(node, ast.Call) and self._is_update(node):
            return self._averages.moves(node)
        return all(
            update.of_averages
            for _, function in self._list_uses(node)
            for update in self._find_updates(function)
        )

    def _list_own_updates(self, code: ast.AST) -> Iterator[ast.AST]:
        """The calls of some code that make updates, without those of functions in it."""
        for node in _walk_own(code):
            if isinstance(node, ast.Call) and self._is_update(node):
                yield node
        for use, function in self._list_uses(code):
            if any(
                not self._is_off(use, function, update)
                for update in self._find_updates(function)
            ):
                yield use

    def _is_off(self, use: ast.AST, function: ast.AST, update: _Update) -> bool:
        """Whether an update of a function is not made at one use of the function."""
        return update.of_averages and self._averages.is_off(use, function)

    def _list_uses(self, code: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
        """Where some code names a function, or has a lambda."""
        methods = reach.find_methods(self._scopes)
        for node in _walk_own(code):
            found: Sequence[ast.AST] = ()
            if isinstance(node, ast.Lambda) and node is not code:
                found = [node]
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                found = reach.find_definitions(self._scopes, node)
            elif isinstance(node, ast.Attribute):
                found = methods.get(node.attr, ())
            for function in found:
                if isinstance(function, (ast.FunctionDef, ast.Lambda)):
                    yield node, function

    def _is_update(self, call: ast.Call) -> bool:
        symbol = self._scopes.resolve(call.func)
        return (
            symbol in roles.ASSIGNMENTS
            or symbol in _PRINTING
            or symbol is None
            and isinstance(call.func, ast.Attribute)
            and call.func.attr in effects.ASSIGNING
            or self._averages.moves(call)
        )

    def _find_needing_parts(self, function: ast.AST, update: ast.AST) -> Parts:
        follower = Follower(self._scopes, update)
        if isinstance(function, ast.Lambda):
            return follower.find_parts(function.body)
        needing: list[Parts] = []
        for statement in _list_statements(function):
            if isinstance(statement, ast.Return):
                if follower.enter(statement) and not self._is_in_other_branch(
                    update, statement
                ):
                    value = statement.value
                    needing.append(follower.find_parts(value) if value else frozenset())
            else:
                follower.follow(statement)
        if not needing:
            return frozenset()
        parts = [p for p in needing if p is not None]
        return frozenset.intersection(*parts) if parts else None

    def _check_parts(self, included: list[Flow], fetched: Sequence[ast.expr]) -> None:
        """Updates that only parts of a tuple, dict or object need, which are not fetched.

        A step has the whole statement, `y, z = x * 2.0, behind_the_update`.
        """
        simple = [flow for flow in included if not flow.suites]
        for flow in simple:
            made = list(self._list_own_updates(flow.statement))
            if flow.update is not None and isinstance(flow.statement, ast.Assign):
                made = [flow.statement.value]
            for node in made:
                reached = [
                    self._reaches(simple, node, fetched, in_parts)
                    for in_parts in (False, True)
                ]
                if reached == [True, False]:
                    self._diagnostics.refuse(
                        "N107",
                        node,
                        "the run fetches a part of a tuple, list, dict or object, and only "
                        "another part needs this update. TensorFlow 1 left it out of the "
                        "run. The step would make it",
                        "Write each part in a statement of its own, with a name of its "
                        "own, and fetch this name.",
                    )

    def _reaches(
        self,
        flows: list[Flow],
        update: ast.AST,
        fetched: Sequence[ast.expr],
        in_parts: bool,
    ) -> bool:
        """Whether what a run fetches needs an update.

        Args:
          in_parts: whether parts of a value are told apart.
        """
        follower = Follower(self._scopes, update, in_parts)
        for flow in flows:
            follower.follow(flow.statement)
        follower.waits = False
        return any(map(follower.needs, fetched))

    def _is_in_other_branch(self, update: ast.AST, statement: ast.stmt) -> bool:
        """Whether an `if` chooses either one or the other."""
        branches = dict(self._list_branches(update))
        return any(
            branch in branches and branches[branch] != field
            for branch, field in self._list_branches(statement)
        )

    def _list_branches(self, node: ast.AST) -> Iterator[tuple[ast.AST, bool]]:
        inner, outer = node, self._scopes.parents.get(node)
        while outer is not None and not isinstance(outer, _FUNCTIONS):
            if isinstance(outer, ast.If):
                yield outer, inner in outer.body
            inner, outer = outer, self._scopes.parents.get(outer)

    def _refuse_in_function(self, update: ast.AST, function: ast.AST) -> None:
        name = getattr(function, "name", "")
        self._diagnostics.refuse(
            "N107",
            update,
            f"{f'`{name}`' if name else 'this lambda'} makes this update, but what the "
            "run fetches does not need it. TensorFlow 1 left it out of the run. The step "
            "would make it",
            "Make the update in a statement of its own, outside of the function, and "
            "fetch it in the runs that shall make it.",
        )

    def _refuse_in_loop(self, update: ast.AST) -> None:
        self._diagnostics.refuse(
            "N107",
            update,
            "each round makes this update, but the run fetches only what some rounds "
            "make. TensorFlow 1 left out the other updates. The step would make all",
            "Write each update in a statement of its own, with a name of its own.",
        )


def _walk_own(code: ast.AST) -> Iterator[ast.AST]:
    """Some code with its lambdas, but without what functions and lambdas in it do."""
    todo = [code]
    while todo:
        node = todo.pop(0)
        yield node
        if node is code and isinstance(node, ast.FunctionDef):
            todo.extend(node.body)
        elif node is code and isinstance(node, ast.Lambda):
            todo.append(node.body)
        elif not isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            todo.extend(ast.iter_child_nodes(node))


def _list_made_in_block(scopes: Scopes, statement: ast.stmt) -> set[str]:
    """The names that the block around a statement gives a value before it."""
    block = scopes.parents.get(statement)
    while not isinstance(block, ast.With):
        block = scopes.parents[block]  # type: ignore[index]
    made: set[str] = set()
    for inner in _list_statements(block):
        if inner is statement:
            break
        made |= names.find_binds(inner)
    return made


def _list_parts(value: ast.expr | None) -> Iterator[ast.expr]:
    """A value, or the parts of a list, tuple or dict."""
    match value:
        case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Dict(values=parts):
            for part in parts:
                yield from _list_parts(part)
        case ast.expr():
            yield value


def _walk_reads(readers: Sequence[ast.AST], key: str) -> Iterator[ast.AST]:
    for reader in readers:
        for node in walk_breadth_first(reader):
            if (
                isinstance(node, (ast.Name, ast.Attribute))
                and isinstance(node.ctx, ast.Load)
                and names.find_key(node) == key
            ):
                yield node


def _reads(readers: Sequence[ast.AST], key: str) -> bool:
    return next(_walk_reads(readers, key), None) is not None


def _list_headers(statement: ast.stmt) -> list[ast.AST]:
    match statement:
        case ast.For(iter=header) | ast.If(test=header) | ast.While(test=header):
            return [header]
        case ast.With(items=items):
            return [item.context_expr for item in items]
    return []


def _list_statements(code: ast.AST) -> list[ast.stmt]:
    """The statements of a function or loop, in the order of their lines."""
    return sorted(
        (n for n in _walk_own(code) if isinstance(n, ast.stmt) and n is not code),
        key=lambda statement: (statement.lineno, statement.col_offset),
    )
