"""Pairs each line of a rewritten block with the old line that is most like it.

The best pairing in the order of both blocks, as in the alignment of sequences
(https://en.wikipedia.org/wiki/Needleman-Wunsch_algorithm). A line is compared by its
words, because a migration changes the punctuation around them.
"""

from __future__ import annotations

import collections
import re
from collections.abc import Sequence

_WORD = re.compile(r"\w+")
_TARGET = re.compile(r"\s*([\w.]+) = ")
# Two lines with fewer words in common than this share are no pair: `net = tf.abs(x)` and
# `w = tf.zeros(3)` have `tf` in common, and nothing to do with each other.
_ALIKE = 0.5
# The most pairs that are compared; larger blocks are shown one after the other.
_MOST_PAIRS = 400_000

# Lines shorter than this have no words to be judged by.
_FEW = 3

# A line's words, and the name that it assigns.
_Line = tuple[collections.Counter[str], str]
# Places of a line in both blocks; None where it stands in one.
Pair = tuple[int | None, int | None]


def align(before: Sequence[str], after: Sequence[str]) -> list[Pair]:
    """Lists the lines of two blocks in order; a pair has its place in both."""
    if len(before) * len(after) > _MOST_PAIRS:
        return [(n, None) for n in range(len(before))] + [
            (None, n) for n in range(len(after))
        ]
    # best[a][b]: the largest sum of likenesses of the lines from a and from b on.
    best = [[0.0] * (len(after) + 1) for _ in range(len(before) + 1)]
    lines = [_read_line(line) for line in before]
    others = [_read_line(line) for line in after]
    likeness = [[_compare(one, other) for other in others] for one in lines]
    for a in reversed(range(len(before))):
        for b in reversed(range(len(after))):
            found = max(best[a + 1][b], best[a][b + 1])
            if likeness[a][b] >= _ALIKE:
                found = max(found, best[a + 1][b + 1] + likeness[a][b])
            best[a][b] = found
    pairs: list[Pair] = []
    a = b = 0
    while a < len(before) and b < len(after):
        alike = likeness[a][b] >= _ALIKE
        if alike and best[a][b] == best[a + 1][b + 1] + likeness[a][b]:
            pairs.append((a, b))
            a, b = a + 1, b + 1
        elif best[a][b] == best[a + 1][b]:
            pairs.append((a, None))
            a += 1
        else:
            pairs.append((None, b))
            b += 1
    pairs += [(n, None) for n in range(a, len(before))]
    return pairs + [(None, n) for n in range(b, len(after))]


def _read_line(line: str) -> _Line:
    target = _TARGET.match(line)
    return collections.Counter(_WORD.findall(line)), target[1] if target else ""


def _compare(one: _Line, other: _Line) -> float:
    """Computes the likeness of two lines: 0 if they share no word, 1 if all."""
    (words, target), (others, name) = one, other
    common = (words & others).total()
    total, fewest = words.total() + others.total(), min(words.total(), others.total())
    found = 2 * common / total if total else 0.0
    if fewest >= _FEW:  # A call that is now written in several lines.
        found = max(found, 0.8 * common / fewest)
    if target and target == name:
        found = max(found, _ALIKE)
    return found
