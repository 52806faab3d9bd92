"""One source text in, its migration out: facts, program, plan, rewrite, gates."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterable, Iterator, Mapping

from migrate.backends import compat_estimators
from migrate.backends.direct_steps import call_directly
from migrate.backends.keras_fit import train_by_fit
from migrate.facts.scopes import Scopes, build_scopes
from migrate.facts.trees import described_clusters, hidden_names, own_stars
from migrate.facts.trees.reexports import write_out_imports
from migrate.findings import Finding, Outcome, move_finding
from migrate.frontends.estimators.estimator import find_iterators
from migrate.frontends.sessions import between_graph, threads
from migrate.gates.given_estimators import find_given_estimators
from migrate.gates.given_tensors import find_given_tensors
from migrate.gates.judgement import judge
from migrate.gates.unread_hooks import find_unread_hooks
from migrate.half_migrated_files import migrate_half_migrated
from migrate.ignoring import leave_whole
from migrate.migration import Migration
from migrate.normalise import contrib_metrics
from migrate.normalise.text import Text
from migrate.notes import TODO
from migrate.options import Options
from migrate.parts import migrated as parts_of
from migrate.parts.migrated import is_marked
from migrate.parts.program import Settled
from migrate.plan import Plan
from migrate.plan_writer import Source, plan_mistakes, write_plan
from migrate.planning.choice import (
    already_migrated,
    has_refusal,
    leave_program_whole,
    looks_at_input,
    plan_of,
    starts_no_server,
)
from migrate.planning.forms import Form, find_normal_form
from migrate.planning.method_forms import try_functions
from migrate.planning.told import (
    name_own_parts,
    place_at_origins,
    report_unread_queues,
    report_unread_towers,
)
from migrate.rewriting.other_imports import migrate_other_imports
from migrate.rules import (
    calls,
    closed_world,
    dimensions,
    dropped,
    graph_mode,
    graph_seeds,
    in_both,
    input_functions,
    lost_attributes,
    lost_numpy,
    older_shapes,
    version_tests,
)
from migrate.rules.compat import CompatRules
from migrate.rules.imports import imports_missing, report_unanswered
from migrate.several import programs
from migrate.source.nodes import parse_source
from migrate.tables import roles, symbols
from migrate.tidying.tidy import drop_unused_functions, tidy
from migrate.unit import Unit
from migrate.unused_imports import add_unused_imports

_USE = (
    "Change what else is refused in this file, and make its Estimator from the "
    "class, as the other files do: keras_estimator.Estimator(model=...)."
)


def migrate_text(
    text: str, options: Options | None = None, filename: str = "<text>"
) -> Migration:
    """Migrates one module.

    Raises:
      SyntaxError: the text is not Python 3.
      RecursionError: it is nested too deeply.
    """
    done = _migrate(text, options or Options(), filename)
    if "tensorflow" in text and not any(f.code.startswith("T") for f in done.findings):
        return done  # TensorFlow 2's code, where `np.bool` is NumPy 2's.
    return lost_numpy.mend(text, done)


def _migrate(text: str, options: Options, filename: str) -> Migration:
    if is_marked(text):
        return Migration(text)
    unit = Unit.look_up_file(filename, options, text)
    parts = options.tree.parts
    if not parts.programs:
        return _migrate_with_hidden_names(text, unit)
    found = parts_of.migrate_parts(
        text,
        unit.path,
        parts,
        _migrate_whole,
        options,
        lambda: _report_moved_code(text),
    )
    if found is not None:
        return found
    alone = _migrate_with_hidden_names(text, unit)
    return parts_of.tell_refusals_of_the_whole(
        alone, unit.path, parts, _migrate_whole, options
    )


def _migrate_whole(text: str, path: str, options: Options) -> Migration:
    return _migrate_with_hidden_names(text, Unit.look_up_file(path, options, text))


def is_own_output(text: str, filename: str) -> bool:
    """Whether a file's text is proved to be a result: see `already_migrated`."""
    beside = Unit.look_up_file(filename, Options(), text).own_modules
    if not beside:
        return False
    try:
        return already_migrated(build_scopes(parse_source(text)), beside)
    except (SyntaxError, ValueError, RecursionError):
        return False


def _migrate_with_hidden_names(text: str, unit: Unit) -> Migration:
    """A file's migration, or the file as it was where its comments ask for that."""
    return leave_whole(text, _migrate_with_hidden_symbols(text, unit))


