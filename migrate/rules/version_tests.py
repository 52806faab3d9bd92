"""Tests of TensorFlow's version have the outcome that they have in TensorFlow 1.15.5.

    if int(tf.__version__.split(".")[1]) < 12:       init = tf.global_variables_initializer()
        init = tf.initialize_all_variables()    ->
    else:
        init = tf.global_variables_initializer()

The program was written for TensorFlow 1. With TensorFlow 2's version it could take another
branch. So the branch of TensorFlow 1.15.5 stays, and the test goes.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Callable, Iterable
from typing import Any

from migrate.facts.scopes import Scopes, build_scopes
from migrate.findings import Finding, Outcome, move_finding
from migrate.normalise.text import Edit, Text
from migrate.source.nodes import parse_source, walk_breadth_first
from migrate.tables.graph_mode import READ_VERSIONS, VERSION, VERSIONS

_CODE = "T102"
_SYMBOL = "tf.__version__"
_REASON = f"decided as in TensorFlow {VERSION}, for which the program was written"
# Expressions of which a version's test consists.
_PURE = (
    *(ast.Compare, ast.cmpop, ast.BoolOp, ast.boolop, ast.UnaryOp, ast.unaryop),
    *(ast.BinOp, ast.operator, ast.Constant, ast.Tuple, ast.List, ast.Subscript),
    *(ast.Slice, ast.Attribute, ast.Call, ast.Name, ast.expr_context, ast.Starred),
)
_BUILTINS = {f.__name__: f for f in (int, float, str, tuple, list, map, len, bool)}
_METHODS = frozenset(
    {"split", "rsplit", "startswith", "partition", "rpartition", "replace", "strip"}
    | {"find", "index"}
)


@dataclasses.dataclass(frozen=True)
class Decided:
    """A text without tests of the version.

    Attributes:
      text: it, with the original line of each of its lines.
      findings: about the tests, at the lines of the original.
    """

    text: Text
    findings: tuple[Finding, ...]

    def move_findings(self, found: Iterable[Finding]) -> list[Finding]:
        """Returns the text's findings at the original's lines, with those of the tests."""
        moved = [move_finding(f, self.text.origins) for f in found]
        return sorted([*moved, *self.findings])


def is_mentioned(source: str) -> bool:
    """Whether a text may name TensorFlow's version."""
    return "__version__" in source or "VERSION" in source


def decide(source: str) -> Decided | None:
    """Decides the tests of TensorFlow's version in a text; None if it has none."""
    text, findings = Text.read_source(source), []
    while (step := _Tests(text).decide_first()) is not None:
        text, finding = step
        findings.append(finding)
    return Decided(text, tuple(findings)) if findings else None


