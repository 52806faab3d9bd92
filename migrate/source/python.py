"""Python source files: encoding, byte-order mark, newlines, kept byte for byte."""

from __future__ import annotations

import ast
import codecs
import dataclasses
import io
import re
import tokenize

from migrate.findings import Finding, Outcome

# Evidence that a syntax error is Python 2's: (pattern, what it is).
_PYTHON2 = (
    (re.compile(r"^\s*print\s+[^(=\s]", re.M), "a print statement"),
    (re.compile(r"^\s*print\s*$", re.M), "a print statement"),
    (re.compile(r"^\s*except\s+[\w.()\s,]+,\s*\w+\s*:", re.M), "`except E, e`"),
    (re.compile(r"^\s*raise\s+\w+\s*,", re.M), "`raise E, message`"),
    (re.compile(r"^\s*exec\s+[\"'\w]", re.M), "an exec statement"),
    (re.compile(r"<>"), "the `<>` operator"),
    (re.compile(r"(?<![\w.])0[0-7]+\b(?!\.)"), "an octal number like 0777"),
    (re.compile(r"\bur['\"]"), "a ur'' string"),
    (re.compile(r"`[^`\n]+`"), "backticks"),
)


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
        styles = [n for n in self.newlines if n]
        common = max(set(styles), key=styles.count) if styles else "\n"
        if len(set(styles)) > 1:
            body = _with_newlines(self.text, self.newlines, text, common)
        else:
            body = text.replace("\n", common)
        data = body.encode(self.encoding)
        return (codecs.BOM_UTF8 if self.bom else b"") + data


class Unreadable(Exception):
    """The file cannot be taken as Python source; carries the finding to report."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.reason)
        self.finding = finding


def _failed(code: str, line: int, column: int, reason: str, recipe: str = "") -> Unreadable:
    return Unreadable(Finding(line, column, code, Outcome.FAILED, "", reason, recipe))


def decode(data: bytes) -> SourceText:
    """Decodes a source file as Python would.

    Raises:
      Unreadable: unknown encoding, or bytes that are not in it.
    """
    bom = data.startswith(codecs.BOM_UTF8)
    body = data[len(codecs.BOM_UTF8) :] if bom else data
    if b"\0" in body:
        raise _failed("E002", 1, 1, f"a NUL byte at offset {data.index(0)}; not source text")
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(body).readline)
    except (SyntaxError, LookupError) as error:
        raise _failed("E002", 1, 1, f"the file's encoding cannot be told: {error}") from None
    encoding = "utf-8" if encoding == "utf-8-sig" else encoding
    try:
        raw = body.decode(encoding)
    except UnicodeDecodeError as error:
        line = body[: error.start].count(b"\n") + 1
        raise _failed(
            "E002",
            line,
            1,
            f"byte 0x{body[error.start]:02x} at offset {error.start + 3 * bom} is not {encoding}",
            "Save the file as UTF-8, or name its encoding in a `# -*- coding: ... -*-` line.",
        ) from None
    lines = re.split(r"(\r\n|\r|\n)", raw)
    newlines = (*lines[1::2], "") if lines[-1] else tuple(lines[1::2])
    text = re.sub(r"\r\n|\r", "\n", raw)
    return SourceText(text, encoding, bom, tuple(newlines))


def check_syntax(text: str, filename: str) -> None:
    """Parses the text.

    Raises:
      Unreadable: E003 syntax error, E004 Python 2, E005 too deep.
    """
    try:
        ast.parse(text, filename)
    except SyntaxError as error:
        line, column = error.lineno or 1, error.offset or 1
        for pattern, what in _PYTHON2:
            found = pattern.search(text)
            if found:
                at = text.count("\n", 0, found.start() + len(found[0]) - len(found[0].lstrip())) + 1
                raise _failed(
                    "E004",
                    at,
                    1,
                    f"this is Python 2: {what}",
                    "Bring the file to Python 3 first (2to3, futurize, python-modernize).",
                ) from None
        raise _failed("E003", line, column, f"not valid Python: {error.msg}") from None
    except (RecursionError, MemoryError):
        raise _failed("E005", 1, 1, "nested too deeply to be parsed") from None
    except ValueError as error:
        raise _failed("E003", 1, 1, f"not valid Python: {error}") from None


def _with_newlines(
    old: str, newlines: tuple[str, ...], new: str, common: str
) -> str:
    """Mixed newlines: lines that stay keep theirs, new ones get the common style."""
    import difflib

    before, after = old.split("\n"), new.split("\n")
    kept: dict[int, str] = {}
    for tag, i1, i2, j1, _ in difflib.SequenceMatcher(
        None, before, after, autojunk=False
    ).get_opcodes():
        if tag == "equal":
            for offset in range(i2 - i1):
                if i1 + offset < len(newlines):
                    kept[j1 + offset] = newlines[i1 + offset]
    parts = []
    for index, line in enumerate(after):
        last = index == len(after) - 1
        parts.append(line + ("" if last else kept.get(index) or common))
    return "".join(parts)
