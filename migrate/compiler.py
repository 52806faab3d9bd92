"""One source text in, its migration out: facts, program, plan, rewrite, gates."""

from __future__ import annotations

import ast
import dataclasses
import itertools
import os
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from migrate import apart as apart_of
from migrate import gates
from migrate.backends import compat_estimators, custom_loop
from migrate.backends.eager_steps import EagerRewrite
from migrate.backends.estimator_loop import EstimatorRewrite, builds_graph
from migrate.backends.expressions import Expressions
from migrate.backends.keras.program import plan_models
from migrate.facts import hidden_names
from migrate.facts.homes import Home
from migrate.facts.reexports import apart, written_out
from migrate.facts.scopes import Scopes
from migrate.findings import Finding, Outcome
from migrate.frontends import between_graph, estimator, half_migrated
from migrate.frontends.eager_step import Refused
from migrate.migration import Migration, Options
from migrate.pipeline import support_names
from migrate.plan import Conflict, Plan
from migrate.program import ir
from migrate.program.binding_time import Diagnostics, every
from migrate.program.eager import EagerProgram
from migrate.rules import calls, in_both, mistakes, older_shapes
from migrate.rules.compat import CompatRules
from migrate.rules.imports import imports_missing, unanswered
from migrate.rules.symbols import SymbolRules
from migrate.splice import spliced
from migrate.tables import estimator as table
from migrate.tables import keras_models, modes, roles, symbols
from migrate.tables.graph_programs import GRAPH_CODES
from migrate.unused import without_unused

if TYPE_CHECKING:
    from migrate.normalise import Text, towers

_IGNORE = re.compile(r"#\s*tf1to2:\s*ignore\[([A-Z0-9, ]+)\]")
TODO = "# TODO(tf1to2):"
# How a program that can be migrated opens its session.
_OPENS = ("Session", "Supervisor")
_ON_TASKS = (
    "Run the program in every worker, one tower with its part of the batch, under "
    "tf.distribute.MultiWorkerMirroredStrategy."
)
# A body's title of which no code is left.
_ORPHAN = re.compile(r"^[ \t]*# From [\w.]+:\n(?=\s*(# From |@|$))", re.MULTILINE)


def migrate_text(
    text: str, options: Options | None = None, filename: str = "<text>"
) -> Migration:
    """Migrates one module.

    Raises:
      SyntaxError: the text is not Python 3.
      RecursionError: it is nested too deeply.
    """
    options = options or Options()
    unseen = options.hidden and options.hidden.get(os.path.realpath(filename))
    if unseen:
        rest = migrate_text(text, dataclasses.replace(options, hidden={}), filename)
        new, told = hidden_names.told(text, unseen, rest.text, TODO)
        told = [f for f in told if options.reports(f.code)]
        if not told or any(f.outcome is Outcome.FAILED for f in rest.findings):
            return rest
        return Migration(new, tuple(sorted([*rest.findings, *told])), rest.support)
    taken = options.reexports and options.reexports.get(os.path.realpath(filename))
    if taken:
        whole, lines = written_out(text, taken)
        if lines:
            alone = dataclasses.replace(options, reexports={})
            return _taken(text, lines, migrate_text(whole, alone, filename), whole)
    if options.graph_modules:
        in_graph = os.path.realpath(filename) in options.graph_modules
        options = dataclasses.replace(options, in_graph=in_graph)
    if "tensorflow" not in text:
        return Migration(text)
    tree = ast.parse(text, filename)
    scopes = Scopes(tree)
    if already_migrated(scopes):
        return Migration(text)
    original = text
    half = half_migrated.recognise(scopes)
    if half is not None:
        plan, findings = _half_migrated(half, scopes, options, text)
        return _written(original, text, tree, plan, findings, None, options, filename)
    if not (
        scopes.is_tf1(symbols.exists_in_tf2)
        or scopes.imports_compat()
        or between_graph.find_sessions(scopes)
        or calls.says_tf1(scopes)
        or imports_missing(scopes)
    ):
        # Nothing in it says TF1; of TF2 code nothing is ours to touch but mistakes.
        plan = Plan()
        told = list(_mistakes(scopes, plan, text))
        if not told:
            return Migration(text)
        return _written(original, text, tree, plan, told, None, options, filename)
    several = apart_of.migrated(
        text, scopes, lambda one: migrate_text(one, options, filename)
    )
    if several is not None and not gates.check(several.text, filename, text, set()):
        return several
    plan, findings = _plan(scopes, options)
    form = None
    if not _alone_in_compat(scopes):
        form = _in_normal_form(text, options, _refused(findings))
    if form is not None:
        if _refused(form.findings):
            plan, findings, form = Plan(), _at_origins(form.findings, form), None
        else:
            tree, plan, findings = form.tree, form.plan, form.findings
            text = form.text.source
    if (
        _refused(findings)
        and scopes.imports_compat()
        and between_graph.runs_alone(scopes)
    ):
        plan, findings = _kept(scopes)
    elif any(f.code == "I120" and f.outcome is Outcome.REFUSED for f in findings):
        findings.extend(_unread_queues(original))
    if _refused(findings):
        findings.extend(_unread_towers(original))
        findings.extend(older_shapes.told(scopes))
        written, told = in_both.applied(scopes, findings)
        if not written.empty:
            told.extend(_mistakes(scopes, written, text))
            done = _written(
                original, text, tree, written, told, None, options, filename
            )
            # Read without those names, the file must be what it was read as.
            if migrate_text(done.text, options, filename).text == done.text:
                return done
    findings.extend(older_shapes.deployed(scopes))
    own = scopes if form is None else Scopes(tree)
    findings.extend(_mistakes(own, plan, text))
    return _written(original, text, tree, plan, findings, form, options, filename)


