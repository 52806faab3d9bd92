"""Imports: modules of the program, the library, and everything else."""

from __future__ import annotations

import ast
import sys
from typing import TYPE_CHECKING

from migrate.evaluate import assignment
from migrate.evaluate.completions import NORMAL, Completion
from migrate.graph.values import Const, External, Module, Symbol, Value

if TYPE_CHECKING:
    from migrate.evaluate.machine import Machine

# Modules of Python 2 that Python 3 has under another name: importing one fails.
_GONE = {
    "cPickle",
    "ConfigParser",
    "Queue",
    "StringIO",
    "cStringIO",
    "urllib2",
    "urlparse",
}
_GONE |= {
    "Tkinter",
    "HTMLParser",
    "httplib",
    "commands",
    "__builtin__",
    "itertools.izip",
}
_GONE_NAMES = {("itertools", "izip"), ("urllib", "urlretrieve"), ("urllib", "urlopen")}


def execute_import(m: Machine, node: ast.Import) -> Completion:
    """`import a.b as c`."""
    for alias in node.names:
        found = load(m, alias.name, 0)
        if alias.asname:
            assignment.bind(m, alias.asname, found)
            continue
        first = alias.name.partition(".")[0]
        assignment.bind(m, first, found if first == alias.name else load(m, first, 0))
    return NORMAL


def execute_import_from(m: Machine, node: ast.ImportFrom) -> Completion:
    """`from a import b as c`."""
    module = load(m, node.module or "", node.level)
    for alias in node.names:
        if alias.name == "*":
            _import_star(m, module)
        else:
            assignment.bind(
                m, alias.asname or alias.name, _find_member(m, module, alias.name)
            )
    return NORMAL


def _find_member(m: Machine, module: Value, name: str) -> Value:
    from migrate.evaluate import attributes

    return attributes.get(m, module, name)


def _import_star(m: Machine, module: Value) -> None:
    if isinstance(module, Module):
        listed = m.store.get((module.number, "__all__"))
        names = None
        if isinstance(listed, Value):
            from migrate.evaluate import containers

            items = containers.list_elements(m, listed) or []
            names = {i.value for i in items if isinstance(i, Const)}
        for key in list(m.store.list_keys(module.number)):
            if (
                names is None
                and not key.startswith("_")
                or names is not None
                and key in names
            ):
                assignment.bind(m, key, m.store.get((module.number, key)))
    else:
        # Any name that is bound nowhere else may be of it.
        m.store.set((m.frame.number, "*"), module)


def load(m: Machine, name: str, level: int) -> Value:
    """The module that a name means."""
    if not level:
        root = m.library.find_root(name)
        if root is not None:
            return Symbol(root)
    found = m.tree.find(name, level, m.frame.file)
    if found is None:
        return External(name or ".")
    path, dotted = found
    parents = name.split(".")[:-1] if not level else []
    for count in range(1, len(parents) + 1):
        load(m, ".".join(parents[:count]), 0)
    return run_module(m, path, dotted)


def run_module(m: Machine, path: str, dotted: str, name: str = "") -> Module:
    """A module of the program, run once."""
    loaded = m.store.get(("module", path))
    if isinstance(loaded, Module):
        return loaded
    tree = m.tree.parse(path)
    frame = m.make_frame(None, None, None, path)
    frame.module, frame.is_module = frame, True
    module = Module(frame.number, name or dotted.rpartition(".")[2])
    m.store.set(("module", path), module)
    m.store.set((frame.number, "__name__"), Const(name or dotted))
    m.store.set(
        (frame.number, "__file__"), m.hosts.make("__file__", path, what="__file__")
    )
    m.store.set((frame.number, "__doc__"), Const(None))
    if tree is None:
        return module
    from migrate.evaluate import statements

    loops, m.loops = m.loops, []
    with m.enter_frame(frame):
        ended = statements.execute_all(m, tree.body)
    m.loops = loops
    if ended.kind in ("raise", "never"):
        m.ended = ended
    return module


def find_submodule(m: Machine, module: Value, name: str) -> Value | None:
    """A module below a package of the program."""
    assert isinstance(module, Module)
    frame = m.frames[module.number]
    found = m.tree.find(name, 1, frame.file)
    if found is None or not frame.file.endswith("__init__.py"):
        return None
    return run_module(m, *found)


def is_missing(m: Machine, node: ast.Import | ast.ImportFrom) -> bool:
    """Whether an import finds nothing in Python 3."""
    if isinstance(node, ast.Import):
        return any(alias.name.partition(".")[0] in _GONE for alias in node.names)
    if node.level:
        return False
    module = node.module or ""
    if module.partition(".")[0] in _GONE:
        return True
    return any((module, alias.name) in _GONE_NAMES for alias in node.names)


def is_standard(name: str) -> bool:
    """Whether a module comes with Python."""
    return name.partition(".")[0] in sys.stdlib_module_names
