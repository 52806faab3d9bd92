"""Calls: what is called, with what, and what it gives."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from migrate.evaluate import containers, externals, joins, objects
from migrate.evaluate.hosts import describe
from migrate.graph.values import (
    NONE,
    Builtin,
    Choice,
    Const,
    External,
    Function,
    Host,
    Method,
    Own,
    Partial,
    Reference,
    Super,
    Symbol,
    Tuple,
    Unknown,
    Value,
    Wrapped,
)

if TYPE_CHECKING:
    from migrate.evaluate.machine import Machine


def call_value(
    m: Machine,
    function: Value,
    given: list[Value],
    named: dict[str, Value],
    node: ast.AST | None = None,
) -> Value:
    """The result of a call."""
    if isinstance(function, Choice):
        return joins.map_choices(
            m, function, lambda f: call_value(m, f, given, named, node)
        )
    if isinstance(function, Function):
        return call_function(m, function, given, named, node)
    if isinstance(function, Method):
        return call_value(
            m, function.function, [function.receiver, *given], named, node
        )
    if isinstance(function, Symbol):
        return m.library.call_symbol(m, function, given, named)
    if isinstance(function, Own):
        return _call_own(m, function, given, named)
    if isinstance(function, Builtin):
        from migrate.evaluate import builtin_functions

        return builtin_functions.call_builtin(m, function.name, given, named)
    if isinstance(function, External):
        return externals.call_function(m, function.path, given, named)
    if isinstance(function, Partial):
        return call_value(
            m,
            function.function,
            [*function.given, *given],
            dict(function.named) | named,
            node,
        )
    if isinstance(function, Wrapped):
        return _call_wrapped(m, function, given, named, node)
    if isinstance(function, Reference):
        return _call_object(m, function, given, named, node)
    if isinstance(function, Unknown):
        return _call_unknown(m, function, given, named)
    if isinstance(function, Host):
        return externals.call_host(m, function, given, named)
    return m.make_unknown(f"the evaluator cannot call {describe(function)}")


def _call_unknown(
    m: Machine, function: Unknown, given: list[Value], named: dict[str, Value]
) -> Value:
    """A call of an unknown function: it may add to the graph, and change its arguments."""
    del given, named
    return m.report_problem(f"an unknown function is called: {function.reason}")


def call_spread(
    m: Machine,
    function: Value,
    given: list[Value],
    named: dict[str, Value],
    node: ast.AST,
) -> Value:
    """A call some of whose arguments are not known one by one."""
    if isinstance(function, (Host, External, Builtin)):
        return call_value(m, function, given, named, node)
    if isinstance(function, Own) and isinstance(function.receiver, (Host, Const)):
        return m.hosts.make_fresh("a result")
    return m.report_problem("a call spreads unknown arguments")


def _call_object(
    m: Machine,
    value: Reference,
    given: list[Value],
    named: dict[str, Value],
    node: ast.AST | None,
) -> Value:
    if value.kind == "class":
        return instantiate(m, value, given, named, node)
    special = objects.find_special(m, value, "__call__")
    if special is not None:
        return call_value(m, special, given, named, node)
    cls = objects.find_class(m, value)
    if cls is not None and next(objects.find_libraries(m, cls), None) is not None:
        return m.library.call_method(m, value, "__call__", given, named)
    return m.report_problem("an object is called whose class has no `__call__`")


def instantiate(
    m: Machine,
    cls: Reference,
    given: list[Value],
    named: dict[str, Value],
    node: ast.AST | None = None,
) -> Value:
    """An object of a class of the program."""
    made = objects.make_object(m, cls)
    initialiser = objects.find_member(m, cls, "__init__")
    symbols = list(objects.find_libraries(m, cls))
    if initialiser is not None:
        call_value(m, objects.bind(m, initialiser, made, cls), given, named, node)
    elif symbols:
        m.library.initialise(m, made, symbols[0], given, named)
    elif objects.inherits_unseen(m, cls) and any(
        containers.mentions_graph(m, v) for v in (*given, *named.values())
    ):
        m.report_problem(
            "a class inherits from a class whose code the evaluator does not have"
        )
    return made


def _call_own(
    m: Machine, function: Own, given: list[Value], named: dict[str, Value]
) -> Value:
    receiver, name = function.receiver, function.name
    if isinstance(receiver, Super):
        return _call_super(m, receiver, name, given, named)
    if isinstance(receiver, Symbol) and given and name == "__init__":
        if isinstance(given[0], Reference):
            m.library.initialise(m, given[0], receiver, given[1:], named)
        return NONE
    if isinstance(receiver, Symbol) and given:
        return m.library.call_method(m, given[0], name, given[1:], named)
    found = m.library.call_own(m, receiver, name, given, named)
    if found is not None:
        return found
    if isinstance(receiver, (Builtin,)) or (
        isinstance(receiver, Reference) and receiver.kind == "class"
    ):
        return given[0] if name == "__new__" and given else NONE
    if isinstance(receiver, Wrapped):
        return _extend_property(m, receiver, name, given)
    from migrate.evaluate import arguments_of, builtin_methods

    if isinstance(receiver, Reference) and arguments_of.is_parser(m, receiver):
        return arguments_of.call_method(m, receiver, name, given, named)
    if objects.find_class(m, receiver) == External("generator"):
        return m.hosts.make_fresh(f"a generator's {name}()")
    return builtin_methods.call_method(m, receiver, name, given, named)


def _call_super(
    m: Machine, value: Super, name: str, given: list[Value], named: dict[str, Value]
) -> Value:
    """A method of a base that the program has not: the library's, or Python's."""
    receiver = value.receiver
    cls = objects.find_class(m, receiver) or receiver
    for symbol in objects.find_libraries(m, cls, Reference(value.after, "class")):
        if name == "__init__" and isinstance(receiver, Reference):
            m.library.initialise(m, receiver, symbol, given, named)
            return NONE
        return m.library.call_method(m, receiver, name, given, named)
    if name == "__new__":
        return (
            objects.make_object(m, given[0]) if given else m.make_unknown("`__new__`")
        )
    if name == "__setattr__" and len(given) == 2 and isinstance(given[0], Const):
        if isinstance(receiver, Reference):
            objects.set_field(m, receiver, str(given[0].value), given[1])
        return NONE
    if name.startswith("__"):
        return NONE
    return m.make_unknown(f"`super().{name}`")


def _extend_property(
    m: Machine, value: Wrapped, name: str, given: list[Value]
) -> Value:
    if name == "setter" and given:
        m.store.set((value, ".setter"), given[0])
    return value


def _call_wrapped(
    m: Machine,
    function: Wrapped,
    given: list[Value],
    named: dict[str, Value],
    node: ast.AST | None,
) -> Value:
    if function.kind == "contextmanager":
        made = objects.make_object(m, External("contextlib.contextmanager"))
        arguments = Partial(function.function, tuple(given), tuple(named.items()))
        objects.set_field(m, made, "call", arguments)
        return made
    return call_value(m, function.function, given, named, node)


# -- functions of the program --


def call_function(
    m: Machine,
    function: Function,
    given: list[Value],
    named: dict[str, Value],
    node: ast.AST | None = None,
) -> Value:
    """Runs a function's body with its arguments."""
    code, names, file = m.codes[function.code]
    if names.yields:
        return _make_generator(m, function, given, named)
    bound = bind(m, function, given, named)
    if isinstance(bound, Unknown):
        return bound
    if sum(1 for f in m.stack if f.receiver_code == function.code) > 3:
        return m.report_problem(f"`{function.name}` calls itself")
    place = m.frame.file, getattr(node or m.at, "lineno", 0)
    frame = m.make_frame(
        names, m.frames.get(function.frame), m.frames.get(function.module), file
    )
    frame.owner, frame.receiver_code = function.owner, function.code
    if function.owner and given:
        frame.receiver = given[0]
    for name, value in bound.items():
        m.store.set((frame.number, name), value)
    calls, m.calls = m.calls, (*m.calls, place)
    try:
        with m.enter_frame(frame):
            return _run(m, code, frame)
    finally:
        m.calls = calls


