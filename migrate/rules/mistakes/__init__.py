"""Mistakes that tutorials teach: code that runs, or seems to, and means something else.

Each kind has a module and a code of its own. A mistake is told in TF1 and TF2 files
alike; where the fix is certain it is made.
"""

from __future__ import annotations

import itertools

from migrate.facts.scopes import Scopes
from migrate.rules.mistakes import (
    chiefs,
    datasets,
    hosts,
    logits,
    older_distribute,
    per_replica_losses,
)
from migrate.rules.mistakes.mistake import Mistake

__all__ = ["Mistake", "find"]

_KINDS = (
    hosts.find,
    chiefs.find,
    logits.find,
    per_replica_losses.find,
    datasets.find,
    older_distribute.find,
)


def find(scopes: Scopes) -> list[Mistake]:
    """Every mistake of a module, in the order of its lines."""
    found = itertools.chain.from_iterable(kind(scopes) for kind in _KINDS)
    return sorted(found, key=lambda m: (m.node.lineno, m.node.col_offset))
