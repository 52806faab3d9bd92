"""TF1 to TF1: spellings of a loop over towers that need a line of their own.

`tower_grads, losses = [], []` becomes two statements; `tower_grads = [None] * n`, filled by
`tower_grads[i] = grads`, an empty list to which is appended. In a block of a variable scope
around a tower's whole body, what follows its variables - gradients and lists - leaves
the block: names and variables of it are none of theirs.

A list of what belongs to one tower each - a tuple, a dict, a named tuple - becomes a list
for each of the parts. A loop over what another loop has listed, directly after it, becomes
a part of that loop.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.scopes import Scopes, build_scopes
from migrate.normalise.text import (
    Edit,
    Text,
    find_lines_inside_strings,
    repeat_step,
)
from migrate.normalise.towers import iteration, lists, loops
from migrate.source.nodes import find_plain_names, parse_source, walk_breadth_first
from migrate.tables.roles import SCOPES


def shape_blocks(text: Text) -> Text:
    """The text with lists made one by one, and a tower's last statements in its loop."""
    for step in (
        _split_one_by_one,
        _write_as_append,
        _write_as_addition,
        _show_tuples,
        _divide_lists,
        _divide_objects,
        _split_blocks,
        _leave_shared_scope,
        loops.write_map_out,
        loops.write_as_loop,
        iteration.name_starred_parts,
        lists.join_loops,
        _move_out_of_scope,
        _name_last_items,
    ):
        while True:
            new = step(text)
            if new is None:
                break
            text = new
    return text


def _split_one_by_one(text: Text) -> Text | None:
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


def _write_as_append(text: Text) -> Text | None:
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
        count = _find_count(scopes, statement, statement.targets[0].slice.id)
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


def _write_as_addition(text: Text) -> Text | None:
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
        if not (text.is_alone(statement) and _is_in_loop(scopes, statement)):
            continue
        begun = scopes.find_scope(statement).bindings.get(name, [])[:1]
        number = begun[0].value if begun and isinstance(begun[0], ast.Assign) else None
        if number is None or names.read_literal(number) != 0:
            continue  # `+=` may change what other names stand for, too.
        new = f"{name} += {text.flatten_segment(more)}"
        return text.apply_edits([Edit(statement, new)])
    return None


def _show_tuples(text: Text) -> Text | None:
    """`one = loss, grads`, which is put into a list and nothing else, as it is put there."""
    tree = parse_source(text.source)
    scopes = build_scopes(tree)
    for loop in walk_breadth_first(tree):
        for statement in loop.body if isinstance(loop, ast.For) else ():
            if not _is_appended(statement):
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


def _divide_lists(text: Text) -> Text | None:
    """A list of what belongs to one tower each, as a list for each of the parts.

    towers.append((loss, grads))              losses.append(loss); all_grads.append(grads)
    losses, all_grads = zip(*towers)
    """
    tree = parse_source(text.source)
    scopes = build_scopes(tree)
    for loop in walk_breadth_first(tree):
        if not isinstance(loop, ast.For):
            continue
        for statement in _walk_unconditional(loop.body):
            if not (_is_appended(statement) and text.is_alone(statement)):
                continue
            call = statement.value  # type: ignore[attr-defined]
            parts = _list_parts(scopes, call.args[0])
            if parts is None or find_lines_inside_strings(statement):
                continue
            new = _write_parts(text, scopes, loop, statement, parts)
            if new is not None:
                return new
    return None


def _split_blocks(text: Text) -> Text | None:
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
            or not _is_in_loop(scopes, block)
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
    match owner.bindings.get(name, []):
        case [ast.Assign(targets=[ast.Name()], value=ast.List(elts=[])) as made]:
            pass
        case _:
            return None
    if not text.is_alone(made) or made.lineno > loop.lineno:
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
        unpacked = _find_unpacked(scopes, node, keys)
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
        taking = _find_taking(scopes, node, keys)
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


def name_objects(text: Text) -> Text:
    """The text in which objects that a loop lists, one for each tower, have a name."""
    if "compute_gradients" not in text.source:
        return text
    return repeat_step(text, _divide_objects)


