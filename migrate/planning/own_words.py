"""Findings about a form of a program speak of what its author wrote.

A form may have names that the file does not have: `x_2`, where the file binds `x` twice;
`model_loss`, for an object's `self.loss`; `update_op`, for a call that had no name. The
author is told of `x` and the line that binds it, of `self.loss`, and of the call.
"""

from __future__ import annotations

import ast
import dataclasses
import re
from collections.abc import Iterable

from migrate.findings import Finding, Outcome, rename_moved_lines
from migrate.normalise.text import Text
from migrate.source.nodes import parse_source, walk_breadth_first

_QUOTED = re.compile(r"`[^`\n]+`")
# A name, where it is no attribute of another.
_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
_WORD = re.compile(r"[A-Za-z_]\w*")
_NUMBER = re.compile(r"_\d+$")
_LONG = 60  # Characters of an expression that a reason can hold.
_LOUD = (Outcome.REFUSED, Outcome.FAILED)
_ASSIGNS = (ast.Assign, ast.AugAssign, ast.AnnAssign)


def say_in_own_words(
    findings: Iterable[Finding], text: Text, original: str
) -> list[Finding]:
    """Rewords findings about a form in the words of the original file.

    A rewritten construct is reported in the words of the result, which has the form's
    names.

    Args:
      findings: at lines of the form.
      text: the form.
      original: the file.
    """
    words = _Words(text, original)
    return [
        dataclasses.replace(
            f,
            reason=words.translate(
                rename_moved_lines(f.reason, text.origins), text.origins[f.line - 1]
            ),
            recipe=words.translate(rename_moved_lines(f.recipe, text.origins), 0),
        )
        if f.outcome in _LOUD and f.line <= len(text.origins)
        else f
        for f in findings
    ]


@dataclasses.dataclass(frozen=True)
class _Spelled:
    """The author's spelling of a name that the tool made.

    Attributes:
      words: a name of the file, or an expression.
      line: where the file binds that name; 0 for an expression.
    """

    words: str
    line: int = 0


class _Words:
    """The author's spellings of the names that the tool made."""

    def __init__(self, text: Text, original: str) -> None:
        self._text = text
        self._original = original
        self._own = frozenset(_WORD.findall(original))
        self._known: dict[str, _Spelled] = {}

    def translate(self, prose: str, at: int) -> str:
        """The prose with the author's words in its code.

        Args:
          at: the line that it is about: a name that the file binds there needs no line.
        """

        def translate_code(quoted: re.Match[str]) -> str:
            code = quoted[0][1:-1]
            line = self._spell(code).line if _WORD.fullmatch(code) else 0
            where = f" (line {line})" if line not in (0, at) else ""
            return f"`{self._replace_code(code)}`{where}"

        return _QUOTED.sub(translate_code, prose)

    def _replace_code(self, code: str) -> str:
        return _NAME.sub(lambda name: self._spell(name[0]).words, code)

    def _spell(self, name: str) -> _Spelled:
        if name in self._own:
            return _Spelled(name)
        if name not in self._known:
            self._known[name] = _Spelled(name)  # Where its value speaks of itself.
            self._known[name] = self._find(name)
        return self._known[name]

    def _find(self, name: str) -> _Spelled:
        binding = self._bind(name)
        if binding is None:
            return _Spelled(name)  # TensorFlow's, or one that is suggested.
        line = self._text.origins[binding.lineno - 1]
        target = self._find_target(_NUMBER.sub("", name), line)
        if target is not None:
            return _Spelled(target, line)
        return _Spelled(self._show(binding.value) if binding.value else name)

    def _bind(self, name: str) -> ast.Assign | ast.AugAssign | ast.AnnAssign | None:
        """The statement that binds a name of the form."""
        for node in walk_breadth_first(parse_source(self._text.source)):
            if isinstance(node, _ASSIGNS) and any(
                isinstance(inner, ast.Name) and inner.id == name
                for target in _list_targets(node)
                for inner in walk_breadth_first(target)
            ):
                return node
        return None

    def _find_target(self, base: str, line: int) -> str | None:
        """Finds a similar name that the file binds at a line, or has as a parameter."""
        tree = parse_source(self._original)
        for node in walk_breadth_first(tree):
            if not isinstance(node, (*_ASSIGNS, ast.With, ast.For)):
                continue
            end = node.end_lineno if isinstance(node, _ASSIGNS) else node.lineno
            if not node.lineno <= line <= (end or node.lineno):
                continue
            for target in _list_targets(node):
                for inner in walk_breadth_first(target):
                    if isinstance(inner, ast.Name) and (
                        base == inner.id or base.endswith(f"_{inner.id}")
                    ):
                        return inner.id
                    if isinstance(inner, ast.Attribute) and (
                        base == inner.attr or base.endswith(f"_{inner.attr}")
                    ):
                        return ast.unparse(inner)
        if any(
            isinstance(node, ast.arg) and node.arg == base
            for node in walk_breadth_first(tree)
        ):
            return base
        return None

    def _show(self, value: ast.expr) -> str:
        """An expression of the form as its author would read it."""
        code = self._replace_code(ast.unparse(value))
        if len(code) > _LONG and isinstance(value, ast.Call):
            code = f"{self._replace_code(ast.unparse(value.func))}(...)"
        return code


def _list_targets(statement: ast.stmt) -> list[ast.expr]:
    if isinstance(statement, ast.Assign):
        return statement.targets
    if isinstance(statement, (ast.AugAssign, ast.AnnAssign, ast.For)):
        return [statement.target]
    assert isinstance(statement, ast.With)
    return [i.optional_vars for i in statement.items if i.optional_vars is not None]