def _migrate_with_hidden_symbols(text: str, unit: Unit) -> Migration:
    """Migrate a file, and report symbols that it imports from modules we could not read."""
    rest = _migrate_with_cluster(text, unit)
    if any(f.outcome is Outcome.FAILED for f in rest.findings):
        return rest
    if not already_migrated(build_scopes(parse_source(text)), unit.own_modules):
        rest = add_unused_imports(text, rest, unit)
        rest = closed_world.add_untold(text, rest)
        rest = graph_mode.add_lost_session(text, rest)
    rest = dropped.add_dropped(text, rest)
    new, told = hidden_names.report_at_imports(text, unit.hidden, rest.text, TODO)
    new, gone = hidden_names.report_at_imports(
        text, dict(unit.shared.gone), new, TODO, "K180", _USE
    )
    told = [*told, *gone]
    if not told:
        return rest
    return Migration(new, tuple(sorted([*rest.findings, *told])), rest.support)


def _migrate_with_cluster(text: str, unit: Unit) -> Migration:
    """A file's migration; a client has the cluster that another file describes."""
    alone = _migrate_with_tensorflow(text, unit)
    at = next((f for f in alone.findings if f.code == described_clusters.MISSING), None)
    if at is None or "ClusterSpec" in text:
        return alone
    found = described_clusters.add_described_cluster(
        text, unit.path, unit.options.tree.clusters
    )
    if isinstance(found, str):
        reason = f"{at.reason}; {found}" if found else at.reason
        told = dataclasses.replace(at, reason=reason)
        kept = [told if f is at else f for f in alone.findings]
        return dataclasses.replace(alone, findings=tuple(kept))
    done = _migrate_with_tensorflow(found.text, unit)
    if any(f.outcome in (Outcome.REFUSED, Outcome.FAILED) for f in done.findings):
        return alone
    last = found.text.count("\n") + 1 - found.count
    origins = [
        *range(1, found.after + 1),
        *[0] * found.count,
        *range(found.after + 1, last + 1),
    ]
    findings = [move_finding(f, origins) for f in done.findings if origins[f.line - 1]]
    shared = Finding(
        at.line, at.column, "C130", Outcome.REWRITTEN, at.symbol, found.reason
    )
    return dataclasses.replace(done, findings=tuple(sorted([*findings, shared])))


def _migrate_with_tensorflow(text: str, unit: Unit) -> Migration:
    """A file's migration, with the branches that TensorFlow 1.15's version takes."""
    asks = version_tests.is_mentioned(text) and (unit.of_tf1 or _is_of_tf1(text))
    decided = version_tests.decide(text) if asks else None
    if decided is None:
        return _migrate_with_imports(text, unit)
    done = _migrate_with_imports(decided.text.source, unit)
    findings = decided.move_findings(done.findings)
    if any(f.outcome in (Outcome.REFUSED, Outcome.FAILED) for f in findings):
        loud = [f for f in findings if f.outcome is not Outcome.REWRITTEN]
        return _refuse_file(text, loud, unit)
    return dataclasses.replace(done, findings=tuple(findings))


def _is_of_tf1(text: str) -> bool:
    return "tensorflow" in text and _says_tf1(build_scopes(parse_source(text)))


def _migrate_with_imports(text: str, unit: Unit) -> Migration:
    """A file's migration, where other files may import TensorFlow for it."""
    whole, lines = write_out_imports(text, unit.reexports)
    whole = own_stars.write_names_for_stars(whole, unit.own_stars)
    if whole == text:
        return _migrate_through_gate(text, unit)
    return migrate_other_imports(
        text, lines, _migrate_through_gate(whole, unit), whole, unit
    )


def _migrate_through_gate(text: str, unit: Unit, directly: bool = True) -> Migration:
    """A file's migration, whose effects are those of the file; else it is refused.

    Args:
      directly: whether a program of one process calls its steps, and has no session.
    """
    several = None
    # What the programs of a file share may be the same only if all have sessions.
    for way in (True, False) if directly else (False,):
        several = programs.migrate_one_of_several(
            text,
            unit.filename,
            functools.partial(_migrate_through_gate, unit=unit, directly=way),
        )
        if several is None or several.text != text:
            break
    if several is not None and several.text != text:
        return several
    done = _migrate_and_judge(text, unit, directly)
    return done if several is None else _say_why(text, done, several.findings, unit)


def _say_why(
    text: str, done: Migration, refusals: Iterable[Finding], unit: Unit
) -> Migration:
    """A refused file of several programs, with what refuses one of them."""
    refused = [f for f in done.findings if f.outcome is Outcome.REFUSED]
    if not any(f.code == "N101" for f in refused):
        return done
    told = [*refusals, *(f for f in refused if f.code not in ("N100", "N101"))]
    return _refuse_file(text, dict.fromkeys(told), unit)


