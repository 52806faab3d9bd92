"""N105: what a session program adds to collections that TensorFlow 1 itself read.

    tf.add_to_collection(tf.GraphKeys.TRAINABLE_VARIABLES, bias)   # It is trained.

TensorFlow 2 keeps no collections. In the migrated program nothing would read it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.initial_operations import does_more
from migrate.facts.scopes import Scopes
from migrate.findings import Finding, Outcome
from migrate.rules.lost_graphs import has_graphs, opens_session
from migrate.tables import read_collections as table

_CODE = "N105"
_RECIPES = {
    "TRAINABLE_VARIABLES": "Make the variable trainable where it is made, or give the "
    "optimizer its `var_list`.",
    "GLOBAL_VARIABLES": "Make the variable without `collections`, and give the Saver "
    "its `var_list`.",
    table.SUMMARIES: "Make the summary without `collections`.",
}
_RECIPE = (
    "Give it to the session: `scaffold=tf.train.Scaffold(...)`. The page of N120 says "
    "what a Scaffold may have."
)


def find_lost(old: Scopes, new: Scopes) -> Iterator[Finding]:
    """Yields calls that change collections which nothing reads any more.

    Args:
      old: the file's scopes. The findings are at its lines.
      new: those of its result.
    """
    if new.runs_graphs or has_graphs(new) or not opens_session(old):
        return
    for call in old.walk():
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)):
            continue
        for key in _list_keys(call, old):
            reads = _find_reader(key, call, old)
            if reads:
                yield Finding(
                    call.lineno,
                    call.col_offset + 1,
                    _CODE,
                    Outcome.REFUSED,
                    f"tf.{call.func.attr}",
                    f"{reads} what is in this collection, and TF2 keeps no collections",
                    _RECIPES.get(key, _RECIPE),
                )


def _list_keys(call: ast.Call, scopes: Scopes) -> list[str]:
    """The collections of TensorFlow's own that a call changes."""
    assert isinstance(call.func, ast.Attribute)
    if call.func.attr not in table.ADDS | table.CLEARS:
        return []
    given = names.find_argument(
        call, "names" if "s" == call.func.attr[-1] else "name", 0
    )
    each = given.elts if isinstance(given, ast.List | ast.Tuple) else [given]
    return [key for one in each if (key := _read_key(one, scopes))]


def _read_key(node: ast.expr | None, scopes: Scopes) -> str:
    """A collection by its name in tf.GraphKeys; "" if it is another, or not known."""
    if node is None:
        return ""
    symbol = scopes.resolve(node) or ""
    if "GraphKeys." in symbol:
        return symbol.rpartition(".")[2]
    return table.NAMES.get(str(names.read_literal(node)), "")


def _find_reader(key: str, call: ast.Call, scopes: Scopes) -> str:
    """What TensorFlow 1 does with what is added to a collection, or removed; "" if nothing."""
    assert isinstance(call.func, ast.Attribute)
    looks = bool(scopes.list_calls(*table.LOOKS))
    if key in table.OF_VARIABLES:
        return table.OF_VARIABLES[key]
    if key == table.SUMMARIES:
        return "`merge_all` merges" if looks or scopes.list_calls(table.MERGES) else ""
    argument = table.OF_ARGUMENTS.get(key)
    if argument is None or not looks:
        return ""
    value = names.find_argument(call, "value", 1)
    cleared = call.func.attr in table.CLEARS or value is None
    if cleared or does_more(value, argument, scopes):  # type: ignore[arg-type]
        return "the session takes"
    return ""
