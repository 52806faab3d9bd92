"""Initial values that are drawn with a seed.

In TF1 each operation with a seed drew from the seed's beginning. In eager code the second
draw with a seed goes on where the first one ended. So the seeds begin anew before it.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from migrate.backends.direct_steps.made_variables import NotKnown
from migrate.backends.direct_steps.program import Program
from migrate.facts import names

# Methods of datasets, whose seeds are their own.
_OF_DATA = frozenset({"interleave", "shuffle", "rejection_resample"})
# Functions whose fifth argument, and initializers whose third, is a seed.
_SEEDED = ("tf.random.", "tf.truncated_normal", "tf.multinomial", "tf.random_")
_GLOBAL = frozenset(
    {"tf.random.set_seed", "tf.random.set_random_seed", "tf.set_random_seed"}
)
_REPEATED = (
    *(ast.For, ast.While, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp),
    *(ast.GeneratorExp, ast.AsyncFor, ast.If, ast.Try),
)


def find_second_draws(
    program: Program, traced: Collection[ast.FunctionDef]
) -> list[ast.stmt]:
    """The statements that draw with a seed with which another statement may have drawn.

    Args:
      traced: functions whose code runs when a step is traced; each trace has operations
        of its own.

    Raises:
      NotKnown: it is not known how often, or in which order, they draw.
    """
    return _Draws(program, traced).find_second()


class _Draws:
    def __init__(self, program: Program, traced: Collection[ast.FunctionDef]) -> None:
        self._program = program
        self._scopes = program.scopes
        self._traced = traced

    def find_second(self) -> list[ast.stmt]:
        draws = sorted(self._find_draws(), key=lambda call: call.lineno)
        if not draws:
            return []
        if any(symbol in _GLOBAL for _, symbol in self._scopes.walk_uses()):
            raise NotKnown
        seeds = [self._read_seed(call) for call in draws]
        if self._program.alone and len(set(seeds)) == len(seeds):
            if all(map(self._draws_once, draws)):
                return []
        if len(self._program.blocks) > 1:
            raise NotKnown
        known: set[int] = set()
        found: list[ast.stmt] = []
        for call, seed in zip(draws, seeds, strict=True):
            statement = self._find_statement(call)
            if seed in known or not (self._program.alone or found):
                if statement in found:
                    raise NotKnown
                found.append(statement)
                known = set()
            known.add(seed)
        return found

    def _find_draws(self) -> Iterator[ast.Call]:
        for node in self._scopes.walk():
            if not isinstance(node, ast.Call) or self._is_traced(node):
                continue
            symbol = self._scopes.resolve(node.func) or ""
            given = next((k.value for k in node.keywords if k.arg == "seed"), None)
            if given is not None and not names.is_none_constant(given):
                if not self._is_of_data(node.func, symbol):
                    yield node
            elif (symbol.startswith(_SEEDED) and len(node.args) > 4) or (
                "initializer" in symbol and len(node.args) > 2
            ):
                yield node

    def _is_of_data(self, func: ast.expr, symbol: str) -> bool:
        """Whether a seed is a dataset's, or NumPy's or Python's own."""
        if symbol:
            return symbol.startswith("tf.data.")
        path = self._scopes.import_path(func)
        if path.startswith(("numpy.", "random.")):
            return True
        return isinstance(func, ast.Attribute) and func.attr in _OF_DATA

    def _is_traced(self, node: ast.AST) -> bool:
        at: ast.AST | None = node
        while at is not None:
            if at in self._traced:
                return True
            at = self._scopes.parents.get(at)
        return False

    def _read_seed(self, call: ast.Call) -> int:
        given = next((k.value for k in call.keywords if k.arg == "seed"), None)
        if isinstance(given, ast.Constant) and isinstance(given.value, int):
            return given.value
        raise NotKnown

    def _draws_once(self, call: ast.Call) -> bool:
        """Whether a call draws once: where it stands, or for one variable of a layer."""
        try:
            self._find_statement(call)
        except NotKnown:
            return self._is_of_layer(call)
        return True

    def _is_of_layer(self, call: ast.Call) -> bool:
        """`tf_keras.layers.Dense(1, kernel_initializer=...(seed=1))`, made once."""
        keyword = self._scopes.parents[call]
        layer = self._scopes.parents[keyword]
        return (
            isinstance(keyword, ast.keyword)
            and isinstance(layer, ast.Call)
            and self._scopes.import_path(layer.func).startswith("tf_keras.layers.")
            and self._find_block(layer) is not None
        )

    def _find_statement(self, call: ast.Call) -> ast.stmt:
        """Returns the statement of a graph's block that draws, which runs once."""
        symbol = self._scopes.resolve(call.func) or ""
        above = self._scopes.parents[call]
        if symbol.endswith("_initializer"):  # It draws where it is called.
            drawn = isinstance(above, ast.Call) and above.func is call
        else:
            drawn = symbol.startswith(_SEEDED)
        if not drawn:
            raise NotKnown
        statement = self._find_block(call)
        if statement is None:
            raise NotKnown
        return statement

    def _find_block(self, node: ast.AST) -> ast.stmt | None:
        """Returns the statement around a node, if a graph's block runs it, and once."""
        statement: ast.stmt | None = None
        at: ast.AST | None = node
        while at is not None and at not in self._program.blocks:
            if isinstance(at, (*_REPEATED, ast.FunctionDef, ast.ClassDef)):
                return None
            if statement is None and isinstance(at, ast.stmt):
                statement = at
            at = self._scopes.parents.get(at)
        if not isinstance(at, ast.With):
            return None
        alone = self._program.runs_once(at) or not self._program.alone
        return statement if alone else None
