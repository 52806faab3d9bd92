"""Writes layers of a network as calls of Keras layers, and helpers without `training`."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from migrate.backends.keras.layout import Argument
from migrate.backends.keras.layout import write_call as laid_out
from migrate.facts import names
from migrate.plan import Block, Dropped, Item, Keep, New
from migrate.program.code import Code, join_code, make_code
from migrate.program.keras_layers import Helper, Layer, Several, is_prefix
from migrate.program.keras_model import KerasModel
from migrate.source.nodes import walk_breadth_first
from migrate.tables import keras_models as table
from migrate.tables.keras_contrib import ContribRow

_INDENT = "    "


def find_calls(model: KerasModel) -> Iterator[tuple[ast.Call, Code]]:
    """Yields every call of a layer or a helper, with its new form."""
    for layer in model.layers:
        yield layer.call, _write_one_layer(layer)
        for call in layer.applied:
            yield call, _write_layer_call(call)
    for one in model.helpers:
        if one.unneeded or one.scope or one.shared:
            for call, where in one.calls:
                yield call, _write_helper_call(call, one, where)


def _write_one_layer(layer: Layer) -> Code:
    if layer.inputs is None:
        return write_layer_constructor(layer, layer.call.col_offset)
    inputs = ast.unparse(layer.inputs)
    made = write_layer_constructor(layer, layer.call.col_offset, len(inputs) + 2)
    # The inputs of a variable are not written in its call.
    written = hasattr(layer.inputs, "lineno")
    return make_code(made, "(", layer.inputs if written else inputs, ")")


def _write_layer_call(call: ast.Call) -> Code:
    """Writes a layer object's call, without the `training` argument."""
    func = call.func
    if isinstance(func, ast.Attribute) and func.attr in ("apply", "__call__"):
        func = func.value
    inputs = names.find_argument(call, "inputs", 0)
    assert inputs is not None
    return make_code(func, "(", inputs, ")")


def write_layer_constructor(
    layer: Layer, indent: int, after: int = 0, hang: str = "    "
) -> Code:
    """Writes the Keras layer, before it is applied.

    Args:
      indent: columns before it.
      after: columns that follow on its last line.
      hang: the indentation of arguments on lines of their own.
    """
    if layer.several is not None:
        return _write_sequential(layer, layer.several, hang)
    name = _choose_scoped_name(layer.name, layer.scope)
    if layer.counted and name is not None:
        name = make_code(f"{table.MODULE}.unique_name(", name, ")")
    return _write_layer(layer, name, indent, after, hang)


def _write_layer(
    layer: Layer,
    name: Code | str | None,
    indent: int,
    after: int,
    hang: str,
    first: Sequence[Argument] = (),
) -> Code:
    """Writes one layer.

    Args:
      name: its `name` argument, if any.
      first: arguments before its own.
    """
    inverted = layer.row.inverted if isinstance(layer.row, ContribRow) else ""
    arguments: list[Argument] = [
        *first,
        *(
            (name, _write_complement(value) if name == inverted else value)
            for name, value in layer.arguments
        ),
        *layer.texts,
    ]
    if layer.normalizer is not None:
        inner = _choose_scoped_name(layer.normalizer.name, ())
        made = _write_layer(
            layer.normalizer, inner, indent + len(hang) + 11, 1, hang + _INDENT
        )
        arguments.append(("normalizer", made))
    if name is not None:
        arguments.append(("name", name))
    return laid_out(find_target(layer), arguments, indent, after, hang)


def find_target(layer: Layer) -> str:
    """Returns the Keras layer's class: TensorFlow's, or the emitted module's."""
    if layer.row.seeded and any(n == "seed" for n, _ in layer.arguments):
        return f"{table.MODULE}.Dropout"
    return layer.row.target


def _choose_scoped_name(
    name: str | ast.expr | None, scope: tuple[ast.expr, ...]
) -> Code | str | None:
    return None if name is None else name_below(scope, name)


