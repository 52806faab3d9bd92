"""Finds state of imported modules that their functions, classes and objects change.

    _position = 0

    def next_batch(n):
        global _position

In TF1 every worker is a process with a module of its own. The loops of a coordinator share
the module.
"""

from __future__ import annotations

import ast
import pathlib
from collections.abc import Iterable, Iterator, Mapping

from migrate.facts import draws, names
from migrate.facts.imported_state import ImportedState
from migrate.facts.scopes import Scopes, build_scopes
from migrate.facts.trees.imports import find_imported_names
from migrate.program.worker_state import Finder
from migrate.source.nodes import parse_or_none
from migrate.source.python import map_real_paths, read_or_nothing

# Words in a program that has a session, and words in one that names a cluster.
_SESSION = (b"Session(", b"Supervisor(")
_CLUSTER = (b"Server", b"ClusterSpec", b"replica_device_setter")
_SEEDS = b"random.seed("
_NO_INDEX = ast.Constant(None)


def find_module_state(
    paths: Iterable[pathlib.Path],
) -> dict[str, dict[str, ImportedState]]:
    """Maps session programs of clusters, by real path, to the state of their imported names.

    Returns:
      Program -> name or attribute as the program spells it -> the state behind it.
    """
    files = map_real_paths(paths)
    found: dict[str, dict[str, ImportedState]] = {}
    for real, path in files.items():
        data = read_or_nothing(path)
        if any(w in data for w in _SESSION) and any(w in data for w in _CLUSTER):
            known = _Modules(files, real).find_imported(real)
            if known:
                found[real] = known
    return found


class _Modules:
    """The modules that one program imports, and that these import."""

    def __init__(self, files: Mapping[str, pathlib.Path], program: str) -> None:
        self._files = dict(files)
        self._scopes: dict[str, Scopes | None] = {}
        self._known: dict[tuple[str, str], ImportedState] = {}
        self._imports: dict[str, tuple[tuple[str, str, str], ...]] = {}
        self._seeded = any(
            scopes is not None and draws.is_seeded(scopes)
            for real in self._reach(program)
            if _SEEDS in read_or_nothing(files[real])
            for scopes in [_parse(files[real])]
        )

    def find_imported(self, real: str) -> dict[str, ImportedState]:
        """Returns the state of the names that a file imports, as the file spells them."""
        found: dict[str, ImportedState] = {}
        spelled = _find_spelled(self._read(real))
        for bound, name, module in self._find_imports(real):
            if module == real:
                continue
            if not name:
                found[bound] = ImportedState(is_module=True)
                for text in spelled:
                    start, _, last = text.rpartition(".")
                    if start == bound:
                        found[text] = self._judge(module, last)
            elif name == "*":
                for text in spelled:
                    if "." not in text and not text.startswith("_"):
                        found[text] = self._judge(module, text)
            else:
                found[bound] = self._judge(module, name)
        return {k: v for k, v in found.items() if v != ImportedState()}

    def _reach(self, program: str) -> list[str]:
        found = [program]
        for real in found:
            found += [m for _, _, m in self._find_imports(real) if m not in found]
        return found

    def _find_imports(self, real: str) -> tuple[tuple[str, str, str], ...]:
        if real not in self._imports:
            path = self._files[real]
            self._imports[real] = tuple(
                find_imported_names(path, self._files, everywhere=True)
            )
        return self._imports[real]

    def _read(self, real: str) -> Scopes | None:
        """Returns the scopes of a file, with the state behind its own imports."""
        if real not in self._scopes:
            self._scopes[real] = None
            scopes = self._scopes[real] = _parse(self._files[real])
            if scopes is not None:
                scopes.imported_state = self.find_imported(real)
        return self._scopes[real]

    def _judge(self, real: str, name: str) -> ImportedState:
        key = real, name
        if key not in self._known:
            self._known[key] = ImportedState()  # Nothing is known of names in a circle.
            scopes = self._read(real)
            if scopes is not None:
                for binding in scopes.module.bindings.get(name, ()):
                    self._known[key] = self._judge_binding(real, scopes, binding, name)
                if name not in scopes.module.bindings:
                    for _, star, module in self._find_imports(real):
                        if star == "*":
                            self._known[key] = self._judge(module, name)
        return self._known[key]

    def _judge_binding(
        self, real: str, scopes: Scopes, binding: ast.AST, name: str
    ) -> ImportedState:
        if isinstance(binding, ast.ImportFrom):
            return scopes.imported_state.get(name, ImportedState())
        if isinstance(binding, (ast.FunctionDef, ast.ClassDef)):
            finder = Finder(scopes, [binding], _NO_INDEX, in_module=True)
            return ImportedState(
                self._find_change(real, scopes, binding, finder),
                made=finder.find_made_state(binding),
                is_class=isinstance(binding, ast.ClassDef),
            )
        if not isinstance(binding, ast.Assign):
            return ImportedState()
        finder = Finder(scopes, [binding], _NO_INDEX, in_module=True)
        value = binding.value
        if isinstance(value, (ast.Name, ast.Attribute, ast.Lambda)) or _is_partial(
            scopes, value
        ):
            return ImportedState(
                self._find_change(real, scopes, binding, finder),
                state=_find_state_of_owner(scopes, value, finder),
            )
        return ImportedState(state=finder.find_state(value))

    def _find_change(
        self, real: str, scopes: Scopes, part: ast.stmt, finder: Finder
    ) -> str:
        """Names the state of a module that some of its code changes, as text."""
        rebound, shared = finder.find_rebound(), finder.find_shared()
        held = finder.find_held()
        file = pathlib.Path(real).name
        if rebound:
            return f"`{rebound[0].names[0]}` of {file}"
        if shared:
            return f"`{shared[0].name}` of {file}"
        if held:
            return f"`{held[0][0]}` of {file}"
        for changed, _ in finder.find_imported(()):
            return changed if " of " in changed else f"{changed} of {file}"
        for given in _find_given(scopes, part):
            if finder.find_state(given) == "active":
                return f"what {file} holds once"
        if self._seeded and finder.draws():
            return "the seeded generator of a module"
        return ""


