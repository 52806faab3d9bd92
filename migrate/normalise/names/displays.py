"""TF1 to TF1: what a fetched list holds has names.

`train_ops = [tf.assign(w, x), tf.assign(b, y)]`, run by `sess.run(train_ops)`, is the two
operations, each in a statement of its own, and the list of their names: a run call
then fetches names, as it does elsewhere. So is a dict of which `sess.run(ops["copy"])` runs
one operation.

`[opt.minimize(loss) for loss in [a, b]]` is the list of these operations, written out.

`fetches = [loss]`, followed by `fetches.append(train_op)`, is `fetches = [loss, train_op]`.

What a program does with each entry of a dict that it shows is written out:

    inputs = {"x": x, "y": y}                        parts = {
    parts = {k: tf.split(v, 2)                           "x": tf.split(x, 2),
             for k, v in inputs.items()}                 "y": tf.split(y, 2)}
    loss = model(**{k: v[0]                          loss = model(
                    for k, v in parts.items()})          x=parts["x"][0], y=parts["y"][0])
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
_KEPT = (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)
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
                ast.unparse(replace_names(element, _bind_steadily(view, target, item)))
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


def _bind_steadily(view: View, target: ast.expr, item: ast.expr) -> dict[str, ast.expr]:
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
        added = _read_addition(statement, name)
        if added is None or any(name in find_plain_names(part) for part in added):
            return None
        # The parts are computed where the last one is, or at once before it.
        if index and not all(_is_bound_once(scopes, part) for part in display.elts):
            return None
        both = (made, statement)
        if not all(map(text.is_alone, both)) or any(map(_has_long_lines, both)):
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


def _is_bound_once(scopes: Scopes, part: ast.expr) -> bool:
    """Whether it has one value wherever it is read."""
    if isinstance(part, ast.Constant):
        return True
    if not isinstance(part, ast.Name):
        return False
    owner = scopes.find_scope(part).find_owner(part.id)
    return owner is not None and len(owner.bindings[part.id]) == 1


def _has_long_lines(statement: ast.stmt) -> bool:
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


# -- dicts that the program shows ---------------------------------------------------------


def write_out_dicts(text: Text) -> Text:
    """The text in which loops over dicts with known keys, and `**`, are written out."""
    return repeat_step(text, _write_out_one_dict, "{")


def _write_out_one_dict(text: Text) -> Text | None:
    view = View(text)
    for node in view.scopes.walk():
        try:
            match node:
                case ast.Assign(targets=[ast.Name()], value=ast.Dict()):
                    new = _add_next_entry(view, node)
                case ast.DictComp() | ast.ListComp():
                    new = _write_out_comprehension(view, node)
                case ast.For():
                    new = _unroll_loop(view, node)
                case ast.Call():
                    new = _write_out_keywords(view, node)
                case ast.Subscript():
                    new = _read_entry(view, node)
                case _:
                    continue
        except Unclear:
            continue
        if new is not None:
            return new
    return None


def _add_next_entry(view: View, made: ast.Assign) -> Text | None:
    """`parts = {}`, directly followed by `parts["x"] = x`, as one display."""
    display, target = made.value, made.targets[0]
    assert isinstance(display, ast.Dict) and isinstance(target, ast.Name)
    suite = view.find_suite(made)
    following = suite[suite.index(made) + 1 :][:1]
    match following:
        case [
            ast.Assign(
                targets=[
                    ast.Subscript(
                        value=ast.Name(id=name), slice=ast.Constant(value=str(key))
                    )
                ],
                value=value,
            ) as statement
        ] if name == target.id:
            pass
        case _:
            return None
    known = [names.read_literal(k) for k in display.keys]
    if key in known or name in find_plain_names(value):
        return None
    if any(isinstance(n, _KEPT) for n in walk_breadth_first(value)):
        return None
    both = (made, statement)
    if not all(map(view.text.is_alone, both)) or any(map(_has_long_lines, both)):
        return None
    whole = ast.Dict([*display.keys, ast.Constant(key)], [*display.values, value])
    origin = view.text.origins[statement.lineno - 1]
    last = statement.end_lineno or statement.lineno
    line = f"{view.indent(made)}{name} = {ast.unparse(whole)}"
    text = view.text.splice(statement.lineno, last, [line], [origin])
    return text.splice(made.lineno, made.end_lineno or made.lineno, [], [])


def _find_entries(view: View, name: ast.expr) -> dict[str, ast.expr]:
    """The entries of a dict that is shown once, and never changes.

    Raises:
      Unclear: it is no such dict.
    """
    if not isinstance(name, ast.Name):
        raise Unclear
    owner = view.scopes.find_scope(name).find_owner(name.id)
    match owner.bindings[name.id] if owner is not None else []:
        case [ast.Assign(targets=[ast.Name()], value=ast.Dict() as display)]:
            pass
        case _:
            raise Unclear
    uses = [
        node
        for node in view.scopes.walk()
        if isinstance(node, ast.Name)
        and node.id == name.id
        and isinstance(node.ctx, ast.Load)
        and view.scopes.find_scope(node).find_owner(name.id) is owner
    ]
    if not all(_reads_only(view, use) for use in uses):
        raise Unclear
    keys = [names.read_literal(key) for key in display.keys]
    if not all(isinstance(key, str) for key in keys) or len(set(keys)) != len(keys):
        raise Unclear
    if not 0 < len(keys) <= _MOST:
        raise Unclear
    return dict(zip(map(str, keys), display.values, strict=True))


def _reads_only(view: View, use: ast.Name) -> bool:
    around = view.scopes.parents[use]
    if isinstance(around, ast.Attribute):
        call = view.scopes.parents[around]
        called = isinstance(call, ast.Call) and call.func is around and not call.args
        return called and around.attr in ("items", "keys", "values")
    if isinstance(around, ast.Subscript):
        return around.value is use and isinstance(around.ctx, ast.Load)
    if isinstance(around, ast.ListComp | ast.DictComp):
        return any(generator.iter is use for generator in around.generators)
    return (isinstance(around, ast.keyword) and around.arg is None) or (
        isinstance(around, ast.For) and around.iter is use
    )


def _list_rounds(view: View, over: ast.expr) -> list[ast.expr]:
    """What a loop over a dict gives in each round.

    Raises:
      Unclear: it is no loop over a dict that is known.
    """
    how, listed = "keys", over
    match over:
        case ast.Call(func=ast.Attribute(value=value, attr=how), args=[], keywords=[]):
            listed = value
    entries = _find_entries(view, listed)
    rounds: list[ast.expr] = []
    for key in entries:
        part = ast.Subscript(listed, ast.Constant(key), ast.Load())
        if how == "items":
            rounds.append(ast.Tuple([ast.Constant(key), part], ast.Load()))
        elif how in ("keys", "values"):
            rounds.append(ast.Constant(key) if how == "keys" else part)
        else:
            raise Unclear
    return rounds


def _write_out_comprehension(
    view: View, node: ast.DictComp | ast.ListComp
) -> Text | None:
    match node.generators:
        case [ast.comprehension(target=target, iter=over, ifs=[], is_async=0)]:
            pass
        case _:
            return None
    if any(isinstance(n, _KEPT) for n in walk_breadth_first(node)):
        return None
    rounds = [bind_target(target, item) for item in _list_rounds(view, over)]
    if isinstance(node, ast.ListComp):
        shown = ", ".join(ast.unparse(replace_names(node.elt, r)) for r in rounds)
        return view.text.apply_edits([Edit(node, f"[{shown}]")])
    shown = ", ".join(
        f"{ast.unparse(replace_names(node.key, r))}: "
        f"{ast.unparse(replace_names(node.value, r))}"
        for r in rounds
    )
    return view.text.apply_edits([Edit(node, f"{{{shown}}}")])


def _unroll_loop(view: View, loop: ast.For) -> Text | None:
    """A loop over a dict, of assignments alone, as these for each entry."""
    own = find_plain_names(loop.target)
    if loop.orelse or not all(isinstance(s, ast.Assign) for s in loop.body):
        return None
    if any(isinstance(n, _KEPT) for n in walk_breadth_first(loop)):
        return None
    owner = view.scopes.find_scope(loop)
    inside = set(walk_breadth_first(loop))
    if any(
        isinstance(n, ast.Name)
        and n.id in own
        and (n not in inside or not isinstance(n.ctx, ast.Load))
        and view.scopes.find_scope(n).find_owner(n.id) is owner
        and n not in set(walk_breadth_first(loop.target))
        for n in view.scopes.walk()
    ):
        return None
    if not view.text.is_alone(loop) or _has_long_lines(loop):
        return None
    lines, origins = [], []
    for item in _list_rounds(view, loop.iter):
        given = bind_target(loop.target, item)
        for statement in loop.body:
            assert isinstance(statement, ast.Assign)
            targets = [ast.unparse(replace_names(t, given)) for t in statement.targets]
            value = ast.unparse(replace_names(statement.value, given))
            lines.append(f"{view.indent(loop)}{' = '.join([*targets, value])}")
            origins.append(view.text.origins[statement.lineno - 1])
    last = loop.end_lineno or loop.lineno
    return view.text.splice(loop.lineno, last, lines, origins)


def _write_out_keywords(view: View, call: ast.Call) -> Text | None:
    """`model(**inputs)` as `model(x=inputs["x"])`."""
    for keyword in call.keywords:
        if keyword.arg is not None:
            continue
        value = keyword.value
        if isinstance(value, ast.Dict):
            keys = [names.read_literal(key) for key in value.keys]
            entries = dict(zip(keys, value.values, strict=True))
        else:
            entries = {
                key: ast.Subscript(value, ast.Constant(key), ast.Load())
                for key in _find_entries(view, value)
            }
        if len(entries) == 0 or not all(
            isinstance(key, str) and key.isidentifier() for key in entries
        ):
            return None
        shown = ", ".join(f"{key}={ast.unparse(v)}" for key, v in entries.items())
        return view.text.apply_edits([Edit(keyword, shown)])
    return None


def _read_entry(view: View, node: ast.Subscript) -> Text | None:
    """`inputs["x"]` as `x`, where that is all that the dict holds under this key."""
    match node:
        case ast.Subscript(slice=ast.Constant(value=str(key)), ctx=ast.Load()):
            value = _find_entries(view, node.value).get(key)
        case _:
            return None
    if not isinstance(value, ast.Name) or not _is_bound_once(view.scopes, value):
        return None
    owner = view.scopes.find_scope(value).find_owner(value.id)
    if view.scopes.find_scope(node).find_owner(value.id) is not owner:
        return None
    return view.text.apply_edits([Edit(node, value.id)])


# -- loops over variables -----------------------------------------------------------------


def run_variables_at_once(text: Text) -> Text:
    """The text in which loops that run one variable after the other run the list of them.

    for p in [w, b]:                          for p in sess.run([w, b]):
        print(sess.run(p))                        print(p)
    """
    return repeat_step(text, _run_list_at_once, ".run(", "for ")


def _run_list_at_once(text: Text) -> Text | None:
    view = View(text)
    for loop in view.scopes.walk():
        match loop:
            case ast.For(target=ast.Name(id=own), orelse=[]):
                pass
            case _:
                continue
        inside = [n for s in loop.body for n in walk_breadth_first(s)]
        calls = [
            n
            for n in inside
            if isinstance(n, ast.Call)
            and isinstance(n.func, ast.Attribute)
            and n.func.attr in ("run", "eval")
        ]
        uses = [n for n in inside if isinstance(n, ast.Name) and n.id == own]
        if len(calls) != 1 or calls[0].keywords or calls[0].args != uses:
            continue
        if any(isinstance(n, ast.Lambda | ast.FunctionDef) for n in inside):
            continue
        if not is_only_read_there(view.scopes, view.scopes.find_scope(loop), own):
            continue
        if any(
            isinstance(n, ast.Name)
            and n.id == own
            and n not in uses
            and n is not loop.target
            and view.scopes.find_scope(n) is view.scopes.find_scope(loop)
            for n in view.scopes.walk()
        ):
            continue
        if not _lists_variables(view, loop.iter):
            continue
        run = text.find_segment(calls[0].func)
        return text.apply_edits(
            [
                Edit(loop.iter, f"{run}({text.flatten_segment(loop.iter)})"),
                Edit(calls[0], own),
            ]
        )
    return None


def _lists_variables(view: View, over: ast.expr) -> bool:
    """Whether it is a list of variables, each with a name that is bound once."""
    shown = over
    if isinstance(over, ast.Name):
        owner = view.scopes.find_scope(over).find_owner(over.id)
        match owner.bindings[over.id] if owner is not None else []:
            case [ast.Assign(targets=[ast.Name()], value=shown)]:
                pass
            case _:
                return False
    if not isinstance(shown, ast.List | ast.Tuple):
        return False
    for item in shown.elts:
        if not isinstance(item, ast.Name) or not _is_bound_once(view.scopes, item):
            return False
        owner = view.scopes.find_scope(item).find_owner(item.id)
        made = owner.bindings[item.id][0] if owner is not None else None
        call = made.value if isinstance(made, ast.Assign) else None
        if not isinstance(call, ast.Call) or view.scopes.resolve(call.func) not in (
            "tf.Variable",
            "tf.get_variable",
        ):
            return False
    return True
