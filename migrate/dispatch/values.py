"""Finds the graph values that a fetch can be, and how the host chooses one.

    ops = [train_w, train_b]        what `op` can be: `train_w`, `train_b`
    op = ops[step % 2]              what it goes through: `ops`, `op`
    sess.run([op, loss])

A value is followed backward from the run, through names, conditional expressions,
lists, tuples, dicts and loops over them, to names that are bound once. Everything else
that reads a name on the way must be a run, too: then nobody sees which object it holds.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator, Sequence

from migrate.facts import names
from migrate.facts.scopes import Scope
from migrate.normalise.feeds.view import Unclear, View
from migrate.source.nodes import walk_breadth_first
from migrate.tables import roles

# Where in a container a value stands: at an index or key, at any (`ops[i]`), or what a
# loop over it gives, or a loop over a dict's values.
_ANY = object()
_EACH = object()
_VALUE = object()
_Path = tuple[object, ...]
# The host chooses no value: a run of None ends in an error.
NOTHING = "None"
# Functions that give the elements of the sequence that they are given.
_SAME_ELEMENTS = frozenset({"list", "tuple", "reversed", "iter"})
# A container in a container, and so on: `x = x[0]` has no end.
_DEEPEST = 6
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.Module)


@dataclasses.dataclass
class Choice:
    """Fetches that the host chooses by the same names.

    Attributes:
      sites: the fetched expressions, each with the names of the values it can be.
      sources: where the host takes these values.
    """

    sites: dict[ast.expr, list[str]]
    sources: list[ast.expr]


class Values:
    """Follows what fetched expressions of a program can be."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._uses: dict[tuple[int, str], list[ast.Name]] = {}
        for node in view.scopes.walk():
            if isinstance(node, ast.Name):
                owner = view.scopes.find_scope(node).find_owner(node.id)
                if owner is not None:
                    self._uses.setdefault((id(owner), node.id), []).append(node)

    def find_choice(self, fetched: ast.expr) -> Choice | None:
        """Finds the choice that a fetched expression belongs to; None for none."""
        try:
            followed = _Followed(self._view, self._uses)
            followed.add_site(fetched)
            followed.close()
        except Unclear:
            return None
        if id(fetched) in followed.sources:
            return None  # It is the value's own name.
        return Choice(followed.sites, list(followed.sources.values()))


