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

A decorator that does nothing but open a scope stands in the functions as that scope:

    @scoped                                    def net(x):
    def net(x):                                    with tf.variable_scope("net"):
        ...                                            ...
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


def write_out_decorators(text: Text) -> Text:
    """The text with a scope in each function whose one decorator only opens it."""
    return repeat_step(text, _write_out_decorator, "variable_scope", "@")


def _write_out_decorator(text: Text) -> Text | None:
    scopes = build_scopes(parse_source(text.source))
    for function in scopes.tree.body:
        match function:
            case ast.FunctionDef(decorator_list=[ast.Name() as given]):
                decorator = scopes.find_function(given)
            case _:
                continue
        opened = (
            _find_opened_scope(scopes, decorator) if decorator is not None else None
        )
        body = function.body
        if names.is_docstring(body[0]):
            body = body[1:]
        if (
            decorator is None
            or opened is None
            or not body
            or body[0].lineno == function.lineno
            or any(
                isinstance(n, ast.Yield | ast.YieldFrom)
                for n in walk_breadth_first(function)
            )
        ):
            continue
        scope, more = opened
        shown = f'"{scope or function.name}"'
        call = next(
            n.func
            for n in walk_breadth_first(decorator)
            if isinstance(n, ast.Call) and _opens_scope(scopes, n)
        )
        header = f"with {ast.unparse(call)}({', '.join([shown, *more])}):"
        indent = text.find_indentation(body[0])
        step = "\t" if indent.endswith("\t") else indent
        lines, origins = text.indent_statements(body, indent, step)
        last = body[-1].end_lineno or body[-1].lineno
        first = last + 1 - len(lines)
        new = text.splice(
            first, last, [indent + header, *lines], [origins[0], *origins]
        )
        new = new.splice(given.lineno, given.lineno, [], [])
        return _drop_unread_function(new, decorator.name)
    return None


def _opens_scope(scopes: Scopes, node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and (
        scopes.resolve(node.func) == "tf.variable_scope"
    )


def _find_opened_scope(
    scopes: Scopes, decorator: ast.FunctionDef
) -> tuple[str, list[str]] | None:
    """The scope in which a decorator calls its function, and its other arguments.

    The scope is "" if it has the name of the function.
    """
    body = decorator.body
    if names.is_docstring(body[0]):
        body = body[1:]
    match decorator.args, body:
        case (
            ast.arguments(
                posonlyargs=[],
                args=[ast.arg(arg=given)],
                vararg=None,
                kwonlyargs=[],
                kwarg=None,
            ),
            [
                ast.FunctionDef(
                    args=ast.arguments(
                        posonlyargs=[],
                        args=[],
                        vararg=ast.arg(arg=listed),
                        kwonlyargs=[],
                        kwarg=ast.arg(arg=named),
                    ),
                    body=[
                        ast.With(
                            items=[
                                ast.withitem(
                                    context_expr=ast.Call(args=[name]) as call,
                                    optional_vars=None,
                                )
                            ],
                            body=[ast.Return(value=ast.Call() as passed)],
                        )
                    ],
                ) as inner,
                ast.Return(value=ast.Name(id=returned)),
            ],
        ) if returned == inner.name and not decorator.decorator_list:
            pass
        case _:
            return None
    if ast.unparse(passed) != f"{given}(*{listed}, **{named})":
        return None
    wrapped = [ast.unparse(d) for d in inner.decorator_list]
    if wrapped not in ([], [f"functools.wraps({given})"], [f"wraps({given})"]):
        return None
    if not _opens_scope(scopes, call):
        return None
    more = []
    for keyword in call.keywords:
        known = isinstance(keyword.value, ast.Constant) or (
            scopes.resolve(keyword.value) == "tf.AUTO_REUSE"
        )
        if keyword.arg != "reuse" or not known:
            return None
        more.append(f"reuse={ast.unparse(keyword.value)}")
    if ast.unparse(name) == f"{given}.__name__":
        return "", more
    literal = names.read_literal(name)
    return (literal, more) if isinstance(literal, str) and literal else None


def _drop_unread_function(text: Text, name: str) -> Text:
    """The text without a function of the module that nothing names any more."""
    scopes = build_scopes(parse_source(text.source))
    if any(isinstance(n, ast.Name) and n.id == name for n in scopes.walk()):
        return text
    made = scopes.module.bindings.get(name, [])
    function = made[0] if len(made) == 1 else None
    if not isinstance(function, ast.FunctionDef):
        return text
    end = function.end_lineno or function.lineno
    while end < len(text.lines) and not text.lines[end].strip():
        end += 1
    return text.splice(function.lineno, end, [], [])
