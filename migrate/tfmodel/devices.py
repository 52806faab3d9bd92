"""Devices: what `tf.device` gives a node."""

from __future__ import annotations

from typing import TYPE_CHECKING

from migrate.graph.values import NONE, Const
from migrate.tfmodel import graphs

if TYPE_CHECKING:
    from migrate.evaluate.machine import Machine


def parse(text: str) -> dict[str, str]:
    """`/job:ps/task:0/cpu:1` by its parts."""
    found: dict[str, str] = {}
    for part in text.split("/"):
        if not part:
            continue
        kind, _, rest = part.partition(":")
        if kind in ("job", "replica", "task"):
            found[kind] = rest
        elif kind == "device":
            found["device"] = rest.upper()
        elif kind.lower() in ("cpu", "gpu", "tpu"):
            found["device"] = f"{kind.upper()}:{rest}"
    return found


def write(parts: dict[str, str]) -> str:
    """The spelling that TensorFlow gives a device."""
    found = [
        f"/{kind}:{parts[kind]}" for kind in ("job", "replica", "task") if kind in parts
    ]
    if "device" in parts:
        found.append(f"/device:{parts['device']}")
    return "".join(found)


def text(m: Machine) -> str:
    """The device of a node that is made here; "?" where it is not known."""
    parts: dict[str, str] = {}
    for one in graphs.device(m):
        if one == NONE:
            parts = {}
        elif isinstance(one, Const) and isinstance(one.value, str):
            parts |= parse(one.value)
        else:
            return "?"
    return write(parts)
