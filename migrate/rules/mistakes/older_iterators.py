"""D108: a strategy's own iterator, which TF1's sessions initialised."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts.scopes import Scopes
from migrate.program.code import Code, make_code
from migrate.rules.mistakes.mistake import Mistake, find_method, list_calls
from migrate.tables import roles

_LOOPS = (ast.For, ast.While, ast.AsyncFor)
_FUNCTIONS = (ast.FunctionDef, ast.Lambda, ast.Module)


def find(scopes: Scopes) -> Iterator[Mistake]:
    """Yields a mistake for every such iterator that a program makes."""
    found = list(list_calls(scopes))
    in_graph = any(symbol in roles.SESSIONS for _, symbol in found)
    for call, symbol in found:
        if (
            find_method(call) != "make_dataset_iterator"
            or symbol
            or len(call.args) != 1
        ):
            continue
        assert isinstance(call.func, ast.Attribute)
        anew = make_code(
            "iter(",
            call.func.value,
            ".experimental_distribute_dataset(",
            call.args[0],
            "))",
        )
        kept = scopes.parents.get(call)
        name = kept.targets[0] if isinstance(kept, ast.Assign) else None
        uses = None
        if isinstance(name, ast.Name) and not in_graph:
            uses = _Uses(scopes, call, name, anew).read()
        edits, statements = uses if uses is not None else ((), ())
        yield Mistake(
            call,
            "D108",
            "this is the iterator of TensorFlow 1's strategies, which a session "
            "initialised. experimental_run, which used it, no longer exists",
            "Write `iter(strategy.experimental_distribute_dataset(dataset))`, make "
            "it again where it was initialised, and call strategy.run(step, "
            "args=(next(iterator),)).",
            ((call, anew), *edits) if uses is not None else (),
            blocks=True,
            statements=statements,
        )


class _Uses:
    """The uses of one such iterator in a program."""

    def __init__(
        self, scopes: Scopes, made: ast.Call, name: ast.Name, anew: Code
    ) -> None:
        self._scopes = scopes
        self._made = made
        self._name = name
        self._anew = anew
        self._edits: list[tuple[ast.expr, Code]] = []
        self._statements: list[tuple[ast.stmt, Code | None]] = []
        self._drawn: list[ast.AST] = []
        self._begun: list[ast.Expr] = []

    def read(
        self,
    ) -> (
        tuple[
            tuple[tuple[ast.expr, Code], ...],
            tuple[tuple[ast.stmt, Code | None], ...],
        ]
        | None
    ):
        """Returns the correction of its uses; None if one of them is not understood."""
        bound = self._scopes.find_scope(self._name).find_owner(self._name.id)
        if bound is None or len(bound.bindings.get(self._name.id, [])) != 1:
            return None
        for node in self._scopes.walk():
            if (
                isinstance(node, ast.Name)
                and node.id == self._name.id
                and isinstance(node.ctx, ast.Load)
                and not self._rewrite_use(node)
            ):
                return None
        if not self._rewrite_begin():
            return None
        return tuple(self._edits), tuple(self._statements)

    def _rewrite_use(self, node: ast.Name) -> bool:
        parent = self._scopes.parents[node]
        if isinstance(parent, ast.Attribute) and parent.attr == "get_next":
            self._drawn.append(node)
            return True
        if isinstance(parent, ast.Call) and ast.unparse(parent.func) == "next":
            self._drawn.append(node)
            return True
        if isinstance(parent, ast.Call) and find_method(parent) == "experimental_run":
            if len(parent.args) != 2 or parent.args[1] is not node or parent.keywords:
                return False
            assert isinstance(parent.func, ast.Attribute)
            self._drawn.append(node)
            new = make_code(
                parent.func.value,
                ".run(",
                parent.args[0],
                f", args=({node.id}.get_next(),))",
            )
            self._edits.append((parent, new))
            return True
        around = self._scopes.parents.get(parent)
        statement = self._scopes.parents.get(around) if around is not None else None
        if (
            isinstance(parent, ast.Attribute)
            and parent.attr == "initialize"
            and isinstance(around, ast.Call)
            and not around.args
            and isinstance(statement, ast.Expr)
        ):
            self._begun.append(statement)
            return True
        return False

    def _rewrite_begin(self) -> bool:
        """Rewrites `iterator.initialize()`, which started the iterator again.

        If the iterator was only just made, the call is removed. A traced function keeps the
        first iterator. If one draws from it, there is no correction.
        """
        home = self._find_function(self._made)
        last = self._made.end_lineno or 0
        for statement in self._begun:
            if self._find_function(statement) is not home:
                return False
            fresh = not self._is_in_loop(statement) and not any(
                last < getattr(n, "lineno", 0) < statement.lineno
                and self._find_function(n) is home
                or self._find_function(n) is not home
                and self._is_called_before(n, statement)
                for n in self._drawn
            )
            if fresh and len(self._begun) == 1:
                self._statements.append((statement, None))
            elif all(self._find_function(n) is home for n in self._drawn):
                new = make_code(f"{self._name.id} = ", self._anew)
                self._statements.append((statement, new))
            else:
                return False
        return True

    def _is_called_before(self, drawn: ast.AST, statement: ast.Expr) -> bool:
        """Whether the function that draws may be called between."""
        function = self._find_function(drawn)
        outer = function
        while isinstance(outer, ast.FunctionDef):
            around = self._find_function(outer)
            if around is self._find_function(self._made):
                break
            outer = around
        name = outer.name if isinstance(outer, ast.FunctionDef) else ""
        return not name or any(
            isinstance(n, ast.Name)
            and n.id == name
            and isinstance(n.ctx, ast.Load)
            and n.lineno < statement.lineno
            for n in self._scopes.walk()
        )

    def _find_function(self, node: ast.AST) -> ast.AST:
        node = self._scopes.parents.get(node, self._scopes.tree)
        while not isinstance(node, _FUNCTIONS):
            node = self._scopes.parents[node]
        return node

    def _is_in_loop(self, node: ast.AST) -> bool:
        while node in self._scopes.parents:
            node = self._scopes.parents[node]
            if isinstance(node, _LOOPS):
                return True
            if isinstance(node, _FUNCTIONS):
                return False
        return False
