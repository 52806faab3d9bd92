"""Static shapes: what is known, what is not, what a host value gives."""

from __future__ import annotations

import pytest

from migrate.graph import shapes
from migrate.graph.shapes import Shape
from migrate.graph.values import Const, Host, HostDim

_ROWS = HostDim(Host(1, "rows"))
_BROADCAST: list[tuple[Shape | None, Shape | None, Shape | None]] = [
    ((3, 4), (4,), (3, 4)),
    ((None, 4), (3, 4), (3, 4)),
    ((None, 1), (1, 5), (None, 5)),
    ((), (2,), (2,)),
    (None, (2,), None),
    ((_ROWS, 4), (4,), (_ROWS, 4)),
]


@pytest.mark.parametrize("one,other,whole", _BROADCAST)
def test_broadcasting(
    one: Shape | None, other: Shape | None, whole: Shape | None
) -> None:
    assert shapes.broadcast(one, other) == whole
    assert shapes.broadcast(other, one) == whole


def test_sizes_and_windows() -> None:
    assert shapes.compute_size((2, 3)) == 6
    assert (
        shapes.compute_size((2, None)) is None
        and shapes.compute_size((2, _ROWS)) is None
    )
    assert shapes.compute_window(28, 5, 2, "same") == 14
    assert shapes.compute_window(28, 5, 1, "VALID") == 24
    assert shapes.compute_window(None, 5, 1, "VALID") is None


def test_constants_of_different_kinds_are_different() -> None:
    assert Const(1) != Const(1.0) and Const(1) != Const(True)
    assert Const(1) == Const(1) and hash(Const(1)) == hash(Const(1))
