"""TF1 to TF1: a name that stands for a variable or a schedule stands for nothing else.

    rate = tf.train.exponential_decay(0.1, step, 100, 0.9)
    rate = tf.maximum(rate, 0.01)

The first is made once, the second is computed in every step. In a step function one
name cannot be both; the second becomes `rate_2`.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import itertools
import re

from migrate.facts import names
from migrate.facts.aliases import Aliases
from migrate.facts.scopes import Scope
from migrate.normalise.text import Edit, ParsedText, Text
from migrate.source.nodes import walk_breadth_first
from migrate.tables import roles
from migrate.tables.layers import LAYER_CLASSES
from migrate.tables.optimizers import OPTIMIZERS, SCHEDULES
from migrate.tables.recurrent import CELLS, WRAPPERS

_MADE_ONCE = (
    roles.VARIABLES
    | roles.GLOBAL_STEPS
    | frozenset(SCHEDULES)
    | frozenset(OPTIMIZERS)
    | roles.SYNC_OPTIMIZERS
    | {"tf.placeholder", "tf.placeholder_with_default"}
    | frozenset(LAYER_CLASSES)
    | (frozenset(CELLS) - WRAPPERS)
)
_VARIABLES = roles.VARIABLES | roles.GLOBAL_STEPS
_NUMBER = re.compile(r"_\d+$")
_STRAIGHT = (ast.With, ast.FunctionDef, ast.Module)


def rename_later_bindings(text: Text) -> Text:
    """The text with later bindings of such names renamed, if their order is clear."""
    while True:
        new = _Versions(text).rename_binding()
        if new is None:
            return text
        text = new


def name_tensors_apart(text: Text) -> Text:
    """The text with one name for each tensor that a function of the file is given.

        net = dense(x, 12, "fc1")
        net = net * keep_prob
        logits = dense(net, 3, "fc2")

    Where `dense` makes variables by the shape of what it is given, that shape is that of
    one statement's result.
    """
    while True:
        new = _Versions(text).tell_bindings_apart()
        if new is None:
            return text
        text = new


def rename_from_here(text: Text, name: ast.Name) -> Text | None:
    """The text with a name renamed from one of its bindings on.

    None if the order in which its bindings are made is not clear.
    """
    versions = _Versions(text)
    here = next(
        node
        for node in walk_breadth_first(versions._tree)
        if isinstance(node, ast.Name)
        and (node.lineno, node.col_offset) == (name.lineno, name.col_offset)
    )
    bindings = versions._list_bindings(here)
    found = [b for b in bindings or () if b.target is here]
    return versions._rename_from(name.id, found[0]) if found else None


@dataclasses.dataclass(frozen=True)
class _Binding:
    statement: ast.Assign | ast.AugAssign
    target: ast.Name


_Bindings = list[_Binding] | None


class _Versions(ParsedText):
    def __init__(self, text: Text) -> None:
        super().__init__(text)
        # Programs that were joined from many files have many names: each is found once.
        self._names: dict[str, list[ast.Name]] = {}
        self._taken: set[str] = set()
        for node in walk_breadth_first(self._tree):
            if isinstance(node, ast.Name):
                self._names.setdefault(node.id, []).append(node)
            elif isinstance(node, ast.arg):
                self._taken.add(node.arg)
        self._taken |= self._names.keys()
        self._known: dict[tuple[str, ast.AST, ast.AST | None], _Bindings] = {}

    def rename_binding(self) -> Text | None:
        return (
            self._rename_after_made_once()
            or self._rename_before_block()
            or self._rename_after_changed()
        )

    def _rename_before_block(self) -> Text | None:
        """Renames a variable whose name stands for another value in a loop or a branch.

            out = tf.Variable(0.0)            out_2 = tf.Variable(0.0)
            for w in weights:         ->      out = tf.identity(out_2)
                out = out + w * x             for w in weights: ...

        In the step function `out` is a name of its own, which needs a first value.
        """
        for node in walk_breadth_first(self._tree):
            match node:
                case ast.Assign(
                    targets=[ast.Name() as name],
                    value=ast.Call(func=ast.Attribute() as func),
                ) if self._scopes.resolve(func) in _VARIABLES:
                    block = self._find_changing_block(node, name)
                    if block is not None:
                        return self._rename_until(name, block, _find_module(func))
        return None

    def _find_changing_block(
        self, made: ast.Assign, name: ast.Name
    ) -> ast.For | ast.While | ast.If | None:
        """Finds the block below that is the first to bind the name, by its own value."""
        scope = self._scopes.find_scope(name).find_owner(name.id)
        stores = [
            n
            for n in self._names[name.id]
            if not isinstance(n.ctx, ast.Load)
            and self._scopes.find_scope(n).find_owner(name.id) is scope
        ]
        stores.sort(key=lambda n: (n.lineno, n.col_offset))
        if len(stores) < 2 or stores[0] is not name:
            return None
        inside = [
            n
            for n in self._names[name.id]
            if self._scopes.find_scope(n).find_owner(name.id) is scope
        ]
        if any(self._find_function(n) is not self._find_function(name) for n in inside):
            return None
        bound: ast.AST = self._scopes.parents[stores[1]]
        if not isinstance(bound, ast.AugAssign) and not (
            isinstance(bound, ast.Assign) and name.id in names.find_reads(bound.value)
        ):
            return None
        if any(self._needs_variable(n) for n in inside if n.lineno > bound.lineno):
            return None
        home = self._scopes.parents[made]
        while self._scopes.parents[bound] is not home:
            bound = self._scopes.parents[bound]
            if isinstance(bound, (ast.FunctionDef, ast.ClassDef, ast.Module)):
                return None
        return bound if isinstance(bound, (ast.For, ast.While, ast.If)) else None

    def _needs_variable(self, node: ast.Name) -> bool:
        """Whether a use of a name may need a variable: `w.assign(0.0)`, `Saver([w])`."""
        parent = self._scopes.parents[node]
        if isinstance(parent, ast.Call) and node in parent.args:
            return self._scopes.resolve(parent.func) in roles.ASSIGNMENTS
        if isinstance(parent, ast.Attribute):
            return parent.attr not in ("eval", "get_shape", "name", "op", "shape")
        return isinstance(parent, (ast.List, ast.Tuple, ast.Dict, ast.keyword))

    def _rename_until(
        self, name: ast.Name, block: ast.For | ast.While | ast.If, module: str
    ) -> Text:
        """Renames a name above a block, which begins with the value of the new name."""
        new = self._choose_name(name.id)
        scope = self._scopes.find_scope(name).find_owner(name.id)
        edits = [
            Edit(node, new)
            for node in self._names[name.id]
            if node.lineno < block.lineno
            and (node.lineno, node.col_offset) >= (name.lineno, name.col_offset)
            and self._scopes.find_scope(node).find_owner(name.id) is scope
        ]
        line = f"{' ' * block.col_offset}{name.id} = {module}.identity({new})"
        origin = self._text.origins[block.lineno - 1]
        text = self._text.apply_edits(edits)
        return text.splice(block.lineno, block.lineno - 1, [line], [origin])

    def _choose_name(self, base: str) -> str:
        """Chooses a name with a number."""
        number = 2
        while f"{base}_{number}" in self._taken:
            number += 1
        new = f"{base}_{number}"
        self._taken.add(new)
        return new

    def _rename_after_changed(self) -> Text | None:
        """Renames a name that is rebound after the graph read its changed object."""
        for name, nodes in self._names.items():
            if name not in self._changed:
                continue
            for node in nodes:
                if not isinstance(node.ctx, ast.Store):
                    continue
                bindings = self._list_bindings(node) or []
                for binding, following in itertools.pairwise(bindings):
                    if isinstance(following.statement, ast.Assign):
                        if self._is_read_when_changed(name, binding, following):
                            return self._rename_from(name, following)
        return None

    @functools.cached_property
    def _changed(self) -> set[str]:
        """Returns the names of objects that some code may change in place."""
        return {
            node.id
            for statement in walk_breadth_first(self._tree)
            if isinstance(statement, (ast.Assign, ast.AugAssign, ast.Delete, ast.Expr))
            for node in walk_breadth_first(statement)
            if isinstance(node, ast.Name)
            and isinstance(
                self._scopes.parents.get(node),
                (ast.Subscript, ast.Attribute, ast.Call, ast.Assign),
            )
            and isinstance(node.ctx, ast.Load)
        }

    def _is_read_when_changed(
        self, name: str, binding: _Binding, following: _Binding
    ) -> bool:
        """Whether statements between two bindings change an object, which the graph reads."""
        function = self._find_function(binding.target)
        first, last = binding.statement.lineno, following.statement.lineno
        aliases, changed = Aliases(self._scopes, {name}), False
        between = [
            node
            for node in walk_breadth_first(function or self._tree)
            if isinstance(node, ast.stmt)
            and first < node.lineno < last
            and self._find_function(node) is function
        ]
        for statement in sorted(between, key=lambda s: (s.lineno, s.col_offset)):
            aliases.follow(statement)
            if names.list_suites(statement):
                continue
            if changed and self._is_read_by_graph(name, statement):
                return True
            changed = changed or any(aliases.find_changes(statement))
        return False

    def _is_read_by_graph(self, name: str, statement: ast.stmt) -> bool:
        return name in names.find_reads(statement) and any(
            isinstance(node, ast.Call)
            and (self._scopes.resolve(node.func) or "").startswith("tf.")
            for node in walk_breadth_first(statement)
        )

    def _rename_after_made_once(self) -> Text | None:
        for node in walk_breadth_first(self._tree):
            if not (
                isinstance(node, ast.Assign)
                and len(node.targets) == 1
                and isinstance(node.targets[0], ast.Name)
                and self._is_made_once(node.value)
            ):
                continue
            name = node.targets[0]
            bindings = self._list_bindings(name)
            if bindings is None or len(bindings) < 2:
                continue
            at = [b.statement for b in bindings].index(node)
            if at + 1 == len(bindings):
                continue
            following = bindings[at + 1]
            if isinstance(following.statement, ast.Assign) and self._is_made_once(
                following.statement.value
            ):
                continue  # Both are made once: that the back-end tells apart.
            return self._rename_from(name.id, following)
        return None

    def tell_bindings_apart(self) -> Text | None:
        """Renames one more binding of each name; numbers are given in order."""
        edits: list[Edit] = []
        numbered: set[tuple[str, ast.AST]] = set()
        for node in walk_breadth_first(self._tree):
            if not (
                isinstance(node, ast.Name)
                and isinstance(node.ctx, ast.Load)
                and self._asks_shape(node)
            ):
                continue
            base = _NUMBER.sub("", node.id)
            scope = self._scopes.find_scope(node).find_owner(node.id)
            if scope is None or (base, scope.node) in numbered:
                continue
            bindings = self._list_bindings(node)
            if bindings is None or len(bindings) < 2:
                continue
            if isinstance(bindings[1].statement, ast.AugAssign):
                # This edit replaces the whole statement: no other may change it.
                if not edits:
                    return self._text.apply_edits(
                        self._make_edits(node.id, bindings[1], base)
                    )
                continue
            numbered.add((base, scope.node))
            edits += self._make_edits(node.id, bindings[1], base)
        return self._text.apply_edits(edits) if edits else None

    def _asks_shape(self, node: ast.Name) -> bool:
        """Whether a function of the file is given it, or its shape is asked for."""
        parent = self._scopes.parents.get(node)
        if isinstance(parent, ast.keyword):
            parent = self._scopes.parents.get(parent)
        if isinstance(parent, ast.Attribute):
            return parent.attr in ("shape", "get_shape")
        if not (isinstance(parent, ast.Call) and isinstance(parent.func, ast.Name)):
            return False
        owner = self._scopes.find_scope(parent.func).find_owner(parent.func.id)
        made = owner.bindings.get(parent.func.id, []) if owner is not None else []
        return any(isinstance(m, ast.FunctionDef) for m in made)

    def _is_made_once(self, value: ast.expr) -> bool:
        return (
            isinstance(value, ast.Call)
            and self._scopes.resolve(value.func) in _MADE_ONCE
        )

    def _list_bindings(self, name: ast.Name) -> _Bindings:
        """Lists all bindings of a name in order; None if the order is not clear."""
        scope = self._scopes.find_scope(name).find_owner(name.id)
        if scope is None:
            return None
        function = self._find_function(name)
        key = (name.id, scope.node, function)
        if key not in self._known:
            self._known[key] = self._find_bindings_in(name.id, scope, function)
        return self._known[key]

    def _find_bindings_in(
        self, name: str, scope: Scope, function: ast.AST | None
    ) -> _Bindings:
        """Finds the bindings of a scope's name that a function reads."""
        found: list[_Binding] = []
        # The branches in which the uses of the name stand.
        around: set[ast.AST | None] = set()
        branches = False
        for node in self._names[name]:
            if self._scopes.find_scope(node).find_owner(name) is not scope:
                continue
            around.add(self._find_branch(node))
            if self._find_function(node) is not function:
                return None  # A function that is called later sees the last value.
            if isinstance(node.ctx, ast.Load):
                continue
            statement = self._scopes.parents.get(node)
            if not self._runs_in_order(statement):
                branches = True
            if isinstance(statement, ast.AugAssign) or (
                isinstance(statement, ast.Assign) and statement.targets == [node]
            ):
                found.append(_Binding(statement, node))
            else:
                return None
        if branches and (len(around) != 1 or None in around):
            return None
        return sorted(found, key=lambda b: (b.target.lineno, b.target.col_offset))

    def _find_branch(self, node: ast.AST) -> ast.AST | None:
        """The first statement of the one branch of an `if` that a node stands in.

        None if it stands in none, or in a block that may run several times or in part.
        """
        inner, outer = node, self._scopes.parents.get(node)
        first: ast.AST | None = None
        while outer is not None and not isinstance(
            outer, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Module)
        ):
            if isinstance(outer, (ast.For, ast.While, ast.Try)):
                return None
            if isinstance(outer, ast.If):
                if not isinstance(inner, ast.stmt):
                    return None
                first = (outer.body if inner in outer.body else outer.orelse)[0]
                if not isinstance(first, ast.If):  # An `elif` is its own branch.
                    return first
            inner, outer = outer, self._scopes.parents.get(outer)
        return first

    def _find_function(self, node: ast.AST) -> ast.AST | None:
        """Returns the function, class or module around a node; no lambda counts."""
        parent = self._scopes.parents.get(node)
        while parent is not None and not isinstance(
            parent, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Module)
        ):
            parent = self._scopes.parents.get(parent)
        return parent

    def _runs_in_order(self, node: ast.AST | None) -> bool:
        """Whether the statement is run once, in the order in which it stands."""
        parent = self._scopes.parents.get(node) if node is not None else None
        while isinstance(parent, ast.With):
            parent = self._scopes.parents.get(parent)
        return isinstance(parent, _STRAIGHT)

    def _rename_from(self, name: str, binding: _Binding) -> Text:
        """The text with a name renamed from a binding on."""
        return self._text.apply_edits(self._make_edits(name, binding, name))

    def _make_edits(self, name: str, binding: _Binding, base: str) -> list[Edit]:
        """Makes the edits that rename a name, from a binding on, by a number."""
        new = self._choose_name(base)
        statement = binding.statement
        end = (statement.end_lineno or statement.lineno, statement.end_col_offset or 0)
        scope = self._scopes.find_scope(binding.target).find_owner(name)
        edits = [
            Edit(node, new)
            for node in self._names[name]
            if (node.lineno, node.col_offset) >= end
            and self._scopes.find_scope(node).find_owner(name) is scope
        ]
        if isinstance(statement, ast.AugAssign):
            value = " ".join(self._text.find_segment(statement.value).split("\n"))
            symbol = ast.unparse(
                ast.AugAssign(ast.Name("a"), statement.op, ast.Name("b"))
            )[2:-3]
            edits.append(Edit(statement, f"{new} = {name} {symbol} ({value})"))
        else:
            edits.append(Edit(binding.target, new))
        return edits


def _find_module(func: ast.Attribute) -> str:
    """The name that a file has for TensorFlow: `tf` of `tf.Variable`."""
    return ast.unparse(func).partition(".")[0]
