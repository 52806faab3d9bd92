"""TF1 to TF1: what one statement binds is bound by a statement each.

Placeholders: `x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)`; other names of
placeholders: `out, inputs = network(x), x`; attributes that are names:
`self.sess, self.model = sess, model`; and objects: `online, target = Net("a"), Net("b")`.

What a tuple of names is unpacked into are the names in it: `x, y = model` after
`model = inputs, targets`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from migrate.facts import names
from migrate.facts.scopes import Scopes, build_scopes
from migrate.normalise.text import Edit, Text, find_lines_inside_strings, repeat_step
from migrate.source.nodes import parse_source, walk_breadth_first
from migrate.tables import roles

Pairs = Callable[[Scopes, ast.Assign], list[tuple[str, ast.expr]]]


def split_placeholders(text: Text) -> Text:
    """The text with statements that make placeholders taken apart."""
    return (
        split_tuples(text, _find_placeholders) if "laceholder" in text.source else text
    )


def split_other_names(text: Text) -> Text:
    """The text with statements that give a placeholder another name taken apart."""
    return (
        split_tuples(text, _find_other_names) if "laceholder" in text.source else text
    )


def split_attributes(text: Text) -> Text:
    """The text with statements that keep names as attributes taken apart."""
    return split_tuples(text, _find_kept_names)


def split_objects(text: Text) -> Text:
    """The text with statements that make objects of the module's classes taken apart."""
    return split_tuples(text, _find_objects) if "class " in text.source else text


def name_unpacked(text: Text) -> Text:
    """The text in which the parts of a tuple of names keep these, where it is unpacked."""
    return repeat_step(text, _name_one_unpacked)


def _name_one_unpacked(text: Text) -> Text | None:
    scopes = build_scopes(parse_source(text.source))
    for statement in scopes.walk():
        match statement:
            case ast.Assign(
                targets=[ast.Tuple(elts=targets)], value=ast.Name() as whole
            ) if text.is_alone(statement):
                pass
            case _:
                continue
        parts = _find_tuple(scopes, whole)
        if parts is None or len(parts) != len(targets):
            continue
        edits: list[Edit] = []
        for target, part in zip(targets, parts):
            reads = _find_reads_of_only_name(scopes, target, part)
            if reads is None:
                break
            edits += [Edit(read, part.id) for read in reads]
        else:
            suite = names.find_suite(scopes.parents[statement], statement) or []
            indent = text.find_indentation(statement)
            left = [f"{indent}pass"] * (len(suite) == 1)
            first, last = statement.lineno, statement.end_lineno or statement.lineno
            origins = [text.origins[first - 1]] * len(left)
            return text.apply_edits(edits).splice(first, last, left, origins)
    return None


def _find_tuple(scopes: Scopes, whole: ast.Name) -> list[ast.Name] | None:
    """The names in the tuple that a name holds, if they always mean the same."""
    owner = scopes.find_scope(whole).find_owner(whole.id)
    match owner.bindings[whole.id] if owner is not None else []:
        case [ast.Assign(targets=[ast.Name()], value=ast.Tuple(elts=elts)) as made]:
            pass
        case _:
            return None
    parts = [part for part in elts if isinstance(part, ast.Name)]
    steady = all(
        (home := scopes.find_scope(part).find_owner(part.id)) is not None
        and len(home.bindings[part.id]) == 1
        and not _is_shared(scopes, part.id)
        and not any(
            isinstance(above, (ast.For, ast.While, ast.Try))
            for above in scopes.walk_above(home.bindings[part.id][0])
        )
        for part in parts
    )
    looped = any(isinstance(a, (ast.For, ast.While)) for a in scopes.walk_above(made))
    known = len(parts) == len(elts) and steady and not looped
    return parts if known and not _is_shared(scopes, whole.id) else None


def _is_shared(scopes: Scopes, name: str) -> bool:
    return any(
        isinstance(node, (ast.Global, ast.Nonlocal)) and name in node.names
        for node in scopes.walk()
    )


def _find_reads_of_only_name(
    scopes: Scopes, target: ast.expr, part: ast.Name
) -> list[ast.Name] | None:
    """The reads of a name that is bound only here; None if they may read something else."""
    if not isinstance(target, ast.Name) or _is_shared(scopes, target.id):
        return None
    scope = scopes.find_scope(target)
    if isinstance(scope.node, ast.ClassDef) or scope.find_owner(target.id) is not scope:
        return None
    home = scopes.find_scope(part).find_owner(part.id)
    reads = [
        node
        for node in scopes.walk()
        if isinstance(node, ast.Name)
        and node.id == target.id
        and not isinstance(node.ctx, ast.Store)
        and scopes.find_scope(node).find_owner(node.id) is scope
    ]
    if not reads:
        return []
    if len(scope.bindings[target.id]) != 1:
        return None
    known = all(
        isinstance(node.ctx, ast.Load)
        and scopes.find_scope(node).find_owner(part.id) is home
        for node in reads
    )
    return reads if known else None


