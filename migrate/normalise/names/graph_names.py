"""TF1 to TF1: the number that TF1's graph gave a variable whose name an operation had.

    q = tf.constant(0.0, name="q")          q = tf.constant(0.0, name="q")
    w = tf.Variable(0.0, name="q")          w = tf.Variable(0.0, name="q_1")
    tf.summary.histogram("q_1", w)          tf.summary.histogram("q_1_1", w)

A graph's names are told apart without regard to case; what a scope is called is one, too.
Variables of one spelling are numbered in TensorFlow 2 as well. A summary's tag is a name of
the graph: a step function numbers it after operations of the step, but not after variables.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator

from migrate.facts import names, reach
from migrate.facts.exclusive import exclude_each_other, is_graph
from migrate.facts.own_names import SUMMARIES, find_summaries_of_own_names
from migrate.facts.scopes import Scopes, build_scopes
from migrate.findings import Finding, Outcome
from migrate.normalise.text import Edit, Text
from migrate.source.nodes import parse_source

# Function that makes a variable -> the position of its name.
_VARIABLES = {"tf.Variable": 5, "tf.get_variable": 0}
_SCOPES = ("tf.name_scope", "tf.variable_scope")
# Functions that take exactly one name (each was tried under TensorFlow 1.15.5).
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
# Functions that take no name in the graph.
_NOT_OF_GRAPHS = ("tf.app.", "tf.flags.", "tf.data.", "tf.logging.")
# The position of the name, if programs often give it by position.
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
# A finding's code, reason (after a name, if it has one), and recipe.
_VARIABLE = (
    "N141",
    "may be the name of an operation or a scope that is made before. TensorFlow 1 "
    "then added a number to the variable's name, also in checkpoints",
    "Give the operation another name. Or give the variable the name that "
    "TensorFlow 1 printed.",
)
_SCOPE = (
    "N141",
    "may be opened before. TensorFlow 1 then added a number to the scope's name, "
    "and the names of its variables contain that number",
    "Give each scope a name of its own, with TensorFlow 1's number.",
)
_SUMMARY = (
    "M110",
    "may be the name of a variable that is made before. TensorFlow 1 then added a "
    "number to the summary's tag",
    "Give the summary another name, or the tag that TensorFlow 1 wrote.",
)
_NAMED_AS_VARIABLE = (
    "M110",
    "the summary has the name of its variable. TensorFlow 1 added a number to its "
    "tag (`w_1`), and the migrated program does not",
    "Give the summary a name of its own, or the tag that TensorFlow 1 wrote.",
)


@dataclasses.dataclass(frozen=True, eq=False)
class _Taken:
    """A name of the graph that a statement takes.

    Attributes:
      node: the call that takes it.
      name: what says the name.
      text: the name.
      whole: with the scopes around it, in lower case; None if they are not seen.
      symbol: what is called.
      blocks: the `with` statements around it that open scopes, from the outermost.
      place: the blocks around it, between which a name may be another; None if it
        may be taken more than once, or never.
    """

    node: ast.Call
    name: ast.expr
    text: str
    whole: str | None
    symbol: str
    blocks: tuple[ast.With, ...]
    place: tuple[ast.AST, ...] | None

    @property
    def at(self) -> tuple[int, int]:
        """Returns where the call ends, because its arguments are made before it."""
        return self.node.end_lineno or 0, self.node.end_col_offset or 0

    @property
    def is_variable(self) -> bool:
        return self.symbol in _VARIABLES

    @property
    def is_summary(self) -> bool:
        return self.symbol in SUMMARIES

    @property
    def is_in_blocks(self) -> bool:
        """Whether it may be in a scope: in a block that is not of a graph as a whole."""
        return self.place is None or any(
            isinstance(n, ast.With) and not is_graph(n) for n in self.place
        )

    @property
    def is_once(self) -> bool:
        return self.symbol in _ONCE.union(_VARIABLES, _SCOPES, SUMMARIES)

    def needs_number(self, earlier: list[_Taken]) -> bool:
        """Whether TensorFlow 2 would not number it after what took its name before."""
        if self.is_variable:
            return any(not t.is_variable or t.text != self.text for t in earlier)
        return self.is_summary and any(t.is_variable for t in earlier)


def number_names(text: Text) -> tuple[Text, tuple[Finding, ...]]:
    """The text with such variables' names in full, and those of which it is not certain."""
    makers = (*_VARIABLES, "tf.summary")
    if not any(symbol.removeprefix("tf.") in text.source for symbol in makers):
        return text, ()
    tree = parse_source(text.source)
    scopes = build_scopes(tree)
    found = sorted(_find_taken_names(scopes), key=lambda taken: taken.at)
    edits: list[Edit] = []
    told = [
        _make_finding(text, call, scopes.resolve(call.func) or "", _NAMED_AS_VARIABLE)
        for call in find_summaries_of_own_names(scopes)
    ]
    for variable in found:
        others = [t for t in found if t.whole == variable.whole]
        earlier = [
            t
            for t in others
            if _may_be_before(scopes, t, variable) and _are_in_one_scope(t, variable)
        ]
        if variable.whole is None or not variable.needs_number(earlier):
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
            alike = [
                t
                for t in others
                if t.symbol == variable.symbol and t.text == variable.text
            ]
            certain = certain and len(alike) == 1 and not variable.is_in_blocks
        if certain:
            edits.append(Edit(variable.name, repr(new).replace("'", '"')))
        else:
            said = _SUMMARY if variable.is_summary else _VARIABLE
            told.append(
                _make_finding(
                    text, variable.node, variable.symbol, said, f"`{variable.text}`"
                )
            )
    for scope, opened in _find_scopes_again(scopes, found):
        if opened is not None:
            edits.append(Edit(scope.name, f'"{scope.text}_{opened}"'))
        else:
            shown = f"`{scope.text}`"
            told.append(_make_finding(text, scope.node, scope.symbol, _SCOPE, shown))
    for call, name in _find_scopes_of_calls(scopes):
        told.append(_make_finding(text, call, "tf.name_scope", _SCOPE, f"`{name}`"))
    return text.apply_edits(edits) if edits else text, tuple(told)


