"""Towers on the tasks of a cluster: where each computes, and where its variables are.

    for i in range(num_workers):
        with tf.device("/job:worker/task:%d" % i):
            ...
            tower_grads.append(opt.compute_gradients(loss))

One client builds all of them. As replicas they have the same devices: the tower's own is
that of the block around its gradients; blocks within it stay where they are.
"""

from __future__ import annotations

import ast
import dataclasses

from migrate.facts import names, reach
from migrate.facts.scopes import Scopes, build_scopes
from migrate.frontends.cluster.placement import SETTER, names_task
from migrate.normalise.text import Edit, Text, find_lines_inside_strings
from migrate.normalise.towers.iteration import Iterated
from migrate.normalise.towers.view import Unclear, View, find_view
from migrate.source.nodes import parse_source, walk_breadth_first

_DEALS = frozenset({"worker_device", "cluster"})


@dataclasses.dataclass(frozen=True)
class Tasks:
    """One loop's towers on tasks of a cluster.

    Attributes:
      devices: a list of their devices, an expression of the text's.
      dealt: the cluster to whose parameter servers `replica_device_setter` dealt the
        towers' variables, one after the other; "" where it did not.
    """

    devices: str
    dealt: str


def find_blocks(view: View) -> list[ast.With]:
    """The blocks around a tower's gradients that are on a task; none if no tower is.

    Raises:
      Unclear: they are something else too, or several.
    """
    found = []
    for node in view.inside:
        if not view.computes(node):
            continue
        parent = view.scopes.parents[node]
        while parent is not view.loop:
            if isinstance(parent, ast.With) and any(
                _is_on_task(view, item.context_expr) for item in parent.items
            ):
                found.append(parent)
            parent = view.scopes.parents[parent]
    return list(dict.fromkeys(found))


def leaves(view: View, block: ast.With) -> bool:
    """Whether a block of devices goes: the tower's own, or any where none is on a task."""
    own = find_blocks(view)
    return not own or block in own or view.loop in walk_breadth_first(block)


def place_towers(view: View, over: Iterated, index: str) -> Tasks | None:
    """Finds the towers' devices on tasks; None if they are in this process.

    Args:
      over: what the loop goes over.
      index: the name that a tower's number has in it.

    Raises:
      Unclear: the device of a tower is not read.
    """
    own = find_blocks(view)
    if not own:
        if any(names_task(view.scopes, node) for node in view.inside):
            raise Unclear("only a part of each tower is on tasks of a cluster")
        return None
    calls = [
        item.context_expr
        for block in own
        for item in block.items
        if _is_on_task(view, item.context_expr)
    ]
    if len(calls) != 1:
        raise Unclear("one tower is on several tasks of a cluster")
    (call,) = calls
    assert isinstance(call, ast.Call)
    device = names.find_argument(call, "device_name_or_function", 0)
    if isinstance(device, ast.Call) and view.scopes.resolve(device.func) == SETTER:
        given = {k.arg: k.value for k in device.keywords}
        if device.args or not set(given) <= _DEALS or "worker_device" not in given:
            raise Unclear(
                "the program gives replica_device_setter more than worker_device "
                "and cluster"
            )
        device = given["worker_device"]
    if isinstance(device, ast.Name):
        made = _find_value(view, device)
        device = made if made in view.inside and made is not view.loop.iter else device
    if device is None:
        raise Unclear
    dealt = _find_cluster(view)
    shown = _show_device(view, device, over, index)
    listed = shown.removesuffix(f"[{index}]")
    if listed != shown and over.count == f"len({listed})":
        return Tasks(listed, dealt)
    return Tasks(f"[{shown} for {index} in range({over.count})]", dealt)


def _find_cluster(view: View) -> str:
    """The cluster that the program's device setters are given; "" if it has none."""
    for node in walk_breadth_first(view.scopes.tree):
        if isinstance(node, ast.Call) and view.scopes.resolve(node.func) == SETTER:
            cluster = names.find_argument(node, "cluster")
            if cluster is not None:
                return view.flatten_expression(cluster)
    return ""


def write_out_devices(view: View) -> View:
    """The loop with its towers' devices written where they are used.

    Raises:
      Unclear: a device setter is used for more than that.
    """
    for statement in walk_breadth_first(view.loop):
        if not (
            isinstance(statement, ast.Assign)
            and len(statement.targets) == 1
            and isinstance(statement.targets[0], ast.Name)
            and view.text.is_alone(statement)
        ):
            continue
        name = statement.targets[0].id
        uses = [
            node
            for node in walk_breadth_first(view.scopes.tree)
            if isinstance(node, ast.Name)
            and node.id == name
            and isinstance(node.ctx, ast.Load)
        ]
        if len(uses) != 1 or not _is_device(view, uses[0]):
            continue
        text = view.text.apply_edits(
            [Edit(uses[0], view.flatten_expression(statement.value))]
        )
        first, last = statement.lineno, statement.end_lineno or statement.lineno
        found = find_view(text.splice(first, last, [], []))
        assert found is not None
        return write_out_devices(found)
    return view


def _is_device(view: View, node: ast.expr) -> bool:
    """Whether a value is a device: of `tf.device`, or of a setter that it is given."""
    call = view.scopes.parents[node]
    if isinstance(call, ast.keyword):
        call = view.scopes.parents[call]
    return (
        isinstance(call, ast.Call)
        and call in view.inside
        and view.scopes.resolve(call.func) in ("tf.device", SETTER)
    )