def split_tuples(text: Text, pairs: Pairs) -> Text:
    """The text with the statements for which `pairs` finds something taken apart."""
    tree = parse_source(text.source)
    scopes = build_scopes(tree)
    found = [
        node
        for node in walk_breadth_first(tree)
        if isinstance(node, ast.Assign)
        and len(node.targets) == 1
        and text.is_alone(node)
        and not find_lines_inside_strings(node)
        and pairs(scopes, node)
    ]
    for statement in sorted(found, key=lambda s: s.lineno, reverse=True):
        indent = text.lines[statement.lineno - 1][: statement.col_offset]
        lines = [
            f"{indent}{target} = {ast.unparse(value)}"
            if "\n" in text.find_segment(value)
            else f"{indent}{target} = {text.find_segment(value)}"
            for target, value in pairs(scopes, statement)
        ]
        origin = text.origins[statement.lineno - 1]
        last = statement.end_lineno or statement.lineno
        text = text.splice(statement.lineno, last, lines, [origin] * len(lines))
    return text


def _find_placeholders(
    scopes: Scopes, statement: ast.Assign
) -> list[tuple[str, ast.expr]]:
    """The placeholders of a statement that makes nothing else, by their names."""
    found = list_pairs(statement)
    if all(
        isinstance(t, (ast.Name, ast.Attribute))
        and isinstance(v, ast.Call)
        and scopes.resolve(v.func) in roles.PLACEHOLDERS
        for t, v in found
    ):
        return [(ast.unparse(t), v) for t, v in found]
    return []


def _find_other_names(
    scopes: Scopes, statement: ast.Assign
) -> list[tuple[str, ast.expr]]:
    """What a statement binds, if it gives a placeholder another name."""
    found = list_pairs(statement)
    bound: set[str] = set()
    for target, value in found:
        reads = {n.id for n in walk_breadth_first(value) if isinstance(n, ast.Name)}
        if not isinstance(target, ast.Name) or reads & bound:
            return []
        bound.add(target.id)
    if any(_is_name_of_placeholder(scopes, value) for _, value in found):
        return [(ast.unparse(t), v) for t, v in found]
    return []


def _is_name_of_placeholder(scopes: Scopes, value: ast.expr) -> bool:
    if not isinstance(value, ast.Name):
        return False
    owner = scopes.find_scope(value).find_owner(value.id)
    match owner.bindings[value.id] if owner is not None else []:
        case [ast.Assign(targets=[ast.Name()], value=ast.Call() as made)]:
            return scopes.resolve(made.func) in roles.PLACEHOLDERS
    return False


def _find_kept_names(
    scopes: Scopes, statement: ast.Assign
) -> list[tuple[str, ast.expr]]:
    """Lists the attributes that a statement assigns, with the names they keep."""
    found = list_pairs(statement)
    if all(
        isinstance(t, ast.Attribute)
        and isinstance(t.value, ast.Name)
        and isinstance(v, (ast.Name, ast.Constant))
        for t, v in found
    ):
        return [(ast.unparse(t), v) for t, v in found]
    return []


def _find_objects(scopes: Scopes, statement: ast.Assign) -> list[tuple[str, ast.expr]]:
    """What a statement binds, if it makes an object of a class of the module.

    Each name is bound only there, so that no value is computed of an earlier one.
    """
    found = list_pairs(statement)
    bound = {t.id for t, _ in found if isinstance(t, ast.Name)}
    owner = scopes.find_scope(statement)
    if isinstance(owner.node, ast.ClassDef):
        return []
    for target, value in found:
        if not isinstance(target, ast.Name) or isinstance(value, ast.Starred):
            return []
        if target.id in owner.outer_names or len(owner.bindings[target.id]) != 1:
            return []
        if any(isinstance(n, ast.Name) and n.id in bound for n in ast.walk(value)):
            return []
    if any(makes_object(scopes, value) for _, value in found):
        return [(ast.unparse(t), v) for t, v in found]
    return []


def makes_object(scopes: Scopes, value: ast.expr) -> bool:
    """Whether an expression makes an object of a class of the module."""
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Name):
        return False
    owner = scopes.find_scope(value.func).find_owner(value.func.id)
    match owner.bindings[value.func.id] if owner is not None else []:
        case [ast.ClassDef()]:
            return owner is scopes.module
    return False


def list_pairs(statement: ast.Assign) -> list[tuple[ast.expr, ast.expr]]:
    """Targets and values of a statement with as many of both."""
    target, value = statement.targets[0], statement.value
    if (
        isinstance(target, (ast.Tuple, ast.List))
        and isinstance(value, (ast.Tuple, ast.List))
        and len(target.elts) == len(value.elts)
    ):
        return list(zip(target.elts, value.elts))
    return []
