"""`session.run(fetches, feed_dict)`: each call becomes a step function and its arguments."""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.helpers import Helper
from migrate.facts.scopes import Scopes
from migrate.frontends.own_hooks import Graph
from migrate.frontends.own_hooks import recognise as own_hooks
from migrate.frontends.runs import left_over
from migrate.frontends.runs.asked import Asked
from migrate.frontends.runs.beside import Beside
from migrate.frontends.runs.fed import Fed
from migrate.frontends.runs.fed_datasets import FedDatasets
from migrate.frontends.runs.fed_inside import FedInside
from migrate.frontends.runs.fetched import Fetched
from migrate.frontends.runs.given import Given
from migrate.frontends.runs.handles import Handles
from migrate.frontends.runs.initialisers import Initialisers
from migrate.frontends.runs.loop import Loop
from migrate.frontends.runs.needed_updates import NeededUpdates
from migrate.frontends.runs.steps import Steps
from migrate.frontends.runs.unseen import explain_no_run
from migrate.frontends.sessions import plain as plain_sessions
from migrate.frontends.sessions.averages_moved import AveragesMoved
from migrate.frontends.sessions.displays import Displays
from migrate.frontends.sessions.fetches import Leaf
from migrate.frontends.sessions.hooks import SessionHooks
from migrate.frontends.sessions.iterators import Iterators
from migrate.frontends.sessions.metric_checks import MetricChecks
from migrate.frontends.sessions.moved_state import MovedState
from migrate.frontends.sessions.step_checks import StepChecks
from migrate.frontends.sessions.variable_buffers import VariableBuffers
from migrate.program import ir
from migrate.program.binding_time import Analysis, Diagnostics, list_every_flow
from migrate.program.code import Code, make_code
from migrate.program.ir import Flow, Kind
from migrate.program.own_hooks import OwnHooks
from migrate.program.slices import Slice, Slicer
from migrate.source.nodes import walk_breadth_first
from migrate.tables import roles


