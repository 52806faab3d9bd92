"""Declares the error that ends a verification without a verdict."""

from __future__ import annotations


class CannotRun(RuntimeError):
    """A program could not be run, or nothing in it could be compared; it says why."""
