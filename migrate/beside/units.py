"""Reads an emitted file as units, the parts that can be left out one by one.

A unit is a definition of the module (a function, a class without its methods, an
assignment), a method, one name of an import, or a statement with an effect.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import pathlib
import sys
from collections.abc import Iterator, Sequence

from migrate import emitted
from migrate.beside.reserved import (
    Groups,
    find_first_line,
    find_reserved,
    has_comments,
    list_heads,
    list_reserved_nodes,
)
from migrate.facts.names import is_bare_constant
from migrate.source.nodes import list_children, walk_breadth_first

_Function = (ast.FunctionDef, ast.AsyncFunctionDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


# Imports inside functions that the file may lack unless the program has them anyway:
# only a program that makes a strategy of `estimator_strategies` has one with several
# devices.
MAY_LACK = {("estimator_loop/clusters.py", "estimator_strategies")}


@dataclasses.dataclass(frozen=True)
class References:
    """The names that a piece of code mentions.

    Attributes:
      paths: dotted names, from a name that is read: ("training_session", "Saver").
      attributes: names of attributes, and texts that may be the name of one. "Saver(name)"
        says that something called Saver gets this argument, "Saver(2)" that it gets two
        arguments by position, "Saver(*)" that it may get any, and "Saver(!a,b)" that a
        call gives None, as a constant, for a and b alone.
    """

    paths: frozenset[tuple[str, ...]] = frozenset()
    attributes: frozenset[str] = frozenset()


@dataclasses.dataclass(frozen=True)
class Reserved:
    """A statement that stays only if one unit of each group is reached."""

    groups: Groups
    references: References


@dataclasses.dataclass(frozen=True)
class Code:
    """The mentions of a piece of code, and its statements that are reserved for other units.

    Attributes:
      groups: the piece stays only if one unit of each is reached.
    """

    references: References = References()
    reserved: tuple[Reserved, ...] = ()
    groups: Groups = ()


@dataclasses.dataclass(frozen=True)
class Definition:
    """A statement that binds one name of a module, or several.

    Attributes:
      node: the statement.
      code: its mentions; of a class, without those of its methods.
      methods: of a class, by name; a property and its setter have one name.
      bases: of a class.
      arguments: in a module that has reserved statements, the optional arguments of the
        class or function, and of methods, with their positions: ("", "reshape") or
        ("save", "global_step").
    """

    node: ast.stmt
    code: Code
    methods: dict[str, Code] = dataclasses.field(default_factory=dict)
    bases: tuple[tuple[str, ...], ...] = ()
    arguments: dict[tuple[str, str], int] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class Import:
    """One name that an import binds.

    Attributes:
      module: the emitted module or file that the name is from, or that it is; "" for others.
      name: the name there; "" if the import binds the module itself.
      instead: what the file uses if the import fails, None if the file needs it.
    """

    module: str
    name: str = ""
    instead: References | None = None


@dataclasses.dataclass(frozen=True)
class Effect:
    """A statement that does something when its module is loaded.

    Attributes:
      owner: the definition that it completes, "" if it completes none.
    """

    node: ast.stmt
    code: Code
    owner: str = ""


@dataclasses.dataclass(frozen=True)
class File:
    """The units of a file."""

    tree: ast.Module
    definitions: dict[str, Definition]
    imports: dict[str, Import]
    effects: tuple[Effect, ...]

    def binds(self, name: str) -> bool:
        return name in self.definitions or name in self.imports


@functools.cache
def read_file(name: str) -> File:
    """Returns the units of an emitted file, by the file's name."""
    tree = ast.parse(emitted.read_source(name))
    definitions: dict[str, Definition] = {}
    imports: dict[str, Import] = {}
    effects: list[Effect] = []
    for node in tree.body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            imports.update(read_import(node, name))
        elif isinstance(node, ast.Try):
            imports.update(_read_tried_import(node, name))
        elif isinstance(node, ast.ClassDef):
            definitions[node.name] = _define_class(node, name)
        elif isinstance(node, _Function):
            places = _list_arguments(name, node)
            definitions[node.name] = Definition(
                node, read_code(name, node), arguments=places
            )
        elif names := list_assigned_names(node):
            definition = Definition(node, read_code(name, node))
            definitions.update(dict.fromkeys(names, definition))
        elif not is_bare_constant(node):
            effects.append(
                Effect(node, read_code(name, node), _find_owner(node, definitions))
            )
    for inner in walk_breadth_first(tree):  # Imports in functions: few need them.
        if isinstance(inner, (ast.Import, ast.ImportFrom)):
            for bound, one in read_import(inner, name).items():
                if bound not in imports and one.module:
                    missing = References() if (name, bound) in MAY_LACK else None
                    imports[bound] = dataclasses.replace(one, instead=missing)
    return File(tree, definitions, imports, tuple(effects))


