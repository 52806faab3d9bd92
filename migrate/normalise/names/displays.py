"""TF1 to TF1: what a fetched list holds has names.

`train_ops = [tf.assign(w, x), tf.assign(b, y)]`, run by `sess.run(train_ops)`, is the two
operations, each in a statement of its own, and the list of their names: a run call
then fetches names, as it does elsewhere. So is a dict of which `sess.run(ops["copy"])` runs
one operation.

`[opt.minimize(loss) for loss in [a, b]]` is the list of these operations, written out.

`fetches = [loss]`, followed by `fetches.append(train_op)`, is `fetches = [loss, train_op]`.
And `copies = []`, followed by a loop that does nothing but append to it, is a comprehension.
"""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.fall_through import may_leave
from migrate.facts.last_values import is_only_read_there
from migrate.facts.scopes import Scopes, build_scopes
from migrate.normalise.feeds.comprehensions import bind_target, replace_names
from migrate.normalise.feeds.view import Unclear, View
from migrate.normalise.text import (
    Edit,
    Text,
    find_lines_inside_strings,
    repeat_step,
)
from migrate.source.nodes import find_plain_names, parse_source, walk_breadth_first

# Expressions that are computed where they stand.
KEPT = (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)
# Nobody could read a longer list.
_MOST = 16
_STEADY = (
    *(ast.Constant, ast.Name, ast.Attribute, ast.List, ast.Tuple),
    *(ast.UnaryOp, ast.unaryop, ast.expr_context),
)


def name_parts(text: Text) -> Text:
    """The text with a name for each part of fetched lists, tuples and dicts."""
    tree = parse_source(text.source)
    fetched = _find_fetched(build_scopes(tree), entries=True)
    taken = find_plain_names(tree)
    for statement in sorted(
        (s for s in walk_breadth_first(tree) if isinstance(s, ast.Assign)),
        key=lambda s: s.lineno,
        reverse=True,
    ):
        if len(statement.targets) != 1 or not text.is_alone(statement):
            continue
        key = names.find_key(statement.targets[0])
        if key is not None and key in fetched:
            text = _insert_names(text, statement, key.rpartition(".")[2], taken)
    return text


def write_out_lists(text: Text) -> Text:
    """The text in which lists of updates, made for what the program lists, are written out."""
    return repeat_step(text, _write_out_one_list, " for ", "minimize(")


def _write_out_one_list(text: Text) -> Text | None:
    view = View(text)
    for node in view.scopes.walk():
        match node:
            case ast.ListComp(
                elt=element,
                generators=[
                    ast.comprehension(
                        target=target,
                        iter=ast.List(elts=items) | ast.Tuple(elts=items),
                        ifs=[],
                        is_async=0,
                    )
                ],
            ) if 0 < len(items) <= _MOST and _makes_update(element):
                pass
            case _:
                continue
        statement = view.find_statement(node)
        if view.scopes.parents[node] is not statement or not text.is_alone(statement):
            continue
        try:
            written = [
                ast.unparse(replace_names(element, bind_steadily(view, target, item)))
                for item in items
            ]
        except Unclear:
            continue
        return text.apply_edits([Edit(node, f"[{', '.join(written)}]")])
    return None


def _makes_update(element: ast.expr) -> bool:
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("minimize", "apply_gradients")
        for node in walk_breadth_first(element)
    )


def bind_steadily(view: View, target: ast.expr, item: ast.expr) -> dict[str, ast.expr]:
    """What a comprehension's names stand for; all of it has the same value each time.

    Raises:
      Unclear: a part may have an effect, or another value after the first round.
    """
    computed = {
        node.name
        for node in view.scopes.walk()
        if isinstance(node, ast.FunctionDef)
        and (node.decorator_list or node.name.startswith("__get"))
    }
    given = bind_target(target, item)
    for part in given.values():
        for node in walk_breadth_first(part):
            if not isinstance(node, _STEADY):
                raise Unclear
            if isinstance(node, ast.Attribute):
                if computed & {node.attr, "__getattr__", "__getattribute__"}:
                    raise Unclear  # A property may build graph.
    return given


