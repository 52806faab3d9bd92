"""Finds the files of a run that name a file of Estimators, or its classes.

A file that names a class may derive from it, or set its attributes. A file that names the
file may call its functions.
"""

from __future__ import annotations

import os
import pathlib
import re
from collections.abc import Iterable, Mapping

_CLASS = re.compile(r"^class (\w+)", re.MULTILINE)
# Words in a file whose methods may be model_fns.
_ESTIMATOR, _OF_OBJECT = "Estimator(", "self."


def find_texts_that_know_classes(
    paths: Iterable[pathlib.Path],
) -> Mapping[str, tuple[str, ...]]:
    """Maps a file of Estimators to the texts of the files that name one of its classes."""
    texts = _read_texts(paths)
    found: dict[str, tuple[str, ...]] = {}
    for real, text in texts.items():
        if _ESTIMATOR not in text or _OF_OBJECT not in text or "tensorflow" not in text:
            continue
        classes = "|".join(_CLASS.findall(text))
        if classes:
            named = re.compile(rf"\b({classes})\b")
            stem = pathlib.Path(real).stem
            module = re.compile(rf"\b{re.escape(stem)}\b")
            found[real] = tuple(
                other
                for path, other in texts.items()
                if path != real and stem in other  # The fast test first.
                if module.search(other) and named.search(other)
            )
    return found


def find_texts_that_name_files(
    paths: Iterable[pathlib.Path],
) -> Mapping[str, tuple[str, ...]]:
    """Maps a file of Estimators to the texts of the files that name it."""
    texts = _read_texts(paths)
    found: dict[str, tuple[str, ...]] = {}
    for real, text in texts.items():
        if _ESTIMATOR in text and "tensorflow" in text:
            stem = pathlib.Path(real).stem
            module = re.compile(rf"\b{re.escape(stem)}\b")
            found[real] = tuple(
                other
                for path, other in texts.items()
                if path != real and stem in other and module.search(other)
            )
    return found


def _read_texts(paths: Iterable[pathlib.Path]) -> dict[str, str]:
    """Returns the texts of the files that can be read, by their real paths."""
    texts: dict[str, str] = {}
    for path in paths:
        if path.suffix == ".py" and os.path.isfile(path):
            try:
                texts[os.path.realpath(path)] = path.read_bytes().decode()
            except (OSError, UnicodeDecodeError):
                continue  # The code that migrates it gives the reason.
    return texts
