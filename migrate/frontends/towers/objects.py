"""TF1 to TF1: a list of objects, one for each tower, as a list for each attribute."""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.scopes import Scopes, build_scopes
from migrate.frontends.towers.rounds import (
    find_begun_list,
    is_appended,
    walk_unconditional,
)
from migrate.normalise.text import (
    Edit,
    Text,
    find_lines_inside_strings,
    repeat_step,
)
from migrate.source.nodes import parse_source, walk_breadth_first


def name_objects(text: Text) -> Text:
    """The text in which objects that a loop lists, one for each tower, have a name."""
    if "compute_gradients" not in text.source:
        return text
    return repeat_step(text, divide_objects)


def divide_objects(text: Text) -> Text | None:
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
        for statement in walk_unconditional(loop.body):
            if not (is_appended(statement) and text.is_alone(statement)):
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
    begun = find_begun_list(text, scopes, loop, name)
    if begun is None:
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


def find_unpacked(
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


def find_taking(
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