def _divide_objects(text: Text) -> Text | None:
    """A list of one object for each tower, as a list for each attribute that is read.

    models.append(Model(x))                   model = Model(x); models_loss.append(model.loss)
    [opt.compute_gradients(m.loss)            [opt.compute_gradients(m)
     for m in models]                          for m in models_loss]
    """
    tree = parse_source(text.source)
    scopes = build_scopes(tree)
    for loop in walk_breadth_first(tree):
        if not isinstance(loop, ast.For):
            continue
        for statement in _walk_unconditional(loop.body):
            if not (_is_appended(statement) and text.is_alone(statement)):
                continue
            made = statement.value.args[0]  # type: ignore[attr-defined]
            if not isinstance(made, ast.Call) or find_lines_inside_strings(statement):
                continue
            if isinstance(_find_class(scopes, made.func), ast.ClassDef):
                new = _write_attributes(text, scopes, loop, statement)
                if new is not None:
                    return new
    return None


def _find_class(scopes: Scopes, func: ast.expr) -> ast.AST | None:
    bound = (
        scopes.module.bindings.get(func.id, []) if isinstance(func, ast.Name) else []
    )
    return bound[0] if len(bound) == 1 else None


def _write_attributes(
    text: Text, scopes: Scopes, loop: ast.For, statement: ast.stmt
) -> Text | None:
    """The text with a list for each attribute; None if the objects are used otherwise."""
    call = statement.value  # type: ignore[attr-defined]
    name = call.func.value.id
    owner = scopes.find_scope(loop)
    match owner.bindings.get(name, []):
        case [ast.Assign(targets=[ast.Name()], value=ast.List(elts=[])) as begun]:
            pass
        case _:
            return None
    if not text.is_alone(begun) or begun.lineno > loop.lineno:
        return None
    taken = names.list_names_of_tree(scopes.tree)
    lists_: dict[str, str] = {}
    edits: list[Edit] = []
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
        read = _find_attribute(scopes, node)
        if read is None:
            return None
        attribute, uses = read
        if attribute not in lists_:
            lists_[attribute] = names.choose_free_name(taken, f"{name}_{attribute}")
            taken.add(lists_[attribute])
        edits.append(Edit(node, lists_[attribute]))
        edits += [Edit(use, use.value.id) for use in uses]  # type: ignore[attr-defined]
    if not lists_:
        return None
    one = names.choose_free_name(taken, call.args[0].func.id.lower())
    edited = text.apply_edits(edits)
    inner, outer = text.find_indentation(statement), text.find_indentation(begun)
    changes = [
        (
            statement,
            [
                f"{inner}{one} = {text.flatten_segment(call.args[0])}",
                *(f"{inner}{li}.append({one}.{a})" for a, li in lists_.items()),
            ],
        ),
        (begun, [f"{outer}{li} = []" for li in lists_.values()]),
    ]
    for old, lines in sorted(changes, key=lambda c: -c[0].lineno):
        origins = [text.origins[old.lineno - 1]] * len(lines)
        edited = edited.splice(old.lineno, old.end_lineno or old.lineno, lines, origins)
    return edited


def _find_attribute(
    scopes: Scopes, use: ast.Name
) -> tuple[str, list[ast.Attribute]] | None:
    """The one attribute that a comprehension over objects reads, and where it does."""
    whole = scopes.parents[use]
    match whole:
        case ast.ListComp(
            generators=[ast.comprehension(target=ast.Name(id=own) as target, iter=over)]
        ) if over is use:
            pass
        case _:
            return None
    uses = []
    for node in walk_breadth_first(whole):
        if not (isinstance(node, ast.Name) and node.id == own) or node is target:
            continue
        read = scopes.parents[node]
        above = scopes.parents.get(read)
        called = isinstance(above, ast.Call) and above.func is read
        if not isinstance(read, ast.Attribute) or called:
            return None
        if not isinstance(read.ctx, ast.Load):
            return None
        uses.append(read)
    attributes = {read.attr for read in uses}
    return (attributes.pop(), uses) if len(attributes) == 1 else None