def _run(m: Machine, code: ast.AST, frame: object) -> Value:
    from migrate.evaluate import expressions, statements

    if isinstance(code, ast.Lambda):
        return expressions.evaluate(m, code.body)
    assert isinstance(code, (ast.FunctionDef, ast.AsyncFunctionDef))
    ended = statements.execute_all(m, code.body)
    value = ended.value if ended.kind == "return" else NONE
    if ended.kind in ("raise", "never"):
        m.ended = ended
        if m.frame.pending:
            # Only sides that returned go on after the call.
            m.ended = None
            first, *others = m.frame.pending
            m.store.put_on(first.delta)
            return joins.close(m, m.frame.mark, others, first.completion.value)
        return m.make_unknown("a function that does not return")
    if m.frame.pending:
        return joins.close(m, m.frame.mark, m.frame.pending, value)
    return value


def bind(
    m: Machine, function: Function, given: list[Value], named: dict[str, Value]
) -> dict[str, Value] | Unknown:
    """The values of a function's parameters."""
    code, _, _ = m.codes[function.code]
    arguments = code.args
    positional = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
    bound: dict[str, Value] = dict(zip(positional, given))
    more = given[len(positional) :]
    if arguments.vararg is not None:
        bound[arguments.vararg.arg] = Tuple(tuple(more))
    elif more:
        return m.report_problem(
            f"`{function.name}` gets more arguments than it has parameters"
        )
    keywords = {a.arg for a in (*arguments.args, *arguments.kwonlyargs)}
    others: list[tuple[Value, Value]] = []
    for name, value in named.items():
        if name in keywords:
            bound[name] = value
        else:
            others.append((Const(name), value))
    if arguments.kwarg is not None:
        bound[arguments.kwarg.arg] = containers.make_dict(m, others)
    elif others:
        return m.report_problem(
            f"`{function.name}` takes no argument {describe(others[0][0])}"
        )
    for name, default in function.defaults:
        bound.setdefault(name, default)
    missing = [
        n
        for n in (*positional, *(a.arg for a in arguments.kwonlyargs))
        if n not in bound
    ]
    if missing:
        return m.report_problem(f"`{function.name}` is not given `{missing[0]}`")
    return bound


