"""Python source files: encoding, byte-order mark, newlines, kept byte for byte."""

from __future__ import annotations

import codecs
import collections
import dataclasses
import difflib
import io
import os
import pathlib
import re
import sys
import tokenize
import warnings
from collections.abc import Iterable

from migrate.findings import Finding, Outcome
from migrate.source import python2
from migrate.source.lines import find_logical_starts
from migrate.source.nodes import parse_source

_MIXED = re.compile(r"^(?: +\t|\t+ )[ \t]*(?=\S)", re.MULTILINE)
_NEWLINE = re.compile(r"\r\n|\r|\n")

# Statements of Python 2, looked for where a statement begins.
_PYTHON2_STATEMENTS = (
    (re.compile(r"\s*print(?:\s+[\"'\w\\`]|[\"'`]|\s*$)"), "a print statement"),
    (re.compile(r"\s*except\s+[\w.]+\s*,\s*\w+\s*:"), "`except E, e`"),
    (re.compile(r"\s*except\s*\(.*\)\s*,\s*\w+\s*:"), "`except E, e`"),
    (re.compile(r"\s*raise\s+[\w.]+\s*,"), "`raise E, message`"),
    (re.compile(r"\s*exec\s+[\"'\w]"), "an exec statement"),
)
# Spellings inside a statement; looked for only on the line of the syntax error.
_PYTHON2_SPELLINGS = (
    (re.compile(r"<>"), "the `<>` operator"),
    (re.compile(r"(?<![\w.])0[0-7]+[lL]?(?![\w.])"), "an octal number like 0777"),
    (re.compile(r"(?<![\w.])(?:0[xX][\da-fA-F]+|\d+)[lL]\b"), "a long number like 10L"),
    (re.compile(r"(?<!\w)[uU][rR][\"']"), "a ur'' string"),
    (re.compile(r"`[^`]+`"), "backticks"),
    (re.compile(r"[;:]\s*print\s+[\"'\w]"), "a print statement"),
    (
        re.compile(r"\blambda\s*\(|\bdef\s+\w+\s*\((?:[^=]*,)?\s*\("),
        "a tuple parameter",
    ),
)
# What CPython 3.10 to 3.13 says of source that it finds too deep, rather than wrong.
USE_PYTHON2 = (
    "Use --python2, which first converts the file to Python 3. Or convert it "
    "yourself (python-modernize, futurize)."
)
_TOO_DEEP = ("too many nested parentheses", "too many levels of indentation")


@dataclasses.dataclass(frozen=True)
class SourceText:
    """A file's text with "\\n" newlines, and what it takes to write it back.

    Attributes:
      text: decoded, newlines normalised.
      encoding: Python's name of the encoding, without the BOM variant.
      bom: whether a UTF-8 byte-order mark stood first.
      newlines: the newline of each line, in order ("" for an unfinished last one).
    """

    text: str
    encoding: str
    bom: bool
    newlines: tuple[str, ...]

    def encode(self, text: str) -> bytes:
        """The bytes of a new text: unchanged lines keep their own newline.

        Raises:
          UnicodeEncodeError: the text does not fit the file's encoding.
        """
        styles = collections.Counter(n for n in self.newlines if n)
        common = styles.most_common(1)[0][0] if styles else "\n"
        if len(styles) > 1:
            body = _restore_newlines(self.text, self.newlines, text, common)
        else:
            body = text.replace("\n", common)
        data = body.encode(self.encoding)
        return (codecs.BOM_UTF8 if self.bom else b"") + data


class Unreadable(Exception):
    """The file cannot be taken as Python source; carries the finding to report."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.reason)
        self.finding = finding


def _make_unreadable(
    code: str, line: int, column: int, reason: str, recipe: str = ""
) -> Unreadable:
    return Unreadable(Finding(line, column, code, Outcome.FAILED, "", reason, recipe))


def map_real_paths(paths: Iterable[pathlib.Path]) -> dict[str, pathlib.Path]:
    """The modules that are there, by their real paths."""
    return {
        os.path.realpath(path): path
        for path in paths
        if path.suffix == ".py" and os.path.isfile(path)
    }


def read_or_nothing(path: pathlib.Path) -> bytes:
    """Reads a file's bytes; none if it cannot be read."""
    try:
        return path.read_bytes()
    except OSError:
        return b""