def _half_migrated(
    found: EagerProgram | Refused, scopes: Scopes, options: Options, text: str
) -> tuple[Plan, list[Finding]]:
    """Eager code in a graph's cluster; where it is not taken it is left whole."""
    plan = Plan()
    if isinstance(found, EagerProgram):
        together = options.strategy in ("multi-worker-mirrored", "mirrored")
        if options.strategy == "auto":
            together = not found.servers
        rewrite = EagerRewrite(found, scopes, plan, together)
        try:
            rewrite.run()
            own = rewrite.findings
        except Refused as refused:
            found, plan = refused, Plan()
        except Conflict as error:
            found, plan = Refused("N199", found.session, str(error), ""), Plan()
    if isinstance(found, Refused):
        own = [found.finding(), *_left_whole(scopes)]
    # D113 is what has been done, where something was done.
    told = [f for f in _mistakes(scopes, plan, text) if plan.empty or f.code != "D113"]
    return plan, [*own, *told]


def _unread_towers(text: str) -> Iterator[Finding]:
    """Why a loop over towers was not taken, in a program that was refused."""
    from migrate.normalise import towers

    found = towers.why_not(text)
    if found is not None:
        line, reason = found
        yield Finding(
            line,
            1,
            "N126",
            Outcome.REFUSED,
            "",
            f"a loop over towers: {reason}",
            _ON_TASKS
            if reason == towers.ON_TASKS
            else "Or make one tower, a replica of tf.distribute.MirroredStrategy.",
        )


def _unread_queues(text: str) -> Iterator[Finding]:
    """Why input by queues did not become datasets, in a program that was refused."""
    from migrate.normalise import Text, queues

    found = queues.why_not(Text.of(text))
    if found is not None:
        yield queues.refusal(found)


def _kept(scopes: Scopes) -> tuple[Plan, list[Finding]]:
    """Code of one process that runs through tensorflow.compat.v1."""
    plan = Plan()
    plan.keeps_compat = True
    estimators = compat_estimators.planned(scopes, plan)
    if estimators is None:
        rules = CompatRules(scopes, plan, {})
        rules.run()
        return plan, [*rules.findings, *unanswered(scopes, plan)]
    rules = CompatRules(scopes, plan, estimators.claimed)
    rules.run()
    own = {(f.line, f.column) for f in estimators.refused}
    found = [f for f in rules.findings if (f.line, f.column) not in own]
    return plan, [
        *estimators.refused,
        *estimators.rewritten,
        *found,
        *unanswered(scopes, plan),
    ]


