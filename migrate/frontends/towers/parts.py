"""TF1 to TF1: lists of what belongs to one tower each, as a list for each of the parts.

`tower_grads, losses = [], []` becomes two statements; `tower_grads = [None] * n`, filled by
`tower_grads[i] = grads`, an empty list to which is appended. A list of tuples, dicts or named
tuples becomes a list for each of their parts.
"""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.scopes import Scopes, build_scopes
from migrate.frontends.towers.objects import find_taking, find_unpacked
from migrate.frontends.towers.rounds import (
    find_begun_list,
    find_count,
    is_appended,
    is_in_loop,
    walk_unconditional,
)
from migrate.normalise.text import (
    Edit,
    Text,
    find_lines_inside_strings,
)
from migrate.source.nodes import find_plain_names, parse_source, walk_breadth_first


def split_one_by_one(text: Text) -> Text | None:
    """`a, b = [], []`, or `a, b = [], 0`, as two assignments."""
    for node in walk_breadth_first(parse_source(text.source)):
        if not (
            isinstance(node, ast.Assign)
            and len(node.targets) == 1
            and isinstance(node.targets[0], ast.Tuple)
            and isinstance(node.value, ast.Tuple)
            and len(node.targets[0].elts) == len(node.value.elts)
            and any(isinstance(v, ast.List) and not v.elts for v in node.value.elts)
            and text.is_alone(node)
        ):
            continue
        pairs = list(zip(node.targets[0].elts, node.value.elts, strict=True))
        if not all(
            isinstance(t, ast.Name)
            and (
                isinstance(v, ast.Constant) or (isinstance(v, ast.List) and not v.elts)
            )
            for t, v in pairs
        ):
            continue
        indent = text.lines[node.lineno - 1][: node.col_offset]
        lines = [f"{indent}{ast.unparse(t)} = {ast.unparse(v)}" for t, v in pairs]
        origins = [text.origins[node.lineno - 1]] * len(lines)
        return text.splice(node.lineno, node.end_lineno or node.lineno, lines, origins)
    return None


def write_as_append(text: Text) -> Text | None:
    """`grads = [None] * n`, and `grads[i] = ...` in a loop over `range(n)`, as `append`."""
    tree = parse_source(text.source)
    scopes = build_scopes(tree)
    for statement in walk_breadth_first(tree):
        if not (
            isinstance(statement, ast.Assign)
            and len(statement.targets) == 1
            and isinstance(statement.targets[0], ast.Subscript)
            and isinstance(statement.targets[0].value, ast.Name)
            and isinstance(statement.targets[0].slice, ast.Name)
        ):
            continue
        target = statement.targets[0].value
        count = find_count(scopes, statement, statement.targets[0].slice.id)
        owner = scopes.find_scope(target).find_owner(target.id)
        made = owner.bindings.get(target.id, []) if owner is not None else []
        begun = made[0] if len(made) == 1 else None
        if count is None or not isinstance(begun, ast.Assign):
            continue
        edits: list[Edit] | None = []
        if ast.unparse(begun.value) not in (f"[None] * {count}", f"{count} * [None]"):
            edits = _list_values(scopes, target, begun, statement)
        if edits is None:
            continue
        value = text.find_segment(statement.value)
        if "\n" in value:
            value = ast.unparse(statement.value)
        return text.apply_edits(
            [
                Edit(begun.value, "[]"),
                Edit(statement, f"{target.id}.append({value})"),
                *edits,
            ]
        )
    return None


def _list_values(
    scopes: Scopes, target: ast.Name, begun: ast.Assign, filling: ast.stmt
) -> list[Edit] | None:
    """The uses of a dict with the towers' numbers as keys, as uses of a list.

    None if it is used for more than its values, in their order.
    """
    if not (isinstance(begun.value, ast.Dict) and not begun.value.keys):
        return None
    owner = scopes.find_scope(target).find_owner(target.id)
    inside = set(walk_breadth_first(filling))
    edits = []
    for node in walk_breadth_first(scopes.tree):
        if not (
            isinstance(node, ast.Name)
            and node.id == target.id
            and isinstance(node.ctx, ast.Load)
            and node not in inside
            and scopes.find_scope(node).find_owner(node.id) is owner
        ):
            continue
        method = scopes.parents[node]
        call = scopes.parents.get(method)
        if not (
            isinstance(method, ast.Attribute)
            and method.attr == "values"
            and isinstance(call, ast.Call)
            and call.func is method
            and node.lineno > filling.lineno
        ):
            return None
        around = scopes.parents[call]
        listed = isinstance(around, ast.Call) and names.find_key(around.func) == "list"
        edits.append(Edit(around if listed else call, target.id))
    return edits


