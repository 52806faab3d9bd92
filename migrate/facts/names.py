"""Finds the names that a piece of code reads and binds.

A name is a plain variable (`loss`) or an attribute of one (`self.loss`), written
as its dotted text, so that a class's attributes take part in def-use chains.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Set

from migrate.source.nodes import find_plain_names, list_children, walk_breadth_first

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_NESTED = (*_SCOPES, ast.Lambda)


def find_key(node: ast.AST) -> str | None:
    """The def-use key of an expression: "loss", "self.loss", or None."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"{node.value.id}.{node.attr}"
    return None


def find_reads(node: ast.AST) -> set[str]:
    """Returns the names whose value the code may use, nested functions included."""
    found: set[str] = set()
    for child in walk_breadth_first(node):
        if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Load):
            found.add(child.id)
        elif isinstance(child, ast.Attribute) and isinstance(child.ctx, ast.Load):
            name = find_key(child)
            if name is not None:
                found.add(name)
        elif isinstance(child, ast.AugAssign):
            name = find_key(child.target)
            if name is not None:
                found.add(name)
    return found


def find_binds(node: ast.AST) -> set[str]:
    """Returns the names that the statement binds in its own scope, nested suites included."""
    found: set[str] = set()
    own: set[int] = set()  # The names of a comprehension are bound only inside it.
    for child in walk_scope(node):
        if isinstance(child, ast.comprehension):
            own |= {id(n) for n in walk_breadth_first(child.target)}
        elif isinstance(child, (ast.Name, ast.Attribute)) and isinstance(
            child.ctx, (ast.Store, ast.Del)
        ):
            name = find_key(child)
            if name is not None and id(child) not in own:
                found.add(name)
        elif isinstance(child, _SCOPES):
            found.add(child.name)
        elif isinstance(child, (ast.Import, ast.ImportFrom)):
            found.update(a.asname or a.name.split(".")[0] for a in child.names)
        elif isinstance(child, ast.ExceptHandler) and child.name:
            found.add(child.name)
    return found


def find_item_binds(item: ast.withitem) -> set[str]:
    """Returns the names that `as ...` binds."""
    return find_binds(item.optional_vars) if item.optional_vars is not None else set()


def find_free_names(function: ast.FunctionDef | ast.ClassDef) -> set[str]:
    """Returns the names that a function reads and does not bind itself (approximately).

    Of a class, those of its methods.
    """
    if isinstance(function, ast.ClassDef):
        methods = [m for m in function.body if isinstance(m, ast.FunctionDef)]
        return set().union(set(), *map(find_free_names, methods))
    arguments = function.args
    own = {
        a.arg
        for a in [
            *arguments.posonlyargs,
            *arguments.args,
            *arguments.kwonlyargs,
            *[x for x in (arguments.vararg, arguments.kwarg) if x is not None],
        ]
    }
    for statement in function.body:
        own |= find_binds(statement)
    return set().union(*[find_reads(s) for s in function.body]) - own


def find_mutations(node: ast.AST) -> set[str]:
    """Names whose object the statement changes in place: `a.b = 1`, `a[i] = 1`, `a.append(x)`."""
    found: set[str] = set()
    for child in walk_scope(node):
        target: ast.AST | None = None
        if isinstance(child, (ast.Attribute, ast.Subscript)) and isinstance(
            child.ctx, (ast.Store, ast.Del)
        ):
            target = child.value
        elif (
            isinstance(child, ast.Expr)
            and isinstance(child.value, ast.Call)
            and isinstance(child.value.func, ast.Attribute)
        ):
            target = child.value.func.value
        while isinstance(target, (ast.Attribute, ast.Subscript)):
            name = find_key(target)
            if name is not None:
                found.add(name)
            target = target.value
        if isinstance(target, ast.Name):
            found.add(target.id)
    return found


def walk_scope(node: ast.AST) -> Iterator[ast.AST]:
    """`ast.walk` that does not enter nested functions and classes."""
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        if isinstance(current, _SCOPES if current is node else _NESTED):
            continue
        stack += list_children(current)


