"""TF1 to TF1: what a name scope does not name stands beside it.

    with tf.name_scope("dnn"):               hidden = tf.layers.dense(x, 8, name="hidden")
        hidden = tf.layers.dense(            with tf.name_scope("dnn"):
            x, 8, name="hidden")                 bias = tf.Variable(tf.zeros([8]))
        bias = tf.Variable(tf.zeros([8]))        tf.summary.histogram("bias", bias)
        tf.summary.histogram("bias", bias)

TensorFlow 1 named what get_variable and layers make by variable scopes alone, and only
tf.Variable, operations and summaries by name scopes too. TensorFlow 2 has one kind.
"""

from __future__ import annotations

import ast

from migrate.facts import names, reach
from migrate.findings import Finding, Outcome
from migrate.normalise.text import ParsedText, Text, find_lines_inside_strings
from migrate.source.nodes import parse_source, walk_breadth_first
from migrate.tables import optimizers, roles
from migrate.tables.layers import LAYER_CLASSES, LAYER_FUNCTIONS
from migrate.tables.recurrent import CELLS

_ROUNDS = 100
# Their layers, cells and what runs these make variables by get_variable.
_PREFIXES = ("tf.contrib.layers.", "tf.contrib.rnn.", "tf.contrib.slim.")
_RUNS = frozenset(
    {"tf.nn.dynamic_rnn", "tf.nn.static_rnn", "tf.nn.bidirectional_dynamic_rnn"}
    | {"tf.nn.static_bidirectional_rnn", "tf.nn.raw_rnn"}
)
_BY_NAME = ("get_tensor_by_name", "get_operation_by_name")
_MERGES = ("tf.summary.merge", "tf.summary.FileWriter")
_UPDATES = ("minimize", "apply_gradients")
_NO_SUITE = (ast.FunctionDef, ast.ClassDef)


def move_out_of_scopes(text: Text) -> tuple[Text, tuple[Finding, ...]]:
    """The text with such statements outside of name scopes, and what could not be."""
    if "name_scope" not in text.source or any(n in text.source for n in _BY_NAME):
        return text, ()
    for _ in range(_ROUNDS):
        new = _Blocks(text).rewrite_block()
        if new is None:
            break
        text = new
    told = tuple(
        Finding(
            text.origins[block.lineno - 1],
            block.col_offset + 1,
            "N141",
            Outcome.KEPT,
            "tf.name_scope",
            "this name scope contains get_variable or layers, and also something "
            "that it names. So the names of their variables in checkpoints begin "
            "with the scope, too",
        )
        for block in _Blocks(text).find_remaining()
    )
    return text, told