def _find_unpacked(
    scopes: Scopes, use: ast.Name, keys: list[object]
) -> ast.Assign | None:
    """Finds `losses, grads = zip(*towers)`."""
    starred = scopes.parents[use]
    call = scopes.parents.get(starred)
    statement = scopes.parents.get(call) if call is not None else None
    match statement:
        case ast.Assign(
            targets=[ast.Tuple(elts=targets)],
            value=ast.Call(func=ast.Name(id="zip"), args=[ast.Starred()], keywords=[]),
        ) if statement.value is call and len(targets) == len(keys):
            plain = all(isinstance(t, ast.Name) for t in targets)
            return statement if plain and keys == list(range(len(keys))) else None
    return None


def _find_taking(
    scopes: Scopes, use: ast.Name, keys: list[object]
) -> tuple[object, ast.expr] | None:
    """Finds `[t[0] for t in towers]`, `[t["loss"] for t in towers]`, `[t.loss for ...]`."""
    whole = scopes.parents[use]
    match whole:
        case ast.ListComp(
            elt=ast.Subscript(value=ast.Name(id=item), slice=part),
            generators=[ast.comprehension(target=ast.Name(id=own), iter=over, ifs=[])],
        ) if over is use and item == own:
            key = names.read_literal(part)
        case ast.ListComp(
            elt=ast.Attribute(value=ast.Name(id=item), attr=key),
            generators=[ast.comprehension(target=ast.Name(id=own), iter=over, ifs=[])],
        ) if over is use and item == own:
            pass
        case _:
            return None
    assert isinstance(whole, ast.ListComp)
    if key not in keys or isinstance(key, bool):
        return None
    return key, whole


def _leave_shared_scope(text: Text) -> Text | None:
    """The text without the block of the scope that is open, around towers and more.

    with tf.variable_scope(tf.get_variable_scope()) as scope:
        losses = []
        for i in range(2):
            ...
            scope.reuse_variables()
    """
    tree = parse_source(text.source)
    scopes = build_scopes(tree)
    for block in walk_breadth_first(tree):
        match block:
            case ast.With(
                items=[
                    ast.withitem(
                        context_expr=ast.Call(
                            args=[ast.Call() as given], keywords=[]
                        ) as call,
                        optional_vars=ast.Name() | None as named,
                    )
                ]
            ) if (
                scopes.resolve(call.func) == "tf.variable_scope"
                and scopes.resolve(given.func) == "tf.get_variable_scope"
            ):
                pass
            case _:
                continue
        towers = [s for s in block.body if isinstance(s, ast.For)]
        rest = [s for s in block.body if s not in towers]
        if len(towers) != 1 or not rest or not loops.has_gradients(scopes, towers[0]):
            continue
        if any(
            loops.builds_tower(scopes, n) or _makes_variables(scopes, n) for n in rest
        ):
            continue
        uses = [
            node
            for node in walk_breadth_first(tree)
            if isinstance(node, ast.Name)
            and named is not None
            and node.id == named.id
            and node is not named
        ]
        if any(
            not isinstance(above := scopes.parents[use], ast.Attribute)
            or above.attr != "reuse_variables"
            for use in uses
        ):
            continue
        header = call.end_lineno or call.lineno
        last = block.end_lineno or block.lineno
        if find_lines_inside_strings(block) or block.body[0].lineno <= header:
            continue
        outer, inner = (
            text.find_indentation(block),
            text.find_indentation(block.body[0]),
        )
        edited = text.apply_edits(
            [Edit(use, text.flatten_segment(given)) for use in uses]
        )
        lines = [
            outer + line.removeprefix(inner) if line.strip() else ""
            for line in edited.lines[header:last]
        ]
        return edited.splice(block.lineno, last, lines, text.origins[header:last])
    return None


def _makes_variables(scopes: Scopes, node: ast.AST) -> bool:
    """Whether code may make variables itself: by their functions, layers or scopes."""
    return any(
        isinstance(call, ast.Call)
        and (
            (symbol := scopes.resolve(call.func) or "") in loops.OF_TOWERS
            or symbol.startswith(("tf.layers.", "tf.contrib.", "tf.Variable"))
        )
        for call in walk_breadth_first(node)
    )


