"""P110: TF1's partitioners where only a strategy of TF2 can have their value.

`tf.compat.v1` has them still, and ParameterServerStrategy takes them; TF2 has classes of
its own, which split alike. Followed is the value: through names, attributes, choices and
functions of the module. One that a `get_variable` may have stays what it is.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.program.code import Code, join_code, make_code
from migrate.rules.mistakes import replicas, values
from migrate.rules.mistakes.mistake import Mistake, find_tensorflow, list_calls
from migrate.rules.mistakes.older_distribute import SERVERS
from migrate.tables import symbols
from migrate.tables.partitioners import MODULE, PARTITIONERS, Partitioner

_DEEP = 8  # Names and functions from a partitioner to its strategy. A program has few.
_STRATEGY, _OTHER = "strategy", "other"


def find(scopes: Scopes) -> Iterator[Mistake]:
    for call, symbol in list_calls(scopes):
        if symbol in PARTITIONERS and is_of_strategy(scopes, call):
            yield _mend_partitioner(scopes, call, PARTITIONERS[symbol])


def is_of_strategy(scopes: Scopes, call: ast.Call) -> bool:
    """Whether only strategies of TF2 can get a partitioner, now or later."""
    ends = set(_find_ends(scopes, call, _DEEP))
    if ends:
        return ends == {_STRATEGY}
    return any(s in SERVERS for _, s in list_calls(scopes)) or (
        (scopes.find_dotted_path(call.func) or "").startswith("tensorflow.compat.v1.")
        and not _builds_graph(scopes)
    )


def _builds_graph(scopes: Scopes) -> bool:
    rows = (symbols.look_up(symbol) for _, symbol in scopes.walk_uses())
    return any(row is not None and row.graph_only for row in rows)


def _find_ends(scopes: Scopes, value: ast.expr, depth: int) -> Iterator[str]:
    """Yields the kinds of a value's final uses; nothing if a name keeps it for later."""
    around: ast.AST = scopes.parents[value]
    if not depth:
        yield _OTHER
    elif isinstance(around, ast.IfExp) and value is not around.test:
        yield from _find_ends(scopes, around, depth - 1)
    elif isinstance(around, (ast.Assign, ast.AnnAssign)):
        targets = around.targets if isinstance(around, ast.Assign) else [around.target]
        if len(targets) != 1:
            yield _OTHER
            return
        for read in _find_reads(scopes, targets[0]):
            yield from _find_ends(scopes, read, depth - 1) if read else (_OTHER,)
    elif isinstance(around, ast.Return):
        function = values.find_function(scopes, around)
        called = values.find_calls(scopes, function) if function is not None else None
        for one in called or (None,):
            yield from _find_ends(scopes, one, depth - 1) if one else (_OTHER,)
    else:
        call = scopes.parents[around] if isinstance(around, ast.keyword) else around
        if isinstance(call, ast.Call) and value is not call.func:
            yield from _follow_argument(scopes, call, value, depth)
        else:
            yield _OTHER


def _follow_argument(
    scopes: Scopes, call: ast.Call, value: ast.expr, depth: int
) -> Iterator[str]:
    """Yields the kinds of an argument's final uses."""
    if scopes.resolve(call.func) in SERVERS:
        known = names.find_argument(call, "variable_partitioner", 1) is value
        yield _STRATEGY if known else _OTHER
        return
    function = replicas.find_function(scopes, call.func)
    for at, name in enumerate(replicas.list_parameters(function) if function else ()):
        if names.find_argument(call, name, at) is value and function is not None:
            for node in names.walk_scope_of_function(function):
                if isinstance(node, ast.Name) and node.id == name:
                    if not isinstance(node.ctx, ast.Load):
                        yield _OTHER
                    else:
                        yield from _find_ends(scopes, node, depth - 1)
            return
    yield _OTHER


def _find_reads(scopes: Scopes, target: ast.expr) -> Iterator[ast.expr | None]:
    """Yields the reads of a name or an attribute; None if they are not known."""
    if isinstance(target, ast.Attribute):
        yield from (
            n
            for n in scopes.walk()
            if isinstance(n, ast.Attribute)
            and n.attr == target.attr
            and isinstance(n.ctx, ast.Load)
        )
        return
    owner = (
        scopes.find_scope(target).find_owner(target.id)
        if isinstance(target, ast.Name)
        else None
    )
    if owner is None or not isinstance(target, ast.Name):
        yield None
        return
    for node in scopes.walk():
        if isinstance(node, ast.Name) and node.id == target.id:
            if scopes.find_scope(node).find_owner(node.id) is owner:
                if isinstance(node.ctx, ast.Load):
                    yield node


def _mend_partitioner(scopes: Scopes, call: ast.Call, row: Partitioner) -> Mistake:
    symbol = row.symbol
    bound = names.bind_arguments(call, row.parameters)
    axis = names.read_literal(bound.get("axis")) if bound is not None else None
    if bound is not None and "axis" in bound and axis != 0:
        return Mistake(
            call,
            "P102",
            f"axis={ast.unparse(bound['axis'])}: ParameterServerStrategy splits "
            "variables only along axis 0",
            "Transpose the variable, or do not partition it.",
            blocks=True,
            symbol=symbol,
        )
    home = find_tensorflow(scopes)
    new = rewrite_partitioner(call, row, f"{home}{MODULE[2:]}")
    return Mistake(
        call,
        "P110",
        f"{row.target} makes as many shards, and the strategy of TensorFlow 2 can call it"
        if new is not None and home
        else "a strategy of TensorFlow 2 cannot call this partitioner",
        f"{MODULE}.{row.target}(...)",
        ((call, new),) if new is not None and home else (),
        symbol,
        blocks=True,
    )


def rewrite_partitioner(
    call: ast.Call, row: Partitioner, module: str = MODULE
) -> Code | None:
    """Returns a partitioner as TF2's; None if its arguments are unclear."""
    bound = names.bind_arguments(call, row.parameters)
    if bound is None:
        return None
    renamed = dict(row.renamed)
    parts = [make_code(f"{renamed[n]}=", v) for n, v in bound.items() if n in renamed]
    parts += [
        make_code(f"{renamed[n]}={text}") for n, text in row.defaults if n not in bound
    ]
    return make_code(f"{module}.{row.target}(", join_code(", ", parts), ")")
