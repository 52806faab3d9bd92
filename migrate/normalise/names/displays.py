"""TF1 to TF1: what a fetched list holds has names.

`train_ops = [tf.assign(w, x), tf.assign(b, y)]`, run by `sess.run(train_ops)`, is the two
operations, each in a statement of its own, and the list of their names: a run call
then fetches names, as it does elsewhere. So is a dict of which `sess.run(ops["copy"])` runs
one operation.
"""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.scopes import build_scopes
from migrate.normalise.text import Edit, Text
from migrate.source.nodes import find_plain_names, parse_source, walk_breadth_first


def name_parts(text: Text) -> Text:
    """The text with a name for each part of fetched lists, tuples and dicts."""
    tree = parse_source(text.source)
    scopes = build_scopes(tree)
    fetched = {
        key
        for node in walk_breadth_first(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "run"
        and scopes.resolve(node.func) is None
        and (fetches := names.find_argument(node, "fetches", 0)) is not None
        and (key := names.find_key(_find_whole(fetches))) is not None
    }
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
