"""Declares the compiler's result for one source text, without disk or bytes."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from migrate.findings import Finding


@dataclasses.dataclass(frozen=True)
class Migration:
    """The result for one source text.

    Attributes:
      text: the new text; equal to the input where nothing is to be changed.
      findings: every TF1 construct met, in source order.
      support: names of the support modules (files of `migrate/support/`) that
        the new text imports, to be written beside it, e.g. ("plain_session.py",).
    """

    text: str
    findings: Sequence[Finding] = ()
    support: Sequence[str] = ()
