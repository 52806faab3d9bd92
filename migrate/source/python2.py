"""Python 2 sources brought to Python 3 by fissix, the maintained lib2to3, and more.

Much of Python 2 parses in Python 3 and means something else there. Where the user says
that his files are Python 2, they are read so, unless a file has what only Python 3 has.
What fissix cannot know is what `/` divides (`division`) and when values are made
(`eager`); what nobody can write is told (`changed_meanings`).
"""

from __future__ import annotations

import ast
import dataclasses
import difflib
import functools
import re
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from migrate.findings import Finding, Outcome
from migrate.source.changed_meanings import (
    find_other_meanings,
    find_python3_syntax,
    find_unseeded_draws,
)
from migrate.source.division import is_true_division, write_floors
from migrate.source.eager import write_lists
from migrate.source.nodes import parse_source, walk_breadth_first

if TYPE_CHECKING:
    from collections.abc import Sequence

# Fixers that only change style, or guess.
_LEFT_OUT = ("buffer", "future", "idioms", "set_literal", "ws_comma")
# The line of a text that would mean something else if it were read as Python 2 again.
MARK = "# tf1to2: this was Python 2; it is Python 3 now."
_FIRST_LINES = re.compile(r"\A(?:#!.*\n)?(?:#.*coding[:=].*\n)?")
# What Python 3 parses but does not have; each is Python 2's only where nothing else has
# that name.
_NAMES = frozenset(
    {
        "xrange",
        "raw_input",
        "unicode",
        "basestring",
        "long",
        "unichr",
        "execfile",
        "cmp",
    }
    | {"reload", "reduce", "intern"}
)
_METHODS = re.compile(r"\.(iteritems|itervalues|iterkeys|has_key)\(")
_MODULES = re.compile(
    r"^\s*(import|from) (urllib2|cPickle|cStringIO|StringIO|ConfigParser|Queue|"
    r"HTMLParser|__builtin__|itertools import .*\bizip)\b",
    re.MULTILINE,
)
_SHOWN = 60  # Characters of a changed line in its finding.
# Modules that give Python 3's functions to Python 2 -> the fixers that are not for these.
_OF_PYTHON3 = re.compile(
    r"^from (?:six\.moves|future_builtins|builtins) import\s+(?:\(([^)]*)\)|(.*))",
    re.MULTILINE,
)
# What Python 3 has made keywords of, and Python 2 programs use as names.
_RESERVED = re.compile(r"\b(?:async|await|nonlocal|None|True|False)\b")
_FIXERS = {"range": "xrange", "ascii": "repr"}


@dataclasses.dataclass(frozen=True)
class Converted:
    """A text as Python 3.

    Attributes:
      text: the new text.
      findings: what was changed, and the divisions that nobody can tell, at the lines
        of the old text.
      origins: for each line of the new text, the old one's number.
    """

    text: str
    findings: tuple[Finding, ...]
    origins: tuple[int, ...]


class NotConvertible(Exception):
    """fissix cannot parse it either."""


