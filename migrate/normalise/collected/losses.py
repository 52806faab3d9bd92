"""TF1 to TF1: the graph's collection of losses, written out where it is asked for.

`tf.losses` functions put what they return into a collection, whose sum
`tf.losses.get_total_loss` is. TF2 keeps no collections; the sum of the names is the
same, in the same order.
"""

from __future__ import annotations

import ast

from migrate.facts import names, reach
from migrate.facts.scopes import scopes_of
from migrate.normalise.text import Edit, Text
from migrate.source.nodes import tree_of, walk_breadth_first
from migrate.tables import roles

# Functions that collect what they return, but see `loss_collection`.
_COLLECTING = frozenset(
    f"tf.losses.{name}"
    for name in (
        *("absolute_difference", "compute_weighted_loss", "cosine_distance"),
        *("hinge_loss", "huber_loss", "log_loss", "mean_pairwise_squared_error"),
        *("mean_squared_error", "sigmoid_cross_entropy", "softmax_cross_entropy"),
        "sparse_softmax_cross_entropy",
    )
)
_ADD = "tf.losses.add_loss"
_TOTAL = "tf.losses.get_total_loss"
_ALL = "tf.losses.get_losses"


def collected(text: Text) -> Text:
    """The text with its losses added up by name, as far as it is clear which there are."""
    if "get_total_loss" not in text.source and "get_losses" not in text.source:
        return text
    return _Losses(text).written_out() or text


