"""Plans the edits that make steps plain functions, and their runs plain calls."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from migrate.backends.direct_steps.dict_results import DictResults
from migrate.backends.direct_steps.fed_rates import FedRates
from migrate.backends.direct_steps.helpers import (
    SPEC_OF,
    TOWER_DEVICES,
    insert_helper,
)
from migrate.backends.direct_steps.initial_values import InitialValues
from migrate.backends.direct_steps.made_variables import NotKnown
from migrate.backends.direct_steps.program import Listing, Program, Step
from migrate.backends.direct_steps.results import (
    Results,
    find_results,
    is_element,
    is_unread,
)
from migrate.backends.direct_steps.runs import Runs, write_argument
from migrate.backends.direct_steps.savers import (
    find_saved,
    list_builders,
)
from migrate.backends.direct_steps.seeds import find_second_draws
from migrate.backends.direct_steps.spacing import has_spaced_imports, space_statements
from migrate.backends.direct_steps.tapes import find_choice, name_tape
from migrate.backends.direct_steps.tracing import (
    asks_weights,
    has_branches,
    list_traced,
)
from migrate.backends.direct_steps.variable_lists import (
    VariableLists,
    write_choice,
)
from migrate.backends.direct_steps.written_savers import write_saver
from migrate.backends.direct_steps.written_towers import Towers, count_scoped
from migrate.facts import names
from migrate.plan import Block, Dropped, Item, Keep, New, Plan
from migrate.program.code import Code, join_code, make_code
from migrate.rewriting.apply import apply_plan

_WIDTH = 79
WRITER = "tf.compat.v1.summary.FileWriter"


class _Other(Exception):
    """The edits cannot express the use of a result."""


def write_calls(text: str, program: Program) -> str | None:
    """Returns the text with its steps called directly; None if that cannot be expressed."""
    try:
        plan = _Edits(program).plan()
    except (_Other, NotKnown):
        return None
    inner = {
        n.name
        for block in program.blocks
        for n in block.body
        if isinstance(n, ast.FunctionDef)
    }
    new = apply_plan(text, program.scopes.tree, plan)
    new = space_statements(new, inner, has_spaced_imports(text))
    if program.asks_specs:
        new = insert_helper(new, SPEC_OF, program.tensorflow)
    if program.strategy:
        new = insert_helper(new, TOWER_DEVICES, program.tensorflow)
    return new


class _Edits:
    def __init__(self, program: Program) -> None:
        self._program = program
        self._scopes = program.scopes
        self._tf = program.tensorflow
        self._lists = VariableLists(program)
        self._plan = Plan()
        self._new: dict[ast.stmt, list[Item]] = {}
        self._runs = Runs(program.scopes, program.tensorflow, self._plan, self._new)
        self._dicts = DictResults(program, self._plan, self._new)
        self._towers = (
            Towers(program, self._plan, self._new, self._find_column)
            if program.strategy
            else None
        )
        # What moves to the end of a block.
        self._last: dict[ast.With, list[Item]] = {}

    def plan(self) -> Plan:
        for node in self._program.variables:
            self._plan.replace(node, make_code(self._write_trained(node)))
        for listing in self._program.listings:
            if self._is_of_saver(listing) or self._drop_unread(listing):
                continue
            self._plan.replace(listing.whole, make_code(self._write_listing(listing)))
        for call in self._program.values:
            self._plan.replace(call, self._write_values(call))
        for call in self._program.counters:
            counter = (
                _write_counter(self._tf)
                if self._towers is None
                else self._towers.write_counter(call)
            )
            self._plan.replace(call, counter)
        for call in self._program.updates:
            self._plan.replace(call, _forget_updates(self._tf))
        for node in self._program.summaries:
            self._plan.replace(node, make_code(f"{self._tf}.compat.v1.summary"))
        for call, statement in self._program.writers.items():
            self._rewrite_writer(call, statement)
        self._rewrite_savers()
        FedRates(self._program, self._plan, self._new).rewrite()
        self._begin_seeds_anew()
        if self._towers is not None:
            self._towers.rewrite_averages()
            self._towers.rewrite_counters()
        if asks_weights(self._program):
            self._build_layers()
        for step in self._program.steps.values():
            self._forget_summaries(step.function)
            self._rewrite_step(step)
        if self._program.traced_in_place:
            self._trace_steps()
        for call, function in self._program.calls.items():
            self._rewrite_call(call, function)
        changed: list[ast.stmt] = [
            *self._program.dropped,
            *self._program.blocks,
            *self._program.openings,
            *self._program.parameters,
            *self._new,
        ]
        for statement in changed:
            self._plan.statements[statement] = self._write_items(statement)
        return self._plan

    def _is_of_saver(self, listing: Listing) -> bool:
        """Whether a saver chooses its variables from a list: the saver is written with them."""
        at: ast.AST = listing.whole
        while isinstance(at, (ast.expr, ast.comprehension, ast.keyword)):
            if at in self._program.savers:
                return True
            at = self._scopes.parents[at]
        return False

    def _drop_unread(self, listing: Listing) -> bool:
        """Drops the choice from a list that only a saver had, which is written with it."""
        chosen = find_choice(listing.whole, self._scopes)
        match chosen, self._scopes.parents[chosen]:
            case ast.ListComp(), ast.Assign(targets=[target]) as statement if (
                self._program.savers and is_unread(target, self._scopes)
            ):
                self._new[statement] = [Dropped(statement)]
                return True
        return False

    # -- statements --------------------------------------------------------------------

    def _write_items(self, statement: ast.stmt) -> list[Item]:
        """Returns the items that replace a statement."""
        if statement in self._program.dropped:
            # What the tool wrote above the graph has the graph's comments.
            return [Dropped(statement, statement in self._program.prepared)]
        if statement in self._new:
            return self._new[statement]
        if isinstance(statement, ast.With):
            if statement in self._program.blocks:
                return self._write_body(statement)
            opening = self._program.openings.get(statement)
            if opening is not None:
                kept = [i for i in statement.items if i is not opening]
                if not kept:
                    return self._write_body(statement)
                items = [
                    make_code(i.context_expr, " as ", i.optional_vars)
                    if i.optional_vars is not None
                    else make_code(i.context_expr)
                    for i in kept
                ]
                header = make_code("with ", join_code(", ", items), ":")
                return [Block(header, self._list_items(statement.body), statement)]
        if isinstance(statement, ast.FunctionDef):
            gone = self._program.parameters.get(statement)
            if gone is not None:
                first = make_code(_write_header(statement, gone))
                return [Block(first, self._list_items(statement.body), statement)]
        return [Keep(statement)]

    def _write_body(self, block: ast.With) -> list[Item]:
        """Returns a block's own statements in its place, with its comments above the first."""
        body = [s for s in block.body if not isinstance(s, ast.Pass)]
        if self._program.strategy and block in self._program.blocks:
            count = count_scoped(block)
            scope = make_code(f"with {self._program.strategy}.scope():")
            made = Block(scope, self._list_items(block.body[:count]), block)
            return [made, *self._list_items(block.body[count:])]
        return [Dropped(block), *self._list_items(body), *self._last.get(block, ())]

    def _list_items(self, body: Sequence[ast.stmt]) -> list[Item]:
        return [item for statement in body for item in self._write_items(statement)]

    def _forget_summaries(self, function: ast.FunctionDef) -> None:
        """Drops the summaries that a step makes and does not return."""
        unused: list[ast.stmt] = []
        for node in self._program.summaries:
            if self._scopes.find_scope(node).node is not function:
                continue
            call = self._scopes.parents[self._scopes.parents[node]]
            statement = self._scopes.parents[call]
            match statement:
                case ast.Expr():
                    unused.append(statement)
                case ast.Assign(targets=[target]) if is_unread(target, self._scopes):
                    unused.append(statement)
                case _:
                    return
        for statement in set(unused).intersection(function.body):
            self._new[statement] = [Dropped(statement)]

    def _rewrite_writer(self, call: ast.Call, statement: ast.stmt) -> None:
        """Makes a writer of TF1's events in a graph; it also works in eager mode."""
        self._plan.replace(call.func, make_code(WRITER.replace("tf", self._tf, 1)))
        header = make_code(f"with {self._tf}.Graph().as_default():")
        self._new[statement] = [Block(header, [Keep(statement)], statement)]

    def _rewrite_savers(self) -> None:
        """Rewrites TF1's savers: they get the list of their variables, and need no session."""
        savers = find_saved(self._program)
        for call, name in savers.named.items():
            keywords = [make_code(k.arg or "", "=", k.value) for k in call.keywords]
            inner = join_code(", ", [*call.args, *keywords, f'name="{name}"'])
            self._plan.replace(call, make_code(call.func, "(", inner, ")"))
        for call, statement in self._program.savers.items():
            saved = savers.saved[call]
            column = self._find_column(statement)
            self._plan.replace(call, write_saver(saved, call, self._tf, column))
            before = "\n".join(saved.before)
            items: list[Item] = [Keep(statement)]
            if before:
                items.insert(0, New(make_code("\n", before), statement))
            if saved.moved is not None:
                self._new[statement] = [Dropped(statement)]
                self._last.setdefault(saved.moved, []).extend(items)
            elif before:
                self._new[statement] = items
        for call in self._program.saved:
            self._plan.replace(call.args[0], make_code("None"))
        for call, keeping in self._program.kept.items():
            column = self._find_column(keeping)
            kept = InitialValues(self._program, keeping, column, _WIDTH)
            self._new.update(kept.write(savers.saved[call]))

    def _build_layers(self) -> None:
        """Traces steps below the graph, if code asks layers for their variables."""
        builders = list_builders(self._program)
        (block,) = self._program.blocks
        listed = [*self._program.savers, *self._program.kept]
        if not builders or (
            listed and not any(c in self._program.kept for c in listed)
        ):
            raise _Other
        if listed or self._program.traced_in_place:
            return  # Where the initial values are kept, all are traced.
        steps = "step is" if len(builders) == 1 else "steps are"
        lines = [
            f"\n# The layers' variables are made when the {steps} traced.",
            *(f"{name}.get_concrete_function()" for name in builders),
        ]
        self._last.setdefault(block, []).append(
            New(make_code("\n".join(lines)), block.body[-1])
        )

    def _begin_seeds_anew(self) -> None:
        """Writes a line above each draw with a seed that another draw had."""
        for statement in find_second_draws(self._program, list_traced(self._program)):
            if statement in self._new:
                raise _Other
            lines = f"# The seed begins anew.\n{self._tf}.random.set_seed(None)"
            self._new[statement] = [
                New(make_code(lines), statement),
                Keep(statement),
            ]

    # -- steps -------------------------------------------------------------------------

    def _write_trained(self, node: ast.Attribute) -> str:
        """Writes the trainable variables: what a tape has watched, or all of them."""
        try:
            return f"{name_tape(node, self._scopes)}.watched_variables()"
        except NotKnown:
            if self._towers is not None:
                self._towers.all_watched = False
            return self._lists.write(Listing(node, node))

    def _write_listing(self, listing: Listing) -> str:
        try:
            return self._lists.write(listing)
        except NotKnown:
            return write_choice(listing, name_tape(listing.whole, self._scopes))

    def _write_values(self, call: ast.Call) -> Code:
        """Writes the values of the variables in a list, or in another structure."""
        (given,) = call.args
        if self._is_list(given):
            return make_code("[v.numpy() for v in ", given, "]")
        return make_code(
            f"{self._tf}.nest.map_structure(lambda v: v.numpy(), ", given, ")"
        )

    def _is_list(self, node: ast.expr) -> bool:
        if isinstance(node, (ast.List, ast.ListComp)):
            return True
        if any(node is listing.whole for listing in self._program.listings):
            return True
        if not isinstance(node, ast.Name):
            return False
        owner = self._scopes.find_scope(node).find_owner(node.id)
        match owner.bindings[node.id] if owner else []:
            case [ast.Assign(targets=[ast.Name()], value=value)]:
                return self._is_list(value)
        return False

    def _rewrite_step(self, step: Step) -> None:
        if is_element(step, self._scopes):
            self._runs.write_elements(step)
            return
        results = find_results(step, self._scopes)
        if results is None:
            raise _Other
        if self._runs.gives_variables(step, results):
            self._runs.write_variables(step, results)
            return
        decorator = self._write_decorator(step)
        elements = results.elements
        if results.keys:
            if self._towers is not None:
                raise _Other
            self._plan.replace(step.decorator, decorator)
            calls = [self._runs.write_call(run) for run in step.runs]
            self._dicts.write(step, results, calls)
            return
        kept = [e for e in elements if e is not None]
        lean = len(kept) < len(elements) and all(
            self._runs.is_taken_apart(run, elements) for run in step.runs
        )
        if len(kept) < len(elements) and not lean:
            raise _Other
        for run in step.runs:
            self._runs.write_run(run, results, len(kept))
        if self._towers is not None:
            self._new[step.function] = self._towers.write_step(
                step, results, decorator, lean, self._list_items
            )
            return
        self._plan.replace(step.decorator, decorator)
        shown = [
            make_code(f"{self._tf}.identity(", e, ")")
            if e in results.read
            else make_code(e)
            for e in kept
        ]
        if results.statement is not None:
            self._write_returns(results, shown, lean)

    def _trace_steps(self) -> None:
        """Writes lines that trace the steps, below each group of them."""
        note = "# Traced here, where TensorFlow 1 built its graph.\n"
        lines: list[str] = []
        for function in self._program.steps:
            items = self._new.get(function, [Keep(function)])
            if not all(isinstance(item, Dropped) for item in items):
                lines.append(f"{function.name}.get_concrete_function()")
            suite = names.find_suite(self._scopes.parents[function], function) or []
            below = suite[suite.index(function) + 1 :]
            if lines and not (below and below[0] in self._program.steps):
                traced = make_code("\n" + note + "\n".join(lines))
                self._new[function] = [*items, New(traced, function)]
                note, lines = "", []

    def _write_returns(self, results: Results, shown: list[Code], lean: bool) -> None:
        statement = results.statement
        assert statement is not None
        if not shown:
            self._new[statement] = [Dropped(statement)]
        elif lean and len(shown) == 1:
            self._new[statement] = [New(make_code("return ", shown[0]), statement)]
        elif lean:
            values = join_code(", ", shown)
            self._new[statement] = [New(make_code("return ", values), statement)]
        else:
            for element, new in zip(results.elements, shown):
                if element in results.read:
                    self._plan.replace(element, new)

    def _write_decorator(self, step: Step) -> Code:
        specs = step.decorator.args
        options: list[Code] = []
        if len(specs) == 1 and isinstance(specs[0], ast.Starred):
            options.append(make_code("input_signature=", specs[0].value))
        elif specs:
            column = self._find_column(step.function)
            one = ast.unparse(step.decorator)
            short = len(specs) == 1 and len(one) < _WIDTH - column
            begin = "" if short else "\n" + " " * (column + 4)
            end = "" if short else ",\n" + " " * column
            inner = join_code(
                "," + (begin or " "), [write_argument(spec) for spec in specs]
            )
            options.append(make_code("input_signature=[", begin, inner, end, "]"))
        if has_branches(self._program, step.function):
            # As in TF1, Python's control flow runs when the graph is built.
            options.append(make_code("autograph=False"))
        if not options:
            return make_code(f"{self._tf}.function")
        return make_code(f"{self._tf}.function(", join_code(", ", options), ")")

    def _find_column(self, statement: ast.stmt) -> int:
        """Returns the column of a statement's lines without the blocks around it."""
        column = statement.col_offset
        inner: ast.AST = statement
        at: ast.AST | None = statement
        while at is not None:
            if isinstance(at, ast.With) and self._is_dissolved(at, inner):
                column -= at.body[0].col_offset - at.col_offset
            inner, at = at, self._scopes.parents.get(at)
        return column

    def _is_dissolved(self, at: ast.With, inner: ast.AST) -> bool:
        """Whether nothing is left of a block around one of its statements."""
        if at in self._program.blocks:
            return not self._program.strategy or inner in at.body[count_scoped(at) :]
        return at in self._program.openings and len(at.items) == 1

    # -- runs --------------------------------------------------------------------------

    def _rewrite_call(self, call: ast.Call, function: ast.FunctionDef) -> None:
        """Rewrites a call of a function that no longer has a session parameter."""
        order = [a.arg for a in function.args.args]
        gone = self._program.parameters[function]
        left: list[ast.AST | Code] = [
            write_argument(a)
            for place, a in enumerate(call.args)
            if place >= len(order) or order[place] not in gone
        ]
        left += [
            make_code("**", k.value)
            if k.arg is None
            else make_code(k.arg, "=", k.value)
            for k in call.keywords
        ]
        self._plan.replace(call, make_code(call.func, "(", join_code(", ", left), ")"))


def _write_counter(tf: str) -> Code:
    """Writes the step counter, under TF1's name and dtype."""
    return make_code(
        f'{tf}.Variable(0, dtype={tf}.int64, name="global_step", trainable=False)'
    )


def _forget_updates(tf: str) -> Code:
    """Lets an optimizer apply an update after another, of which it would compare the ops."""
    return make_code(f'{tf}.compat.v1.get_default_graph().clear_collection("train_op")')


def _write_header(function: ast.FunctionDef, gone: set[str]) -> str:
    """Writes a function's first line without some of its parameters."""
    given = function.args
    first = len(given.args) - len(given.defaults)
    defaults = [None] * first + list(given.defaults)
    kept = [(a, d) for a, d in zip(given.args, defaults) if a.arg not in gone]
    arguments = ast.arguments(
        posonlyargs=[],
        args=[a for a, _ in kept],
        vararg=given.vararg,
        kwonlyargs=given.kwonlyargs,
        kw_defaults=given.kw_defaults,
        kwarg=given.kwarg,
        defaults=[d for _, d in kept if d is not None],
    )
    result = f" -> {ast.unparse(function.returns)}" if function.returns else ""
    return f"def {function.name}({ast.unparse(arguments)}){result}:"
