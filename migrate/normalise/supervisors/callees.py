"""TF1 to TF1: functions that are given a Supervisor, brought to where it is.

    train(sv, sess, model)

What a Supervisor had is made by names where it was, so that its uses stand there too.
"""

from __future__ import annotations

import ast
import builtins

from migrate.facts.scopes import Scopes, build_scopes
from migrate.normalise.calls.inliner import Call, Inliner, NotInlinable
from migrate.normalise.text import Text
from migrate.source.nodes import parse_source, walk_breadth_first

# More than any program has.
_ROUNDS = 20


def is_supervisor(scopes: Scopes, node: ast.AST) -> bool:
    """Whether it is a name that only ever holds a Supervisor."""
    if not isinstance(node, ast.Name):
        return False
    owner = scopes.find_scope(node).find_owner(node.id)
    bound = owner.bindings.get(node.id, []) if owner is not None else []
    return bool(bound) and all(
        isinstance(b, ast.Assign)
        and isinstance(b.value, ast.Call)
        and scopes.resolve(b.value.func) == "tf.train.Supervisor"
        for b in bound
    )


def inline_callees(text: Text) -> Text:
    """The text with such functions' bodies in the place of their calls.

    The same text if one of them cannot be.
    """
    first = text
    called: set[str] = set()
    for _ in range(_ROUNDS):
        scopes = build_scopes(parse_source(text.source))
        found = _find_call(scopes)
        if found is None:
            return _drop_uncalled_functions(text, called)
        called.add(found.callee.name)
        driver: ast.AST = found.statement
        while not isinstance(driver, (ast.FunctionDef, ast.Module)):
            driver = scopes.parents[driver]
        taken = set(dir(builtins)) | set(scopes.module.bindings)
        for node in walk_breadth_first(driver):
            taken |= {getattr(node, "id", ""), getattr(node, "arg", None) or ""}
        bound: frozenset[str] = frozenset()
        if isinstance(driver, ast.FunctionDef):
            bound = frozenset(scopes.scope_by_node[driver].bindings)
        try:
            text = Inliner(text, scopes, taken, bound).inline_statement(found)
        except NotInlinable:
            return first
    return first


def _find_call(scopes: Scopes) -> Call | None:
    """The first call of a function of the module that is given a Supervisor."""
    for call in scopes.walk():
        if not isinstance(call, ast.Call):
            continue
        given = [*call.args, *[k.value for k in call.keywords]]
        if not any(is_supervisor(scopes, value) for value in given):
            continue
        callee = scopes.find_function(call.func)
        statement = scopes.parents[call]
        if callee is not None and isinstance(statement, (ast.Assign, ast.Expr)):
            return Call(statement, call, callee, None, None, callee.name)
    return None


def _drop_uncalled_functions(text: Text, called: set[str]) -> Text:
    """The text without those functions that nothing calls any more."""
    for name in sorted(called):
        tree = parse_source(text.source)
        if any(
            isinstance(n, ast.Name) and n.id == name for n in walk_breadth_first(tree)
        ):
            continue
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and node.name == name:
                first, last = node.lineno, node.end_lineno or node.lineno
                while last < len(text.lines) and not text.lines[last].strip():
                    last += 1
                text = text.splice(first, last, [], [])
    return text
