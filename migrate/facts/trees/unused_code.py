"""Finds functions and classes of a program that nothing in it names.

A module may serve several programs, or may be old. Code that none of its program's code
calls is not a part of the program, and cannot prevent its migration. Names are compared,
not objects: a function counts as used if its name occurs in code that is used, as a name,
an attribute or a string. If a program finds functions by computed names
(`getattr(models, FLAGS.model)`), no code counts as unused.
"""

from __future__ import annotations

import ast
import dataclasses
import re
from collections.abc import Iterator, Mapping

from migrate.facts import names
from migrate.facts.scopes import Scopes, build_scopes
from migrate.facts.trees.unreachable import find_unreachable_statements
from migrate.source.nodes import walk_breadth_first
from migrate.tables import graph_mode, roles

_IDENTIFIER = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_BY_NAME = frozenset({"globals", "locals", "vars", "eval", "exec", "__import__"})
# `tf.app.run()` calls the `main` of the started module without naming it.
_STARTED = "main"
# Functions that call definitions which they find by themselves.
_FINDERS = frozenset({"Fire"})
_TESTERS = frozenset({"unittest", "test", "absltest", "googletest"})
# Code that only a script has at its top level.
_WORK = roles.SESSIONS | graph_mode.RUNS_GRAPHS - graph_mode.SWITCHES | {"tf.app.run"}
_Definition = ast.FunctionDef | ast.ClassDef


@dataclasses.dataclass(frozen=True)
class Unused:
    """A definition that nothing names.

    Attributes:
      first, last: its lines, decorators included.
      header: the text that replaces it, without its body.
    """

    first: int
    last: int
    header: str

    def holds(self, line: int) -> bool:
        return self.first <= line <= self.last


def find_unused(trees: Mapping[str, ast.Module]) -> dict[str, list[Unused]]:
    """Finds definitions that nothing names, by file.

    Args:
      trees: all files of a program.

    Returns:
      Nothing if no file is one that somebody starts: all of a library is used.
    """
    if not any(_is_started(tree) for tree in trees.values()):
        return {}
    every = [(path, d) for path, tree in trees.items() for d in _find_definitions(tree)]
    candidates = {id(definition) for _, definition in every}
    # Code that never runs does not use the functions that it names.
    left_out = {
        id(s) for tree in trees.values() for s in find_unreachable_statements(tree)
    }
    named: dict[str, list[_Definition]] = {}
    class_of: dict[int, ast.ClassDef] = {}
    for _, definition in every:
        named.setdefault(definition.name, []).append(definition)
        if isinstance(definition, ast.ClassDef):
            class_of.update((id(method), definition) for method in definition.body)
    work: list[ast.AST] = list(trees.values())
    used: set[int] = set()
    waiting: dict[int, list[_Definition]] = {}  # Methods of a class that code names.
    while work:
        found_names = _find_names(work.pop(), candidates | left_out)
        if found_names is None:
            return {}
        for name in (*found_names, _STARTED):
            for definition in named.pop(name, ()):
                owner = class_of.get(id(definition))
                if owner is not None and id(owner) not in used:
                    waiting.setdefault(id(owner), []).append(definition)
                    continue
                ready = [definition, *waiting.pop(id(definition), ())]
                used.update(map(id, ready))
                work += ready
    found: dict[str, list[Unused]] = {}
    for path, definition in every:
        if id(definition) not in used:
            found.setdefault(path, []).append(make_unused(definition))
    return {path: _keep_outermost(ones) for path, ones in found.items()}


def _is_started(tree: ast.Module) -> bool:
    """Whether a file is a script: it says so, or it runs a program when it is imported."""
    says = any(
        isinstance(statement, ast.If)
        and any(
            isinstance(n, ast.Name) and n.id == "__name__"
            for n in walk_breadth_first(statement.test)
        )
        for statement in tree.body
    )
    return says or _works(tree)


def _works(tree: ast.Module) -> bool:
    """Whether a module opens a session, or calls `main`, when it is executed.

    Its functions and methods may do so for it: `model = Model()`, `model.train()`.
    """
    calls = [
        call
        for statement in tree.body
        if not isinstance(statement, _Definition)
        for call in _list_calls(statement)
    ]
    if any(isinstance(c.func, ast.Name) and c.func.id == _STARTED for c in calls):
        return True
    if not calls:
        return False
    scopes = build_scopes(tree)
    entered: set[ast.AST] = set()
    for call in calls:  # The list grows.
        if scopes.resolve(call.func) in _WORK:
            return True
        function = _find_callee(scopes, call)
        if function is not None and function not in entered:
            entered.add(function)
            for statement in function.body:
                calls += _list_calls(statement)
    return False


