"""Hooks that a session's program has written itself: what they ask of its steps.

    class LossHook(tf.train.SessionRunHook):
        def __init__(self, loss):
            self._loss = loss

        def before_run(self, run_context):
            return tf.train.SessionRunArgs(self._loss)

    hooks = [LossHook(loss)]

The class keeps its methods. A tensor becomes a name, under which the step function gives it:
`LossHook("loss")`, and `replicas.observe({"loss": loss})` in the step.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.constructions import Escapes, find_constructions
from migrate.facts.names import is_none_constant
from migrate.frontends.estimators.hook_updates import find_hook_updates
from migrate.frontends.own_hooks.parameters import Load, Parameters, Read, is_self
from migrate.frontends.own_hooks.reasons import NotMapped
from migrate.frontends.own_hooks.tensors import Graph, Tensors
from migrate.frontends.sessions.derived_hooks import find_hook_classes
from migrate.program import ir
from migrate.program.binding_time import Diagnostics
from migrate.program.code import Code, make_code
from migrate.program.ir import Kind
from migrate.program.own_hooks import GLOBAL_STEP, Ask, OwnHooks
from migrate.program.step_values import describe
from migrate.source.nodes import walk_breadth_first
from migrate.tables import callbacks as table
from migrate.tables import roles
from migrate.tables.estimator import find_public

_DONE = ("H110", "a hook of the program's own, which training_session calls as TF1 did")
# What has a counterpart where it is used, beside what needs no graph.
_TYPES = ("SessionRunContext", "SessionRunValues", "SessionRunArgs", "SessionRunHook")


def recognise(graph: Graph, diagnostics: Diagnostics, session: ast.Call) -> OwnHooks:
    """Finds the hooks of a file with a session, and refuses those it cannot call.

    Args:
      session: the call that opens the session.
    """
    edits: dict[ast.AST, Code] = {}
    claimed: dict[ast.AST, tuple[str, str]] = {}
    asks: list[Ask] = []
    gone: list[ast.stmt] = []
    refused: set[ast.AST] = set()
    made = False
    classes = tuple(find_hook_classes(graph.scopes))
    for class_ in classes:
        try:
            found = _Hook(class_, graph, session).read()
        except NotMapped as why:
            diagnostics.refuse("H122", why.node, why.reason, why.recipe, class_.name)
            refused.add(class_)
            continue
        edits.update(found.edits)
        claimed.update(found.claimed)
        asks.extend(found.asks)
        made = made or found.made
        gone.extend(found.gone)
    return OwnHooks(
        classes, edits, claimed, tuple(asks), made, tuple(gone), frozenset(refused)
    )


class _Hook:
    """One hook class."""

    def __init__(self, class_: ast.ClassDef, graph: Graph, session: ast.Call) -> None:
        self._class, self._graph, self._session = class_, graph, session
        self._scopes = graph.scopes
        self._made = self._find_constructions()
        self._tensors = Tensors(class_, graph, self._made)
        self._edits: dict[ast.AST, Code] = {}
        self._gone: list[ast.stmt] = []

    def read(self) -> OwnHooks:
        """Reads the class: its edits, and what it asks of the steps.

        Raises:
          NotMapped: the migrated session cannot call the hook.
        """
        self._check_class()
        self._read_update()
        parameters = Parameters(
            self._class, self._scopes, self._is_saver, frozenset(self._edits)
        )
        reads = parameters.reads()
        asks = [self._ask(call) for call in self._find_requests()]
        for read in reads:
            self._read(read)
        for load in parameters.loads:
            self._load(load)
        changes = [*parameters.restores, *(load.call for load in parameters.loads)]
        if changes and self._graph.synchronous:
            raise NotMapped(
                changes[0],
                "a hook changes variables, but each synchronous worker has its own "
                "copy of them",
                "Change them in the step function, or in every worker's loop.",
            )
        self._tensors.check_held()
        self._gone += self._tensors.gone
        claimed = dict(self._find_symbols())
        self._edits.update(self._tensors.edits)
        self._check_names()
        for edited in (*self._tensors.edits, *self._gone):
            for node in walk_breadth_first(edited):
                if self._scopes.resolve(node) is not None:
                    claimed[node] = _DONE
        return OwnHooks(
            (), self._edits, claimed, tuple(asks), bool(self._made), tuple(self._gone)
        )

    # The class.

    def _check_class(self) -> None:
        class_ = self._class
        bases = [find_public(self._scopes.resolve(b) or "") for b in class_.bases]
        if len(bases) != 1 or bases[0] not in table.HOOKS:
            raise NotMapped(
                class_,
                "the hook derives from another hook",
                "Derive the hook from tf.train.SessionRunHook itself.",
            )
        for item in class_.body:
            if isinstance(item, ast.FunctionDef) and item.name in table.PARAMETERS:
                first = item.args.args[0].arg if item.args.args else ""
                if item.decorator_list or first != "self":
                    raise NotMapped(item, f"`{item.name}` is not a plain method")

    def _find_constructions(self) -> list[ast.Call]:
        try:
            return list(find_constructions(self._scopes, self._class))
        except Escapes as escapes:
            raise NotMapped(escapes.node, escapes.reason) from None

    def _find_requests(self) -> Iterator[ast.Call]:
        for node in walk_breadth_first(self._class):
            if isinstance(node, ast.Call) and (
                find_public(self._scopes.resolve(node.func) or "") in table.RUN_ARGS
            ):
                yield node

    def _ask(self, call: ast.Call) -> Ask:
        method = self._find_method(call)
        given = names.bind_arguments(call, ("fetches", "feed_dict"))
        if method is None or given is None:
            raise NotMapped(call, "the tool cannot tell what a hook requests")
        fetches, feeds = given.get("fetches"), given.get("feed_dict")
        named = []
        if fetches is not None and not is_none_constant(fetches):
            named = sorted(self._tensors.ask(fetches, method))
        found = self._tensors.found
        fed = frozenset[str]()
        if feeds is not None and not is_none_constant(feeds):
            fed = self._find_fed_placeholders(feeds, method)
        tensors = {name: found[name] for name in named if name in found}
        self._edits[call.func] = make_code("training_session.SessionRunArgs")
        step = GLOBAL_STEP in named and self._tensors.step
        always = not self._tensors.sometimes and self._is_always_asked(call, method)
        if fed and not always:
            raise NotMapped(
                call,
                "a hook feeds only some steps, or only under a condition",
                "Replace what is fed by a variable: tf.get_variable(name, [], "
                "trainable=False, initializer=...). Set its value by "
                "variable.load(value, run_context.session).",
            )
        return Ask(call, tensors, step, always, fed)

    def _find_fed_placeholders(
        self, feeds: ast.expr, method: ast.FunctionDef
    ) -> frozenset[str]:
        """Finds the names of the placeholders that a hook feeds."""
        placeholders = self._graph.analysis.placeholders
        if isinstance(feeds, ast.Dict):
            asked = {
                name
                for key in feeds.keys
                for name in (self._tensors.ask(key, method) if key else {""})
            }
            fed = {ast.unparse(self._tensors.found[n]) for n in asked if n}
            if "" not in asked and fed <= set(placeholders):
                return frozenset(fed)
        raise NotMapped(
            feeds,
            "the hook feeds something that is not a placeholder, or the feed is "
            "not written out",
            "Feed a placeholder, and write feed_dict={placeholder: value}.",
        )

    # What it changes.

    def _read_update(self) -> None:
        """Assignments that `begin` builds, and a session runs."""
        for update in find_hook_updates(self._scopes):
            if update.call not in set(walk_breadth_first(self._class)):
                continue
            if not update.runs or update.variable is None:
                raise NotMapped(
                    update.call,
                    "a hook's `begin` builds an update, and a step would make that "
                    "update every time",
                    "Keep the variable in an attribute. Where the hook ran the "
                    "update, call variable.load(value, run_context.session).",
                )
            for call, session, value in update.runs:
                self._edits[call] = make_code(
                    session, ".load(", update.variable, ", ", value, ")"
                )
            if self._graph.synchronous:
                raise NotMapped(
                    update.call, "a hook changes a variable that all workers share"
                )
            self._gone += update.statements

    def _load(self, load: Load) -> None:
        """`variable.load(value, session)`: the session does it."""
        if self._tensors.is_step(load.variable):
            self._tensors.ask(load.variable, load.method)
        elif not self._is_variable(load.variable):
            raise NotMapped(
                load.call,
                "a hook loads a value into something that may not be a variable",
            )
        self._edits[load.call] = make_code(
            load.session, ".load(", load.variable, ", ", load.value, ")"
        )

    def _is_saver(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Attribute) and is_self(node.value):
            kept = self._tensors.attributes.find_kept(node.attr)
            given = [value for one in kept for value in self._tensors.find_values(one)]
            return bool(given) and all(
                self._makes_saver(v) or self._graph.find_kind(v) is Kind.SAVER
                for v in given
            )
        return self._graph.is_own(node) and self._graph.find_kind(node) is Kind.SAVER

    def _makes_saver(self, node: ast.expr) -> bool:
        if not isinstance(node, ast.Call):
            return False
        return self._scopes.resolve(node.func) == "tf.train.Saver"

    def _find_method(self, node: ast.AST) -> ast.FunctionDef | None:
        while node in self._scopes.parents:
            node = self._scopes.parents[node]
            if isinstance(node, ast.FunctionDef):
                is_own = self._scopes.parents[node] is self._class
                return node if is_own else None
        return None

    def _is_always_asked(self, call: ast.Call, method: ast.FunctionDef) -> bool:
        """Whether every step of the session is asked: the hook is always there, and asks."""
        statements = [
            s for s in method.body if any(n is call for n in walk_breadth_first(s))
        ]
        returns = [n for n in walk_breadth_first(method) if isinstance(n, ast.Return)]
        return (
            method.name == "before_run"
            and len(statements) == 1
            and len(returns) == 1
            and returns[0] is method.body[-1]
            and _is_returned(call, statements[0], method)
            and bool(self._made)
            and all(self._is_always_there(made) for made in self._made)
        )

    def _is_always_there(self, made: ast.Call) -> bool:
        """Whether `hooks=` of the session has it: in a list there, or in one with a name."""
        hooks = names.find_argument(self._session, "hooks", 4)
        if hooks is None:
            return False
        listed = _is_listed(made, hooks)
        if listed:
            return True
        statement: ast.AST = made
        while not isinstance(statement, ast.stmt):
            statement = self._scopes.parents[statement]
        if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
            return False
        target, home = statement.targets[0], self._scopes.parents[statement]
        if not isinstance(target, ast.Name) or not isinstance(
            home, (ast.FunctionDef, ast.Module, ast.With)
        ):
            return False
        mine = statement.value is made or _is_listed(made, statement.value)
        others = [
            n
            for n in self._scopes.walk()
            if isinstance(n, ast.Name) and n.id == target.id
        ]
        once = sum(not isinstance(n.ctx, ast.Load) for n in others) == 1
        return mine and once and any(_is_listed(n, hooks) or n is hooks for n in others)

    # What it reads in its session.

    def _read(self, read: Read) -> None:
        """Reads a run of the hook, which may fetch variables only."""
        fetches, method = read.fetches, read.method
        if not self._is_variable(fetches):
            named = self._tensors.ask(fetches, method)
            kinds = {self._tensors.kinds[name] for name in named}
            if not named or kinds != {Kind.VARIABLE}:
                raise NotMapped(
                    read.call,
                    "a hook runs more than variables in its session",
                )
            for name in named & set(self._tensors.found):
                # It is named by what steps observe: then some step has to.
                if not any(name == n for n in self._find_observed()):
                    raise NotMapped(
                        read.call,
                        f"a hook reads `{name}` in its session, but does not "
                        "request it from a step",
                        "Request it by SessionRunArgs too, or let the hook's "
                        "methods name the variable itself.",
                    )
        called = read.call.func
        if isinstance(called, ast.Attribute) and called.attr == "eval":
            self._edits[read.call] = make_code(read.session, ".run(", fetches, ")")

    def _is_given_one(self, node: ast.expr) -> bool:
        """Whether it is an attribute with a variable that no step is asked for."""
        if not isinstance(node, ast.Attribute) or not is_self(node.value):
            return False
        kept = self._tensors.attributes.find_kept(node.attr)
        given = [value for one in kept for value in self._tensors.find_values(one)]
        return (
            node.attr not in self._tensors.held
            and bool(given)
            and all(self._is_variable_of_graph(value) for value in given)
        )

    def _find_observed(self) -> set[str]:
        found: set[str] = set()
        for call in self._find_requests():
            fetches, method = (
                names.find_argument(call, "fetches", 0),
                self._find_method(call),
            )
            if fetches is not None and method is not None:
                found |= self._tensors.ask(fetches, method)
        return found

    def _is_variable(self, node: ast.expr) -> bool:
        """Whether it is a variable of the graph, or a list of variables."""
        if isinstance(node, (ast.List, ast.Tuple)):
            return bool(node.elts) and all(self._is_variable(e) for e in node.elts)
        return self._is_variable_of_graph(node) or self._is_given_one(node)

    def _is_variable_of_graph(self, node: ast.expr) -> bool:
        return (
            names.find_key(node) is not None
            and not (isinstance(node, ast.Attribute) and is_self(node.value))
            and self._graph.is_own(node)
            and self._graph.find_kind(node) is Kind.VARIABLE
        )

    # What else it names.

    def _find_symbols(self) -> Iterator[tuple[ast.AST, tuple[str, str]]]:
        """Finds the hook's uses of TensorFlow, and writes the session's counterparts.

        Raises:
          NotMapped: one needs a graph.
        """
        gone = {n for e in self._tensors.edits for n in walk_breadth_first(e)}
        gone |= {n for statement in self._gone for n in walk_breadth_first(statement)}
        for node, symbol in self._scopes.walk_uses():
            if node not in set(
                walk_breadth_first(self._class)
            ) or not symbol.startswith("tf."):
                continue
            name = find_public(symbol)
            last = name.rpartition(".")[2]
            if name in (f"tf.train.{last}", f"tf.estimator.{last}") and last in _TYPES:
                self._edits[node] = make_code(f"training_session.{last}")
                yield node, _DONE
            elif node in gone or name in roles.WRITERS or name == "tf.train.Saver":
                continue
            elif not any(name == p or name.startswith(f"{p}.") for p in table.PLAIN):
                raise NotMapped(
                    node, f"a hook uses `{symbol}`, which works only on a graph"
                )

    def _check_names(self) -> None:
        """Refuses a class that names a step's tensors elsewhere than in its fetches."""
        edited = {n for e in (*self._edits, *self._gone) for n in walk_breadth_first(e)}
        for node in walk_breadth_first(self._class):
            if node in edited or not isinstance(node, (ast.Name, ast.Attribute)):
                continue
            key = names.find_key(node)
            kind = self._graph.analysis.environment.get(key or "")
            if (
                isinstance(node.ctx, ast.Load)
                and kind in ir.STEP_KINDS
                and self._graph.is_own(node)
                and not (isinstance(node, ast.Attribute) and is_self(node.value))
                and not self._is_bound_inside(node)
            ):
                raise NotMapped(
                    node,
                    f"`{key}` {describe(self._scopes, node).value}; a hook uses it as "
                    "it is",
                )

    def _is_bound_inside(self, node: ast.expr) -> bool:
        while isinstance(node, ast.Attribute):
            node = node.value
        if not isinstance(node, ast.Name):
            return True
        owner = self._scopes.find_scope(node).find_owner(node.id)
        return owner is None or owner.node in set(walk_breadth_first(self._class))


def _is_returned(call: ast.Call, statement: ast.stmt, method: ast.FunctionDef) -> bool:
    """Whether a method's last line returns a call, itself or by a name with no other value."""
    last = method.body[-1]
    assert isinstance(last, ast.Return)
    if statement is last:
        return last.value is call
    match statement, last.value:
        case ast.Assign([ast.Name(id=name)], value), ast.Name(id=returned):
            stored = [
                node
                for node in ast.walk(method)
                if isinstance(node, ast.Name)
                and node.id == name
                and not isinstance(node.ctx, ast.Load)
            ]
            return value is call and name == returned and len(stored) == 1
    return False


def _is_listed(node: ast.AST, value: ast.expr) -> bool:
    """Whether it is an item of a list, or of lists that are added up."""
    if isinstance(value, (ast.List, ast.Tuple)):
        return any(item is node for item in value.elts)
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
        sides = (value.left, value.right)
        return any(side is node or _is_listed(node, side) for side in sides)
    return False


__all__ = ["Graph", "recognise"]
