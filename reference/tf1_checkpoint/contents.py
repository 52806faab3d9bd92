"""Classifies the entries of a TensorFlow 1 checkpoint: variable, slot, and so on."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping

from reference.tf1_checkpoint.bundle import Entry

VARIABLE, SLOT, AVERAGE, STEP, COUNTER = (
    "variable",
    "slot",
    "moving average",
    "global step",
    "optimizer's own",
)

# Slots in the order in which TensorFlow 1.15's optimizers make them: the first is called
# as the optimizer is, the next "<name>_1" and so on.
SLOTS: dict[str, tuple[str, ...]] = {
    "Adadelta": ("accum", "accum_update"),
    "Adagrad": ("accumulator",),
    "AdagradDA": (
        "gradient_accumulator",
        "gradient_squared_accumulator",
    ),
    "Adam": ("m", "v"),
    "AdaMax": ("m", "v"),
    "Ftrl": ("accum", "linear"),
    "Momentum": ("momentum",),
    "ProximalAdagrad": ("accumulator",),
    "RMSProp": ("rms", "momentum"),
}
# `centered=True` puts the gradients' mean between the two.
_CENTRED = ("rms", "mg", "momentum")
_AVERAGES = ("ExponentialMovingAverage",)
_POWERS = re.compile(r"(^|/)beta[12]_power(_\d+)?$")
_STEPS = re.compile(r"(^|/)global_step$")
_NUMBERED = re.compile(r"(.+?)_(\d+)$")
# What `assign_moving_average(zero_debias=True)` keeps beside an average.
_DEBIAS = ("biased", "local_step")


@dataclasses.dataclass(frozen=True)
class Item:
    """An entry and what it is.

    Attributes:
      kind: VARIABLE, SLOT, AVERAGE, STEP or COUNTER.
      of: the variable's name, of a slot and an average.
      optimizer: the optimizer's name, of a slot.
      slot: what the optimizer calls the slot, or its number.
    """

    entry: Entry
    kind: str
    of: str = ""
    optimizer: str = ""
    slot: str = ""


def classify(entries: Mapping[str, Entry]) -> dict[str, Item]:
    """Classifies each entry by its name and shape.

    A slot is called by its variable's name and the optimizer's. One that was made under
    a variable scope has the scope's name before that.
    """
    owners = {name: _owner(name, entries) for name in entries}
    numbers: dict[tuple[str, str], int] = {}
    for name, owner in owners.items():
        if owner:
            base, position = _numbered(name, owner, owners)
            key = owner, base
            numbers[key] = max(position, numbers.get(key, 0))
    return {
        name: _item(entry, owners[name], owners, numbers)
        for name, entry in entries.items()
    }


def _owner(name: str, entries: Mapping[str, Entry]) -> str:
    """The variable that a slot or an average belongs to; empty where it is neither."""
    scope, _, last = name.rpartition("/")
    if last in _DEBIAS:
        scope = scope if scope in entries else ""
        return scope
    entry = entries[name]
    while scope:
        owner = entries.get(scope)
        if owner is not None and owner.shape == entry.shape:
            return scope
        _, _, scope = scope.partition("/")
    return ""


def _numbered(name: str, owner: str, owners: Mapping[str, str]) -> tuple[str, int]:
    """An optimizer's name and the number of its slot: "Adam_1" is the second of Adam."""
    scope, _, last = name.rpartition("/")
    found = _NUMBERED.fullmatch(last)
    if found is not None and owners.get(f"{scope}/{found[1]}") == owner:
        return found[1], int(found[2])
    return last, 0


def _item(
    entry: Entry,
    owner: str,
    owners: Mapping[str, str],
    numbers: Mapping[tuple[str, str], int],
) -> Item:
    name = entry.name
    if _STEPS.search(name) and not entry.shape:
        return Item(entry, STEP)
    if _POWERS.search(name) and not entry.shape:
        return Item(entry, COUNTER)
    if not owner:
        return Item(entry, VARIABLE)
    last = name.rpartition("/")[2]
    if last in _DEBIAS:
        return Item(entry, COUNTER, owner, slot=last)
    optimizer, position = _numbered(name, owner, owners)
    if optimizer in _AVERAGES or optimizer.endswith("_ema"):
        return Item(entry, AVERAGE, owner)
    count = numbers[owner, optimizer] + 1
    known = SLOTS.get(optimizer, ())
    if optimizer == "RMSProp" and count == len(_CENTRED):
        known = _CENTRED
    slot = known[position] if position < len(known) else str(position)
    return Item(entry, SLOT, owner, optimizer, slot)