def decode(data: bytes) -> SourceText:
    """Decodes a source file as Python would (PEP 263).

    `decode(data).encode(decode(data).text) == data` for whatever is returned.

    Raises:
      Unreadable: unknown encoding, or bytes that are not in it.
    """
    bom = data.startswith(codecs.BOM_UTF8)
    body = data[len(codecs.BOM_UTF8) :] if bom else data
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise _make_unreadable(
            "E002",
            1,
            1,
            "this is UTF-16, which Python does not read as source",
            "Save the file as UTF-8.",
        )
    if b"\0" in data:
        at = data.index(b"\0")
        line = data.count(b"\n", 0, at) + 1
        raise _make_unreadable(
            "E002", line, 1, f"a NUL byte at offset {at}; this is not text"
        )
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        encoding = "utf-8" if encoding == "utf-8-sig" else encoding
        raw = body.decode(encoding)
    except UnicodeDecodeError as error:
        at = error.start
        raise _make_unreadable(
            "E002",
            body.count(b"\n", 0, at) + 1,
            1,
            f"byte 0x{body[at]:02x} at offset {at + len(data) - len(body)} "
            f"is not {encoding}",
            "Save the file as UTF-8, or name its encoding in a first line "
            "`# -*- coding: ... -*-`.",
        ) from None
    except (SyntaxError, LookupError, ValueError) as error:
        # detect_encoding reads two lines: of bytes that are not UTF-8 in them it
        # tells neither which nor where.
        bad = _find_first_bad_byte(body)
        if bad is not None and "unknown encoding" not in str(error):
            raise _make_unreadable(
                "E002",
                body.count(b"\n", 0, bad) + 1,
                1,
                f"byte 0x{body[bad]:02x} at offset {bad + len(data) - len(body)} "
                "is not utf-8, and no coding line names another encoding",
                "Save the file as UTF-8, or name its encoding in a first line "
                "`# -*- coding: ... -*-`.",
            ) from None
        raise _make_unreadable(
            "E002", 1, 1, f"the file's encoding cannot be told: {error}"
        ) from None
    newlines = tuple(_NEWLINE.findall(raw))
    if not raw.endswith(("\r", "\n")):
        newlines = (*newlines, "")
    source = SourceText(_NEWLINE.sub("\n", raw), encoding, bom, newlines)
    if source.encode(source.text) != data:
        # Some encodings (utf-7, iso-2022) spell one text in several ways.
        raise _make_unreadable(
            "E002",
            1,
            1,
            f"in {encoding} the file could not be written back as it was",
            "Save the file as UTF-8.",
        )
    return source


def _find_first_bad_byte(body: bytes) -> int | None:
    try:
        body.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start
    return None


def check_syntax(text: str) -> None:
    """Parses the text.

    Raises:
      Unreadable: E003 syntax error, E004 Python 2, E001 too deep to be parsed.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # The user's own "\d" is not our matter.
            parse_source(text)
    except SyntaxError as error:
        raise _explain_syntax_error(text, error) from None
    except (RecursionError, MemoryError):
        raise _make_unreadable("E001", 1, 1, "nested too deeply to be parsed") from None
    except ValueError as error:
        raise _make_unreadable("E003", 1, 1, f"not valid Python: {error}") from None


def check_indentation(text: str) -> None:
    """Looks for tabs among spaces: Python reads some of them that libcst 1.9 does not.

    Raises:
      Unreadable: E003, at the first line that is indented with both.
    """
    mixed = _MIXED.search(text)
    if mixed is not None:
        raise _make_unreadable(
            "E003",
            text.count("\n", 0, mixed.start()) + 1,
            1,
            "this line is indented with both tabs and spaces. Python reads it, but "
            "libcst, the tool's parser, does not",
            "Indent it with spaces alone. A tab goes to the next multiple of 8.",
        )


def _explain_syntax_error(text: str, error: SyntaxError) -> Unreadable:
    line, column = error.lineno or 1, max(1, error.offset or 1)
    if any(deep in error.msg for deep in _TOO_DEEP):
        return _make_unreadable("E001", line, column, error.msg)
    evidence = _find_python2(text, line)
    if evidence is None and isinstance(error, TabError):
        evidence = line, "its indentation mixes tabs and spaces"
    if evidence is not None and not python2.can_be_read(text):
        return _make_unreadable(
            "E003",
            line,
            column,
            f"not valid Python: {error.msg}",
            "It is not valid Python 2 either. Correct the syntax first.",
        )
    if evidence is not None:
        at, what = evidence
        recipe = USE_PYTHON2
        if reserved := python2.find_reserved(text):
            number, why = reserved
            recipe = (
                f"First change line {number}, which Python 3 cannot read even then: {why}. "
                f"{recipe}"
            )
        return _make_unreadable("E004", at, 1, f"this is Python 2: {what}", recipe)
    version = ".".join(map(str, sys.version_info[:2]))
    return _make_unreadable(
        "E003",
        line,
        column,
        f"not valid Python: {error.msg}",
        f"The file was read as Python {version}, which tf1to2 runs on.",
    )


def _find_python2(text: str, line: int) -> tuple[int, str] | None:
    """Evidence that a text with a syntax error at a line is Python 2: (line, what)."""
    lines = text.split("\n")
    here = lines[line - 1] if line <= len(lines) else ""
    for pattern, what in _PYTHON2_STATEMENTS:
        if pattern.match(here):
            return line, what
    for pattern, what in _PYTHON2_SPELLINGS:
        if pattern.search(here):
            return line, what
    for number, (start, content) in enumerate(
        zip(find_logical_starts(lines), lines), 1
    ):
        if start:
            for pattern, what in _PYTHON2_STATEMENTS:
                if pattern.match(content):
                    return number, what
    return None


def _restore_newlines(
    old: str, newlines: tuple[str, ...], new: str, common: str
) -> str:
    """Mixed newlines: each line keeps its own, a new one gets the common style."""
    before, after = old.split("\n"), new.split("\n")
    styles = [*newlines, *[""] * (len(before) - len(newlines))]
    kept: list[str] = [common] * len(after)
    # autojunk: a line that a long file repeats on every hundredth line is no anchor;
    # without it a file of 50,000 lines takes minutes.
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(
        None, before, after
    ).get_opcodes():
        if tag in ("equal", "replace"):
            for offset in range(min(i2 - i1, j2 - j1)):
                kept[j1 + offset] = styles[i1 + offset] or common
    ends = [*kept[:-1], ""]
    return "".join(line + end for line, end in zip(after, ends, strict=True))