def join_additions(text: Text) -> Text:
    """The text in which fetched lists are written with what they get at once."""
    return repeat_step(text, _join_one_addition, ".run(")


def _find_fetched(scopes: Scopes, entries: bool = False) -> set[str]:
    """The names of what runs fetch.

    Args:
      entries: whether a list or dict counts of which a run fetches only an entry.
    """
    return {
        key
        for node in scopes.walk()
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "run"
        and scopes.resolve(node.func) is None
        and (fetches := names.find_argument(node, "fetches", 0)) is not None
        and (key := names.find_key(_find_whole(fetches) if entries else fetches))
        is not None
    }


def _join_one_addition(text: Text) -> Text | None:
    scopes = build_scopes(parse_source(text.source))
    fetched = _find_fetched(scopes)
    for parent in scopes.walk():
        for field in ("body", "orelse", "finalbody"):
            suite = getattr(parent, field, None)
            if not isinstance(suite, list):
                continue
            for index, statement in enumerate(suite):
                match statement:
                    case ast.Assign(
                        targets=[ast.Name(id=name)],
                        value=ast.List() as display,
                    ) if name in fetched:
                        new = _join_next(text, scopes, suite[index:], display)
                        if new is not None:
                            return new
    return None


def _join_next(
    text: Text, scopes: Scopes, suite: list[ast.stmt], display: ast.List
) -> Text | None:
    """The text with the next change of a display's object in the display."""
    made = suite[0]
    assert isinstance(made, ast.Assign) and isinstance(made.targets[0], ast.Name)
    name = made.targets[0].id
    if not is_only_read_there(scopes, scopes.find_scope(made), name):
        return None
    for index, statement in enumerate(suite[1:]):
        if name not in find_plain_names(statement):
            if may_leave(statement):
                return None
            continue
        if isinstance(statement, ast.For) and not display.elts:
            return _write_loop_as_list(text, scopes, made, statement)
        added = _read_addition(statement, name)
        if added is None or any(name in find_plain_names(part) for part in added):
            return None
        # The parts are computed where the last one is, or at once before it.
        if index and not all(is_bound_once(scopes, part) for part in display.elts):
            return None
        both = (made, statement)
        if not all(map(text.is_alone, both)) or any(map(has_long_lines, both)):
            return None
        parts = ", ".join(map(ast.unparse, [*display.elts, *added]))
        indent = text.lines[statement.lineno - 1][: statement.col_offset]
        last = statement.end_lineno or statement.lineno
        origin = text.origins[statement.lineno - 1]
        text = text.splice(
            statement.lineno, last, [f"{indent}{name} = [{parts}]"], [origin]
        )
        return text.splice(made.lineno, made.end_lineno or made.lineno, [], [])
    return None


def _write_loop_as_list(
    text: Text, scopes: Scopes, made: ast.Assign, loop: ast.For
) -> Text | None:
    """The text with a loop that fills an empty list as a comprehension.

    for v, w in zip(source, target):
        operation = w.assign(v)                     copies = [w.assign(v)
        copies.append(operation)                              for v, w in zip(source, target)]
    """
    assert isinstance(made.targets[0], ast.Name)
    name = made.targets[0].id
    added = _read_addition(loop.body[-1], name)
    if added is None or len(added) != 1 or loop.orelse:
        return None
    value, own = added[0], set(find_plain_names(loop.target))
    match loop.body[:-1]:
        case []:
            pass
        case [ast.Assign(targets=[ast.Name(id=part)], value=first)]:
            if not isinstance(value, ast.Name) or value.id != part or part in own:
                return None
            if part in find_plain_names(first):
                return None
            own.add(part)
            value = first
        case _:
            return None
    inside = set(walk_breadth_first(loop))
    scope = scopes.find_scope(made)
    if (
        name in find_plain_names(value) | find_plain_names(loop.iter) | own
        or own & (find_plain_names(loop.iter) | scope.outer_names)
        or any(isinstance(n, (*KEPT, ast.Lambda)) for n in walk_breadth_first(value))
        or any(
            isinstance(n, (ast.Attribute, ast.Subscript))
            for n in walk_breadth_first(loop.target)
        )
        or any(
            isinstance(n, ast.Name)
            and n.id in own
            and n not in inside
            and scopes.find_scope(n).find_owner(n.id) is scope
            for n in scopes.walk()
        )
        or not all(map(text.is_alone, (made, loop)))
        or any(map(has_long_lines, (made, loop)))
    ):
        return None
    target, over = map(ast.unparse, (loop.target, loop.iter))
    target = target.removeprefix("(").removesuffix(")")
    indent = text.lines[loop.lineno - 1][: loop.col_offset]
    line = f"{indent}{name} = [{ast.unparse(value)} for {target} in {over}]"
    last = loop.end_lineno or loop.lineno
    text = text.splice(loop.lineno, last, [line], [text.origins[loop.lineno - 1]])
    return text.splice(made.lineno, made.end_lineno or made.lineno, [], [])


