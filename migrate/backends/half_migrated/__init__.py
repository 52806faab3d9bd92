"""Writes a half-migrated program as steps of the strategy that its cluster describes."""

from __future__ import annotations

from migrate.backends.half_migrated.bare_loops import BareLoopRewrite
from migrate.backends.half_migrated.fits import FitRewrite
from migrate.backends.half_migrated.steps import EagerRewrite

__all__ = ["BareLoopRewrite", "EagerRewrite", "FitRewrite"]
