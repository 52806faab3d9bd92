"""D101: all hosts of a job in one string, "host1:2222,host2:2222".

ClusterSpec takes a list of addresses. A string raises TypeError; a list of one such
string is a job of one task, whose address nobody answers.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.program.ir import code
from migrate.rules.mistakes.mistake import Mistake, binding, calls

_FLAGS = frozenset({"DEFINE_string"})


def find(scopes: Scopes) -> Iterator[Mistake]:
    for call, symbol in calls(scopes):
        if symbol != "tf.train.ClusterSpec" or not call.args:
            continue
        given = binding(scopes, call.args[0]) or call.args[0]
        if isinstance(given, ast.Dict):
            for hosts in given.values:
                yield from _hosts(scopes, hosts)


def _hosts(scopes: Scopes, value: ast.expr) -> Iterator[Mistake]:
    """A job's addresses, as given or as bound to a name before."""
    bound = binding(scopes, value)
    inside = value
    if isinstance(value, ast.List) and len(value.elts) == 1:
        inside = value.elts[0]
        text = names.literal(inside)
        if not (isinstance(text, str) and "," in text):
            return  # One host in a list is what it should be.
    elif isinstance(bound, ast.Constant) or _is_text_flag(scopes, bound):
        inside = bound if isinstance(bound, ast.Constant) else value
    text = names.literal(inside)
    if isinstance(text, str):
        parts = [part.strip() for part in text.split(",")]
        listed = "[" + ", ".join(f'"{part}"' for part in parts) + "]"
        fix = code(listed if inside is not bound else f'{value.id}.split(",")')  # type: ignore[attr-defined]
    elif _is_text_flag(scopes, inside):
        fix = code(inside, '.split(",")')
    else:
        return
    yield Mistake(
        value,
        "D101",
        "the hosts of a job are one string; a cluster takes a list of addresses",
        'Split it: hosts.split(",").',
        ((value, fix),),
        "tf.train.ClusterSpec",
    )


def _is_text_flag(scopes: Scopes, node: ast.expr | None) -> bool:
    """`FLAGS.ps_hosts`, of a flag that is a string."""
    if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
        return False
    if any(
        isinstance(n, ast.Attribute)
        and n.attr == node.attr
        and isinstance(n.ctx, ast.Store)
        for n in scopes.walk()
    ):
        return False  # It is split, perhaps, and kept.
    for call in scopes.walk():
        if not isinstance(call, ast.Call) or not call.args:
            continue
        name = names.literal(call.args[0])
        if isinstance(call.func, ast.Attribute) and call.func.attr in _FLAGS:
            if name == node.attr:
                return True
        if isinstance(call.func, ast.Attribute) and call.func.attr == "add_argument":
            kind = names.argument(call, "type")
            plain = kind is None or (isinstance(kind, ast.Name) and kind.id == "str")
            several = names.argument(call, "nargs") or names.argument(call, "action")
            if name == f"--{node.attr}" and plain and several is None:
                return True
    return False
