"""Comments that ask to leave a line: `# tf1to2: ignore[T102]`.

A finding of that code at that line is not shown, and what stands there stays:

- a refusal decides as it did: its program is refused, and the exit code says so;
- a warning is accepted: it does not count any more;
- a mistake is not mended, and a name of tensorflow.compat.v1 stays where TensorFlow 2.21
  has it;
- any other rewrite cannot be left out: what stands there is TensorFlow 1's. Its program is
  left whole, which is told (N117).

The comment stands in the line of the finding, or at the end of its statement.
"""

from __future__ import annotations

import ast
import dataclasses
import io
import re
import tokenize
import warnings
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from migrate.findings import Finding, Outcome

if TYPE_CHECKING:
    from migrate.migration import Migration

CODE = "N117"
_PART = "N100"
# A comment that no code stands in means nothing.
LOST = "E012"
_COMMENT = re.compile(r"#\s*tf1to2:\s*ignore\b(?:\[([^\]]*)\])?", re.IGNORECASE)
_RECIPE = "Remove the comment, or change the line by hand to what TensorFlow 2 has."


@dataclasses.dataclass(frozen=True)
class Ignored:
    """The codes that comments of a text ask to ignore.

    Attributes:
      lines: line -> codes, or beginnings of codes.
      lost: line -> what a comment there names that is no code.
    """

    lines: Mapping[int, tuple[str, ...]]
    lost: Mapping[int, str] = dataclasses.field(default_factory=dict)

    def asks(self, line: int, code: str) -> bool:
        """Whether a comment asks to be left alone by a code in a line."""
        codes = self.lines.get(line, ())
        return code.startswith(codes) and code != CODE

    def asks_for(self, finding: Finding) -> bool:
        return self.asks(finding.line, finding.code)


def read_ignored(text: str) -> Ignored:
    """The comments of a text, be it Python or not."""
    if not _COMMENT.search(text):
        return Ignored({})
    from migrate.codes import CODES, MERGED  # It takes longer than most files.

    known = {*CODES, *MERGED}
    found: dict[int, tuple[str, ...]] = {}
    lost: dict[int, str] = {}
    for line, comment in _find_comments(text):
        if match := _COMMENT.search(comment):
            codes = (match[1] or "").upper().replace(" ", "").split(",")
            named = [c for c in codes if c and any(k.startswith(c) for k in known)]
            if len(named) < len(codes):
                lost[line] = ", ".join(c for c in codes if c not in named)
            found[line] = tuple(MERGED.get(code, code) for code in named)
    if not found:
        return Ignored({})
    whole = dict(found)
    for first, last in _find_statements(text):
        if last in found:
            for line in range(first, last):
                whole[line] = (*whole.get(line, ()), *found[last])
    return Ignored(whole, lost)


def tell_lost(ignored: Ignored, cell: int | None = None) -> Iterator[Finding]:
    """Findings about comments that name no code."""
    for line, name in ignored.lost.items():
        what = f"`{name}`, which is no code" if name else "no code"
        reason = f"the comment names {what}, so it has no effect"
        recipe = "Write the code of a finding: # tf1to2: ignore[T102]"
        yield Finding(line, 1, LOST, Outcome.KEPT, "", reason, recipe, cell)


def _find_comments(text: str) -> Iterator[tuple[int, str]]:
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.string
    except (tokenize.TokenError, SyntaxError):
        # Python 2, or no Python: its lines are read as they are.
        for number, line in enumerate(text.split("\n"), 1):
            if "#" in line:
                yield number, line[line.index("#") :]


def _find_statements(text: str) -> Iterator[tuple[int, int]]:
    """The lines of simple statements, and of the headers of others."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt):
            body = getattr(node, "body", None)
            last = node.end_lineno or node.lineno
            if isinstance(body, list) and body:
                last = max(node.lineno, body[0].lineno - 1)
            yield node.lineno, last


def hide(findings: Iterable[Finding], ignored: Ignored) -> Iterator[Finding]:
    """The findings of a file, without what its comments do not want to be told.

    A warning that they accept is kept code.
    """
    found = list(findings)
    refused = any(f.blocks for f in found)
    for finding in found:
        if not ignored.asks_for(finding):
            yield finding
        elif finding.outcome is Outcome.WARNED and not refused:
            yield dataclasses.replace(finding, outcome=Outcome.KEPT, hidden=True)
        elif finding.outcome is Outcome.FAILED:
            yield finding
        else:
            yield dataclasses.replace(finding, hidden=True)


def leave_whole(text: str, done: Migration) -> Migration:
    """A migration; the text as it was where a comment asks to leave what it needs."""
    ignored = read_ignored(text)
    asked = [
        f
        for f in done.findings
        if f.outcome is Outcome.REWRITTEN and ignored.asks_for(f)
    ]
    if not asked or done.text == text:
        return done
    left: list[Finding] = []
    for finding in done.findings:
        if finding in asked:
            reason = (
                f"the comment asks to leave what {finding.code} changes here, but "
                "without that change the program cannot be migrated"
            )
            left.append(
                dataclasses.replace(
                    finding,
                    code=CODE,
                    outcome=Outcome.REFUSED,
                    reason=reason,
                    recipe=_RECIPE,
                )
            )
        elif finding.outcome is Outcome.REWRITTEN:
            left.append(
                dataclasses.replace(
                    finding,
                    code=_PART,
                    outcome=Outcome.REFUSED,
                    reason="part of a program that was refused",
                    recipe="",
                    noted=False,
                )
            )
        else:
            left.append(finding)
    return dataclasses.replace(
        done, text=text, findings=tuple(sorted(left)), support=()
    )
