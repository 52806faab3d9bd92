"""Finds loops over towers: they compute gradients, or list losses on devices.

A comprehension that builds towers, or takes their gradients, becomes such a loop.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator

from migrate.facts import names, reach
from migrate.facts.scopes import Scopes, build_scopes
from migrate.normalise.text import Edit, Text
from migrate.source.nodes import find_plain_names, parse_source, walk_breadth_first

# What a function does that builds a tower.
OF_TOWERS = frozenset({"tf.get_variable", "tf.variable_scope", "tf.device"})
_OF_DEVICES = re.compile("device|gpu|tower|replica|worker|task", re.IGNORECASE)
_OF_LOSSES = re.compile("loss|cost|objective", re.IGNORECASE)


def has_gradients(scopes: Scopes, loop: ast.For) -> bool:
    """Whether a loop computes a tower's gradients: by `tf.gradients` on devices only."""
    own = list(_walk_own_nodes(loop.body))
    if any(_computes(scopes, node) for node in own):
        return True
    return any(_takes(scopes, node) for node in own) and any(
        isinstance(node, ast.Call) and scopes.resolve(node.func) == "tf.device"
        for node in own
    )


def takes_gradients(scopes: Scopes, node: ast.AST) -> bool:
    """Whether it is `opt.compute_gradients(...)`, or `tf.gradients(...)`."""
    return _computes(scopes, node) or _takes(scopes, node)


def may_take_gradients(scopes: Scopes, function: ast.expr) -> bool:
    """Whether it is `opt.compute_gradients`, which is called elsewhere."""
    return (
        isinstance(function, ast.Attribute)
        and function.attr == "compute_gradients"
        and scopes.resolve(function) is None
    )