class _Followed:
    """The names and values that were followed backward from some fetches."""

    def __init__(self, view: View, uses: dict[tuple[int, str], list[ast.Name]]) -> None:
        self._view, self._uses = view, uses
        self.sites: dict[ast.expr, list[str]] = {}
        self.sources: dict[int, ast.expr] = {}
        self._variables: dict[tuple[int, str], Scope] = {}
        # Reads of them that lead to a run, and the expressions that are being followed.
        self._seen: set[int] = set()
        self._open: set[tuple[int, _Path]] = set()
        # What is bound to several names at once, as (targets, value, where in it).
        self._parted: dict[int, tuple[ast.expr, ast.expr, _Path]] = {}
        self._found: list[str] = []

    def add_site(self, fetched: ast.expr) -> None:
        self._found = []
        self._follow(fetched, ())
        self.sites[fetched] = list(dict.fromkeys(self._found))
        if self.sites[fetched] == [NOTHING]:
            raise Unclear
        for name in self.sites[fetched]:
            self._check_visible(fetched, name)

    def close(self) -> None:
        """Adds the other runs of what the values go through.

        Raises:
          Unclear: something else than a run reads it.
        """
        while True:
            left = [
                use
                for variable in self._variables
                for use in self._uses[variable]
                if isinstance(use.ctx, ast.Load)
                and id(use) not in self._seen
                and not self._is_compared_with_none(use)
            ]
            if left:
                site = find_fetched(self._view, left[0])
                sites = self._find_sites_behind(left[0]) if site is None else [site]
            else:
                beside = self._find_bound_beside()
                if not beside:
                    return
                found = [find_fetched(self._view, use) for use in beside]
                sites = [site for site in found if site is not None]
            new = [s for s in sites if s not in self.sites]
            if not new:
                raise Unclear
            for site in new:
                self.add_site(site)

    def _is_compared_with_none(self, use: ast.Name) -> bool:
        """`op is None`: the name of a value is as little None as the value."""
        match self._view.scopes.parents[use]:
            case ast.Compare(
                left=left,
                ops=[ast.Is() | ast.IsNot()],
                comparators=[ast.Constant(None)],
            ):
                return left is use
        return False

    def _find_sites_behind(self, read: ast.Name) -> list[ast.expr]:
        """Runs of what a statement binds that reads a name."""
        statement = self._view.find_statement(read)
        bound = {
            (id(self._view.scopes.find_scope(node).find_owner(node.id)), node.id)
            for node in walk_breadth_first(statement)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        }
        uses = [use for variable in bound for use in self._uses.get(variable, ())]
        found = [find_fetched(self._view, use) for use in uses]
        return [site for site in found if site is not None]

    def _follow(self, node: ast.expr, path: _Path) -> None:
        """Follows the part of an expression at a path."""
        if len(path) > _DEEPEST:
            raise Unclear
        if isinstance(node, ast.IfExp):
            self._follow(node.body, path)
            self._follow(node.orelse, path)
        elif isinstance(node, ast.Name):
            self._follow_name(node, path)
        elif isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice):
            key = names.read_literal(node.slice)
            known = isinstance(key, (str, int)) and not isinstance(key, bool)
            self._follow(node.value, (key if known else _ANY, *path))
        elif isinstance(node, (ast.List, ast.Tuple)) and path:
            for element in _select_elements(node.elts, path[0]):
                self._follow(element, path[1:])
        elif isinstance(node, ast.Dict) and path:
            for element in _select_values(node, path[0]):
                self._follow(element, path[1:])
        elif isinstance(node, ast.Call) and path:
            self._follow_call(node, path)
        elif names.is_none_constant(node) and not path:
            self._found.append(NOTHING)
        elif isinstance(node, ast.Call) and _is_no_op(self._view, node):
            self.sources[id(node)] = node
            self._found.append(ast.unparse(node))
        else:
            raise Unclear

    def _follow_call(self, node: ast.Call, path: _Path) -> None:
        """`zip(ops, names)`, `enumerate(ops)`, `ops.items()`: what a loop takes of them."""
        if path[0] is not _EACH or any(isinstance(a, ast.Starred) for a in node.args):
            raise Unclear
        place, rest = (path[1] if len(path) > 1 else None), path[2:]
        if isinstance(node.func, ast.Attribute) and not node.args:
            if node.func.attr == "values":
                return self._follow(node.func.value, (_VALUE, *path[1:]))
            if node.func.attr == "items" and place == 1:
                return self._follow(node.func.value, (_VALUE, *rest))
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name and self._view.scopes.find_scope(node).find_owner(name) is not None:
            raise Unclear  # It is not Python's own.
        if name in _SAME_ELEMENTS and len(node.args) == 1:
            return self._follow(node.args[0], path)
        if name == "enumerate" and node.args and place == 1:
            return self._follow(node.args[0], (_EACH, *rest))
        if name == "zip" and isinstance(place, int) and 0 <= place < len(node.args):
            return self._follow(node.args[place], (_EACH, *rest))
        raise Unclear

    def _follow_name(self, node: ast.Name, path: _Path) -> None:
        owner = self._view.scopes.find_scope(node).find_owner(node.id)
        if owner is None:
            raise Unclear
        self._seen.add(id(node))
        bindings = self._find_bindings(owner, node.id)
        if not path and self._is_source(bindings):
            self.sources[id(node)] = node
            self._found.append(node.id)
            return
        self._variables[id(owner), node.id] = owner
        for target in bindings:
            if (id(target), path) in self._open:
                continue
            self._open.add((id(target), path))
            self._follow_binding(target, path)
            self._open.discard((id(target), path))

    def _find_bindings(self, owner: Scope, name: str) -> list[ast.Name]:
        """Finds a name's bindings, all by assignments or as loop variables."""
        stores = [
            use
            for use in self._uses[id(owner), name]
            if not isinstance(use.ctx, ast.Load)
        ]
        own = all(self._view.scopes.find_scope(s) is owner for s in stores)
        if not own or len(stores) != len(owner.bindings[name]):
            raise Unclear  # A parameter, an import, a `global` name.
        if any(isinstance(store.ctx, ast.Del) for store in stores):
            raise Unclear
        return stores

    def _is_source(self, bindings: Sequence[ast.Name], left: int = 8) -> bool:
        """Whether a name is bound once, and stands for one object from then on.

        Args:
          left: how many names may stand for one another.
        """
        if len(bindings) != 1 or not left:
            return False
        statement = self._view.find_statement(bindings[0])
        if not isinstance(statement, ast.Assign):
            return False
        value = statement.value
        if statement.targets == [bindings[0]]:
            if isinstance(value, ast.Name):
                owner = self._view.scopes.find_scope(value).find_owner(value.id)
                if owner is None or not self._is_source(
                    self._find_bindings(owner, value.id), left - 1
                ):
                    return False
            elif not isinstance(value, (ast.Call, ast.BinOp, ast.Attribute)):
                return False
        for above in self._view.scopes.walk_above(bindings[0]):
            if isinstance(above, _LOOPS):
                return False
            if isinstance(above, _FUNCTIONS):
                break
        return True

    def _check_visible(self, fetched: ast.expr, name: str) -> None:
        """Checks that a run can name the value that another place gave the host.

        Raises:
          Unclear: the name is another one there, or that of another call of a function.
        """
        here = self._view.scopes.find_scope(fetched)
        for source in self.sources.values():
            if ast.unparse(source) != name:
                continue
            if isinstance(source, ast.Call):
                self._check_names(source, here)
                continue
            assert isinstance(source, ast.Name)
            owner = self._view.scopes.find_scope(source).find_owner(name)
            if here.find_owner(name) is not owner:
                raise Unclear
            module = self._view.scopes.module
            if owner is not module and any(
                other is not owner for other in [here, *self._variables.values()]
            ):
                raise Unclear

    def _check_names(self, source: ast.Call, here: Scope) -> None:
        """Checks that the names of a call mean the same in another scope.

        Raises:
          Unclear: one may mean something else.
        """
        for node in walk_breadth_first(source):
            if isinstance(node, ast.Name):
                owner = self._view.scopes.find_scope(node).find_owner(node.id)
                if here.find_owner(node.id) is not owner:
                    raise Unclear

    def _follow_binding(self, target: ast.Name, path: _Path) -> None:
        """Follows what a name is bound to at one of its bindings."""
        inner: ast.AST = target
        place: _Path = ()
        begin: _Path = ()
        outer = self._view.scopes.parents[target]
        while isinstance(outer, (ast.Tuple, ast.List)):
            if any(isinstance(e, ast.Starred) for e in outer.elts):
                raise Unclear
            place = (outer.elts.index(inner), *place)  # type: ignore[arg-type]
            inner, outer = outer, self._view.scopes.parents[outer]
        assert isinstance(inner, ast.expr)
        if isinstance(outer, ast.Assign) and outer.targets == [inner]:
            value = outer.value
        elif isinstance(outer, ast.For) and outer.target is inner:
            value, begin = outer.iter, (_EACH,)
        else:
            raise Unclear
        if place:
            self._parted[id(inner)] = inner, value, begin
        self._follow(value, (*begin, *place, *path))

    def _find_bound_beside(self) -> list[ast.Name]:
        """Reads of names that have a followed value, and which nothing has followed.

        `first, second = ops`, where one is run and the other is printed.

        Raises:
          Unclear: what is bound to such a value is not a name.
        """
        for targets, value, begin in self._parted.values():
            for target, place in _walk_parts(targets):
                if not self._may_reach(value, (*begin, *place), set()):
                    continue
                if not isinstance(target, ast.Name):
                    raise Unclear
                owner = self._view.scopes.find_scope(target).find_owner(target.id)
                uses = self._uses[id(owner), target.id]
                reads = [use for use in uses if isinstance(use.ctx, ast.Load)]
                if reads and (id(owner), target.id) not in self._variables:
                    return reads
        return []

    def _may_reach(
        self, node: ast.expr, path: _Path, known: set[tuple[int, _Path]]
    ) -> bool:
        """Whether a followed value may be what an expression has at a path."""
        if (id(node), path) in known or isinstance(node, ast.Constant):
            return False
        if len(path) > _DEEPEST:
            return True
        known.add((id(node), path))
        if isinstance(node, ast.IfExp):
            return any(
                self._may_reach(part, path, known) for part in (node.body, node.orelse)
            )
        try:
            if isinstance(node, (ast.List, ast.Tuple)) and path:
                parts = _select_elements(node.elts, path[0])
                return any(self._may_reach(p, path[1:], known) for p in parts)
            if isinstance(node, ast.Dict) and path:
                parts = _select_values(node, path[0])
                return any(self._may_reach(p, path[1:], known) for p in parts)
        except Unclear:
            return True
        if isinstance(node, ast.Name) and id(node) not in self.sources:
            owner = self._view.scopes.find_scope(node).find_owner(node.id)
            return (id(owner), node.id) in self._variables and any(
                self._may_reach_binding(target, path, known)
                for target in self._uses[id(owner), node.id]
                if isinstance(target.ctx, ast.Store)
            )
        if isinstance(node, ast.Call) and len(path) > 1 and path[0] is _EACH:
            name = node.func.id if isinstance(node.func, ast.Name) else ""
            place = path[1]
            if name == "enumerate" and place == 0:
                return False
            if name == "zip" and isinstance(place, int) and place < len(node.args):
                return self._may_reach(node.args[place], (_EACH, *path[2:]), known)
            if isinstance(node.func, ast.Attribute) and node.func.attr == "items":
                if place == 0:
                    return False
        return any(
            id(inner) in self.sources or self._is_variable(inner)
            for inner in walk_breadth_first(node)
        )

    def _may_reach_binding(
        self, target: ast.Name, path: _Path, known: set[tuple[int, _Path]]
    ) -> bool:
        parent = self._view.scopes.parents[target]
        if isinstance(parent, ast.Assign) and parent.targets == [target]:
            return self._may_reach(parent.value, path, known)
        if isinstance(parent, ast.For) and parent.target is target:
            return self._may_reach(parent.iter, (_EACH, *path), known)
        return True

    def _is_variable(self, node: ast.AST) -> bool:
        """Whether it is a name that followed values go through."""
        if not isinstance(node, ast.Name):
            return False
        owner = self._view.scopes.find_scope(node).find_owner(node.id)
        return (id(owner), node.id) in self._variables