def _mistakes(scopes: Scopes, plan: Plan, text: str) -> Iterator[Finding]:
    """Mistakes that are no matter of versions; in a file that is changed, mended."""
    for mistake in mistakes.find(scopes, text):
        mended = mistake.done and bool(plan.suites)
        if mistake.edits and not any(
            node in plan.expressions for node, _ in mistake.edits
        ):
            for node, new in mistake.edits:
                plan.replace(node, new)
            mended = True
        outcome = Outcome.KEPT if mistake.kept else Outcome.REFUSED
        outcome = Outcome.REWRITTEN if mended else outcome
        yield Finding(
            mistake.node.lineno,
            mistake.node.col_offset + 1,
            mistake.code,
            outcome,
            mistake.symbol,
            mistake.reason,
            mistake.recipe,
        )


def _written(
    original: str,
    text: str,
    tree: ast.Module,
    plan: Plan,
    findings: list[Finding],
    form: _Form | None,
    options: Options,
    filename: str,
) -> Migration:
    """The text with its plan carried out, where it passes the gates."""
    refused = {f.symbol for f in findings if f.outcome is Outcome.REFUSED}
    findings = _filtered(findings, options, text)
    _notes(plan, tree, findings, text)
    if plan.empty:
        return Migration(text, tuple(sorted(findings)))
    new = _applied(text, tree, plan)
    if plan.suites or plan.expressions or plan.statements:
        if not plan.whole:
            home = options.homes.get(os.path.realpath(filename))
            new = _with_imports(without_unused(new), plan, filename, home)
        failures = gates.check(new, filename, text, refused)
    else:
        failures = gates.compiles(new, filename)  # Only notes: still a TF1 file.
    if form is not None:
        new = _ORPHAN.sub("", new)
        findings = _at_origins(findings, form)
    if failures:
        broken = [
            Finding(line, 1, code_, Outcome.FAILED, "", reason)
            for code_, line, reason in failures
        ]
        return Migration(original, tuple(sorted([*findings, *broken])))
    return Migration(new, tuple(sorted(findings)), tuple(sorted(plan.support)))


def _taken(text: str, lines: list[int], found: Migration, whole: str) -> Migration:
    """The migration of a file that takes TensorFlow from another one of the tree."""
    if found.text == whole:
        return Migration(text, found.findings)  # It needs no TensorFlow of its own.
    imports = [
        Finding(
            line,
            1,
            "T118",
            Outcome.REWRITTEN,
            "tf",
            "TensorFlow itself, as the other file imports it",
        )
        for line in lines
    ]
    findings = tuple(sorted([*imports, *found.findings]))
    return Migration(apart(found.text), findings, found.support)


def _applied(text: str, tree: ast.Module, plan: Plan) -> str:
    new = spliced(text, tree, plan)
    if new is None:
        from migrate.rewrite import Rewriter  # libcst is slow to import.

        new = Rewriter(text, tree, plan).run()
    return new


def _refused(findings: list[Finding]) -> bool:
    """Whether a program was found and refused (its parts are then marked N100)."""
    return any(f.code == "N100" for f in findings)


@dataclasses.dataclass(frozen=True)
class _Form:
    """A program rewritten as TF1 code that means the same, and its plan.

    Attributes:
      brought: calls replaced by what they call, as (title, original line).
      supervised: original lines of Supervisors that are sessions now.
      chiefs: where the chief was told by a wrong test, as (original line, what it did).
      queues: what became of input by queues.
      towers: the loop over towers that is one tower now.
      split: original lines where the usual split was made by hand.
    """

    text: Text
    brought: tuple[tuple[str, int], ...]
    supervised: tuple[int, ...]
    chiefs: tuple[tuple[int, str], ...]
    queues: tuple[Finding, ...]
    towers: towers.Towers | None
    split: tuple[int, ...]
    tree: ast.Module
    plan: Plan
    findings: list[Finding]


