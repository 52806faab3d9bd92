"""Edits requests for TensorFlow 1: requirements, setup files, Docker, Kubernetes.

These files have no one grammar, so only unambiguous text is edited: a requirement with
a version of TensorFlow 1, and an image of it. A place that needs a decision is reported
and left. If a program imports tf_keras, its requirements get it, too. A gate compares
the two texts (`migrate.packages.gates`), and editing a file again changes nothing.
"""

from __future__ import annotations

import dataclasses
import os
import pathlib
import re
from collections.abc import Iterator

from migrate.disk import discover
from migrate.packages.decisions import find_entries, find_pins, find_pythons
from migrate.packages.gates import keeps_the_rest
from migrate.packages.keras import Added, add_keras
from migrate.packages.users import find_keras_user, find_users
from migrate.tables.packages import BY_HAND, CONDA, IMAGE, PACKAGES

_VERSION = r"v?1(?:\.[\w*]+)*"
_BOUND = rf"(?:(?:===|==|~=|>=|<=|<|>|=)[ ]?{_VERSION}|<[ ]?2(?:\.0)*(?![\w.]))"
# A name of the tables, whatever extras, and a bound on a version 1; then further bounds.
_REQUIREMENT = re.compile(
    r"(?<![\w./-])(?P<name>tensorflow(?:[-_](?:gpu|cpu|estimator))?|tensorboard"
    r"|tf[-_]nightly(?:[-_]gpu)?)"
    rf"(?P<extras>\[[\w, -]+\])?[ ]?{_BOUND}(?:[ ]?,[ ]?(?:===|==|~=|>=|<=|!=|<|>)[ ]?[\w.*]+)*"
    r"(?:=py\w+)?(?![\w.])",
    re.IGNORECASE,
)
_IMAGE = re.compile(
    rf"(?:gcr\.io/)?tensorflow/tensorflow:(?P<tag>{_VERSION}(?P<rest>(?:-[\w.]+)*))(?![\w.-])"
)
# Poetry's and Pipenv's: tensorflow = "^1.15".
_TABLE_ENTRY = re.compile(
    rf"^(?P<name>tensorflow(?:-cpu)?|tensorboard)(?P<is>\s*=\s*)\"[\^~=<>]*{_VERSION}[^\"]*\"",
    re.MULTILINE,
)
_NAMES = re.compile(
    r"(?:.*requirements.*|.*constraints.*)\.(?:txt|in|pip)|setup\.(?:py|cfg)|pyproject\.toml"
    r"|Pipfile|tox\.ini|.*[Dd]ockerfile.*|.*\.ya?ml(?:\.\w+)?|.*\.gitlab-ci\.yml",
)
_COMMAND = re.compile(r"\b(pip[\d.]*|conda|mamba|uv)\s+(?:\S+\s+)*?install\b")
_ONE_EQUALS = re.compile(r"(?<![=<>~!])=(?!=)")
_DEPENDENCIES = re.compile(r"^dependencies:", re.MULTILINE)
_PIP_LIST = re.compile(r"^( *)-\s*pip:\s*$", re.MULTILINE)
_LARGEST = 1_000_000  # Bytes; none of these files is larger.


@dataclasses.dataclass(frozen=True)
class Edit:
    """A file that asks for TensorFlow 1.

    Attributes:
      path: the file.
      old, new: its bytes; equal where nothing is edited.
      lines: what is edited: line, before ("" where something is added), after.
      by_hand: what is left: line, and what to do.
    """

    path: pathlib.Path
    old: bytes
    new: bytes
    lines: tuple[tuple[int, str, str], ...]
    by_hand: tuple[tuple[int, str], ...]

    @property
    def changed(self) -> bool:
        return self.old != self.new


def find_edits(root: pathlib.Path) -> list[Edit]:
    """The files below a directory (or beside a file) that ask for TensorFlow 1."""
    directory = root if root.is_dir() else root.parent
    users = find_users(directory)
    found = []
    for path in discover.walk(directory, on_error=lambda error: None):
        if not _NAMES.fullmatch(path.name) or not path.is_file():
            continue
        try:
            data = path.read_bytes()
        except OSError:
            continue
        if len(data) > _LARGEST:
            continue
        user = find_keras_user(path, users)
        shown = os.path.relpath(user, directory) if user else ""
        if (edit := edit_file(path, data, shown)) is not None:
            found.append(edit)
    return found