def _find_scopes_again(
    scopes: Scopes, found: list[_Taken]
) -> Iterator[tuple[_Taken, int | None]]:
    """Scopes that name variables and that TF1 numbered; the number, where it is certain."""
    for scope in found:
        if scope.symbol not in _SCOPES or not _names_variables(scopes, scope.node):
            continue
        earlier = [
            t
            for t in found
            if t.whole == scope.whole is not None
            and not t.is_summary
            and _may_be_before(scopes, t, scope)
            and not exclude_each_other(scopes, t.node, scope.node)
        ]
        certain = scope.symbol == "tf.name_scope" and all(
            t.is_once and t.place is not None and t.place == scope.place
            for t in (*earlier, scope)
        )
        if any(_is_reset(scopes, t, scope) for t in earlier):
            continue
        if earlier:
            yield scope, len(earlier) if certain else None
        elif scope.place is None and _is_repeated(scopes, scope.node):
            yield scope, None


def _names_variables(scopes: Scopes, opening: ast.Call) -> bool:
    """Whether a scope's block makes variables that it names."""
    block = next(
        (n for n in scopes.walk_above(opening) if isinstance(n, ast.With)), None
    )
    if block is None or not _opens(block, opening):
        return False
    return any(
        isinstance(node, ast.Call) and scopes.resolve(node.func) == "tf.Variable"
        for part in (*block.body, *reach.find_reached(scopes, block.body))
        for node in ast.walk(part)
    )


def _is_repeated(scopes: Scopes, node: ast.AST) -> bool:
    """Whether a node is run again in one scope: in a loop, or by calls of its function."""
    for above in scopes.walk_above(node):
        if isinstance(above, (ast.For, ast.While)):
            return True
        if isinstance(above, ast.FunctionDef):
            places = [*_find_places(scopes, above)]
            return len(places) > len(
                {where for _, where in places if where is not None}
            )
    return False


def _find_places(
    scopes: Scopes, function: ast.FunctionDef
) -> Iterator[tuple[ast.Call, str | None]]:
    """Calls of a function of the module, and the scopes around each.

    These are None for a call that is repeated, or that stands in scopes of unknown names.
    """
    for call in scopes.walk():
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            continue
        if function not in reach.find_definitions(scopes, call.func):
            continue
        again = any(
            isinstance(n, _TWICE) and not isinstance(n, ast.If)
            for n in scopes.walk_above(call)
        )
        yield call, None if again else _find_whole_name(scopes, call, "tf.Variable", "")


