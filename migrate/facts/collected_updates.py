"""Finds calls of batch normalisation, and the lists of its updates, in their order.

    h = tf.layers.batch_normalization(x, training=True)
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        train_op = optimizer.minimize(loss)

TF1's list has the updates of the layers that were called before `tf.get_collection`. A run
moves the averages if it depends on the list. A layer of TensorFlow 2 moves its averages
whenever it is called. So the tool has to know which calls come before which lists.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator, Sequence

from migrate.facts import names, reach
from migrate.facts.one_of import are_exclusive
from migrate.facts.scopes import Scopes
from migrate.source.nodes import walk_breadth_first

KERAS = frozenset({"tf.layers.batch_normalization"})
CONTRIB = frozenset({"tf.contrib.layers.batch_norm", "tf.contrib.slim.batch_norm"})
CLASS = "tf.layers.BatchNormalization"
_COLLECTIONS = frozenset({"tf.get_collection", "tf.get_collection_ref"})
_KEYS = ("tf.GraphKeys.UPDATE_OPS", "update_ops")
_LOOPS = (ast.For, ast.While, ast.ListComp, ast.GeneratorExp, ast.SetComp)
# Functions that only look at a list, that make another list of it, and that wait for it.
_LOOKS = frozenset({"len", "print", "bool", "str", "repr", "isinstance", "type"})
_LISTS = frozenset({"list", "tuple"})
_GROWS = frozenset({"append", "extend"})
_WAITS = frozenset({"tf.control_dependencies", "tf.group"})
_WAITING = frozenset({"control_dependencies", "run"})
_MODES = frozenset({"mode", "ModeKeys", "training", "is_training"})


@dataclasses.dataclass(frozen=True, eq=False)
class Event:
    """A layer's call, or a list of updates, as the graph is built.

    Attributes:
      call: the call of the layer, or of `tf.get_collection`.
      asks: whether it is such a list.
      through: calls of the program's functions that lead here, outermost first, each with
        the function.
    """

    call: ast.Call
    asks: bool
    through: tuple[tuple[ast.Call, ast.FunctionDef], ...] = ()


def is_list(scopes: Scopes, node: ast.AST) -> bool:
    """Whether a node is `tf.get_collection(tf.GraphKeys.UPDATE_OPS)`, with any scope."""
    if not isinstance(node, ast.Call) or scopes.resolve(node.func) not in _COLLECTIONS:
        return False
    key = names.find_argument(node, "key", 0)
    text = key.value if isinstance(key, ast.Constant) else None
    return (text or (scopes.resolve(key) if key is not None else None)) in _KEYS


def find_training(scopes: Scopes, call: ast.Call) -> ast.expr | None:
    """Returns the `training` argument in the call of a layer."""
    by_function = scopes.resolve(call.func) in KERAS
    return names.find_argument(call, "training", 14 if by_function else 1)


def is_scoped(call: ast.Call) -> bool:
    """Whether a list has only the updates below a scope."""
    scope = names.find_argument(call, "scope", 1)
    none = isinstance(scope, ast.Constant) and scope.value is None
    return scope is not None and not none or len(call.args) > 2


class Events:
    """Walks code in the order in which it builds the graph, into the program's functions.

    Args:
      layers: symbols of the functions that normalise batches.
    """

    def __init__(self, scopes: Scopes, layers: frozenset[str]) -> None:
        self._scopes, self._layers = scopes, layers
        self._methods = reach.find_methods(scopes)
        self._relevant: dict[ast.AST, bool] = {}
        # Names and attributes that hold a layer object: `bn`, `self.bn`.
        self._objects = {
            names.find_key(target) or ""
            for node in scopes.walk()
            if isinstance(node, ast.Assign) and self._makes_object(node.value)
            for target in node.targets
        }

    def list_events(self, node: ast.AST) -> list[Event]:
        """Returns the events of evaluating a statement or an expression."""
        return list(self._walk(node, ()))

    def _walk(
        self, node: ast.AST, through: tuple[tuple[ast.Call, ast.FunctionDef], ...]
    ) -> Iterator[Event]:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            return
        for child in ast.iter_child_nodes(node):
            yield from self._walk(child, through)
        if isinstance(node, ast.Call):
            if self._scopes.resolve(node.func) in self._layers or self._calls_object(
                node
            ):
                yield Event(node, False, through)
            elif is_list(self._scopes, node):
                yield Event(node, True, through)
        entered = {function for _, function in through}
        for call, function in self._find_functions(node, through):
            if function not in entered and self._is_relevant(function):
                for statement in function.body:
                    yield from self._walk(statement, (*through, (call, function)))

    def _find_functions(
        self, node: ast.AST, through: tuple[tuple[ast.Call, ast.FunctionDef], ...]
    ) -> Iterator[tuple[ast.Call, ast.FunctionDef]]:
        """Yields the functions that a call may run: its arguments, and then its callee."""
        if not isinstance(node, ast.Call):
            return
        for given in [*node.args, *(k.value for k in node.keywords), node.func]:
            targets: Sequence[ast.AST] = ()
            if given is node.func:
                given = self._resolve_parameter(given, through)
            if isinstance(given, ast.Name):
                targets = reach.find_definitions(self._scopes, given)
            elif isinstance(given, ast.Attribute):
                targets = self._methods.get(given.attr, ())
            if given is node.func and not targets and self._may_be_object(given):
                targets = self._methods.get("__call__", ())
            for target in targets:
                if isinstance(target, ast.ClassDef):
                    for item in target.body:
                        if (
                            isinstance(item, ast.FunctionDef)
                            and item.name == "__init__"
                        ):
                            yield node, item
                elif isinstance(target, ast.FunctionDef):
                    yield node, target

    def _makes_object(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Call) and self._scopes.resolve(node.func) == CLASS

    def _calls_object(self, call: ast.Call) -> bool:
        """Whether a call is `bn(x)`, `bn.apply(x)` or `tf.layers.BatchNormalization()(x)`."""
        node = call.func
        if isinstance(node, ast.Attribute) and node.attr in ("apply", "call"):
            node = node.value
        return (
            self._makes_object(node) or (names.find_key(node) or "-") in self._objects
        )

    def _resolve_parameter(
        self,
        node: ast.expr,
        through: tuple[tuple[ast.Call, ast.FunctionDef], ...],
    ) -> ast.expr:
        """Returns the argument for a parameter, as `network_fn` in `network_fn(x)`."""
        for call, function in reversed(through):
            parameters = tuple(a.arg for a in function.args.args)
            bound = names.bind_arguments(call, parameters) or {}
            if isinstance(node, ast.Name) and node.id in bound:
                if self._scopes.find_scope(node).find_owner(node.id) is (
                    self._scopes.scope_by_node.get(function)
                ):
                    node = bound[node.id]
        return node

    def _may_be_object(self, node: ast.expr) -> bool:
        """Whether the callee, `net` or `self.net`, may be an object of the program."""
        if isinstance(node, ast.Attribute):
            return names.find_key(node.value) == "self"
        if not isinstance(node, ast.Name) or self._scopes.resolve(node) is not None:
            return False
        owner = self._scopes.find_scope(node).find_owner(node.id)
        bound = owner.bindings.get(node.id, []) if owner is not None else []
        return any(not isinstance(b, (ast.Import, ast.ImportFrom)) for b in bound)

    def _is_relevant(self, function: ast.FunctionDef) -> bool:
        if function not in self._relevant:
            self._relevant[function] = any(
                isinstance(node, ast.Call)
                and (
                    self._scopes.resolve(node.func) in self._layers
                    or self._calls_object(node)
                    or is_list(self._scopes, node)
                )
                for root in [function, *reach.find_reached(self._scopes, [function])]
                for node in walk_breadth_first(root)
            )
        return self._relevant[function]


def find_lost_object(scopes: Scopes) -> ast.Call | None:
    """Returns a layer object whose calls the tool does not find."""
    for node in scopes.walk():
        if isinstance(node, ast.Call) and scopes.resolve(node.func) == CLASS:
            parent = scopes.parents[node]
            held = isinstance(parent, ast.Assign) and all(
                names.find_key(target) is not None for target in parent.targets
            )
            at_once = isinstance(parent, (ast.Call, ast.Attribute)) and (
                getattr(parent, "func", None) is node or hasattr(parent, "attr")
            )
            if not (held or at_once):
                return node
    return None


def find_later(
    scopes: Scopes,
    events: list[Event],
    ask: Event,
    around: frozenset[ast.AST] = frozenset(),
) -> Event | None:
    """Returns a layer that is called after a list was read, so that the list lacks it.

    Args:
      events: all events, in order.
      around: blocks that contain the whole graph.
    """
    at = events.index(ask)
    loops = _find_loops(scopes, ask) - around
    for position, event in enumerate(events):
        if event.asks or are_exclusive(scopes, event.call, ask.call):
            continue
        # A loop leads from the list to the layer, and back.
        if position > at or loops & _find_loops(scopes, event):
            return event
    return None


def _find_loops(scopes: Scopes, event: Event) -> set[ast.AST]:
    found: set[ast.AST] = set()
    for start in [event.call, *(call for call, _ in event.through)]:
        node: ast.AST | None = start
        while node is not None and not isinstance(node, ast.FunctionDef):
            if isinstance(node, _LOOPS):
                found.add(node)
            node = scopes.parents.get(node)
    return found


def is_whole(scopes: Scopes, ask: ast.Call) -> bool:
    """Whether all users of a list are seen to wait for all its updates."""
    return not _Uses(scopes, True).are_lost(ask)


def is_filtered(scopes: Scopes, ask: ast.Call) -> bool:
    """Whether some code is seen to take only a part of a list."""
    return _Uses(scopes, False).are_lost(ask)


class _Uses:
    """Follows a list from `tf.get_collection` to the code that waits for it.

    Args:
      strict: whether the list counts as lost if the tool loses sight of it.
    """

    def __init__(self, scopes: Scopes, strict: bool) -> None:
        self._scopes, self._strict = scopes, strict
        self._seen: set[ast.AST] = set()

    def are_lost(self, node: ast.AST) -> bool:
        """Whether code takes a part of a value, or the tool loses sight of it."""
        if node in self._seen:
            return False
        self._seen.add(node)
        parent = self._scopes.parents[node]
        if isinstance(parent, (ast.Starred, ast.List, ast.Tuple)):
            return self.are_lost(parent)
        if isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Add):
            return self.are_lost(parent)
        if isinstance(parent, (ast.Expr, ast.UnaryOp, ast.Compare, ast.Assert)):
            return False
        if isinstance(parent, (ast.FormattedValue, ast.If)):
            return False
        if isinstance(parent, ast.IfExp):
            if parent.test is node:
                return False
            unclear = self._strict and not _is_of_mode(parent.test)
            return unclear or self.are_lost(parent)
        if isinstance(parent, (ast.Assign, ast.AugAssign, ast.AnnAssign)):
            targets = (
                parent.targets if isinstance(parent, ast.Assign) else [parent.target]
            )
            return any(self._is_name_lost(target, parent) for target in targets)
        if isinstance(parent, ast.keyword):
            return self._is_argument_lost(
                node, self._scopes.parents[parent], parent.arg
            )
        if isinstance(parent, ast.Call):
            return self._is_argument_lost(node, parent, None)
        if isinstance(parent, ast.Return):
            return self._is_return_lost(parent)
        if isinstance(parent, ast.comprehension):
            parent = self._scopes.parents[parent]
        if isinstance(parent, (ast.ListComp, ast.GeneratorExp, ast.SetComp)):
            chosen = any(generator.ifs for generator in parent.generators)
            return self._strict or chosen or self.are_lost(parent)
        if isinstance(parent, ast.For):
            chosen = any(isinstance(n, ast.If) for n in walk_breadth_first(parent))
            return self._strict or chosen
        if isinstance(parent, ast.Subscript):
            return parent.value is node
        if isinstance(parent, ast.Attribute) and parent.attr in _GROWS:
            return False
        return self._strict

    def _is_name_lost(self, target: ast.expr, statement: ast.stmt) -> bool:
        if isinstance(target, ast.Attribute):
            return any(
                self.are_lost(node)
                for node in self._scopes.walk()
                if isinstance(node, ast.Attribute)
                and node.attr == target.attr
                and isinstance(node.ctx, ast.Load)
            )
        if not isinstance(target, ast.Name):
            return self._strict
        owner = self._scopes.find_scope(target).find_owner(target.id)
        bound = owner.bindings.get(target.id, []) if owner is not None else []
        if self._strict and any(not self._keeps(b, statement) for b in bound):
            return True
        return any(
            self.are_lost(node)
            for node in self._scopes.walk()
            if isinstance(node, ast.Name)
            and node.id == target.id
            and isinstance(node.ctx, ast.Load)
            and self._scopes.find_scope(node).find_owner(node.id) is owner
        )

    def _keeps(self, other: ast.AST, statement: ast.stmt) -> bool:
        """Whether another binding of a name leaves the list's updates in it."""
        if other is statement or isinstance(other, ast.AugAssign):
            return True
        value = getattr(other, "value", None)
        if value is not None and any(
            is_list(self._scopes, node) for node in walk_breadth_first(value)
        ):
            return True
        # An empty list before it, in the same statements.
        return (
            isinstance(other, (ast.Assign, ast.AnnAssign))
            and other.lineno < statement.lineno
            and (
                self._scopes.parents[other] is self._scopes.parents[statement]
                or isinstance(statement, ast.AugAssign)
            )
        )

    def _is_argument_lost(
        self, node: ast.AST, call: ast.AST, keyword: str | None
    ) -> bool:
        if not isinstance(call, ast.Call) or call.func is node:
            return self._strict
        symbol = self._scopes.resolve(call.func) or ""
        method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        if symbol in _WAITS or method in _WAITING or keyword == "update_ops":
            return False
        function = names.find_key(call.func)
        if function == "filter":
            return True
        if function in _LOOKS or symbol.startswith("tf.logging."):
            return False
        if function in _LISTS:
            return self.are_lost(call)
        if method in _GROWS:
            assert isinstance(call.func, ast.Attribute)
            statement = self._scopes.parents[call]
            if isinstance(statement, ast.Expr):
                return self._is_grown_list_lost(call.func.value)
            return self._strict
        own = self._scopes.find_function(call.func)
        if own is None:
            return self._strict
        return self._is_parameter_lost(node, call, own)

    def _is_grown_list_lost(self, target: ast.expr) -> bool:
        """Whether a list is lost into which the program puts the updates."""
        if not isinstance(target, ast.Name):
            return self._strict
        owner = self._scopes.find_scope(target).find_owner(target.id)
        return any(
            self.are_lost(node)
            for node in self._scopes.walk()
            if isinstance(node, ast.Name)
            and node.id == target.id
            and isinstance(node.ctx, ast.Load)
            and self._scopes.find_scope(node).find_owner(node.id) is owner
        )

    def _is_parameter_lost(
        self, node: ast.AST, call: ast.Call, function: ast.FunctionDef
    ) -> bool:
        """Whether a list is lost that a call gives to one of the program's own functions."""
        parameters = tuple(a.arg for a in function.args.args)
        bound = names.bind_arguments(call, parameters) or {}
        given = [name for name, value in bound.items() if value is node]
        inside = [n for n in walk_breadth_first(function) if isinstance(n, ast.Name)]
        if not given or any(
            n.id in given and not isinstance(n.ctx, ast.Load) for n in inside
        ):
            return self._strict
        return any(self.are_lost(n) for n in inside if n.id in given)

    def _is_return_lost(self, statement: ast.Return) -> bool:
        function: ast.AST | None = statement
        while function is not None and not isinstance(function, ast.FunctionDef):
            function = self._scopes.parents.get(function)
        return any(
            self.are_lost(node)
            for node in self._scopes.walk()
            if isinstance(node, ast.Call)
            and self._scopes.find_function(node.func) is function
        )


def _is_of_mode(test: ast.expr) -> bool:
    return any(
        (isinstance(n, ast.Name) and n.id in _MODES)
        or (isinstance(n, ast.Attribute) and n.attr in _MODES)
        for n in walk_breadth_first(test)
    )
