"""Placeholders that only say what a dataset is made of, in an input_fn.

    x_ = tf.placeholder(tf.float32, x.shape)
    iterator = tf.data.Dataset.from_tensor_slices(x_).make_initializable_iterator()
    hook.start = lambda sess: sess.run(iterator.initializer, feed_dict={x_: x})

TF1 kept large arrays out of its graph so. The value that is fed may stand where the
placeholder does, if it is the same there: that is what is found out here.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator

from migrate.facts.scopes import FunctionNode, Scopes

_SUITES = ("body", "orelse", "finalbody")


@dataclasses.dataclass(frozen=True)
class FedPlaceholder:
    """A placeholder of an input_fn, and what is fed to it.

    Attributes:
      call: `tf.placeholder(...)`.
      value: the expression that is fed, and means the same where the placeholder is.
    """

    call: ast.Call
    value: ast.expr


@dataclasses.dataclass(frozen=True)
class FedInitializer:
    """`session.run(iterator.initializer, feed_dict={placeholder: value, ...})`.

    Attributes:
      run: the call.
      initializer: what it runs.
      placeholders: all that it feeds.
      feeds: `feeds = {placeholder: value}`, where the dict stands apart.
    """

    run: ast.Call
    initializer: ast.Attribute
    placeholders: tuple[FedPlaceholder, ...]
    feeds: ast.Assign | None = None


def find_fed_initializers(scopes: Scopes) -> list[FedInitializer]:
    """Runs of initialisers all of whose feeds may be written out, in source order."""
    return [f for call in _find_runs(scopes) if (f := _read(call, scopes)) is not None]


def _find_runs(scopes: Scopes) -> Iterator[ast.Call]:
    for node in scopes.walk():
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "run"
        ):
            yield node


def _read(call: ast.Call, scopes: Scopes) -> FedInitializer | None:
    keywords = {k.arg: k.value for k in call.keywords}
    given = dict(zip(("fetches", "feed_dict"), call.args, strict=False)) | keywords
    fetches, feeds = given.pop("fetches", None), given.pop("feed_dict", None)
    if given or len(call.args) > 2 or feeds is None:
        return None
    if not isinstance(fetches, ast.Attribute) or fetches.attr != "initializer":
        return None
    apart = None
    if isinstance(feeds, ast.Name):
        if sum(_names(feeds, node, scopes) for node in scopes.walk()) != 1:
            return None
        feeds = _find_single_value(feeds, scopes)
        parent = scopes.parents.get(feeds) if feeds is not None else None
        apart = parent if isinstance(parent, ast.Assign) else None
    if not isinstance(feeds, ast.Dict) or not feeds.keys:
        return None
    placeholders = [
        _find_placeholder(key, value, scopes)
        for key, value in zip(feeds.keys, feeds.values, strict=True)
    ]
    if any(p is None for p in placeholders):
        return None
    return FedInitializer(call, fetches, tuple(p for p in placeholders if p), apart)


def _is_key(node: ast.AST, key: ast.Name, scopes: Scopes) -> bool:
    """Whether a placeholder is a key here, of a dict or an item of one."""
    if not _names(key, node, scopes):
        return False
    above = scopes.parents[node]
    if isinstance(above, ast.Dict):
        return node in above.keys
    return isinstance(above, ast.Subscript) and above.slice is node


def _names(name: ast.Name, node: ast.AST, scopes: Scopes) -> bool:
    """Whether a node reads what a name stands for."""
    if not isinstance(node, ast.Name) or node.id != name.id:
        return False
    owner = scopes.find_scope(name).find_owner(name.id)
    same = scopes.find_scope(node).find_owner(name.id) is owner
    return same and isinstance(node.ctx, ast.Load)


def _find_placeholder(
    key: ast.expr | None, value: ast.expr, scopes: Scopes
) -> FedPlaceholder | None:
    """Finds the placeholder of `{key: value}`, if `value` means the same there."""
    call = _find_single_value(key, scopes) if isinstance(key, ast.Name) else None
    if not isinstance(call, ast.Call) or not isinstance(key, ast.Name):
        return None
    if sum(_is_key(node, key, scopes) for node in scopes.walk()) != 1:
        return None  # It would have two values.
    if scopes.resolve(call.func) != "tf.placeholder":
        return None
    statement = scopes.parents[call]
    owner = scopes.find_scope(key).find_owner(key.id)
    assert owner is not None and isinstance(statement, ast.stmt)
    # A lambda sees the placeholder as this call of the input_fn made it.
    if not isinstance(owner.node, FunctionNode):
        return None
    if any(k.arg is None for k in call.keywords) or any(
        isinstance(a, ast.Starred) for a in call.args
    ):
        return None
    if all(
        _has_same_value(part, statement, owner.node, scopes)
        for part in _walk_parts(value)
    ):
        return FedPlaceholder(call, value)
    return None


def _walk_parts(value: ast.expr) -> Iterator[ast.expr]:
    """The parts of an expression whose meaning depends on where it stands."""
    if isinstance(value, ast.Attribute):
        yield from _walk_parts(value.value)
    elif isinstance(value, ast.Subscript):
        yield from _walk_parts(value.value)
        yield from _walk_parts(value.slice)
    elif isinstance(value, (ast.List, ast.Tuple)):
        for item in value.elts:
            yield from _walk_parts(item)
    elif not isinstance(value, ast.Constant):
        yield value


def _has_same_value(
    part: ast.expr, statement: ast.stmt, function: ast.AST, scopes: Scopes
) -> bool:
    """Whether a name in the run stands for what it does at the placeholder's statement."""
    if not isinstance(part, ast.Name):
        return False  # A call may give something else each time.
    owner = scopes.find_scope(part).find_owner(part.id)
    here = scopes.find_scope(statement).find_owner(part.id)
    if owner is None or owner is not here or len(owner.bindings[part.id]) != 1:
        return False
    if any(
        part.id in scope.outer_names and part.id in scope.bindings
        for scope in scopes.scope_by_node.values()
    ):
        return False  # Another function gives it a new value.
    binding = owner.bindings[part.id][0]
    if owner.node is not function or isinstance(binding, ast.arg):
        return True  # Bound before the input_fn is called.
    return _runs_before(binding, statement, scopes)


def _runs_before(first: ast.AST, statement: ast.stmt, scopes: Scopes) -> bool:
    """Whether a statement has always been run when another one is."""
    node: ast.AST = statement
    while (above := scopes.parents.get(node)) is not None:
        for suite in (getattr(above, name, None) for name in _SUITES):
            if isinstance(suite, list) and node in suite:
                if first in suite[: suite.index(node)]:
                    return True
        node = above
    return False


def _find_single_value(name: ast.Name, scopes: Scopes) -> ast.expr | None:
    """Returns the value of a name that is assigned once, alone, and in no loop."""
    owner = scopes.find_scope(name).find_owner(name.id)
    if owner is None:
        return None
    bindings = owner.bindings[name.id]
    if len(bindings) != 1 or not isinstance(bindings[0], ast.Assign):
        return None
    assignment = bindings[0]
    if len(assignment.targets) != 1 or not isinstance(assignment.targets[0], ast.Name):
        return None
    node: ast.AST = assignment
    while (above := scopes.parents.get(node)) is not None and above is not owner.node:
        if isinstance(above, (ast.For, ast.AsyncFor, ast.While)):
            return None
        node = above
    return assignment.value
