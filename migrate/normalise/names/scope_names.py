"""TF1 to TF1: the name of a variable scope, where an operation is named by it.

    with tf.variable_scope("conv1") as scope:
        conv1 = tf.nn.relu(pre_activation, name=scope.name)

An operation's name changes nothing of what it computes, so that the scope's own name
serves as well. Where variables are listed, the name has the names of the scopes around it:

    with tf.variable_scope("net") as scope:
        variables = tf.trainable_variables(scope.name)

Other uses of the scope's object are left.

A template enters one scope at each call, so that all calls share its variables:

    shared = tf.make_template("net", net)      def net(x):
    shared(x)                                      with tf.variable_scope("net", reuse=tf.AUTO_REUSE):
                                                       ...
"""

from __future__ import annotations

import ast
import builtins

from migrate.facts import names
from migrate.facts.scopes import Scopes, build_scopes
from migrate.normalise.text import Edit, Text, repeat_step
from migrate.source.nodes import parse_source, walk_breadth_first
from migrate.tables import roles

_VARIABLE_SCOPES = ("tf.variable_scope", "tf.variable_op_scope")

# What names variables otherwise than by the scope around, or makes them by itself.
_OTHER_NAMES = (
    *("tf.variable_scope", "tf.variable_op_scope", "tf.get_variable_scope"),
    *("tf.layers.", "tf.keras.", "tf.contrib.", "tf.nn.rnn_cell.", "tf.nn.static_"),
    *("tf.nn.dynamic_", "tf.nn.bidirectional_", "tf.Variable", "tf.AUTO_REUSE"),
)


def write_out_names(text: Text) -> Text:
    """The text with `name=scope.name` as the scope's name."""
    if "scope.name" not in text.source and ".name" not in text.source:
        return text
    tree = parse_source(text.source)
    scopes = build_scopes(tree)
    edits: list[Edit] = []
    for block in walk_breadth_first(tree):
        for item in block.items if isinstance(block, ast.With) else []:
            assert isinstance(block, ast.With)
            edits += _name_item(scopes, block, item)
    return text.apply_edits(edits) if edits else text


def _name_item(scopes: Scopes, block: ast.With, item: ast.withitem) -> list[Edit]:
    call, target = item.context_expr, item.optional_vars
    if not (isinstance(call, ast.Call) and isinstance(target, ast.Name)):
        return []
    if scopes.resolve(call.func) not in _VARIABLE_SCOPES:
        return []
    name = names.find_argument(call, "name_or_scope", 0)
    if not isinstance(names.read_literal(name), str):
        return []
    assert name is not None
    owner = scopes.find_scope(block)
    # Where one block alone binds the name, code behind the block may read it.
    alone = len(owner.bindings.get(target.id, ())) == 1
    uses = [
        n
        for s in ([scopes.tree] if alone else block.body)
        for n in walk_breadth_first(s)
        if isinstance(n, ast.Name)
        and n.id == target.id
        and isinstance(n.ctx, ast.Load)
        and (
            scopes.find_scope(n).find_owner(n.id) is owner
            if alone
            else _find_innermost_block(scopes, n) is block
        )
    ]
    edits = []
    for use in uses:
        node = scopes.parents[use]
        if not isinstance(node, ast.Attribute) or node.attr != "name":
            return []
        above = scopes.parents[node]
        if isinstance(above, ast.keyword) and above.arg == "name":
            edits.append(Edit(node, ast.unparse(name)))
        elif _lists_variables(scopes, node) and (
            full := _find_full_name(scopes, block)
        ):
            edits.append(Edit(node, repr(full)))
        else:
            return []
    return edits


def _lists_variables(scopes: Scopes, node: ast.Attribute) -> bool:
    """Whether it says of which scope a call lists variables."""
    call = scopes.parents[node]
    call = scopes.parents[call] if isinstance(call, ast.keyword) else call
    if not isinstance(call, ast.Call):
        return False
    symbol = scopes.resolve(call.func)
    place = 1 if symbol == "tf.get_collection" else 0
    listing = roles.TRAINABLE | roles.GLOBAL | {"tf.get_collection"}
    return symbol in listing and names.find_argument(call, "scope", place) is node


def _find_full_name(scopes: Scopes, block: ast.With) -> str | None:
    """Finds the name of a variable scope with those around it; None if not all are seen.

    The blocks of variable scopes may call no function of the program: it might open
    another scope.
    """
    parts: list[str] = []
    for node in walk_breadth_first(scopes.tree):
        if not isinstance(node, ast.With):
            continue
        opened = [
            item.context_expr
            for item in node.items
            if not isinstance(item.context_expr, ast.Call)
            or scopes.resolve(item.context_expr.func) in _VARIABLE_SCOPES
        ]
        inside = block is node or block in walk_breadth_first(node)
        if len(opened) > 1:
            return None
        for call in opened:
            if not isinstance(call, ast.Call):
                return None  # It may be a scope with a name.
            name = names.find_argument(call, "name_or_scope", 0)
            literal = names.read_literal(name)
            if not isinstance(literal, str) or not literal:
                return None
            if inside:
                parts.append(literal)
        if opened and any(
            isinstance(n, ast.Call) and scopes.resolve(n.func) is None and _is_own(n)
            for s in node.body
            for n in walk_breadth_first(s)
        ):
            return None
    return "/".join(parts)


