"""A loop over devices that lists each tower's loss, and the one loss that is minimised.

    losses = []
    for i in range(num_gpus):
        with tf.device("/gpu:%d" % i):
            losses.append(tower_loss(images[i], labels[i]))
    loss = tf.add_n(losses) / num_gpus
    train_op = opt.minimize(loss, colocate_gradients_with_ops=True)

The gradient of the mean is the mean of the towers' gradients: each replica minimises its
own loss, and their gradients are averaged as those of other towers are. Of a sum, each
minimises its loss times the number of towers.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.names import find_free_name
from migrate.facts.scopes import Scopes, build_scopes
from migrate.facts.towers.losses import Losses
from migrate.normalise.text import Text, find_lines_inside_strings
from migrate.normalise.towers import loops
from migrate.normalise.towers.view import Unclear, View
from migrate.rules.mistakes.mistake import find_tensorflow
from migrate.source.nodes import parse_source, walk_breadth_first

_METHODS = frozenset({"minimize", "compute_gradients"})
_FUNCTIONS = frozenset(
    {"tf.gradients", "tf.hessians", "tf.contrib.layers.optimize_loss"}
    | {
        "tf.contrib.training.create_train_op",
        "tf.contrib.slim.learning.create_train_op",
    }
)
# Functions that reduce a tensor to one number, if they are given no axis.
_REDUCTIONS = frozenset({"tf.reduce_mean", "tf.reduce_sum", "tf.reduce_max"})
_ONE_NUMBER = frozenset({"tf.nn.l2_loss", "tf.global_norm"})
_ELEMENTWISE = frozenset(
    {"tf.identity", "tf.add", "tf.multiply", "tf.divide", "tf.sqrt", "tf.square"}
)
_OTHERWISE = (
    "the tool cannot tell whether the program minimises the mean or the "
    "sum of the towers' losses"
)


@dataclasses.dataclass(frozen=True)
class Minimised:
    """The loss of all towers, and that of one.

    Attributes:
      call: what minimises it, or takes its gradients.
      loss: the loss that it is given.
      own: a tower's loss, an expression of the text's: the mean of the gradients of all
        towers' is that of the loss.
      whole: whether the call makes the update too.
      pairs: whether it gives (gradient, variable), and not gradients alone.
    """

    call: ast.Call
    loss: ast.expr
    own: str
    whole: bool
    pairs: bool


def find(view: View, count: str) -> list[Minimised]:
    """Finds all updates that minimise a loop's losses.

    Args:
      count: how many towers there are, an expression of the text's.

    Raises:
      Unclear: something is minimised that is neither their mean nor their sum.
    """
    scopes, loop = view.scopes, view.loop
    own = names.find_binds(loop) | _find_filled_names(loop)
    followed = [
        (
            value.id,
            Losses(
                scopes,
                count,
                gathered,
                listed=listed,
                bound=own,
                scalar=_is_scalar(scopes, value, ()),
            ),
        )
        for gathered, value, listed in loops.walk_gathered_losses(scopes, loop)
        if isinstance(value, ast.Name) and _is_fresh(scopes, loop, value.id)
    ]
    found: list[Minimised] = []
    for later in _walk_after(scopes, loop):
        calls = [n for n in walk_breadth_first(later) if _takes_gradients(scopes, n)]
        for call in calls:
            assert isinstance(call, ast.Call)
            pairs = _is_method(call)
            loss = names.find_argument(call, "loss" if pairs else "ys", 0)
            wholes = [
                (tower, whole)
                for tower, losses in followed
                if loss is not None and (whole := losses.find_whole(loss)) is not None
            ]
            taken = pairs or scopes.resolve(call.func) == "tf.gradients"
            if len(wholes) != 1 or loss is None or not taken:
                raise Unclear(_OTHERWISE)
            ((tower, whole),) = wholes
            if any(_asks_collections(scopes, more) for more in whole.more):
                raise Unclear(_OTHERWISE)
            if whole.reduced:
                tower = f"{find_tensorflow(scopes)}.{whole.reduced}({tower})"
            terms = [f"{tower} * {count}" if whole.is_sum else tower]
            terms += [view.flatten_expression(more) for more in whole.more]
            update = pairs and call.func.attr == "minimize"  # type: ignore[attr-defined]
            found.append(Minimised(call, loss, " + ".join(terms), update, pairs))
        for _, losses in followed:
            losses.read(later)
    known = {one.call for one in found}
    for node in walk_breadth_first(scopes.tree):
        if _takes_gradients(scopes, node) and node not in known:
            raise Unclear(_OTHERWISE)
    if not found:
        raise Unclear(_OTHERWISE)
    return found


def _is_scalar(scopes: Scopes, value: ast.expr, seen: tuple[ast.AST, ...]) -> bool:
    """Whether a tower's loss is seen to be one number, and not one for each example."""
    if isinstance(value, ast.Constant) or value in seen:
        return True
    seen = (*seen, value)
    if isinstance(value, ast.BinOp):
        return all(_is_scalar(scopes, v, seen) for v in (value.left, value.right))
    if isinstance(value, ast.Name):
        owner = scopes.find_scope(value).find_owner(value.id)
        bound = owner.bindings.get(value.id, []) if owner is not None else []
        return bool(bound) and all(
            _is_scalar_bound(scopes, value.id, b, seen) for b in bound
        )
    if not isinstance(value, ast.Call):
        return False
    symbol = scopes.resolve(value.func) or ""
    if symbol in _REDUCTIONS:
        return len(value.args) == 1 and all(k.arg == "name" for k in value.keywords)
    if symbol.startswith("tf.losses.get_"):
        return symbol == "tf.losses.get_total_loss"
    if symbol in _ONE_NUMBER or symbol.startswith("tf.losses."):
        return not any(k.arg == "reduction" for k in value.keywords)
    if symbol in _ELEMENTWISE:
        return all(_is_scalar(scopes, a, seen) for a in value.args)
    function = scopes.find_function(value.func)
    returned = _list_returned(function)
    return bool(returned) and all(_is_scalar(scopes, r, seen) for r in returned)