def _in_normal_form(text: str, options: Options, refused: bool) -> _Form | None:
    """The program's form that can be migrated; None if that is the program itself.

    Feeds are written out in any program. Only in one that is refused as it stands is
    what builds its graph brought to one place.
    """
    opens = any(name in text for name in _OPENS) and (
        ".run(" in text or ".eval(" in text
    )
    # An Estimator's input_fn opens no session.
    if not (opens or options.in_graph or "estimator" in text):
        return None
    from migrate.normalise import (
        Text,
        chiefs,
        collections,
        displays,
        driver,
        elements,
        fetched_calls,
        graph_first,
        late_values,
        losses,
        placement,
        queues,
        scope_names,
        sessions,
        statements,
        supervisor,
        tensor_names,
        towers,
        versions,
        written_out,
    )

    start, chiefs_ = chiefs.mended(Text.of(text))
    start, read = queues.replaced(start)
    if not (opens or read):
        return None
    start, split = placement.usual(start)
    supervised = supervisor.lines(start)
    before = start.source
    start = supervisor.replaced(start)
    if start.source == before:
        supervised = ()
    for step in (
        scope_names.written_out,
        losses.collected,
        sessions.monitored,
        sessions.plain,
        tensor_names.by_program,
        statements.run_by_session,
        elements.taken_after,
        statements.named,
        versions.renamed,
        driver.plain,
        graph_first.moved,
        fetched_calls.named,
        late_values.computed,
        collections.listed,
        written_out,
        displays.named,
    ):
        start = step(start)
    changed = start.source != text or towers.as_replicas(start) is not None
    if not (changed or refused):
        return None
    own = [(start, (), ())] if changed else []
    first: _Form | None = None
    for form, brought, more in itertools.chain(own, _together(start)):
        replicated = towers.as_replicas(form)
        form = replicated.text if replicated is not None else form
        tree = ast.parse(form.source)
        count = replicated.count if replicated is not None else None
        plan, findings = _plan(Scopes(tree), options, count)
        noted = (*read, *more)
        attempt = _Form(
            form,
            brought,
            supervised,
            chiefs_,
            noted,
            replicated,
            split,
            tree,
            plan,
            findings,
        )
        if not _refused(attempt.findings):
            return attempt
        first = first or attempt
    # As it stands a program whose feeds had to be written out would compute them anew
    # at every use: it is then refused.
    return first if changed or not refused else None


def _together(
    start: Text,
) -> Iterator[tuple[Text, tuple[tuple[str, int], ...], tuple[Finding, ...]]]:
    """Forms of the program in which its graph stands in one place.

    With what was brought there, and what became of input by queues.
    """
    from migrate.normalise import (
        branches,
        collections,
        driver,
        elements,
        fetched_calls,
        graph_first,
        late_values,
        normal_forms,
        queues,
        sessions,
        statements,
        written_out,
    )

    for form in normal_forms(start.source):
        plain = driver.plain(sessions.plain(form.text))
        taken, noted = queues.replaced(branches.decided(statements.folded(plain)))
        taken = graph_first.moved(elements.taken_after(taken))
        taken = late_values.computed(fetched_calls.named(taken))
        taken = branches.decided(statements.folded(taken))
        text = statements.folded(written_out(collections.listed(taken)))
        origins = tuple(start.origins[line - 1] for line in text.origins)
        brought = tuple((title, start.origins[n - 1]) for title, n in form.brought)
        yield (
            dataclasses.replace(text, origins=origins),
            brought,
            tuple(
                dataclasses.replace(f, line=start.origins[f.line - 1]) for f in noted
            ),
        )


def _at_origins(findings: list[Finding], form: _Form) -> list[Finding]:
    """Findings at the lines of the file they came from, and what was brought where."""
    moved = [
        dataclasses.replace(f, line=form.text.origins[f.line - 1])
        for f in findings
        if f.line <= len(form.text.origins)
    ]
    if not _refused(form.findings):
        moved.extend(form.queues)
    if form.towers is not None:
        moved.append(
            Finding(
                form.towers.line,
                1,
                "S138",
                Outcome.REWRITTEN,
                "",
                f"the loop over {form.towers.count} towers: a replica each of a "
                "MirroredStrategy, which averages their gradients",
            )
        )
    for line, reason in form.chiefs:
        moved.append(
            Finding(
                line,
                1,
                "D111",
                Outcome.REWRITTEN,
                "",
                f"{reason}; the worker of index 0 is the chief now",
            )
        )
    for line in form.split:
        moved.append(
            Finding(
                line,
                1,
                "C133",
                Outcome.REWRITTEN,
                "tf.device",
                "variables on parameter servers and the rest on the own worker: a "
                "ParameterServerStrategy, which deals variables to the servers in turn",
            )
        )
    for line in form.supervised:
        moved.append(
            Finding(
                line,
                1,
                "S132",
                Outcome.REWRITTEN,
                "tf.train.Supervisor",
                "a MonitoredTrainingSession: it also saves when training ends, and logs "
                "the speed every 100 steps",
            )
        )
    for title, line in form.brought:
        moved.append(
            Finding(
                line,
                1,
                "S130",
                Outcome.REWRITTEN,
                title,
                f"`{title}` builds what the session runs; its body stands there now",
            )
        )
    return list(dict.fromkeys(moved))


