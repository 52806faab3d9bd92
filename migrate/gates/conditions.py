"""Compares the conditions under which two programs run a statement."""

from __future__ import annotations

import ast
import dataclasses
import enum
from collections.abc import Iterator, Sequence

from migrate.source.nodes import walk_breadth_first
from migrate.tables import host_effects as table


class Kind(enum.Enum):
    """One kind of code around or before a statement."""

    TEST = "the test"
    LOOP = "the loop"
    HANDLER = "the handler of"
    SERVE = "the workers that serve the coordinator"


@dataclasses.dataclass(frozen=True)
class Guard:
    """One condition, known by the words of its text.

    Attributes:
      left: whether it holds because the process ends if it does not hold.
      raised: whether it holds because an error is raised if it does not hold.
      text: it as it is written.
    """

    kind: Kind
    words: frozenset[str]
    holds: bool = True
    left: bool = False
    raised: bool = False
    text: str = dataclasses.field(default="", compare=False)

    def is_like(self, other: Guard) -> bool:
        """Whether the other condition may be the same one, written anew."""
        if self.kind is other.kind and table.ASKED in (self.words, other.words):
            return True
        if (self.kind, self.holds) != (other.kind, other.holds):
            return False
        if self.kind is Kind.LOOP:
            return True
        return not self.words or not other.words or bool(self.words & other.words)

    def find_end(self) -> Guard | None:
        """The condition of the exit or error that this one comes after, if it does."""
        if not (self.left or self.raised):
            return None
        return Guard(self.kind, self.words, not self.holds)

    @property
    def is_known(self) -> bool:
        """Whether the gate ignores it: TensorFlow decides it, or it always holds."""
        return self.kind is Kind.TEST and bool(
            self.words & (table.MODES | table.KNOWN_TESTS)
        )

    @property
    def is_job(self) -> bool:
        """Whether the condition asks which job of the cluster this process is of."""
        return self.kind is Kind.TEST and bool(self.words & table.JOBS)

    @property
    def is_mode(self) -> bool:
        """Whether the condition asks for the mode of a model_fn."""
        return self.kind is Kind.TEST and bool(self.words & table.MODES)


_TURNED = (ast.NotEq, ast.IsNot, ast.NotIn)


def read_guard(test: ast.expr) -> tuple[Guard, Guard]:
    """Returns the conditions in the two branches of a test."""
    words, holds, text = find_words(test), True, ast.unparse(test)
    while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, holds = test.operand, not holds
    if isinstance(test, ast.Compare) and isinstance(test.ops[0], _TURNED):
        holds = not holds
    guard = Guard(Kind.TEST, words, holds, text=text)
    return guard, dataclasses.replace(guard, holds=not holds)


def read_loop_guard(head: ast.expr) -> Guard:
    """Returns the condition in a loop's body."""
    return Guard(Kind.LOOP, find_words(head), text=ast.unparse(head))


def read_handler_guard(handler: ast.ExceptHandler) -> Guard:
    """Returns the condition in the body of a handler of errors."""
    kind = handler.type or ast.Name("BaseException")
    words = find_words(kind) if handler.type else frozenset()
    return Guard(Kind.HANDLER, words, text=ast.unparse(kind))


def find_words(node: ast.AST) -> frozenset[str]:
    """Returns the words of a condition: its names without their owners, and its constants."""
    owners = {
        id(n.value) for n in walk_breadth_first(node) if isinstance(n, ast.Attribute)
    }
    found: set[str] = set()
    for inner in walk_breadth_first(node):
        if id(inner) in owners:
            continue
        if isinstance(inner, ast.Attribute):
            found.add(inner.attr)
        elif isinstance(inner, ast.Name):
            found.add(inner.id)
        elif isinstance(inner, ast.Constant):
            found.add(repr(inner.value))
    return frozenset(found)


def subtract_guards(
    guards: Sequence[Guard], others: Sequence[Guard]
) -> Iterator[Guard]:
    """Yields the guards that have no like among others; each loop matches one other."""
    left = list(others)
    for guard in guards:
        if guard.is_known:
            continue
        like = next((other for other in left if guard.is_like(other)), None)
        if like is None:
            yield guard
        elif guard.kind is Kind.LOOP:
            left.remove(like)
