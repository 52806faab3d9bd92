"""Puts values in the places of variables that a specialised function needs no more.

A function may compute a value in two ways:

    read = reader.get_tensor
    # Only for replicas.Replicas.hold_part.
    read = functools.partial(_read_rows, save_path, rows)
    value = read(name)

If the second statement goes, nobody would write a variable for the first. So its value
stands where the variable was read: `value = reader.get_tensor(name)`.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Set

from migrate.beside.reserved import describe_statement

_WIDTH = 88
_PURE_CALLS = frozenset({"len", "list", "name_of"})
_PURE = (
    *(ast.Constant, ast.Name, ast.Attribute, ast.Tuple, ast.List, ast.Dict),
    *(ast.BoolOp, ast.Compare, ast.BinOp, ast.expr_context),
    *(ast.boolop, ast.cmpop, ast.operator),
)
# What needs no brackets, wherever it stands.
_ATOMS = (ast.Constant, ast.Name, ast.Attribute, ast.List, ast.Dict)
# Here an expression needs no brackets.
_PLACES = (ast.Assign, ast.Return, ast.Expr, ast.If, ast.keyword, ast.Tuple, ast.List)


def fold_variables(
    text: str,
    mentions: Mapping[str, Counter[str]],
    told: Container[str],
    find_told: Callable[[ast.AST], Set[object]],
) -> str:
    """Returns the text of an emitted file without variables that it needs no more.

    Args:
      mentions: how often each function of the whole file mentions a name.
      told: descriptions of statements in which a later run may see something.
      find_told: finds what a later run sees in the file. That must stay the same.
    """
    before = ""
    while before != text:
        before = text
        # Of each function one variable, the last function first: places above stay.
        for place, function in reversed([*_list_functions(ast.parse(text))]):
            lines = text.split("\n")
            for changed, touched in _list_folded(lines, place, function, mentions):
                new = "\n".join(changed)
                tells = any(
                    describe_statement(node, head) in told
                    for node in touched
                    for head in (False, True)
                )
                if not tells or find_told(ast.parse(text)) == find_told(ast.parse(new)):
                    text = new
                    break
    return text


def count_mentions(tree: ast.Module) -> Mapping[str, Counter[str]]:
    """Counts the names that each function mentions, by the function's place."""
    return {place: _count_names(function) for place, function in _list_functions(tree)}


