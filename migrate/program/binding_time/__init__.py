"""Binding-time analysis: what of a graph-building region happens once, and what every step.

Feeds and dataset elements are the roots of step time; what depends on them, or
reads a variable's value, is step time. Variables, layers, optimizers and
schedules are build time. An operation with neither (an initial value, a constant)
is pure: it goes wherever it is needed.
"""

from __future__ import annotations

from migrate.program.binding_time.analysis import Analysis
from migrate.program.binding_time.diagnostics import Diagnostics
from migrate.program.binding_time.every import list_every_flow
from migrate.program.binding_time.state import find_all_names

__all__ = ["Analysis", "Diagnostics", "find_all_names", "list_every_flow"]