def _migrate_and_judge(text: str, unit: Unit, directly: bool) -> Migration:
    """The migration of a file that is one program, or several in turn."""
    done = _compile_file(text, unit)
    fewer = dataclasses.replace(unit, methods=False)
    judged = judge(text, done, lambda: _compile_file(text, fewer))
    if unread := find_unread_hooks(text, judged, unit):
        return _refuse_file(text, unread, unit)
    if given := find_given_estimators(text, judged, unit):
        return _refuse_file(text, given, unit)
    if given := find_given_tensors(text, judged, unit):
        return _refuse_file(text, given, unit)
    if judged.text != text or done.text == text:
        judged = drop_unused_functions(text, judged, unit)
        done = call_directly(text, judged, unit.filename) if directly else judged
        done = train_by_fit(text, done, unit)
        return tidy(text, done, unit)
    return _refuse_file(text, judged.findings, unit)


def _refuse_file(text: str, findings: Iterable[Finding], unit: Unit) -> Migration:
    """A file as it was, with the reasons and its uses of TensorFlow."""
    source = Source(text, parse_source(text))
    own = list(findings)
    at = {(f.line, f.column) for f in own}
    rest = [
        f
        for f in leave_program_whole(build_scopes(source.tree))
        if (f.line, f.column) not in at
    ]
    return write_plan(source, Plan(), [*own, *rest], unit)


def _compile_file(text: str, unit: Unit) -> Migration:
    """A file's migration, by its own text and what is known of the others."""
    if "tensorflow" not in text:
        return Migration(text)
    tree = parse_source(text)
    scopes = build_scopes(tree)
    if already_migrated(scopes, unit.own_modules):
        return Migration(text)
    eager = migrate_half_migrated(Source(text, tree), scopes, unit)
    if eager is not None:
        return eager
    drawn = (unit.in_graph or not unit.library) and any(find_iterators(scopes))
    if not (unit.of_tf1 or drawn or _says_tf1(scopes)):
        # Of TF2 code nothing is ours to touch but mistakes.
        plan = Plan()
        findings = list(plan_mistakes(scopes, plan, text))
        if not findings:
            return Migration(text)
        return write_plan(Source(text, tree), plan, findings, unit)
    for attempt in (
        _migrate_with_core_metrics,
        _migrate_with_seeds,
    ):
        found = attempt(text, scopes, unit)
        if found is not None:
            return found
    refusals: list[Finding] = []
    found = programs.migrate_in_turn(
        text, scopes, unit.filename, lambda one: _compile_file(one, unit), refusals
    )
    if found is not None:
        return found
    done = _migrate_by_plan(Source(text, tree), scopes, unit)
    return _say_why(text, done, refusals, unit) if refusals else done


def _says_tf1(scopes: Scopes) -> bool:
    return bool(
        scopes.is_tf1(symbols.exists_in_tf2)
        or scopes.imports_compat()
        or between_graph.find_sessions(scopes)
        or calls.says_tf1(scopes)
        or imports_missing(scopes)
        or scopes.runs_graphs
        or _gives_datasets_later(scopes)
    )


def _gives_datasets_later(scopes: Scopes) -> bool:
    """Whether it calls what TF2's `tf.data.Iterator`, which is a class there too, lacks."""
    later = roles.REINITIALIZABLE | roles.FEEDABLE
    return any(symbol in later for _, symbol in scopes.walk_uses())


def _migrate_with_core_metrics(
    text: str, scopes: Scopes, unit: Unit
) -> Migration | None:
    """The migration with contrib's metrics as those of tf.metrics; None if refused."""
    counted = contrib_metrics.replace_by_core(text, scopes)
    if counted is None:
        return None
    core = _compile_file(counted[0], unit)
    loud = (Outcome.REFUSED, Outcome.FAILED)
    if any(f.outcome in loud for f in core.findings):
        return None
    return _rename_findings_to_contrib(core, counted[1])


def _migrate_with_seeds(text: str, scopes: Scopes, unit: Unit) -> Migration | None:
    """The migration with seeds of graphs set by calls; None if refused."""
    seeded = graph_seeds.write_as_calls(text, scopes)
    if seeded is None:
        return None
    found = _compile_file(seeded, unit)
    loud = (Outcome.REFUSED, Outcome.FAILED)
    return None if any(f.outcome in loud for f in found.findings) else found


