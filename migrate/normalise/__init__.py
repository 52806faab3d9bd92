"""TF1 to TF1: brings what builds a program's graph elsewhere to where its session is.

A training program may keep its placeholders, loss and training operation in an
object (`model.loss`), make them in a helper (`loss, train_op = build(x, y)`), or open
its session in one function and build the graph in the caller. In *normal form* all of
that stands in one suite, and the object's attributes are plain names. The program
means the same; each line knows the original line it stands for.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from migrate.normalise.feeds import write_out_feeds
from migrate.normalise.graph_builders.normaliser import Normaliser
from migrate.normalise.sessions import driver
from migrate.normalise.supervisors import supervisor
from migrate.normalise.text import Text

__all__ = [
    "NormalForm",
    "Text",
    "driver",
    "make_normal_forms",
    "supervisor",
    "write_out_feeds",
]


@dataclasses.dataclass(frozen=True)
class NormalForm:
    """A program in normal form.

    Attributes:
      text: its text.
      brought: what was brought to the driver, as (title, original line) in order.
    """

    text: Text
    brought: tuple[tuple[str, int], ...]


def make_normal_forms(source: str, parts: bool = False) -> Iterator[NormalForm]:
    """Normal forms of a program, the least changed first; none if nothing is elsewhere.

    The first brings callees to the function that opens the session. The second first
    brings that function to its one caller.

    Args:
      parts: whether functions that give several tensors are brought, too.
    """
    for upward in (False, True):
        normaliser = Normaliser(source, upward, parts)
        text = normaliser.run()
        if text is not None:
            yield NormalForm(text, tuple(dict.fromkeys(normaliser.brought)))
