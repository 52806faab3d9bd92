"""Statements of emitted files that stay only where a certain unit is reached.

A comment above a statement says so:

    # Only for own_hooks.SessionRunHook.
    hooks = call_own(hooks)

The unit is a name of this file, `file.name` in this package, `module.name` of another, a
method of one of these, `Class.method`, or an argument that a class, a function or a method
may be given, `Class(argument)` or `Class.method(argument)`. `Class(argument!=None)` holds
unless all calls give the constant None for the argument. Several are joined by " or ";
of the same class only `.method` and `(argument)` are said. If several such comments follow
each other, all of them must hold. What the statement mentions counts only where the units
are reached for another reason. Otherwise the statement goes, with the comments right above
it. The comment that says so is never written.

A comment above a `with`, or an `if` without `else`, may reserve its head alone. The body
stays then in any case:

    # Head only for operations.layers_take_dtype_of_input.
    with layers_take_dtype_of_input():
        yield

In a module that has such comments, an optional argument of a function stays only if a call
of something with this name may give it, or if what stays of the function mentions it.

In a module that has such comments, an assignment `self.name = value` in `__init__` stays
without one, too, only where anything mentions the attribute, if to compute the value does
nothing else, and takes no variable that was computed for it. TensorFlow and Keras may read
attributes of other modules' objects.

The condition is a unit, not a word of the program, because the modules on the disk tell
which units an earlier program has reached.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
from collections.abc import Container, Iterator, Mapping, Sequence

from migrate import emitted
from migrate.source.nodes import walk_breadth_first

# A unit: its file, its name, and the method if it is one. "(argument)" stands for an
# argument of the class or function, "method(argument)" for one of the method. An attribute
# of objects is ("", "", attribute).
Unit = tuple[str, str, str]
# Of each group one unit must be reached.
Groups = tuple[tuple[Unit, ...], ...]
_NOT_NONE = "!=None)"
_PURE_CALLS = frozenset({"set", "dict", "list", "Event", "Lock", "Condition", "local"})
_PURE = (
    *(ast.Constant, ast.Name, ast.Attribute, ast.Tuple, ast.List, ast.Dict, ast.Set),
    *(ast.BoolOp, ast.Compare, ast.IfExp, ast.expr_context, ast.boolop, ast.cmpop),
    *(ast.ListComp, ast.comprehension, ast.Subscript),
)


@dataclasses.dataclass(frozen=True)
class Reservation:
    """One comment of this kind, for the statement below it.

    Attributes:
      groups: the statement stays if one unit of each group is reached.
      begin: the first line, from 1, that is removed with the statement.
      head: whether the body of the statement stays in any case.
    """

    groups: Groups
    begin: int
    head: bool = False


@functools.cache
def find_reserved(name: str) -> Mapping[int, Reservation]:
    """Maps the first line of each reserved statement of an emitted file to its reservation."""
    own = find_attributes_set(name)
    attributes = {
        node.lineno: Reservation(((("", "", attribute),),), begin)
        for found in own.values()
        for attribute, (node, begin) in found.items()
    }
    return attributes | dict(_walk_reserved(name))


@functools.cache
def find_attributes_set(
    name: str,
) -> Mapping[str, Mapping[str, tuple[ast.stmt, int]]]:
    """Finds the attribute assignments in `__init__` that do nothing else.

    Returns:
      For each class and attribute the assignment, and the line in which the comments above
      it begin.
    """
    if not has_comments(emitted.find_module(name)):
        return {}
    text = emitted.read_source(name).decode()
    lines = text.split("\n")
    found: dict[str, dict[str, tuple[ast.stmt, int]]] = {}
    for owner in ast.parse(text).body:
        for method in owner.body if isinstance(owner, ast.ClassDef) else ():
            if getattr(method, "name", "") != "__init__":
                continue
            computed = _find_computed(method)
            for node in method.body if isinstance(method, ast.FunctionDef) else ():
                attribute = find_attribute_set(node)
                if not attribute or not _is_pure(node, computed):
                    continue
                begin = node.lineno
                while lines[begin - 2].lstrip().startswith("#"):
                    begin -= 1
                own = found.setdefault(getattr(owner, "name", ""), {})
                if attribute in own:  # Assigned twice.
                    raise ValueError(f"{name}:{node.lineno}: {attribute} is set again")
                own[attribute] = node, begin
    return found


def find_attribute_set(node: ast.stmt) -> str:
    """Returns the attribute of `self` that a statement assigns, "" for anything else."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target = node.targets[0]
        if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
            is_own = target.value.id == "self" and not target.attr.startswith("__")
            return target.attr if is_own else ""
    return ""


@functools.cache
def has_comments(module: str) -> bool:
    """Whether files of a module have statements that are for certain units alone."""
    return any(dict(_walk_reserved(file)) for file in emitted.list_files(module))


def _find_computed(method: ast.stmt) -> frozenset[str]:
    """Returns the variables of a function. Without the attribute they would be needless."""
    return frozenset(
        inner.id
        for inner in ast.walk(method)
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store)
    )


