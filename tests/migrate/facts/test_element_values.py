"""What a name may stand for, where loops take objects from lists that loops fill."""

from __future__ import annotations

import ast

from migrate.facts.element_values import list_values
from migrate.facts.scopes import build_scopes
from migrate.source.nodes import parse_source


def find_values(source: str) -> list[str]:
    """The values that the last name of a module may have."""
    tree = parse_source(source)
    last = tree.body[-1]
    assert isinstance(last, ast.Expr) and isinstance(last.value, ast.Name)
    return [ast.unparse(v) for v in list_values(last.value, build_scopes(tree))]


FILLED = """\
made = []
for size in sizes:
    layer = make(size)
    made.append(layer)
"""


def test_a_loop_takes_what_another_one_appended() -> None:
    loop = "for size, layer in zip(sizes, made):\n    pass\n"
    assert find_values(FILLED + loop + "layer\n") == ["make(size)"]


def test_a_loop_gives_each_object_the_name_that_it_had() -> None:
    """`layer` is what `made` has, and `made` has what `layer` is."""
    loop = "for other, layer in zip(sizes, made):\n    made.append(layer)\n"
    assert find_values(FILLED + loop + "layer\n") == ["make(size)"]


def test_a_list_that_is_filled_in_another_way_is_not_known() -> None:
    loop = "made.extend(others)\nfor size, layer in zip(sizes, made):\n    pass\n"
    assert find_values(FILLED + loop + "layer\n") == []
