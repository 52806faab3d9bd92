"""TF1 to TF1: regularisers written out, if the program asks for their penalties.

    y = tf.layers.dense(x, 1, kernel_regularizer=tf.contrib.layers.l2_regularizer(0.1))
    penalty = tf.losses.get_regularization_loss()

becomes

    dense_layer = tf.layers.Dense(1)
    y = dense_layer(x)
    tf.add_to_collection("penalties", tf.multiply(0.1, tf.nn.l2_loss(dense_layer.kernel)))
    penalty = tf.add_n(tf.get_collection("penalties"))

TensorFlow 1 adds a penalty where a variable is made. So only what is made once is written
out: what a loop or a function makes several times may share its variables.
"""

from __future__ import annotations

import ast
import dataclasses

from migrate.facts import names
from migrate.normalise.text import (
    Edit,
    ParsedText,
    Text,
    find_lines_inside_strings,
)
from migrate.source.nodes import find_plain_names, walk_breadth_first
from migrate.tables import penalties as table
from migrate.tables.layers import LAYER_FUNCTIONS

_VARIABLE = "tf.get_variable"


def write_out_penalties(text: Text) -> Text:
    """The text with penalties added up by itself, if it is clear which there are."""
    if "egularizer" not in text.source or not table.READS.search(text.source):
        return text
    try:
        return _Penalties(text).rewrite()
    except _Unclear:
        return text


class _Unclear(Exception):
    """A regulariser, or the way in which its penalty is asked for, has no such form."""


@dataclasses.dataclass
class _Change:
    """A statement, the lines that stand before and after it, and whether it is left out."""

    statement: ast.stmt
    before: list[str] = dataclasses.field(default_factory=list)
    after: list[str] = dataclasses.field(default_factory=list)
    gone: bool = False


