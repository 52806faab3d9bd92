"""Findings that say: this is part of a graph program, of which nothing was recognised.

Code of a graph program that is rewritten in part runs in neither version. A file with
one of these is left whole; the first in this order is the reason that is given.
"""

from __future__ import annotations

# Code of the finding -> its rank as the reason why a file is left.
GRAPH_CODES: dict[str, int] = {
    code: rank
    for rank, code in enumerate(
        (
            *("S120", "N120", "N150", "I120", "N105", "N123"),
            *("M120", "O120", "S122", "S108", "T112"),
        )
    )
}
