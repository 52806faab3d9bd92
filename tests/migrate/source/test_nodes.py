"""Trees are walked as `ast` walks them, and none is changed that others may read."""

from __future__ import annotations

import ast
import pathlib
import subprocess
import sys

import pytest

from migrate.source.nodes import list_children, parse_source, walk_breadth_first
from tests import ledger

PROJECT = pathlib.Path(__file__).parents[3]
# Every kind of node that Python 3.11 parses stands in one of these.
SPELLINGS = '''
"""A docstring."""
from __future__ import annotations
import os.path as path, sys
from .. import here as there
@decorated
async def f(a, /, b: int = 1, *args, c, d=2, **kwargs) -> None:
    global g
    async with a as b, c: await d
    async for i in [j async for j in k if j]: yield i
    else: return
def h():
    nonlocal_ = lambda x=1, *y, z=2, **w: (yield from x)
    def inner():
        nonlocal nonlocal_
        del nonlocal_, a.b, a[1:2:3]
    assert nonlocal_, "so"
    raise ValueError from None
class C(Base, metaclass=M):
    x: int
    y: str = f"{x!r:>{10}} and {y}"
try:
    z = w = {**a, "b": 1, None: 2} if not b else {1, *c}
except (KeyError, ValueError) as e:
    z += -1 ** 2 @ 3
except* TypeError: pass
else:
    while (n := z) > 1 < 2: continue
finally:
    for i, *j in {k: v for k, v in {s for s in t}}: break
match command:
    case {"a": 1, **rest} | C(x, y=2) | [_, *tail] | None | a.b | (1 as one): ...
'''.replace("except* TypeError: pass\n", "")
MARKED = """
import ast, sys
from migrate.source import nodes

kept, seen = {}, 0

def tree_of(source):
    if source not in kept:
        tree = ast.parse(source)
        kept[source] = tree, ast.dump(tree, include_attributes=True)
    return kept[source][0]

nodes.parse_source = tree_of
from migrate.compiler import migrate_text
FAULT

for name in sys.argv[1:]:
    migrate_text(open(name).read(), filename=name)
    for tree, dumped in kept.values():
        assert ast.dump(tree, include_attributes=True) == dumped, name
        seen += 1
    kept.clear()
assert seen > 1
"""


def _sources() -> list[str]:
    files = [*PROJECT.joinpath("migrate").rglob("*.py")]
    return [SPELLINGS, *(f.read_text("utf-8") for f in files)]


def test_nodes_are_those_of_ast() -> None:
    for source in _sources():
        tree = ast.parse(source)
        walked = [n for n in ast.walk(tree) if not isinstance(n, ast.expr_context)]
        assert [id(n) for n in walk_breadth_first(tree)] == [id(n) for n in walked]
        for node in walked:
            below = [
                child
                for child in ast.iter_child_nodes(node)
                if not isinstance(child, ast.expr_context)
            ]
            assert list_children(node) == below


def test_the_same_text_has_one_tree() -> None:
    assert parse_source("x = 1") is parse_source("x = 1")
    assert parse_source("x = 1") is not parse_source("x = 2")
    with pytest.raises(SyntaxError):
        parse_source("x =")


def _migrates(script: str, programs: list[pathlib.Path]) -> str:
    """Returns the errors of a process that migrates programs and checks their trees."""
    command = [sys.executable, "-c", script, *map(str, programs)]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True)
    return done.stderr


@pytest.mark.rests_on(ledger.COMPILER, PROJECT / "tests" / "programs")
def test_no_tree_is_changed() -> None:
    """Those of programs of all kinds; a pass that changes one would be seen."""
    programs = PROJECT / "tests" / "programs"
    chosen = sorted(programs.joinpath("alone").glob("[!_]*.py"))[::9]
    for kind in ("estimator_variants", "keras_models", "half_migrated", "hooks"):
        chosen += sorted(programs.joinpath(kind).glob("[!_]*.py"))[::6]
    assert len(chosen) > 20
    assert _migrates(MARKED.replace("FAULT", ""), chosen) == ""
    fault = """
from migrate.facts import scopes
built = scopes.Scopes.__init__
def change(self, tree):
    built(self, tree)
    tree.body.append(ast.Pass())
scopes.Scopes.__init__ = change
"""
    assert "AssertionError" in _migrates(MARKED.replace("FAULT", fault), chosen[:1])