def _list_calls(statement: ast.stmt) -> list[ast.Call]:
    return [n for n in names.walk_scope(statement) if isinstance(n, ast.Call)]


def _find_callee(scopes: Scopes, call: ast.Call) -> ast.FunctionDef | None:
    """Finds the function, or the method of a class of the module, that a call enters."""
    func = call.func
    if isinstance(func, ast.Name):
        bound = _find_only_binding(scopes, func)
        if isinstance(bound, ast.ClassDef):
            return _find_method(bound, "__init__")
        return bound if isinstance(bound, ast.FunctionDef) else None
    if not (isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name)):
        return None
    owner: ast.AST | None = None
    made = _find_only_binding(scopes, func.value)
    if isinstance(made, ast.Assign) and isinstance(made.value, ast.Call):
        if isinstance(made.value.func, ast.Name):  # `model = Model()`
            owner = _find_only_binding(scopes, made.value.func)
    else:
        function = scopes.find_scope(func.value).node
        if isinstance(function, ast.FunctionDef) and function.args.args:
            if function.args.args[0].arg == func.value.id:  # `self.build()`
                owner = scopes.parents.get(function)
    return _find_method(owner, func.attr) if isinstance(owner, ast.ClassDef) else None


def _find_only_binding(scopes: Scopes, name: ast.Name) -> ast.AST | None:
    owner = scopes.find_scope(name).find_owner(name.id)
    bound = owner.bindings.get(name.id, []) if owner is not None else []
    return bound[0] if len(bound) == 1 else None


def _find_method(owner: ast.ClassDef, name: str) -> ast.FunctionDef | None:
    for item in owner.body:
        if isinstance(item, ast.FunctionDef) and item.name == name:
            return item
    return None


def _find_definitions(tree: ast.Module) -> Iterator[_Definition]:
    """Yields functions and classes of a module, and methods that only its code can call."""
    for statement in tree.body:
        if not isinstance(statement, _Definition) or statement.decorator_list:
            continue  # A decorator may keep the function somewhere.
        yield statement
        if isinstance(statement, ast.ClassDef) and not _inherits(statement):
            for method in statement.body:
                if isinstance(method, ast.FunctionDef) and not (
                    method.decorator_list or method.name.startswith("__")
                ):
                    yield method


def _inherits(definition: ast.ClassDef) -> bool:
    return bool(definition.keywords) or any(
        not (isinstance(base, ast.Name) and base.id == "object")
        for base in definition.bases
    )


def _find_names(top: ast.AST, candidates: set[int]) -> set[str] | None:
    """Returns the names in code, without nested definitions; None if names are computed."""
    found: set[str] = set()
    todo = [top]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.alias):
            found.update(node.name.split("."))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            if _IDENTIFIER.fullmatch(node.value):
                found.update(node.value.split("."))
        elif isinstance(node, ast.Call) and _computes_names(node):
            return None
        todo += [
            child
            for child in ast.iter_child_nodes(node)
            if id(child) not in candidates or child is top
        ]
    return found


def _computes_names(call: ast.Call) -> bool:
    if isinstance(call.func, ast.Attribute):
        owner = call.func.value
        name = owner.attr if isinstance(owner, ast.Attribute) else None
        name = owner.id if isinstance(owner, ast.Name) else name
        return call.func.attr in _FINDERS or (
            call.func.attr == _STARTED and name in _TESTERS
        )
    if not isinstance(call.func, ast.Name):
        return False
    if call.func.id == "getattr":
        return len(call.args) > 1 and not isinstance(call.args[1], ast.Constant)
    return call.func.id in _BY_NAME


def make_unused(definition: _Definition) -> Unused:
    """Makes a definition one that can be left out."""
    kind = "(object)" if isinstance(definition, ast.ClassDef) else "(*args, **kwargs)"
    word = "class" if isinstance(definition, ast.ClassDef) else "def"
    header = f"{' ' * definition.col_offset}{word} {definition.name}{kind}:"
    return Unused(definition.lineno, definition.end_lineno or 0, header)


def _keep_outermost(found: list[Unused]) -> list[Unused]:
    return [
        one
        for one in found
        if not any(o is not one and o.first <= one.first <= o.last for o in found)
    ]