def walk_scope_of_function(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """The nodes of a function's body, without those of functions nested in it."""
    for statement in function.body:
        if not isinstance(statement, _SCOPES):
            yield from walk_scope(statement)


def list_suites(statement: ast.stmt) -> list[tuple[str, list[ast.stmt]]]:
    """The nested suites of a compound statement, by field name."""
    found: list[tuple[str, list[ast.stmt]]] = []
    for field in ("body", "orelse", "finalbody"):
        suite = getattr(statement, field, None)
        if isinstance(suite, list) and suite:
            found.append((field, suite))
    for index, handler in enumerate(getattr(statement, "handlers", [])):
        found.append((f"handlers.{index}", handler.body))
    return found


def find_statement(parents: Mapping[ast.AST, ast.AST], node: ast.AST) -> ast.stmt:
    """The statement that a node is a part of, or is."""
    while not isinstance(node, ast.stmt):
        node = parents[node]
    return node


def find_suite(parent: ast.AST, statement: ast.stmt) -> list[ast.stmt] | None:
    """Returns the suite of `parent` that contains a statement; None for one of an `except`."""
    for field in ("body", "orelse", "finalbody"):
        suite = getattr(parent, field, None)
        if isinstance(suite, list) and statement in suite:
            return suite
    return None


def find_argument(
    call: ast.Call, name: str, position: int | None = None
) -> ast.expr | None:
    """The expression passed for a parameter, by keyword or position."""
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    if position is not None and position < len(call.args):
        if any(isinstance(a, ast.Starred) for a in call.args[: position + 1]):
            return None
        return call.args[position]
    return None


def bind_call(
    call: ast.Call, function: ast.FunctionDef, method: bool = False
) -> dict[str, ast.expr] | None:
    """Binds the arguments of a call to a helper's parameters, by name.

    Args:
      method: whether the first parameter is the object.
    """
    arguments = function.args
    if arguments.vararg or arguments.kwarg or arguments.posonlyargs:
        return None
    if function.decorator_list:
        return None
    parameters = tuple(a.arg for a in [*arguments.args, *arguments.kwonlyargs])
    return bind_arguments(call, parameters[method:])


def bind_arguments(
    call: ast.Call, parameters: tuple[str, ...]
) -> dict[str, ast.expr] | None:
    """Returns arguments by parameter name; None if the call cannot be bound statically."""
    bound: dict[str, ast.expr] = {}
    for index, value in enumerate(call.args):
        if isinstance(value, ast.Starred) or index >= len(parameters):
            return None
        bound[parameters[index]] = value
    for keyword in call.keywords:
        if keyword.arg is None or keyword.arg not in parameters or keyword.arg in bound:
            return None
        bound[keyword.arg] = keyword.value
    return bound


def is_none_constant(node: ast.AST | None) -> bool:
    """Whether an expression is written `None`."""
    return isinstance(node, ast.Constant) and node.value is None


def is_given(node: ast.expr | None) -> bool:
    """Whether an argument is given, and is not `None`."""
    return node is not None and not is_none_constant(node)


def returns_none(statement: ast.stmt) -> bool:
    """Whether a statement is `return` or `return None`."""
    return isinstance(statement, ast.Return) and not is_given(statement.value)


def is_docstring(statement: ast.AST) -> bool:
    """Whether a statement is only a text, at any place."""
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def is_bare_constant(statement: ast.AST) -> bool:
    """Whether a statement is only a constant, which has no effect: a text, `...`."""
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def get_last_part(node: ast.AST) -> str:
    """The last part of a dotted name; "" for any other expression."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def find_free_name(tree: ast.AST, wish: str) -> str:
    """Returns the wished name, or a similar one that no variable of the module has."""
    return choose_free_name(find_plain_names(tree), wish)


def choose_free_name(taken: Set[str], wish: str) -> str:
    """Returns the wished name, or a similar one that is not taken."""
    name, number = wish, 2
    while name in taken:
        name, number = f"{wish}_{number}", number + 1
    return name


def read_literal(node: ast.AST | None) -> object:
    """The value of a literal expression. None if it is no literal, or if the literal is None."""
    if node is None:
        return None
    try:
        value: object = ast.literal_eval(node)
        return value
    except (ValueError, TypeError, SyntaxError):
        return None


def list_headers(statement: ast.stmt) -> list[ast.expr]:
    """Returns the test or iterable that decides how often a statement's suites run."""
    if isinstance(statement, (ast.If, ast.While)):
        return [statement.test]
    return [statement.iter] if isinstance(statement, ast.For) else []


def find_header_reads(statement: ast.stmt) -> set[str]:
    """Returns the names that the header of a `with`, a loop or an `if` reads."""
    headers = list_headers(statement)
    if isinstance(statement, ast.With):
        headers = [item.context_expr for item in statement.items]
    return set().union(set(), *map(find_reads, headers))


def list_own_names(node: ast.AST) -> tuple[str, ...]:
    """Lists the names that a node has itself."""
    match node:
        case ast.Name(id=name) | ast.arg(arg=name):
            return (name,)
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return (name,)
        case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
            return tuple(a.asname or a.name.split(".")[0] for a in aliases)
        case ast.Global(names=shared) | ast.Nonlocal(names=shared):
            return tuple(shared)
    return ()


def list_names_of_tree(tree: ast.AST) -> set[str]:
    """Lists the names that code has for anything."""
    return {name for node in walk_breadth_first(tree) for name in list_own_names(node)}