class _Penalties(ParsedText):
    def __init__(self, text: Text) -> None:
        super().__init__(text)
        self._edits: list[Edit] = []
        self._changes: list[_Change] = []
        self._taken = find_plain_names(self._tree)
        # Assignments of regularisers -> the places where they were given.
        self._named: dict[ast.Assign, list[ast.Name]] = {}
        self._key = "penalties"
        while f'"{self._key}"' in text.source or f"'{self._key}'" in text.source:
            self._key += "_"

    def rewrite(self) -> Text:
        """The text with penalties written out.

        Raises:
          _Unclear: one of them cannot be.
        """
        if any(map(self._shares, self._scopes.walk())):
            raise _Unclear
        calls = [node for node in self._scopes.walk() if isinstance(node, ast.Call)]
        reads = [call for call in calls if self._rewrite_read(call)]
        makers = [call for call in calls if self._has_penalty(call)]
        if not reads or not makers:
            return self._text
        for call in sorted(makers, key=lambda c: (c.lineno, c.col_offset)):
            self._rewrite_maker(call)
        self._changes += [
            _Change(made, gone=True)
            for made, given in self._named.items()
            if self._text.is_alone(made)
            and len(self._find_reads(given[0])) == len(given)
        ]
        text = self._text.apply_edits(self._edits)
        changes = sorted(self._changes, key=lambda c: c.statement.lineno, reverse=True)
        for change in changes:
            statement = change.statement
            first, last = statement.lineno, statement.end_lineno or statement.lineno
            origin = text.origins[first - 1]
            if change.gone:
                suite = names.find_suite(self._scopes.parents[statement], statement)
                if suite is not None and len(suite) > 1:
                    text = text.splice(first, last, [], [])
                continue
            lines = [*change.before, *text.lines[first - 1 : last], *change.after]
            origins = [
                *[origin] * len(change.before),
                *text.origins[first - 1 : last],
                *[origin] * len(change.after),
            ]
            text = text.splice(first, last, lines, origins)
        return text

    def _shares(self, node: ast.AST) -> bool:
        """Whether it may share variables, or makes a layer that has penalties elsewhere."""
        if isinstance(node, ast.Attribute) and node.attr == "reuse_variables":
            return True
        if not isinstance(node, ast.Call):
            return False
        symbol = self._scopes.resolve(node.func) or ""
        if symbol.startswith(table.LAYERS_OF_CONTRIB) and symbol not in table.FORMS:
            return not symbol.endswith("_initializer")
        if symbol not in table.SCOPES:
            return False
        reuse = next((k.value for k in node.keywords if k.arg in (None, "reuse")), None)
        return reuse is not None and not (
            isinstance(reuse, ast.Constant) and not reuse.value
        )

    # -- where penalties are asked for ---------------------------------------------------

    def _rewrite_read(self, call: ast.Call) -> bool:
        """Rewrites a call that asks for penalties; whether it is one."""
        symbol = self._scopes.resolve(call.func) or ""
        if symbol in table.OTHER_READS:
            raise _Unclear
        if symbol == "tf.get_collection":
            key = names.find_argument(call, "key", 0)
            if not self._is_collection(key):
                return False
        elif symbol not in table.ASKS:
            return False
        if symbol == table.TOTAL and self._leaves_penalties_out(call):
            return False
        if names.find_argument(call, "scope", 1 if "get_coll" in symbol else 0):
            raise _Unclear
        root = self._find_root(call, symbol)
        listed = f'{root}.get_collection("{self._key}")'
        if symbol == table.TOTAL:
            listed = f"{root}.losses.get_losses() + {listed}"
        sums = symbol in table.SUMS
        self._edits.append(Edit(call, f"{root}.add_n({listed})" if sums else listed))
        return True

    def _is_collection(self, key: ast.expr | None) -> bool:
        """Whether a key is that of the penalties' collection."""
        if key is None:
            raise _Unclear
        if self._scopes.resolve(key) == table.KEY:
            return True
        literal = names.read_literal(key)
        known = (self._scopes.resolve(key) or "").startswith("tf.GraphKeys.")
        if literal is None and not known:
            raise _Unclear  # It may be this one.
        return literal == table.NAME

    def _leaves_penalties_out(self, call: ast.Call) -> bool:
        given = names.find_argument(call, "add_regularization_losses", 0)
        if given is None:
            return False
        if not isinstance(given, ast.Constant):
            raise _Unclear
        return not given.value

    # -- what has them -------------------------------------------------------------------

    def _has_penalty(self, call: ast.Call) -> bool:
        symbol = self._scopes.resolve(call.func) or ""
        if symbol in LAYER_FUNCTIONS:
            bound = self._bind_layer(call, symbol)
            given = [bound.get(name) for name in table.WEIGHTS]
            other = bound.get("activity_regularizer")
        else:
            places = {"regularizer": 4} if symbol == _VARIABLE else {}
            given = [
                names.find_argument(call, name, places.get(name))
                for name in ("regularizer", *table.WEIGHTS)
            ]
            other = None
        if names.is_given(other):
            raise _Unclear
        has = any(names.is_given(value) for value in given)
        if has and symbol not in LAYER_FUNCTIONS and symbol != _VARIABLE:
            raise _Unclear
        return has

    def _bind_layer(self, call: ast.Call, symbol: str) -> dict[str, ast.expr]:
        row = LAYER_FUNCTIONS[symbol]
        bound = names.bind_arguments(call, ("inputs", *row.parameters))
        if bound is None or "inputs" not in bound:
            raise _Unclear
        return bound

    def _rewrite_maker(self, call: ast.Call) -> None:
        statement = names.find_statement(self._scopes.parents, call)
        if (
            not isinstance(statement, ast.Assign | ast.Expr | ast.Return)
            or not self._text.is_alone(statement)
            or find_lines_inside_strings(statement)
            or any(change.statement is statement for change in self._changes)
            or not self._runs_once(call)
        ):
            raise _Unclear
        change = _Change(statement)
        symbol = self._scopes.resolve(call.func) or ""
        if symbol == _VARIABLE:
            self._rewrite_variable(call, change)
        else:
            self._rewrite_layer(call, symbol, change)
        if isinstance(statement, ast.Return):
            assert statement.value is not None
            name = self._choose_name("result")
            span = ast.Constant(None)
            span.lineno = span.end_lineno = statement.lineno
            span.col_offset = statement.col_offset
            span.end_col_offset = statement.col_offset + len("return")
            self._edits.append(Edit(span, f"{name} ="))
            change.after.append(f"{self._indent(statement)}return {name}")
        self._changes.append(change)

    def _rewrite_variable(self, call: ast.Call, change: _Change) -> None:
        statement = change.statement
        if not (
            isinstance(statement, ast.Assign)
            and statement.value is call
            and len(statement.targets) == 1
            and isinstance(statement.targets[0], ast.Name)
        ):
            raise _Unclear
        given = next((k for k in call.keywords if k.arg == "regularizer"), None)
        if given is None:
            raise _Unclear
        root = self._find_root(call, _VARIABLE)
        self._edits.append(Edit(given.value, "None"))
        self._add(change, given.value, statement.targets[0].id, root)

    def _rewrite_layer(self, call: ast.Call, symbol: str, change: _Change) -> None:
        row, bound = LAYER_FUNCTIONS[symbol], self._bind_layer(call, symbol)
        alike = [
            other
            for other in walk_breadth_first(change.statement)
            if isinstance(other, ast.Call)
            and self._scopes.resolve(other.func) == symbol
        ]
        if len(alike) > 1 or names.is_given(bound.get("reuse")):
            raise _Unclear
        root = self._find_root(call, symbol)
        label = names.read_literal(bound.get("name"))
        wish = (
            label
            if isinstance(label, str) and label.isidentifier()
            else row.default_name
        )
        layer = self._choose_name(f"{wish}_layer")
        gone = {"inputs", "reuse", *row.call_parameters, *table.WEIGHTS}
        given = [
            f"{name}={self._join_lines(value)}"
            for name, value in bound.items()
            if name not in gone
        ]
        made = f"{root}.{row.classes[0].removeprefix('tf.')}({', '.join(given)})"
        indent = self._indent(change.statement)
        change.before.append(f"{indent}{layer} = {made}")
        called = [self._join_lines(bound["inputs"])]
        called += [
            f"{name}={self._join_lines(bound[name])}"
            for name in row.call_parameters
            if name in bound
        ]
        self._edits.append(Edit(call, f"{layer}({', '.join(called)})"))
        for argument, weight in table.WEIGHTS.items():
            if names.is_given(value := bound.get(argument)):
                assert value is not None
                self._add(change, value, f"{layer}.{weight}", root)

    def _add(
        self, change: _Change, regularizer: ast.expr, weight: str, root: str
    ) -> None:
        penalty = self._write_penalty(regularizer, weight, root)
        indent = self._indent(change.statement)
        change.after.append(
            f'{indent}{root}.add_to_collection("{self._key}", {penalty})'
        )

    def _write_penalty(self, regularizer: ast.expr, weight: str, root: str) -> str:
        """The penalty of a variable, as an expression."""
        made = self._find_made(regularizer)
        if self._scopes.resolve(made) == table.L2_LOSS:
            return f"{root}.nn.l2_loss({weight})"
        if not isinstance(made, ast.Call):
            raise _Unclear
        form = table.FORMS.get(self._scopes.resolve(made.func) or "")
        if form is None or len(made.args) + len(made.keywords) != 1:
            raise _Unclear
        scale = names.find_argument(made, form.parameter, 0)
        if scale is None or names.read_literal(scale) == 0.0:
            raise _Unclear  # Of zero it gives no penalty.
        if not all(
            isinstance(part, table.PLAIN) and self._is_same(part, regularizer)
            for part in walk_breadth_first(scale)
        ):
            raise _Unclear
        return form.text.format(tf=root, scale=self._join_lines(scale), weight=weight)

    def _find_made(self, regularizer: ast.expr) -> ast.expr:
        """What makes a regulariser: itself, or what its name is bound to."""
        if not isinstance(regularizer, ast.Name):
            return regularizer
        owner = self._scopes.find_scope(regularizer).find_owner(regularizer.id)
        bound = owner.bindings.get(regularizer.id, []) if owner is not None else []
        if len(bound) != 1 or not isinstance(bound[0], ast.Assign):
            raise _Unclear
        if not isinstance(bound[0].targets[0], ast.Name) or len(bound[0].targets) != 1:
            raise _Unclear
        self._named.setdefault(bound[0], []).append(regularizer)
        return bound[0].value

    def _find_reads(self, name: ast.Name) -> list[ast.Name]:
        """All reads of what a name means at one place."""
        owner = self._scopes.find_scope(name).find_owner(name.id)
        return [
            node
            for node in self._scopes.walk()
            if isinstance(node, ast.Name)
            and node.id == name.id
            and isinstance(node.ctx, ast.Load)
            and self._scopes.find_scope(node).find_owner(name.id) is owner
        ]

    def _is_same(self, part: ast.AST, place: ast.expr) -> bool:
        """Whether a name has one value, and the same one at another place."""
        if not isinstance(part, ast.Name):
            return True
        owner = self._scopes.find_scope(part).find_owner(part.id)
        there = self._scopes.find_scope(place).find_owner(part.id)
        once = owner is None or len(owner.bindings.get(part.id, [])) == 1
        return owner is there and once

    # -- how often -----------------------------------------------------------------------

    def _runs_once(self, node: ast.AST) -> bool:
        """Whether a program comes to an expression once, if at all."""
        for above in self._scopes.walk_above(node):
            if isinstance(above, table.REPEATS):
                return False
            if isinstance(above, ast.If) and not self._is_main(above):
                return False
            if isinstance(above, ast.FunctionDef):
                uses = self._find_uses(above)
                return len(uses) == 1 and self._runs_once(uses[0])
        return True

    def _is_main(self, block: ast.If) -> bool:
        """Whether a condition holds the whole program, not a part of its graph."""
        return any(
            isinstance(node, ast.Call)
            and (
                self._scopes.resolve(node.func) in table.STARTS
                or isinstance(node.func, ast.Name)
                and node.func.id == "main"
            )
            for node in walk_breadth_first(block)
        )

    def _find_uses(self, function: ast.FunctionDef) -> list[ast.expr]:
        """The places where a function, or a method by its name, is named."""
        home = self._scopes.parents[function]
        if not isinstance(home, ast.ClassDef) or function.name == "__init__":
            name = home.name if isinstance(home, ast.ClassDef) else function.name
            return [
                node
                for node in self._scopes.walk()
                if isinstance(node, ast.Name)
                and isinstance(node.ctx, ast.Load)
                and node.id == name
            ]
        return [
            node
            for node in self._scopes.walk()
            if isinstance(node, ast.Attribute)
            and node.attr == function.name
            and self._scopes.resolve(node) is None
        ]

    # -- words ---------------------------------------------------------------------------

    def _find_root(self, call: ast.Call, symbol: str) -> str:
        """The name of TensorFlow in a call: "tf" of `tf.layers.dense(...)`."""
        shown = self._text.find_segment(call.func)
        root = shown.removesuffix(symbol.removeprefix("tf"))
        if root == shown or not root.isidentifier():
            raise _Unclear
        return root

    def _choose_name(self, wish: str) -> str:
        name, number = wish, 1
        while name in self._taken:
            name, number = f"{wish}_{number}", number + 1
        self._taken.add(name)
        return name
