"""Follows how a hook's methods use what a session gives them."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Callable, Iterator

from migrate.facts.scopes import Scopes
from migrate.frontends.own_hooks.reasons import NotMapped
from migrate.source.nodes import walk_breadth_first

_CONTEXT, _VALUES, _SESSION, _COORDINATOR = "context", "values", "session", "coord"
# A hook's method -> what its parameters are.
ROLES: dict[str, tuple[str, ...]] = {
    "begin": (),
    "after_create_session": (_SESSION, _COORDINATOR),
    "before_run": (_CONTEXT,),
    "after_run": (_CONTEXT, _VALUES),
    "end": (_SESSION,),
}
_ATTRIBUTES = {
    _CONTEXT: ("request_stop", "session", "stop_requested"),
    _VALUES: ("results",),
}


@dataclasses.dataclass(frozen=True, eq=False)
class Read:
    """`session.run(fetches)` or `fetches.eval(session)`.

    Attributes:
      call: the call.
      session: what is run in.
      fetches: what is run.
      method: in which.
    """

    call: ast.Call
    session: ast.expr
    fetches: ast.expr
    method: ast.FunctionDef


@dataclasses.dataclass(frozen=True, eq=False)
class Load:
    """`variable.load(value, session)`."""

    call: ast.Call
    session: ast.expr
    variable: ast.expr
    value: ast.expr
    method: ast.FunctionDef


class Parameters:
    """Follows the parameters of a class's methods, into others of the class too.

    Args:
      is_saver: whether an expression is a tf.train.Saver, which is given the session.
      done: calls that are seen to already.

    Attributes:
      loads: variables that are given values.
      restores: calls that restore variables.
    """

    def __init__(
        self,
        class_: ast.ClassDef,
        scopes: Scopes,
        is_saver: Callable[[ast.expr], bool],
        done: frozenset[ast.AST],
    ) -> None:
        self._scopes, self._is_saver, self._done = scopes, is_saver, done
        self.loads: list[Load] = []
        self.restores: list[ast.Call] = []
        self._methods = {
            item.name: item for item in class_.body if isinstance(item, ast.FunctionDef)
        }

    def reads(self) -> list[Read]:
        """Lists the session runs in the hook's methods.

        Raises:
          NotMapped: they do something that cannot be done here.
        """
        found: list[Read] = []
        seen: set[tuple[ast.FunctionDef, tuple[tuple[str, str], ...]]] = set()
        work: list[tuple[ast.FunctionDef, dict[str, str]]] = []
        for name, roles in ROLES.items():
            method = self._methods.get(name)
            if method is not None:
                own = [a.arg for a in method.args.args[1:]]
                if len(own) != len(roles) or method.args.vararg or method.args.kwarg:
                    raise NotMapped(
                        method, f"`{name}` has other parameters than a hook's"
                    )
                work.append((method, dict(zip(own, roles, strict=True))))
        while work:
            method, given = work.pop()
            key = method, tuple(sorted(given.items()))
            if key not in seen:
                seen.add(key)
                for read in self._read_method(method, given, work):
                    if all(read.call is not other.call for other in found):
                        found.append(read)
        return found

    def _read_method(
        self,
        method: ast.FunctionDef,
        given: dict[str, str],
        work: list[tuple[ast.FunctionDef, dict[str, str]]],
    ) -> Iterator[Read]:
        roles = {**given, **_find_session_names(method, given)}
        for node in walk_breadth_first(method):
            if not isinstance(node, ast.Name) or node.id not in roles:
                continue
            if not isinstance(node.ctx, ast.Load):
                if node.id in given and not isinstance(node.ctx, ast.Del):
                    raise NotMapped(node, f"a hook assigns `{node.id}` again")
                continue
            yield from self._read_use(node, roles[node.id], method, work)

    def _read_use(
        self,
        node: ast.expr,
        role: str,
        method: ast.FunctionDef,
        work: list[tuple[ast.FunctionDef, dict[str, str]]],
    ) -> Iterator[Read]:
        parent = self._scopes.parents[node]
        if role == _COORDINATOR:
            raise NotMapped(node, "a hook uses its session's coordinator")
        if role == _SESSION:
            yield from self._read_session_use(node, method, work)
            return
        if isinstance(parent, ast.Attribute):
            if parent.attr not in _ATTRIBUTES[role]:
                raise NotMapped(
                    parent, f"a hook uses `{ast.unparse(parent)}`, of a graph session"
                )
            if role == _CONTEXT and parent.attr == "session":
                statement = self._scopes.parents[parent]
                if not isinstance(statement, ast.Assign):  # Else it has a name.
                    yield from self._read_session_use(parent, method, work)
            return
        if isinstance(parent, (ast.Compare, ast.Delete)) or _is_thrown_away(parent):
            return
        self._follow_argument(node, role, work)

    def _read_session_use(
        self,
        node: ast.expr,
        method: ast.FunctionDef,
        work: list[tuple[ast.FunctionDef, dict[str, str]]],
    ) -> Iterator[Read]:
        parent = self._scopes.parents[node]
        call = self._scopes.parents[parent]
        if call in self._done:
            return
        if isinstance(parent, ast.Attribute):
            if parent.attr == "run" and isinstance(call, ast.Call):
                named = {k.arg: k.value for k in call.keywords}
                fetches = call.args[0] if call.args else named.get("fetches")
                if len(call.args) + len(named) == 1 and fetches is not None:
                    yield Read(call, node, fetches, method)
                    return
                raise NotMapped(call, "a hook runs its session with more than fetches")
            raise NotMapped(
                parent, f"a hook uses `{ast.unparse(parent)}`, of a graph session"
            )
        evaluated = parent if isinstance(parent, ast.Call) else call
        if (
            isinstance(evaluated, ast.Call)
            and isinstance(evaluated.func, ast.Attribute)
            and evaluated.func.attr == "eval"
            and len(evaluated.args) + len(evaluated.keywords) == 1
        ):
            yield Read(evaluated, node, evaluated.func.value, method)
            return
        if isinstance(parent, (ast.Compare, ast.Delete)) or _is_thrown_away(parent):
            return
        if not self._is_given_to_another(node, method):
            self._follow_argument(node, _SESSION, work)

    def _is_given_to_another(self, node: ast.expr, method: ast.FunctionDef) -> bool:
        """`saver.save(session, path)`, `variable.load(value, session)`."""
        parent = self._scopes.parents[node]
        call = (
            self._scopes.parents[parent] if isinstance(parent, ast.keyword) else parent
        )
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
            return False
        name, receiver = call.func.attr, call.func.value
        if name in ("save", "restore") and self._is_saver(receiver):
            if call.args[:1] != [node]:
                return False
            if name == "restore":
                self.restores.append(call)
            return True
        given = dict(zip(("value", "session"), call.args, strict=False))
        given |= {k.arg or "**": k.value for k in call.keywords}
        if name == "load" and set(given) == {"value", "session"}:
            load = Load(call, given["session"], receiver, given["value"], method)
            self.loads.append(load)
            return load.session is node
        return False

    def _follow_argument(
        self,
        node: ast.expr,
        role: str,
        work: list[tuple[ast.FunctionDef, dict[str, str]]],
    ) -> None:
        """`self._log(run_values)`: the method is followed.

        Raises:
          NotMapped: it goes elsewhere.
        """
        parent = self._scopes.parents[node]
        keyword = parent.arg if isinstance(parent, ast.keyword) else None
        call = self._scopes.parents[parent] if keyword else parent
        if isinstance(call, ast.Call):
            called = call.func
            if (
                isinstance(called, ast.Attribute)
                and isinstance(called.value, ast.Call)
                and isinstance(called.value.func, ast.Name)
                and called.value.func.id == "super"
            ):
                return  # The base's methods do nothing.
            method = None
            if isinstance(called, ast.Attribute) and is_self(called.value):
                method = self._methods.get(called.attr)
            if method is not None:
                arguments = [a.arg for a in method.args.args[1:]]
                if keyword is None and node in call.args:
                    at = call.args.index(node)
                    before = call.args[:at]
                    starred = any(isinstance(a, ast.Starred) for a in before)
                    keyword = arguments[at] if at < len(arguments) else None
                    keyword = None if starred else keyword
                if keyword in arguments:
                    assert keyword is not None
                    work.append((method, {keyword: role}))
                    return
        raise NotMapped(node, f"a hook passes `{ast.unparse(node)}` to other code")


def _find_session_names(
    method: ast.FunctionDef, given: dict[str, str]
) -> dict[str, str]:
    """Local names of the session: `session = run_context.session`."""
    found: dict[str, str] = {}
    for node in walk_breadth_first(method):
        if (
            isinstance(node, ast.Assign)
            and isinstance(node.value, ast.Attribute)
            and node.value.attr == "session"
            and isinstance(node.value.value, ast.Name)
            and given.get(node.value.value.id) == _CONTEXT
        ):
            if len(node.targets) != 1 or not isinstance(node.targets[0], ast.Name):
                raise NotMapped(node, "a hook stores its session")
            found[node.targets[0].id] = _SESSION
    return found


def _is_thrown_away(parent: ast.AST) -> bool:
    """`_ = run_context`."""
    return isinstance(parent, ast.Assign) and all(
        isinstance(t, ast.Name) and t.id == "_" for t in parent.targets
    )


def is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"