class _Losses:
    def __init__(self, text: Text) -> None:
        self._text = text
        self._tree = tree_of(text.source)
        self._scopes = scopes_of(self._tree)
        self._gone: list[ast.stmt] = []
        self._taken = {
            n.id for n in walk_breadth_first(self._tree) if isinstance(n, ast.Name)
        } | {n.arg for n in walk_breadth_first(self._tree) if isinstance(n, ast.arg)}

    def _calls(self, *symbols: str) -> list[ast.Call]:
        return [
            node
            for node in walk_breadth_first(self._tree)
            if isinstance(node, ast.Call)
            and self._scopes.resolve(node.func) in frozenset(symbols)
        ]

    def written_out(self) -> Text | None:
        asked = self._calls(_TOTAL, _ALL)
        made = sorted(
            (
                call
                for call in self._calls(_ADD, *_COLLECTING)
                if self._collection(call) is not None
            ),
            key=lambda call: call.lineno,
        )
        if len(asked) != 1 or not made or self._regularised():
            return None
        function = self._function(asked[0])
        if any(self._function(call) is not function for call in made) or any(
            call.lineno >= asked[0].lineno for call in made
        ):
            return None
        if isinstance(function, ast.FunctionDef) and not self._once(function):
            return None
        total = self._total(asked[0], function)
        if total is None:
            return None
        edits: list[Edit] = []
        losses: list[str] = []
        for call in made:
            name = self._named(call, edits)
            if name is None:
                return None
            losses.append(name)
        display = f"[{', '.join(losses)}]"
        new = display if total == "" else f"{total}({display})"
        edits.append(Edit(asked[0], losses[0] if total and len(losses) == 1 else new))
        text = self._text.edited(edits)
        for statement in reversed(self._gone):
            end = statement.end_lineno or statement.lineno
            text = text.spliced(statement.lineno, end, [], [])
        return text

    def _collection(self, call: ast.Call) -> bool | None:
        """True, or None for a loss that is given `loss_collection=None`."""
        given = names.argument(call, "loss_collection")
        if given is None:
            return True
        return None if isinstance(given, ast.Constant) and given.value is None else True

    def _regularised(self) -> bool:
        """Whether regularisers collect losses too, which the total has in it."""
        return any(
            keyword.arg is not None
            and keyword.arg.endswith("regularizer")
            and not (
                isinstance(keyword.value, ast.Constant) and keyword.value.value is None
            )
            for node in walk_breadth_first(self._tree)
            if isinstance(node, ast.Call)
            for keyword in node.keywords
        )

    def _function(self, node: ast.AST) -> ast.AST | None:
        """The function whose body runs `node` exactly once per call, else None."""
        child, parent = node, self._scopes.parents.get(node)
        while parent is not None:
            if isinstance(parent, (ast.FunctionDef, ast.Module)):
                return parent
            if isinstance(
                parent,
                (
                    ast.For,
                    ast.While,
                    ast.If,
                    ast.Try,
                    ast.IfExp,
                    ast.Lambda,
                    ast.BoolOp,
                ),
            ) and not self._is_main(parent):
                return None
            child, parent = parent, self._scopes.parents.get(parent)
        return child

    def _is_main(self, node: ast.AST) -> bool:
        """`if job == "worker":` holds the whole graph: made once or not at all."""
        return isinstance(node, ast.If) and any(
            isinstance(n, ast.Call) and self._scopes.resolve(n.func) in roles.SESSIONS
            for n in walk_breadth_first(node)
        )

    def _once(self, function: ast.FunctionDef) -> bool:
        uses = [
            node
            for node in walk_breadth_first(self._tree)
            if isinstance(node, ast.Name)
            and isinstance(node.ctx, ast.Load)
            and function in reach.definitions(self._scopes, node)
        ]
        if any(self._repeated(use) for use in uses):
            return False
        return len(uses) <= 1 and isinstance(
            self._scopes.parents.get(function), ast.Module
        )

    def _repeated(self, node: ast.AST | None) -> bool:
        while node is not None and not isinstance(node, ast.FunctionDef):
            if isinstance(node, (ast.For, ast.While, ast.comprehension)):
                return True
            node = self._scopes.parents.get(node)
        return False

    def _total(self, asked: ast.Call, function: ast.AST | None) -> str | None:
        """`tf.add_n` by the program's name for it, "" for the list; None if unclear."""
        if function is None or names.argument(asked, "scope") is not None:
            return None
        symbol = self._scopes.resolve(asked.func)
        if symbol == _ALL:
            return None if asked.args or asked.keywords else ""
        spelled = self._text.segment(asked.func)
        module, dot, rest = spelled.partition(".losses.get_total_loss")
        if not dot or rest or not all(map(str.isidentifier, module.split("."))):
            return None
        return f"{module}.add_n"

    def _named(self, call: ast.Call, edits: list[Edit]) -> str | None:
        """The name that a loss has; one is given to it if it has none."""
        statement = self._scopes.parents.get(call)
        adds = self._scopes.resolve(call.func) == _ADD
        if isinstance(statement, ast.Expr):
            if adds:
                value = names.argument(call, "loss", 0)
                if value is None:
                    return None
                if (
                    isinstance(value, ast.Name)
                    and self._bound_once(value)
                    and self._text.alone(statement)
                ):
                    self._gone.append(statement)
                    return value.id
                name = self._fresh()
                edits.append(Edit(call, f"{name} = {self._text.segment(value)}"))
                return name
            name = self._fresh()
            edits.append(Edit(call, f"{name} = {self._one_line(call)}"))
            return name
        if (
            not adds
            and isinstance(statement, ast.Assign)
            and len(statement.targets) == 1
            and isinstance(statement.targets[0], ast.Name)
            and self._bound_once(statement.targets[0])
        ):
            return statement.targets[0].id
        return None

    def _one_line(self, call: ast.Call) -> str:
        text = self._text.segment(call)
        return ast.unparse(call) if "\n" in text else text

    def _bound_once(self, name: ast.Name) -> bool:
        owner = self._scopes.scope_of(name).owner(name.id)
        return owner is not None and len(owner.bindings.get(name.id, [])) == 1

    def _fresh(self) -> str:
        number = 1
        while f"loss_{number}" in self._taken:
            number += 1
        self._taken.add(f"loss_{number}")
        return f"loss_{number}"