def _is_no_op(view: View, call: ast.Call) -> bool:
    """Whether it is `tf.no_op()`, wherever it is made: no block gives it an order."""
    if call.args or call.keywords or view.scopes.resolve(call.func) != "tf.no_op":
        return False
    return all(
        isinstance(item.context_expr, ast.Call)
        and view.scopes.resolve(item.context_expr.func) in (roles.SESSIONS | {None})
        and names.get_last_part(item.context_expr.func) != "control_dependencies"
        for block in view.scopes.walk_above(call)
        if isinstance(block, ast.With)
        for item in block.items
    )


def find_fetched(view: View, node: ast.AST) -> ast.expr | None:
    """The element of what a run fetches that a node stands in."""
    for outer in view.scopes.walk_above(node):
        if isinstance(outer, (ast.stmt, *_FUNCTIONS)):
            return None
        for element in list_fetched(view, outer):
            if any(n is node for n in walk_breadth_first(element)):
                return element
    return None


def list_fetched(view: View, call: ast.AST) -> list[ast.expr]:
    """The elements of what a session's run call fetches."""
    if not (
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr == "run"
        and view.scopes.resolve(call.func) is None
    ):
        return []
    fetches = names.find_argument(call, "fetches", 0)
    return _flatten(fetches) if fetches is not None else []


