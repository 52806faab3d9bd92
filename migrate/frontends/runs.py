"""`session.run(fetches, feed_dict)`: each call becomes a step function and its arguments."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator

from migrate.facts import names, reach
from migrate.facts.effects import has_effect
from migrate.facts.helpers import Helper
from migrate.facts.scopes import Scopes
from migrate.findings import Finding, Outcome
from migrate.frontends import plain_sessions
from migrate.frontends.displays import Displays
from migrate.frontends.fetches import Leaf, spread
from migrate.frontends.iterators import Iterators
from migrate.frontends.session_hooks import SessionHooks
from migrate.frontends.step_checks import StepChecks
from migrate.program import ir
from migrate.program.binding_time import Analysis, Diagnostics, every
from migrate.program.ir import Code, Flow, Kind, code
from migrate.program.slices import Slice, Slicer
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
        self.session = session
        self.session_name = session_name
        more = [plain_sessions.name_of(scopes, call) for call in others]
        self.session_names = frozenset([session_name, *[n for n in more if n]])
        self.driver = next(
            node
            for node in self._above(session)
            if isinstance(node, (ast.FunctionDef, ast.Module))
        )
        self.initialises_again = False
        self.tail = [*tail, *[helper.node for helper in helpers]]
        self._helper_of = {n: h for h in helpers for n in ast.walk(h.node)}
        self.slicer = Slicer(flows, self._is_merge)
        self.steps: list[ir.StepFunction] = []
        self.runs: list[ir.Run] = []
        self.scaffold_summaries = False
        self.displays = Displays(scopes, analysis, flows, self.tail)
        self.inputs = Iterators(scopes, diagnostics, analysis, flows)
        self.hooks = SessionHooks(scopes, diagnostics, self.displays, flows, tail)
        self.checks = StepChecks(scopes, diagnostics, analysis, flows)
        # Run calls that give variables their initial values.
        self.initialisers: list[ast.Call] = []

    # -- driver ------------------------------------------------------------------

    def _above(self, node: ast.AST) -> Iterator[ast.AST]:
        while node in self.scopes.parents:
            node = self.scopes.parents[node]
            yield node

    def run(self) -> None:
        self.inputs.find()
        self.hooks.find()
        has_summaries = any(f.kind is Kind.SUMMARY for f in every(self.flows))
        call = self.session
        off = {"save_summaries_steps", "save_summaries_secs"}
        given = {k.arg: k.value for k in call.keywords if k.arg in off}
        disabled = bool(given) and all(not names.literal(v) for v in given.values())
        self.scaffold_summaries = has_summaries and not disabled
        found = [
            node
            for statement in self.tail
            for node in ast.walk(statement)
            if isinstance(node, ast.Call) and self._is_run(node)
        ]
        if plain_sessions.is_plain(self.scopes, self.session):
            found.sort(key=lambda node: (node.lineno, node.col_offset))
        for node in found:
            self._resolve(node)
        if not found:
            self.diagnostics.refuse(
                "S103", self.session, "nothing is run in this session"
            )
        self._check_tail()

    def _is_run(self, node: ast.Call) -> bool:
        helper = self._helper_of.get(node)
        sessions = helper.sessions if helper is not None else self.session_names
        return (
            isinstance(node.func, ast.Attribute)
            and node.func.attr in ("run", "run_step_fn")
            and names.key(node.func.value) in sessions
        )

    def _of_its_own(self, node: ast.AST) -> bool:
        """Whether it is what a comprehension goes through."""
        while isinstance(node, ast.Attribute):
            node = node.value
        if not isinstance(node, ast.Name):
            return False
        owner = self.scopes.scope_of(node).owner(node.id)
        return owner is not None and hasattr(owner.node, "generators")

    def _own(self, node: ast.AST) -> set[str]:
        """Names of the functions that a run stands in, within the loop."""
        found: set[str] = set()
        while node in self.scopes.parents:
            node = self.scopes.parents[node]
            if isinstance(node, ast.FunctionDef) and node is not self.driver:
                found |= Helper(node, frozenset()).own()
        return found

    def initialise(self, again: bool) -> None:
        """Decides what is left of runs that give the variables their initial values.

        Args:
          again: whether one does so a second time.
        """
        self.initialises_again = again
        if not again:
            return
        for index, run in enumerate(self.runs):
            if run.call in self.initialisers:
                assert isinstance(run.call.func, ast.Attribute)
                given = names.argument(run.call, "fetches", 0)
                what = self._initialised(given) if given is not None else {""}
                if "some" in what:
                    self.diagnostics.refuse(
                        "S135",
                        run.call,
                        "some of the variables are initialised after something was run",
                        "Assign their initial values to them.",
                    )
                if "all" not in what:
                    continue  # There are no local variables, and tables keep theirs.
                new = code(run.call.func.value, ".initialize()")
                self.runs[index] = dataclasses.replace(run, replacement=new)

    def _initialised(self, node: ast.expr) -> set[str]:
        """What an initialiser gives values to: "all" variables, "some", or "others"."""
        if isinstance(node, (ast.List, ast.Tuple)):
            return set().union(set(), *[self._initialised(e) for e in node.elts])
        if isinstance(node, ast.Call):
            symbol = self.scopes.resolve(node.func) or ""
            if symbol in roles.INITIALIZES_ALL:
                return {"all"}
            if symbol in roles.INITIALIZES_OTHERS:
                return {"others"}
            if symbol == "tf.group":
                return set().union(set(), *[self._initialised(a) for a in node.args])
            return {"some"}
        name = names.key(node)
        made = [
            flow.statement.value
            for flow in every(self.flows)
            if isinstance(flow.statement, ast.Assign)
            and name is not None
            and name in names.binds(flow.statement)
        ]
        return self._initialised(made[-1]) if made else {"some"}

    def _builder(self, fetched: ast.expr) -> str | None:
        """A function in what is fetched that makes, or finds again, variables."""
        for node in ast.walk(fetched):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
                continue
            for made in reach.definitions(self.scopes, node.func):
                times = self.analysis.functions.get(made)  # type: ignore[call-overload]
                if times is not None and (times.staged or times.creates):
                    return node.func.id
        return None

    def _is_merge(self, node: ast.AST) -> bool:
        return any(
            isinstance(n, ast.Call)
            and (
                self.scopes.resolve(n.func) == "tf.summary.merge_all"
                or names.key(n.func) in roles.MERGES_TOWERS
            )
            for n in ast.walk(node)
        )

    # -- run calls ----------------------------------------------------------------

    def _resolve(self, call: ast.Call) -> None:
        assert isinstance(call.func, ast.Attribute)
        fetches = names.argument(call, "fetches", 0)
        if fetches is None or call.func.attr != "run":
            self.diagnostics.refuse("S104", call, "a run call without plain fetches")
            return
        for unsupported in ("options", "run_metadata"):
            if names.argument(call, unsupported) is not None:
                self.diagnostics.refuse(
                    "S108",
                    call,
                    f"run({unsupported}=...) traces a graph session",
                    "Use tf.profiler.experimental around the step.",
                )
                return
        changed = names.key(fetches)
        if changed is not None and self.displays.changes(changed):
            self.diagnostics.refuse(
                "S134",
                call,
                f"what is fetched, `{changed}`, is changed after it is written out",
                "Write the fetches out in one list or dict.",
            )
            return
        fetches = self.displays.display(fetches)
        structure, keys, leaves = self._leaves(fetches)
        for leaf in [inner for outer in leaves for inner in outer.every()]:
            if not self._written_out(leaf.node):
                self.diagnostics.refuse(
                    "S134",
                    call,
                    f"what is fetched, `{ast.unparse(leaf.node)}`, is put together where "
                    "it is run",
                    "Write the fetches out in one list or dict.",
                )
                return
        if any(leaf.kind is Kind.INITIALIZER_OP for leaf in leaves):
            self._initializer(call, leaves)
            return
        statement = self._statement(call)
        if (
            structure == "single"
            and leaves[0].kind is Kind.VARIABLE
            and names.key(leaves[0].node) is not None
        ):
            for fed in (self._feed(call) or {}).values():
                if has_effect(fed, self.scopes):
                    self.diagnostics.refuse(
                        "S106",
                        fed,
                        "what is fed would not be computed: this run only reads a "
                        "variable",
                        "Compute it in a statement before.",
                    )
            one = names.key(leaves[0].node) in self.analysis.singles
            node = leaves[0].node
            value = (
                code(node, ".numpy()")
                if one
                else code("training_session.values(", node, ")")
            )
            self.runs.append(ir.Run(call, None, (), statement, None, value))
            return
        listed = self._listed_value(structure, leaves)
        if listed is not None and self._feed(call) == {}:
            self.runs.append(ir.Run(call, None, (), statement, None, listed))
            return
        wanted: set[str] = set()
        own = self._own(call)
        in_loop = set().union(own, *[names.binds(s) for s in self.tail])
        imported = (ast.Import, ast.ImportFrom)
        in_loop |= {
            name
            for statement in self.tail
            for name in names.mutates(statement)
            if not any(
                isinstance(b, imported)
                for b in self.scopes.module.bindings.get(name.partition(".")[0], [])
            )
        }
        for leaf in [inner for outer in leaves for inner in outer.every()]:
            if names.key(leaf.node) is not None and names.reads(leaf.node) & own:
                self.diagnostics.refuse(
                    "S109",
                    leaf.node,
                    f"`{ast.unparse(leaf.node)}`, which is fetched, is given to the "
                    "function that runs it",
                    "Run the tensor by the name that the module has for it.",
                )
                return
            late = (
                names.reads(leaf.node) & in_loop
                if names.key(leaf.node) is None
                else set()
            )
            if late:
                self.diagnostics.refuse(
                    "S109",
                    leaf.node,
                    f"what is fetched is made of `{sorted(late)[0]}`, which the loop binds",
                    "Feed it.",
                )
                return
            builder = self._builder(leaf.node)
            if builder is not None:
                self.diagnostics.refuse(
                    "S109",
                    leaf.node,
                    f"`{builder}` makes variables or layers where it is fetched",
                    "Call it where the graph is made, and fetch its result by name.",
                )
                return
            if leaf.kind is Kind.HOST:
                self.diagnostics.refuse(
                    "S109",
                    leaf.node,
                    f"`{ast.unparse(leaf.node)}` is fetched, but no statement of "
                    "this program's graph makes it",
                    "Fetch a tensor made where the session is opened.",
                )
                return
            wanted |= names.reads(leaf.node)
        inline_merge = any(self._is_merge(leaf.node) for leaf in leaves)
        plain = self.slicer.slice(wanted, inline_merge)
        observed: dict[str, ast.expr] = {}
        summaries = inline_merge
        if plain.trains:
            observed = dict(self.hooks.observed)
            for item in observed.values():
                wanted |= names.reads(item)
            summaries = summaries or self.scaffold_summaries
        part = self.slicer.slice(wanted, summaries)
        feed = self._feed(call)
        if feed is None:
            return
        step, arguments = self._step(
            call, part, leaves, structure, keys, observed, feed
        )
        if step is None:
            return
        self.runs.append(
            ir.Run(
                call,
                step,
                tuple(arguments),
                statement,
                self._targets(statement, call, leaves, structure),
            )
        )

    def _listed_value(self, structure: str, leaves: list[Leaf]) -> Code | None:
        """What a run of all variables gives, or of one that goes through a list of them."""
        if structure != "single" or not plain_sessions.is_local(
            self.scopes, self.session
        ):
            return None
        node = leaves[0].node
        if self._is_list_of_all(node):
            return code("training_session.values(", node, ")")
        if not isinstance(node, ast.Name):
            return None
        around: ast.AST = node
        while around in self.scopes.parents and around is not self.driver:
            around = self.scopes.parents[around]
            loops = [around] if isinstance(around, ast.For) else []
            for loop in [*loops, *getattr(around, "generators", [])]:
                if isinstance(loop.target, ast.Name) and loop.target.id == node.id:
                    listed = self._is_list_of_all(loop.iter)
                    return code(node, ".numpy()") if listed else None
        return None

    def _is_list_of_all(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Call) and self.scopes.resolve(node.func) in (
            roles.TRAINABLE | roles.GLOBAL
        )

    def _statement(self, call: ast.Call) -> ast.stmt | None:
        node: ast.AST = call
        while not isinstance(node, ast.stmt):
            node = self.scopes.parents[node]
        return node

    def _written_out(self, node: ast.expr) -> bool:
        """Whether it can be told what has a value: operations have none."""
        if spread(node):
            return False
        if self.analysis.quietly(node) is Kind.OPERATION:
            return True
        return not any(
            isinstance(part, ast.expr) and self.analysis.quietly(part) is Kind.OPERATION
            for part in ast.walk(node)
        )

    def _leaves(self, fetches: ast.expr) -> tuple[str, list[Code], list[Leaf]]:
        if spread(fetches):
            return "single", [], [Leaf(fetches, Kind.TENSOR)]
        if isinstance(fetches, (ast.List, ast.Tuple)):
            kind = "list" if isinstance(fetches, ast.List) else "tuple"
            return kind, [], [self._leaf(e) for e in fetches.elts]
        if isinstance(fetches, ast.Dict):
            return (
                "dict",
                [code(k) for k in fetches.keys if k is not None],
                [self._leaf(v) for v in fetches.values],
            )
        return "single", [], [self._leaf(fetches)]

    def _leaf(self, node: ast.expr) -> Leaf:
        if spread(node):
            return Leaf(node, Kind.TENSOR)
        if isinstance(node, (ast.List, ast.Tuple)):
            return Leaf(node, Kind.TENSOR, tuple(self._leaf(e) for e in node.elts))
        if isinstance(node, ast.Dict):
            return Leaf(node, Kind.TENSOR, tuple(self._leaf(e) for e in node.values))
        kind = self.analysis.quietly(node)
        if isinstance(node, ast.Constant):
            kind = Kind.HOST
        if isinstance(node, ast.Attribute) and node.attr == "initializer":
            kind = Kind.INITIALIZER_OP
        return Leaf(node, kind)

    def _initializer(self, call: ast.Call, leaves: list[Leaf]) -> None:
        """`sess.run(iterator.initializer)` starts the iterator anew; others do nothing."""
        statement = self._statement(call)
        replacement = code("None")
        if any(leaf.kind is not Kind.INITIALIZER_OP for leaf in leaves):
            self.diagnostics.refuse(
                "S104",
                call,
                "one run initialises variables and does something else",
                "Initialise them in a run of its own.",
            )
            return
        if plain_sessions.is_plain(self.scopes, self.session):
            if any(self._is_report(leaf.node) for leaf in leaves):
                replacement = code(f"{self.session_name}.uninitialized_variables()")
                self.runs.append(ir.Run(call, None, (), statement, None, replacement))
                return
            if not all(self._of_iterator(leaf.node) for leaf in leaves):
                self.initialisers.append(call)
                if not plain_sessions.is_local(self.scopes, self.session):
                    replacement = code(f"{self.session_name}.initialize()")
        alone = plain_sessions.is_plain(
            self.scopes, self.session
        ) and plain_sessions.is_local(self.scopes, self.session)
        if statement is not None and self._in_loop(statement) and not alone:
            if not all(
                self._of_iterator(leaf.node) or self._is_report(leaf.node)
                for leaf in leaves
            ):
                self.diagnostics.refuse(
                    "S135",
                    call,
                    "variables are initialised again in the loop",
                    "Assign their initial values to them.",
                )
        for leaf in leaves:
            node = leaf.node
            if isinstance(node, ast.Attribute) and node.attr == "initializer":
                iterator = names.key(node.value) or ""
                if iterator in self.inputs.iterators:
                    dataset = self.inputs.iterators[iterator]
                    replacement = code(iterator, " = iter(", dataset, ")")
                    self._note_order(call)
        self.runs.append(ir.Run(call, None, (), statement, None, replacement))

    def _of_iterator(self, node: ast.expr) -> bool:
        """`iterator.initializer`."""
        return (
            isinstance(node, ast.Attribute)
            and node.attr == "initializer"
            and names.key(node.value) in self.inputs.iterators
        )

    def _is_report(self, node: ast.expr) -> bool:
        """Whether it names the variables that have no value yet."""
        if isinstance(node, ast.Call):
            return self.scopes.resolve(node.func) in roles.REPORTS
        name = names.key(node)
        return name is not None and any(
            name in names.binds(flow.statement)
            and isinstance(flow.statement, ast.Assign)
            and self._is_report(flow.statement.value)
            for flow in every(self.flows)
            if isinstance(getattr(flow.statement, "value", None), ast.Call)
        )

    def _in_loop(self, node: ast.AST) -> bool:
        parent = self.scopes.parents.get(node)
        while parent is not None and not isinstance(parent, ast.FunctionDef):
            if isinstance(parent, (ast.For, ast.While)):
                return True
            parent = self.scopes.parents.get(parent)
        return False

    def _note_order(self, call: ast.Call) -> None:
        """Says that a seeded shuffle, begun anew, has another order from then on."""
        seeded = any(
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "shuffle"
            and (len(node.args) > 1 or any(k.arg == "seed" for k in node.keywords))
            for node in ast.walk(self.scopes.tree)
        )
        if seeded:
            self.diagnostics.findings.append(
                Finding(
                    call.lineno,
                    call.col_offset + 1,
                    "I112",
                    Outcome.REWRITTEN,
                    "",
                    "the first pass has the order that the seed gave in TF1, which began "
                    "the same order again in every pass; in TF2 each pass has its own",
                )
            )

    # -- feeds ---------------------------------------------------------------------

    def _feed(self, call: ast.Call) -> dict[str, ast.expr] | None:
        node = names.argument(call, "feed_dict", 1)
        if node is None or (isinstance(node, ast.Constant) and node.value is None):
            return {}
        display = self.displays.display(node)
        if not isinstance(display, ast.Dict):
            self.diagnostics.refuse(
                "S106",
                node,
                "the feed is not written out as a dict where it is used",
                "Write feed_dict={placeholder: value, ...} in the call.",
            )
            return None
        feed: dict[str, ast.expr] = {}
        own = self._own(call)
        for key, value in zip(display.keys, display.values):
            name = names.key(key) if key is not None else None
            if (
                name is None
                or name not in self.analysis.placeholders
                or (key is not None and names.reads(key) & own)
            ):
                self.diagnostics.refuse(
                    "S107",
                    key or node,
                    "the feed replaces a tensor that is not a placeholder",
                    "Make a placeholder, or a parameter of the step function, of it.",
                )
                return None
            feed[name] = value
        return feed

    def _step(
        self,
        call: ast.Call,
        part: Slice,
        leaves: list[Leaf],
        structure: str,
        keys: list[Code],
        observed: dict[str, ast.expr],
        feed: dict[str, ast.expr],
    ) -> tuple[ir.StepFunction | None, list[Code]]:
        needed = part.needed
        feeds: list[str] = []
        for name, placeholder in self.analysis.placeholders.items():
            if name not in needed:
                continue
            if name not in feed and placeholder.default is None:
                self.diagnostics.refuse(
                    "S111",
                    call,
                    f"placeholder `{name}` is needed here, but not fed",
                )
                return None, []
            if name in feed:
                feeds.append(name)
        for name, value in feed.items():
            if name not in needed and has_effect(value, self.scopes):
                self.diagnostics.refuse(
                    "S106",
                    value,
                    f"what is fed to `{name}` would not be computed, as this run does "
                    "not need it",
                    "Compute it in a statement before.",
                )
        self.checks.check_assigned(part)
        if not part.trains:
            self.checks.check_averages(call, part, feed)
        sources = {
            self.inputs.elements[n][0] for n in needed if n in self.inputs.elements
        }
        draws = {
            self.inputs.elements[n][1] for n in needed if n in self.inputs.elements
        }
        if len(sources) > 1 or len(draws) > 1:
            self.diagnostics.refuse(
                "I103",
                call,
                "one step draws from several iterators"
                if len(sources) > 1
                else "one step draws several elements of an iterator",
                "Zip the datasets, or draw one element and take its parts.",
            )
            return None, []
        element = next(iter(sources), None)
        fetches = tuple(leaf.value for leaf in leaves)
        values = [leaf for leaf in leaves if leaf.has_value]
        statement = self._statement(call)
        droppable = self._droppable(statement, call, leaves, structure)
        if droppable:
            fetches = tuple(leaf.value for leaf in values)
        shape = structure
        if structure in ("tuple", "list") and droppable:
            shape = "none" if not values else "single" if len(values) == 1 else "tuple"
        if structure == "single" and not values:
            shape, fetches = "none", ()
        step = ir.StepFunction(
            "",
            tuple(feeds),
            element,
            fetches,
            shape,
            tuple(keys),
            [f for f in every(self.flows) if f in part.flows],
            part.trains,
            observed,
        )
        step = self._share(step, leaves)
        arguments = [code(feed[name]) for name in feeds]
        return step, arguments

    def _share(self, step: ir.StepFunction, leaves: list[Leaf]) -> ir.StepFunction:
        """The same fetches from the same feeds are one function."""

        def signature(s: ir.StepFunction) -> object:
            return (
                s.feeds,
                s.element,
                s.structure,
                tuple(_text(f) for f in s.fetches),
                tuple(_text(k) for k in s.keys),
                tuple(id(f) for f in s.flows),
            )

        for other in self.steps:
            if signature(other) == signature(step):
                return other
        valued = [
            (names.key(leaf.node) or "").rpartition(".")[2]
            for leaf in leaves
            if leaf.has_value
        ]
        if step.trains:
            wishes = ["train_step", *[f"train_step_with_{v}" for v in valued if v]]
            extra = [
                v
                for v in valued
                if v and not any(v in _text(f) for s in self.steps for f in s.fetches)
            ]
            if any(s.name.startswith("train_step") for s in self.steps) and extra:
                wishes.insert(1, f"train_step_with_{extra[0]}")
        else:
            base = "_and_".join(v for v in valued if v) or "evaluate"
            wishes = [f"compute_{base}" if len(base) < 30 else "evaluate", "evaluate"]
        step.name = self.analysis.fresh(*wishes)
        self.steps.append(step)
        return step

    def _droppable(
        self,
        statement: ast.stmt | None,
        call: ast.Call,
        leaves: list[Leaf],
        structure: str,
    ) -> bool:
        """Whether operations can leave the result: unpacked at once, or not used."""
        if structure not in ("tuple", "list"):
            return False
        if all(leaf.has_value for leaf in leaves):
            return False
        if isinstance(statement, ast.Expr) and statement.value is call:
            return True
        if isinstance(statement, ast.Assign) and statement.value is call:
            target = statement.targets[0]
            return (
                len(statement.targets) == 1
                and isinstance(target, (ast.Tuple, ast.List))
                and len(target.elts) == len(leaves)
                and not any(isinstance(e, ast.Starred) for e in target.elts)
                and all(
                    leaf.has_value or not self._used(e)
                    for e, leaf in zip(target.elts, leaves)
                )
            )
        return False

    def _used(self, target: ast.expr) -> bool:
        name = names.key(target)
        if name is None:
            return True
        return name != "_" and any(name in names.reads(s) for s in self.tail)

    def _targets(
        self,
        statement: ast.stmt | None,
        call: ast.Call,
        leaves: list[Leaf],
        structure: str,
    ) -> Code | None:
        if not self._droppable(statement, call, leaves, structure):
            return None
        if not isinstance(statement, ast.Assign):
            return None
        target = statement.targets[0]
        assert isinstance(target, (ast.Tuple, ast.List))
        kept = [e for e, leaf in zip(target.elts, leaves) if leaf.has_value]
        return ir.joined(", ", kept) if kept else code("_")

    # -- what remains of the graph in the loop ---------------------------------------

    def _check_tail(self) -> None:
        """Step-time tensors may be named in the loop only in fetches and feeds."""
        allowed: set[int] = set()
        for run in self.runs:
            allowed |= {id(n) for n in ast.walk(run.call)}
            for leaf in (
                names.argument(run.call, "fetches", 0),
                names.argument(run.call, "feed_dict", 1),
            ):
                if leaf is not None:
                    allowed |= {id(n) for n in ast.walk(self.displays.display(leaf))}
        for call in self.hooks.edits:
            allowed |= {id(n) for n in ast.walk(call)}
        allowed |= {id(n) for n in ast.walk(self.session)}
        for statement in self.tail:  # Of a refused run call the refusal says enough.
            for node in ast.walk(statement):
                if isinstance(node, ast.Call) and self._is_run(node):
                    allowed |= {id(n) for n in ast.walk(node)}
        rebound = set().union(*[names.binds(s) for s in self.tail])
        for statement in self.tail:
            for node in ast.walk(statement):
                if id(node) in allowed or not isinstance(
                    node, (ast.Name, ast.Attribute)
                ):
                    continue
                if not isinstance(node.ctx, ast.Load):
                    continue
                name = names.key(node)
                kind = self.analysis.environment.get(name or "")
                if name in rebound or name is None or kind is None:
                    continue
                if names.reads(node) & self._own(node) or self._of_its_own(node):
                    continue
                if kind in ir.STEP_KINDS:
                    self.diagnostics.refuse(
                        "S112",
                        node,
                        f"`{name}` is a tensor of the step; the loop uses it outside run()",
                        "Fetch it, and use the fetched value.",
                    )


def _text(fragment: Code) -> str:
    return "".join(
        p if isinstance(p, str) else _text(p) if isinstance(p, Code) else ast.dump(p)
        for p in fragment.parts
    )
