"""Methods of one name that only compute, or wait, take or move something."""

from __future__ import annotations

import ast

import pytest

from migrate.facts.effects import has_effect
from migrate.facts.scopes import build_scopes
from migrate.gates.callees import Callees
from migrate.source.nodes import parse_source

HEAD = "import queue, threading\nq = queue.Queue()\nt = threading.Thread()\n"
PURE = (
    "given.get('a')",
    "given.get('a', 1)",
    "given.get(3)",
    "', '.join(words)",
    "comma.join(words)",
    "name.replace('a', 'b')",
    "name.replace('a', 'b', 1)",
    "day.replace(hour=0)",
)
WITH_EFFECT = (
    "given.get()",
    "given.get(True)",
    "given.get(timeout=3)",
    "q.get(block)",
    "given.join()",
    "given.join(5)",
    "t.join(seconds)",
    "path.replace(other)",
)


def _last(text: str) -> tuple[Callees, ast.Call]:
    tree = parse_source(HEAD + text)
    value = tree.body[-1].value  # type: ignore[attr-defined]
    assert isinstance(value, ast.Call)
    return Callees(build_scopes(tree)), value


@pytest.mark.parametrize("text", [*PURE, *WITH_EFFECT])
def test_what_a_method_is_called_with_tells_which_it_is(text: str) -> None:
    callees, call = _last(text)
    effect = callees.find_effect(call)
    assert (effect is not None) == (text in WITH_EFFECT)


@pytest.mark.parametrize("text", ["q.get()", "given.get('a')"])
def test_what_is_fed_from_a_queue_has_an_effect(text: str) -> None:
    callees, call = _last(text)
    assert has_effect(call, callees.scopes) == (text == "q.get()")