def _flatten(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, (ast.List, ast.Tuple)):
        return [inner for element in node.elts for inner in _flatten(element)]
    if isinstance(node, ast.Dict):
        return [inner for value in node.values for inner in _flatten(value)]
    return [node]


def _walk_parts(
    targets: ast.expr, place: tuple[int, ...] = ()
) -> Iterator[tuple[ast.expr, tuple[int, ...]]]:
    """Yields each target of an unpacking assignment, with its place in it."""
    if isinstance(targets, (ast.Tuple, ast.List)):
        for index, target in enumerate(targets.elts):
            yield from _walk_parts(target, (*place, index))
    else:
        yield targets, place


def _select_elements(elements: Sequence[ast.expr], place: object) -> Sequence[ast.expr]:
    """Selects the elements of a list or tuple at a place.

    Raises:
      Unclear: it has no such place.
    """
    if any(isinstance(e, ast.Starred) for e in elements):
        raise Unclear
    if place is _ANY or place is _EACH:
        return elements
    if isinstance(place, int) and -len(elements) <= place < len(elements):
        return [elements[place]]
    raise Unclear


def _select_values(node: ast.Dict, place: object) -> Sequence[ast.expr]:
    """Selects the values of a dict at a place.

    Raises:
      Unclear: it has no such place, or is not written out.
    """
    if any(key is None for key in node.keys):
        raise Unclear
    keys = [names.read_literal(key) for key in node.keys]
    if place is _ANY or place is _VALUE or (place is not _EACH and None in keys):
        return node.values
    if place is not _EACH and keys.count(place) == 1:
        return [node.values[keys.index(place)]]
    raise Unclear