def _read_addition(statement: ast.stmt, name: str) -> list[ast.expr] | None:
    """The values that a statement adds to a list."""
    match statement:
        case ast.Expr(
            value=ast.Call(
                func=ast.Attribute(value=ast.Name(id=changed), attr="append"),
                args=[value],
                keywords=[],
            )
        ) if changed == name:
            return [value]
        case (
            ast.AugAssign(
                target=ast.Name(id=changed), op=ast.Add(), value=ast.List(elts=values)
            )
            | ast.Expr(
                value=ast.Call(
                    func=ast.Attribute(value=ast.Name(id=changed), attr="extend"),
                    args=[ast.List(elts=values)],
                    keywords=[],
                )
            )
        ) if changed == name:
            return values
    return None


def is_bound_once(scopes: Scopes, part: ast.expr) -> bool:
    """Whether it has one value wherever it is read."""
    if isinstance(part, ast.Constant):
        return True
    if not isinstance(part, ast.Name):
        return False
    owner = scopes.find_scope(part).find_owner(part.id)
    return owner is not None and len(owner.bindings[part.id]) == 1


def has_long_lines(statement: ast.stmt) -> bool:
    return bool(find_lines_inside_strings(statement))


def _find_whole(fetches: ast.expr) -> ast.expr:
    """The list or dict of which a run fetches all, or an entry: `ops` of `ops["copy"]`."""
    if isinstance(fetches, ast.Subscript) and isinstance(fetches.slice, ast.Constant):
        return fetches.value
    return fetches


def _insert_names(text: Text, statement: ast.Assign, of: str, taken: set[str]) -> Text:
    made: list[tuple[str, ast.expr]] = []
    for part, element in _list_elements(statement.value):
        if isinstance(element, ast.Call):
            wish = name = f"{of}_{part}"
            number = 2
            while name in taken:
                name, number = f"{wish}_{number}", number + 1
            taken.add(name)
            made.append((name, element))
    if not made:
        return text
    line = text.lines[statement.lineno - 1]
    indent = line[: len(line) - len(line.lstrip())]
    lines, origins = [], []
    for name, element in made:
        source = text.find_segment(element)
        source = ast.unparse(element) if "\n" in source else source
        lines.append(f"{indent}{name} = {source}")
        origins.append(text.origins[element.lineno - 1])
    text = text.apply_edits([Edit(element, name) for name, element in made])
    first = statement.lineno
    return text.splice(first, first - 1, lines, origins)


def _list_elements(value: ast.expr) -> list[tuple[str, ast.expr]]:
    """Lists a display's parts with their names, in the order they are made."""
    if isinstance(value, (ast.List, ast.Tuple)):
        return [(str(index), element) for index, element in enumerate(value.elts)]
    if isinstance(value, ast.Dict):
        found = []
        for index, (key, element) in enumerate(zip(value.keys, value.values)):
            text = names.read_literal(key) if key is not None else None
            word = text if isinstance(text, str) and text.isidentifier() else str(index)
            found.append((word, element))
        return found
    return []