def _is_pure(node: ast.stmt, computed: Container[str]) -> bool:
    """Whether a statement only assigns, and computing its value has no effect.

    Args:
      computed: names that the value must not mention.
    """
    if not isinstance(node, ast.Assign):
        return False
    for inner in ast.walk(node.value):
        if isinstance(inner, ast.Name) and inner.id in computed:
            return False
        if isinstance(inner, ast.Call) and ast.unparse(inner.func) != "os.path.join":
            called = getattr(inner.func, "attr", getattr(inner.func, "id", ""))
            if called not in _PURE_CALLS or inner.args or inner.keywords:
                return False
        elif not isinstance(inner, (*_PURE, ast.Call)):
            return False
    return True


def list_overridden(
    tree: ast.AST, dropped: Container[int]
) -> Iterator[tuple[int, int]]:
    """Finds assignments whose value the next statement replaces, without a use between.

    Args:
      dropped: lines, from 0, of statements that do not stay.

    Yields:
      The lines of each, from 0, and the line after it.
    """
    for one, after in _list_pairs(tree, dropped):
        if _is_overridden(one, after):
            yield one.lineno - 1, one.end_lineno or one.lineno


def list_returned(
    tree: ast.AST, dropped: Container[int]
) -> Iterator[tuple[ast.Assign, ast.Return]]:
    """Finds variables that a function only returns, as what stood before or between does
    not stay.

    Args:
      dropped: lines, from 0, of statements that do not stay.

    Yields:
      The assignment of each, and the `return`.
    """
    for one, after in _list_pairs(tree, dropped):
        if not isinstance(one, ast.Assign) or not isinstance(after, ast.Return):
            continue
        target, value = one.targets[0], after.value
        if isinstance(target, ast.Name) and isinstance(value, ast.Name):
            # The lines, from 0, before and after the assignment.
            around = one.lineno - 2, one.lineno
            if target.id == value.id and any(line in dropped for line in around):
                yield one, after


def _list_pairs(
    tree: ast.AST, dropped: Container[int]
) -> Iterator[tuple[ast.stmt, ast.stmt]]:
    """Yields the statements that follow each other where some lines do not stay."""
    for node in ast.walk(tree):
        for field in ("body", "orelse"):
            block = getattr(node, field, ())
            items = block if isinstance(block, list) else ()
            stays = [one for item in items for one in _list_staying(item, dropped)]
            yield from zip(stays, stays[1:])


def _list_staying(node: ast.stmt, dropped: Container[int]) -> Iterator[ast.stmt]:
    """Yields a statement if it stays, and if only its head does not, those of its body."""
    if find_first_line(node) - 1 not in dropped:
        yield node
    elif (node.end_lineno or node.lineno) - 1 not in dropped:
        for item in getattr(node, "body", ()):
            yield from _list_staying(item, dropped)


def _is_overridden(one: ast.stmt, after: ast.stmt) -> bool:
    """Whether a statement only assigns what the next one assigns, too, and does not read."""
    if not (isinstance(one, ast.Assign) and isinstance(after, ast.Assign)):
        return False
    if [*map(ast.dump, one.targets)] != [*map(ast.dump, after.targets)]:
        return False
    spelled = {
        ast.unparse(part)
        for target in one.targets
        for part in (target.elts if isinstance(target, ast.Tuple) else [target])
    }
    read = {
        ast.unparse(part)
        for part in ast.walk(after.value)
        if isinstance(part, (ast.Attribute, ast.Name))
    }
    return spelled.isdisjoint(read) and _is_pure(one, ())


def _walk_reserved(name: str) -> Iterator[tuple[int, Reservation]]:
    lines = emitted.read_marked_source(name).split(b"\n")
    line, begin = 0, 0  # A line of the text without these comments.
    groups: Groups = ()
    head = False
    for text in lines:
        mark = emitted.RESERVES.match(text)
        if mark:
            begin = begin if groups else line + 1
            groups = *groups, tuple(_read_units(name, mark[2].decode()))
            head = mark[1] != b"Only"
            continue
        line += 1
        if groups and not text.lstrip().startswith(b"#"):
            yield line, Reservation(groups, begin, head)
            groups = ()


def _read_units(name: str, text: str) -> Iterator[Unit]:
    owner = ""
    for path in text.split(" or "):
        if path[0] in ".(":
            path = owner + path
        place, owner, method = _find_unit(name, path)
        yield place, owner, method
        if place != name:
            owner = f"{place.rpartition('/')[2].removesuffix('.py')}.{owner}"


def _find_unit(name: str, path: str) -> Unit:
    """Returns the unit that a comment of a file names."""
    package, _, _ = name.rpartition("/")
    first, _, rest = path.partition(".")
    for other in (f"{package}/{first}.py", f"{first}.py"):
        if rest and other in emitted.list_names():
            name, path = other, rest
            break
    before, bracket, argument = path.partition("(")
    owner, _, method = before.partition(".")
    return name, owner, method + bracket + argument


