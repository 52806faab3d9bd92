"""Layers of a network as calls of Keras layers, and helpers without their `training`."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Sequence

from migrate.backends.keras.layout import Argument
from migrate.backends.keras.layout import call as laid_out
from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.model_fn.calls import bound_call
from migrate.plan import Block, Dropped, Item, Keep
from migrate.program.ir import Code, code
from migrate.program.keras_model import Helper, KerasModel, Layer, Several
from migrate.tables import keras_models as table
from migrate.tables.keras_contrib import ContribRow

_INDENT = "    "


def calls(model: KerasModel, scopes: Scopes) -> Iterator[tuple[ast.Call, Code]]:
    """Every call of a layer, and of a helper, and what becomes of it."""
    for layer in model.layers:
        yield layer.call, _layer(layer)
        for call in layer.applied:
            yield call, _applied(call)
    helpers = {h.function: h for h in model.helpers}
    roots: list[ast.AST] = [u.statement for u in model.network]
    roots += list(helpers)
    for root in roots:
        for node in ast.walk(root):
            if isinstance(node, ast.Call):
                function = scopes.function(node.func)
                if function in helpers and helpers[function].unneeded:
                    yield node, _helper_call(node, helpers[function])


def _layer(layer: Layer) -> Code:
    if layer.inputs is None:
        return constructed(layer, layer.call.col_offset)
    inputs = ast.unparse(layer.inputs)
    made = constructed(layer, layer.call.col_offset, len(inputs) + 2)
    return code(made, "(", layer.inputs, ")")


def _applied(call: ast.Call) -> Code:
    """A layer object's call, which is not told whether it is training."""
    func = call.func.value if isinstance(call.func, ast.Attribute) else call.func
    inputs = names.argument(call, "inputs", 0)
    assert inputs is not None
    return code(func, "(", inputs, ")")


def constructed(layer: Layer, indent: int, after: int = 0, hang: str = "    ") -> Code:
    """The Keras layer, before it is applied.

    Args:
      indent: columns before it.
      after: columns that follow on its last line.
      hang: how far arguments on lines of their own are indented.
    """
    if layer.several is not None:
        return _sequential(layer, layer.several, hang)
    return _one(layer, _own(layer.name, layer.scope), indent, after, hang)


def _one(
    layer: Layer,
    name: Code | str | None,
    indent: int,
    after: int,
    hang: str,
    first: Sequence[Argument] = (),
) -> Code:
    """One layer.

    Args:
      name: the name it is given, if any.
      first: arguments before its own.
    """
    inverted = layer.row.inverted if isinstance(layer.row, ContribRow) else ""
    arguments: list[Argument] = [
        *first,
        *(
            (name, _complement(value) if name == inverted else value)
            for name, value in layer.arguments
        ),
        *layer.texts,
    ]
    if layer.normalizer is not None:
        inner = _own(layer.normalizer.name, ())
        made = _one(layer.normalizer, inner, indent + len(hang) + 11, 1, hang + _INDENT)
        arguments.append(("normalizer", made))
    if name is not None:
        arguments.append(("name", name))
    return laid_out(target(layer), arguments, indent, after, hang)


def target(layer: Layer) -> str:
    """The Keras layer's class: TensorFlow's, or the emitted module's."""
    if layer.row.seeded and any(n == "seed" for n, _ in layer.arguments):
        return f"{table.MODULE}.Dropout"
    return layer.row.target


def _own(name: str | ast.expr | None, scope: tuple[ast.expr, ...]) -> Code | str | None:
    return None if name is None else name_below(scope, name)


def _sequential(layer: Layer, several: Several, hang: str) -> Code:
    """Layers one after the other, of a list or as many as there shall be."""
    read = {n for node in layer.carried for n in names.reads(node)}
    number = next(n for n in ("i", "number", "layer_number") if n not in read)
    own = {p: p if p not in read else f"its_{p}" for p in several.parameters}
    name = layer.name
    assert isinstance(name, str)
    text = code(name_below(layer.scope, name), f" % {number}")
    first = [(parameter, own[parameter]) for parameter in several.parameters]
    made = _one(layer, text, len(_INDENT) * 3, 1, _INDENT * 2, first)
    if several.parameters:
        targets = ", ".join(own.values())
        if len(own) > 1:
            targets = f"({targets})"
        over = code(f"{number}, {targets} in enumerate(", several.of, ", start=1)")
    elif isinstance(several.of, ast.Constant) and isinstance(several.of.value, int):
        over = code(f"{number} in range(1, {several.of.value + 1})")
    else:
        over = code(f"{number} in range(1, 1 + ", several.of, ")")
    return code("tf_keras.Sequential([\n", hang, made, f"\n{hang}for ", over, "])")