def _is_own(call: ast.Call) -> bool:
    """Whether a call may be one of a function of the program."""
    return not isinstance(call.func, ast.Name) or not hasattr(builtins, call.func.id)


def _find_innermost_block(scopes: Scopes, name: ast.Name) -> ast.AST | None:
    """The block around a use that binds its name last."""
    node: ast.AST = name
    while node in scopes.parents:
        node = scopes.parents[node]
        if isinstance(node, ast.With) and any(
            isinstance(i.optional_vars, ast.Name) and i.optional_vars.id == name.id
            for i in node.items
        ):
            return node
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            return None
    return None


def write_out_templates(text: Text) -> Text:
    """The text with a scope in each function that only a template calls."""
    return repeat_step(text, _write_out_template, "make_template")


def _write_out_template(text: Text) -> Text | None:
    scopes = build_scopes(parse_source(text.source))
    for made in scopes.walk():
        match made:
            case ast.Assign(
                targets=[ast.Name() as target],
                value=ast.Call(
                    func=called,
                    args=[ast.Constant(value=str(scope)), ast.Name() as given],
                    keywords=[],
                ),
            ) if scopes.resolve(called) == "tf.make_template":
                function = scopes.find_function(given)
                calls = _list_calls(scopes, target)
                if (
                    function is not None
                    and calls
                    and text.is_alone(made)
                    and _may_enter(scopes, function, scope)
                    and _is_named_alone(scopes, given, function, calls)
                ):
                    return _enter_scope(text, made, scope, function, calls)
    return None


def _list_calls(scopes: Scopes, target: ast.Name) -> list[ast.Name]:
    """The names that call a template; none if something else is done with it."""
    owner = scopes.find_scope(target)
    if owner.find_owner(target.id) is not owner or len(owner.bindings[target.id]) != 1:
        return []
    found = []
    for node in scopes.walk():
        if not (isinstance(node, ast.Name) and node.id == target.id) or node is target:
            continue
        if scopes.find_scope(node).find_owner(node.id) is not owner:
            continue
        above = scopes.parents[node]
        if not (isinstance(above, ast.Call) and above.func is node):
            return []
        found.append(node)
    return found


def _may_enter(scopes: Scopes, function: ast.FunctionDef, scope: str) -> bool:
    """Whether a scope of this name in the function means what the template's means.

    A template enters the scope of its first call, whatever is around the next one.
    """
    if function.decorator_list or not scope.isidentifier():
        return False
    if any(
        isinstance(n, (ast.Yield, ast.YieldFrom)) for n in walk_breadth_first(function)
    ):
        return False
    if any(symbol.startswith(_OTHER_NAMES) for _, symbol in scopes.walk_uses()):
        return False
    return not any(
        isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and node.value.startswith(f"{scope}/")
        for node in scopes.walk()
    )


def _is_named_alone(
    scopes: Scopes,
    given: ast.Name,
    function: ast.FunctionDef,
    calls: list[ast.Name],
) -> bool:
    """Whether only the template names the function, and its callers could."""
    uses = [
        node
        for node in scopes.walk()
        if isinstance(node, ast.Name)
        and node.id == function.name
        and scopes.find_scope(node).find_owner(node.id) is scopes.module
    ]
    return uses == [given] and all(
        scopes.find_scope(call).find_owner(function.name) is scopes.module
        for call in calls
    )


def _enter_scope(
    text: Text,
    made: ast.Assign,
    scope: str,
    function: ast.FunctionDef,
    calls: list[ast.Name],
) -> Text | None:
    body = function.body[1:] if names.is_docstring(function.body[0]) else function.body
    if not body or body[0].lineno == function.lineno:
        return None
    assert isinstance(made.value, ast.Call)
    root = ast.unparse(made.value.func).rpartition(".")[0]
    if not root:
        return None
    edited = text.apply_edits([Edit(call, function.name) for call in calls])
    indent = text.lines[body[0].lineno - 1][: body[0].col_offset]
    step = "\t" if indent.endswith("\t") else indent
    lines, origins = edited.indent_statements(body, indent, step)
    last = body[-1].end_lineno or body[-1].lineno
    first = last + 1 - len(lines)
    header = f'{indent}with {root}.variable_scope("{scope}", reuse={root}.AUTO_REUSE):'
    span = made.lineno, made.end_lineno or made.lineno
    if span[0] > last:
        edited = edited.splice(*span, [], [])
    new = edited.splice(first, last, [header, *lines], [origins[0], *origins])
    return new if span[0] > last else None
