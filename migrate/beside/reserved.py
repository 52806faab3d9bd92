"""Statements of emitted files that stay only where a certain unit is reached.

A comment above a statement says so:

    # Only for own_hooks.SessionRunHook.
    hooks = call_own(hooks)

The unit is a name of this file, `file.name` in this package, a method of one of these,
`Class.method`, or an argument that a class may be given, `Class(argument)`. Several are
joined by " or "; of the same class only `.method` and `(argument)` are said. What the statement mentions counts only where one of them is reached for
another reason. Otherwise the statement goes, with the comments right above it. The
comment that says so is never written.

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
# argument of the class. An attribute of objects is ("", "", attribute).
Unit = tuple[str, str, str]
_PURE_CALLS = frozenset({"set", "dict", "list", "Event", "Lock", "Condition", "local"})
_PURE = (
    *(ast.Constant, ast.Name, ast.Attribute, ast.Tuple, ast.List, ast.Dict, ast.Set),
    *(ast.BoolOp, ast.Compare, ast.IfExp, ast.expr_context, ast.boolop, ast.cmpop),
)


@dataclasses.dataclass(frozen=True)
class Reservation:
    """One comment of this kind, for the statement below it.

    Attributes:
      units: the statement stays if one of these is reached.
      begin: the first line, from 1, that is removed with the statement.
    """

    units: tuple[Unit, ...]
    begin: int


@functools.cache
def find_reserved(name: str) -> Mapping[int, Reservation]:
    """Maps the first line of each reserved statement of an emitted file to its reservation."""
    own = find_attributes_set(name)
    attributes = {
        node.lineno: Reservation((("", "", attribute),), begin)
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
    if not _has_comments(emitted.find_module(name)):
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
def _has_comments(module: str) -> bool:
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
        if isinstance(inner, ast.Call):
            called = getattr(inner.func, "attr", getattr(inner.func, "id", ""))
            if called not in _PURE_CALLS or inner.args or inner.keywords:
                return False
        elif not isinstance(inner, _PURE):
            return False
    return True


@functools.cache
def find_arguments(name: str) -> Mapping[str, frozenset[str]]:
    """Maps each class of a file to the arguments that have statements of their own."""
    found: dict[str, set[str]] = {}
    for file in emitted.list_files(emitted.find_module(name)):
        for one in dict(_walk_reserved(file)).values():
            for place, owner, method in one.units:
                if place == name and method.startswith("("):
                    found.setdefault(owner, set()).add(method[1:-1])
    return {owner: frozenset(arguments) for owner, arguments in found.items()}


def _walk_reserved(name: str) -> Iterator[tuple[int, Reservation]]:
    lines = emitted.read_marked_source(name).split(b"\n")
    line, begin = 0, 0  # A line of the text without these comments.
    units: tuple[Unit, ...] = ()
    for text in lines:
        mark = emitted.RESERVES.match(text)
        if mark:
            units, begin = tuple(_read_units(name, mark[1].decode())), line + 1
            continue
        line += 1
        if units and not text.lstrip().startswith(b"#"):
            yield line, Reservation(units, begin)
            units = ()


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
    inside = f"{package}/{first}.py"
    if rest and inside in emitted.list_names():
        name, path = inside, rest
    owner, bracket, argument = path.partition("(")
    if bracket:
        return name, owner, bracket + argument
    owner, _, method = path.partition(".")
    return name, owner, method


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


@functools.cache
def list_statements_for(name: str, unit: Unit) -> Sequence[tuple[str, str]]:
    """Returns the statements of a file that are for one unit alone.

    Returns:
      For each the name of the function that it is in, and its `ast.dump`.
    """
    places = dict(_walk_reserved(name))
    tree = ast.parse(emitted.read_source(name))
    return tuple(
        (function.name, ast.dump(node))
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef)
        for node in list_reserved_nodes(name, *function.body)
        if (one := places.get(find_first_line(node))) and one.units == (unit,)
    )


def find_first_line(node: ast.stmt) -> int:
    """Returns the line in which a statement begins, with its decorators."""
    decorators = getattr(node, "decorator_list", ())
    first: int = min([node.lineno, *(d.lineno for d in decorators)])
    return first
