"""Trains Estimators of Keras models by `Model.fit`.

If a result asks an Estimator for its training, it imports modules that replace
tf.estimator. If Keras and a few callbacks can do all that the program does with it, the model
is trained as Keras's documentation teaches it. Otherwise the result stays as it is, and a
finding gives the reason.
"""

from __future__ import annotations

import ast
import dataclasses

from migrate import emitted
from migrate.backends.keras_fit.edits import plan_fit
from migrate.backends.keras_fit.program import Stays
from migrate.backends.keras_fit.reader import read
from migrate.backends.keras_fit.sharing import check_others
from migrate.backends.keras_fit.spacing import space_text
from migrate.backends.keras_fit.telling import tell_fit, tell_staying
from migrate.facts.scopes import build_scopes
from migrate.findings import Finding
from migrate.gates.effects import Wrong, find_differences
from migrate.migration import Migration
from migrate.plan import Plan
from migrate.rewriting import gates
from migrate.rewriting.apply import apply_plan
from migrate.rewriting.imports import add_imports, find_taken_names
from migrate.source.nodes import find_plain_names, parse_source
from migrate.tables import keras_fit as table
from migrate.unit import Unit


def train_by_fit(original: str, done: Migration, unit: Unit) -> Migration:
    """Returns the migration with its models trained by `fit`, or unchanged if that fails.

    Args:
      original: the text that was migrated.
      done: its migration, with Estimators of Keras models.
      unit: the facts about the file.
    """
    filename = unit.filename
    if unit.options.estimators != "fit" or table.ESTIMATOR not in done.text:
        return done
    if table.ESTIMATOR in original:
        return done  # The file was already migrated, and stays as it is.
    package = unit.home.package if unit.home else ""
    result = _import_by_name(done.text, package)
    tree = parse_source(result)
    try:
        program = read(build_scopes(tree))
        check_others(program, original, unit.shared.naming)
        plan, written = plan_fit(program, original)
    except Stays as reason:
        told = tell_staying(done.findings, reason, original, result)
        return dataclasses.replace(done, findings=tuple(told))
    plan.support.add(f"{table.MODULE}.py")
    text = _drop_unread_imports(apply_plan(result, tree, plan))
    text = space_text(add_imports(text, plan, filename, unit.home), written)
    text = _import_from(text, package)
    findings = tell_fit(done.findings, text)
    wrong = _find_fault(text, original, filename, plan, findings)
    if wrong:
        told = tell_staying(done.findings, Stays(tree, wrong), original, done.text)
        return dataclasses.replace(done, findings=tuple(told))
    read_ = find_plain_names(parse_source(text), ast.Load)
    kept = [n for n in done.support if emitted.find_module(n) in read_]
    kept += [f"{name}.py" for name in (table.INPUTS, table.EXPORTED) if name in read_]
    return Migration(text, tuple(findings), tuple(sorted({*kept, *plan.support})))


def _find_fault(
    text: str, original: str, filename: str, plan: Plan, findings: list[Finding]
) -> str:
    """Returns the reason of a gate against a result; "" if there is none."""
    if names := find_taken_names(text, plan):
        return f"the program has a `{names[0]}` of its own"
    for _, _, reason in gates.check(text, filename, original, set()):
        return reason
    for found in find_differences(original, text, findings):
        if found.wrong not in (Wrong.SERVED, Wrong.TRACED):
            return f"line {found.line}: {found.reason}"
    return ""


def _import_by_name(text: str, package: str) -> str:
    """Returns the text with emitted modules imported one by one, without their package."""
    if not package:
        return text
    lines = text.split("\n")
    for node in reversed(parse_source(text).body):
        if isinstance(node, ast.ImportFrom) and node.module == package:
            own = [alias.name for alias in node.names if emitted.list_files(alias.name)]
            if len(own) == len(node.names) and node.end_lineno:
                named = [f"import {name}" for name in own]
                lines[node.lineno - 1 : node.end_lineno] = named
    return "\n".join(lines)


def _import_from(text: str, package: str) -> str:
    """Returns the text with emitted modules imported from a package, if there is one."""
    if not package:
        return text
    lines = text.split("\n")
    found = {
        alias.name: node.lineno - 1
        for node in parse_source(text).body
        if isinstance(node, (ast.Import, ast.ImportFrom))
        and (isinstance(node, ast.Import) or node.module == package)
        for alias in node.names
        if emitted.list_files(alias.name) and not alias.asname
    }
    if found:
        first, *others = sorted({*found.values()})
        lines[first] = f"from {package} import {', '.join(sorted(found))}"
        for number in reversed(others):
            del lines[number]
    return "\n".join(lines)


def _drop_unread_imports(text: str) -> str:
    """Returns the text without imports of emitted modules that nothing reads any more."""
    tree = parse_source(text)
    read_ = find_plain_names(tree, ast.Load)
    lines = text.split("\n")
    for node in reversed(tree.body):
        first = node.body[0] if isinstance(node, ast.Try) else node
        if not isinstance(first, ast.Import) or len(first.names) != 1:
            continue
        (alias,) = first.names
        if emitted.list_files(alias.name) and (alias.asname or alias.name) not in read_:
            assert node.end_lineno is not None
            del lines[node.lineno - 1 : node.end_lineno]
    return "\n".join(lines)