def _find_count(scopes: Scopes, node: ast.AST, index: str) -> str | None:
    """Returns `n` of the loop `for index in range(n)` around a node, as text."""
    while node in scopes.parents:
        node = scopes.parents[node]
        if isinstance(node, (ast.FunctionDef, ast.If, ast.While, ast.Try)):
            return None
        if isinstance(node, ast.For):
            call = node.iter
            over = (
                isinstance(node.target, ast.Name)
                and node.target.id == index
                and isinstance(call, ast.Call)
                and ast.unparse(call.func) in ("range", "xrange")
                and len(call.args) == 1
            )
            return ast.unparse(call.args[0]) if over else None  # type: ignore[attr-defined]
    return None


def _move_out_of_scope(text: Text) -> Text | None:
    """A scope's last statements, where they are gradients of a named one, or lists."""
    tree = parse_source(text.source)
    scopes = build_scopes(tree)
    for block in walk_breadth_first(tree):
        if not (isinstance(block, ast.With) and _opens_scopes(scopes, block)):
            continue
        named = _names_a_scope(scopes, block)
        late = len(block.body)
        while late and (
            _is_late(block.body[late - 1])
            if named
            else _is_name_appended(block.body[late - 1])
        ):
            late -= 1
        moved = block.body[late:]
        if not (late and _is_in_loop(scopes, block)):
            continue
        if not moved:
            new = _name_appended(text, scopes, block.body[-1])
            if new is not None:
                return new
            continue
        if not any(_calls(s, "compute_gradients") for s in moved) and not all(
            map(_is_name_appended, moved)
        ):
            continue
        if any(find_lines_inside_strings(s) or not text.is_alone(s) for s in moved):
            continue
        start = (block.body[late - 1].end_lineno or 0) + 1
        last = moved[-1].end_lineno or moved[-1].lineno
        deeper = moved[0].col_offset - block.col_offset
        lines = [
            line[deeper:] if line.strip() else ""
            for line in text.lines[start - 1 : last]
        ]
        return text.splice(start, last, lines, text.origins[start - 1 : last])
    return None


def _opens_scopes(scopes: Scopes, block: ast.With) -> bool:
    """Whether a block only opens scopes of the graph, a variable scope among them."""
    symbols = [
        scopes.resolve(item.context_expr.func)
        if isinstance(item.context_expr, ast.Call)
        else None
        for item in block.items
    ]
    return "tf.variable_scope" in symbols and set(symbols) <= {"tf.device", *SCOPES}


def _is_name_appended(statement: ast.stmt) -> bool:
    """`losses.append(loss)`, or `total += loss`."""
    if isinstance(statement, ast.AugAssign):
        return (
            isinstance(statement.op, ast.Add)
            and isinstance(statement.target, ast.Name)
            and isinstance(statement.value, ast.Name)
        )
    return _is_appended(statement) and isinstance(
        statement.value.args[0],  # type: ignore[attr-defined]
        ast.Name,
    )