def read_import(node: ast.Import | ast.ImportFrom, name: str) -> dict[str, Import]:
    """Returns the names that an import binds.

    Args:
      name: the emitted file that contains the import, "" for a file of a program.
    """
    found = {}
    for alias in node.names:
        bound = alias.asname or alias.name.partition(".")[0]
        if isinstance(node, ast.Import):
            found[bound] = Import(_find_module(alias.name))
            continue
        package, _, _ = name.rpartition("/")
        if node.level == 1 and package:
            inside = f"{package}/{node.module or alias.name}.py"
            found[bound] = Import(inside, alias.name if node.module else "")
        elif node.module and _find_module(node.module):
            found[bound] = Import(_find_module(node.module), alias.name)
        else:  # `from .. import training_session`; in a program, `from package import`.
            found[bound] = Import(_find_module(alias.name))
    return found


def _find_module(dotted: str) -> str:
    """Returns the file of an emitted module, "" if no emitted module has the name."""
    return find_top(dotted.rpartition(".")[2])


def find_top(module: str) -> str:
    """Returns the file of an emitted module, or the first file of its package."""
    files = emitted.list_files(module)
    if len(files) > 1:
        return f"{module}/__init__.py"
    return files[0] if files else ""


def _read_tried_import(node: ast.Try, name: str) -> dict[str, Import]:
    """Reads a `try` of an import, with what its `except` has instead."""
    found: dict[str, Import] = {}
    others = [
        statement
        for handler in node.handlers
        for statement in handler.body
        if not isinstance(statement, (ast.Import, ast.ImportFrom))
    ]
    instead = find_references(*others) if others else None
    for statement in node.body:
        if not isinstance(statement, (ast.Import, ast.ImportFrom)):
            raise ValueError(f"{name}:{statement.lineno}: more than an import is tried")
        for bound, one in read_import(statement, name).items():
            found[bound] = dataclasses.replace(one, instead=instead)
    return found


def _define_class(node: ast.ClassDef, name: str) -> Definition:
    methods: dict[str, Code] = {}
    for item in node.body:
        if isinstance(item, _Function):
            code = read_code(name, item)
            if item.name in methods:
                code = _join_code(methods[item.name], code)
            methods[item.name] = code
    rest = [
        *node.bases,
        *node.keywords,
        *node.decorator_list,
        *(s for s in node.body if not isinstance(s, _Function)),
    ]
    bases = tuple(_find_path(base) or ("",) for base in node.bases)
    arguments = _list_arguments(name, node)
    return Definition(node, read_code(name, *rest), methods, bases, arguments)


def _list_arguments(name: str, node: ast.stmt) -> dict[tuple[str, str], int]:
    """Returns the arguments of a definition that may go, as `Definition` has them."""
    return (
        list_optional_arguments(node) if has_comments(emitted.find_module(name)) else {}
    )


def list_optional_arguments(node: ast.stmt) -> dict[tuple[str, str], int]:
    """Returns the optional arguments of a class and its methods, or of a function.

    Positions are counted after `self`. Python gives the arguments of methods such as
    `__call__`, so these stay.
    """
    if isinstance(node, ast.FunctionDef):
        return {("", argument): place for argument, place in _list_optional(node, 0)}
    found: dict[tuple[str, str], int] = {}
    for item in node.body if isinstance(node, ast.ClassDef) else ():
        if isinstance(item, ast.FunctionDef):
            method = "" if item.name == "__init__" else item.name
            if not method.startswith("__"):
                for argument, place in _list_optional(item, 1):
                    found[method, argument] = place
    return found


