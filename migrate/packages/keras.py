"""Adds a requirement of tf-keras beside one of TensorFlow, in each form of file.

It is added beside a request for TensorFlow 2 that `migrate.packages.edits` wrote, if
the form of the line shows how to write one more requirement.
"""

from __future__ import annotations

import ast
import dataclasses
import pathlib
import re
import sys

from migrate.tables.packages import CONDA, IMAGE, KERAS, KERAS_OF_IMAGE, PACKAGES

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_OURS = (
    *(PACKAGES[name] for name in ("tensorflow", "tensorflow-gpu", "tensorflow-cpu")),
    CONDA["tensorflow-gpu"],
)
_BOUNDS = PACKAGES["tensorflow"].removeprefix("tensorflow")
# A requirement, an entry of Poetry's or Pipenv's table, or an image.
_ANCHOR = re.compile(
    rf"(?<![\w./-])(?P<requirement>{'|'.join(map(re.escape, _OURS))})(?![\w.])"
    rf"|^tensorflow(?:-cpu)?\s*=\s*(?P<entry>\"{re.escape(_BOUNDS)}\")"
    rf"|(?P<image>{re.escape(IMAGE)}(?:-gpu)?)(?![\w.-])",
    re.MULTILINE,
)
_IS_THERE = re.compile(r"tf[-_]keras", re.IGNORECASE)
_FROM = re.compile(r"\s*FROM\s", re.IGNORECASE)
_INI_KEY = re.compile(r"[\w.-]+\s*=\s*")
_MARKER = re.compile(r"\s*;[^#\r\n]*")
_INI = (".cfg", ".ini")


@dataclasses.dataclass(frozen=True)
class Added:
    """A file with tf-keras.

    Attributes:
      text: the new text; the old one where nothing is added.
      lines: what is added, each with the line that it stands beside.
      by_hand: what its user is to add: line, and words.
    """

    text: str
    lines: tuple[tuple[int, str], ...] = ()
    by_hand: tuple[tuple[int, str], ...] = ()


@dataclasses.dataclass(frozen=True)
class _Place:
    """The place where a requirement is added.

    Attributes:
      offset: in the text.
      text: what is put there.
      shown: the requirement.
      scope: of all places with the same one, only the first is taken.
    """

    offset: int
    text: str
    shown: str
    scope: tuple[str, int]


class _Line:
    """A line that asks for TensorFlow, around what asks for it."""

    def __init__(self, path: pathlib.Path, match: re.Match[str]) -> None:
        text = match.string
        self.path = path
        self.start = text.rfind("\n", 0, match.start()) + 1
        self.stop = match.end()
        self.end = text.find("\n", match.end())
        if self.end < 0:
            self.end = len(text)
        self.newline = "\n"
        if text[self.end - 1 : self.end] == "\r":
            self.end -= 1
            self.newline = "\r\n"
        before, after = text[self.start : match.start()], text[self.stop : self.end]
        quoted = before[-1:] in ("'", '"') and before[-1:] == after[:1]
        self.quote = before[-1:] if quoted else ""
        self.before = before.removesuffix(self.quote)
        self.after = after.removeprefix(self.quote)
        self.indent = before[: len(before) - len(before.lstrip())]
        self.section = text.rfind("\n[", 0, self.start)
        self.bracket = text.rfind("[", 0, match.start())

    @property
    def in_list(self) -> bool:
        """Whether it is an item of a list; Python and TOML are parsed afterwards."""
        if self.path.suffix in (".py", ".toml") or self.path.name == "Pipfile":
            return bool(self.quote)
        return bool(self.quote) and self.before.rstrip().endswith(("[", ","))

    @property
    def alone(self) -> bool:
        """Whether the requirement has the line for itself, or an item of YAML's list."""
        if ".yml" in self.path.name or ".yaml" in self.path.name:
            return self.before.strip() == "-"
        return not (self.before.strip() or self.quote) and "ockerfile" not in (
            self.path.name
        )


