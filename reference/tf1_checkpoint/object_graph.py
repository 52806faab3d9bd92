"""Reads the entries of a new `tf.train.Checkpoint` from one that the program wrote."""

from __future__ import annotations

from reference.tf1_checkpoint import tables
from reference.tf1_checkpoint.bundle import Bundle
from reference.tf1_checkpoint.matching import Wanted
from reference.tf1_checkpoint.tables import messages, number, text

# An optimizer's count of steps, in legacy and in new ones.
_COUNTS = ("iter", "_iterations")
_COUNTER = "save_counter"


def read_template(template: Bundle) -> list[Wanted]:
    """Each entry of the template; what is an optimizer's setting keeps its own value."""
    settings = _settings(template.graph)
    wanted: list[Wanted] = []
    for name, entry in template.entries.items():
        names: tuple[str, ...] = (name,)
        setting = settings.get(entry.key)
        if setting in _COUNTS:
            names = (name, "global_step")
        slot = template.slots.get(name)
        if setting == "_variables":  # Keras's new optimizers keep their slots so.
            _, what, variable = (*name.split("/", 2), "", "")[:3]
            slot = variable, f"{what} of a new Keras optimizer"
        own = (setting is not None and slot is None) or name == _COUNTER
        wanted.append(
            Wanted(
                entry.key,
                names,
                entry.shape,
                entry.dtype,
                slot=slot,
                default=own or slot is not None,
            )
        )
    return wanted


def _settings(graph: bytes) -> dict[str, str]:
    """Finds an optimizer's values beside its slots: attributes by entries' keys."""
    nodes = messages(tables.read_message(graph), 1)
    found: dict[str, str] = {}
    for node in nodes:
        children = [(text(c, 2), number(c, 1)) for c in messages(node, 1)]
        if 3 not in node and not {name for name, _ in children} & set(_COUNTS):
            continue
        for name, child in children:
            for attribute in messages(nodes[child], 2):
                found[text(attribute, 3)] = name
            for grandchild in messages(nodes[child], 1):
                for attribute in messages(nodes[number(grandchild, 1)], 2):
                    found.setdefault(text(attribute, 3), name)
    return found