def word(name: ast.expr | str | None) -> str:
    """What a layer's name says, without its number: "mlp" of "mlp%d" % i; else ""."""
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


def _complement(node: ast.expr) -> Code:
    """1 minus an expression."""
    if isinstance(node, (ast.Constant, ast.Name, ast.Attribute, ast.Subscript)):
        return code("1 - ", node)
    return code("1 - (", node, ")")


def name_below(scope: tuple[ast.expr, ...], name: str | ast.expr) -> Code | str:
    """A name below its variable scopes; literals are joined to one string."""
    parts: list[ast.expr | str] = [*scope, name]
    texts = [
        part if isinstance(part, str) else getattr(part, "value", None)
        for part in parts
        if isinstance(part, (str, ast.Constant))
    ]
    if len(texts) == len(parts):
        return '"' + "/".join(str(t) for t in texts) + '"'
    if len(parts) == 1:
        return code(name)
    if len(texts) == len(parts) - 1 and (woven_in := _formatted(parts)) is not None:
        return woven_in
    # Expressions between strings: "a/" + name + "/b".
    woven: list[str | ast.AST] = []
    text = ""
    for index, part in enumerate(parts):
        known = part if isinstance(part, str) else getattr(part, "value", None)
        text += "/" if index else ""
        if isinstance(part, (str, ast.Constant)):
            text += str(known)
            continue
        woven += [f'"{text}"', part] if text else [part]
        text = ""
    woven += [f'"{text}"'] if text else []
    joined = [piece for part in woven for piece in (" + ", part)]
    return code(*joined[1:])


def _formatted(parts: Sequence[ast.expr | str]) -> Code | None:
    """Texts and one formatted string as one: "block%d/dense" % i; None where it is none."""
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
    left, follows = one, code("")
    if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Mod):
        left, follows = one.left, code(" % ", one.right)
    elif isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute):
        if one.func.attr != "format" or one.keywords:
            return None
        left = one.func.value
        given = [piece for value in one.args for piece in (", ", value)]
        follows = code(".format(", *given[1:], ")")
    if not (isinstance(left, ast.Constant) and isinstance(left.value, str)):
        return None
    text = "/".join([*before, left.value, *after])
    return code(f'"{text}"', follows)


def _helper_call(call: ast.Call, helper: Helper) -> Code:
    bound = bound_call(call, helper.function) or {}
    gone = {id(bound[name]) for name in helper.unneeded if name in bound}
    arguments: list[Argument] = [("", a) for a in call.args if id(a) not in gone]
    # What stood behind something that is gone by position is still in order.
    arguments += [
        (k.arg or "", k.value) for k in call.keywords if id(k.value) not in gone
    ]
    return laid_out(ast.unparse(call.func), arguments, call.col_offset)


def helper(one: Helper) -> list[Item]:
    """A helper's definition, without what only said whether it is training."""
    function = one.function
    if not one.unneeded and not one.opened:
        return [Keep(function)]
    head = header(function, without=one.unneeded)
    return [Block(head, _items(function.body, one.opened, one.gone), function)]


def header(
    function: ast.FunctionDef,
    without: Collection[str] = (),
    name: str = "",
    first: str = "",
) -> Code:
    """A function's `def`, without some of its parameters.

    Args:
      name: another name for it.
      first: a parameter before its own.
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
    return code(f"def {name or function.name}(", *parts, "):")


def opened(
    statement: ast.With | ast.If,
    others: Collection[ast.stmt],
    gone: Collection[ast.stmt] = (),
) -> list[Item]:
    """What stands in a scope, or below a condition, that is gone.

    Args:
      others: those that are gone like it.
      gone: statements of which nothing is left.
    """
    return [Dropped(statement), *_items(statement.body, others, gone)]


def _items(
    body: list[ast.stmt], open_: Collection[ast.stmt], gone: Collection[ast.stmt]
) -> list[Item]:
    found: list[Item] = []
    for statement in body:
        if isinstance(statement, (ast.With, ast.If)) and statement in open_:
            found += opened(statement, open_, gone)
        elif statement in gone:
            found.append(Dropped(statement))
        else:
            found.append(Keep(statement))
    return found
