"""TF1 to TF1: the number that TF1's graph gave a variable whose name an operation had.

    q = tf.constant(0.0, name="q")          q = tf.constant(0.0, name="q")
    w = tf.Variable(0.0, name="q")          w = tf.Variable(0.0, name="q_1")

A graph's names are told apart without regard to case; what a scope is called is one, too.
Variables among themselves are numbered in TensorFlow 2 as well.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.scopes import Scopes, scopes_of
from migrate.findings import Finding, Outcome
from migrate.normalise.text import Edit, Text
from migrate.source.nodes import tree_of

# What makes a variable -> the position of its name.
_VARIABLES = {"tf.Variable": 5, "tf.get_variable": 0}
_SCOPES = ("tf.name_scope", "tf.variable_scope")
# What takes its name once, and no other (each was tried under TensorFlow 1.15.5).
_ONCE = frozenset(
    f"tf.{name}"
    for name in (
        *("abs", "add", "argmax", "constant", "equal", "exp", "expand_dims"),
        *("identity", "log", "matmul", "maximum", "minimum", "multiply", "nn.relu"),
        *("nn.sigmoid", "nn.softmax", "ones", "placeholder", "random_normal"),
        *("placeholder_with_default", "random_uniform", "reduce_mean", "reduce_sum"),
        *("reshape", "sigmoid", "sqrt", "square", "squeeze", "subtract", "tanh"),
        *("transpose", "truncated_normal", "zeros", "range", "one_hot", "concat"),
    )
)
# What names nothing in the graph.
_NOT_OF_GRAPHS = ("tf.app.", "tf.flags.", "tf.data.", "tf.logging.")
# The position of the name, where it is often given by that.
_POSITIONS = {
    **{f"tf.{name}": 1 for name in ("abs", "exp", "identity", "log", "nn.relu")},
    **{f"tf.{name}": 1 for name in ("nn.sigmoid", "sigmoid", "sqrt", "square", "tanh")},
    **{f"tf.{name}": 2 for name in ("add", "concat", "equal", "expand_dims")},
    **{f"tf.{name}": 2 for name in ("maximum", "minimum", "multiply", "nn.softmax")},
    **{f"tf.{name}": 2 for name in ("ones", "placeholder", "placeholder_with_default")},
    **{f"tf.{name}": 2 for name in ("reshape", "squeeze", "subtract", "transpose")},
    **{f"tf.{name}": 2 for name in ("zeros",)},
    **{f"tf.{name}": 3 for name in ("constant", "reduce_mean", "reduce_sum")},
}
_TWICE = (ast.For, ast.While, ast.If, ast.Try, ast.Lambda, ast.IfExp) + (
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclasses.dataclass(frozen=True, eq=False)
class _Taken:
    """A name of the graph that a statement takes.

    Attributes:
      node: the call that takes it.
      name: what says the name.
      text: the name.
      whole: with the scopes around it, in lower case; None where they are not seen.
      symbol: what is called.
      place: the blocks around it, between which a name may be another; None where it
        may be taken more than once, or never.
    """

    node: ast.Call
    name: ast.expr
    text: str
    whole: str | None
    symbol: str
    place: tuple[ast.AST, ...] | None

    @property
    def at(self) -> tuple[int, int]:
        """Where the call ends: what it is given is made before."""
        return self.node.end_lineno or 0, self.node.end_col_offset or 0

    @property
    def is_variable(self) -> bool:
        return self.symbol in _VARIABLES

    @property
    def is_in_blocks(self) -> bool:
        """Whether it may be in a scope: in a block that is not of a graph as a whole."""
        return self.place is None or any(
            isinstance(n, ast.With)
            and not all(
                ast.unparse(i.context_expr).endswith(".as_default()") for i in n.items
            )
            for n in self.place
        )

    @property
    def is_once(self) -> bool:
        return self.is_variable or self.symbol in _ONCE or self.symbol in _SCOPES


def number_names(text: Text) -> tuple[Text, tuple[Finding, ...]]:
    """The text with such variables' names in full, and those of which it is not certain."""
    if not any(symbol.removeprefix("tf.") in text.source for symbol in _VARIABLES):
        return text, ()
    tree = tree_of(text.source)
    scopes = scopes_of(tree)
    found = sorted(_find_taken_names(scopes), key=lambda taken: taken.at)
    edits: list[Edit] = []
    told: list[Finding] = []
    for variable in found:
        others = [t for t in found if t.whole == variable.whole]
        earlier = [t for t in others if _may_be_before(scopes, t, variable)]
        if not variable.is_variable or variable.whole is None:
            continue
        if all(t.is_variable for t in earlier):
            continue
        number = len(earlier)
        new = f"{variable.text}_{number}"
        certain = all(
            t.is_once and t.place is not None and t.place == variable.place
            for t in (*earlier, variable)
        ) and not any(_is_reset(scopes, t, variable) for t in earlier)
        certain = certain and not any(
            t.whole == f"{variable.whole}_{number}" for t in found
        )
        if variable.symbol == "tf.get_variable":
            alike = [t for t in others if t.symbol == variable.symbol]
            certain = certain and len(alike) == 1 and not variable.is_in_blocks
        if certain:
            edits.append(Edit(variable.name, repr(new).replace("'", '"')))
        else:
            told.append(_finding(text, variable))
    return text.edited(edits) if edits else text, tuple(told)


