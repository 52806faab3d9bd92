"""Hooks of one file that others name: what calls them there is not known here."""

from __future__ import annotations

import os
import pathlib
import re
from collections.abc import Iterable, Mapping

# A class of a hook, or of something that may be one.
_CLASS = re.compile(rb"^[ \t]*class[ \t]+(\w+)[^:\n]*\(", re.M)
_HOOK = b"SessionRunHook"
_SUFFIXES = (".py", ".ipynb")


def find_shared_hooks(paths: Iterable[pathlib.Path]) -> Mapping[str, frozenset[str]]:
    """Classes that other files than their own spell, by the real path of their file.

    A word in another file that spells the module too counts: more than is meant, never
    less.
    """
    texts: dict[str, bytes] = {}
    for path in paths:
        if path.suffix in _SUFFIXES:
            try:
                texts[os.path.realpath(path)] = path.read_bytes()
            except OSError:
                continue  # Whoever migrates it says why.
    words = {real: set(re.findall(rb"\w+", text)) for real, text in texts.items()}
    found: dict[str, frozenset[str]] = {}
    for real, text in texts.items():
        if _HOOK not in text:
            continue
        module = pathlib.Path(real).stem
        if module == "__init__":
            module = pathlib.Path(real).parent.name
        names = {name.decode() for name in _CLASS.findall(text)}
        found[real] = frozenset(
            name
            for name in names
            if any(
                {name.encode(), module.encode()} <= spelled
                for other, spelled in words.items()
                if other != real
            )
        )
    return found
