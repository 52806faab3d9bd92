"""Reports names that TensorFlow 2.21 lacks, and calls that do not fit it.

Other rules begin with names of TensorFlow 1. This one begins with the names in a file: each
name of TensorFlow that stays unchanged has to be in the table of real names, and each call
of one has to fit its real signature. So it also reads files that are not TensorFlow 1,
which nothing else looks at.
"""

from __future__ import annotations

import ast
import builtins
import dataclasses
import difflib
from collections.abc import Collection, Iterator

from migrate.facts import modules
from migrate.facts.module_values import ModuleValues
from migrate.facts.process_keras import chooses_keras_2
from migrate.facts.scopes import Scopes, build_scopes
from migrate.findings import Finding, Outcome
from migrate.migration import Migration
from migrate.rules import lost_attributes, lost_collections, lost_graphs
from migrate.source.nodes import parse_source, walk_breadth_first
from migrate.tables import legacy_keras, not_public, signatures, symbols
from migrate.tables.roles import has_prefix

# The code of findings about the program's own attributes of a module.
_OF_THE_PROGRAM = frozenset({"T117"})
_LEGACY = "TensorFlow 2.16's and later tf.keras is Keras 3, which does not have it"
_V1 = "tf.compat.v1."
_NO_KERAS = "the package tf_keras does not have it"
_LEGACY_RECIPE = "Use tf_keras, or set TF_USE_LEGACY_KERAS=1."


def add_untold(text: str, found: Migration) -> Migration:
    """Adds findings for names that stay and have no finding yet."""
    told = (
        list(find_untold(text, found.text, found.findings))
        if "tensorflow" in text
        else []
    )
    if not told:
        return found
    findings = tuple(sorted([*found.findings, *told]))
    return dataclasses.replace(found, findings=findings)


def find_untold(old: str, new: str, findings: Collection[Finding]) -> Iterator[Finding]:
    """Yields findings about the new text's names and calls, at the lines of the old text.

    Args:
      findings: those about the old text.
    """
    scopes = build_scopes(parse_source(new))
    lines = {f.line for f in findings if f.outcome is Outcome.REFUSED}
    answered = {f.symbol for f in findings if f.outcome is Outcome.REFUSED}
    answered |= {f.symbol for f in findings if f.code in _OF_THE_PROGRAM}
    whole = any(f.code == "N100" for f in findings)
    unknown = [*_report_uses(scopes), *_report_values(scopes), *_report_imports(scopes)]
    if not lines:
        unknown += lost_attributes.find_lost(scopes, changed=old != new)
    places = _map_places(old, new) if unknown else {}
    for found in unknown:
        line = places.get(found.line, 1)
        told = line in lines or any(
            has_prefix(symbol, (found.symbol,)) or has_prefix(found.symbol, (symbol,))
            for symbol in answered
        )
        if not told:
            found = dataclasses.replace(found, line=line)
            yield _report_in_program(found) if whole else found
    if ("get_default_graph" in new or "gradient_override_map" in old) and not lines:
        yield from lost_graphs.find_lost(build_scopes(parse_source(old)), scopes)
    if "_collection" in old and old != new and not lines:
        yield from lost_collections.find_lost(build_scopes(parse_source(old)), scopes)


def _report_in_program(found: Finding) -> Finding:
    """Changes a finding if the program was refused, and would have migrated the name."""
    twin = "tf.compat.v1" + found.symbol.removeprefix("tf")
    if found.code != "T111" or not signatures.exists(twin):
        return found
    reason = "part of a program that was refused"
    return dataclasses.replace(found, code="N100", reason=reason, recipe="")


def _map_places(old: str, new: str) -> dict[int, int]:
    """Maps lines of the new text to the lines of the old one that they come from."""
    before, after = old.split("\n"), new.split("\n")
    found: dict[int, int] = {}
    matcher = difflib.SequenceMatcher(None, before, after)
    for _, first, last, start, stop in matcher.get_opcodes():
        for index in range(stop - start):
            found[start + index + 1] = min(first + index, max(last - 1, 0)) + 1
    return found


def _report_uses(scopes: Scopes) -> Iterator[Finding]:
    has_keras_2 = chooses_keras_2(scopes.tree)
    for node, symbol in scopes.walk_uses():
        spelled = _spell_path(scopes.find_dotted_path(node) or "")
        if not spelled or not _is_imported(scopes, node):
            continue
        if has_keras_2 and spelled.startswith(_V1) and legacy_keras.find_home(symbol):
            continue  # This process has TensorFlow 1's layers and cells.
        found = _report_name(node, spelled, symbol) or _report_call(
            scopes, node, spelled
        )
        if found is not None:
            yield found


