"""Finds the tape that has watched the variables by which a step trains.

A tape knows the variables in the order in which they were read, and only those that were.
So a step may take them from its tape only if it pairs them with what is in the same order:
their gradients, and what it makes of these one by one.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from migrate.backends.direct_steps.made_variables import NotKnown
from migrate.facts import names
from migrate.facts.scopes import Scopes

# Methods of replicas that give the means over towers, in the order of the gradients.
_AVERAGES = frozenset({"average", "averaged", "means"})
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp)


def name_tape(listed: ast.expr, scopes: Scopes) -> str:
    """Returns the name of the tape that may give a step's list of variables.

    Args:
      listed: the expression that gives the list.

    Raises:
      NotKnown: the step has no such tape, or uses the list for more than its gradients.
    """
    whole = find_choice(listed, scopes)
    statement = scopes.parents[whole]
    function = scopes.find_scope(_find_name(listed)).node
    match statement, function:
        case ast.Assign(targets=[ast.Name(name)], value=value), ast.FunctionDef() if (
            value is whole
        ):
            own = list(names.walk_scope_of_function(function))
            return _Orders(scopes, own, statement.lineno).name_tape(name)
    raise NotKnown


def find_choice(listed: ast.expr, scopes: Scopes) -> ast.expr:
    """The comprehension that chooses from a list; else the list itself."""
    above = scopes.parents[listed]
    made = scopes.parents[above] if isinstance(above, ast.comprehension) else above
    match made:
        case ast.ListComp(ast.Name(one), [ast.comprehension(ast.Name(each), over)]) if (
            one == each and over is listed
        ):
            return made
    return listed


def _find_name(node: ast.expr) -> ast.Name:
    return next(n for n in ast.walk(node) if isinstance(n, ast.Name))


class _Orders:
    """Names of a function for lists that are in the order of a tape's variables."""

    def __init__(self, scopes: Scopes, own: Sequence[ast.AST], line: int) -> None:
        self._scopes = scopes
        self._own = own
        self._tapes = {
            i.optional_vars.id
            for n in own
            if isinstance(n, ast.With) and n.lineno < line
            for i in n.items
            if isinstance(i.optional_vars, ast.Name)
            and isinstance(i.context_expr, ast.Call)
            and scopes.resolve(i.context_expr.func) == "tf.GradientTape"
            and not i.context_expr.args
            and all(k.arg == "persistent" for k in i.context_expr.keywords)
        }
        self._variables: set[str] = set()
        self._gradients: set[str] = set()
        # Made of gradients one by one; and pairs of them.
        self._derived: set[str] = set()
        self._pairs: list[ast.Call] = []
        self._asked = False

    def name_tape(self, name: str) -> str:
        self._variables = {name}
        known = -1
        while known < self._count():
            known = self._count()
            for node in self._list_loads(self._variables):
                self._read_variables(node)
            for node in self._list_loads(self._gradients):
                self._read_gradients(node)
            for node in self._list_loads(self._derived):
                self._read_derived(node)
        if len(self._tapes) != 1 or not self._asked:
            raise NotKnown
        if not all(self._is_ordered(a) for pairs in self._pairs for a in pairs.args):
            raise NotKnown
        return self._tapes.pop()

    def _count(self) -> int:
        found = (self._variables, self._gradients, self._derived)
        return sum(map(len, found))

    def _list_loads(self, wanted: set[str]) -> list[ast.Name]:
        return [
            n
            for n in self._own
            if isinstance(n, ast.Name)
            and n.id in wanted
            and isinstance(n.ctx, ast.Load)
        ]

    def _read_variables(self, node: ast.Name) -> None:
        """Reads a use of the variables: another name, a question to the tape, a pair."""
        parent = self._scopes.parents[node]
        match parent:
            case ast.Assign(targets=[ast.Name(other)], value=value) if value is node:
                self._variables.add(other)
            case ast.Call(func=ast.Name("zip")):
                self._read_pairs(parent)
            case _ if (chosen := self._name_choice(node)) is not None:
                self._variables.add(chosen)
            case ast.Call() if self._is_gradient(parent):
                self._asked = True
                match self._scopes.parents[parent]:
                    case ast.Assign(targets=[ast.Name(name)]):
                        self._gradients.add(name)
                    case ast.Call(func=ast.Name("zip")):
                        pass  # Read with the variables in it.
                    case _:
                        raise NotKnown
            case _:
                raise NotKnown  # Code that only loops over them wants all that exist.

    def _name_choice(self, node: ast.Name) -> str | None:
        """The name of `[v for v in variables if v.name.startswith("net")]`, or None."""
        chosen = find_choice(node, self._scopes)
        match self._scopes.parents[chosen]:
            case ast.Assign(targets=[ast.Name(name)]) if chosen is not node:
                return name
        return None

    def _read_gradients(self, node: ast.Name) -> None:
        """Reads a use of gradients, which are None for unused variables."""
        parent = self._scopes.parents[node]
        match parent:
            case ast.Call(func=ast.Name("zip")):
                self._read_pairs(parent)
            case ast.comprehension(iter=listed) if listed is node:
                self._read_made(self._scopes.parents[parent])
            case ast.Call() if _averages(parent):
                self._read_made(parent)
            case ast.Call(func=func) if (
                self._scopes.resolve(func) == "tf.clip_by_global_norm"
            ):
                self._read_clipped(parent)
            case _ if isinstance(parent, _COMPREHENSIONS) and any(
                part.iter is node for part in parent.generators
            ):
                self._read_made(parent)
            case _:
                raise NotKnown

    def _read_derived(self, node: ast.Name) -> None:
        """Reads a use of what is made of gradients: no place in it may matter."""
        parent = self._scopes.parents[node]
        match parent:
            case ast.Call(func=ast.Name("zip")):
                self._read_pairs(parent)
            case ast.Assign(targets=[ast.Name(other)], value=value) if value is node:
                self._derived.add(other)
            case ast.Starred() if self._read_unzipped(parent):
                pass
            case ast.Subscript() | ast.Return() | ast.Starred():
                raise NotKnown
            case ast.Call() if _averages(parent):
                self._read_made(parent)
            case ast.Call(func=ast.Name("enumerate" | "list" | "sorted" | "reversed")):
                raise NotKnown
            case ast.comprehension(iter=listed) if listed is node:
                self._read_made(self._scopes.parents[parent])
            case _ if isinstance(parent, _COMPREHENSIONS):
                self._read_made(parent)

    def _read_made(self, made: ast.AST) -> None:
        """Notes the name of a list that is made of another one by one."""
        parent = self._scopes.parents[made]
        match parent:
            case ast.Assign(targets=[ast.Name(name)], value=value) if value is made:
                self._derived.add(name)
            case ast.comprehension(iter=listed) if listed is made:
                self._read_made(self._scopes.parents[parent])
            case _ if isinstance(parent, _COMPREHENSIONS) and any(
                part.iter is made for part in parent.generators
            ):
                self._read_made(parent)
            case ast.Call(func=ast.Name("list")) as listed:
                self._read_made(listed)
            case ast.Call(func=ast.Name("zip")) as pairs:
                self._read_pairs(pairs)
            case ast.Return() | ast.Starred() | ast.Subscript():
                raise NotKnown

    def _read_unzipped(self, starred: ast.Starred) -> bool:
        """Notes the names of `gradients, variables = zip(*pairs)`; whether it is that."""
        call = self._scopes.parents[starred]
        match call, self._scopes.parents[call]:
            case (
                ast.Call(func=ast.Name("zip"), args=[_], keywords=[]),
                ast.Assign(targets=[ast.Tuple([ast.Name(one), ast.Name(other)])]),
            ):
                self._derived.add(one)
                self._variables.add(other)
                return True
        return False

    def _read_clipped(self, call: ast.Call) -> None:
        """Notes `clipped, norm = tf.clip_by_global_norm(...)`, or its first part."""
        match self._scopes.parents[call]:
            case ast.Assign(targets=[ast.Tuple([ast.Name(name), *_])]):
                self._derived.add(name)
            case ast.Subscript(slice=ast.Constant(0)) as clipped:
                self._read_made(clipped)

    def _read_pairs(self, pairs: ast.Call) -> None:
        """Notes `zip(gradients, variables)`: all of its lists must be in one order."""
        self._pairs.append(pairs)
        self._read_made(pairs)

    def _is_ordered(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Name):
            return node.id in self._variables | self._gradients | self._derived
        if isinstance(node, ast.Call) and _averages(node):
            return self._is_ordered(node.args[0])
        if isinstance(node, ast.Call):
            return self._is_gradient(node)
        return isinstance(node, _COMPREHENSIONS) and all(
            isinstance(part.iter, ast.Name) and self._is_ordered(part.iter)
            for part in node.generators
        )

    def _is_gradient(self, call: ast.Call) -> bool:
        """`tape.gradient(loss, variables)`"""
        match call:
            case ast.Call(
                func=ast.Attribute(ast.Name(tape), "gradient"),
                args=[_, ast.Name(asked)],
            ):
                return tape in self._tapes and asked in self._variables
        return False


def _averages(call: ast.Call) -> bool:
    """`replicas.average(gradients)`: of each, in their order."""
    match call:
        case ast.Call(func=ast.Attribute(ast.Name(), attr), args=[_], keywords=[]):
            return attr in _AVERAGES
    return False