def _is_on_task(view: View, node: ast.expr) -> bool:
    """Whether a block's item is tf.device of a task, written there or named before."""
    if not (
        isinstance(node, ast.Call) and view.scopes.resolve(node.func) == "tf.device"
    ):
        return False
    device = names.find_argument(node, "device_name_or_function", 0)
    return device is not None and _names_job(view, device, 0)


def _names_job(view: View, node: ast.expr, depth: int) -> bool:
    for part in walk_breadth_first(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            if "job:" in part.value:
                return True
        if isinstance(part, ast.Name) and depth < 3:
            value = _find_value(view, part)
            if value is not None and _names_job(view, value, depth + 1):
                return True
    return False


def _find_value(view: View, name: ast.Name) -> ast.expr | None:
    """Returns a name's one value; for the name of the loop, what it goes over."""
    owner = view.scopes.find_scope(name).find_owner(name.id)
    bindings = owner.bindings.get(name.id, []) if owner is not None else []
    if len(bindings) != 1:
        return None
    if isinstance(bindings[0], ast.Assign):
        return bindings[0].value
    return view.loop.iter if bindings[0] is view.loop else None


def _show_device(view: View, device: ast.expr, over: Iterated, index: str) -> str:
    """A device's text, names of the loop as what they are for the tower of that index."""
    values = dict(over.values)

    class Named(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.expr:
            if node.id not in values:
                return node
            text = values[node.id].replace("{index}", index)
            return ast.parse(text, mode="eval").body

    if not any(
        isinstance(n, ast.Name) and n.id in values for n in walk_breadth_first(device)
    ):
        return view.flatten_expression(device)
    return ast.unparse(Named().visit(ast.parse(ast.unparse(device), mode="eval").body))


def drop_called_devices(text: Text, scopes: Scopes, loop: ast.For) -> Text:
    """The text in which functions of towers do not place them on devices.

    def tower_loss(device, images):         def tower_loss(device, images):
        with tf.device(device):                 return network(images)
            return network(images)
    """
    if any(mark in text.source for mark in ("job:", "ClusterSpec", "tf.train.Server")):
        return text  # The devices may be tasks of a cluster.
    for function in reach.find_reached(scopes, [loop]):
        if not isinstance(function, ast.FunctionDef):
            continue
        if not _is_only_called(scopes, function):
            continue
        parameters = {
            a.arg for a in walk_breadth_first(function.args) if isinstance(a, ast.arg)
        }
        for block in walk_breadth_first(function):
            if not (isinstance(block, ast.With) and text.is_alone(block)):
                continue
            placed = [i for i in block.items if _is_of_parameter(scopes, i, parameters)]
            if not placed or find_lines_inside_strings(block):
                continue
            new = _drop_items(text, block, placed)
            tree = parse_source(new.source)
            again = build_scopes(tree)
            loops_ = [
                node
                for node in walk_breadth_first(tree)
                if isinstance(node, ast.For)
                and new.origins[node.lineno - 1] == text.origins[loop.lineno - 1]
            ]
            if not loops_:
                return new
            same = loops_[0]
            return drop_called_devices(new, again, same)
    return text


def _is_only_called(scopes: Scopes, function: ast.FunctionDef) -> bool:
    """Whether a function of the module has no name but its own, and is only called."""
    if function.decorator_list or not isinstance(scopes.parents[function], ast.Module):
        return False
    return all(
        isinstance(call := scopes.parents[node], ast.Call) and call.func is node
        for node in walk_breadth_first(scopes.tree)
        if isinstance(node, ast.Name)
        and node.id == function.name
        and isinstance(node.ctx, ast.Load)
    )


def _is_of_parameter(scopes: Scopes, item: ast.withitem, parameters: set[str]) -> bool:
    """Whether a block's item is a device whose name a parameter gives."""
    call = item.context_expr
    if not (
        isinstance(call, ast.Call)
        and scopes.resolve(call.func) == "tf.device"
        and item.optional_vars is None
    ):
        return False
    device = names.find_argument(call, "device_name_or_function", 0)
    return (
        device is not None
        and bool(names.find_reads(device) & parameters)
        and all(
            names.find_key(node.func) == "str"
            or (isinstance(node.func, ast.Attribute) and node.func.attr == "format")
            for node in walk_breadth_first(device)
            if isinstance(node, ast.Call)
        )
    )


def _drop_items(text: Text, block: ast.With, items: list[ast.withitem]) -> Text:
    """The text without some items of a block, or without the block's header."""
    kept = [i for i in block.items if i not in items]
    header = block.body[0].lineno - 1
    while header > block.lineno and text.lines[header - 1].strip().startswith("#"):
        header -= 1
    indent = text.find_indentation(block)
    if kept:
        shown = ", ".join(
            text.flatten_segment(i.context_expr)
            + (f" as {ast.unparse(i.optional_vars)}" if i.optional_vars else "")
            for i in kept
        )
        origins = [text.origins[block.lineno - 1]]
        return text.splice(block.lineno, header, [f"{indent}with {shown}:"], origins)
    inner = text.find_indentation(block.body[0])
    last = block.end_lineno or block.lineno
    lines = [
        indent + line.removeprefix(inner) if line.strip() else ""
        for line in text.lines[header:last]
    ]
    return text.splice(block.lineno, last, lines, text.origins[header:last])
