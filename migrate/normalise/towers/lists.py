"""The lists that a loop over towers fills, its gradients' among them.

A loop over what another loop has listed, directly after it, becomes a part of that loop:

    for x in xs:                              for x in xs:
        losses.append(tower_loss(x))              tower_loss_ = tower_loss(x)
    for loss in losses:                           losses.append(tower_loss_)
        grads.append(opt.compute_gradients(loss)) loss = tower_loss_
                                                  grads.append(opt.compute_gradients(loss))
"""

from __future__ import annotations

import ast
import dataclasses
import re

from migrate.facts import names, reach
from migrate.facts.scopes import Scopes, build_scopes
from migrate.normalise.text import Edit, Text, find_lines_inside_strings
from migrate.normalise.towers import averages, loops
from migrate.normalise.towers.view import Unclear, View
from migrate.source.nodes import JUMPS, parse_source, walk_breadth_first

# What gives one tensor of many gradients.
_TENSORS = frozenset(
    {"tf.global_norm", "tf.norm", "tf.add_n", "tf.reduce_sum", "tf.reduce_mean"}
    | {"tf.reduce_max", "tf.sqrt", "tf.stack", "tf.concat"}
)
# What a loop may do beside taking gradients, so that it may be a part of another one.
_BESIDE_GRADIENTS = frozenset(
    {"tf.device", "tf.name_scope", "tf.trainable_variables", "tf.identity"}
    | {"tf.clip_by_value", "tf.clip_by_norm", "tf.clip_by_global_norm"}
)


@dataclasses.dataclass(frozen=True)
class Gradients:
    """A tower's gradients.

    Attributes:
      name: their name in a tower.
      made: how they are made, where that is no statement of its own.
      appended: the statement that puts them into the list of all towers.
      listed: that list's name.
      average: where they are averaged.
    """

    name: str
    made: str | None
    appended: ast.stmt
    listed: str
    average: averages.Average


def read_append(view: View, statement: ast.stmt) -> tuple[str, str] | None:
    """`losses.append(loss)` as (list, value)."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if (
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr == "append"
        and isinstance(call.func.value, ast.Name)
        and len(call.args) == 1
    ):
        return call.func.value.id, view.flatten_expression(call.args[0])
    return None


def find_filled_lists(view: View, body: list[ast.stmt]) -> dict[str, ast.Assign]:
    """The lists, each with the statement that makes it empty, before the loop.

    Raises:
      Unclear: one is used otherwise in the loop, or not seen to be empty before it.
    """
    found: dict[str, ast.Assign] = {}
    scope = view.scopes.find_scope(view.loop)
    for statement in body:
        listed = read_append(view, statement)
        if listed is None:
            continue
        made = [
            b
            for b in scope.bindings.get(listed[0], [])
            if isinstance(b, ast.Assign)
            and isinstance(b.value, ast.List)
            and not b.value.elts
            and b.lineno < view.loop.lineno
            and view.text.is_alone(b)
        ]
        uses = [n for n in view.inside if isinstance(n, ast.Name) and n.id == listed[0]]
        if len(made) != 1 or len(uses) != 1 or listed[0] in found:
            raise Unclear
        found[listed[0]] = made[0]
    return found


def find_gradients(view: View, body: list[ast.stmt], count: str) -> list[Gradients]:
    """Finds a tower's gradients, and the average of each list of all towers'.

    Raises:
      Unclear: they are in no list, or its average is not seen.
    """
    computed = _find_computed_names(view, body)
    found: list[Gradients] = []
    for statement in body:
        listed = read_append(view, statement)
        if listed is None:
            continue
        assert isinstance(statement, ast.Expr)
        assert isinstance(statement.value, ast.Call)
        value = statement.value.args[0]
        if not (names.find_reads(value) & computed or _computes(view, value)):
            continue
        average = averages.find(view.scopes, view.loop, listed[0], count)
        average = average or averages.find(
            view.scopes, view.loop, listed[0], count, pairs=False
        )
        if average is None:
            if _is_tensor(view, value):
                continue  # A norm of theirs.
            raise Unclear(
                "the program does not average the towers' gradients, or only some of "
                "them"
            )
        own = value.id if isinstance(value, ast.Name) else None
        name = own or _find_free_name(view, found)
        made = None if own else listed[1]
        found.append(Gradients(name, made, statement, listed[0], average))
    if not found:
        raise Unclear
    return found


def _find_free_name(view: View, found: list[Gradients]) -> str:
    """A name for gradients that have none."""
    name = view.choose_free_name("tower_gradients")
    number = 2
    while name in {gradients.name for gradients in found}:
        name, number = view.choose_free_name(f"tower_gradients_{number}"), number + 1
    return name


def _find_computed_names(view: View, body: list[ast.stmt]) -> set[str]:
    """Names of a tower's gradients, and of what it makes of them."""
    found: set[str] = set()
    for statement in body:
        if isinstance(statement, ast.Assign) and (
            _computes(view, statement.value)
            or names.find_reads(statement.value) & found
        ):
            found |= names.find_binds(statement)
    return found


