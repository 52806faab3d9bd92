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
from migrate.tables import penalties
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
_PENALTIES = penalties.KEY.rpartition(".")[2]
# Collections of losses, with their texts, and the functions that read that of losses.
_OF_LOSSES = {_PENALTIES: penalties.NAME, "LOSSES": "losses"}
_ASK_LOSSES = (penalties.TOTAL, "tf.losses.get_losses")


def find_lost(old: Scopes, new: Scopes) -> Iterator[Finding]:
    """Yields calls that change collections which nothing reads any more.

    Args:
      old: the file's scopes. The findings are at its lines.
      new: those of its result.
    """
    if new.runs_graphs or has_graphs(new) or not opens_session(old):
        return
    yield from _find_lost_losses(old, new)
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


def _find_lost_losses(old: Scopes, new: Scopes) -> Iterator[Finding]:
    """Yields what adds to losses and penalties that TensorFlow's own functions collect.

    tf.add_to_collection(tf.GraphKeys.REGULARIZATION_LOSSES, penalty)
    loss += tf.losses.get_regularization_loss()
    """
    for name, text in _OF_LOSSES.items():
        added = _list_added(old, name, text)
        if not added or len(added) == len(_list_added(new, name, text)):
            continue
        penal = name == _PENALTIES
        reads = old.list_calls(*(penalties.ASKS if penal else _ASK_LOSSES))
        # Layers and variables with a regulariser add to it, too.
        if (
            reads
            or penal
            and any(
                isinstance(node, ast.keyword)
                and (node.arg or "").endswith("regularizer")
                for node in old.walk()
            )
        ):
            for call in added:
                yield Finding(
                    call.lineno,
                    call.col_offset + 1,
                    _CODE,
                    Outcome.REFUSED,
                    f"tf.{ast.unparse(call.func).rpartition('.')[2]}",
                    "the program adds to a collection that functions of TensorFlow "
                    "fill, too, and TF2 keeps no collections",
                    "Add the value to the loss yourself.",
                )


def _list_added(scopes: Scopes, name: str, text: str) -> list[ast.Call]:
    """The calls that add to a collection, or that give its list away."""
    found = []
    for call in scopes.walk():
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
            continue
        keys = [k.value for k in call.keywords if k.arg == "loss_collection"]
        if call.func.attr in {*table.ADDS, "get_collection_ref"}:
            keys = call.args[:1] + [k.value for k in call.keywords]
        if any(
            (scopes.resolve(node) or "").endswith(f".GraphKeys.{name}")
            or names.read_literal(node) == text
            for key in keys
            for node in ast.walk(key)
            if isinstance(node, ast.expr)
        ):
            found.append(call)
    return found


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