def _name_appended(text: Text, scopes: Scopes, statement: ast.stmt) -> Text | None:
    """Gives what a statement appends a name, in a statement before it."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not (
        _is_appended(statement)
        and isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and isinstance(call.func.value, ast.Name)
        and isinstance(call.args[0], ast.Call | ast.BinOp)
        and text.is_alone(statement)
        and not find_lines_inside_strings(statement)
    ):
        return None
    value = call.args[0]
    if any(loops.takes_gradients(scopes, node) for node in walk_breadth_first(value)):
        return None
    name = names.find_free_name(scopes.tree, "tower_value")
    indent = text.find_indentation(statement)
    lines = [
        f"{indent}{name} = {text.flatten_segment(value)}",
        f"{indent}{call.func.value.id}.append({name})",
    ]
    origins = [text.origins[statement.lineno - 1]] * 2
    last = statement.end_lineno or statement.lineno
    return text.splice(statement.lineno, last, lines, origins)


def _name_last_items(text: Text) -> Text | None:
    """`losses[-1]` and `losses[i]`, after `losses.append(loss)` of the same round, as `loss`."""
    tree = parse_source(text.source)
    scopes = build_scopes(tree)
    for loop in walk_breadth_first(tree):
        if not isinstance(loop, ast.For):
            continue
        for statement in _walk_unconditional(loop.body):
            if not _is_appended(statement):
                continue
            assert isinstance(statement, ast.Expr)
            call = statement.value
            assert isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
            name = names.find_key(call.func.value)
            uses = [
                node
                for node in walk_breadth_first(loop)
                if isinstance(node, ast.Name) and node.id == name
            ]
            last = [
                part
                for node in uses
                if isinstance(part := scopes.parents[node], ast.Subscript)
                and isinstance(part.ctx, ast.Load)
                and (
                    names.read_literal(part.slice) == -1
                    or names.find_key(part.slice) == (lists.find_index(loop) or "")
                )
                and part.lineno > statement.lineno
            ]
            if not last or len(last) + 1 != len(uses):
                continue
            value = call.args[0]
            if not isinstance(value, ast.Name):
                new = _name_appended(text, scopes, statement)
                if new is not None:
                    return new
                continue
            if any(
                isinstance(node, ast.Name)
                and node.id == value.id
                and isinstance(node.ctx, ast.Store)
                and node.lineno > statement.lineno
                for node in walk_breadth_first(loop)
            ):
                continue
            return text.apply_edits([Edit(node, value.id) for node in last])
    return None


def _walk_unconditional(suite: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yields the statements of a suite, those of `with` blocks among them."""
    for statement in suite:
        if isinstance(statement, ast.With):
            yield from _walk_unconditional(statement.body)
        else:
            yield statement


def _is_appended(statement: ast.stmt) -> bool:
    """`losses.append(...)` of a list that a name holds."""
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Call)
        and _is_method(statement.value, "append")
        and isinstance(statement.value.func, ast.Attribute)
        and isinstance(statement.value.func.value, ast.Name)
        and not statement.value.keywords
        and len(statement.value.args) == 1
    )


def _names_a_scope(scopes: Scopes, block: ast.With) -> bool:
    """Whether a block opens a variable scope by its name, perhaps on a device."""
    named = [
        names.read_literal(names.find_argument(call, "name_or_scope", 0))
        for item in block.items
        if isinstance(call := item.context_expr, ast.Call)
        and scopes.resolve(call.func) == "tf.variable_scope"
    ]
    return (
        _opens_scopes(scopes, block)
        and all(item.optional_vars is None for item in block.items)
        and all(isinstance(name, str) for name in named)
    )


def _is_late(statement: ast.stmt) -> bool:
    """Gradients taken, something put into a list: nothing that a scope has a part in."""
    if isinstance(statement, ast.AugAssign):
        return _is_name_appended(statement)
    if not isinstance(statement, (ast.Expr, ast.Assign)):
        return False
    call: ast.expr = statement.value
    if isinstance(statement, ast.Expr):
        if not (_is_method(call, "append") and isinstance(call, ast.Call)):
            return False
        if len(call.args) != 1 or call.keywords:
            return False
        call = call.args[0]
        if isinstance(call, ast.Name):
            return True
    return (
        _is_method(call, "compute_gradients")
        and isinstance(call, ast.Call)
        and not any(
            isinstance(n, ast.Call) for a in call.args for n in walk_breadth_first(a)
        )
    )


def _is_method(node: ast.expr, name: str) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == name
    )


def _calls(node: ast.AST, method: str) -> bool:
    return any(
        isinstance(n, ast.Call)
        and isinstance(n.func, ast.Attribute)
        and n.func.attr == method
        for n in walk_breadth_first(node)
    )


def _is_in_loop(scopes: Scopes, node: ast.AST) -> bool:
    while node in scopes.parents:
        node = scopes.parents[node]
        if isinstance(node, ast.For):
            return True
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            return False
    return False