# -- generators --


def _make_generator(
    m: Machine, function: Function, given: list[Value], named: dict[str, Value]
) -> Value:
    """A generator of the program, which runs when it is iterated over."""
    made = objects.make_object(m, External("generator"))
    objects.set_field(
        m, made, "call", Partial(function, tuple(given), tuple(named.items()))
    )
    return made


def run_generator(m: Machine, value: Value, action: Callable[[Value], Value]) -> bool:
    """Runs a generator and gives each yielded value to an action."""
    if objects.find_class(m, value) not in (
        External("generator"),
        External("contextlib.contextmanager"),
    ):
        return False
    assert isinstance(value, Reference)
    partial = objects.get_field(m, value, "call")
    if not (isinstance(partial, Partial) and isinstance(partial.function, Function)):
        return False
    function = partial.function
    code, names, file = m.codes[function.code]
    bound = bind(m, function, list(partial.given), dict(partial.named))
    if isinstance(bound, Unknown) or isinstance(code, ast.Lambda):
        return True
    frame = m.make_frame(
        names, m.frames.get(function.frame), m.frames.get(function.module), file
    )
    frame.owner, frame.receiver_code = function.owner, function.code
    if function.owner and partial.given:
        frame.receiver = partial.given[0]
    for name, item in bound.items():
        m.store.set((frame.number, name), item)
    from migrate.evaluate import statements

    with m.enter_frame(frame):

        def run_outside(item: Value) -> Value:
            # The action belongs to the frame that asked.
            m.yielding.pop()
            m.stack.pop()
            try:
                return action(item)
            finally:
                m.stack.append(frame)
                m.yielding.append(run_outside)

        m.yielding.append(run_outside)
        try:
            statements.execute_all(m, code.body)
        finally:
            m.yielding.pop()
    return True


def iterate_over(m: Machine, value: Value) -> list[Value] | None:
    """Lists the values that iterating over a value gives; None if not known."""
    found = containers.list_elements(m, value)
    if found is not None:
        return found
    found = m.library.list_elements(m, value)
    if found is not None:
        return found
    special = objects.find_special(m, value, "__iter__")
    if special is not None:
        made = call_value(m, special, [], {})
        return iterate_over(m, made) if made != value else None
    cls = objects.find_class(m, value)
    if cls == External("generator"):
        items: list[Value] = []
        complete, repeated = True, m.repeated

        def take(item: Value) -> Value:
            nonlocal complete
            items.append(item)
            complete = complete and m.repeated == repeated
            return NONE

        run_generator(m, value, take)
        if complete or any(containers.mentions_graph(m, i) for i in items):
            return items
    return None
