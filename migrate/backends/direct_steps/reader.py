"""Reads a migrated program of one process: its steps, its sessions, its runs."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.backends.direct_steps import spec_helper
from migrate.backends.direct_steps.program import (
    BASE,
    MODULE,
    Listing,
    Program,
    Step,
)
from migrate.facts.scopes import Scope, Scopes
from migrate.source.nodes import walk_breadth_first

_DEFAULT = "tf.distribute.get_strategy"
# The names that are known of each module.
_KNOWN = {
    MODULE: {"LocalReplicas", "Session"},
    BASE: {"create_global_step", "Saver", "spec_of", "summary", "SummaryWriter"}
    | {"values"},
}
# Methods of TF1's own saver that do the same in eager mode, without this module's session.
_OF_SAVERS = frozenset(
    {"last_checkpoints", "recover_last_checkpoints", "restore", "save"}
    | {"set_last_checkpoints", "set_last_checkpoints_with_time"}
)
_GIVEN_SAVERS = frozenset(
    {"keep_checkpoint_every_n_hours", "max_to_keep", "pad_step_number", "reshape"}
    | {"save_relative_paths", "var_list"}
)
# Methods of the module's writers that have other parameters than TensorFlow's.
_OF_WRITERS = frozenset({"add_session_log", "shared"})


class _Other(Exception):
    """The program uses something in an unknown way."""


def read(scopes: Scopes) -> Program | None:
    """Reads the program; returns None if it uses its sessions in any other way."""
    try:
        return _Reader(scopes).run()
    except _Other:
        return None


class _Reader:
    def __init__(self, scopes: Scopes) -> None:
        self._scopes = scopes
        self._program = Program(scopes)
        self._names = [n for n in scopes.walk() if isinstance(n, ast.Name)]
        # Names of sessions, by the nodes of their scopes.
        self._sessions: dict[tuple[ast.AST, str], Scope] = {}
        self._attributes: set[str] = set()

    def run(self) -> Program:
        made = [
            self._read_replicas(n)
            for n in self._find_module_calls(MODULE, "LocalReplicas")
        ]
        if not made:
            raise _Other
        for name in {strategy for _, strategy in made}:
            self._read_strategy(name)
        replicas = {name for name, _ in made}
        self._read_uses_of_replicas(replicas)
        self._read_runs()
        for call in self._find_module_calls(BASE, "Saver"):
            self._read_saver(call)
        for call in self._find_module_calls(MODULE, "Session"):
            self._read_session(call, replicas)
        self._follow_sessions()
        if not all(self._is_session(call.args[0]) for call in self._program.saved):
            raise _Other
        if self._program.initialized and not self._program.kept:
            raise _Other
        self._read_imports()
        return self._program

    def _find_parent(self, node: ast.AST) -> ast.AST:
        return self._scopes.parents[node]

    def _find_module_calls(self, module: str, name: str) -> Iterator[ast.Call]:
        for node in self._scopes.walk():
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and isinstance(node.func.value, ast.Name)
                and (node.func.value.id, node.func.attr) == (module, name)
            ):
                yield node

    def _read_replicas(self, call: ast.Call) -> tuple[str, str]:
        """Returns the names of replicas and of their strategy; drops their statement."""
        match call, self._find_parent(call):
            case ast.Call(args=[ast.Name(strategy)], keywords=[]), ast.Assign(
                targets=[ast.Name(name)]
            ) as statement:
                self._program.dropped.add(statement)
                self._program.prepared.add(statement)
                return name, strategy
        raise _Other

    def _read_strategy(self, name: str) -> None:
        for node in self._names:
            if node.id != name:
                continue
            match self._find_parent(node):
                case ast.Assign(targets=[ast.Name()], value=ast.Call() as made) as at:
                    if self._scopes.resolve(made.func) != _DEFAULT or made.args:
                        raise _Other
                    self._program.dropped.add(at)
                    self._program.prepared.add(at)
                    self._program.tensorflow = ast.unparse(made.func).split(".")[0]
                case ast.Call(func=ast.Attribute(attr="LocalReplicas")):
                    pass
                case ast.Attribute(attr="scope") as scope:
                    self._read_block(scope)
                case _:
                    raise _Other

    def _read_block(self, scope: ast.Attribute) -> None:
        call = self._find_parent(scope)
        item = self._find_parent(call)
        block = self._find_parent(item)
        match block:
            case ast.With(
                items=[
                    ast.withitem(ast.Call(args=[], keywords=[]), None),
                    ast.withitem(
                        ast.Call(ast.Attribute(attr="recording"), [], []), None
                    ),
                ]
            ):
                self._program.blocks.append(block)
            case _:
                raise _Other

    def _read_uses_of_replicas(self, replicas: set[str]) -> None:
        for node in self._names:
            if node.id not in replicas or isinstance(node.ctx, ast.Store):
                continue
            parent = self._find_parent(node)
            match parent, self._find_parent(parent):
                case ast.Attribute(attr="recording"), ast.Call():
                    pass  # It is in a block, or the tool knows of no block.
                case ast.Attribute(attr="trainable_variables"), ast.Assign():
                    assert isinstance(parent, ast.Attribute)
                    self._program.variables.append(parent)
                case (
                    ast.Attribute(attr="trainable_in" | "global_in"),
                    ast.Call(args=[ast.Constant(str(scope))], keywords=[]) as call,
                ):
                    assert isinstance(parent, ast.Attribute)
                    self._program.listings.append(Listing(parent, call, scope))
                case ast.Attribute(attr="trainable_variables" | "global_variables"), _:
                    assert isinstance(parent, ast.Attribute)
                    self._program.listings.append(Listing(parent, parent))
                case ast.Attribute(attr="another_update"), ast.Call() as call:
                    self._program.updates.append(call)
                case ast.Attribute(attr="keep_initial_values"), ast.Call() as call:
                    self._read_kept(call)
                case ast.Attribute(attr="step_function"), ast.Call() as decorator:
                    function = self._find_parent(decorator)
                    if (
                        not isinstance(function, ast.FunctionDef)
                        or function.decorator_list != [decorator]
                        or decorator.keywords
                    ):
                        raise _Other
                    self._program.steps[function] = Step(function, decorator)
                case ast.Call(func=ast.Attribute(attr="Session")), _:
                    pass
                case _:
                    raise _Other

    def _read_kept(self, call: ast.Call) -> None:
        """Reads `keep_initial_values()`; drops it if there are no variables."""
        statement = self._find_parent(call)
        if not isinstance(statement, ast.Expr) or self._program.kept:
            raise _Other
        built = [s for block in self._program.blocks for s in block.body]
        if all(isinstance(s, ast.FunctionDef) or s is statement for s in built):
            self._program.dropped.add(statement)
        else:
            self._program.kept[call] = statement

    def _find_step(self, node: ast.expr) -> Step | None:
        if not isinstance(node, ast.Name):
            return None
        owner = self._scopes.find_scope(node).find_owner(node.id)
        bound = owner.bindings[node.id] if owner else []
        if len(bound) == 1 and isinstance(bound[0], ast.FunctionDef):
            return self._program.steps.get(bound[0])
        return None

    def _read_runs(self) -> None:
        named = 0
        for node in self._scopes.walk():
            if isinstance(node, ast.Call) and node.args and not node.keywords:
                step = self._find_step(node.args[0])
                if step is not None:
                    if not _is_run(node.func):
                        raise _Other
                    step.runs.append(node)
                    named += 1
        names = {f.name for f in self._program.steps}
        loads = [n for n in self._names if n.id in names and self._find_step(n)]
        if len(loads) != named:
            raise _Other

    def _is_receiver(self, node: ast.AST) -> bool:
        """Whether an expression is the session that runs a step, or that is closed."""
        parent = self._find_parent(node)
        if not isinstance(parent, ast.Attribute):
            return False
        call = self._find_parent(parent)
        if not isinstance(call, ast.Call) or call.func is not parent:
            return False
        if any(call in step.runs for step in self._program.steps.values()):
            return True
        statement = self._find_parent(call)
        if parent.attr == "close" and isinstance(statement, ast.Expr):
            self._program.dropped.add(statement)
            return True
        if parent.attr == "initialize" and isinstance(statement, ast.Expr):
            self._program.initialized.append(statement)
            return True
        return False

    def _read_saver(self, call: ast.Call) -> None:
        """Reads a saver that has a name, and that only saves and restores."""
        statement = self._find_parent(call)
        match statement:
            case ast.Assign(targets=[ast.Name() as target]) if len(call.args) <= 1:
                pass
            case _:
                raise _Other
        if any(k.arg not in _GIVEN_SAVERS for k in call.keywords):
            raise _Other
        if any(isinstance(a, ast.Starred) for a in call.args):
            raise _Other
        self._program.savers[call] = statement
        owner = self._scopes.find_scope(target).find_owner(target.id)
        if owner is None or target.id in owner.outer_names:
            raise _Other
        for at in owner.bindings[target.id]:
            if not isinstance(at, ast.Assign) or not isinstance(at.value, ast.Call):
                raise _Other
            made = at.value.func
            if self._scopes.import_path(made) != f"{BASE}.Saver":
                raise _Other
        for node in self._names:
            if node.id != target.id or isinstance(node.ctx, ast.Store):
                continue
            if self._scopes.find_scope(node).find_owner(node.id) is owner:
                self._read_saver_use(node)

    def _read_saver_use(self, node: ast.Name) -> None:
        used = self._find_parent(node)
        if not isinstance(used, ast.Attribute) or used.attr not in _OF_SAVERS:
            raise _Other
        if used.attr not in ("save", "restore"):
            return
        match self._find_parent(used):
            case ast.Call(func=func, args=[_, _, *_]) as call if func is used:
                if call not in self._program.saved:
                    self._program.saved.append(call)
            case _:
                raise _Other

    def _read_session(self, call: ast.Call, replicas: set[str]) -> None:
        match call:
            case ast.Call(args=[ast.Name(name)], keywords=[]) if name in replicas:
                pass
            case _:
                raise _Other
        at = self._find_parent(call)
        match at:
            case ast.withitem(optional_vars=None | ast.Name()):
                block = self._find_parent(at)
                if not isinstance(block, ast.With) or block in self._program.openings:
                    raise _Other
                self._program.openings[block] = at
                if isinstance(at.optional_vars, ast.Name):
                    self._add(at.optional_vars)
            case ast.Assign(targets=[ast.Name() as target]):
                self._program.dropped.add(at)
                self._add(target)
            case ast.Assign(targets=[ast.Attribute(ast.Name("self"), attr)]):
                self._program.dropped.add(at)
                self._attributes.add(attr)
            case _:
                raise _Other

    def _add(self, name: ast.Name) -> None:
        owner = self._scopes.find_scope(name).find_owner(name.id)
        if owner is None:
            raise _Other
        self._sessions[owner.node, name.id] = owner

    def _is_session(self, node: ast.AST) -> bool:
        if isinstance(node, ast.Name):
            owner = self._scopes.find_scope(node).find_owner(node.id)
            return owner is not None and (owner.node, node.id) in self._sessions
        match node:
            case ast.Attribute(ast.Name("self"), attr):
                return attr in self._attributes
        return False

    def _follow_sessions(self) -> None:
        """Follows every use of a session: it runs, is closed, or is an argument."""
        seen: set[ast.AST] = set()
        while True:
            new = [
                n
                for n in self._scopes.walk()
                if isinstance(n, (ast.Name, ast.Attribute))
                and n not in seen
                and self._is_session(n)
            ]
            if not new:
                break
            for node in new:
                seen.add(node)
                self._read_use(node)
        self._check_session_bindings()

    def _read_use(self, node: ast.AST) -> None:
        parent = self._find_parent(node)
        if isinstance(getattr(node, "ctx", None), ast.Store):
            match parent:
                case ast.Assign(targets=[_], value=ast.Constant(None)):
                    self._program.dropped.add(parent)
                case ast.Assign(targets=[_], value=value) if self._is_session(value):
                    self._program.dropped.add(parent)
                case ast.Assign() | ast.withitem():
                    pass  # The place where it is made: see `_check_session_bindings`.
                case _:
                    raise _Other
            return
        if self._is_receiver(node) or any(
            call.args[0] is node for call in self._program.saved
        ):
            return
        match parent:
            case ast.Assign(targets=[ast.Name() as target]):
                self._program.dropped.add(parent)
                self._add(target)
                return
            case ast.Assign(targets=[ast.Attribute(ast.Name("self"), attr)]):
                self._program.dropped.add(parent)
                self._attributes.add(attr)
                return
            case ast.Call(func=ast.Name() as func, args=args) if node in args:
                place = args.index(node)
                function = self._scopes.find_function(func)
                if (
                    function is None
                    or function in self._program.steps
                    or function.decorator_list
                    or any(isinstance(a, ast.Starred) for a in args[:place])
                    or place >= len(function.args.args)
                ):
                    raise _Other
                parameter = function.args.args[place]
                self._program.calls[parent] = function
                self._program.parameters.setdefault(function, set()).add(parameter.arg)
                scope = self._scopes.scope_by_node[function]
                self._sessions[scope.node, parameter.arg] = scope
                return
        raise _Other

    def _check_session_bindings(self) -> None:
        """Checks that sessions have no other value, and that functions always get them."""
        for (_, name), scope in self._sessions.items():
            for at in scope.bindings[name]:
                if isinstance(at, (ast.arg, ast.arguments, ast.FunctionDef)):
                    continue
                if at not in self._program.dropped and at not in self._program.openings:
                    raise _Other
            if name in scope.outer_names:
                raise _Other
        for node in self._scopes.walk():
            if isinstance(node, (ast.Global, ast.Nonlocal)):
                if any(name in node.names for _, name in self._sessions):
                    raise _Other
            elif isinstance(node, ast.Constant) and node.value in self._attributes:
                raise _Other
        for function, names in self._program.parameters.items():
            for node in self._names:
                if node.id != function.name or isinstance(node.ctx, ast.Store):
                    continue
                if self._scopes.find_function(node) is not function:
                    continue
                call = self._find_parent(node)
                if not isinstance(call, ast.Call) or call.func is not node:
                    raise _Other
                self._read_call_with_sessions(call, function, names)

    def _read_call_with_sessions(
        self, call: ast.Call, function: ast.FunctionDef, names: set[str]
    ) -> None:
        order = [a.arg for a in function.args.args]
        if function.args.posonlyargs or function.args.vararg:
            raise _Other
        for name in names:
            place = order.index(name)
            if place >= len(call.args) or not self._is_session(call.args[place]):
                raise _Other
        self._program.calls[call] = function

    def _read_imports(self) -> None:
        """Drops the import of the module, if nothing else of it is used."""
        for name in self._names:
            if name.id not in _KNOWN:
                continue
            parent = self._find_parent(name)
            if (
                not isinstance(parent, ast.Attribute)
                or parent.attr not in _KNOWN[name.id]
            ):
                raise _Other
            if name.id == BASE:
                self._read_base_use(parent, self._find_parent(parent))
        for node in self._scopes.walk():
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                imported = [a.name for a in node.names]
                if set(imported) & set(_KNOWN):
                    self._program.dropped.add(self._read_import(node, imported))

    def _read_base_use(self, used: ast.Attribute, around: ast.AST) -> None:
        match used.attr, around, self._find_parent(around):
            case "create_global_step", ast.Call(args=[], keywords=[]) as call, _:
                self._program.counters.append(call)
            case "values", ast.Call(args=[_], keywords=[]) as call, _:
                self._program.values.append(call)
            case "summary", ast.Attribute(), ast.Call(func=func) if func is around:
                self._program.summaries.append(used)
            case "spec_of", ast.Call(func=func), _ if func is used and not any(
                n.id == spec_helper.NAME for n in self._names
            ):
                self._program.asks_specs = True
            case "Saver", ast.Call() as call, _ if call in self._program.savers:
                pass
            case (
                "SummaryWriter",
                ast.Call(args=[_], keywords=[]) as call,
                ast.Expr()
                | ast.Assign(targets=[ast.Name() | ast.Attribute()]) as statement,
            ):
                self._program.writers[call] = statement
                for node in self._scopes.walk():
                    if isinstance(node, ast.Attribute):
                        self._read_writer_use(node)
            case _:
                raise _Other

    def _read_writer_use(self, node: ast.Attribute) -> None:
        """Drops `writer.add_graph(None)`, because there is no graph to show."""
        if node.attr in _OF_WRITERS:
            raise _Other
        if node.attr != "add_graph":
            return
        match self._find_parent(node), self._find_parent(self._find_parent(node)):
            case ast.Call(args=[ast.Constant(None)]), ast.Expr() as statement:
                self._program.dropped.add(statement)
            case _:
                raise _Other

    def _read_import(self, node: ast.stmt, imported: list[str]) -> ast.stmt:
        """Returns the statement that imports only this module, with a `try` around it."""
        at = self._find_parent(node)
        while isinstance(at, (ast.Try, ast.ExceptHandler)):
            if isinstance(at, ast.Try):
                node = at
            at = self._find_parent(at)
        for inner in walk_breadth_first(node):
            if isinstance(inner, (ast.Import, ast.ImportFrom)):
                if [a.name for a in inner.names] != imported or len(imported) > 1:
                    raise _Other
        return node


def _is_run(func: ast.expr) -> bool:
    """Whether a call is of the method `run` of an object that has a name."""
    match func:
        case ast.Attribute(ast.Name(), "run"):
            return True
        case ast.Attribute(ast.Attribute(ast.Name("self"), _), "run"):
            return True
    return False