def _is_scalar_bound(
    scopes: Scopes, name: str, bound: ast.AST, seen: tuple[ast.AST, ...]
) -> bool:
    """Whether a binding gives a name one number."""
    if not isinstance(bound, ast.Assign | ast.AugAssign):
        return False
    target = bound.targets[0] if isinstance(bound, ast.Assign) else bound.target
    if isinstance(target, ast.Name):
        return _is_scalar(scopes, bound.value, seen)
    keys = [names.find_key(e) for e in getattr(target, "elts", [])]
    if not isinstance(target, ast.Tuple) or name not in keys:
        return False
    at = keys.index(name)
    function = (
        scopes.find_function(bound.value.func)
        if isinstance(bound.value, ast.Call)
        else None
    )
    returned = _list_returned(function)
    parts = [r.elts[at] for r in returned if isinstance(r, ast.Tuple) and r.elts[at:]]
    return (
        bool(returned)
        and len(parts) == len(returned)
        and all(_is_scalar(scopes, part, seen) for part in parts)
    )


def _list_returned(function: ast.FunctionDef | None) -> list[ast.expr]:
    if function is None or function.decorator_list:
        return []
    return [
        node.value
        for node in names.walk_scope_of_function(function)
        if isinstance(node, ast.Return) and node.value is not None
    ]


def name_losses(text: Text) -> Text:
    """The text in which every tower's loss that is listed has a name of its own."""
    tree = parse_source(text.source)
    scopes = build_scopes(tree)
    for loop in loops.find_loss_loops(scopes):
        for gathered, value, listed in loops.walk_gathered_losses(scopes, loop):
            statement = names.find_statement(scopes.parents, value)
            if (
                (isinstance(value, ast.Name) and _is_fresh(scopes, loop, value.id))
                or find_lines_inside_strings(statement)
                or not text.is_alone(statement)
            ):
                continue
            first, last = statement.lineno, statement.end_lineno or statement.lineno
            indent = text.lines[first - 1][: statement.col_offset]
            name = find_free_name(tree, "tower_loss")
            shown = text.find_segment(value)
            shown = shown if "\n" not in shown else ast.unparse(value)
            how = f".append({name})" if listed else f" += {name}"
            lines = [f"{indent}{name} = {shown}", f"{indent}{gathered}{how}"]
            origins = [text.origins[first - 1]] * 2
            return name_losses(text.splice(first, last, lines, origins))
    return text


def _is_fresh(scopes: Scopes, loop: ast.For, name: str) -> bool:
    """Whether a name is bound in a loop, and nowhere else."""
    bound = scopes.find_scope(loop).bindings.get(name, [])
    inside = set(walk_breadth_first(loop))
    return bool(bound) and all(b in inside for b in bound)


def _walk_after(scopes: Scopes, loop: ast.For) -> Iterator[ast.stmt]:
    """Statements that follow a loop, in its block and in blocks of devices around it."""
    node: ast.stmt = loop
    while True:
        parent = scopes.parents[node]
        suite = getattr(parent, "body", [])
        if node not in suite:
            return
        yield from _walk_statements(suite[suite.index(node) + 1 :])
        if not isinstance(parent, ast.With):
            return
        node = parent


def _walk_statements(suite: list[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in suite:
        if isinstance(statement, ast.With):
            yield from _walk_statements(statement.body)
        else:
            yield statement


def _find_filled_names(loop: ast.For) -> set[str]:
    """Names of what a loop puts something into."""
    found = set()
    for node in walk_breadth_first(loop):
        target: ast.expr | None = None
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            target = node.value
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            function = node.value.func
            target = function.value if isinstance(function, ast.Attribute) else None
        if isinstance(target, ast.Name):
            found.add(target.id)
    return found


def _asks_collections(scopes: Scopes, value: ast.expr) -> bool:
    """Whether a value asks the graph for what towers may have put there."""
    symbols = [
        scopes.resolve(n.func)
        for n in walk_breadth_first(value)
        if isinstance(n, ast.Call)
    ]
    return any(
        s is not None and (s.startswith("tf.losses.") or "get_collection" in s)
        for s in symbols
    )


def _takes_gradients(scopes: Scopes, node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and (
        scopes.resolve(node.func) in _FUNCTIONS
        or (_is_method(node) and scopes.resolve(node.func) is None)
    )


def _is_method(call: ast.Call) -> bool:
    """`opt.minimize(...)`, `opt.compute_gradients(...)`."""
    return isinstance(call.func, ast.Attribute) and call.func.attr in _METHODS