def _computes(view: View, value: ast.expr) -> bool:
    return any(view.computes(node) for node in walk_breadth_first(value))


def _is_tensor(view: View, value: ast.expr) -> bool:
    """Whether a value is seen to be one tensor: what a function of TensorFlow gives."""
    if isinstance(value, ast.Name):
        bound = [
            s.value
            for s in view.scopes.find_scope(view.loop).bindings.get(value.id, [])
            if isinstance(s, ast.Assign)
        ]
        return len(bound) == 1 and _is_tensor(view, bound[0])
    return (
        isinstance(value, ast.Call)
        and (view.scopes.resolve(value.func) or "") in _TENSORS
    )


def join_loops(text: Text) -> Text | None:
    """A loop over what the loop before it has listed, as a part of that loop."""
    tree = parse_source(text.source)
    scopes = build_scopes(tree)
    for parent in walk_breadth_first(tree):
        for _, suite in (
            names.list_suites(parent)
            if isinstance(parent, ast.stmt)
            else [("body", parent.body)]
            if isinstance(parent, ast.Module)
            else []
        ):
            for at, second in enumerate(suite):
                before = at - 1
                while before >= 0 and _may_move(scopes, suite[before]):
                    before -= 1
                first = suite[before] if before >= 0 else None
                if not (isinstance(second, ast.For) and isinstance(first, ast.For)):
                    continue
                new = _join_two(text, scopes, first, second, suite[before + 1 : at])
                if new is not None:
                    return new
    return None


def _may_move(scopes: Scopes, statement: ast.stmt) -> bool:
    """Whether it only names a constant, an empty list, an optimizer or the variables."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            pass
        case _:
            return False
    if len(scopes.find_scope(statement).bindings.get(name, [])) != 1:
        return False
    if isinstance(value, ast.Constant):
        return True
    if isinstance(value, ast.List):
        return not value.elts
    if _lists_variables(scopes, statement):
        return True
    symbol = scopes.resolve(value.func) if isinstance(value, ast.Call) else None
    return bool(re.fullmatch(r"tf\.train\.\w+Optimizer", symbol or "")) and not any(
        isinstance(node, ast.Call) and node is not value
        for node in walk_breadth_first(value)
    )


def _lists_variables(scopes: Scopes, statement: ast.stmt) -> bool:
    """`variables = tf.trainable_variables()`, which each tower's own are the same as."""
    match statement:
        case ast.Assign(value=ast.Call(args=[], keywords=[]) as call):
            return scopes.resolve(call.func) == "tf.trainable_variables"
    return False


@dataclasses.dataclass(frozen=True)
class _Listed:
    """What a second loop takes from the list that the first one fills.

    Attributes:
      name: the list's.
      appended: `losses.append(loss)` in the first loop.
      item: the second loop's name for an item, if it has one.
      index: its name for an item's number, if it has one.
      uses: `losses[i]`.
    """

    name: str
    appended: ast.Expr
    item: str | None
    index: str | None
    uses: tuple[ast.Subscript, ...] = ()

    @property
    def value(self) -> ast.expr:
        assert isinstance(self.appended.value, ast.Call)
        return self.appended.value.args[0]