def already_migrated(scopes: Scopes) -> bool:
    """Whether this file is our own output: it imports an emitted module."""
    emitted = {"training_session", "plain_session", table.MODULE, *table.BESIDE}
    emitted.add(keras_models.MODULE)
    return bool(emitted & set(scopes.module.bindings))


def _plan(
    scopes: Scopes, options: Options, towers: str | None = None
) -> tuple[Plan, list[Finding]]:
    diagnostics = Diagnostics()
    plan = Plan()
    claimed: dict[ast.AST, tuple[str, str]] = {}
    program = None
    if not _alone_in_compat(scopes):
        program = between_graph.recognise(scopes, diagnostics, towers)
    if program is not None:
        program = _with_strategy(program, options)
        program.partitioned = _partitions(scopes)
        attempt = Plan()
        expressions = Expressions(program, scopes, diagnostics, attempt)
        try:
            expressions.run()
            custom_loop.plan_program(program, scopes, diagnostics, attempt)
        except Conflict as error:
            diagnostics.refuse("N199", program.session, str(error))
        if not diagnostics.refused:
            plan, claimed = attempt, expressions.claimed
            _claim_dropped(program, scopes, claimed)
            diagnostics.findings.extend(_dropped_calls(program, scopes))
    if diagnostics.refused:
        return Plan(), [*diagnostics.findings, *_left_whole(scopes)]
    if program is None:
        estimators = None if modes.alone(scopes) else estimator.recognise(scopes)
        if estimators is None and options.in_graph and builds_graph(scopes):
            estimators = estimator.recognise_module(scopes)
        if estimators is not None:
            return _plan_estimators(estimators, scopes, options)
    kept = program is None and scopes.imports_compat()
    plan.keeps_compat = kept
    # compat.v1 code outside a program runs as it is.
    rules = (CompatRules if kept else SymbolRules)(scopes, plan, claimed)
    # Beside a client's program there may be what the cluster's own tasks do.
    rules.serves = program is not None and program.connected is not None
    rules.run()
    if program is None and not kept:
        return _outside_of_programs(scopes, rules, options)
    if program is not None:
        apart = [
            range(d.lineno, (d.end_lineno or d.lineno) + 1)
            for d in program.apart(scopes)
            if isinstance(d, ast.stmt)
        ]
        refused = [f for f in rules.findings if f.outcome is Outcome.REFUSED]
        if any(not any(f.line in lines for lines in apart) for f in refused):
            at = {(f.line, f.column) for f in refused}
            rest = [f for f in _left_whole(scopes) if (f.line, f.column) not in at]
            return Plan(), [*refused, *rest]
    return plan, [
        *diagnostics.findings,
        *rules.findings,
        *unanswered(scopes, plan),
    ]


def _outside_of_programs(
    scopes: Scopes, rules: SymbolRules, options: Options
) -> tuple[Plan, list[Finding]]:
    """A file of no program: symbol by symbol, or left whole where it is of a graph's."""
    graph = [f for f in rules.findings if f.code in GRAPH_CODES]
    if graph and all(f.symbol.startswith("tf.train.Server") for f in graph):
        # Nothing but a task that serves.
        alone = SymbolRules(scopes, Plan(), {}, serves=True)
        alone.run()
        return alone.plan, [*alone.findings, *unanswered(scopes, alone.plan)]
    if not graph or options.in_graph:
        return rules.plan, [*rules.findings, *unanswered(scopes, rules.plan)]
    reason = min(graph, key=lambda f: (GRAPH_CODES[f.code], f.line, f.column))
    own = [
        f
        for f in rules.findings
        if f is reason or (f.outcome is Outcome.REFUSED and f.code not in GRAPH_CODES)
    ]
    at = {(f.line, f.column) for f in own}
    rest = [f for f in _left_whole(scopes) if (f.line, f.column) not in at]
    return Plan(), [*own, *rest]


