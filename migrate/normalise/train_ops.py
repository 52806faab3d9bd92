"""TF1 to TF1: slim's training operation as an optimizer's update.

    train_op = slim.learning.create_train_op(total_loss, optimizer)

is the update behind the operations in UPDATE_OPS, and then the loss, checked. Written
out, it is read like any other update. Calls with multiplied gradients or with update
operations of their own are left.
"""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.scopes import build_scopes
from migrate.normalise.text import Text
from migrate.source.nodes import parse_source, walk_breadth_first

_COMMON = ("total_loss", "optimizer", "global_step", "update_ops", "variables_to_train")
_REST = (
    *("summarize_gradients", "gate_gradients", "aggregation_method"),
    "colocate_gradients_with_ops",
)
_PARAMETERS = {
    "tf.contrib.slim.learning.create_train_op": (
        *(*_COMMON, "clip_gradient_norm", *_REST),
        *("gradient_multipliers", "check_numerics"),
    ),
    "tf.contrib.training.create_train_op": (
        *(*_COMMON, "transform_grads_fn", *_REST, "check_numerics"),
    ),
}
# What changes nothing of the values.
_FREE = frozenset(
    {"gate_gradients", "aggregation_method", "colocate_gradients_with_ops"}
)
_READ = frozenset(
    {"total_loss", "optimizer", "global_step", "variables_to_train"}
    | {"clip_gradient_norm", "check_numerics"}
)


def write_out_train_ops(text: Text) -> Text:
    """The text with such calls written as updates."""
    while "create_train_op" in text.source:
        new = _write_out_one(text)
        if new is None:
            break
        text = new
    return text


def _write_out_one(text: Text) -> Text | None:
    tree = parse_source(text.source)
    scopes = build_scopes(tree)
    tensorflow = next(
        (
            n
            for n in scopes.module.bindings
            if scopes.find_imported_path(n) == "tensorflow"
        ),
        None,
    )
    for statement in walk_breadth_first(tree) if tensorflow else ():
        if not (
            isinstance(statement, ast.Assign)
            and len(statement.targets) == 1
            and isinstance(statement.targets[0], ast.Name)
            and isinstance(statement.value, ast.Call)
            and text.is_alone(statement)
        ):
            continue
        parameters = _PARAMETERS.get(scopes.resolve(statement.value.func) or "")
        bound = parameters and names.bind_arguments(statement.value, parameters)
        if not bound:
            continue
        kept = ("global_step", "check_numerics")  # Which are not off by default.
        given = {p: v for p, v in bound.items() if not _is_off(v) or p in kept}
        lines = None
        if given.keys() <= _READ | _FREE:
            assert tensorflow is not None
            lines = _write_lines(statement.targets[0].id, given, tensorflow)
        if lines is not None:
            indent = text.lines[statement.lineno - 1][: statement.col_offset]
            origin = text.origins[statement.lineno - 1]
            return text.splice(
                statement.lineno,
                statement.end_lineno or statement.lineno,
                [
                    indent + line.replace("    ", indent or "    ", 1)
                    if line.startswith(" ")
                    else indent + line
                    for line in lines
                ],
                [origin] * len(lines),
            )
    return None


def _write_lines(target: str, given: dict[str, ast.expr], tf: str) -> list[str] | None:
    """The update's statements; None if it is not known which it is."""
    if not {"total_loss", "optimizer"} <= given.keys():
        return None

    def spell_node(node: ast.expr) -> str:
        return ast.unparse(node)

    lines: list[str] = []
    loss = spell_node(given["total_loss"])
    if names.find_key(given["total_loss"]) is None:
        lines.append(f"{target}_loss = {loss}")
        loss = f"{target}_loss"
    step = given.get("global_step")
    of_step = ""
    if step is None:
        lines.append(f"{target}_step = {tf}.train.get_or_create_global_step()")
        of_step = f", global_step={target}_step"
    elif not _is_off(step):
        of_step = f", global_step={spell_node(step)}"
    chosen = given.get("variables_to_train")
    variables = f", var_list={spell_node(chosen)}" if chosen is not None else ""
    norm = names.read_literal(given.get("clip_gradient_norm"))
    if "clip_gradient_norm" in given and not (
        isinstance(norm, (int, float)) and norm > 0
    ):
        return None
    optimizer = spell_node(given["optimizer"])
    lines.append(
        f"with {tf}.control_dependencies("
        f"{tf}.get_collection({tf}.GraphKeys.UPDATE_OPS)):"
    )
    if norm:
        pairs = f"{target}_gradients"
        lines += [
            f"    {pairs} = {optimizer}.compute_gradients({loss}{variables})",
            f"    {pairs} = [(g if g is None else {tf}.clip_by_norm(g, {norm!r}), v) "
            f"for g, v in {pairs}]",
            f"    {target}_update = {optimizer}.apply_gradients({pairs}{of_step})",
        ]
    else:
        lines.append(
            f"    {target}_update = {optimizer}.minimize({loss}{of_step}{variables})"
        )
    checked = names.read_literal(given.get("check_numerics", ast.Constant(True)))
    if not isinstance(checked, bool):
        return None
    value = f'check_numerics({loss}, "LossTensor is inf or nan")'
    lines += [
        f"with {tf}.control_dependencies([{target}_update]):",
        f"    {target} = {tf}.{value if checked else f'identity({loss})'}",
    ]
    return lines


def _is_off(node: ast.expr) -> bool:
    """Whether an argument is None, False or 0, as it is by default."""
    return isinstance(node, ast.Constant) and not node.value