def _join_two(
    text: Text,
    scopes: Scopes,
    first: ast.For,
    second: ast.For,
    between: list[ast.stmt],
) -> Text | None:
    """The text with the second loop's body at the end of the first one's."""
    listed = _read_listed(scopes, first, second)
    parts = [first, second, *between]
    if listed is None or not all(map(text.is_alone, [*parts, listed.appended])):
        return None
    if any(find_lines_inside_strings(s) for s in parts):
        return None
    if not _takes_only_gradients(scopes, second):
        return None
    if not _is_apart(scopes, first, second, between, listed):
        return None
    taken = names.list_names_of_tree(scopes.tree)
    value, item = listed.value, listed.item
    held, put = "", []
    if isinstance(value, ast.Name) and not _is_bound_after(first, value):
        held = value.id
    else:
        held = names.choose_free_name(taken, "tower_loss")
        indent = text.find_indentation(listed.appended)
        put = [f"{indent}{held} = {text.flatten_segment(value)}"]
    edits = [Edit(use, held) for use in listed.uses]
    edits += [Edit(value, held)] if put else []
    inner = text.find_indentation(first.body[0])
    own = [f"{inner}{item} = {held}"] if item not in (None, held) else []
    counted = find_index(first)
    if listed.index is not None and counted is None:
        shown = text.flatten_segment(first.target)
        shown = f"({shown})" if isinstance(first.target, ast.Tuple) else shown
        edits.append(Edit(first.target, f"{listed.index}, {shown.replace('((', '(')}"))
        edits.append(Edit(first.iter, f"enumerate({text.flatten_segment(first.iter)})"))
    elif listed.index not in (None, counted):
        own.append(f"{inner}{listed.index} = {counted}")
    edited = text.apply_edits(edits)
    end, last = first.end_lineno or first.lineno, second.end_lineno or second.lineno
    at = listed.appended.lineno
    outer = text.find_indentation(second.body[0])
    rows: list[tuple[str, int]] = []
    late: list[tuple[str, int]] = []
    for statement in between:
        span = range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)
        lines = [(edited.lines[n - 1], text.origins[n - 1]) for n in span]
        if _lists_variables(scopes, statement):
            late += [(inner + line.strip(), origin) for line, origin in lines]
        else:
            rows += lines
    for n in range(first.lineno, end + 1):
        rows += [(line, text.origins[n - 1]) for line in put if n == at]
        rows.append((edited.lines[n - 1], text.origins[n - 1]))
    rows += late
    rows += [(line, text.origins[second.lineno - 1]) for line in own]
    for n in range(second.body[0].lineno, last + 1):
        line = edited.lines[n - 1]
        line = inner + line.removeprefix(outer) if line.strip() else ""
        rows.append((line, text.origins[n - 1]))
    return text.splice(
        first.lineno, last, [line for line, _ in rows], [origin for _, origin in rows]
    )


def find_index(loop: ast.For) -> str | None:
    """The name of a loop's that counts its rounds."""
    match loop:
        case ast.For(
            target=ast.Name(id=name),
            iter=ast.Call(func=ast.Name(id="range" | "xrange"), args=[_]),
        ):
            return name
        case ast.For(
            target=ast.Tuple(elts=[ast.Name(id=name), _]),
            iter=ast.Call(func=ast.Name(id="enumerate"), args=[_], keywords=[]),
        ):
            return name
    return None


def _is_bound_after(loop: ast.For, name: ast.Name) -> bool:
    """Whether a loop gives a name another value after it is put into a list."""
    return any(
        isinstance(node, ast.Name)
        and node.id == name.id
        and isinstance(node.ctx, ast.Store)
        and node.lineno > name.lineno
        for node in walk_breadth_first(loop)
    )


def _read_listed(scopes: Scopes, first: ast.For, second: ast.For) -> _Listed | None:
    """Reads the list that the first loop fills, and that the second one goes over."""
    item: str | None = None
    index: str | None = None
    match second:
        case ast.For(target=ast.Name(id=item), iter=ast.Name(id=name)):
            pass
        case ast.For(
            target=ast.Tuple(elts=[ast.Name(id=index), ast.Name(id=item)]),
            iter=ast.Call(
                func=ast.Name(id="enumerate"), args=[ast.Name(id=name)], keywords=[]
            ),
        ):
            pass
        case ast.For(
            target=ast.Name(id=index),
            iter=ast.Call(func=ast.Name(id="range" | "xrange"), args=[count]),
        ):
            name = _find_indexed(first, second, index)
            same = isinstance(first.iter, ast.Call) and (
                ast.unparse(second.iter) == ast.unparse(first.iter)
            )
            if not (name and (same or ast.unparse(count) == f"len({name})")):
                return None
        case _:
            return None
    owner = scopes.find_scope(first)
    made = owner.bindings.get(name, [])
    match made:
        case [ast.Assign(targets=[_], value=ast.List(elts=[]))]:
            pass
        case _:
            return None
    nodes = [
        node
        for node in walk_breadth_first(scopes.tree)
        if isinstance(node, ast.Name)
        and node.id == name
        and isinstance(node.ctx, ast.Load)
    ]
    uses: list[ast.Subscript] = []
    appended: list[ast.Expr] = []
    inside, within = set(walk_breadth_first(first)), set(walk_breadth_first(second))
    for node in nodes:
        if node in inside:
            statement = _find_append(scopes, first, node)
            if statement is None:
                return None
            appended.append(statement)
        elif node in within:
            around = scopes.parents[node]
            if around is second or around in walk_breadth_first(second.iter):
                continue
            if item is None and isinstance(around, ast.Subscript):
                uses.append(around)
                continue
            return None
        elif node.lineno < second.lineno or (
            scopes.find_scope(node).find_owner(name) is not owner
        ):
            return None
    if len(appended) != 1 or made[0].lineno > first.lineno:  # type: ignore[attr-defined]
        return None
    return _Listed(name, appended[0], item, index, tuple(uses))


