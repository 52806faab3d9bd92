"""Chooses the plan of a file: for a program, for Estimators, or for plain symbols."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Collection, Iterable, Iterator

from migrate import emitted
from migrate.backends import custom_loop
from migrate.backends.estimator_loop import EstimatorRewrite, builds_graph
from migrate.backends.expressions import Expressions
from migrate.backends.keras.networks import plan_networks
from migrate.backends.keras.program import plan_hooks, plan_models
from migrate.backends.loaded_sessions import plan_loaded
from migrate.backends.variable_lists import VariableLists
from migrate.facts import normalised_branches
from migrate.facts.scopes import Scopes
from migrate.findings import Finding, Outcome
from migrate.frontends.estimators import estimator, input_sessions
from migrate.frontends.estimators.classes import refuse_hidden_members
from migrate.frontends.sessions import between_graph, iterators, outer_tensors
from migrate.options import Options
from migrate.plan import Block, Conflict, Dropped, Keep, Plan
from migrate.planning import dropped_calls, lost_names, races, shared_draws
from migrate.program import ir
from migrate.program.binding_time import Diagnostics, list_every_flow
from migrate.program.graph_functions import GraphFunctions
from migrate.rules import without_equal
from migrate.rules.compat import CompatRules
from migrate.rules.imports import (
    drop_rebindings,
    is_missing_import,
    report_unanswered,
)
from migrate.rules.symbols import SymbolRules
from migrate.source.nodes import walk_breadth_first
from migrate.tables import contrib_graph, keras_fit, keras_models, modes, roles
from migrate.tables import estimator as table
from migrate.tables.graph_programs import GRAPH_CODES
from migrate.unit import Unit

_CONFIGURATION = (
    "S117",
    "dropped: TF2 configures devices per process, and places operations softly by "
    "default",
)


def has_refusal(findings: list[Finding]) -> bool:
    """Whether a program was found and refused (its parts are then marked N100)."""
    return any(f.code == "N100" for f in findings)


# Emitted modules that stand beside whole programs, and never beside half of one.
_OF_PROGRAMS = frozenset(
    {"training_session", "plain_session", table.MODULE, keras_models.MODULE}
    | {keras_fit.MODULE}
    | set(table.BESIDE)
)


def already_migrated(scopes: Scopes, beside: Collection[str] | None) -> bool:
    """Whether this file is our own output: it imports a module that we wrote.

    Args:
      beside: the emitted modules that it finds; None for a text of no place. Of that
        it is asked whether what it takes of such a module is what we wrote there.
    """
    for name, bindings in scopes.module.bindings.items():
        for binding in bindings:
            module = emitted.find_imported_module(binding, name)
            if module not in _OF_PROGRAMS:
                continue
            if beside is not None and module not in beside:
                continue
            if beside is not None or _is_used_as_written(scopes, name, module):
                return True
    return False


def _is_used_as_written(scopes: Scopes, name: str, module: str) -> bool:
    """Whether every attribute that is read of a module's name is one of ours."""
    return all(
        node.attr in emitted.list_attributes(module)
        for node in walk_breadth_first(scopes.tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == name
    )


def plan_of(
    scopes: Scopes,
    unit: Unit,
    towers: ir.Towers | None = None,
    servers_end: bool = False,
) -> tuple[Plan, list[Finding]]:
    """A file's plan and findings.

    Args:
      towers: the replicas that its program has, where they were towers.
      servers_end: whether the parameter servers of its program end with its workers.
    """
    diagnostics = Diagnostics()
    scopes.graph_imports = unit.graph_calls
    scopes.imported_state = unit.module_state
    plan = Plan()
    claimed: dict[ast.AST, tuple[str, str]] = {}
    program = None
    if looks_at_input(scopes):
        beside = estimator.recognise(scopes)
        assert beside is not None
        return _plan_estimators(beside, scopes, unit)
    if not starts_no_server(scopes):
        program = between_graph.recognise(scopes, diagnostics, towers)
    if program is not None:
        program = _set_strategy(program, unit.options)
        program.servers_end = servers_end
        program.partitioned = _partitions(scopes)
        attempt = Plan()
        VariableLists(program, scopes).trace_last()
        expressions = Expressions(program, scopes, diagnostics, attempt)
        try:
            expressions.run()
            custom_loop.plan_program(program, scopes, diagnostics, attempt)
            outer_tensors.refuse(program, scopes, diagnostics)
        except Conflict:
            if not diagnostics.refused:  # What is refused anyway may be read amiss.
                raise
        if not diagnostics.refused:
            plan, claimed = attempt, expressions.claimed
            _claim_dropped(program, scopes, attempt, claimed)
            claimed.update(drop_rebindings(scopes, plan))
            diagnostics.findings.extend(dropped_calls.find(program, scopes))
            lost_names.refuse_lost_changes(program, scopes, diagnostics)
            diagnostics.findings.extend(races.find_races(program, scopes))
            diagnostics.findings.extend(shared_draws.find_shared_draws(scopes, program))
    if diagnostics.refused:
        causes = list(without_equal.refuse_without_equal(scopes))
        found = without_equal.drop_consequences(diagnostics.findings, causes)
        return Plan(), [*found, *leave_program_whole(scopes)]
    if program is None:
        estimators = (
            None if modes.uses_only_modes(scopes) else estimator.recognise(scopes)
        )
        if estimators is None and unit.in_graph and builds_graph(scopes):
            estimators = estimator.recognise_module(scopes)
            if estimators is not None:
                whole, found = _plan_estimators(estimators, scopes, unit)
                if not _refuses_only_names(found):
                    return whole, found
        elif estimators is not None:
            return _plan_estimators(estimators, scopes, unit)
    if program is None and not (unit.library or unit.in_graph):
        made = list(iterators.refuse_in_module(scopes))
        if made:
            return Plan(), [*made, *leave_program_whole(scopes)]
    kept = program is None and scopes.imports_compat()
    plan.keeps_compat = kept
    hooks: list[Finding] = []
    if program is None and not kept and unit.options.makes_models:
        claimed, hooks = plan_hooks(scopes, plan, unit.shared)
    # compat.v1 code outside a program runs as it is.
    rules = (CompatRules if kept else SymbolRules)(scopes, plan, claimed)
    # Beside a client's program there may be what the cluster's own tasks do.
    rules.serves = program is not None and program.connected is not None
    rules.run()
    if program is None and not kept:
        whole, found = _plan_outside_of_programs(scopes, rules, unit)
        return whole, found if whole.empty else [*hooks, *found]
    if program is not None:
        apart = [
            range(d.lineno, (d.end_lineno or d.lineno) + 1)
            for d in program.find_unused(scopes)
            if isinstance(d, ast.stmt)
        ]
        refused = [f for f in rules.findings if f.outcome is Outcome.REFUSED]
        if any(not any(f.line in lines for lines in apart) for f in refused):
            at = {(f.line, f.column) for f in refused}
            rest = [
                f for f in leave_program_whole(scopes) if (f.line, f.column) not in at
            ]
            return Plan(), [*refused, *rest]
    return plan, [
        *diagnostics.findings,
        *rules.findings,
        *report_unanswered(scopes),
    ]


def _refuses_only_names(findings: Iterable[Finding]) -> bool:
    """Whether a file is refused, and for nothing but names that TensorFlow 2 lacks.

    Then its other names are written as in a file of no program: it can be imported.
    """
    refused = [f for f in findings if f.outcome is Outcome.REFUSED]
    return bool(refused) and all(
        f.code in ("T111", "N100") and not is_missing_import(f) for f in refused
    )


def _plan_outside_of_programs(
    scopes: Scopes,
    rules: SymbolRules,
    unit: Unit,
) -> tuple[Plan, list[Finding]]:
    """A file of no program: symbol by symbol, or left whole where it is of a graph's."""
    graph = [f for f in rules.findings if f.code in GRAPH_CODES]
    if graph and all(f.symbol.startswith("tf.train.Server") for f in graph):
        # Nothing but a task that serves.
        alone = SymbolRules(scopes, Plan(), {}, serves=True)
        alone.run()
        return alone.plan, [*alone.findings, *report_unanswered(scopes)]
    if not graph or unit.in_graph:
        return rules.plan, [*rules.findings, *report_unanswered(scopes)]
    library = _plan_library(scopes, unit)
    if library is not None:
        return library
    reason = min(graph, key=lambda f: (GRAPH_CODES[f.code], f.line, f.column))
    own = [
        f
        for f in rules.findings
        if f is reason or (f.outcome is Outcome.REFUSED and f.code not in GRAPH_CODES)
    ]
    at = {(f.line, f.column) for f in own}
    rest = [f for f in leave_program_whole(scopes) if (f.line, f.column) not in at]
    return Plan(), [*own, *rest]


def _plan_library(scopes: Scopes, unit: Unit) -> tuple[Plan, list[Finding]] | None:
    """Plans a file of model functions with unknown callers: they stay graph code.

    None if the file has other code than functions that make layers of contrib.
    """
    uses = {symbol for _, symbol in scopes.walk_uses()}
    if not unit.library or not uses & contrib_graph.MAKES:
        return None
    if not GraphFunctions(scopes, in_module=True).alone:
        return None
    module = estimator.recognise_module(scopes)
    # The runner of UPDATE_OPS is not known here: a graph runs them, as before.
    unit = dataclasses.replace(unit, updates=True)
    plan, findings = _plan_estimators(module, scopes, unit)
    if plan.empty:
        return None
    first = min(f for f in findings if f.code == "L150")
    note = Finding(
        first.line,
        first.column,
        "L150",
        Outcome.REWRITTEN,
        "",
        "these functions build a graph, as they did: call them in a step function (after "
        "graph_variables.keep), in a model_fn, or in a graph of tf.compat.v1",
    )
    return plan, [note, *findings]


def looks_at_input(scopes: Scopes) -> bool:
    """Whether all sessions of a file only look at the input of its Estimators."""
    if not between_graph.find_sessions(scopes) or modes.uses_only_modes(scopes):
        return False
    program = estimator.recognise(scopes)
    return program is not None and (
        input_sessions.recognise(scopes, program) is not None
    )


def starts_no_server(scopes: Scopes) -> bool:
    """Whether a file of compat.v1 starts no server: its sessions are of one process."""
    return scopes.imports_compat() and not any(
        symbol in ("tf.train.Server", "tf.train.replica_device_setter")
        for _, symbol in scopes.walk_uses()
    )


def _plan_estimators(
    program: estimator.EstimatorProgram, scopes: Scopes, unit: Unit
) -> tuple[Plan, list[Finding]]:
    """Plans a program of Estimators; one refusal leaves the whole program as it is."""
    plan = Plan()
    sessions = input_sessions.recognise(scopes, program) or ()
    files = unit.shared.files
    quiet = (
        normalised_branches.find_quiet_names(files.model, files.others)
        if files
        else frozenset()
    )
    rewrite = EstimatorRewrite(program, scopes, plan, unit.updates, sessions, quiet)
    models: list[Finding] = []
    if unit.options.makes_models and not program.imported:
        rewrite.claimed, models = plan_models(scopes, plan, unit.shared)
    elif unit.options.makes_models:
        rewrite.claimed, models = plan_hooks(scopes, plan, unit.shared)
    networks, told = plan_networks(scopes, plan, unit.shared)
    rewrite.claimed |= networks
    rewrite.claimed |= plan_loaded(scopes, plan)
    models += told
    rewrite.run()
    rewrite.claimed.update(drop_rebindings(scopes, plan))
    rules = SymbolRules(scopes, plan, rewrite.claimed)
    rules.run()
    own = {(f.line, f.column) for f in rewrite.refused}
    refused = [*rewrite.refused, *refuse_hidden_members(scopes)] + [
        f
        for f in rules.findings
        if f.outcome is Outcome.REFUSED and (f.line, f.column) not in own
    ]
    if refused:
        at = {(f.line, f.column) for f in refused}
        rest = [f for f in leave_program_whole(scopes) if (f.line, f.column) not in at]
        return Plan(), [*refused, *rest]
    return plan, [
        *models,
        *rewrite.rewritten,
        *rules.findings,
        *report_unanswered(scopes),
    ]


def leave_program_whole(scopes: Scopes) -> Iterator[Finding]:
    """Refuses each use of TensorFlow in a refused program: half of it would not run."""
    yield from report_unanswered(scopes)
    causes = list(without_equal.refuse_without_equal(scopes))
    yield from causes
    at = {(cause.line, cause.column) for cause in causes}
    for node, symbol in scopes.walk_uses():
        place = getattr(node, "lineno", 1), getattr(node, "col_offset", 0) + 1
        if symbol.startswith("tf.") and place not in at:
            yield Finding(
                node.lineno,
                node.col_offset + 1,
                "N100",
                Outcome.REFUSED,
                symbol,
                "part of a program that was refused",
            )


def _set_strategy(program: ir.TrainingProgram, options: Options) -> ir.TrainingProgram:
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
    program: ir.TrainingProgram,
    scopes: Scopes,
    plan: Plan,
    claimed: dict[ast.AST, tuple[str, str]],
) -> None:
    """Uses in statements of which nothing is left."""
    fetched = {f for step in program.steps for f in step.flows}
    # `x = dataset.make_one_shot_iterator().get_next()`: the dataset is left.
    left = {
        node
        for dataset in program.unnamed_iterators.values()
        for node in walk_breadth_first(dataset)
    }
    reason: tuple[str, str] | None
    for flow in list_every_flow(program.flows):
        reason = None
        if flow.dropped:
            code = "S116" if flow.kind is ir.Kind.PLACEHOLDER else "S117"
            reason = (code, f"dropped: {flow.dropped}")
        elif flow.step and flow not in fetched and not flow.suites and not flow.build:
            reason = ("S114", "dropped: no run call fetches it")
        if reason is None:
            continue
        for node in walk_breadth_first(flow.statement):
            if (
                isinstance(node, (ast.Attribute, ast.Name))
                and node not in claimed
                and node not in left
            ):
                claimed[node] = reason
    gone: list[ast.AST] = [
        f.statement for f in _find_dropped_configuration(program, plan)
    ]
    for call in (program.session_call, *program.others):
        gone += [
            value
            for value in (*call.args, *(k.value for k in call.keywords))
            if isinstance(value, ast.Call)
            and roles.KIND_OF_CALL.get(scopes.resolve(value.func) or "")
            is ir.Kind.CONFIG
        ]
    for node in (n for part in gone for n in walk_breadth_first(part)):
        if isinstance(node, (ast.Attribute, ast.Name)) and node not in claimed:
            claimed[node] = _CONFIGURATION


def _find_dropped_configuration(
    program: ir.TrainingProgram, plan: Plan
) -> Iterator[ir.Flow]:
    """Finds statements that only configured the session, and are dropped."""
    gone: set[ast.stmt] = set()
    work = [item for items in plan.suites.values() for item in items]
    while work:
        item = work.pop()
        if isinstance(item, Dropped):
            gone.add(item.statement)
        elif isinstance(item, Block):
            work += [*item.items, *item.orelse]
        elif isinstance(item, Keep):
            work += [inner for suite in item.suites.values() for inner in suite]
    for flow in list_every_flow(program.flows):
        if flow.kind is ir.Kind.CONFIG and flow.statement in gone:
            yield flow
