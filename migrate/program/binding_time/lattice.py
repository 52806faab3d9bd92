"""Joins the kinds of two values into the kind of a value made from both."""

from __future__ import annotations

from migrate.program import ir
from migrate.program.ir import Kind


def find_element_kind(iterated: Kind) -> Kind:
    """Returns the kind of the elements that a loop binds."""
    if iterated in ir.STEP_KINDS:
        return Kind.TENSOR
    # The dimensions of a static shape are known where the shape is known.
    return iterated if iterated in (Kind.VARIABLE, Kind.PURE) else Kind.HOST


# The join of two values in one expression. The later kind in this order wins.
_ORDER = (
    Kind.HOST,
    Kind.CONFIG,
    Kind.DATASET,
    Kind.PURE,
    Kind.PARTITIONER,
    Kind.VARIABLE,
    Kind.PLACEHOLDER,
    Kind.ELEMENT,
    Kind.TENSOR,
)


def join(left: Kind, right: Kind) -> Kind:
    if left is right:
        return left
    if left is Kind.HOST:
        return right
    if right is Kind.HOST:
        return left
    if left in _ORDER and right in _ORDER:
        wide = max(left, right, key=_ORDER.index)
        return Kind.TENSOR if wide in ir.STEP_KINDS else wide
    if left in ir.STEP_KINDS or right in ir.STEP_KINDS:
        return Kind.TENSOR
    return right if right is not Kind.PURE else left