def _find_indexed(first: ast.For, second: ast.For, index: str) -> str:
    """The one list that a loop fills, and of which the second reads the item `index`."""
    filled = {
        names.find_key(node.func.value)
        for node in walk_breadth_first(first)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "append"
    }
    found = {
        node.value.id
        for statement in second.body
        for node in walk_breadth_first(statement)
        if isinstance(node, ast.Subscript)
        and isinstance(node.ctx, ast.Load)
        and isinstance(node.value, ast.Name)
        and node.value.id in filled
        and names.find_key(node.slice) == index
    }
    return found.pop() if len(found) == 1 else ""


def _find_append(scopes: Scopes, loop: ast.For, name: ast.Name) -> ast.Expr | None:
    """Finds `losses.append(loss)` of each round, given the name of the list in it."""
    method = scopes.parents[name]
    call = scopes.parents.get(method)
    statement = scopes.parents.get(call) if call is not None else None
    if not (
        isinstance(method, ast.Attribute)
        and method.attr == "append"
        and isinstance(call, ast.Call)
        and call.func is method
        and len(call.args) == 1
        and isinstance(statement, ast.Expr)
    ):
        return None
    around = scopes.parents[statement]
    while isinstance(around, ast.With):
        around = scopes.parents[around]
    return statement if around is loop else None


def _takes_only_gradients(scopes: Scopes, loop: ast.For) -> bool:
    """Whether a loop takes gradients, and does nothing that may not be done earlier."""
    if loop.orelse:
        return False
    takes = False
    for statement in loop.body:
        for node in walk_breadth_first(statement):
            if isinstance(node, ast.stmt) and not isinstance(
                node, ast.Expr | ast.Assign | ast.With
            ):
                return False
            if not isinstance(node, ast.Call):
                continue
            symbol = scopes.resolve(node.func) or ""
            if loops.takes_gradients(scopes, node):
                takes = True
            elif not (
                symbol in _BESIDE_GRADIENTS
                or names.find_key(node.func) in ("zip", "list", "str")
                or (isinstance(node.func, ast.Attribute) and _is_plain_method(node))
            ):
                return False
    return takes


def _is_plain_method(call: ast.Call) -> bool:
    assert isinstance(call.func, ast.Attribute)
    text = isinstance(call.func.value, ast.Constant)
    return call.func.attr == "append" or (text and call.func.attr == "format")


def _is_apart(
    scopes: Scopes,
    first: ast.For,
    second: ast.For,
    between: list[ast.stmt],
    listed: _Listed,
) -> bool:
    """Whether rounds of two loops do the same one after the other and in turn."""
    reached = reach.find_reached(scopes, [first])
    if first.orelse or any(
        isinstance(node, (*JUMPS, ast.Global, ast.Nonlocal, ast.Yield, ast.NamedExpr))
        and not (isinstance(node, ast.Return) and part is not first)
        for part in (first, *reached)
        for node in walk_breadth_first(part)
    ):
        return False
    bound = names.find_binds(first)
    known = bound.union(*[names.find_reads(part) for part in (first, *reached)])
    own = {listed.item, listed.index}
    reads = set().union(*[names.find_reads(s) for s in second.body])
    binds = set().union(*[names.find_binds(s) for s in second.body])
    filled = {
        names.find_key(node.func.value)
        for node in walk_breadth_first(second)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "append"
    }
    if (reads & bound) - own or (binds | filled) & known:
        return False
    if listed.name in reads and not listed.uses:
        return False
    if listed.index is not None and listed.index != find_index(first):
        if listed.index in known:
            return False
    if listed.item in known and listed.item not in bound:
        return False
    moved = set().union(*[names.find_reads(s) for s in between])
    named = set().union(*[names.find_binds(s) for s in between])
    return not (moved & (bound | {listed.name}) or named & known)
