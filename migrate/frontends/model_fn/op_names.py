"""Names of variables that TF1's graph gave a number, since a scope of operations had them.

with tf.name_scope("embedding"):
    table = tf.get_variable("embedding", [words, size])  # Its name is embedding_1.

No scope of names stands before a variable's name, but its operation's name is the graph's,
and a scope takes one too. Checkpoints know variables by their operations.
"""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.model_fn.modes import NotSplit
from migrate.frontends.model_fn.naming import read_literal
from migrate.frontends.model_fn.numbers import find_beginning
from migrate.source.nodes import walk_breadth_first
from migrate.tables import keras_models as table

_OPEN = ("tf.name_scope", "tf.variable_scope")
# What each takes its scope's name from, in order.
_NAMES = {
    "tf.name_scope": ("name", "default_name"),
    "tf.variable_scope": ("name_or_scope", "default_name"),
}
_SCOPE_HERE = "tf.get_variable_scope"


def find_given_name(
    call: ast.Call,
    name: ast.expr,
    where: tuple[ast.expr, ...],
    function: ast.FunctionDef,
    scopes: Scopes,
) -> ast.expr:
    """The last part of a variable's name.

    Args:
      name: what its call says.
      where: its variable scopes.

    Raises:
      NotSplit: it is not certain.
    """
    whole = read_literal((*where, name))
    if whole is None:
        return name
    # A graph's names are told apart without regard to case.
    search = _Search(call, whole.lower(), function, scopes)
    taken = search.count_taken_names()
    if not taken:
        return name
    if taken > 1:
        raise NotSplit(call, f"several operations of its graph have the name {whole!r}")
    return ast.Constant(f"{names.read_literal(name)}_1")


class _Search:
    """Looks for what may have taken a variable's name in its graph before it."""

    def __init__(
        self, call: ast.Call, whole: str, function: ast.FunctionDef, scopes: Scopes
    ) -> None:
        self._call, self._whole, self._scopes = call, whole, scopes
        self._function = function
        self._last = whole.rpartition("/")[2]

    def count_taken_names(self) -> int:
        """Counts the earlier uses of the variable's name; 2 or more if not known."""
        taken = 0
        for node in walk_breadth_first(self._function):
            if not isinstance(node, (ast.With, ast.Call)) or not self._is_before(node):
                continue
            if isinstance(node, ast.With):
                taken += self._count_opened_scopes(node)
            elif self._may_name(node):
                taken += 2  # Of operations and layers it is not known how many.
        return taken + self._count_elsewhere()

    def _is_before(self, node: ast.With | ast.Call) -> bool:
        at = (self._call.lineno, self._call.col_offset)
        return (node.lineno, node.col_offset) < at

    def _count_opened_scopes(self, statement: ast.With) -> int:
        """Counts the scopes with the variable's name that a `with` opens."""
        taken = 0
        around = self._read_prefix(statement)
        for item in statement.items:
            beginning = _read_beginning(item, self._scopes)
            if beginning is None:
                continue
            text, exact = beginning
            if around is not None:
                around = (f"{around[0]}{text}", around[1] and exact)
                taken += self._count_times(*around)
                around = (f"{around[0]}/", around[1])
        return taken

    def _count_times(self, begins: str, exact: bool) -> int:
        if exact:
            return int(begins == self._whole)
        return 2 * self._whole.startswith(begins)

    def _read_prefix(self, node: ast.AST) -> tuple[str, bool] | None:
        """Reads the operations' prefix at a node, and whether that is all of it.

        None if the variable's name does not begin so.
        """
        outer: list[ast.With] = []
        above: ast.AST | None = self._scopes.parents.get(node)
        while above is not None and not isinstance(above, ast.FunctionDef):
            if isinstance(above, ast.With) and node not in above.items:
                outer.insert(0, above)
            node, above = above, self._scopes.parents.get(above)
        text = ""
        for item in [item for statement in outer for item in statement.items]:
            found = _read_beginning(item, self._scopes)
            if found is None:
                continue
            text += found[0]
            if not found[1]:
                return (text, False) if self._whole.startswith(text) else None
            text += "/"
        return (text, True) if self._whole.startswith(text) else None

    def _may_name(self, call: ast.Call) -> bool:
        """Whether an operation or layer that TensorFlow makes may have the name."""
        symbol = self._scopes.resolve(call.func)
        if symbol is None or symbol == table.VARIABLE or symbol in _OPEN:
            return False
        around = self._read_prefix(call)
        if around is None:
            return False
        texts = [
            names.read_literal(n)
            for n in (*call.args, *(k.value for k in call.keywords))
        ]
        begins, exact = around
        for text in (*texts, symbol.rpartition(".")[2]):
            if isinstance(text, str):
                plain = text.lower()
                if not exact or f"{begins}{plain}" == self._whole:
                    if plain == self._last:
                        return True
        return False

    def _count_elsewhere(self) -> int:
        """Returns 2 if another function opens a scope of the name, else 0."""
        inside = set(walk_breadth_first(self._function))
        for function in self._scopes.scope_by_node:
            if not isinstance(function, ast.FunctionDef) or function in inside:
                continue
            for node in walk_breadth_first(function):
                if isinstance(node, ast.With) and node not in inside:
                    found = [_read_beginning(item, self._scopes) for item in node.items]
                    if (self._whole, True) in found:
                        return 2
        return 0


def _read_beginning(item: ast.withitem, scopes: Scopes) -> tuple[str, bool] | None:
    """Reads the beginning of a scope's name, and whether that is all; None if none."""
    call = item.context_expr
    if not isinstance(call, ast.Call):
        return None
    symbol = scopes.resolve(call.func)
    if symbol not in _OPEN:
        return None
    for index, parameter in enumerate(_NAMES[symbol]):
        name = names.find_argument(call, parameter, index)
        if name is None or (isinstance(name, ast.Constant) and name.value is None):
            continue
        if isinstance(name, ast.Call) and scopes.resolve(name.func) == _SCOPE_HERE:
            return None  # It opens none for operations.
        return find_beginning(name).lower(), isinstance(name, ast.Constant)
    return "", False