def _may_be_before(scopes: Scopes, one: _Taken, variable: _Taken) -> bool:
    """Whether a name may be taken before a variable is made: above it, or elsewhere."""
    if one is variable:
        return False
    around, others = (
        list(_walk_above(scopes, one.node)),
        list(_walk_above(scopes, variable.node)),
    )
    functions = [
        next((n for n in blocks if isinstance(n, _FUNCTIONS)), None)
        for blocks in (around, others)
    ]
    if functions[0] is not functions[1]:
        return not one.is_variable or one.at < variable.at
    again = any(isinstance(n, (ast.For, ast.While)) and n in others for n in around)
    return one.at < variable.at or (again and not one.is_variable)


def _is_reset(scopes: Scopes, one: _Taken, variable: _Taken) -> bool:
    """Whether another graph begins between two of its names."""
    return any(
        isinstance(n, ast.Call)
        and scopes.resolve(n.func) == "tf.reset_default_graph"
        and one.at < (n.lineno, n.col_offset) < variable.at
        for n in scopes.walk()
    )


def _walk_above(scopes: Scopes, node: ast.AST) -> Iterator[ast.AST]:
    while node in scopes.parents:
        node = scopes.parents[node]
        yield node


def _find_taken_names(scopes: Scopes) -> list[_Taken]:
    """All that the file is seen to name, by its calls of TensorFlow."""
    found: list[_Taken] = []
    for node in scopes.walk():
        symbol = scopes.resolve(node.func) if isinstance(node, ast.Call) else None
        if symbol is None or not symbol.startswith("tf."):
            continue
        if symbol.startswith(_NOT_OF_GRAPHS):
            continue
        assert isinstance(node, ast.Call)
        name = _name(node, symbol)
        text = names.literal(name)
        if name is None or not isinstance(text, str) or not text or "/" in text:
            continue
        found.append(
            _Taken(
                node,
                name,
                text,
                _find_whole_name(scopes, node, symbol, text),
                symbol,
                _place(scopes, node),
            )
        )
    return found


def _name(call: ast.Call, symbol: str) -> ast.expr | None:
    if symbol in _SCOPES:
        return call.args[0] if call.args else None
    position = _VARIABLES.get(symbol, _POSITIONS.get(symbol))
    return names.argument(call, "name", position)


def _find_whole_name(
    scopes: Scopes, call: ast.Call, symbol: str, text: str
) -> str | None:
    """The name with those of the scopes around it; None where one is not written out."""
    parts = [text.lower()]
    child: ast.AST = call
    while child in scopes.parents:
        parent = scopes.parents[child]
        for item in parent.items if isinstance(parent, ast.With) else []:
            opened = item.context_expr
            inner = scopes.resolve(opened.func) if isinstance(opened, ast.Call) else ""
            if opened is call:
                break
            if inner not in _SCOPES:
                continue
            assert isinstance(opened, ast.Call)
            if symbol == "tf.get_variable" and inner == "tf.name_scope":
                continue
            scope = names.literal(_name(opened, inner))
            if not isinstance(scope, str):
                return None
            parts.insert(0, scope.lower())
        child = parent
    return "/".join(parts)


def _place(scopes: Scopes, call: ast.Call) -> tuple[ast.AST, ...] | None:
    """The blocks around a call, but those that only say where it is computed."""
    blocks: list[ast.AST] = []
    child: ast.AST = call
    while child in scopes.parents:
        parent = scopes.parents[child]
        if isinstance(parent, _TWICE):
            return None
        if isinstance(parent, _FUNCTIONS):
            if not isinstance(parent, ast.FunctionDef) or not _is_run_once(
                scopes, parent
            ):
                return None
            blocks.append(parent)
        elif isinstance(parent, ast.With) and not _opens(parent, call):
            devices = (
                scopes.resolve(i.context_expr.func)
                if isinstance(i.context_expr, ast.Call)
                else None
                for i in parent.items
            )
            if any(symbol != "tf.device" for symbol in devices):
                blocks.append(parent)
        child = parent
    return tuple(blocks)


def _opens(block: ast.With, call: ast.Call) -> bool:
    """Whether the call is what the block is opened by: it stands before it."""
    return any(item.context_expr is call for item in block.items)


def _is_run_once(scopes: Scopes, function: ast.FunctionDef) -> bool:
    """Whether a function of the file is named once, outside of loops: `main`, say."""
    if not isinstance(scopes.parents[function], ast.Module):
        return False
    read = [
        node
        for node in scopes.walk()
        if isinstance(node, ast.Name)
        and node.id == function.name
        and isinstance(node.ctx, ast.Load)
    ]
    if len(read) > 1 or (not read and function.name != "main"):
        return False
    above: ast.AST | None = read[0] if read else None
    while above is not None:
        above = scopes.parents.get(above)
        if isinstance(above, (ast.For, ast.While, *_FUNCTIONS)):
            return isinstance(above, ast.FunctionDef) and above.name == "main"
    return True


def _finding(text: Text, variable: _Taken) -> Finding:
    return Finding(
        text.origins[variable.node.lineno - 1],
        variable.node.col_offset + 1,
        "N141",
        Outcome.KEPT,
        variable.symbol,
        f"`{variable.text}` may be the name of an operation or a scope that is made before: "
        "TF1 then gave the variable a number, which its checkpoints have",
        "Give the operation another name, or the variable the name that TF1 printed.",
    )
