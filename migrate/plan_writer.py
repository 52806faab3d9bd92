"""A plan carried out on its text, where the result passes the gates."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator

from migrate import emitted
from migrate.facts.graph_objects import is_graph
from migrate.facts.scopes import Scopes, build_scopes
from migrate.findings import Finding, Outcome
from migrate.frontends.runs import left_over
from migrate.ignoring import read_ignored
from migrate.migration import Migration
from migrate.notes import add_notes
from migrate.plan import Dropped, New, Plan
from migrate.planning.choice import leave_program_whole
from migrate.planning.forms import Form
from migrate.planning.told import place_at_origins
from migrate.rewriting import attributes, gates
from migrate.rewriting.apply import apply_plan
from migrate.rewriting.imports import add_imports, find_taken_names, means_compat
from migrate.rewriting.unused import remove_unused_imports
from migrate.rules import mistakes
from migrate.tables import symbols
from migrate.tidying.titles import drop_orphaned_titles
from migrate.unit import Unit


@dataclasses.dataclass(frozen=True)
class Source:
    """A text to plan for: the file's own, or the form in which it can be migrated."""

    original: str
    tree: ast.Module
    form: Form | None = None

    @property
    def text(self) -> str:
        return self.original if self.form is None else self.form.text.source

    def take_form(self, form: Form) -> Source:
        return Source(self.original, form.tree, form)


def plan_mistakes(scopes: Scopes, plan: Plan, text: str) -> Iterator[Finding]:
    """Mistakes that are no matter of versions; in a file that is changed, mended."""
    ignored = read_ignored(text)
    for mistake in mistakes.find(scopes, text):
        call = mistake.node
        if isinstance(call, ast.Call) and call.func in plan.expressions:
            if mistake.code in ("D108", "D110", "D137"):
                continue  # It is TF1's own, of Estimators, and has been rewritten.
        mended = mistake.done and bool(plan.suites)
        left = ignored.asks(mistake.node.lineno, mistake.code)
        if (
            not left
            and mistake.edits
            and not any(node in plan.expressions for node, _ in mistake.edits)
        ):
            for node, new in mistake.edits:
                plan.replace(node, new)
            plan.imports += mistake.imports
            for statement, anew in mistake.statements:
                plan.statements[statement] = [
                    Dropped(statement) if anew is None else New(anew, statement)
                ]
            mended = True
        outcome = Outcome.REFUSED if mistake.blocks else Outcome.WARNED
        outcome = Outcome.KEPT if mistake.kept else outcome
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


def write_plan(
    source: Source, plan: Plan, findings: list[Finding], unit: Unit
) -> Migration:
    """The text with its plan carried out, where it passes the gates."""
    text, form = source.text, source.form
    refused = {f.symbol for f in findings if f.outcome is Outcome.REFUSED}
    findings = _leave_compat(plan, findings, source)
    add_notes(plan, source.tree, findings, text, unit.options)
    if plan.empty:
        return Migration(text, tuple(sorted(findings)))
    new = apply_plan(text, source.tree, plan)
    if plan.suites or plan.expressions or plan.statements:
        if plan.whole:  # What it does not have stands as it stood.
            refused |= {spelled for _, spelled, _ in gates.find_missing_symbols(text)}
        else:
            names = [line.split()[-1] for line in plan.imports]
            beside = list(filter(emitted.list_files, names))
            new = remove_unused_imports(new, beside, unit.taken_imports)
            new = add_imports(new, plan, unit.filename, unit.home)
            for name in find_taken_names(new, plan):
                return write_plan(source, Plan(), _name_taken(source, name), unit)
            if means_compat(new, plan):
                return write_plan(
                    source, Plan(), _refuse_taken_tensorflow(source), unit
                )
            if lacking := attributes.refuse_missing_attributes(source.tree, new):
                failures = gates.check(new, unit.filename, text, refused)
                lacking += _find_lost_names(source, failures)
                return _leave_whole(source, findings, lacking, unit)
        failures = gates.check(new, unit.filename, text, refused)
    else:
        failures = gates.check_compiles(
            new, unit.filename
        )  # Only notes: still a TF1 file.
    if graphs := _refuse_graphs(source, failures):
        return write_plan(source, Plan(), graphs, unit)
    if lost := _find_lost_names(source, failures):
        return _leave_whole(source, findings, lost, unit)
    if form is not None:
        new = drop_orphaned_titles(new)
        findings = place_at_origins(findings, form, source.original)
    if failures and any(f.outcome is Outcome.REFUSED for f in findings):
        # It stays as it is: what would be wrong with the rest of it is nobody's fault.
        return Migration(source.original, tuple(sorted(findings)))
    if failures:
        broken = [
            Finding(line, 1, code_, Outcome.FAILED, "", reason)
            for code_, line, reason in failures
        ]
        return Migration(source.original, tuple(sorted([*findings, *broken])))
    return Migration(new, tuple(sorted(findings)), tuple(sorted(plan.support)))


