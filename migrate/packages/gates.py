"""Checks that edited files still say the same, apart from packages of TensorFlow.

The gate does not know how a file was edited. It reads the old text and the new one by
the syntax of the file, drops every word about a package of TensorFlow, and compares the
rest.
"""

from __future__ import annotations

import ast
import configparser
import pathlib
import re
import shlex
import sys
from collections.abc import Callable, Iterator

import yaml

from migrate.tables.packages import KERAS, KERAS_OF_IMAGE

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

# What a file says: each word with its place, as ("project.dependencies", "numpy").
Word = tuple[str, str]
_OF_TENSORFLOW = re.compile(r"tensorflow|tensorboard|tf[-_](?:keras|nightly)", re.I)
_OF_KERAS = re.compile(r"tf[-_]keras", re.I)
# A requirement: a name, extras, bounds; then a marker or a comment.
_REQUIREMENT = re.compile(
    r"(?P<asked>[\w.-]+(?:\[[\w, -]*\])?\s*(?:[~=!<>^]=?=?\s*[\w.*+]+\s*,?\s*)*)"
    r"(?P<rest>(?:=[\w.]+)?\s*(?:[;#\\].*)?)"
)
_CONTINUED = re.compile(r"\\[ \t]*\r?\n")
# What is added to a file with an image: `migrate.packages.keras`.
_ADDED = [("", word) for word in ("RUN", "pip", "install", KERAS_OF_IMAGE)]


class Unreadable(Exception):
    """A text does not follow the syntax of its file, as templates do not."""


def keeps_the_rest(path: pathlib.Path, old: str, new: str) -> bool:
    """Whether an edited file differs in packages of TensorFlow alone.

    Args:
      path: its name tells its syntax.
    """
    read = _find_reader(path)
    try:
        before = [*read(old)]
    except Unreadable:
        read = _read_lines
        before = [*read(old)]
    try:
        after = [*read(new)]
    except Unreadable:
        return False
    return _leave_out(before) == _leave_out(after)


def _leave_out(words: list[Word]) -> list[Word]:
    """The words that are about no package of TensorFlow."""
    return [
        (place, text)
        for place, text in words
        if not _OF_TENSORFLOW.search(text)
        and not _OF_TENSORFLOW.match(place.rpartition(".")[2])
    ]


def _find_reader(path: pathlib.Path) -> Callable[[str], Iterator[Word]]:
    if path.suffix == ".toml" or path.name == "Pipfile":
        return _read_toml
    if path.suffix == ".py":
        return _read_python
    if path.suffix in (".cfg", ".ini"):
        return _read_ini
    if ".yml" in path.name or ".yaml" in path.name:
        return _read_yaml
    if "ockerfile" in path.name:
        return _read_docker
    return _read_lines


def _read_text(place: str, text: str, shell: bool = True) -> Iterator[Word]:
    """The words of a string: of requirements, one in each line, or of commands.

    Args:
      shell: whether a shell would run a command.
    """
    for line in _CONTINUED.sub(" ", text).splitlines():
        asked = _REQUIREMENT.fullmatch(line.strip())
        if asked is None:
            found = _split_words(line) if shell else line.split()
            yield from ((place, word) for word in found)
        elif not _OF_KERAS.match(line.strip()):  # It has TensorFlow's own marker.
            yield place, asked["asked"]
            yield place, asked["rest"].strip()


def _split_words(line: str) -> list[str]:
    """The words of a command, its operators apart: `>` writes a file."""
    words = shlex.shlex(line, posix=True, punctuation_chars=True)
    words.whitespace_split, words.commenters = True, ""
    try:
        return [*words]
    except ValueError:  # A quotation mark of a text's.
        return line.split()


def _read_lines(text: str) -> Iterator[Word]:
    return _read_text("", text)


def _read_docker(text: str) -> Iterator[Word]:
    for line in _CONTINUED.sub(" ", text).splitlines():
        words = [("", word) for word in _split_words(line)]
        if words != _ADDED:
            yield from words


def _read_toml(text: str) -> Iterator[Word]:
    try:
        return _read_value("", tomllib.loads(text))
    except ValueError as error:
        raise Unreadable from error


def _read_value(place: str, value: object) -> Iterator[Word]:
    """The words of a tree of tables and lists."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _read_value(f"{place}.{key}", inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _read_value(place, inner)
    elif isinstance(value, str):
        yield from _read_text(place, value)
    else:
        yield place, repr(value)


def _read_python(text: str) -> Iterator[Word]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError) as error:
        raise Unreadable from error
    for node in ast.walk(tree):
        kind = type(node).__name__
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from _read_text(kind, node.value)
        elif isinstance(node, ast.Constant):
            yield kind, repr(node.value)
        elif not isinstance(node, ast.expr_context):
            named = (v for _, v in ast.iter_fields(node) if isinstance(v, str))
            yield kind, " ".join(named)


def _read_ini(text: str) -> Iterator[Word]:
    read = configparser.RawConfigParser(strict=False)
    try:
        read.read_string(text)
    except configparser.Error as error:
        raise Unreadable from error
    for section in read.sections():
        for key, value in read.items(section):
            yield from _read_text(f"{section}.{key}", value, shell=False)


def _read_yaml(text: str) -> Iterator[Word]:
    try:
        documents = [*yaml.compose_all(text, Loader=yaml.SafeLoader)]
    except yaml.YAMLError as error:
        raise Unreadable from error
    for document in documents:
        if document is not None:
            yield from _read_node("", document)


def _read_node(place: str, node: yaml.Node) -> Iterator[Word]:
    """The words of a node, whatever its tag."""
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            name = key.value if isinstance(key, yaml.ScalarNode) else key.tag
            yield from _read_node(f"{place}.{name}", value)
    elif isinstance(node, yaml.SequenceNode):
        for inner in node.value:
            yield from _read_node(place, inner)
    elif not _is_keras(node):
        yield place, f"{node.tag} {node.style}"
        yield from _read_text(place, node.value)


def _is_keras(node: yaml.Node) -> bool:
    return isinstance(node.value, str) and node.value.startswith(KERAS)
