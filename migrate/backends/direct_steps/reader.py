"""Reads a migrated program of one process: its steps, its sessions, its runs."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.backends.direct_steps import helpers
from migrate.backends.direct_steps.followed_sessions import Other, Sessions
from migrate.backends.direct_steps.program import (
    BASE,
    MODULE,
    Listing,
    Program,
    Step,
)
from migrate.facts.scopes import Scopes
from migrate.source.nodes import walk_breadth_first

_DEFAULT = "tf.distribute.get_strategy"
_MIRRORED = "tf.distribute.MirroredStrategy"
# The names that are known of each module.
_KNOWN = {
    MODULE: {"LocalReplicas", "Session", helpers.TOWER_DEVICES},
    BASE: {"create_global_step", "Saver", "spec_of", "summary", "SummaryWriter"}
    | {"values"},
}
# Methods of replicas that concern the values of all towers, or of the first.
_OF_TOWERS = frozenset({"average", "averaged", "means", "of_first", "towers"})
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


def read(scopes: Scopes) -> Program | None:
    """Reads the program; returns None if it uses its sessions in any other way."""
    try:
        return _Reader(scopes).run()
    except Other:
        return None


class _Reader:
    def __init__(self, scopes: Scopes) -> None:
        self._scopes = scopes
        self._program = Program(scopes)
        self._names = [n for n in scopes.walk() if isinstance(n, ast.Name)]
        self._sessions = Sessions(self._program, self._names)

    def run(self) -> Program:
        made = [
            self._read_replicas(n)
            for n in self._find_module_calls(MODULE, "LocalReplicas")
        ]
        if not made:
            raise Other
        for name in {strategy for _, strategy in made}:
            self._read_strategy(name)
        replicas = {name for name, _ in made}
        self._read_uses_of_replicas(replicas)
        self._read_runs()
        for call in self._find_module_calls(BASE, "Saver"):
            self._read_saver(call)
        for call in self._find_module_calls(MODULE, "Session"):
            self._read_session(call, replicas)
        self._sessions.follow()
        if not all(
            self._sessions.is_session(call.args[0]) for call in self._program.saved
        ):
            raise Other
        if self._program.initialized and not self._program.kept:
            raise Other
        self._read_imports()
        if self._program.strategy:
            self._check_towers()
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
        raise Other

    def _read_strategy(self, name: str) -> None:
        for node in self._names:
            if node.id != name:
                continue
            match self._find_parent(node):
                case ast.Assign(targets=[ast.Name()], value=ast.Call() as made) as at:
                    self._read_made_strategy(name, made, at)
                case ast.Call(func=ast.Attribute(attr="LocalReplicas")):
                    pass
                case ast.Attribute(attr="scope") as scope:
                    self._read_block(scope)
                case _:
                    raise Other

    def _read_made_strategy(
        self, name: str, made: ast.Call, statement: ast.Assign
    ) -> None:
        symbol = self._scopes.resolve(made.func)
        match made.args:
            case [] if symbol == _DEFAULT:
                self._program.dropped.add(statement)
                self._program.prepared.add(statement)
            case [ast.Call(ast.Attribute(ast.Name(), attr), [_], [])] if (
                symbol == _MIRRORED and attr == helpers.TOWER_DEVICES
            ):
                self._check_free(helpers.TOWER_DEVICES)
                self._program.strategy = name
            case _:
                raise Other
        self._program.tensorflow = ast.unparse(made.func).split(".")[0]

    def _check_free(self, name: str) -> None:
        """Checks that nothing of the program has the name of a helper."""
        if any(n.id == name for n in self._names):
            raise Other

    def _check_towers(self) -> None:
        """Checks that a program with towers asks nothing else of its replicas.

        An optimizer does not list the slots of a strategy's variables for a saver.
        """
        program = self._program
        if len(program.blocks) != 1 or any(
            (program.summaries, program.writers, program.savers, program.kept)
        ):
            raise Other
        if program.updates:
            raise Other

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
                raise Other

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
                case ast.Attribute(attr=method), ast.Call(
                    args=[_], keywords=[]
                ) as call if method in _OF_TOWERS and self._program.strategy:
                    self._program.towers.append(call)
                case (
                    ast.Attribute(attr="fed"),
                    ast.Call(args=[ast.Constant(str())], keywords=[]) as call,
                ) if not self._program.strategy:
                    self._program.rates.append(call)
                case (
                    ast.Attribute(attr="feed"),
                    ast.Call(args=[ast.Constant(str()), _], keywords=[]) as call,
                ) if not self._program.strategy:
                    self._program.feeds.append(call)
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
                        raise Other
                    self._program.steps[function] = Step(function, decorator)
                case ast.Call(func=ast.Attribute(attr="Session")), _:
                    pass
                case _:
                    raise Other

    def _read_kept(self, call: ast.Call) -> None:
        """Reads `keep_initial_values()`; drops it if there are no variables."""
        statement = self._find_parent(call)
        if not isinstance(statement, ast.Expr) or self._program.kept:
            raise Other
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
                        raise Other
                    step.runs.append(node)
                    named += 1
        names = {f.name for f in self._program.steps}
        loads = [n for n in self._names if n.id in names and self._find_step(n)]
        if len(loads) != named:
            raise Other

    def _read_saver(self, call: ast.Call) -> None:
        """Reads a saver that only saves and restores: `Saver().save(session, path)`."""
        if any(k.arg not in _GIVEN_SAVERS for k in call.keywords):
            raise Other
        if any(isinstance(a, ast.Starred) for a in call.args) or len(call.args) > 1:
            raise Other
        statement = self._find_parent(call)
        match statement:
            case ast.Assign(targets=[ast.Name() as target]):
                self._program.savers[call] = statement
            case ast.Attribute(attr="save" | "restore"):
                self._program.savers[call] = self._find_statement(call)
                self._read_saver_use(call)
                return
            case _:
                raise Other
        owner = self._scopes.find_scope(target).find_owner(target.id)
        if owner is None or target.id in owner.outer_names:
            raise Other
        for at in owner.bindings[target.id]:
            if not isinstance(at, ast.Assign) or not isinstance(at.value, ast.Call):
                raise Other
            made = at.value.func
            if self._scopes.import_path(made) != f"{BASE}.Saver":
                raise Other
        for node in self._names:
            if node.id != target.id or isinstance(node.ctx, ast.Store):
                continue
            if self._scopes.find_scope(node).find_owner(node.id) is owner:
                self._read_saver_use(node)

    def _find_statement(self, node: ast.AST) -> ast.stmt:
        while not isinstance(node, ast.stmt):
            node = self._find_parent(node)
        return node

    def _read_saver_use(self, node: ast.expr) -> None:
        used = self._find_parent(node)
        if not isinstance(used, ast.Attribute) or used.attr not in _OF_SAVERS:
            raise Other
        if used.attr not in ("save", "restore"):
            return
        match self._find_parent(used):
            case ast.Call(func=func, args=[_, _, *_]) as call if func is used:
                if call not in self._program.saved:
                    self._program.saved.append(call)
            case _:
                raise Other

    def _read_session(self, call: ast.Call, replicas: set[str]) -> None:
        match call:
            case ast.Call(args=[ast.Name(name)], keywords=[]) if name in replicas:
                pass
            case _:
                raise Other
        at = self._find_parent(call)
        match at:
            case ast.withitem(optional_vars=None | ast.Name()):
                block = self._find_parent(at)
                if not isinstance(block, ast.With) or block in self._program.openings:
                    raise Other
                self._program.openings[block] = at
                if isinstance(at.optional_vars, ast.Name):
                    self._sessions.add(at.optional_vars)
            case ast.Assign(targets=[ast.Name() as target]):
                self._program.dropped.add(at)
                self._sessions.add(target)
            case ast.Assign(targets=[ast.Attribute(ast.Name("self"), attr)]):
                self._program.dropped.add(at)
                self._sessions.add_attribute(attr)
            case _:
                raise Other

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
                raise Other
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
            case helpers.SPEC_OF, ast.Call(func=func), _ if func is used:
                self._check_free(helpers.SPEC_OF)
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
                raise Other

    def _read_writer_use(self, node: ast.Attribute) -> None:
        """Drops `writer.add_graph(None)`, because there is no graph to show."""
        if node.attr in _OF_WRITERS:
            raise Other
        if node.attr != "add_graph":
            return
        match self._find_parent(node), self._find_parent(self._find_parent(node)):
            case ast.Call(args=[ast.Constant(None)]), ast.Expr() as statement:
                self._program.dropped.add(statement)
            case _:
                raise Other

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
                    raise Other
        return node


def _is_run(func: ast.expr) -> bool:
    """Whether a call is of the method `run` of an object that has a name."""
    match func:
        case ast.Attribute(ast.Name(), "run"):
            return True
        case ast.Attribute(ast.Attribute(ast.Name("self"), _), "run"):
            return True
    return False