def edit_file(path: pathlib.Path, data: bytes, keras_user: str = "") -> Edit | None:
    """Returns the edit that a file needs; None if it needs none.

    Args:
      keras_user: a program that it serves and that imports tf_keras; "" for none.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    lines: list[tuple[int, str, str]] = []
    by_hand: list[tuple[int, str]] = []

    def replace_requirement(match: re.Match[str]) -> str:
        name = match["name"].lower().replace("_", "-")
        if name in BY_HAND:
            by_hand.append((_find_line(match), f"{match[0]}: {BY_HAND[name]}"))
            return match[0]
        new = (CONDA if _is_of_conda(match) else PACKAGES)[name]
        if _has_hashes(match):
            told = f"{match[0]}: ask for {new}, with its hashes"
            by_hand.append((_find_line(match), told))
            return match[0]
        if _is_of_a_shell(path, match):
            if "'" in _read_before(match):
                by_hand.append((_find_line(match), f"{match[0]}: ask for {new}"))
                return match[0]
            new = f"'{new}'"  # A shell would take > and < for files.
        lines.append((_find_line(match), match[0], new))
        return new

    def replace_image(match: re.Match[str]) -> str:
        new = IMAGE + ("-gpu" if "gpu" in match["rest"] else "")
        lines.append((_find_line(match), match[0], new))
        return new

    def replace_entry(match: re.Match[str]) -> str:
        bounds = PACKAGES[match["name"]].removeprefix(match["name"])
        lines.append((_find_line(match), match[0], bounds))
        return f'{match["name"]}{match["is"]}"{bounds}"'

    new = _IMAGE.sub(replace_image, text)
    new = _REQUIREMENT.sub(replace_requirement, new)
    if path.suffix == ".toml" or path.name == "Pipfile":
        new = _TABLE_ENTRY.sub(replace_entry, new)
        by_hand += find_entries(text)
    added = add_keras(path, new) if keras_user else None
    if not (lines or by_hand or (added and (added.lines or added.by_hand))):
        return None
    by_hand += [*find_pythons(text), *find_pins(text)]
    if not keeps_the_rest(path, text, new):
        by_hand += [(line, f"{old}: ask for {want}") for line, old, want in lines]
        lines, new, added = [], text, None
    if added is not None and not keeps_the_rest(path, text, added.text):
        told = [(line, f"ask for {what}, too") for line, what in added.lines]
        added = Added(new, (), (*added.by_hand, *told))
    if added is not None:
        new = added.text
        reason = f"{keras_user} imports tf_keras"
        lines += [(line, "", f"{what} ({reason})") for line, what in added.lines]
        by_hand += [(line, f"{told}: {reason}") for line, told in added.by_hand]
    return Edit(path, data, new.encode(), tuple(sorted(lines)), tuple(sorted(by_hand)))


def _read_before(match: re.Match[str]) -> str:
    """Returns the text before a match in its line."""
    return match.string[: match.start()].rpartition("\n")[2]


def _has_hashes(match: re.Match[str]) -> bool:
    """Whether pip checks the hashes of a requirement: another version has others."""
    rest = match.string[match.end() :].partition("\n")[0]
    return "--hash" in rest or (
        rest.rstrip().endswith("\\")
        and "--hash" in match.string[match.end() :].split("\n", 2)[1]
    )


def _is_of_a_shell(path: pathlib.Path, match: re.Match[str]) -> bool:
    """Whether a requirement is a word of a shell's command, and not in quotes there."""
    before = _read_before(match)
    if before.endswith(('"', "'")):
        return False
    if "ockerfile" in path.name:
        return True
    if ".yml" in path.name or ".yaml" in path.name:
        return before.strip() != "-"  # An item of a list: conda's own.
    return _COMMAND.search(before) is not None


def _is_of_conda(match: re.Match[str]) -> bool:
    """Whether conda reads a requirement, which has no extras: `tensorflow-gpu=1.15`."""
    if _ONE_EQUALS.search(match[0]):
        return True
    before = _read_before(match)
    if commands := _COMMAND.findall(before):
        return commands[-1] in ("conda", "mamba")
    if before.strip() != "-" or not _DEPENDENCIES.search(match.string):
        return False
    # An item of conda's list, or of pip's inside.
    lists = _PIP_LIST.findall(match.string[: match.start()])
    return not lists or len(before.partition("-")[0]) <= len(lists[-1])


def _find_line(match: re.Match[str]) -> int:
    return match.string.count("\n", 0, match.start()) + 1


def describe_edit(edit: Edit, shown: str) -> Iterator[str]:
    """Describes the changed lines and those to change by hand, each with its place."""
    for line, old, new in edit.lines:
        yield f"{shown}:{line}: {f'{old} -> ' if old else 'add '}{new}"
    for line, told in edit.by_hand:
        yield f"{shown}:{line}: by hand: {told}"
