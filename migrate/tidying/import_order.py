"""The order of the imports that a migration adds."""

from __future__ import annotations

import re

from migrate import emitted

_IMPORT = re.compile(r"import (\w+)")
_KERAS = "tf_keras"


def order_imports(old: str, new: str) -> str:
    """The new text, where Keras comes before the modules beside the program, by name.

    Only lines next to each other change places, and of these none of the old text.
    """
    own, added = set(old.split("\n")), {*emitted.list_modules(), _KERAS}
    lines = new.split("\n")
    start = 0
    while start < len(lines):
        end = start
        while end < len(lines) and lines[end] not in own:
            match = _IMPORT.fullmatch(lines[end])
            if match is None or match[1] not in added:
                break
            end += 1
        lines[start:end] = sorted(
            lines[start:end], key=lambda line: (line.split()[-1] != _KERAS, line)
        )
        start = max(end, start + 1)
    return "\n".join(lines)