def _alone_in_compat(scopes: Scopes) -> bool:
    """Whether a file of compat.v1 starts no server: its sessions are of one process."""
    return scopes.imports_compat() and not any(
        symbol in ("tf.train.Server", "tf.train.replica_device_setter")
        for _, symbol in scopes.walk_uses()
    )


def _plan_estimators(
    program: estimator.EstimatorProgram, scopes: Scopes, options: Options
) -> tuple[Plan, list[Finding]]:
    """A program of Estimators; with one refusal it is left as it is, whole."""
    plan = Plan()
    rewrite = EstimatorRewrite(program, scopes, plan)
    models: list[Finding] = []
    if options.estimators == "keras" and not program.imported:
        rewrite.claimed, models = plan_models(scopes, plan)
    rewrite.run()
    rules = SymbolRules(scopes, plan, rewrite.claimed)
    rules.run()
    own = {(f.line, f.column) for f in rewrite.refused}
    refused = rewrite.refused + [
        f
        for f in rules.findings
        if f.outcome is Outcome.REFUSED and (f.line, f.column) not in own
    ]
    if refused:
        at = {(f.line, f.column) for f in refused}
        rest = [f for f in _left_whole(scopes) if (f.line, f.column) not in at]
        return Plan(), [*refused, *rest]
    return plan, [
        *models,
        *rewrite.rewritten,
        *rules.findings,
        *unanswered(scopes, plan),
    ]


def _left_whole(scopes: Scopes) -> Iterator[Finding]:
    """A refused program is left as it is: half of it would not run."""
    yield from unanswered(scopes, Plan())
    for node, symbol in scopes.walk_uses():
        if symbol.startswith("tf."):
            yield Finding(
                node.lineno,
                node.col_offset + 1,
                "N100",
                Outcome.REFUSED,
                symbol,
                "part of a program that was refused",
            )


def _with_strategy(program: ir.TrainingProgram, options: Options) -> ir.TrainingProgram:
    if program.cluster is None:
        return program  # One process has no choice.
    if options.strategy == "parameter-server":
        program.replication, program.condition = ir.Replication.ASYNCHRONOUS, None
    elif options.strategy in ("multi-worker-mirrored", "mirrored"):
        program.replication, program.condition = ir.Replication.SYNCHRONOUS, None
    return program


def _partitions(scopes: Scopes) -> bool:
    return any(symbol in roles.PARTITIONERS for _, symbol in scopes.walk_uses())


def _claim_dropped(
    program: ir.TrainingProgram, scopes: Scopes, claimed: dict[ast.AST, tuple[str, str]]
) -> None:
    """Uses in statements of which nothing is left."""
    fetched = {f for step in program.steps for f in step.flows}
    reason: tuple[str, str] | None
    for flow in every(program.flows):
        reason = None
        if flow.dropped:
            reason = ("S117", f"dropped: {flow.dropped}")
        elif flow.step and flow not in fetched and not flow.suites and not flow.build:
            reason = ("S114", "dropped: no run call fetches it")
        if reason is None:
            continue
        for node in ast.walk(flow.statement):
            if isinstance(node, (ast.Attribute, ast.Name)) and node not in claimed:
                claimed[node] = reason
    for statement in ast.walk(scopes.tree):
        if isinstance(statement, ast.With):
            for item in statement.items:
                call = item.context_expr
                if (
                    isinstance(call, ast.Call)
                    and scopes.resolve(call.func) == "tf.device"
                    and any(statement is not s for s in (program.session,))
                ):
                    continue


def _dropped_calls(program: ir.TrainingProgram, scopes: Scopes) -> Iterator[Finding]:
    """Statements that only told something of the graph: `print(h.get_shape())`."""
    fetched = {f for step in program.steps for f in step.flows}
    for flow in every(program.flows):
        value = getattr(flow.statement, "value", None)
        if (
            isinstance(flow.statement, ast.Expr)
            and isinstance(value, ast.Call)
            and scopes.resolve(value.func) is None
            and (flow.step or flow.pure)
            and not (flow.build or flow.dropped or flow in fetched)
        ):
            yield Finding(
                flow.statement.lineno,
                flow.statement.col_offset + 1,
                "S114",
                Outcome.REWRITTEN,
                "",
                "dropped: what this call did with a tensor when the graph was built",
            )