class _Blocks(ParsedText):
    def find_remaining(self) -> list[ast.With]:
        """Blocks in which something is made that they must not name."""
        return [
            b
            for b in self._list_blocks()
            if any(self._is_named_by_variable_scopes(s) for s in b.body)
        ]

    def _list_blocks(self) -> list[ast.With]:
        """Name scopes, inner ones before those around them."""
        found = [
            node
            for node in walk_breadth_first(self._tree)
            if isinstance(node, ast.With)
            and any(self._names(i) for i in node.items)
            and not self._is_of_towers(node)
        ]
        return sorted(found, key=lambda b: (-b.lineno, -b.col_offset))

    def _names(self, item: ast.withitem) -> bool:
        call = item.context_expr
        return isinstance(call, ast.Call) and (
            self._scopes.resolve(call.func) == "tf.name_scope"
        )

    def _is_of_towers(self, block: ast.With) -> bool:
        """Whether it stands in a loop over devices, which is read as a whole."""
        node: ast.AST = block
        while node in self._scopes.parents:
            node = self._scopes.parents[node]
            if isinstance(node, (ast.For, ast.While)) and any(
                isinstance(n, ast.Call) and self._scopes.resolve(n.func) == "tf.device"
                for n in walk_breadth_first(node)
            ):
                return True
        return False

    def rewrite_block(self) -> Text | None:
        for block in self._list_blocks():
            outside = [self._is_named_by_variable_scopes(s) for s in block.body]
            if not any(outside) or not self._clear(block, outside):
                continue
            new = self._split_block(block, outside)
            if new is not None:
                return new
        return None

    def _clear(self, block: ast.With, outside: list[bool]) -> bool:
        """Whether its statements can be told apart, and are lines of their own."""
        bound = set().union(*[names.find_item_binds(i) for i in block.items])
        if any(
            out and (self._is_named_by_name_scopes(s) or bound & names.find_reads(s))
            for s, out in zip(block.body, outside, strict=True)
        ):
            return False
        return block.body[0].lineno > block.lineno and not any(
            isinstance(s, _NO_SUITE) or not self._text.is_alone(s) for s in block.body
        )

    def _split_block(self, block: ast.With, outside: list[bool]) -> Text | None:
        needs = bool(
            any(names.find_item_binds(i) for i in block.items)
            or any(self._is_named_by_name_scopes(s) for s in block.body)
            or any(self._updates(s) for s in block.body)
        )
        first = block.body[0]
        outer = self._text.lines[block.lineno - 1][: block.col_offset]
        inner = self._text.lines[first.lineno - 1][: first.col_offset]
        if outer.strip() or inner.strip():
            return None
        if len(block.items) > 1:
            return None if needs else self._drop_item(block)
        end = block.body[-1].end_lineno or block.body[-1].lineno
        header = self._text.lines[block.lineno - 1 : self._find_header_end(block)]
        verbatim = set().union(*[find_lines_inside_strings(s) for s in block.body])
        lines: list[str] = []
        origins: list[int] = []
        begun, at = False, len(header) + block.lineno
        for statement, out in zip(block.body, outside, strict=True):
            last = statement.end_lineno or statement.lineno
            out = out or not needs
            if not out and not begun:
                lines += header
                origins += [self._text.origins[block.lineno - 1]] * len(header)
            begun = not out
            for number in range(at, last + 1):
                line = self._text.lines[number - 1]
                if out and number not in verbatim and line.startswith(inner):
                    line = outer + line[len(inner) :]
                lines.append(line)
                origins.append(self._text.origins[number - 1])
            at = last + 1
        new = self._text.splice(block.lineno, end, lines, origins)
        try:
            parse_source(new.source)
        except SyntaxError:
            return None
        return new

    def _find_header_end(self, block: ast.With) -> int:
        """The last line of `with ...:`."""
        item = block.items[-1]
        node = item.optional_vars or item.context_expr
        return node.end_lineno or block.lineno

    def _drop_item(self, block: ast.With) -> Text | None:
        """Drops the name scope from a block of several managers."""
        if self._find_header_end(block) != block.lineno:
            return None
        kept = [i for i in block.items if not self._names(i)]
        if not kept:
            return None
        shown = ", ".join(self._spell_item(i) for i in kept)
        outer = self._text.lines[block.lineno - 1][: block.col_offset]
        origin = self._text.origins[block.lineno - 1]
        return self._text.splice(
            block.lineno, block.lineno, [f"{outer}with {shown}:"], [origin]
        )

    def _spell_item(self, item: ast.withitem) -> str:
        shown = self._text.find_segment(item.context_expr)
        if item.optional_vars is None:
            return shown
        return f"{shown} as {self._text.find_segment(item.optional_vars)}"

    # -- what is made --------------------------------------------------------------------

    def _find_symbols(self, statement: ast.stmt) -> set[str]:
        """Returns the symbols that a statement calls, itself or in functions."""
        return {
            self._scopes.resolve(node.func) or ""
            for part in [statement, *reach.find_reached(self._scopes, [statement])]
            for node in walk_breadth_first(part)
            if isinstance(node, ast.Call)
        }

    def _is_named_by_variable_scopes(self, statement: ast.stmt) -> bool:
        """Whether it makes variables that variable scopes alone name."""
        return any(_makes_by_scope(s) for s in self._find_symbols(statement)) or any(
            isinstance(node, ast.Call) and self._is_layer(node.func)
            for node in walk_breadth_first(statement)
        )

    def _is_layer(self, func: ast.expr) -> bool:
        """Whether a layer that was made elsewhere is called, perhaps for the first time."""
        if not isinstance(func, ast.Name):
            return False
        owner = self._scopes.find_scope(func).find_owner(func.id)
        return any(
            isinstance(b, ast.Assign)
            and isinstance(b.value, ast.Call)
            and (self._scopes.resolve(b.value.func) or "") in LAYER_CLASSES
            for b in (owner.bindings.get(func.id, []) if owner is not None else [])
        )

    def _is_named_by_name_scopes(self, statement: ast.stmt) -> bool:
        """Whether it makes variables or summaries that name scopes name."""
        return any(
            symbol == "tf.Variable"
            or (symbol.startswith("tf.summary.") and not symbol.startswith(_MERGES))
            or (
                symbol.startswith("tf.contrib.")
                and "summar" in symbol.rpartition(".")[2]
            )
            for symbol in self._find_symbols(statement)
        )

    def _updates(self, statement: ast.stmt) -> bool:
        """Whether it makes an update that they name: Adam's powers, for one."""
        counts = any(s in optimizers.COUNTING for _, s in self._scopes.walk_uses())
        return counts and any(
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in _UPDATES
            for node in walk_breadth_first(statement)
        )


def _makes_by_scope(symbol: str) -> bool:
    row = LAYER_FUNCTIONS.get(symbol) or LAYER_CLASSES.get(symbol)
    if row is not None:
        return row.has_weights
    if symbol in roles.GLOBAL_STEPS:
        return "create" in symbol
    if symbol in CELLS or symbol in _RUNS:
        return True
    if symbol.startswith(_PREFIXES):
        return not symbol.rpartition(".")[2].endswith(("regularizer", "initializer"))
    return symbol == "tf.get_variable"
