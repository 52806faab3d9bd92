"""Run calls that give variables their values, and iterators their beginning."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Collection

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.facts.shared_streams import find_stream
from migrate.findings import Finding, Outcome
from migrate.frontends.runs.begun import Begin, Begins, Unclear
from migrate.frontends.runs.fed import Fed
from migrate.frontends.runs.fed_datasets import FedDatasets
from migrate.frontends.runs.loop import Loop
from migrate.frontends.runs.metric_resets import MetricResets
from migrate.frontends.sessions import plain as plain_sessions
from migrate.frontends.sessions.fetches import Leaf
from migrate.frontends.sessions.iterators import Iterators
from migrate.program import ir
from migrate.program.binding_time import Diagnostics, list_every_flow
from migrate.program.code import Code, join_code, make_code
from migrate.program.ir import Flow, Kind
from migrate.program.made_later import MadeLater
from migrate.source.nodes import walk_breadth_first
from migrate.tables import roles

_MIXED = "initialises variables"
_MIXED_RECIPE = "Initialise the variables in a run of its own."
_REPORTS = "asks which variables have no value yet"
_REPORTS_RECIPE = "Run tf.report_uninitialized_variables() in a run of its own."
_BEGINS = "begins an iterator"
_BEGINS_RECIPE = "Run the iterator's initializer in a run of its own."


class Initialisers:
    """Rewrites `sess.run(init)` and `sess.run(iterator.initializer)`.

    Attributes:
      calls: run calls that give variables their initial values.
    """

    def __init__(
        self,
        scopes: Scopes,
        diagnostics: Diagnostics,
        flows: list[Flow],
        inputs: Iterators,
        loop: Loop,
        datasets: FedDatasets,
        fed: Fed,
    ) -> None:
        self._scopes = scopes
        self._diagnostics = diagnostics
        self._flows = flows
        self._inputs = inputs
        self._loop = loop
        self._datasets = datasets
        self._fed = fed
        self.calls: list[ast.Call] = []
        self._metrics = MetricResets(scopes, flows)
        self._begins = Begins(scopes, flows, inputs)

    def rewrite_repeated_runs(self, runs: list[ir.Run]) -> list[ir.Run]:
        """Rewrites the runs that give variables their initial values again."""
        found: list[ir.Run] = []
        for run in runs:
            if run.call in self.calls:
                assert isinstance(run.call.func, ast.Attribute)
                given = names.find_argument(run.call, "fetches", 0)
                what = self._find_initialised(given) if given is not None else {""}
                if "some" in what:
                    self._diagnostics.refuse(
                        "S122",
                        run.call,
                        "the program initialises some of the variables after it "
                        "has run something",
                        "Assign the initial values to the variables.",
                    )
                if "all" in what:
                    new = make_code(run.call.func.value, ".initialize()")
                    also = self._metrics.write_resets(
                        [given] if given is not None else []
                    )
                    if also:
                        new = make_code("(", join_code(", ", [new, *also]), ")")
                    run = dataclasses.replace(run, replacement=new)
                # Otherwise there are no other local variables, and tables keep their values.
            found.append(run)
        return found

    def _find_initialised(self, node: ast.expr) -> set[str]:
        """Returns whether a run initialises "all" variables, "some", or "others"."""
        if isinstance(node, (ast.List, ast.Tuple)):
            return set().union(set(), *[self._find_initialised(e) for e in node.elts])
        if isinstance(node, ast.Call):
            symbol = self._scopes.resolve(node.func) or ""
            if symbol in roles.INITIALIZES_ALL:
                # In TF1 it initialised the variables made before it, and no later ones.
                late = MadeLater(self._scopes, self._flows).find(node)
                return {"all"} if late is None else {"some"}
            if symbol in roles.INITIALIZES_OTHERS:
                return {"others"}
            if isinstance(node.func, ast.Attribute) and (
                node.func.attr == "get_init_tokens_op"
            ):
                return {"others"}  # The tokens of synchronous workers.
            if symbol == "tf.group":
                return set().union(
                    set(), *[self._find_initialised(a) for a in node.args]
                )
            return {"some"}
        name = names.find_key(node)
        made = [
            flow.statement.value
            for flow in list_every_flow(self._flows)
            if isinstance(flow.statement, ast.Assign)
            and name is not None
            and name in names.find_binds(flow.statement)
        ]
        return self._find_initialised(made[-1]) if made else {"some"}

    def run(self, call: ast.Call, leaves: list[Leaf]) -> ir.Run | None:
        """The run of an initialiser; None, with a refusal, if it does more.

        `sess.run(iterator.initializer)` starts the iterator anew; others do nothing.
        """
        statement = self._loop.find_statement(call)
        replacement = make_code("None")
        if any(leaf.kind is not Kind.INITIALIZER_OP for leaf in leaves):
            self._diagnostics.refuse(
                "S104",
                call,
                *self._explain_mixed_run(leaves),
            )
            return None
        metrics = self._metrics.write_resets([leaf.node for leaf in leaves])
        if metrics:
            both = len(metrics) > 1
            replacement = make_code("(", join_code(", ", metrics), ")")
            replacement = replacement if both else metrics[0]
            if self._metrics.are_all_metrics([leaf.node for leaf in leaves]):
                return ir.Run(call, None, (), statement, None, replacement)
        if plain_sessions.is_plain(self._scopes, self._loop.session):
            if any(self._is_report(leaf.node) for leaf in leaves):
                replacement = make_code(f"{self._loop.name}.uninitialized_variables()")
                return ir.Run(call, None, (), statement, None, replacement)
            if not all(self._is_of_iterator(leaf.node) for leaf in leaves):
                self.calls.append(call)
                local = plain_sessions.is_local(self._scopes, self._loop.session)
                if not local or self._reports():
                    replacement = make_code(f"{self._loop.name}.initialize()")
                if local and self._reports():
                    self._check_some(call, leaves)
        elif not self._check_restored(call, leaves):
            return None
        alone = plain_sessions.is_plain(
            self._scopes, self._loop.session
        ) and plain_sessions.is_local(self._scopes, self._loop.session)
        if self._loop.repeats(statement) and not alone:
            if not all(
                self._is_of_iterator(leaf.node) or self._is_report(leaf.node)
                for leaf in leaves
            ):
                self._diagnostics.refuse(
                    "S122",
                    call,
                    "the loop initialises variables again",
                    "Assign the initial values to the variables.",
                )
        begun = self._find_begun(call, leaves)
        if begun is None:
            return None
        if begun:
            started = self._begin_iterators(call, begun)
            if started is None:
                return None
            replacement = started
        return ir.Run(
            call,
            None,
            (),
            statement,
            None,
            replacement,
            begins=tuple(begin.iterator for begin in begun),
        )

    def _explain_mixed_run(self, leaves: list[Leaf]) -> tuple[str, str]:
        """Explains why a run that does more than initialise is refused."""
        given = [leaf.node for leaf in leaves if leaf.kind is Kind.INITIALIZER_OP]
        reason, recipe = _MIXED, _MIXED_RECIPE
        if all(self._is_report(node) for node in given):
            reason, recipe = _REPORTS, _REPORTS_RECIPE
        elif all(self._is_iterators_initializer(node) for node in given):
            reason, recipe = _BEGINS, _BEGINS_RECIPE
        return f"one run {reason} and also does something else", recipe

    def _is_iterators_initializer(self, node: ast.expr) -> bool:
        """Whether it is known to begin iterators, and to do nothing else."""
        try:
            found = self._begins.find(node, set())
        except Unclear:
            return False
        return bool(found) and None not in found

    def _find_begun(self, call: ast.Call, leaves: list[Leaf]) -> list[Begin] | None:
        """The iterators that a run begins; None, with a refusal, if it is not known."""
        own = self._loop.find_own_names(call).union(
            *[names.find_binds(s) for s in self._loop.tail]
        )
        begun: dict[str, Begin] = {}
        try:
            for leaf in leaves:
                for begin in self._begins.find(leaf.node, own):
                    if begin is None:
                        continue
                    if begun.setdefault(begin.iterator, begin) != begin:
                        raise Unclear
            if begun and not (self._stands_alone(call) and self._may_bind(call, begun)):
                raise Unclear
        except Unclear:
            self._diagnostics.refuse(
                "I101",
                call,
                "the tool cannot tell which iterator this run initialises, and "
                "with which dataset",
                "Run the initializer by a name that is bound once, in the function "
                "that opens the session.",
            )
            return None
        return list(begun.values())

    def _begin_iterators(self, call: ast.Call, begun: list[Begin]) -> Code | None:
        """New code for a run that begins iterators; None, with a refusal."""
        feed = self._fed.read_feed(call)
        if feed is None:
            return None
        started = [self._start_iterator(call, begin, feed) for begin in begun]
        if None in started:
            return None
        iterators = ", ".join(begin.iterator for begin in begun)
        return make_code(iterators, " = ", join_code(", ", [s for s in started if s]))

    def _start_iterator(
        self, call: ast.Call, begin: Begin, feed: dict[str, ast.expr]
    ) -> Code | None:
        """A new iterator; None, with a refusal, if TF1's went on otherwise."""
        datasets: list[Code] = []
        for own in begin.datasets:
            stream = find_stream(self._scopes, own)
            if stream is not None and self._is_in_loop(call):
                self._diagnostics.refuse(
                    "I101",
                    call,
                    "the program starts the iterator again, and its generator goes "
                    f"on in `{stream}`. TensorFlow 2 takes one element too many "
                    "from it each time",
                    "Make `{stream}` inside the generator.",
                )
                return None
            dataset = self._datasets.write_dataset(call, own, feed)
            if dataset is None:
                return None
            datasets.append(dataset)
        if any(
            names.find_key(own) not in self._datasets.made for own in begin.datasets
        ):
            self._note_order(call)
        return make_code("iter(", begin.write_choice(datasets), ")")

    def _may_bind(self, call: ast.Call, begun: Collection[str]) -> bool:
        """Whether a run's function can bind the iterators' names: a nested one needs them."""
        later = self._inputs.find_given_later() & set(begun)
        driver = self._loop.driver
        return (
            not later
            or isinstance(driver, ast.Module)
            or not self._loop.find_own_names(call)
        )

    def _stands_alone(self, call: ast.Call) -> bool:
        """Whether a run is a statement, which can become another one."""
        statement = self._loop.find_statement(call)
        return isinstance(statement, ast.Expr) and statement.value is call

    def _is_in_loop(self, call: ast.Call) -> bool:
        """Whether a run stands in a loop."""
        node: ast.AST = call
        while node in self._scopes.parents:
            node = self._scopes.parents[node]
            if isinstance(node, (ast.For, ast.While)):
                return True
        return False

    def _reports(self) -> bool:
        """Whether the program asks which variables have no value yet."""
        return any(symbol in roles.REPORTS for _, symbol in self._scopes.walk_uses())

    def _check_some(self, call: ast.Call, leaves: list[Leaf]) -> None:
        what = set().union(*[self._find_initialised(leaf.node) for leaf in leaves])
        if "all" not in what and what != {"others"}:
            self._diagnostics.refuse(
                "S122",
                call,
                "the program initialises some of the variables, and then asks "
                "which ones are left",
                "Initialise all variables: tf.global_variables_initializer().",
            )

    def _check_restored(self, call: ast.Call, leaves: list[Leaf]) -> bool:
        """Whether the tool may drop this run, as the session itself initialises.

        TF1 gave the variables their initial values again, also those that the session had
        restored, and what other workers had trained.
        """
        what = set().union(*[self._find_initialised(leaf.node) for leaf in leaves])
        if not what & {"all", "some"} or all(
            self._is_of_iterator(leaf.node) or self._is_report(leaf.node)
            for leaf in leaves
        ):
            return True
        directory = names.find_argument(self._loop.session, "checkpoint_dir", 2)
        if directory is not None and names.read_literal(directory) is not None:
            directory = directory if names.read_literal(directory) else None
        restores_nothing = directory is None or (
            isinstance(directory, ast.Constant) and directory.value is None
        )
        if restores_nothing and not self._loop.is_in_another(call):
            self._diagnostics.findings.append(
                Finding(
                    call.lineno,
                    call.col_offset + 1,
                    "D112",
                    Outcome.REWRITTEN,
                    "",
                    "dropped: the session gives the variables their initial values; in "
                    "TF1 a worker that began gave them anew, and undid what the others "
                    "had trained",
                )
            )
            return True
        self._diagnostics.refuse(
            "D112",
            call,
            "in TensorFlow 1 this run gave all variables their initial values "
            "again. It undid what the session had restored from its checkpoint, "
            "and what other workers had trained",
            "Remove this run. The session initialises the variables.",
        )
        return False

    def _is_of_iterator(self, node: ast.expr) -> bool:
        """Whether it begins iterators, and is of nothing else: `iterator.initializer`."""
        try:
            return None not in self._begins.find(node, set())
        except Unclear:
            return True

    def _is_report(self, node: ast.expr) -> bool:
        """Whether it names the variables that have no value yet."""
        if isinstance(node, ast.Call):
            return self._scopes.resolve(node.func) in roles.REPORTS
        name = names.find_key(node)
        return name is not None and any(
            name in names.find_binds(flow.statement)
            and isinstance(flow.statement, ast.Assign)
            and self._is_report(flow.statement.value)
            for flow in list_every_flow(self._flows)
            if isinstance(getattr(flow.statement, "value", None), ast.Call)
        )

    def _note_order(self, call: ast.Call) -> None:
        """Says that a seeded shuffle, begun anew, has another order from then on."""
        seeded = any(
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "shuffle"
            and (len(node.args) > 1 or any(k.arg == "seed" for k in node.keywords))
            and names.read_literal(
                names.find_argument(node, "reshuffle_each_iteration", 2)
            )
            is not False
            for node in walk_breadth_first(self._scopes.tree)
        )
        if seeded:
            self._diagnostics.findings.append(
                Finding(
                    call.lineno,
                    call.col_offset + 1,
                    "I112",
                    Outcome.WARNED,
                    "",
                    "the first pass has the order that the seed gave in TF1, which began "
                    "the same order again in every pass; in TF2 each pass has its own",
                    "To get the same order in every pass, write "
                    "reshuffle_each_iteration=False in the call of shuffle.",
                )
            )