def add_keras(path: pathlib.Path, text: str) -> Added:
    """Asks for tf-keras wherever a text asks for TensorFlow 2, unless it does somewhere."""
    if _IS_THERE.search(text):
        return Added(text)
    places: list[tuple[int, _Place]] = []
    by_hand: list[tuple[int, str]] = []
    for match in _ANCHOR.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        place = _find_place(path, match)
        if place is None:
            wanted = KERAS_OF_IMAGE if match["image"] else KERAS
            by_hand.append((line, f"{match[0]}: ask for {wanted}, too"))
        elif all(place.scope != taken.scope for _, taken in places):
            places.append((line, place))
    new = text
    for _, place in reversed(places):
        new = new[: place.offset] + place.text + new[place.offset :]
    if not _is_in_its_list(path, new):
        by_hand += [(line, f"ask for {place.shown}, too") for line, place in places]
        return Added(text, (), tuple(sorted(by_hand)))
    return Added(new, tuple((n, p.shown) for n, p in places), tuple(by_hand))


def _find_place(path: pathlib.Path, match: re.Match[str]) -> _Place | None:
    line = _Line(path, match)
    if match["image"]:
        if not _FROM.match(line.before):
            return None  # A Kubernetes file: whoever makes the image has to decide.
        run = f"{line.newline}RUN pip install '{KERAS_OF_IMAGE}'"
        return _Place(line.end, run, KERAS_OF_IMAGE, ("image", line.start))
    if match["entry"]:
        entry = f'{line.newline}tf-keras = "{_BOUNDS}"'
        return _Place(line.end, entry, KERAS, ("table", line.section))
    said = f"{line.quote}{KERAS}{line.quote}"
    if line.in_list:
        own_line = not line.before.strip()
        between = f",{line.newline}{line.indent}" if own_line else ", "
        stop = line.stop + len(line.quote)
        return _Place(stop, between + said, KERAS, ("list", line.bracket))
    if line.alone:
        if marker := _MARKER.match(line.after):
            said += marker[0].rstrip()
        section = line.section if path.suffix in _INI else 0
        added = f"{line.newline}{line.before}{said}"
        return _Place(line.end, added, KERAS, ("lines", section))
    if path.suffix in _INI and not line.quote and _INI_KEY.fullmatch(line.before):
        added = f"{line.newline}    {said}"
        return _Place(line.end, added, KERAS, ("lines", line.section))
    if line.quote:  # A word of a shell's command.
        return _Place(line.stop + 1, f" {said}", KERAS, ("words", line.start))
    return None


def _is_in_its_list(path: pathlib.Path, text: str) -> bool:
    """Whether tf-keras is asked for where TensorFlow is, by the syntax of the file."""
    try:
        if path.suffix == ".py":
            return _holds_in_python(ast.parse(text))
        if path.suffix == ".toml" or path.name == "Pipfile":
            return _holds_in_table(tomllib.loads(text))
    except (SyntaxError, ValueError):
        return False
    return True


def _holds_in_python(tree: ast.Module) -> bool:
    """Whether each mention is an item of a list, or a line of a text."""
    items = {
        id(item)
        for node in ast.walk(tree)
        if isinstance(node, (ast.List, ast.Tuple, ast.Set))
        for item in node.elts
    }
    return all(
        id(node) in items or KERAS in map(str.strip, node.value.splitlines()[1:])
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and KERAS in node.value
    )


def _holds_in_table(value: object) -> bool:
    """Whether each list and table with TensorFlow as we ask for it has tf-keras, too."""
    if isinstance(value, dict):
        asks = any(value.get(n) == _BOUNDS for n in ("tensorflow", "tensorflow-cpu"))
        inner = [*value.values()]
        found = value.get("tf-keras") == _BOUNDS
    elif isinstance(value, list):
        asks = any(isinstance(item, str) and item.startswith(_OURS) for item in value)
        inner = value
        found = any(isinstance(item, str) and item.startswith(KERAS) for item in value)
    else:
        return not (isinstance(value, str) and value.startswith(_OURS))
    if isinstance(value, list):
        inner = [item for item in value if not isinstance(item, str)]
    return (found or not asks) and all(map(_holds_in_table, inner))