def is_python2(text: str) -> bool:
    """Whether a text is Python 2: by its syntax, or by names that Python 3 has not."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return True
    except (RecursionError, MemoryError):
        return False
    if _METHODS.search(text) or _MODULES.search(text):
        return not ("try:" in text and "except ImportError" in text) and not (
            "import six" in text or "from six" in text
        )
    names = [n for n in walk_breadth_first(tree) if isinstance(n, ast.Name)]
    read = {n.id for n in names if isinstance(n.ctx, ast.Load)}
    bound = {n.id for n in names if not isinstance(n.ctx, ast.Load)} | _find_imported(
        tree
    )
    for node in walk_breadth_first(tree):
        if isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            bound.add(node.name)
    return bool((read & _NAMES) - bound)


def _find_imported(tree: ast.Module) -> set[str]:
    return {
        alias.asname or alias.name
        for node in walk_breadth_first(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }


def convert_module(text: str, filename: str) -> Converted | None:
    """Converts a Python 2 text to Python 3; None if both are the same.

    Raises:
      NotConvertible: it is no Python at all.
    """
    if re.search(rf"^{re.escape(MARK)}$", text, re.MULTILINE):
        return None
    alone = _find_python3_line(text)
    if alone:
        reason = "left as it is: this line is Python 3, which Python 2 cannot read"
        kept = Finding(alone, 1, "E010", Outcome.KEPT, "", reason)
        return Converted(text, (kept,), find_origins(text, text))
    whole = text if text.endswith("\n") else f"{text}\n"
    try:
        new = str(_load_tool(_find_own_fixers(text)).refactor_string(whole, filename))
    except Exception as error:  # Of its parser, its tokenizer, or a fixer.
        raise NotConvertible(str(error).splitlines()[0] if str(error) else "") from None
    new = new if text.endswith("\n") else new[:-1]
    try:
        try:
            tree = ast.parse(new)
        except TabError:
            new = _expand_tabs(new)
            tree = ast.parse(new)
    except (SyntaxError, ValueError) as error:
        raise NotConvertible(str(error)) from None
    new = _unwrap_printed(new, tree)
    if not _OF_PYTHON3.search(text):
        new = write_lists(new, parse_source(new))
    unclear: list[int] = []
    if not is_true_division(text):
        new, unclear = write_floors(new, parse_source(new))
    lines = find_origins(text, new)
    findings = [*_report_changes(text, new), *_report_unclear_text(unclear, lines)]
    findings += [
        Finding(lines[line - 1], 1, "E011", Outcome.REFUSED, "", reason, recipe)
        for line, reason, recipe in dict.fromkeys(
            find_other_meanings(parse_source(new))
        )
    ]
    findings += [
        Finding(lines[line - 1], 1, "E011", Outcome.KEPT, "", reason)
        for line, reason in dict.fromkeys(find_unseeded_draws(parse_source(new)))
    ]
    if new == text and not findings:
        return None
    return Converted(new, tuple(sorted(findings)), lines)


def mark_as_python3(found: Converted, text: str, filename: str) -> Converted:
    """The module, which says that it is Python 3, where it is not read so anyway."""
    new = found.text
    if new == text or convert_module(new, filename) is None:
        return found
    first = _FIRST_LINES.match(new)
    at = first.end() if first else 0
    new = f"{new[:at]}{MARK}\n{new[at:]}"
    before = new[:at].count("\n")
    lines = (*found.origins[:before], 1, *found.origins[before:])
    return dataclasses.replace(found, text=new, origins=lines)


def can_be_read(text: str) -> bool:
    """Whether a text is Python 2 by its syntax."""
    try:
        _load_tool(frozenset()).refactor_string(
            text if text.endswith("\n") else f"{text}\n", "text"
        )
    except Exception:  # Of its parser, its tokenizer, or a fixer.
        return False
    return True


def find_reserved(text: str) -> tuple[int, str] | None:
    """A line that Python 3 cannot read even when the rest is converted, and why.

    Returns:
      None where the whole text can be converted.
    """
    whole = text if text.endswith("\n") else f"{text}\n"
    try:
        new = str(_load_tool(frozenset()).refactor_string(whole, "text"))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(new)
    except TabError:
        return None
    except SyntaxError as error:
        at = error.lineno or 1
        line = (new.split("\n") + [""] * at)[at - 1]
        word = _RESERVED.search(line)
        why = f"`{word[0]}` is a keyword there" if word else error.msg
        return (*find_origins(whole, new), at)[at - 1], why
    except Exception:  # Of fissix's parser, its tokenizer, or a fixer.
        return None
    return None


def _find_python3_line(text: str) -> int:
    """The line of a text that only Python 3 can read, 0 where Python 2 may."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return find_python3_syntax(parse_source(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return 0


def _find_own_fixers(text: str) -> frozenset[str]:
    """Fixers of functions that a text takes from where they are Python 3's."""
    names = {
        name
        for inside, after in _OF_PYTHON3.findall(text)
        for name in re.findall(r"\w+", inside or after)
    }
    return frozenset(_FIXERS.get(name, name) for name in names)