def _find_scopes_of_calls(scopes: Scopes) -> Iterator[tuple[ast.Call, str]]:
    """Finds calls of a function that reuse the name of its scope of variables."""
    for opening in scopes.walk():
        if not isinstance(opening, ast.Call):
            continue
        symbol = scopes.resolve(opening.func) or ""
        if symbol not in _SCOPES or not _names_variables(scopes, opening):
            continue
        name = _find_name(opening, symbol)
        function = next(
            (n for n in scopes.walk_above(opening) if isinstance(n, ast.FunctionDef)),
            None,
        )
        if function is None or not isinstance(name, ast.Name):
            continue
        parameters = [a.arg for a in function.args.args]
        if name.id not in parameters:
            continue
        given: set[tuple[object, str | None]] = set()
        for call, where in sorted(
            _find_places(scopes, function), key=lambda place: place[0].lineno
        ):
            value = names.find_argument(call, name.id, parameters.index(name.id))
            text = names.read_literal(value)
            if isinstance(text, str):
                if where is None or (text.lower(), where) in given:
                    yield call, text
                given.add((text.lower(), where))


def _are_in_one_scope(one: _Taken, summary: _Taken) -> bool:
    """Whether the scopes of a summary are also around another: opened again, they are others."""
    if not summary.is_summary:
        return True
    return one.blocks[: len(summary.blocks)] == summary.blocks


def _may_be_before(scopes: Scopes, one: _Taken, variable: _Taken) -> bool:
    """Whether a name may be taken before a variable is made: above it, or elsewhere."""
    if one is variable:
        return False
    around, others = (
        list(scopes.walk_above(one.node)),
        list(scopes.walk_above(variable.node)),
    )
    functions = [
        next((n for n in blocks if isinstance(n, _FUNCTIONS)), None)
        for blocks in (around, others)
    ]
    if functions[0] is not functions[1]:
        if variable.is_summary:
            return True
        if one.is_summary:  # It shows something that is made already.
            return False
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


def _find_taken_names(scopes: Scopes) -> list[_Taken]:
    """Lists the names that the file's calls of TensorFlow take in the graph."""
    found: list[_Taken] = []
    for node in scopes.walk():
        symbol = scopes.resolve(node.func) if isinstance(node, ast.Call) else None
        if symbol is None or not symbol.startswith("tf."):
            continue
        if symbol.startswith(_NOT_OF_GRAPHS):
            continue
        assert isinstance(node, ast.Call)
        name = _find_name(node, symbol)
        text = names.read_literal(name)
        if name is None or not isinstance(text, str) or not text:
            continue
        if text.endswith("/") or ("/" in text and symbol not in SUMMARIES):
            continue
        if symbol in SUMMARIES and names.find_argument(node, "family") is not None:
            continue  # Its tag begins with the family twice: no variable is called so.
        found.append(
            _Taken(
                node,
                name,
                text,
                _find_whole_name(scopes, node, symbol, text),
                symbol,
                _find_scope_blocks(scopes, node),
                _find_place(scopes, node),
            )
        )
    return found


def _find_name(call: ast.Call, symbol: str) -> ast.expr | None:
    if symbol in _SCOPES:
        return call.args[0] if call.args else None
    if symbol in SUMMARIES:
        return names.find_argument(call, "name", 0)
    position = _VARIABLES.get(symbol, _POSITIONS.get(symbol))
    return names.find_argument(call, "name", position)


def _find_whole_name(
    scopes: Scopes, call: ast.Call, symbol: str, text: str
) -> str | None:
    """The name with those of the scopes around it; None if one is not written out."""
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
            scope = names.read_literal(_find_name(opened, inner))
            if not isinstance(scope, str):
                return None
            parts.insert(0, scope.lower())
        child = parent
    return "/".join(parts)


def _find_scope_blocks(scopes: Scopes, call: ast.Call) -> tuple[ast.With, ...]:
    blocks = [
        above
        for above in scopes.walk_above(call)
        if isinstance(above, ast.With)
        and not _opens(above, call)
        and any(
            isinstance(item.context_expr, ast.Call)
            and scopes.resolve(item.context_expr.func) in _SCOPES
            for item in above.items
        )
    ]
    return tuple(reversed(blocks))


def _find_place(scopes: Scopes, call: ast.Call) -> tuple[ast.AST, ...] | None:
    """Returns the blocks around a call, without those that only place it."""
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


def _make_finding(
    text: Text,
    call: ast.Call,
    symbol: str,
    said: tuple[str, str, str],
    name: str = "",
) -> Finding:
    code, reason, recipe = said
    return Finding(
        text.origins[call.lineno - 1],
        call.col_offset + 1,
        code,
        Outcome.WARNED,
        symbol,
        f"{name} {reason}".lstrip(),
        recipe,
    )