def _list_optional(node: ast.FunctionDef, before: int) -> Iterator[tuple[str, int]]:
    """Yields the optional arguments of a function, with their positions after others."""
    places = [*node.args.posonlyargs, *node.args.args]
    first = len(places) - len(node.args.defaults)
    for place, argument in enumerate(places[first:], first):
        yield argument.arg, place - before
    for argument, default in zip(node.args.kwonlyargs, node.args.kw_defaults):
        if default is not None:
            yield argument.arg, sys.maxsize  # No place gives it.


def read_code(name: str, *nodes: ast.AST) -> Code:
    """Reads the mentions of pieces of a file's code, and their reserved statements."""
    groups: Groups = ()
    inner: list[ast.AST] = list(nodes)
    if len(nodes) == 1 and isinstance(nodes[0], _Function):
        # If the function is reserved itself, it is not one of its own reserved statements.
        own = find_reserved(name).get(find_first_line(nodes[0]))
        groups = own.groups if own else ()
        inner = list(list_children(nodes[0]))
    apart = list_reserved_nodes(name, *inner)
    places = find_reserved(name)
    parts: list[tuple[Groups, Sequence[ast.AST]]] = []
    for node in apart:
        place = places[find_first_line(node)]
        parts.append((place.groups, list_heads(node) if place.head else [node]))
    skipped = frozenset(id(part) for _, several in parts for part in several)
    reserved = []
    for needed, several in parts:
        others = skipped.difference(map(id, several))
        reserved.append(Reserved(needed, find_references(*several, skipped=others)))
    return Code(find_references(*nodes, skipped=skipped), tuple(reserved), groups)


def _join_code(one: Code, other: Code) -> Code:
    references = References(
        one.references.paths | other.references.paths,
        one.references.attributes | other.references.attributes,
    )
    reserved = (*one.reserved, *other.reserved)
    return Code(references, reserved, one.groups if one.groups == other.groups else ())


def list_assigned_names(node: ast.stmt) -> tuple[str, ...]:
    """Returns the names that an assignment binds; none if it does anything else."""
    if isinstance(node, ast.Assign):
        targets = [t for target in node.targets for t in _flatten_target(target)]
    elif isinstance(node, ast.AnnAssign):
        targets = [node.target]
    else:
        return ()
    names = tuple(t.id for t in targets if isinstance(t, ast.Name))
    return names if len(names) == len(targets) else ()


def _flatten_target(target: ast.expr) -> Iterator[ast.expr]:
    if isinstance(target, (ast.Tuple, ast.List)):
        yield from target.elts
    else:
        yield target


def _find_owner(node: ast.stmt, definitions: dict[str, Definition]) -> str:
    """Returns the definition of the same file that a statement completes."""
    changed: ast.expr | None = None
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Attribute):
        changed = node.targets[0].value
    inner = node.body[0] if isinstance(node, ast.For) and len(node.body) == 1 else node
    if isinstance(inner, ast.Expr) and isinstance(inner.value, ast.Call):
        call = inner.value
        if isinstance(call.func, ast.Attribute):  # `_VALUES.update(...)`
            changed = call.func.value
        elif isinstance(call.func, ast.Name) and call.func.id == "setattr":
            changed = call.args[0]
    known = isinstance(changed, ast.Name) and changed.id in definitions
    return changed.id if known and isinstance(changed, ast.Name) else ""


def _find_path(node: ast.expr) -> tuple[str, ...]:
    """Returns the dotted name that an expression spells, () if it is none."""
    if isinstance(node, ast.Name):
        return (node.id,)
    if isinstance(node, ast.Attribute) and (before := _find_path(node.value)):
        return (*before, node.attr)
    return ()


