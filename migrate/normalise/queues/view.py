"""A source text in which queue input is rewritten, one statement after the other."""

from __future__ import annotations

import ast
import dataclasses

from migrate.facts import names
from migrate.facts.scopes import build_scopes
from migrate.normalise.text import Edit, Text
from migrate.source.nodes import find_plain_names, parse_source, walk_breadth_first

Home = ast.FunctionDef | ast.Module
_REPEATS = (
    *(ast.For, ast.While, ast.Lambda, ast.IfExp, ast.BoolOp, ast.comprehension),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)
GET_NEXT = ".make_one_shot_iterator().get_next()"


class Unread(Exception):
    """Queue input of a form for which there is no dataset.

    Attributes:
      line: in the original file.
    """

    def __init__(
        self, view: View, node: ast.AST, code: str, reason: str, recipe: str
    ) -> None:
        super().__init__(reason)
        self.line = view.text.origins[node.lineno - 1]  # type: ignore[attr-defined]
        self.code, self.reason, self.recipe = code, reason, recipe


@dataclasses.dataclass(frozen=True)
class Note:
    """One message about a call: its line in the original file, a code, and words."""

    line: int
    code: str
    symbol: str
    reason: str


@dataclasses.dataclass
class State:
    """The facts from earlier rounds, by the names that these rounds made.

    Attributes:
      queues: names of datasets that were queues.
      parts: dataset -> how many tensors its elements are a tuple of; 0 where that
        cannot be told. Other datasets' elements are one tensor, or a dict of them.
      notes: in the order of the rewriting.
    """

    queues: set[str] = dataclasses.field(default_factory=set)
    parts: dict[str, int] = dataclasses.field(default_factory=dict)
    notes: list[Note] = dataclasses.field(default_factory=list)


class View:
    """A text, its tree and its scopes."""

    def __init__(self, text: Text) -> None:
        self.text = text
        self.tree = parse_source(text.source)
        self.scopes = build_scopes(self.tree)
        self._taken = find_plain_names(self.tree)
        self._taken |= {
            n.arg for n in walk_breadth_first(self.tree) if isinstance(n, ast.arg)
        }
        self._taken |= set(self.scopes.module.bindings)

    def list_calls(self) -> list[tuple[ast.Call, str]]:
        """Calls of TensorFlow's symbols, in the order of the text."""
        found = [
            (node, self.scopes.resolve(node.func) or "")
            for node in walk_breadth_first(self.tree)
            if isinstance(node, ast.Call)
        ]
        return sorted(
            (pair for pair in found if pair[1]),
            key=lambda pair: (pair[0].lineno, pair[0].col_offset),
        )

    @property
    def tensorflow(self) -> str | None:
        """The name under which the module has TensorFlow."""
        for name in ("tf", *self.scopes.module.bindings):
            if self.scopes.find_imported_path(name) in (
                "tensorflow",
                "tensorflow.compat.v1",
            ):
                return name
        return None

    def find_statement(self, node: ast.AST) -> ast.stmt:
        return names.find_statement(self.scopes.parents, node)

    def find_suite(self, statement: ast.stmt) -> list[ast.stmt]:
        """The suite that a statement is a part of."""
        above = self.scopes.parents[statement]
        for _, suite in names.list_suites(above):  # type: ignore[arg-type]
            if statement in suite:
                return suite
        raise AssertionError("a statement without a suite")

    def find_home(self, node: ast.AST) -> Home:
        """The function, or the module, in which a node's code runs."""
        while not isinstance(node, (ast.FunctionDef, ast.Module)):
            node = self.scopes.parents[node]
        return node

    def may_repeat(self, node: ast.AST) -> bool:
        """Whether an expression may be computed more than once, or never."""
        while not isinstance(node, (ast.FunctionDef, ast.Module)):
            node = self.scopes.parents[node]
            if isinstance(node, _REPEATS):
                return True
        return False

    def choose_free_name(self, wish: str) -> str:
        """A name that the file does not use."""
        name, number = wish, 2
        while name in self._taken:
            name, number = f"{wish}_{number}", number + 1
        self._taken.add(name)
        return name

    @property
    def unit(self) -> str:
        """Returns the indentation of a suite in this file."""
        for node in self.tree.body:
            inner = getattr(node, "body", None)
            if isinstance(inner, list) and inner and inner[0].lineno > node.lineno:
                return self.indent(inner[0]) or "    "
        return "    "

    def flatten_expression(self, node: ast.AST) -> str:
        """An expression in one line."""
        segment = self.text.find_segment(node)
        return segment if "\n" not in segment else ast.unparse(node)

    def indent(self, statement: ast.stmt) -> str:
        line = self.text.lines[statement.lineno - 1]
        return line[: len(line) - len(line.lstrip())]

    def find_line(self, node: ast.AST) -> int:
        """A node's line in the original file."""
        return self.text.origins[node.lineno - 1]  # type: ignore[attr-defined]

    def insert_before(
        self, statement: ast.stmt, lines: list[str], edits: list[Edit]
    ) -> Text:
        """The text after edits, with lines before a statement."""
        indent, first = self.indent(statement), statement.lineno
        origins = [self.text.origins[first - 1]] * len(lines)
        return self.text.apply_edits(edits).splice(
            first, first - 1, [indent + line for line in lines], origins
        )

    def drop_statement(self, statement: ast.stmt) -> Text:
        """The text without a statement, with `pass` if it was alone in its suite."""
        first, last = statement.lineno, statement.end_lineno or statement.lineno
        alone = len(self.find_suite(statement)) == 1
        left = [self.indent(statement) + "pass"] if alone else []
        return self.text.splice(
            first, last, left, [self.text.origins[first - 1]] * len(left)
        )

    def list_bindings(self, name: ast.Name) -> list[ast.AST]:
        owner = self.scopes.find_scope(name).find_owner(name.id)
        return owner.bindings.get(name.id, []) if owner is not None else []

    def loads(self, name: str, home: Home) -> list[ast.AST]:
        """Lists the reads of a name, or of an attribute, in a function's code."""
        return [
            node
            for node in walk_breadth_first(home)
            if isinstance(node, (ast.Name, ast.Attribute))
            and isinstance(node.ctx, ast.Load)
            and names.find_key(node) == name
        ]