def _computes(scopes: Scopes, node: ast.AST) -> bool:
    """Whether it is `opt.compute_gradients(...)` of an optimizer of the program's."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "compute_gradients"
        and scopes.resolve(node.func) is None
    )


def _takes(scopes: Scopes, node: ast.AST) -> bool:
    """Whether it is `tf.gradients(...)`."""
    return isinstance(node, ast.Call) and scopes.resolve(node.func) == "tf.gradients"


def _walk_own_nodes(body: list[ast.stmt]) -> Iterator[ast.AST]:
    for statement in body:
        yield from names.walk_scope(statement)


def find_loss_loops(scopes: Scopes) -> list[ast.For]:
    """Loops over devices that list losses, or add them up."""
    return [
        node
        for node in walk_breadth_first(scopes.tree)
        if isinstance(node, ast.For)
        and _places(scopes, node)
        and any(True for _ in walk_gathered_losses(scopes, node))
    ]


def shows_towers(scopes: Scopes, loop: ast.For) -> bool:
    """Whether a loop is seen to be over towers, so that this may be told of it.

    Not where it places parts of one model on devices, and not where it makes updates of
    several losses on no device at all.
    """
    if has_gradients(scopes, loop):
        return bool(_OF_DEVICES.search(ast.unparse(loop)))
    lists = {name for name, _, _ in walk_gathered_losses(scopes, loop)}
    if any(_OF_LOSSES.search(name) for name in lists):
        return True
    minimised = [
        node.args[0] if node.args else names.find_argument(node, "loss")
        for node in walk_breadth_first(scopes.tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("minimize", "compute_gradients", "gradients")
    ]
    return any(
        names.find_reads(value) & lists
        for loss in minimised
        if loss is not None
        for value in (loss, *_find_values(scopes, loss))
    )


def _find_values(scopes: Scopes, node: ast.expr) -> list[ast.expr]:
    """Lists the values assigned to a name, anywhere in its scope."""
    if not isinstance(node, ast.Name):
        return []
    owner = scopes.find_scope(node).find_owner(node.id)
    bound = owner.bindings.get(node.id, []) if owner is not None else []
    return [b.value for b in bound if isinstance(b, (ast.Assign, ast.AugAssign))]


def _places(scopes: Scopes, loop: ast.For) -> bool:
    """Whether each round of a loop is on another device of the process."""
    own = find_plain_names(loop.target)
    return any(
        isinstance(node, ast.Call)
        and scopes.resolve(node.func) == "tf.device"
        and bool(names.find_reads(node) & own)
        for block in walk_breadth_first(loop)
        if isinstance(block, ast.With)
        for node in [item.context_expr for item in block.items]
    ) and not any(
        isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and "job:" in node.value
        for node in walk_breadth_first(loop)
    )


def walk_gathered_losses(
    scopes: Scopes, loop: ast.For
) -> Iterator[tuple[str, ast.expr, bool]]:
    """`losses.append(loss)`, or `total += loss`: the name, the value, whether it is a list."""
    for node in walk_breadth_first(loop):
        name, value = "", None
        listed = isinstance(node, ast.Expr)
        call = node.value if isinstance(node, ast.Expr) else None
        if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add):
            if isinstance(node.target, ast.Name):
                name, value = node.target.id, node.value
        elif (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Attribute)
            and call.func.attr == "append"
            and isinstance(call.func.value, ast.Name)
            and len(call.args) == 1
        ):
            name, value = call.func.value.id, call.args[0]
        if value is not None and _begins(scopes, loop, name, listed=listed):
            yield name, value, listed


def _begins(scopes: Scopes, loop: ast.For, name: str, *, listed: bool) -> bool:
    """Whether a name is an empty list, or 0, before a loop that uses it once."""
    bound = scopes.find_scope(loop).bindings.get(name, [])
    before = [b for b in bound if b.lineno < loop.lineno]  # type: ignore[attr-defined]
    if len(before) != 1 or not isinstance(before[0], ast.Assign):
        return False
    made = before[0].value
    empty = isinstance(made, ast.List) and not made.elts
    if not (empty if listed else names.read_literal(made) == 0):
        return False
    uses = [
        n for n in walk_breadth_first(loop) if isinstance(n, ast.Name) and n.id == name
    ]
    return len(uses) == 1


def write_loops(text: Text) -> Text:
    """The text in which comprehensions that call functions for towers are loops.

    Such a function takes gradients, so that its body has to stand in the loop.
    """
    if "compute_gradients" not in text.source:
        return text
    while True:
        new = write_as_loop(text, _takes_gradients_inside)
        if new is None:
            return text
        text = new


def _takes_gradients_inside(scopes: Scopes, value: ast.AST) -> bool:
    """Whether a value calls a function that takes gradients, or makes an object."""
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
        made = scopes.module.bindings.get(value.func.id, [])
        if len(made) == 1 and isinstance(made[0], ast.ClassDef):
            return True
    return any(
        takes_gradients(scopes, node)
        for function in reach.find_reached(scopes, [value])
        for node in walk_breadth_first(function)
    )


def write_map_out(text: Text) -> Text | None:
    """`losses = list(map(lambda x: tower_loss(x), xs))` as a comprehension."""
    tree = parse_source(text.source)
    scopes = build_scopes(tree)
    for statement in walk_breadth_first(tree):
        match statement:
            case ast.Assign(
                targets=[ast.Name()],
                value=ast.Call(
                    func=ast.Name(id="list"),
                    args=[
                        ast.Call(
                            func=ast.Name(id="map"), args=[function, over], keywords=[]
                        )
                    ],
                    keywords=[],
                ) as made,
            ):
                pass
            case _:
                continue
        shown = ast.unparse(function)
        if not may_take_gradients(scopes, function) and not (
            builds_tower(scopes, function)
        ):
            continue
        match function:
            case ast.Lambda(
                args=ast.arguments(
                    posonlyargs=[],
                    args=[ast.arg(arg=item)],
                    vararg=None,
                    kwonlyargs=[],
                    kwarg=None,
                    defaults=[],
                ),
                body=body,
            ):
                each = text.flatten_segment(body)
            case ast.Name() | ast.Attribute():
                item = names.find_free_name(tree, "item")
                each = f"{shown}({item})"
            case _:
                continue
        new = f"[{each} for {item} in {text.flatten_segment(over)}]"
        return text.apply_edits([Edit(made, new)])
    return None


def write_as_loop(
    text: Text, builds: Callable[[Scopes, ast.AST], bool] | None = None
) -> Text | None:
    """`losses = [tower_loss(x) for x in xs]`, where towers are built, as a loop."""
    tree = parse_source(text.source)
    scopes = build_scopes(tree)
    for statement in walk_breadth_first(tree):
        match statement:
            case ast.Assign(
                targets=[ast.Name(id=name)],
                value=ast.ListComp(generators=[ast.comprehension(ifs=[])]) as made,
            ):
                pass
            case ast.Assign(
                targets=[ast.Name(id=name)],
                value=ast.Call(
                    func=ast.Name(id="list"),
                    args=[
                        ast.GeneratorExp(generators=[ast.comprehension(ifs=[])]) as made
                    ],
                    keywords=[],
                ),
            ):
                pass
            case _:
                continue
        (generator,) = made.generators
        if (
            not text.is_alone(statement)
            or not (builds or builds_tower)(scopes, made.elt)
            or not _begins_list(scopes, statement, name, made)
        ):
            continue
        rename = _name_apart(scopes, generator.target, made)
        if rename is None:
            continue
        edited = text.apply_edits(
            [
                Edit(node, rename[node.id])
                for node in walk_breadth_first(made)
                if isinstance(node, ast.Name)
                and rename.get(node.id, node.id) != node.id
                and _is_own(scopes, node, made)
            ]
        )
        again = parse_source(edited.source)
        same = next(
            node
            for node in walk_breadth_first(again)
            if isinstance(node, type(made))
            and (node.lineno, node.col_offset) == (made.lineno, made.col_offset)
        )
        assert isinstance(same, (ast.ListComp, ast.GeneratorExp))
        over = same.generators[0]
        indent = text.lines[statement.lineno - 1][: statement.col_offset]
        lines = [
            f"{indent}{name} = []",
            f"{indent}for {edited.flatten_segment(over.target)} in {edited.flatten_segment(over.iter)}:",
            f"{indent}    {name}.append({edited.flatten_segment(same.elt)})",
        ]
        origins = [text.origins[statement.lineno - 1]] * len(lines)
        return text.splice(
            statement.lineno, statement.end_lineno or statement.lineno, lines, origins
        )
    return None


def builds_tower(scopes: Scopes, value: ast.AST) -> bool:
    """Whether a value takes gradients, or calls a function that makes shared variables."""
    if any(takes_gradients(scopes, node) for node in walk_breadth_first(value)):
        return True
    return any(
        isinstance(node, ast.Call) and scopes.resolve(node.func) in OF_TOWERS
        for function in reach.find_reached(scopes, [value])
        for node in walk_breadth_first(function)
    )


def _begins_list(
    scopes: Scopes, statement: ast.stmt, name: str, made: ast.expr
) -> bool:
    """Whether nothing reads a list before it is whole, and nothing else has its name."""
    owner = scopes.find_scope(statement)
    return len(owner.bindings.get(name, [])) == 1 and all(
        node.lineno > (made.end_lineno or made.lineno)
        and scopes.find_scope(node).find_owner(name) is owner
        for node in walk_breadth_first(scopes.tree)
        if isinstance(node, ast.Name)
        and node.id == name
        and isinstance(node.ctx, ast.Load)
    )


def _name_apart(
    scopes: Scopes, target: ast.expr, made: ast.expr
) -> dict[str, str] | None:
    """Names for a comprehension's targets that nothing outside of it has."""
    if any(
        isinstance(node, ast.Starred | ast.Attribute | ast.Subscript)
        for node in walk_breadth_first(target)
    ):
        return None
    inside = set(walk_breadth_first(made))
    taken = {
        found
        for node in walk_breadth_first(scopes.tree)
        if node not in inside
        for found in names.list_own_names(node)
    }
    rename = {}
    for name in sorted(find_plain_names(target)):
        rename[name] = names.choose_free_name(taken, name)
        taken.add(rename[name])
    return rename


def _is_own(
    scopes: Scopes, node: ast.Name, made: ast.ListComp | ast.GeneratorExp
) -> bool:
    """Whether a name is one that a comprehension binds."""
    owner = scopes.find_scope(node).find_owner(node.id)
    return owner is not None and owner is scopes.find_scope(made.elt)