def _write_sequential(layer: Layer, several: Several, hang: str) -> Code:
    """Writes layers one after the other, from a list or by a number."""
    read = {n for node in layer.carried for n in names.find_reads(node)}
    number = next(n for n in ("i", "number", "layer_number") if n not in read)
    own = {p: p if p not in read else f"its_{p}" for p in several.parameters}
    name = layer.name
    assert isinstance(name, str)
    text = make_code(name_below(layer.scope, name), f" % {number}")
    first = [(parameter, own[parameter]) for parameter in several.parameters]
    made = _write_layer(layer, text, len(_INDENT) * 3, 1, _INDENT * 2, first)
    if several.parameters:
        targets = ", ".join(own.values())
        if len(own) > 1:
            targets = f"({targets})"
        over = make_code(f"{number}, {targets} in enumerate(", several.of, ", start=1)")
    elif isinstance(several.of, ast.Constant) and isinstance(several.of.value, int):
        over = make_code(f"{number} in range(1, {several.of.value + 1})")
    else:
        over = make_code(f"{number} in range(1, 1 + ", several.of, ")")
    return make_code("tf_keras.Sequential([\n", hang, made, f"\n{hang}for ", over, "])")


def find_word(name: ast.expr | str | None) -> str:
    """Returns a layer's name without its number: "mlp" of "mlp%d" % i; else ""."""
    if isinstance(name, ast.BinOp):
        name = name.left
    elif isinstance(name, ast.JoinedStr) and name.values:
        name = name.values[0]
    elif isinstance(name, ast.Call) and isinstance(name.func, ast.Attribute):
        name = name.func.value
    text = name.value if isinstance(name, ast.Constant) else name
    if not isinstance(text, str):
        return ""
    return re.split(r"[^\w]", text.rpartition("/")[2])[0].strip("_")


def _write_complement(node: ast.expr) -> Code:
    """Writes 1 minus an expression."""
    if isinstance(node, (ast.Constant, ast.Name, ast.Attribute, ast.Subscript)):
        return make_code("1 - ", node)
    return make_code("1 - (", node, ")")


def name_below(scope: tuple[ast.expr, ...], name: str | ast.expr) -> Code | str:
    """Writes a name below its variable scopes; literals are joined to one string."""
    parts: list[ast.expr | str] = [*scope, name]
    texts = [
        part if isinstance(part, str) else getattr(part, "value", None)
        for part in parts
        if isinstance(part, (str, ast.Constant))
    ]
    if len(texts) == len(parts):
        return '"' + "/".join(str(t) for t in texts) + '"'
    if len(parts) == 1:
        return make_code(name if hasattr(name, "lineno") else ast.unparse(name))  # type: ignore[arg-type]
    if (
        len(texts) == len(parts) - 1
        and (woven_in := _join_formatted_parts(parts)) is not None
    ):
        return woven_in
    # Expressions between strings: "a/" + name + "/b".
    woven: list[str | ast.AST] = []
    before = ""
    for index, part in enumerate(parts):
        before += "/" if index and not is_prefix(parts[index - 1]) else ""
        if isinstance(part, ast.Constant):
            part = str(part.value)
        if isinstance(part, str):
            before += part
            continue
        # Arguments that are added to a helper are not written in the program.
        shown = part if hasattr(part, "lineno") else ast.unparse(part)
        woven += [f'"{before}"', shown] if before else [shown]
        before = ""
    if before:
        woven.append(f'"{before}"')
    return join_code(" + ", woven)


def _join_formatted_parts(parts: Sequence[ast.expr | str]) -> Code | None:
    """Joins texts and one formatted string: "block%d/dense" % i; returns None otherwise."""
    index, one = next(
        (i, part)
        for i, part in enumerate(parts)
        if not isinstance(part, (str, ast.Constant))
    )
    before, after = (
        [str(part.value if isinstance(part, ast.Constant) else part) for part in some]
        for some in (parts[:index], parts[index + 1 :])
    )
    if any(mark in text for text in (*before, *after) for mark in "%{}"):
        return None
    assert isinstance(one, ast.expr)
    left, follows = one, make_code("")
    if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Mod):
        left, follows = one.left, make_code(" % ", one.right)
    elif isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute):
        if one.func.attr != "format" or one.keywords:
            return None
        left = one.func.value
        given = [piece for value in one.args for piece in (", ", value)]
        follows = make_code(".format(", *given[1:], ")")
    if not (isinstance(left, ast.Constant) and isinstance(left.value, str)):
        return None
    text = "/".join([*before, left.value, *after])
    return make_code(f'"{text}"', follows)


