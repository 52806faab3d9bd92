"""Build-time and step-time expressions of a program, one by one.

Variables, global step, summaries, savers, partitioners, iterators: what a
recognised program's expressions become wherever they stand in the file.
"""

from __future__ import annotations

from migrate.backends.expressions.expressions import Expressions

__all__ = ["Expressions"]