def _refuse_graphs(
    source: Source, failures: list[tuple[str, int, str]]
) -> list[Finding]:
    """Refuses attributes of a graph, read by the name that its block gave it.

    with tf.Graph().as_default() as g:
      print(g.version)
    """
    if not any(reason.endswith(gates.UNBOUND) for _, _, reason in failures):
        return []
    scopes = build_scopes(source.tree)
    found = [
        Finding(
            node.lineno,
            node.col_offset + 1,
            "S185",
            Outcome.REFUSED,
            ast.unparse(node),
            f"`{ast.unparse(node)}` is about a graph, but the migrated program "
            "makes none",
            "Remove it.",
        )
        for node in scopes.walk()
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.attr != "as_default"
        and is_graph(node.value, scopes)
        and any(f"`{node.value.id}`" in reason for _, _, reason in failures)
    ]
    return [*found, *leave_program_whole(scopes)] if found else []


def _find_lost_names(
    source: Source, failures: list[tuple[str, int, str]]
) -> list[Finding]:
    """Refuses names that the result would read, but that only the steps bind."""
    unbound = {
        reason.split("`")[1]
        for _, _, reason in failures
        if reason.endswith(gates.UNBOUND)
    }
    return list(left_over.refuse_unbound(source.tree, unbound))


def _leave_whole(
    source: Source, findings: list[Finding], lacking: list[Finding], unit: Unit
) -> Migration:
    """The text as it was, with all that is known to refuse it.

    Args:
      findings: what was found before the result was written.
      lacking: what the result lacks.
    """
    refused = [f for f in findings if f.outcome is Outcome.REFUSED and f.code != "N100"]
    told = [*lacking, *refused]
    at = {(f.line, f.column) for f in told}
    rest = leave_program_whole(build_scopes(source.tree))
    told += [f for f in rest if (f.line, f.column) not in at]
    return write_plan(source, Plan(), told, unit)


def _leave_compat(plan: Plan, findings: list[Finding], source: Source) -> list[Finding]:
    """Takes out of a plan the names of compat.v1 that a comment asks to leave."""
    ignored = read_ignored(source.text)
    if plan.suites or plan.statements or not ignored.lines:
        return findings
    scopes = build_scopes(source.tree)
    at = {
        (node.lineno, node.col_offset + 1): node
        for node in plan.expressions
        if isinstance(node, ast.Attribute)
        and (path := scopes.find_dotted_path(node) or "").startswith(
            "tensorflow.compat.v1."
        )
        and symbols.exists_in_target(f"tf{path.removeprefix('tensorflow')}")
    }
    left = []
    for finding in findings:
        node = at.get((finding.line, finding.column))
        if node is not None and ignored.asks_for(finding):
            del plan.expressions[node]
            finding = dataclasses.replace(
                finding, outcome=Outcome.KEPT, reason="left as the comment asks"
            )
        left.append(finding)
    return left


def _name_taken(source: Source, module: str) -> list[Finding]:
    """A program that uses an emitted module's name itself is left whole."""
    scopes = build_scopes(source.tree)
    lines = [
        getattr(binding, "lineno", 1)
        for scope in scopes.scope_by_node.values()
        for binding in scope.bindings.get(module, ())
    ]
    reason = f"the program has a name `{module}` of its own, which the migrated program needs"
    line = min(lines, default=1)
    taken = Finding(line, 1, "N111", Outcome.REFUSED, "", reason, "Rename it.")
    return [taken, *leave_program_whole(scopes)]


def _refuse_taken_tensorflow(source: Source) -> list[Finding]:
    """A program whose `tf` may be tensorflow.compat.v1 is left whole."""
    scopes = build_scopes(source.tree)
    line = getattr(scopes.module.bindings["tf"][-1], "lineno", 1)
    reason = (
        "`tf` is tensorflow.compat.v1 from this line on, but the migrated program "
        "needs the name for tensorflow"
    )
    recipe = "Import TensorFlow only once, by `import tensorflow as tf`."
    taken = Finding(line, 1, "N111", Outcome.REFUSED, "", reason, recipe)
    return [taken, *leave_program_whole(scopes)]
