"""One source text in, its migration out: facts, program, plan, rewrite, gates."""

from __future__ import annotations

import ast
import dataclasses
import os
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from migrate import apart as apart_of
from migrate import gates
from migrate.backends import compat_estimators
from migrate.backends.half_migrated import EagerRewrite, FitRewrite
from migrate.facts import hidden_names
from migrate.facts.reexports import apart, written_out
from migrate.facts.scopes import Scopes
from migrate.findings import Finding, Outcome
from migrate.forms import Form, at_origins, in_normal_form, unread_queues, unread_towers
from migrate.frontends import between_graph, half_migrated
from migrate.frontends.half_migrated import Refused
from migrate.migration import Migration, Options
from migrate.notes import TODO, add_notes, filtered
from migrate.parts import migrated as parts_of
from migrate.parts.migrated import is_marked
from migrate.parts.program import Parts
from migrate.plan import Plan
from migrate.planning import (
    alone_in_compat,
    already_migrated,
    has_refusal,
    left_whole,
    looks_at_input,
    plan_of,
)
from migrate.program.eager import EagerProgram, FitProgram
from migrate.program.keras_model import SharedModels
from migrate.program_imports import with_imports
from migrate.rules import calls, in_both, mistakes, older_shapes
from migrate.rules.compat import CompatRules
from migrate.rules.imports import imports_missing, unanswered
from migrate.splice import spliced
from migrate.tables import symbols
from migrate.unused import without_unused

if TYPE_CHECKING:
    pass

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
    if is_marked(text):
        return Migration(text)
    if options.parts.programs:
        alone = dataclasses.replace(options, parts=Parts())
        found = parts_of.migrated(
            text,
            os.path.realpath(filename),
            options.parts,
            lambda whole, path: migrate_text(whole, alone, path),
            lambda: _moved(text),
        )
        if found is not None:
            return found
        options = alone
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
    calls_ = options.graph_imports.get(os.path.realpath(filename), {})
    if calls_:
        options = dataclasses.replace(options, graph_calls=calls_)
    if os.path.realpath(filename) in options.of_session_programs:
        options = dataclasses.replace(options, library=False)
    if options.graph_modules or options.updating_modules:
        in_graph = os.path.realpath(filename) in options.graph_modules
        updates = os.path.realpath(filename) in options.updating_modules
        options = dataclasses.replace(options, in_graph=in_graph, updates=updates)
    if options.models:
        known = options.models.get(os.path.realpath(filename), SharedModels())
        options = dataclasses.replace(options, shared_models=known)
    hooks = options.shared_hooks.get(os.path.realpath(filename))
    if hooks:
        known = dataclasses.replace(options.shared_models, hooks=hooks)
        options = dataclasses.replace(options, shared_models=known)
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
    plan, findings = plan_of(scopes, options)
    form = None
    as_it_stands = looks_at_input(scopes) and not has_refusal(findings)
    if not (as_it_stands or alone_in_compat(scopes)):
        form = in_normal_form(text, options, has_refusal(findings))
    if form is not None:
        if has_refusal(form.findings):
            plan, findings, form = Plan(), at_origins(form.findings, form), None
        else:
            tree, plan, findings = form.tree, form.plan, form.findings
            text = form.text.source
    if (
        has_refusal(findings)
        and scopes.imports_compat()
        and between_graph.runs_alone(scopes)
    ):
        plan, findings = _kept(scopes)
    elif any(f.code == "I120" and f.outcome is Outcome.REFUSED for f in findings):
        findings.extend(unread_queues(original))
    if has_refusal(findings):
        findings.extend(unread_towers(original))
        findings.extend(older_shapes.told(scopes, original))
        written, told = in_both.applied(scopes, findings)
        if not written.empty:
            told.extend(_mistakes(scopes, written, text))
            done = _written(
                original, text, tree, written, told, None, options, filename
            )
            # Read without those names, the file must be what it was read as.
            if done.text == text or (
                migrate_text(done.text, options, filename).text == done.text
            ):
                return done
    findings.extend(older_shapes.deployed(scopes))
    own = scopes if form is None else Scopes(tree)
    findings.extend(_mistakes(own, plan, text))
    return _written(original, text, tree, plan, findings, form, options, filename)


def _moved(text: str) -> Iterator[Finding]:
    """The uses of TensorFlow in a module whose code stands in its programs."""
    for node, symbol in Scopes(ast.parse(text)).walk_uses():
        if symbol.startswith("tf."):
            yield Finding(
                node.lineno,
                node.col_offset + 1,
                "S181",
                Outcome.KEPT,
                symbol,
                "as it was: the programs that used it have it, migrated",
            )


def _half_migrated(
    found: EagerProgram | FitProgram | Refused,
    scopes: Scopes,
    options: Options,
    text: str,
) -> tuple[Plan, list[Finding]]:
    """Eager code in a graph's cluster; where it is not taken it is left whole."""
    plan = Plan()
    if not isinstance(found, Refused):
        together = options.strategy in ("multi-worker-mirrored", "mirrored")
        if options.strategy == "auto":
            together = not found.servers
        rewrite = (
            FitRewrite(found, scopes, plan, together)
            if isinstance(found, FitProgram)
            else EagerRewrite(found, scopes, plan, together)
        )
        try:
            rewrite.run()
            own = rewrite.findings
        except Refused as refused:
            found, plan = refused, Plan()
    if isinstance(found, Refused):
        own = [found.finding(), *left_whole(scopes)]
    # D113 is what has been done, where something was done.
    told = [f for f in _mistakes(scopes, plan, text) if plan.empty or f.code != "D113"]
    return plan, [*own, *told]


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
        call = mistake.node
        if isinstance(call, ast.Call) and call.func in plan.expressions:
            if mistake.code in ("D109", "D110", "D137"):
                continue  # It is TF1's own, of Estimators, and has been rewritten.
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
    form: Form | None,
    options: Options,
    filename: str,
) -> Migration:
    """The text with its plan carried out, where it passes the gates."""
    refused = {f.symbol for f in findings if f.outcome is Outcome.REFUSED}
    findings = filtered(findings, options, text)
    add_notes(plan, tree, findings, text)
    if plan.empty:
        return Migration(text, tuple(sorted(findings)))
    new = _applied(text, tree, plan)
    if plan.suites or plan.expressions or plan.statements:
        if plan.whole:  # What it does not have stands as it stood.
            refused |= {spelled for _, spelled, _ in gates.missing(text)}
        else:
            home = options.homes.get(os.path.realpath(filename))
            new = with_imports(without_unused(new), plan, filename, home)
        failures = gates.check(new, filename, text, refused)
    else:
        failures = gates.compiles(new, filename)  # Only notes: still a TF1 file.
    if form is not None:
        new = _ORPHAN.sub("", new)
        findings = at_origins(findings, form)
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