def _list_functions(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Yields the functions and methods of a file, without functions in functions."""
    for node in tree.body:
        for inner in node.body if isinstance(node, ast.ClassDef) else [node]:
            if isinstance(inner, ast.FunctionDef):
                yield f"{getattr(node, 'name', '')}.{inner.name}", inner


def _list_folded(
    lines: list[str],
    place: str,
    function: ast.FunctionDef,
    mentions: Mapping[str, Counter[str]],
) -> Iterator[tuple[list[str], list[ast.stmt]]]:
    """Yields the lines with one variable of a function less, for each that may go, and
    the statements that change.
    """
    here, before = _count_names(function), mentions.get(place, Counter())
    fewer = {name for name, number in here.items() if number < before[name]}
    stored = _count_names(function, stored=True)
    for block in _list_blocks(function) if fewer else ():
        for one, after in zip(block, block[1:]):
            values = _read_values(one)
            if any(stored[name] > 1 for name in values):
                continue
            if not fewer.isdisjoint(values) and _is_plain(one, lines):
                uses = _find_uses(function, values, after)
                changed = uses and _put_values(lines, one, uses)
                if uses and changed:
                    reads = {id(read) for read, _ in uses}
                    yield changed, [one, *_list_around(function, reads)]


def _list_around(function: ast.FunctionDef, reads: set[int]) -> Iterator[ast.stmt]:
    """Yields the statements of a function that some expressions are in."""
    for node in ast.walk(function):
        if isinstance(node, ast.stmt) and node is not function:
            if any(id(inner) in reads for inner in ast.walk(node)):
                yield node


def _count_names(function: ast.FunctionDef, stored: bool = False) -> Counter[str]:
    """Counts how often a function mentions names, or assigns them."""
    return Counter(
        node.id
        for node in ast.walk(function)
        if isinstance(node, ast.Name)
        and not (stored and isinstance(node.ctx, ast.Load))
    )


def _list_blocks(function: ast.FunctionDef) -> Iterator[list[ast.stmt]]:
    """Yields the blocks of a function."""
    work: list[ast.AST] = [function]
    while work:
        node = work.pop()
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if isinstance(block, list):
                yield block
                work += block
        work += getattr(node, "handlers", ())


def _read_values(node: ast.stmt) -> Mapping[str, ast.expr]:
    """Returns the variables that a statement assigns, with their values."""
    if not isinstance(node, ast.Assign) or len(node.targets) != 1:
        return {}
    target, value = node.targets[0], node.value
    targets, values = [target], [value]
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        targets, values = target.elts, value.elts
    if len(targets) != len(values):
        return {}
    names = [t.id for t in targets if isinstance(t, ast.Name)]
    return dict(zip(names, values)) if len(names) == len(targets) else {}


def _is_plain(node: ast.stmt, lines: list[str]) -> bool:
    """Whether a statement is one line, and no comment explains it."""
    line, above = lines[node.lineno - 1], lines[node.lineno - 2]
    alone = node.lineno == node.end_lineno and len(line) == node.end_col_offset
    return alone and line.isascii() and not above.lstrip().startswith("#")


def _find_uses(
    function: ast.FunctionDef, values: Mapping[str, ast.expr], after: ast.stmt
) -> list[tuple[ast.Name, ast.expr]] | None:
    """Returns where variables are read, with the values that may stand there; None if
    one must stay.

    Args:
      after: the statement below the assignment.
    """
    parents = {
        child: node
        for node in ast.walk(function)
        for child in ast.iter_child_nodes(node)
    }
    stored = {
        node.id
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    }
    found = []
    for name, value in values.items():
        mentioned = [
            node
            for node in ast.walk(function)
            if isinstance(node, ast.Name) and node.id == name
        ]
        reads = [node for node in mentioned if isinstance(node.ctx, ast.Load)]
        if len(mentioned) != len(reads) + 1 or not reads:
            return None
        for read in reads:
            parent = parents[read]
            if not isinstance(value, _ATOMS) and not (
                isinstance(parent, _PLACES) or read in getattr(parent, "args", ())
            ):
                return None
        if _is_fixed(value, function, stored):
            if len(reads) > 1 and not isinstance(value, ast.Name):
                return None
        elif len(reads) > 1 or not _is_next(reads[0], value, after, parents):
            return None
        found += [(read, value) for read in reads]
    return found


def _is_fixed(value: ast.expr, function: ast.FunctionDef, stored: set[str]) -> bool:
    """Whether a value is the same wherever it is computed in the function."""
    if isinstance(value, ast.Constant):
        return True
    root = value
    while isinstance(root, ast.Attribute):
        root = root.value
    if not isinstance(root, ast.Name) or root.id in stored:
        return False
    # Of a module; objects may get another attribute meanwhile.
    return root is value or root.id == "tf"


def _is_next(
    read: ast.Name,
    value: ast.expr,
    after: ast.stmt,
    parents: Mapping[ast.AST, ast.AST],
) -> bool:
    """Whether a value can as well be computed where the next statement reads it."""
    pure = all(
        isinstance(node, _PURE)
        or (isinstance(node, ast.Call) and ast.unparse(node.func) in _PURE_CALLS)
        for node in ast.walk(value)
    )
    if not pure:
        return isinstance(after, (ast.Return, ast.If)) and parents[read] is after
    # A call may give the object other attributes.
    if any(
        isinstance(node, ast.Name) and node.id == "self" for node in ast.walk(value)
    ):
        calls = (node for node in ast.walk(after) if isinstance(node, ast.Call))
        if any(_is_before(call, read) for call in calls):
            return False
    if isinstance(after, ast.With) and not any(
        read in ast.walk(item.context_expr) for item in after.items
    ):
        after = after.body[0]
    heads: list[ast.AST | None] = [after]
    if isinstance(after, (ast.If, ast.For)):
        heads = [getattr(after, "test", None), getattr(after, "iter", None)]
    elif not isinstance(after, (ast.Assign, ast.AugAssign, ast.Expr, ast.Return)):
        return False
    node: ast.AST = read
    while node not in heads:
        if isinstance(node, (ast.stmt, ast.Lambda, ast.comprehension)):
            return False
        node = parents[node]
    return True


def _is_before(one: ast.expr, other: ast.expr) -> bool:
    end = one.end_lineno or one.lineno, one.end_col_offset or one.col_offset
    return end <= (other.lineno, other.col_offset)


def _put_values(
    lines: list[str], one: ast.stmt, uses: list[tuple[ast.Name, ast.expr]]
) -> list[str] | None:
    """Returns the lines without an assignment, and with its values where they are read;
    None if a line would become too long.
    """
    lines = list(lines)
    for read, value in sorted(uses, key=lambda use: -use[0].col_offset):
        place = read.lineno - 1
        source = lines[one.lineno - 1][value.col_offset : value.end_col_offset]
        line = lines[place]
        end = read.col_offset + len(read.id)
        lines[place] = line[: read.col_offset] + source + line[end:]
        joined = lines[place - 1] + lines[place].strip() + lines[place + 1].strip()
        if len(lines[place]) > _WIDTH or not line.isascii():
            return None
        if lines[place - 1].endswith("(") and lines[place + 1].strip() == ")":
            if not line.endswith(",") and len(joined) <= _WIDTH:
                return None
    del lines[one.lineno - 1]
    if not lines[one.lineno - 2] and not lines[one.lineno - 1]:
        del lines[one.lineno - 1]
    return lines