def _report_values(scopes: Scopes) -> Iterator[Finding]:
    """Reports names of modules that are values: `L = tf.keras.layers; L.CuDNNLSTM(3)`."""
    values = ModuleValues(scopes)
    for node in scopes.walk():
        if not isinstance(node, ast.Attribute) or not isinstance(node.ctx, ast.Load):
            continue
        if _is_imported(scopes, node) and not _is_of_tf_keras(scopes, node):
            continue
        for path in sorted(values.find_paths(node.value) or ()):
            spelled = _spell_path(f"{path}.{node.attr}")
            # If the module itself is missing, that is reported at the module's name.
            if not spelled or not signatures.exists(_spell_path(path) or "tf"):
                continue
            symbol = modules.make_canonical(f"{path}.{node.attr}") or spelled
            found = _report_name(node, spelled, symbol) or _report_call(
                scopes, node, spelled
            )
            if found is not None:
                yield found
                break


def _is_of_tf_keras(scopes: Scopes, node: ast.expr) -> bool:
    return scopes.import_path(node).startswith("tf_keras.")


def _spell_path(path: str) -> str:
    """Returns a dotted path as a name of `tf` or `tf_keras`; "" if it is not public."""
    root, _, rest = path.partition(".")
    if root == "tf_keras":
        private = rest.partition(".")[0] in ("src", "api", "__internal__")
        return "" if private or not rest else path
    if root != "tensorflow" or rest.partition(".")[0] in ("python", "contrib", "core"):
        return ""
    return f"tf.{rest}" if rest else ""


def _is_imported(scopes: Scopes, node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    if not isinstance(node, ast.Name):
        return False
    owner = scopes.find_scope(node).find_owner(node.id)
    return owner is not None and all(
        isinstance(binding, ast.Import | ast.ImportFrom)
        for binding in owner.bindings[node.id]
    )


def _report_name(node: ast.AST, spelled: str, symbol: str) -> Finding | None:
    if signatures.exists(spelled):
        return None
    line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0) + 1
    inside = spelled.removeprefix("tf.keras")
    if inside != spelled and signatures.exists(f"tf_keras{inside}"):
        return Finding(
            line, column, "T113", Outcome.KEPT, symbol, _LEGACY, _LEGACY_RECIPE
        )
    if spelled.startswith("tf_keras."):
        return Finding(line, column, "T111", Outcome.REFUSED, spelled, _NO_KERAS)
    reason, recipe = not_public.explain_absence(symbol)
    twin = "tf.compat.v1" + symbol.removeprefix("tf")
    if signatures.exists(twin):
        recipe = f"Write {twin}."
    return Finding(line, column, "T111", Outcome.REFUSED, symbol, reason, recipe)


def _report_call(scopes: Scopes, node: ast.expr, spelled: str) -> Finding | None:
    call = scopes.parents.get(node)
    if not isinstance(call, ast.Call) or call.func is not node:
        return None
    misfit = signatures.find_misfit(call, spelled)
    public = signatures.find_public(spelled)
    inside = public.removeprefix("tf.keras")
    if (
        misfit
        and inside != public
        and not signatures.find_misfit(call, f"tf_keras{inside}")
    ):
        misfit = ""  # Which Keras is installed is not known. It fits one.
    if not misfit:
        return None
    line, column = node.lineno, node.col_offset + 1
    reason = f"TensorFlow 2.21's `{spelled}` does not accept this call: {misfit}"
    recipe = "Write the call as TensorFlow's reference describes it."
    return Finding(line, column, "T121", Outcome.REFUSED, spelled, reason, recipe)


def _report_imports(scopes: Scopes) -> Iterator[Finding]:
    for node in walk_breadth_first(scopes.tree):
        if not isinstance(node, ast.ImportFrom) or node.level:
            continue
        for alias in node.names:
            spelled = _spell_path(f"{node.module}.{alias.name}")
            if alias.name == "*":
                yield from _report_star(scopes, node)
            elif spelled:
                found = _report_name(node, spelled, spelled)
                if found is not None:
                    yield found


def _report_star(scopes: Scopes, star: ast.ImportFrom) -> Iterator[Finding]:
    """Reports names that a star may bring from TensorFlow 1, and nothing else binds."""
    module = _spell_path(star.module or "")
    for node in scopes.walk() if module.startswith("tf.") else ():
        if not isinstance(node, ast.Name) or hasattr(builtins, node.id):
            continue
        spelled = f"{module}.{node.id}"
        if scopes.find_scope(node).find_owner(node.id) is None and symbols.look_up(
            spelled
        ):
            found = _report_name(node, spelled, spelled) or _report_call(
                scopes, node, spelled
            )
            if found is not None:
                yield found
