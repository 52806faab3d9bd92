"""Checks that a run moves the same averages of batch normalisation as in TF1.

A step function moves those of every layer that it calls to train. A run of TF1 moved those
whose updates it depended on, by a list of UPDATE_OPS: the same ones only where the list
has every layer that the run calls to train, and no other.
"""

from __future__ import annotations

import ast

from migrate.facts import collected_updates, names
from migrate.facts.collected_updates import Event, Events
from migrate.facts.one_of import are_exclusive
from migrate.facts.scopes import Scopes
from migrate.frontends.sessions.moved_state import has_servers
from migrate.program.binding_time import Analysis, Diagnostics, list_every_flow
from migrate.program.functions import list_parameter_names
from migrate.program.ir import Flow
from migrate.program.slices import Slice
from migrate.source.nodes import walk_breadth_first
from migrate.tables import estimator as table

_CODE = "L123"
_RECIPE = (
    "Make every training operation under tf.control_dependencies of the whole "
    "tf.get_collection(tf.GraphKeys.UPDATE_OPS), and ask for the collection after "
    "the last layer."
)


class AveragesMoved:
    """Compares what runs moved in TF1 with what their step functions move."""

    def __init__(
        self,
        scopes: Scopes,
        diagnostics: Diagnostics,
        analysis: Analysis,
        flows: list[Flow],
    ) -> None:
        self._scopes, self._diagnostics = scopes, diagnostics
        self._analysis = analysis
        # Every layer and list of the graph, in order, and the flows they stand in.
        self._events: list[Event] = []
        self._flows: dict[Event, Flow] = {}
        # Blocks that have the whole graph in them, as a loop over experiments.
        self._around = frozenset(
            self._find_nodes_above(flows[0].statement) if flows else ()
        )
        walker = Events(scopes, collected_updates.KERAS)
        if not any(
            symbol in table.BATCH_NORMALIZATION for _, symbol in scopes.walk_uses()
        ):
            return
        for flow in list_every_flow(flows):
            for node in _list_own_parts(flow):
                for event in walker.list_events(node):
                    self._events.append(event)
                    self._flows[event] = flow

    def check_lists(self) -> None:
        """Refuses lists of only a part of the updates, if layers normalise."""
        normalises = any(
            symbol in table.BATCH_NORMALIZATION
            for _, symbol in self._scopes.walk_uses()
        )
        lost = collected_updates.find_lost_object(self._scopes) if normalises else None
        if lost is not None:
            self._diagnostics.refuse(
                _CODE,
                lost,
                "the tool cannot tell where the program calls this layer, and "
                "whether those runs also run its updates",
                "Keep the layer in a variable of its own: bn = "
                "tf.layers.BatchNormalization().",
                collected_updates.CLASS,
            )
        for node in self._scopes.walk() if normalises else ():
            if not collected_updates.is_list(self._scopes, node):
                continue
            assert isinstance(node, ast.Call)
            reason = ""
            if collected_updates.is_scoped(node) and not self._analysis.updated_by:
                reason = (
                    "the program runs only the updates of one scope. TensorFlow 1 "
                    "moved the averages of its layers alone, but Keras would move "
                    "all"
                )
            elif not collected_updates.is_whole(self._scopes, node):
                reason = (
                    "the tool cannot tell whether the program runs all of "
                    "UPDATE_OPS. TensorFlow 1 did not move the averages of layers "
                    "whose updates are left out, but Keras would"
                )
            if reason:
                self._diagnostics.refuse(
                    _CODE, node, reason, _RECIPE, "tf.get_collection"
                )

    def check(self, call: ast.Call, part: Slice, feed: dict[str, ast.expr]) -> None:
        """Refuses a run whose step function would move other averages than TF1 did."""
        trained = [e for e in self._events if not e.asks and self._may_train(e, feed)]
        called = [e for e in trained if self._flows[e] in part.flows]
        lists = self._find_lists(call, part)
        if called and not lists:
            self._refuse(
                call,
                "this run normalises as in training, but it does not run "
                "UPDATE_OPS. TensorFlow 1 did not move the averages, but Keras "
                "would",
                "Fetch the training operation in the same run, or feed False."
                if not part.trains
                else _RECIPE,
            )
        elif called and not any(self._precede(called, ask) for ask in lists):
            self._refuse(
                call,
                "the program asks for this run's UPDATE_OPS before it makes a "
                "layer that normalises. TensorFlow 1 did not move that layer's "
                "averages, but Keras would",
                _RECIPE,
            )
        elif lists and any(
            self._precede([e], ask) for e in trained if e not in called for ask in lists
        ):
            self._refuse(
                call,
                "this run's UPDATE_OPS contain updates of layers that the run does "
                "not need. TensorFlow 1 computed these layers to move their "
                "averages, but the step function would not",
                "Build what you do not train with training=False. Train everything "
                "that needs the same updates in one run.",
            )
        elif called and has_servers(self._scopes):
            self._check_read(call, part, called)

    def _check_read(self, call: ast.Call, part: Slice, called: list[Event]) -> None:
        """Refuses a run that moves averages, and then normalises by them.

        A server of TF1 sent them before they were moved (12 of 12 steps, TF 1.15.5).
        """
        for at, event in enumerate(self._events):
            if event.asks or event in called or self._flows[event] not in part.flows:
                continue
            if any(
                self._may_be_one(event, e) for e in self._events[:at] if e in called
            ):
                self._refuse(
                    call,
                    "this run moves the averages of a layer and then normalises by them. "
                    "A server of TensorFlow 1 gave the averages from before the run. The "
                    "step function would use those after it",
                    "Fetch what the layer computes with training=False in a run of its "
                    "own.",
                )
                return

    def _may_be_one(self, event: Event, other: Event) -> bool:
        """Whether two calls may be of one layer."""
        if event.call is other.call:
            return _list_texts(event) == _list_texts(other)
        if self._scopes.resolve(event.call.func) not in collected_updates.KERAS:
            return ast.dump(event.call.func) == ast.dump(other.call.func)
        named = [names.find_argument(e.call, "name") for e in (event, other)]
        texts = [names.read_literal(name) for name in named]
        return isinstance(texts[0], str) and texts[0] == texts[1]

    def _refuse(self, call: ast.Call, reason: str, recipe: str) -> None:
        self._diagnostics.refuse(_CODE, call, reason, recipe)

    def _precede(self, layers: list[Event], ask: Event) -> bool:
        """Whether a list has the updates of all of these layers."""
        if ask not in self._flows:
            return True  # Asked for in the run.
        if self._analysis.updated_by:
            return True  # Of towers, whose loop is gone.
        events = [e for e in self._events if e is ask or e in layers]
        later = collected_updates.find_later(self._scopes, events, ask, self._around)
        return later is None

    def _find_lists(self, call: ast.Call, part: Slice) -> list[Event]:
        """Finds the lists on which every call of a run depends."""
        found = [
            e
            for e in self._events
            if e.asks
            and self._flows[e] in part.flows
            and self._waits(self._flows[e], part)
            and not self._may_be_passed(e, part)
        ]
        found += [
            Event(node, True)
            for node in walk_breadth_first(call)
            if isinstance(node, ast.Call)
            and collected_updates.is_list(self._scopes, node)
        ]
        return found

    def _waits(self, flow: Flow, part: Slice) -> bool:
        """Whether a block behind a list makes an operation that the run needs."""
        if not flow.suites:
            return True
        return any(
            inner in part.flows
            and not inner.suites
            and (
                inner.update is not None
                or any(
                    isinstance(node, ast.Call)
                    for node in walk_breadth_first(inner.statement)
                )
            )
            for inner in list_every_flow([flow])[1:]
        )

    def _may_be_passed(self, ask: Event, part: Slice) -> bool:
        """Whether an update of the run may be made without the list."""
        around: list[tuple[ast.AST, ast.AST]] = []
        node: ast.AST = self._flows[ask].statement
        while node in self._scopes.parents and not isinstance(node, ast.FunctionDef):
            parent = self._scopes.parents[node]
            if isinstance(parent, (ast.If, ast.For, ast.While, ast.Try)):
                around.append((parent, node))
            node = parent
        updates = [f for f in part.flows if f.update is not None]
        return any(
            are_exclusive(self._scopes, f.statement, self._flows[ask].statement)
            or branch not in self._find_nodes_above(f.statement)
            for branch, _ in around
            for f in updates
        )

    def _find_nodes_above(self, node: ast.AST) -> set[ast.AST]:
        found: set[ast.AST] = set()
        while node in self._scopes.parents:
            node = self._scopes.parents[node]
            found.add(node)
        return found

    def _may_train(self, event: Event, feed: dict[str, ast.expr]) -> bool:
        training = collected_updates.find_training(self._scopes, event.call)
        if training is None:
            return any(k.arg is None for k in event.call.keywords)
        return self._find_truth(training, event.through, feed) is not False

    def _find_truth(
        self,
        node: ast.expr,
        through: tuple[tuple[ast.Call, ast.FunctionDef], ...],
        feed: dict[str, ast.expr],
    ) -> bool | None:
        """Returns whether an argument is true in a run; None if it is not known."""
        value = names.read_literal(node)
        if value is not None:
            return bool(value)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            inner = self._find_truth(node.operand, through, feed)
            return None if inner is None else not inner
        if isinstance(node, ast.Call) and node.args:
            if self._scopes.resolve(node.func) in ("tf.cast", "tf.identity"):
                return self._find_truth(node.args[0], through, feed)
        if not isinstance(node, (ast.Name, ast.Attribute)):
            return None
        if isinstance(node, ast.Name):
            given = self._find_argument(node, through)
            if given is not None:
                return self._find_truth(given[0], given[1], feed)
        name = self._find_placeholder(node)
        if name in feed:
            fed = names.read_literal(feed[name])
            return None if fed is None else bool(fed)
        if name in self._analysis.placeholders:
            default = self._analysis.placeholders[name].default
            fed = names.read_literal(default) if default is not None else None
            return None if fed is None else bool(fed)
        if isinstance(node, ast.Name):
            owner = self._scopes.find_scope(node).find_owner(node.id)
            bound = owner.bindings.get(node.id, []) if owner is not None else []
            if len(bound) == 1 and isinstance(bound[0], ast.Assign):
                made = bound[0].value
                if isinstance(bound[0].targets[0], ast.Name) and (
                    node.id not in names.find_reads(made)
                ):
                    return self._find_truth(made, through, feed)
        return None

    def _find_placeholder(self, node: ast.expr) -> str:
        """The key of the placeholder that a name, or an object's attribute, may be."""
        name = names.find_key(node) or ""
        if name in self._analysis.placeholders or not isinstance(node, ast.Attribute):
            return name
        alike = [
            key
            for key in self._analysis.placeholders
            if key.rpartition(".")[2] == node.attr
        ]
        return alike[0] if len(alike) == 1 else name

    def _find_argument(
        self,
        node: ast.Name,
        through: tuple[tuple[ast.Call, ast.FunctionDef], ...],
    ) -> tuple[ast.expr, tuple[tuple[ast.Call, ast.FunctionDef], ...]] | None:
        """Returns the argument for a function's parameter, and the calls it passed."""
        owner = self._scopes.find_scope(node).find_owner(node.id)
        for at, (call, function) in enumerate(through):
            parameters = list_parameter_names(function)
            if owner is None or owner.node is not function:
                continue
            if node.id not in parameters or len(owner.bindings.get(node.id, [])) != 1:
                return None
            if parameters[:1] == ["self"]:
                parameters = parameters[1:]
            bound = names.bind_arguments(call, tuple(parameters))
            if bound is None:
                return None
            value = bound.get(node.id) or _find_default(function, node.id)
            return None if value is None else (value, through[:at])
        return None


def _list_texts(event: Event) -> list[str]:
    """Lists the strings in the calls that lead to a layer, such as a scope's name."""
    return [
        node.value
        for call, _ in event.through
        for node in walk_breadth_first(call)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]


def _list_own_parts(flow: Flow) -> list[ast.AST]:
    """Yields a statement, or the expressions in a block's header."""
    statement = flow.statement
    if not flow.suites:
        return [statement]
    if isinstance(statement, (ast.With, ast.AsyncWith)):
        return [item.context_expr for item in statement.items]
    header = getattr(statement, "test", None) or getattr(statement, "iter", None)
    return [header] if header is not None else []


def _find_default(function: ast.FunctionDef, name: str) -> ast.expr | None:
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    pairs: list[tuple[ast.arg, ast.expr | None]] = []
    if arguments.defaults:
        pairs += zip(positional[-len(arguments.defaults) :], arguments.defaults)
    pairs += zip(arguments.kwonlyargs, arguments.kw_defaults)
    return next((value for arg, value in pairs if arg.arg == name), None)