def _parse(path: pathlib.Path) -> Scopes | None:
    """Returns the scopes of a file, None if it cannot be read."""
    tree = parse_or_none(read_or_nothing(path))
    return build_scopes(tree) if tree is not None else None


def _find_spelled(scopes: Scopes | None) -> set[str]:
    """Returns the names and attributes of names, as a file spells them."""
    if scopes is None:
        return set()
    return {
        ast.unparse(node)
        for node in scopes.walk()
        if isinstance(node, (ast.Name, ast.Attribute))
    }


def _is_partial(scopes: Scopes, value: ast.expr) -> bool:
    return (
        isinstance(value, ast.Call)
        and scopes.import_path(value.func) == "functools.partial"
    )


def _find_state_of_owner(scopes: Scopes, value: ast.expr, finder: Finder) -> str:
    """Returns the state of the object of a bound method: `next_batch = _loader.next`."""
    if not isinstance(value, (ast.Name, ast.Attribute)):
        return ""
    owner: ast.expr = value
    while isinstance(owner, ast.Attribute):
        owner = owner.value
    states = {finder.find_state(v) for v in _find_values(scopes, owner)}
    return "active" if "active" in states else ""


def _find_values(scopes: Scopes, name: ast.expr) -> Iterator[ast.expr]:
    """Yields the values that are assigned to a name of the module."""
    if isinstance(name, ast.Name):
        if scopes.find_scope(name).find_owner(name.id) is scopes.module:
            for binding in scopes.module.bindings[name.id]:
                if isinstance(binding, ast.Assign):
                    yield binding.value


def _find_given(scopes: Scopes, part: ast.stmt) -> Iterator[ast.expr]:
    """Yields the objects of its module that a function returns."""
    if isinstance(part, ast.FunctionDef):
        for node in names.walk_scope_of_function(part):
            if isinstance(node, ast.Return) and node.value is not None:
                yield from _find_values(scopes, node.value)
