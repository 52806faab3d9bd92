"""Checks every result before it is written; if it fails, the file stays as it was."""

from __future__ import annotations

import builtins
import symtable
from collections.abc import Collection, Iterator

from migrate.facts.scopes import build_scopes
from migrate.source.nodes import parse_source
from migrate.tables import symbols

# How a reason ends that is about a name.
UNBOUND = ", which nothing binds"


def check_compiles(text: str, filename: str) -> list[tuple[str, int, str]]:
    """The first gate alone."""
    try:
        compile(text, filename, "exec", dont_inherit=True)
    except SyntaxError as error:
        return [
            ("G009", error.lineno or 1, f"the result does not compile: {error.msg}")
        ]
    return []


def check(
    text: str,
    filename: str,
    original: str = "",
    refused: Collection[str] = (),
) -> list[tuple[str, int, str]]:
    """Returns failed gates as (code, line, reason); empty if all is well.

    Args:
      text: the result.
      filename: its name, for messages.
      original: what it was made from.
      refused: symbols of which a use was refused: those uses are unchanged.
    """
    broken = check_compiles(text, filename)
    if broken:
        return broken
    failures = [
        ("G009", 1, f"the result uses `{name}`{UNBOUND}")
        # A name that was never bound is the user's own; it is no fault of ours.
        for name in sorted(
            find_unbound(text, filename) - find_unbound(original, filename)
        )
    ]
    failures += [
        ("G009", line, f"`{spelled}` does not exist in TensorFlow 2")
        for line, spelled, symbol in find_missing_symbols(text)
        if not any(
            _is_within(s, r) or _is_within(r, s)
            for s in (spelled, symbol)
            for r in refused
        )
    ]
    return failures


def _is_within(path: str, module: str) -> bool:
    return path == module or path.startswith(module + ".")


def find_missing_symbols(text: str) -> Iterator[tuple[int, str, str]]:
    """Uses of names that TensorFlow 2 is known not to have: line, name, TF1's symbol."""
    scopes = build_scopes(parse_source(text))
    for node, symbol in scopes.walk_uses():
        path = scopes.find_dotted_path(node) or ""
        if path.startswith("tensorflow."):
            spelled = "tf." + path.removeprefix("tensorflow.")
            if _is_known_missing(spelled):
                yield node.lineno, spelled, symbol


def _is_known_missing(spelled: str) -> bool:
    """Whether a spelling is known not to exist; attributes of classes are not judged."""
    if spelled.startswith("tf.compat.v1.compat."):
        return not symbols.exists_in_target(spelled)
    if spelled.startswith("tf.compat.v1."):
        if symbols.exists_in_target(spelled):
            return False
        name = "tf." + spelled.removeprefix("tf.compat.v1.")
        known = symbols.look_up(name) is not None or name in symbols.NAMESPACES
        return not known and name not in symbols.list_modules()
    known = symbols.look_up(spelled) is not None or spelled.startswith("tf.contrib.")
    return known and not symbols.exists_in_tf2(spelled)


def find_unbound(text: str, filename: str) -> set[str]:
    """Finds names that are read, but that no scope of the module binds."""
    top = symtable.symtable(text, filename, "exec")
    bound = {
        s.get_name() for s in top.get_symbols() if s.is_assigned() or s.is_imported()
    }
    bound |= {s.get_name() for s in top.get_symbols() if s.is_namespace()} | {
        "__file__",
        "__name__",
        "__doc__",
        "__builtins__",
        "__spec__",
        "__path__",
    }
    found: set[str] = set()

    def visit_table(table: symtable.SymbolTable) -> None:
        for symbol in table.get_symbols():
            name = symbol.get_name()
            if symbol.is_declared_global() and symbol.is_assigned():
                bound.add(name)
            is_global = symbol.is_global() or table is top
            if symbol.is_referenced() and is_global and not hasattr(builtins, name):
                found.add(name)
        for child in table.get_children():
            visit_table(child)

    visit_table(top)
    return found - bound