def write_as_addition(text: Text) -> Text | None:
    """`total = total + loss`, in a loop, as `total += loss`."""
    tree = parse_source(text.source)
    scopes = build_scopes(tree)
    for statement in walk_breadth_first(tree):
        match statement:
            case ast.Assign(
                targets=[ast.Name(id=name)],
                value=ast.BinOp(left=ast.Name(id=left), op=ast.Add(), right=more),
            ) if name == left and name not in find_plain_names(more):
                pass
            case _:
                continue
        if not (text.is_alone(statement) and is_in_loop(scopes, statement)):
            continue
        begun = scopes.find_scope(statement).bindings.get(name, [])[:1]
        number = begun[0].value if begun and isinstance(begun[0], ast.Assign) else None
        if number is None or names.read_literal(number) != 0:
            continue  # `+=` may change what other names stand for, too.
        new = f"{name} += {text.flatten_segment(more)}"
        return text.apply_edits([Edit(statement, new)])
    return None


def show_tuples(text: Text) -> Text | None:
    """`one = loss, grads`, which is put into a list and nothing else, as it is put there."""
    tree = parse_source(text.source)
    scopes = build_scopes(tree)
    for loop in walk_breadth_first(tree):
        for statement in loop.body if isinstance(loop, ast.For) else ():
            if not is_appended(statement):
                continue
            given = statement.value.args[0]  # type: ignore[attr-defined]
            if not isinstance(given, ast.Name):
                continue
            owner = scopes.find_scope(given)
            match owner.bindings.get(given.id, []):
                case [
                    ast.Assign(
                        targets=[ast.Name()], value=ast.Tuple(elts=parts)
                    ) as made
                ]:
                    pass
                case _:
                    continue
            uses = [
                node
                for node in walk_breadth_first(tree)
                if isinstance(node, ast.Name) and node.id == given.id
            ]
            kept = [part for part in parts if isinstance(part, ast.Name)]
            if (
                len(uses) != 2
                or made not in set(walk_breadth_first(loop))
                or not all(map(text.is_alone, (made, statement)))
                or find_lines_inside_strings(made)
                or len(kept) == len(parts)
                or any(isinstance(part, ast.Starred) for part in parts)
                or any(len(owner.bindings.get(n.id, [])) != 1 for n in kept)
            ):
                continue
            taken = names.list_names_of_tree(tree)
            shown, lines = [], []
            for at, part in enumerate(parts):
                if isinstance(part, ast.Name):
                    shown.append(part.id)
                    continue
                shown.append(names.choose_free_name(taken, f"{given.id}_{at}"))
                taken.add(shown[-1])
                indent = text.find_indentation(made)
                lines.append(f"{indent}{shown[-1]} = {text.flatten_segment(part)}")
            origins = [text.origins[made.lineno - 1]] * len(lines)
            edited = text.apply_edits([Edit(given, f"({', '.join(shown)})")])
            last = made.end_lineno or made.lineno
            return edited.splice(made.lineno, last, lines, origins)
    return None


def divide_lists(text: Text) -> Text | None:
    """A list of what belongs to one tower each, as a list for each of the parts.

    towers.append((loss, grads))              losses.append(loss); all_grads.append(grads)
    losses, all_grads = zip(*towers)
    """
    tree = parse_source(text.source)
    scopes = build_scopes(tree)
    for loop in walk_breadth_first(tree):
        if not isinstance(loop, ast.For):
            continue
        for statement in walk_unconditional(loop.body):
            if not (is_appended(statement) and text.is_alone(statement)):
                continue
            call = statement.value  # type: ignore[attr-defined]
            parts = _list_parts(scopes, call.args[0])
            if parts is None or find_lines_inside_strings(statement):
                continue
            new = _write_parts(text, scopes, loop, statement, parts)
            if new is not None:
                return new
    return None


def split_blocks(text: Text) -> Text | None:
    """`with tf.device(device), tf.variable_scope("net"):`, in a loop, as two blocks."""
    tree = parse_source(text.source)
    scopes = build_scopes(tree)
    for block in walk_breadth_first(tree):
        if not (isinstance(block, ast.With) and len(block.items) > 1):
            continue
        first, *rest = block.items
        call = first.context_expr
        symbols = {
            scopes.resolve(item.context_expr.func)
            for item in rest
            if isinstance(item.context_expr, ast.Call)
        }
        header = max(
            n.end_lineno or n.lineno
            for item in block.items
            for n in (item.context_expr, item.optional_vars or item.context_expr)
        )
        if (
            not isinstance(call, ast.Call)
            or scopes.resolve(call.func) not in ("tf.device", "tf.name_scope")
            or "tf.variable_scope" not in symbols
            or not is_in_loop(scopes, block)
            or not text.is_alone(block)
            or find_lines_inside_strings(block)
            or block.body[0].lineno <= header
        ):
            continue
        outer = text.find_indentation(block)
        step = text.find_indentation(block.body[0]).removeprefix(outer)
        last = block.end_lineno or block.lineno
        shown = [
            text.flatten_segment(item.context_expr)
            + (f" as {ast.unparse(item.optional_vars)}" if item.optional_vars else "")
            for item in block.items
        ]
        lines = [
            f"{outer}with {shown[0]}:",
            f"{outer}{step}with {', '.join(shown[1:])}:",
            *(step + li if li.strip() else li for li in text.lines[header:last]),
        ]
        at = text.origins[block.lineno - 1]
        origins = [at, at, *text.origins[header:last]]
        return text.splice(block.lineno, last, lines, origins)
    return None