def _migrate_by_plan(source: Source, scopes: Scopes, unit: Unit) -> Migration:
    """The migration by a plan for the text, or for its form that can be migrated."""
    text = source.text
    plan, findings = plan_of(scopes, unit)
    form = None
    as_it_stands = looks_at_input(scopes) and not has_refusal(findings)
    if not (as_it_stands or starts_no_server(scopes)):
        form = find_normal_form(text, unit, findings)
    moved = False
    if form is None:
        form, findings = try_functions(Text.read_source(text), unit, findings)
        moved = form is not None
    elif has_refusal(form.findings):
        told = place_at_origins(form.findings, form, text)
        plan, findings, form = Plan(), list(name_own_parts(told, scopes)), None
    elif form.changes.noted or form.noted:
        both, _ = try_functions(form.text, unit, form.findings)
        if both is not None:
            moved, form = True, _combine_forms(form, both)
    if form is not None:
        source, plan, findings = source.take_form(form), form.plan, form.findings
    if (
        has_refusal(findings)
        and scopes.imports_compat()
        and between_graph.runs_alone(scopes)
    ):
        plan, findings = _plan_compat(scopes)
    elif any(f.code == "I120" and f.outcome is Outcome.REFUSED for f in findings):
        findings.extend(report_unread_queues(text))
    if has_refusal(findings):
        findings.extend(report_unread_towers(text))
        findings = threads.name_threads(scopes, findings)
        findings = input_functions.name_input_functions(scopes, findings)
        findings.extend(older_shapes.report_older_shapes(scopes, text))
        done = _rename_for_both_versions(source, scopes, findings, unit)
        if done is not None:
            return done
    findings.extend(older_shapes.report_deployed(scopes))
    own = scopes if form is None else build_scopes(source.tree)
    if not has_refusal(findings):
        findings.extend(dimensions.plan_values(own, plan))
        findings.extend(lost_attributes.plan_attributes(own, plan))
    findings.extend(plan_mistakes(own, plan, source.text))
    done = write_plan(source, plan, findings, unit)
    if moved and any(f.outcome is Outcome.FAILED for f in done.findings):
        # What a gate stops stays a method.
        return _compile_file(text, dataclasses.replace(unit, methods=False))
    return done


def _combine_forms(read: Form, moved: Form) -> Form:
    """A form in which queues are read by datasets and methods are functions."""
    return dataclasses.replace(
        read,
        text=moved.text,
        tree=moved.tree,
        plan=moved.plan,
        findings=moved.findings,
    )


def _rename_for_both_versions(
    source: Source, scopes: Scopes, findings: list[Finding], unit: Unit
) -> Migration | None:
    """A refused file with those of its names changed that both versions have."""
    plan, told = in_both.plan_for_both_versions(scopes, findings)
    if plan.empty:
        return None
    told.extend(plan_mistakes(scopes, plan, source.text))
    done = write_plan(source, plan, told, unit)
    # Read without those names, the file must be what it was read as.
    if done.text == source.text or _compile_file(done.text, unit).text == done.text:
        return done
    return None


def _rename_findings_to_contrib(
    found: Migration, stood: Mapping[int, str]
) -> Migration:
    """The findings of metrics under the names by which the program called them."""
    findings = [
        dataclasses.replace(f, symbol=stood[f.line])
        if f.line in stood and f.symbol.startswith("tf.metrics.")
        else f
        for f in found.findings
    ]
    return dataclasses.replace(found, findings=tuple(sorted(findings)))


def settle_program(path: str, options: Options) -> Settled:
    """Migrates a program together with the modules that build its graph.

    Args:
      path: its real path.
      options: of the run, with its tree.
    """
    return parts_of.settle_program(options.tree.parts, path, _migrate_whole, options)


def _report_moved_code(text: str) -> Iterator[Finding]:
    """The uses of TensorFlow in a module whose code stands in its programs."""
    for node, symbol in build_scopes(parse_source(text)).walk_uses():
        if symbol.startswith("tf."):
            yield Finding(
                node.lineno,
                node.col_offset + 1,
                "S130",
                Outcome.KEPT,
                symbol,
                "as it was: the programs that used it have it, migrated",
            )


def _plan_compat(scopes: Scopes) -> tuple[Plan, list[Finding]]:
    """Code of one process that runs through tensorflow.compat.v1."""
    plan = Plan()
    plan.keeps_compat = True
    estimators = compat_estimators.plan_estimators(scopes, plan)
    if estimators is None:
        rules = CompatRules(scopes, plan, {})
        rules.run()
        return plan, [*rules.findings, *report_unanswered(scopes)]
    rules = CompatRules(scopes, plan, estimators.claimed)
    rules.run()
    own = {(f.line, f.column) for f in estimators.refused}
    found = [f for f in rules.findings if (f.line, f.column) not in own]
    return plan, [
        *estimators.refused,
        *estimators.rewritten,
        *found,
        *report_unanswered(scopes),
    ]