def _filtered(findings: list[Finding], options: Options, text: str) -> list[Finding]:
    lines = text.split("\n")
    kept = []
    for finding in findings:
        if options.select and not finding.code.startswith(options.select):
            continue
        if options.ignore and finding.code.startswith(options.ignore):
            continue
        line = lines[finding.line - 1] if finding.line <= len(lines) else ""
        match = _IGNORE.search(line)
        if match and finding.code in match[1].replace(" ", "").split(","):
            continue
        kept.append(finding)
    return kept


def _notes(plan: Plan, tree: ast.Module, findings: list[Finding], text: str) -> None:
    """One comment above each refused statement, once however often the tool runs."""
    lines = text.split("\n")
    refused = [f for f in findings if f.outcome is Outcome.REFUSED and f.code != "N100"]
    if not refused:
        return
    starts: dict[int, ast.stmt] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt):
            for line in range(node.lineno, (node.end_lineno or node.lineno) + 1):
                known = starts.get(line)
                if known is None or known.lineno < node.lineno:
                    starts[line] = node
    for finding in refused:
        statement = starts.get(finding.line)
        if statement is None or statement in plan.statements:
            continue
        note = f"{TODO} {finding.code} {finding.reason}"
        above = []
        row = statement.lineno - 2
        if (
            isinstance(statement, (ast.FunctionDef, ast.ClassDef))
            and statement.decorator_list
        ):
            row = statement.decorator_list[0].lineno - 2
        while row >= 0 and lines[row].strip().startswith("#"):
            above.append(lines[row].strip())
            row -= 1
        notes = plan.notes.setdefault(statement, [])
        if note not in above and note not in notes:
            notes.append(note)
        if not notes:
            del plan.notes[statement]


# -- imports ------------------------------------------------------------------------


def _with_imports(text: str, plan: Plan, filename: str, home: Home | None) -> str:
    """Adds the imports the new text needs, after TensorFlow's own or the last import.

    A file of a package may be run as a script or by `python -m package.file`: then what
    is written beside it is imported in either way.

    Args:
      home: where emitted modules are, if not beside the file; those that it needs there
        are added to the plan's.
    """
    in_package = os.path.isfile(os.path.join(os.path.dirname(filename), "__init__.py"))
    beside = {name.removesuffix(".py") for name in plan.support}
    tree = ast.parse(text)
    wanted: list[str] = []
    scopes = Scopes(tree)
    names_read = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
    if "tf" in names_read and "tf" not in scopes.module.bindings:
        wanted.append("import tensorflow as tf")
    for line in dict.fromkeys(sorted(plan.imports)):
        module = line.split()[-1]  # The name that it binds.
        if module in names_read and module not in scopes.module.bindings:
            wanted.append(line)
            if home is not None and f"{module}.py" in support_names():
                wanted[-1] = home.importing(module)
                plan.support.update(table.needed(module))
            elif in_package and module in beside:
                wanted[-1:] = [
                    "try:",
                    f"    {line}",
                    "except ImportError:  # Run as a module of its package.",
                    f"    from . import {module}",
                ]
    lines = text.split("\n")
    for node in () if plan.keeps_compat else tree.body:
        if isinstance(node, ast.Import) and [
            (a.name, a.asname) for a in node.names
        ] == [("tensorflow.compat.v1", "tf")]:
            _respelled(lines, node)
        elif (
            isinstance(node, ast.ImportFrom)
            and node.module == "tensorflow.compat"
            and [(a.name, a.asname) for a in node.names] == [("v1", "tf")]
        ):
            _respelled(lines, node)
    place = 0
    for node in tree.body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            place = node.end_lineno or place
        elif (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
            and place == 0
        ):
            place = node.end_lineno or place
        else:
            if place:
                break
            break
    lines[place:place] = wanted
    return "\n".join(lines)


def _respelled(lines: list[str], node: ast.stmt) -> None:
    """Makes an import of compat.v1 one of TensorFlow; another may stand in its line."""
    line = lines[node.lineno - 1].encode()
    before, after = line[: node.col_offset], line[node.end_col_offset :]
    lines[node.lineno - 1] = (before + b"import tensorflow as tf" + after).decode()