def list_reserved_nodes(name: str, *trees: ast.AST) -> Sequence[ast.stmt]:
    """Returns the reserved statements of a file that are inside some of its nodes."""
    places = find_reserved(name)
    if not places:
        return ()
    found: dict[int, ast.stmt] = {}
    for tree in trees:
        for node in walk_breadth_first(tree):
            if isinstance(node, ast.stmt):
                line = find_first_line(node)
                if line in places:  # The outermost comes first.
                    found.setdefault(line, node)
    return tuple(found.values())


def list_told_lines(name: str, tree: ast.AST) -> Iterator[int]:
    """Yields the lines, from 0, of statements by which a later run sees an argument."""
    for node, parts in _list_told(name, tree):
        body = list(getattr(node, "body", ()))
        last = body[0].lineno - 1 if parts else node.end_lineno
        yield from range(node.lineno - 1, last or node.lineno)


def find_told(name: str, tree: ast.AST) -> frozenset[Unit]:
    """Returns the arguments that a later run sees in the statements of an emitted file."""
    there = {
        describe_statement(node, head)
        for node in ast.walk(tree)
        if isinstance(node, ast.stmt)
        for head in (False, True)
    }
    return frozenset(
        unit
        for unit in _list_told_units(name)
        if not there.isdisjoint(text for _, text in list_statements_for(name, unit))
    )


@functools.cache
def list_told(name: str) -> frozenset[str]:
    """Returns descriptions of the statements in which a later run sees arguments."""
    return frozenset(
        text
        for unit in _list_told_units(name)
        for _, text in list_statements_for(name, unit)
    )


@functools.cache
def _list_told_units(name: str) -> frozenset[Unit]:
    """Returns the arguments that the comments of a file name."""
    return frozenset(
        unit
        for _, one in _walk_reserved(name)
        for units in one.groups
        for unit in units
        if "(" in unit[2]
    )


def _list_told(name: str, tree: ast.AST) -> Iterator[tuple[ast.stmt, bool]]:
    """Yields these statements, and whether only the head of each counts."""
    places = dict(_walk_reserved(name))
    for node in list_reserved_nodes(name, tree):
        one = places.get(find_first_line(node))
        if one and not isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            if any("(" in method for units in one.groups for _, _, method in units):
                yield node, one.head or _has_reserved(name, node)


@functools.cache
def list_other_than_none(module: str) -> tuple[Unit, ...]:
    """Returns the units of a module's comments that ask for other values than None."""
    return tuple(
        unit
        for file in emitted.list_files(module)
        for _, one in _walk_reserved(file)
        for units in one.groups
        for unit in units
        if unit[2].endswith(_NOT_NONE)
    )


@functools.cache
def list_statements_for(name: str, unit: Unit) -> Sequence[tuple[str, str]]:
    """Returns the statements of a file that are there only if a unit is reached.

    If a unit that asks for other values than None has no statement alone, it is the first
    of several. The text is then the same for whichever of them the statement is there.

    Returns:
      For each the name of the function that it is in, and its description.
    """
    places = dict(_walk_reserved(name))
    tree = ast.parse(emitted.read_source(name))
    alone: list[tuple[str, str]] = []
    shared: list[tuple[str, str]] = []
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        for node in list_reserved_nodes(name, *function.body):
            if one := places.get(find_first_line(node)):
                parts = one.head or _has_reserved(name, node)
                text = describe_statement(node, parts)
                if (unit,) in one.groups:
                    alone.append((function.name, text))
                elif any(unit in units[:1] for units in one.groups):
                    shared.append((function.name, text))
    return tuple(alone or (shared if unit[2].endswith(_NOT_NONE) else ()))


def _has_reserved(name: str, node: ast.stmt) -> bool:
    """Whether some statement in a statement is reserved itself."""
    return bool(list_reserved_nodes(name, *getattr(node, "body", ())))


def describe_statement(node: ast.stmt, head: bool = False) -> str:
    """Returns what two statements share if they are the same.

    Args:
      head: whether only the head of an `if` or a `with` counts, as its body may differ.
    """
    if head and isinstance(node, ast.If):
        return f"if {ast.dump(node.test)}"
    if head and isinstance(node, ast.With):
        return f"with {[ast.dump(item) for item in node.items]}"
    return ast.dump(node)


def list_heads(node: ast.stmt) -> Sequence[ast.expr]:
    """Returns the expressions of the head of a `with`, or of an `if` without `else`."""
    if isinstance(node, ast.If) and not node.orelse:
        return [node.test]
    if isinstance(node, ast.With):
        parts = [(item.context_expr, item.optional_vars) for item in node.items]
        return [part for pair in parts for part in pair if part is not None]
    raise ValueError(f"{node.lineno}: the head of this statement cannot go alone")


def find_first_line(node: ast.stmt) -> int:
    """Returns the line in which a statement begins, with its decorators."""
    decorators = getattr(node, "decorator_list", ())
    first: int = min([node.lineno, *(d.lineno for d in decorators)])
    return first