class RunResolver:
    """Finds every run call in the session's body and makes the step functions."""

    def __init__(
        self,
        scopes: Scopes,
        diagnostics: Diagnostics,
        analysis: Analysis,
        flows: list[Flow],
        session: ast.Call,
        session_name: str,
        tail: list[ast.stmt],
        others: tuple[ast.Call, ...] = (),
        helpers: tuple[Helper, ...] = (),
    ) -> None:
        self.scopes = scopes
        self.diagnostics = diagnostics
        self.analysis = analysis
        self.flows = flows
        self.loop = Loop(scopes, session, session_name, tail, others, helpers)
        self.initialises_again = False
        self.slicer = Slicer(flows, self._is_merge)
        self.runs: list[ir.Run] = []
        self.scaffold_summaries = False
        self.displays = Displays(scopes, analysis, flows, self.loop.tail)
        self.inputs = Iterators(scopes, diagnostics, analysis, flows)
        self.hooks = SessionHooks(
            scopes, diagnostics, self.displays, flows, tail, self.loop.driver
        )
        # Whether workers may keep pace.
        self.synchronous = False
        self.own = OwnHooks()
        self._tail = tail
        self.checks = StepChecks(scopes, diagnostics, analysis, flows)
        self.needed = NeededUpdates(scopes, diagnostics, analysis, flows)
        self.buffers = VariableBuffers(scopes, diagnostics, analysis, flows)
        self.averages = AveragesMoved(scopes, diagnostics, analysis, flows)
        self.moved = MovedState(scopes, diagnostics, analysis)
        self.metrics = MetricChecks(diagnostics, analysis, flows)
        self.fetched = Fetched(scopes, diagnostics, analysis, self.loop)
        self.fed = Fed(
            scopes,
            diagnostics,
            analysis,
            self.displays,
            self.inputs,
            self.loop,
            Given(scopes, analysis, flows),
        )
        self.inside = FedInside(diagnostics, analysis, self.slicer, self.inputs)
        self.steps = Steps(analysis, self.loop)
        self.beside = Beside(scopes, diagnostics, self.loop)
        self.fed_datasets = FedDatasets(diagnostics, analysis, flows)
        self.handles = Handles(scopes, diagnostics, flows, self.inputs, self.loop)
        self.initialisers = Initialisers(
            scopes,
            diagnostics,
            flows,
            self.inputs,
            self.loop,
            self.fed_datasets,
            self.fed,
        )

    def run(self) -> None:
        self.inputs.find()
        self.hooks.find()
        self.own = own_hooks(self._build_graph(), self.diagnostics, self.loop.session)
        self.asked = Asked(
            self.diagnostics, self.analysis, self.slicer, self.inputs, self.own
        )
        self.scaffold_summaries = self._writes_summaries()
        self.averages.check_lists()
        found = self.loop.list_calls()
        if plain_sessions.is_plain(self.scopes, self.loop.session):
            found.sort(key=lambda node: (node.lineno, node.col_offset))
        for node in self.handles.find(found):
            self._resolve(node)
        self.handles.check()
        self.displays.consumed |= self.handles.list_statements()
        if not found:
            reason, recipe = explain_no_run(self.scopes, self.loop.session_names)
            self.diagnostics.refuse("S120", self.loop.session, reason, recipe)
        left_over.check(
            self.scopes,
            self.diagnostics,
            self.analysis,
            self.displays,
            self.loop,
            self.runs,
            self.flows,
            [*self.hooks.edits, *self.own.edits],
        )

    def _build_graph(self) -> Graph:
        return Graph(
            self.scopes,
            self.analysis,
            self.displays,
            self.flows,
            self._tail,
            self.loop.driver,
            self.synchronous,
        )

    def initialise(self, again: bool) -> None:
        """Decides what is left of runs that give the variables their initial values.

        Args:
          again: whether one does so a second time.
        """
        self.initialises_again = again
        if again:
            self.runs = self.initialisers.rewrite_repeated_runs(self.runs)

    def _writes_summaries(self) -> bool:
        """Whether the session writes summaries by itself."""
        if plain_sessions.is_plain(self.scopes, self.loop.session):
            # It writes none; steps that have them too are alike, and share what they
            # compute. A summary of a metric's update would count a batch.
            if self.metrics.streamed:
                return False
        off = {"save_summaries_steps", "save_summaries_secs"}
        keywords = self.loop.session.keywords
        given = {k.arg: k.value for k in keywords if k.arg in off}
        disabled = bool(given) and all(
            not names.read_literal(v) for v in given.values()
        )
        return not disabled and any(
            f.kind is Kind.SUMMARY for f in list_every_flow(self.flows)
        )

    def _is_merge(self, node: ast.AST) -> bool:
        return any(
            isinstance(n, ast.Call)
            and (
                self.scopes.resolve(n.func) == "tf.summary.merge_all"
                or names.find_key(n.func) in roles.MERGES_TOWERS
            )
            for n in walk_breadth_first(node)
        )

    def _resolve(self, call: ast.Call) -> None:
        assert isinstance(call.func, ast.Attribute)
        fetches = names.find_argument(call, "fetches", 0)
        if fetches is None or call.func.attr != "run":
            self.diagnostics.refuse(
                "S104",
                call,
                "the tool cannot tell what this run call fetches",
                "Name the fetches in the call: sess.run([loss, train], {x: batch}).",
            )
            return
        for place, unsupported in enumerate(("options", "run_metadata"), 2):
            given = names.find_argument(call, unsupported, place)
            if given is not None and not names.is_none_constant(given):
                self.diagnostics.refuse(
                    "S108",
                    call,
                    f"run({unsupported}=...) traces a graph session",
                    "Use tf.profiler.experimental around the step.",
                )
                return
        changed = names.find_key(fetches)
        if changed is not None and self.displays.changes(changed):
            self.diagnostics.refuse(
                "S104",
                call,
                f"the program changes `{changed}`, which is fetched, after it is "
                "written out",
                "Write the fetches out in one list or dict.",
            )
            return
        fetches = self.displays.find_display(fetches)
        structure, keys, leaves = self.fetched.read_leaves(fetches)
        for leaf in [inner for outer in leaves for inner in outer.walk_leaves()]:
            if not self.fetched.has_known_values(leaf.node):
                self.diagnostics.refuse(
                    "S104",
                    call,
                    "the run call itself puts together what it fetches: "
                    f"`{ast.unparse(leaf.node)}`",
                    "Write the fetches out in one list or dict.",
                )
                return
        if any(leaf.kind is Kind.INITIALIZER_OP for leaf in leaves):
            run = self.initialisers.run(call, leaves)
            self.runs.extend([run] if run is not None else [])
            return
        # Hooks of the program's own are called around every run, and may count them.
        counted = self.own.made and not plain_sessions.is_plain(
            self.scopes, self.loop.session
        )
        value = None if counted else self._write_plain_value(call, structure, leaves)
        if value is not None:
            statement = self.loop.find_statement(call)
            self.runs.append(ir.Run(call, None, (), statement, None, value))
            return
        self._make_step(call, structure, keys, leaves)

    def _write_plain_value(
        self, call: ast.Call, structure: str, leaves: list[Leaf]
    ) -> Code | None:
        """Writes a run that only reads variables without a step function."""
        node = leaves[0].node if structure == "single" else None
        if (
            node is not None
            and leaves[0].kind is Kind.VARIABLE
            and names.find_key(node) is not None
        ):
            self.fed.check_computed(
                self.fed.read_feed(call) or {},
                "this run only reads a variable, so the migrated program would not "
                "compute the values that are fed",
            )
            if names.find_key(node) in self.analysis.singles:
                return make_code(node, ".numpy()")
            return make_code("training_session.values(", node, ")")
        listed = self.fetched.write_listed_value(structure, leaves)
        return listed if listed is not None and self.fed.read_feed(call) == {} else None

    def _find_others_statements(
        self, part: Slice, feed: dict[str, ast.expr]
    ) -> frozenset[Flow]:
        """Finds statements that collect values of placeholders this run does not feed.

        TF1 could not have computed these values, so the run needs none of them.
        """
        unfed = {
            name
            for name, placeholder in self.analysis.placeholders.items()
            if name in part.needed and name not in feed and placeholder.default is None
        }
        found: set[Flow] = set()
        for flow in list_every_flow(self.flows) if unfed else ():
            if not flow.suites and flow.reads & unfed:
                unfed |= {n for n in flow.binds if not ir.is_of_graph(n)}
                if flow.repeats:
                    found.add(flow)
        return frozenset(found)

    def _make_step(
        self, call: ast.Call, structure: str, keys: list[Code], leaves: list[Leaf]
    ) -> None:
        """The step function of a run call, with its arguments."""
        wanted = self.fetched.reads(call, leaves)
        if wanted is None:
            return
        if self.analysis.graph.used and any(
            self.analysis.graph.asks(leaf.node) for leaf in leaves
        ):
            wanted.add(ir.COLLECTED)
        summaries = any(self._is_merge(leaf.node) for leaf in leaves)
        plain = self.slicer.slice_flows(wanted, summaries)
        observed: dict[str, ast.expr] = {}
        if plain.trains:
            observed = dict(self.hooks.observed)
            for item in observed.values():
                wanted |= names.find_reads(item)
            merged = any(self._is_merge(item) for item in observed.values())
            summaries = summaries or self.scaffold_summaries or merged
        feed = self.fed.read_feed(call)
        if feed is None:
            return
        by_hooks = self.asked.find_feeds(call, feed)
        feed = {**feed, **by_hooks}
        tensors = frozenset(feed) - set(self.analysis.placeholders)
        tensors -= set(self.inputs.elements)
        asks = self.asked.find_asks(call, wanted, summaries, frozenset(feed), tensors)
        for ask in asks:
            for key, tensor in ask.tensors.items():
                if key not in observed or self.hooks.observe(key, tensor, tensor):
                    observed[key] = tensor
            wanted |= ask.reads
            summaries = summaries or ask.summaries
        part = self.slicer.slice_flows(wanted, summaries, given=tensors)
        if ir.COLLECTED in part.needed:
            part = self.slicer.slice_flows(
                wanted, summaries, self._find_others_statements(part, feed), tensors
            )
        given = self.fed.find_given_names(part.needed, feed)
        feeds = self.fed.list_arguments(
            call,
            part.needed,
            feed,
            [f for f in list_every_flow(self.flows) if f in part.flows],
        )
        drawn = part.needed - set(given)
        element = self.fed.replace_element(call, drawn, feed)
        sources = self._find_sources(drawn)
        self.handles.note_handles(feed)
        origin: str | None = ""
        if not self._draws_once(call, drawn, bool(element)):
            return
        if sources and sources[0] in self.inputs.handles and not element:
            origin = self.handles.find_source(call, sources[0], feed)
        if (
            origin is None
            or feeds is None
            or element is None
            or not self.inside.check(call, part, given)
        ):
            return
        if not self._may_run(call, leaves, plain, part, feed, drawn):
            return
        statement = self.loop.find_statement(call)
        droppable = self.steps.is_droppable(statement, call, leaves, structure)
        shape, fetches = _find_shape(structure, leaves, droppable)
        step = ir.StepFunction(
            "",
            tuple(feeds),
            sources,
            fetches,
            shape,
            tuple(keys),
            [f for f in list_every_flow(self.flows) if f in part.flows],
            part.trains,
            observed,
            given,
            any(ask.step for ask in asks),
        )
        self.runs.append(
            ir.Run(
                call,
                self.steps.share_step(step, leaves),
                tuple(
                    make_code(f'training_session.Fed("{name}")')
                    if name in by_hooks
                    else make_code(feed[name])
                    for name in (*feeds, *given)
                ),
                statement,
                self.steps.write_targets(statement, call, leaves, structure),
                element=tuple(element),
                source=origin,
            )
        )

    def _may_run(
        self,
        call: ast.Call,
        leaves: list[Leaf],
        plain: Slice,
        part: Slice,
        feed: dict[str, ast.expr],
        drawn: frozenset[str],
    ) -> bool:
        """Whether a step function may do what the run did; else a refusal.

        Args:
          plain: what is fetched needs.
          part: that, with what hooks and summaries need.
          drawn: of that, names that are not fed.
        """
        self.checks.check_assigned(part)
        self.checks.check_initialisers(part)
        self.checks.check_rates(part)
        fetched = [inner.node for leaf in leaves for inner in leaf.walk_leaves()]
        self.needed.check(part, fetched)
        computed = self.checks.list_assigned(part)
        self.buffers.check(self.loop.session, computed, fetched)
        self.moved.check(self.loop.session, [flow for flow, _ in computed], fetched)
        whole = {name for leaf in leaves if (name := names.find_key(leaf.node))}
        self.metrics.check(call, part, plain, whole)
        self.averages.check(call, part, feed)
        if not self.beside.holds(call):
            return True
        changes, draws = (
            self.checks.changes(part, call),
            bool(self._find_sources(drawn)),
        )
        return self.beside.check(call, changes, draws, self.synchronous)

    def _find_sources(self, needed: frozenset[str]) -> tuple[str, ...]:
        """The iterators that a step draws from, in the order of the program."""
        every = self.inputs.elements.items()
        return tuple(dict.fromkeys(source for n, (source, _) in every if n in needed))

    def _draws_once(
        self, call: ast.Call, needed: frozenset[str], replaced: bool
    ) -> bool:
        """Whether a step draws one element of each of its iterators; else a refusal.

        Args:
          replaced: whether the run feeds parts of an element.
        """
        elements = self.inputs.elements
        sources = self._find_sources(needed)
        taken = {elements[n][1] for n in needed if n in elements}
        chosen = replaced or any(s in self.inputs.handles for s in sources)
        several = len(sources) > 1 and chosen
        if not several and len(taken) <= len(sources) and self._are_first(taken):
            return True
        self.diagnostics.refuse(
            "I101",
            call,
            "one step takes elements from several iterators, and the run feeds one of "
            "them or chooses its dataset"
            if several
            else "one step takes several elements from one iterator"
            if len(taken) > len(sources)
            else "the program takes elements of one iterator by several names",
            "Zip the datasets. Or take one element, and use its parts.",
        )
        return False

    def _are_first(self, taken: set[Flow]) -> bool:
        """Whether statements take an iterator's elements by the first names it has.

        A step is given them by these names.
        """
        firsts: dict[str, Flow] = {}
        for iterator, flow in self.inputs.elements.values():
            firsts.setdefault(iterator, flow)
        return taken <= set(firsts.values())


def _find_shape(
    structure: str, leaves: list[Leaf], droppable: bool
) -> tuple[str, tuple[Code, ...]]:
    """The structure of what a step function gives, and its values.

    Args:
      droppable: whether values that nothing reads may be left out.
    """
    values = [leaf for leaf in leaves if leaf.has_value]
    if structure == "single" and not values:
        return "none", ()
    fetches = tuple(leaf.value for leaf in (values if droppable else leaves))
    if structure in ("tuple", "list") and droppable:
        structure = "none" if not values else "single" if len(values) == 1 else "tuple"
    return structure, fetches