def _unwrap_printed(text: str, tree: ast.Module) -> str:
    """`print((x))`, which fissix makes of Python 2's `print(x)`, as `print(x)`."""
    lines = [line.encode() for line in text.split("\n")]
    calls = [
        n
        for n in walk_breadth_first(tree)
        if isinstance(n, ast.Call)
        and isinstance(n.func, ast.Name)
        and n.func.id == "print"
        and len(n.args) == 1
        and not n.keywords
        and n.lineno == n.end_lineno
        and not isinstance(n.args[0], (ast.Tuple, ast.Starred, ast.GeneratorExp))
    ]
    for call in sorted(calls, key=lambda n: -n.col_offset):
        line, inner = lines[call.lineno - 1], call.args[0]
        value = line[inner.col_offset : inner.end_col_offset]
        if line[call.col_offset : call.end_col_offset] == b"print((%s))" % value:
            before, after = line[: call.col_offset], line[call.end_col_offset :]
            lines[call.lineno - 1] = before + b"print(%s)" % value + after
    return b"\n".join(lines).decode()


def _expand_tabs(text: str) -> str:
    """The text with indentation as Python 2 counted it: a tab goes to a multiple of 8.

    Python 3 refuses tabs and spaces whose order depends on that. The lines of strings
    stay as they are.
    """
    from fissix.pgen2 import token, tokenize

    lines = text.split("\n")
    inside: set[int] = set()
    for kind, _, (first, _), (last, _), _ in tokenize.generate_tokens(
        iter([f"{line}\n" for line in lines] + [""]).__next__
    ):
        if kind == token.STRING:
            inside.update(range(first + 1, last + 1))
    for number, line in enumerate(lines, 1):
        code = line.lstrip(" \t")
        if number not in inside:
            indent = line[: len(line) - len(code)].expandtabs(8)
            lines[number - 1] = indent + code
    return "\n".join(lines)


@functools.cache
def _load_tool(left_out: frozenset[str]) -> Any:
    from fissix import refactor  # Slow to import, and seldom needed.

    names = refactor.get_fixers_from_package("fissix.fixes")
    out = left_out.union(_LEFT_OUT)
    kept = [n for n in names if n.rpartition(".fix_")[2] not in out]
    return refactor.RefactoringTool(kept)


# -- what is said ---------------------------------------------------------------------


def _find_opcodes(old: str, new: str) -> Sequence[tuple[str, int, int, int, int]]:
    before, after = old.split("\n"), new.split("\n")
    return difflib.SequenceMatcher(None, before, after).get_opcodes()


def find_origins(old: str, new: str) -> tuple[int, ...]:
    """For each line of the new text the old one's number, from 1."""
    found: list[int] = []
    for _, first, last, start, stop in _find_opcodes(old, new):
        found += [min(first + i + 1, max(last, 1)) for i in range(stop - start)]
    return tuple(found)


def _report_changes(old: str, new: str) -> Iterator[Finding]:
    before, after = old.split("\n"), new.split("\n")
    for kind, first, last, start, stop in _find_opcodes(old, new):
        if kind == "equal":
            continue
        for index in range(max(last - first, 1)):
            line = start + index
            became = after[line].strip() if line < stop else ""
            was = before[first + index].strip() if first + index < last else ""
            if was == became:
                continue
            reason = f"Python 3: `{_shorten_text(became)}`" if became else "dropped"
            yield Finding(
                min(first + index, len(before) - 1) + 1,
                1,
                "E010",
                Outcome.REWRITTEN,
                "",
                reason,
            )


def _shorten_text(line: str) -> str:
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN].rstrip()} ..."


def _report_unclear_text(
    lines: list[int], origin: tuple[int, ...]
) -> Iterator[Finding]:
    for line in lines:
        yield Finding(
            origin[line - 1],
            1,
            "E011",
            Outcome.WARNED,
            "",
            "in Python 2 `/` rounded down if both sides were integers. The tool "
            "cannot tell whether they are, and leaves the line",
            "If integers are divided, write //. Otherwise divide a float.",
        )
