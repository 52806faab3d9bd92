"""Python's scopes and bindings, and the TensorFlow symbol behind each use of a name.

Works on `ast`, which parses at C speed. A use is resolved only when every binding
of its name in the scope that owns it leads to the same symbol; a name that is
also a parameter or an ordinary variable resolves to nothing.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
from collections.abc import Callable, Iterable, Iterator, Mapping

from migrate.facts import modules
from migrate.facts.imported_state import ImportedState
from migrate.source.nodes import list_children, walk_breadth_first
from migrate.tables import graph_mode

_V1 = "tensorflow.compat.v1"
_SERVER = "tf.distribute.Server"
FunctionNode = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclasses.dataclass
class Scope:
    """One Python scope: what each name is bound to, in source order."""

    node: ast.AST
    parent: Scope | None
    bindings: dict[str, list[ast.AST]] = dataclasses.field(default_factory=dict)
    # Names declared `global` or `nonlocal` here.
    outer_names: set[str] = dataclasses.field(default_factory=set)

    def bind(self, name: str, node: ast.AST) -> None:
        self.bindings.setdefault(name, []).append(node)

    def find_owner(self, name: str) -> Scope | None:
        """Returns the scope whose binding a use of `name` in this scope sees."""
        scope: Scope | None = self
        first = True
        while scope is not None:
            visible = first or not isinstance(scope.node, ast.ClassDef)
            if visible and name in scope.bindings and name not in scope.outer_names:
                return scope
            scope, first = scope.parent, False
        return None


class Scopes:
    """The scopes of one module and the symbols its expressions resolve to."""

    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        self.module = Scope(tree, None)
        self._scope_of: dict[ast.AST, Scope] = {}
        self.parents: dict[ast.AST, ast.AST] = {}
        # Function and class definitions by scope node.
        self.scope_by_node: dict[ast.AST, Scope] = {tree: self.module}
        # A binding that is an imported name: node -> dotted path of what it names.
        self._imported: dict[tuple[ast.AST, str], str] = {}
        # Functions of other modules that build graphs; see `facts/trees/graph_imports.py`.
        self.graph_imports: Mapping[str, bool] = {}
        # Changes in other modules by uses of their names; see `facts/trees/module_state.py`.
        self.imported_state: Mapping[str, ImportedState] = {}
        self._memo: dict[tuple[int, str], str | None] = {}
        self._import_paths: dict[tuple[int, str], str] = {}
        self._symbols: dict[ast.AST, str | None] = {}
        self._uses: tuple[tuple[ast.expr, str], ...] | None = None
        self._nodes: tuple[ast.AST, ...] | None = None
        _Builder(self).run(tree)

    def find_scope(self, node: ast.AST) -> Scope:
        """Returns the scope in which `node` (an expression or statement) is evaluated."""
        return self._scope_of[node]

    def read(self, target: ast.Name) -> ast.Name:
        """Returns a read of a name, as if it was read where it is bound."""
        node = ast.copy_location(ast.Name(target.id, ast.Load()), target)
        self._scope_of[node] = self._scope_of[target]
        self.parents[node] = self.parents[target]
        return node

    def find_function(self, node: ast.expr) -> ast.FunctionDef | None:
        """Returns the function of the module that an expression names, or None."""
        if not isinstance(node, ast.Name):
            return None
        owner = self.find_scope(node).find_owner(node.id)
        if owner is None or owner is not self.module:
            return None
        bound = owner.bindings[node.id]
        if len(bound) == 1 and isinstance(bound[0], ast.FunctionDef):
            return bound[0]
        return None

    def resolve(self, node: ast.AST) -> str | None:
        """The TF1 symbol of an expression, e.g. "tf.train.Server", or None.

        Symbols are spelled with the prefix `tf.` whatever name the file imports
        TensorFlow under; `tensorflow.compat.v1.X` is `tf.X` as well.
        """
        if node in self._symbols:
            return self._symbols[node]
        path = self._find_path(node)
        symbol = modules.make_canonical(path) if path else None
        if symbol is not None and symbol.startswith(_SERVER) and self.runs_graphs:
            symbol = "tf.train.Server" + symbol.removeprefix(_SERVER)
        if node in self._scope_of:  # Others are made by a pass, which may change them.
            self._symbols[node] = symbol
        return symbol

    @functools.cached_property
    def runs_graphs(self) -> bool:
        """Whether the file runs graphs through `tf.compat.v1`, as tf_upgrade_v2 spells it.

        There `tf.distribute.Server` is tf.train.Server: 1.15.5 has one class of both names.
        """
        return any(
            path.startswith("tensorflow.compat.v1.")
            and modules.make_canonical(path) in graph_mode.RUNS_GRAPHS
            for node in self.walk()
            if isinstance(node, ast.Attribute) and (path := self._find_path(node))
        )

    def find_dotted_path(self, node: ast.AST) -> str | None:
        """The full dotted path an expression names through imports, or None."""
        return self._find_path(node)

    def import_path(self, node: ast.AST) -> str:
        """Returns the dotted path that an expression names, of any module; "" if none."""
        known = self._find_path(node)
        if known:
            return known
        attributes: list[str] = []
        while isinstance(node, ast.Attribute):
            attributes.append(node.attr)
            node = node.value
        base = self._find_any_import(node) if isinstance(node, ast.Name) else ""
        return ".".join([base, *reversed(attributes)]) if base else ""

    def _find_any_import(self, name: ast.Name) -> str:
        scope = self._scope_of.get(name)
        owner = scope.find_owner(name.id) if scope else None
        if owner is None:
            return ""
        key = (id(owner), name.id)
        if key not in self._import_paths:
            self._import_paths[key] = _find_import_path(
                name.id, owner.bindings[name.id]
            )
        return self._import_paths[key]

    def _find_path(self, node: ast.AST) -> str | None:
        attributes: list[str] = []
        while isinstance(node, ast.Attribute):
            attributes.append(node.attr)
            node = node.value
        if isinstance(node, ast.Name):
            base = self._find_first_path(node) or self._name_path(node)
        else:
            base = (
                self._find_loaded_module(node) if isinstance(node, ast.Call) else None
            )
        if base is None:
            return None
        return ".".join([base, *reversed(attributes)])

    def _find_first_path(self, name: ast.Name) -> str | None:
        """Returns the import of a name that is later bound to a part of itself."""
        scope = self._scope_of.get(name)
        owner = scope.find_owner(name.id) if scope is not None else None
        if owner is None or len(owner.bindings[name.id]) == 1:
            return None  # It stands for its only binding.
        if self.find_rebinding(name) is None:
            return None
        return self._imported.get((owner.bindings[name.id][0], name.id))

    def find_rebinding(self, use: ast.expr) -> ast.Assign | None:
        """Returns the statement around a use that binds the same name: `tf = tf.compat.v1`."""
        name = use
        while isinstance(name, ast.Attribute):
            name = name.value
        if not isinstance(name, ast.Name):
            return None
        node = self.parents.get(name)
        while isinstance(node, ast.expr) and not isinstance(node, ast.Lambda):
            node = self.parents.get(node)
        if not isinstance(node, ast.Assign) or len(node.targets) != 1:
            return None
        target = node.targets[0]
        own = isinstance(target, ast.Name) and target.id == name.id
        return node if own and target is not name else None

    def _find_loaded_module(self, call: ast.Call) -> str | None:
        """Returns the path of a TensorFlow module that a call imports by a literal name."""
        given = call.args[0] if call.args else None
        if not (isinstance(given, ast.Constant) and isinstance(given.value, str)):
            return None
        module = given.value
        if module.partition(".")[0] != "tensorflow":
            return None
        if isinstance(call.func, ast.Name) and call.func.id == "__import__":
            return "tensorflow"
        importer = self.import_path(call.func)
        return module if importer == "importlib.import_module" else None

    def _name_path(self, node: ast.Name) -> str | None:
        scope = self._scope_of.get(node)
        if scope is None:
            return None
        owner = scope.find_owner(node.id)
        if owner is None:
            return None
        key = (id(owner), node.id)
        if key not in self._memo:
            self._memo[key] = None  # A cycle (`tf = tf`) resolves to nothing.
            self._memo[key] = self._find_bound_path(owner, node.id)
        return self._memo[key]

    def _find_bound_path(self, owner: Scope, name: str) -> str | None:
        paths: list[str | None] = []
        bindings = owner.bindings[name]
        if any((binding, name) in self._imported for binding in bindings):
            # With `except ImportError: tf = None` it still stands for nothing else.
            bindings = [b for b in bindings if not _is_none(b)]
        for binding in bindings:
            imported = self._imported.get((binding, name))
            if imported is not None:
                paths.append(imported)
            elif isinstance(binding, ast.Global):
                paths += self._find_paths_in_function(binding, name)
            elif (
                isinstance(binding, ast.Assign)
                and len(binding.targets) == 1
                and isinstance(binding.targets[0], ast.Name)
            ):
                # An alias: `flags = tf.app.flags`.
                paths += [
                    self._find_path(value) for value in _walk_choices(binding.value)
                ]
            else:
                paths.append(None)
        if len({modules.make_canonical(p) if p else None for p in paths}) != 1:
            return None
        # A name that may be compat.v1 is compat.v1: `try: import tensorflow.compat.v1 as tf`.
        return next((p for p in paths if p == _V1), paths[0])

    def _find_paths_in_function(
        self, declared: ast.Global, name: str
    ) -> Iterator[str | None]:
        """Yields the paths to which a function binds a name of the module."""
        for binding in self._scope_of[declared].bindings.get(name, ()):
            known = isinstance(binding, ast.Assign) and len(binding.targets) == 1
            imported = self._imported.get((binding, name))
            if imported is None and known and isinstance(binding, ast.Assign):
                yield from map(self._find_path, _walk_choices(binding.value))
            else:
                yield imported

    def is_tf1(self, exists_in_tf2: Callable[[str], bool]) -> bool:
        """Whether the file is written for TF1: it uses a name that TF2 lacks."""
        for node, symbol in self.walk_uses():
            path = self._find_path(node) or ""
            if not path.startswith("tensorflow") or not symbol.startswith("tf."):
                continue
            if path.startswith("tensorflow.compat.v1"):
                continue
            if not exists_in_tf2("tf" + path[len("tensorflow") :]):
                return True
        return False

    def imports_compat(self) -> bool:
        """Whether a name of the module stands for tensorflow.compat.v1."""
        return any(path == _V1 for path in self._imported.values()) or any(
            self.find_imported_path(name) == _V1 for name in self.module.bindings
        )

    def find_imported_path(self, name: str) -> str | None:
        """The dotted path of what a name of the module is imported as, or None."""
        if name not in self.module.bindings:
            return None
        return self._find_bound_path(self.module, name)

    def imports_as(self, name: str, path: str) -> bool:
        """Whether an import anywhere in the module binds a name to a dotted path."""
        return any(
            bound == name and imported == path
            for (_, bound), imported in self._imported.items()
        )

    def is_imported(self, binding: ast.AST, name: str) -> bool:
        return (binding, name) in self._imported

    def walk_uses(self) -> Iterator[tuple[ast.expr, str]]:
        """Every outermost expression that resolves to a symbol, in source order."""
        if self._uses is None:
            self._uses = tuple(self._find_uses())
        return iter(self._uses)

    def walk(self) -> Iterator[ast.AST]:
        """`ast.walk` over the module, which is not changed while it is analysed."""
        if self._nodes is None:
            self._nodes = tuple(walk_breadth_first(self.tree))
        return iter(self._nodes)

    def list_reads(self, target: ast.Name) -> list[ast.Name]:
        """Returns the reads of a name, in all scopes that see it."""
        owner = self.find_scope(target).find_owner(target.id)
        return [
            node
            for node in self.walk()
            if isinstance(node, ast.Name)
            and node.id == target.id
            and isinstance(node.ctx, ast.Load)
            and self.find_scope(node).find_owner(node.id) is owner
        ]

    def list_calls(self, *symbols: str) -> list[ast.Call]:
        """Returns the calls of functions of TensorFlow, anywhere in the module."""
        calls = (node for node in self.walk() if isinstance(node, ast.Call))
        return [call for call in calls if self.resolve(call.func) in symbols]

    def walk_above(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yields the nodes around a node, from the inside."""
        while node in self.parents:
            node = self.parents[node]
            yield node

    def _find_uses(self) -> Iterator[tuple[ast.expr, str]]:
        stack: list[ast.AST] = [self.tree]
        while stack:
            node = stack.pop()
            if isinstance(node, (ast.Attribute, ast.Name)) and isinstance(
                node.ctx, ast.Load
            ):
                symbol = self.resolve(node)
                if symbol is not None:
                    yield node, symbol
                    continue
            stack.extend(reversed(list_children(node)))


