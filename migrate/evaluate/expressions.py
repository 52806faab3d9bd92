"""Evaluates Python's expressions."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from migrate.evaluate import attributes, calls, containers, operators, subscripts
from migrate.evaluate.frames import Names
from migrate.evaluate.store import MISSING
from migrate.evaluate.truth import find_truth
from migrate.graph.values import (
    Const,
    Function,
    Host,
    Reference,
    Slice,
    Tuple,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from migrate.evaluate.machine import Machine

# The elements of a longer comprehension are not told apart.
_UNROLLED = 5000


def evaluate(m: Machine, node: ast.expr) -> Value:
    """The value of an expression."""
    handler = _HANDLERS.get(type(node))
    if handler is None:
        return m.make_unknown(f"a {type(node).__name__} expression", node)
    return handler(m, node)


def _evaluate_constant(m: Machine, node: ast.Constant) -> Value:
    return Const(node.value)


def _evaluate_name(m: Machine, node: ast.Name) -> Value:
    return look_up(m, node.id, node)


def look_up(m: Machine, name: str, node: ast.AST | None = None) -> Value:
    """Looks up the value of a name in the scopes that are visible here."""
    for frame in m.frame.walk_chain(name):
        found = m.read((frame.number, name))
        if isinstance(found, Value):
            return found
        if found is not MISSING:
            return m.make_unknown(f"`{name}` differs by a test", node)
    builtin = attributes.find_builtin(name)
    if builtin is not None:
        return builtin
    if any(
        m.store.get((f.number, "*")) is not MISSING for f in m.frame.walk_chain(name)
    ):
        return m.make_unknown(
            f"`{name}` may come from a module that was not found", node
        )
    return m.make_unknown(f"the name `{name}` is bound nowhere", node)


def _evaluate_tuple(m: Machine, node: ast.Tuple) -> Value:
    items = _evaluate_items(m, node.elts)
    return (
        Tuple(tuple(items))
        if items is not None
        else m.hosts.make_fresh(ast.unparse(node))
    )


def _evaluate_list(m: Machine, node: ast.List) -> Value:
    items = _evaluate_items(m, node.elts)
    return containers.make_list(
        m, items if items is not None else _make_summary(ast.unparse(node))
    )


def _make_summary(what: str) -> containers.Summary:
    return containers.Summary((), what)


def _set(m: Machine, node: ast.Set) -> Value:
    return containers.make_set(m, _evaluate_items(m, node.elts) or ())


def _evaluate_items(m: Machine, nodes: list[ast.expr]) -> list[Value] | None:
    items: list[Value] = []
    for node in nodes:
        if isinstance(node, ast.Starred):
            spread = containers.list_elements(m, evaluate(m, node.value))
            if spread is None:
                return None
            items += spread
        else:
            items.append(evaluate(m, node))
    return items


def _evaluate_dict(m: Machine, node: ast.Dict) -> Value:
    pairs: list[tuple[Value, Value]] = []
    for key, value in zip(node.keys, node.values):
        item = evaluate(m, value)
        if key is not None:
            pairs.append((evaluate(m, key), item))
            continue
        found = None
        if isinstance(item, Reference) and item.kind == "dict":
            found = containers.read_pairs(m, item)
        if not isinstance(found, tuple):
            return containers.make_dict(m, _make_summary(ast.unparse(node)))
        pairs += found
    return containers.make_dict(m, pairs)


def _evaluate_attribute(m: Machine, node: ast.Attribute) -> Value:
    return attributes.get(m, evaluate(m, node.value), node.attr, node)


def _evaluate_subscript(m: Machine, node: ast.Subscript) -> Value:
    base = evaluate(m, node.value)
    m.at = node
    return subscripts.get(m, base, evaluate(m, node.slice))


def _evaluate_slice(m: Machine, node: ast.Slice) -> Value:
    parts = (node.lower, node.upper, node.step)
    start, stop, step = (Const(None) if p is None else evaluate(m, p) for p in parts)
    return Slice(start, stop, step)


def _evaluate_call(m: Machine, node: ast.Call) -> Value:
    if isinstance(node.func, ast.Name) and node.func.id == "super":
        return attributes.call_super(m, [evaluate(m, a) for a in node.args])
    function = evaluate(m, node.func)
    m.count_step(node)
    given, named, spread = evaluate_arguments(m, node)
    m.at = node
    if spread:
        return calls.call_spread(m, function, given, named, node)
    return calls.call_value(m, function, given, named, node)


def evaluate_arguments(
    m: Machine, node: ast.Call
) -> tuple[list[Value], dict[str, Value], bool]:
    """Evaluates positional and keyword arguments, and says whether some are unknown."""
    given: list[Value] = []
    named: dict[str, Value] = {}
    spread = False
    for argument in node.args:
        if isinstance(argument, ast.Starred):
            items = containers.list_elements(m, evaluate(m, argument.value))
            if items is None:
                spread = True
            else:
                given += items
        else:
            given.append(evaluate(m, argument))
    for keyword in node.keywords:
        value = evaluate(m, keyword.value)
        if keyword.arg is not None:
            named[keyword.arg] = value
            continue
        pairs = None
        if isinstance(value, Reference) and value.kind == "dict":
            pairs = containers.read_pairs(m, value)
        if not isinstance(pairs, tuple):
            spread = True
            continue
        for key, item in pairs:
            if isinstance(key, Const) and isinstance(key.value, str):
                named[key.value] = item
            else:
                spread = True
    return given, named, spread


def _evaluate_binary(m: Machine, node: ast.BinOp) -> Value:
    left, right = evaluate(m, node.left), evaluate(m, node.right)
    m.at = node
    return operators.apply_binary(m, type(node.op), left, right)


def _evaluate_unary(m: Machine, node: ast.UnaryOp) -> Value:
    operand = evaluate(m, node.operand)
    m.at = node
    if isinstance(node.op, ast.Not):
        found = find_truth(m, operand)
        if isinstance(found, bool):
            return Const(not found)
        return m.hosts.make_negation(found) if isinstance(found, Host) else found
    return operators.apply_unary(m, type(node.op), operand)


def _evaluate_boolean(m: Machine, node: ast.BoolOp) -> Value:
    return _evaluate_boolean_of(m, isinstance(node.op, ast.And), node.values)


def _evaluate_boolean_of(m: Machine, is_and: bool, nodes: list[ast.expr]) -> Value:
    first = evaluate(m, nodes[0])
    if len(nodes) == 1:
        return first
    found = find_truth(m, first)
    if isinstance(found, bool):
        return _evaluate_boolean_of(m, is_and, nodes[1:]) if found is is_and else first
    if isinstance(found, Unknown):
        return found
    rest = lambda: _evaluate_boolean_of(m, is_and, nodes[1:])  # noqa: E731
    other = first if not isinstance(first, Host) else Const(not is_and)
    value = (
        m.fork_test(found, rest, lambda: other)
        if is_and
        else m.fork_test(found, lambda: other, rest)
    )
    return _join_tests(m, value, is_and, found)


def _join_tests(m: Machine, value: Value, is_and: bool, first: Host) -> Value:
    """Two tests as one, where both sides are hosts or booleans."""
    from migrate.graph.values import Choice

    if not isinstance(value, Choice):
        return value
    rest = value.yes if is_and else value.no
    if isinstance(rest, Host):
        word = "and" if is_and else "or"
        return m.hosts.make(word, first, rest, what=f"{first.what} {word} {rest.what}")
    if (
        isinstance(rest, Const)
        and isinstance(rest.value, bool)
        and rest.value is is_and
    ):
        return first
    return value


def _compare(m: Machine, node: ast.Compare) -> Value:
    left = evaluate(m, node.left)
    result: Value | None = None
    for operator, right_node in zip(node.ops, node.comparators):
        right = evaluate(m, right_node)
        m.at = node
        one = operators.compare(m, type(operator), left, right)
        if result is None:
            result = one
        else:
            both = [find_truth(m, result), find_truth(m, one)]
            if all(isinstance(b, bool) for b in both):
                result = Const(all(both))
            elif False in both:
                result = Const(False)
            else:
                hosts = [b for b in both if isinstance(b, Host)]
                result = hosts[0] if len(hosts) == 1 else m.hosts.make("and", *hosts)
        left = right
    assert result is not None
    return result


def _evaluate_conditional(m: Machine, node: ast.IfExp) -> Value:
    found = find_truth(m, evaluate(m, node.test))
    if isinstance(found, bool):
        return evaluate(m, node.body if found else node.orelse)
    if isinstance(found, Unknown):
        return found
    return m.fork_test(
        found, lambda: evaluate(m, node.body), lambda: evaluate(m, node.orelse)
    )


def _evaluate_lambda(m: Machine, node: ast.Lambda) -> Value:
    return make_function(m, node, "<lambda>")


def make_function(
    m: Machine, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, name: str
) -> Function:
    """The function that a definition makes here."""
    frame = m.frame
    defaults: list[tuple[str, Value]] = []
    positional = [*node.args.posonlyargs, *node.args.args]
    given = node.args.defaults
    for argument, default in zip(positional[len(positional) - len(given) :], given):
        defaults.append((argument.arg, evaluate(m, default)))
    for argument, maybe in zip(node.args.kwonlyargs, node.args.kw_defaults):
        if maybe is not None:
            defaults.append((argument.arg, evaluate(m, maybe)))
    module = frame.module or frame
    owner = frame.owner if frame.is_class else 0
    return Function(
        m.number_code(node, frame.file),
        name,
        frame.number,
        module.number,
        tuple(defaults),
        owner,
    )


def _evaluate_f_string(m: Machine, node: ast.JoinedStr) -> Value:
    parts: list[str] = []
    hosts: list[Value] = []
    for part in node.values:
        if isinstance(part, ast.Constant):
            parts.append(str(part.value))
            continue
        assert isinstance(part, ast.FormattedValue)
        value = evaluate(m, part.value)
        spec = (
            evaluate(m, part.format_spec) if part.format_spec is not None else Const("")
        )
        if (
            isinstance(value, Const)
            and isinstance(spec, Const)
            and part.conversion in (-1, 115)
        ):
            try:
                parts.append(format(value.value, str(spec.value)))
                continue
            except (TypeError, ValueError):
                pass
        hosts.append(value)
    if not hosts:
        return Const("".join(parts))
    return m.hosts.make("f", *hosts, *parts, what=ast.unparse(node))


def _evaluate_comprehension(
    m: Machine, node: ast.ListComp | ast.SetComp | ast.GeneratorExp
) -> Value:
    found: list[Value] = []
    complete = comprehend(
        m, node.generators, lambda: found.append(evaluate(m, node.elt))
    )
    if isinstance(node, ast.SetComp) and complete:
        return containers.make_set(m, found)
    if not complete:
        if all(isinstance(v, (Host, Const)) for v in found):
            return m.hosts.make_fresh(ast.unparse(node))
        return containers.make_list(
            m, containers.Summary(tuple(found), ast.unparse(node))
        )
    return containers.make_list(m, found)


def _evaluate_dict_comprehension(m: Machine, node: ast.DictComp) -> Value:
    found: list[tuple[Value, Value]] = []
    complete = comprehend(
        m,
        node.generators,
        lambda: found.append((evaluate(m, node.key), evaluate(m, node.value))),
    )
    if not complete:
        values = tuple(v for pair in found for v in pair)
        return containers.make_dict(m, containers.Summary(values, ast.unparse(node)))
    return containers.make_dict(m, found)


def comprehend(
    m: Machine, generators: list[ast.comprehension], action: Callable[[], Any]
) -> bool:
    """Runs an action in each round; returns whether all rounds are known."""
    outer = m.frame
    iterable = evaluate(m, generators[0].iter)
    frame = m.make_frame(None, outer, outer.module or outer, outer.file)
    frame.names = Names(_find_targets(generators), frozenset(), frozenset(), False)
    with m.enter_frame(frame):
        return _rounds(m, generators, iterable, action)


def _find_targets(generators: list[ast.comprehension]) -> frozenset[str]:
    return frozenset(
        node.id
        for generator in generators
        for node in ast.walk(generator.target)
        if isinstance(node, ast.Name)
    )


def _rounds(
    m: Machine,
    generators: list[ast.comprehension],
    iterable: Value,
    action: Callable[[], Any],
) -> bool:
    from migrate.evaluate.assignment import assign_value

    generator = generators[0]
    items = calls.iterate_over(m, iterable)
    complete = items is not None and len(items) <= _UNROLLED
    if not complete:
        items = [
            containers.find_element(
                m, iterable, f"element of {ast.unparse(generator.iter)}"
            )
        ]
    assert items is not None
    for item in items:
        assign_value(m, generator.target, item)
        complete = _run_where_conditions_hold(m, generators, action) and complete
    return complete


def _run_where_conditions_hold(
    m: Machine, generators: list[ast.comprehension], action: Callable[[], Any]
) -> bool:
    complete = True
    for condition in generators[0].ifs:
        found = find_truth(m, evaluate(m, condition))
        if found is False:
            return complete
        # Where the test is not known, the element may be there or not.
        complete = complete and found is True
    if len(generators) > 1:
        return (
            _rounds(m, generators[1:], evaluate(m, generators[1].iter), action)
            and complete
        )
    action()
    return complete


def _evaluate_yield(m: Machine, node: ast.Yield) -> Value:
    value = Const(None) if node.value is None else evaluate(m, node.value)
    if m.yielding:
        return m.yielding[-1](value)
    return m.make_unknown("a generator whose values are asked for one by one", node)


def _evaluate_yield_from(m: Machine, node: ast.YieldFrom) -> Value:
    items = containers.list_elements(m, evaluate(m, node.value))
    for item in items or []:
        if m.yielding:
            m.yielding[-1](item)
    return Const(None) if items is not None else m.make_unknown("`yield from`", node)


def _evaluate_starred(m: Machine, node: ast.Starred) -> Value:
    return evaluate(m, node.value)


def _evaluate_named_expression(m: Machine, node: ast.NamedExpr) -> Value:
    from migrate.evaluate.assignment import assign_value

    value = evaluate(m, node.value)
    assign_value(m, node.target, value)
    return value


_HANDLERS: dict[type[ast.AST], Callable[[Machine, Any], Value]] = {
    ast.Constant: _evaluate_constant,
    ast.Name: _evaluate_name,
    ast.Tuple: _evaluate_tuple,
    ast.List: _evaluate_list,
    ast.Set: _set,
    ast.Dict: _evaluate_dict,
    ast.Attribute: _evaluate_attribute,
    ast.Subscript: _evaluate_subscript,
    ast.Slice: _evaluate_slice,
    ast.Call: _evaluate_call,
    ast.BinOp: _evaluate_binary,
    ast.UnaryOp: _evaluate_unary,
    ast.BoolOp: _evaluate_boolean,
    ast.Compare: _compare,
    ast.IfExp: _evaluate_conditional,
    ast.Lambda: _evaluate_lambda,
    ast.JoinedStr: _evaluate_f_string,
    ast.ListComp: _evaluate_comprehension,
    ast.SetComp: _evaluate_comprehension,
    ast.GeneratorExp: _evaluate_comprehension,
    ast.DictComp: _evaluate_dict_comprehension,
    ast.Yield: _evaluate_yield,
    ast.YieldFrom: _evaluate_yield_from,
    ast.Starred: _evaluate_starred,
    ast.NamedExpr: _evaluate_named_expression,
}
