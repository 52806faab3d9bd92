"""Finds state that each TF1 worker had for itself, and that the loops of one process share.

In asynchronous training the loops run in the threads of one coordinator. They must not
share some state: objects of the module that they change, generators of random numbers, the
task's index, names they rebind.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterable, Iterator, Sequence

from migrate.facts import names, reach
from migrate.facts.imported_state import ImportedState
from migrate.facts.scopes import Scope, Scopes
from migrate.program.held_state import find_held_state, is_given_a_constant
from migrate.source.nodes import walk_breadth_first
from migrate.tables import worker_state as table

_DISPLAYS = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)


@dataclasses.dataclass(frozen=True)
class Shared:
    """A name for which every worker needs an object of its own.

    Attributes:
      name: the program's name for it.
      bindings: the statements that bind it.
      use: the place where the loop changes it.
    """

    name: str
    bindings: tuple[ast.AST, ...]
    use: ast.AST


@dataclasses.dataclass(frozen=True)
class WorkerState:
    """The state that the loops must not share.

    Attributes:
      shared: objects.
      rebound: `global` statements in code that the loop runs.
      generators: uses of a module's random generator -> its name in the emitted module.
      indices: uses of the task's index in functions that the loop calls.
      functions: those functions.
      held: state of functions, classes and the process that the loops change.
      elsewhere: other code that changes the objects, or draws from a generator that each
        worker seeds otherwise: the workers' copies would miss it.
      imported: changes by the loops in other files of the tree.
    """

    shared: tuple[Shared, ...]
    rebound: tuple[ast.Global, ...]
    generators: dict[ast.expr, str]
    indices: tuple[ast.expr, ...]
    functions: frozenset[ast.AST]
    elsewhere: tuple[tuple[str, ast.AST], ...]
    held: tuple[tuple[str, ast.AST], ...]
    imported: tuple[tuple[str, ast.AST], ...]


class Finder:
    """Looks at all code that a loop reaches.

    Args:
      scopes: the module's names.
      loop: the statements that every worker runs.
      index: the task's index.
      in_module: whether the module is one that the program imports. Its objects cannot be
        made once for each worker, so the checks are stricter.
    """

    def __init__(
        self,
        scopes: Scopes,
        loop: Sequence[ast.stmt],
        index: ast.expr,
        in_module: bool = False,
    ) -> None:
        self._scopes = scopes
        self._loop = list(loop)
        self._index = "" if isinstance(index, ast.Constant) else ast.dump(index)
        self._inside = {n for s in loop for n in walk_breadth_first(s)}
        self._asked: set[ast.AST] = set()  # Functions whose result is being judged.
        self._functions = reach.find_reached(scopes, loop)
        self._in_module = in_module

    def find(self) -> WorkerState:
        generators: dict[ast.expr, str] = dict(self._find_seeds())
        indices: list[ast.expr] = []
        for node in self._walk_reached_nodes():
            if not isinstance(node, ast.expr):
                continue
            generator = self._find_generator(node)
            if generator is not None:
                generators[node] = generator
            if self._index and node not in self._inside:
                if ast.dump(node) == self._index and not _is_store(node):
                    indices.append(node)
        shared = self.find_shared()
        return WorkerState(
            shared,
            self.find_rebound(),
            generators,
            tuple(indices),
            frozenset(self._functions),
            tuple(self._find_changes_elsewhere({s.name for s in shared})),
            self.find_held(),
            tuple(self.find_imported(shared)),
        )

    def find_shared(self) -> tuple[Shared, ...]:
        """Returns objects that the loop changes."""
        shared: dict[tuple[int, str], Shared] = {}
        for node in self._walk_reached_nodes():
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                found = self._find_shared(node)
                if found is not None:
                    owner = self._scopes.find_scope(node).find_owner(node.id)
                    assert owner is not None
                    shared.setdefault((id(owner), node.id), found)
        return tuple(shared.values())

    def find_rebound(self) -> tuple[ast.Global, ...]:
        """`global` statements in code that the loop runs."""
        return tuple(n for n in self._walk_reached_nodes() if isinstance(n, ast.Global))

    def find_held(self) -> tuple[tuple[str, ast.AST], ...]:
        """Returns state of functions, classes and the process that the loop changes."""
        return tuple(find_held_state(self._scopes, self._walk_reached_nodes()))

    def draws(self) -> bool:
        """Whether the loop uses the random generator of a module."""
        return any(
            isinstance(n, ast.expr) and self._find_generator(n) is not None
            for n in self._walk_reached_nodes()
        )

    def find_imported(self, own: Sequence[Shared]) -> Iterator[tuple[str, ast.AST]]:
        """Yields the state of other files that the loop changes, as text, and the place.

        Args:
          own: objects that each worker makes for itself: making them may change something.
        """
        if not self._scopes.imported_state:
            return
        made = [v for s in own for b in s.bindings if (v := _find_value(b)) is not None]
        for part in ([self._walk_reached_nodes()], map(walk_breadth_first, made)):
            for node in (n for nodes in part for n in nodes):
                if isinstance(node, (ast.Name, ast.Attribute)):
                    changed = self._find_imported_change(node)
                    if changed:
                        yield changed, node

    def _find_imported_change(self, node: ast.Name | ast.Attribute) -> str:
        scopes = self._scopes
        if not isinstance(node.ctx, ast.Load):
            base = node.value if isinstance(node, ast.Attribute) else node
            module = find_imported_state(scopes, base)
            constant = is_given_a_constant(scopes, node)
            own = module is not None and module.is_module and not constant
            return f"`{ast.unparse(node)}`" if own else ""
        found = find_imported_state(scopes, node)
        for value in self._find_aliased(node) if found is None else ():
            found = found or find_imported_state(scopes, value)
        if found is None:
            return ""
        if self._is_changed(node, found.state):
            return f"`{ast.unparse(node)}`"
        parent = scopes.parents.get(node)
        called = isinstance(parent, ast.Call) and parent.func is node
        return found.changes if called or not found.is_class else ""

    def _find_aliased(self, node: ast.expr) -> list[ast.expr]:
        """Returns the values of a name outside of the loop: `batch = data.next_batch`."""
        if not isinstance(node, ast.Name):
            return []
        owner = self._scopes.find_scope(node).find_owner(node.id)
        if owner is None or not self._is_outside_loop(owner):
            return []
        values = [_find_value(b) for b in owner.bindings[node.id]]
        return [v for v in values if isinstance(v, (ast.Name, ast.Attribute))]

    def _find_changes_elsewhere(
        self, shared: set[str]
    ) -> Iterator[tuple[str, ast.AST]]:
        """Yields changes of the objects, and draws, in code that no loop runs."""
        reached = {id(node) for node in self._walk_reached_nodes()}
        own_seeds = {
            module
            for node in self._walk_reached_nodes()
            if isinstance(node, ast.Call)
            for module in table.GENERATORS
            if self._scopes.find_dotted_path(node.func) == f"{module}.seed"
            and node.args
            and not isinstance(node.args[0], ast.Constant)
        }
        for node in walk_breadth_first(self._scopes.tree):
            if id(node) in reached:
                continue
            if isinstance(node, ast.Name) and node.id in shared:
                if (
                    isinstance(node.ctx, ast.Load)
                    and self._find_shared(node) is not None
                ):
                    yield node.id, node
            elif isinstance(node, ast.Call) and own_seeds:
                path = self._scopes.find_dotted_path(node.func) or ""
                module, _, last = path.rpartition(".")
                if module in own_seeds and last not in table.GENERATORS[module][1]:
                    yield path, node

    # -- what is reached ---------------------------------------------------------------

    def _walk_reached_nodes(self) -> Iterator[ast.AST]:
        seen: set[ast.AST] = set()
        for part in [*self._loop, *self._functions]:
            for node in walk_breadth_first(part):
                if node not in seen:
                    seen.add(node)
                    yield node

    # -- random generators -------------------------------------------------------------

    def _find_generator(self, node: ast.expr) -> str | None:
        """Returns the emitted name of a generator if `node` is the module `np.random`."""
        if not isinstance(node, (ast.Attribute, ast.Name)):
            return None
        parent = self._scopes.parents.get(node)
        path = self._scopes.find_dotted_path(node)
        for module, (name, others) in table.GENERATORS.items():
            if path == module:
                if isinstance(parent, ast.Attribute) and parent.attr in others:
                    return None
                return name
            # `from random import shuffle`: the name itself is the generator's method.
            if isinstance(node, ast.Name) and path is not None:
                start, _, last = path.rpartition(".")
                if start == module and last not in others:
                    return f"{name}.{last}"
        return None

    def _find_seeds(self) -> Iterator[tuple[ast.expr, str]]:
        """Yields the places where the program seeds a generator."""
        for node in walk_breadth_first(self._scopes.tree):
            if not isinstance(node, ast.Call):
                continue
            path = self._scopes.find_dotted_path(node.func)
            for module, (name, _) in table.GENERATORS.items():
                if path == f"{module}.seed":
                    if isinstance(node.func, ast.Attribute):
                        yield node.func.value, name
                    else:
                        yield node.func, f"{name}.seed"

    # -- objects -----------------------------------------------------------------------

    def _find_shared(self, name: ast.Name) -> Shared | None:
        """Returns the object of a name that is bound outside, if this use may change it."""
        owner = self._scopes.find_scope(name).find_owner(name.id)
        if owner is None or not self._is_outside_loop(owner):
            return None
        bindings = owner.bindings[name.id]
        if any(b in self._inside for b in bindings):
            return None
        values = [_find_value(b) for b in bindings]
        known = [v for v in values if v is not None]
        if not known:
            return None
        if not self._changes(name, known):
            return None
        return Shared(name.id, tuple(bindings), name)

    def _is_outside_loop(self, owner: Scope) -> bool:
        """Whether a scope exists once per process: the module, or the code around the loop."""
        if owner.node is self._scopes.tree:
            return True
        scope: Scope | None = self._scopes.find_scope(self._loop[0])
        while scope is not None:
            if scope is owner:
                return True
            scope = scope.parent
        return False

    def _changes(self, name: ast.Name, values: list[ast.expr]) -> bool:
        return self._is_changed(
            name, _choose_clearest(self._find_state(v) for v in values)
        )

    def _is_changed(self, name: ast.expr, state: str) -> bool:
        """Whether a use of an object with this state may change it."""
        if not state:
            return False
        active = state == "active"
        node: ast.AST = name
        parent = self._scopes.parents.get(node)
        while isinstance(parent, (ast.Attribute, ast.Subscript)) and (
            parent.value is node
        ):
            if not isinstance(parent.ctx, ast.Load):
                return True
            above = self._scopes.parents.get(parent)
            if (
                isinstance(parent, ast.Attribute)
                and isinstance(above, ast.Call)
                and above.func is parent
            ):
                return active or parent.attr in table.MUTATORS
            node, parent = parent, above
        if isinstance(parent, ast.AugAssign) and parent.target is node:
            return True
        if isinstance(parent, ast.Call) and node in parent.args:
            called = self._scopes.import_path(parent.func) or getattr(
                parent.func, "id", ""
            )
            if called in table.MUTATING_FUNCTIONS:
                return parent.args[0] is node
            return active or self._changes_parameter(parent, parent.args.index(node))
        if active and isinstance(parent, ast.Call) and parent.func is node:
            return True
        iterated = isinstance(parent, (ast.For, ast.comprehension)) and (
            parent.iter is node
        )
        return active and iterated

    def _changes_parameter(self, call: ast.Call, position: int) -> bool:
        """Whether a function of the module changes the argument of this parameter."""
        if not isinstance(call.func, ast.Name):
            return False
        for function in reach.find_definitions(self._scopes, call.func):
            if isinstance(function, ast.FunctionDef):
                parameters = [*function.args.posonlyargs, *function.args.args]
                if position < len(parameters) and any(
                    parameters[position].arg in names.find_mutations(s)
                    for s in function.body
                ):
                    return True
        return False

    def _find_state(self, value: ast.expr) -> str:
        """Returns "active" if any use may change it, "passive" if some may, otherwise ""."""
        if isinstance(value, _DISPLAYS):
            return "passive"
        if isinstance(value, ast.GeneratorExp):
            return "active"
        if isinstance(value, ast.Tuple):  # Unpacked, to whatever name.
            return _choose_clearest(self._find_state(element) for element in value.elts)
        if isinstance(value, (ast.BinOp, ast.Subscript)):
            return "passive"
        if not isinstance(value, ast.Call):
            return ""
        if self._in_module:
            known = find_imported_state(self._scopes, value.func)
            if known is not None:
                return known.made
            if self._scopes.import_path(value.func).startswith(table.HARMLESS):
                return ""
            if self._scopes.import_path(value.func).startswith(table.DATA):
                return "passive"
        path = self._scopes.resolve(value.func)
        if path is not None and path.startswith("tf."):
            return "active" if _is_reader(path) else ""
        if path is not None:
            if path in table.NUMPY_STATEFUL or path.startswith("itertools."):
                return "active"
            if path.startswith(table.CONSTANT_RESULTS):
                return ""
            if path.startswith(("numpy.", "collections.")):
                return "passive"
            return "active"
        if isinstance(value.func, ast.Name):
            definitions = reach.find_definitions(self._scopes, value.func)
            if definitions:
                return self._find_state_of_definitions(definitions)
            owner = self._scopes.find_scope(value.func).find_owner(value.func.id)
            if owner is None:  # A built-in.
                if value.func.id in table.CONSTANT_BUILTINS:
                    return ""
                return "active" if value.func.id in table.ITERATORS else "passive"
            if any(
                isinstance(b, ast.ImportFrom) for b in owner.bindings[value.func.id]
            ):
                return "active"
            return "passive"
        if isinstance(value.func, ast.Attribute):
            root: ast.AST = value.func
            while isinstance(root, ast.Attribute):
                root = root.value
            if isinstance(root, ast.Name):
                owner = self._scopes.find_scope(root).find_owner(root.id)
                imported = owner is not None and any(
                    isinstance(b, (ast.Import, ast.ImportFrom))
                    for b in owner.bindings[root.id]
                )
                return "active" if imported else "passive"
        return "passive"

    def find_state(self, value: ast.expr) -> str:
        """Returns the state of the object that an expression gives."""
        return self._find_state(value)

    def find_made_state(self, definition: ast.AST) -> str:
        """Returns the state of the object that a call of a function or class returns."""
        return self._find_state_of_definition(definition)

    def _find_state_of_definitions(self, definitions: list[ast.AST]) -> str:
        return _choose_clearest(self._find_state_of_definition(d) for d in definitions)

    def _find_state_of_definition(self, definition: ast.AST) -> str:
        if isinstance(definition, ast.ClassDef):
            plain = all(
                isinstance(b, ast.Name) and b.id == "object" for b in definition.bases
            )
            if not plain:
                return "active"
            for item in definition.body:
                if isinstance(item, ast.FunctionDef) and item.name != "__init__":
                    itself = item.args.args[0].arg if item.args.args else ""
                    for node in walk_breadth_first(item):
                        if isinstance(node, ast.Attribute) and (
                            not isinstance(node.ctx, ast.Load)
                            or isinstance(self._scopes.parents.get(node), ast.Call)
                        ):
                            root: ast.AST = node
                            while isinstance(root, (ast.Attribute, ast.Subscript)):
                                root = root.value
                            if isinstance(root, ast.Name) and root.id == itself:
                                return "active"
            return "passive"
        if isinstance(definition, ast.FunctionDef):
            own = list(names.walk_scope_of_function(definition))
            if any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in own):
                return "active"
            if definition in self._asked:
                return "passive"
            self._asked.add(definition)
            returned = {
                self._find_state(n.value)
                for n in own
                if isinstance(n, ast.Return) and isinstance(n.value, ast.Call)
            }
            self._asked.discard(definition)
            return "active" if "active" in returned else "passive"
        return "passive"


def find_imported_state(scopes: Scopes, node: ast.AST) -> ImportedState | None:
    """Returns the state behind a name of another file that an expression is, or None."""
    name = node
    while isinstance(name, ast.Attribute):
        name = name.value
    if not isinstance(name, ast.Name) or not scopes.imported_state:
        return None
    found = scopes.imported_state.get(ast.unparse(node))
    owner = scopes.find_scope(name).find_owner(name.id)
    imports = owner.bindings[name.id] if owner is not None else []
    if imports and all(isinstance(b, (ast.Import, ast.ImportFrom)) for b in imports):
        return found
    return None


def _choose_clearest(states: Iterable[str]) -> str:
    """Returns the one of them that says most."""
    found = set(states)
    return next((s for s in ("active", "passive") if s in found), "")


def _is_reader(path: str) -> bool:
    functions = (".read_data_sets", ".load_mnist", ".DataSet", ".datasets.load_dataset")
    return path.endswith(functions)


def _is_store(node: ast.expr) -> bool:
    return isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del))


def _find_value(binding: ast.AST) -> ast.expr | None:
    """Returns the value of a simple assignment; None for imports, loops and others."""
    if isinstance(binding, (ast.Assign, ast.AnnAssign)):
        return binding.value
    if isinstance(binding, ast.withitem):
        return binding.context_expr
    return None
