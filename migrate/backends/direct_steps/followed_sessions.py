"""Follows a program's sessions: each runs steps, is closed, or is given to a function."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from migrate.backends.direct_steps.program import Program
from migrate.facts.scopes import Scope


class Other(Exception):
    """The program uses something in an unknown way."""


class Sessions:
    """The names that a program has for its sessions.

    Args:
      names: all names of the program.
    """

    def __init__(self, program: Program, names: Sequence[ast.Name]) -> None:
        self._program = program
        self._scopes = program.scopes
        self._names = names
        # Names of sessions, by the nodes of their scopes.
        self._sessions: dict[tuple[ast.AST, str], Scope] = {}
        self._attributes: set[str] = set()

    def _find_parent(self, node: ast.AST) -> ast.AST:
        return self._scopes.parents[node]

    def add_attribute(self, name: str) -> None:
        """Notes that `self.name` is a session."""
        self._attributes.add(name)

    def add(self, name: ast.Name) -> None:
        """Notes that a name is bound to a session."""
        owner = self._scopes.find_scope(name).find_owner(name.id)
        if owner is None:
            raise Other
        self._sessions[owner.node, name.id] = owner

    def is_session(self, node: ast.AST) -> bool:
        """Whether an expression is a session."""
        if isinstance(node, ast.Name):
            owner = self._scopes.find_scope(node).find_owner(node.id)
            return owner is not None and (owner.node, node.id) in self._sessions
        match node:
            case ast.Attribute(ast.Name("self"), attr):
                return attr in self._attributes
        return False

    def follow(self) -> None:
        """Reads every use of a session: it runs, is closed, or is an argument.

        Raises:
          Other: it is used in another way.
        """
        seen: set[ast.AST] = set()
        while True:
            new = [
                n
                for n in self._scopes.walk()
                if isinstance(n, (ast.Name, ast.Attribute))
                and n not in seen
                and self.is_session(n)
            ]
            if not new:
                break
            for node in new:
                seen.add(node)
                self._read_use(node)
        self._check_bindings()

    def _read_use(self, node: ast.AST) -> None:
        parent = self._find_parent(node)
        if isinstance(getattr(node, "ctx", None), ast.Store):
            match parent:
                case ast.Assign(targets=[_], value=ast.Constant(None)):
                    self._program.dropped.add(parent)
                case ast.Assign(targets=[_], value=value) if self.is_session(value):
                    self._program.dropped.add(parent)
                case ast.Assign() | ast.withitem():
                    pass  # The place where it is made: see `_check_bindings`.
                case _:
                    raise Other
            return
        if self._is_receiver(node) or any(
            call.args[0] is node for call in self._program.saved
        ):
            return
        match parent:
            case ast.Assign(targets=[ast.Name() as target]):
                self._program.dropped.add(parent)
                self.add(target)
                return
            case ast.Assign(targets=[ast.Attribute(ast.Name("self"), attr)]):
                self._program.dropped.add(parent)
                self._attributes.add(attr)
                return
            case ast.Call(func=ast.Name() as func, args=args) if node in args:
                place = args.index(node)
                function = self._scopes.find_function(func)
                if (
                    function is None
                    or function in self._program.steps
                    or function.decorator_list
                    or any(isinstance(a, ast.Starred) for a in args[:place])
                    or place >= len(function.args.args)
                ):
                    raise Other
                parameter = function.args.args[place]
                self._program.calls[parent] = function
                self._program.parameters.setdefault(function, set()).add(parameter.arg)
                scope = self._scopes.scope_by_node[function]
                self._sessions[scope.node, parameter.arg] = scope
                return
        raise Other

    def _is_receiver(self, node: ast.AST) -> bool:
        """Whether an expression is the session that runs a step, or that is closed."""
        parent = self._find_parent(node)
        if not isinstance(parent, ast.Attribute):
            return False
        call = self._find_parent(parent)
        if not isinstance(call, ast.Call) or call.func is not parent:
            return False
        if any(call in step.runs for step in self._program.steps.values()):
            return True
        statement = self._find_parent(call)
        if parent.attr == "close" and isinstance(statement, ast.Expr):
            self._program.dropped.add(statement)
            return True
        if parent.attr == "initialize" and isinstance(statement, ast.Expr):
            self._program.initialized.append(statement)
            return True
        return False

    def _check_bindings(self) -> None:
        """Checks that sessions have no other value, and that functions always get them."""
        for (_, name), scope in self._sessions.items():
            for at in scope.bindings[name]:
                if isinstance(at, (ast.arg, ast.arguments, ast.FunctionDef)):
                    continue
                if at not in self._program.dropped and at not in self._program.openings:
                    raise Other
            if name in scope.outer_names:
                raise Other
        for node in self._scopes.walk():
            if isinstance(node, (ast.Global, ast.Nonlocal)):
                if any(name in node.names for _, name in self._sessions):
                    raise Other
            elif isinstance(node, ast.Constant) and node.value in self._attributes:
                raise Other
        for function, names in self._program.parameters.items():
            for node in self._names:
                if node.id != function.name or isinstance(node.ctx, ast.Store):
                    continue
                if self._scopes.find_function(node) is not function:
                    continue
                call = self._find_parent(node)
                if not isinstance(call, ast.Call) or call.func is not node:
                    raise Other
                self._read_call(call, function, names)

    def _read_call(
        self, call: ast.Call, function: ast.FunctionDef, names: set[str]
    ) -> None:
        order = [a.arg for a in function.args.args]
        if function.args.posonlyargs or function.args.vararg:
            raise Other
        for name in names:
            place = order.index(name)
            if place >= len(call.args) or not self.is_session(call.args[place]):
                raise Other
        self._program.calls[call] = function