def _list_parts(scopes: Scopes, value: ast.expr) -> dict[object, ast.expr] | None:
    """The parts of a tuple, a dict or a named tuple, by their numbers and names."""
    if isinstance(value, ast.Tuple | ast.List):
        if any(isinstance(e, ast.Starred) for e in value.elts):
            return None
        return dict(enumerate(value.elts)) if len(value.elts) > 1 else None
    if isinstance(value, ast.Dict):
        keys = [names.read_literal(key) for key in value.keys]
        known = all(isinstance(key, str) for key in keys)
        return dict(zip(keys, value.values, strict=True)) if known else None
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Name):
        return None
    owner = scopes.find_scope(value).find_owner(value.func.id)
    match owner.bindings[value.func.id] if owner is not None else []:
        case [
            ast.Assign(
                targets=[ast.Name()], value=ast.Call(func=made, args=[_, listed])
            )
        ] if names.get_last_part(made) == "namedtuple":
            fields = names.read_literal(listed)
        case _:
            return None
    if isinstance(fields, str):
        fields = fields.replace(",", " ").split()
    if not isinstance(fields, list | tuple):
        return None
    bound = names.bind_arguments(value, tuple(map(str, fields)))
    if bound is None or len(bound) != len(fields):
        return None
    return {field: bound[field] for field in fields}


def _write_parts(
    text: Text,
    scopes: Scopes,
    loop: ast.For,
    statement: ast.stmt,
    parts: dict[object, ast.expr],
) -> Text | None:
    """The text with a list for each part; None if the whole list is used otherwise."""
    call = statement.value  # type: ignore[attr-defined]
    name = call.func.value.id
    owner = scopes.find_scope(loop)
    made = find_begun_list(text, scopes, loop, name)
    if made is None:
        return None
    keys = list(parts)
    taken = names.list_names_of_tree(scopes.tree)
    own: dict[object, str] = {}
    edits: list[Edit] = []
    gone: list[ast.stmt] = []
    for node in walk_breadth_first(scopes.tree):
        if not (
            isinstance(node, ast.Name)
            and node.id == name
            and isinstance(node.ctx, ast.Load)
            and node is not call.func.value
        ):
            continue
        if node.lineno < (loop.end_lineno or 0) or (
            scopes.find_scope(node).find_owner(name) is not owner
        ):
            return None
        unpacked = find_unpacked(scopes, node, keys)
        if unpacked is not None:
            if not text.is_alone(unpacked) or gone:
                return None
            gone.append(unpacked)
            targets = unpacked.targets[0].elts  # type: ignore[attr-defined]
            for key, target in zip(keys, targets, strict=True):
                if len(owner.bindings.get(target.id, [])) != 1:
                    return None
                own[key] = target.id
            continue
        taking = find_taking(scopes, node, keys)
        if taking is None:
            return None
        key, whole = taking
        edits.append(Edit(whole, f"\0{keys.index(key)}"))
    for at, key in enumerate(keys):
        if key not in own:
            word = key if isinstance(key, str) and key.isidentifier() else str(at)
            own[key] = names.choose_free_name(taken, f"{name}_{word}")
            taken.add(own[key])
    edits = [Edit(e.node, own[keys[int(e.new[1:])]]) for e in edits]
    edited = text.apply_edits(edits)
    inner, outer = text.find_indentation(statement), text.find_indentation(made)
    changes = [
        (
            statement,
            [
                f"{inner}{own[k]}.append({text.flatten_segment(v)})"
                for k, v in parts.items()
            ],
        ),
        (made, [f"{outer}{own[k]} = []" for k in keys]),
        *((s, []) for s in gone),
    ]
    for one, lines in sorted(changes, key=lambda c: -c[0].lineno):
        origins = [text.origins[one.lineno - 1]] * len(lines)
        edited = edited.splice(one.lineno, one.end_lineno or one.lineno, lines, origins)
    return edited
