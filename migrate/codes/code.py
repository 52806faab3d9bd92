"""Declares the row that explains a finding code."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class Code:
    """One code.

    Attributes:
      id: one letter and three digits.
      title: a few words.
      explanation: what it means, for who meets it in a report.
      why: the fact about TensorFlow 1 or 2 that makes it so.
      before, after: an example, where there is one.
      promise: what is the same after the rewrite, and what may not be.
      refused_when: what the rule does not take, and leaves.
      recipe: what to do by hand, where no finding says it better.
      noted: told one by one in short reports too, though nothing is left to do: a
        choice that its reader may want to change, or a mistake, mended or left.
    """

    id: str
    title: str
    explanation: str
    before: str = ""
    after: str = ""
    promise: str = ""
    refused_when: str = ""
    noted: bool = False
    why: str = ""
    recipe: str = ""
