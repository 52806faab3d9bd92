"""The functions of a file that other files of the run may use."""

from __future__ import annotations

import os
import pathlib
import re
from collections.abc import Iterable, Mapping

from migrate.source.python import read_or_nothing

_WORD = re.compile(rb"\w+")
_FUNCTION = re.compile(rb"^def (\w+)", re.MULTILINE)
_STAR = re.compile(rb"import\s*\(?\s*\*")
_INIT = "__init__"


def find_named_elsewhere(paths: Iterable[pathlib.Path]) -> Mapping[str, frozenset[str]]:
    """Real path -> functions of that file that another one names, by import or by text.

    Another file that has the words counts, whatever it means by them; where it imports all
    of the file, each function does.
    """
    texts = {os.path.realpath(path): read_or_nothing(path) for path in paths}
    words = {real: frozenset(_WORD.findall(data)) for real, data in texts.items()}
    found = {}
    for real, data in texts.items():
        functions = frozenset(_FUNCTION.findall(data))
        stem = pathlib.Path(real).stem
        stem = pathlib.Path(real).parent.name if stem == _INIT else stem
        named: set[bytes] = set()
        for other in words if functions else ():
            if other != real and stem.encode() in words[other]:
                star = _STAR.search(texts[other])
                named |= functions if star else functions & words[other]
        if named:
            found[real] = frozenset(name.decode() for name in named)
    return found