class _Tests:
    def __init__(self, text: Text) -> None:
        self._text = text
        self._scopes: Scopes = build_scopes(parse_source(text.source))
        self._versions = {
            version
            for node, symbol in self._scopes.walk_uses()
            if (version := _find_version(node, symbol)) is not None
        }

    def decide_first(self) -> tuple[Text, Finding] | None:
        for node in self._scopes.walk():
            if isinstance(node, ast.If) and self._reads_version(node.test):
                outcome = self._evaluate(node.test)
                if outcome is not None and not _is_decided(node.test):
                    return self._take_branch(node, outcome), self._tell(node.test)
        for node in self._versions:
            if self._is_decisive(node):
                new = self._text.apply_edits([Edit(node, f'"{VERSION}"')])
                return new, self._tell(node)
        return None

    def _tell(self, node: ast.expr) -> Finding:
        line = self._text.origins[node.lineno - 1]
        column = node.col_offset + 1
        return Finding(line, column, _CODE, Outcome.REWRITTEN, _SYMBOL, _REASON)

    # -- values ------------------------------------------------------------------------

    def _reads_version(self, node: ast.AST, deep: int = 4) -> bool:
        for part in walk_breadth_first(node):
            if part in self._versions:
                return True
            value = self._find_value(part) if isinstance(part, ast.Name) else None
            if value is not None and deep and self._reads_version(value, deep - 1):
                return True
        return False

    def _find_value(self, name: ast.Name) -> ast.expr | None:
        """The value of a name that has only one."""
        owner = self._scopes.find_scope(name).find_owner(name.id)
        match owner.bindings[name.id] if owner is not None else []:
            case [ast.Assign(targets=[ast.Name()], value=value)]:
                return value
        return None

    def _evaluate(self, test: ast.expr) -> bool | None:
        """The outcome of a test in TensorFlow 1.15.5; None if it needs something else."""
        try:
            return bool(self._read(test))
        except (_Unknown, TypeError, ValueError, IndexError, AttributeError):
            return None

    def _read(self, node: ast.expr) -> object:
        writer = _Writer(self._scopes, self._versions, self._find_value)
        written = writer.visit(node)
        assert isinstance(written, ast.expr)
        code = compile(ast.fix_missing_locations(ast.Expression(written)), "", "eval")
        # Only the expressions, functions and methods of this module's tables.
        names = {**_BUILTINS, "_Version": _Version}
        return eval(code, {"__builtins__": {}, **names})

    # -- text --------------------------------------------------------------------------

    def _is_decisive(self, node: ast.Attribute) -> bool:
        """Whether a version that is left is compared, or taken apart, and not only shown."""
        above = self._scopes.parents.get(node)
        if isinstance(above, ast.Call):
            name = ast.unparse(above.func).rpartition(".")[2]
            return name in READ_VERSIONS and node in above.args
        if isinstance(above, ast.Attribute):
            call = self._scopes.parents.get(above)
            called = isinstance(call, ast.Call) and call.func is above
            return called and above.attr in _METHODS
        return isinstance(above, ast.Compare) or (
            isinstance(above, ast.Subscript) and above.value is node
        )

    def _take_branch(self, node: ast.If, outcome: bool) -> Text:
        """The text with one branch of an `if` in its place."""
        text, taken = self._text, node.body if outcome else node.orelse
        indent = text.find_indentation(node)
        line = text.lines[node.lineno - 1]
        last = node.end_lineno or node.lineno
        begun = line[len(indent) :].startswith("if")
        header = node.test.end_lineno or node.lineno
        shared = taken and node.body[0].lineno == header
        other = node.orelse[0] if node.orelse else None
        is_elif = isinstance(other, ast.If) and text.lines[other.lineno - 1][
            text.find_column(other.lineno, other.col_offset) :
        ].startswith("elif")
        if not begun or shared or not text.is_alone(node):
            return text.apply_edits([Edit(node.test, str(outcome))])
        if is_elif and not outcome:
            assert other is not None
            start = other.lineno
            lines = list(text.lines[start - 1 : last])
            lines[0] = lines[0].replace("elif", "if", 1)
            return text.splice(node.lineno, last, lines, text.origins[start - 1 : last])
        if not taken:
            above = self._scopes.parents[node]
            alone = any(
                getattr(above, field, None) == [node]
                for field in ("body", "orelse", "finalbody")
            )
            lines = [f"{indent}pass"] if alone else []
            return text.splice(
                node.lineno, last, lines, [text.origins[node.lineno - 1]] * len(lines)
            )
        first = taken[0].lineno
        if not outcome:
            header = node.body[-1].end_lineno or first
        while first - 1 > header and text.lines[first - 2].strip().startswith("#"):
            first -= 1  # Its comments.
        end = taken[-1].end_lineno or taken[-1].lineno
        inner = text.find_indentation(taken[0])
        verbatim = text.find_lines_begun_in_strings()
        lines = [
            indent + line[len(inner) :]
            if number not in verbatim and line.startswith(inner)
            else line
            for number, line in enumerate(text.lines[first - 1 : end], first)
        ]
        return text.splice(node.lineno, last, lines, text.origins[first - 1 : end])


def _find_version(node: ast.expr, symbol: str) -> ast.Attribute | None:
    """The version in an expression: `tf.__version__` of `tf.__version__.split`."""
    name = next((v for v in VERSIONS if f"{symbol}.".startswith(f"{v}.")), None)
    for _ in symbol.removeprefix(name or "").split(".")[1:]:
        node = node.value if isinstance(node, ast.Attribute) else node
    return node if name is not None and isinstance(node, ast.Attribute) else None


class _Unknown(Exception):
    """The test depends on more than the version."""


class _Writer(ast.NodeTransformer):
    """Copies a test, with the version's text for its name."""

    def __init__(
        self,
        scopes: Scopes,
        versions: set[ast.Attribute],
        find_value: Callable[[ast.Name], ast.expr | None],
    ) -> None:
        self._scopes, self._versions = scopes, versions
        self._find_value = find_value

    def visit(self, node: ast.AST) -> ast.AST:
        if node in self._versions:
            return ast.Constant(VERSION)
        if not isinstance(node, _PURE):
            raise _Unknown
        match node:
            case ast.Name(id=name):
                value = self._find_value(node)
                if value is not None:
                    return self.visit(value)
                owner = self._scopes.find_scope(node).find_owner(name)
                if name not in _BUILTINS or owner is not None:
                    raise _Unknown
            case ast.Attribute(attr=attr) if attr not in _METHODS:
                raise _Unknown
            case ast.Call(func=func) if (
                self._scopes.import_path(func).rpartition(".")[2] in READ_VERSIONS
            ):
                made = ast.Name("_Version", ast.Load())
                return ast.Call(made, [self._write(a) for a in node.args], [])
            case ast.Call(keywords=[_, *_]):
                raise _Unknown
        fields: dict[str, Any] = {
            name: [self._write(part) for part in value]
            if isinstance(value, list)
            else self._write(value)
            if isinstance(value, ast.AST)
            else value
            for name, value in ast.iter_fields(node)
        }
        kind: Any = type(node)
        written: ast.AST = kind(**fields)
        return written

    def _write(self, node: ast.AST) -> Any:
        return self.visit(node)


class _Version(tuple[int, ...]):
    """A version's numbers, in their order."""

    def __new__(cls, text: str) -> _Version:
        numbers = []
        for part in text.split("."):
            if not part.isdigit():
                raise _Unknown  # A release candidate, for example.
            numbers.append(int(part))
        while numbers and not numbers[-1]:
            numbers.pop()
        return super().__new__(cls, numbers)


def _is_decided(test: ast.expr) -> bool:
    return isinstance(test, ast.Constant)
