"""docs/drawings/*.svg: who holds the variables, and what is sent, in each architecture.

Plain boxes and arrows, so that a diff of a drawing can be read; on white, so that they can
be read on dark pages.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

_GREY, _BLUE, _RED = "#444444", "#3867d6", "#d1495b"
WIDTH, HEIGHT = 640, 250
_BOX = (150, 52)


@dataclasses.dataclass(frozen=True)
class Box:
    """A task: its middle, its name, and what it holds."""

    x: int
    y: int
    name: str
    holds: str
    color: str = _GREY


@dataclasses.dataclass(frozen=True)
class Arrow:
    """From one place to another; a label beside its middle.

    Attributes:
      both: there is a head at each end.
      shift: of the label, from the middle.
    """

    start: tuple[int, int]
    end: tuple[int, int]
    label: str
    both: bool = False
    shift: tuple[int, int] = (0, -6)
    color: str = _GREY


@dataclasses.dataclass(frozen=True)
class Drawing:
    """One picture; `title` is what a reader who cannot see it is told."""

    title: str
    boxes: Sequence[Box]
    arrows: Sequence[Arrow]


DRAWINGS = {
    "asynchronous": Drawing(
        "Asynchronous: each worker reads the variables of two parameter servers and adds "
        "its own gradient, whenever it is done; worker 0 is also the coordinator.",
        (
            Box(200, 50, "ps 0", "w, its slots", _BLUE),
            Box(440, 50, "ps 1", "b, its slots", _BLUE),
            Box(200, 200, "worker 0", "coordinator; its loop", _RED),
            Box(440, 200, "worker 1", "computes for its loop"),
        ),
        (
            Arrow((180, 174), (180, 76), "", both=True),
            Arrow((420, 76), (230, 174), "", both=True),
            Arrow((460, 174), (460, 76), "", both=True),
            Arrow((410, 174), (220, 76), "", both=True),
            Arrow((276, 200), (364, 200), "steps", color=_RED),
            Arrow((560, 118), (560, 118), "weights down,"),
            Arrow((560, 138), (560, 138), "gradients up"),
            Arrow((80, 118), (80, 118), "nobody waits"),
        ),
    ),
    "sync-replicas": Drawing(
        "SyncReplicasOptimizer in TensorFlow 1: workers send gradients to an accumulator on "
        "the parameter server, which makes one update of their mean and hands out tokens.",
        (
            Box(320, 50, "ps 0", "w, accumulator, tokens", _BLUE),
            Box(160, 200, "worker 0", "chief: updates"),
            Box(480, 200, "worker 1", "computes"),
        ),
        (
            Arrow((170, 174), (280, 76), "gradients", shift=(-48, 0)),
            Arrow((310, 76), (210, 174), "token, weights", shift=(58, 18)),
            Arrow((470, 174), (360, 76), "gradients", shift=(48, 0)),
            Arrow((330, 76), (430, 174), "", shift=(0, 0)),
        ),
    ),
    "ring": Drawing(
        "MultiWorkerMirroredStrategy: every worker has all variables; in every step the "
        "gradients go around a ring until each has their mean, and each updates its own.",
        (
            Box(320, 45, "worker 0", "w, b, slots", _BLUE),
            Box(130, 200, "worker 1", "w, b, slots", _BLUE),
            Box(510, 200, "worker 2", "w, b, slots", _BLUE),
        ),
        (
            Arrow((255, 72), (140, 173), "a part of the gradients", shift=(-90, 0)),
            Arrow((206, 200), (434, 200), "", color=_GREY),
            Arrow((500, 173), (385, 72), "all wait for all", shift=(66, 0)),
        ),
    ),
    "mirrored": Drawing(
        "Towers, and MirroredStrategy: one process, a copy of the variables on each of its "
        "devices, gradients averaged in every step.",
        (
            Box(320, 45, "one process", "the loop, the input", _RED),
            Box(160, 200, "device 0", "w, b, slots", _BLUE),
            Box(480, 200, "device 1", "w, b, slots", _BLUE),
        ),
        (
            Arrow((270, 72), (180, 173), "half of the batch", shift=(-70, 0)),
            Arrow((370, 72), (460, 173), "the other half", shift=(62, 0)),
            Arrow((236, 200), (404, 200), "mean of gradients", both=True),
        ),
    ),
}


def svg(drawing: Drawing) -> str:
    """The drawing as a file."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'role="img" font-family="sans-serif" font-size="13">',
        f"<title>{drawing.title}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" rx="8" fill="#ffffff"/>',
        '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
        'markerHeight="7" orient="auto-start-reverse">'
        f'<path d="M0 0L8 4L0 8z" fill="{_GREY}"/></marker></defs>',
    ]
    for arrow in drawing.arrows:
        (x1, y1), (x2, y2) = arrow.start, arrow.end
        if arrow.start != arrow.end:
            tail = ' marker-start="url(#head)"' if arrow.both else ""
            parts.append(
                f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{arrow.color}" '
                f'stroke-width="1.5" marker-end="url(#head)"{tail}/>'
            )
        if arrow.label:
            x, y = (x1 + x2) // 2 + arrow.shift[0], (y1 + y2) // 2 + arrow.shift[1]
            parts.append(
                f'<text x="{x}" y="{y}" text-anchor="middle" fill="{_GREY}">'
                f"{arrow.label}</text>"
            )
    width, height = _BOX
    for box in drawing.boxes:
        parts.append(
            f'<rect x="{box.x - width // 2}" y="{box.y - height // 2}" width="{width}" '
            f'height="{height}" rx="6" fill="{box.color}" fill-opacity="0.12" '
            f'stroke="{box.color}" stroke-width="1.5"/>'
        )
        for text, y, weight in ((box.name, -5, "bold"), (box.holds, 14, "normal")):
            parts.append(
                f'<text x="{box.x}" y="{box.y + y}" text-anchor="middle" '
                f'font-weight="{weight}" fill="{_GREY}">{text}</text>'
            )
    return "\n".join([*parts, "</svg>", ""])
