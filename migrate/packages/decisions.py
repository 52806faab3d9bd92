"""Finds requirements that exclude TensorFlow 2 and need the project's decision.

These are a Python version that TensorFlow 2 does not support, a pin of another package
that conflicts with it, and a Poetry or Pipenv entry in more than one word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from migrate.tables.packages import LOWEST, PACKAGES, PYTHONS

_PYTHON = re.compile(
    r"(?P<what>\bFROM\s+(?:[\w./-]*/)?python:|^\s*-\s*python\s*=+\s*"
    r"|^python_version\s*=\s*\"|^python_full_version\s*=\s*\")"
    r"(?P<major>\d)\.(?P<minor>\d+)",
    re.MULTILINE,
)
# Setuptools' and the standard's key, and Poetry's.
_SUPPORTED = re.compile(
    r"^[^#\n]*?(?P<what>\bpython_requires\s*=|^requires-python\s*=|^python\s*=)"
    r"[ \t]*(?P<quote>['\"]?)(?P<bounds>[ \d.*,<>=!~^]+)(?P=quote)",
    re.MULTILINE,
)
_BOUND = re.compile(
    r"(?P<how>\D*?)\s*3(?:\.(?P<minor>\d+)(?P<patch>\.[\d.*]+)?)?(?:\.\*)?"
)
_PIN = re.compile(
    rf"(?<![\w./-])(?P<name>{'|'.join(map(re.escape, LOWEST))})[ ]?"
    r"(?:>=?[ ]?[\d.]+,[ ]?)?(?:===|==|=|<=|<)[ ]?(?P<version>\d+(?:\.\d+)*)",
    re.IGNORECASE,
)
_VERSION = r"[\^~=<>]*v?1(?:\.[\w*]+)*[^\"\n]*"
# tensorflow-gpu = "^1.15", tensorflow = {version = "^1.15", optional = true}
_ENTRY = re.compile(
    rf"^(?P<name>tensorflow-gpu)\s*=\s*\"{_VERSION}\""
    rf"|^(?P<table>tensorflow(?:-gpu|-cpu)?)\s*=\s*\{{[^}}\n]*\bversion\s*=\s*\"{_VERSION}\"[^}}\n]*\}}",
    re.MULTILINE,
)


def find_pythons(text: str) -> Iterator[tuple[int, str]]:
    """Line and words of each Python that TensorFlow 2 does not run on."""
    low, high = PYTHONS
    needs = f"TensorFlow 2.21 needs Python 3.{low[1]} to 3.{high[1]}"
    for match in _PYTHON.finditer(text):
        if not low <= (int(match["major"]), int(match["minor"])) <= high:
            yield _find_line(match, "what"), f"{match[0].strip()}: {needs}"
    for match in _SUPPORTED.finditer(text):
        if not any(_allows(match["bounds"], m) for m in range(low[1], high[1] + 1)):
            shown = match[0][match.start("what") - match.start() :].strip()
            yield _find_line(match, "what"), f"{shown}: {needs}"


def find_pins(text: str) -> Iterator[tuple[int, str]]:
    """Line and words of each pin that is too old for every TensorFlow that results run on."""
    for match in _PIN.finditer(text):
        name = match["name"].lower()
        if _read_version(match["version"]) < _read_version(LOWEST[name]):
            told = f"{match[0]}: TensorFlow 2.15 and later need {name}>={LOWEST[name]}"
            yield _find_line(match, "name"), told


def find_entries(text: str) -> Iterator[tuple[int, str]]:
    """Line and words of each entry of a TOML table for TensorFlow 1 that is not edited."""
    for match in _ENTRY.finditer(text):
        new = PACKAGES[match["name"] or match["table"]]
        yield text.count("\n", 0, match.start()) + 1, f"{match[0]}: ask for {new}"


def _allows(bounds: str, minor: int) -> bool:
    """Whether a Python 3 of this minor version is within the bounds."""
    return all(_is_within(part.strip(), minor) for part in bounds.split(","))


def _is_within(bound: str, minor: int) -> bool:
    match = _BOUND.fullmatch(bound)
    if match is None:
        return not bound.startswith(("<3", "<=2", "==2", "~=2", "<2"))
    how = match["how"].strip()
    if match["minor"] is None:
        return how != "<"
    wanted = int(match["minor"])
    if how in ("", "=", "==", "===", "~") or (how == "~=" and match["patch"]):
        return minor == wanted
    if how == "<":
        return minor < wanted
    if how == "<=":
        return minor <= wanted
    return minor >= wanted or how == "!="


def _read_version(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def _find_line(match: re.Match[str], group: str) -> int:
    return match.string.count("\n", 0, match.start(group)) + 1
