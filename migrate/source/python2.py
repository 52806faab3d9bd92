"""Python 2 sources brought to Python 3 by fissix, the maintained lib2to3, and division.

What fissix cannot know is what `/` divides: Python 2 floored it for two integers. Where
both are seen to be integers it becomes `//`, where one is seen to be a float it stays,
and everywhere else it stays and is reported.
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
from migrate.source.nodes import all_nodes

if TYPE_CHECKING:
    from collections.abc import Sequence

# Fixers that only change style, or guess.
_LEFT_OUT = ("buffer", "idioms", "set_literal", "ws_comma")
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
_DIVISION = re.compile(r"^from __future__ import .*\bdivision\b", re.MULTILINE)
_SHOWN = 60  # Characters of a changed line in its finding.
_INTEGERS = frozenset({"len", "int", "ord", "hash"})
# Python 2's operators of integers that give one.
_WHOLE = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod)


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
    names = [n for n in all_nodes(tree) if isinstance(n, ast.Name)]
    read = {n.id for n in names if isinstance(n.ctx, ast.Load)}
    bound = {n.id for n in names if not isinstance(n.ctx, ast.Load)} | _imported(tree)
    for node in all_nodes(tree):
        if isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            bound.add(node.name)
    return bool((read & _NAMES) - bound)


def _imported(tree: ast.Module) -> set[str]:
    return {
        alias.asname or alias.name
        for node in all_nodes(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }


def converted(text: str, filename: str) -> Converted | None:
    """A Python 2 text as Python 3; None where it is no Python 2.

    Raises:
      NotConvertible: it is no Python at all.
    """
    if not is_python2(text):
        return None
    whole = text if text.endswith("\n") else f"{text}\n"
    try:
        new = str(_tool().refactor_string(whole, filename))
    except Exception as error:  # Of its parser, its tokenizer, or a fixer.
        raise NotConvertible(str(error).splitlines()[0] if str(error) else "") from None
    new = new if text.endswith("\n") else new[:-1]
    try:
        try:
            tree = ast.parse(new)
        except TabError:
            new = _with_spaces(new)
            tree = ast.parse(new)
    except (SyntaxError, ValueError) as error:
        raise NotConvertible(str(error)) from None
    new = _printed_once(new, tree)
    tree = ast.parse(new)
    divided = new
    unclear: list[int] = []
    if not _DIVISION.search(text):
        divided, unclear = _divided(new, tree)
    lines = origins(text, divided)
    findings = [*_changes(text, divided), *_unclear(unclear, lines)]
    return Converted(divided, tuple(findings), lines)


def _printed_once(text: str, tree: ast.Module) -> str:
    """`print((x))`, which fissix makes of Python 2's `print(x)`, as `print(x)`."""
    lines = [line.encode() for line in text.split("\n")]
    calls = [
        n
        for n in all_nodes(tree)
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


def _with_spaces(text: str) -> str:
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
def _tool() -> Any:
    from fissix import refactor  # Slow to import, and seldom needed.

    names = refactor.get_fixers_from_package("fissix.fixes")
    kept = [n for n in names if n.rpartition(".fix_")[2] not in _LEFT_OUT]
    return refactor.RefactoringTool(kept)


# -- division -------------------------------------------------------------------------


def _divided(text: str, tree: ast.Module) -> tuple[str, list[int]]:
    """The text with `//` where integers are divided, and lines where nobody can tell."""
    lines = text.encode().split(b"\n")
    unclear: set[int] = set()
    floored: list[tuple[ast.expr, ast.expr]] = []
    for node in all_nodes(tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            left, right = node.left, node.right
        elif isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Div):
            left, right = node.target, node.value
        else:
            continue
        if _is_float(left) or _is_float(right):
            continue
        together = left.end_lineno == right.lineno
        if together and _is_integer(left) and _is_integer(right):
            floored.append((left, right))
        else:
            unclear.add(node.lineno)
    # From the right, so that no column moves before its turn.
    for left, _ in sorted(floored, key=lambda pair: -(pair[0].end_col_offset or 0)):
        assert left.end_lineno is not None and left.end_col_offset is not None
        line = lines[left.end_lineno - 1]
        at = line.index(b"/", left.end_col_offset)
        lines[left.end_lineno - 1] = line[:at] + b"/" + line[at:]
    return b"\n".join(lines).decode(), sorted(unclear)


def _is_float(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, float | complex)
    if isinstance(node, ast.UnaryOp):
        return _is_float(node.operand)
    if isinstance(node, ast.BinOp):
        return _is_float(node.left) or _is_float(node.right)
    return _calls(node, frozenset({"float"}))


def _is_integer(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, int)
    if isinstance(node, ast.UnaryOp):
        return _is_integer(node.operand)
    if isinstance(node, ast.BinOp) and isinstance(node.op, _WHOLE):
        return _is_integer(node.left) and _is_integer(node.right)
    return _calls(node, _INTEGERS)


def _calls(node: ast.expr, names: frozenset[str]) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in names
    )


# -- what is said ---------------------------------------------------------------------


def _opcodes(old: str, new: str) -> Sequence[tuple[str, int, int, int, int]]:
    before, after = old.split("\n"), new.split("\n")
    return difflib.SequenceMatcher(None, before, after).get_opcodes()


def origins(old: str, new: str) -> tuple[int, ...]:
    """For each line of the new text the old one's number, from 1."""
    found: list[int] = []
    for _, first, last, start, stop in _opcodes(old, new):
        found += [min(first + i + 1, max(last, 1)) for i in range(stop - start)]
    return tuple(found)


def _changes(old: str, new: str) -> Iterator[Finding]:
    before, after = old.split("\n"), new.split("\n")
    for kind, first, last, start, stop in _opcodes(old, new):
        if kind == "equal":
            continue
        for index in range(max(last - first, 1)):
            line = start + index
            became = after[line].strip() if line < stop else ""
            was = before[first + index].strip() if first + index < last else ""
            if was == became:
                continue
            reason = f"Python 3: `{_short(became)}`" if became else "dropped"
            yield Finding(
                min(first + index, len(before) - 1) + 1,
                1,
                "E010",
                Outcome.REWRITTEN,
                "",
                reason,
            )


def _short(line: str) -> str:
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN].rstrip()} ..."


def _unclear(lines: list[int], origin: tuple[int, ...]) -> Iterator[Finding]:
    for line in lines:
        yield Finding(
            origin[line - 1],
            1,
            "E009",
            Outcome.REFUSED,
            "",
            "in Python 2 `/` floored where both sides are integers; here it cannot be "
            "told, and it is left",
            "Write // where integers are divided, or divide a float.",
        )