def find_references(
    *nodes: ast.AST, skipped: frozenset[int] = frozenset()
) -> References:
    """Finds the mentions in pieces of code. Names that a function binds itself are no paths.

    Args:
      skipped: the identities of statements that do not count.
    """
    paths: set[tuple[str, ...]] = set()
    attributes: set[str] = set()
    called: set[int] = set()  # Mentions that hand nothing on.
    work = [(node, frozenset[str]()) for node in nodes]
    while work:
        node, local = work.pop()
        if id(node) in skipped:
            continue
        if isinstance(node, (ast.Attribute, ast.Name)) and id(node) not in called:
            name = node.attr if isinstance(node, ast.Attribute) else node.id
            attributes.add(f"{name}(*)")
        if isinstance(node, (ast.Attribute, ast.Name)) and (path := _find_path(node)):
            if path[0] in local:
                attributes.update(path[1:])
            else:
                paths.add(path)
            continue
        if isinstance(node, ast.Attribute):
            attributes.add(node.attr)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            if node.value.isidentifier():  # `getattr(model, "train_step")`
                attributes |= {node.value, f"{node.value}(*)"}
        elif isinstance(node, ast.alias) and node.asname not in (None, node.name):
            attributes.add(f"{node.name.rpartition('.')[2]}(*)")
        elif isinstance(node, ast.Call):
            called.update(map(id, _list_called(node)))
            attributes.update(_list_given(node))
        if isinstance(node, (*_Function, ast.Lambda)):
            inside = local | _find_local_names(node)
            body = [node.body] if isinstance(node, ast.Lambda) else node.body
            work += [(child, inside) for child in body]
            work += [(child, local) for child in _walk_signature(node)]
        elif isinstance(node, _COMPREHENSIONS):
            inside = local | find_bound_names(*(g.target for g in node.generators))
            work += [(child, inside) for child in list_children(node)]
        else:
            work += [(child, local) for child in list_children(node)]
    return References(frozenset(paths), frozenset(attributes))


def _list_called(node: ast.Call) -> Sequence[ast.expr]:
    """Returns the mentions that a call does not hand on: what it calls, or compares with."""
    if isinstance(node.func, ast.Name) and node.func.id == "isinstance":
        classes = node.args[-1]
        several = classes.elts if isinstance(classes, ast.Tuple) else ()
        return [node.func, classes, *several]
    return [node.func]


def _list_given(node: ast.Call) -> Iterator[str]:
    """Yields the arguments of a call, spelled as in `References.attributes`."""
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    starred = any(isinstance(argument, ast.Starred) for argument in node.args)
    none = [k.arg for k in node.keywords if k.arg and _is_none(k.value)]
    yield f"{name}(!{','.join(sorted(none))})"
    for keyword in node.keywords:
        yield f"{name}({keyword.arg or '*'})"
    yield f"{name}({'*' if starred else len(node.args)})"


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _walk_signature(
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda,
) -> Iterator[ast.AST]:
    """Yields the parts of a function that are evaluated when it is defined."""
    yield node.args
    if not isinstance(node, ast.Lambda):
        yield from node.decorator_list
        if node.returns is not None:
            yield node.returns


def _find_local_names(
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda,
) -> set[str]:
    """Returns the names that a function binds for itself, without modules that it imports."""
    found = set(find_bound_names(node.args))
    shared: set[str] = set()
    work: list[ast.AST] = [] if isinstance(node, ast.Lambda) else list(node.body)
    while work:
        inner = work.pop()
        if isinstance(inner, (ast.Global, ast.Nonlocal)):
            shared.update(inner.names)
        elif isinstance(inner, (*_Function, ast.ClassDef)):
            found.add(inner.name)
            continue
        elif isinstance(inner, (ast.Lambda, *_COMPREHENSIONS)):
            continue
        elif isinstance(inner, ast.ExceptHandler) and inner.name:
            found.add(inner.name)
        elif isinstance(inner, ast.Name) and not isinstance(inner.ctx, ast.Load):
            found.add(inner.id)
        work.extend(list_children(inner))
    return found - shared


def find_bound_names(*trees: ast.AST) -> frozenset[str]:
    """Returns the parameters and assigned names in pieces of code."""
    return frozenset(
        node.arg if isinstance(node, ast.arg) else node.id
        for tree in trees
        for node in walk_breadth_first(tree)
        if isinstance(node, ast.arg)
        or (isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load))
    )


def strip_name(name: str) -> str:
    """Returns the name of a file inside its package, without its suffix."""
    return pathlib.PurePosixPath(name).stem