def _write_helper_call(
    call: ast.Call, helper: Helper, where: tuple[ast.expr, ...] = ()
) -> Code:
    bound = names.bind_call(call, helper.function, helper.owner is not None) or {}
    gone = {id(bound[name]) for name in helper.unneeded if name in bound}
    arguments: list[Argument] = [("", a) for a in call.args if id(a) not in gone]
    # Positional arguments behind a removed one are still in order.
    arguments += [
        (k.arg or "", k.value) for k in call.keywords if id(k.value) not in gone
    ]
    if helper.scope:
        arguments.append((helper.scope, _write_scope_argument(where, helper.prefix)))
    function = helper.shared or ast.unparse(call.func)
    return laid_out(function, arguments, call.col_offset)


def _write_scope_argument(where: tuple[ast.expr, ...], prefix: bool) -> Code | str:
    """Writes the argument by which a helper gets the variable scopes around its call."""
    if not prefix:
        return name_below(where[:-1], where[-1])
    if not where:
        return '""'
    if len(where) == 1 and is_prefix(where[0]):
        return ast.unparse(where[0])
    return name_below(where, "")


def write_sharing(node: ast.AST, others: Iterable[Helper]) -> list[Item]:
    """Writes the code that shares a function's variables, above the function's first call.

    Args:
      node: the statement below.
    """
    inside = set(walk_breadth_first(node))
    found: list[Item] = []
    for other in others:
        first = other.calls[0][0] if other.calls else None
        if other.shared and first is not None and first in inside:
            found.append(
                New(
                    make_code(
                        f"{other.shared} = {table.MODULE}.Shared("
                        f"{ast.unparse(first.func)})"
                    )
                )
            )
    return found


def write_helper(one: Helper, others: Collection[Helper] = ()) -> list[Item]:
    """Writes a helper's definition, without code that only said whether it is training.

    Args:
      others: the network's helpers, which it may call.
    """
    function = one.function
    inner = [s for s in function.body if write_sharing(s, others)]
    if not one.unneeded and not one.opened and not one.scope and not inner:
        return [Keep(function)]
    head = write_header(function, without=one.unneeded, scope=one.scope)
    items = _write_items(function.body, one.opened, (*one.gone, *one.kept), others)
    if all(isinstance(item, Dropped) for item in items):
        items.append(New(make_code("pass")))
    return [Block(head, items, function)]


def write_header(
    function: ast.FunctionDef,
    without: Collection[str] = (),
    name: str = "",
    first: str = "",
    scope: str = "",
) -> Code:
    """Writes a function's `def`, without some of its parameters.

    Args:
      name: another name for it.
      first: a parameter before its own.
      scope: a keyword-only parameter behind them.
    """
    arguments = function.args
    parts: list[str | ast.AST | Code] = [first] if first else []
    positional = len(arguments.args) - len(arguments.defaults)
    for index, argument in enumerate(arguments.args):
        if argument.arg in without:
            continue
        if parts:
            parts.append(", ")
        parts.append(argument.arg)
        if argument.annotation is not None:
            parts += [": ", argument.annotation]
        if index >= positional:
            parts += ["=", arguments.defaults[index - positional]]
    pairs = zip(arguments.kwonlyargs, arguments.kw_defaults)
    named = [(a, default) for a, default in pairs if a.arg not in without]
    if named or (scope and arguments.defaults):
        parts.append(", *" if parts else "*")
    for argument, default in named:
        parts.append(f", {argument.arg}")
        if argument.annotation is not None:
            parts += [": ", argument.annotation]
        if default is not None:
            parts += ["=", default]
    if scope:
        parts.append(f", {scope}")
    return make_code(f"def {name or function.name}(", *parts, "):")


def unwrap_block(
    statement: ast.With | ast.If,
    others: Collection[ast.stmt],
    gone: Collection[ast.stmt] = (),
    helpers: Collection[Helper] = (),
) -> list[Item]:
    """Returns the statements in a scope, or below a condition, that is removed.

    Args:
      others: blocks that are removed like it.
      gone: statements that are removed.
      helpers: the network's functions, which it may call.
    """
    return [Dropped(statement), *_write_items(statement.body, others, gone, helpers)]


def _write_items(
    body: list[ast.stmt],
    open_: Collection[ast.stmt],
    gone: Collection[ast.stmt],
    others: Collection[Helper] = (),
) -> list[Item]:
    found: list[Item] = []
    for statement in body:
        if isinstance(statement, (ast.With, ast.If)) and statement in open_:
            found += unwrap_block(statement, open_, gone, others)
            continue
        found += write_sharing(statement, others)
        if statement in gone:
            found.append(Dropped(statement))
        else:
            found.append(Keep(statement))
    return found