def _walk_choices(value: ast.expr) -> Iterator[ast.expr]:
    """Yields the values that an expression may have."""
    if isinstance(value, ast.IfExp):
        yield from _walk_choices(value.body)
        yield from _walk_choices(value.orelse)
    else:
        yield value


def _is_none(binding: ast.AST) -> bool:
    value = binding.value if isinstance(binding, ast.Assign) else binding
    return isinstance(value, ast.Constant) and value.value is None


def _find_import_path(name: str, bindings: Iterable[ast.AST]) -> str:
    """Returns the dotted path of the module, or of its name, that an import binds."""
    for binding in bindings:
        if not isinstance(binding, (ast.Import, ast.ImportFrom)):
            continue
        for alias in binding.names:
            if (alias.asname or alias.name.split(".")[0]) != name:
                continue
            if isinstance(binding, ast.ImportFrom):
                return f"{'.' * binding.level}{binding.module or ''}.{alias.name}"
            return alias.name if alias.asname else name
    return ""


class _Builder:
    """Fills a `Scopes` in one walk."""

    def __init__(self, scopes: Scopes) -> None:
        self._scopes = scopes

    def run(self, tree: ast.Module) -> None:
        for statement in tree.body:
            self._visit_node(statement, self._scopes.module, tree)

    def _make_child_scope(self, node: ast.AST, parent: Scope) -> Scope:
        scope = Scope(node, parent)
        self._scopes.scope_by_node[node] = scope
        return scope

    def _visit_all(self, nodes: list[ast.AST], scope: Scope, parent: ast.AST) -> None:
        for node in nodes:
            self._visit_node(node, scope, parent)

    def _visit_node(self, node: ast.AST, scope: Scope, parent: ast.AST) -> None:
        self._scopes._scope_of[node] = scope
        self._scopes.parents[node] = parent
        own = _VISITS.get(node.__class__)
        if own is not None:
            own(self, node, scope, parent)
            return
        for child in list_children(node):
            self._visit_node(child, scope, node)

    def _visit_definition(self, node: ast.AST, scope: Scope, parent: ast.AST) -> None:
        assert isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        scope.bind(node.name, node)
        self._visit_all([*node.decorator_list], scope, node)
        self._visit_function(node, scope, parent)

    def _visit_class(self, node: ast.AST, scope: Scope, parent: ast.AST) -> None:
        assert isinstance(node, ast.ClassDef)
        scope.bind(node.name, node)
        outside = [*node.decorator_list, *node.bases, *node.keywords]
        self._visit_all(outside, scope, node)
        self._visit_all([*node.body], self._make_child_scope(node, scope), node)

    def _bind_outer_names(self, node: ast.AST, scope: Scope, parent: ast.AST) -> None:
        assert isinstance(node, (ast.Global, ast.Nonlocal))
        scope.outer_names.update(node.names)
        if isinstance(node, ast.Global):
            for name in node.names:
                self._scopes.module.bind(name, node)

    def _visit_handler(self, node: ast.AST, scope: Scope, parent: ast.AST) -> None:
        assert isinstance(node, ast.ExceptHandler)
        if node.name:
            scope.bind(node.name, node)
        self._visit_all(list_children(node), scope, node)

    def _visit_name(self, node: ast.AST, scope: Scope, parent: ast.AST) -> None:
        assert isinstance(node, ast.Name)
        if node.ctx.__class__ is not ast.Load:
            scope.bind(node.id, self._find_binding_statement(node, parent))

    def _find_binding_statement(self, name: ast.Name, parent: ast.AST) -> ast.AST:
        node: ast.AST = name
        above: ast.AST | None = parent
        while above is not None and not isinstance(node, ast.stmt):
            node, above = above, self._scopes.parents.get(above)
        return node

    def _visit_function(self, node: ast.AST, scope: Scope, parent: ast.AST) -> None:
        assert isinstance(node, FunctionNode)
        arguments = node.args
        defaults = [*arguments.defaults, *[d for d in arguments.kw_defaults if d]]
        self._visit_all([*defaults], scope, node)
        inner = self._make_child_scope(node, scope)
        named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        for extra in (arguments.vararg, arguments.kwarg):
            if extra is not None:
                named.append(extra)
        for argument in named:
            inner.bind(argument.arg, argument)
            if argument.annotation is not None:
                self._visit_node(argument.annotation, scope, node)
        if isinstance(node, ast.Lambda):
            self._visit_node(node.body, inner, node)
        else:
            if node.returns is not None:
                self._visit_node(node.returns, scope, node)
            self._visit_all([*node.body], inner, node)

    def _visit_comprehension(
        self, node: ast.AST, scope: Scope, parent: ast.AST
    ) -> None:
        assert isinstance(node, _COMPREHENSIONS)
        inner = self._make_child_scope(node, scope)
        for index, generator in enumerate(node.generators):
            self._visit_node(generator.iter, scope if index == 0 else inner, node)
            self._visit_node(generator.target, inner, node)
            self._visit_all([*generator.ifs], inner, node)
        if isinstance(node, ast.DictComp):
            self._visit_all([node.key, node.value], inner, node)
        else:
            self._visit_node(node.elt, inner, node)

    def _visit_import(self, node: ast.AST, scope: Scope, parent: ast.AST) -> None:
        assert isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names:
            if isinstance(node, ast.Import):
                name = alias.asname or alias.name.split(".")[0]
                path = alias.name if alias.asname else alias.name.split(".")[0]
            elif node.level or node.module is None:
                name, path = alias.asname or alias.name, ""
            else:
                name, path = alias.asname or alias.name, f"{node.module}.{alias.name}"
            if name == "*":
                continue
            scope.bind(name, node)
            if path and modules.is_interesting(path):
                self._scopes._imported[(node, name)] = path


_Visit = Callable[[_Builder, ast.AST, Scope, ast.AST], None]
_VISITS: dict[type[ast.AST], _Visit] = {
    ast.FunctionDef: _Builder._visit_definition,
    ast.AsyncFunctionDef: _Builder._visit_definition,
    ast.Lambda: _Builder._visit_function,
    ast.ClassDef: _Builder._visit_class,
    ast.Import: _Builder._visit_import,
    ast.ImportFrom: _Builder._visit_import,
    ast.Global: _Builder._bind_outer_names,
    ast.Nonlocal: _Builder._bind_outer_names,
    ast.ExceptHandler: _Builder._visit_handler,
    ast.Name: _Builder._visit_name,
    **dict.fromkeys(_COMPREHENSIONS, _Builder._visit_comprehension),
}


@functools.lru_cache(maxsize=16)
def build_scopes(tree: ast.Module) -> Scopes:
    """Builds the scopes of a tree that no longer changes; see `parse_source`."""
    return Scopes(tree)
